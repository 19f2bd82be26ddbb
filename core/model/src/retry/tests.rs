//! What is sent again, when, and how often.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use lodger_protocol::{Content, ErrorCode, StopReason, Usage};

use super::*;
use crate::{RETRY_TIME, Reply};

fn failed(error: Error) -> ModelEvent {
    let partial = Reply { content: Vec::new(), stop_reason: StopReason::Error, usage: Usage::default() };
    ModelEvent::Failed { error, partial }
}

fn finished() -> ModelEvent {
    let content = vec![Content::text("Hi")];
    ModelEvent::Finished(Reply { content, stop_reason: StopReason::EndTurn, usage: Usage::default() })
}

fn overloaded() -> Error {
    Error::new(ErrorCode::ProviderOverloaded, "too much to do")
}

fn asks(wait_ms: u64) -> Error {
    Error::new(ErrorCode::ProviderRateLimited, "slow down").with_retry_after_ms(Some(wait_ms))
}

/// Plays these attempts, the last one again and again. Returns the events, and the attempts that were opened.
async fn play(max_retries: u32, attempts: Vec<Vec<ModelEvent>>) -> (Vec<ModelEvent>, Vec<u32>) {
    play_for(RETRY_TIME, max_retries, attempts).await
}

/// The same in so much time.
async fn play_for(time: Duration, max_retries: u32, attempts: Vec<Vec<ModelEvent>>) -> (Vec<ModelEvent>, Vec<u32>) {
    let opened = Arc::new(Mutex::new(Vec::new()));
    let opening = Arc::clone(&opened);
    let open = move |attempt: u32| {
        opening.lock().unwrap().push(attempt);
        let place = attempts.len().min(attempt as usize) - 1;
        stream::iter(attempts[place].clone()).boxed()
    };
    let events = retrying(max_retries, time, open, |_, _| {}).collect().await;
    let opened = opened.lock().unwrap().clone();
    (events, opened)
}

fn delays(events: &[ModelEvent]) -> Vec<Duration> {
    events
        .iter()
        .filter_map(|event| match event {
            ModelEvent::Retry { delay, .. } => Some(*delay),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_failure_before_any_output_is_tried_again_and_told() {
    let (events, opened) = play(4, vec![vec![failed(overloaded())], vec![finished()]]).await;
    assert_eq!(opened, [1, 2]);
    let ModelEvent::Retry { attempt, max_attempts, error, .. } = &events[0] else { panic!("{events:?}") };
    assert_eq!((*attempt, *max_attempts, error.code), (1, 5, ErrorCode::ProviderOverloaded));
    assert_eq!(events[1..], [finished()]);
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_the_last_failure_after_so_many_retries() {
    let (events, opened) = play(2, vec![vec![failed(overloaded())]]).await;
    assert_eq!(opened, [1, 2, 3]);
    assert_eq!((events.len(), events.last()), (3, Some(&failed(overloaded()))));
    assert_eq!(play(0, vec![vec![failed(overloaded())]]).await.1, [1]);
}

#[tokio::test(start_paused = true)]
async fn waits_grow_and_are_never_alike() {
    let (events, _) = play(6, vec![vec![failed(overloaded())]]).await;
    let delays = delays(&events);
    for (place, delay) in delays.iter().enumerate() {
        let least = FIRST_WAIT * 2_u32.pow(u32::try_from(place).unwrap());
        assert!((least..=least * 2).contains(delay), "{place}: {delay:?}");
    }
    let start = Instant::now();
    play(1, vec![vec![failed(overloaded())]]).await;
    assert!(start.elapsed() >= FIRST_WAIT);
}

#[tokio::test(start_paused = true)]
async fn the_providers_wait_holds_where_it_is_longer() {
    let wait = Duration::from_secs(20);
    let (events, _) = play(1, vec![vec![failed(asks(20_000))], vec![finished()]]).await;
    assert_eq!(delays(&events), [wait]);
    let (events, _) = play(1, vec![vec![failed(asks(1))], vec![finished()]]).await;
    assert!(delays(&events)[0] >= FIRST_WAIT);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_asks_for_too_much_is_not_asked_again() {
    let (events, opened) = play(4, vec![vec![failed(asks(3_600_000))]]).await;
    assert_eq!((events, opened), (vec![failed(asks(3_600_000))], vec![1]));
}

#[tokio::test(start_paused = true)]
async fn all_attempts_together_have_their_time() {
    let (_, opened) = play(1000, vec![vec![failed(asks(100_000))]]).await;
    assert_eq!(opened.len(), 7, "no attempt begins after 600 seconds");
    let (_, opened) = play_for(Duration::from_secs(250), 1000, vec![vec![failed(asks(100_000))]]).await;
    assert_eq!(opened.len(), 3, "what other models have taken is not there any more");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_again_after_any_output() {
    for output in [ModelEvent::TextDelta("Hi".to_owned()), ModelEvent::ThinkingDelta("Hm".to_owned())] {
        let attempt = vec![ModelEvent::Usage(Usage::default()), output, failed(overloaded())];
        assert_eq!(play(4, vec![attempt.clone()]).await, (attempt, vec![1]));
    }
}

#[tokio::test(start_paused = true)]
async fn what_would_fail_again_is_not_sent_again() {
    for code in [
        ErrorCode::ProviderAuth,
        ErrorCode::ProviderRejected,
        ErrorCode::ContextOverflow,
        ErrorCode::ProviderMalformed,
        ErrorCode::Internal,
    ] {
        assert_eq!(play(4, vec![vec![failed(Error::new(code, "no"))]]).await.1, [1], "{code}");
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_the_stream_ends_the_wait() {
    let open = |_| stream::iter([failed(asks(60_000))]).boxed();
    let mut events = Box::pin(retrying(4, RETRY_TIME, open, |_, _| {}));
    assert!(matches!(events.next().await, Some(ModelEvent::Retry { .. })));
    assert!(events.next().now_or_never().is_none());
    let start = Instant::now();
    drop(events);
    assert_eq!(start.elapsed(), Duration::ZERO);
}
