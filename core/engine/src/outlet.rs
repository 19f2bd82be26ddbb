//! Where a turn's events and requests go. The engine never waits for a reader but at a source.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use lodger_protocol::{Event, RequestId, RequestKind, Result, TurnResult};

use crate::Pending;

/// How a kind of request reaches the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// By its handler, in the request lane.
    Lane,
    /// As an event alone; the host answers by id.
    Events,
    /// Not at all: refused at once.
    Refused,
}

/// The owner's end of a turn.
pub trait Outlet: Send + Sync {
    /// Takes an event; never waits, never refuses. True: call `ring` once no lock is held.
    fn publish(&self, event: Arc<Event>) -> bool;

    /// Takes the last event together with what the turn came to: whoever sees one finds the other. True: as for
    /// `publish`.
    fn finish(&self, done: Arc<Event>, result: TurnResult) -> bool;

    /// Wakes the reader.
    fn ring(&self);

    /// Whether a source may be read now.
    fn has_room(&self) -> bool;

    /// Waits until a source may be read.
    ///
    /// # Errors
    /// `consumer_stalled` when nobody took anything for too long.
    fn ready(&self) -> BoxFuture<'_, Result<()>>;

    /// How a kind of request reaches the host.
    fn delivery(&self, kind: RequestKind) -> Delivery;

    /// Hands over a request whose delivery is the lane.
    fn open(&self, request: Arc<Pending>);

    /// Tells the handler of a request that it was settled without it.
    fn withdraw(&self, id: &RequestId);

    /// The turn is over; comes once, after `finish`, when no lock is held.
    fn ended(&self);
}
