//! The agent: one conversation, one turn at a time.
//!
//! A pure function reads the transcript and says what is next; thin shells do it and append what came of it.
//! Every effect passes one door. This crate names no concrete model, tool or store, and must never keep state
//! of a turn anywhere but in the transcript.

mod agent;
mod answer;
mod ask_user;
mod audit;
mod context;
mod cost;
mod door;
mod explain;
mod grants;
mod guards;
mod host_tool;
mod instructions;
mod models;
mod outlet;
mod output_schema;
mod present_plan;
mod requests;
mod run;
mod shared;
mod shown;
mod spending;
mod step;
mod turn;

pub use agent::Agent;
pub use answer::OUTPUT_TOOL;
pub use ask_user::AskUser;
pub use audit::Audit;
pub use explain::{Caller, explain};
pub use guards::Guards;
pub use host_tool::HostTool;
pub use instructions::{BASE_PROMPT, system_prompt};
pub use outlet::{Delivery, Outlet};
pub use output_schema::OutputSchema;
pub use present_plan::PresentPlan;
pub use requests::{Pending, RequestTable};
pub use shared::{AgentParts, OpenModel};
pub use spending::Spending;
pub use step::{OpenCall, Rejection, Step, Told, next_step};
