//! Whether a request is what a step expects.

use lodger_protocol::{Error, ErrorCode};
use serde_json::{Value, json};

use super::script::{Expect, ExpectedResult};
use super::seen::{Seen, SeenResult};

/// Longest piece of what was found in a message, in bytes.
const MAX_SHOWN: usize = 500;

impl Expect {
    /// Compares a request with what the step of that index expects.
    ///
    /// # Errors
    /// `provider_rejected` with the step, what was expected and what was found, in the message and in `data`.
    pub fn check(&self, step: usize, seen: &Seen) -> Result<(), Error> {
        let fail = |what: &str, expected: Value, found: Value| Err(mismatch(step, what, &expected, &found));
        if let Some(expected) = self.last_user_text.as_ref().filter(|text| !seen.last_user_text.contains(*text)) {
            return fail("the last user text to contain", json!(expected), shown(&seen.last_user_text));
        }
        if let Some(expected) = self.system.as_ref().filter(|text| !seen.system.contains(*text)) {
            return fail("the system prompt to contain", json!(expected), shown(&seen.system));
        }
        if self.tools.iter().any(|name| !seen.tools.contains(name)) {
            return fail("all of these tools on offer:", json!(self.tools), json!(seen.tools));
        }
        if self.absent_tools.iter().any(|name| seen.tools.contains(name)) {
            return fail("none of these tools on offer:", json!(self.absent_tools), json!(seen.tools));
        }
        if let Some(expected) = &self.tool_results {
            let same = expected.len() == seen.tool_results.len()
                && expected.iter().zip(&seen.tool_results).all(|(expected, found)| expected.fits(found));
            if !same {
                let found: Vec<_> = seen
                    .tool_results
                    .iter()
                    .map(|result| json!({ "text": shown(&result.text), "isError": result.is_error }))
                    .collect();
                return fail("these tool results:", json!(expected), json!(found));
            }
        }
        Ok(())
    }
}

impl ExpectedResult {
    fn fits(&self, found: &SeenResult) -> bool {
        self.contains.as_ref().is_none_or(|text| found.text.contains(text))
            && self.is_error.is_none_or(|is_error| found.is_error.is_none_or(|found| found == is_error))
    }
}

fn mismatch(step: usize, what: &str, expected: &Value, found: &Value) -> Error {
    Error::new(
        ErrorCode::ProviderRejected,
        format!("steps[{step}] of the script expects {what} {expected}; found {found}"),
    )
    .with_data(json!({ "step": step, "expected": expected, "found": found }))
}

fn shown(text: &str) -> Value {
    match text.len() <= MAX_SHOWN {
        true => text.into(),
        false => format!("{}...", &text[..text.floor_char_boundary(MAX_SHOWN)]).into(),
    }
}
