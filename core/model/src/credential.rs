//! Who asks: the key, from where it may come, and how it is kept out of everything that is shown.

use lodger_protocol::{Auth, Environment, Error, ErrorCode};
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

    /// Looks for the key of a provider: `auth`, then in the environment `<PROVIDER>_API_KEY`, then `others`.
    ///
    /// # Errors
    /// `provider_auth` naming the places when none has one.
    pub fn find(spec: &ModelSpec, auth: Option<&Auth>, env: &Environment, others: &[String]) -> Result<Self, Error> {
        let own = spec.variable("API_KEY");
        let mut variables = vec![own.as_str()];
        variables.extend(others.iter().map(String::as_str).filter(|name| *name != own));
        let of_env = || variables.iter().find_map(|name| env.get(name));
        match auth.map(|auth| auth.api_key.as_str()).filter(|key| !key.is_empty()).or_else(of_env) {
            Some(key) => Ok(Self::new(key.trim())),
            None => Err(Error::new(
                ErrorCode::ProviderAuth,
                format!(
                    "no API key for `{}`: `auth.apiKey` is not set and {} is not in the environment; set one of them",
                    spec.provider,
                    variables.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
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
        assert_eq!(Credential::find(&spec(), Some(&auth), &env("from-env"), &[]).unwrap().expose(), "from-option");
        assert_eq!(Credential::find(&spec(), None, &env("from-env"), &[]).unwrap().expose(), "from-env");
    }

    #[test]
    fn another_variable_of_the_provider_is_looked_at_last() {
        let env = Environment::new([("ACME_KEY".to_owned(), "other".to_owned())]);
        let others = ["ACME_KEY".to_owned()];
        assert_eq!(Credential::find(&spec(), None, &env, &others).unwrap().expose(), "other");
        assert!(Credential::find(&spec(), None, &env, &[]).is_err());
    }

    #[test]
    fn a_missing_key_is_an_error_that_says_where_it_was_looked_for() {
        let error = Credential::find(&spec(), None, &env(""), &["ACME_KEY".to_owned()]).unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderAuth);
        assert!(
            error.message.contains("auth.apiKey") && error.message.contains("`ACME_API_KEY` or `ACME_KEY`"),
            "{}",
            error.message
        );
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
