//! When a credential is renewed, and for how many at once.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::*;

/// Gives out `token-1`, `token-2`, ..., each when it may.
struct Counting {
    made: AtomicUsize,
    may: Semaphore,
    expires_at: Option<u64>,
    only_once: bool,
}

impl Counting {
    fn plain(expires_at: Option<u64>) -> Self {
        Self { made: AtomicUsize::new(0), may: Semaphore::new(100), expires_at, only_once: false }
    }

    fn new(expires_at: Option<u64>) -> Arc<Self> {
        Arc::new(Self::plain(expires_at))
    }
}

struct Shown(Arc<Counting>);

impl Issuer for Shown {
    fn issue(&self, _: Option<Secret>) -> BoxFuture<'static, Result<Credential>> {
        let counting = Arc::clone(&self.0);
        async move {
            let number = counting.made.fetch_add(1, Ordering::SeqCst) + 1;
            let _may = counting.may.acquire().await;
            if counting.only_once && number > 1 {
                return Err(failed("no luck"));
            }
            Ok(Credential::bearer(format!("token-{number}").into(), counting.expires_at))
        }
        .boxed()
    }
}

const NOW: u64 = 1_000_000_000;
/// Milliseconds.
const HOUR: u64 = 3_600_000;

#[derive(Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn now_ms(&self) -> u64 {
        NOW + self.0.load(Ordering::SeqCst)
    }
}

fn renewing(issuer: &Arc<Counting>) -> (Arc<Renewing>, Arc<Hand>) {
    let hand = Arc::new(Hand::default());
    let renewing = Renewing { clock: Arc::clone(&hand) as _, ..Renewing::new(Arc::new(Shown(Arc::clone(issuer)))) };
    (Arc::new(renewing), hand)
}

async fn current(renewing: &Renewing) -> String {
    renewing.current().await.unwrap().secret.expose().to_owned()
}

#[tokio::test]
async fn one_is_made_however_many_ask_at_once() {
    let issuer = Counting::new(None);
    let held = issuer.may.acquire_many(100).await.unwrap();
    let (renewing, _) = renewing(&issuer);
    let asking: Vec<_> = (0..50)
        .map(|_| {
            let renewing = Arc::clone(&renewing);
            tokio::spawn(async move { current(&renewing).await })
        })
        .collect();
    tokio::task::yield_now().await;
    drop(held);
    for asked in asking {
        assert_eq!(asked.await.unwrap(), "token-1");
    }
    assert_eq!(issuer.made.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_is_renewed_ahead_of_its_end_and_not_before() {
    let (renewing, hand) = renewing(&Counting::new(Some(NOW + HOUR)));
    assert_eq!(current(&renewing).await, "token-1");
    hand.0.store(HOUR - AHEAD_MS - 1, Ordering::SeqCst);
    assert_eq!(current(&renewing).await, "token-1");
    hand.0.store(HOUR - AHEAD_MS, Ordering::SeqCst);
    assert_eq!(current(&renewing).await, "token-2");
}

#[tokio::test]
async fn a_short_lived_one_is_used_for_most_of_its_life() {
    let (renewing, hand) = renewing(&Counting::new(Some(NOW + 60_000)));
    assert_eq!(current(&renewing).await, "token-1");
    hand.0.store(44_999, Ordering::SeqCst);
    assert_eq!(current(&renewing).await, "token-1");
    hand.0.store(45_000, Ordering::SeqCst);
    assert_eq!(current(&renewing).await, "token-2");
}

#[tokio::test]
async fn many_refusals_of_the_same_one_renew_it_once() {
    let issuer = Counting::new(None);
    let (renewing, _) = renewing(&issuer);
    let refused = renewing.current().await.unwrap().secret;
    for _ in 0..10 {
        let other = renewing.after_refusal(&refused).await.unwrap().unwrap();
        assert_eq!(other.secret.expose(), "token-2");
    }
    assert_eq!(issuer.made.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn one_that_cannot_be_renewed_is_used_to_its_end() {
    let (renewing, hand) = renewing(&Arc::new(Counting { only_once: true, ..Counting::plain(Some(NOW + HOUR)) }));
    let first = renewing.current().await.unwrap();
    hand.0.store(HOUR - 1, Ordering::SeqCst);
    assert_eq!(renewing.current().await.unwrap(), first);
    assert!(renewing.after_refusal(&first.secret).await.is_err(), "it was refused");
    hand.0.store(HOUR, Ordering::SeqCst);
    assert!(renewing.current().await.is_err());
}

#[tokio::test]
async fn a_renewal_goes_on_when_the_one_who_asked_gives_up() {
    let issuer = Counting::new(None);
    let held = issuer.may.acquire_many(100).await.unwrap();
    let (renewing, _) = renewing(&issuer);
    let asking = tokio::time::timeout(Duration::from_millis(20), renewing.current()).await;
    assert!(asking.is_err());
    drop(held);
    assert_eq!(current(&renewing).await, "token-1");
}
