//! The vocabulary of Lodger: what every face, wire and file says, in one place.
//!
//! Data only. This crate must never do anything: no runtime, no HTTP, no files, no policy. JSON Schema,
//! the TypeScript types, the Python types and `docs/errors.md` are generated from what stands here.

mod access;
mod answer;
mod auth;
mod clock;
mod content;
mod diagnostic;
mod environment;
mod error;
mod event;
mod guard;
mod id;
mod mode;
mod network;
mod options;
mod request;
mod result;
mod rule;
mod sandbox;
mod secret;
mod tool;

pub use access::{FileId, Intent, ResolvedAccess};
pub use answer::{Answer, CheckAnswer, PermissionAnswer, Persist, PlanAnswer, QuestionAnswer, ToolAnswer};
pub use auth::Auth;
pub use clock::{Clock, SystemClock};
pub use content::{Content, MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES, Message, Prompt, Role};
pub use diagnostic::{Diagnostic, DiagnosticBody, DiagnosticSink, Diagnostics};
pub use environment::Environment;
pub use error::{Error, ErrorCode, ErrorEntry, Result};
pub use event::{
    DeniedBy, Entry, Event, EventBody, FileChange, NoticeLevel, PROTOCOL_VERSION, Passing, PlanItem, PlanStatus, Task,
    TaskStatus, UsageReport,
};
pub use guard::{CheckOptions, GuardKind, GuardReport, GuardVerdict};
pub use id::{AgentId, MessageId, PromptId, RequestId, SessionId, ToolCallId, TurnId};
pub use mode::Mode;
pub use network::NetworkOptions;
pub use options::{
    AgentOptions, DebugOptions, Effort, Endpoint, EndpointKind, EnvInherit, EnvOptions, Limits, ListModelsOptions,
    RequestDelivery, SettingsLayer, TextOrList, ToolApproval, ToolOptions, WebFetchOptions,
};
pub use request::{
    CheckRequest, Checks, Effect, Outcome, PermissionRequest, PlanRequest, QuestionChoice, QuestionRequest, Request,
    RequestBody, RequestKind, Risk, Target, TargetKind, ToolRequest, TraceStep,
};
pub use result::{Boundary, DoneReason, StopReason, TurnResult, Usage};
pub use rule::{DetailedRule, RuleExamples, RuleOptions};
pub use sandbox::{SandboxDegraded, SandboxKind, SandboxOptions, SandboxPart, SandboxRights, SandboxState};
pub use secret::Secret;
pub use tool::ToolSpec;
