//! `json`: the result, as one object.

use std::io::{self, Write};

use lodger::protocol::{Event, TurnResult};
use serde::Serialize;

use super::Output;
use crate::stdout::Stdout;

pub(super) struct Json(pub(super) Stdout);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told<'a> {
    session_id: &'a str,
    #[serde(flatten)]
    result: &'a TurnResult,
}

impl Output for Json {
    fn event(&mut self, _: &Event) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn end(&mut self, session_id: &str, result: &TurnResult) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, &Told { session_id, result })?;
        self.0.write_all(b"\n")?;
        self.0.flush()
    }
}
