//! What this process has used, from /proc.

use std::time::Duration;

/// Processor time of all threads so far.
pub(crate) fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().expect("a command name").split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().expect("utime") + fields[12].parse::<u64>().expect("stime");
    Duration::from_millis(ticks * 10)
}

/// Proportional set size in KiB.
pub(crate) fn pss_kib() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").expect("Linux");
    let line = rollup.lines().find(|line| line.starts_with("Pss:")).expect("Pss");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}
