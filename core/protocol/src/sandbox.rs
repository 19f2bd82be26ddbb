//! What confines the commands of an agent: what was asked for, and what there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What confines commands: its kind alone, or with what commands may do in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected off, auto, landlock or bubblewrap, or {kind?, network?, writableRoots?, allowUnixSockets?, degraded?}"
)]
pub enum SandboxOptions {
    /// The kind, with no rights but those that every sandbox gives.
    Kind(SandboxKind),
    /// The kind and more rights.
    Detailed(SandboxRights),
}

/// What holds commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxKind {
    /// Nothing does.
    Off,
    /// What the system has by itself, without another program: `landlock` on Linux.
    #[default]
    Auto,
    /// Landlock and a filter of system calls. Linux; whole from kernel 6.12 on.
    Landlock,
    /// The program `bwrap`, which must be installed, and the filter of system calls. Linux.
    Bubblewrap,
}

/// What commands may do in their sandbox. All of them may write in the roots and in a temporary folder of their own,
/// and read every file but those that a deny rule closes by its name, such as `read(~/.ssh/**)`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SandboxRights {
    /// What holds them. Default `auto`.
    pub kind: SandboxKind,
    /// They may use the network. Default false.
    pub network: bool,
    /// Folders that they may write to beside the roots, such as the cache of a package manager. Relative ones start
    /// from `cwd`. At most 64.
    pub writable_roots: Vec<String>,
    /// They may connect to Unix sockets: those of Docker, D-Bus and ssh-agent among them, each of which can lead out of
    /// the sandbox. Default false.
    pub allow_unix_sockets: bool,
    /// What is to happen where this system cannot hold all of it. Default `refuse`.
    pub degraded: SandboxDegraded,
}

/// What is to happen where a system cannot hold all of a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxDegraded {
    /// No agent is made: `unsupported`.
    #[default]
    Refuse,
    /// Commands run with as much of it as there is, be it nothing; `sandbox.missing` of the session says what is not.
    Accept,
}

impl SandboxOptions {
    /// The rights; nothing where no sandbox is asked for.
    #[must_use]
    pub fn rights(&self) -> Option<SandboxRights> {
        let rights = match self {
            Self::Kind(kind) => SandboxRights { kind: *kind, ..SandboxRights::default() },
            Self::Detailed(rights) => rights.clone(),
        };
        (rights.kind != SandboxKind::Off).then_some(rights)
    }
}

impl From<SandboxKind> for SandboxOptions {
    fn from(kind: SandboxKind) -> Self {
        Self::Kind(kind)
    }
}

impl From<SandboxRights> for SandboxOptions {
    fn from(rights: SandboxRights) -> Self {
        Self::Detailed(rights)
    }
}

/// What holds the commands of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxState {
    /// What holds them; `off` where nothing could and that was accepted.
    pub kind: SandboxKind,
    /// They may use the network.
    pub network: bool,
    /// What does not hold here. Empty unless `degraded: "accept"` was asked for.
    pub missing: Vec<SandboxPart>,
}

/// What a sandbox holds commands back from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxPart {
    /// Writing outside the writable folders, and reading what a deny rule closes.
    Files,
    /// Cutting files outside the writable folders.
    Truncation,
    /// Orders to devices, such as terminals.
    Devices,
    /// Signals to processes outside, and abstract Unix sockets.
    Signals,
    /// The filter of system calls: the network, Unix sockets, tracing other processes, io_uring.
    SystemCalls,
}

impl SandboxPart {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Files, Self::Truncation, Self::Devices, Self::Signals, Self::SystemCalls];

    /// The part as JSON names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Truncation => "truncation",
            Self::Devices => "devices",
            Self::Signals => "signals",
            Self::SystemCalls => "system_calls",
        }
    }
}
