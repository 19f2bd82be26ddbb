//! The answer of a turn that must fit a schema: how a reply gives it, and what the model is told when it does not fit.
//!
//! A model gives it as text that is JSON, or as the input of one tool, whichever way it was told: both are taken.
//! Nothing is picked out of prose, and nothing is mended.

use std::sync::Arc;

use lodger_protocol::{Content, Effect, Error, ErrorCode, Target, TargetKind, ToolCallId, ToolSpec};
use serde_json::{Value, json};

use crate::output_schema::{Misfit, OutputSchema};

/// The tool whose input is the answer.
pub const OUTPUT_TOOL: &str = "structured_output";
/// So many answers may be given in one turn.
pub(crate) const MAX_ATTEMPTS: u32 = 3;

/// Told to a model that gives its answer by the tool.
pub(crate) const INSTRUCTION: &str = "When everything else is done, give your final answer by calling the tool \
                                      structured_output, once and alone. The turn ends with that call.";
/// What a call is told whose answer fits.
pub(crate) const TAKEN: &str = "The answer was taken.";

/// The tool, for a schema.
pub(crate) fn tool(schema: &Arc<Value>) -> ToolSpec {
    ToolSpec {
        name: OUTPUT_TOOL.to_owned(),
        description: "Takes your final answer, in the form that is wanted, and ends the turn. Call it once and alone, \
                      when everything else is done."
            .to_owned(),
        input_schema: Arc::clone(schema),
    }
}

/// What a call of the tool does.
pub(crate) fn target() -> Target {
    Target {
        summary: "Give the answer".to_owned(),
        effect: Effect::Read,
        kind: TargetKind::Other,
        paths: None,
        command: None,
        host: None,
    }
}

/// The answer that a reply gives.
pub(crate) struct Given<'a> {
    /// The calls of the tool; none: the answer is the text.
    pub(crate) calls: Vec<(&'a ToolCallId, &'a Value)>,
    /// All text of the reply, and the last block of it: a provider may put a comment before the answer.
    text: String,
    last_text: &'a str,
    /// Another call of the same reply failed, or was refused.
    beside_failure: bool,
}

impl<'a> Given<'a> {
    /// The answer in a reply: what it gives to the tool, or its text where it calls no tool at all.
    pub(crate) fn of(reply: &'a [Content], has_failed: impl Fn(&ToolCallId) -> bool) -> Option<Self> {
        let (mut calls, mut has_others, mut beside_failure) = (Vec::new(), false, false);
        for block in reply {
            match block {
                Content::ToolCall { tool_call_id, tool_name, input } if tool_name == OUTPUT_TOOL => {
                    calls.push((tool_call_id, input));
                }
                Content::ToolCall { tool_call_id, .. } => {
                    has_others = true;
                    beside_failure |= has_failed(tool_call_id);
                }
                _ => {}
            }
        }
        let text = Content::joined_text(reply);
        let last_text = reply.iter().rev().find_map(|block| match block {
            Content::Text { text } => Some(text.as_str()),
            _ => None,
        });
        (!calls.is_empty() || !has_others).then_some(Self {
            calls,
            text,
            last_text: last_text.unwrap_or_default(),
            beside_failure,
        })
    }

    /// The answer, if it fits.
    pub(crate) fn judge(&self, schema: &OutputSchema) -> Result<Value, Rejected> {
        let value = match self.calls.as_slice() {
            [] => read(&self.text).or_else(|why| read(self.last_text).map_err(|_| why))?,
            [_] if self.beside_failure => {
                return Err(Rejected::because("another call of the same reply failed; look at its result first"));
            }
            [(_, Value::String(_))] => {
                return Err(Rejected::because("the input is not JSON; it may have been cut at the limit of a reply"));
            }
            [(_, input)] => (*input).clone(),
            several => {
                let calls = several.len();
                return Err(Rejected::because(format!("{OUTPUT_TOOL} was called {calls} times in one reply")));
            }
        };
        match schema.misfits(&value) {
            misfits if misfits.is_empty() => Ok(value),
            misfits => Err(Rejected { misfits }),
        }
    }
}

/// Reads a text that is JSON and nothing else, but for blanks and one fence around all of it.
fn read(text: &str) -> Result<Value, Rejected> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Rejected::because("the reply gives no answer"));
    }
    serde_json::from_str(without_fence(text).unwrap_or(text))
        .map_err(|error| Rejected::because(format!("the answer is not JSON alone: {error}")))
}

/// What stands in a code fence that begins and ends the text.
fn without_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, inside) = inside.split_once('\n')?;
    matches!(language.trim(), "" | "json").then_some(inside)
}

