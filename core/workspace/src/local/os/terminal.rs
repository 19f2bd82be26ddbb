//! A terminal that belongs to one command.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// Both ends of a terminal.
pub(in crate::local) struct Terminal {
    /// Ours: shows what is written at the other.
    pub(in crate::local) ours: File,
    /// The command's.
    pub(in crate::local) theirs: OwnedFd,
}

#[cfg(target_os = "linux")]
mod linux {
    use rustix::fs::{Mode, OFlags, open};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{LocalModes, OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

    use super::{AsFd, File, Terminal, io};

    const SIZE: Winsize = Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };

    /// Opens a new one that changes nothing of what is written, and shows nothing of what is read.
    pub(in crate::local) fn open_terminal() -> io::Result<Terminal> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let path = ptsname(&ours, Vec::new())?;
        let theirs = open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&theirs)?;
        settings.output_modes -= OutputModes::OPOST;
        settings.local_modes -= LocalModes::ECHO;
        tcsetattr(&theirs, OptionalActions::Now, &settings)?;
        tcsetwinsize(&theirs, SIZE)?;
        Ok(Terminal { ours: File::from(ours), theirs })
    }

    /// The path of a terminal's other end, if `fd` is our end of one.
    pub(in crate::local) fn terminal_of(fd: impl AsFd) -> Option<String> {
        ptsname(fd, Vec::new()).ok()?.into_string().ok()
    }
}

#[cfg(target_os = "linux")]
pub(in crate::local) use linux::{open_terminal, terminal_of};

#[cfg(not(target_os = "linux"))]
pub(in crate::local) fn open_terminal() -> io::Result<Terminal> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
pub(in crate::local) fn terminal_of(_: impl AsFd) -> Option<String> {
    None
}
