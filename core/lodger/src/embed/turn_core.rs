//! What the engine and the host share of a turn: where its events and requests go.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_engine::{Delivery, Outlet, Pending};
use lodger_protocol::{
    DiagnosticBody, Diagnostics, Event, RequestDelivery, RequestId, RequestKind, Result, TurnId, TurnResult,
};

use super::agent_core::AgentCore;
use super::handlers::Handlers;
use super::lane::{Lane, LaneItem};
use super::locked;
use super::mailbox::Mailbox;
use super::queue::Queue;

/// What the engine and the host share of a turn.
pub(crate) struct TurnCore {
    pub(super) id: TurnId,
    pub(super) queue: Queue,
    lane: Lane,
    handlers: Handlers,
    requests: RequestDelivery,
    stall: Duration,
    diagnostics: Diagnostics,
    /// Whether it was told that the reader is slow.
    is_told_slow: AtomicBool,
    pub(super) bells: Mutex<Bells>,
}

#[derive(Default)]
pub(super) struct Bells {
    mailbox: Option<Post>,
    pub(super) waker: Option<Arc<dyn Fn() + Send + Sync>>,
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
    pub(super) fn new(id: TurnId, agent: &AgentCore) -> Self {
        Self {
            id,
            queue: Queue::new(),
            lane: Lane::default(),
            handlers: agent.handlers.clone(),
            requests: agent.requests,
            stall: agent.stall,
            diagnostics: agent.diagnostics.clone(),
            is_told_slow: AtomicBool::new(false),
            bells: Mutex::default(),
        }
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

    pub(super) fn attach_requests(&self, mailbox: &Mailbox, key: u64) {
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
            if waiting && !self.is_told_slow.swap(true, Ordering::Relaxed) {
                self.diagnostics.report(|| {
                    let (buffered_events, buffered_bytes) = self.queue.unread();
                    DiagnosticBody::OutputBackpressure { buffered_bytes, buffered_events }
                });
            }
            if !self.queue.has_reader() {
                self.lane.note_stalled(waiting);
                self.ring_lane();
            }
        }))
    }

    fn delivery(&self, kind: RequestKind) -> Delivery {
        self.handlers.delivery(kind, self.requests)
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
