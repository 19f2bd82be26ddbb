//! Agents of one process may differ in everything and never see each other's; children see what they are given.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use lodger::protocol::{DoneReason, Environment, Event, Mode};
use lodger::{Agent, embed};
use lodger_kit::MockOptions;
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell, write};
use crate::support::*;

fn host_environment() -> Environment {
    let pairs = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("HOME", "/home/somebody"),
        ("LC_ALL", "C"),
        ("EDITOR", "vi"),
        ("ANTHROPIC_API_KEY", "sk-env"),
        ("github_token", "ghp"),
        ("DB_PASSWORD", "pw"),
        ("CLIENT_SECRET", "cs"),
        ("LD_PRELOAD", "/tmp/evil.so"),
        ("BASH_ENV", "/tmp/evil.sh"),
        ("BASH_FUNC_ls%%", "() { true; }"),
        ("CDPATH", "/tmp/evil"),
        ("SHELLOPTS", "noglob"),
        ("BASHOPTS", "extglob"),
        ("POSIXLY_CORRECT", "1"),
        ("PS4", "$(evil)"),
    ];
    Environment::new(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())))
}

/// What a command sees, but for what bash and Lodger add.
fn seen_by_a_command(env: Value) -> BTreeMap<String, String> {
    let stage = Stage::new();
    let options = stage.options(&[shell("env -0 > seen"), says("ok")], json!({ "mode": "full-auto", "env": env }));
    let agent =
        embed::Agent::create(None, &options.to_string(), host_environment(), embed::Handlers::default()).unwrap();
    let events = drain(&agent.prompt("\"hello\"").unwrap());
    look::ended(&events, DoneReason::EndTurn);
    let seen = std::fs::read_to_string(stage.work("seen")).unwrap_or_else(|_| panic!("{:?}", look::results(&events)));
    let added = ["PWD", "SHLVL", "_", "OLDPWD", "LODGER_CALL", "LODGER_RUN"];
    seen.split_terminator('\0')
        .map(|pair| pair.split_once('=').unwrap())
        .filter(|(name, _)| !added.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn names(env: Value) -> Vec<String> {
    seen_by_a_command(env).into_keys().collect()
}

#[test]
fn commands_see_the_environment_without_secrets_and_loader_switches() {
    assert_eq!(names(json!({})), ["EDITOR", "HOME", "LC_ALL", "PATH"]);
    assert_eq!(names(json!({ "inherit": "safe" })), names(json!({})));
}

#[test]
fn commands_see_the_few_names_of_core() {
    assert_eq!(names(json!({ "inherit": "core" })), ["HOME", "LC_ALL", "PATH"]);
}

#[test]
fn commands_see_nothing_but_what_is_set() {
    let seen = seen_by_a_command(json!({ "inherit": "none", "set": { "PATH": "/usr/bin:/bin", "MY_TOKEN": "given" } }));
    let expected = [("MY_TOKEN", "given"), ("PATH", "/usr/bin:/bin")];
    assert_eq!(seen, expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
}

#[test]
fn what_is_set_wins_and_what_is_unset_is_gone() {
    let seen = seen_by_a_command(json!({ "set": { "EDITOR": "ed" }, "unset": ["HOME", "NONE"] }));
    assert_eq!((seen.get("EDITOR").map(String::as_str), seen.contains_key("HOME")), (Some("ed"), false));
}

#[test]
fn an_agent_without_an_environment_gives_none_to_its_commands() {
    let stage = Stage::new();
    let options = stage.options(&[shell("/usr/bin/env"), says("ok")], json!({ "mode": "full-auto" }));
    let agent =
        embed::Agent::create(None, &options.to_string(), Environment::default(), embed::Handlers::default()).unwrap();
    let (told, _) = look::result(&drain(&agent.prompt("\"hello\"").unwrap()));
    assert!(!told.contains("HOME=") && !told.contains("CARGO"), "the process's own is never used: {told}");
}

/// One of several agents that run at once.
async fn one_of_many(stage: &Stage, number: usize) -> Vec<Arc<Event>> {
    let cwd = stage.work(&format!("folder_{number}"));
    std::fs::create_dir(&cwd).unwrap();
    let key = format!("sk-{number}");
    let script =
        [shell("printf '%s %s' $WHO $PWD"), write("mine", &number.to_string()), says(&format!("I am {number}"))];
    let server = server_with(&script, MockOptions { api_key: Some(key.clone()), ..MockOptions::default() });
    let agent = Agent::builder()
        .model("anthropic/mock")
        .endpoint(endpoint(server.base_url()))
        .api_key(key)
        .cwd(cwd.display().to_string())
        .environment(Environment::new([
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("WHO".to_owned(), format!("agent_{number}")),
        ]))
        .mode(Mode::FullAuto)
        .create()
        .unwrap();
    let events = play(&agent, &format!("who is {number}?")).await;
    for body in &server.stats().bodies {
        assert_eq!(body["messages"][0]["content"][0]["text"], format!("who is {number}?"));
    }
    agent.close().await;
    events
}

#[tokio::test]
async fn agents_side_by_side_keep_keys_folders_environments_and_conversations_apart() {
    let stage = Stage::new();
    let all = join_all((0..8).map(|number| one_of_many(&stage, number))).await;
    for (number, events) in all.iter().enumerate() {
        look::ended(events, DoneReason::EndTurn);
        let folder = stage.work(&format!("folder_{number}"));
        let told = &look::results(events)[0].0;
        assert!(told.contains(&format!("agent_{number} {}", folder.display())), "{told}");
        assert_eq!(std::fs::read_to_string(folder.join("mine")).unwrap(), number.to_string());
        assert_eq!(look::text(events), format!("I am {number}"));
        let sessions: std::collections::BTreeSet<_> = events.iter().map(|event| event.session_id.to_string()).collect();
        assert_eq!(sessions.len(), 1);
    }
    let sessions: std::collections::BTreeSet<_> = all.iter().map(|events| events[0].session_id.to_string()).collect();
    assert_eq!(sessions.len(), 8);
}

#[tokio::test]
async fn a_key_of_one_agent_is_not_sent_for_another_over_a_shared_connection_pool() {
    let script = json!({ "steps": [says("ok")], "after": "loop" });
    let server = server_of(&script, MockOptions { api_key: Some("sk-right".to_owned()), ..MockOptions::default() });
    let right = client(&server).api_key("sk-right").create().unwrap();
    let wrong = client(&server).api_key("sk-wrong").create().unwrap();
    let without = Agent::builder().model("anthropic/mock").endpoint(endpoint(server.base_url())).create().unwrap();
    for _ in 0..3 {
        look::ended(&play(&right, "hello").await, DoneReason::EndTurn);
        look::failed(&play(&wrong, "hello").await, lodger::ErrorCode::ProviderAuth);
        look::failed(&play(&without, "hello").await, lodger::ErrorCode::ProviderAuth);
    }
}

#[tokio::test]
async fn the_environment_gives_key_and_address_where_the_options_do_not() {
    let server =
        server_with(&[says("ok")], MockOptions { api_key: Some("sk-from-env".to_owned()), ..MockOptions::default() });
    let env = Environment::new([
        ("ANTHROPIC_API_KEY".to_owned(), "sk-from-env".to_owned()),
        ("ANTHROPIC_BASE_URL".to_owned(), server.base_url()),
    ]);
    let agent = Agent::builder().model("anthropic/mock").environment(env).create().unwrap();
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
}

#[tokio::test]
async fn modes_of_agents_are_their_own() {
    let stage = Stage::new();
    let steps = [calls("run_shell", json!({ "command": "true" })), says("ok")];
    let free = stage.agent(&steps).mode(Mode::FullAuto).create().unwrap();
    let bound = stage.agent(&steps).mode(Mode::FullAuto).create().unwrap();
    bound.set_mode(Mode::Plan).unwrap();
    assert!(!look::result(&play(&free, "hello").await).1);
    assert!(look::result(&play(&bound, "hello").await).1);
}
