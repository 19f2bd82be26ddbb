//! From options to the policy of one agent.

use std::path::Path;

use lodger_policy::{Analyser, Anchor, LayerKind, Policy, PolicyLayer, rules};
use lodger_protocol::{AgentOptions, Environment, Result};

/// What takes command lines apart.
pub(crate) fn analyser() -> Analyser {
    Analyser::new(lodger_policy::shell::analyse)
}

/// The policy of an agent with these options.
pub(crate) fn policy(
    options: &AgentOptions,
    cwd: Option<&Path>,
    env: &Environment,
    analyser: &Analyser,
) -> Result<Policy> {
    let anchor = Anchor { cwd: cwd.map(Path::to_owned), home: env.get("HOME").map(Into::into) };
    let flags = PolicyLayer {
        rules: rules(&options.allow, &options.ask, &options.deny, &anchor, analyser)?,
        ..PolicyLayer::new(LayerKind::Flags, "options")
    };
    Ok(Policy::new(vec![flags]))
}
