//! The background tasks of one agent: commands that outlive the call that started them, never the agent.
//!
//! Whatever they print is taken at once, so that they go on whether or not the model looks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lodger_protocol::ToolCallId;
use lodger_workspace::{Command, CommandEnd, CommandStatus, Running, StopFlag, Workspace};
use tokio::sync::watch;

use super::collected::{Collected, Told};
use super::ending;
use crate::{EndedTask, ToolFailure, input};

/// How many run at once.
const MAX_TASKS: usize = 16;
/// How many are remembered after their end.
const MAX_ENDED_TASKS: usize = 32;

/// The tasks of one agent. Dropped, it ends all of them.
#[derive(Default)]
pub(super) struct Tasks(Mutex<List>);

#[derive(Default)]
struct List {
    started: u64,
    /// Oldest first.
    tasks: VecDeque<Arc<Task>>,
}

/// One task.
pub(super) struct Task {
    id: String,
    line: String,
    call_id: ToolCallId,
    timeout: Option<Duration>,
    began: Instant,
    stop: StopFlag,
    output: tokio::sync::Mutex<Collected>,
    end: watch::Receiver<Option<CommandEnd>>,
    /// The model knows of its end.
    told: AtomicBool,
}

impl Tasks {
    /// Starts a command and names it. Must be called on the runtime that is to take its output.
    pub(super) fn start(
        &self,
        workspace: Arc<dyn Workspace>,
        command: Command,
        max_bytes: usize,
    ) -> Result<String, ToolFailure> {
        let mut list = self.lock();
        if list.tasks.iter().filter(|task| !task.has_ended()).count() >= MAX_TASKS {
            return Err(ToolFailure(format!(
                "{MAX_TASKS} background tasks run already, which is the limit; end one with task_kill"
            )));
        }
        let running = workspace.run(command.clone()).map_err(|error| ToolFailure(error.message))?;
        list.started += 1;
        let (ended, end) = watch::channel(None);
        let task = Arc::new(Task {
            id: format!("task_{}", list.started),
            line: command.line,
            call_id: command.call_id,
            timeout: command.timeout,
            began: Instant::now(),
            stop: running.stop.clone(),
            output: tokio::sync::Mutex::new(Collected::new(workspace, max_bytes)),
            end,
            told: AtomicBool::new(false),
        });
        tokio::spawn(collect(Arc::clone(&task), running, ended));
        let id = task.id.clone();
        list.tasks.push_back(task);
        list.forget_oldest();
        Ok(id)
    }

    /// The task of that name.
    pub(super) fn get(&self, id: &str) -> Result<Arc<Task>, ToolFailure> {
        let list = self.lock();
        list.tasks.iter().find(|task| task.id == id).cloned().ok_or_else(|| {
            let known: Vec<&str> = list.tasks.iter().map(|task| task.id.as_str()).collect();
            let known = if known.is_empty() { "there are none".to_owned() } else { known.join(", ") };
            ToolFailure(format!("there is no background task {id:?}; known are: {known}. None outlives its agent"))
        })
    }

    /// All that are known, oldest first.
    pub(super) fn all(&self) -> Vec<Arc<Task>> {
        self.lock().tasks.iter().cloned().collect()
    }

    /// Those that ended without the model knowing; from now on it does.
    pub(super) fn ended(&self) -> Vec<EndedTask> {
        let tasks = self.all();
        let untold = tasks.iter().filter(|task| task.has_ended() && !task.told.swap(true, Ordering::AcqRel));
        untold
            .map(|task| EndedTask { task_id: task.id.clone(), call_id: task.call_id.clone(), text: task.epitaph() })
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    fn forget_oldest(&mut self) {
        let mut over = self.tasks.iter().filter(|task| task.has_ended()).count().saturating_sub(MAX_ENDED_TASKS);
        self.tasks.retain(|task| {
            let forgotten = over > 0 && task.has_ended();
            over -= usize::from(forgotten);
            !forgotten
        });
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        self.all().iter().for_each(|task| task.stop.raise());
    }
}

impl Task {
    /// Kills it and what it started.
    pub(super) fn kill(&self) {
        self.stop.raise();
    }

    /// Whether it has ended, and all that it printed is there.
    pub(super) fn has_ended(&self) -> bool {
        // Whoever took its output is gone: so is the command.
        self.end.borrow().is_some() || self.end.has_changed().is_err()
    }

    /// Waits for its end.
    pub(super) async fn until_end(&self) {
        // An error means that nobody is there to tell it.
        let _ = self.end.clone().wait_for(Option::is_some).await;
    }

    /// What it printed since it was asked last, and where it stands.
    pub(super) async fn news(&self) -> Told {
        // Asked before its output is taken: after the end nothing comes any more.
        let ended = self.has_ended();
        let mut told = self.output.lock().await.take();
        if ended {
            self.told.store(true, Ordering::Release);
        }
        let remarks = self.end.borrow().as_ref().filter(|_| ended).map(ending::remarks).unwrap_or_default();
        told.text.push_str(&format!("[{}]{remarks}", self.state()));
        told
    }

    /// A line about it.
    pub(super) async fn line(&self) -> String {
        let waiting = self.output.lock().await.waiting();
        format!("{}, {waiting} new bytes: {}", self.state(), input::first_line(&self.line))
    }

    /// What the model is told once it has ended.
    fn epitaph(&self) -> String {
        let waiting = self.output.try_lock().map_or(0, |output| output.waiting());
        let unread = if waiting > 0 { "; task_output shows what it printed since" } else { "" };
        format!("[background task {}{unread}: {}]", self.state(), input::first_line(&self.line))
    }

    fn state(&self) -> String {
        let id = &self.id;
        match &*self.end.borrow() {
            // It is told by the tasks alone, and they do it for this reason.
            Some(end) if end.status == CommandStatus::Cancelled => format!("{id} was killed"),
            Some(end) => {
                let timeout = self.timeout.map(|timeout| u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
                format!("{id} has ended: {}", ending::words(end, timeout))
            }
            None if self.has_ended() => format!("{id} has ended; how is unknown"),
            None => format!("{id} runs for {} s", self.began.elapsed().as_secs()),
        }
    }
}

/// Takes all that a command prints, and its end after that.
async fn collect(task: Arc<Task>, mut running: Running, ended: watch::Sender<Option<CommandEnd>>) {
    while let Some(chunk) = running.output.recv().await {
        task.output.lock().await.add(&chunk.bytes).await;
    }
    if let Ok(end) = running.end.await {
        ended.send_replace(Some(end));
    }
}
