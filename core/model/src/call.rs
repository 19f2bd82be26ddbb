//! One request to a provider, before anybody's credential is in it.

use bytes::Bytes;
use lodger_net::Method;

/// What is asked of a provider.
pub(crate) struct Call<'a> {
    pub(crate) method: Method,
    pub(crate) url: &'a str,
    /// The type that is wanted back.
    pub(crate) accept: &'static str,
    pub(crate) body: Bytes,
}
