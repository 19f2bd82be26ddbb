//! Bash itself as the judge: what it runs is what we said.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use lodger_policy::shell::{SimpleCommand, Word, analyse};
use tempfile::TempDir;

use crate::by_hand;
use crate::shown::lines;

/// Writes down its name and words, each with a NUL behind it, in one piece.
const STUB: &str = "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '(end)' >> \"$RAN\"\n";

/// A folder in which nothing but stubs can be run.
pub(crate) struct Stubs {
    folder: TempDir,
}

impl Stubs {
    pub(crate) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for place in ["bin", "work"] {
            fs::create_dir(folder.path().join(place)).unwrap();
        }
        for name in names {
            let path = folder.path().join("bin").join(name);
            fs::write(&path, STUB).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the line as commands are run; the words of every stub that ran.
    pub(crate) fn run(&self, line: &str) -> Vec<Vec<String>> {
        let ran = self.path().join("ran");
        let _ = fs::remove_file(&ran);
        Command::new("/bin/bash")
            .args(["--noprofile", "--norc", "-c", line])
            .current_dir(self.path().join("work"))
            .env_clear()
            .env("PATH", self.path().join("bin"))
            .env("RAN", &ran)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = fs::read_to_string(&ran).unwrap_or_default();
        let words: Vec<String> = text.split_terminator('\0').map(str::to_owned).collect();
        words.split(|word| word == "(end)").filter(|words| !words.is_empty()).map(<[String]>::to_vec).collect()
    }
}

/// Builtins and words of the shell cannot be stubbed.
const OF_THE_SHELL: &[&str] = &[
    ":", "[", "[[", "cd", "command", "echo", "eval", "exec", "export", "false", "printf", "pwd", "set", "test", "time",
    "trap", "true", "wait",
];

/// Words that the shell expands can become any words.
pub(crate) fn accounts_for(command: &SimpleCommand, ran: &[String]) -> bool {
    let [program, words @ ..] = ran else { return false };
    command.name() == program && fits(&command.arguments, words)
}

fn fits(ours: &[Word], ran: &[String]) -> bool {
    match (ours, ran) {
        ([], ran) => ran.is_empty(),
        ([Word::Literal(word), ours @ ..], [first, ran @ ..]) => word == first && fits(ours, ran),
        ([Word::Literal(_), ..], []) => false,
        ([Word::Varying { .. }, ours @ ..], ran) => (0..=ran.len()).any(|taken| fits(ours, &ran[taken..])),
    }
}

#[test]
fn plain_lines_of_the_table_reach_the_program_with_the_words_that_we_give() {
    let mut ran = 0;
    for (line, _) in lines() {
        let analysis = analyse(&line);
        let Some(command) = analysis.understood().and_then(|all| all.plain()) else { continue };
        let mut words = vec![command.program.clone()];
        words.extend(command.arguments.iter().map(|word| word.literal().unwrap().to_owned()));
        assert_eq!(by_hand::words(&line), Some(words.clone()), "{line:?}");
        if command.program.contains('/') || OF_THE_SHELL.contains(&command.name()) {
            continue;
        }
        let stubs = Stubs::new([command.program.as_str()]);
        assert_eq!(stubs.run(&line), [words], "{line:?}");
        ran += 1;
    }
    assert!(ran >= 30, "only {ran} plain lines were run");
}

#[test]
fn whatever_bash_runs_of_a_line_that_is_understood_is_among_ours() {
    let stubs =
        Stubs::new(["cat", "cargo", "git", "grep", "id", "ls", "npm", "rm", "tee", "wc", "curl", "sleep", "mv", "yes"]);
    let mut ran = 0;
    for (line, _) in lines() {
        let analysis = analyse(&line);
        // Stubs do not end as these loops wait for; the others need the real program to run what it is given.
        let endless = line.starts_with("until");
        let Some(all) = analysis.understood().filter(|_| !endless) else { continue };
        for words in stubs.run(&line) {
            assert!(all.all().iter().any(|it| accounts_for(it, &words)), "{line:?} ran {words:?}, not among {all:#?}");
            ran += 1;
        }
    }
    assert!(ran >= 100, "only {ran} commands ran");
}
