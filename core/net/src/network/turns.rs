//! How many requests to one host are under way at once: the rest wait, first come, first served.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::{Error, ErrorCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::Queued;

/// The turns of all hosts of one network. A host is kept while somebody has its turn or waits for it.
pub(crate) struct Turns {
    most: usize,
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// The right to talk to a host. Dropped, the next may.
#[derive(Debug)]
pub(crate) struct Turn {
    _permit: OwnedSemaphorePermit,
}

impl Turns {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, hosts: Mutex::default() }
    }

    /// The next turn at a host, which is named by its origin. Whoever stops waiting takes nothing from the others.
    pub(crate) async fn take(&self, origin: &str, queued: &Queued) -> Result<Turn, Error> {
        let host = self.host(origin);
        // Those who wait are served first: there is nothing to be had here then.
        if let Ok(permit) = Arc::clone(&host).try_acquire_owned() {
            return Ok(Turn { _permit: permit });
        }
        let began = Instant::now();
        let outcome = tokio::time::timeout(queued.timeout, host.acquire_owned()).await;
        if let Some(told) = &queued.told {
            told(began.elapsed());
        }
        match outcome {
            Ok(Ok(permit)) => Ok(Turn { _permit: permit }),
            Ok(Err(_)) => Err(Error::internal("the turns of a host were closed")),
            Err(_) => Err(Error::new(
                ErrorCode::Timeout,
                format!(
                    "{} requests to {origin} are under way (network.maxConnectionsPerHost), and none ended within {} ms \
                     (limits.queueTimeoutMs)",
                    self.most,
                    queued.timeout.as_millis()
                ),
            )),
        }
    }

    fn host(&self, origin: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = hosts.get(origin) {
            return Arc::clone(host);
        }
        hosts.retain(|_, host| Arc::strong_count(host) > 1);
        let host = Arc::new(Semaphore::new(self.most));
        hosts.insert(origin.to_owned(), Arc::clone(&host));
        host
    }
}
