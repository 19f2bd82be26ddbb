//! Threads, connections and children, shared by any number of agents and owned by somebody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

use lodger_net::HttpClients;
use lodger_protocol::{Error, ErrorCode, Result};
use lodger_workspace::{ProcessTable, SharedFiles, SignalsBlocked};
use tokio::runtime::{Builder, Handle};

use super::{locked, may_block};

/// How a runtime is made.
#[derive(Clone, Default)]
pub struct RuntimeOptions {
    /// Threads that drive agents. 0 means 2.
    pub worker_threads: usize,
    /// Called first on every thread that drives agents or waits for files.
    pub on_thread_start: Option<ThreadHook>,
    /// Called last on every such thread.
    pub on_thread_stop: Option<ThreadHook>,
}

/// What a host does with a thread that is not its own, such as to announce it to its language's runtime.
pub type ThreadHook = Arc<dyn Fn() + Send + Sync>;

impl std::fmt::Debug for RuntimeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuntimeOptions").field("worker_threads", &self.worker_threads).finish_non_exhaustive()
    }
}

/// Threads, connections and children. Cheap to clone; the last clone stops it in the background.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    /// Absent when the host drives us on a runtime of its own.
    owned: Mutex<Option<tokio::runtime::Runtime>>,
    handle: Handle,
    clients: HttpClients,
    processes: Arc<ProcessTable>,
    files: Arc<SharedFiles>,
    fork: ForkGuard,
    shut_down: AtomicBool,
}

/// Remembers the process in which a handle was made.
#[derive(Clone, Copy)]
pub(crate) struct ForkGuard {
    pid: u32,
}

impl ForkGuard {
    fn here() -> Self {
        Self { pid: std::process::id() }
    }

    /// Refuses to go on in a copy of that process: the threads behind the handle do not exist there.
    pub(crate) fn check(self) -> Result<()> {
        let pid = std::process::id();
        if pid == self.pid {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Forked,
            format!(
                "this handle was made in process {} and is used in {pid}, after a fork; create a new agent here",
                self.pid
            ),
        ))
    }
}

fn call(hook: Option<&ThreadHook>) {
    if let Some(hook) = hook {
        hook();
    }
}

/// At most so many threads for blocking work: files, and whatever waits.
const MAX_BLOCKING_THREADS: usize = 64;

/// The one that agents share when the host names none. It lives while an agent lives.
static DEFAULT: Mutex<Weak<Inner>> = Mutex::new(Weak::new());
/// Tables of children that a forked copy of this process must let go of.
static TABLES: OnceLock<Mutex<Vec<Weak<ProcessTable>>>> = OnceLock::new();

impl Runtime {
    /// A runtime of its own.
    ///
    /// # Errors
    /// `internal` when the system gives no threads.
    pub fn new(options: RuntimeOptions) -> Result<Self> {
        let workers = if options.worker_threads == 0 { 2 } else { options.worker_threads };
        // The host's signals must never land on our threads: they inherit this, and set it again for those
        // that are made from a thread of the host.
        let blocked = SignalsBlocked::new();
        let (start, stop) = (options.on_thread_start, options.on_thread_stop);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .max_blocking_threads(MAX_BLOCKING_THREADS)
            .thread_keep_alive(Duration::from_secs(1))
            .thread_name("lodger-worker")
            .on_thread_start(move || {
                std::mem::forget(SignalsBlocked::new());
                call(start.as_ref());
            })
            .on_thread_stop(move || call(stop.as_ref()))
            .enable_all()
            .build()
            .map_err(|error| Error::internal(format!("the system gave no threads for the runtime: {error}")))?;
        drop(blocked);
        let handle = runtime.handle().clone();
        Ok(Self::with(Some(runtime), handle))
    }

    /// A runtime on the host's own tokio runtime, which must have its I/O and time drivers enabled and outlive
    /// every agent.
    #[must_use]
    pub fn on(handle: Handle) -> Self {
        Self::with(None, handle)
    }

