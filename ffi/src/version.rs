//! What was loaded.

use std::ffi::c_char;

/// `(major << 16) | minor` of the C interface.
const ABI: u32 = 1 << 16;

/// The version of the C interface of the loaded library. The major part is the soname's number; the minor part rises
/// when functions, or fields at the end of a sized struct, are added.
///
/// Any thread.
///
/// @return `(major << 16) | minor`.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn lodger_abi_version() -> u32 {
    ABI
}

/// The version of Lodger, such as `0.1.0`.
///
/// Any thread.
///
/// @return Static text, NUL-terminated.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn lodger_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What this library was built from, as a JSON object: `version`, `abi` (`major.minor`), `protocol` (the `v` of
/// events), `target`, `features`.
///
/// Any thread.
///
/// @return Static text, NUL-terminated.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub extern "C" fn lodger_build_info() -> *const c_char {
    BUILD_INFO.as_ptr().cast()
}

const BUILD_INFO: &str = concat!(
    r#"{"version":""#,
    env!("CARGO_PKG_VERSION"),
    r#"","abi":"1.0","protocol":1,"target":""#,
    env!("LODGER_TARGET"),
    r#"","features":[]}"#,
    "\0"
);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_build_info_says_the_same_as_the_code() {
        let info: serde_json::Value = serde_json::from_str(BUILD_INFO.trim_end_matches('\0')).unwrap();
        assert_eq!(info["abi"], format!("{}.{}", ABI >> 16, ABI & 0xffff));
        assert_eq!(info["protocol"], lodger_core::protocol::PROTOCOL_VERSION);
    }
}
