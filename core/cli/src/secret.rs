//! A secret from standard input: all of it, or a line where a person types. What is typed does not show.

use std::io::{self, IsTerminal, Read};

use lodger::protocol::{Error, Secret};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use crate::printable::tell;

/// No key or token is longer; what is over it is not even read.
const MAX_SECRET_BYTES: usize = 64 * 1024;

/// Reads one. `None`: the person pressed Ctrl-C.
pub(crate) fn secret(what: &str, provider: &str) -> Result<Option<Secret>, Error> {
    let cannot =
        |error: io::Error| Error::invalid_input(format!("the {what} cannot be read from standard input: {error}"));
    let mut bytes = Vec::new();
    if io::stdin().is_terminal() {
        let terminal = Quiet::begin().map_err(cannot)?;
        tell(&format!("paste the {what} for {provider}, which will not show, and press Enter"));
        match terminal.line().map_err(cannot)? {
            Some(line) => bytes = line,
            None => return Ok(None),
        }
    } else {
        io::stdin().lock().take(MAX_SECRET_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(cannot)?;
    }
    if bytes.len() > MAX_SECRET_BYTES {
        return Err(Error::invalid_input(format!(
            "the {what} on standard input is longer than {MAX_SECRET_BYTES} bytes, which no {what} is; nothing was saved"
        )));
    }
    match str::from_utf8(&bytes).map(str::trim) {
        Ok(secret) if !secret.is_empty() && secret.chars().all(|c| c.is_ascii_graphic()) => {
            Ok(Some(Secret::new(secret)))
        }
        _ => Err(Error::invalid_input(format!("expected one {what} on standard input, without spaces"))),
    }
}

/// The terminal while it does not show what is typed. Dropped, it is as it was.
///
/// It gives every key at once, since a terminal that gathers lines silently cuts what is longer than 4095 bytes, and Ctrl-C
/// as a key, since a signal would leave it as it is.
struct Quiet {
    before: Termios,
}

impl Quiet {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Flush, &quiet)?;
        Ok(Self { before })
    }

    /// What is typed up to the Enter, at most a byte more than there may be. `None`: it was Ctrl-C.
    fn line(&self) -> io::Result<Option<Vec<u8>>> {
        let code = |of: SpecialCodeIndex| self.before.special_codes[of];
        let mut line = Vec::new();
        for key in io::stdin().lock().bytes() {
            match key? {
                b'\n' | b'\r' => break,
                key if key == code(SpecialCodeIndex::VINTR) || key == code(SpecialCodeIndex::VQUIT) => return Ok(None),
                key if key == code(SpecialCodeIndex::VEOF) => break,
                key if key == code(SpecialCodeIndex::VERASE) => {
                    line.pop();
                }
                key if key == code(SpecialCodeIndex::VKILL) => line.clear(),
                key => line.push(key),
            }
            if line.len() > MAX_SECRET_BYTES {
                break;
            }
        }
        Ok(Some(line))
    }
}

impl Drop for Quiet {
    /// What was pasted beyond the line is thrown away: it may be a secret too, and is no command for the shell.
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}
