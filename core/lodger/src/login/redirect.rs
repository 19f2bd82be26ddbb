//! Where the browser comes back to: a port of this machine, for one login.
//!
//! It answers on a loopback address only, takes nothing but the one address that it gave out, and is gone when the login is.

use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lodger_model::auth::MAX_LOGIN_WAIT;
use lodger_protocol::{Error, ErrorCode, Result, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

/// The head of a request is not longer.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// How long a connection may take to say what it wants.
const HEAD: Duration = Duration::from_secs(10);
/// So many are answered at once: browsers open some ahead, and say nothing on them. Another one waits.
const MAX_OPEN: usize = 32;
/// How long to wait when the system gives no connection.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// The path that the browser comes back to.
const PATH: &str = "/callback";

pub(super) struct Redirect {
    listener: TcpListener,
    port: u16,
}

impl Redirect {
    pub(super) async fn listen() -> Result<Self> {
        let cannot = |error| Error::internal(format!("no port can be had for the browser to come back to: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(cannot)?;
        let port = listener.local_addr().map_err(cannot)?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the code. What comes without the right state is not ours, and does not end the wait.
    pub(super) async fn code(&self, state: &Secret) -> Result<Secret> {
        let coming = async {
            let mut open = FuturesUnordered::new();
            loop {
                tokio::select! {
                    Some(answered) = open.next() => {
                        if let Ok(Some(outcome)) = answered {
                            return outcome;
                        }
                    }
                    stream = self.next(), if open.len() < MAX_OPEN => open.push(timeout(HEAD, answer(stream, state))),
                }
            }
        };
        let over = |_| {
            let minutes = MAX_LOGIN_WAIT.as_secs() / 60;
            Error::new(ErrorCode::ProviderAuth, format!("the login was not confirmed within {minutes} min"))
        };
        timeout(MAX_LOGIN_WAIT, coming).await.map_err(over)?
    }

    async fn next(&self) -> TcpStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => return stream,
                Err(_) => sleep(ACCEPT_AGAIN).await,
            }
        }
    }
}

/// Answers one connection. `None`: it was not the browser that comes back.
async fn answer(mut stream: TcpStream, state: &Secret) -> Option<Result<Secret>> {
    let target = target(&mut stream).await?;
    let outcome = outcome(&target, state);
    let (status, words) = match &outcome {
        Some(Ok(_)) => ("200 OK", "You are logged in. You can close this window."),
        Some(Err(_)) => ("200 OK", "The login was refused. You can close this window."),
        None => ("404 Not Found", "There is nothing here."),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{words}",
        words.len()
    );
    // The code is what counts, not whether the browser hears of it.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    outcome
}

/// What a `GET` asks for, once its head is whole.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if head.len() > MAX_HEAD_BYTES || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    (words.next()? == "GET").then(|| words.next().map(str::to_owned))?
}

fn outcome(target: &str, state: &Secret) -> Option<Result<Secret>> {
    let (path, query) = target.split_once('?')?;
    let pairs: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
    let one = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_ref());
    if path != PATH || one("state") != Some(state.expose()) {
        return None;
    }
    match (one("code"), one("error")) {
        (Some(code), None) => Some(Ok(Secret::new(code))),
        (_, error) => {
            let what = error.unwrap_or("it sent no code").escape_debug().to_string();
            Some(Err(Error::new(ErrorCode::ProviderAuth, format!("the login was refused: {what}"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(target: &str) -> Option<Result<String, String>> {
        let outcome = outcome(target, &Secret::new("s t"))?;
        Some(outcome.map(|code| code.expose().to_owned()).map_err(|error| error.message))
    }

    #[test]
    fn the_code_is_taken_only_with_the_state_that_was_given_out() {
        assert_eq!(read("/callback?code=a%2Fb&state=s+t"), Some(Ok("a/b".to_owned())));
        for target in ["/callback?code=x&state=other", "/callback?code=x", "/other?code=x&state=s+t", "/callback"] {
            assert_eq!(read(target), None, "{target}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_words_of_the_provider() {
        let refused = read("/callback?error=access_denied&state=s+t").unwrap().unwrap_err();
        assert_eq!(refused, "the login was refused: access_denied");
    }
}
