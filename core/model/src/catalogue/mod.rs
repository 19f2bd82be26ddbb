//! The catalogue: what is known of providers and models as data. Bundled; a host's own file adds to it and wins.
//!
//! Nothing is fetched. The bundled tables are lines of JSON, of which only those that are asked for are read: making
//! an agent must not cost the reading of all the world's models.

mod entry;
mod form;
mod price;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use lodger_protocol::Error;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use entry::{KeyHeader, LoginEntry, ModelEntry, ProviderEntry};
pub use form::Form;
pub use price::{Price, Rates};

const PROVIDERS: &str = include_str!("providers.jsonl");
const MODELS: &str = include_str!("models.jsonl");

/// What scripts go by, which no table lists.
const SCRIPTED: &str = "scripted";
/// A host's own file is not larger than this.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// What is known of providers and models.
#[derive(Clone, Debug, Default)]
pub struct Catalogue(Own);

/// What a host's file says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Own {
    providers: Vec<ProviderEntry>,
    models: Vec<ModelEntry>,
}

impl Catalogue {
    /// The bundled catalogue with a host's own file over it: `{"providers": [...], "models": [...]}`, entries in the
    /// form of the bundled ones. An entry of a name that is bundled takes the place of that one.
    ///
    /// # Errors
    /// `invalid_options` for a file that cannot be read, is larger than 4 MiB or says something else.
    pub fn with_file(path: &Path) -> Result<Self, Error> {
        let wrong = |what: String| Error::invalid_options(format!("option catalogue: {}: {what}", path.display()));
        let told = |error: std::io::Error| wrong(error.to_string());
        // What is no file could wait for ever, or never end.
        if !std::fs::metadata(path).map_err(told)?.is_file() {
            return Err(wrong("expected a file".to_owned()));
        }
        let mut text = String::new();
        let mut file = File::open(path).map_err(told)?.take(MAX_FILE_BYTES + 1);
        file.read_to_string(&mut text).map_err(told)?;
        if text.len() as u64 > MAX_FILE_BYTES {
            return Err(wrong(format!("has more than {MAX_FILE_BYTES} bytes")));
        }
        // A list would be taken for an object without names.
        if !text.trim_start().starts_with('{') {
            return Err(wrong("expected an object with `providers` and `models`".to_owned()));
        }
        serde_json::from_str(&text).map(Self).map_err(|error| wrong(error.to_string()))
    }

    /// The provider of that name.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderEntry> {
        let own = self.0.providers.iter().find(|provider| provider.name == name).cloned();
        own.or_else(|| line(PROVIDERS, &format!("{{\"name\":{}", quoted(name))))
    }

    /// The names of all providers, in the order of the tables.
    #[must_use]
    pub fn provider_names(&self) -> Vec<String> {
        let bundled = lines::<ProviderEntry>(PROVIDERS).map(|provider| provider.name);
        let own = self.0.providers.iter().map(|provider| provider.name.clone());
        let mut names: Vec<String> = Vec::new();
        for name in bundled.chain(own) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether there are models under that name; scripts are some too.
    #[must_use]
    pub fn knows(&self, provider: &str) -> bool {
        provider == SCRIPTED || self.provider(provider).is_some()
    }

    /// That a provider is not known, and which are.
    #[must_use]
    pub fn unknown(&self, provider: &str) -> Error {
        let mut names = self.provider_names();
        names.push(SCRIPTED.to_owned());
        Error::invalid_options(format!(
            "the provider `{}` is not known; known are {}; for any other set `endpoint`",
            provider.escape_debug(),
            names.join(", ")
        ))
    }

    /// The model of that id. One that is listed without its date is found with it: `gpt-5-2025-08-07` is `gpt-5`.
    #[must_use]
    pub fn model(&self, provider: &str, id: &str) -> Option<ModelEntry> {
        let found = [Some(id), without_date(id)].into_iter().flatten().find_map(|id| {
            let own = self.0.models.iter().find(|model| model.provider == provider && model.id == id).cloned();
            let start = || format!("{{\"provider\":{},\"id\":{},", quoted(provider), quoted(id));
            own.or_else(|| line(MODELS, &start()))
        });
        found.or_else(|| Some(lent(provider, self.model(&self.lender(provider)?, id)?)))
    }

    /// Whose models a provider offers, where they are another's.
    fn lender(&self, provider: &str) -> Option<String> {
        self.provider(provider)?.models_of.filter(|lender| lender != provider)
    }

    /// All models of a provider, sorted by id.
    #[must_use]
    pub fn models(&self, provider: &str) -> Vec<ModelEntry> {
        let start = format!("{{\"provider\":{},", quoted(provider));
        let bundled = MODELS.lines().filter(|line| line.starts_with(&start));
        let mut models: Vec<ModelEntry> =
            self.0.models.iter().filter(|model| model.provider == provider).cloned().collect();
        for model in bundled.filter_map(|line| serde_json::from_str::<ModelEntry>(line).ok()) {
            if !models.iter().any(|own| own.id == model.id) {
                models.push(model);
            }
        }
        if let Some(lender) = self.lender(provider) {
            let others = self.models(&lender).into_iter().map(|model| lent(provider, model));
            let others: Vec<_> = others.filter(|model| !models.iter().any(|own| own.id == model.id)).collect();
            models.extend(others);
        }
        models.sort_by(|one, other| one.id.cmp(&other.id));
        models
    }
}

/// A model of another provider, as this one offers it.
fn lent(provider: &str, model: ModelEntry) -> ModelEntry {
    ModelEntry { provider: provider.to_owned(), price: None, ..model }
}

