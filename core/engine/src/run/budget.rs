//! One reply, held against the budgets while it is written. What its provider has not counted is guessed.

use lodger_model::ModelRequest;
use lodger_protocol::Usage;

use crate::context::StepContext;
use crate::spending::{Amount, Charge};
use crate::turn::Turn;

/// So many bytes of text are taken for one token where nobody counts. English has about four; code and other
/// languages have fewer, and a guess that is too high only ends a turn early.
const BYTES_PER_TOKEN: u64 = 3;

/// A reply that was begun.
pub(super) struct Budget<'a> {
    context: &'a StepContext,
    charge: Charge,
    is_bounded: bool,
    /// Bytes of the request; measured only where there is a budget.
    request: u64,
}

impl<'a> Budget<'a> {
    /// Reserves what the request takes. `None`: no budget pays for it.
    pub(super) fn begin(turn: &Turn, context: &'a StepContext, request: &ModelRequest) -> Option<Self> {
        let is_bounded = turn.spending.is_bounded();
        let request = if is_bounded { size_of(request) } else { 0 };
        let expected = complete(&Usage::default(), request, 0);
        let charge = turn.spending.begin(Amount::of(context.model.as_ref(), &expected))?;
        Some(Self { context, charge, is_bounded, request })
    }

    /// Whether a budget is used up by the reply as far as it has come: `used` is what was counted, `reply` its bytes.
    pub(super) fn is_used_up(&mut self, used: &Usage, reply: usize) -> bool {
        self.is_bounded && {
            // Of a prompt that was not counted yet nothing is guessed: that would cut replies that the budget pays.
            let usage = complete(used, 0, reply as u64);
            self.charge.set(Amount::of(self.context.model.as_ref(), &usage))
        }
    }

    /// What was begun came to nothing, and nothing is charged for it.
    pub(super) fn forget(&mut self) {
        self.charge.set(Amount::default());
    }

    /// The reply has ended.
    pub(super) fn settle(&mut self, used: &Usage, reply: usize) {
        let usage = complete(used, self.request, reply as u64);
        self.charge.set(Amount::of(self.context.model.as_ref(), &usage));
    }
}

/// The usage with guesses where nothing was counted, and where a reply has grown beyond what was counted. `request` and
/// `reply` are bytes.
fn complete(counted: &Usage, request: u64, reply: u64) -> Usage {
    let mut usage = *counted;
    if usage.context_tokens().is_none() {
        usage.input_tokens = Some(request / BYTES_PER_TOKEN);
    }
    let written = reply / BYTES_PER_TOKEN;
    let output = usage.output_tokens.unwrap_or(0).saturating_add(usage.reasoning_tokens.unwrap_or(0));
    if output < written && counted.output_tokens.is_none_or(|counted| counted < written / 4) {
        usage.output_tokens = Some(written.saturating_sub(usage.reasoning_tokens.unwrap_or(0)));
    }
    usage
}

/// About how many bytes of text a request has. Images and documents count by their weight as text, which is more than
/// providers charge.
fn size_of(request: &ModelRequest) -> u64 {
    let schema = request.output_schema.as_ref().map_or(0, json_bytes);
    let messages: u64 = request.messages.iter().map(|message| json_bytes(&message.content)).sum();
    let tools: u64 =
        request.tools.iter().map(|tool| json_bytes(&*tool.input_schema) + tool.description.len() as u64).sum();
    request.system.len() as u64 + messages + tools + schema
}

fn json_bytes(value: &impl serde::Serialize) -> u64 {
    // Plain data with text keys: writing it cannot fail.
    serde_json::to_string(value).map_or(0, |text| text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_taken_and_the_rest_is_guessed() {
        let guessed = complete(&Usage::default(), 3000, 300);
        assert_eq!((guessed.input_tokens, guessed.output_tokens), (Some(1000), Some(100)));
        let counted = Usage { input_tokens: Some(7), output_tokens: Some(80), ..Usage::default() };
        assert_eq!(complete(&counted, 3000, 300), counted);
        // A first report of the running reply counts its first token only.
        let early = Usage { input_tokens: Some(7), output_tokens: Some(1), ..Usage::default() };
        assert_eq!(complete(&early, 3000, 300).output_tokens, Some(100));
    }
}
