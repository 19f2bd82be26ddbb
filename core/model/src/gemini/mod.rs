//! Gemini, `streamGenerateContent`.
//!
//! The protocol signs parts, not thoughts. Here a signature stands on the thought before the part that it belongs
//! to, which has no text where the model showed none.

mod reply;
mod request;
mod wire;

use bytes::Bytes;
use lodger_protocol::Error;

use crate::{FreshIds, ModelRequest, Protocol, ReplyState, Target};

/// Marks what this protocol keeps with a thought.
const KIND: &str = "gemini";

/// Gemini, `streamGenerateContent`.
pub(crate) struct Gemini;

impl Protocol for Gemini {
    fn path(&self, model: &str) -> String {
        let folder = if model.contains('/') { "" } else { "models/" };
        format!("v1beta/{folder}{}:streamGenerateContent?alt=sse", escaped(model))
    }

    fn list_path(&self) -> &'static str {
        "v1beta/models?pageSize=1000"
    }

    fn is_versioned_by_base(&self) -> bool {
        true
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn request_body(&self, request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
        request::body(request, target)
    }

    fn reply(&self, ids: FreshIds) -> Box<dyn ReplyState> {
        Box::new(reply::State::new(ids))
    }
}

/// A model's name as part of a path: it can neither leave it nor begin a query.
fn escaped(model: &str) -> String {
    let mut out = String::with_capacity(model.len());
    for segment in model.split_inclusive('/') {
        let is_step = matches!(segment.trim_end_matches('/'), "." | "..");
        for byte in segment.bytes() {
            match byte {
                b'.' if is_step => out.push_str("%2E"),
                b'/' | b'-' | b'_' | b'.' | b'~' | b'@' => out.push(char::from(byte)),
                _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
                _ => out.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_part_of_the_path_and_cannot_leave_it() {
        for (model, path) in [
            ("gemini-2.5-pro", "v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"),
            ("tunedModels/mine", "v1beta/tunedModels/mine:streamGenerateContent?alt=sse"),
            ("../x?y#z", "v1beta/%2E%2E/x%3Fy%23z:streamGenerateContent?alt=sse"),
        ] {
            assert_eq!(Gemini.path(model), path);
        }
    }
}
