//! The ids of calls: those that a reply brings, made unique; and those that a request shows, as its server takes them.

use std::borrow::Cow;
use std::collections::HashSet;

use lodger_protocol::{Content, ToolCallId};

use crate::ModelRequest;
use crate::quirks::CallIds;

/// Gives the calls of one reply their ids: the provider's where it gives one that the conversation does not have yet,
/// else one of our own.
#[derive(Clone, Debug)]
pub struct FreshIds {
    taken: HashSet<ToolCallId>,
    stem: String,
    made: usize,
}

impl FreshIds {
    /// Ids for the reply to `request`. Our own begin with `stem`, which should differ from reply to reply.
    #[must_use]
    pub fn new(request: &ModelRequest, stem: &str) -> Self {
        let taken = request
            .messages
            .iter()
            .flat_map(|message| &message.content)
            .filter_map(|block| match block {
                Content::ToolCall { tool_call_id, .. } => Some(tool_call_id.clone()),
                _ => None,
            })
            .collect();
        Self { taken, stem: stem.to_owned(), made: 0 }
    }

    /// The id of a call that the provider calls so, or does not name.
    pub(crate) fn take(&mut self, given: Option<&str>) -> ToolCallId {
        let given = given.filter(|id| !id.is_empty()).map(ToolCallId::from);
        match given {
            Some(id) if self.taken.insert(id.clone()) => id,
            _ => loop {
                let id = ToolCallId::from(format!("{}_{}", self.stem, self.made));
                self.made += 1;
                if self.taken.insert(id.clone()) {
                    break id;
                }
            },
        }
    }
}

/// The ids of one request. The same id in the same place of the conversation is always written alike.
#[derive(Debug, Default)]
pub(crate) struct ShownIds<'a>(HashSet<Cow<'a, str>>);

impl<'a> ShownIds<'a> {
    /// How to write an id. `own`: the model that is asked gave it. An id that another call has already is changed too.
    pub(crate) fn show(&mut self, id: &'a str, own: bool, rule: CallIds) -> Cow<'a, str> {
        let mut shown = if own || fits(id, rule) { Cow::Borrowed(id) } else { rewritten(id, 0, rule).into() };
        let mut again = 1;
        while self.0.contains(&shown) {
            shown = rewritten(id, again, rule).into();
            again += 1;
        }
        self.0.insert(shown.clone());
        shown
    }
}

fn fits(id: &str, rule: CallIds) -> bool {
    match rule {
        CallIds::Plain { most } => {
            (1..=most).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        }
        CallIds::Nine => id.len() == NINE && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    }
}

const NINE: usize = 9;

/// A word in place of an id: the same for the same id, now and in every later request, so that a provider's cache
/// still knows the conversation.
fn rewritten(id: &str, again: u64, rule: CallIds) -> String {
    let mut hash = id
        .bytes()
        .chain(again.to_le_bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut word = String::with_capacity(NINE);
    for _ in 0..NINE {
        const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let digit = usize::try_from(hash % 36).unwrap_or(0);
        word.push(char::from(LETTERS[digit]));
        hash /= 36;
    }
    match rule {
        CallIds::Nine => word,
        CallIds::Plain { .. } => format!("call_{word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_the_server_takes_stays_and_any_other_becomes_one_that_it_takes() {
        let mut ids = ShownIds::default();
        let plain = CallIds::Plain { most: 40 };
        assert_eq!(ids.show("toolu_01A-b", false, plain), "toolu_01A-b");
        for id in ["", "call/1", "a b", "é", &"x".repeat(41)] {
            let shown = ShownIds::default().show(id, false, plain).into_owned();
            assert!(fits(&shown, plain), "{id}: {shown}");
        }
        let shown = ids.show("toolu_01A", false, CallIds::Nine);
        assert!(fits(&shown, CallIds::Nine), "{shown}");
    }

    #[test]
    fn the_models_own_id_is_never_changed() {
        let long = "x".repeat(3000);
        assert_eq!(ShownIds::default().show(&long, true, CallIds::Plain { most: 40 }), long);
    }

    #[test]
    fn two_calls_of_one_id_are_told_apart_and_alike_in_every_request() {
        let write = || {
            let mut ids = ShownIds::default();
            ["1", "1", "1"].map(|id| ids.show(id, false, CallIds::Plain { most: 40 }).into_owned())
        };
        let ids = write();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 3);
        assert_eq!(ids, write());
    }
}
