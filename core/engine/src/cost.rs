//! What replies cost, told as far as it is known.

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
}