    fn with(owned: Option<tokio::runtime::Runtime>, handle: Handle) -> Self {
        let processes = Arc::new(ProcessTable::new());
        let mut tables = locked(TABLES.get_or_init(Mutex::default));
        tables.retain(|table| table.strong_count() > 0);
        tables.push(Arc::downgrade(&processes));
        Self(Arc::new(Inner {
            owned: Mutex::new(owned),
            handle,
            clients: HttpClients::new(),
            processes,
            files: Arc::default(),
            fork: ForkGuard::here(),
            shut_down: AtomicBool::new(false),
        }))
    }

    /// The shared default one, made if there is none.
    pub(crate) fn shared() -> Result<Self> {
        let mut default = locked(&DEFAULT);
        if let Some(inner) = default.upgrade() {
            let runtime = Self(inner);
            if runtime.check_fork().is_ok() {
                return Ok(runtime);
            }
            // The child's copy has no threads behind it: nothing of it may be joined or killed from here.
            std::mem::forget(runtime);
        }
        let runtime = Self::new(RuntimeOptions::default())?;
        *default = Arc::downgrade(&runtime.0);
        Ok(runtime)
    }

    /// In a copy of the process that was made by `fork` and goes on without `exec`: lets go of what would keep
    /// the parent's children alive. Kills nothing, joins nothing.
    pub fn forget_after_fork() {
        // Another thread of the parent may have held this lock when it forked: then there is nothing safe to do.
        if let Some(tables) = TABLES.get().and_then(|tables| tables.try_lock().ok()) {
            for table in tables.iter().filter_map(Weak::upgrade) {
                table.forget_after_fork();
                std::mem::forget(table);
            }
        }
    }

    /// Stops it: turns end as cancelled, children are killed, threads joined, all within about `timeout`. On a
    /// runtime of the host's own turns go on, without commands: close their agents. Nothing can be started on it
    /// any more.
    ///
    /// # Errors
    /// `would_deadlock` on a thread of an async runtime; `forked`.
    pub fn shut_down(&self, timeout: Duration) -> Result<()> {
        self.check_fork()?;
        may_block("shutting a runtime down")?;
        self.0.shut_down.store(true, Ordering::SeqCst);
        let owned = locked(&self.0.owned).take();
        self.0.processes.shut_down();
        if let Some(runtime) = owned {
            runtime.shutdown_timeout(timeout);
        }
        Ok(())
    }

    /// Stops it if nobody else uses it, waiting for its threads.
    pub(super) fn release(self, timeout: Duration) {
        if let Some(inner) = Arc::into_inner(self.0) {
            inner.processes.shut_down();
            if let Some(runtime) = locked(&inner.owned).take() {
                runtime.shutdown_timeout(timeout);
            }
        }
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.0.handle
    }

    pub(crate) fn clients(&self) -> &HttpClients {
        &self.0.clients
    }

    pub(crate) fn processes(&self) -> &Arc<ProcessTable> {
        &self.0.processes
    }

    pub(crate) fn files(&self) -> &Arc<SharedFiles> {
        &self.0.files
    }

    pub(crate) fn fork_guard(&self) -> ForkGuard {
        self.0.fork
    }

    pub(crate) fn check_fork(&self) -> Result<()> {
        self.0.fork.check()
    }

    /// Refuses what would never run.
    pub(crate) fn check_usable(&self) -> Result<()> {
        self.check_fork()?;
        if self.0.shut_down.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorCode::Closed, "the runtime was shut down; create a new one"));
        }
        Ok(())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let owned = locked(&self.owned).take();
        if self.fork.check().is_err() {
            // The threads of this copy do not exist; waiting for them would never end.
            std::mem::forget(owned);
            return;
        }
        self.processes.shut_down();
        if let Some(runtime) = owned {
            // The last owner may be one of its own threads, where waiting is not possible.
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runtime(process {})", self.0.fork.pid)
    }
}
