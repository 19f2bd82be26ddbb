//! Providers that serve a protocol in a form of their own, as the catalogue has it, over real sockets.

use std::sync::Arc;

use futures_util::StreamExt;
use lodger_kit::{FaultRule, MockOptions, MockServer, Platform, WireFault, bedrock_frames};
use lodger_model::auth::Credentials;
use lodger_model::{Model, ModelEvent, ModelSource};
use lodger_protocol::{Environment, ErrorCode, Limits, Usage};
use serde_json::{Value, json};

use crate::every_protocol::{expected, follow_up, said, steps};
use crate::{KEY, ask, failure, hello, nowhere, once, request, script, serve};

/// Claude at both, and the head of a request to it.
const CLAUDES: [(Platform, &str, &str); 2] = [
    (
        Platform::Bedrock,
        "bedrock/global.anthropic.claude-opus-4-6-v1:0",
        "POST /model/global.anthropic.claude-opus-4-6-v1%3A0/invoke-with-response-stream\n",
    ),
    (
        Platform::Vertex,
        "vertex/claude-opus-4-6@20260101",
        "POST /v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-6@20260101:streamRawPredict\n",
    ),
];

/// The model of that name at the server, with a token of the host.
fn model_at(server: &MockServer, name: &str, token: &str, limits: Limits) -> Arc<dyn Model> {
    let provider = name.split('/').next().unwrap().to_owned();
    let base_url = match provider.as_str() {
        "vertex" => format!("{}/v1/projects/p/locations/l", server.base_url()),
        _ => server.base_url(),
    };
    let env = Environment::new([(format!("{}_BASE_URL", provider.to_ascii_uppercase()), base_url)]);
    let credentials = Credentials::Token { provider, token: token.into() };
    ModelSource { credentials, env, limits, ..nowhere() }.open(name).unwrap()
}

fn locked(script: lodger_model::scripted::Script) -> MockServer {
    MockServer::start_with(script, MockOptions { api_key: Some(KEY.to_owned()), ..MockOptions::default() }).unwrap()
}

#[tokio::test]
async fn claude_says_the_same_everywhere_and_takes_its_own_words_back() {
    for (platform, name, head) in CLAUDES {
        let server = locked(steps());
        let model = model_at(&server, name, KEY, once());
        let reply = ask(&model).await.1.unwrap();
        assert_eq!(said(&reply), expected(), "{platform:?}");
        assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (Some(7), Some(5)), "{platform:?}");
        let events: Vec<_> = model.stream(follow_up(&reply, model.name())).collect().await;
        assert!(matches!(events.last(), Some(ModelEvent::Finished(_))), "{platform:?}: {events:?}");
        let stats = server.stats();
        assert!(
            stats.heads[0].starts_with(head) && stats.heads[0].contains(&format!("Bearer {KEY}")),
            "{}",
            stats.heads[0]
        );
    }
}

#[tokio::test]
async fn what_is_asked_of_claude_is_the_same_but_for_what_the_platform_names_elsewhere() {
    for (platform, name, _) in CLAUDES {
        let (server, mut asked) = (locked(hello()), request());
        asked.effort = lodger_protocol::Effort::High;
        let events: Vec<_> = model_at(&server, name, KEY, once()).stream(asked).collect().await;
        assert!(matches!(events.last(), Some(ModelEvent::Finished(_))), "{events:?}");
        let marker = json!({ "type": "ephemeral" });
        let mut body = json!({
            "anthropic_version": "bedrock-2023-05-31",
            "max_tokens": 100,
            "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi", "cache_control": marker }] }],
            "output_config": { "effort": "high" },
            "system": [{ "type": "text", "text": "Be brief.", "cache_control": marker }],
            "thinking": { "type": "adaptive", "display": "summarized" },
        });
        if platform == Platform::Vertex {
            body["anthropic_version"] = "vertex-2023-10-16".into();
            body["stream"] = true.into();
        }
        assert_eq!(server.stats().bodies[0], body, "{platform:?}");
    }
}

#[tokio::test]
async fn what_the_cache_saved_is_counted() {
    let usage = json!({ "inputTokens": 1, "outputTokens": 2, "cacheReadTokens": 3, "cacheWriteTokens": 4 });
    for (platform, name, _) in CLAUDES {
        let step = json!({ "reply": [{ "type": "text", "text": "Hi" }], "usage": usage });
        let server = locked(script(json!({ "steps": [step] })));
        let reply = ask(&model_at(&server, name, KEY, once())).await.1.unwrap();
        let expected: Usage = serde_json::from_value(usage.clone()).unwrap();
        assert_eq!(reply.usage, expected, "{platform:?}");
    }
}

