//! What may be said to the model, what is remembered of it, and what it used.

use lodger::protocol::{Content, DoneReason, Prompt, Role, Usage};
use lodger::{Agent, ErrorCode};
use serde_json::{Value, json};

use crate::support::script::{calls, said, says, shell, step};
use crate::support::*;

/// The smallest PNG.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

fn image(mime_type: &str, data: &str) -> Content {
    Content::Image { mime_type: mime_type.to_owned(), data: data.to_owned() }
}

fn resource(uri: &str, text: &str) -> Content {
    Content::Resource { uri: uri.to_owned(), text: text.to_owned() }
}

/// What a provider is sent for a prompt: the blocks of the first message.
async fn sent(prompt: impl Into<Prompt>) -> Value {
    let server = server(&[says("ok")]);
    let agent = client(&server).create().unwrap();
    look::ended(&read(&mut agent.prompt(prompt).unwrap()).await, DoneReason::EndTurn);
    let body = server.stats().bodies[0].clone();
    look::valid(&body);
    body["messages"][0]["content"].clone()
}

/// The message of the error that a prompt meets; the agent is free afterwards.
#[track_caller]
fn refused(agent: &Agent, prompt: impl Into<Prompt>) -> String {
    let error = assert_code(agent.prompt(prompt), ErrorCode::InvalidInput);
    assert!(!agent.interrupt(), "no turn was started");
    error.message
}

fn idle() -> (Stage, Agent) {
    let stage = Stage::new();
    let agent = stage.agent(&[says("ok")]).create().unwrap();
    (stage, agent)
}

#[tokio::test]
async fn a_text_is_one_text_block() {
    let blocks = sent("hello").await;
    assert_eq!((blocks.as_array().unwrap().len(), &blocks[0]["text"]), (1, &json!("hello")));
}

#[tokio::test]
async fn blocks_arrive_in_order() {
    let blocks = sent(Prompt::Blocks(vec![
        Content::text("look"),
        image("image/png", PNG),
        resource("file:///notes \"a\".txt", "remember </resource> me"),
        Content::text("well"),
    ]))
    .await;
    let types: Vec<_> = blocks.as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["text", "image", "text", "text"]);
    assert_eq!(blocks[1]["source"]["data"], PNG);
    let named = blocks[2]["text"].as_str().unwrap();
    assert!(named.contains("notes &quot;a&quot;.txt") && named.contains("remember"), "{named}");
    assert_eq!(named.matches("</resource>").count(), 1, "a text cannot close its own tag: {named}");
}

#[tokio::test]
async fn a_resource_without_text_is_still_named() {
    let blocks = sent(Prompt::Blocks(vec![Content::text("see"), resource("file:///gone", "")])).await;
    assert!(blocks[1]["text"].as_str().unwrap().contains("file:///gone"));
}

#[tokio::test]
async fn nothing_to_say_is_refused() {
    let (_stage, agent) = idle();
    for empty in ["", " ", "\n\t "] {
        assert!(refused(&agent, empty).contains("empty"));
        assert!(refused(&agent, Prompt::Blocks(vec![Content::text(empty)])).contains("empty"));
    }
    assert!(refused(&agent, Prompt::Blocks(Vec::new())).contains("empty"));
}

#[tokio::test]
async fn a_block_that_is_not_for_prompts_is_named() {
    let (_stage, agent) = idle();
    let wrong = [
        (Content::Thinking { text: "hm".to_owned(), signature: None }, "a thought"),
        (Content::RedactedThinking { data: "x".to_owned() }, "a redacted thought"),
        (Content::ToolCall { tool_call_id: "1".into(), tool_name: "t".to_owned(), input: json!({}) }, "a tool call"),
        (Content::ToolResult { tool_call_id: "1".into(), content: vec![], is_error: false }, "a tool result"),
    ];
    for (block, name) in wrong {
        let message = refused(&agent, Prompt::Blocks(vec![Content::text("hello"), block]));
        assert!(message.contains(&format!("block 1 of the prompt is {name}")), "{message}");
    }
}

