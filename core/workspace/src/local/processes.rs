//! Every child of one runtime: how many, under which name, and what becomes of them at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodger_protocol::{Error, ErrorCode, Result};
use uuid::Uuid;

use super::lifeline::Lifeline;
use super::os::HostMask;
use super::registry::{Entry, Registry};
use super::sandbox::Probes;
use super::sweep::{Mark, sweep};
use crate::StopFlag;

/// How many commands run at once at most.
const MAX_COMMANDS: usize = 64;
/// How long the end of killed commands is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Every child of one runtime, shared by all its workspaces.
///
/// Making one starts nothing. With the first command comes a watchdog, one `/bin/sh`, that kills what is left
/// when this process dies in whatever way. Dropping the table kills every child; any thread may do that.
///
/// At most 64 commands run at once.
pub struct ProcessTable {
    table: Arc<Table>,
}

/// What a running command keeps of the table.
pub(super) struct Table {
    run: String,
    made_by: u32,
    forked: AtomicBool,
    registry: Arc<Registry>,
    pub(super) lifeline: Lifeline,
    pub(super) mask: HostMask,
    /// What of a sandbox this system can hold.
    pub(super) probes: Probes,
}

impl ProcessTable {
    /// An empty table under a fresh run id. Starts neither thread nor process.
    #[must_use]
    pub fn new() -> Self {
        let run = Uuid::now_v7().simple().to_string();
        let mask = HostMask::of_this_thread();
        let table = Table {
            lifeline: Lifeline::new(run.clone(), mask),
            mask,
            probes: Probes::default(),
            run,
            made_by: std::process::id(),
            forked: AtomicBool::new(false),
            registry: Registry::new(MAX_COMMANDS),
        };
        Self { table: Arc::new(table) }
    }

    /// The id of this run. Every child has `LODGER_RUN=<run id>/<number>` in its environment.
    #[must_use]
    pub fn run_id(&self) -> &str {
        &self.table.run
    }

    /// How many commands run at the moment.
    #[must_use]
    pub fn running(&self) -> usize {
        self.table.registry.running()
    }

    /// Kills every child, searches until none is found, and ends the watchdog. No command can be started
    /// afterwards. Blocks, 10 seconds at most; a few milliseconds when nothing runs.
    pub fn shut_down(&self) {
        if self.table.is_forked_copy() {
            return;
        }
        self.table.registry.close(PATIENCE);
        if self.table.lifeline.fd().is_some() {
            sweep(&Mark::of_run(&self.table.run));
            self.table.lifeline.end();
        }
    }

    /// For a copy of the process that was made by `fork` and goes on without `exec`: closes its copy of the
    /// connection to the watchdog, which would otherwise take the copy for the living host. Kills nothing.
    /// After that the table is of no use here: commands are refused with `forked`. Takes no lock and allocates
    /// nothing, so that it may be called in the child at once.
    pub fn forget_after_fork(&self) {
        self.table.forked.store(true, Ordering::SeqCst);
        self.table.lifeline.forget();
    }

    pub(super) fn table(&self) -> &Arc<Table> {
        &self.table
    }
}

impl Default for ProcessTable {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ProcessTable {
    fn drop(&mut self) {
        self.shut_down();
    }
}

impl std::fmt::Debug for ProcessTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessTable").field("run_id", &self.table.run).field("running", &self.running()).finish()
    }
}

impl Table {
    /// Takes a place for a command.
    pub(super) fn enter(&self, stop: &StopFlag) -> Result<Entry> {
        if self.is_forked_copy() {
            return Err(Error::new(
                ErrorCode::Forked,
                "no command can be started: the agent was made before a fork; create a new one in the child",
            ));
        }
        self.registry.enter(stop)
    }

    /// What command `entry` carries as `LODGER_RUN`.
    pub(super) fn mark_value(&self, entry: &Entry) -> String {
        Mark::value(&self.run, entry.number())
    }

    /// Whether this is the table of another process, in a copy of it that has none of its threads.
    pub(super) fn is_forked_copy(&self) -> bool {
        self.forked.load(Ordering::SeqCst) || std::process::id() != self.made_by
    }
}
