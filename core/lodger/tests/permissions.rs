//! What runs, what asks and what is refused, through real calls on real files and commands.

use std::collections::VecDeque;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use lodger::protocol::{
    DoneReason, Effect, Entry, Mode, Outcome, PermissionAnswer, PermissionRequest, Persist, Risk, TargetKind,
    ToolOptions,
};
use lodger::{Agent, AgentBuilder};
use serde_json::{Value, json};

use crate::support::script::{call, calls, says, shell, step, write};
use crate::support::*;

const ONCE: PermissionAnswer = PermissionAnswer::AllowOnce {};
const ALWAYS: PermissionAnswer = PermissionAnswer::AllowAlways { rule: None, persist: None };

fn no(feedback: &str) -> PermissionAnswer {
    PermissionAnswer::Deny { feedback: Some(feedback.to_owned()) }
}

/// The requests that came, and the answers that are left.
type Asked = Arc<Mutex<Vec<PermissionRequest>>>;

/// Answers in order, and notes what was asked. One request more than answers fails the test's agent.
fn answering(builder: AgentBuilder, answers: impl IntoIterator<Item = PermissionAnswer>) -> (Agent, Asked) {
    let asked = Asked::default();
    let note = Arc::clone(&asked);
    let answers = Mutex::new(answers.into_iter().collect::<VecDeque<_>>());
    let agent = builder
        .on_permission(move |request| {
            note.lock().unwrap().push(request.body);
            let answer = answers.lock().unwrap().pop_front();
            async move { answer.expect("no more requests") }
        })
        .create()
        .unwrap();
    (agent, asked)
}

fn tool(name: &str, read_only: bool) -> ToolOptions {
    ToolOptions {
        name: name.to_owned(),
        description: "for tests".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only,
        approval: Default::default(),
    }
}

fn read_file(path: &std::path::Path) -> Value {
    calls("read_file", json!({ "path": path }))
}

#[tokio::test]
async fn every_mode_has_its_own_answer_to_every_kind_of_call() {
    let stage = Stage::new();
    stage.put("inside", "text");
    stage.put(".git/config", "text");
    fs::write(stage.outside("file"), "text").unwrap();
    let outside = stage.outside("new").display().to_string();
    let rows = [
        // what                                      ask    auto-edit full-auto plan
        ("read inside", read_file(&stage.work("inside")), ["runs", "runs", "runs", "runs"]),
        ("read outside", read_file(&stage.outside("file")), ["asks", "asks", "runs", "asks"]),
        ("read protected", read_file(&stage.work(".git/config")), ["runs", "runs", "runs", "runs"]),
        ("write inside", write("made", "x"), ["asks", "runs", "runs", "denied"]),
        ("write outside", write(&outside, "x"), ["asks", "asks", "runs", "denied"]),
        ("write protected", write(".git/new", "x"), ["asks", "asks", "runs", "denied"]),
        ("command", shell("touch made"), ["asks", "asks", "runs", "denied"]),
        ("command that looks", shell("cat inside"), ["asks", "asks", "runs", "asks"]),
        ("host tool", calls("mine", json!({})), ["runs", "runs", "runs", "denied"]),
        ("host tool that looks", calls("look", json!({})), ["runs", "runs", "runs", "runs"]),
    ];
    for (what, step, expected) in &rows {
        for (mode, expected) in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan].into_iter().zip(expected) {
            // Each finds them anew: a file that exists is not written unread.
            for made in [stage.work("made"), stage.outside("new"), stage.work(".git/new")] {
                let _ = fs::remove_file(made);
            }
            let builder = stage
                .agent(&[step.clone(), says("done")])
                .mode(mode)
                .tool(tool("mine", false), |_| async { "ok" })
                .tool(tool("look", true), |_| async { "ok" });
            let (agent, asked) = answering(builder, [no("no")]);
            let events = play(&agent, "hello").await;
            look::ended(&events, DoneReason::EndTurn);
            let denied = look::kinds(&events).contains(&"tool_denied".to_owned());
            let found = match (asked.lock().unwrap().len(), denied, look::result(&events).1) {
                (1, true, true) => "asks",
                (0, true, true) => "denied",
                (0, false, false) => "runs",
                other => panic!("{what} in mode {mode:?}: {other:?}, {:?}", look::result(&events)),
            };
            assert_eq!(found, *expected, "{what} in mode {mode:?}");
        }
    }
}