#[test]
fn json_that_is_no_prompt_says_what_was_expected() {
    let stage = Stage::new();
    let agent = embedded(&stage.options(&[says("ok")], json!({})));
    let wrong = [
        ("hello", "not JSON"),
        ("7", "expected a JSON text or a list of blocks"),
        ("{\"type\":\"text\",\"text\":\"a\"}", "expected a JSON text or a list of blocks"),
        ("[{\"type\":\"audio\",\"data\":\"x\"}]", "`resource`, found `audio`"),
        ("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\"}]", "block 1 of the prompt: missing field `text`"),
        ("[\"hello\"]", "block 0 of the prompt"),
        ("", "not JSON"),
    ];
    for (prompt, expected) in wrong {
        let error = assert_code(agent.prompt(prompt), ErrorCode::InvalidInput);
        assert!(error.message.contains(expected), "{prompt}: {error}");
    }
    look::ended(&drain(&agent.prompt("[{\"type\":\"text\",\"text\":\"a\"}]").unwrap()), DoneReason::EndTurn);
}

#[tokio::test]
async fn images_are_held_to_their_bounds() {
    let (_stage, agent) = idle();
    let blocks = |images: Vec<Content>| Prompt::Blocks(images);
    let message = refused(&agent, blocks(vec![image("image/png", PNG); 9]));
    assert!(message.contains("9 images; at most 8"), "{message}");
    let message = refused(&agent, blocks(vec![image("image/bmp", PNG)]));
    assert!(message.contains("image/bmp") && message.contains("image/png"), "{message}");
    let over = "A".repeat(5 * 1024 * 1024 + 4);
    let message = refused(&agent, blocks(vec![image("image/png", &over)]));
    assert!(message.contains("5242884 bytes"), "{message}");
    for data in ["", "====", "abc", "ab=c", "ab c", "a-b_", "data:image/png;base64,AAAA"] {
        let message = refused(&agent, blocks(vec![image("image/png", data)]));
        assert!(message.contains("base64"), "{data}: {message}");
    }
    let message = refused(&agent, "x".repeat(25 * 1024 * 1024 + 1));
    assert!(message.contains("26214401 bytes"), "{message}");
}

#[tokio::test]
async fn images_at_the_bound_are_taken() {
    let (_stage, agent) = idle();
    let mut images = vec![image("image/webp", PNG), image("image/gif", PNG), image("image/jpeg", PNG)];
    images.resize(7, image("image/png", PNG));
    images.push(image("image/png", &"A".repeat(5 * 1024 * 1024)));
    look::ended(&read(&mut agent.prompt(Prompt::Blocks(images)).unwrap()).await, DoneReason::EndTurn);
}

#[tokio::test]
async fn messages_tell_the_conversation_as_the_model_sees_it() {
    let stage = Stage::new();
    let agent = stage
        .agent(&[shell("echo hi"), says("that is all"), says("again")])
        .mode(lodger::protocol::Mode::FullAuto)
        .create()
        .unwrap();
    assert!(agent.messages().is_empty());
    play(&agent, "first").await;
    play(&agent, "second").await;
    let messages = agent.messages();
    let roles: Vec<_> = messages.iter().map(|message| message.role).collect();
    use Role::{Assistant, User};
    assert_eq!(roles, [User, Assistant, User, Assistant, User, Assistant]);
    assert_eq!(messages[0].content, [Content::text("first")]);
    assert!(matches!(&messages[1].content[0], Content::ToolCall { tool_name, .. } if tool_name == "run_shell"));
    assert!(matches!(&messages[2].content[0], Content::ToolResult { is_error: false, .. }));
    assert_eq!(messages[3].content, [Content::text("that is all")]);
    let mut ids: Vec<_> = messages.iter().map(|message| message.id.to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 6, "every message has an id of its own");
    assert!(messages.windows(2).all(|two| two[0].created_at <= two[1].created_at));
}

