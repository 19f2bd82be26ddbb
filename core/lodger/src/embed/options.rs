//! From the host's JSON to options. An unknown name is an error that names the likely one.

use std::collections::BTreeSet;

use lodger_protocol::{AgentOptions, Error, Result};
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Reads options strictly.
pub(super) fn read(json: &str) -> Result<AgentOptions> {
    let mut unknown = None;
    let mut text = serde_json::Deserializer::from_str(json);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut text, &mut track);
    let options = serde_ignored::deserialize(tracked, |path| {
        unknown.get_or_insert_with(|| path.to_string());
    });
    let options: AgentOptions = options.map_err(|error| {
        let place = track.path().to_string();
        let place = if place == "." { "the options".to_owned() } else { format!("option {place}") };
        Error::invalid_options(format!("{place}: {}", without_secrets(&place, &error.to_string())))
    })?;
    text.end().map_err(|error| Error::invalid_options(format!("the options: {error}")))?;
    match unknown {
        Some(path) => Err(unknown_option(&path)),
        None => Ok(options),
    }
}

/// What was expected, but not what stands there where that may be a secret.
fn without_secrets(place: &str, error: &str) -> String {
    let may_be_secret = ["option auth", "option endpoint", "option env"].iter().any(|option| place.starts_with(option));
    match error.rsplit_once("expected ") {
        Some((_, expected)) if may_be_secret => format!("expected {expected}"),
        None if may_be_secret && !error.starts_with("missing field") => "cannot be read".to_owned(),
        _ => error.to_owned(),
    }
}

fn unknown_option(path: &str) -> Error {
    let name = path.rsplit('.').next().unwrap_or(path);
    let likely = option_names()
        .into_iter()
        .map(|known| (strsim::normalized_damerau_levenshtein(&plain(name), &plain(&known)), known))
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
fn option_names() -> BTreeSet<String> {
    let schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<AgentOptions>().to_value();
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
        read(json).unwrap_err().message
    }

    #[test]
    fn a_misspelt_option_names_the_likely_one() {
        assert_eq!(message(r#"{"modle": "a/b"}"#), "unknown option \"modle\"; did you mean \"model\"?");
        assert_eq!(
            message(r#"{"limits": {"max_steps": 3}}"#),
            "unknown option \"limits.max_steps\"; did you mean \"maxSteps\"?"
        );
    }

    #[test]
    fn an_option_like_no_other_is_still_named() {
        assert!(message(r#"{"qqq": 1}"#).starts_with("unknown option \"qqq\""));
    }

    #[test]
    fn a_value_of_the_wrong_kind_names_its_place() {
        assert!(message(r#"{"limits": {"maxSteps": "many"}}"#).starts_with("option limits.maxSteps: invalid type"));
        assert!(message(r#"{"mode": "yolo"}"#).contains("`ask`"));
    }

    #[test]
    fn a_secret_in_the_wrong_place_is_not_repeated() {
        for json in [r#"{"auth": "sk-x"}"#, r#"{"auth": {"apiKey": ["sk-x"]}}"#, r#"{"endpoint": {"headers": "sk-x"}}"#]
        {
            let message = message(json);
            assert!(message.contains("expected ") && !message.contains("sk-x"), "{message}");
        }
        assert!(message(r#"{"auth": {}}"#).contains("missing field `apiKey`"));
    }

    #[test]
    fn no_options_at_all_can_be_read() {
        assert_eq!(read("{}").unwrap(), AgentOptions::default());
    }
}
