//! `text`: the answer on standard output, as it is written; what is done for it on standard error.

use std::collections::HashSet;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use lodger::protocol::{
    Content, DeniedBy, DoneReason, Entry, Event, EventBody, NoticeLevel, Passing, ToolCallId, TurnResult,
};

use super::Output;
use crate::printable::{printable, printable_line};
use crate::stdout::Stdout;

const QUIET: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();

pub(super) struct Text {
    out: Stdout,
    /// Something was said, and its line is still open.
    in_line: bool,
    /// A message is complete: the next begins after an empty line.
    gap: bool,
    /// Refused calls: their results say the same again.
    denied: HashSet<ToolCallId>,
    /// Calls were refused since nobody could be asked.
    unasked: bool,
}

impl Text {
    pub(super) fn new(out: Stdout) -> Self {
        Self { out, in_line: false, gap: false, denied: HashSet::new(), unasked: false }
    }

    /// Writes a piece of the answer.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        let Some(last) = text.chars().last() else { return Ok(()) };
        if std::mem::take(&mut self.gap) {
            self.out.write_all(b"\n")?;
        }
        self.in_line = last != '\n';
        // A file or a program gets the answer to the letter.
        if self.out.is_terminal() {
            self.out.write_all(printable(text).as_bytes())
        } else {
            self.out.write_all(text.as_bytes())
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.in_line) {
            self.out.write_all(b"\n")?;
            self.gap = true;
        }
        Ok(())
    }

    /// A line on standard error, after what was said before it.
    fn note(&mut self, style: Style, line: &str) -> io::Result<()> {
        self.end_line()?;
        self.out.flush()?;
        // The answer is worth more than a note that cannot be shown.
        let _ = writeln!(anstream::stderr(), "{style}{}{style:#}", printable_line(line));
        Ok(())
    }

    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match entry {
            Entry::AssistantMessage { .. } => self.end_line(),
            Entry::ToolCall { tool_name, target, .. } => {
                self.note(QUIET, &format!("> {tool_name}: {}", target.summary))
            }
            Entry::OutputRejected { feedback, .. } => {
                self.note(QUIET, &format!("asking again: {}", feedback.lines().nth(1).unwrap_or_default()))
            }
            Entry::ToolDenied { tool_call_id, by, feedback, .. } => {
                self.denied.insert(tool_call_id.clone());
                self.unasked |= *by == DeniedBy::Host;
                self.note(BAD, &format!("  refused: {}", feedback.as_deref().unwrap_or("no reason was given")))
            }
            Entry::ToolResult { tool_call_id, is_error: true, content, .. } if !self.denied.remove(tool_call_id) => {
                self.note(BAD, &format!("  failed: {}", gist(&Content::joined_text(content))))
            }
            _ => Ok(()),
        }
    }
}

impl Output for Text {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &event.body {
            EventBody::Passing(Passing::TextDelta { text, .. }) => self.say(text),
            EventBody::Passing(Passing::Retry { reason, delay_ms, .. }) => {
                self.note(QUIET, &format!("trying again in {} s: {reason}", delay_ms.div_ceil(1000)))
            }
            EventBody::Passing(Passing::Fallback { to_model, reason, .. }) => {
                self.note(QUIET, &format!("{to_model} carries on: {reason}"))
            }
            EventBody::Passing(Passing::Notice { level, text, .. }) => {
                self.note(if *level == NoticeLevel::Info { QUIET } else { BAD }, text)
            }
            EventBody::Passing(_) => Ok(()),
            EventBody::Entry(entry) => self.entry(entry),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self, _: &str, result: &TurnResult) -> io::Result<()> {
        self.end_line()?;
        if self.unasked {
            self.note(
                QUIET,
                "lodger: calls were refused since there is no terminal to ask on; --mode auto-edit or full-auto allows them",
            )?;
        }
        match (result.reason, &result.error) {
            (DoneReason::EndTurn, _) => {}
            (DoneReason::Error, Some(error)) => self.note(BAD, &format!("lodger: {error}"))?,
            (reason, _) => self.note(BAD, &format!("lodger: the turn ended early: {}", name(reason)))?,
        }
        self.out.flush()
    }
}

/// The one line of a failure that says most: what ends a command's output in brackets, else the first.
fn gist(text: &str) -> &str {
    let told = text.lines().rev().find(|line| line.starts_with('['));
    told.or_else(|| text.lines().next()).unwrap_or("nothing was said")
}

const fn name(reason: DoneReason) -> &'static str {
    match reason {
        DoneReason::EndTurn => "end_turn",
        DoneReason::MaxOutputTokens => "max_output_tokens",
        DoneReason::MaxSteps => "max_steps",
        DoneReason::MaxBudget => "max_budget",
        DoneReason::Refused => "refused",
        DoneReason::Cancelled => "cancelled",
        DoneReason::Error => "error",
    }
}
