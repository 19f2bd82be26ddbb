//! What holds for every trace, whatever its case.

use std::collections::BTreeMap;

use serde_json::Value;

/// Checks the rules and returns the events of each turn.
///
/// # Panics
/// When the trace breaks one.
pub(crate) fn check(events: &[Value]) -> Vec<&[Value]> {
    check_places(events);
    let turns: Vec<&[Value]> = events.split_inclusive(|event| event["type"] == "done").collect();
    for turn in &turns {
        let last = turn.last().expect("a turn has events");
        assert_eq!(last["type"], "done", "`done` is last");
        // A case that expected this would hide that its script was not played to the end.
        assert_ne!(last["error"]["code"], "provider_rejected", "the script expected something else: {last}");
        for event in *turn {
            assert_eq!(event["turnId"], last["turnId"], "`done` ends its turn, and nothing comes after it: {event}");
        }
        check_pairs(turn, "tool_call", "tool_result", "toolCallId");
        check_pairs(turn, "request_opened", "request_resolved", "requestId");
    }
    turns
}

/// What a turn came to is what its events say.
///
/// # Panics
/// When it is not.
pub(crate) fn check_results(turns: &[&[Value]], results: &[Value]) {
    assert_eq!(results.len(), turns.len(), "one result for each turn: {results:?}");
    for (turn, result) in turns.iter().zip(results) {
        let done = turn.last().expect("a turn has events");
        assert_eq!(result["reason"], done["reason"], "{result}");
        if done["reason"] == "error" {
            assert_eq!(result["error"]["code"], done["error"]["code"], "{result}");
            continue;
        }
        assert_eq!(result["structured"], done["structured"], "{result}");
        assert_eq!(result["usage"], done["usage"], "{result}");
        assert_eq!(result["text"], last_text(turn), "{result}");
    }
}

/// Versions are known, and places are dense: from 1, or from behind the history that a checkpoint brought along.
fn check_places(events: &[Value]) {
    let mut next: BTreeMap<&str, u64> = BTreeMap::new();
    for event in events {
        assert_eq!(event["v"], 1, "{event}");
        let (session, place) = (event["sessionId"].as_str(), event["seq"].as_u64());
        let (session, place) = (session.expect("events have a session"), place.expect("events have a place"));
        let is_first = next.is_empty();
        let expected = next.entry(session).or_insert(if is_first { 1 } else { place });
        assert_eq!(place, *expected, "seq is dense: {event}");
        *expected += 1;
    }
}

/// Each beginning has one end, and it comes later.
fn check_pairs(events: &[Value], begins: &str, ends: &str, key: &str) {
    let mut open: BTreeMap<String, bool> = BTreeMap::new();
    for event in events {
        let id = event[key].as_str().unwrap_or_default().to_owned();
        if event["type"] == begins {
            assert!(open.insert(id, true).is_none(), "{begins} twice: {event}");
        } else if event["type"] == ends {
            assert_eq!(open.insert(id, false), Some(true), "{ends} without an open {begins}: {event}");
        }
    }
    assert!(open.values().all(|open| !open), "every {begins} has its {ends}: {open:?}");
}

/// The text of the turn's last reply.
fn last_text(turn: &[Value]) -> String {
    let mut replies = turn.iter().filter(|event| event["type"] == "assistant_message");
    let blocks = replies.next_back().and_then(|reply| reply["content"].as_array()).map_or(&[][..], Vec::as_slice);
    blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str()).collect()
}
