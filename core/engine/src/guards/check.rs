//! One check: which calls it looks at, and who judges them.

use std::time::Duration;

use lodger_policy::ToolFilter;
use lodger_protocol::{CheckOptions, Effect};

use super::{COMMAND_TIMEOUT_MS, line, time};

/// Who judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The host, by a request; absent: as long as any request may take.
    Host(Option<Duration>),
    /// A command line.
    Command(String, Duration),
}

/// One check.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) judge: Judge,
    tools: Option<ToolFilter>,
}

impl Check {
    pub(super) fn new(options: &CheckOptions, has_folder: bool) -> Result<Self, String> {
        let time = time(options.timeout_ms)?;
        let judge = match &options.command {
            None => Judge::Host(time),
            Some(command) => {
                let time = time.unwrap_or(Duration::from_millis(COMMAND_TIMEOUT_MS));
                Judge::Command(line(command, has_folder)?, time)
            }
        };
        let tools = options.tools.as_deref().map(ToolFilter::new).transpose();
        Ok(Self { judge, tools: tools.map_err(|why| format!(".tools: {why}"))? })
    }

    pub(super) const fn of_host() -> Self {
        Self { judge: Judge::Host(None), tools: None }
    }

    pub(super) const fn asks_host(&self) -> bool {
        matches!(self.judge, Judge::Host(_))
    }

    /// Whether it looks at such calls.
    pub(crate) fn looks_at(&self, tool: &str, effect: Effect) -> bool {
        self.tools.as_ref().map_or(effect != Effect::Read, |tools| tools.names(tool, effect))
    }
}
