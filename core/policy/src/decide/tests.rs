use std::path::PathBuf;

use lodger_protocol::TargetKind;

use super::*;
use crate::shell::analyse;
use crate::{Analyser, Anchor, LayerKind, rules};

fn target(effect: Effect) -> Target {
    Target { summary: "it".to_owned(), effect, kind: TargetKind::File, paths: None, command: None, host: None }
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

fn action<'a>(target: &'a Target, accesses: &'a [ResolvedAccess]) -> Action<'a> {
    Action { tool: "it", target, accesses, line: None, host_approval: None, granted: false, grants: &[] }
}

fn name_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny { .. } => "deny",
    }
}

fn verdict(mode: Mode, effect: Effect, accesses: &[ResolvedAccess], host_offers: bool) -> &'static str {
    let target = target(effect);
    let intent = if effect == Effect::Read { Intent::Read } else { Intent::Write };
    let accesses: Vec<_> = accesses.iter().map(|access| ResolvedAccess { intent, ..access.clone() }).collect();
    let accesses = accesses.as_slice();
    let host_approval = host_offers.then_some(ToolApproval::Never);
    name_of(&decide(&Policy::default(), mode, Action { host_approval, ..action(&target, accesses) }).verdict)
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
fn a_tool_of_the_host_that_wants_to_be_asked_for_asks_in_every_mode_until_it_is_allowed() {
    let verdict = |mode, effect, granted, policy: &Policy| {
        let target = Target { kind: TargetKind::Other, ..target(effect) };
        let asks = Action { host_approval: Some(ToolApproval::Ask), granted, ..action(&target, &[]) };
        name_of(&decide(policy, mode, asks).verdict)
    };
    for mode in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto] {
        for effect in [Effect::Read, Effect::Execute] {
            assert_eq!(verdict(mode, effect, false, &Policy::default()), "ask", "{mode:?} {effect:?}");
            assert_eq!(verdict(mode, effect, true, &Policy::default()), "allow", "{mode:?} {effect:?}");
        }
    }
    assert_eq!(verdict(Mode::Plan, Effect::Read, false, &Policy::default()), "ask");
    assert_eq!(verdict(Mode::Plan, Effect::Execute, false, &Policy::default()), "deny");
}

#[test]
fn tools_of_the_host_run_but_not_in_plan_mode() {
    assert_eq!(verdict(Mode::Ask, Effect::Execute, &[], true), "allow");
    assert_eq!(verdict(Mode::Plan, Effect::Execute, &[], true), "deny");
    assert_eq!(verdict(Mode::Plan, Effect::Read, &[], true), "allow");
}

#[test]
fn a_granted_call_runs_but_not_in_plan_mode() {
    let target = target(Effect::Execute);
    let granted = |mode| decide(&Policy::default(), mode, Action { granted: true, ..action(&target, &[]) }).verdict;
    assert_eq!(granted(Mode::Ask), Verdict::Allow);
    assert!(matches!(granted(Mode::Plan), Verdict::Deny { by: DeniedBy::Mode, .. }));
}

#[test]
fn every_decision_says_how_it_came_about() {
    for mode in [Mode::Ask, Mode::AutoEdit, Mode::FullAuto, Mode::Plan] {
        let decision = decide(&Policy::default(), mode, action(&target(Effect::Write), &[]));
        assert!(!decision.trace.is_empty(), "{mode:?}");
    }
}

/// One layer of rules, in the order allow, ask, deny.
fn layer(kind: LayerKind, allow: &[&str], ask: &[&str], deny: &[&str]) -> PolicyLayer {
    let anchor = Anchor { cwd: Some("/w".into()), home: None };
    let [allow, ask, deny] = [allow, ask, deny].map(|list| list.iter().map(|rule| (*rule).into()).collect::<Vec<_>>());
    let rules = rules(&allow, &ask, &deny, &anchor, &Analyser::default()).unwrap();
    PolicyLayer { rules, ..PolicyLayer::new(kind, "here") }
}

fn line(text: &str) -> CommandLine {
    CommandLine::new(analyse(text))
}

fn of_line(policy: &Policy, mode: Mode, line: &CommandLine) -> Decision {
    let target = Target { kind: TargetKind::Command, ..target(Effect::Execute) };
    decide(policy, mode, Action { tool: "run_shell", line: Some(line), ..action(&target, &[]) })
}

