//! Credentials that last for a while: kept while they count, renewed ahead of their end, and by one for all who wait.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use lodger_protocol::{Clock, Error, ErrorCode, Result, Secret, SystemClock};

use super::{Credential, CredentialSource};

/// So long before its end a credential is renewed, in milliseconds; a short-lived one in the last quarter of its life.
const AHEAD_MS: u64 = 120_000;

/// Makes credentials.
pub trait Issuer: Send + Sync {
    /// Makes one. `refused`: the provider did not take this one, so another is wanted.
    fn issue(&self, refused: Option<Secret>) -> BoxFuture<'static, Result<Credential>>;
}

/// The credentials of an issuer, one after the other. However many requests want one at once, it is made once; and once
/// begun, it is made to the end, also when those who wait for it give up: what an issuer has given out may not be given
/// twice. Must be used on a tokio runtime.
pub struct Renewing {
    issuer: Arc<dyn Issuer>,
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    flight: Option<Flight>,
}

#[derive(Clone)]
struct Held {
    credential: Credential,
    /// Unix milliseconds from which it should be renewed.
    renew_at: Option<u64>,
}

type Flight = Shared<BoxFuture<'static, Result<Credential>>>;

impl Renewing {
    /// Asks the issuer when the first credential is wanted.
    #[must_use]
    pub fn new(issuer: Arc<dyn Issuer>) -> Self {
        Self { issuer, clock: Arc::new(SystemClock), state: Arc::default() }
    }

    async fn get(&self, refused: Option<&Secret>) -> Result<Credential> {
        let outcome = self.renewed(refused).await;
        match outcome {
            // A flight that began before the refusal may bring what was refused.
            Ok(credential) if Some(&credential.secret) == refused => self.renewed(refused).await,
            Err(error) => self.still_counts(refused).ok_or(error),
            Ok(credential) => Ok(credential),
        }
    }

    async fn renewed(&self, refused: Option<&Secret>) -> Result<Credential> {
        let flight = {
            let mut state = locked(&self.state);
            let held = state.held.as_ref().filter(|held| Some(&held.credential.secret) != refused);
            let now = self.clock.now_ms();
            if let Some(held) = held.filter(|held| held.renew_at.is_none_or(|renew_at| now < renew_at)) {
                return Ok(held.credential.clone());
            }
            match &state.flight {
                Some(flight) => flight.clone(),
                None => {
                    let flight = self.take_off(refused.cloned());
                    state.flight = Some(flight.clone());
                    flight
                }
            }
        };
        flight.await
    }

    /// Begins to make one, on a task of its own.
    fn take_off(&self, refused: Option<Secret>) -> Flight {
        let (issuer, clock, state) = (Arc::clone(&self.issuer), Arc::clone(&self.clock), Arc::clone(&self.state));
        let making = tokio::spawn(async move {
            let made = AssertUnwindSafe(async { issuer.issue(refused).await }).catch_unwind().await;
            let made = made.unwrap_or_else(|_| Err(failed("the one who makes credentials panicked")));
            let mut state = locked(&state);
            state.flight = None;
            if let Ok(credential) = &made {
                let renew_at = credential.expires_at.map(|end| {
                    let life = end.saturating_sub(clock.now_ms());
                    end.saturating_sub(AHEAD_MS.min(life / 4))
                });
                state.held = Some(Held { credential: credential.clone(), renew_at });
            }
            made
        });
        async move { making.await.unwrap_or_else(|_| Err(failed("the runtime is shutting down"))) }.boxed().shared()
    }

    /// What is held, where it could not be renewed but its end has not come.
    fn still_counts(&self, refused: Option<&Secret>) -> Option<Credential> {
        let now = self.clock.now_ms();
        let held = locked(&self.state).held.as_ref()?.credential.clone();
        (Some(&held.secret) != refused && held.expires_at.is_none_or(|end| now < end)).then_some(held)
    }
}

fn failed(what: &str) -> Error {
    Error::new(ErrorCode::ProviderAuth, format!("no credentials could be made: {what}"))
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CredentialSource for Renewing {
    fn current(&self) -> BoxFuture<'_, Result<Credential>> {
        self.get(None).boxed()
    }

    fn after_refusal<'a>(&'a self, refused: &'a Secret) -> BoxFuture<'a, Result<Option<Credential>>> {
        async move {
            let other = self.get(Some(refused)).await?;
            Ok((other.secret != *refused).then_some(other))
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
