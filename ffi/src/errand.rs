//! Requests to models that the host carries: their way to it, and what it says of their answers.
//!
//! What the bytes mean, how many may wait and when nobody wants them is the engine's business.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use lodger_core::embed::{Fetch, FetchFlow, Fetcher};
use lodger_core::protocol::{Error, Result};

use crate::bell::Bell;
use crate::desk::Desk;
use crate::gate::Gate;
use crate::host::Host;
use crate::reading::Wait;

/// Those in the host's hands, by their number. An errand leaves when it is let go of.
type Open = Mutex<HashMap<u64, Weak<Errand>>>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands the requests of one agent over to its host.
pub(crate) struct Carrier {
    /// Gone with the agent, so that the engine does not keep the host's context.
    host: Weak<Host>,
    desk: Arc<Desk>,
    open: Arc<Open>,
}

impl Carrier {
    pub(crate) fn new(host: &Arc<Host>, desk: &Arc<Desk>) -> Self {
        Self { host: Arc::downgrade(host), desk: Arc::clone(desk), open: Arc::default() }
    }
}

impl Fetcher for Carrier {
    fn fetch(&self, fetch: Arc<Fetch>) {
        let Some(host) = self.host.upgrade() else { return fetch.fail("the agent is gone") };
        let errand = Arc::new(Errand::new(fetch, Arc::clone(&host.wakers), Arc::clone(&self.open)));
        locked(&self.open).insert(errand.fetch.id(), Arc::downgrade(&errand));
        let (host, held) = (self.host.clone(), Held(errand));
        self.desk.post(Box::new(move || {
            // A host that never heard of it need not hear of its end.
            if let Some(host) = host.upgrade().filter(|_| !held.is_settled()) {
                host.carry(held);
            }
        }));
    }

    fn changed(&self, fetch: &Arc<Fetch>) {
        let errand = locked(&self.open).get(&fetch.id()).and_then(Weak::upgrade);
        if let Some(errand) = errand {
            errand.tell();
        }
    }
}

/// One request on its way.
pub(crate) struct Errand {
    fetch: Arc<Fetch>,
    headers: OnceLock<String>,
    /// Before the waker; the agent's close shuts it.
    gate: Arc<Gate>,
    watch: Mutex<Watch>,
    changed: Condvar,
    open: Arc<Open>,
}

/// Who is told of a change.
#[derive(Default)]
struct Watch {
    bell: Option<Arc<Bell>>,
    /// Something changed when there was no bell.
    missed: bool,
}

impl Errand {
    fn new(fetch: Arc<Fetch>, gate: Arc<Gate>, open: Arc<Open>) -> Self {
        Self { fetch, headers: OnceLock::new(), gate, watch: Mutex::default(), changed: Condvar::new(), open }
    }

    /// What to send.
    pub(crate) fn fetch(&self) -> &Fetch {
        &self.fetch
    }

    /// Its headers, as HTTP writes them.
    pub(crate) fn headers(&self) -> &str {
        self.headers.get_or_init(|| {
            self.fetch.request().headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect()
        })
    }

    /// The head of the answer, with its headers as HTTP writes them.
    pub(crate) fn respond(&self, status: u32, headers: &str) -> Result<FetchFlow> {
        let code =
            u16::try_from(status).map_err(|_| Error::invalid_input(format!("status {status}: expected 100 to 599")))?;
        self.fetch.respond(code, pairs(headers)?)
    }

