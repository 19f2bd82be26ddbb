//! Who asks: the key, from where it may come, and how it is kept out of everything that is shown.

use lodger_protocol::{Auth, EndpointKind, Environment, Error, ErrorCode};
use secrecy::{ExposeSecret, SecretString};

use crate::ModelSpec;

/// What takes the place of a secret in text.
const HIDDEN: &str = "[hidden]";

/// Shortest word of a header's value that is taken for a secret, in bytes.
const MIN_SECRET: usize = 8;

/// An API key. Cannot be printed: `Debug` shows that it is there, `Display` does not exist.
#[derive(Clone, Debug)]
pub struct Credential(SecretString);

impl Credential {
    /// Wraps a key.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self(SecretString::from(key))
    }

    /// Looks for the key of a provider: `auth`, then `<PROVIDER>_API_KEY` of the environment.
    ///
    /// # Errors
    /// `provider_auth` naming both places when neither has one.
    pub fn find(spec: &ModelSpec, auth: Option<&Auth>, env: &Environment) -> Result<Self, Error> {
        let variable = spec.variable("API_KEY");
        match auth.map(|auth| auth.api_key.as_str()).filter(|key| !key.is_empty()).or_else(|| env.get(&variable)) {
            Some(key) => Ok(Self::new(key.trim())),
            None => Err(Error::new(
                ErrorCode::ProviderAuth,
                format!(
                    "no API key for `{}`: `auth.apiKey` is not set and `{variable}` is not in the environment; set one of them",
                    spec.provider
                ),
            )),
        }
    }

    /// The key itself, for a header.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The words of a header's value that may be secrets: `Bearer` and `true` are not.
    pub(crate) fn words(&self) -> Vec<Self> {
        self.expose().split_whitespace().filter(|word| word.len() >= MIN_SECRET).map(Self::new).collect()
    }

    /// The text without the key.
    #[must_use]
    pub fn hide_in(&self, text: &str) -> String {
        match self.expose() {
            "" => text.to_owned(),
            key => text.replace(key, HIDDEN),
        }
    }
}

/// The header in which a key travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `authorization: Bearer KEY`.
    Bearer,
    /// The key alone, in a header of this name.
    Named(&'static str),
}

impl KeyHeader {
    /// Where a protocol's own provider looks for it.
    pub(crate) const fn of(kind: EndpointKind) -> Self {
        match kind {
            EndpointKind::Anthropic => Self::Named("x-api-key"),
            EndpointKind::OpenaiResponses | EndpointKind::OpenaiChat => Self::Bearer,
            EndpointKind::Gemini => Self::Named("x-goog-api-key"),
        }
    }

    /// The header, name and value.
    pub(crate) fn with(self, key: &Credential) -> (String, String) {
        match self {
            Self::Bearer => ("authorization".to_owned(), format!("Bearer {}", key.expose())),
            Self::Named(name) => (name.to_owned(), key.expose().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> ModelSpec {
        ModelSpec::parse("acme/large").unwrap()
    }

    fn env(key: &str) -> Environment {
        Environment::new([("ACME_API_KEY".to_owned(), key.to_owned())])
    }

    #[test]
    fn the_option_wins_over_the_environment() {
        let auth = Auth { api_key: "from-option".to_owned() };
        assert_eq!(Credential::find(&spec(), Some(&auth), &env("from-env")).unwrap().expose(), "from-option");
        assert_eq!(Credential::find(&spec(), None, &env("from-env")).unwrap().expose(), "from-env");
    }

    #[test]
    fn a_missing_key_is_an_error_that_says_where_it_was_looked_for() {
        let error = Credential::find(&spec(), None, &env("")).unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderAuth);
        assert!(error.message.contains("auth.apiKey") && error.message.contains("ACME_API_KEY"), "{}", error.message);
    }

    #[test]
    fn a_key_does_not_print() {
        let key = Credential::new("sk-very-secret");
        assert!(!format!("{key:?}").contains("secret-"), "{key:?}");
        assert!(!format!("{key:?}").contains("sk-very"), "{key:?}");
    }

    #[test]
    fn a_key_is_taken_out_of_text_that_repeats_it() {
        assert_eq!(Credential::new("sk-1").hide_in("bad key sk-1!"), "bad key [hidden]!");
    }
}
