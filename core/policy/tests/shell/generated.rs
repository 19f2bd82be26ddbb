//! Lines made of pieces at random: what we say of them holds against bash, the other parser and the reading by hand.

#![allow(clippy::disallowed_methods, reason = "how far to look is said by whoever runs the tests")]

use std::process::Command;

use lodger_policy::shell::{Analysis, analyse};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::bash::{Stubs, accounts_for};
use crate::shown::lines;
use crate::{by_hand, second_parser};

const PROGRAMS: &[&str] = &["ls", "rm", "cat", "git"];

const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "|&",
    "!",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ">>",
    "2>",
    ">&",
    "&>",
    "1",
    "-",
    "ls",
    "rm",
    "cat",
    "git",
    "ls ",
    "rm ",
    "cat ",
    "a",
    "b",
    "-x",
    "*",
    "?",
    "[",
    "]",
    "[[",
    "]]",
    "~",
    "#",
    "\\",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    "${",
    "$((",
    "))",
    "x",
    "=",
    "x=1",
    "PATH=/e",
    "$x",
    "\"$x\"",
    "${x}",
    "${x:-a}",
    "$'a\\n'",
    "$\"a\"",
    "''",
    "\"\"",
    "'a b'",
    "\"a b\"",
    "a\\ b",
    "{a,b}",
    "{1..3}",
    "{}",
    "<(",
    ">(",
    "<<E",
    "<<'E'",
    "<<-E",
    "\nE\n",
    "E",
    "<<<",
    "if ",
    "then ",
    "else ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case ",
    " in ",
    "esac",
    ";;",
    "time ",
    "coproc ",
    "function ",
    "\\\n",
    "\t",
    "é",
    "timeout 5 ",
    "env ",
    "xargs ",
    "sh -c ",
    "eval ",
    "command ",
];

/// Pieces in any order: most are not shell at all.
fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 1..14).prop_map(|pieces| pieces.concat())
}

/// Lines of the table with a piece put in, taken out, or put in the place of some of it: near to what is understood.
/// None that names a real file or program, or may never end: bash runs them.
fn mutated() -> impl Strategy<Value = String> {
    let is_safe = |line: &String| !["/", "..", "until", "while", "kill"].iter().any(|part| line.contains(part));
    let lines: Vec<String> = lines().into_iter().map(|(line, _)| line).filter(is_safe).collect();
    let change = (any::<prop::sample::Index>(), 0..3_usize, prop::sample::select(PIECES));
    (prop::sample::select(lines), prop::collection::vec(change, 1..4)).prop_map(|(line, changes)| {
        changes.into_iter().fold(line, |line, (at, taken, piece)| {
            let at = at.index(line.chars().count() + 1);
            let piece = if taken == 2 { "" } else { piece };
            line.chars().take(at).chain(piece.chars()).chain(line.chars().skip(at + taken)).collect()
        })
    })
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(
        &[
            "a",
            "-x",
            "'a b'",
            "\"a $x\"",
            "$x",
            "*.rs",
            "{a,b}",
            "a\\ b",
            "\"$(ls a)\"",
            "$(rm b)",
            "`git c`",
            "''",
            "x=1",
            "~",
            "a#b",
            "\"it's\"",
            "'say \"hi\"'",
            "$'tab\\t'",
            "<(cat b)",
            "a'b'\"c\"",
            "\\;",
            "{}",
            "!",
            "2",
            "--",
        ][..],
    )
    .prop_map(str::to_owned)
}

fn simple() -> impl Strategy<Value = String> {
    let front = prop::sample::select(&["", "", "", "x=1 ", "RUST_LOG=a ", "time ", "! "][..]);
    let wrapper = prop::sample::select(&["", "", "", "", "command ", "eval ", "exec "][..]);
    let redirect = prop::sample::select(
        &["", "", "", " >out", " 2>&1", " <<<text", " >a b", " <<'E'\n$(rm x)\nE\n", " <<E\ntext\nE\n"][..],
    );
    let words = prop::collection::vec(word(), 0..4);
    (front, wrapper, prop::sample::select(PROGRAMS), words, redirect).prop_map(
        |(front, wrapper, program, words, redirect)| format!("{front}{wrapper}{program} {}{redirect}", words.join(" ")),
    )
}

/// Lines that are shell, mostly.
fn line() -> impl Strategy<Value = String> {
    simple().prop_recursive(3, 12, 3, |inner| {
        let separator =
            prop::sample::select(&[" && ", " || ", "; ", " | ", "\n", " & ", "&&", ";", " |& ", " # c\n"][..]);
        prop_oneof![
            (inner.clone(), separator, inner.clone()).prop_map(|(a, separator, b)| format!("{a}{separator}{b}")),
            inner.clone().prop_map(|it| format!("({it})")),
            inner.clone().prop_map(|it| format!("{{ {it}; }}")),
            inner.clone().prop_map(|it| format!("echo \"$({it})\"")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            inner.clone().prop_map(|it| format!("for x in a b; do {it}; done")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("case a in b) {a};; *) {b};; esac")),
            inner.prop_map(|it| format!("{{ {it}; }} >out")),
        ]
    })
}

/// Bash takes the text for shell.
fn is_shell(line: &str) -> bool {
    Command::new("/bin/bash")
        .args(["--noprofile", "--norc", "-n", "-c", line])
        .env_clear()
        .output()
        .is_ok_and(|output| output.status.success() && output.stderr.is_empty())
}

fn holds(line: &str, stubs: &Stubs) -> Result<bool, TestCaseError> {
    let Analysis::Understood(all) = analyse(line) else { return Ok(false) };
    prop_assert!(is_shell(line), "bash does not take {line:?} for shell");
    second_parser::compare(line);
    if let Some(plain) = all.plain() {
        let mut words = vec![plain.program.clone()];
        words.extend(plain.arguments.iter().filter_map(|word| word.literal()).map(str::to_owned));
        prop_assert_eq!(by_hand::words(line), Some(words), "{:?}", line);
    }
    for words in stubs.run(line) {
        prop_assert!(all.all().iter().any(|it| accounts_for(it, &words)), "{line:?} ran {words:?}, not among {all:#?}");
    }
    Ok(true)
}

fn check(strategy: impl Strategy<Value = String>, cases: u32) -> usize {
    let stubs = Stubs::new(PROGRAMS.iter().copied());
    let understood = std::cell::Cell::new(0);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    // The same lines each time, so that a run says something about what was changed; the deep suite looks further.
    let mut runner = match std::env::var_os("LODGER_DEEP") {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let result = runner.run(&strategy, |line| {
        understood.set(understood.get() + usize::from(holds(&line, &stubs)?));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    understood.get()
}

/// `LODGER_CASES` says how many; a run that looks further also sets `LODGER_DEEP`.
fn cases(few: u32) -> u32 {
    std::env::var("LODGER_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}

#[test]
fn what_is_understood_of_pieces_in_any_order_is_what_bash_runs() {
    check(soup(), cases(2000));
}

#[test]
fn what_is_understood_of_lines_of_the_table_with_changes_is_what_bash_runs() {
    check(mutated(), cases(500));
}

#[test]
fn what_is_understood_of_generated_lines_is_what_bash_runs() {
    let cases = cases(150);
    let understood = check(line(), cases);
    assert!(understood * 4 > cases as usize, "only {understood} of {cases} lines were understood");
}
