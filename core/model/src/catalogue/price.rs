//! What a reply costs.

use lodger_protocol::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rates of a model, in US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", try_from = "Written")]
pub struct Price {
    /// The rates of most prompts.
    #[serde(flatten)]
    pub rates: Rates,
    /// Dearer rates of long prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<Long>,
}

/// What a million tokens of each kind cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    /// Of the prompt.
    pub input: f64,
    /// Of the answer and of thought.
    pub output: f64,
    /// Read from the provider's cache. Absent: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Written to the provider's cache. Absent: as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// Rates that hold for the whole request once its prompt is long.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Long {
    /// For prompts of more tokens than this.
    pub above_tokens: u64,
    /// The rates then.
    #[serde(flatten)]
    pub rates: Rates,
}

/// A price as it is written. `flatten` would take any name in silence.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Written {
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    long: Option<WrittenLong>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenLong {
    above_tokens: u64,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
}

impl TryFrom<Written> for Price {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { input, output, cache_read, cache_write, long } = written;
        let long = long.map(|long| {
            let WrittenLong { above_tokens, input, output, cache_read, cache_write } = long;
            Long { above_tokens, rates: Rates { input, output, cache_read, cache_write } }
        });
        let price = Self { rates: Rates { input, output, cache_read, cache_write }, long };
        let rates = [Some(price.rates), price.long.map(|long| long.rates)];
        let is_price = |rate: f64| rate.is_finite() && rate >= 0.0;
        match rates.into_iter().flatten().flat_map(Rates::all).all(is_price) {
            true => Ok(price),
            false => Err("a price is a number of dollars, 0 or more".to_owned()),
        }
    }
}

impl Rates {
    fn all(self) -> impl Iterator<Item = f64> {
        [Some(self.input), Some(self.output), self.cache_read, self.cache_write].into_iter().flatten()
    }
}

impl Price {
    /// What one reply cost, in US dollars. A bucket that the provider did not count costs nothing here.
    #[must_use]
    pub fn of(&self, usage: &Usage) -> f64 {
        let context = usage.context_tokens().unwrap_or(0);
        let rates = match self.long {
            Some(long) if context > long.above_tokens => long.rates,
            _ => self.rates,
        };
        #[allow(clippy::cast_precision_loss)] // Fewer than 2^53 tokens.
        let cost = |tokens: Option<u64>, rate: f64| tokens.unwrap_or(0) as f64 * rate;
        let output = usage.output_tokens.unwrap_or(0).saturating_add(usage.reasoning_tokens.unwrap_or(0));
        (cost(usage.input_tokens, rates.input)
            + cost(usage.cache_read_tokens, rates.cache_read.unwrap_or(rates.input))
            + cost(usage.cache_write_tokens, rates.cache_write.unwrap_or(rates.input))
            + cost(Some(output), rates.output))
            / 1_000_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { input: 2.0, output: 10.0, cache_read: Some(0.5), cache_write: None };

    #[test]
    fn each_bucket_has_its_rate_and_thought_costs_what_the_answer_does() {
        let usage = Usage {
            input_tokens: Some(1_000_000),
            output_tokens: Some(100_000),
            cache_read_tokens: Some(2_000_000),
            cache_write_tokens: Some(500_000),
            reasoning_tokens: Some(100_000),
        };
        let price = Price { rates: RATES, long: None };
        assert!((price.of(&usage) - (2.0 + 1.0 + 1.0 + 1.0 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_price_is_refused() {
        let read = |text: &str| serde_json::from_str::<Price>(text);
        assert!(read(r#"{"input": 0, "output": 1.5, "long": {"aboveTokens": 5, "input": 1, "output": 2}}"#).is_ok());
        for wrong in [
            r#"{"input": -1.5, "output": 1}"#,
            r#"{"input": 1, "output": 1, "cachRead": 1}"#,
            r#"{"input": 1, "output": 1, "long": {"aboveTokens": 5, "input": 1, "output": -2}}"#,
            r#"{"input": 1}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_long_prompt_is_dearer_as_a_whole() {
        let long = Long { above_tokens: 200_000, rates: Rates { input: 4.0, ..RATES } };
        let price = Price { rates: RATES, long: Some(long) };
        let of = |tokens| price.of(&Usage { input_tokens: Some(tokens), ..Usage::default() });
        assert!((of(200_000) - 0.4).abs() < 1e-9);
        assert!((of(200_001) - 0.800_004).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_counted_costs_nothing() {
        assert!(Price { rates: RATES, long: None }.of(&Usage::default()).abs() < 1e-12);
    }
}
