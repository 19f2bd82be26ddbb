//! Interpreters of other languages: code in their words or their input is not read here.

use super::Unwrapped;
use crate::shell::facts::SimpleCommand;

/// Interpreters, and the options whose value is code. Letters may stand together with others.
const INTERPRETERS: &[(&str, &str, &[&str])] = &[
    ("bun", "e", &["--eval", "--print", "eval"]),
    ("deno", "", &["eval", "repl"]),
    ("lua", "e", &[]),
    ("node", "ep", &["--eval", "--print"]),
    ("nodejs", "ep", &["--eval", "--print"]),
    ("osascript", "e", &[]),
    ("perl", "eE", &[]),
    ("php", "rBRE", &["--run"]),
    ("pypy", "c", &[]),
    ("python", "c", &[]),
    ("Rscript", "e", &[]),
    ("ruby", "e", &[]),
    ("tclsh", "", &[]),
];

/// Programs whose script is a word, and what in it runs or writes something.
const SCRIPTED: &[(&str, &[&str])] = &[
    ("awk", &["system", "|", "getline", ">", "@", "\\"]),
    ("gawk", &["system", "|", "getline", ">", "@", "\\"]),
    ("mawk", &["system", "|", "getline", ">", "@", "\\"]),
    ("nawk", &["system", "|", "getline", ">", "@", "\\"]),
];

fn bare(name: &str) -> &str {
    name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')
}

pub(super) fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.iter().any(|(it, ..)| *it == bare(name)) || SCRIPTED.iter().any(|(it, _)| *it == name) || name == "sed"
}

pub(super) fn unwrap(command: &SimpleCommand) -> Unwrapped {
    let Some(words) = command.literal_arguments() else {
        return Unwrapped::unseen();
    };
    if command.name() == "sed" {
        return if words.iter().any(|word| sed_may_run(word)) { Unwrapped::unseen() } else { Unwrapped::acts() };
    }
    if let Some((_, marks)) = SCRIPTED.iter().find(|(it, _)| *it == command.name()) {
        let runs = words.iter().any(|word| word.starts_with('-') && !word.starts_with("-F") || has_any(word, marks));
        return if runs { Unwrapped::unseen() } else { Unwrapped::acts() };
    }
    let Some((_, letters, long)) = INTERPRETERS.iter().find(|(it, ..)| *it == bare(command.name())) else {
        return Unwrapped::acts();
    };
    let takes_code = |word: &str| {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        long.contains(&name)
            || (word.starts_with('-') && !word.starts_with("--") && word.contains(|it| letters.contains(it)))
    };
    // What stands behind the name of a module is the module's.
    let own: Vec<&str> = words.iter().copied().take_while(|word| !word.starts_with("-m")).collect();
    if own.iter().any(|word| takes_code(word)) {
        return Unwrapped::unseen();
    }
    let runs_nothing = |word: &&str| matches!(*word, "-V" | "-v" | "--version" | "--help" | "--test");
    let names_file = own.len() < words.len() || own.iter().any(|word| !word.starts_with('-'));
    if names_file || own.iter().any(runs_nothing) {
        Unwrapped::acts()
    } else {
        Unwrapped::hides("it reads its code from its input")
    }
}

fn has_any(word: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| word.contains(mark))
}

/// `e` of sed runs its text or the line; alone, behind an address, or as a flag of `s`.
fn sed_may_run(word: &str) -> bool {
    let is_script = !word.starts_with("--") && word.contains('e');
    is_script && word != "-e" && word.char_indices().any(|(at, it)| it == 'e' && stands_as_command(word, at))
}

fn stands_as_command(word: &str, at: usize) -> bool {
    let flags = |it: char| "gpimIM".contains(it) || it.is_ascii_digit();
    let before = word.get(..at).and_then(|text| text.trim_end_matches(flags).chars().next_back());
    let after = word.get(at + 1..).and_then(|text| text.chars().next());
    let opens = before.is_none_or(|it| !it.is_ascii_alphabetic() && !"-._".contains(it));
    let closes = after.is_none_or(|it| !it.is_ascii_alphabetic() || "gpimIMw".contains(it));
    opens && closes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_sed_that_run_something_are_told_from_those_that_do_not() {
        for script in ["1e rm x", "e", "s/a/b/e", "s/a/b/ge", "/x/e", "$!{e\n}", "s,a,b,ep"] {
            assert!(sed_may_run(script), "{script}");
        }
        for script in ["s/one/two/", "1,5p", "-e", "s/here/there/g", "some/file.txt", "-ne"] {
            assert!(!sed_may_run(script), "{script}");
        }
    }

    #[test]
    fn versions_in_a_name_do_not_hide_an_interpreter() {
        for name in ["python3", "python3.12", "perl5.36", "lua5.4", "node"] {
            assert!(is_interpreter(name), "{name}");
        }
        assert!(!is_interpreter("cargo"));
    }
}
