//! What a provider has other than the protocol that it speaks: data, so that no protocol asks for a vendor's name.

use std::collections::BTreeMap;

use lodger_net::Framing;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How requests to a provider, and its answers, differ from what the protocol says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Form {
    /// The path of a request below the base URL; `{model}` in it is the model's id. Absent: the protocol's own. A
    /// provider that has one of its own has no list of models to ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Members of a request's body in place of the protocol's own; `null`: the body has no such member.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub body: BTreeMap<String, Value>,
    /// How the frames of an answer stand in its body.
    pub framing: Framing,
    /// Headers of each request, beside the protocol's own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Headers that say what a token says, which is a JWT then: where the claim stands in it, by the header's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub claims: BTreeMap<String, Vec<String>>,
}
