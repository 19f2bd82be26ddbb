//! Rules of the options, on real calls: what they allow, what they refuse, and what the host may add to them.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use lodger::protocol::{
    AgentOptions, DeniedBy, DoneReason, Entry, EventBody, Mode, Outcome, PermissionAnswer, PermissionRequest, Prompt,
    Risk, RuleOptions,
};
use lodger::{Agent, AgentBuilder, ErrorCode, embed};
use serde_json::{Value, json};

use crate::support::script::{calls, says, shell, write};
use crate::support::*;

fn read_file(path: &str) -> Value {
    calls("read_file", json!({ "path": path }))
}

/// An agent that answers each question alike, and what it was asked.
fn answering(builder: AgentBuilder, answer: PermissionAnswer) -> (Agent, Arc<Mutex<Vec<PermissionRequest>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&asked);
    let agent = builder
        .on_permission(move |request| {
            note.lock().unwrap().push(request.body);
            let answer = answer.clone();
            async move { answer }
        })
        .create()
        .unwrap();
    (agent, asked)
}

fn no() -> PermissionAnswer {
    PermissionAnswer::Deny { feedback: Some("no".to_owned()) }
}

async fn told_and_asked(builder: AgentBuilder) -> (String, usize) {
    let (agent, asked) = answering(builder, no());
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let asked = asked.lock().unwrap().len();
    (look::result(&events).0, asked)
}

#[tokio::test]
async fn what_a_rule_allows_runs_without_a_question_and_what_stands_beside_it_does_not() {
    for (command, questions) in [
        ("touch made", 0),
        ("/usr/bin/touch made", 0),
        ("timeout 5 touch made", 0),
        ("touch made; touch made", 0),
        ("touch made; mkdir other", 1),
        ("touch $(mkdir other)", 1),
        ("mkdir other", 1),
        ("touch made > /etc/passwd-", 1),
    ] {
        let stage = Stage::new();
        let builder = stage.agent(&[shell(command), says("done")]).allow("run_shell(touch *)");
        let (told, asked) = told_and_asked(builder).await;
        assert_eq!(asked, questions, "{command}: {told}");
        assert_eq!(stage.work("made").exists(), questions == 0, "{command}");
        assert!(!stage.work("other").exists(), "{command}");
    }
}

#[tokio::test]
async fn what_a_rule_denies_is_refused_in_every_mode_and_nobody_is_asked() {
    for command in
        ["touch made", "/bin/touch made", "true && env A=1 touch made", "sh -c 'touch made'", "echo `touch made`"]
    {
        for mode in [Mode::Ask, Mode::FullAuto] {
            let stage = Stage::new();
            let rule = json!({ "rule": "run_shell(touch *)", "reason": "nothing is made here" });
            let rule: RuleOptions = serde_json::from_value(rule).unwrap();
            let (agent, asked) = answering(stage.agent(&[shell(command), says("done")]).mode(mode).deny(rule), no());
            let events = play(&agent, "hello").await;
            let denied = events.iter().find_map(|event| match &event.body {
                EventBody::Entry(Entry::ToolDenied { by, feedback, .. }) => Some((*by, feedback.clone().unwrap())),
                _ => None,
            });
            let (by, feedback) = denied.unwrap_or_else(|| panic!("{command} in {mode:?} was not refused"));
            assert_eq!(by, DeniedBy::Rule);
            assert!(feedback.contains("run_shell(touch *)") && feedback.contains("nothing is made here"), "{feedback}");
            assert!(look::result(&events).0.contains("nothing is made here"), "the model hears why");
            assert!(asked.lock().unwrap().is_empty());
            assert!(!stage.work("made").exists(), "{command} in {mode:?}");
        }
    }
}

#[tokio::test]
async fn a_rule_that_asks_asks_in_full_auto_mode_and_each_time() {
    let stage = Stage::new();
    let steps = [shell("touch made"), shell("touch made"), says("done")];
    let builder = stage.agent(&steps).mode(Mode::FullAuto).ask("run_shell(touch *)");
    let (agent, asked) = answering(builder, PermissionAnswer::AllowAlways { rule: None, persist: None });
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert!(asked[0].suggested_rules.is_empty(), "no rule would keep it from asking");
    assert_eq!(asked[0].trace[0].rule.as_deref(), Some("run_shell(touch *)"));
    assert_eq!(asked[0].trace[0].layer.as_deref(), Some("flags layer (options)"));
}

#[tokio::test]
async fn what_may_not_be_read_is_read_by_no_tool_and_under_no_name() {
    let reads = [
        read_file("secret/key"),
        read_file("SECRET/key"),
        read_file("link"),
        calls("edit_file", json!({ "path": "secret/key", "oldText": "k", "newText": "x" })),
        shell("cat secret/key"),
        shell("grep -r k < secret/key"),
    ];
    for step in reads {
        let stage = Stage::new();
        stage.put("secret/key", "the key");
        stage.put("SECRET/key", "the key");
        symlink(stage.work("secret/key"), stage.work("link")).unwrap();
        let what = step.to_string();
        let builder = stage.agent(&[step, says("done")]).mode(Mode::FullAuto).deny("read(secret/**)");
        let (told, _) = told_and_asked(builder).await;
        assert!(told.contains("read(secret/**)") && !told.contains("the key"), "{what}: {told}");
        assert_eq!(fs::read_to_string(stage.work("secret/key")).unwrap(), "the key");
    }
}