    /// A piece of the body, or none to ask how things stand; then waits for room.
    pub(crate) fn push(&self, piece: &[u8], wait: Wait) -> Result<FetchFlow> {
        if !piece.is_empty() {
            match self.fetch.push(piece.to_vec().into()) {
                Ok(FetchFlow::More | FetchFlow::Wait) => {}
                // Perhaps because of this very piece: others who wait for room wait in vain.
                Ok(FetchFlow::GivenUp) => self.wake_waiting(),
                // Behind an end that another thread said: late, and no mistake of this one.
                Err(_) if self.is_settled() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.wait_for_room(wait))
    }

    fn wait_for_room(&self, wait: Wait) -> FetchFlow {
        let until = match wait {
            Wait::Not => return self.fetch.flow(),
            Wait::For(timeout) => Some(Instant::now() + timeout),
            Wait::Forever => None,
        };
        let mut watch = locked(&self.watch);
        // Asked under the lock under which a change is told, so that none comes unheard in between.
        while self.fetch.flow() == FetchFlow::Wait {
            watch = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.changed.wait(watch).unwrap_or_else(PoisonError::into_inner),
                Some(left) if left.is_zero() => return FetchFlow::Wait,
                Some(left) => self.changed.wait_timeout(watch, left).unwrap_or_else(PoisonError::into_inner).0,
            };
        }
        self.fetch.flow()
    }

    /// The body is whole.
    pub(crate) fn end(&self) {
        self.fetch.end();
        self.wake_waiting();
    }

    /// The request or its answer failed.
    pub(crate) fn fail(&self, reason: &str) {
        self.fetch.fail(reason);
        self.wake_waiting();
    }

    /// Whether nothing more is wanted of the host.
    pub(crate) fn is_settled(&self) -> bool {
        self.fetch.flow() == FetchFlow::GivenUp
    }

    /// Puts a bell in the place of the one before, which is silent from then on.
    pub(crate) fn set_bell(&self, bell: Bell) {
        let bell = Arc::new(bell);
        let (before, missed) = {
            let mut watch = locked(&self.watch);
            (watch.bell.replace(Arc::clone(&bell)), std::mem::take(&mut watch.missed))
        };
        if let Some(before) = before {
            before.silence();
        }
        if missed || self.fetch.is_given_up() {
            // On the host's own thread, in its own call: that is no callback which a close would have to wait for.
            bell.ring();
        }
    }

    /// There is room again, or nobody wants the answer any more.
    fn tell(&self) {
        let bell = {
            let mut watch = locked(&self.watch);
            watch.missed = watch.bell.is_none();
            watch.bell.clone()
        };
        self.changed.notify_all();
        if let Some(bell) = bell {
            self.gate.pass(|| bell.ring());
        }
    }

    /// For what the host itself changed: no bell is needed, but other threads of it may wait.
    fn wake_waiting(&self) {
        drop(locked(&self.watch));
        self.changed.notify_all();
    }
}

/// An errand in the host's hands. Dropped before its end, it fails.
pub(crate) struct Held(Arc<Errand>);

impl std::ops::Deref for Held {
    type Target = Errand;

    fn deref(&self) -> &Errand {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        locked(&self.open).remove(&self.fetch.id());
        let bell = locked(&self.watch).bell.take();
        if let Some(bell) = bell {
            bell.silence();
        }
        self.fail("the host let go of it before its end");
    }
}

/// Lines of headers, as pairs. The values may be secret, so an error names the line by its number.
fn pairs(lines: &str) -> Result<Vec<(String, String)>> {
    let pair = |(at, line): (usize, &str)| {
        let named = line.split_once(':').filter(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace));
        let (name, value) = named.ok_or_else(|| {
            Error::invalid_input(format!("`headers`: line {} is no header; expected `name: value`", at + 1))
        })?;
        Ok((name.to_owned(), value.trim().to_owned()))
    };
    lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(pair).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn headers_are_read_as_http_writes_them() {
        let read = pairs("Content-Type: text/plain; charset=\"utf-8\"\r\nX-Empty:\nx-a:b: c \r\n\r\n").unwrap();
        let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(read, [("Content-Type", "text/plain; charset=\"utf-8\""), ("X-Empty", ""), ("x-a", "b: c")]);
        assert!(pairs("").unwrap().is_empty());
    }

    #[test]
    fn a_line_that_is_no_header_is_named_and_not_shown() {
        for lines in ["a: b\r\nHTTP/1.1 200 OK", "a: b\n secret: folded", "a: b\n: secret"] {
            let error = pairs(lines).unwrap_err();
            assert!(error.message.contains("line 2") && !error.message.contains("secret"), "{}", error.message);
        }
    }
}
