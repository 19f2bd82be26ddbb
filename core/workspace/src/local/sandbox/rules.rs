//! The Landlock rules of one command: which rights, and on what.

use std::io;

use landlock::{
    Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated,
    RulesetStatus, Scope, make_bitflags,
};

use super::failed;
use super::grants::{Closed, Grants};
use super::kernel::WHOLE;
use super::places::{Place, Places};

/// Looking at files and starting programs.
const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});
/// Everything else, but making devices and giving orders to them.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    WriteFile | RemoveDir | RemoveFile | MakeDir | MakeReg | MakeSock | MakeFifo | MakeSym | Refer | Truncate
});
/// For devices that belong to nobody.
const USE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{WriteFile | Truncate | IoctlDev});
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Rules, ready to be laid on a thread.
pub(super) struct Rules {
    ruleset: RulesetCreated,
    whole: bool,
}

impl Rules {
    /// The rules for the places as they are now. `whole`: the kernel can hold all of them.
    pub(super) fn new(places: &Places, temporary: &Place, network: bool, whole: bool) -> io::Result<Self> {
        let level = if whole { CompatLevel::HardRequirement } else { CompatLevel::BestEffort };
        let mut ruleset = Ruleset::default()
            .set_compatibility(level)
            .handle_access(AccessFs::from_all(WHOLE))
            .and_then(|ruleset| ruleset.scope(Scope::from_all(WHOLE)))
            .map_err(failed)?;
        if !network {
            ruleset = ruleset.handle_access(AccessNet::from_all(WHOLE)).map_err(failed)?;
        }
        let closed = Closed::new(places.unreadable());
        let mut grants = Grants::new(ruleset.create().map_err(failed)?, &closed);
        grants.allow_path("/", READ)?;
        if !closed.is_empty() {
            // Names are no secret: a folder whose content is granted piece by piece can be listed all the same.
            grants.allow_path_itself("/", AccessFs::ReadDir.into())?;
        }
        for place in places.roots().iter().chain(places.more()).chain([temporary]) {
            grants.allow_place(place, READ | WRITE)?;
        }
        for device in DEVICES {
            grants.allow_path(device, USE)?;
        }
        Ok(Self { ruleset: grants.into_ruleset(), whole })
    }

    /// Lays them on the calling thread, for good.
    pub(super) fn restrict_this_thread(self) -> io::Result<()> {
        let status = self.ruleset.restrict_self().map_err(failed)?;
        if self.whole && status.ruleset != RulesetStatus::FullyEnforced {
            return Err(failed("the kernel holds less than it did when the agent was made"));
        }
        Ok(())
    }
}
