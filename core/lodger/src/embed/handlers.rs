//! Which requests a host can answer.

/// For which kinds of request the host has a handler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handlers {
    /// Permission requests.
    pub permission: bool,
    /// Calls of its tools.
    pub tool: bool,
    /// Questions.
    pub question: bool,
    /// Plans.
    pub plan: bool,
}
