//! How much harm a call could do: one table, the same for every face.

use lodger_protocol::{Effect, ResolvedAccess, Risk, Target};

/// The risk of a call.
///
/// | what it does | risk |
/// |---|---|
/// | reads inside the roots | low |
/// | writes inside the roots | medium |
/// | anything outside the roots or in protected places | high |
/// | commands, host code, the network | high |
#[must_use]
pub fn risk_of(target: &Target, accesses: &[ResolvedAccess]) -> Risk {
    if accesses.iter().any(|access| !access.inside_roots || (access.protected && target.effect != Effect::Read)) {
        return Risk::High;
    }
    match target.effect {
        Effect::Read => Risk::Low,
        Effect::Write => Risk::Medium,
        Effect::Execute | Effect::Network => Risk::High,
    }
}
