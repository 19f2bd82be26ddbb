//! What one model takes, and in which words it is told: data, so that no protocol asks for a vendor's name.
//!
//! Until a catalogue says it, it is read off the names of provider and model. Nothing here may decide more than how
//! a request is written.

use lodger_protocol::{Effort, EndpointKind};

use crate::{Dialect, Held};

/// How a model is told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortForm {
    /// It cannot be told.
    Untold,
    /// By one of these words, in rising order; the nearest is said.
    Words(&'static [Effort]),
    /// By a bound of tokens, at least so many.
    Budget {
        /// The least that it takes; 0: it can be told not to think.
        least: u32,
    },
}

/// Which ids of calls a server takes, where the ids are not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallIds {
    /// Letters, digits, `_` and `-`, at most so many.
    Plain {
        /// Most characters.
        most: usize,
    },
    /// Exactly nine letters and digits.
    Nine,
}

/// What one model takes, and in which words it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quirks {
    /// It sees images.
    pub images: bool,
    /// It reads PDF files.
    pub documents: bool,
    /// Images and documents may stand inside of a tool's result. Else they follow it.
    pub media_in_results: bool,
    /// How it is told how much to think.
    pub effort: EffortForm,
    /// It is known to think, and hands its thought over when asked to.
    pub thinks: bool,
    /// The bound of the answer is called `max_completion_tokens`. Chat Completions.
    pub max_completion_tokens: bool,
    /// Usage comes only when `stream_options` asks for it. Chat Completions.
    pub stream_options: bool,
    /// A call of the running turn must have a signature. Gemini.
    pub signed_calls: bool,
    /// Which ids of calls it takes.
    pub call_ids: CallIds,
    /// How its provider holds it to a JSON Schema, where it can.
    pub held: Option<Held>,
}

use Effort::{High, Low, Max, Medium, Minimal, None as Never, Xhigh};

const LOW_TO_HIGH: EffortForm = EffortForm::Words(&[Low, Medium, High]);

impl Quirks {
    /// What the names of provider and model say.
    #[must_use]
    pub fn of(kind: EndpointKind, provider: &str, model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let plain = Self {
            images: sees(&name),
            documents: false,
            media_in_results: true,
            effort: EffortForm::Untold,
            thinks: false,
            max_completion_tokens: false,
            stream_options: false,
            signed_calls: false,
            call_ids: CallIds::Plain { most: 64 },
            held: None,
        };
        let held = |with_tools, dialect| Some(Held { with_tools, dialect });
        match kind {
            EndpointKind::Anthropic => {
                let effort = claude(&name);
                let held = held(true, Dialect::Anthropic);
                Self { documents: claude_reads(&name), effort, thinks: effort != EffortForm::Untold, held, ..plain }
            }
            EndpointKind::OpenaiResponses => {
                let (effort, thinks) = openai(&name);
                let held = held(true, Dialect::Openai);
                Self { documents: openai_reads(&name), effort, thinks, held, ..plain }
            }
            EndpointKind::OpenaiChat => {
                let (effort, thinks) = openai(&name);
                let own = is_openai(&name);
                let call_ids = match is_mistral(provider, &name) {
                    true => CallIds::Nine,
                    false => CallIds::Plain { most: 40 },
                };
                Self {
                    // Few who speak the protocol take files.
                    documents: provider == "openrouter" || provider == "openai" && openai_reads(&name),
                    media_in_results: false,
                    effort,
                    thinks,
                    max_completion_tokens: own && !name.starts_with("gpt-oss"),
                    // Mistral refuses what it does not know, and says its usage unasked.
                    stream_options: provider != "mistral",
                    call_ids,
                    held: match provider {
                        "openai" => held(true, Dialect::Openai),
                        // These know no schemas, or not where the reply is streamed.
                        "deepseek" | "groq" => None,
                        _ => held(false, Dialect::Plain),
                    },
                    ..plain
                }
            }
            EndpointKind::Gemini => {
                let effort = gemini(&name);
                let third = version(&name, "gemini").is_some_and(|(major, _)| major >= 3);
                Self {
                    documents: name.starts_with("gemini"),
                    media_in_results: third,
                    effort,
                    thinks: effort != EffortForm::Untold,
                    signed_calls: third,
                    held: held(false, Dialect::Gemini),
                    ..plain
                }
            }
        }
    }

    /// The word nearest to `effort` that the model knows. `None` when it is not to be told anything.
    #[must_use]
    pub fn word(&self, effort: Effort) -> Option<Effort> {
        let EffortForm::Words(words) = self.effort else { return None };
        // One who wants little thought does not want none.
        let mut fitting = words.iter().filter(|word| effort == Never || **word != Never).copied();
        match effort {
            Effort::Auto => None,
            _ => fitting.clone().rev().find(|word| *word <= effort).or(fitting.next()),
        }
    }
}

/// Some that see nothing say so by a fault.
fn sees(name: &str) -> bool {
    !["gpt-3.5", "o1-mini", "o1-preview", "o3-mini", "deepseek", "gpt-oss", "codestral", "qwen3-coder"]
        .iter()
        .any(|blind| name.starts_with(blind))
}

/// Claude reads PDF files since 3.5.
fn claude_reads(name: &str) -> bool {
    name.contains("claude") && version(name, "claude").is_none_or(|version| version >= (3, 5))
}

/// OpenAI's models that see read PDF files since GPT-4o.
fn openai_reads(name: &str) -> bool {
    is_openai(name) && sees(name) && version(name, "gpt") != Some((4, 0))
}

fn is_openai(name: &str) -> bool {
    let numbered = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    numbered || ["gpt-", "chatgpt-", "codex-"].iter().any(|start| name.starts_with(start))
}

