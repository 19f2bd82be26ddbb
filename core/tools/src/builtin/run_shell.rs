//! `run_shell`: run a command line and show what it printed, or leave it running in the background.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Target, TargetKind, ToolSpec};
use lodger_workspace::{Command, CommandEnd, CommandStatus, OutputStream, Running, Workspace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::collected::Collected;
use super::ending;
use super::output::Undivided;
use super::tasks::Tasks;
use crate::{EndedTask, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "run_shell";
const MAX_TIMEOUT_MS: u64 = 3_600_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The command line, for bash.
    command: String,
    /// After how many milliseconds it is stopped. In the background: only if given.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Leaves it running and answers at once. For servers and long builds.
    #[serde(default)]
    background: bool,
    /// It sees a terminal. Only for programs that do not work without one.
    #[serde(default)]
    pty: bool,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Runs a command line with bash in the working folder and shows its output and exit code. There is no \
         standard input. What is left running when it ends is killed: use background, not `&`.",
    )
});

/// Runs a command line.
pub(super) struct RunShell {
    pub(super) tasks: Arc<Tasks>,
}

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
        Ok(Box::new(Call { input, tasks: Arc::clone(&self.tasks) }))
    }

    fn ended_tasks(&self) -> Vec<EndedTask> {
        self.tasks.ended()
    }
}

struct Call {
    input: Input,
    tasks: Arc<Tasks>,
}

impl ToolRun for Call {
    fn target(&self) -> Target {
        let line = input::first_line(&self.input.command);
        Target {
            summary: if self.input.background { format!("{line} (in the background)") } else { line },
            effect: Effect::Execute,
            kind: TargetKind::Command,
            paths: None,
            command: Some(self.input.command.clone()),
            host: None,
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            let Some(workspace) = context.workspace.clone() else {
                return ToolOutput::error("this agent has no folder to run commands in");
            };
            let default = (!self.input.background).then_some(context.limits.command_timeout_ms);
            let timeout = self.input.timeout_ms.or(default).map(|ms| ms.clamp(1, MAX_TIMEOUT_MS));
            let command = Command {
                line: self.input.command.clone(),
                call_id: context.call_id.clone(),
                timeout: timeout.map(Duration::from_millis),
                pty: self.input.pty,
                input: Vec::new(),
                unsandboxed: false,
            };
            if self.input.background {
                return match self.tasks.start(workspace, command, context.limits.max_tool_output_bytes) {
                    Ok(id) => ToolOutput::text(format!(
                        "[runs in the background as {id}: task_output shows what it prints, task_kill ends it, and you \
                         are told when it has ended]"
                    )),
                    Err(failure) => failure.into(),
                };
            }
            match workspace.run(command) {
                Ok(running) => watch(running, workspace, &context, timeout).await,
                Err(error) => error.into(),
            }
        })
    }
}

/// Takes the output while there is room to show it, and ends with what the model is told.
async fn watch(
    mut running: Running,
    workspace: Arc<dyn Workspace>,
    context: &ToolContext,
    timeout_ms: Option<u64>,
) -> ToolOutput {
    let mut collected = Collected::new(workspace, context.limits.max_tool_output_bytes);
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
        collected.add(&chunk.bytes).await;
        let (name, text) = match chunk.stream {
            OutputStream::Stdout => ("stdout", stdout.take(chunk.bytes)),
            OutputStream::Stderr => ("stderr", stderr.take(chunk.bytes)),
        };
        if !running.stop.is_raised() && !text.is_empty() {
            context.progress.show(name, text);
        }
    }
    match running.end.await {
        Ok(end) => told(collected, &end, timeout_ms),
        Err(_) => ToolOutput::error("the command's end was never reported; its effects are unknown"),
    }
}

/// What the model is told of an output and of how its command ended.
fn told(collected: Collected, end: &CommandEnd, timeout_ms: Option<u64>) -> ToolOutput {
    let output = collected.into_told();
    let text = format!("{}[{}]{}", output.text, ending::words(end, timeout_ms), ending::remarks(end));
    ToolOutput {
        is_error: end.status != CommandStatus::Exited(0),
        truncated: output.is_cut,
        bounded: true,
        ..ToolOutput::text(text)
    }
}
