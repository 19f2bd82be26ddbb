//! Programs whose words need rules of their own.

use super::ReadOnly;

pub(super) fn always(reads: bool) -> ReadOnly {
    if reads { ReadOnly::Always } else { ReadOnly::No }
}

/// Tests and actions of `find` that only look.
const FIND: &[&str] = &[
    "-H",
    "-L",
    "-P",
    "-a",
    "-amin",
    "-and",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-daystart",
    "-depth",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-fstype",
    "-gid",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-ls",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mount",
    "-mtime",
    "-name",
    "-newer",
    "-nogroup",
    "-not",
    "-nouser",
    "-o",
    "-or",
    "-path",
    "-perm",
    "-print",
    "-print0",
    "-printf",
    "-prune",
    "-quit",
    "-readable",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-true",
    "-type",
    "-uid",
    "-user",
    "-wholename",
    "-writable",
    "-xdev",
    "-xtype",
];

/// Every word with a dash is a known test: also where it would be a value.
pub(super) fn find(words: &[&str]) -> ReadOnly {
    let is_number =
        |word: &str| word.len() > 1 && word.bytes().skip(1).all(|it| it.is_ascii_digit() || b"ckMGbw".contains(&it));
    let known = |word: &&str| !word.starts_with('-') || FIND.contains(word) || is_number(word) || is_mode(word);
    always(words.iter().all(known))
}

/// `-644` behind `-perm`, `-u+x` too.
fn is_mode(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|mode| mode.contains(['+', '=']) && mode.chars().all(|it| "ugoarwxst+=,".contains(it)))
}

/// `sed` whose script prints, deletes, substitutes or quits, and whose options are those for that.
pub(super) fn sed(words: &[&str]) -> ReadOnly {
    let mut script = None;
    let mut given = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "--quiet" | "--silent"
            | "--regexp-extended" | "--posix" => {}
            "-e" | "-ne" => {
                let Some(word) = words.next() else { return ReadOnly::No };
                given = true;
                if !is_quiet_script(word) {
                    return ReadOnly::No;
                }
            }
            word if word.starts_with('-') && word != "-" => return ReadOnly::No,
            word => {
                script.get_or_insert(word);
            }
        }
    }
    always(given || script.is_some_and(is_quiet_script))
}

/// Every command of the script only prints, deletes, quits, or substitutes by plain text.
fn is_quiet_script(script: &str) -> bool {
    script.split(';').all(|command| {
        let command = without_address(command.trim());
        matches!(command, Some("p" | "d" | "q" | "=" | "l" | "" | "!p" | "!d"))
            || command.is_some_and(is_plain_substitution)
    })
}

/// Takes `1,5`, `$` or `/text/` off the front.
fn without_address(command: &str) -> Option<&str> {
    let one = |text: &'_ str| -> Option<usize> {
        match text.strip_prefix('/') {
            Some(rest) => {
                let end = rest.find('/')?;
                (!rest.get(..end)?.contains(['\\', '[', '\n'])).then_some(end + 2)
            }
            None => Some(text.find(|it: char| !it.is_ascii_digit() && it != '$').unwrap_or(text.len())),
        }
    };
    let rest = command.get(one(command)?..)?;
    match rest.strip_prefix(',') {
        Some(second) => second.get(one(second)?..),
        None => Some(rest),
    }
}

/// `s/a/b/g` without an escape, and without the flags that write or run.
fn is_plain_substitution(command: &str) -> bool {
    let Some(rest) = command.strip_prefix('s') else { return false };
    let mut characters = rest.chars();
    let Some(mark) = characters.next().filter(|it| "/|,#@:!".contains(*it)) else { return false };
    let parts: Vec<&str> = characters.as_str().split(mark).collect();
    match parts.as_slice() {
        [text, by, flags] => {
            !text.contains(['\\', '[', '\n'])
                && !by.contains(['\\', '\n'])
                && flags.chars().all(|it| "gpiI0123456789".contains(it))
        }
        _ => false,
    }
}

/// `date` with a format and nothing that sets it.
pub(super) fn date(words: &[&str]) -> ReadOnly {
    let known =
        |word: &&str| word.starts_with('+') || matches!(*word, "-u" | "--utc" | "-R" | "-I" | "-Iseconds" | "-Idate");
    always(words.iter().all(known))
}

/// Questions where a program is.
pub(super) fn which(words: &[&str]) -> ReadOnly {
    always(words.iter().all(|word| !word.starts_with('-') || matches!(*word, "-a" | "-v" | "-V" | "-t" | "-p" | "-P")))
}
