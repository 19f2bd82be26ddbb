//! The rule that a person is offered: the narrowest, and none where a standing rule would be a mistake.

use lodger_policy::shell::{Pattern, analyse, suggest};

fn of(line: &str) -> Option<Vec<String>> {
    suggest(&analyse(line))
}

#[test]
fn usual_tasks_get_a_rule_for_the_task() {
    assert_eq!(of("cargo test -p lodger").unwrap(), ["cargo test *"]);
    assert_eq!(of("npm run build --watch").unwrap(), ["npm run build *"]);
    assert_eq!(
        of("timeout 60 go test ./a").unwrap_or_default(),
        Vec::<String>::new(),
        "a wrapped command is not offered"
    );
}

#[test]
fn everything_else_gets_exactly_what_was_shown() {
    assert_eq!(of("rm -rf 'a b'").unwrap(), ["rm -rf 'a b'"]);
    assert_eq!(of("cargo publish").unwrap(), ["cargo publish"]);
    assert_eq!(of("touch \"it's\" '*'").unwrap(), ["touch \"it's\" '*'"]);
}

#[test]
fn a_chain_gets_an_exact_rule_for_each_member() {
    assert_eq!(of("cargo test && cargo test && touch a").unwrap(), ["cargo test", "touch a"]);
}

#[test]
fn no_rule_is_offered_for_runners_or_for_what_is_not_known() {
    for line in [
        "python3 a.py",
        "python3.12 -c x",
        "bash a.sh",
        "sudo rm x",
        "npx eslint .",
        "xargs rm",
        "git push",
        "find . -delete",
        "ssh a b",
        "awk x",
        "sh -c ls",
        "env ls",
        "touch $X",
        "touch *.rs",
        "PATH=. touch a",
        "touch a; $X",
        "",
        "docker run a",
        "make",
        "> out",
    ] {
        assert_eq!(of(line), None, "{line}");
    }
}

#[test]
fn what_is_offered_allows_the_line_that_it_was_offered_for() {
    for line in
        ["cargo test -p a", "touch 'a b' \"it's\" '*' '' a\\\\b", "rm -rf x && ls", "pytest -x", "./run \"\\\"'\""]
    {
        let rules: Vec<_> = of(line).unwrap().iter().map(|text| Pattern::parse(text).unwrap()).collect();
        assert!(analyse(line).is_allowed_by(&rules), "{line}: {rules:?}");
    }
}
