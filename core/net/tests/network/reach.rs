//! What a request reaches whose URL a model chose.

use lodger_net::{HttpClients, HttpRequest, Method, NetworkSettings, Reach, Transport};
use lodger_protocol::{Error, ErrorCode};

use crate::support::{PATIENCE, certificates, clients, proxy, request, setting, text, tls_server};

fn get(url: impl Into<String>) -> HttpRequest {
    HttpRequest { method: Method::Get, headers: Vec::new(), ..request(url) }
}

fn reach(private_hosts: &[&str], through_proxy: bool) -> Reach {
    let hosts: Vec<String> = private_hosts.iter().map(|&host| host.to_owned()).collect();
    Reach::new(&hosts, through_proxy, "option x").unwrap()
}

async fn refused(clients: &HttpClients, url: &str) -> Error {
    let error = tokio::time::timeout(PATIENCE, clients.send(get(url))).await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::PermissionDenied, "{url}: {error}");
    error
}

#[tokio::test]
async fn an_address_that_is_not_public_is_refused_however_it_is_written() {
    let clients = HttpClients::new().within(reach(&[], false));
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "2130706433",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "0.0.0.0",
        "10.0.0.1",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "192.168.1.1",
    ] {
        let error = refused(&clients, &format!("https://{host}/")).await;
        assert!(error.message.contains("not public"), "{host}: {error}");
    }
}

#[tokio::test]
async fn a_name_that_leads_to_such_an_address_is_refused_before_anything_is_sent() {
    let server = tls_server("localhost").await;
    let settings = NetworkSettings { ca: certificates(server.ca.clone()), ..NetworkSettings::default() };
    let guarded = clients(settings).within(reach(&[], false));
    for name in ["localhost", "LOCALHOST"] {
        let error = refused(&guarded, &format!("https://{name}:{}/", server.port)).await;
        assert!(error.message.contains("localhost") && error.message.contains("not public"), "{error}");
    }
    assert_eq!(server.heads.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_host_that_was_named_is_reached() {
    let server = tls_server("localhost").await;
    let settings = NetworkSettings { ca: certificates(server.ca.clone()), ..NetworkSettings::default() };
    let clients = clients(settings);
    let url = format!("https://localhost:{}/", server.port);
    let answer = clients.within(reach(&["LocalHost"], false)).send(get(&url)).await.unwrap();
    assert_eq!(text(answer).await, "localhost");
    // What was opened for one reach serves no narrower one.
    refused(&clients.within(reach(&[], false)), &url).await;
}

#[tokio::test]
async fn http_is_for_named_hosts_alone() {
    let clients = HttpClients::new();
    let error = refused(&clients.within(reach(&[], false)), "http://example.com/").await;
    assert!(error.message.contains("https"), "{error}");
    let server = proxy(0, None).await;
    let url = format!("http://127.0.0.1:{}/", server.port);
    let answer = clients.within(reach(&["127.0.0.1"], false)).send(get(&url)).await;
    assert_eq!(answer.unwrap().status, 200);
    refused(&clients.within(reach(&["localhost"], false)), &url).await;
}

#[tokio::test]
async fn a_proxy_is_in_the_way_unless_it_was_allowed() {
    let proxy = proxy(0, Some("403 Forbidden")).await;
    let url = format!("http://127.0.0.1:{}", proxy.port);
    let settings = NetworkSettings { https_proxy: setting(&url), ..NetworkSettings::default() };
    let clients = clients(settings);
    let error = refused(&clients.within(reach(&[], false)), "https://example.com/").await;
    assert!(error.message.contains("proxy"), "{error}");
    assert_eq!(proxy.heads.lock().unwrap().len(), 0);
    let through = clients.within(reach(&[], true));
    // It is asked for the host, whatever comes of it.
    let _ = through.send(get("https://example.com/")).await;
    assert!(proxy.heads.lock().unwrap()[0].starts_with("CONNECT example.com:443"));
    let error = refused(&through, "https://169.254.169.254/").await;
    assert!(error.message.contains("not public"), "{error}");
}

#[tokio::test]
async fn no_credentials_go_along_in_a_url() {
    let clients = HttpClients::new().within(reach(&["example.com"], false));
    let error = refused(&clients, "https://me:sk-secret@example.com/").await;
    assert!(!error.message.contains("sk-secret"), "{error}");
}

#[test]
fn an_entry_that_is_no_host_is_refused_by_its_place() {
    for entry in ["", "http://wiki", "wiki:80", "*.corp", "wiki/x", "me@wiki", "a b", "[::1]:80"] {
        let error = Reach::new(&["fine.example".to_owned(), entry.to_owned()], false, "option x").unwrap_err();
        assert!(error.message.starts_with("option x[1] is"), "{entry}: {error}");
    }
    for entry in ["wiki", "wiki.corp.example.", "10.0.0.7", "::1", "b\u{fc}cher.example"] {
        assert!(Reach::new(&[entry.to_owned()], false, "option x").is_ok(), "{entry}");
    }
}