#[tokio::test]
async fn ids_that_the_model_gives_again_become_others_and_keep_their_own_results() {
    let server =
        server_of(&json!({ "steps": [calls("count", json!({})), says("ok")], "after": "loop" }), Default::default());
    let counting = lodger::protocol::ToolOptions {
        name: "count".to_owned(),
        description: String::new(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    };
    let count = std::sync::atomic::AtomicUsize::new(0);
    let agent = client(&server)
        .tool(counting, move |_| {
            let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            async move { format!("answer {number}") }
        })
        .create()
        .unwrap();
    play(&agent, "first").await;
    play(&agent, "second").await;
    let body = server.stats().bodies.back().unwrap().clone();
    look::valid(&body);
    let messages = body["messages"].as_array().unwrap();
    assert_ne!(messages[1]["content"][0]["id"], messages[5]["content"][0]["id"], "each id is there once");
    assert!(messages[2].to_string().contains("answer 0") && messages[6].to_string().contains("answer 1"));
}

fn using(mut step: Value, usage: Value) -> Value {
    step["usage"] = usage;
    step
}

#[tokio::test]
async fn usage_is_summed_over_the_steps_of_a_turn_and_the_turns_of_a_session() {
    let first = json!({ "inputTokens": 10, "outputTokens": 1, "cacheReadTokens": 100 });
    let second = json!({ "inputTokens": 20, "outputTokens": 2, "cacheWriteTokens": 7 });
    let third = json!({ "inputTokens": 30, "outputTokens": 3 });
    let stage = Stage::new();
    let steps = [using(shell("true"), first), using(says("one"), second), using(says("two"), third)];
    let agent = stage.agent(&steps).mode(lodger::protocol::Mode::FullAuto).create().unwrap();
    let mut turn = agent.prompt("first").unwrap();
    read(&mut turn).await;
    let one = Usage {
        input_tokens: Some(30),
        output_tokens: Some(3),
        cache_read_tokens: Some(100),
        cache_write_tokens: Some(7),
        reasoning_tokens: None,
    };
    assert_eq!(turn.result().await.unwrap().usage, one);
    let two = agent.prompt("second").unwrap().result().await.unwrap().usage;
    assert_eq!(two, Usage { input_tokens: Some(30), output_tokens: Some(3), ..Usage::default() });
    let report = agent.usage();
    assert_eq!((report.turn, report.context_tokens), (two, Some(30)));
    assert_eq!((report.session.input_tokens, report.session.output_tokens), (Some(60), Some(6)));
    assert_eq!(report.cost_usd, None, "no price is known");
}

#[tokio::test]
async fn counts_that_the_provider_does_not_give_stay_absent() {
    let stage = Stage::new();
    let agent = stage.agent(&[says("one")]).create().unwrap();
    let events = play(&agent, "hello").await;
    let done = serde_json::to_value(events.last().unwrap()).unwrap();
    assert_eq!(done["usage"], json!({}));
    assert_eq!(agent.usage().context_tokens, None);
}

#[tokio::test]
async fn each_way_in_which_the_model_stops_ends_the_turn_in_its_own_way() {
    let ways = [
        (json!("end_turn"), DoneReason::EndTurn),
        (json!("max_output_tokens"), DoneReason::MaxOutputTokens),
        (json!("refused"), DoneReason::Refused),
    ];
    for (stop_reason, reason) in ways {
        let mut step = step(&[said("so")]);
        step["stopReason"] = stop_reason;
        let server = server(&[step, says("two")]);
        let agent = client(&server).create().unwrap();
        look::ended(&play(&agent, "hello").await, reason);
        look::ended(&play(&agent, "go on").await, DoneReason::EndTurn);
        look::valid(server.stats().bodies.back().unwrap());
    }
}