fn is_mistral(provider: &str, name: &str) -> bool {
    let families = ["mistral", "mixtral", "codestral", "devstral", "magistral", "ministral", "pixtral", "voxtral"];
    provider == "mistral" || families.iter().any(|family| name.contains(family))
}

/// Words, and whether the model is known to think.
fn openai(name: &str) -> (EffortForm, bool) {
    if !is_openai(name) {
        return (EffortForm::Words(&[Never, Low, Medium, High]), false);
    }
    if name.starts_with("gpt-oss") {
        return (LOW_TO_HIGH, true);
    }
    if name.starts_with('o') {
        let silent = name.starts_with("o1-mini") || name.starts_with("o1-preview");
        return if silent { (EffortForm::Untold, false) } else { (LOW_TO_HIGH, true) };
    }
    match version(name, "gpt") {
        Some((5, 0)) => (EffortForm::Words(&[Minimal, Low, Medium, High]), !name.contains("chat")),
        Some((5, 1)) => (EffortForm::Words(&[Never, Low, Medium, High]), !name.contains("chat")),
        Some((5, 2..=5)) => (EffortForm::Words(&[Never, Low, Medium, High, Xhigh]), !name.contains("chat")),
        Some((5.., _)) => (EffortForm::Words(&[Never, Low, Medium, High, Xhigh, Max]), true),
        None if name.starts_with("codex-") => (LOW_TO_HIGH, true),
        _ => (EffortForm::Untold, false),
    }
}

fn claude(name: &str) -> EffortForm {
    if !name.contains("claude") {
        return EffortForm::Budget { least: 0 };
    }
    match version(name, "claude") {
        Some(old) if old < (3, 7) => EffortForm::Untold,
        Some(old) if old < (4, 6) => EffortForm::Budget { least: 0 },
        Some((4, 6)) => EffortForm::Words(&[Never, Low, Medium, High, Max]),
        _ => EffortForm::Words(&[Never, Low, Medium, High, Xhigh, Max]),
    }
}

fn gemini(name: &str) -> EffortForm {
    let silent = ["image", "tts", "embedding", "live"].iter().any(|word| name.contains(word));
    match version(name, "gemini") {
        _ if silent => EffortForm::Untold,
        None => EffortForm::Untold,
        Some(old) if old < (2, 5) => EffortForm::Untold,
        Some((2, _)) if name.contains("pro") => EffortForm::Budget { least: 128 },
        Some((2, _)) => EffortForm::Budget { least: 0 },
        Some(_) if name.contains("flash") => EffortForm::Words(&[Minimal, Low, Medium, High]),
        Some((3, 0)) => EffortForm::Words(&[Low, High]),
        Some(_) => LOW_TO_HIGH,
    }
}

/// The first number after the family's name, with what follows its point or dash: `claude-opus-4-6` is 4.6. Longer
/// numbers are dates.
fn version(name: &str, family: &str) -> Option<(u32, u32)> {
    let (_, rest) = name.split_once(family)?;
    let mut numbers = rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .skip_while(|word| short_number(word).is_none())
        .map_while(short_number);
    let major = numbers.next()?;
    Some((major, numbers.next().unwrap_or(0)))
}

fn short_number(word: &str) -> Option<u32> {
    (word.len() <= 2).then(|| word.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(kind: EndpointKind, model: &str) -> EffortForm {
        Quirks::of(kind, "x", model).effort
    }

    #[test]
    fn the_version_in_a_name_says_how_a_model_is_told_to_think() {
        let budget = EffortForm::Budget { least: 0 };
        for (kind, model, expected) in [
            (EndpointKind::Anthropic, "claude-3-5-sonnet-20241022", EffortForm::Untold),
            (EndpointKind::Anthropic, "claude-3-7-sonnet-20250219", budget),
            (EndpointKind::Anthropic, "claude-opus-4-20250514", budget),
            (EndpointKind::Anthropic, "claude-haiku-4-5", budget),
            (EndpointKind::Anthropic, "claude-opus-4-6", EffortForm::Words(&[Never, Low, Medium, High, Max])),
            (EndpointKind::OpenaiChat, "gpt-4o", EffortForm::Untold),
            (EndpointKind::OpenaiChat, "openai/o3", LOW_TO_HIGH),
            (EndpointKind::OpenaiResponses, "gpt-5-mini", EffortForm::Words(&[Minimal, Low, Medium, High])),
            (EndpointKind::OpenaiResponses, "gpt-5.2", EffortForm::Words(&[Never, Low, Medium, High, Xhigh])),
            (EndpointKind::Gemini, "gemini-2.0-flash", EffortForm::Untold),
            (EndpointKind::Gemini, "gemini-2.5-pro", EffortForm::Budget { least: 128 }),
            (EndpointKind::Gemini, "gemini-3-pro-preview", EffortForm::Words(&[Low, High])),
            (EndpointKind::Gemini, "gemma-3-27b-it", EffortForm::Untold),
        ] {
            assert_eq!(form(kind, model), expected, "{model}");
        }
    }

    #[test]
    fn effort_is_said_in_the_nearest_word() {
        let word = |model: &str, effort| Quirks::of(EndpointKind::OpenaiChat, "x", model).word(effort);
        for (model, effort, said) in [
            ("o3", Never, Some(Low)),
            ("o3", Minimal, Some(Low)),
            ("o3", Max, Some(High)),
            ("gpt-5.2", Never, Some(Never)),
            ("gpt-5.2", Minimal, Some(Low)),
            ("gpt-5.2", Max, Some(Xhigh)),
            ("gpt-4o", High, None),
            ("gpt-5.2", Effort::Auto, None),
        ] {
            assert_eq!(word(model, effort), said, "{model} {effort:?}");
        }
    }
}
