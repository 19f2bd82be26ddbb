//! A turn in the hands of the host: its events, its request lane, its result.

use std::sync::Arc;
use std::time::Duration;

use lodger_engine::{Delivery, Outlet};
use lodger_protocol::{Entry, Error, ErrorCode, EventBody, Result, TurnId, TurnResult};

use super::agent_core::AgentCore;
use super::lane::LaneItem;
use super::mailbox::Mailbox;
use super::queue::Drained;
use super::turn_core::{Bells, TurnCore};
use super::{locked, may_block};

/// A running or finished turn. Cheap to clone; dropping the last clone cancels it. It keeps its agent alive.
#[derive(Clone)]
pub struct Turn(Arc<Handle>);

struct Handle {
    core: Arc<TurnCore>,
    agent: Arc<AgentCore>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.agent.engine.cancel(&self.core.id);
    }
}

impl Turn {
    pub(super) fn new(core: Arc<TurnCore>, agent: Arc<AgentCore>) -> Self {
        Self(Arc::new(Handle { core, agent }))
    }

    pub(crate) fn core(&self) -> &Arc<TurnCore> {
        &self.0.core
    }

    /// The turn's id.
    #[must_use]
    pub fn id(&self) -> &TurnId {
        &self.0.core.id
    }

    /// Takes the place of the one reader.
    ///
    /// # Errors
    /// `reader_busy` when it is taken.
    pub fn claim_reader(&self) -> Result<()> {
        if self.0.core.queue.claim() {
            return Ok(());
        }
        Err(Error::new(ErrorCode::ReaderBusy, "this turn has a reader already; a turn is read by one"))
    }

    /// Takes up to `max` events without waiting.
    #[must_use]
    pub fn drain(&self, max: usize) -> Drained {
        self.handed_over(self.0.core.queue.drain(max))
    }

    /// The same as the text of a JSON array: `None` when there is nothing now and the bell is armed, `[]` when
    /// the turn is over and everything was read.
    #[must_use]
    pub fn drain_json(&self, max: usize) -> Option<String> {
        match self.drain(max) {
            // Events are plain data with text keys: writing them cannot fail.
            Drained::Events(events) => Some(serde_json::to_string(&events).unwrap_or_default()),
            Drained::Empty => None,
            Drained::End => Some("[]".to_owned()),
        }
    }

    /// Takes up to `max` events, waiting for the first one; `Empty` when `timeout` is over. `None` waits for ever.
    ///
    /// # Errors
    /// `would_deadlock` on a thread of an async runtime; `forked`.
    pub fn read(&self, max: usize, timeout: Option<Duration>) -> Result<Drained> {
        self.0.agent.fork.check()?;
        if timeout != Some(Duration::ZERO) {
            may_block("reading a turn")?;
        }
        Ok(self.handed_over(self.0.core.queue.read(max, timeout)))
    }

    /// A request that is delivered as an event counts its time from the moment that the event is taken.
    fn handed_over(&self, drained: Drained) -> Drained {
        if let Drained::Events(events) = &drained {
            for event in events {
                if let EventBody::Entry(Entry::RequestOpened { request }) = &event.body
                    && self.0.core.delivery(request.kind) == Delivery::Events
                    && let Ok(pending) = self.0.agent.engine.request(&request.request_id)
                {
                    pending.hand_over();
                }
            }
        }
        drained
    }

    /// Puts the turn into a mailbox: lane `key * 2` has its events, `key * 2 + 1` its request lane. What is
    /// there already is marked at once.
    pub fn attach(&self, mailbox: &Mailbox, key: u64) {
        self.0.core.attach(mailbox, key);
    }

    /// Puts the request lane alone into a mailbox, as `key * 2 + 1`, for a host whose events are read elsewhere.
    pub fn attach_requests(&self, mailbox: &Mailbox, key: u64) {
        self.0.core.attach_requests(mailbox, key);
    }

    /// Sets the bell of this turn's events alone. It rings once for each time that a drain found nothing, and
    /// at once if something is there now. It may only signal the host's own loop.
    pub fn set_waker(&self, waker: Box<dyn Fn() + Send + Sync>) {
        let waker: Arc<dyn Fn() + Send + Sync> = waker.into();
        locked(&self.0.core.bells).waker = Some(Arc::clone(&waker));
        if self.0.core.queue.arm() {
            waker();
        }
    }

    /// Arms the bell as a drain that finds nothing does, and takes nothing. True when there is something to read,
    /// or the end: then no ring will come for it.
    #[must_use]
    pub fn arm(&self) -> bool {
        self.0.core.queue.arm()
    }

    /// Takes what stands in the request lane.
    #[must_use]
    pub fn take_lane(&self) -> Vec<LaneItem> {
        self.0.core.take_lane()
    }

    /// The same as the text of a JSON array, for languages that answer by id; `None` when there is nothing.
    #[must_use]
    pub fn take_lane_json(&self) -> Option<String> {
        let items = self.take_lane();
        if items.is_empty() {
            return None;
        }
        let items: Vec<_> = items.into_iter().map(LaneItem::into_json).collect();
        Some(serde_json::Value::Array(items).to_string())
    }

    /// Asks the turn to end. Does not wait; later calls change nothing.
    pub fn cancel(&self) {
        self.0.agent.engine.cancel(&self.0.core.id);
    }

    /// Whether it is over. Events may still wait to be read.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.0.core.queue.has_ended()
    }

    /// What it came to, once it is over.
    #[must_use]
    pub fn result(&self) -> Option<TurnResult> {
        self.0.core.queue.result()
    }

    /// Waits for what it comes to. Reads no events: a turn with many of them needs a reader beside.
    ///
    /// # Errors
    /// `timeout`; `would_deadlock` on a thread of an async runtime; `forked`.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<TurnResult> {
        self.0.agent.fork.check()?;
        if let Some(result) = self.result() {
            return Ok(result);
        }
        may_block("waiting for a turn")?;
        self.0
            .core
            .queue
            .wait(timeout)
            .ok_or_else(|| Error::new(ErrorCode::Timeout, "the turn did not end in the given time"))
    }

    /// The id of the session that it belongs to.
    #[must_use]
    pub fn session_id(&self) -> String {
        self.0.agent.engine.session_id().to_string()
    }

    /// Stops all bells of this turn. A ring under way may finish.
    pub fn silence(&self) {
        *locked(&self.0.core.bells) = Bells::default();
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Turn({})", self.id())
    }
}
