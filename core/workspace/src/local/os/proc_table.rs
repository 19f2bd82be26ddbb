//! The processes of the machine, as `/proc` shows them. Where there is none, nothing is found.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};

/// One process. It may end at any moment; every question then answers "nothing".
pub(in crate::local) struct Process {
    pid: Pid,
    folder: PathBuf,
}

/// All processes that are there now.
pub(in crate::local) fn processes() -> impl Iterator<Item = Process> {
    fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        Some(Process { pid, folder: entry.path() })
    })
}

impl Process {
    /// Its number.
    pub(in crate::local) fn number(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// The environment it was started with, entries ended by NUL. `None` for other people's processes.
    pub(in crate::local) fn environment(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join("environ")).ok()
    }

    /// Whether it runs a program; the kernel's own threads and dead processes do not.
    pub(in crate::local) fn has_program(&self) -> bool {
        fs::read_link(self.folder.join("exe")).is_ok()
    }

    /// The group that it belongs to.
    pub(in crate::local) fn group(&self) -> Option<i32> {
        // The name stands in parentheses and may hold anything: state, parent and group follow the last one.
        let stat = fs::read_to_string(self.folder.join("stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(2)?.parse().ok()
    }

    /// The name of its program, at most 15 bytes of it.
    pub(in crate::local) fn name(&self) -> Option<String> {
        Some(fs::read_to_string(self.folder.join("comm")).ok()?.trim_end().to_owned())
    }

    /// Whether it has one of these open, by the names of `writers_name`.
    pub(in crate::local) fn holds(&self, names: &[String]) -> bool {
        let Ok(descriptors) = fs::read_dir(self.folder.join("fd")) else { return false };
        let mut open = descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        open.any(|target| names.iter().any(|name| target.as_os_str() == name.as_str()))
    }

    /// Kills it if its environment is as `is_ours` wants it. Where the system can hold a process, question and
    /// signal go to the same one even if its number is given away in between.
    pub(in crate::local) fn kill_if(&self, is_ours: impl Fn(&[u8]) -> bool) {
        let held = hold(self.pid);
        if self.environment().is_some_and(|environment| is_ours(&environment)) {
            kill(self.pid, held);
        }
    }
}

#[cfg(target_os = "linux")]
fn hold(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(target_os = "linux")]
fn kill(pid: Pid, held: Option<OwnedFd>) {
    match held {
        Some(held) => rustix::process::pidfd_send_signal(held, Signal::KILL).ok(),
        None => kill_process(pid, Signal::KILL).ok(),
    };
}

#[cfg(not(target_os = "linux"))]
fn hold(_: Pid) -> Option<OwnedFd> {
    None
}

#[cfg(not(target_os = "linux"))]
fn kill(pid: Pid, _: Option<OwnedFd>) {
    kill_process(pid, Signal::KILL).ok();
}
