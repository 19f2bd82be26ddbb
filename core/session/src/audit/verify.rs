//! Reading: is the chain whole?

use std::fmt;
use std::io::{BufRead, Read};

use super::{MAX_LINE_BYTES, NO_RECORD, Place, VERSION, hash, split};

/// A chain that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// How many records it has.
    pub records: u64,
    /// The hash of the last one; of none, 64 zeros. Keep it elsewhere: it stands for the whole file.
    pub head: String,
}

/// The first thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// In which line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

/// Goes through a whole log. `head`: a hash that was noted earlier, and must be that of one of its records. Blocking.
///
/// # Errors
/// The first line that is not as it was written.
pub fn verify(mut log: impl BufRead, head: Option<&str>) -> Result<Verified, Broken> {
    let mut so_far = Verified { records: 0, head: NO_RECORD.to_owned() };
    let mut has_head = head.is_none_or(|head| head == so_far.head);
    let mut line = Vec::new();
    loop {
        let number = so_far.records + 1;
        let broken = |why: String| Broken { line: number, why };
        line.clear();
        let taken = log.by_ref().take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line);
        if taken.map_err(|error| broken(format!("it cannot be read: {error}")))? == 0 {
            break;
        }
        so_far = Verified { records: number, head: check(&line, &so_far).map_err(broken)? };
        has_head |= head.is_some_and(|head| head == so_far.head);
    }
    match head {
        Some(head) if !has_head => Err(Broken {
            line: so_far.records + 1,
            why: format!("no record has the hash {head}: records were cut off the end, or this is another log"),
        }),
        _ => Ok(so_far),
    }
}

