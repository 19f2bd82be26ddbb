//! The bound of a whole reply on the wire: what is kept of one without being told as it comes, such as signatures and
//! encrypted thought, must not fill a host's memory either.

use futures_util::stream::{self, Stream, StreamExt};
use lodger_net::Frame;
use lodger_protocol::{Error, ErrorCode};

/// Bytes of data that the frames of one reply may have together. A frame of one delta is some hundred bytes, most of
/// them around its text.
pub(crate) const MAX_REPLY_WIRE_BYTES: usize = 128 * 1024 * 1024;

/// The frames until they have more than so many bytes; then `provider_malformed`, and nothing more.
pub(crate) fn bounded(
    frames: impl Stream<Item = Result<Frame, Error>> + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<Frame, Error>> + Send + 'static {
    stream::unfold(Some((Box::pin(frames), most)), move |reading| async move {
        let (mut frames, left) = reading?;
        let frame = match frames.next().await? {
            Ok(frame) => frame,
            Err(error) => return Some((Err(error), None)),
        };
        match left.checked_sub(frame.data.len()) {
            Some(left) => Some((Ok(frame), Some((frames, left)))),
            None => {
                let told = format!("the model's reply has more than {most} bytes on the wire, and none may have");
                Some((Err(Error::new(ErrorCode::ProviderMalformed, told)), None))
            }
        }
    })
    .fuse()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(sizes: &[usize], most: usize) -> Vec<Result<Frame, Error>> {
        let frames: Vec<_> = sizes.iter().map(|size| Ok(Frame::data("x".repeat(*size)))).collect();
        futures_util::FutureExt::now_or_never(bounded(stream::iter(frames), most).collect()).unwrap()
    }

    #[test]
    fn frames_within_the_bound_pass() {
        assert_eq!(read(&[3, 3, 4], 10).iter().filter(|frame| frame.is_ok()).count(), 3);
    }

    #[test]
    fn a_reply_beyond_the_bound_is_malformed_and_over() {
        let frames = read(&[3, 8, 1], 10);
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[1].as_ref().unwrap_err().code, ErrorCode::ProviderMalformed);
    }
}
