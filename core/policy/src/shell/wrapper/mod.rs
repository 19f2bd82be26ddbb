//! Programs that run other programs: what they run is taken out and judged like everything else.
//!
//! One table for allow, ask and deny. An option that the table does not name makes the line not understood: it could
//! take the next word, and then what looks like the program would be none.

mod builtin;
mod find;
mod git;
mod interpreter;
mod options;
mod shell;
mod table;

pub(super) use builtin::{builtin_objection, variables_set_by};

use self::options::{Options, Split};
use super::facts::{Assignment, Role, SimpleCommand, Word};
use super::program::is_standard;

/// What a command runs.
pub(super) struct Unwrapped {
    /// How far its own words say what it does.
    pub(super) role: Role,
    /// What it runs.
    pub(super) inner: Vec<Inner>,
    /// Why something that it runs is not known.
    pub(super) hides: Option<String>,
    /// It changes the folder, or runs what follows in another.
    pub(super) moves: bool,
}

/// One thing that a command runs.
pub(super) enum Inner {
    /// A command by its words, with variables set for it.
    Words {
        /// The variables.
        assignments: Vec<Assignment>,
        /// The program and its words.
        words: Vec<Word>,
    },
    /// Text in the language of the shell.
    Code(String),
}

impl Unwrapped {
    fn acts() -> Self {
        Self { role: Role::Acts, inner: Vec::new(), hides: None, moves: false }
    }

    fn unseen() -> Self {
        Self { role: Role::RunsUnseen, ..Self::acts() }
    }

    fn hides(why: impl Into<String>) -> Self {
        Self { hides: Some(why.into()), ..Self::acts() }
    }

    fn runs(role: Role, inner: Vec<Inner>) -> Self {
        Self { role: if inner.is_empty() { Role::Acts } else { role }, inner, ..Self::acts() }
    }

    fn words(role: Role, words: Vec<Word>) -> Self {
        Self::runs(
            role,
            if words.is_empty() { Vec::new() } else { vec![Inner::Words { assignments: Vec::new(), words }] },
        )
    }
}

/// What a command runs, if it is a wrapper. Known by its name under any path; that it does nothing itself is believed
/// of a bare name or a file in a standard folder only.
pub(super) fn unwrap(command: &SimpleCommand) -> Unwrapped {
    let mut unwrapped = by_name(command);
    if unwrapped.role == Role::Carries && !is_standard(&command.program, command.name()) {
        unwrapped.role = Role::Acts;
    }
    unwrapped
}

fn by_name(command: &SimpleCommand) -> Unwrapped {
    let arguments = command.arguments.as_slice();
    match command.name() {
        "cd" | "pushd" | "popd" => Unwrapped { moves: true, ..Unwrapped::acts() },
        "eval" => builtin::eval(arguments),
        "trap" => builtin::trap(arguments),
        "env" => env(arguments),
        "xargs" => xargs(arguments),
        "watch" => watch(arguments),
        "find" => find::unwrap(arguments),
        "git" => git::unwrap(arguments),
        name if shell::is_shell(name) => shell::unwrap(command),
        name if table::runs_unseen(name, arguments) => Unwrapped::unseen(),
        name if interpreter::is_interpreter(name) => interpreter::unwrap(command),
        name => match table::wrapper(name, arguments) {
            Some(wrapper) => by_table(wrapper, arguments),
            None => Unwrapped::acts(),
        },
    }
}

fn by_table(wrapper: &table::Wrapper, arguments: &[Word]) -> Unwrapped {
    let split = match wrapper.options.split(arguments.get(wrapper.words.len()..).unwrap_or_default()) {
        Ok(split) => split,
        Err(why) => return Unwrapped::hides(why),
    };
    if split.has(wrapper.asks) {
        return Unwrapped::acts();
    }
    let mut rest = split.rest;
    let mut assignments = Vec::new();
    if wrapper.assigns {
        rest = take_assignments(rest, &mut assignments, wrapper.program == "time");
    }
    if rest.len() < wrapper.operands || rest.iter().take(wrapper.operands).any(|word| word.literal().is_none()) {
        return Unwrapped::hides("its own words are not all known");
    }
    let words = rest.get(wrapper.operands..).unwrap_or_default().to_vec();
    let role = if wrapper.carries { Role::Carries } else { Role::Acts };
    if words.is_empty() { Unwrapped::acts() } else { Unwrapped::runs(role, vec![Inner::Words { assignments, words }]) }
}