#[tokio::test]
async fn a_reply_of_bedrock_that_breaks_at_any_byte_is_cut_and_invents_no_call() {
    let whole: usize = bedrock_frames(&steps(), 0, "m").iter().map(Vec::len).sum();
    for after_bytes in (0..whole - 1).step_by(97) {
        let server = serve(steps(), vec![FaultRule::always(WireFault::Cut { after_bytes })]);
        match ask(&model_at(&server, CLAUDES[0].1, KEY, once())).await.1 {
            Ok(reply) => assert_eq!(said(&reply), expected(), "after {after_bytes}"),
            Err((error, partial)) => {
                assert_eq!(error.code, ErrorCode::ProviderStreamCut, "after {after_bytes}: {error}");
                assert!(
                    said(&partial).0.iter().all(|block| expected().0[0].starts_with(block.as_str())
                        || expected().0.iter().any(|whole| whole.starts_with(block.as_str()))),
                    "{partial:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_bit_that_turns_over_anywhere_in_a_reply_of_bedrock_is_malformed() {
    // All but the last message, behind which nothing is read.
    let frames = bedrock_frames(&steps(), 0, "m");
    let most: usize = frames[..frames.len() - 1].iter().map(Vec::len).sum();
    for at_byte in (0..most).step_by(61) {
        let server = serve(steps(), vec![FaultRule::always(WireFault::Corrupt { at_byte })]);
        let error = failure(&model_at(&server, CLAUDES[0].1, KEY, once())).await;
        assert_eq!(error.code, ErrorCode::ProviderMalformed, "byte {at_byte}: {error}");
    }
}

#[tokio::test]
async fn each_code_has_one_meaning_on_every_platform() {
    for (platform, name, _) in CLAUDES {
        for code in [
            ErrorCode::ProviderAuth,
            ErrorCode::ProviderRateLimited,
            ErrorCode::ProviderOverloaded,
            ErrorCode::ProviderUnavailable,
            ErrorCode::ProviderRejected,
            ErrorCode::ContextOverflow,
        ] {
            let fault = WireFault::Error { after_events: 4, code, message: None };
            let server = serve(hello(), vec![FaultRule::always(fault)]);
            let error = failure(&model_at(&server, name, KEY, once())).await;
            assert_eq!(error.code, code, "{platform:?} within a stream: {error}");
        }
        for (status, code) in [
            (400, ErrorCode::ProviderRejected),
            (403, ErrorCode::ProviderAuth),
            (429, ErrorCode::ProviderRateLimited),
            (500, ErrorCode::ProviderUnavailable),
            (503, ErrorCode::ProviderUnavailable),
        ] {
            let fault = WireFault::Status { status, headers: Default::default(), body: None };
            let server = serve(hello(), vec![FaultRule::always(fault)]);
            let error = failure(&model_at(&server, name, KEY, once())).await;
            assert_eq!(error.code, code, "{platform:?} in place of one: {error}");
            assert!(error.message.contains("the fault says so"), "{error}");
        }
    }
}

#[tokio::test]
async fn an_exception_before_any_output_is_tried_again() {
    let overload = WireFault::Error { after_events: 0, code: ErrorCode::ProviderOverloaded, message: None };
    let server = serve(hello(), vec![FaultRule::on(1, overload)]);
    assert!(ask(&model_at(&server, CLAUDES[0].1, KEY, Limits::default())).await.1.is_ok());
    assert_eq!(server.stats().requests, 2);
}

#[tokio::test]
async fn a_token_of_codex_is_shown_with_the_account_that_it_names() {
    // {"https://api.openai.com/auth": {"chatgpt_account_id": "acc-1"}}
    let token = "e30.eyJodHRwczovL2FwaS5vcGVuYWkuY29tL2F1dGgiOnsiY2hhdGdwdF9hY2NvdW50X2lkIjoiYWNjLTEifX0.c2ln";
    for (token, account) in [(token, true), ("opaque", false)] {
        let server = serve(hello(), Vec::new());
        assert!(ask(&model_at(&server, "codex/gpt-6.1-sol", token, once())).await.1.is_ok());
        let stats = server.stats();
        let head = &stats.heads[0];
        assert!(head.starts_with("POST /responses\n") && head.contains("originator: lodger"), "{head}");
        assert!(head.contains(&format!("authorization: Bearer {token}")), "{head}");
        assert_eq!(head.contains("chatgpt-account-id: acc-1"), account, "{head}");
        let body = &stats.bodies[0];
        assert_eq!((&body["store"], body.get("max_output_tokens")), (&Value::Bool(false), None), "{body}");
    }
}

#[tokio::test]
async fn of_a_provider_that_lists_nothing_the_catalogue_says_what_it_offers() {
    let env = [("AWS_REGION", "eu-west-1"), ("AWS_BEARER_TOKEN_BEDROCK", KEY)];
    let env = Environment::new(env.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let listed = ModelSource { env, ..nowhere() }.list("bedrock").await.unwrap();
    assert!(listed.contains(&"global.anthropic.claude-sonnet-5-5".to_owned()), "{listed:?}");
    let credentials = Credentials::Token { provider: "codex".to_owned(), token: KEY.into() };
    let listed = ModelSource { credentials, ..nowhere() }.list("codex").await.unwrap();
    assert!(listed.contains(&"gpt-6.1-sol".to_owned()), "{listed:?}");
}

#[tokio::test]
async fn a_model_of_a_subscription_has_its_limits_but_no_price() {
    let model = model_at(&locked(hello()), "codex/gpt-6.1-sol", KEY, once());
    assert!(model.context_window().is_some());
    assert_eq!(model.cost(&Usage { input_tokens: Some(1), ..Usage::default() }), None);
}
