//! The border that no panic passes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::argument::Out;
use crate::error::lodger_error;
use crate::handle::give;
use crate::status::lodger_status;

/// Runs the body of an export: an error becomes its status and, where the host wants one, an error object; a panic
/// becomes `internal_panic`.
pub(crate) fn guard(err: Out<'_, *mut lodger_error>, body: impl FnOnce() -> Result<lodger_status>) -> lodger_status {
    match run(body) {
        Ok(status) => status,
        Err(error) => {
            let status = error.code.entry().number;
            if let Some(place) = err.get_optional() {
                *place = give(error.into());
            }
            status
        }
    }
}

/// The same for what happens on a thread of ours: there is nobody to take an error object.
pub(crate) fn status_of(body: impl FnOnce() -> Result<lodger_status>) -> lodger_status {
    run(body).unwrap_or_else(|error| error.code.entry().number)
}

fn run(body: impl FnOnce() -> Result<lodger_status>) -> Result<lodger_status> {
    // Nothing behind a handle is left half-changed in view: shared state sits in `embed` and behind locks that recover.
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| Err(contained(panic.as_ref())))
}

/// Runs the body of an export that has no way to tell an error.
pub(crate) fn quietly<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

fn contained(panic: &(dyn Any + Send)) -> Error {
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
    fn a_panic_becomes_a_status_and_an_error_object() {
        let mut object = std::ptr::null_mut();
        // SAFETY: the place outlives the call.
        let status = guard(unsafe { Out::of(&raw mut object) }, || panic!("on purpose"));
        assert_eq!(status, ErrorCode::InternalPanic.entry().number);
        assert!(!object.is_null());
        // SAFETY: it was given one line above.
        unsafe { crate::error::lodger_error_free(object) };
    }

    #[test]
    fn a_panic_in_an_accessor_gives_the_fallback() {
        assert_eq!(quietly(7, || panic!("on purpose")), 7);
    }
}
