//! The commands of `git` that only read, by whether they may run a program that settings name.

use super::special::always;
use super::{ReadOnly, options};

/// A command of `git`.
struct Git {
    name: &'static str,
    judged: ReadOnly,
    flags: &'static str,
    valued: &'static str,
    long: &'static [&'static str],
    operands: usize,
}

const DIFF_LONG: &[&str] = &[
    "--stat",
    "--stat=",
    "--numstat",
    "--shortstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--cached",
    "--staged",
    "--no-color",
    "--color=",
    "--word-diff",
    "--word-diff=",
    "--unified=",
    "--no-ext-diff",
    "--no-textconv",
    "--no-index",
    "--diff-filter=",
    "--exit-code",
    "--quiet",
    "--check",
    "--find-renames",
    "--ignore-all-space",
    "--raw",
    "--patch",
    "--no-patch",
    "--oneline",
    "--graph",
    "--decorate",
    "--decorate=",
    "--all",
    "--author=",
    "--since=",
    "--until=",
    "--after=",
    "--before=",
    "--grep=",
    "--max-count=",
    "--pretty",
    "--pretty=",
    "--format=",
    "--merges",
    "--no-merges",
    "--first-parent",
    "--reverse",
    "--follow",
    "--abbrev-commit",
    "--date=",
    "--branches",
    "--tags",
    "--no-decorate",
    "--merge-base",
    "--left-right",
    "--cherry-pick",
    "--skip=",
    "--no-show-signature",
];

const GIT: &[Git] = &[
    Git {
        name: "branch",
        judged: ReadOnly::Always,
        flags: "ar",
        valued: "",
        long: &["--list", "--all", "--remotes", "--show-current", "--no-color"],
        operands: 0,
    },
    Git {
        name: "ls-files",
        judged: ReadOnly::Always,
        flags: "cstz",
        valued: "",
        long: &["--cached", "--stage", "--full-name"],
        operands: usize::MAX,
    },
    Git {
        name: "rev-parse",
        judged: ReadOnly::Always,
        flags: "",
        valued: "",
        long: &[
            "--show-toplevel",
            "--git-dir",
            "--abbrev-ref",
            "--is-inside-work-tree",
            "--show-prefix",
            "--show-cdup",
        ],
        operands: 1,
    },
    Git { name: "version", judged: ReadOnly::Always, flags: "", valued: "", long: &[], operands: 0 },
    Git {
        name: "show-ref",
        judged: ReadOnly::Always,
        flags: "qs",
        valued: "",
        long: &["--heads", "--tags", "--branches"],
        operands: usize::MAX,
    },
    Git {
        name: "status",
        judged: ReadOnly::UnlessConfigured,
        flags: "sbvuz",
        valued: "",
        long: &[
            "--short",
            "--branch",
            "--porcelain",
            "--porcelain=",
            "--long",
            "--untracked-files=",
            "--ignored",
            "--no-renames",
        ],
        operands: usize::MAX,
    },
    Git {
        name: "diff",
        judged: ReadOnly::UnlessConfigured,
        flags: "wbpzRMC",
        valued: "U",
        long: DIFF_LONG,
        operands: usize::MAX,
    },
    Git {
        name: "log",
        judged: ReadOnly::UnlessConfigured,
        flags: "0123456789pwbizM",
        valued: "nUSG",
        long: DIFF_LONG,
        operands: usize::MAX,
    },
    Git {
        name: "show",
        judged: ReadOnly::UnlessConfigured,
        flags: "pswbz",
        valued: "U",
        long: DIFF_LONG,
        operands: usize::MAX,
    },
    Git {
        name: "blame",
        judged: ReadOnly::UnlessConfigured,
        flags: "wMCesl",
        valued: "L",
        long: &["--porcelain", "--date="],
        operands: usize::MAX,
    },
    Git {
        name: "rev-list",
        judged: ReadOnly::UnlessConfigured,
        flags: "",
        valued: "n",
        long: &["--count", "--all", "--max-count=", "--no-merges"],
        operands: usize::MAX,
    },
    Git { name: "cat-file", judged: ReadOnly::UnlessConfigured, flags: "pets", valued: "", long: &[], operands: 2 },
    Git {
        name: "ls-tree",
        judged: ReadOnly::UnlessConfigured,
        flags: "rdtlz",
        valued: "",
        long: &["--name-only", "--full-tree"],
        operands: usize::MAX,
    },
    Git {
        name: "merge-base",
        judged: ReadOnly::UnlessConfigured,
        flags: "a",
        valued: "",
        long: &["--is-ancestor", "--all"],
        operands: usize::MAX,
    },
    Git {
        name: "describe",
        judged: ReadOnly::UnlessConfigured,
        flags: "",
        valued: "",
        long: &["--tags", "--always", "--all", "--long"],
        operands: usize::MAX,
    },
    Git {
        name: "shortlog",
        judged: ReadOnly::UnlessConfigured,
        flags: "sne",
        valued: "",
        long: &["--all", "--no-merges"],
        operands: usize::MAX,
    },
];

/// Options in front of the command that make `git` run or read nothing else than without them.
const GIT_GLOBAL: &[&str] = &["--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"];

pub(super) fn judge(words: &[&str]) -> ReadOnly {
    let front = words.iter().take_while(|word| GIT_GLOBAL.contains(word)).count();
    let words = words.get(front..).unwrap_or_default();
    match words {
        ["--version"] | ["remote"] | ["remote", "-v" | "--verbose"] | ["remote", "get-url", _] | ["tag"] => {
            ReadOnly::Always
        }
        ["tag", "-l" | "--list"] | ["symbolic-ref", "HEAD"] | ["symbolic-ref", "--short" | "-q", "HEAD"] => {
            ReadOnly::Always
        }
        ["config", "--list" | "-l"] => ReadOnly::Always,
        ["config", "--get" | "--get-all" | "get", name] => always(!name.starts_with('-')),
        ["config", "--global" | "--local" | "--system", "--get" | "--get-all", name] => always(!name.starts_with('-')),
        ["stash", "list"] | ["worktree", "list"] => ReadOnly::UnlessConfigured,
        [name, rest @ ..] => match GIT.iter().find(|git| git.name == *name) {
            // Only a plain name is looked up without reading what it names.
            Some(git)
                if git.name == "rev-parse" && rest.iter().any(|word| word.contains(['^', '~', ':', '{', '@'])) =>
            {
                ReadOnly::No
            }
            Some(git) if options(rest, git.flags, git.valued, git.long).is_some_and(|count| count <= git.operands) => {
                git.judged
            }
            _ => ReadOnly::No,
        },
        [] => ReadOnly::No,
    }
}
