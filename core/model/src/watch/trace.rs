//! The wire trace: what an agent says to its model and what comes back, one JSON a line, without credentials.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use lodger_protocol::{Clock, Error, Secret, SystemClock};
use serde_json::{Value, json};

use super::redact::Redactor;

/// So many bytes are written by one agent, then one line that says so.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// A file that takes a trace. Cheap to clone; all clones write to the same file.
///
/// A line is written by the thread on which it happened, whole, and at once: a trace is for finding a fault, also
/// that of a process which dies.
#[derive(Clone, Debug)]
pub struct WireTrace(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    redactor: Redactor,
    target: Mutex<Target>,
}

#[derive(Debug)]
struct Target {
    file: File,
    left: usize,
}

impl WireTrace {
    /// Opens the file, to add to it; makes it for its owner alone where it is not there.
    ///
    /// # Errors
    /// `invalid_options` naming what the system said.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(path).map_err(|error| {
            Error::invalid_options(format!("option debug.trace: {} cannot be opened: {error}", path.display()))
        })?;
        let target = Mutex::new(Target { file, left: MAX_BYTES });
        Ok(Self(Arc::new(Inner { redactor: Redactor::new(), target })))
    }

    /// Writes one line: when, what, of which model and attempt, and the fields of `record`.
    pub(super) fn write(&self, what: &str, model: &str, attempt: u32, record: Value, secrets: &[Secret]) {
        let mut line = json!({ "ts": SystemClock.now_ms(), "type": what, "model": model, "attempt": attempt });
        if let (Some(line), Value::Object(record)) = (line.as_object_mut(), record) {
            line.extend(record);
        }
        self.0.redactor.redact_all(&mut line, secrets);
        let mut text = line.to_string() + "\n";
        let mut target = self.0.target.lock().unwrap_or_else(PoisonError::into_inner);
        if target.left == 0 {
            return;
        }
        if text.len() > target.left {
            target.left = 0;
            text = format!("{}\n", json!({ "ts": SystemClock.now_ms(), "type": "full", "maxBytes": MAX_BYTES }));
        } else {
            target.left -= text.len();
        }
        // A full disk must not end a turn: the trace has a hole then.
        let _ = target.file.write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_line_is_json_and_has_no_secret() {
        let folder = tempfile::tempdir().unwrap();
        let trace = WireTrace::open(&folder.path().join("trace.jsonl")).unwrap();
        trace.write("frame", "acme/x", 2, json!({ "data": "the key is hunter2" }), &[Secret::new("hunter2")]);
        let text = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap();
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["type"], &line["attempt"]), (&json!("frame"), &json!(2)));
        assert_eq!(line["data"], "the key is [hidden]");
    }

    #[test]
    fn a_secret_of_odd_signs_is_hidden_and_leaves_the_line_as_it_is_built() {
        let folder = tempfile::tempdir().unwrap();
        let trace = WireTrace::open(&folder.path().join("t")).unwrap();
        let secrets = [Secret::new("a\"b\\c"), Secret::new("type"), Secret::new("1")];
        trace.write("frame", "acme/x", 1, json!({ "data": { "deep": ["say a\"b\\c"] }, "n": 1 }), &secrets);
        let line: Value = serde_json::from_str(&fs::read_to_string(folder.path().join("t")).unwrap()).unwrap();
        assert_eq!(line["data"]["deep"][0], "say [hidden]");
        assert_eq!((&line["type"], &line["attempt"], &line["n"]), (&json!("frame"), &json!(1), &json!(1)));
    }

    #[test]
    fn a_trace_that_is_full_says_so_once() {
        let folder = tempfile::tempdir().unwrap();
        let trace = WireTrace::open(&folder.path().join("t")).unwrap();
        trace.0.target.lock().unwrap().left = 200;
        for _ in 0..9 {
            trace.write("frame", "acme/x", 1, json!({}), &[]);
        }
        let text = fs::read_to_string(folder.path().join("t")).unwrap();
        assert_eq!(text.matches("\"full\"").count(), 1);
        assert!(text.len() < 400 && text.ends_with("}\n"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn a_trace_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let _trace = WireTrace::open(&folder.path().join("t")).unwrap();
        assert_eq!(fs::metadata(folder.path().join("t")).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_path_that_cannot_be_opened_is_an_error_that_names_the_option() {
        let folder = tempfile::tempdir().unwrap();
        let error = WireTrace::open(&folder.path().join("no/such/folder/t")).unwrap_err();
        assert!(error.message.contains("debug.trace"), "{}", error.message);
    }
}
