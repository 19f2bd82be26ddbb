//! The wrappers that are known by their options alone, as data.

use super::options::Options;
use crate::shell::facts::Word;

/// A program that runs the words behind its own.
pub(super) struct Wrapper {
    /// The program.
    pub(super) program: &'static str,
    /// Words that must follow for it to be one: `exec` of `npm exec`.
    pub(super) words: &'static [&'static str],
    pub(super) options: Options,
    /// Words of its own between the options and the program.
    pub(super) operands: usize,
    /// `NAME=value` may stand before the program.
    pub(super) assigns: bool,
    /// It does nothing but run the program: no rule of its own is needed to allow it.
    pub(super) carries: bool,
    /// Options with which it runs nothing.
    pub(super) asks: &'static [&'static str],
}

const NONE: Options = Options { flags: "", valued: "", long: &[], long_valued: &[], numbers: false };

const fn carrier(program: &'static str, options: Options, operands: usize) -> Wrapper {
    Wrapper { program, words: &[], options, operands, assigns: false, carries: true, asks: &[] }
}

const fn actor(program: &'static str, words: &'static [&'static str], options: Options) -> Wrapper {
    Wrapper { program, words, options, operands: 0, assigns: false, carries: false, asks: &[] }
}

const NPX: Options = Options {
    flags: "yq",
    valued: "pw",
    long: &["--yes", "--no", "--no-install", "--offline", "--quiet", "--silent", "--prefer-offline", "--bun"],
    long_valued: &["--package", "--workspace"],
    numbers: false,
};

const WRAPPERS: &[Wrapper] = &[
    carrier(
        "timeout",
        Options {
            flags: "v",
            valued: "ks",
            long: &["--foreground", "--preserve-status", "--verbose"],
            long_valued: &["--kill-after", "--signal"],
            numbers: false,
        },
        1,
    ),
    carrier("nice", Options { valued: "n", long_valued: &["--adjustment"], numbers: true, ..NONE }, 0),
    carrier("nohup", NONE, 0),
    // As a word of the shell it may be followed by variables.
    Wrapper { assigns: true, ..carrier("time", Options { flags: "p", long: &["--portability"], ..NONE }, 0) },
    carrier("stdbuf", Options { valued: "ioe", long_valued: &["--input", "--output", "--error"], ..NONE }, 0),
    carrier("setsid", Options { flags: "cfw", long: &["--ctty", "--fork", "--wait"], ..NONE }, 0),
    carrier(
        "ionice",
        Options { flags: "t", valued: "cn", long: &["--ignore"], long_valued: &["--class", "--classdata"], ..NONE },
        0,
    ),
    carrier("chrt", Options { flags: "bfior", long: &["--batch", "--fifo", "--idle", "--other", "--rr"], ..NONE }, 1),
    carrier("taskset", Options { flags: "ac", long: &["--all-tasks", "--cpu-list"], ..NONE }, 1),
    carrier("builtin", NONE, 0),
    carrier("exec", Options { flags: "l", valued: "a", ..NONE }, 0),
    Wrapper { asks: &["-v", "-V"], ..carrier("command", Options { flags: "pvV", ..NONE }, 0) },
    Wrapper {
        assigns: true,
        asks: &["-l", "-v", "-k", "-K", "-V", "--list", "--validate", "--version"],
        ..actor(
            "sudo",
            &[],
            Options {
                flags: "ABbEHKklnPSVv",
                valued: "CgprTtUu",
                long: &[
                    "--askpass",
                    "--background",
                    "--bell",
                    "--list",
                    "--non-interactive",
                    "--preserve-env",
                    "--preserve-groups",
                    "--set-home",
                    "--stdin",
                    "--validate",
                    "--version",
                ],
                long_valued: &["--group", "--host", "--prompt", "--user", "--preserve-env"],
                numbers: false,
            },
        )
    },
    Wrapper { asks: &["-L"], ..actor("doas", &[], Options { flags: "Ln", valued: "u", ..NONE }) },
    actor("npx", &[], NPX),
    actor("pnpx", &[], NPX),
    actor("bunx", &[], NPX),
    actor("npm", &["exec"], NPX),
    actor("npm", &["x"], NPX),
    actor("pnpm", &["exec"], NPX),
    actor("pnpm", &["dlx"], NPX),
    actor("yarn", &["exec"], NPX),
    actor("yarn", &["dlx"], NPX),
    actor("bun", &["x"], NPX),
    actor("uvx", &[], Options { valued: "p", long_valued: &["--from", "--with", "--python"], ..NONE }),
    actor(
        "uv",
        &["run"],
        Options {
            flags: "q",
            valued: "p",
            long: &["--frozen", "--locked", "--no-sync", "--offline", "--quiet", "--isolated"],
            long_valued: &["--extra", "--group", "--package", "--python", "--with"],
            numbers: false,
        },
    ),
    actor("pipx", &["run"], Options { long_valued: &["--spec", "--python"], ..NONE }),
    actor("poetry", &["run"], NONE),
    actor("pipenv", &["run"], NONE),
    actor("hatch", &["run"], NONE),
    actor("pdm", &["run"], NONE),
    actor("rye", &["run"], NONE),
    actor("bundle", &["exec"], NONE),
    actor("rbenv", &["exec"], NONE),
    actor("pyenv", &["exec"], NONE),
    actor("direnv", &["exec"], NONE),
    actor("mise", &["exec"], NONE),
    actor("mise", &["x"], NONE),
    actor("dotenv", &[], NONE),
    actor("dotenv", &["run"], NONE),
    actor("busybox", &[], NONE),
    actor("toybox", &[], NONE),
];

/// The wrapper that these words call, the one with the most words of its own first.
pub(super) fn wrapper(name: &str, arguments: &[Word]) -> Option<&'static Wrapper> {
    WRAPPERS
        .iter()
        .filter(|wrapper| wrapper.program == name && begins(arguments, wrapper.words))
        .max_by_key(|wrapper| wrapper.words.len())
}

