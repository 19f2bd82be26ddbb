//! Raw arguments, checked. The only place where pointers of the host are followed.
//!
//! Each type is made in the one `unsafe` block at the top of an export. What that block relies on is the first
//! paragraph of the header: a pointer is NULL, or valid for the whole call.

use std::borrow::Cow;
use std::ffi::c_int;
use std::slice;
use std::str;

use lodger_core::protocol::{Error, Result};

use crate::handle::Opaque;
use crate::text::{lodger_bytes, lodger_str};

/// An object that the host passes in.
pub(crate) struct In<'a, T>(Option<&'a T>);

impl<'a, T: Opaque> In<'a, T> {
    /// # Safety
    /// `pointer` is NULL, or an object of this library that is not freed during the call.
    pub(crate) unsafe fn of(pointer: *const T) -> Self {
        // SAFETY: as above.
        Self(unsafe { pointer.as_ref() })
    }

    /// What it stands for; `name` is the argument's, for the message. Answers `forked` in a forked child.
    pub(crate) fn get(self, name: &str) -> Result<&'a T::Value> {
        match self.0 {
            Some(object) => object.handle().here(),
            None => Err(null(name)),
        }
    }

    /// The same where NULL is an answer of its own.
    pub(crate) fn get_optional(self) -> Result<Option<&'a T::Value>> {
        self.0.map(|object| object.handle().here()).transpose()
    }

    /// What it stands for, for accessors that only look at memory.
    pub(crate) fn peek(self) -> Option<&'a T::Value> {
        self.0.map(|object| object.handle().anywhere())
    }
}

/// What a place for a result holds when there is none.
pub(crate) trait Cleared {
    /// NULL, zero, false; -1 for a descriptor.
    const CLEARED: Self;
}

impl<T> Cleared for *mut T {
    const CLEARED: Self = std::ptr::null_mut();
}

impl Cleared for u64 {
    const CLEARED: Self = 0;
}

impl Cleared for usize {
    const CLEARED: Self = 0;
}

/// The only `int` that is given out is a descriptor, and 0 is one.
impl Cleared for c_int {
    const CLEARED: Self = -1;
}

impl Cleared for bool {
    const CLEARED: Self = false;
}

/// A place for a result. It is cleared at once, so that it holds nothing stale whatever the call answers.
pub(crate) struct Out<'a, T>(Option<&'a mut T>);

impl<'a, T: Cleared> Out<'a, T> {
    /// # Safety
    /// `pointer` is NULL, or a place for a `T` that nobody else touches during the call. It need not be initialised.
    pub(crate) unsafe fn of(pointer: *mut T) -> Self {
        if pointer.is_null() {
            return Self(None);
        }
        // SAFETY: as above; written before it is borrowed, so the reference is to initialised memory.
        unsafe {
            pointer.write(T::CLEARED);
            Self(pointer.as_mut())
        }
    }

    /// The place; NULL is an error.
    pub(crate) fn get(self, name: &str) -> Result<&'a mut T> {
        self.0.ok_or_else(|| null(name))
    }

    /// The place, if the host wants to know.
    pub(crate) fn get_optional(self) -> Option<&'a mut T> {
        self.0
    }
}

/// Places for several results, cleared like [`Out`].
pub(crate) struct OutList<'a, T>(Option<&'a mut [T]>);

impl<'a, T: Cleared> OutList<'a, T> {
    /// # Safety
    /// `pointer` is NULL, or `len` places for a `T` that nobody else touches during the call.
    pub(crate) unsafe fn of(pointer: *mut T, len: usize) -> Self {
        if pointer.is_null() || len > isize::MAX as usize / size_of::<T>().max(1) {
            return Self(None);
        }
        for place in 0..len {
            // SAFETY: as above.
            unsafe { pointer.add(place).write(T::CLEARED) }
        }
        // SAFETY: as above; all places were just written, and the length was checked against the address space.
        Self(Some(unsafe { slice::from_raw_parts_mut(pointer, len) }))
    }

    /// The places; NULL and none at all are errors.
    pub(crate) fn get(self, name: &str) -> Result<&'a mut [T]> {
        match self.0 {
            None => Err(null(name)),
            Some([]) => Err(Error::invalid_input(format!("`{name}` has room for nothing; pass at least one place"))),
            Some(places) => Ok(places),
        }
    }
}

/// Bytes that the host passes in.
pub(crate) struct Bytes<'a>(Option<&'a [u8]>);

impl<'a> Bytes<'a> {
    /// # Safety
    /// `bytes.ptr` is NULL, or `bytes.len` bytes are readable there during the call. It is not followed when
    /// `bytes.len` is 0.
    pub(crate) unsafe fn of(bytes: lodger_bytes) -> Self {
        if bytes.len == 0 {
            return Self(Some(&[]));
        }
        if bytes.ptr.is_null() || bytes.len > isize::MAX as usize {
            return Self(None);
        }
        // SAFETY: as above; the length was checked.
        Self(Some(unsafe { slice::from_raw_parts(bytes.ptr, bytes.len) }))
    }

    /// The bytes; `name` is the argument's, for the message.
    pub(crate) fn get(self, name: &str) -> Result<&'a [u8]> {
        self.0.ok_or_else(|| null(name))
    }
}

/// Text that the host passes in.
pub(crate) struct Text<'a>(Bytes<'a>);

impl<'a> Text<'a> {
    /// # Safety
    /// As for [`Bytes::of`].
    pub(crate) unsafe fn of(text: lodger_str) -> Self {
        // SAFETY: as above.
        Self(unsafe { Bytes::of(lodger_bytes { ptr: text.ptr.cast(), len: text.len }) })
    }

    /// The text, where what others sent stands in it: what is not UTF-8 is replaced.
    pub(crate) fn get_lossy(self, name: &str) -> Result<Cow<'a, str>> {
        self.0.get(name).map(String::from_utf8_lossy)
    }

    /// The text; `name` is the argument's, for the message.
    pub(crate) fn get(self, name: &str) -> Result<&'a str> {
        str::from_utf8(self.0.get(name)?).map_err(|error| {
            Error::invalid_input(format!("`{name}` is not UTF-8: the byte at offset {} is wrong", error.valid_up_to()))
        })
    }
}

pub(crate) fn null(name: &str) -> Error {
    Error::invalid_input(format!("`{name}` is NULL"))
}
