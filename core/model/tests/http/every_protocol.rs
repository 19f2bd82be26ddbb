//! Every protocol over real sockets, against a server that checks each request and speaks in the ways of many.

use std::sync::Arc;

use futures_util::StreamExt;
use lodger_kit::{FaultRule, MockOptions, MockServer, Quirk, WireFault};
use lodger_model::{ModelEvent, ModelMessage, ModelRequest, Reply};
use lodger_protocol::{Content, EndpointKind, ErrorCode, Limits, Role, StopReason, ToolSpec};
use serde_json::json;

use crate::{KEY, ask, model_of, once, request, script, serve};

const KINDS: [EndpointKind; 4] =
    [EndpointKind::Anthropic, EndpointKind::OpenaiChat, EndpointKind::OpenaiResponses, EndpointKind::Gemini];

pub(crate) fn steps() -> lodger_model::scripted::Script {
    script(json!({
        "steps": [{
            "reply": [
                { "type": "thinking", "text": "Let me see.", "chunks": 2, "signature": "c2ln" },
                { "type": "text", "text": ["Grü", "ße 🌍"] },
                { "type": "tool_call", "toolName": "read", "input": { "path": "a" }, "chunks": 3 },
                { "type": "tool_call", "toolName": "read", "input": { "path": "b" }, "chunks": 2 },
            ],
            "usage": { "inputTokens": 7, "outputTokens": 5 },
        }, {
            "reply": [{ "type": "text", "text": "Done." }],
            "usage": { "inputTokens": 9, "outputTokens": 2 },
        }],
        "after": "last",
    }))
}

/// What a reply says, whatever the ids, the signatures, the blank text before calls and the parts of a text.
pub(crate) fn said(reply: &Reply) -> (Vec<String>, StopReason) {
    let mut content: Vec<String> = Vec::new();
    let mut after_text = false;
    for block in &reply.content {
        let is_text = matches!(block, Content::Text { .. });
        match (block, content.last_mut()) {
            (Content::Text { text }, _) if text.trim().is_empty() => continue,
            (Content::Text { text }, Some(before)) if after_text => before.push_str(text),
            (Content::Text { text }, _) => content.push(text.clone()),
            (Content::Thinking { text, .. }, _) if text.is_empty() => continue,
            (Content::Thinking { text, .. }, _) => content.push(format!("thinks {text}")),
            (Content::ToolCall { tool_name, input, .. }, _) => content.push(format!("calls {tool_name} {input}")),
            (other, _) => panic!("{other:?}"),
        }
        after_text = is_text;
    }
    (content.iter().map(|block| block.trim().to_owned()).collect(), reply.stop_reason)
}

pub(crate) fn expected() -> (Vec<String>, StopReason) {
    let content = ["thinks Let me see.", "Grüße 🌍", "calls read {\"path\":\"a\"}", "calls read {\"path\":\"b\"}"]
        .map(str::to_owned);
    (content.into(), StopReason::ToolUse)
}

/// The request after a reply, with a result for each of its calls.
pub(crate) fn follow_up(reply: &Reply, name: &str) -> ModelRequest {
    let results = reply.content.iter().filter_map(|block| match block {
        Content::ToolCall { tool_call_id, .. } => Some(Content::ToolResult {
            tool_call_id: tool_call_id.clone(),
            content: vec![
                Content::text("out"),
                Content::Image { mime_type: "image/png".to_owned(), data: "aGk=".to_owned() },
            ],
            is_error: false,
        }),
        _ => None,
    });
    let results = ModelMessage { role: Role::User, content: results.collect(), model: None };
    let said = ModelMessage { role: Role::Assistant, content: reply.content.clone(), model: Some(name.to_owned()) };
    let tool = ToolSpec {
        name: "read".to_owned(),
        description: "Reads.".to_owned(),
        input_schema: Arc::new(json!({ "type": "object", "properties": { "path": { "type": "string" } } })),
    };
    let mut request = request();
    request.messages.extend([said, results]);
    request.tools = vec![tool].into();
    request
}

