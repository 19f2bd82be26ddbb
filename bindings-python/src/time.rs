//! Python's seconds as durations.

use std::time::Duration;

/// Any number of seconds as a duration: negative ones and NaN are none, too many are as long as can be.
pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
