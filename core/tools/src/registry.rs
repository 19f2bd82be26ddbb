//! The tools of one agent, by name.

use std::sync::Arc;

use lodger_protocol::{Mode, ToolSpec};

use crate::{EndedTask, Tool};

/// The tools of one agent. A name stands once; a later tool of the same name takes the place of the earlier.
#[derive(Clone, Default)]
pub struct Registry {
    tools: Vec<Arc<dyn Tool>>,
}

impl Registry {
    /// Adds a tool, or replaces the one of that name.
    pub fn add(&mut self, tool: Arc<dyn Tool>) {
        match self.tools.iter_mut().find(|known| known.spec().name == tool.spec().name) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
    }

    /// The tool of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }

    /// The background tasks that ended, as each tool knows of them.
    #[must_use]
    pub fn ended_tasks(&self) -> Vec<EndedTask> {
        self.tools.iter().flat_map(|tool| tool.ended_tasks()).collect()
    }

    /// What the model is told of them in a mode, in order.
    #[must_use]
    pub fn specs(&self, mode: Mode) -> Arc<[ToolSpec]> {
        self.tools.iter().filter(|tool| tool.is_offered(mode)).map(|tool| tool.spec().clone()).collect()
    }
}
