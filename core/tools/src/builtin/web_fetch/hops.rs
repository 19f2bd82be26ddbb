//! From a URL to an answer: redirects are followed within one host, and told where they lead to another.

use std::time::Duration;

use lodger_net::{HttpRequest, HttpResponse, Method, Queued};
use lodger_protocol::Limits;
use url::Url;

use super::{Reader, body};
use crate::{ToolFailure, ToolOutput};

/// At most so many redirects of one call.
const MAX_REDIRECTS: usize = 5;

/// Reads the page behind a URL.
pub(super) async fn read(reader: &Reader, mut url: Url, limits: &Limits) -> Result<ToolOutput, ToolFailure> {
    for _ in 0..=MAX_REDIRECTS {
        let request = request(&url, limits);
        let answer = reader.web.send(request).await.map_err(|error| ToolFailure(error.message))?;
        match redirect(&url, &answer)? {
            None => return body::show(&url, answer, reader.max_bytes).await,
            Some(next) if is_within(&url, &next) => url = next,
            Some(next) => {
                return Ok(ToolOutput::text(format!(
                    "{url} leads to another host, which was not asked. If you want what is there, call web_fetch with\n{next}"
                )));
            }
        }
    }
    Err(ToolFailure(format!("there were more than {MAX_REDIRECTS} redirects; the last led to {url}")))
}

fn request(url: &Url, limits: &Limits) -> HttpRequest {
    let headers = [
        ("accept", "text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.1"),
        // What is packed has a size that nobody knows before it is unpacked.
        ("accept-encoding", "identity"),
        ("user-agent", concat!("lodger/", env!("CARGO_PKG_VERSION"))),
    ];
    HttpRequest {
        method: Method::Get,
        url: url.to_string(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        body: Vec::new().into(),
        queued: Queued::at_most(Duration::from_millis(limits.queue_timeout_ms)),
        connect_timeout: Duration::from_millis(limits.connect_timeout_ms),
        first_byte_timeout: Duration::from_millis(limits.first_byte_timeout_ms),
    }
}

/// Where an answer leads, if it leads elsewhere.
fn redirect(from: &Url, answer: &HttpResponse) -> Result<Option<Url>, ToolFailure> {
    let (301 | 302 | 303 | 307 | 308, Some(to)) = (answer.status, answer.header("location")) else { return Ok(None) };
    let next = from.join(to).map_err(|error| ToolFailure(format!("{from} leads to what is no URL ({error})")))?;
    super::checked(next.as_str())
        .map(Some)
        .map_err(|ToolFailure(why)| ToolFailure(format!("{from} leads to where nothing is fetched: {why}")))
}

/// A host may send a reader on to itself, though not from where nobody listens to where somebody does.
fn is_within(from: &Url, next: &Url) -> bool {
    from.host() == next.host() && (next.scheme() == "https" || from.scheme() == next.scheme())
}
