//! `text` where the answer must fit a schema: that answer alone on standard output, one line of JSON. What the model says
//! on the way is not the answer, and is not shown.

use std::io;

use lodger::protocol::{Event, EventBody, Passing, TurnResult};

use super::Output;
use super::text::Text;

pub(super) struct Structured(pub(super) Text);

impl Output for Structured {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        match &event.body {
            EventBody::Passing(Passing::TextDelta { .. }) => Ok(()),
            _ => self.0.event(event),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn end(&mut self, session_id: &str, result: &TurnResult) -> io::Result<()> {
        if let Some(answer) = &result.structured {
            self.0.say(&answer.to_string())?;
        }
        self.0.end(session_id, result)
    }
}
