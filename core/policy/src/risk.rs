//! How much harm a call could do: one table, the same for every face.

use lodger_protocol::{Effect, ResolvedAccess, Risk, Target};

/// The risk of a call.
///
/// | what it does | risk |
/// |---|---|
/// | reads inside the roots | low |
/// | writes inside the roots | medium |
/// | anything outside the roots; writes in protected places or to files with several names | high |
/// | commands that only read, as far as they can be understood | low |
/// | all other commands, host code, the network | high |
///
/// `reads_only`: it runs a command line of which is known that it only looks.
#[must_use]
pub fn risk_of(target: &Target, accesses: &[ResolvedAccess], reads_only: bool) -> Risk {
    let changes = target.effect != Effect::Read && !reads_only;
    if accesses.iter().any(|access| !access.inside_roots || (changes && (access.protected || access.link_count > 1))) {
        return Risk::High;
    }
    match target.effect {
        Effect::Read => Risk::Low,
        Effect::Write => Risk::Medium,
        Effect::Execute if reads_only => Risk::Low,
        Effect::Execute | Effect::Network => Risk::High,
    }
}