/// Why an answer was not taken.
#[derive(Debug, PartialEq)]
pub(crate) struct Rejected {
    misfits: Vec<Misfit>,
}

impl Rejected {
    fn because(message: impl Into<String>) -> Self {
        Self { misfits: vec![Misfit { path: String::new(), message: message.into() }] }
    }

    /// What the model is told.
    pub(crate) fn feedback(&self) -> String {
        format!(
            "The answer was not taken:\n{}\nGive all of it again: by one call of {OUTPUT_TOOL} where you have that \
             tool, else as JSON that fits the schema and nothing else.",
            self.lines()
        )
    }

    /// What the host is told when no further answer is asked for.
    pub(crate) fn into_error(self, attempts: u32) -> Error {
        let errors: Vec<Value> =
            self.misfits.iter().map(|misfit| json!({ "path": misfit.path, "message": misfit.message })).collect();
        Error::new(
            ErrorCode::OutputInvalid,
            format!("none of {attempts} answers of the model fits outputSchema; the last one:\n{}", self.lines()),
        )
        .with_data(json!({ "attempts": attempts, "errors": errors }))
    }

    fn lines(&self) -> String {
        let line = |misfit: &Misfit| match misfit.path.as_str() {
            "" => format!("- {}", misfit.message),
            path => format!("- at {path}: {}", misfit.message),
        };
        self.misfits.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> OutputSchema {
        OutputSchema::new(json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }))
            .unwrap()
    }

    fn call(id: &str, input: Value) -> Content {
        Content::ToolCall { tool_call_id: id.into(), tool_name: OUTPUT_TOOL.to_owned(), input }
    }

    fn other(id: &str) -> Content {
        Content::ToolCall { tool_call_id: id.into(), tool_name: "read_file".to_owned(), input: json!({}) }
    }

    fn judged(reply: &[Content], failed: &[&str]) -> Result<Value, String> {
        let given = Given::of(reply, |id| failed.contains(&id.as_str())).unwrap();
        given.judge(&schema()).map_err(|rejected| rejected.lines())
    }

    #[test]
    fn a_text_is_taken_when_it_is_json_and_nothing_else() {
        for text in ["{\"n\": 1}", " {\"n\": 1}\n", "```json\n{\"n\": 1}\n```", "```\n{\"n\": 1}\n```\n"] {
            assert_eq!(judged(&[Content::text(text)], &[]), Ok(json!({ "n": 1 })), "{text}");
        }
        for text in [
            "",
            "Here it is: {\"n\": 1}",
            "{\"n\": 1} {\"n\": 2}",
            "Sure:\n```json\n{\"n\": 1}\n```",
            "```json\n{\"n\": 1}\n```\n```json\n{\"n\": 2}\n```",
            "```python\n{\"n\": 1}\n```",
            "{\"n\": 1",
        ] {
            assert!(judged(&[Content::text(text)], &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn a_comment_in_a_block_of_its_own_may_stand_before_the_answer() {
        let comment = Content::text("I have looked.");
        assert_eq!(judged(&[comment.clone(), Content::text("{\"n\": 1}")], &[]), Ok(json!({ "n": 1 })));
        assert!(judged(&[Content::text("{\"n\": 1}"), comment], &[]).unwrap_err().contains("not JSON alone"));
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        assert!(judged(&[call("1", json!({ "n": "one" }))], &[]).unwrap_err().starts_with("- at /n: "));
        assert!(judged(&[call("1", json!({ "answer": { "n": 1 } }))], &[]).unwrap_err().contains("\"n\""));
        assert!(judged(&[call("1", json!("{\"n\": 1"))], &[]).unwrap_err().contains("not JSON"));
    }

    #[test]
    fn an_answer_beside_other_calls_is_taken_when_all_of_them_went_well() {
        let reply = [other("1"), call("2", json!({ "n": 1 })), other("3")];
        assert_eq!(judged(&reply, &[]), Ok(json!({ "n": 1 })));
        assert!(judged(&reply, &["3"]).unwrap_err().contains("another call of the same reply failed"));
    }

    #[test]
    fn two_answers_in_one_reply_are_none() {
        let reply = [call("1", json!({ "n": 1 })), call("2", json!({ "n": 2 }))];
        assert!(judged(&reply, &[]).unwrap_err().contains("2 times"));
    }

    #[test]
    fn a_reply_that_calls_other_tools_gives_no_answer_yet() {
        assert!(Given::of(&[Content::text("{\"n\": 1}"), other("1")], |_| false).is_none());
    }
}
