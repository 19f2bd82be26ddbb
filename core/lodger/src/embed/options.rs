//! From the host's JSON to options. An unknown name is an error that names the likely one.

use std::collections::BTreeSet;

use lodger_protocol::{AgentOptions, Auth, Error, Result};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::misfit;

/// Longest id that a host may give a session.
const MAX_SESSION_ID: usize = 128;

/// Options that may hold a secret: what stands there is not repeated.
const SECRETIVE: [&str; 4] = ["auth", "endpoint", "env", "network"];

/// Reads options strictly.
pub(super) fn read<T: DeserializeOwned + JsonSchema>(json: &str) -> Result<T> {
    let value: Value = serde_json::from_str(json)
        .map_err(|error| Error::invalid_options(format!("the options are not JSON: {error}")))?;
    // serde would take the fields of a list in their order.
    if !value.is_object() {
        return Err(Error::invalid_options(format!("the options: expected an object, found {}", misfit::kind(&value))));
    }
    let mut unknown = None;
    let mut text = serde_json::Deserializer::from_str(json);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut text, &mut track);
    let options = serde_ignored::deserialize(tracked, |path| {
        // An optional part stands in the path as a level of its own.
        unknown.get_or_insert_with(|| path.to_string().replace(".?.", "."));
    });
    let options: T = options.map_err(|error| {
        let path = track.path().to_string();
        let place = if path == "." { "the options".to_owned() } else { format!("option {path}") };
        let may_be_secret = SECRETIVE.iter().any(|option| path.starts_with(option));
        Error::invalid_options(format!("{place}: {}", misfit::in_words(&error, may_be_secret)))
    })?;
    match unknown {
        Some(path) => Err(unknown_option(&path, &option_names::<T>())),
        None => Ok(options),
    }
}

/// What no type says, for those who read no JSON too.
pub(super) fn check(options: &AgentOptions) -> Result<()> {
    if options.session_id.as_ref().is_some_and(|id| !is_session_id(id.as_str())) {
        return Err(Error::invalid_options(format!(
            "option sessionId: expected 1 to {MAX_SESSION_ID} letters, digits, `.`, `_`, `:` or `-`"
        )));
    }
    match &options.auth {
        Some(Auth::ApiKey { api_key }) if api_key.is_blank() => Err(Error::invalid_options(
            "option auth.apiKey: expected a key, found nothing but blanks; leave `auth` out to have the key looked for \
             in the environment",
        )),
        Some(Auth::Token { token, .. }) if token.is_blank() => Err(Error::invalid_options(
            "option auth.token: expected a token, found nothing but blanks; leave it out to have the saved login used",
        )),
        _ => Ok(()),
    }
}

/// It stands in every event, and in names of files.
fn is_session_id(id: &str) -> bool {
    (1..=MAX_SESSION_ID).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte))
        && id.bytes().any(|byte| byte != b'.')
}

fn unknown_option(path: &str, names: &BTreeSet<String>) -> Error {
    let name = path.rsplit('.').next().unwrap_or(path);
    let likely = names
        .iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&plain(name), &plain(known)), known))
        .filter(|(likeness, _)| *likeness >= 0.6)
        .max_by(|(one, _), (other, _)| one.total_cmp(other));
    Error::invalid_options(match likely {
        Some((_, known)) => format!("unknown option {path:?}; did you mean {known:?}?"),
        None => format!("unknown option {path:?}; see the documentation of the agent's options for what there is"),
    })
}

/// A name without case and separators: `max_steps` is like `maxSteps`.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Every name that options know, at any depth.
fn option_names<T: JsonSchema>() -> BTreeSet<String> {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value();
    let mut names = BTreeSet::new();
    collect(&schema, &mut names);
    names
}

fn collect(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                names.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| collect(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> String {
        read::<AgentOptions>(json).unwrap_err().message
    }

    #[test]
    fn a_misspelt_option_names_the_likely_one() {
        assert_eq!(message(r#"{"modle": "a/b"}"#), "unknown option \"modle\"; did you mean \"model\"?");
        assert_eq!(
            message(r#"{"limits": {"max_steps": 3}}"#),
            "unknown option \"limits.max_steps\"; did you mean \"maxSteps\"?"
        );
        assert_eq!(
            message(r#"{"webFetch": {"max_bytes": 3}}"#),
            "unknown option \"webFetch.max_bytes\"; did you mean \"maxBytes\"?"
        );
    }

    #[test]
    fn an_option_like_no_other_is_still_named() {
        assert!(message(r#"{"qqq": 1}"#).starts_with("unknown option \"qqq\""));
    }

    #[test]
    fn a_value_of_the_wrong_kind_names_its_place() {
        assert_eq!(
            message(r#"{"limits": {"maxSteps": "many"}}"#),
            "option limits.maxSteps: expected a whole number from 0 to 4294967295, found the text \"many\""
        );
        assert!(message(r#"{"mode": "yolo"}"#).starts_with("option mode: expected one of `ask`"));
        assert_eq!(message("[]"), "the options: expected an object, found a list");
        assert_eq!(message("7"), "the options: expected an object, found a number");
    }

    #[test]
    fn text_that_is_no_json_is_told_with_its_place() {
        for json in ["", "{", "{} x", r#"{"auth": {"apiKey": sk-x"#] {
            let message = message(json);
            assert!(
                message.starts_with("the options are not JSON: ") && message.contains(" at line 1 column "),
                "{message}"
            );
            assert!(!message.contains("sk-x"), "{message}");
        }
    }

    #[test]
    fn a_key_of_blanks_is_no_key() {
        for key in ["", "  ", "\\n"] {
            let said = |json: &str| check(&read(json).unwrap()).unwrap_err().message;
            let message = said(&format!(r#"{{"auth": {{"apiKey": "{key}"}}}}"#));
            assert!(message.starts_with("option auth.apiKey: expected a key, found nothing but blanks"), "{message}");
            let message = said(&format!(r#"{{"auth": {{"provider": "acme", "token": "{key}"}}}}"#));
            assert!(message.starts_with("option auth.token: expected a token, found nothing but blanks"), "{message}");
        }
    }

    #[test]
    fn a_secret_in_the_wrong_place_is_not_repeated() {
        for json in [r#"{"auth": "sk-x"}"#, r#"{"auth": {"apiKey": ["sk-x"]}}"#, r#"{"endpoint": {"headers": "sk-x"}}"#]
        {
            let message = message(json);
            assert!(message.contains("expected ") && !message.contains("sk-x"), "{message}");
        }
        assert!(message(r#"{"auth": {}}"#).contains("expected { apiKey }, { provider, token } or { provider }"));
    }

    #[test]
    fn an_id_of_a_session_is_short_and_plain() {
        let checked = |id: &str| check(&AgentOptions { session_id: Some(id.into()), ..AgentOptions::default() });
        for good in ["a", "2026-01-01_x:1.2", &"x".repeat(MAX_SESSION_ID)] {
            assert!(checked(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "../up", "a b", "line\nbreak", "größe", &"x".repeat(MAX_SESSION_ID + 1)] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_options_at_all_can_be_read() {
        assert_eq!(read::<AgentOptions>("{}").unwrap(), AgentOptions::default());
    }
}
