//! `task_kill`: end a background task and all that it started.

use std::sync::{Arc, LazyLock};

use futures_util::future::BoxFuture;
use lodger_protocol::{Effect, Target, TargetKind, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::tasks::Tasks;
use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "task_kill";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The task.
    task_id: String,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(NAME, "Kills a background task of run_shell, and shows what it printed since you asked last.")
});

/// Ends a background task.
pub(super) struct TaskKill {
    pub(super) tasks: Arc<Tasks>,
}

impl Tool for TaskKill {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let Input { task_id } = input::read(NAME, input)?;
        Ok(Box::new(Call { task_id, tasks: Arc::clone(&self.tasks) }))
    }
}

struct Call {
    task_id: String,
    tasks: Arc<Tasks>,
}

impl ToolRun for Call {
    /// It reaches nothing but what this agent was allowed to start, so it is as harmless as a look at it.
    fn target(&self) -> Target {
        Target {
            summary: format!("Kill {}", input::first_line(&self.task_id)),
            effect: Effect::Read,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, _: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            let task = match self.tasks.get(&self.task_id) {
                Ok(task) => task,
                Err(failure) => return failure.into(),
            };
            task.kill();
            task.until_end().await;
            let told = task.news().await;
            ToolOutput { truncated: told.is_cut, bounded: true, ..ToolOutput::text(told.text) }
        })
    }
}
