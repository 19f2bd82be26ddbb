//! How many tokens of thought an effort is, for models that are told a number.

use lodger_protocol::Effort;

/// Less than this is no thought that a provider takes.
pub(crate) const LEAST_BUDGET: u32 = 1024;

/// Tokens of thought. `None`: the model is not to be told anything; 0: it is not to think.
pub(crate) const fn budget(effort: Effort) -> Option<u32> {
    Some(match effort {
        Effort::Auto => return None,
        Effort::None => 0,
        Effort::Minimal => LEAST_BUDGET,
        Effort::Low => 4096,
        Effort::Medium => 8192,
        Effort::High => 16_384,
        Effort::Xhigh | Effort::Max => 24_576,
    })
}