#[tokio::test]
async fn a_refused_write_leaves_the_file_and_tells_the_model_why() {
    let stage = Stage::new();
    stage.put("f", "before");
    let (agent, _) = answering(stage.agent(&[write("f", "after"), says("done")]), [no("use the other file")]);
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    let (told, is_error) = look::result(&events);
    assert!(is_error && told.contains("use the other file"), "{told}");
    assert_eq!(fs::read_to_string(stage.work("f")).unwrap(), "before");
}

#[tokio::test]
async fn a_request_says_what_the_call_would_do() {
    let stage = Stage::new();
    stage.put("f", "one\ntwo\n");
    let edit = calls("edit_file", json!({ "path": "f", "oldText": "two", "newText": "2" }));
    let (agent, asked) = answering(stage.agent(&[edit, shell("touch hi"), says("done")]), [ONCE, ONCE]);
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let asked = asked.lock().unwrap();
    let path = stage.work("f").display().to_string();
    let [edit, command] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((edit.tool_name.as_str(), edit.effect, edit.risk), ("edit_file", Effect::Write, Risk::Medium));
    assert_eq!((edit.target.kind, edit.target.paths.as_deref()), (TargetKind::File, Some(&[path.clone()][..])));
    assert_eq!(edit.targets, [path]);
    let diff = edit.diff.as_deref().unwrap();
    assert!(diff.contains("-two") && diff.contains("+2"), "{diff}");
    assert!(!edit.trace.is_empty());
    assert_eq!((command.effect, command.risk), (Effect::Execute, Risk::High));
    assert_eq!((command.target.kind, command.target.command.as_deref()), (TargetKind::Command, Some("touch hi")));
    assert_eq!(command.targets, ["touch hi"]);
}

#[tokio::test]
async fn a_link_inside_that_leads_outside_asks_and_names_the_real_place() {
    let stage = Stage::new();
    fs::write(stage.outside("secret"), "text").unwrap();
    symlink(stage.outside("secret"), stage.work("link")).unwrap();
    symlink(stage.outside(""), stage.work("folder")).unwrap();
    let steps = [read_file(&stage.work("link")), write("folder/new", "x"), says("done")];
    let (agent, asked) = answering(stage.agent(&steps).mode(Mode::AutoEdit), [no("no"), no("no")]);
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    let asked = asked.lock().unwrap();
    let named: Vec<_> = asked.iter().flat_map(|request| request.targets.clone()).collect();
    assert_eq!(named, [stage.outside("secret"), stage.outside("new")].map(|path| path.display().to_string()));
    assert!(asked.iter().all(|request| request.risk == Risk::High));
    assert!(!stage.outside("new").exists());
}

#[tokio::test]
async fn a_path_that_climbs_out_asks() {
    let stage = Stage::new();
    fs::write(stage.outside("secret"), "text").unwrap();
    let steps = [calls("read_file", json!({ "path": "../outside/secret" })), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), [no("no")]);
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn a_folder_named_as_a_root_counts_as_inside() {
    let stage = Stage::new();
    fs::write(stage.outside("file"), "text").unwrap();
    let options = json!({
        "model": stage.model(&[read_file(&stage.outside("file")), says("done")]),
        "cwd": stage.work(""),
        "roots": [stage.work(""), stage.outside("")],
    });
    let agent = embedded(&options);
    let events = drain(&agent.prompt("\"hello\"").unwrap());
    assert_eq!(look::result(&events), ("1\ttext\n[the last line has no line end]\n".to_owned(), false));
}

