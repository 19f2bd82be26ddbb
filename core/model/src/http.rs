//! A model behind HTTP: sends the body that a protocol writes, feeds it the frames that come back.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::{Either, FutureExt};
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use lodger_net::{Frame, HttpRequest, HttpResponse, Transport, frames};
use lodger_protocol::{Error, ErrorCode, StopReason, Usage};

use crate::anthropic;
use crate::refusal::{Refusal, retry_after_ms};
use crate::watch::Attempt;
use crate::{Credential, Model, ModelEvent, ModelRequest, Reply, Watch};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(30);
/// How much of an answer that is not a reply is read.
const MAX_FAILURE_BYTES: usize = 64 * 1024;
/// How long the end of a body is waited for after the reply is complete, so that its connection can be used again.
const DRAIN: Duration = Duration::from_millis(50);

/// The body of an answer, as it comes.
type Body = BoxStream<'static, Result<Bytes, Error>>;

/// A model behind HTTP.
pub(crate) struct HttpModel(Arc<Inner>);

pub(crate) struct Inner {
    /// `provider/model`.
    pub(crate) name: String,
    /// As the provider calls it.
    pub(crate) model: String,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, Credential)>,
    pub(crate) key: Option<Credential>,
    /// What must not be shown when the other side repeats it.
    pub(crate) secrets: Vec<Credential>,
    pub(crate) context_window: Option<u64>,
    pub(crate) first_byte: Duration,
    pub(crate) gap: Duration,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) watch: Watch,
}

impl HttpModel {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }
}

impl Model for HttpModel {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn context_window(&self) -> Option<u64> {
        self.0.context_window
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        let model = self.0.clone();
        async move {
            match model.open(request).await {
                Ok((body, attempt)) => Either::Left(read(frames(body, model.gap), model, attempt)),
                Err(error) => {
                    let partial =
                        Reply { content: Vec::new(), stop_reason: StopReason::Error, usage: Usage::default() };
                    Either::Right(stream::iter([ModelEvent::Failed { error, partial }]))
                }
            }
        }
        .flatten_stream()
        .boxed()
    }
}

impl Inner {
    /// Sends the request and returns the body of an answer that is a stream of events.
    async fn open(&self, request: ModelRequest) -> Result<(Body, Attempt), Error> {
        let body = anthropic::request_body(&request, &self.model)?;
        drop(request);
        let attempt = self.watch.begin(&self.name, 1, &self.url, &body, &self.secrets);
        match self.send(body, &attempt).await {
            Ok(body) => Ok((body, attempt)),
            Err(error) => {
                let error = self.hide(error);
                attempt.failed(&error);
                Err(error)
            }
        }
    }

    async fn send(&self, body: Bytes, attempt: &Attempt) -> Result<Body, Error> {
        let sent = HttpRequest {
            url: self.url.clone(),
            headers: self.headers(),
            body,
            connect_timeout: CONNECT,
            first_byte_timeout: self.first_byte,
        };
        let answer = self.transport.send(sent).await?;
        attempt.answered(answer.status, answer.header("request-id"));
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer).await);
        }
        match answer.header("content-type") {
            Some(kind) if !kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream") => Err(Error::new(
                ErrorCode::ProviderMalformed,
                format!("expected an answer of type text/event-stream, found `{}`", kind.escape_debug()),
            )),
            _ => Ok(answer.body),
        }
    }

    fn headers(&self) -> Vec<(String, String)> {
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), "text/event-stream".to_owned()),
            ("anthropic-version".to_owned(), anthropic::VERSION.to_owned()),
        ];
        headers.extend(self.key.iter().map(|key| ("x-api-key".to_owned(), key.expose().to_owned())));
        // The host's own come last: they win.
        headers.extend(self.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())));
        headers
    }

    async fn refusal(&self, mut answer: HttpResponse) -> Error {
        let mut body = Vec::new();
        while body.len() < MAX_FAILURE_BYTES {
            match tokio::time::timeout(self.gap, answer.body.next()).await {
                Ok(Some(Ok(piece))) => {
                    body.extend_from_slice(&piece[..piece.len().min(MAX_FAILURE_BYTES - body.len())])
                }
                // The status says enough.
                Ok(None | Some(Err(_))) | Err(_) => break,
            }
        }
        Refusal {
            status: answer.status,
            body: &String::from_utf8_lossy(&body),
            request_id: answer.header("request-id"),
            retry_after_ms: retry_after_ms(|name| answer.header(name), SystemTime::now()),
        }
        .into_error()
    }

    /// Takes our secrets out of words that came from elsewhere.
    fn hide(&self, mut error: Error) -> Error {
        for secret in &self.secrets {
            error.message = secret.hide_in(&error.message);
        }
        error
    }
}

/// The events of a reply, each made when it is asked for.
fn read(
    frames: impl Stream<Item = Result<Frame, Error>> + Send + 'static,
    model: Arc<Inner>,
    attempt: Attempt,
) -> impl Stream<Item = ModelEvent> + Send + 'static {
    // Boxed, since it moves with every event.
    let start = Some(Box::new((anthropic::State::default(), Box::pin(frames), model, attempt)));
    stream::unfold(start, |reading| async {
        let mut reading = reading?;
        let (state, frames, model, attempt) = &mut *reading;
        loop {
            let event = match frames.next().await {
                Some(Ok(frame)) => {
                    attempt.framed(&frame);
                    state.step(&frame)
                }
                Some(Err(error)) => Some(state.fail(error)),
                None => state.end(),
            };
            match event {
                None => {}
                Some(ModelEvent::Finished(reply)) => {
                    // Nothing of interest can follow, and an early end costs the next request a new connection.
                    let rest = async { while let Some(Ok(_)) = frames.next().await {} };
                    let _ = tokio::time::timeout(DRAIN, rest).await;
                    return Some((ModelEvent::Finished(reply), None));
                }
                Some(ModelEvent::Failed { error, partial }) => {
                    let error = model.hide(error);
                    attempt.failed(&error);
                    return Some((ModelEvent::Failed { error, partial }, None));
                }
                Some(event) => return Some((event, Some(reading))),
            }
        }
    })
}
