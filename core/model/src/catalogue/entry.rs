//! What the catalogue says of one provider and of one model.

use std::collections::BTreeMap;

use lodger_protocol::EndpointKind;
use serde::{Deserialize, Serialize};

use super::form::Form;
use super::price::Price;

/// A provider: where it is and how it is spoken to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProviderEntry {
    /// The part of a model's name before the `/`.
    pub name: String,
    /// The protocol that it speaks.
    pub kind: EndpointKind,
    /// Its address. A `{VARIABLE}` in it stands for what the environment says, `{ONE|OTHER}` for the first that is set.
    /// Absent: the host must give one, as for a service that has one for each customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Addresses that are made otherwise, by what fills the first hole of `base_url`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub base_urls: BTreeMap<String, String>,
    /// What it has other than the protocol.
    #[serde(default, skip_serializing_if = "is_own")]
    pub form: Form,
    /// Variables of the environment that may hold its key, beside `<PROVIDER>_API_KEY`; the first one that is set
    /// counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_variables: Vec<String>,
    /// How the key is shown. Absent: as the protocol's own vendor wants it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_header: Option<KeyHeader>,
    /// It takes tokens, not API keys: none is looked for as `<PROVIDER>_API_KEY`.
    #[serde(default)]
    pub tokens_only: bool,
    /// It answers without a key, as servers on one's own machine do.
    #[serde(default)]
    pub key_optional: bool,
    /// The model that is meant when only the provider is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_model: Option<String>,
    /// It offers the models of this provider, at prices that are not known, as subscriptions do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models_of: Option<String>,
    /// How one logs in to it, where it has logins of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login: Option<LoginEntry>,
    /// The page that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

fn is_own(form: &Form) -> bool {
    *form == Form::default()
}

/// How one logs in to a provider by OAuth: as a client that the provider knows, by device code, in the browser, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoginEntry {
    /// The client that the provider registered.
    pub client_id: String,
    /// Where tokens are had.
    pub token_url: String,
    /// Where device codes are had (RFC 8628).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_url: Option<String>,
    /// Where the browser goes (RFC 7636).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorize_url: Option<String>,
    /// What is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// The header that carries a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    Authorization,
    /// `x-api-key: KEY`.
    XApiKey,
    /// `api-key: KEY`.
    ApiKey,
    /// `x-goog-api-key: KEY`.
    XGoogApiKey,
}

impl KeyHeader {
    /// Where a protocol's own vendor looks for the key.
    #[must_use]
    pub const fn of(kind: EndpointKind) -> Self {
        match kind {
            EndpointKind::Anthropic => Self::XApiKey,
            EndpointKind::OpenaiResponses | EndpointKind::OpenaiChat => Self::Authorization,
            EndpointKind::Gemini => Self::XGoogApiKey,
        }
    }

    /// The header's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Authorization => "authorization",
            Self::XApiKey => "x-api-key",
            Self::ApiKey => "api-key",
            Self::XGoogApiKey => "x-goog-api-key",
        }
    }

    /// The header's value.
    #[must_use]
    pub fn value(self, key: &str) -> String {
        match self {
            Self::Authorization => format!("Bearer {key}"),
            Self::XApiKey | Self::ApiKey | Self::XGoogApiKey => key.to_owned(),
        }
    }
}

/// A model: its limits, abilities and price. What is absent is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelEntry {
    /// The provider's name.
    pub provider: String,
    /// As the provider calls it.
    pub id: String,
    /// How many tokens a prompt may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// How many tokens a reply may have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// It sees images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// It reads PDF files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub documents: Option<bool>,
    /// It thinks before it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<bool>,
    /// The efforts that it knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub efforts: Vec<lodger_protocol::Effort>,
    /// It can be held to a JSON schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<bool>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The page that says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