#[tokio::test]
async fn what_was_exchanged_between_the_question_and_the_answer_is_not_touched() {
    let stage = Stage::new();
    stage.put("f", "before");
    fs::write(stage.outside("victim"), "victim").unwrap();
    let (work, outside) = (stage.work("f"), stage.outside("victim"));
    let agent = stage
        .agent(&[write("f", "after"), says("done")])
        .on_permission(move |_| {
            fs::remove_file(&work).unwrap();
            symlink(&outside, &work).unwrap();
            async { ONCE }
        })
        .create()
        .unwrap();
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::result(&events).1, "{:?}", look::result(&events));
    assert_eq!(fs::read_to_string(stage.outside("victim")).unwrap(), "victim");
}

#[tokio::test]
async fn always_allows_the_same_call_and_nothing_wider() {
    let stage = Stage::new();
    let steps =
        [shell("echo a"), shell("echo a"), shell("echo b"), shell("echo a "), shell("echo a; echo b"), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), [ALWAYS, ONCE, ONCE, ONCE]);
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(look::results(&events).iter().all(|(_, is_error)| !is_error));
    let lines: Vec<_> = asked.lock().unwrap().iter().map(|request| request.targets[0].clone()).collect();
    assert_eq!(lines, ["echo a", "echo b", "echo a ", "echo a; echo b"]);
}

#[tokio::test]
async fn always_holds_for_later_turns_of_the_agent_and_for_no_other_agent() {
    let stage = Stage::new();
    let steps = [shell("echo a"), says("done"), shell("echo a"), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), [ALWAYS]);
    for prompt in ["hello", "again"] {
        look::ended(&play(&agent, prompt).await, DoneReason::EndTurn);
    }
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (other, asked) = answering(stage.agent(&steps), [no("no")]);
    play(&other, "hello").await;
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn always_is_not_in_a_checkpoint() {
    let stage = Stage::new();
    let steps = [shell("echo a"), says("done"), shell("echo a"), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), [ALWAYS]);
    play(&agent, "hello").await;
    assert_eq!(asked.lock().unwrap().len(), 1);
    let (later, asked) = answering(stage.agent(&steps).checkpoint(agent.checkpoint().unwrap()), [no("no")]);
    play(&later, "again").await;
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn always_does_not_hold_in_plan_mode() {
    let stage = Stage::new();
    let steps = [shell("touch a"), says("done"), shell("touch a"), says("done")];
    let (agent, _) = answering(stage.agent(&steps), [ALWAYS]);
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    agent.set_mode(Mode::Plan).unwrap();
    let (told, is_error) = look::result(&play(&agent, "again").await);
    assert!(is_error && told.contains("plan mode"), "{told}");
}

#[tokio::test]
async fn always_does_not_follow_a_link_that_was_turned() {
    let stage = Stage::new();
    fs::write(stage.outside("first"), "").unwrap();
    fs::write(stage.outside("second"), "").unwrap();
    symlink(stage.outside("first"), stage.work("link")).unwrap();
    let steps = [write("link", "x"), says("done"), write("link", "x"), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), [ALWAYS, no("no")]);
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    fs::remove_file(stage.work("link")).unwrap();
    symlink(stage.outside("second"), stage.work("link")).unwrap();
    look::ended(&play(&agent, "again").await, DoneReason::EndTurn);
    assert_eq!(asked.lock().unwrap().len(), 2, "the call now goes somewhere else");
    assert_eq!(fs::read_to_string(stage.outside("second")).unwrap(), "");
}

#[tokio::test]
async fn always_by_a_rule_that_was_not_offered_or_for_longer_than_the_session_is_refused() {
    let wider = [
        PermissionAnswer::AllowAlways { rule: Some("run_shell(*)".to_owned()), persist: None },
        PermissionAnswer::AllowAlways { rule: None, persist: Some(Persist::Project) },
        PermissionAnswer::AllowAlways { rule: None, persist: Some(Persist::User) },
    ];
    for answer in wider {
        let stage = Stage::new();
        let (agent, asked) =
            answering(stage.agent(&[shell("touch made"), shell("touch made"), says("done")]), [answer, no("no")]);
        let events = play(&agent, "hello").await;
        look::ended(&events, DoneReason::EndTurn);
        assert_eq!(look::outcomes(&events), [Outcome::Failed, Outcome::Denied]);
        assert_eq!(asked.lock().unwrap().len(), 2, "nothing was granted");
        assert!(!stage.work("made").exists());
    }
}

