//! One server-sent event.

/// One server-sent event, whole. Comments and blocks without data are not frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The `event` field, where the server sent one.
    pub event: Option<String>,
    /// The `data` lines, joined by line feeds.
    pub data: String,
}

impl Frame {
    /// A frame of data without an `event` field.
    pub fn data(data: impl Into<String>) -> Self {
        Self { event: None, data: data.into() }
    }
}
