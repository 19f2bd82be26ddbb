//! What is taken from a command of a host that is root.
//!
//! Some rights of root are asked for before any sandbox is: CAP_PERFMON alone shows the environment of every process.
//! The rights over files and over its own user are left, since they are bounded by what holds the files.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use super::failed;

const LEFT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID);

/// Takes them from the calling thread. Without new privileges no program that it starts can have more.
pub(super) fn restrict_this_thread() -> io::Result<()> {
    let has = capabilities(None).map_err(failed)?;
    let left = |set: CapabilitySet| set.intersection(LEFT);
    let sets = CapabilitySets {
        effective: left(has.effective),
        permitted: left(has.permitted),
        inheritable: left(has.inheritable),
    };
    set_capabilities(None, sets).map_err(failed)
}
