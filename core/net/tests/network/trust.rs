//! Whose certificates are believed, and where credentials may go.

use std::net::TcpListener;

use lodger_net::{Certificates, HttpClients, NetworkSettings, Transport};
use lodger_protocol::ErrorCode;

use crate::support::*;

#[tokio::test]
async fn whom_one_trusts_another_on_the_same_runtime_does_not() {
    let servers = [tls_server("localhost").await, tls_server("localhost").await];
    let runtime = HttpClients::new();
    let trusting =
        |pem: &str| runtime.by(NetworkSettings { ca: certificates(pem), ..NetworkSettings::default() }).unwrap();
    let agents = [trusting(&servers[0].ca), trusting(&servers[1].ca)];
    // Twice, so that pools with open connections are there.
    for _ in 0..2 {
        for (at, server) in servers.iter().enumerate() {
            let url = format!("https://localhost:{}/", server.port);
            for (by, agent) in agents.iter().enumerate() {
                let sent = agent.send(request(&url)).await;
                if by == at {
                    assert_eq!(text(sent.unwrap()).await, "localhost");
                } else {
                    let error = sent.unwrap_err();
                    assert!(error.message.contains("invalid peer certificate") && !error.retryable, "{error:?}");
                }
            }
            assert!(runtime.send(request(&url)).await.is_err());
        }
    }
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}

#[test]
fn what_is_no_certificate_is_refused_with_its_place() {
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for (pem, words) in [
        ("", "there is no certificate in it"),
        ("/etc/ssl/cert.pem", "there is no certificate in it"),
        (broken, "certificate 1 cannot be used"),
        ("-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n", "certificate 1 is no PEM"),
        (&" ".repeat(5 * 1024 * 1024), "at most 4194304 are taken"),
    ] {
        let settings = NetworkSettings { ca: certificates(pem), ..NetworkSettings::default() };
        let error = HttpClients::new().by(settings).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(error.message.starts_with("option network.ca: ") && error.message.contains(words), "{}", error.message);
    }
}

#[tokio::test]
async fn of_a_bundle_only_what_can_be_used_counts() {
    let server = tls_server("localhost").await;
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let bundle = |pem: String| {
        let ca = vec![Certificates { source: "`SSL_CERT_FILE`".to_owned(), pem: pem.into(), is_bundle: true }];
        HttpClients::new().by(NetworkSettings { ca, ..NetworkSettings::default() })
    };
    let clients = bundle(format!("# ours\n{broken}{}", server.ca)).unwrap();
    assert_eq!(clients.send(request(format!("https://localhost:{}/", server.port))).await.unwrap().status, 200);
    assert!(bundle(broken.to_owned()).unwrap_err().message.starts_with("`SSL_CERT_FILE`: "));
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_takes_no_credential_to_another_server() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let elsewhere = format!("location: http://{}/v1\r\n", other.local_addr().unwrap());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"] {
            let (mut socket, _) = listener.accept().await.unwrap();
            head(&mut socket).await.unwrap();
            answer(&mut socket, status, &format!("{elsewhere}connection: close\r\n"), "").await;
        }
    });
    for status in [301, 302, 303, 307, 308] {
        assert_eq!(HttpClients::new().send(request(&url)).await.unwrap().status, status);
    }
    assert!(other.accept().is_err(), "somebody came");
}
