//! TLS against a server of our own, with certificates made on the spot.

use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::*;

const SETTINGS: Settings = Settings { connect_timeout: Duration::from_secs(10) };

/// A server that answers each connection once; its URL, and what vouches for it.
async fn serve() -> (String, RootCertStore) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(socket).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").await;
            let _ = stream.shutdown().await;
        }
    });
    (url, roots)
}

fn request(url: String) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url,
        headers: vec![("x-api-key".to_owned(), "sk-secret".to_owned())],
        body: "{}".into(),
        connect_timeout: SETTINGS.connect_timeout,
        first_byte_timeout: Duration::from_secs(10),
    }
}

#[tokio::test]
async fn a_server_whose_certificate_is_vouched_for_is_talked_to_without_a_provider_of_the_process() {
    let (url, roots) = serve().await;
    let clients = HttpClients(Arc::new(Mutex::new(vec![(SETTINGS, build(SETTINGS, roots).unwrap())])));
    let mut answer = clients.send(request(url)).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-length"), Some("2"));
    assert_eq!(answer.body.next().await.unwrap().unwrap(), "hi");
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused_for_good() {
    let (url, _) = serve().await;
    let place = url.trim_start_matches("https://").trim_end_matches('/').to_owned();
    let error = HttpClients::new().send(request(url)).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderUnavailable);
    assert!(!error.retryable);
    assert!(error.message.contains(&format!("TLS with {place} failed: invalid peer certificate")), "{}", error.message);
}

#[tokio::test]
async fn pools_are_shared_by_what_is_alike_and_bounded() {
    let clients = HttpClients::new();
    for seconds in 1..=2 * MAX_POOLS as u64 {
        for _ in 0..2 {
            clients.client(Settings { connect_timeout: Duration::from_secs(seconds) }).unwrap();
        }
    }
    assert_eq!(clients.0.lock().unwrap().len(), MAX_POOLS);
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_named_and_its_value_is_not() {
    let mut wrong = request("http://127.0.0.1:1/".to_owned());
    wrong.headers = vec![("x-api-key".to_owned(), "sk-secret\n".to_owned())];
    let error = HttpClients::new().send(wrong).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidOptions);
    assert!(error.message.contains("x-api-key") && !error.message.contains("secret"), "{}", error.message);
}

#[test]
fn a_request_prints_no_header_value() {
    let shown = format!("{:?}", request("http://a.test/".to_owned()));
    assert!(shown.contains("x-api-key") && !shown.contains("secret"), "{shown}");
}
