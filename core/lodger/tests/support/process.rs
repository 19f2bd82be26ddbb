//! Looks at this process: its threads, descriptors and children.

use std::fs;

/// What a host could find left over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// How many there are; and the names of ours. Those of others may still get theirs.
    pub threads: (usize, Vec<String>),
    pub descriptors: Vec<String>,
    pub children: Vec<String>,
}

impl Holdings {
    pub fn now() -> Self {
        let mut ours = threads();
        let all = ours.len();
        ours.retain(|name| name.starts_with("lodger"));
        Self { threads: (all, ours), descriptors: descriptors(), children: children() }
    }
}

/// The names of all threads.
pub fn threads() -> Vec<String> {
    let mut names: Vec<_> = entries("/proc/self/task")
        .iter()
        .filter_map(|task| fs::read_to_string(format!("/proc/self/task/{task}/comm")).ok())
        .map(|name| name.trim().to_owned())
        .collect();
    names.sort();
    names
}

/// What all descriptors stand for, but those that the look itself opens.
fn descriptors() -> Vec<String> {
    let mut places: Vec<_> = entries("/proc/self/fd")
        .iter()
        .filter_map(|fd| Some(fs::read_link(format!("/proc/self/fd/{fd}")).ok()?.display().to_string()))
        .filter(|place| !place.starts_with("/proc/"))
        // The numbers of sockets and pipes say nothing.
        .map(|place| place.split(":[").next().unwrap_or_default().to_owned())
        .collect();
    places.sort();
    places
}

/// Every child of this process, zombies included.
pub fn children() -> Vec<String> {
    let mut children: Vec<_> = entries("/proc/self/task")
        .iter()
        .filter_map(|task| fs::read_to_string(format!("/proc/self/task/{task}/children")).ok())
        .flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    children.sort();
    children
}

/// A line of `/proc/self/status`, or of that of a thread.
pub fn status(task: &str, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/self/{task}status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(&format!("{name}:"))).unwrap();
    line.trim().to_owned()
}

pub fn entries(folder: &str) -> Vec<String> {
    fs::read_dir(folder).unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}
