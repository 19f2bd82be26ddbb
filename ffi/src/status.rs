//! Outcomes of calls, as numbers.

use std::ffi::c_char;

use lodger_core::protocol::ErrorCode;

/// What a call came to: 0 and up is an outcome, below 0 is an error (one of `LODGER_E_...`).
pub type lodger_status = i32;

/// Done.
pub const LODGER_OK: i32 = 0;
/// Nothing is there yet.
pub const LODGER_AGAIN: i32 = 1;
/// Nothing will come any more.
pub const LODGER_END: i32 = 2;

/// Names a status, for logs and messages: `ok`, `again`, `end`, or the error's code, such as `session_busy`.
///
/// Any thread.
///
/// @param status Any number.
/// @return Static text, NUL-terminated; `unknown` for a number that this library does not know.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn lodger_status_name(status: lodger_status) -> *const c_char {
    name(status).as_ptr().cast()
}

/// Room for the longest name and its NUL.
const ROOM: usize = 32;

/// The names of all errors with a NUL after each, made by the compiler.
static ERROR_NAMES: [[u8; ROOM]; ErrorCode::ALL.len()] = {
    let mut all = [[0; ROOM]; ErrorCode::ALL.len()];
    let mut row = 0;
    while row < all.len() {
        let name = ErrorCode::ALL[row].name.as_bytes();
        assert!(name.len() < ROOM, "the name leaves no room for its NUL");
        let mut at = 0;
        while at < name.len() {
            all[row][at] = name[at];
            at += 1;
        }
        row += 1;
    }
    all
};

fn name(status: lodger_status) -> &'static [u8] {
    match status {
        LODGER_OK => b"ok\0",
        LODGER_AGAIN => b"again\0",
        LODGER_END => b"end\0",
        _ => match ErrorCode::ALL.iter().position(|entry| entry.number == status) {
            Some(row) => &ERROR_NAMES[row],
            None => b"unknown\0",
        },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn every_error_has_its_own_negative_number_and_its_name() {
        for entry in ErrorCode::ALL {
            assert!(entry.number < 0);
            assert_eq!(ErrorCode::ALL.iter().filter(|other| other.number == entry.number).count(), 1);
            assert_eq!(CStr::from_bytes_until_nul(name(entry.number)).unwrap().to_str().unwrap(), entry.name);
        }
        assert_eq!(name(-9999), b"unknown\0");
    }
}
