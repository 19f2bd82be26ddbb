//! The decision over one call: allow, ask or deny, with the steps that led there.

use lodger_protocol::{DeniedBy, Effect, Mode, ResolvedAccess, Risk, Target, TraceStep};

use crate::risk_of;

/// A call, as far as policy needs to know it.
#[derive(Clone, Copy, Debug)]
pub struct Action<'a> {
    /// What the call would do.
    pub target: &'a Target,
    /// Every file that it touches, as the workspace found it.
    pub accesses: &'a [ResolvedAccess],
    /// The host offers this tool itself and thereby allows it.
    pub host_offers: bool,
    /// The host allowed exactly this call from now on.
    pub granted: bool,
}

/// What is to happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Run it.
    Allow,
    /// Ask the host.
    Ask,
    /// Refuse it.
    Deny {
        /// Who refuses.
        by: DeniedBy,
        /// Told to the model.
        feedback: String,
    },
}

/// A verdict and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What is to happen.
    pub verdict: Verdict,
    /// How much harm the call could do.
    pub risk: Risk,
    /// The steps, in order.
    pub trace: Vec<TraceStep>,
}

/// Decides one call.
#[must_use]
pub fn decide(mode: Mode, action: Action<'_>) -> Decision {
    let outside = action.accesses.iter().find(|access| !access.inside_roots);
    let protected = action.accesses.iter().find(|access| access.protected);
    let shared = action.accesses.iter().find(|access| access.link_count > 1);
    let reads_only = action.target.effect == Effect::Read;

    let (verdict, by, reason) = match mode {
        Mode::Plan if !reads_only => (
            Verdict::Deny {
                by: DeniedBy::Mode,
                feedback: "the session is in plan mode: only reading is allowed until it leaves that mode".to_owned(),
            },
            "mode",
            "plan mode refuses everything but reads".to_owned(),
        ),
        _ if action.host_offers => (Verdict::Allow, "built_in", "the host offers this tool itself".to_owned()),
        _ if action.granted => (Verdict::Allow, "grant", "the host allowed this call from now on".to_owned()),
        Mode::FullAuto => (Verdict::Allow, "mode", "full-auto mode asks for nothing".to_owned()),
        _ if let Some(access) = outside => {
            (Verdict::Ask, "path", format!("{} lies outside the roots", access.canonical.display()))
        }
        _ if reads_only => (Verdict::Allow, "mode", "reads inside the roots run".to_owned()),
        Mode::AutoEdit if let Some(access) = protected => {
            (Verdict::Ask, "path", format!("{} is protected", access.canonical.display()))
        }
        Mode::AutoEdit if let Some(access) = shared => (
            Verdict::Ask,
            "path",
            format!("{} has {} names; a change shows under all of them", access.canonical.display(), access.link_count),
        ),
        Mode::AutoEdit if action.target.effect == Effect::Write => {
            (Verdict::Allow, "mode", "auto-edit mode allows edits inside the roots".to_owned())
        }
        mode => (Verdict::Ask, "mode", format!("{} mode asks before every change", mode.as_str())),
    };

    Decision {
        verdict,
        risk: risk_of(action.target, action.accesses),
        trace: vec![TraceStep { by: by.to_owned(), reason }],
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use lodger_protocol::{Intent, TargetKind};

    use super::*;

    fn target(effect: Effect) -> Target {
        Target { summary: "it".to_owned(), effect, kind: TargetKind::File, paths: None, command: None }
    }

    fn access(inside_roots: bool, protected: bool) -> ResolvedAccess {
        ResolvedAccess {
            given: "f".to_owned(),
            canonical: PathBuf::from("/w/f"),
            intent: Intent::Write,
            file_id: None,
            inside_roots,
            link_count: 1,
            protected,
        }
    }

    fn verdict(mode: Mode, effect: Effect, accesses: &[ResolvedAccess], host_offers: bool) -> &'static str {
        match decide(mode, Action { target: &target(effect), accesses, host_offers, granted: false }).verdict {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Deny { .. } => "deny",
        }
    }

    #[test]
    fn every_mode_answers_every_effect() {
        let inside = [access(true, false)];
        let table = |mode| {
            [Effect::Read, Effect::Write, Effect::Execute, Effect::Network]
                .map(|effect| verdict(mode, effect, &inside, false))
        };
        assert_eq!(table(Mode::Ask), ["allow", "ask", "ask", "ask"]);
        assert_eq!(table(Mode::AutoEdit), ["allow", "allow", "ask", "ask"]);
        assert_eq!(table(Mode::FullAuto), ["allow", "allow", "allow", "allow"]);
        assert_eq!(table(Mode::Plan), ["allow", "deny", "deny", "deny"]);
    }

    #[test]
    fn paths_outside_the_roots_ask_even_for_reading() {
        let outside = [access(true, false), access(false, false)];
        assert_eq!(verdict(Mode::Ask, Effect::Read, &outside, false), "ask");
        assert_eq!(verdict(Mode::AutoEdit, Effect::Write, &outside, false), "ask");
        assert_eq!(verdict(Mode::Plan, Effect::Read, &outside, false), "ask");
    }

    #[test]
    fn protected_places_ask_where_other_edits_run() {
        assert_eq!(verdict(Mode::AutoEdit, Effect::Write, &[access(true, true)], false), "ask");
    }

    #[test]
    fn a_file_with_several_names_asks_where_other_edits_run() {
        let linked = [ResolvedAccess { link_count: 2, ..access(true, false) }];
        assert_eq!(verdict(Mode::AutoEdit, Effect::Write, &linked, false), "ask");
        assert_eq!(verdict(Mode::AutoEdit, Effect::Read, &linked, false), "allow");
    }

    #[test]
    fn tools_of_the_host_run_but_not_in_plan_mode() {
        assert_eq!(verdict(Mode::Ask, Effect::Execute, &[], true), "allow");
        assert_eq!(verdict(Mode::Plan, Effect::Execute, &[], true), "deny");
        assert_eq!(verdict(Mode::Plan, Effect::Read, &[], true), "allow");
    }

    #[test]
    fn a_granted_call_runs_but_not_in_plan_mode() {
        let granted = |mode| {
            decide(mode, Action { target: &target(Effect::Execute), accesses: &[], host_offers: false, granted: true })
                .verdict
        };
        assert_eq!(granted(Mode::Ask), Verdict::Allow);
        assert!(matches!(granted(Mode::Plan), Verdict::Deny { by: DeniedBy::Mode, .. }));
    }

    #[test]
    fn every_decision_says_how_it_came_about() {
        for mode in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan] {
            let decision = decide(
                mode,
                Action { target: &target(Effect::Write), accesses: &[], host_offers: false, granted: false },
            );
            assert!(!decision.trace.is_empty(), "{mode:?}");
        }
    }
}
