//! OpenAI Responses. Nothing is kept at the provider: each request holds the whole conversation.
//!
//! What the protocol says of a message, its phase, stands as the signature of a thought without words before the text.

mod reply;
mod request;
mod wire;

use bytes::Bytes;
use lodger_protocol::Error;

use crate::{FreshIds, ModelRequest, Protocol, ReplyState, Target};

/// Marks what this protocol keeps with a thought.
const KIND: &str = "openai-responses";

/// OpenAI Responses.
pub(crate) struct OpenaiResponses;

impl Protocol for OpenaiResponses {
    fn path(&self, _: &str) -> String {
        "v1/responses".to_owned()
    }

    fn list_path(&self) -> &'static str {
        "v1/models"
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
