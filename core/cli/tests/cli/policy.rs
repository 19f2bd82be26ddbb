//! Why a call would run, ask or be refused.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::{lodger, stderr, stdout};

fn explain(folder: &TempDir, more: &[&str]) -> Output {
    lodger().args(["policy", "explain", "--cwd"]).arg(folder.path()).args(more).output().unwrap()
}

fn explained(folder: &TempDir, more: &[&str]) -> Value {
    let output = explain(folder, &[more, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

fn shell(folder: &TempDir, command: &str, more: &[&str]) -> Value {
    let input = json!({ "command": command }).to_string();
    explained(folder, &[&["--tool", "run_shell", "--input", &input], more].concat())
}

#[test]
fn a_call_is_explained_as_the_agent_would_decide_it_and_nothing_runs() {
    let folder = TempDir::new().unwrap();
    let told = shell(&folder, "touch made", &["--allow", "run_shell(touch *)"]);
    assert_eq!(told["decision"], "allow");
    assert_eq!((&told["by"], &told["rule"]), (&json!("rule"), &json!("run_shell(touch *)")));
    assert_eq!(told["layer"], "flags layer (options)");
    assert_eq!(told["trace"][0]["rule"], told["rule"]);

    let told = shell(&folder, "true; touch made", &["--mode", "full-auto", "--deny", "run_shell(touch *)"]);
    assert_eq!((&told["decision"], &told["by"]), (&json!("deny"), &json!("rule")));
    assert!(told["feedback"].as_str().unwrap().contains("run_shell(touch *)"), "{told}");

    let told = shell(&folder, "touch made", &["--mode", "full-auto", "--ask", "run_shell"]);
    assert_eq!((&told["decision"], &told["rule"]), (&json!("ask"), &json!("run_shell")));
    assert!(!folder.path().join("made").exists());
}

#[test]
fn without_a_rule_the_mode_decides_and_no_rule_is_named() {
    let folder = TempDir::new().unwrap();
    let write = |mode: &str| {
        let input = json!({ "path": "made", "content": "" }).to_string();
        let told = explained(&folder, &["--tool", "write_file", "--input", &input, "--mode", mode]);
        assert!(told.get("rule").is_none() && told.get("layer").is_none(), "{told}");
        told["decision"].as_str().unwrap().to_owned()
    };
    assert_eq!(["ask", "auto-edit", "full-auto", "plan"].map(write), ["ask", "allow", "allow", "deny"]);
}

#[test]
fn rules_of_settings_files_count_too() {
    let folder = TempDir::new().unwrap();
    let put = |name: &str, settings: Value| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, settings.to_string()).unwrap();
        path
    };
    put(".lodger/settings.json", json!({ "permissions": { "deny": ["run_shell(mkdir *)"] } }));
    put("config/settings.json", json!({ "permissions": { "allow": ["run_shell(touch *)"] } }));
    let layer = |command: &str| {
        let input = json!({ "command": command }).to_string();
        let mut lodger = lodger();
        lodger.env("LODGER_CONFIG_DIR", folder.path().join("config"));
        lodger.args(["policy", "explain", "--json", "--tool", "run_shell", "--input", &input, "--cwd"]);
        let output = lodger.arg(folder.path()).output().unwrap();
        let told: Value = serde_json::from_str(stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        (told["decision"].as_str().unwrap().to_owned(), told["layer"].as_str().unwrap().to_owned())
    };
    let (decision, by) = layer("touch made");
    assert!(decision == "allow" && by.starts_with("user layer ("), "{decision} by {by}");
    let (decision, by) = layer("mkdir made");
    assert!(decision == "deny" && by.starts_with("project layer ("), "{decision} by {by}");
}

#[test]
fn in_words_the_decision_comes_first_and_each_step_has_a_line() {
    let folder = TempDir::new().unwrap();
    let input = json!({ "command": "touch made" }).to_string();
    let output = explain(&folder, &["--tool", "run_shell", "--input", &input, "--deny", "run_shell(touch *)"]);
    let lines: Vec<_> = stdout(&output).lines().collect();
    assert_eq!(lines[0], "deny (high risk)");
    assert_eq!(lines[1], "  rule run_shell(touch *) of the flags layer (options): denies the command `touch made`");
}

#[test]
fn a_tool_that_there_is_not_and_an_input_that_it_cannot_use_are_errors() {
    let folder = TempDir::new().unwrap();
    for (tool, input, told) in [
        ("run_shel", "{}", "there is no tool \"run_shel\"; there are: "),
        ("run_shell", "{}", "command"),
        ("run_shell", "{", "--input: it is not JSON"),
    ] {
        let output = explain(&folder, &["--tool", tool, "--input", input]);
        assert_eq!(output.status.code(), Some(2), "{tool} {input}");
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}
