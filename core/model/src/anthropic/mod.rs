//! Anthropic Messages.

mod reply;
mod request;
mod wire;

use bytes::Bytes;
use lodger_protocol::Error;

use crate::{FreshIds, ModelRequest, Protocol, ReplyState, Target};

pub use request::CACHE_MARKERS;

/// Anthropic Messages.
pub(crate) struct Anthropic;

impl Protocol for Anthropic {
    fn path(&self, _: &str) -> String {
        "v1/messages".to_owned()
    }

    fn list_path(&self) -> &'static str {
        "v1/models?limit=1000"
    }

    fn is_versioned_by_base(&self) -> bool {
        false
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn request_body(&self, request: &ModelRequest, target: &Target) -> Result<Bytes, Error> {
        request::body(request, target)
    }

    fn reply(&self, ids: FreshIds) -> Box<dyn ReplyState> {
        Box::new(reply::State::new(ids))
    }
}
