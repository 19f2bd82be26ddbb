//! Every child of one runtime.

/// Every child of one runtime.
#[derive(Debug, Default)]
pub struct ProcessTable;