fn begins(arguments: &[Word], words: &[&str]) -> bool {
    arguments.len() >= words.len() && words.iter().zip(arguments).all(|(word, it)| it.literal() == Some(word))
}

/// Programs that run something elsewhere, or by rules of their own, that is not taken apart here.
const UNSEEN: &[&str] = &[
    "ansible",
    "at",
    "batch",
    "bwrap",
    "capsh",
    "caffeinate",
    "chroot",
    "crontab",
    "dbus-run-session",
    "entr",
    "expect",
    "fakeroot",
    "firejail",
    "flock",
    "gdb",
    "ltrace",
    "lldb",
    "mosh",
    "nodemon",
    "nsenter",
    "numactl",
    "parallel",
    "perf",
    "prlimit",
    "proot",
    "rlwrap",
    "rsh",
    "runuser",
    "screen",
    "script",
    "setarch",
    "setpriv",
    "ssh",
    "strace",
    "su",
    "systemd-run",
    "tmux",
    "unbuffer",
    "unshare",
    "valgrind",
    "watchexec",
    "xvfb-run",
    "zsh-static",
];

/// Words of the shell where they were read as a program: the line is not understood, and what follows may run.
const RESERVED: &[&str] = &["!", "coproc", "do", "elif", "else", "if", "then", "until", "while", "{"];

/// Programs of which one word makes them run something elsewhere.
const UNSEEN_BY_WORD: &[(&str, &[&str])] = &[
    ("docker", &["exec", "run"]),
    ("podman", &["exec", "run"]),
    ("kubectl", &["debug", "exec", "run"]),
    ("nix", &["develop", "run", "shell"]),
    ("nix-shell", &["--command", "--run"]),
    ("conda", &["run"]),
    ("mamba", &["run"]),
    ("asdf", &["exec"]),
    ("npm", &["exec", "x"]),
    ("vagrant", &["ssh"]),
    ("gcloud", &["ssh"]),
    ("tar", &["--to-command", "--checkpoint-action", "--use-compress-program", "-I", "--rsh-command", "--info-script"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("make", &["--eval", "-E"]),
    ("vim", &["-c", "--cmd"]),
    ("vi", &["-c"]),
    ("ex", &["-c"]),
    ("emacs", &["--eval", "--execute"]),
];

/// Whether the program, with these words, runs something that is not taken apart.
pub(super) fn runs_unseen(name: &str, arguments: &[Word]) -> bool {
    let names = |wanted: &[&str]| {
        let word =
            |word: &str| wanted.contains(&word) || word.split_once('=').is_some_and(|(it, _)| wanted.contains(&it));
        arguments.iter().filter_map(Word::literal).any(word)
    };
    UNSEEN.contains(&name)
        || RESERVED.contains(&name)
        || name.starts_with("ld-linux")
        || name.starts_with("qemu-")
        || UNSEEN_BY_WORD.iter().any(|(program, words)| {
            *program == name && names(words) && wrapper(name, arguments).is_none_or(|wrapper| wrapper.words.is_empty())
        })
}
