//! One event of an answer.

/// One event, whole, however it stood in the body. Comments and blocks without data are not frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its name, where the server gave one.
    pub event: Option<String>,
    /// What it says: of a server-sent event the `data` lines, joined by line feeds.
    pub data: String,
}

impl Frame {
    /// A frame of data without a name.
    pub fn data(data: impl Into<String>) -> Self {
        Self { event: None, data: data.into() }
    }
}