#[tokio::test]
async fn a_mode_that_is_set_in_mid_turn_counts_from_the_next_step() {
    let stage = Stage::new();
    let steps =
        [calls("relax", json!({})), shell("touch made"), calls("tighten", json!({})), shell("rm made"), says("done")];
    let holder: Arc<Mutex<Option<Agent>>> = Arc::default();
    let set = |mode| {
        let holder = Arc::clone(&holder);
        move |_| {
            holder.lock().unwrap().as_ref().unwrap().set_mode(mode).unwrap();
            async { "set" }
        }
    };
    let builder = stage
        .agent(&steps)
        .tool(tool("relax", false), set(Mode::FullAuto))
        .tool(tool("tighten", false), set(Mode::Plan));
    let (agent, asked) = answering(builder, []);
    *holder.lock().unwrap() = Some(agent.clone());
    let events = play(&agent, "hello").await;
    holder.lock().unwrap().take();
    look::ended(&events, DoneReason::EndTurn);
    assert!(asked.lock().unwrap().is_empty());
    let modes: Vec<_> = look::entries(&events)
        .filter_map(|entry| match entry {
            Entry::ModeChanged { mode } => Some(*mode),
            _ => None,
        })
        .collect();
    assert_eq!(modes, [Mode::FullAuto, Mode::Plan]);
    let errors: Vec<_> = look::results(&events).into_iter().map(|(_, is_error)| is_error).collect();
    assert_eq!(errors, [false, false, false, true]);
    assert!(stage.work("made").exists(), "plan mode refused to remove it");
}

#[tokio::test]
async fn a_mode_that_is_set_between_calls_of_one_step_does_not_count_in_it() {
    let stage = Stage::new();
    let step = crate::support::script::step(&[
        crate::support::script::call("relax", json!({})),
        crate::support::script::call("run_shell", json!({ "command": "touch made" })),
    ]);
    let holder: Arc<Mutex<Option<Agent>>> = Arc::default();
    let relax = Arc::clone(&holder);
    let builder = stage.agent(&[step, says("done")]).tool(tool("relax", false), move |_| {
        relax.lock().unwrap().as_ref().unwrap().set_mode(Mode::FullAuto).unwrap();
        async { "set" }
    });
    let (agent, asked) = answering(builder, [no("no")]);
    *holder.lock().unwrap() = Some(agent.clone());
    look::ended(&play(&agent, "hello").await, DoneReason::EndTurn);
    holder.lock().unwrap().take();
    assert_eq!(asked.lock().unwrap().len(), 1, "the step began in mode ask");
}

#[tokio::test]
async fn a_call_that_cannot_be_read_is_never_asked_about() {
    let stage = Stage::new();
    let steps = [calls("run_shell", json!({ "comand": "true" })), calls("nothing", json!({})), says("done")];
    let (agent, asked) = answering(stage.agent(&steps), []);
    let events = play(&agent, "hello").await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(asked.lock().unwrap().is_empty());
    assert!(look::results(&events).iter().all(|(_, is_error)| *is_error));
}

#[tokio::test]
async fn a_stricter_mode_binds_the_calls_of_the_reply_that_is_running() {
    let stage = Stage::new();
    let both = step(&[
        call("run_shell", json!({ "command": "touch one; sleep 0.4" })),
        call("run_shell", json!({ "command": "touch two" })),
    ]);
    let agent = stage.agent(&[both, says("ok")]).mode(Mode::FullAuto).create().unwrap();
    let mut turn = agent.prompt("go").unwrap();
    until("the first command", || stage.work("one").exists().then_some(())).await;
    agent.set_mode(Mode::Plan).unwrap();
    let events = read(&mut turn).await;
    look::ended(&events, DoneReason::EndTurn);
    assert!(!stage.work("two").exists(), "plan mode refused it");
}
