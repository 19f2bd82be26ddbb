//! Each phase of a request has its own time.

use std::time::Duration;

use lodger_net::{HttpClients, HttpRequest, Transport};
use lodger_protocol::ErrorCode;
use tokio::net::TcpListener;

use crate::support::*;

const SHORT: Duration = Duration::from_millis(100);

/// A server that takes connections and says nothing.
async fn silent() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

#[tokio::test]
async fn a_connection_that_is_not_made_in_time_is_an_unavailable_provider() {
    let (_server, port) = silent().await;
    // Its TLS never comes to an end.
    let asked = HttpRequest { connect_timeout: SHORT, ..request(format!("https://127.0.0.1:{port}/")) };
    let error = HttpClients::new().send(asked).await.unwrap_err();
    assert!(error.code == ErrorCode::ProviderUnavailable && error.retryable, "{error:?}");
    let words = format!("no connection to 127.0.0.1:{port} within 100 ms (limits.connectTimeoutMs)");
    assert_eq!(error.message, words);
}

#[tokio::test]
async fn an_answer_that_does_not_begin_in_time_is_a_timeout() {
    let (_server, port) = silent().await;
    let asked = HttpRequest { first_byte_timeout: SHORT, ..request(format!("http://127.0.0.1:{port}/")) };
    let error = HttpClients::new().send(asked).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(error.message.contains("limits.firstByteTimeoutMs"), "{}", error.message);
}
