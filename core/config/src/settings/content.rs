//! What a settings file may say.

use lodger_protocol::{Mode, RuleOptions};
use serde::Deserialize;
use serde_json::Value;

/// Every key, for what is told of one that is not known.
const KEYS: &[&str] = &["permissions", "mode", "disableFullAuto", "allow", "ask", "deny", "models", "allowed"];
/// So like a known key a name must be, of 1, to be taken for it.
const LIKENESS: f64 = 0.6;

/// A settings file. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// What agents may do.
    pub permissions: PermissionSettings,
    /// Which models they may use.
    pub models: ModelSettings,
}

/// What agents may do.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PermissionSettings {
    /// The freest mode that an agent may have. Absent: any.
    pub mode: Option<Mode>,
    /// No agent may have mode `full-auto`. Default false.
    pub disable_full_auto: bool,
    /// Calls that run without asking.
    pub allow: Vec<RuleOptions>,
    /// Calls that ask, even where the mode would not.
    pub ask: Vec<RuleOptions>,
    /// Calls that are refused.
    pub deny: Vec<RuleOptions>,
}

/// Which models agents may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// `provider/model`, `*` for any letters. Absent: all. Empty: none.
    pub allowed: Option<Vec<String>>,
}

impl PermissionSettings {
    /// The freest mode that there may be, by both keys.
    #[must_use]
    pub fn max_mode(&self) -> Option<Mode> {
        let not_full = self.disable_full_auto.then_some(Mode::AutoEdit);
        match (self.mode, not_full) {
            (Some(mode), Some(not_full)) => Some(mode.stricter(not_full)),
            (mode, not_full) => mode.or(not_full),
        }
    }
}

/// Reads the text of a file. The second is what in it is not known, in words.
///
/// # Errors
/// What is wrong with it, in words.
pub(super) fn read(bytes: &[u8]) -> Result<(Settings, Vec<String>), String> {
    let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    // serde would take the fields of a list in their order.
    if !value.is_object() {
        return Err("expected a JSON object".to_owned());
    }
    let mut unknown = Vec::new();
    // The bytes again, not the value: in that, of two keys of one name only the last would be left.
    let mut text = serde_json::Deserializer::from_slice(bytes);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut text, &mut track);
    let settings: Result<Settings, _> = serde_ignored::deserialize(tracked, |path| unknown.push(path.to_string()));
    let settings = settings.map_err(|error| format!("{}: {error}", track.path()))?;
    Ok((settings, unknown.iter().map(|path| not_known(path)).collect()))
}

fn not_known(path: &str) -> String {
    let name = path.rsplit('.').next().unwrap_or(path);
    let likeness = |known: &&str| strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase());
    let likely = KEYS.iter().map(|known| (likeness(known), known)).max_by(|one, other| one.0.total_cmp(&other.0));
    match likely.filter(|(likeness, _)| *likeness >= LIKENESS) {
        Some((_, known)) => format!("there is no key {path:?}; did you mean {known:?}?"),
        None => format!("there is no key {path:?}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_not_known_is_named_with_the_likely_one() {
        let (settings, unknown) = read(br#"{ "permissions": { "denny": ["read"], "ask": [] }, "zzz": 1 }"#).unwrap();
        assert_eq!(settings, Settings::default());
        assert_eq!(
            unknown,
            ["there is no key \"permissions.denny\"; did you mean \"deny\"?", "there is no key \"zzz\""]
        );
    }

    #[test]
    fn what_is_no_settings_file_is_told_with_its_place() {
        for (text, told) in [
            ("", "not JSON"),
            ("[]", "expected a JSON object"),
            ("{} {}", "not JSON"),
            (r#"{ "permissions": { "mode": "free" } }"#, "permissions.mode"),
            (r#"{ "permissions": { "disableFullAuto": "yes" } }"#, "permissions.disableFullAuto"),
            (r#"{ "permissions": { "deny": [{ "rule": "read", "why": "" }] } }"#, "permissions.deny[0]"),
            (r#"{ "permissions": { "deny": ["read"] }, "permissions": {} }"#, "duplicate field"),
            (r#"{ "models": { "allowed": "all" } }"#, "models.allowed"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn the_stricter_of_both_locks_counts() {
        let max = |mode, disable_full_auto| {
            PermissionSettings { mode, disable_full_auto, ..PermissionSettings::default() }.max_mode()
        };
        assert_eq!(max(None, false), None);
        assert_eq!(max(None, true), Some(Mode::AutoEdit));
        assert_eq!(max(Some(Mode::FullAuto), true), Some(Mode::AutoEdit));
        assert_eq!(max(Some(Mode::Ask), true), Some(Mode::Ask));
    }
}