fn of_text(policy: &Policy, mode: Mode, text: &str) -> &'static str {
    name_of(&of_line(policy, mode, &line(text)).verdict)
}

#[test]
fn a_line_runs_only_if_each_of_its_commands_may() {
    let policy = Policy::new(vec![layer(LayerKind::Flags, &["run_shell(npm test *)"], &[], &["run_shell(rm *)"])]);
    for (text, verdict) in [
        ("npm test", "allow"),
        ("npm test ; npm test -- a", "allow"),
        ("npm test ; curl x", "ask"),
        ("npm test ; ls", "ask"),
        ("npm test ; rm a", "deny"),
        ("curl x ; /bin/rm a", "deny"),
        ("$x a", "ask"),
        ("timeout 5 npm test", "allow"),
        ("timeout 5 rm a", "deny"),
    ] {
        assert_eq!(of_text(&policy, Mode::Ask, text), verdict, "{text}");
    }
}

#[test]
fn a_command_that_only_reads_asks_where_others_are_refused_and_its_risk_is_low() {
    for (text, mode, verdict, risk) in [
        ("ls a", Mode::Plan, "ask", Risk::Low),
        ("make", Mode::Plan, "deny", Risk::High),
        ("ls a; make", Mode::Plan, "deny", Risk::High),
        ("ls a | wc -l", Mode::Ask, "ask", Risk::Low),
        ("ls a > b", Mode::Ask, "ask", Risk::High),
    ] {
        let decision = of_line(&Policy::default(), mode, &line(text));
        assert_eq!((name_of(&decision.verdict), decision.risk), (verdict, risk), "{text}");
    }
}

#[test]
fn what_could_be_forbidden_never_simply_runs() {
    let policy = Policy::new(vec![layer(LayerKind::Managed, &["run_shell"], &[], &["run_shell(git push *)"])]);
    assert_eq!(of_text(&policy, Mode::FullAuto, "git $x"), "deny");
    assert_eq!(of_text(&policy, Mode::FullAuto, "git -C /w push"), "deny");
    assert_eq!(of_text(&policy, Mode::FullAuto, "$x push"), "ask");
    assert_eq!(of_text(&policy, Mode::FullAuto, "git status"), "allow");
    let mut unclear = line("true");
    unclear.make_unclear("it is odd");
    let decision = of_line(&policy, Mode::FullAuto, &unclear);
    assert_eq!(decision.verdict, Verdict::Ask);
    assert_eq!(decision.trace[0].reason, "perhaps forbids a command line that is not clear (it is odd)");
}

#[test]
fn a_rule_without_a_pattern_is_about_every_line() {
    let mut unclear = line("true");
    unclear.make_unclear("it is odd");
    let allows = Policy::new(vec![layer(LayerKind::Flags, &["run_shell"], &[], &[])]);
    let denies = Policy::new(vec![layer(LayerKind::User, &[], &[], &["run_shell(*)"])]);
    assert_eq!(of_line(&allows, Mode::Ask, &unclear).verdict, Verdict::Allow);
    assert!(matches!(of_line(&denies, Mode::FullAuto, &unclear).verdict, Verdict::Deny { by: DeniedBy::Rule, .. }));
}

#[test]
fn across_layers_deny_wins_over_ask_and_ask_over_allow() {
    let says = |kind, what| match what {
        RuleKind::Allow => layer(kind, &["run_shell"], &[], &[]),
        RuleKind::Ask => layer(kind, &[], &["run_shell"], &[]),
        RuleKind::Deny => layer(kind, &[], &[], &["run_shell"]),
    };
    for (upper, lower, verdict) in [
        (RuleKind::Allow, RuleKind::Deny, "deny"),
        (RuleKind::Deny, RuleKind::Allow, "deny"),
        (RuleKind::Ask, RuleKind::Deny, "deny"),
        (RuleKind::Allow, RuleKind::Ask, "ask"),
        (RuleKind::Ask, RuleKind::Allow, "ask"),
    ] {
        let policy = Policy::new(vec![says(LayerKind::User, lower), says(LayerKind::Managed, upper)]);
        assert_eq!(of_text(&policy, Mode::FullAuto, "make"), verdict, "{upper:?} over {lower:?}");
    }
}

