//! Open requests: opened once, settled once, by whoever comes first, from any thread.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lodger_protocol::{Answer, Error, ErrorCode, Outcome, Request, RequestId, Result};
use tokio::sync::{Notify, Semaphore};

/// At most so many requests of one agent are open at once; further calls wait.
const MAX_OPEN: usize = 64;
/// So many settled ids are remembered, to tell "too late" from "unknown".
const REMEMBERED: usize = 256;

type OnSettled = Box<dyn FnOnce() + Send>;

/// One open request, shared by the call that waits and the host that answers.
pub struct Pending {
    /// What is asked.
    pub request: Request,
    state: Mutex<State>,
    settled: Notify,
    handed_over: Notify,
    show: Box<dyn Fn(String) + Send + Sync>,
}

#[derive(Default)]
struct State {
    answer: Option<Answer>,
    is_settled: bool,
    is_handed_over: bool,
    on_settled: Vec<OnSettled>,
}

impl Pending {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Settles it. The first one counts.
    ///
    /// # Errors
    /// `request_settled` for every later one.
    pub fn settle(&self, answer: Answer) -> Result<()> {
        let hooks = {
            let mut state = self.state();
            if state.is_settled {
                return Err(too_late(&self.request.request_id));
            }
            state.is_settled = true;
            state.answer = Some(answer);
            std::mem::take(&mut state.on_settled)
        };
        self.settled.notify_one();
        for hook in hooks {
            hook();
        }
        Ok(())
    }

    /// Settles it with an answer in JSON; what does not fit is a refusal.
    ///
    /// # Errors
    /// `request_settled` when another was first.
    pub fn answer(&self, json: &str) -> Result<()> {
        self.settle(Answer::from_json(self.request.kind, json))
    }

    /// Settles it as refused, because the handler failed.
    ///
    /// # Errors
    /// `request_settled` when another was first.
    pub fn fail(&self, reason: &str) -> Result<()> {
        self.settle(Answer::Refused { outcome: Outcome::Failed, reason: reason.to_owned() })
    }

    /// Whether it is settled.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.state().is_settled
    }

    /// Calls `hook` once it is settled; at once if it is already.
    pub fn on_settled(&self, hook: OnSettled) {
        let mut state = self.state();
        if state.is_settled {
            drop(state);
            hook();
        } else {
            state.on_settled.push(hook);
        }
    }

    /// Shows progress of the call, as far as there is room.
    ///
    /// # Errors
    /// `request_settled` when the call is over.
    pub fn progress(&self, text: &str) -> Result<()> {
        if self.is_settled() {
            return Err(too_late(&self.request.request_id));
        }
        (self.show)(text.to_owned());
        Ok(())
    }

    /// Notes that the host has it now; its time counts from here.
    pub fn hand_over(&self) {
        self.state().is_handed_over = true;
        self.handed_over.notify_one();
    }

    pub(crate) async fn until_handed_over(&self) {
        while !self.state().is_handed_over {
            self.handed_over.notified().await;
        }
    }

    /// The answer, for the one who waits for it.
    pub(crate) fn take(&self) -> Option<Answer> {
        self.state().answer.take()
    }

    pub(crate) async fn until_settled(&self) -> Answer {
        loop {
            if let Some(answer) = self.take() {
                return answer;
            }
            self.settled.notified().await;
        }
    }
}

/// The open requests of one agent.
pub struct RequestTable {
    inner: Mutex<Inner>,
    pub(crate) slots: Arc<Semaphore>,
}

#[derive(Default)]
struct Inner {
    open: HashMap<RequestId, Arc<Pending>>,
    settled: VecDeque<RequestId>,
}

impl Default for RequestTable {
    fn default() -> Self {
        Self { inner: Mutex::default(), slots: Arc::new(Semaphore::new(MAX_OPEN)) }
    }
}

impl RequestTable {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, request: Request, show: Box<dyn Fn(String) + Send + Sync>) -> Arc<Pending> {
        let id = request.request_id.clone();
        let pending = Arc::new(Pending {
            request,
            state: Mutex::default(),
            settled: Notify::new(),
            handed_over: Notify::new(),
            show,
        });
        self.inner().open.insert(id, Arc::clone(&pending));
        pending
    }

    pub(crate) fn remove(&self, id: &RequestId) {
        let mut inner = self.inner();
        if inner.open.remove(id).is_some() {
            if inner.settled.len() == REMEMBERED {
                inner.settled.pop_front();
            }
            inner.settled.push_back(id.clone());
        }
    }

    /// The open request of that id.
    ///
    /// # Errors
    /// `request_settled` when it is over, `request_not_found` when it never was or is long gone.
    pub fn get(&self, id: &RequestId) -> Result<Arc<Pending>> {
        let inner = self.inner();
        match inner.open.get(id) {
            Some(pending) if pending.is_settled() => Err(too_late(id)),
            Some(pending) => Ok(Arc::clone(pending)),
            None if inner.settled.contains(id) => Err(too_late(id)),
            None => Err(Error::new(ErrorCode::RequestNotFound, format!("there is no open request {id}"))),
        }
    }
}

fn too_late(id: &RequestId) -> Error {
    Error::new(ErrorCode::RequestSettled, format!("request {id} was settled before; the first outcome stands"))
}
