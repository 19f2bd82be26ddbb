//! What an agent may be made of. What cannot be is refused at once, by name, with what was expected.

use lodger::embed::{self, Handlers};
use lodger::protocol::{DoneReason, Environment};
use lodger::{Agent, ErrorCode};
use serde_json::{Value, json};

use crate::support::script::says;
use crate::support::*;

/// The message with which options are refused.
#[track_caller]
fn refused(options: &Value) -> String {
    let outcome = embed::Agent::create(None, &options.to_string(), Environment::default(), Handlers::default());
    assert_code(outcome, ErrorCode::InvalidOptions).message
}

/// Options that are right, and more.
fn with(stage: &Stage, more: Value) -> Value {
    stage.options(&[says("ok")], more)
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "for tests", "inputSchema": { "type": "object" } })
}

/// What the provider is sent first by an agent with these options.
/// What a provider is sent at first by a host that answers no questions and no plans.
fn first_request(more: Value) -> Value {
    let server = server(&[says("ok")]);
    let handlers = embed::Handlers { permission: true, tool: true, ..embed::Handlers::default() };
    let options = client_options(&server, more).to_string();
    let agent = embed::Agent::create(None, &options, environment(), handlers).unwrap();
    look::ended(&drain(&agent.prompt("\"hello\"").unwrap()), DoneReason::EndTurn);
    server.stats().bodies[0].clone()
}

#[test]
fn an_unknown_name_is_refused_with_the_likely_one() {
    let stage = Stage::new();
    let wrong = [
        (json!({ "modle": "x" }), "\"modle\"", "\"model\""),
        (json!({ "limits": { "max_steps": 3 } }), "\"limits.max_steps\"", "\"maxSteps\""),
        (json!({ "env": { "inherits": "safe" } }), "\"env.inherits\"", "\"inherit\""),
        (json!({ "appendInstruction": "x" }), "\"appendInstruction\"", "\"appendInstructions\""),
    ];
    for (more, named, likely) in wrong {
        let message = refused(&with(&stage, more));
        assert!(message.contains(named) && message.contains(&format!("did you mean {likely}")), "{message}");
    }
}

#[test]
fn an_unknown_name_in_a_tool_is_refused_too() {
    let mut wrong = tool("mine");
    wrong["readonly"] = json!(true);
    let message = refused(&with(&Stage::new(), json!({ "tools": [wrong] })));
    assert!(message.contains("tools.0.readonly") && message.contains("readOnly"), "{message}");
}

#[test]
fn a_value_of_the_wrong_form_is_refused_with_its_place() {
    let stage = Stage::new();
    let wrong = [
        (json!({ "limits": { "maxSteps": -1 } }), "limits.maxSteps"),
        (json!({ "mode": "yolo" }), "mode"),
        (json!({ "tools": [{ "name": 7 }] }), "tools[0].name"),
        (json!({ "roots": "here" }), "roots"),
        (json!({ "env": { "inherit": "all" } }), "env.inherit"),
    ];
    for (more, place) in wrong {
        let message = refused(&with(&stage, more));
        assert!(message.contains(place), "{message}");
    }
}

#[test]
fn options_that_are_no_json_object_are_refused() {
    for text in ["", "null", "[1, 2]", "\"text\"", "{} {}", "{"] {
        let outcome = embed::Agent::create(None, text, Environment::default(), Handlers::default());
        assert_code(outcome, ErrorCode::InvalidOptions);
    }
}

#[test]
fn a_model_is_needed() {
    assert!(refused(&json!({})).contains("option model is missing"));
    for name in ["", "claude", "/x", "anthropic/"] {
        assert!(refused(&json!({ "model": name })).contains("provider/model"), "{name}");
    }
    let message = refused(&json!({ "model": "nobody/x" }));
    assert!(message.contains("nobody") && message.contains("anthropic"), "{message}");
}

#[test]
fn a_key_is_needed_and_the_message_says_where_it_is_looked_for() {
    let options = json!({ "model": "anthropic/x" }).to_string();
    let outcome = embed::Agent::create(None, &options, Environment::default(), Handlers::default());
    let error = assert_code(outcome, ErrorCode::ProviderAuth);
    assert!(error.message.contains("ANTHROPIC_API_KEY"), "{error}");
}

#[test]
fn a_script_that_is_not_there_is_refused_by_name() {
    assert!(refused(&json!({ "model": "scripted//no/such/file.json" })).contains("/no/such/file.json"));
    assert!(refused(&json!({ "model": "scripted/relative.json" })).contains("cwd"));
}