#[tokio::test]
async fn a_reply_arrives_and_its_results_are_accepted() {
    for kind in KINDS {
        let options = MockOptions { api_key: Some(KEY.to_owned()), ..MockOptions::default() };
        let server = MockServer::start_with(steps(), options).unwrap();
        let model = model_of(kind, server.base_url(), &once());
        let reply = ask(&model).await.1.unwrap();
        assert_eq!(said(&reply), expected(), "{kind:?}");
        assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (Some(7), Some(5)), "{kind:?}");
        // By the model that wrote it, and by another.
        for name in [model.name(), "other/model"] {
            let events: Vec<_> = model.stream(follow_up(&reply, name)).collect().await;
            let Some(ModelEvent::Finished(answer)) = events.last() else { panic!("{kind:?}: {events:?}") };
            assert_eq!(answer.content.last(), Some(&Content::text("Done.")), "{kind:?}");
        }
    }
}

#[tokio::test]
async fn the_shapes_of_real_servers_change_nothing() {
    let all = [
        Quirk::IdInEveryPiece,
        Quirk::NoIndex,
        Quirk::SharedIndex,
        Quirk::NoCallIds,
        Quirk::WholeInput,
        Quirk::BlankText,
        Quirk::NoUsage,
        Quirk::UsageEverywhere,
        Quirk::PlainFinish,
        Quirk::DoneMarker,
        Quirk::ReasoningWord,
        Quirk::Nulls,
        Quirk::KeepAlive,
        Quirk::Cr,
        Quirk::Crlf,
        Quirk::ByteOrderMark,
        Quirk::NoSpace,
        Quirk::SplitData,
        Quirk::NoNames,
    ];
    let alone = all.iter().map(|quirk| vec![*quirk]);
    let together = [
        vec![Quirk::NoCallIds, Quirk::NoIndex, Quirk::BlankText, Quirk::Nulls, Quirk::Cr],
        vec![Quirk::IdInEveryPiece, Quirk::SharedIndex, Quirk::UsageEverywhere, Quirk::KeepAlive, Quirk::SplitData],
    ];
    for quirks in alone.chain(together) {
        for kind in KINDS {
            let options = MockOptions { quirks: quirks.clone(), ..MockOptions::default() };
            let server = MockServer::start_with(steps(), options).unwrap();
            let reply = ask(&model_of(kind, server.base_url(), &once())).await.1;
            match reply {
                Ok(reply) => assert_eq!(said(&reply), expected(), "{kind:?} {quirks:?}"),
                Err((error, _)) => panic!("{kind:?} {quirks:?}: {error}"),
            }
        }
    }
}

#[tokio::test]
async fn chat_completions_need_a_reason_or_the_end_marker_but_not_both() {
    for quirk in [Quirk::NoFinish, Quirk::NoTerminator] {
        let options = MockOptions { quirks: vec![quirk], ..MockOptions::default() };
        let server = MockServer::start_with(steps(), options).unwrap();
        let reply = ask(&model_of(EndpointKind::OpenaiChat, server.base_url(), &once())).await.1.unwrap();
        assert_eq!(said(&reply), expected(), "{quirk:?}");
    }
}

#[tokio::test]
async fn a_reply_that_breaks_at_any_byte_has_one_end_and_no_invented_call() {
    for kind in KINDS {
        let whole = serve(steps(), vec![]);
        let reply = ask(&model_of(kind, whole.base_url(), &once())).await.1.unwrap();
        let calls =
            |reply: &Reply| said(reply).0.into_iter().filter(|block| block.starts_with("calls")).collect::<Vec<_>>();
        for after_bytes in (0..4000).step_by(211) {
            let server = serve(steps(), vec![FaultRule::always(WireFault::Cut { after_bytes })]);
            match ask(&model_of(kind, server.base_url(), &once())).await.1 {
                Ok(cut) => assert_eq!(said(&cut), said(&reply), "{kind:?} after {after_bytes}"),
                Err((error, partial)) => {
                    assert_eq!(error.code, ErrorCode::ProviderStreamCut, "{kind:?} after {after_bytes}: {error}");
                    assert!(calls(&partial).iter().all(|call| calls(&reply).contains(call)), "{partial:?}");
                }
            }
        }
    }
}

