//! What a child is to read: held in memory by the system, so that nobody has to feed it, and no name leads to it.

use std::fs::File;
use std::io;

/// A file with these bytes, to be read from its start.
#[cfg(target_os = "linux")]
pub(in crate::local) fn held_input(bytes: &[u8]) -> io::Result<File> {
    use std::io::{Seek, SeekFrom, Write};

    use rustix::fs::{MemfdFlags, memfd_create};

    let mut file = File::from(memfd_create("lodger-input", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file)
}

/// The same elsewhere: there is none.
#[cfg(not(target_os = "linux"))]
pub(in crate::local) fn held_input(_: &[u8]) -> io::Result<File> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "a command with something to read needs Linux"))
}
