//! `task_output`: what a background task printed since it was asked last, or the list of all.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Target, TargetKind, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::tasks::Tasks;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "task_output";
/// The longest wait for the end of a task.
const MAX_WAIT_MS: u64 = 600_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The task. Without it all of them are listed.
    #[serde(default)]
    task_id: Option<String>,
    /// Waits so many milliseconds for its end first. Default 0.
    #[serde(default)]
    wait_ms: u64,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Shows what a background task of run_shell printed since you asked last, and whether it still runs.",
    )
});

/// Shows the output of a background task.
pub(super) struct TaskOutput {
    pub(super) tasks: Arc<Tasks>,
}

impl Tool for TaskOutput {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let input: Input = input::read(NAME, input)?;
        Ok(Box::new(Call { input, tasks: Arc::clone(&self.tasks) }))
    }
}

struct Call {
    input: Input,
    tasks: Arc<Tasks>,
}

impl ToolRun for Call {
    fn target(&self) -> Target {
        Target {
            summary: match &self.input.task_id {
                Some(id) => format!("Look at {}", input::first_line(id)),
                None => "List background tasks".to_owned(),
            },
            effect: Effect::Read,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            let Some(id) = &self.input.task_id else { return list(&self.tasks).await };
            let task = match self.tasks.get(id) {
                Ok(task) => task,
                Err(failure) => return failure.into(),
            };
            let wait = Duration::from_millis(self.input.wait_ms.min(MAX_WAIT_MS));
            tokio::select! {
                biased;
                // What it printed is not lost: the next call shows it.
                () = context.cancelled.cancelled() => return ToolOutput::error("cancelled"),
                // That it still runs is an answer too.
                _ = tokio::time::timeout(wait, task.until_end()) => {}
            }
            let told = task.news().await;
            ToolOutput { truncated: told.is_cut, bounded: true, ..ToolOutput::text(told.text) }
        })
    }
}

async fn list(tasks: &Tasks) -> ToolOutput {
    let mut lines = Vec::new();
    for task in tasks.all() {
        lines.push(task.line().await);
    }
    ToolOutput::text(if lines.is_empty() { "[no background tasks]".to_owned() } else { lines.join("\n") })
}
