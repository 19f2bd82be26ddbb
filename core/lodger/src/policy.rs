//! From options and settings files to the policy of one agent.

use std::path::Path;

use lodger_config::{SettingsFile, SettingsPlace, settings_files};
use lodger_policy::{Analyser, Anchor, LayerKind, Policy, PolicyLayer, RuleKind, rules};
use lodger_protocol::{AgentOptions, Environment, Error, Result};

/// What takes command lines apart.
pub(crate) fn analyser() -> Analyser {
    Analyser::new(lodger_policy::shell::analyse)
}

/// What is in force for an agent.
pub(crate) struct InForce {
    pub(crate) policy: Policy,
    /// What in settings files counts for nothing, a line each.
    pub(crate) ignored: Vec<String>,
}

/// What is in force for an agent with these options.
pub(crate) fn in_force(
    options: &AgentOptions,
    cwd: Option<&Path>,
    env: &Environment,
    analyser: &Analyser,
) -> Result<InForce> {
    let anchor = Anchor { cwd: cwd.map(Path::to_owned), home: env.get("HOME").map(Into::into) };
    let flags = PolicyLayer {
        rules: rules(&options.allow, &options.ask, &options.deny, &anchor, analyser)?,
        ..PolicyLayer::new(LayerKind::Flags, "options")
    };
    let (mut layers, mut ignored) = (vec![flags], Vec::new());
    for mut file in settings_files(env, cwd, &options.settings)? {
        ignored.append(&mut file.notices);
        let layer = layer(&file, &anchor, analyser)?;
        layers.push(match file.place {
            SettingsPlace::Managed | SettingsPlace::User => layer,
            SettingsPlace::Project => {
                ignored.extend(loosening(&layer));
                layer.tightening_only()
            }
        });
    }
    Ok(InForce { policy: Policy::new(layers), ignored })
}

fn layer(file: &SettingsFile, anchor: &Anchor, analyser: &Analyser) -> Result<PolicyLayer> {
    let kind = match file.place {
        SettingsPlace::Managed => LayerKind::Managed,
        SettingsPlace::Project => LayerKind::Project,
        SettingsPlace::User => LayerKind::User,
    };
    let path = file.path.display().to_string();
    let said = &file.settings.permissions;
    let rules = rules(&said.allow, &said.ask, &said.deny, anchor, analyser)
        .map_err(|error| Error { message: format!("the settings file {path}: {}", error.message), ..error })?;
    Ok(PolicyLayer {
        rules,
        max_mode: said.max_mode(),
        models: file.settings.models.allowed.clone(),
        ..PolicyLayer::new(kind, path)
    })
}

/// What a layer says that only one whose writer is vouched for may say.
fn loosening(layer: &PolicyLayer) -> Option<String> {
    let rules: Vec<_> =
        layer.rules.iter().filter(|rule| rule.kind() == RuleKind::Allow).map(|rule| rule.text()).collect();
    (!rules.is_empty()).then(|| {
        format!("the {layer} may only forbid and ask; what it allows counts for nothing: {}", rules.join(", "))
    })
}
