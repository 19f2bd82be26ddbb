//! Files and commands of one agent on this machine.

/// Files and commands of one agent on this machine.
#[derive(Debug)]
pub struct LocalWorkspace;
