//! One exchange with an OAuth server: over our transport, bounded, and what went wrong in our words.

use std::error::Error as StdError;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use lodger_net::{HttpRequest, HttpResponse, Method, Queued, Transport};
use lodger_protocol::{Error, ErrorCode, Result, Secret};
use oauth2::{ErrorResponseType, RequestTokenError, StandardErrorResponse, http};

/// How long a connection may take to be made, an answer to begin, and a piece of it to come.
const PHASE: Duration = Duration::from_secs(30);
/// An answer is not longer.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// Longest word of the server that is shown, in bytes.
const MAX_SHOWN: usize = 500;

/// A server, and what must not be shown when it repeats it.
pub(super) struct Exchange {
    transport: Arc<dyn Transport>,
    /// `host` of the server, for messages.
    place: String,
    secrets: Vec<Secret>,
}

impl Exchange {
    pub(super) fn new(transport: &Arc<dyn Transport>, url: &str, secrets: Vec<Secret>) -> Self {
        let place = oauth2::url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        Self { transport: Arc::clone(transport), place: place.unwrap_or_default(), secrets }
    }

    /// What carries the requests.
    pub(super) fn client(
        &self,
    ) -> impl Fn(http::Request<Vec<u8>>) -> BoxFuture<'static, Result<http::Response<Vec<u8>>>> {
        let transport = Arc::clone(&self.transport);
        let place = self.place.clone();
        move |request| Box::pin(carry(Arc::clone(&transport), place.clone(), request))
    }

    /// What went wrong, in our words.
    pub(super) fn failed<T>(&self, error: RequestTokenError<Error, StandardErrorResponse<T>>) -> Error
    where
        T: ErrorResponseType + Display + 'static,
    {
        let place = &self.place;
        match error {
            RequestTokenError::Request(error) => error,
            RequestTokenError::ServerResponse(refusal) => {
                let mut what = refusal.error().to_string();
                if let Some(words) = refusal.error_description() {
                    what = format!("{what}: {words}");
                }
                Error::new(ErrorCode::ProviderAuth, format!("{place} refused: {}", self.shown(&what)))
            }
            // The answer itself may hold tokens.
            RequestTokenError::Parse(..) => {
                Error::new(ErrorCode::ProviderMalformed, format!("{place} sent something else than OAuth has"))
            }
            RequestTokenError::Other(what) => {
                Error::new(ErrorCode::ProviderAuth, format!("{place}: {}", self.shown(&what)))
            }
        }
    }

    fn shown(&self, text: &str) -> String {
        let mut text = self.secrets.iter().fold(text.to_owned(), |text, secret| secret.hide_in(&text));
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.escape_debug().to_string()
    }
}

async fn carry(
    transport: Arc<dyn Transport>,
    place: String,
    request: http::Request<Vec<u8>>,
) -> Result<http::Response<Vec<u8>>> {
    let (head, body) = request.into_parts();
    let text = |value: &http::HeaderValue| value.to_str().map(str::to_owned).map_err(|error| odd(&error));
    let headers: Result<Vec<_>> =
        head.headers.iter().map(|(name, value)| Ok((name.as_str().to_owned(), text(value)?))).collect();
    let sent = HttpRequest {
        method: Method::Post,
        url: head.uri.to_string(),
        headers: headers?,
        body: Bytes::from(body),
        queued: Queued::at_most(PHASE),
        connect_timeout: PHASE,
        first_byte_timeout: PHASE,
    };
    let answer = transport.send(sent).await?;
    let status = answer.status;
    if status == 429 || status >= 500 {
        return Err(Error::new(ErrorCode::ProviderUnavailable, format!("{place} answered with status {status}")));
    }
    let body = whole(answer, &place).await?;
    http::Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(body)
        .map_err(|error| odd(&error))
}

async fn whole(mut answer: HttpResponse, place: &str) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        match tokio::time::timeout(PHASE, answer.body.next()).await {
            Ok(None) => return Ok(body),
            Ok(Some(piece)) => body.extend_from_slice(&piece?),
            Err(_) => {
                let waited = PHASE.as_secs();
                return Err(Error::new(ErrorCode::Timeout, format!("{place} sent nothing for {waited} s")));
            }
        }
        if body.len() > MAX_ANSWER_BYTES {
            let told = format!("{place} sent more than {MAX_ANSWER_BYTES} bytes");
            return Err(Error::new(ErrorCode::ProviderMalformed, told));
        }
    }
}

fn odd(error: &dyn StdError) -> Error {
    Error::internal(format!("a request to an OAuth server could not be made: {error}"))
}
