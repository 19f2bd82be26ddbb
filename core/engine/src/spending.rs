//! What replies cost: told as far as it is known, held against the budget also where it must be guessed.

use lodger_model::Model;
use lodger_protocol::{Error, Limits, Result, Usage};

/// A sum of costs. One reply of unknown cost makes the sum unknown: a figure that is too low is worse than none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Cost {
    /// Nothing was bought yet.
    #[default]
    Nothing,
    /// US dollars.
    Known(f64),
    /// Some of it has no price, or was not counted.
    Unknown,
}

impl Cost {
    pub(crate) fn add(&mut self, more: Option<f64>) {
        *self = match (*self, more) {
            (Self::Nothing, Some(more)) => Self::Known(more),
            (Self::Known(before), Some(more)) => Self::Known(before + more),
            (Self::Unknown, _) | (_, None) => Self::Unknown,
        };
    }

    /// The sum, where it is known.
    pub(crate) const fn usd(self) -> Option<f64> {
        match self {
            Self::Known(usd) => Some(usd),
            Self::Nothing | Self::Unknown => None,
        }
    }
}

/// So many bytes of text are taken for one token where nobody counts. English has about four; code and other
/// languages have fewer, and a guess that is too high only ends a turn early.
const BYTES_PER_TOKEN: u64 = 3;

/// What one turn has spent of its budget.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spending {
    usd: f64,
    tokens: u64,
}

impl Spending {
    /// Adds a reply, with guesses for what its provider did not count.
    pub(crate) fn add(&mut self, model: &dyn Model, reply: &Usage, sizes: Sizes) {
        let after = self.with(model, reply, sizes);
        *self = after;
    }

    /// The same with a reply that is still being written.
    pub(crate) fn with(&self, model: &dyn Model, reply: &Usage, sizes: Sizes) -> Self {
        let usage = sizes.complete(reply);
        let tokens = usage.context_tokens().unwrap_or(0).saturating_add(output(&usage));
        Self { usd: self.usd + model.cost(&usage).unwrap_or(0.0), tokens: self.tokens.saturating_add(tokens) }
    }

    /// Whether nothing more may be bought.
    pub(crate) fn is_used_up(&self, limits: &Limits) -> bool {
        limits.max_budget_usd.is_some_and(|most| self.usd >= most)
            || limits.max_budget_tokens.is_some_and(|most| self.tokens >= most)
    }
}

/// How long a request and its reply are, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    pub(crate) request: u64,
    pub(crate) reply: u64,
}

impl Sizes {
    /// The usage with guesses where nothing was counted, and where a reply has grown beyond what was counted.
    fn complete(self, counted: &Usage) -> Usage {
        let mut usage = *counted;
        if usage.context_tokens().is_none() {
            usage.input_tokens = Some(self.request / BYTES_PER_TOKEN);
        }
        let written = self.reply / BYTES_PER_TOKEN;
        if output(&usage) < written && counted.output_tokens.is_none_or(|counted| counted < written / 4) {
            usage.output_tokens = Some(written.saturating_sub(usage.reasoning_tokens.unwrap_or(0)));
        }
        usage
    }
}

fn output(usage: &Usage) -> u64 {
    usage.output_tokens.unwrap_or(0).saturating_add(usage.reasoning_tokens.unwrap_or(0))
}

/// Refuses a budget of money for a model without a price: nothing could be held against it.
pub(crate) fn check(limits: &Limits, model: &dyn Model) -> Result<()> {
    let one = Usage { input_tokens: Some(1), output_tokens: Some(1), ..Usage::default() };
    if limits.max_budget_usd.is_none() || model.cost(&one).is_some() {
        return Ok(());
    }
    Err(Error::invalid_options(format!(
        "limits.maxBudgetUsd is set and the price of {} is not known; give it in a file for the option catalogue, or \
         as `price` of a script, or set limits.maxBudgetTokens",
        model.name()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_unknown_cost_makes_the_sum_unknown() {
        let mut cost = Cost::default();
        assert_eq!(cost.usd(), None);
        cost.add(Some(0.5));
        cost.add(Some(0.25));
        assert_eq!(cost.usd(), Some(0.75));
        cost.add(None);
        cost.add(Some(1.0));
        assert_eq!(cost, Cost::Unknown);
    }

    #[test]
    fn what_was_counted_is_taken_and_the_rest_is_guessed() {
        let sizes = Sizes { request: 3000, reply: 300 };
        let guessed = sizes.complete(&Usage::default());
        assert_eq!((guessed.input_tokens, guessed.output_tokens), (Some(1000), Some(100)));
        let counted = Usage { input_tokens: Some(7), output_tokens: Some(80), ..Usage::default() };
        assert_eq!(sizes.complete(&counted), counted);
        // A first report of the running reply counts its first token only.
        let early = Usage { input_tokens: Some(7), output_tokens: Some(1), ..Usage::default() };
        assert_eq!(sizes.complete(&early).output_tokens, Some(100));
    }
}
