//! The credentials that an agent has come to hold: made, renewed or given to it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::Secret;

/// At most so many are remembered; the oldest go first.
const MAX_HELD: usize = 256;

/// The credentials that an agent has come to hold, so that they can be kept out of what is written. Cheap to clone; all
/// clones are the same list.
#[derive(Clone, Default)]
pub struct HeldSecrets(Arc<Mutex<Vec<Secret>>>);

impl HeldSecrets {
    /// Remembers these.
    pub fn note(&self, secrets: &[Secret]) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in secrets {
            if held.contains(secret) {
                continue;
            }
            if held.len() == MAX_HELD {
                held.remove(0);
            }
            held.push(secret.clone());
        }
    }

    /// All of them.
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl fmt::Debug for HeldSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeldSecrets")
    }
}
