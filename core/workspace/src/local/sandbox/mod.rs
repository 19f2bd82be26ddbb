//! What confines the commands of one workspace.
//!
//! A command is started by a thread that first gives up its rights for good, starts that one command and ends: rights
//! on Linux belong to a thread, and children inherit them. So nothing else in the process is ever confined, and no
//! helper program is needed. What cannot be held as asked must never run as if it were.

mod bubblewrap;
mod calls;
mod grants;
mod kernel;
mod places;
mod root;
mod rules;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Arc, OnceLock};
use std::thread;

use lodger_protocol::{
    Error, ErrorCode, Result, SandboxDegraded, SandboxKind, SandboxPart, SandboxRights, SandboxState,
};

use self::calls::Filter;
use self::kernel::Kernel;
pub(super) use self::places::Ground;
use self::places::{Place, Places};
use self::rules::Rules;
use super::os::HostMask;

const STACK: usize = 256 * 1024;

/// What this system can hold, found out once.
#[derive(Default)]
pub(super) struct Probes {
    kernel: OnceLock<Kernel>,
    bubblewrap: OnceLock<std::result::Result<PathBuf, String>>,
}

impl Probes {
    fn kernel(&self) -> &Kernel {
        self.kernel.get_or_init(Kernel::probe)
    }

    fn bubblewrap(&self, mask: HostMask) -> std::result::Result<&Path, &str> {
        self.bubblewrap.get_or_init(|| bubblewrap::probe(mask)).as_ref().map(PathBuf::as_path).map_err(String::as_str)
    }
}

/// What confines the commands of one workspace.
pub(super) struct Sandbox {
    state: SandboxState,
    means: Means,
    places: Places,
}

/// What holds them.
enum Means {
    /// Nothing could, and that was accepted.
    Nothing,
    Landlock {
        /// All of it is there: anything less is a failure.
        whole: bool,
        network: bool,
        filter: Option<Filter>,
    },
    Bubblewrap {
        program: PathBuf,
        network: bool,
        filter: Option<Filter>,
    },
}

impl Sandbox {
    /// Finds out whether the system can hold what was asked for. For bubblewrap that starts a child, once per runtime.
    pub(super) fn new(rights: &SandboxRights, ground: Ground<'_>, probes: &Probes, mask: HostMask) -> Result<Self> {
        let places = Places::new(rights, ground)?;
        let kernel = probes.kernel();
        let (means, missing) = match rights.kind {
            SandboxKind::Off => (Means::Nothing, Vec::new()),
            SandboxKind::Auto | SandboxKind::Landlock => {
                let filter = kernel.filters().then(|| Filter::of_landlock(rights)).transpose()?;
                let means = if kernel.holds_nothing() {
                    Means::Nothing
                } else {
                    Means::Landlock { whole: kernel.missing().is_empty(), network: rights.network, filter }
                };
                (means, kernel.missing().to_vec())
            }
            SandboxKind::Bubblewrap => match probes.bubblewrap(mask) {
                Ok(program) => {
                    let filter = kernel.filters().then(|| Filter::of_bubblewrap(rights)).transpose()?;
                    let missing = if filter.is_some() { Vec::new() } else { vec![SandboxPart::SystemCalls] };
                    (Means::Bubblewrap { program: program.to_owned(), network: rights.network, filter }, missing)
                }
                Err(why) if rights.degraded == SandboxDegraded::Refuse => {
                    return Err(unavailable(&format!("bubblewrap cannot be used: {why}")));
                }
                Err(_) => (Means::Nothing, SandboxPart::ALL.to_vec()),
            },
        };
        if !missing.is_empty() && rights.degraded == SandboxDegraded::Refuse {
            return Err(unavailable(&kernel.in_words()));
        }
        let kind = match means {
            Means::Nothing => SandboxKind::Off,
            Means::Landlock { .. } => SandboxKind::Landlock,
            Means::Bubblewrap { .. } => SandboxKind::Bubblewrap,
        };
        let network =
            rights.network || (kind != SandboxKind::Bubblewrap && missing.contains(&SandboxPart::SystemCalls));
        Ok(Self { state: SandboxState { kind, network, missing }, means, places })
    }

    pub(super) const fn state(&self) -> &SandboxState {
        &self.state
    }

    /// Removes the folder for temporary files.
    pub(super) fn shut_down(&self) {
        self.places.remove_temporary();
    }

    /// Looks at the places as they are now, for one command. An error means that it must not run.
    pub(super) fn prepare(&self, cwd: &Path) -> io::Result<Confined<'_>> {
        let temporary = self.places.temporary()?;
        let (wrapper, rules, filter) = match &self.means {
            Means::Nothing => (Vec::new(), None, None),
            Means::Landlock { whole, network, filter } => {
                (Vec::new(), Some(Rules::new(&self.places, &temporary, *network, *whole)?), filter.as_ref())
            }
            Means::Bubblewrap { program, network, filter } => {
                (bubblewrap::wrapper(program, &self.places, &temporary, *network, cwd)?, None, filter.as_ref())
            }
        };
        Ok(Confined { temporary: Some(temporary), wrapper, rules, filter })
    }
}

fn unavailable(why: &str) -> Error {
    Error::new(
        ErrorCode::Unsupported,
        format!(
            "option sandbox: {why}; leave it out, or set degraded: \"accept\" to run commands with as much of it as there is"
        ),
    )
}

/// One command that is about to be confined.
pub(super) struct Confined<'a> {
    temporary: Option<Arc<Place>>,
    wrapper: Vec<OsString>,
    rules: Option<Rules>,
    filter: Option<&'a Filter>,
}

impl<'a> Confined<'a> {
    const fn by_filter(filter: &'a Filter) -> Self {
        Self { temporary: None, wrapper: Vec::new(), rules: None, filter: Some(filter) }
    }

    /// What stands before the program to run.
    pub(super) fn wrapper(&self) -> &[OsString] {
        &self.wrapper
    }

    /// The folder for its temporary files.
    pub(super) fn temporary(&self) -> Option<&Path> {
        self.temporary.as_ref().map(|place| place.path())
    }

    /// Starts it from a thread that has given up its rights. `start` must do nothing else.
    pub(super) fn start(self, start: impl FnOnce() -> io::Result<Child> + Send) -> io::Result<Child> {
        let Self { rules, filter, .. } = self;
        thread::scope(|scope| {
            let confined = move || {
                // Bubblewrap gives up all of them, once it has made its namespaces by them.
                if let Some(rules) = rules {
                    root::restrict_this_thread()?;
                    rules.restrict_this_thread()?;
                }
                if let Some(filter) = filter {
                    filter.restrict_this_thread()?;
                }
                start()
            };
            let thread = thread::Builder::new().name("lodger-box".to_owned()).stack_size(STACK);
            let thread = thread.spawn_scoped(scope, confined)?;
            thread.join().unwrap_or_else(|_| Err(failed("the thread that starts the command panicked")))
        })
    }
}

/// Why a command must not run.
fn failed(why: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("the sandbox could not be set up: {why}"))
}
