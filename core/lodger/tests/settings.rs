//! Settings files, as agents obey them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use lodger::protocol::{
    AgentOptions, DeniedBy, DoneReason, Entry, Environment, Event, EventBody, Mode, Passing, SettingsLayer,
};
use lodger::{AgentBuilder, ErrorCode, Outlook, explain};
use serde_json::{Value, json};

use crate::support::script::{says, shell};
use crate::support::*;

fn put(path: &Path, settings: &Value) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, settings.to_string()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

/// An environment that names a managed file and a config folder outside of the folder to work in.
fn env(stage: &Stage) -> Environment {
    Environment::new([
        ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
        ("LODGER_MANAGED_SETTINGS".to_owned(), stage.outside("managed.json").display().to_string()),
        ("LODGER_CONFIG_DIR".to_owned(), stage.outside("config").display().to_string()),
    ])
}

/// A stage with these files; a managed one is always there.
fn stage(managed: &Value, project: Option<&Value>, user: Option<&Value>) -> Stage {
    let stage = Stage::new();
    put(&stage.outside("managed.json"), managed);
    if let Some(project) = project {
        put(&stage.work(".lodger/settings.json"), project);
    }
    if let Some(user) = user {
        put(&stage.outside("config/settings.json"), user);
    }
    stage
}

fn agent(stage: &Stage, command: &str) -> AgentBuilder {
    stage.agent(&[shell(command), says("done")]).environment(env(stage))
}

fn denial(events: &[Arc<Event>]) -> Option<(DeniedBy, String)> {
    look::entries(events).find_map(|entry| match entry {
        Entry::ToolDenied { by, feedback, .. } => Some((*by, feedback.clone().unwrap_or_default())),
        _ => None,
    })
}

