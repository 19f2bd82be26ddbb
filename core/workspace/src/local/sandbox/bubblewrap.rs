//! The same rights by `bwrap`: a view of the file system in which the rest cannot be written.
//!
//! It can do what Landlock cannot: take a single file out of a folder, and keep the folders of version control in
//! the roots read-only.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lodger_protocol::SandboxRights;

use super::calls::Filter;
use super::places::{Place, Places};
use super::{Confined, failed};
use crate::local::os::{GroupSignal, HostMask, Leader};
use crate::local::place::PROTECTED;

/// Never looked for by `PATH`, which may lead into folders that a command can write to.
const PROGRAMS: [&str; 5] = [
    "/usr/bin/bwrap",
    "/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/wrappers/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];
/// How long the try may take.
const PATIENCE: Duration = Duration::from_secs(5);
const SAID: &str = "inside\n";

/// Namespaces of its own, the whole file system read-only, fresh `/dev` and `/proc`, and no capability.
const ALWAYS: [&str; 13] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
];

/// Looks for the program and tries it.
pub(super) fn probe(mask: HostMask) -> Result<PathBuf, String> {
    let program = PROGRAMS.iter().map(Path::new).find(|program| program.is_file());
    let program = program.ok_or_else(|| format!("it is not installed at any of {}", PROGRAMS.join(", ")))?;
    match try_out(program, mask) {
        Ok((said, _)) if said == SAID => Ok(program.to_owned()),
        Ok((_, complaint)) => Err(format!("{} says: {}", program.display(), complaint.trim())),
        Err(error) => Err(format!("{}: {error}", program.display())),
    }
}

/// What a shell in it says, and what was complained about.
fn try_out(program: &Path, mask: HostMask) -> io::Result<(String, String)> {
    let filter = Filter::of_bubblewrap(&SandboxRights::default()).map_err(failed)?;
    let mut command = Command::new(program);
    command
        .args(ALWAYS)
        .args(["--unshare-net", "--", "/bin/sh", "-c", "echo inside"])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut child = Confined::by_filter(&filter).start(|| mask.spawning(|| command.spawn()))?;
    let leader = Leader::of(&child);
    leader.wait(Some(Instant::now() + PATIENCE));
    leader.signal_group(GroupSignal::Kill);
    Leader::reap(&mut child).ok();
    let (mut said, mut complaint) = (String::new(), String::new());
    if let (Some(mut stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) {
        stdout.read_to_string(&mut said)?;
        stderr.read_to_string(&mut complaint)?;
    }
    Ok((said, complaint))
}

/// What stands before the program to run.
pub(super) fn wrapper(
    program: &Path,
    places: &Places,
    temporary: &Place,
    network: bool,
    cwd: &Path,
) -> io::Result<Vec<OsString>> {
    let mut arguments: Vec<OsString> = vec![program.into()];
    arguments.extend(ALWAYS.iter().map(OsString::from));
    if !network {
        arguments.push("--unshare-net".into());
    }
    let writable: Vec<&Place> = places.roots().iter().chain(places.more()).chain([temporary]).collect();
    if let Some(gone) = writable.iter().find(|place| !place.still_stands()) {
        return Err(failed(format_args!("{} is not the folder that it was", gone.path().display())));
    }
    let is_named = |path: &Path| writable.iter().any(|place| place.path() == path);
    let protected = places.roots().iter().flat_map(|root| PROTECTED.map(|name| root.path().join(name)));
    let protected: Vec<PathBuf> = protected.filter(|path| is_there(path) && !is_named(path)).collect();
    let unreadable = places.unreadable();
    // A folder that something is mounted on cannot be renamed, and with it what is closed below it.
    let on_the_way = unreadable
        .iter()
        .filter(|path| writable.iter().any(|place| path.starts_with(place.path())))
        .flat_map(|path| path.ancestors().skip(1).take_while(|folder| !is_named(folder)))
        .filter(|folder| !protected.iter().any(|path| folder.starts_with(path)));
    let mut mounts: Vec<(&Path, &str)> = writable.iter().map(|place| (place.path(), "--bind")).collect();
    mounts.extend(protected.iter().map(|path| (path.as_path(), "--ro-bind")));
    mounts.extend(on_the_way.map(|folder| (folder, "--bind")));
    // What lies in another comes after it.
    mounts.sort_by_key(|(path, _)| (path.components().count(), *path));
    mounts.dedup();
    for (path, kind) in mounts {
        arguments.extend([OsStr::new(kind), path.as_os_str(), path.as_os_str()].map(OsString::from));
    }
    for path in unreadable {
        let mask: &[&str] = if path.is_dir() { &["--perms", "0000", "--tmpfs"] } else { &["--ro-bind", "/dev/null"] };
        arguments.extend(mask.iter().map(OsString::from));
        arguments.push(path.clone().into());
        if path.is_dir() {
            arguments.extend(["--remount-ro".into(), path.into()]);
        }
    }
    arguments.extend(["--chdir".into(), cwd.into(), "--".into()]);
    Ok(arguments)
}

/// A link is none: it would be followed.
fn is_there(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir() || metadata.is_file())
}
