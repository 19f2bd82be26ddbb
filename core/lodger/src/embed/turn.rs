//! A turn in the hands of the host: its events, its request lane, its result.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_engine::{Delivery, Outlet, Pending};
use lodger_protocol::{
    Entry, Error, ErrorCode, Event, EventBody, RequestDelivery, RequestId, RequestKind, Result, TurnId, TurnResult,
};

use super::agent::{Agent, Handlers};
use super::lane::{Lane, LaneItem};
use super::mailbox::Mailbox;
use super::queue::{Drained, Queue};
use super::{locked, may_block};

/// A running or finished turn. Cheap to clone; dropping the last clone cancels it. It keeps its agent alive.
#[derive(Clone)]
pub struct Turn(Arc<Handle>);

struct Handle {
    core: Arc<TurnCore>,
    agent: Agent,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.agent.engine().cancel(&self.core.id);
    }
}

/// What the engine and the host share of a turn.
pub(crate) struct TurnCore {
    id: TurnId,
    queue: Queue,
    lane: Lane,
    handlers: Handlers,
    requests: RequestDelivery,
    stall: Duration,
    bells: Mutex<Bells>,
}

#[derive(Default)]
struct Bells {
    mailbox: Option<Post>,
    waker: Option<Arc<dyn Fn() + Send + Sync>>,
}

/// Where a turn's lanes are marked.
#[derive(Clone)]
struct Post {
    mailbox: Mailbox,
    key: u64,
    /// Whether the events are marked too, or the request lane alone.
    events: bool,
}

impl TurnCore {
    pub(super) fn new(id: TurnId, handlers: Handlers, requests: RequestDelivery, stall: Duration) -> Self {
        Self { id, queue: Queue::new(), lane: Lane::default(), handlers, requests, stall, bells: Mutex::default() }
    }

    pub(crate) fn take_lane(&self) -> Vec<LaneItem> {
        self.lane.take()
    }

    pub(crate) fn attach(&self, mailbox: &Mailbox, key: u64) {
        locked(&self.bells).mailbox = Some(Post { mailbox: mailbox.clone(), key, events: true });
        if self.queue.arm() {
            mailbox.mark(key * 2);
        }
        if !self.lane.is_empty() {
            mailbox.mark(key * 2 + 1);
        }
    }

    fn attach_requests(&self, mailbox: &Mailbox, key: u64) {
        locked(&self.bells).mailbox = Some(Post { mailbox: mailbox.clone(), key, events: false });
        if !self.lane.is_empty() {
            mailbox.mark(key * 2 + 1);
        }
    }

    fn ring_lane(&self) {
        let post = locked(&self.bells).mailbox.clone();
        if let Some(post) = post {
            post.mailbox.mark(post.key * 2 + 1);
        }
    }
}

impl Outlet for TurnCore {
    fn publish(&self, event: Arc<Event>) -> bool {
        self.queue.push(event)
    }

    fn finish(&self, done: Arc<Event>, result: TurnResult) -> bool {
        self.queue.finish(done, result)
    }

    fn ring(&self) {
        let (post, waker) = {
            let bells = locked(&self.bells);
            (bells.mailbox.clone().filter(|post| post.events), bells.waker.clone())
        };
        if let Some(post) = post {
            post.mailbox.mark(post.key * 2);
        }
        if let Some(waker) = waker {
            waker();
        }
    }

    fn has_room(&self) -> bool {
        self.queue.has_room()
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.queue.until_room(self.stall, |waiting| {
            if !self.queue.has_reader() {
                self.lane.note_stalled(waiting);
                self.ring_lane();
            }
        }))
    }

    fn delivery(&self, kind: RequestKind) -> Delivery {
        let handled = match kind {
            RequestKind::Permission => self.handlers.permission,
            RequestKind::Tool => self.handlers.tool,
            RequestKind::Question => self.handlers.question,
            RequestKind::Plan => self.handlers.plan,
        };
        match (handled, self.requests) {
            (true, _) => Delivery::Lane,
            (false, RequestDelivery::Events) => Delivery::Events,
            (false, RequestDelivery::Callback) => Delivery::Refused,
        }
    }

    fn open(&self, request: Arc<Pending>) {
        self.lane.open(request);
        self.ring_lane();
    }

    fn withdraw(&self, id: &RequestId) {
        if self.lane.withdraw(id) {
            self.ring_lane();
        }
    }

    fn ended(&self) {
        if let Some(result) = self.queue.result() {
            self.lane.end(result);
            self.ring_lane();
        }
    }
}

impl Turn {
    pub(super) fn new(core: Arc<TurnCore>, agent: Agent) -> Self {
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
        self.0.agent.check_fork()?;
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
                    && let Ok(pending) = self.0.agent.engine().request(&request.request_id)
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
        self.0.agent.engine().cancel(&self.0.core.id);
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
        self.0.agent.check_fork()?;
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

    /// The agent that it belongs to.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.0.agent
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
