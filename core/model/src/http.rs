//! A model behind HTTP: sends the body that a protocol writes, feeds it the frames that come back.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::{Either, FutureExt};
use futures_util::stream::{self, BoxStream, StreamExt};
use lodger_net::{HttpRequest, HttpResponse, Method, Queued, Transport};
use lodger_protocol::{Error, ErrorCode, Secret, StopReason, ToolCallId, Usage};
use serde_json::Value;

use crate::auth::{Credential, CredentialSource, claim};
use crate::call::Call;
use crate::catalogue::{Form, KeyHeader, Price};
use crate::forgotten::{Forgotten, is_refusal};
use crate::reading::read;
use crate::refusal::{Refusal, retry_after_ms};
use crate::retry::retrying;
use crate::watch::Attempt;
use crate::{FreshIds, Model, ModelEvent, ModelRequest, Protocol, Reply, Target, Watch};

/// The status of a credential that is not taken.
const UNAUTHORIZED: u16 = 401;
/// How much of an answer that is not a reply is read.
const MAX_FAILURE_BYTES: usize = 64 * 1024;
/// Longest message of an error, in bytes.
const MAX_WORDS: usize = 2000;

/// The body of an answer, as it comes.
type Body = BoxStream<'static, Result<Bytes, Error>>;

/// A model behind HTTP.
pub(crate) struct HttpModel(Arc<Inner>);

pub(crate) struct Inner {
    /// Who is asked.
    pub(crate) target: Target,
    pub(crate) protocol: &'static dyn Protocol,
    pub(crate) url: String,
    /// Where the provider lists its models. `None`: it has no list.
    pub(crate) list_url: Option<String>,
    /// The host's own.
    pub(crate) headers: Vec<(String, Secret)>,
    pub(crate) credentials: Option<Arc<dyn CredentialSource>>,
    /// Where a key stands.
    pub(crate) key_header: KeyHeader,
    /// What the provider has other than the protocol.
    pub(crate) form: Form,
    pub(crate) context_window: Option<u64>,
    /// What a reply may have at most, where known.
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) price: Option<Price>,
    pub(crate) queue: Duration,
    pub(crate) connect: Duration,
    pub(crate) first_byte: Duration,
    pub(crate) gap: Duration,
    pub(crate) max_retries: u32,
    pub(crate) transport: Arc<dyn Transport>,
    /// Thought that the provider has refused.
    pub(crate) forgotten: Forgotten,
    pub(crate) watch: Watch,
}

impl HttpModel {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }
}

impl Model for HttpModel {
    fn name(&self) -> &str {
        &self.0.target.name
    }

    fn context_window(&self) -> Option<u64> {
        self.0.context_window
    }

    fn cost(&self, usage: &Usage) -> Option<f64> {
        self.0.price.map(|price| price.of(usage))
    }

    fn holds_to(&self, schema: &Value, with_tools: bool) -> bool {
        self.0.target.holds_to(schema, with_tools)
    }

    fn stream(&self, mut request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        let model = Arc::clone(&self.0);
        let watching = Arc::clone(&self.0);
        if let Some(most) = self.0.max_output_tokens.and_then(|most| u32::try_from(most).ok()) {
            request.max_output_tokens = request.max_output_tokens.min(most);
        }
        let time = request.retry_for;
        let request = Arc::new(request);
        retrying(
            self.0.max_retries,
            time,
            move |attempt| model.clone().attempt(Arc::clone(&request), attempt),
            move |retried, error| watching.watch.retries(retried, error),
        )
        .boxed()
    }
}

