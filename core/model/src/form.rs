//! A request in the form in which one provider wants it.

use std::collections::BTreeMap;

use bytes::Bytes;
use lodger_protocol::Error;
use serde_json::value::RawValue;

use crate::catalogue::Form;
use crate::protocol::written;

impl Form {
    /// The path of a request for a model. `None`: that of the protocol.
    pub(crate) fn path_of(&self, model: &str) -> Option<String> {
        self.path.as_ref().map(|path| path.replace("{model}", &segment(model)))
    }

    /// The body, with the members that the provider has in place of the protocol's own. Large ones are not copied twice.
    pub(crate) fn body_of(&self, body: Bytes) -> Result<Bytes, Error> {
        if self.body.is_empty() {
            return Ok(body);
        }
        let wrong = |error: serde_json::Error| Error::internal(format!("the request cannot be rewritten: {error}"));
        let own = self.body.iter().map(|(name, value)| Ok((name, serde_json::value::to_raw_value(value)?)));
        let own: Vec<_> = own.collect::<Result<_, _>>().map_err(wrong)?;
        let mut members: BTreeMap<&str, &RawValue> = serde_json::from_slice(&body).map_err(wrong)?;
        for (name, value) in &own {
            match value.get() {
                "null" => members.remove(name.as_str()),
                _ => members.insert(name, value),
            };
        }
        written(&members)
    }
}

/// A model's id as one segment of a path: it can neither leave it nor begin a query.
fn segment(model: &str) -> String {
    let mut out = String::with_capacity(model.len());
    for byte in model.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' | b'@' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(json: &str) -> Form {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_model_is_one_segment_of_the_path() {
        let form = form(r#"{"path": "model/{model}/invoke"}"#);
        for (model, path) in [
            ("anthropic.claude-x-v1:0", "model/anthropic.claude-x-v1%3A0/invoke"),
            ("claude-x@20250101", "model/claude-x@20250101/invoke"),
            (
                "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.x",
                "model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.x/invoke",
            ),
            ("../a?b#c;d", "model/..%2Fa%3Fb%23c%3Bd/invoke"),
        ] {
            assert_eq!(form.path_of(model).unwrap(), path);
        }
        assert_eq!(Form::default().path_of("x"), None);
    }

    #[test]
    fn members_of_the_provider_take_the_place_of_the_protocols() {
        let form = form(r#"{"body": {"version": "v", "model": null, "absent": null, "n": 2}}"#);
        let body = Bytes::from_static(br#"{"model":"m","n":1,"kept":[{"b":1,"a":2.50}]}"#);
        assert_eq!(form.body_of(body).unwrap(), r#"{"kept":[{"b":1,"a":2.50}],"n":2,"version":"v"}"#);
    }

    #[test]
    fn the_body_stays_as_it_is_where_nothing_is_other() {
        let body = Bytes::from_static(b"{ \"as\": \"it is\" }");
        assert_eq!(Form::default().body_of(body.clone()).unwrap(), body);
    }
}
