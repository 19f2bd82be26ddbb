//! What is spent of budgets. Budgets form a tree: what an agent spends counts at the turn that it works for too, and no
//! reply goes on beyond any of the bounds above it, however many are written at once.

use std::sync::{Arc, Mutex};

use lodger_model::Model;
use lodger_protocol::{Limits, Usage};

use crate::shared::locked;

/// Money and tokens. Money in whole billionths of a dollar, so that what is added and taken back again leaves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    nano_usd: u64,
    tokens: u64,
}

impl Amount {
    /// What a reply of that model comes to. What has no price costs nothing here.
    pub(crate) fn of(model: &dyn Model, usage: &Usage) -> Self {
        let output = usage.output_tokens.unwrap_or(0).saturating_add(usage.reasoning_tokens.unwrap_or(0));
        Self {
            nano_usd: nano(model.cost(usage).unwrap_or(0.0)),
            tokens: usage.context_tokens().unwrap_or(0).saturating_add(output),
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            nano_usd: self.nano_usd.saturating_add(other.nano_usd),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Nothing where the other is more.
    const fn minus(self, other: Self) -> Self {
        Self {
            nano_usd: self.nano_usd.saturating_sub(other.nano_usd),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }
}

/// A float turns into the nearest integer that exists.
fn nano(usd: f64) -> u64 {
    (usd * 1e9).round() as u64
}

/// A node of the tree: what was spent here and below, and how much may be.
#[derive(Debug)]
pub struct Spending {
    most_nano_usd: Option<u64>,
    most_tokens: Option<u64>,
    parent: Option<Arc<Spending>>,
    sums: Mutex<Sums>,
}

#[derive(Debug, Default)]
struct Sums {
    /// Of replies that are complete, and of those that are being written as far as they have come.
    spent: Amount,
    /// What the latter are expected to take besides.
    reserved: Amount,
}

impl Spending {
    /// Nothing was spent yet. `parent` is where it counts too.
    pub(crate) fn new(limits: &Limits, parent: Option<Arc<Self>>) -> Self {
        Self {
            most_nano_usd: limits.max_budget_usd.map(nano),
            most_tokens: limits.max_budget_tokens,
            parent,
            sums: Mutex::default(),
        }
    }

    /// Whether anything bounds it, here or above.
    pub(crate) fn is_bounded(&self) -> bool {
        self.line().any(|node| node.most_nano_usd.is_some() || node.most_tokens.is_some())
    }

    /// Reserves what a request is expected to take. `None`: there is a budget that it would find used up, or that others
    /// have reserved the rest of.
    pub(crate) fn begin(self: &Arc<Self>, expected: Amount) -> Option<Charge> {
        let mut charge = Charge { at: Arc::clone(self), expected: Amount::default(), spent: Amount::default() };
        for node in self.line() {
            let mut sums = locked(&node.sums);
            if node.is_reached_by(sums.spent.plus(sums.reserved)) {
                drop(sums);
                charge.give_back_below(node, expected);
                return None;
            }
            sums.reserved = sums.reserved.plus(expected);
        }
        charge.expected = expected;
        Some(charge)
    }

    /// This node and all above it.
    fn line(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |node| node.parent.as_deref())
    }

    fn is_reached_by(&self, amount: Amount) -> bool {
        self.most_nano_usd.is_some_and(|most| amount.nano_usd >= most)
            || self.most_tokens.is_some_and(|most| amount.tokens >= most)
    }
}

/// One reply while it is written. Dropped, what it had come to stays spent: it was shown, and will be charged.
#[derive(Debug)]
pub(crate) struct Charge {
    at: Arc<Spending>,
    expected: Amount,
    spent: Amount,
}

impl Charge {
    /// Says what the reply has come to so far, or in the end. True: a budget is used up by it and all others.
    pub(crate) fn set(&mut self, spent: Amount) -> bool {
        let (before, reserved) = (self.spent, self.reserved());
        self.spent = spent;
        let mut used_up = false;
        for node in self.at.line() {
            let mut sums = locked(&node.sums);
            sums.spent = sums.spent.minus(before).plus(spent);
            sums.reserved = sums.reserved.minus(reserved).plus(self.reserved());
            used_up |= node.is_reached_by(sums.spent);
        }
        used_up
    }

    /// What it is expected to take besides.
    const fn reserved(&self) -> Amount {
        self.expected.minus(self.spent)
    }

    /// Takes a reservation out of the nodes below one that refused it.
    fn give_back_below(&self, refused: &Spending, expected: Amount) {
        for node in self.at.line().take_while(|node| !std::ptr::eq(*node, refused)) {
            let mut sums = locked(&node.sums);
            sums.reserved = sums.reserved.minus(expected);
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        let reserved = self.reserved();
        for node in self.at.line() {
            let mut sums = locked(&node.sums);
            sums.reserved = sums.reserved.minus(reserved);
        }
    }
}

#[cfg(test)]
mod tests;