#[tokio::test]
async fn what_a_rule_forbids_or_asks_for_shows_up_in_no_search() {
    for search in [
        calls("grep", json!({ "pattern": "the key" })),
        calls("glob", json!({ "pattern": "*key*" })),
        calls("list_dir", json!({ "depth": 3 })),
    ] {
        for rule in ["read(secret/**)", "read_file(secret/**)", "read(**/key)"] {
            let stage = Stage::new();
            stage.put("secret/key", "the key");
            stage.put("open/other_key", "the key");
            let builder = stage.agent(&[search.clone(), says("done")]);
            let (told, asked) = told_and_asked(builder.deny(rule)).await;
            assert!(told.contains("other_key") && !told.contains("secret/key"), "{search} with {rule}: {told}");
            assert_eq!(asked, 0);
        }
        let stage = Stage::new();
        stage.put("secret/key", "the key");
        let (told, _) = told_and_asked(stage.agent(&[search.clone(), says("done")]).ask("read(secret/key)")).await;
        assert!(!told.contains("secret/key"), "{search}: {told}");
    }
}

#[tokio::test]
async fn a_search_that_was_asked_for_as_a_whole_shows_what_it_finds() {
    let stage = Stage::new();
    stage.put("a", "the key");
    let search = calls("grep", json!({ "pattern": "the key" }));
    let (agent, asked) = answering(stage.agent(&[search, says("done")]).ask("grep"), PermissionAnswer::AllowOnce {});
    let events = play(&agent, "hello").await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    assert!(look::result(&events).0.contains("1:the key"), "{:?}", look::result(&events));
}

#[tokio::test]
async fn paths_are_allowed_by_where_they_are() {
    let stage = Stage::new();
    stage.put("src/a", "");
    symlink(stage.outside(""), stage.work("src/out")).unwrap();
    for (path, questions) in [("src/a", 0), ("src/new/b", 0), ("other", 1), ("src/out/c", 1), ("src/../other", 1)] {
        let builder = stage.agent(&[write(path, "x"), says("done")]).allow("write(src/**)");
        assert_eq!(told_and_asked(builder).await.1, questions, "{path}");
    }
}

#[tokio::test]
async fn a_question_offers_rules_and_the_one_that_is_chosen_counts_from_then_on() {
    let stage = Stage::new();
    let steps = [shell("mkdir one"), shell("mkdir one"), shell("mkdir two"), says("done")];
    let rule = "run_shell(mkdir one)".to_owned();
    let (agent, asked) =
        answering(stage.agent(&steps), PermissionAnswer::AllowAlways { rule: Some(rule.clone()), persist: None });
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2, "the second call is the rule's, the third is not");
    assert_eq!(asked[0].suggested_rules, [rule]);
    assert_eq!(
        look::outcomes(&events),
        [Outcome::AllowedAlways, Outcome::Failed],
        "the rule was not offered for the third"
    );
    assert!(!stage.work("two").exists());
}

#[tokio::test]
async fn the_risk_of_a_command_that_only_looks_is_low() {
    let stage = Stage::new();
    stage.put("a", "");
    let (agent, asked) = answering(stage.agent(&[shell("cat a | wc -l"), shell("cat a > b"), says("done")]), no());
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let asked = asked.lock().unwrap();
    assert_eq!([asked[0].risk, asked[1].risk], [Risk::Low, Risk::High]);
    assert!(asked[1].targets.contains(&stage.work("b").display().to_string()), "{:?}", asked[1].targets);
}

#[tokio::test]
async fn plan_mode_that_is_set_while_the_host_thinks_refuses_what_the_host_then_allows() {
    let stage = Stage::new();
    let holder: Arc<Mutex<Option<Agent>>> = Arc::default();
    let held = Arc::clone(&holder);
    let agent = stage
        .agent(&[shell("touch made"), says("done")])
        .on_permission(move |_| {
            held.lock().unwrap().as_ref().unwrap().set_mode(Mode::Plan).unwrap();
            async { PermissionAnswer::AllowOnce {} }
        })
        .create()
        .unwrap();
    *holder.lock().unwrap() = Some(agent.clone());
    let events = play(&agent, "hello").await;
    holder.lock().unwrap().take();
    assert!(look::result(&events).0.contains("plan mode"));
    assert!(!stage.work("made").exists());
}

#[test]
fn a_rule_that_cannot_be_read_or_that_its_examples_speak_against_is_refused_at_once() {
    let stage = Stage::new();
    for (rule, expected) in [
        (json!("run_shell(rm"), "bracket"),
        (json!(""), "name of a tool"),
        (json!("run_shell()"), "empty"),
        (json!("network(http://x)"), "host name"),
        (json!("write(../x)"), ".."),
        (json!({ "rule": "run_shell(rm *)", "examples": { "matches": ["ls"] } }), "\"ls\""),
        (json!({ "rule": "run_shell(rm *)", "examples": { "notMatches": ["rm -rf /"] } }), "notMatches"),
        (json!({ "rule": "read(**/.env)", "examples": { "matches": ["src/main.rs"] } }), "src/main.rs"),
        (json!(7), "expected a rule"),
    ] {
        let options = stage.options(&[says("done")], json!({ "deny": [rule] }));
        let error = assert_code(
            embed::Agent::create(None, &options.to_string(), environment(), embed::Handlers::default()),
            ErrorCode::InvalidOptions,
        );
        assert!(error.message.contains(expected), "{rule}: {}", error.message);
    }
    let fine =
        json!({ "rule": "read(**/.env)", "examples": { "matches": [".env", "a/.env"], "notMatches": ["a/env"] } });
    let options = AgentOptions { deny: vec![serde_json::from_value(fine).unwrap()], ..AgentOptions::default() };
    let builder =
        Agent::builder().options(options).model(stage.model(&[says("done")])).cwd(stage.work("").display().to_string());
    assert!(builder.create().unwrap().prompt(Prompt::from("hello")).is_ok());
}
