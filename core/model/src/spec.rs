//! `provider/model`: which model, by whose name.

use lodger_protocol::Error;

/// `provider/model`, taken apart at the first slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSpec {
    /// Lower-case letters, digits, `-` and `_`; names the key in the environment, and the endpoint when none is given.
    pub provider: String,
    /// The model, as the provider calls it. May hold slashes.
    pub model: String,
}

impl ModelSpec {
    /// Reads `provider/model`.
    ///
    /// # Errors
    /// `invalid_options` when a part is missing or the provider is not a plain word.
    pub fn parse(name: &str) -> Result<Self, Error> {
        match name.split_once('/') {
            Some((provider, model)) if is_word(provider) && !model.trim().is_empty() => {
                Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
            }
            _ => Err(Error::invalid_options(format!(
                "`model` must be `provider/model`, such as `anthropic/claude-sonnet-5-5`; found `{}`",
                name.escape_debug()
            ))),
        }
    }

    /// The variable of the environment that holds something of this provider: `<PROVIDER>_API_KEY`.
    #[must_use]
    pub fn variable(&self, what: &str) -> String {
        variable_of(&self.provider, what)
    }
}

/// The variable of the environment that holds something of a provider: `<PROVIDER>_API_KEY`.
#[must_use]
pub fn variable_of(provider: &str, what: &str) -> String {
    format!("{}_{what}", provider.to_ascii_uppercase().replace('-', "_"))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_slash_parts_provider_and_model() {
        let spec = ModelSpec::parse("my-proxy/meta/llama-4").unwrap();
        assert_eq!((spec.provider.as_str(), spec.model.as_str()), ("my-proxy", "meta/llama-4"));
        assert_eq!(spec.variable("API_KEY"), "MY_PROXY_API_KEY");
    }

    #[test]
    fn a_name_without_both_parts_is_refused_and_shown() {
        for name in ["", "claude", "/claude", "anthropic/", "anthropic/ ", "Anthropic/x", "a b/x"] {
            let error = ModelSpec::parse(name).unwrap_err();
            assert_eq!(error.code, lodger_protocol::ErrorCode::InvalidOptions);
            assert!(error.message.contains(&format!("found `{name}`")), "{}", error.message);
        }
    }
}
