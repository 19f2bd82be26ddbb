//! A coding agent that lives inside your program.
//!
//! ```no_run
//! use futures_util::StreamExt;
//! use lodger::protocol::{EventBody, Passing, PermissionAnswer};
//!
//! # async fn run() -> lodger::Result<()> {
//! let agent = lodger::Agent::builder()
//!     .cwd("/path/to/repo")
//!     .model("anthropic/claude-sonnet-5-5")
//!     .environment(lodger::host_environment())
//!     .on_permission(|asked| async move {
//!         println!("{}", asked.body.summary);
//!         PermissionAnswer::AllowOnce {}
//!     })
//!     .create()?;
//!
//! let mut turn = agent.prompt("Fix the failing test in src/parser.rs")?;
//! while let Some(event) = turn.next().await {
//!     if let EventBody::Passing(Passing::TextDelta { text, .. }) = &event.body {
//!         print!("{text}");
//!     }
//! }
//! println!("{:?}", turn.result().await?.reason);
//! agent.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! # The house
//!
//! * [`protocol`]: what is said: options, events, requests, answers, results, errors.
//! * [`Agent`], [`Turn`]: the face for Rust.
//! * [`embed`]: what the faces for C, Node and Python stand on.
//!
//! Nothing here is process-wide: no signal handler, no change of environment or folder, no logging set-up. The
//! environment is a value that the host hands over.

pub mod audit;
pub mod embed;
pub mod login;

mod agent;
mod credentials;
mod explain;
mod handlers;
mod models;
mod network;
mod policy;
mod pump;
mod tool;
mod turn;
mod wiring;

pub use agent::{Agent, AgentBuilder};
pub use embed::{Runtime, RuntimeOptions, host_environment};
pub use explain::{Explanation, Outlook, explain};
pub use handlers::Asked;
pub use lodger_model::auth::{IssuedToken, TokenRequest, TokenSource};
pub use lodger_net::{Fetch, Fetcher, Flow as FetchFlow, HttpRequest};
pub use lodger_protocol as protocol;
pub use lodger_protocol::{Error, ErrorCode, Result};
pub use models::list_models;
pub use tool::{IntoToolAnswer, ToolCall};
pub use turn::Turn;
