//! What the clients promise before anything is sent.

use crate::Queued;

use super::*;

fn request(url: String) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url,
        headers: vec![("x-api-key".to_owned(), "sk-secret".to_owned())],
        body: "{}".into(),
        queued: Queued::at_most(Duration::from_secs(10)),
        connect_timeout: Duration::from_secs(10),
        first_byte_timeout: Duration::from_secs(10),
    }
}

#[tokio::test]
async fn pools_are_shared_by_what_is_alike_and_bounded() {
    let clients = HttpClients::new();
    for seconds in 1..=2 * MAX_POOLS as u64 {
        for _ in 0..2 {
            clients.client(Duration::from_secs(seconds), None).unwrap();
        }
    }
    assert_eq!(clients.shared().pools.len(), MAX_POOLS);
}

#[test]
fn a_way_is_known_again_while_somebody_goes_it() {
    let clients = HttpClients::new();
    let by =
        |most| clients.by(NetworkSettings { max_connections_per_host: most, ..NetworkSettings::default() }).unwrap();
    let one = by(1);
    assert!(Arc::ptr_eq(&one.network, &by(1).network) && !Arc::ptr_eq(&one.network, &by(2).network));
    assert!(Arc::ptr_eq(&one.by(NetworkSettings::default()).unwrap().network, &clients.network));
    drop(one);
    by(3);
    // Its own, and the last.
    assert_eq!(clients.shared().networks.len(), 2);
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
