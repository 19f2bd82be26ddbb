//! Proxies.

use lodger_net::{HttpClients, NetworkSettings, Transport};
use lodger_protocol::{Error, ErrorCode};

use crate::support::*;

/// Through a proxy, and trusting a server's authority.
fn by_proxy(proxy: &str, ca: &str, no_proxy: &[&str]) -> HttpClients {
    clients(NetworkSettings {
        https_proxy: setting(proxy),
        http_proxy: setting(proxy),
        no_proxy: no_proxy.iter().map(|entry| (*entry).to_owned()).collect(),
        ca: certificates(ca),
        ..NetworkSettings::default()
    })
}

async fn failure(clients: &HttpClients, url: &str) -> Error {
    let error = clients.send(request(url)).await.unwrap_err();
    assert!(!format!("{error:?}").contains("hunter"), "{error:?}");
    error
}

#[tokio::test]
async fn https_goes_through_a_tunnel_that_gets_the_proxys_credentials_and_never_the_key() {
    let server = tls_server("models.test").await;
    let proxy = proxy(server.port, None).await;
    let clients = by_proxy(&format!("http://me:hunter%402@127.0.0.1:{}", proxy.port), &server.ca, &[]);
    assert_eq!(text(clients.send(request("https://models.test/v1")).await.unwrap()).await, "models.test");
    let heads = proxy.heads.lock().unwrap().join("");
    assert!(heads.starts_with("CONNECT models.test:443 HTTP/1.1\r\n"), "{heads}");
    // `me:hunter@2`.
    assert!(
        heads.to_lowercase().contains("proxy-authorization: basic") && heads.contains("bWU6aHVudGVyQDI="),
        "{heads}"
    );
    assert!(!heads.contains(KEY), "{heads}");
    let inside = server.heads.lock().unwrap().join("");
    assert!(inside.contains(KEY) && !inside.to_lowercase().contains("proxy-authorization"), "{inside}");
}

#[tokio::test]
async fn http_is_handed_to_the_proxy() {
    let proxy = proxy(1, None).await;
    // As variables of an environment often have it.
    let clients = clients(NetworkSettings {
        http_proxy: setting(&format!("127.0.0.1:{}", proxy.port)),
        ..NetworkSettings::default()
    });
    assert_eq!(text(clients.send(request("http://models.test/v1")).await.unwrap()).await, "by the proxy");
    assert!(proxy.heads.lock().unwrap()[0].starts_with("POST http://models.test/v1 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_socks_proxy_gets_the_name_and_its_credentials() {
    let server = tls_server("models.test").await;
    let proxy = socks(server.port).await;
    let clients = by_proxy(&format!("socks5h://me:hunter2@127.0.0.1:{}", proxy.port), &server.ca, &[]);
    assert_eq!(text(clients.send(request("https://models.test/v1")).await.unwrap()).await, "models.test");
    assert_eq!(*proxy.heads.lock().unwrap(), ["me hunter2 models.test:443"]);
}

#[tokio::test]
async fn this_machine_is_reached_without_a_proxy() {
    let server = tls_server("localhost").await;
    let clients = by_proxy("http://127.0.0.1:1", &server.ca, &[]);
    let url = format!("https://localhost:{}/", server.port);
    assert_eq!(text(clients.send(request(url)).await.unwrap()).await, "localhost");
}

#[tokio::test]
async fn an_exception_is_reached_without_the_proxy() {
    let proxy = proxy(1, None).await;
    for exception in
        ["models.invalid", ".invalid", "*.invalid", "invalid", "models.invalid:80", "*", " 10.0.0.0/8, invalid"]
    {
        let entries: Vec<&str> = exception.split(',').collect();
        let clients = clients(NetworkSettings {
            http_proxy: setting(&format!("http://127.0.0.1:{}", proxy.port)),
            no_proxy: entries.iter().map(|entry| (*entry).to_owned()).collect(),
            ..NetworkSettings::default()
        });
        let error = failure(&clients, "http://models.invalid/").await;
        assert!(error.message.contains("models.invalid:80 could not be resolved"), "{exception}: {}", error.message);
    }
    assert!(proxy.heads.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_proxy_that_wants_other_credentials_is_named_and_not_asked_again() {
    let proxy = proxy(1, Some("407 Proxy Authentication Required")).await;
    let clients = clients(NetworkSettings {
        https_proxy: setting(&format!("http://me:hunter2@127.0.0.1:{}", proxy.port)),
        ..NetworkSettings::default()
    });
    let error = failure(&clients, "https://models.test/").await;
    assert!(error.code == ErrorCode::ProviderUnavailable && !error.retryable, "{error:?}");
    let named = format!("the proxy 127.0.0.1:{} wants other credentials", proxy.port);
    assert!(error.message.starts_with(&named), "{}", error.message);
}

#[tokio::test]
async fn a_proxy_that_is_not_there_or_refuses_is_named_without_its_credentials() {
    let refusing = proxy(1, Some("403 Forbidden")).await;
    for (port, words) in
        [(1, "the proxy 127.0.0.1:1 refused the connection"), (refusing.port, "no connection to models.test:443")]
    {
        let clients = clients(NetworkSettings {
            https_proxy: setting(&format!("http://me:hunter2@127.0.0.1:{port}")),
            ..NetworkSettings::default()
        });
        let error = failure(&clients, "https://models.test/").await;
        assert!(error.code == ErrorCode::ProviderUnavailable && error.retryable, "{error:?}");
        assert!(error.message.starts_with(words) && error.message.contains(&port.to_string()), "{}", error.message);
    }
}

#[test]
fn what_is_no_proxy_is_refused_without_being_repeated() {
    for wrong in ["", "http://", "ftp://me:hunter2@a.test", "http://me:hunter2@a.test/path", "http://me:hunter2@:99999"]
    {
        let settings = NetworkSettings { https_proxy: setting(wrong), ..NetworkSettings::default() };
        assert!(!format!("{settings:?}").contains("hunter2"));
        let error = HttpClients::new().by(settings).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidOptions, "{wrong}");
        assert!(
            error.message.starts_with("option network.proxy: ") && !error.message.contains("hunter2"),
            "{}",
            error.message
        );
    }
}
