//! Results of any length.

use crate::argument::In;
use crate::handle::{Handle, opaque, take_back};
use crate::text::lodger_bytes;

/// Bytes of any length, such as the JSON of a result. It is yours: lodger_blob_free.
pub struct lodger_blob(Handle<Vec<u8>>);
opaque!(lodger_blob, Vec<u8>);

/// The bytes. JSON is UTF-8 and not closed by a NUL.
///
/// Any thread.
///
/// @param blob The blob; it keeps the bytes. NULL gives none.
/// @return The bytes.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_blob_bytes(blob: *const lodger_blob) -> lodger_bytes {
    // SAFETY: the host keeps to the header.
    let blob = unsafe { In::of(blob) };
    blob.peek().map_or(lodger_bytes::ABSENT, |bytes| lodger_bytes::of(bytes))
}

/// Frees a blob.
///
/// Any thread.
///
/// @param blob The blob. NULL is fine.
/// @since 0.1.0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lodger_blob_free(blob: *mut lodger_blob) {
    // SAFETY: the host keeps to the header.
    unsafe { take_back(blob) }
}
