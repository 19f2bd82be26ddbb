//! Text and bytes that cross the border: borrowed, with a length.

use std::ffi::c_char;

/// UTF-8 text with a length, not closed by a NUL. Whoever hands it out owns it: a view that you pass in may go when
/// the call returns, a view that you get lives as long as the object that you asked. `ptr` is NULL where there is
/// no such text. A zero `len` is the empty text, whatever `ptr` is.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_str {
    /// The first byte.
    pub ptr: *const c_char,
    /// How many bytes.
    pub len: usize,
}

/// Bytes with a length, owned like the text of `lodger_str`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct lodger_bytes {
    /// The first byte.
    pub ptr: *const u8,
    /// How many bytes.
    pub len: usize,
}

impl lodger_str {
    /// There is no such text.
    pub(crate) const ABSENT: Self = Self { ptr: std::ptr::null(), len: 0 };

    /// A view of text that the caller keeps alive.
    pub(crate) fn of(text: &str) -> Self {
        Self { ptr: text.as_ptr().cast(), len: text.len() }
    }

    /// A view of text that may be missing.
    pub(crate) fn of_optional(text: Option<&str>) -> Self {
        text.map_or(Self::ABSENT, Self::of)
    }
}

impl lodger_bytes {
    /// There are no such bytes.
    pub(crate) const ABSENT: Self = Self { ptr: std::ptr::null(), len: 0 };

    /// A view of bytes that the caller keeps alive.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { ptr: bytes.as_ptr(), len: bytes.len() }
    }
}
