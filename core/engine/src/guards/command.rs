//! A command that judges: JSON on its standard input, a JSON object on its standard output, exit code 0.
//!
//! Anything else is no verdict, whatever it is.

use std::time::Duration;

use lodger_protocol::ToolCallId;
use lodger_workspace::{Command, CommandEnd, CommandStatus, OutputStream, Running, Workspace};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

/// At most so many bytes of its answer.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// So many bytes of its standard error are repeated when it fails.
const MAX_COMPLAINT_BYTES: usize = 512;

/// Runs the command and reads its answer.
///
/// # Errors
/// Why there is none, in words.
pub(crate) async fn ask<T: DeserializeOwned>(
    workspace: &dyn Workspace,
    cancelled: &CancellationToken,
    line: &str,
    timeout: Duration,
    call_id: ToolCallId,
    input: Vec<u8>,
) -> Result<T, String> {
    let command =
        Command { line: line.to_owned(), call_id, timeout: Some(timeout), pty: false, input, unsandboxed: false };
    let Running { mut output, end, stop } = workspace.run(command).map_err(|error| error.message)?;
    let (mut answer, mut complaint) = (Vec::new(), Vec::new());
    loop {
        let chunk = tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                stop.raise();
                return Err("the turn was cancelled".to_owned());
            }
            chunk = output.recv() => chunk,
        };
        match chunk {
            None => break,
            Some(chunk) if chunk.stream == OutputStream::Stdout => answer.extend(chunk.bytes),
            Some(chunk) => {
                let room = MAX_COMPLAINT_BYTES - complaint.len();
                complaint.extend(chunk.bytes.into_iter().take(room));
            }
        }
        if answer.len() > MAX_ANSWER_BYTES {
            stop.raise();
            return Err(format!("its answer has more than {MAX_ANSWER_BYTES} bytes"));
        }
    }
    let end = end.await.map_err(|_| "its end is not known".to_owned())?;
    check_end(&end, timeout, &complaint)?;
    read(&answer)
}

fn check_end(end: &CommandEnd, timeout: Duration, complaint: &[u8]) -> Result<(), String> {
    let why = match end.status {
        CommandStatus::Exited(0) => return Ok(()),
        CommandStatus::Exited(code) => format!("it ended with exit code {code}"),
        CommandStatus::Signalled(signal) => format!("signal {signal} ended it"),
        CommandStatus::TimedOut => format!("it took longer than {} ms", timeout.as_millis()),
        CommandStatus::Cancelled => "it was stopped".to_owned(),
        CommandStatus::Unknown => "how it ended is not known".to_owned(),
        CommandStatus::NotStarted => "it could not be started".to_owned(),
    };
    let said = String::from_utf8_lossy(complaint);
    let more = end.note.as_deref().unwrap_or_else(|| said.trim());
    Err(if more.is_empty() { why } else { format!("{why}: {more}") })
}

fn read<T: DeserializeOwned>(answer: &[u8]) -> Result<T, String> {
    // An object and nothing else: serde would take a list of the values as well.
    let object: Map<String, Value> =
        serde_json::from_slice(answer).map_err(|error| format!("its answer is no JSON object: {error}"))?;
    serde_json::from_value(Value::Object(object)).map_err(|error| format!("its answer was not understood: {error}"))
}
