//! Option `outputSchema`: a turn that ends well has an answer that fits, and nothing else passes for one.

use std::sync::Arc;

use lodger::protocol::{Boundary, Content, DoneReason, Endpoint, Entry, Event, Limits, Mode, TurnResult};
use lodger::{Agent, AgentBuilder, ErrorCode};
use lodger_kit::{MockServer, Protocol};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, step};
use crate::support::*;
use crate::wire;

/// What every protocol can hold a model to.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": { "city": { "type": "string" }, "degrees": { "type": "integer" } },
        "required": ["city", "degrees"],
        "additionalProperties": false,
    })
}

fn paris() -> Value {
    json!({ "city": "Paris", "degrees": 21 })
}

fn answers(input: Value) -> Value {
    calls("structured_output", input)
}

/// The events of a turn, and what it came to.
async fn turn(agent: &Agent, prompt: &str) -> (Vec<Arc<Event>>, TurnResult) {
    let mut turn = agent.prompt(prompt).unwrap();
    let events = read(&mut turn).await;
    let result = turn.result().await.unwrap();
    let Some(Entry::Done { structured, .. }) = look::entries(&events).last() else { panic!("no done") };
    assert_eq!(*structured, result.structured, "`done` says what the result says");
    (events, result)
}

/// An agent without a folder whose answer must fit.
fn asked(stage: &Stage, steps: &[Value]) -> AgentBuilder {
    talker(&stage.model(steps)).output_schema(schema())
}

#[tokio::test]
async fn an_answer_by_the_tool_is_the_result_and_ends_the_turn() {
    let stage = Stage::new();
    let agent = asked(&stage, &[answers(paris())]).create().unwrap();
    let (events, result) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(result.structured, Some(paris()));
    assert_eq!(look::result(&events), ("The answer was taken.".to_owned(), false));
    let kinds = look::kinds(&events);
    assert!(!kinds.iter().any(|kind| kind.starts_with("request") || kind == "output_rejected"), "{kinds:?}");
}