#[test]
fn a_folder_must_be_one() {
    let stage = Stage::new();
    let file = stage.put("file", "");
    for cwd in [json!("/no/such/folder"), json!(file)] {
        let message = refused(&with(&stage, json!({ "cwd": cwd })));
        assert!(message.contains("cwd") && message.contains(cwd.as_str().unwrap()), "{message}");
    }
    let message = refused(&with(&stage, json!({ "roots": ["/no/such/folder"] })));
    assert!(message.contains("roots"), "{message}");
    let mut without = with(&stage, json!({ "roots": ["/tmp"] }));
    without.as_object_mut().unwrap().remove("cwd");
    assert!(refused(&without).contains("roots is set without cwd"));
}

#[test]
fn names_of_tools_are_held_to_their_form() {
    let stage = Stage::new();
    for name in ["", "a b", "a.b", "\u{e4}", &"x".repeat(65)] {
        let message = refused(&with(&stage, json!({ "tools": [tool("fine"), tool(name)] })));
        assert!(message.contains("tools[1].name"), "{message}");
    }
    let message = refused(&with(&stage, json!({ "tools": [tool("same"), tool("same")] })));
    assert!(message.contains("tools[1].name") && message.contains("same"), "{message}");
    let longest = "x".repeat(64);
    embedded(&with(&stage, json!({ "tools": [tool("A-z_09"), tool(&longest)] })));
}

#[test]
fn a_schema_must_be_an_object() {
    let mut wrong = tool("mine");
    wrong["inputSchema"] = json!("object");
    let message = refused(&with(&Stage::new(), json!({ "tools": [wrong] })));
    assert!(message.contains("tools[0].inputSchema"), "{message}");
}

#[test]
fn sixty_four_tools_are_taken_and_one_more_is_not() {
    let stage = Stage::new();
    let tools = |count: usize| (0..count).map(|number| tool(&format!("tool_{number}"))).collect::<Vec<_>>();
    embedded(&with(&stage, json!({ "tools": tools(64) })));
    let message = refused(&with(&stage, json!({ "tools": tools(65) })));
    assert!(message.contains("65 tools") && message.contains("at most 64"), "{message}");
}

#[test]
fn bounds_of_zero_are_refused() {
    let stage = Stage::new();
    for name in
        ["maxSteps", "maxOutputTokens", "maxToolOutputBytes", "commandTimeoutMs", "stallTimeoutMs", "gapTimeoutMs"]
    {
        let message = refused(&with(&stage, json!({ "limits": { name: 0 } })));
        assert!(message.contains(&format!("limits.{name} is 0")), "{message}");
    }
}

#[test]
fn instructions_are_held_to_their_bound() {
    let stage = Stage::new();
    let message = refused(&with(&stage, json!({ "instructions": "x".repeat(64 * 1024 + 1) })));
    assert!(message.contains("65537 bytes"), "{message}");
}

#[test]
fn without_a_folder_no_tool_and_no_prompt_of_ours_is_sent() {
    let body = first_request(json!({}));
    assert_eq!((body.get("system"), body.get("tools")), (None, None));
    let body = first_request(json!({ "tools": [tool("mine")] }));
    assert_eq!((body.get("system"), look::offered(&body)), (None, vec!["mine".to_owned()]));
}

#[test]
fn with_a_folder_the_base_prompt_and_the_tools_of_the_folder_are_sent() {
    let stage = Stage::new();
    let body = first_request(json!({ "cwd": stage.work("") }));
    let files = ["read_file", "write_file", "edit_file", "multi_edit", "apply_patch", "glob", "grep", "list_dir"];
    assert_eq!(look::offered(&body), [&files[..], &["run_shell", "task_output", "task_kill", "task_update"]].concat());
    assert!(
        body["system"][0]["text"].as_str().unwrap().contains(stage.work("").to_str().unwrap().trim_end_matches('/'))
    );
}

#[test]
fn what_the_first_request_says_of_prompt_and_tools_is_under_four_thousand_tokens() {
    let stage = Stage::new();
    let body = first_request(json!({ "cwd": stage.work("") }));
    let bytes = body["system"].to_string().len() + body["tools"].to_string().len();
    // English and JSON have about four bytes in a token.
    assert!(bytes / 4 < 4000, "{bytes} bytes");
}

