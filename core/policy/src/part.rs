//! A call taken apart: each file, command and host that it is about is judged for itself, and the strictest
//! judgement is that of the call.

use lodger_protocol::ResolvedAccess;

use crate::shell::{Commands, SimpleCommand};

/// One thing that a call is about.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// A simple command of its line, and all commands of the line where they are known.
    Command(&'a SimpleCommand, Option<&'a Commands>),
    /// Its line was not understood; why.
    Unclear(&'a str),
    /// A file.
    File(&'a ResolvedAccess),
    /// A host of a network.
    Host(&'a str),
    /// Nothing but the tool itself.
    Tool,
}
