//! Servers on this machine: one that speaks TLS with a certificate of its own authority, one that counts, and proxies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use lodger_net::{Certificates, HttpClients, HttpRequest, HttpResponse, Method, NetworkSettings, Queued, Setting};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Long enough for the slowest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// What no proxy and no error may ever show.
pub(crate) const KEY: &str = "sk-secret";

pub(crate) fn request(url: impl Into<String>) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: url.into(),
        headers: vec![("x-api-key".to_owned(), KEY.to_owned())],
        body: "{}".into(),
        queued: Queued::at_most(PATIENCE),
        connect_timeout: PATIENCE,
        first_byte_timeout: PATIENCE,
    }
}

pub(crate) fn clients(settings: NetworkSettings) -> HttpClients {
    HttpClients::new().by(settings).unwrap()
}

pub(crate) fn setting(text: &str) -> Option<Setting> {
    Some(Setting { source: "option network.proxy".to_owned(), text: text.to_owned().into() })
}

pub(crate) fn certificates(pem: impl Into<Vec<u8>>) -> Vec<Certificates> {
    vec![Certificates { source: "option network.ca".to_owned(), pem: pem.into(), is_bundle: false }]
}

pub(crate) async fn text(answer: HttpResponse) -> String {
    let pieces: Vec<Bytes> = answer.body.map(Result::unwrap).collect().await;
    String::from_utf8(pieces.concat()).unwrap()
}

/// The head of the next request; `None` when nothing more comes. Its body, two bytes, is read too.
pub(crate) async fn head(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(socket.read_u8().await.ok()?);
    }
    let text = String::from_utf8(text).unwrap();
    if text.starts_with("POST") {
        socket.read_exact(&mut [0; 2]).await.ok()?;
    }
    Some(text)
}

pub(crate) async fn answer(socket: &mut (impl AsyncWrite + Unpin), status: &str, more: &str, body: &str) {
    let text = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n{more}\r\n{body}", body.len());
    let _ = socket.write_all(text.as_bytes()).await;
}

/// A server of TLS for one name, which answers every request with that name.
pub(crate) struct TlsServer {
    pub(crate) port: u16,
    /// Its authority.
    pub(crate) ca: String,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

pub(crate) async fn tls_server(name: &str) -> TlsServer {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let made = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let (kept, name) = (Arc::clone(&heads), name.to_owned());
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, kept, name) = (acceptor.clone(), Arc::clone(&kept), name.clone());
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(socket).await else { return };
                while let Some(head) = head(&mut stream).await {
                    kept.lock().unwrap().push(head);
                    answer(&mut stream, "200 OK", "", &name).await;
                }
            });
        }
    });
    TlsServer { port, ca: authority.pem(), heads }
}

/// A proxy that leads every tunnel to one port of this machine, and answers what is no tunnel itself.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    pub(crate) heads: Arc<Mutex<Vec<String>>>,
}

/// `refusal`: the status with which it refuses every tunnel.
pub(crate) async fn proxy(to: u16, refusal: Option<&'static str>) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let kept = Arc::clone(&kept);
            tokio::spawn(async move {
                let Some(head) = head(&mut socket).await else { return };
                let is_tunnel = head.starts_with("CONNECT");
                kept.lock().unwrap().push(head);
                match refusal {
                    Some(status) => answer(&mut socket, status, "", "").await,
                    None if is_tunnel => {
                        socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
                        let mut far = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                        let _ = copy_bidirectional(&mut socket, &mut far).await;
                    }
                    None => answer(&mut socket, "200 OK", "", "by the proxy").await,
                }
            });
        }
    });
    Proxy { port, heads }
}

/// A SOCKS5 proxy with user name and password that leads everywhere to one port; what it was told.
pub(crate) async fn socks(to: u16) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut offered = [0; 2];
            socket.read_exact(&mut offered).await.unwrap();
            socket.read_exact(&mut vec![0; usize::from(offered[1])]).await.unwrap();
            socket.write_all(&[5, 2]).await.unwrap();
            socket.read_u8().await.unwrap();
            let user = counted(&mut socket).await;
            let password = counted(&mut socket).await;
            socket.write_all(&[1, 0]).await.unwrap();
            // Version, command, reserved, and a name as address.
            let mut asked = [0; 4];
            socket.read_exact(&mut asked).await.unwrap();
            assert_eq!(asked, [5, 1, 0, 3]);
            let name = counted(&mut socket).await;
            let port = socket.read_u16().await.unwrap();
            kept.lock().unwrap().push(format!("{user} {password} {name}:{port}"));
            socket.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await.unwrap();
            tokio::spawn(async move {
                let mut far = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let _ = copy_bidirectional(&mut socket, &mut far).await;
            });
        }
    });
    Proxy { port, heads }
}

async fn counted(socket: &mut TcpStream) -> String {
    let mut bytes = vec![0; usize::from(socket.read_u8().await.unwrap())];
    socket.read_exact(&mut bytes).await.unwrap();
    String::from_utf8(bytes).unwrap()
}
