//! The bound of a whole reply on the wire: what is kept of one without being told as it comes, such as signatures and
//! encrypted thought, must not fill a host's memory either.

use lodger_net::Frame;
use lodger_protocol::{Error, ErrorCode};

/// Bytes of data that the frames of one reply may have together. A frame of one delta is some hundred bytes, most of
/// them around its text.
pub(crate) const MAX_REPLY_WIRE_BYTES: usize = 128 * 1024 * 1024;

/// What one reply may still have.
pub(crate) struct Allowance {
    most: usize,
    left: usize,
}

impl Allowance {
    pub(crate) const fn of(most: usize) -> Self {
        Self { most, left: most }
    }

    /// Takes a frame off.
    ///
    /// # Errors
    /// `provider_malformed` for the one that is too much.
    pub(crate) fn take(&mut self, frame: &Frame) -> Result<(), Error> {
        let most = self.most;
        self.left = self.left.checked_sub(frame.data.len()).ok_or_else(|| {
            let told = format!("the model's reply has more than {most} bytes on the wire, and none may have");
            Error::new(ErrorCode::ProviderMalformed, told)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(sizes: &[usize], most: usize) -> Vec<Result<(), Error>> {
        let mut allowance = Allowance::of(most);
        sizes.iter().map(|size| allowance.take(&Frame::data("x".repeat(*size)))).collect()
    }

    #[test]
    fn frames_within_the_bound_pass() {
        assert!(taken(&[3, 3, 4], 10).iter().all(Result::is_ok));
    }

    #[test]
    fn a_reply_beyond_the_bound_is_malformed() {
        let frames = taken(&[3, 8], 10);
        assert!(frames[0].is_ok());
        assert_eq!(frames[1].as_ref().unwrap_err().code, ErrorCode::ProviderMalformed);
    }
}
