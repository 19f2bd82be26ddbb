//! Writing: one writer, one record a line, each in one piece.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use lodger_protocol::{Error, ErrorCode, Result, SessionId};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{HASH_CLOSES, HASH_OPENS, MAX_LINE_BYTES, NO_RECORD, Place, VERSION, hash, split};

/// An open audit log. While it is held nobody else may write the file.
#[derive(Debug)]
pub struct AuditLog(Mutex<State>);

#[derive(Debug)]
struct State {
    file: File,
    /// How long the file is.
    len: u64,
    /// Number and hash of the last record.
    n: u64,
    head: String,
    /// Why nothing can be written any more.
    broken: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    v: u32,
    n: u64,
    prev: &'a str,
    ts: u64,
    session_id: &'a SessionId,
    #[serde(flatten)]
    what: &'a Map<String, Value>,
}

impl AuditLog {
    /// Opens the file to go on after its last record; makes it for its owner alone where it is not there. Blocking.
    ///
    /// # Errors
    /// `invalid_options` for a file that cannot be written or does not end with a whole record; `session_locked` while
    /// somebody else writes it.
    pub fn open(path: &Path) -> Result<Self> {
        let wrong = |why: String| Error::invalid_options(format!("option audit: {} {why}", path.display()));
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(path).map_err(|error| wrong(format!("cannot be opened: {error}")))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(
                    ErrorCode::SessionLocked,
                    format!("option audit: another agent writes {}; give each agent a file of its own", path.display()),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(wrong(format!("cannot be locked: {error}"))),
        }
        let len = file.seek(SeekFrom::End(0)).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        let (n, head) = last(&mut file, len).map_err(|why| {
            wrong(format!("does not end with a whole record: {why}. See `lodger audit verify`; move the file away to begin a new one"))
        })?;
        Ok(Self(Mutex::new(State { file, len, n, head, broken: None })))
    }

    /// Appends one record. Blocking for as long as the system takes to write some KiB.
    ///
    /// # Errors
    /// `internal` when it could not be written; from then on nothing is.
    pub fn write(&self, ts: u64, session_id: &SessionId, what: &Map<String, Value>) -> Result<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.broken.is_none()
            && let Err(why) = state.write(ts, session_id, what)
        {
            state.broken = Some(why);
        }
        match &state.broken {
            None => Ok(()),
            Some(why) => Err(Error::internal(format!("the audit log cannot be written: {why}"))),
        }
    }

    /// Writes nothing more, and lets others write the file.
    pub fn close(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.broken.get_or_insert_with(|| "it is closed".to_owned());
        // A lock that cannot be let go of goes with the file.
        let _ = state.file.unlock();
    }

    /// The hash of the last record: the head of the chain.
    #[must_use]
    pub fn head(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).head.clone()
    }
}

impl State {
    fn write(&mut self, ts: u64, session_id: &SessionId, what: &Map<String, Value>) -> std::result::Result<(), String> {
        let record = Record { v: VERSION, n: self.n + 1, prev: &self.head, ts, session_id, what };
        let mut line = serde_json::to_string(&record).map_err(|error| error.to_string())?;
        // The hash takes the place of the closing brace.
        line.pop();
        let head = hash(&line);
        line.push_str(HASH_OPENS);
        line.push_str(&head);
        line.push_str(HASH_CLOSES);
        line.push('\n');
        if line.len() > MAX_LINE_BYTES {
            return Err(format!("a record of {} bytes is too long", line.len()));
        }
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // What is there of the record is no record: without it the file can be gone on with.
            let _ = self.file.set_len(self.len);
            return Err(error.to_string());
        }
        self.len += line.len() as u64;
        self.n += 1;
        self.head = head;
        Ok(())
    }
}

/// Number and hash of the last record.
fn last(file: &mut File, len: u64) -> std::result::Result<(u64, String), String> {
    if len == 0 {
        return Ok((0, NO_RECORD.to_owned()));
    }
    let from = len.saturating_sub(MAX_LINE_BYTES as u64);
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(from)).map_err(|error| error.to_string())?;
    file.take(MAX_LINE_BYTES as u64).read_to_end(&mut end).map_err(|error| error.to_string())?;
    let lines = end.strip_suffix(b"\n").ok_or("its last line is cut off")?;
    let line = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line).map_err(|_| "its last line is no text")?;
    let (record, said) = split(line).ok_or("its last line has no hash")?;
    if hash(record) != said {
        return Err("its last line was changed".to_owned());
    }
    Ok((Place::of(record)?.n, said.to_owned()))
}
