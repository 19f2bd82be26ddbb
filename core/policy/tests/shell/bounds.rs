//! Whatever a line is, it is judged in bounded time and depth, and what is over a bound is not understood.

use std::time::{Duration, Instant};

use lodger_policy::shell::{Analysis, MAX_COMMANDS, MAX_LINE_BYTES, NotUnderstood, analyse};

fn is_too_large(line: &str) -> bool {
    matches!(analyse(line), Analysis::NotUnderstood { why: NotUnderstood::TooLarge(_), .. })
}

#[test]
fn the_longest_line_is_understood_and_a_longer_one_is_not() {
    let longest = format!("echo {}", "a".repeat(MAX_LINE_BYTES - 5));
    assert!(analyse(&longest).understood().is_some());
    assert!(is_too_large(&format!("{longest}a")));
}

#[test]
fn the_most_commands_are_understood_and_one_more_is_not() {
    let commands = |count| vec!["ls"; count].join(";");
    assert_eq!(analyse(&commands(MAX_COMMANDS)).understood().unwrap().all().len(), MAX_COMMANDS);
    assert!(is_too_large(&commands(MAX_COMMANDS + 1)));
}

#[test]
fn deep_nesting_ends_by_the_bound_and_not_by_the_stack() {
    for (open, close) in
        [("(", ")"), ("$(", ")"), ("{ ", ";}"), ("\"$(", ")\""), ("if ", ";then a;fi"), ("${x:-", "}"), ("eval ", "")]
    {
        for depth in [20, 60, 1500] {
            let line = format!("{}ls{}", open.repeat(depth), close.repeat(depth));
            let _ = analyse(&line);
        }
    }
    assert!(is_too_large(&format!("{}ls", "env ".repeat(100))));
}

#[test]
fn no_line_takes_long() {
    for piece in [
        "(",
        "$(",
        "`",
        "\"",
        "'",
        "<<E ",
        "{",
        "[[ ",
        "case a in ",
        "${a:-`",
        "$((",
        "a|",
        "!",
        "\\`",
        "for ",
        "<(",
        "=",
        "a=(",
    ] {
        let line = piece.repeat(MAX_LINE_BYTES / piece.len());
        let before = Instant::now();
        let _ = analyse(&line);
        assert!(before.elapsed() < Duration::from_secs(20), "{piece} took {:?}", before.elapsed());
    }
}

#[test]
fn characters_that_hide_what_a_line_does_are_not_understood() {
    for character in [
        '\0', '\r', '\u{b}', '\u{1b}', '\u{7f}', '\u{85}', '\u{a0}', '\u{200b}', '\u{202e}', '\u{3000}', '\u{feff}',
        '\u{2028}',
    ] {
        let line = format!("ls a{character}b");
        assert!(
            matches!(analyse(&line), Analysis::NotUnderstood { why: NotUnderstood::Character(found), .. } if found == character),
            "U+{:04X}",
            u32::from(character)
        );
    }
    assert!(analyse("echo 'grüße 日本語'").understood().is_some());
}