#[test]
fn a_refusal_names_the_rule_its_layer_and_its_reason() {
    let rule = lodger_protocol::RuleOptions::Detailed(lodger_protocol::DetailedRule {
        rule: "run_shell(rm *)".to_owned(),
        reason: Some("nothing is deleted here".to_owned()),
        examples: None,
    });
    let rules = rules(&[], &[], &[rule], &Anchor::default(), &Analyser::default()).unwrap();
    let managed = PolicyLayer { rules, ..PolicyLayer::new(LayerKind::Managed, "/etc/x.json") };
    let decision = of_line(&Policy::new(vec![managed]), Mode::FullAuto, &line("rm a"));
    assert_eq!(
        decision.verdict,
        Verdict::Deny {
            by: DeniedBy::Policy,
            feedback:
                "the rule run_shell(rm *) of the managed layer (/etc/x.json) refuses the command `rm a`: nothing is \
                       deleted here"
                    .to_owned()
        }
    );
    let step = &decision.trace[0];
    assert_eq!((step.by.as_str(), step.rule.as_deref()), ("rule", Some("run_shell(rm *)")));
    assert_eq!(step.layer.as_deref(), Some("managed layer (/etc/x.json)"));
}

fn file(path: &str, intent: Intent) -> ResolvedAccess {
    ResolvedAccess { given: path.to_owned(), canonical: PathBuf::from(path), intent, ..access(true, false) }
}

#[test]
fn what_may_not_be_read_may_not_be_edited_either() {
    let policy = Policy::new(vec![layer(LayerKind::Flags, &["write"], &[], &["read(**/.env)"])]);
    for (path, intent, expected) in [
        ("/w/.env", Intent::Read, "deny"),
        ("/w/.ENV", Intent::Read, "deny"),
        ("/w/.env", Intent::Write, "deny"),
        ("/w/a", Intent::Write, "allow"),
    ] {
        let effect = if intent == Intent::Read { Effect::Read } else { Effect::Write };
        let accesses = [file(path, intent)];
        let verdict = decide(&policy, Mode::Ask, action(&target(effect), &accesses)).verdict;
        assert_eq!(name_of(&verdict), expected, "{path} {intent:?}");
    }
}

#[test]
fn a_file_under_another_name_is_judged_by_where_it_is_and_by_what_was_asked_for() {
    let policy = Policy::new(vec![layer(LayerKind::Flags, &[], &[], &["read(secret/**)"])]);
    let link =
        |given: &str, canonical: &str| ResolvedAccess { given: given.to_owned(), ..file(canonical, Intent::Read) };
    for access in [link("public/link", "/w/secret/key"), link("./x/../secret/key", "/elsewhere/key")] {
        let verdict = decide(&policy, Mode::FullAuto, action(&target(Effect::Read), &[access])).verdict;
        assert_eq!(name_of(&verdict), "deny");
    }
}

#[test]
fn a_host_of_a_network_is_judged_by_its_name() {
    let policy =
        Policy::new(vec![layer(LayerKind::Flags, &["network(*.example.com)"], &[], &["network(evil.example.com)"])]);
    for (host, expected) in [("docs.example.com", "allow"), ("evil.example.com", "deny"), ("example.org", "ask")] {
        let target = Target { host: Some(host.to_owned()), kind: TargetKind::Network, ..target(Effect::Network) };
        assert_eq!(name_of(&decide(&policy, Mode::Ask, action(&target, &[])).verdict), expected, "{host}");
    }
}