fn notices(events: &[Arc<Event>]) -> Vec<(String, String)> {
    events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Passing(Passing::Notice { code, text, .. }) => Some((code.clone(), text.clone())),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn what_the_managed_file_forbids_no_option_allows() {
    let stage = stage(&json!({ "permissions": { "deny": ["run_shell(touch *)"] } }), None, None);
    let builder = agent(&stage, "touch made").mode(Mode::FullAuto).allow("run_shell");
    let events = play(&builder.create().unwrap(), "go").await;
    look::ended(&events, DoneReason::EndTurn);
    let (by, feedback) = denial(&events).unwrap();
    assert_eq!(by, DeniedBy::Policy);
    assert!(feedback.contains("managed layer (") && feedback.contains("managed.json"), "{feedback}");
    assert!(!stage.work("made").exists());
}

#[tokio::test]
async fn a_mode_that_the_managed_file_locks_is_refused_to_options_and_to_later_changes() {
    for lock in [json!({ "mode": "ask" }), json!({ "disableFullAuto": true })] {
        let stage = stage(&json!({ "permissions": lock }), None, None);
        let error = agent(&stage, "true").mode(Mode::FullAuto).create().unwrap_err();
        assert_eq!(error.code, ErrorCode::LockedByPolicy);
        assert!(error.message.contains("managed.json"), "{}", error.message);
        let agent = agent(&stage, "true").create().unwrap();
        assert_eq!(agent.set_mode(Mode::FullAuto).unwrap_err().code, ErrorCode::LockedByPolicy);
        agent.set_mode(Mode::Plan).unwrap();
    }
}

#[tokio::test]
async fn a_model_that_is_not_on_the_managed_list_is_refused() {
    let stage = stage(&json!({ "models": { "allowed": ["anthropic/*"] } }), None, None);
    let error = agent(&stage, "true").create().unwrap_err();
    assert_eq!(error.code, ErrorCode::ModelNotAllowed);
    assert!(error.message.contains("managed.json") && error.message.contains("anthropic/*"), "{}", error.message);
}

#[tokio::test]
async fn no_agent_is_made_beside_a_managed_file_that_cannot_be_used() {
    let stage = stage(&json!({ "permissions": { "deni": ["run_shell"] } }), None, None);
    let told = |stage: &Stage| agent(stage, "true").create().unwrap_err().message;
    assert!(told(&stage).contains("did you mean \"deny\"?"), "{}", told(&stage));
    put(&stage.outside("managed.json"), &json!({ "permissions": { "deny": ["run_shell(("] } }));
    assert!(told(&stage).contains("managed.json"), "{}", told(&stage));
    fs::remove_file(stage.outside("managed.json")).unwrap();
    assert!(told(&stage).contains("there is no such file"), "{}", told(&stage));
}

#[tokio::test]
async fn the_users_file_counts_only_for_agents_that_ask_for_it() {
    let user = json!({ "permissions": { "allow": ["run_shell(touch *)"] } });
    let stage = stage(&json!({}), None, Some(&user));
    let events = play(&agent(&stage, "touch made").create().unwrap(), "go").await;
    assert!(denial(&events).is_some(), "nobody was there to ask");
    assert!(!stage.work("made").exists());
    let events = play(&agent(&stage, "touch made").settings([SettingsLayer::User]).create().unwrap(), "go").await;
    assert_eq!(denial(&events), None);
    assert!(stage.work("made").exists());
}

#[tokio::test]
async fn a_projects_file_forbids_and_asks_and_what_it_allows_is_told_and_counts_for_nothing() {
    let project = json!({ "permissions": { "allow": ["run_shell(touch *)"], "deny": ["run_shell(mkdir *)"] } });
    let stage = stage(&json!({}), Some(&project), None);
    let agent_for = |command| agent(&stage, command).settings([SettingsLayer::Project]);

    let allowed = agent_for("touch made").create().unwrap();
    let events = play(&allowed, "go").await;
    assert!(denial(&events).is_some());
    assert!(!stage.work("made").exists());
    let told = notices(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, "settings_ignored");
    assert!(told[0].1.contains("run_shell(touch *)") && told[0].1.contains(".lodger/settings.json"), "{told:?}");

    let denied = agent_for("mkdir made").mode(Mode::FullAuto).create().unwrap();
    let (by, _) = denial(&play(&denied, "go").await).unwrap();
    assert_eq!(by, DeniedBy::Rule);
    assert!(!stage.work("made").exists());
}

#[tokio::test]
async fn a_misspelt_key_of_the_user_is_told_in_the_first_turn_alone() {
    let stage = stage(&json!({}), None, Some(&json!({ "permision": {} })));
    let model = stage.model(&[says("one"), says("two")]);
    let agent =
        stage.agent(&[]).model(model).environment(env(&stage)).settings([SettingsLayer::User]).create().unwrap();
    let told = notices(&play(&agent, "one").await);
    assert_eq!(told.len(), 1);
    assert!(told[0].1.contains("did you mean \"permissions\"?"), "{told:?}");
    assert_eq!(notices(&play(&agent, "two").await), []);
}

#[tokio::test]
async fn an_agent_that_is_there_keeps_what_was_in_force_when_it_was_made() {
    let stage = stage(&json!({}), None, None);
    let agent = agent(&stage, "touch made").allow("run_shell(touch *)").create().unwrap();
    put(&stage.outside("managed.json"), &json!({ "permissions": { "deny": ["run_shell"] } }));
    assert_eq!(denial(&play(&agent, "go").await), None);
    assert!(stage.work("made").exists());
}

#[tokio::test]
async fn an_explanation_names_the_layers_of_both_rules_that_speak_against_each_other() {
    let stage = stage(&json!({ "permissions": { "deny": ["run_shell(touch *)"] } }), None, None);
    let options = AgentOptions {
        cwd: Some(stage.work("").display().to_string()),
        allow: vec!["run_shell(touch *)".into()],
        ..AgentOptions::default()
    };
    let told = explain(&options, &env(&stage), "run_shell", &json!({ "command": "touch made" })).unwrap();
    assert_eq!(told.decision, Outlook::Deny);
    assert!(told.layer.unwrap().contains("managed.json"));
    assert!(told.trace[0].reason.contains("flags layer (options)"), "{}", told.trace[0].reason);
}