#[tokio::test]
async fn an_overload_before_any_output_is_tried_again_and_one_after_is_not() {
    for kind in KINDS {
        let overload =
            |after_events| WireFault::Error { after_events, code: ErrorCode::ProviderOverloaded, message: None };
        let server = serve(steps(), vec![FaultRule::on(1, overload(0))]);
        let model = model_of(kind, server.base_url(), &Limits::default());
        let events: Vec<_> = model.stream(request()).collect().await;
        let retries: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                ModelEvent::Retry { attempt, max_attempts, error, .. } => Some((*attempt, *max_attempts, error.code)),
                _ => None,
            })
            .collect();
        assert_eq!(retries, [(1, 5, ErrorCode::ProviderOverloaded)], "{kind:?}");
        let Some(ModelEvent::Finished(reply)) = events.last() else { panic!("{kind:?}: {events:?}") };
        assert_eq!(said(reply), expected(), "{kind:?}");
        assert_eq!(server.stats().requests, 2);

        let server = serve(steps(), vec![FaultRule::on(1, overload(if kind == EndpointKind::Gemini { 3 } else { 8 }))]);
        let (events, end) = ask(&model_of(kind, server.base_url(), &Limits::default())).await;
        let (error, partial) = end.unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderOverloaded, "{kind:?}");
        assert!(!events.is_empty() && !partial.content.is_empty(), "{kind:?}: {events:?}");
        assert_eq!(server.stats().requests, 1, "{kind:?}");
    }
}

#[tokio::test]
async fn what_no_client_knows_is_passed_over_and_what_is_no_frame_is_malformed() {
    for kind in KINDS {
        let play = |fault| serve(steps(), vec![FaultRule::always(fault)]);
        let server = play(WireFault::Unknown { after_events: 2 });
        assert_eq!(said(&ask(&model_of(kind, server.base_url(), &once())).await.1.unwrap()), expected(), "{kind:?}");
        let server = play(WireFault::Malformed { after_events: 2 });
        let (error, _) = ask(&model_of(kind, server.base_url(), &once())).await.1.unwrap_err();
        assert_eq!(error.code, ErrorCode::ProviderMalformed, "{kind:?}");
    }
}

#[tokio::test]
async fn each_code_has_one_meaning_in_every_protocol() {
    for kind in KINDS {
        for code in [
            ErrorCode::ProviderAuth,
            ErrorCode::ProviderRateLimited,
            ErrorCode::ProviderOverloaded,
            ErrorCode::ProviderUnavailable,
            ErrorCode::ProviderRejected,
            ErrorCode::ContextOverflow,
        ] {
            for after_parts in [0, 1] {
                let fault = json!({ "type": "error", "code": code, "afterParts": after_parts, "message":
                    if code == ErrorCode::ProviderOverloaded { "The model is overloaded." } else { "x" } });
                let mut step = json!({ "reply": [{ "type": "text", "text": "So far" }], "fault": fault });
                if code == ErrorCode::ContextOverflow {
                    step["fault"].as_object_mut().unwrap().remove("message");
                }
                let server = serve(script(json!({ "steps": [step] })), vec![]);
                let (error, _) = ask(&model_of(kind, server.base_url(), &once())).await.1.unwrap_err();
                assert_eq!(error.code, code, "{kind:?} after {after_parts}: {error}");
            }
        }
    }
}