/// The hash of a line that is whole and follows what is there.
fn check(line: &[u8], so_far: &Verified) -> Result<String, String> {
    let line = line.strip_suffix(b"\n").ok_or("it is cut off")?;
    let line = std::str::from_utf8(line).map_err(|_| "it is no text".to_owned())?;
    let (record, said) = split(line).ok_or("it has no hash at its end")?;
    if hash(record) != said {
        return Err("it was changed: it does not fit its own hash".to_owned());
    }
    let place = Place::of(record)?;
    if place.v != VERSION {
        return Err(format!("it has version {}; this program knows {VERSION}", place.v));
    }
    if place.n != so_far.records + 1 || place.prev != so_far.head {
        return Err(format!(
            "it does not follow the record before it: it is number {}, and number {} was to come",
            place.n,
            so_far.records + 1
        ));
    }
    Ok(said.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use lodger_protocol::ErrorCode;
    use serde_json::{Map, Value, json};
    use tempfile::TempDir;

    use super::super::AuditLog;
    use super::*;

    fn record(what: &str) -> Map<String, Value> {
        json!({ "type": "effect", "what": what }).as_object().unwrap().clone()
    }

    /// A log of so many records, in a file.
    fn written(count: usize) -> (TempDir, PathBuf, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let log = AuditLog::open(&path).unwrap();
        for n in 0..count {
            log.write(n as u64, &"s_1".into(), &record(&format!("change {n}"))).unwrap();
        }
        (folder, path, log.head())
    }

    fn lines(count: usize) -> (Vec<String>, String) {
        let (_folder, path, head) = written(count);
        (fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect(), head)
    }

    fn verified(lines: &[String]) -> Result<Verified, Broken> {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        verify(text.as_bytes(), None)
    }

    fn broken_line(lines: &[String]) -> u64 {
        verified(lines).unwrap_err().line
    }

    #[test]
    fn a_log_that_nobody_touched_is_whole() {
        let (lines, head) = lines(5);
        assert_eq!(verified(&lines), Ok(Verified { records: 5, head }));
        assert_eq!(verify(&b""[..], None).unwrap().records, 0);
    }

    #[test]
    fn a_changed_byte_anywhere_is_found_in_its_line() {
        let (lines, _) = lines(3);
        for line in 0..3 {
            for at in 0..lines[line].len() {
                let mut changed = lines.clone();
                let mut bytes = changed[line].clone().into_bytes();
                bytes[at] ^= 1;
                if bytes[at] == b'\n' {
                    continue;
                }
                changed[line] = String::from_utf8(bytes).unwrap();
                assert_eq!(broken_line(&changed), line as u64 + 1, "{line} {at}");
            }
        }
    }

    #[test]
    fn a_record_that_was_changed_and_hashed_anew_is_found_by_the_next_one() {
        let (mut lines, _) = lines(3);
        let (record, _) = split(&lines[1]).unwrap();
        let record = record.replace("change 1", "nothing");
        lines[1] = format!("{record},\"hash\":\"{}\"}}", hash(&record));
        assert_eq!(broken_line(&lines), 3);
    }

    #[test]
    fn dropped_doubled_and_reordered_records_are_found() {
        let (lines, _) = lines(5);
        let without = |at: usize| {
            let mut lines = lines.clone();
            lines.remove(at);
            lines
        };
        assert_eq!(broken_line(&without(0)), 1);
        assert_eq!(broken_line(&without(2)), 3);
        let mut doubled = lines.clone();
        doubled.insert(2, lines[1].clone());
        assert_eq!(broken_line(&doubled), 3);
        let mut swapped = lines.clone();
        swapped.swap(1, 3);
        assert_eq!(broken_line(&swapped), 2);
    }

    #[test]
    fn a_line_that_is_cut_off_is_found() {
        let (lines, _) = lines(3);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        for cut in [1, 2, 10, lines[2].len()] {
            let broken = verify(&text.as_bytes()[..text.len() - cut], None).unwrap_err();
            assert_eq!(broken.line, 3, "{cut}: {broken}");
        }
    }

    #[test]
    fn records_cut_off_the_end_are_found_by_a_head_that_was_noted() {
        let (lines, head) = lines(4);
        let text = |count: usize| lines[..count].iter().map(|line| format!("{line}\n")).collect::<String>();
        assert!(verify(text(4).as_bytes(), Some(&head)).is_ok());
        let broken = verify(text(3).as_bytes(), Some(&head)).unwrap_err();
        assert_eq!(broken.line, 4);
        let earlier = verify(text(2).as_bytes(), None).unwrap().head;
        assert!(verify(text(4).as_bytes(), Some(&earlier)).is_ok(), "a log may have grown since");
    }

    #[test]
    fn a_log_is_gone_on_with_where_it_ended() {
        let (_folder, path, _) = written(2);
        AuditLog::open(&path).unwrap().write(7, &"s_2".into(), &record("later")).unwrap();
        assert_eq!(verify(&fs::read(&path).unwrap()[..], None).unwrap().records, 3);
    }

    #[test]
    fn a_log_that_does_not_end_with_a_whole_record_is_not_gone_on_with() {
        let (_folder, path, _) = written(2);
        let text = fs::read_to_string(&path).unwrap();
        for end in [&text[..text.len() - 1], &text.replace("change 1", "change 2"), "hello\n"] {
            fs::write(&path, end).unwrap();
            let error = AuditLog::open(&path).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidOptions);
            assert!(error.message.contains("lodger audit verify"), "{error}");
        }
    }

    #[test]
    fn one_file_has_one_writer() {
        let (_folder, path, _) = written(0);
        let first = AuditLog::open(&path).unwrap();
        assert_eq!(AuditLog::open(&path).unwrap_err().code, ErrorCode::SessionLocked);
        first.close();
        assert!(first.write(1, &"s_1".into(), &record("late")).is_err());
        assert!(AuditLog::open(&path).is_ok());
    }

    #[test]
    fn a_record_that_is_too_long_breaks_the_log_for_good_and_leaves_the_file_whole() {
        let (_folder, path, _) = written(1);
        let log = AuditLog::open(&path).unwrap();
        assert!(log.write(1, &"s_1".into(), &record(&"x".repeat(MAX_LINE_BYTES))).is_err());
        assert!(log.write(1, &"s_1".into(), &record("small")).is_err());
        assert_eq!(verify(&fs::read(&path).unwrap()[..], None).unwrap().records, 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_log_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_folder, path, _) = written(0);
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
