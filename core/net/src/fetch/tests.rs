//! What a host that fetches itself can rely on.

use std::time::Duration;

use super::*;
use crate::{Method, Queued};

/// Keeps what it gets.
#[derive(Default)]
struct Kept {
    fetches: Mutex<Vec<Arc<Fetch>>>,
    changes: AtomicU64,
}

impl Fetcher for Kept {
    fn fetch(&self, fetch: Arc<Fetch>) {
        self.fetches.lock().unwrap().push(fetch);
    }

    fn changed(&self, _: &Arc<Fetch>) {
        self.changes.fetch_add(1, Ordering::SeqCst);
    }
}

fn request() -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: "https://acme.test/v1".to_owned(),
        headers: vec![("x-api-key".to_owned(), "sk-secret".to_owned())],
        body: Bytes::from_static(b"{}"),
        queued: Queued::at_most(Duration::from_secs(9)),
        connect_timeout: Duration::from_secs(9),
        first_byte_timeout: Duration::from_secs(60),
    }
}

/// A request under way, and the host's end of it.
async fn sent(kept: &Arc<Kept>) -> (tokio::task::JoinHandle<Result<HttpResponse>>, Arc<Fetch>) {
    let transport = HostFetch::new(Arc::clone(kept) as _);
    let sending = tokio::spawn(transport.send(request()));
    loop {
        if let Some(fetch) = kept.fetches.lock().unwrap().last() {
            return (sending, Arc::clone(fetch));
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn what_the_host_says_is_the_answer() {
    let (sending, fetch) = sent(&Arc::default()).await;
    assert_eq!(fetch.request().body, "{}");
    assert_eq!(fetch.respond(200, vec![("Content-Type".to_owned(), "text/plain".to_owned())]).unwrap(), Flow::More);
    let mut answer = sending.await.unwrap().unwrap();
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain")));
    for piece in ["one", "two"] {
        fetch.push(Bytes::from_static(piece.as_bytes())).unwrap();
        assert_eq!(answer.body.next().await.unwrap().unwrap(), piece);
    }
    fetch.end();
    assert!(answer.body.next().await.is_none());
}

#[tokio::test]
async fn a_full_body_asks_the_host_to_wait_and_tells_it_when_to_go_on() {
    let kept = Arc::default();
    let (sending, fetch) = sent(&kept).await;
    fetch.respond(200, Vec::new()).unwrap();
    let mut answer = sending.await.unwrap().unwrap();
    let piece = Bytes::from(vec![0; MAX_WAITING * 2 / 3]);
    assert_eq!(fetch.push(piece.clone()).unwrap(), Flow::More);
    assert_eq!(fetch.push(piece.slice(..MAX_WAITING / 3 + 1)).unwrap(), Flow::Wait);
    assert_eq!(fetch.flow(), Flow::Wait);
    answer.body.next().await.unwrap().unwrap();
    assert_eq!((kept.changes.load(Ordering::SeqCst), fetch.flow()), (1, Flow::More));
    fetch.end();
    assert_eq!(fetch.flow(), Flow::GivenUp);
}

#[tokio::test]
async fn a_host_that_does_not_wait_is_cut_off() {
    let (sending, fetch) = sent(&Arc::default()).await;
    fetch.respond(200, Vec::new()).unwrap();
    let answer = sending.await.unwrap().unwrap();
    let piece = Bytes::from(vec![0; MAX_WAITING]);
    let pushed = (0..64).map(|_| fetch.push(piece.clone())).find(|flow| !matches!(flow, Ok(Flow::Wait)));
    assert_eq!(pushed.unwrap().unwrap(), Flow::GivenUp);
    let last = answer.body.collect::<Vec<_>>().await.pop().unwrap();
    assert_eq!(last.unwrap_err().code, ErrorCode::ProviderStreamCut);
}

#[tokio::test]
async fn empty_pieces_fill_a_body_too_and_a_huge_one_passes_alone() {
    let (sending, fetch) = sent(&Arc::default()).await;
    fetch.respond(200, Vec::new()).unwrap();
    let mut answer = sending.await.unwrap().unwrap();
    assert_eq!(fetch.push(Bytes::from(vec![0; MAX_OVERRUN + 1])).unwrap(), Flow::Wait);
    assert_eq!(answer.body.next().await.unwrap().unwrap().len(), MAX_OVERRUN + 1);
    let waits = (0..MAX_WAITING).position(|_| fetch.push(Bytes::new()).unwrap() == Flow::Wait);
    assert!(waits.is_some_and(|pieces| pieces < MAX_WAITING / 32), "{waits:?}");
}

#[tokio::test]
async fn an_answer_that_nobody_wants_is_given_up() {
    let kept: Arc<Kept> = Arc::default();
    let (sending, fetch) = sent(&kept).await;
    fetch.respond(200, Vec::new()).unwrap();
    drop(sending.await.unwrap().unwrap());
    assert!(fetch.is_given_up() && kept.changes.load(Ordering::SeqCst) == 1);
    assert_eq!(fetch.push(Bytes::from_static(b"late")).unwrap(), Flow::GivenUp);
}

#[tokio::test]
async fn a_request_that_is_aborted_before_its_answer_is_given_up() {
    let (sending, fetch) = sent(&Arc::default()).await;
    sending.abort();
    assert!(sending.await.unwrap_err().is_cancelled());
    assert!(fetch.is_given_up());
}

#[tokio::test]
async fn a_failure_is_named_by_when_it_came() {
    let (sending, fetch) = sent(&Arc::default()).await;
    fetch.fail("no route");
    fetch.fail("again");
    let error = sending.await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::ProviderUnavailable);
    assert!(error.message.ends_with("failed: no route"), "{}", error.message);

    let (sending, fetch) = sent(&Arc::default()).await;
    fetch.respond(200, Vec::new()).unwrap();
    let mut answer = sending.await.unwrap().unwrap();
    fetch.fail("reset");
    assert_eq!(answer.body.next().await.unwrap().unwrap_err().code, ErrorCode::ProviderStreamCut);
    assert!(answer.body.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_never_answers_runs_into_the_limit() {
    let (sending, fetch) = sent(&Arc::default()).await;
    let error = sending.await.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::Timeout);
    assert!(fetch.is_given_up());
}

#[tokio::test]
async fn a_head_that_is_none_ends_the_request_for_good() {
    let long = vec![("x".to_owned(), "y".repeat(MAX_HEADER_BYTES))];
    for (status, headers, named) in [(99, Vec::new(), "status 99"), (200, long, "headers")] {
        let (sending, fetch) = sent(&Arc::default()).await;
        assert_eq!(fetch.respond(status, headers).unwrap_err().code, ErrorCode::InvalidInput);
        let error = sending.await.unwrap().unwrap_err();
        assert!(error.code == ErrorCode::InvalidInput && !error.retryable, "{error:?}");
        assert!(error.message.contains(named), "{}", error.message);
    }
}

#[tokio::test]
async fn a_body_that_is_none_ends_the_answer_for_good() {
    let (sending, fetch) = sent(&Arc::default()).await;
    fetch.respond(200, Vec::new()).unwrap();
    let mut answer = sending.await.unwrap().unwrap();
    fetch.misfit("a number; expected bytes");
    fetch.fail("later");
    let error = answer.body.next().await.unwrap().unwrap_err();
    assert!(error.code == ErrorCode::InvalidInput && !error.retryable, "{error:?}");
    assert!(error.message.ends_with("a number; expected bytes"), "{}", error.message);
}

#[tokio::test]
async fn what_is_out_of_order_is_refused() {
    let (_sending, fetch) = sent(&Arc::default()).await;
    assert_eq!(fetch.push(Bytes::new()).unwrap_err().code, ErrorCode::InvalidInput);
    fetch.respond(200, Vec::new()).unwrap();
    assert!(fetch.respond(200, Vec::new()).is_err());
    fetch.end();
    assert!(fetch.push(Bytes::new()).is_err());
}

#[test]
fn printing_a_fetch_shows_no_credential() {
    let fetch = Fetch { id: 1, request: request(), state: Mutex::default(), told: Notify::new() };
    assert!(!format!("{fetch:?}").contains("sk-secret"));
}
