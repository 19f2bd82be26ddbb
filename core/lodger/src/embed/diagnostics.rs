//! Diagnostics on their way to a host that cannot be called from any thread: bounded, in order, one bell.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use lodger_protocol::{Diagnostic, DiagnosticBody, DiagnosticSink};

use super::locked;
use super::mailbox::Mailbox;

/// So many wait; what comes while they do is lost and counted, but for the end.
const MAX_WAITING: usize = 1024;

/// The diagnostics of one agent until the host takes them. Give it to `Handlers::diagnostics`, and take from it
/// whenever its lane is marked, and once more after the agent was closed. Cheap to clone.
#[derive(Clone)]
pub struct DiagnosticQueue(Arc<Inner>);

struct Inner {
    waiting: Mutex<Waiting>,
    mailbox: Mailbox,
    key: u64,
}

#[derive(Default)]
struct Waiting {
    diagnostics: VecDeque<Diagnostic>,
    /// How many were lost, and when the last of them.
    lost: Option<Diagnostic>,
}

impl DiagnosticQueue {
    /// A queue that marks lane `key * 2 + 1` of a mailbox whenever something comes.
    #[must_use]
    pub fn new(mailbox: &Mailbox, key: u64) -> Self {
        Self(Arc::new(Inner { waiting: Mutex::default(), mailbox: mailbox.clone(), key }))
    }

    /// Takes what waits, in order.
    #[must_use]
    pub fn take(&self) -> Vec<Diagnostic> {
        let mut waiting = locked(&self.0.waiting);
        let lost = waiting.lost.take();
        waiting.diagnostics.drain(..).chain(lost).collect()
    }

    /// The same as the text of a JSON array; `None` when there is nothing.
    #[must_use]
    pub fn take_json(&self) -> Option<String> {
        let taken = self.take();
        // Plain data with text keys: writing it cannot fail.
        (!taken.is_empty()).then(|| serde_json::to_string(&taken).unwrap_or_default())
    }
}

impl DiagnosticSink for DiagnosticQueue {
    fn report(&self, diagnostic: Diagnostic) {
        {
            let mut waiting = locked(&self.0.waiting);
            if matches!(diagnostic.body, DiagnosticBody::RuntimeExit { .. }) {
                // There is always room for the last one.
                let lost = waiting.lost.take();
                waiting.diagnostics.extend(lost.into_iter().chain([diagnostic]));
            } else if waiting.diagnostics.len() < MAX_WAITING {
                waiting.diagnostics.push_back(diagnostic);
            } else {
                let before = match waiting.lost.take().map(|lost| lost.body) {
                    Some(DiagnosticBody::Dropped { count }) => count,
                    _ => 0,
                };
                let body = DiagnosticBody::Dropped { count: before + 1 };
                waiting.lost = Some(Diagnostic { body, ..diagnostic });
            }
        }
        self.0.mailbox.mark(self.0.key * 2 + 1);
    }
}

impl std::fmt::Debug for DiagnosticQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DiagnosticQueue")
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::SessionId;

    use super::*;

    fn queue() -> DiagnosticQueue {
        DiagnosticQueue::new(&Mailbox::new(Box::new(|| {})), 3)
    }

    fn reported(queue: &DiagnosticQueue, ts: u64) {
        queue.report(Diagnostic { ts, session_id: SessionId::from("s"), body: DiagnosticBody::RuntimeReady });
    }

    #[test]
    fn what_was_reported_is_taken_in_order_and_marks_the_lane() {
        let queue = queue();
        (0..3).for_each(|ts| reported(&queue, ts));
        assert_eq!(queue.0.mailbox.take(), [7]);
        assert_eq!(queue.take().iter().map(|diagnostic| diagnostic.ts).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(queue.take_json(), None);
    }

    #[test]
    fn what_finds_no_room_is_counted_and_told_in_its_place() {
        let queue = queue();
        (0..MAX_WAITING as u64 + 3).for_each(|ts| reported(&queue, ts));
        let taken = queue.take();
        assert_eq!(taken.len(), MAX_WAITING + 1);
        assert_eq!(taken.last().map(|last| &last.body), Some(&DiagnosticBody::Dropped { count: 3 }));
        reported(&queue, 9);
        assert_eq!(queue.take().len(), 1);
    }

    #[test]
    fn the_end_always_finds_room_and_comes_last() {
        let queue = queue();
        (0..MAX_WAITING as u64 + 3).for_each(|ts| reported(&queue, ts));
        let end = DiagnosticBody::RuntimeExit { code: 0 };
        queue.report(Diagnostic { ts: 9, session_id: SessionId::from("s"), body: end.clone() });
        let taken: Vec<_> = queue.take().into_iter().map(|diagnostic| diagnostic.body).collect();
        assert_eq!(taken[MAX_WAITING..], [DiagnosticBody::Dropped { count: 3 }, end]);
    }
}
