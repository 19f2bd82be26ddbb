//! What a driver is told to play. The words are those of README.md.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All that a driver needs to know.
#[derive(Clone, Serialize)]
pub(crate) struct Job {
    /// How the turns are read.
    pub(crate) tap: String,
    /// Complete options.
    pub(crate) options: Value,
    /// What the host does.
    #[serde(flatten)]
    pub(crate) plays: Plays,
}

/// What a host does from its first prompt to its end.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Plays {
    /// One prompt after the other.
    pub(crate) turns: Vec<Turn>,
    /// How requests that call no tool are answered, in the order in which they are opened. Absent: nobody does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) answers: Option<Vec<Answer>>,
    /// What host tools do.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub(crate) tools: BTreeMap<String, ToolBehaviour>,
    /// How the host reads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) reader: Option<Reader>,
}

/// One prompt, and what the host does about it.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Turn {
    /// A text or blocks.
    pub(crate) prompt: Value,
    /// The host cancels before it reads anything.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) cancel_at_once: bool,
    /// The host cancels when it has read so much.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) cancel_after: Option<Seen>,
    /// The prompt goes to a new agent, made of a checkpoint of the one before.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(crate) restored: bool,
    /// An empty file that the host makes first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) makes: Option<PathBuf>,
}

/// So many events of a type, in all turns.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct Seen {
    /// Type of event.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// How many of them.
    pub(crate) count: usize,
}

/// How a request is answered that calls no tool.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Answer {
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) answer: Option<Value>,
    /// How long it takes.
    pub(crate) delay_ms: u64,
    /// `thread`: it comes from another thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) from: Option<String>,
    /// The handler throws this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) throw: Option<String>,
    /// The handler does not return.
    pub(crate) never: bool,
}

/// What a host tool does.
#[derive(Clone, Deserialize, Serialize)]
pub(crate) struct ToolBehaviour {
    /// What it shows meanwhile.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(crate) progress: Vec<String>,
    /// It returns when the host has read so much.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) after: Option<Seen>,
    /// What comes of it.
    #[serde(flatten)]
    pub(crate) end: ToolEnd,
}

/// How a host tool ends.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ToolEnd {
    /// It returns this.
    Result(Value),
    /// It throws this.
    Throw(String),
}

/// How the host reads.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reader {
    /// How long it waits.
    pub(crate) delay_ms: u64,
    /// After how many events.
    pub(crate) max: usize,
}
