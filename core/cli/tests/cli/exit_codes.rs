//! How the command ends.

use serde_json::{Value, json};

use crate::kit::{Place, lodger, runs, says, stderr, stdout};

fn fails_with(code: &str) -> Value {
    json!({ "reply": [], "fault": { "type": "error", "code": code } })
}

#[test]
fn every_end_of_a_turn_has_its_own_code() {
    let stops = |reason: &str| json!({ "reply": [{ "type": "text", "text": "So far." }], "stopReason": reason });
    let cases: [(Value, &[&str], i32); 8] = [
        (says("Done."), &[], 0),
        (fails_with("provider_rejected"), &[], 1),
        (fails_with("provider_auth"), &[], 3),
        (fails_with("provider_unavailable"), &[], 4),
        (json!({ "reply": [], "fault": { "type": "cut" } }), &[], 4),
        (stops("refused"), &[], 5),
        (runs("true"), &["--max-steps", "1", "--mode", "full-auto"], 6),
        (stops("max_output_tokens"), &[], 7),
    ];
    for (step, arguments, code) in cases {
        let output = Place::new(std::slice::from_ref(&step)).run(arguments);
        assert_eq!(output.status.code(), Some(code), "{step}: {}", stderr(&output));
        // An early end is always told.
        assert_eq!(code == 0, stderr(&output).is_empty(), "{step}");
    }
}

#[test]
fn an_unknown_flag_is_named_and_prints_nothing_on_standard_output() {
    let output = lodger().args(["-p", "x", "--output-fromat", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--output-fromat") && stderr(&output).contains("'--output-format'"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stdout(&output), "");
}

#[test]
fn a_missing_model_is_an_error_that_says_both_ways_to_name_one() {
    for value in [None, Some("")] {
        let output = lodger().args(["-p", "x"]).envs(value.map(|value| ("LODGER_MODEL", value))).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("--model") && stderr(&output).contains("LODGER_MODEL"), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn the_environment_may_name_the_model() {
    let place = Place::new(&[says("Here.")]);
    let arguments = place.arguments(&[]);
    let output = lodger().args(["-p", "x"]).env("LODGER_MODEL", &arguments[3]).output().unwrap();
    assert_eq!((stdout(&output), output.status.code()), ("Here.\n", Some(0)));
}

#[test]
fn a_key_that_is_missing_has_the_code_of_one_that_was_refused() {
    let output = lodger().args(["-p", "x", "--model", "anthropic/claude-x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("ANTHROPIC_API_KEY"), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_used_is_told_before_anything_runs() {
    let place = Place::new(&[says("never")]);
    for (flag, value) in [("--mode", "yolo"), ("--cwd", "/no/such/folder"), ("--max-steps", "0"), ("--base-url", "x")] {
        let mut arguments = place.arguments(&[]);
        if flag == "--base-url" {
            arguments[3] = "anthropic/claude-x".to_owned();
        }
        arguments.retain(|argument| flag != "--cwd" || *argument != "--cwd" && !argument.ends_with("/work"));
        let output = lodger().args(arguments).args([flag, value]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{flag}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{flag}");
    }
}

#[test]
fn help_tells_flags_and_exit_codes() {
    let output = lodger().arg("--help").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("--output-format") && stdout(&output).contains("130  cancelled"));
}
