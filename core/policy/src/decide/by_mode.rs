//! What the mode says of a part that no rule and no grant is about.

use lodger_protocol::{Effect, Intent, Mode};

use super::{Action, Verdict};
use crate::Part;
use crate::shell::{Role, is_read_only};

/// The verdict, what was looked at, and why.
pub(super) fn by_mode(mode: Mode, action: &Action<'_>, part: &Part<'_>) -> (Verdict, &'static str, String) {
    if mode == Mode::FullAuto {
        return (Verdict::Allow, "mode", "full-auto mode asks for nothing".to_owned());
    }
    match part {
        Part::Command(command, _) if command.role == Role::Carries => {
            (Verdict::Allow, "command", format!("{} only runs what is judged beside it", command.program))
        }
        Part::Command(command, _) if is_read_only(command) => {
            (Verdict::Ask, "command", format!("{} only reads, and commands ask", command.program))
        }
        Part::Unclear(why) => (Verdict::Ask, "command", format!("it is not clear what this line runs: {why}")),
        Part::File(access) => {
            let reads_only =
                access.intent == Intent::Read && (action.line.is_some() || action.target.effect == Effect::Read);
            let path = access.canonical.display();
            if !access.inside_roots {
                return (Verdict::Ask, "path", format!("{path} lies outside the roots"));
            }
            if reads_only {
                return (Verdict::Allow, "mode", "reads inside the roots run".to_owned());
            }
            if mode != Mode::AutoEdit {
                return asks(mode);
            }
            if access.protected {
                return (Verdict::Ask, "path", format!("{path} is protected"));
            }
            if access.link_count > 1 {
                let reason = format!("{path} has {} names; a change shows under all of them", access.link_count);
                return (Verdict::Ask, "path", reason);
            }
            if action.line.is_none() && action.target.effect != Effect::Write {
                return asks(mode);
            }
            (Verdict::Allow, "mode", "auto-edit mode allows edits inside the roots".to_owned())
        }
        Part::Tool if action.target.effect == Effect::Read => {
            (Verdict::Allow, "mode", "reads inside the roots run".to_owned())
        }
        Part::Tool if mode == Mode::AutoEdit && action.target.effect == Effect::Write => {
            (Verdict::Allow, "mode", "auto-edit mode allows edits inside the roots".to_owned())
        }
        Part::Command(..) | Part::Host(_) | Part::Tool => asks(mode),
    }
}

fn asks(mode: Mode) -> (Verdict, &'static str, String) {
    (Verdict::Ask, "mode", format!("{} mode asks before every change", mode.as_str()))
}
