//! What is printed, in each of the formats.

mod json;
mod stream_json;
mod structured;
mod text;

use std::io;

use lodger::protocol::{Event, TurnResult};

use crate::arguments::OutputFormat;
use crate::stdout::Stdout;

/// A format. Errors are those of standard output.
pub(crate) trait Output {
    /// Shows an event.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// Lets out what was held back: there is nothing to show for a while.
    fn flush(&mut self) -> io::Result<()>;

    /// Shows how the turn ended, after its last event.
    fn end(&mut self, session_id: &str, result: &TurnResult) -> io::Result<()>;
}

/// The format of that name, on standard output. `has_schema`: the answer is JSON that fits one.
pub(crate) fn open(format: OutputFormat, has_schema: bool, out: Stdout) -> Box<dyn Output> {
    match format {
        OutputFormat::Text if has_schema => Box::new(structured::Structured(text::Text::new(out))),
        OutputFormat::Text => Box::new(text::Text::new(out)),
        OutputFormat::Json => Box::new(json::Json(out)),
        OutputFormat::StreamJson => Box::new(stream_json::StreamJson(out)),
    }
}
