//! `run_shell`: run a command line and show what it printed.

use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Target, TargetKind, ToolSpec};
use lodger_workspace::{Command, CommandEnd, CommandStatus, OutputStream, Running};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::input;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun};

const NAME: &str = "run_shell";
const MAX_TIMEOUT_MS: u64 = 3_600_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The command line, for bash.
    command: String,
    /// After how many milliseconds it is stopped.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// Runs a command line.
pub(super) struct RunShell(ToolSpec);

impl Default for RunShell {
    fn default() -> Self {
        Self(input::spec::<Input>(
            NAME,
            "Runs a command line with bash in the working folder and shows its output and exit code. There is no \
             terminal and no standard input. What is left running in its process group when it ends is killed.",
        ))
    }
}

impl Tool for RunShell {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        if input.command.trim().is_empty() {
            return Err(ToolFailure("command is empty".to_owned()));
        }
        if input.command.contains('\0') {
            return Err(ToolFailure("command contains a NUL byte".to_owned()));
        }
        Ok(Box::new(input))
    }
}

impl ToolRun for Input {
    fn target(&self) -> Target {
        Target {
            summary: input::one_line(&self.command),
            effect: Effect::Execute,
            kind: TargetKind::Command,
            paths: None,
            command: Some(self.command.clone()),
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            let Some(workspace) = &context.workspace else {
                return ToolOutput::error("this agent has no folder to run commands in");
            };
            let timeout = self.timeout_ms.unwrap_or(context.limits.command_timeout_ms).clamp(1, MAX_TIMEOUT_MS);
            let command = Command {
                line: self.command.clone(),
                call_id: context.call_id.clone(),
                timeout: Duration::from_millis(timeout),
            };
            match workspace.run(command) {
                Ok(running) => watch(running, &context, timeout).await,
                Err(error) => error.into(),
            }
        })
    }
}

/// Takes the output while there is room to show it, and ends with what the model is told.
async fn watch(mut running: Running, context: &ToolContext, timeout_ms: u64) -> ToolOutput {
    let mut kept = Kept::new(context.limits.max_tool_output_bytes);
    loop {
        // Once it is stopped nothing more is shown, and what is left of the output is only kept.
        if !running.stop.is_raised() {
            tokio::select! {
                biased;
                () = context.cancelled.cancelled() => running.stop.raise(),
                () = context.progress.ready() => {}
            }
        }
        let chunk = tokio::select! {
            biased;
            () = context.cancelled.cancelled(), if !running.stop.is_raised() => {
                running.stop.raise();
                continue;
            }
            chunk = running.output.recv() => chunk,
        };
        let Some(chunk) = chunk else { break };
        kept.take(&chunk.bytes);
        if !running.stop.is_raised() {
            let stream = match chunk.stream {
                OutputStream::Stdout => "stdout",
                OutputStream::Stderr => "stderr",
            };
            context.progress.show(stream, String::from_utf8_lossy(&chunk.bytes).into_owned());
        }
    }
    match running.end.await {
        Ok(end) => kept.told(&end, timeout_ms),
        Err(_) => ToolOutput::error("the command's end was never reported; its effects are unknown"),
    }
}

/// The head and the tail of an output, within a bound whatever the command prints.
struct Kept {
    half: usize,
    head: Vec<u8>,
    tail: std::collections::VecDeque<u8>,
    left_out: usize,
}

impl Kept {
    fn new(max_bytes: usize) -> Self {
        Self { half: max_bytes / 2, head: Vec::new(), tail: std::collections::VecDeque::new(), left_out: 0 }
    }

    fn take(&mut self, bytes: &[u8]) {
        let into_head = bytes.len().min(self.half.saturating_sub(self.head.len()));
        self.head.extend_from_slice(&bytes[..into_head]);
        self.tail.extend(&bytes[into_head..]);
        let over = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..over);
        self.left_out += over;
    }

    fn told(mut self, end: &CommandEnd, timeout_ms: u64) -> ToolOutput {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.left_out > 0 {
            text.push_str(&format!("\n[... {} bytes left out ...]\n", self.left_out));
        }
        text.push_str(&String::from_utf8_lossy(self.tail.make_contiguous()));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&match end.status {
            CommandStatus::Exited(code) => format!("[exit code {code}]"),
            CommandStatus::Signalled(signal) => format!("[ended by signal {signal}]"),
            CommandStatus::TimedOut => format!("[stopped after {timeout_ms} ms; set timeoutMs if it needs longer]"),
            CommandStatus::Cancelled => "[cancelled]".to_owned(),
            CommandStatus::Unknown => "[ended; its exit code is unknown]".to_owned(),
            CommandStatus::NotStarted => "[could not be started]".to_owned(),
        });
        if !end.left_behind.is_empty() {
            text.push_str(&format!("\n[killed what was left running: {}]", end.left_behind.join(", ")));
        }
        if let Some(note) = &end.note {
            text.push_str(&format!("\n[{note}]"));
        }
        ToolOutput {
            is_error: end.status != CommandStatus::Exited(0),
            truncated: self.left_out > 0,
            ..ToolOutput::text(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::Content;

    use super::*;

    fn told(max_bytes: usize, output: &[u8], status: CommandStatus) -> (String, ToolOutput) {
        let mut kept = Kept::new(max_bytes);
        for piece in output.chunks(3) {
            kept.take(piece);
        }
        let end = CommandEnd { status, left_behind: Vec::new(), note: None };
        let output = kept.told(&end, 1000);
        (Content::joined_text(&output.content), output)
    }

    #[test]
    fn short_output_is_told_whole_with_the_exit_code() {
        let (text, output) = told(100, b"hello", CommandStatus::Exited(0));
        assert_eq!((text.as_str(), output.is_error), ("hello\n[exit code 0]", false));
    }

    #[test]
    fn long_output_keeps_head_and_tail() {
        let (text, output) = told(8, b"0123456789abcdef", CommandStatus::Exited(1));
        assert_eq!(text, "0123\n[... 8 bytes left out ...]\ncdef\n[exit code 1]");
        assert!(output.truncated && output.is_error);
    }

    #[test]
    fn an_unknown_end_is_never_success() {
        assert!(told(8, b"", CommandStatus::Unknown).1.is_error);
    }
}