impl Inner {
    /// One attempt. Nothing is sent before it is polled.
    fn attempt(self: Arc<Self>, request: Arc<ModelRequest>, number: u32) -> BoxStream<'static, ModelEvent> {
        async move {
            let state = self.protocol.reply(FreshIds::new(&request, ToolCallId::fresh().as_str()));
            match self.open(request, number).await {
                Ok((body, attempt)) => Either::Left(read(self.form.framing.frames(body, self.gap), state, attempt)),
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

    /// Sends the request and returns the body of an answer that is a stream of events. When the provider refuses the
    /// thought in it, it is sent once more without.
    async fn open(&self, request: Arc<ModelRequest>, number: u32) -> Result<(Body, Attempt), Error> {
        let request = self.forgotten.left_out(request);
        match self.ask(Arc::clone(&request), number).await {
            Err(error) if is_refusal(&error) => match self.forgotten.forget(&request) {
                Some(request) => self.ask(request, number).await,
                None => Err(error),
            },
            asked => asked,
        }
    }

    async fn ask(&self, request: Arc<ModelRequest>, number: u32) -> Result<(Body, Attempt), Error> {
        let body = self.form.body_of(self.protocol.request_body(&request, &self.target)?)?;
        drop(request);
        let call = Call { method: Method::Post, url: &self.url, accept: self.form.framing.content_type(), body };
        let (attempt, sent) = self.call(&call, number).await?;
        self.accept(attempt, sent).await
    }

    /// Sends a request with the credential that counts now, and once more with a renewed one when that is refused.
    ///
    /// # Errors
    /// What the credential's source says: nothing was sent then.
    pub(crate) async fn call(
        &self,
        call: &Call<'_>,
        number: u32,
    ) -> Result<(Attempt, Result<HttpResponse, Error>), Error> {
        let Some(source) = &self.credentials else { return Ok(self.send(call, number, None).await) };
        let credential = source.current().await?;
        let (mut attempt, mut sent) = self.send(call, number, Some(&credential)).await;
        if sent.as_ref().is_ok_and(|answer| answer.status == UNAUTHORIZED) {
            match source.after_refusal(&credential.secret).await {
                Ok(Some(other)) => (attempt, sent) = self.send(call, number, Some(&other)).await,
                Ok(None) => {}
                Err(error) => sent = Err(error),
            }
        }
        Ok((attempt, sent))
    }

    async fn send(
        &self,
        call: &Call<'_>,
        number: u32,
        by: Option<&Credential>,
    ) -> (Attempt, Result<HttpResponse, Error>) {
        let words = self.headers.iter().flat_map(|(_, value)| value.words());
        let secrets = by.map(|credential| credential.secret.clone()).into_iter().chain(words).collect();
        let attempt = self.watch.begin(&self.target.name, number, call, secrets);
        let request = HttpRequest {
            method: call.method,
            url: call.url.to_owned(),
            headers: self.headers(call.accept, by),
            body: call.body.clone(),
            queued: Queued { timeout: self.queue, told: Some(attempt.queued()) },
            connect_timeout: self.connect,
            first_byte_timeout: self.first_byte,
        };
        let sent = self.transport.send(request).await;
        if let Ok(answer) = &sent {
            attempt.answered(answer.status, request_id(answer));
        }
        (attempt, sent)
    }

    async fn accept(&self, attempt: Attempt, sent: Result<HttpResponse, Error>) -> Result<(Body, Attempt), Error> {
        let body = match sent {
            Ok(answer) => self.body_of(answer).await,
            Err(error) => Err(error),
        };
        match body {
            Ok(body) => Ok((body, attempt)),
            Err(mut error) => {
                make_presentable(&mut error, &attempt);
                attempt.failed(&error);
                Err(error)
            }
        }
    }

    async fn body_of(&self, answer: HttpResponse) -> Result<Body, Error> {
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer).await);
        }
        let expected = self.form.framing.content_type();
        match answer.header("content-type") {
            Some(kind) if !kind.trim_start().to_ascii_lowercase().starts_with(expected) => Err(Error::new(
                ErrorCode::ProviderMalformed,
                format!("expected an answer of type {expected}, found `{}`", kind.escape_debug()),
            )),
            _ => Ok(answer.body),
        }
    }

    fn headers(&self, accept: &str, by: Option<&Credential>) -> Vec<(String, String)> {
        let mut headers =
            vec![("content-type".to_owned(), "application/json".to_owned()), ("accept".to_owned(), accept.to_owned())];
        let own = self.protocol.headers().iter();
        headers.extend(own.map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        headers.extend(self.form.headers.iter().map(|(name, value)| (name.clone(), value.clone())));
        headers.extend(by.map(|credential| credential.header(self.key_header)));
        let said = |place: &[String]| claim(&by?.secret, place);
        headers.extend(self.form.claims.iter().filter_map(|(name, place)| Some((name.clone(), said(place)?))));
        // The host's own come last: they win.
        headers.extend(self.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned())));
        headers
    }

    /// What an answer that is not a success means.
    pub(crate) async fn refusal(&self, mut answer: HttpResponse) -> Error {
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
            request_id: request_id(&answer),
            retry_after_ms: retry_after_ms(|name| answer.header(name), SystemTime::now()),
            should_retry: answer.header("x-should-retry"),
        }
        .into_error()
    }
}

/// Makes of an error one that may be shown: without our secrets in words that came from elsewhere, and of bounded length.
pub(crate) fn make_presentable(error: &mut Error, attempt: &Attempt) {
    let show = |text: &mut String| *text = shortened(attempt.hide_in(text));
    show(&mut error.message);
    if let Some(Value::Object(data)) = &mut error.data {
        for value in data.values_mut() {
            if let Value::String(text) = value {
                show(text);
            }
        }
    }
}

/// What the provider calls the request.
fn request_id(answer: &HttpResponse) -> Option<&str> {
    ["request-id", "x-request-id", "x-amzn-requestid"].iter().find_map(|name| answer.header(name))
}

/// The words, cut between characters where they are long.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_WORDS {
        text.truncate(text.floor_char_boundary(MAX_WORDS));
        text.push_str("...");
    }
    text
}
