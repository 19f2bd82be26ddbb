//! Who asks: keys and tokens, where they come from, and how they are renewed.
//!
//! A [`Credential`] travels with each request; a [`CredentialSource`] says which one counts now. Keys of the environment
//! are looked up by the provider's name, so that no provider ever gets another one's. Nothing here reads a file: what was
//! saved comes from above, as an [`Issuer`].

mod claims;
mod credential;
mod credentials;
mod host;
mod oauth;
mod renewing;

pub(crate) use claims::claim;
pub use credential::{Carrier, Credential};
pub use credentials::{Credentials, key_of};
pub use host::{HostTokens, IssuedToken, TokenRequest, TokenSource};
pub use oauth::{BrowserLogin, DeviceLogin, MAX_LOGIN_WAIT, OAuth, OAuthTokens};
pub use renewing::{Issuer, Renewing};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lodger_protocol::{Result, Secret};

/// Where the credential of a request comes from. Asked once per request.
pub trait CredentialSource: Send + Sync {
    /// The one to use now.
    fn current(&self) -> BoxFuture<'_, Result<Credential>>;

    /// Another, after the provider refused this one. `None`: there is no other.
    fn after_refusal<'a>(&'a self, refused: &'a Secret) -> BoxFuture<'a, Result<Option<Credential>>>;
}

/// One that stays as it is.
struct Fixed(Credential);

impl CredentialSource for Fixed {
    fn current(&self) -> BoxFuture<'_, Result<Credential>> {
        std::future::ready(Ok(self.0.clone())).boxed()
    }

    fn after_refusal<'a>(&'a self, _: &'a Secret) -> BoxFuture<'a, Result<Option<Credential>>> {
        std::future::ready(Ok(None)).boxed()
    }
}