#[test]
fn instructions_take_the_place_of_the_base_prompt() {
    let stage = Stage::new();
    let system = |more: Value| {
        let mut options = json!({ "cwd": stage.work("") });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        first_request(options)["system"][0]["text"].as_str().map(str::to_owned)
    };
    assert_eq!(system(json!({ "instructions": "mine" })).as_deref(), Some("mine"));
    assert_eq!(system(json!({ "instructions": ["one", "", "two"] })).as_deref(), Some("one\n\ntwo"));
    assert_eq!(system(json!({ "instructions": [] })), None);
    assert_eq!(system(json!({ "instructions": [], "appendInstructions": "more" })).as_deref(), Some("more"));
    assert!(system(json!({ "appendInstructions": "more" })).unwrap().ends_with("\n\nmore"));
}

#[test]
fn a_session_may_be_named() {
    let stage = Stage::new();
    let agent = embedded(&with(&stage, json!({ "sessionId": "my_session" })));
    assert_eq!(agent.session_id(), "my_session");
    let events = drain(&agent.prompt("\"hello\"").unwrap());
    assert!(events.iter().all(|event| event.session_id.as_str() == "my_session"));
    assert_ne!(embedded(&with(&stage, json!({}))).session_id(), embedded(&with(&stage, json!({}))).session_id());
}

#[tokio::test]
async fn secrets_stand_in_no_error_and_no_debug_output() {
    let key = "sk-secret-0123456789";
    let base = json!({
        "model": "anthropic/x",
        "auth": { "apiKey": key },
        "endpoint": { "kind": "anthropic", "baseUrl": "http://127.0.0.1:9", "headers": { "x-more": key } },
    });
    let options: lodger::protocol::AgentOptions = serde_json::from_value(base.clone()).unwrap();
    let agent = Agent::builder().options(options.clone()).create().unwrap();
    for text in [format!("{agent:?}"), format!("{:?}", agent.embedded()), format!("{:?}", options.auth)] {
        assert!(!text.contains(key), "{text}");
    }
    let bad_url = format!("http://user:{key}@127.0.0.1:9");
    let wrong = [
        json!({ "endpoint": { "kind": "anthropic", "baseUrl": bad_url } }),
        json!({ "auth": { "apiKey": format!("{key}\n") } }),
        json!({ "auth": { "apiKey": key, "apikey": key } }),
        json!({ "auth": key }),
    ];
    for more in wrong {
        let mut options = base.clone();
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let outcome = embed::Agent::create(None, &options.to_string(), Environment::default(), Handlers::default());
        match outcome {
            Err(error) => assert!(!format!("{error} {error:?}").contains(key), "{error}"),
            Ok(agent) => {
                let turn = agent.prompt("\"hello\"").unwrap();
                let events = until("the end", || turn.result().map(|_| turn.drain(1000))).await;
                assert!(!format!("{events:?}").contains(key), "{events:?}");
            }
        }
    }
}

#[test]
fn another_model_is_taken_from_the_next_step_on() {
    let stage = Stage::new();
    let agent = embedded(&with(&stage, json!({})));
    let other = stage.model(&[says("from the other")]);
    agent.set_model(&other).unwrap();
    assert_code(agent.set_model("nonsense"), ErrorCode::InvalidOptions);
    let events = drain(&agent.prompt("\"hello\"").unwrap());
    assert_eq!(look::text(&events), "from the other");
}

#[test]
fn methods_are_called_by_name() {
    let stage = Stage::new();
    let agent = embedded(&with(&stage, json!({})));
    let call = |method: &str, params: &str| embed::call(&agent, method, params);
    assert_eq!(call("session/set_mode", r#"{"mode":"plan"}"#).unwrap(), r#"{"mode":"plan"}"#);
    assert_eq!(call("session/cancel", "").unwrap(), r#"{"cancelled":false}"#);
    assert_eq!(call("session/messages", "{}").unwrap(), r#"{"messages":[]}"#);
    assert!(call("health", "").unwrap().contains(r#""status":"ok""#));
    assert_code(call("session/set_mode", r#"{"mode":"yolo"}"#), ErrorCode::InvalidInput);
    assert_code(call("session/set_mode", r#"{"mood":"plan"}"#), ErrorCode::InvalidInput);
    assert_code(call("session/messages", "[]"), ErrorCode::InvalidInput);
    assert_code(call("session/set_mode", r#"["plan"]"#), ErrorCode::InvalidInput);
    let error = assert_code(call("session/fly", ""), ErrorCode::Unsupported);
    assert!(error.message.contains("session/messages"), "{error}");
}
