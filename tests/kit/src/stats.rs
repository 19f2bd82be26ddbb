//! What a server saw.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

/// Request bodies, and flaws, that are kept; the oldest go first.
const MAX_KEPT: usize = 256;

/// What a server saw so far.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Requests for a reply.
    pub requests: u64,
    /// Streams that were written to their end, faults included.
    pub finished: u64,
    /// Streams whose client went away before the end.
    pub aborted: u64,
    /// Every connection, in the order in which they were made.
    pub connections: Vec<ConnectionStats>,
    /// The bodies of the last 256 requests for a reply.
    pub bodies: VecDeque<Value>,
    /// The heads of the same requests: a line for method and path, then one for each header.
    pub heads: VecDeque<String>,
    /// What the provider would find wrong with requests that came: the last 256.
    pub flaws: VecDeque<String>,
}

/// What one connection carried.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionStats {
    /// Requests of any kind.
    pub requests: u64,
    /// Bytes that the socket has taken, heads included.
    pub bytes_written: u64,
    /// Still open.
    pub open: bool,
}

/// The numbers, shared by all that count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared(Arc<Mutex<Stats>>);

impl Shared {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Stats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new connection's place in the list.
    pub(crate) fn connect(&self) -> usize {
        let mut stats = self.lock();
        stats.connections.push(ConnectionStats { open: true, ..Default::default() });
        stats.connections.len() - 1
    }

    pub(crate) fn connection(&self, place: usize, change: impl FnOnce(&mut ConnectionStats)) {
        if let Some(connection) = self.lock().connections.get_mut(place) {
            change(connection);
        }
    }

    /// Takes a request for a reply; returns its number, from 1.
    pub(crate) fn request(&self, head: String, body: Value, flaw: Option<&String>) -> u64 {
        let mut stats = self.lock();
        stats.requests += 1;
        keep(&mut stats.heads, head);
        keep(&mut stats.bodies, body);
        if let Some(flaw) = flaw {
            keep(&mut stats.flaws, flaw.clone());
        }
        stats.requests
    }
}

fn keep<T>(list: &mut VecDeque<T>, one: T) {
    if list.len() == MAX_KEPT {
        list.pop_front();
    }
    list.push_back(one);
}
