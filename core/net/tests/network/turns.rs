//! How many requests to one host are under way at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{FutureExt, poll};
use lodger_net::{HttpClients, HttpRequest, HttpResponse, NetworkSettings, Queued, Transport};
use lodger_protocol::{Error, ErrorCode};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::support::*;

/// A server that begins every answer at once, and ends it when there is leave.
struct Slow {
    url: String,
    /// One for each answer that may end.
    leave: Arc<Semaphore>,
    /// The paths that were asked for, in order.
    came: Arc<Mutex<Vec<usize>>>,
    /// The most that were under way at once.
    most: Arc<AtomicUsize>,
}

async fn slow() -> Slow {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = Slow { url, leave: Arc::new(Semaphore::new(0)), came: Arc::default(), most: Arc::default() };
    let (leave, came, most) = (Arc::clone(&server.leave), Arc::clone(&server.came), Arc::clone(&server.most));
    let now = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let (leave, came, most, now) = (Arc::clone(&leave), Arc::clone(&came), Arc::clone(&most), Arc::clone(&now));
            tokio::spawn(async move {
                while let Some(head) = head(&mut socket).await {
                    let path = head.split([' ', '/']).nth(2).unwrap();
                    came.lock().unwrap().push(path.parse().unwrap());
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\no").await;
                    leave.acquire().await.unwrap().forget();
                    now.fetch_sub(1, Ordering::SeqCst);
                    let _ = socket.write_all(b"k").await;
                }
            });
        }
    });
    server
}

impl Slow {
    fn request(&self, number: usize) -> HttpRequest {
        request(format!("{}/{number}", self.url))
    }
}

fn at_most(max_connections_per_host: usize) -> HttpClients {
    clients(NetworkSettings { max_connections_per_host, ..NetworkSettings::default() })
}

/// Sends it, and reads its answer to the end.
async fn done(clients: HttpClients, request: HttpRequest) -> Result<String, Error> {
    Ok(text(clients.send(request).await?).await)
}

#[tokio::test]
async fn a_hundred_requests_to_one_host_take_their_turns_in_order() {
    let (server, clients) = (slow().await, at_most(4));
    server.leave.add_permits(100);
    let mut all: Vec<_> = (0..100).map(|number| done(clients.clone(), server.request(number)).boxed()).collect();
    for one in &mut all {
        assert!(poll!(one).is_pending());
    }
    for one in join_all(all).await {
        assert_eq!(one.unwrap(), "ok");
    }
    assert!(server.most.load(Ordering::SeqCst) <= 4);
    let came = server.came.lock().unwrap();
    assert_eq!(came.len(), 100);
    // Those before it have left by then, and all but three of them are over.
    assert!(came.iter().enumerate().all(|(place, number)| place + 3 >= *number), "{came:?}");
}

#[tokio::test]
async fn an_answer_has_its_turn_until_it_is_dropped() {
    let (server, clients) = (slow().await, at_most(1));
    let first: HttpResponse = clients.send(server.request(0)).await.unwrap();
    let mut second = clients.send(server.request(1));
    assert!(poll!(&mut second).is_pending());
    drop(first);
    assert_eq!(second.await.unwrap().status, 200);
}

#[tokio::test]
async fn an_answer_that_was_read_to_its_end_has_no_turn() {
    let (server, clients) = (slow().await, at_most(1));
    server.leave.add_permits(1);
    let mut first = clients.send(server.request(0)).await.unwrap();
    while let Some(piece) = futures_util::StreamExt::next(&mut first.body).await {
        piece.unwrap();
    }
    assert_eq!(clients.send(server.request(1)).await.unwrap().status, 200);
    drop(first);
}

#[tokio::test]
async fn one_that_stops_waiting_leaves_at_once_and_its_place_goes_to_the_next() {
    let (server, clients) = (slow().await, at_most(1));
    let first = clients.send(server.request(0)).await.unwrap();
    let mut given_up = clients.send(server.request(1));
    let mut third = clients.send(server.request(2));
    assert!(poll!(&mut given_up).is_pending() && poll!(&mut third).is_pending());
    drop(given_up);
    drop(first);
    assert_eq!(third.await.unwrap().status, 200);
    assert_eq!(*server.came.lock().unwrap(), [0, 2]);
}

#[tokio::test]
async fn one_whose_turn_came_as_it_stopped_waiting_gives_it_on() {
    let (server, clients) = (slow().await, at_most(1));
    let first = clients.send(server.request(0)).await.unwrap();
    let mut given_up = clients.send(server.request(1));
    let mut third = clients.send(server.request(2));
    assert!(poll!(&mut given_up).is_pending() && poll!(&mut third).is_pending());
    // The turn is its own from here on, and it is not polled any more.
    drop(first);
    drop(given_up);
    assert_eq!(third.await.unwrap().status, 200);
}

#[tokio::test]
async fn a_host_that_stalls_holds_up_no_other() {
    let (stalled, other, clients) = (slow().await, slow().await, at_most(1));
    other.leave.add_permits(1);
    let _held = clients.send(stalled.request(0)).await.unwrap();
    let mut waiting = clients.send(stalled.request(1));
    assert!(poll!(&mut waiting).is_pending());
    assert_eq!(done(clients, other.request(0)).await.unwrap(), "ok");
}

#[tokio::test]
async fn those_who_go_the_same_way_share_its_bound_and_others_do_not() {
    let (server, runtime) = (slow().await, HttpClients::new());
    let by =
        |most| runtime.by(NetworkSettings { max_connections_per_host: most, ..NetworkSettings::default() }).unwrap();
    let first = by(1).send(server.request(0)).await.unwrap();
    let mut second = by(1).send(server.request(1));
    assert!(poll!(&mut second).is_pending());
    assert_eq!(by(2).send(server.request(2)).await.unwrap().status, 200);
    drop(first);
    assert_eq!(second.await.unwrap().status, 200);
}

#[tokio::test]
async fn a_wait_has_its_own_time_and_is_told() {
    let (server, clients) = (slow().await, at_most(1));
    let _held = clients.send(server.request(0)).await.unwrap();
    let waits: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let kept = Arc::clone(&waits);
    let told: Arc<dyn Fn(Duration) + Send + Sync> = Arc::new(move |wait| kept.lock().unwrap().push(wait));
    let queued = Queued { timeout: Duration::from_millis(100), told: Some(told) };
    let error = clients.send(HttpRequest { queued, ..server.request(1) }).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    for words in ["1 requests", "network.maxConnectionsPerHost", "within 100 ms (limits.queueTimeoutMs)"] {
        assert!(error.message.contains(words), "{}", error.message);
    }
    assert!(waits.lock().unwrap().iter().all(|wait| *wait >= Duration::from_millis(100)));
    assert_eq!(waits.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn the_wait_does_not_count_as_waiting_for_the_answer() {
    let (server, clients) = (slow().await, at_most(1));
    let held = clients.send(server.request(0)).await.unwrap();
    let first_byte_timeout = Duration::from_secs(3);
    let waiting = tokio::spawn(clients.send(HttpRequest { first_byte_timeout, ..server.request(1) }));
    tokio::time::sleep(first_byte_timeout + Duration::from_millis(200)).await;
    drop(held);
    assert_eq!(waiting.await.unwrap().unwrap().status, 200);
}
