//! `run_shell`: run a command line and show what it printed.

use std::sync::LazyLock;
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Target, TargetKind, ToolSpec};
use lodger_workspace::{Command, CommandEnd, CommandStatus, OutputStream, Running};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::output::{Kept, Undivided};
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

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

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Runs a command line with bash in the working folder and shows its output and exit code. There is no \
         terminal and no standard input. What is left running in its process group when it ends is killed.",
    )
});

/// Runs a command line.
pub(super) struct RunShell;

impl Tool for RunShell {
    fn spec(&self) -> &ToolSpec {
        &SPEC
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
            summary: input::first_line(&self.command),
            effect: Effect::Execute,
            kind: TargetKind::Command,
            paths: None,
            command: Some(self.command.clone()),
            host: None,
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
    let (mut stdout, mut stderr) = (Undivided::default(), Undivided::default());
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
        let (name, text) = match chunk.stream {
            OutputStream::Stdout => ("stdout", stdout.take(chunk.bytes)),
            OutputStream::Stderr => ("stderr", stderr.take(chunk.bytes)),
        };
        if !running.stop.is_raised() && !text.is_empty() {
            context.progress.show(name, text);
        }
    }
    match running.end.await {
        Ok(end) => told(kept, &end, timeout_ms),
        Err(_) => ToolOutput::error("the command's end was never reported; its effects are unknown"),
    }
}

/// What the model is told of an output and of how its command ended.
fn told(kept: Kept, end: &CommandEnd, timeout_ms: u64) -> ToolOutput {
    let truncated = kept.left_out() > 0;
    let mut text = kept.into_text();
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
    ToolOutput { is_error: end.status != CommandStatus::Exited(0), truncated, bounded: true, ..ToolOutput::text(text) }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::Content;

    use super::*;

    fn told_of(max_bytes: usize, output: &[u8], status: CommandStatus) -> (String, ToolOutput) {
        let mut kept = Kept::new(max_bytes);
        kept.take(output);
        let output = told(kept, &CommandEnd { status, left_behind: Vec::new(), note: None }, 1000);
        (Content::joined_text(&output.content), output)
    }

    #[test]
    fn short_output_is_told_whole_with_the_exit_code() {
        let (text, output) = told_of(100, b"hello", CommandStatus::Exited(0));
        assert_eq!((text.as_str(), output.is_error, output.truncated), ("hello\n[exit code 0]", false, false));
    }

    #[test]
    fn long_output_says_what_is_left_out() {
        let (text, output) = told_of(8, b"0123456789abcdef", CommandStatus::Exited(1));
        assert_eq!(text, "0123\n[... 8 bytes left out ...]\ncdef\n[exit code 1]");
        assert!(output.truncated && output.is_error);
    }

    #[test]
    fn an_unknown_end_is_never_success() {
        assert!(told_of(8, b"", CommandStatus::Unknown).1.is_error);
    }
}
