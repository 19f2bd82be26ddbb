//! Text that must not be shown.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What takes the place of a secret in text.
const HIDDEN: &str = "[hidden]";

/// Shortest word of a longer text that is taken for a secret, in bytes.
const MIN_WORD: usize = 8;

/// A secret that is shorter is not looked for in text, in bytes: it would be found in any.
const MIN_HIDDEN: usize = 4;

/// A key or token. `Debug` shows only that it is there, `Display` does not exist, and its memory is wiped when it is
/// dropped. Written as JSON it is plain text: only options and saved logins hold one.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Wraps a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(SecretString::from(text))
    }

    /// The text itself, for the one place that sends or saves it.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// Whether there is nothing in it but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.expose().trim().is_empty()
    }

    /// Its words that may themselves be secrets: of `Bearer KEY` the key.
    #[must_use]
    pub fn words(&self) -> Vec<Self> {
        self.expose().split_whitespace().filter(|word| word.len() >= MIN_WORD).map(Self::new).collect()
    }

    /// The text without the secret, wherever it repeats it.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        match self.expose() {
            secret if secret.len() < MIN_HIDDEN => text.to_owned(),
            secret => text.replace(secret, HIDDEN),
        }
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(SecretString::from(text))
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<hidden>")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expose())
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print() {
        assert_eq!(format!("{:?}", Secret::new("sk-very-secret")), "<hidden>");
    }

    #[test]
    fn a_secret_is_taken_out_of_text_that_repeats_it() {
        assert_eq!(Secret::new("sk-1").hide_in("bad key sk-1!"), "bad key [hidden]!");
        for too_short in ["", "k", "err"] {
            assert_eq!(Secret::new(too_short).hide_in("broken error"), "broken error");
        }
    }

    #[test]
    fn the_words_of_a_header_that_may_be_secrets_are_its_long_ones() {
        assert_eq!(Secret::new("Bearer sk-very-secret").words(), [Secret::new("sk-very-secret")]);
    }
}
