//! The border that no panic passes: errors and faults become statuses.

use lodger_core::protocol::Result;

use crate::argument::Out;
use crate::contain::contained;
use crate::error::lodger_error;
use crate::handle::give;
use crate::status::lodger_status;

/// Runs the body of an export: an error becomes its status and, where the host wants one, an error object; a panic
/// becomes `internal_panic`.
pub(crate) fn guard(err: Out<'_, *mut lodger_error>, body: impl FnOnce() -> Result<lodger_status>) -> lodger_status {
    match contained(body) {
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
    contained(body).unwrap_or_else(|error| error.code.entry().number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use lodger_core::protocol::ErrorCode;

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
}
