//! Which models a provider offers: one request, asked for by the host alone.

use std::collections::BTreeSet;

use bytes::Bytes;
use futures_util::StreamExt;
use lodger_net::{HttpResponse, Method};
use lodger_protocol::{Error, ErrorCode};
use serde_json::Value;

use crate::call::Call;
use crate::http::{Inner, make_presentable};
use crate::{ModelSource, ModelSpec};

/// Largest list that is read.
const MAX_LIST_BYTES: usize = 16 * 1024 * 1024;

impl ModelSource {
    /// The ids of the models that a provider offers, sorted, each once. One request; a list in several pages is read as
    /// far as its first one. Of a provider that has no list to ask for: those that the catalogue has.
    ///
    /// # Errors
    /// As for [`ModelSource::open`]; `provider_*` and `timeout` for what goes wrong on the way.
    pub async fn list(&self, provider: &str) -> Result<Vec<String>, Error> {
        if provider == "scripted" {
            return Err(Error::invalid_options("scripted models are files; there is no list of them"));
        }
        let spec = ModelSpec { provider: provider.to_owned(), model: String::new() };
        let inner = self.inner(&format!("{provider}/"), spec)?;
        match &inner.list_url {
            Some(url) => inner.list(url).await,
            None => Ok(self.catalogue.models(provider).into_iter().map(|model| model.id).collect()),
        }
    }
}

impl Inner {
    async fn list(&self, url: &str) -> Result<Vec<String>, Error> {
        let call = Call { method: Method::Get, url, accept: "application/json", body: Bytes::new() };
        let (attempt, sent) = self.call(&call, 1).await?;
        self.read_list(sent).await.map_err(|mut error| {
            make_presentable(&mut error, &attempt);
            attempt.failed(&error);
            error
        })
    }

    async fn read_list(&self, sent: Result<HttpResponse, Error>) -> Result<Vec<String>, Error> {
        let mut answer = sent?;
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer).await);
        }
        let mut body = Vec::new();
        while let Some(piece) = tokio::time::timeout(self.gap, answer.body.next()).await.map_err(|_| silent())? {
            body.extend_from_slice(&piece?);
            if body.len() > MAX_LIST_BYTES {
                return Err(malformed(&format!("it has more than {MAX_LIST_BYTES} bytes")));
            }
        }
        let list = serde_json::from_slice(&body).map_err(|error| malformed(&error.to_string()))?;
        ids(&list).ok_or_else(|| malformed("it has neither `data` nor `models`"))
    }
}

/// The ids in a list of any of our protocols: `data[].id`, or Gemini's `models[].name`.
fn ids(list: &Value) -> Option<Vec<String>> {
    let (entries, name) = match (&list["data"], &list["models"]) {
        (Value::Array(entries), _) => (entries, "id"),
        (_, Value::Array(entries)) => (entries, "name"),
        _ => return None,
    };
    let ids: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| can_converse(entry))
        .filter_map(|entry| entry[name].as_str())
        .map(|id| id.strip_prefix("models/").unwrap_or(id))
        .filter(|id| !id.is_empty())
        .collect();
    Some(ids.into_iter().map(str::to_owned).collect())
}

/// Gemini lists what embeds and what draws beside what converses.
fn can_converse(entry: &Value) -> bool {
    let methods = entry["supportedGenerationMethods"].as_array();
    methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorCode::ProviderMalformed, format!("the provider's list of models cannot be read: {what}"))
}

fn silent() -> Error {
    Error::new(ErrorCode::Timeout, "the provider's list of models stopped coming (limits.gapTimeoutMs)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_sorted_and_each_stands_once() {
        let list = json!({ "data": [{ "id": "b" }, { "id": "a" }, { "id": "b" }, { "object": "x" }, { "id": "" }] });
        assert_eq!(ids(&list).unwrap(), ["a", "b"]);
    }

    #[test]
    fn of_geminis_list_those_are_taken_that_converse() {
        let list = json!({ "models": [
            { "name": "models/gemini-4-argon", "supportedGenerationMethods": ["generateContent"] },
            { "name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"] },
        ] });
        assert_eq!(ids(&list).unwrap(), ["gemini-4-argon"]);
    }

    #[test]
    fn something_else_is_no_list() {
        for other in [json!({}), json!([]), json!({ "data": 1 }), json!("models")] {
            assert_eq!(ids(&other), None, "{other}");
        }
    }
}
