//! What a protocol is: a request becomes a body, frames become events. Pure: no I/O, no key, no clock.

use std::fmt;

use bytes::Bytes;
use lodger_net::Frame;
use lodger_protocol::Error;

use crate::{FreshIds, ModelEvent, ModelRequest, Target};

/// A protocol between agents and models. Where the server is, who asks and how frames are framed are other choices.
pub trait Protocol: Send + Sync {
    /// The path of a request below the base URL, with its query.
    fn path(&self, model: &str) -> String;

    /// The path of the list of models below the base URL, with its query.
    fn list_path(&self) -> &'static str;

    /// The first segment of a path is a version, which a base URL may hold in another form, such as `/api/v4`.
    fn is_versioned_by_base(&self) -> bool;

    /// Headers of every request.
    fn headers(&self) -> &'static [(&'static str, &'static str)];

    /// Writes the body of a request. Whoever wrote the conversation so far, it is one that the model's server accepts.
    ///
    /// # Errors
    /// `internal` when the body cannot be written.
    fn request_body(&self, request: &ModelRequest, target: &Target) -> Result<Bytes, Error>;

    /// The reply before its first frame. `ids` gives its calls their ids.
    fn reply(&self, ids: FreshIds) -> Box<dyn ReplyState>;
}

/// A reply as far as it has come.
///
/// Its events have one end, `Finished` or `Failed`, and nothing after it. What the protocol may add some day is passed
/// over; what cannot be its frame is `provider_malformed`.
pub trait ReplyState: fmt::Debug + Send {
    /// Takes one frame and appends what it says to `out`.
    fn step(&mut self, frame: &Frame, out: &mut Vec<ModelEvent>);

    /// Says that no more frames come, for a stream that ended in order.
    fn end(&mut self, out: &mut Vec<ModelEvent>);

    /// Says that the stream broke. Nothing is appended when the reply had ended.
    fn fail(&mut self, error: Error, out: &mut Vec<ModelEvent>);
}

/// A body as JSON.
pub(crate) fn written(body: &impl serde::Serialize) -> Result<Bytes, Error> {
    serde_json::to_vec(body)
        .map(Bytes::from)
        .map_err(|error| Error::internal(format!("the request cannot be written: {error}")))
}
