//! Each fault of the wire, in each protocol.

use std::io::Read;
use std::time::Duration;

use lodger_kit::{Protocol, WireFault};
use lodger_protocol::ErrorCode;

use super::{ask, body, faulty, frames, send, server};

fn whole(protocol: Protocol) -> String {
    ask(&server(Default::default()), protocol).body
}

#[test]
fn a_body_is_cut_reset_or_ended_after_exactly_so_many_bytes() {
    for protocol in Protocol::ALL {
        let whole = whole(protocol);
        for after_bytes in [0, 1, whole.len() / 2, whole.len() - 1] {
            for (fault, broken) in [
                (WireFault::Cut { after_bytes }, true),
                (WireFault::Reset { after_bytes }, true),
                (WireFault::End { after_bytes }, false),
            ] {
                let answer = ask(&faulty(fault.clone()), protocol);
                let expected = String::from_utf8_lossy(&whole.as_bytes()[..after_bytes]).into_owned();
                assert_eq!((answer.body, answer.broken), (expected, broken), "{protocol:?} {fault:?}");
            }
        }
    }
}

#[test]
fn a_connection_is_closed_without_a_word() {
    for protocol in Protocol::ALL {
        let answer = ask(&faulty(WireFault::Close), protocol);
        assert_eq!((answer.status, answer.head.as_str(), answer.broken), (0, "", true), "{protocol:?}");
    }
}

#[test]
fn a_claimed_length_cuts_a_longer_body_and_breaks_with_a_shorter() {
    for protocol in Protocol::ALL {
        let whole = whole(protocol);
        let short = ask(&faulty(WireFault::Length { claims: 70, after_bytes: None }), protocol);
        assert_eq!((short.body.as_str(), short.broken), (&whole[..70], false), "{protocol:?}");
        let long = ask(&faulty(WireFault::Length { claims: whole.len() + 9, after_bytes: None }), protocol);
        assert_eq!((long.body, long.broken), (whole.clone(), true), "{protocol:?}");
        let ended = ask(&faulty(WireFault::Length { claims: 999, after_bytes: Some(70) }), protocol);
        assert_eq!((ended.body.as_str(), ended.broken), (&whole[..70], true), "{protocol:?}");
    }
}

#[test]
fn a_trickle_says_the_same_in_pieces_of_any_size() {
    for protocol in Protocol::ALL {
        for bytes in [1, 7] {
            let answer = ask(&faulty(WireFault::Trickle { bytes, pause_ms: 0 }), protocol);
            assert_eq!((answer.body, answer.broken), (whole(protocol), false), "{protocol:?}");
        }
    }
}

#[test]
fn a_frame_is_put_in_and_the_rest_stays() {
    for protocol in Protocol::ALL {
        let all = frames(&whole(protocol)).len();
        for after_events in [0, 3] {
            let text = "data: {\"odd\":1}\n\n".to_owned();
            let inserted = ask(&faulty(WireFault::Insert { after_events, text }), protocol);
            assert_eq!(frames(&inserted.body)[after_events]["odd"], 1, "{protocol:?}");
            let unknown = ask(&faulty(WireFault::Unknown { after_events }), protocol);
            assert_eq!(frames(&unknown.body)[after_events]["rating"].as_object().unwrap()["stars"], 5, "{protocol:?}");
            for answer in [inserted, unknown] {
                assert_eq!((frames(&answer.body).len(), answer.broken), (all + 1, false), "{protocol:?}");
            }
            let malformed = ask(&faulty(WireFault::Malformed { after_events }), protocol);
            assert!(malformed.body.contains("data: {\"type\":\"half\",\"of\":\n\n"), "{protocol:?}");
            assert_eq!(frames(&malformed.body).len(), all, "{protocol:?}");
        }
    }
}

#[test]
fn an_error_in_the_stream_has_the_providers_own_form_and_ends_it() {
    for (protocol, code, sign) in [
        (Protocol::Anthropic, ErrorCode::ProviderOverloaded, r#""type":"overloaded_error""#),
        (Protocol::OpenaiChat, ErrorCode::ProviderOverloaded, r#""code":"server_is_overloaded""#),
        (Protocol::OpenaiResponses, ErrorCode::ProviderOverloaded, r#""code":"server_is_overloaded""#),
        (Protocol::Gemini, ErrorCode::ProviderOverloaded, r#""status": "UNAVAILABLE""#),
        (Protocol::Anthropic, ErrorCode::ProviderRateLimited, r#""type":"rate_limit_error""#),
        (Protocol::OpenaiChat, ErrorCode::ContextOverflow, r#""code":"context_length_exceeded""#),
        (Protocol::OpenaiResponses, ErrorCode::ProviderRateLimited, r#""code":"rate_limit_exceeded""#),
        (Protocol::Gemini, ErrorCode::ProviderRateLimited, r#""code": 429"#),
    ] {
        for after_events in [0, 2] {
            let message = Some("too busy".to_owned());
            let answer = ask(&faulty(WireFault::Error { after_events, code, message }), protocol);
            assert!(answer.body.contains(sign) && answer.body.contains("too busy"), "{protocol:?} {}", answer.body);
            let ended = !answer.body.contains("[DONE]") && !answer.body.contains("message_stop");
            assert!(!answer.broken && ended && frames(&answer.body).len() <= after_events + 1, "{protocol:?}");
        }
    }
}

#[test]
fn a_stall_sends_no_more_until_the_client_leaves() {
    for protocol in Protocol::ALL {
        let whole = whole(protocol);
        let stalled = faulty(WireFault::Stall { after_bytes: 40 });
        let mut socket = send(&stalled, protocol, &body(protocol));
        let mut raw = String::new();
        while !raw.contains(&whole[..40]) {
            let mut piece = [0; 512];
            let count = socket.read(&mut piece).unwrap();
            assert!(count > 0, "{protocol:?}: {raw}");
            raw.push_str(std::str::from_utf8(&piece[..count]).unwrap());
        }
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        assert!(socket.read(&mut [0; 512]).is_err(), "{protocol:?}: more came");
        assert!(!raw.contains(&whole[..41]), "{protocol:?}: {raw}");
    }
}
