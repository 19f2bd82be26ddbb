//! `stream-json`: every event, a line each. The last line is `done`.

use std::io::{self, Write};

use lodger::protocol::{Event, TurnResult};

use super::Output;
use crate::stdout::Stdout;

pub(super) struct StreamJson(pub(super) Stdout);

impl Output for StreamJson {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        // JSON in one piece holds no line end of its own: those in texts are escaped.
        serde_json::to_writer(&mut self.0, event)?;
        self.0.write_all(b"\n")
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn end(&mut self, _: &str, _: &TurnResult) -> io::Result<()> {
        self.0.flush()
    }
}