/// Takes `NAME=value` off the front. The shell takes names only; programs take whatever has a `=` in it.
fn take_assignments<'a>(mut rest: &'a [Word], to: &mut Vec<Assignment>, names_only: bool) -> &'a [Word] {
    while let [Word::Literal(word), more @ ..] = rest {
        let Some((name, value)) = word.split_once('=') else { break };
        let is_name = name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
            && !name.starts_with(|it: char| it.is_ascii_digit());
        if name.is_empty() || (names_only && !is_name) {
            break;
        }
        to.push(Assignment { name: name.to_owned(), value: Word::Literal(value.to_owned()) });
        rest = more;
    }
    rest
}

/// `env` sets and takes away variables, and then runs a program.
fn env(arguments: &[Word]) -> Unwrapped {
    const OPTIONS: Options = Options {
        flags: "iv0-",
        valued: "uC",
        long: &["--ignore-environment", "--null", "--debug"],
        long_valued: &["--unset", "--chdir"],
        numbers: false,
    };
    let Split { options, rest } = match OPTIONS.split(arguments) {
        Ok(split) => split,
        Err(why) => return Unwrapped::hides(why),
    };
    let mut assignments = Vec::new();
    let mut moves = false;
    let mut role = Role::Carries;
    for (option, value) in options {
        match option.as_str() {
            "-u" | "--unset" => {
                let gone = Word::Varying { text: "unset".to_owned(), stem: String::new(), splits: false };
                assignments.push(Assignment { name: value.unwrap_or_default(), value: gone });
            }
            "-C" | "--chdir" => moves = true,
            "-i" | "--ignore-environment" | "--" => role = Role::Acts,
            _ => {}
        }
    }
    let rest = take_assignments(rest, &mut assignments, false);
    if rest.is_empty() {
        return Unwrapped::acts();
    }
    Unwrapped { moves, ..Unwrapped::runs(role, vec![Inner::Words { assignments, words: rest.to_vec() }]) }
}

/// `xargs` adds words that it reads.
fn xargs(arguments: &[Word]) -> Unwrapped {
    const OPTIONS: Options = Options {
        flags: "0prtxo",
        valued: "adEILnPs",
        long: &["--null", "--no-run-if-empty", "--verbose", "--exit", "--interactive", "--open-tty"],
        long_valued: &[
            "--arg-file",
            "--delimiter",
            "--max-args",
            "--max-procs",
            "--max-lines",
            "--max-chars",
            "--replace",
        ],
        numbers: false,
    };
    let split = match OPTIONS.split(arguments) {
        Ok(split) => split,
        Err(why) => return Unwrapped::hides(why),
    };
    let mark = split.options.iter().find(|(option, _)| option == "-I" || option == "--replace");
    let mut words = split.rest.to_vec();
    if words.is_empty() {
        return Unwrapped::acts();
    }
    match mark {
        Some((_, mark)) => words = filled(&words, mark.as_deref().unwrap_or("{}")),
        None => words.push(Word::Varying { text: "(its input)".to_owned(), stem: String::new(), splits: true }),
    }
    Unwrapped::words(Role::Carries, words)
}

/// The words in which a mark is filled in with something not known.
fn filled(words: &[Word], mark: &str) -> Vec<Word> {
    let fill = |word: &Word| match word {
        Word::Literal(text) if !mark.is_empty() && text.contains(mark) => Word::Varying {
            stem: text.split(mark).next().unwrap_or_default().to_owned(),
            text: text.clone(),
            splits: false,
        },
        word => word.clone(),
    };
    words.iter().map(fill).collect()
}

/// `watch` hands its words, joined, to `sh -c`.
fn watch(arguments: &[Word]) -> Unwrapped {
    const OPTIONS: Options = Options {
        flags: "bcegptwx",
        valued: "n",
        long: &["--beep", "--color", "--errexit", "--chgexit", "--precise", "--no-title", "--no-wrap", "--exec"],
        long_valued: &["--interval"],
        numbers: false,
    };
    match OPTIONS.split(arguments) {
        Err(why) => Unwrapped::hides(why),
        Ok(split) if split.rest.is_empty() => Unwrapped::acts(),
        Ok(split) if split.has(&["-x", "--exec"]) => Unwrapped::words(Role::Carries, split.rest.to_vec()),
        Ok(split) => match joined(split.rest) {
            Some(code) => Unwrapped::runs(Role::Carries, vec![Inner::Code(code)]),
            None => Unwrapped::hides("the code that it hands to a shell is not literal"),
        },
    }
}

/// The words with a blank between them, if all are known.
fn joined(words: &[Word]) -> Option<String> {
    words.iter().map(Word::literal).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}