/// The first line that begins so.
fn line<T: DeserializeOwned>(table: &str, start: &str) -> Option<T> {
    let line = table.lines().find(|line| line.starts_with(start))?;
    // A test reads every line, so this one can be read.
    serde_json::from_str(line).ok()
}

/// Every line but the first, which is about the table.
fn lines<T: DeserializeOwned>(table: &'static str) -> impl Iterator<Item = T> {
    table.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok())
}

fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// `gpt-5-2025-08-07` and `claude-haiku-4-5-20251001` without their dates.
fn without_date(id: &str) -> Option<&str> {
    let is_date = |date: &str, pattern: &[usize]| {
        let parts: Vec<&str> = date.split('-').collect();
        parts.len() == pattern.len()
            && parts
                .iter()
                .zip(pattern)
                .all(|(part, length)| part.len() == *length && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    [(11, &[4, 2, 2][..]), (9, &[8][..])].into_iter().find_map(|(length, pattern)| {
        let at = id.len().checked_sub(length).filter(|at| *at > 0)?;
        let (name, date) = id.split_at_checked(at)?;
        is_date(date.strip_prefix(['-', '@'])?, pattern).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_line_of_the_tables_can_be_read_and_found_again() {
        let catalogue = Catalogue::default();
        let providers: Vec<ProviderEntry> = lines(PROVIDERS).collect();
        assert_eq!(providers.len(), PROVIDERS.lines().count() - 1);
        for provider in &providers {
            assert_eq!(catalogue.provider(&provider.name).as_ref(), Some(provider));
        }
        let models: Vec<ModelEntry> = lines(MODELS).collect();
        assert_eq!(models.len(), MODELS.lines().count() - 1);
        let mut seen = HashSet::new();
        for model in &models {
            assert_eq!(catalogue.model(&model.provider, &model.id).as_ref(), Some(model), "{}", model.id);
            assert!(seen.insert((model.provider.clone(), model.id.clone())), "{} stands twice", model.id);
        }
    }

    #[test]
    fn every_provider_stands_in_the_guide() {
        let guide = include_str!("../../../../docs/models.md");
        for name in Catalogue::default().provider_names() {
            assert!(guide.contains(&format!("| `{name}` |")), "docs/models.md does not name {name}");
        }
    }

    #[test]
    fn the_file_in_the_guide_can_be_read() {
        let guide = include_str!("../../../../docs/models.md");
        let (_, rest) = guide.split_once("```json\n").unwrap();
        let own: Own = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
        assert_eq!((own.providers.len(), own.models.len()), (1, 1));
    }

    #[test]
    fn a_default_model_is_one_that_is_listed() {
        let catalogue = Catalogue::default();
        for provider in lines::<ProviderEntry>(PROVIDERS) {
            if let Some(model) = &provider.default_model {
                assert!(catalogue.model(&provider.name, model).is_some(), "{}/{model}", provider.name);
            }
        }
    }

    #[test]
    fn every_price_says_where_it_is_from() {
        let head: serde_json::Value = serde_json::from_str(MODELS.lines().next().unwrap()).unwrap();
        assert!(head["from"].is_string() && head["asOf"].as_str().is_some_and(|date| date.len() == 10));
    }

    #[test]
    fn a_model_with_a_date_is_found_by_its_name() {
        assert_eq!(without_date("gpt-5-2025-08-07"), Some("gpt-5"));
        assert_eq!(without_date("claude-haiku-4-5-20251001"), Some("claude-haiku-4-5"));
        for id in ["gpt-5", "20251001", "-20251001", "gpt-5-mini-20x51001", "größe-20251001x"] {
            assert_eq!(without_date(id), None, "{id}");
        }
    }

    #[test]
    fn an_unknown_name_finds_nothing() {
        let catalogue = Catalogue::default();
        assert_eq!(catalogue.provider("acme"), None);
        assert_eq!(catalogue.provider("anthropic\",\"x"), None);
        assert_eq!(catalogue.model("anthropic", ""), None);
    }

    #[test]
    fn a_file_of_the_host_adds_and_wins() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalogue.json");
        std::fs::write(
            &path,
            r#"{"providers": [{"name": "acme", "kind": "openai-chat", "baseUrl": "https://acme.test/v1"}],
                "models": [{"provider": "anthropic", "id": "claude-sonnet-5-5", "contextWindow": 5}]}"#,
        )
        .unwrap();
        let catalogue = Catalogue::with_file(&path).unwrap();
        assert_eq!(catalogue.provider("acme").unwrap().base_url.as_deref(), Some("https://acme.test/v1"));
        assert_eq!(catalogue.model("anthropic", "claude-sonnet-5-5").unwrap().context_window, Some(5));
        assert!(catalogue.model("anthropic", "claude-opus-5-5").is_some());
        assert!(catalogue.provider_names().contains(&"acme".to_owned()));
        let listed = catalogue.models("anthropic");
        assert_eq!(listed.iter().filter(|model| model.id == "claude-sonnet-5-5").count(), 1);
    }

    #[test]
    fn a_file_that_says_something_else_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalogue.json");
        for text in ["", "[]", r#"{"modles": []}"#, r#"{"models": [{"provider": "x", "id": "y", "prize": 1}]}"#] {
            std::fs::write(&path, text).unwrap();
            let error = Catalogue::with_file(&path).unwrap_err();
            assert!(error.message.contains("catalogue.json"), "{}", error.message);
        }
        assert!(Catalogue::with_file(&folder.path().join("none.json")).is_err());
        assert!(Catalogue::with_file(folder.path()).unwrap_err().message.contains("expected a file"));
    }
}
