//! `task_update`: the model's list of what is to be done, for people to follow. It touches nothing: the list is an event,
//! and the call keeps it in the conversation.

use std::collections::HashSet;
use std::sync::LazyLock;

use futures_util::FutureExt;
use futures_util::future::{self, BoxFuture};
use lodger_protocol::{Effect, Target, TargetKind, Task, TaskStatus, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};

const NAME: &str = "task_update";

const MAX_TASKS: usize = 100;
const MAX_SUBJECT_BYTES: usize = 512;
const MAX_ID_BYTES: usize = 64;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// All tasks, in order, at most 100. They take the place of the list before.
    tasks: Vec<Item>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Item {
    /// Names the task, the same in each list. Default: its place in the list, from 1.
    #[serde(default)]
    id: Option<String>,
    /// What is to be done, on one line.
    subject: String,
    /// Where it stands.
    status: TaskStatus,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(
        NAME,
        "Shows the user the list of what is to be done and where each task stands. For work of several steps: write \
         the list when you begin, and all of it again whenever a task begins or ends. One task at a time is in_progress.",
    )
});

/// Writes the task list.
pub(super) struct TaskUpdate;

impl Tool for TaskUpdate {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let Input { tasks } = input::read(NAME, input)?;
        Ok(Box::new(List(checked(tasks)?)))
    }
}

fn checked(items: Vec<Item>) -> Result<Vec<Task>, ToolFailure> {
    if items.len() > MAX_TASKS {
        return Err(ToolFailure(format!("there are {} tasks; expected at most {MAX_TASKS}", items.len())));
    }
    let mut ids = HashSet::new();
    let task = |(index, Item { id, subject, status }): (usize, Item)| {
        let id = id.unwrap_or_else(|| (index + 1).to_string());
        check_line(&format!("tasks[{index}].id"), &id, MAX_ID_BYTES)?;
        check_line(&format!("tasks[{index}].subject"), &subject, MAX_SUBJECT_BYTES)?;
        if !ids.insert(id.clone()) {
            return Err(ToolFailure(format!("tasks[{index}].id is {id:?}, as another is; expected each once")));
        }
        Ok(Task { id, subject, status })
    };
    items.into_iter().enumerate().map(task).collect()
}

fn check_line(place: &str, text: &str, max_bytes: usize) -> Result<(), ToolFailure> {
    if text.trim().is_empty() || text.len() > max_bytes || text.contains(char::is_control) {
        let bytes = text.len();
        return Err(ToolFailure(format!("{place} has {bytes} bytes; expected one line of at most {max_bytes}")));
    }
    Ok(())
}

struct List(Vec<Task>);

impl ToolRun for List {
    fn target(&self) -> Target {
        Target {
            summary: format!("List of {} tasks", self.0.len()),
            effect: Effect::Read,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, _: ToolContext) -> BoxFuture<'static, ToolOutput> {
        let count = |status| self.0.iter().filter(|task| task.status == status).count();
        let (done, now, open) =
            (count(TaskStatus::Completed), count(TaskStatus::InProgress), count(TaskStatus::Pending));
        let told = format!("the user sees the list: {done} completed, {now} in progress, {open} pending");
        future::ready(ToolOutput { tasks: Some(self.0), ..ToolOutput::text(told) }).boxed()
    }
}
