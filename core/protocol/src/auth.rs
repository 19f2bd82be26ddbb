//! With what an agent shows itself to its provider.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Secret;

/// Credentials. A host that makes tokens itself hands over a function in their place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Auth {
    /// An API key, for the provider of option `model`.
    ApiKey {
        /// The key.
        api_key: Secret,
    },
    /// A token that the host obtained itself, sent as `Authorization: Bearer`. Nothing is read from disk, nothing is
    /// written to it, and nothing renews it.
    Token {
        /// The token.
        token: Secret,
        /// Whose token it is: it goes to no other provider.
        provider: String,
    },
    /// What `lodger login PROVIDER` saved in the config folder, renewed on need.
    Login {
        /// Whose login it is: it goes to no other provider.
        provider: String,
    },
}

/// Every member that one of the forms has. Read as this, an unknown one is still found, and none is lost in silence.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Members {
    api_key: Option<Secret>,
    provider: Option<String>,
    token: Option<Secret>,
}

impl<'de> Deserialize<'de> for Auth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Members::deserialize(deserializer)? {
            Members { api_key: Some(api_key), provider: None, token: None } => Ok(Self::ApiKey { api_key }),
            Members { api_key: None, provider: Some(provider), token: Some(token) } => {
                Ok(Self::Token { provider, token })
            }
            Members { api_key: None, provider: Some(provider), token: None } => Ok(Self::Login { provider }),
            _ => Err(D::Error::custom("expected { apiKey }, { provider, token } or { provider }")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Auth, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn each_form_is_known_by_its_members() {
        assert_eq!(read(r#"{"apiKey": "k"}"#), Ok(Auth::ApiKey { api_key: "k".into() }));
        let (provider, token) = ("acme".to_owned(), "t".into());
        assert_eq!(
            read(r#"{"provider": "acme", "token": "t"}"#),
            Ok(Auth::Token { provider: provider.clone(), token })
        );
        assert_eq!(read(r#"{"provider": "acme"}"#), Ok(Auth::Login { provider }));
    }

    #[test]
    fn a_mixture_of_forms_is_none_of_them() {
        for json in ["{}", r#"{"token": "t"}"#, r#"{"apiKey": "k", "provider": "acme"}"#] {
            assert!(read(json).unwrap_err().contains("{ apiKey }, { provider, token } or { provider }"), "{json}");
        }
    }

    #[test]
    fn every_form_is_written_as_it_is_read() {
        for json in [r#"{"apiKey":"k"}"#, r#"{"token":"t","provider":"acme"}"#, r#"{"provider":"acme"}"#] {
            assert_eq!(serde_json::to_string(&read(json).unwrap()).unwrap(), json);
        }
    }

    #[test]
    fn printing_shows_no_secret() {
        for json in [r#"{"apiKey":"sk-secret"}"#, r#"{"provider":"acme","token":"sk-secret"}"#] {
            let printed = format!("{:?}", read(json).unwrap());
            assert!(printed.contains("hidden") && !printed.contains("sk-secret"), "{printed}");
        }
    }
}
