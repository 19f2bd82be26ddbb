//! Programs by name and by path.

/// Where a bare name may be meant to be found. A rule that allows `ls` allows these files of that name, and no other.
const STANDARD: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"];

/// The program as given is this name, bare or in a standard folder.
pub(super) fn is_standard(given: &str, name: &str) -> bool {
    match given.rsplit_once('/') {
        None => given == name,
        Some((folder, last)) => last == name && STANDARD.contains(&folder),
    }
}

/// Programs whose business is to run other code or other programs: no rule for them is ever suggested.
const RUNNERS: &[&str] = &[
    ".",
    "ash",
    "at",
    "awk",
    "bash",
    "batch",
    "bun",
    "bunx",
    "busybox",
    "bwrap",
    "chroot",
    "command",
    "crontab",
    "csh",
    "dash",
    "deno",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "expect",
    "find",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "git",
    "irb",
    "java",
    "ksh",
    "kubectl",
    "lua",
    "make",
    "mawk",
    "nice",
    "node",
    "nohup",
    "npx",
    "nsenter",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "pnpx",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "rsync",
    "ruby",
    "runuser",
    "screen",
    "script",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tar",
    "tclsh",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "unshare",
    "uv",
    "uvx",
    "vim",
    "watch",
    "xargs",
    "zsh",
];

/// Whether it runs what it is told to run.
pub(super) fn is_runner(name: &str) -> bool {
    let bare = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    RUNNERS.contains(&name) || RUNNERS.contains(&bare)
}
