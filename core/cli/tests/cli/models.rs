//! Listing models.

use lodger_kit::MockServer;
use serde_json::{Value, json};

use crate::kit::{lodger, says, stderr, stdout};

fn server() -> MockServer {
    MockServer::start(serde_json::from_value(json!({ "steps": [says("never asked")] })).unwrap()).unwrap()
}

#[test]
fn models_are_listed_one_a_line_or_as_json() {
    let server = server();
    for api in ["anthropic", "openai-chat", "openai-responses", "gemini"] {
        let url = server.base_url();
        let run = |more: &[&str]| {
            let arguments = [&["models", "acme", "--base-url", &url, "--api", api][..], more].concat();
            let output = lodger().env("ACME_API_KEY", "sk-test").args(arguments).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            stdout(&output).to_owned()
        };
        let listed: Value = serde_json::from_str(&run(&["--json"])).unwrap();
        let lines = run(&[]);
        assert!(!listed.as_array().unwrap().is_empty());
        assert_eq!(json!(lines.lines().collect::<Vec<_>>()), listed, "{api}");
    }
    assert_eq!(server.stats().requests, 0);
}

#[test]
fn a_provider_that_is_not_known_is_an_error_that_lists_the_known() {
    let output = lodger().args(["models", "acme"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("anthropic, openai, google"), "{}", stderr(&output));
}

#[test]
fn a_key_that_is_missing_has_an_exit_code_of_its_own() {
    let output = lodger().args(["models", "anthropic"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
}
