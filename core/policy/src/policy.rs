//! All that is in force for one agent: the layers, and what they lock.

use std::path::PathBuf;

use lodger_protocol::{Error, ErrorCode, Mode, ResolvedAccess, Result};

use crate::wildcard::Wildcard;
use crate::{Part, PolicyLayer, Rule, RuleKind};

/// All that is in force for one agent. Cheap to ask, and never changed: a new policy is a new value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    layers: Vec<PolicyLayer>,
}

impl Policy {
    /// Puts layers in their order, whatever order they come in. Two of a kind stay in the given order.
    #[must_use]
    pub fn new(mut layers: Vec<PolicyLayer>) -> Self {
        layers.sort_by_key(|layer| layer.kind);
        Self { layers }
    }

    /// The layers, from the top.
    #[must_use]
    pub fn layers(&self) -> &[PolicyLayer] {
        &self.layers
    }

    /// The mode that counts where this one is set: no freer than any lock.
    #[must_use]
    pub fn clamp(&self, mode: Mode) -> Mode {
        self.locks().fold(mode, |mode, (_, lock)| mode.stricter(lock))
    }

    /// Whether this mode may be set.
    ///
    /// # Errors
    /// `locked_by_policy` with the layer that locks it and the freest mode there may be.
    pub fn check_mode(&self, mode: Mode) -> Result<()> {
        let allowed = self.clamp(mode);
        let Some((layer, _)) = self.locks().find(|(_, lock)| mode.stricter(*lock) != mode) else { return Ok(()) };
        Err(Error::new(
            ErrorCode::LockedByPolicy,
            format!(
                "mode {:?} is freer than the {layer} allows; expected {:?} or a stricter one",
                mode.as_str(),
                allowed.as_str()
            ),
        ))
    }

    /// Whether this model may be used: by its whole name, `provider/model`.
    ///
    /// # Errors
    /// `model_not_allowed` with the layer that does not list it, and what it lists.
    pub fn check_model(&self, name: &str) -> Result<()> {
        for layer in &self.layers {
            let Some(models) = &layer.models else { continue };
            if !models.iter().any(|pattern| Wildcard::new(pattern).names(name)) {
                let listed = if models.is_empty() { "no model at all".to_owned() } else { models.join(", ") };
                return Err(Error::new(
                    ErrorCode::ModelNotAllowed,
                    format!("model {name:?} is not on the list of the {layer}; it allows {listed}"),
                ));
            }
        }
        Ok(())
    }

    /// The paths that deny rules close for reading, each with all below it: for a sandbox, which knows no patterns. Rules
    /// whose wildcards could be about any place, such as `read(**/.env)`, are not among them.
    #[must_use]
    pub fn unreadable(&self) -> Vec<PathBuf> {
        self.layers.iter().flat_map(|layer| &layer.rules).filter_map(Rule::unreadable).collect()
    }

    /// Whether there is any rule.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        self.layers.iter().any(|layer| !layer.rules.is_empty())
    }

    /// Whether a tool that looks through a folder may show a file that it finds there: no rule forbids it to this tool
    /// or to `read_file`, and none asks for it that did not ask for the folder too. Nobody can be asked for each file.
    #[must_use]
    pub fn shows(&self, tool: &str, folder: &ResolvedAccess, file: &ResolvedAccess) -> bool {
        let (folder, file) = (Part::File(folder), Part::File(file));
        self.layers.iter().all(|layer| {
            if matches!(layer.rule_on("read_file", &file), Some((_, RuleKind::Deny))) {
                return false;
            }
            match layer.rule_on(tool, &file) {
                Some((_, RuleKind::Deny)) => false,
                Some((rule, RuleKind::Ask)) => {
                    matches!(layer.rule_on(tool, &folder), Some((asked, RuleKind::Ask)) if std::ptr::eq(asked, rule))
                }
                Some((_, RuleKind::Allow)) | None => true,
            }
        })
    }

    fn locks(&self) -> impl Iterator<Item = (&PolicyLayer, Mode)> {
        self.layers.iter().filter_map(|layer| Some((layer, layer.max_mode?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LayerKind;

    fn locked(kind: LayerKind, mode: Mode) -> PolicyLayer {
        PolicyLayer { max_mode: Some(mode), ..PolicyLayer::new(kind, "here") }
    }

    #[test]
    fn the_strictest_lock_counts_and_stricter_modes_stay_free() {
        let policy = Policy::new(vec![locked(LayerKind::Host, Mode::Ask), locked(LayerKind::Managed, Mode::AutoEdit)]);
        assert_eq!(policy.clamp(Mode::FullAuto), Mode::Ask);
        assert_eq!(policy.clamp(Mode::Plan), Mode::Plan);
        assert!(policy.check_mode(Mode::Ask).is_ok());
        let error = policy.check_mode(Mode::AutoEdit).unwrap_err();
        assert_eq!(error.code, ErrorCode::LockedByPolicy);
        assert!(error.message.contains("host layer (here)") && error.message.contains("\"ask\""), "{}", error.message);
    }

    #[test]
    fn a_model_must_be_on_the_list_of_every_layer_that_has_one() {
        let listed = |kind, models: &[&str]| PolicyLayer {
            models: Some(models.iter().map(|model| (*model).to_owned()).collect()),
            ..PolicyLayer::new(kind, "here")
        };
        let policy = Policy::new(vec![
            listed(LayerKind::Managed, &["anthropic/*", "openai/gpt-6"]),
            listed(LayerKind::User, &["*sonnet*", "openai/*"]),
        ]);
        for (name, allowed) in [
            ("anthropic/claude-sonnet-5-5", true),
            ("anthropic/claude-opus-5-5", false),
            ("openai/gpt-6", true),
            ("openai/gpt-6-mini", false),
            ("openrouter/anthropic/claude-sonnet-5", false),
        ] {
            assert_eq!(policy.check_model(name).is_ok(), allowed, "{name}");
        }
        assert_eq!(policy.check_model("x/y").unwrap_err().code, ErrorCode::ModelNotAllowed);
    }

    #[test]
    fn an_empty_list_allows_no_model() {
        let layer = PolicyLayer { models: Some(Vec::new()), ..PolicyLayer::new(LayerKind::Managed, "here") };
        assert!(Policy::new(vec![layer]).check_model("a/b").is_err());
    }
}
