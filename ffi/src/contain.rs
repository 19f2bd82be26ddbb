//! Containing a fault: a panic of ours ends the call that it happened in, and nothing else.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lodger_core::protocol::{Error, ErrorCode, Result};

/// Runs `body`; a panic becomes `internal_panic`.
pub(crate) fn contained<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    // Nothing behind a handle is left half-changed in view: shared state sits in `embed` and behind locks that recover.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(fault(panic.as_ref())))
}

/// The same where there is no way to tell an error.
pub(crate) fn quietly<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

fn fault(panic: &(dyn Any + Send)) -> Error {
    let what = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Error::new(ErrorCode::InternalPanic, format!("a fault in Lodger was contained, please report it: {what}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;

    #[test]
    fn a_panic_gives_the_fallback_where_no_error_can_be_told() {
        assert_eq!(quietly(7, || panic!("on purpose")), 7);
    }
}
