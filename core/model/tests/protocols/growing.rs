//! A conversation that grows: each request begins with all of the one before, byte for byte, so that what the provider
//! cached of it is found again.

use lodger_model::{CACHE_MARKERS, ModelMessage};
use lodger_protocol::{Content, EndpointKind, Role};
use serde_json::{Value, json};

use crate::common::{KINDS, call, image, message, request, result, user, written};

/// The requests of twelve turns. In each the model calls twice, in one reply, and then answers.
fn requests() -> Vec<Vec<ModelMessage>> {
    let mut conversation = Vec::new();
    let mut requests = Vec::new();
    for turn in 0..12 {
        let ids = [format!("a{turn}"), format!("b{turn}")];
        conversation.push(user(&format!("Prompt {turn}")));
        requests.push(conversation.clone());
        let calls = ids.iter().map(|id| call(id, "read", json!({ "path": id })));
        let said = std::iter::once(Content::text("I look.")).chain(calls).collect();
        conversation.push(message(Role::Assistant, said));
        let results = [
            result(&ids[0], vec![Content::text("out"), image()], turn % 3 == 0),
            result(&ids[1], vec![], turn % 2 == 0),
        ];
        conversation.push(message(Role::User, results.into()));
        requests.push(conversation.clone());
        conversation.push(message(Role::Assistant, vec![Content::text(format!("Answer {turn}"))]));
    }
    requests
}

fn messages(body: &Value) -> &Vec<Value> {
    ["messages", "input", "contents"].into_iter().find_map(|name| body[name].as_array()).unwrap()
}

/// The body without its marks, and the places of the marks, as texts of the blocks that end there.
fn unmarked(mut body: Value) -> (Value, Vec<usize>) {
    let mut marked = Vec::new();
    let mut place = 0;
    for list in ["tools", "system"] {
        for block in body[list].as_array_mut().into_iter().flatten() {
            take_mark(block, &mut place, &mut marked);
        }
    }
    for message in body["messages"].as_array_mut().into_iter().flatten() {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            take_mark(block, &mut place, &mut marked);
        }
    }
    (body, marked)
}

fn take_mark(block: &mut Value, place: &mut usize, marked: &mut Vec<usize>) {
    *place += 1;
    if block.as_object_mut().unwrap().remove("cache_control").is_some() {
        marked.push(*place);
    }
}

#[test]
fn each_request_begins_with_the_one_before() {
    for kind in KINDS {
        let bodies: Vec<_> =
            requests().into_iter().map(|messages| unmarked(written(kind, "m", &request(messages))).0).collect();
        for pair in bodies.windows(2) {
            let (before, after) = (messages(&pair[0]), messages(&pair[1]));
            assert!(after.len() > before.len() && after.starts_with(before), "{kind:?}: {before:#?}\n{after:#?}");
            assert_eq!((&pair[0]["tools"], &pair[0]["system"]), (&pair[1]["tools"], &pair[1]["system"]));
        }
    }
}

#[test]
fn where_one_request_was_marked_last_the_next_is_marked_too_and_so_reads_all_of_it() {
    let bodies = requests().into_iter().map(|messages| written(EndpointKind::Anthropic, "m", &request(messages)));
    let marks: Vec<_> = bodies.map(|body| unmarked(body).1).collect();
    assert_eq!(marks.len(), 24);
    for pair in marks.windows(2) {
        let written = pair[0].last().unwrap();
        assert!(pair[1].contains(written) && pair[1].last() > Some(written), "{pair:?}");
        assert!(pair[1].len() <= CACHE_MARKERS, "{pair:?}");
    }
}
