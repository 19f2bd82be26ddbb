//! OpenAI Chat Completions, as OpenAI and as all those speak it who are compatible with it.

mod reply;
mod request;
mod wire;

use bytes::Bytes;
use lodger_protocol::Error;

use crate::{FreshIds, ModelRequest, Protocol, ReplyState, Target};

/// Marks what this protocol keeps with a thought.
const KIND: &str = "openai-chat";

/// OpenAI Chat Completions.
pub(crate) struct OpenaiChat;

impl Protocol for OpenaiChat {
    fn path(&self, _: &str) -> String {
        "v1/chat/completions".to_owned()
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
