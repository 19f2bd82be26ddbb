//! Standard output, for what the command prints and nothing else.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::os::fd::AsFd;

use lodger::protocol::Error;

use crate::exit::Exit;

/// Standard output. Whoever else prints to descriptor 1 prints to standard error.
pub(crate) struct Stdout {
    file: BufWriter<File>,
    terminal: bool,
}

impl Stdout {
    /// Takes it over, for the rest of the process.
    pub(crate) fn take() -> Result<Self, Error> {
        let cannot = |error: io::Error| Error::internal(format!("standard output cannot be taken over: {error}"));
        // Not inherited by children, as every descriptor that std makes.
        let own = io::stdout().as_fd().try_clone_to_owned().map_err(cannot)?;
        rustix::stdio::dup2_stdout(io::stderr()).map_err(|error| cannot(error.into()))?;
        let terminal = own.is_terminal();
        Ok(Self { file: BufWriter::new(own.into()), terminal })
    }

    /// A person reads along.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.terminal
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Prints a whole text, for commands that do nothing else.
pub(crate) fn whole(text: &str) -> Result<Exit, Error> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => Ok(Exit::EndTurn),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::StdoutClosed),
        Err(error) => Err(Error::internal(format!("standard output cannot be written: {error}"))),
    }
}
