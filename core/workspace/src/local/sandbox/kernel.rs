//! What the running kernel can hold.

use std::thread;

use landlock::{ABI, Access, AccessFs, LandlockStatus, Ruleset, RulesetAttr, RulesetError, Scope};
use lodger_protocol::{SandboxPart, SandboxRights};

use super::calls::Filter;

/// What is asked of the kernel: no less is whole, and no more is needed.
pub(super) const WHOLE: ABI = ABI::V6;

/// What the running kernel can hold.
pub(super) struct Kernel {
    missing: Vec<SandboxPart>,
}

impl Kernel {
    /// Tries it, on a thread that is confined by that and ends.
    pub(super) fn probe() -> Self {
        let tried = thread::Builder::new().name("lodger-probe".to_owned()).spawn(|| {
            let mut missing = landlock_lacks(landlock().unwrap_or(ABI::Unsupported));
            let filter = Filter::of_landlock(&SandboxRights::default());
            if !filter.is_ok_and(|filter| filter.restrict_this_thread().is_ok()) {
                missing.push(SandboxPart::SystemCalls);
            }
            missing
        });
        let missing = tried.ok().and_then(|thread| thread.join().ok());
        Self { missing: missing.unwrap_or_else(|| SandboxPart::ALL.to_vec()) }
    }

    pub(super) fn missing(&self) -> &[SandboxPart] {
        &self.missing
    }

    /// Whether it takes filters of system calls.
    pub(super) fn filters(&self) -> bool {
        !self.missing.contains(&SandboxPart::SystemCalls)
    }

    pub(super) fn holds_nothing(&self) -> bool {
        self.missing == SandboxPart::ALL
    }

    /// What is missing, for people.
    pub(super) fn in_words(&self) -> String {
        let missing: Vec<&str> = self.missing.iter().map(|part| part.as_str()).collect();
        format!(
            "the kernel of this system cannot hold {} (Landlock of Linux 6.12 and seccomp are needed)",
            missing.join(", ")
        )
    }
}

/// The version of Landlock that works here.
fn landlock() -> Result<ABI, RulesetError> {
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(WHOLE))?
        .scope(Scope::from_all(WHOLE))?
        .create()?
        .restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi,
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => ABI::Unsupported,
    })
}

/// What a version of Landlock does not know.
fn landlock_lacks(version: ABI) -> Vec<SandboxPart> {
    let since = [
        (ABI::V1, SandboxPart::Files),
        (ABI::V3, SandboxPart::Truncation),
        (ABI::V5, SandboxPart::Devices),
        (ABI::V6, SandboxPart::Signals),
    ];
    since.into_iter().filter(|(first, _)| version < *first).map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_kernel_is_said_to_lack_what_came_later() {
        assert_eq!(landlock_lacks(ABI::V6), []);
        assert_eq!(landlock_lacks(ABI::V5), [SandboxPart::Signals]);
        assert_eq!(landlock_lacks(ABI::V2), [SandboxPart::Truncation, SandboxPart::Devices, SandboxPart::Signals]);
        assert_eq!(landlock_lacks(ABI::Unsupported), SandboxPart::ALL[..4]);
    }
}