#[tokio::test]
async fn an_answer_as_text_is_taken_when_it_is_json_and_nothing_else() {
    let stage = Stage::new();
    let agent = asked(&stage, &[says(&format!("```json\n{}\n```", paris()))]).create().unwrap();
    let (events, result) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(result.structured, Some(paris()));
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_told_where_and_given_again() {
    let stage = Stage::new();
    let mut second = says("It is warm in Paris.");
    second["expect"] = json!({ "toolResults": [{ "contains": "at /degrees", "isError": true }] });
    let mut third = answers(paris());
    third["expect"] = json!({ "lastUserText": "the answer is not JSON alone" });
    let steps = [answers(json!({ "city": "Paris", "degrees": "warm" })), second, third];
    let agent = asked(&stage, &steps).create().unwrap();
    let (events, result) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!(result.structured, Some(paris()));
    let rejected: Vec<_> = look::entries(&events)
        .filter_map(|entry| match entry {
            Entry::OutputRejected { attempt, max_attempts, tool_call_id, .. } => {
                Some((*attempt, *max_attempts, tool_call_id.is_some()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(rejected, [(1, 3, true), (2, 3, false)]);
}

#[tokio::test]
async fn a_turn_whose_answers_never_fit_fails_with_the_last_errors_and_the_next_one_counts_anew() {
    let stage = Stage::new();
    let wrong = || answers(json!({ "city": "Paris" }));
    let steps = [wrong(), wrong(), wrong(), wrong(), wrong(), answers(paris())];
    let agent = asked(&stage, &steps).create().unwrap();

    let mut failing = agent.prompt("hello").unwrap();
    let events = read(&mut failing).await;
    let error = look::failed(&events, ErrorCode::OutputInvalid);
    assert!(error.message.contains("none of 3 answers") && error.message.contains("degrees"), "{error}");
    let data = error.data.unwrap();
    assert_eq!((&data["attempts"], &data["errors"][0]["path"]), (&json!(3), &json!("")));
    let Some(Entry::Done { structured: None, boundary: Boundary::Complete, .. }) = look::entries(&events).last() else {
        panic!("{:?}", events.last());
    };
    assert_eq!(failing.result().await.unwrap_err().code, ErrorCode::OutputInvalid);

    let (events, result) = turn(&agent, "again").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!((look::results(&events).len(), result.structured), (3, Some(paris())));
}

#[tokio::test]
async fn the_step_limit_and_a_cancel_end_a_turn_without_an_answer() {
    let stage = Stage::new();
    let limits = Limits { max_steps: 1, ..Limits::default() };
    let agent = asked(&stage, &[says("no"), says("no")]).limits(limits).create().unwrap();
    let (events, result) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::MaxSteps);
    assert_eq!(result.structured, None);

    let cut = json!({ "reply": [{ "type": "text", "text": paris().to_string() }], "stopReason": "max_output_tokens" });
    let (events, result) = turn(&asked(&stage, &[cut]).create().unwrap(), "hello").await;
    look::ended(&events, DoneReason::MaxOutputTokens);
    assert_eq!(result.structured, None);

    let stuck = json!({ "reply": [{ "type": "text", "text": paris().to_string() }],
                        "fault": { "type": "stall", "afterParts": 1 } });
    let agent = asked(&stage, &[stuck]).create().unwrap();
    let mut stalled = agent.prompt("hello").unwrap();
    let mut events = read_to(&mut stalled, "text_delta").await;
    stalled.cancel();
    events.extend(read(&mut stalled).await);
    look::ended(&events, DoneReason::Cancelled);
    assert_eq!(stalled.result().await.unwrap().structured, None);
}

#[tokio::test]
async fn an_input_that_was_cut_is_not_taken() {
    let stage = Stage::new();
    let cut = json!({ "reply": [{ "type": "tool_call", "toolName": "structured_output", "rawInput": "{\"city\": \"Par" }],
                      "stopReason": "max_output_tokens" });
    let agent = asked(&stage, &[cut, answers(paris())]).create().unwrap();
    let (events, result) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::results(&events)[0].0.contains("the input is not JSON"), "{:?}", look::results(&events));
    assert_eq!(result.structured, Some(paris()));
}

#[tokio::test]
async fn tools_run_first_and_an_answer_beside_one_that_failed_is_given_again() {
    let stage = Stage::new();
    stage.put("a.txt", "hello");
    let both = |path: &str| step(&[call("structured_output", paris()), call("read_file", json!({ "path": path }))]);
    let agent = stage.agent(&[both("missing.txt"), both("a.txt")]).output_schema(schema()).create().unwrap();
    let mut running = agent.prompt("hello").unwrap();
    let events = read(&mut running).await;
    let told: Vec<(&str, bool)> = look::entries(&events)
        .filter_map(|entry| match entry {
            Entry::ToolResult { tool_name, is_error, .. } => Some((tool_name.as_str(), *is_error)),
            _ => None,
        })
        .collect();
    let expected =
        [("read_file", true), ("structured_output", true), ("read_file", false), ("structured_output", false)];
    assert_eq!(told, expected);
    assert_eq!(running.result().await.unwrap().structured, Some(paris()));
}

#[tokio::test]
async fn the_answer_asks_no_permission_in_any_mode() {
    for mode in [Mode::Ask, Mode::Plan, Mode::FullAuto] {
        let stage = Stage::new();
        let agent = stage.agent(&[answers(paris())]).mode(mode).output_schema(schema()).create().unwrap();
        let (events, result) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!((look::outcomes(&events).len(), result.structured), (0, Some(paris())), "{mode:?}");
    }
}

#[tokio::test]
async fn a_conversation_with_answers_goes_on_from_a_checkpoint_without_a_schema() {
    let stage = Stage::new();
    let steps = [says("no"), answers(paris()), says("Warm.")];
    let model = stage.model(&steps);
    let agent = talker(&model).output_schema(schema()).create().unwrap();
    let (events, _) = turn(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let before = agent.messages();
    let restored = talker(&model).checkpoint(agent.checkpoint().unwrap()).create().unwrap();
    assert_eq!(restored.messages(), before);
    let (events, result) = turn(&restored, "and?").await;
    look::ended(&events, DoneReason::EndTurn);
    assert_eq!((result.text.as_str(), result.structured), ("Warm.", None));
}

#[tokio::test]
async fn a_schema_that_cannot_be_held_is_refused_when_the_agent_is_made() {
    let stage = Stage::new();
    let refused = |schema: Value| asked(&stage, &[says("hi")]).output_schema(schema).create().err().unwrap();
    for (schema, told) in [
        (json!([]), "option outputSchema: expected a JSON Schema"),
        (json!({ "type": "array" }), "option outputSchema at /type: expected \"object\""),
        (json!({ "type": "object", "required": "city" }), "option outputSchema at /required: "),
        (json!({ "type": "object", "allOf": [{ "$ref": "http://acme.test/x" }] }), "at /allOf/0/$ref: "),
    ] {
        let error = refused(schema);
        assert_eq!(error.code, ErrorCode::InvalidOptions);
        assert!(error.message.contains(told), "{error}");
    }
    let tool = lodger::protocol::ToolOptions {
        name: "structured_output".to_owned(),
        description: "Mine.".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: false,
        approval: Default::default(),
    };
    let taken = asked(&stage, &[says("hi")]).tool(tool, |_| async { "mine" }).create().err().unwrap();
    assert!(taken.message.contains("tools[0].name is \"structured_output\""), "{taken}");
}

/// A model that is known to be held to schemas by its provider.
const HELD: [(Protocol, &str); 4] = [
    (Protocol::Anthropic, "anthropic/claude-sonnet-5-5"),
    (Protocol::OpenaiResponses, "openai/gpt-5"),
    (Protocol::OpenaiChat, "openai/gpt-5"),
    (Protocol::Gemini, "google/gemini-3.5-flash"),
];

fn at(server: &MockServer, protocol: Protocol, model: &str) -> AgentBuilder {
    let endpoint = Endpoint::new(wire::kind(protocol), server.base_url());
    Agent::builder().model(model).output_schema(schema()).endpoint(endpoint)
}

/// What the provider is told of the schema by itself.
fn held(protocol: Protocol, body: &Value) -> Value {
    match protocol {
        Protocol::Anthropic => body["output_config"]["format"].clone(),
        Protocol::OpenaiResponses => body["text"]["format"].clone(),
        Protocol::OpenaiChat => body["response_format"].clone(),
        Protocol::Gemini => body["generationConfig"]["responseJsonSchema"].clone(),
    }
}

/// The schema of the tool that takes the answer, where it is on offer.
fn offered(protocol: Protocol, body: &Value) -> Option<Value> {
    let (tools, schema) = match protocol {
        Protocol::Anthropic => (&body["tools"], "/input_schema"),
        Protocol::OpenaiResponses => (&body["tools"], "/parameters"),
        Protocol::OpenaiChat => (&body["tools"], "/function/parameters"),
        Protocol::Gemini => (&body["tools"][0]["functionDeclarations"], "/parametersJsonSchema"),
    };
    let is_it =
        |tool: &&Value| [&tool["name"], &tool["function"]["name"]].iter().any(|name| **name == "structured_output");
    tools.as_array()?.iter().find(is_it)?.pointer(schema).cloned()
}

#[tokio::test]
async fn a_provider_that_can_holds_the_model_to_the_schema() {
    for (protocol, model) in HELD {
        let server = server(&[says(&paris().to_string())]);
        let agent = at(&server, protocol, model).create().unwrap();
        let (events, result) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(result.structured, Some(paris()), "{protocol:?}");
        let stats = server.stats();
        let body = stats.bodies.back().unwrap();
        let expected = match protocol {
            Protocol::Anthropic => json!({ "type": "json_schema", "schema": schema() }),
            Protocol::OpenaiResponses => {
                json!({ "type": "json_schema", "name": "structured_output", "schema": schema(), "strict": true })
            }
            Protocol::OpenaiChat => json!({
                "type": "json_schema",
                "json_schema": { "name": "structured_output", "schema": schema(), "strict": true },
            }),
            Protocol::Gemini => schema(),
        };
        assert_eq!((held(protocol, body), offered(protocol, body)), (expected, None), "{protocol:?}");
        if protocol == Protocol::Gemini {
            assert_eq!(body["generationConfig"]["responseMimeType"], "application/json");
        }
        assert!(stats.flaws.is_empty(), "{:?}", stats.flaws);
    }
}

#[tokio::test]
async fn a_model_that_nobody_knows_gives_its_answer_by_the_tool() {
    for (protocol, _) in HELD {
        let server = server(&[answers(json!({ "city": 1 })), answers(paris()), answers(paris())]);
        let agent = at(&server, protocol, "any/mock").create().unwrap();
        let (events, result) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(result.structured, Some(paris()), "{protocol:?}");
        let body = server.stats().bodies.front().unwrap().clone();
        assert_eq!((held(protocol, &body), offered(protocol, &body)), (Value::Null, Some(schema())), "{protocol:?}");
        look::ended(&play(&agent, "and?").await, DoneReason::EndTurn);
        let flaws = server.stats().flaws;
        assert!(flaws.is_empty(), "{protocol:?}: {flaws:?}");
    }
}

#[tokio::test]
async fn a_schema_that_the_provider_does_not_take_whole_is_given_to_the_tool() {
    let mut long = schema();
    long["properties"]["city"]["minLength"] = json!(1);
    for (protocol, model) in HELD {
        let server = server(&[answers(paris())]);
        let agent = at(&server, protocol, model).output_schema(long.clone()).create().unwrap();
        let (events, _) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        let body = server.stats().bodies.back().unwrap().clone();
        assert_eq!(
            (held(protocol, &body), offered(protocol, &body)),
            (Value::Null, Some(long.clone())),
            "{protocol:?}"
        );
    }
}

#[tokio::test]
async fn tools_beside_the_answer_go_with_the_schema_where_the_provider_allows_both() {
    let stage = Stage::new();
    for (protocol, model) in HELD {
        let last = if protocol == Protocol::Gemini { answers(paris()) } else { says(&paris().to_string()) };
        stage.put("a.txt", "hello");
        let server = server(&[calls("read_file", json!({ "path": "a.txt" })), last]);
        let agent = at(&server, protocol, model).cwd(stage.work("").display().to_string()).create().unwrap();
        let (events, result) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(result.structured, Some(paris()), "{protocol:?}");
        let body = server.stats().bodies.back().unwrap().clone();
        assert_eq!(held(protocol, &body).is_null(), protocol == Protocol::Gemini, "{protocol:?}");
    }
}

#[tokio::test]
async fn a_text_that_does_not_fit_is_told_by_a_message_of_the_user() {
    for (protocol, model) in HELD {
        let mut second = says(&paris().to_string());
        second["expect"] = json!({ "lastUserText": "The answer was not taken:" });
        let server = server(&[says("{\"city\": \"Paris\"}"), second]);
        let agent = at(&server, protocol, model).create().unwrap();
        let (events, result) = turn(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(result.structured, Some(paris()), "{protocol:?}");
        let flaws = server.stats().flaws;
        assert!(flaws.is_empty(), "{protocol:?}: {flaws:?}");
        let roles: Vec<_> = agent
            .messages()
            .into_iter()
            .map(|message| (message.role, Content::joined_text(&message.content)))
            .collect();
        assert_eq!(roles.len(), 4, "{roles:?}");
    }
}