#[test]
fn a_lock_binds_the_mode_of_every_decision() {
    let locked = PolicyLayer { max_mode: Some(Mode::Ask), ..PolicyLayer::new(LayerKind::Managed, "here") };
    assert_eq!(of_text(&Policy::new(vec![locked]), Mode::FullAuto, "make"), "ask");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    const RULES: [&str; 9] = [
        "run_shell",
        "run_shell(git *)",
        "run_shell(git push *)",
        "run_shell(rm *)",
        "execute(ls *)",
        "*",
        "write(src/**)",
        "read(**/.env)",
        "run_shell(* a)",
    ];
    const LINES: [&str; 9] =
        ["git status", "git push o", "rm a", "ls a", "git $x", "ls ; rm a", "$x", "ls", "env git push"];
    const KINDS: [LayerKind; 6] =
        [LayerKind::Managed, LayerKind::Remote, LayerKind::Host, LayerKind::Flags, LayerKind::Project, LayerKind::User];
    const MODES: [Mode; 4] = [Mode::Plan, Mode::Ask, Mode::AutoEdit, Mode::FullAuto];

    fn some_layer() -> impl Strategy<Value = PolicyLayer> {
        let list = || proptest::sample::subsequence(RULES.to_vec(), 0..=3);
        (proptest::sample::select(KINDS.to_vec()), list(), list(), list(), proptest::option::of(0..4_usize)).prop_map(
            |(kind, allow, ask, deny, mode)| PolicyLayer {
                max_mode: mode.map(|mode| MODES[mode]),
                ..layer(kind, &allow, &ask, &deny)
            },
        )
    }

    fn strictness_of(policy: &Policy, mode: Mode, line: &CommandLine, grants: &[Rule], path: &str) -> u8 {
        let target = Target { kind: TargetKind::Command, ..target(Effect::Execute) };
        let accesses = [file(path, Intent::Write)];
        let action = Action { tool: "run_shell", line: Some(line), grants, ..action(&target, &accesses) };
        decide(policy, mode, action).verdict.strictness()
    }

    proptest! {
        #[test]
        fn a_layer_never_permits_what_another_one_forbids(
            layers in proptest::collection::vec(some_layer(), 1..5),
            text in proptest::sample::select(LINES.to_vec()),
            mode in proptest::sample::select(MODES.to_vec()),
            path in proptest::sample::select(vec!["/w/src/a", "/w/.env", "/w/b"]),
        ) {
            let line = line(text);
            let whole = Policy::new(layers.clone());
            let together = strictness_of(&whole, mode, &line, &[], path);
            for layer in layers {
                let alone = Policy::new(vec![layer.clone()]);
                // What one layer denies stays denied, and what its own rules ask for is never simply run.
                if strictness_of(&alone, Mode::FullAuto, &line, &[], path) == 2 {
                    prop_assert_eq!(together, 2);
                }
                if strictness_of(&alone, mode, &line, &[], path) > 0 && layer.rules.iter().all(|rule| rule.kind() != RuleKind::Allow) {
                    let bare = Policy::new(vec![PolicyLayer { max_mode: layer.max_mode, ..PolicyLayer::new(layer.kind, "here") }]);
                    let by_rule = strictness_of(&bare, mode, &line, &[], path) == 0;
                    prop_assert!(!by_rule || together > 0);
                }
                prop_assert!(whole.clamp(mode).stricter(alone.clamp(mode)) == whole.clamp(mode));
            }
        }

        #[test]
        fn a_layer_that_only_tightens_never_makes_a_decision_laxer(
            layers in proptest::collection::vec(some_layer(), 0..4),
            added in some_layer(),
            text in proptest::sample::select(LINES.to_vec()),
            mode in proptest::sample::select(MODES.to_vec()),
        ) {
            let line = line(text);
            let before = strictness_of(&Policy::new(layers.clone()), mode, &line, &[], "/w/b");
            let mut more = layers;
            more.push(added.tightening_only());
            prop_assert!(strictness_of(&Policy::new(more), mode, &line, &[], "/w/b") >= before);
        }

        #[test]
        fn a_grant_never_permits_what_a_layer_or_plan_mode_forbids_or_a_rule_asks_for(
            layers in proptest::collection::vec(some_layer(), 0..4),
            granted in proptest::sample::subsequence(RULES.to_vec(), 0..=3),
            text in proptest::sample::select(LINES.to_vec()),
            mode in proptest::sample::select(MODES.to_vec()),
        ) {
            let line = line(text);
            let policy = Policy::new(layers);
            let grants = layer(LayerKind::Flags, &granted, &[], &[]).rules;
            let without = of_line(&policy, mode, &line);
            let with = strictness_of(&policy, mode, &line, &grants, "/w/b");
            if matches!(without.verdict, Verdict::Deny { .. }) {
                prop_assert_eq!(with, 2);
            }
            if without.asked_by_rule {
                prop_assert!(with >= 1);
            }
        }
    }
}
