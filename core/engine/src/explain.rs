//! What the door would say to a call, for those who want to know before there is one. Nothing is asked, and nothing runs.

use lodger_policy::{Analyser, Decision, Policy, decide};
use lodger_protocol::{Error, Mode, Result};
use lodger_tools::Registry;
use lodger_workspace::Workspace;
use serde_json::Value;

use crate::door::{Asked, Found, Pointed, look_up};

/// The agent that would make the call, as far as the door looks at it. It has no grants yet.
pub struct Caller<'a> {
    /// What is in force.
    pub policy: &'a Policy,
    /// Its mode.
    pub mode: Mode,
    /// Its tools.
    pub tools: &'a Registry,
    /// Its files; absent: none.
    pub workspace: Option<&'a dyn Workspace>,
    /// What takes its command lines apart.
    pub analyser: &'a Analyser,
}

/// What the door would say to this call. Blocking: files are looked up.
///
/// # Errors
/// `invalid_input` for a tool that there is not and an input that it cannot use; what is wrong with a path.
pub fn explain(caller: &Caller<'_>, tool: &str, input: &Value) -> Result<Decision> {
    let Some(known) = caller.tools.get(tool) else {
        let specs = caller.tools.specs(caller.mode);
        let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
        return Err(Error::invalid_input(format!("there is no tool {tool:?}; there are: {}", names.join(", "))));
    };
    let run = known.parse(input).map_err(|failure| Error::invalid_input(format!("the input: {}", failure.0)))?;
    let found = match caller.workspace {
        Some(workspace) => look_up(&Pointed::of(run.as_ref()), workspace, caller.analyser)?,
        None => Found::default(),
    };
    let asked = Asked::new(run.target(), known.host_approval(), &found);
    Ok(decide(caller.policy, caller.mode, asked.action(tool, false, &[])))
}
