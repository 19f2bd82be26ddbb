//! Where this build has no sandbox for the system: asking for one is refused, or noted where that was accepted.

use std::ffi::OsString;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::process::Child;

use lodger_protocol::{
    Error, ErrorCode, Result, SandboxDegraded, SandboxKind, SandboxPart, SandboxRights, SandboxState,
};

use super::os::HostMask;

/// Nothing to find out.
#[derive(Default)]
pub(super) struct Probes;

/// What a workspace stands on.
#[allow(dead_code, reason = "read where there is a sandbox")]
pub(super) struct Ground<'a> {
    pub(super) cwd: &'a Path,
    pub(super) roots: Vec<PathBuf>,
    pub(super) temporary: PathBuf,
    pub(super) unreadable: Vec<PathBuf>,
}

/// One that holds nothing.
pub(super) struct Sandbox(SandboxState);

impl Sandbox {
    pub(super) fn new(rights: &SandboxRights, _: Ground<'_>, _: &Probes, _: HostMask) -> Result<Self> {
        if rights.degraded == SandboxDegraded::Refuse {
            return Err(Error::new(
                ErrorCode::Unsupported,
                "option sandbox: this build has none for this system; leave it out, or set degraded: \"accept\" to run \
                 commands without",
            ));
        }
        Ok(Self(SandboxState { kind: SandboxKind::Off, network: true, missing: SandboxPart::ALL.to_vec() }))
    }

    pub(super) const fn state(&self) -> &SandboxState {
        &self.0
    }

    pub(super) const fn shut_down(&self) {}

    pub(super) const fn prepare(&self, _: &Path) -> io::Result<Confined<'_>> {
        Ok(Confined(PhantomData))
    }
}

/// A command that nothing confines.
pub(super) struct Confined<'a>(PhantomData<&'a Sandbox>);

impl Confined<'_> {
    pub(super) const fn wrapper(&self) -> &[OsString] {
        &[]
    }

    pub(super) const fn temporary(&self) -> Option<&Path> {
        None
    }

    pub(super) fn start(self, start: impl FnOnce() -> io::Result<Child> + Send) -> io::Result<Child> {
        start()
    }
}
