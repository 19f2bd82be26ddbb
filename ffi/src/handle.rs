//! What stands behind an opaque type of the header: the thing itself, and the process that made it.
//!
//! After a fork the child has copies of locks and of threads that do not exist there. So a handle from before the
//! fork answers `forked`, and freeing it in the child leaves the copy alone.

use std::mem::ManuallyDrop;

use lodger_core::protocol::{Error, ErrorCode, Result};

use crate::contain::quietly;
use crate::os;

/// A value that only the process that made it may use or drop.
pub(crate) struct Handle<T> {
    process: u32,
    value: ManuallyDrop<T>,
}

impl<T> Handle<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { process: os::process_id(), value: ManuallyDrop::new(value) }
    }

    /// The value, for a call that may take locks or wait.
    pub(crate) fn here(&self) -> Result<&T> {
        let process = os::process_id();
        if process == self.process {
            return Ok(&self.value);
        }
        Err(Error::new(
            ErrorCode::Forked,
            format!(
                "the handle was made by process {}, before the fork that made this process {process}; create a new \
                 agent here",
                self.process
            ),
        ))
    }

    /// The value, for an accessor that only looks at memory.
    pub(crate) fn anywhere(&self) -> &T {
        &self.value
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        if os::process_id() == self.process {
            // SAFETY: the value is dropped here and nowhere else.
            unsafe { ManuallyDrop::drop(&mut self.value) }
        }
    }
}

/// An opaque type of the header.
pub(crate) trait Opaque: Sized {
    /// What it stands for.
    type Value;
    /// Wraps a value.
    fn wrap(value: Self::Value) -> Self;
    /// The handle inside.
    fn handle(&self) -> &Handle<Self::Value>;
}

/// Makes a struct around one `Handle` an [`Opaque`] type. The struct itself is written out, since the header's
/// generator does not expand macros.
macro_rules! opaque {
    ($name:ident, $value:ty) => {
        impl $crate::handle::Opaque for $name {
            type Value = $value;
            fn wrap(value: $value) -> Self {
                Self($crate::handle::Handle::new(value))
            }
            fn handle(&self) -> &$crate::handle::Handle<$value> {
                &self.0
            }
        }
        // Every handle may be used and freed on every thread: the header promises it, this line proves it.
        const _: fn() = || {
            fn any_thread<T: Send + Sync>() {}
            any_thread::<$name>();
        };
    };
}
pub(crate) use opaque;

/// Hands an object to the host.
pub(crate) fn give<T: Opaque>(value: T::Value) -> *mut T {
    Box::into_raw(Box::new(T::wrap(value)))
}

/// Frees an object that the host gives back.
///
/// # Safety
/// `pointer` is NULL, or came from [`give`] and is used by nobody any more.
pub(crate) unsafe fn take_back<T: Opaque>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: as above.
        let object = unsafe { Box::from_raw(pointer) };
        quietly((), || drop(object));
    }
}
