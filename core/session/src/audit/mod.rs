//! The audit log: a file of records that nobody can change, drop or put in another order unseen.
//!
//! Each line is one JSON object. Its last member is `hash`: the SHA-256 of the bytes of the line before `,"hash":`. The
//! next record has that as `prev`; the first has 64 zeros. `n` counts from 1. So the last hash, the head of the chain,
//! stands for the whole file: whoever keeps it elsewhere can tell that nothing before it was touched, and that nothing
//! was cut off the end. Without it, only what is not at the end is safe from somebody who can write the file.

mod log;
mod verify;

use sha2::{Digest, Sha256};

pub use log::AuditLog;
pub use verify::{Broken, Verified, verify};

/// Version of the form, in every record as `v`.
const VERSION: u32 = 1;
/// `prev` of the first record.
const NO_RECORD: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// What stands between the record and its hash, and after it.
const HASH_OPENS: &str = ",\"hash\":\"";
const HASH_CLOSES: &str = "\"}";
/// Letters of a hash.
const HASH_LEN: usize = 64;
/// No line is longer, its end included.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// The hash of a record: of its line up to its hash.
fn hash(record: &str) -> String {
    Sha256::digest(record.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Takes a line, without its end, apart: the record up to its hash, and the hash.
fn split(line: &str) -> Option<(&str, &str)> {
    let (record, hash) = line.strip_suffix(HASH_CLOSES)?.split_at_checked(line.len() - HASH_CLOSES.len() - HASH_LEN)?;
    Some((record.strip_suffix(HASH_OPENS)?, hash))
}

/// The place of a record in its chain.
#[derive(serde::Deserialize)]
struct Place {
    v: u32,
    n: u64,
    prev: String,
}

impl Place {
    /// Reads it off a record without its hash.
    fn of(record: &str) -> Result<Self, String> {
        serde_json::from_str(&format!("{record}}}"))
            .map_err(|error| format!("it is no record of an audit log: {error}"))
    }
}
