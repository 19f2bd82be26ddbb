//! Structs of the header that may grow: their first field is their size, as the host compiled it.

use lodger_core::protocol::{Error, ErrorCode};

/// No struct of ours comes near; a larger size is memory that was never set.
const PLAUSIBLE: usize = 4096;

/// A struct of the header whose first field is `size_t size`.
///
/// # Safety
/// The type is `repr(C)`, begins with a `usize`, and is valid when all its bytes are zero.
pub(crate) unsafe trait SizedStruct: Copy {
    /// Its name in the header.
    const NAME: &'static str;
}

/// What could be read, and what is wrong with it.
pub(crate) struct Reading<T> {
    /// The fields that both sides know; the others are zero.
    pub(crate) value: T,
    /// Why it must not be used as it is.
    pub(crate) fault: Option<Error>,
}

/// Reads a struct of any age. NULL reads as all zero.
///
/// # Safety
/// `pointer` is NULL, or aligned, with at least a readable `size_t` there and, if that is plausible, as many bytes.
pub(crate) unsafe fn read<T: SizedStruct>(pointer: *const T) -> Reading<T> {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    let mut fault = None;
    if !pointer.is_null() {
        // SAFETY: the caller vouches for the first field.
        let size = unsafe { pointer.cast::<usize>().read() };
        if size < size_of::<usize>() || size > PLAUSIBLE {
            fault = Some(mismatch(format!("`{0}.size` is {size}; set it to sizeof({0})", T::NAME)));
        } else {
            let known = size.min(size_of::<T>());
            // SAFETY: `size` bytes are readable, `size_of::<T>()` are writable, and `known` is neither beyond.
            unsafe { pointer.cast::<u8>().copy_to_nonoverlapping(value.as_mut_ptr().cast(), known) };
            // SAFETY: bytes `known..size` are inside what the host says the struct is.
            let tail = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>().add(known), size - known) };
            if tail.iter().any(|&byte| byte != 0) {
                fault = Some(mismatch(format!(
                    "{} has {size} bytes, this library knows {} and the others are not zero; use a library at least \
                     as new as the header",
                    T::NAME,
                    size_of::<T>()
                )));
            }
        }
    }
    // SAFETY: all bytes are zero or the host's, and `SizedStruct` says that the type allows zero.
    Reading { value: unsafe { value.assume_init() }, fault }
}

fn mismatch(message: String) -> Error {
    Error::new(ErrorCode::AbiMismatch, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Old {
        size: usize,
        first: usize,
    }

    // SAFETY: `repr(C)`, integers only.
    unsafe impl SizedStruct for Old {
        const NAME: &'static str = "old";
    }

    fn read_words<const N: usize>(words: [usize; N]) -> Reading<Old> {
        // SAFETY: the array is aligned for `usize` and as long as its first word says, in every case below.
        unsafe { read(words.as_ptr().cast()) }
    }

    #[test]
    fn null_is_all_default() {
        // SAFETY: NULL is allowed.
        let reading = unsafe { read::<Old>(std::ptr::null()) };
        assert!(reading.fault.is_none() && reading.value.first == 0);
    }

    #[test]
    fn a_shorter_struct_leaves_the_rest_zero() {
        let reading = read_words([size_of::<usize>()]);
        assert!(reading.fault.is_none() && reading.value.first == 0);
    }

    #[test]
    fn a_longer_struct_with_a_zero_tail_is_accepted() {
        let reading = read_words([3 * size_of::<usize>(), 5, 0]);
        assert!(reading.fault.is_none() && reading.value.first == 5);
    }

    #[test]
    fn a_longer_struct_with_a_used_tail_is_refused_but_read() {
        let reading = read_words([3 * size_of::<usize>(), 5, 1]);
        assert_eq!(reading.fault.map(|error| error.code), Some(ErrorCode::AbiMismatch));
        assert_eq!(reading.value.first, 5);
    }

    #[test]
    fn a_size_that_was_never_set_is_refused() {
        assert!(read_words([0, 5]).fault.is_some());
        assert!(read_words([usize::MAX, 5]).fault.is_some());
    }
}
