//! A case as it stands in its folder, made ready to be played.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::job::{Job, Plays};

/// One case.
pub(crate) struct Case {
    folder: PathBuf,
    host: HostBehaviour,
}

/// What the host does, as it stands in `host.json`.
#[derive(Clone, Deserialize)]
struct HostBehaviour {
    /// `AgentOptions` without model and folder.
    #[serde(default)]
    options: Value,
    /// Files of the working folder, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(flatten)]
    plays: Plays,
}

/// A case made ready to be played once.
pub(crate) struct Prepared {
    folder: TempDir,
    /// The job.
    pub(crate) job: Job,
}

impl Prepared {
    /// The working folder, as the agent sees it.
    pub(crate) fn cwd(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes the job for a driver of another language.
    pub(crate) fn job_file(&self) -> PathBuf {
        let file = self.folder.path().join("job.json");
        std::fs::write(&file, serde_json::to_string_pretty(&self.job).expect("a job is JSON")).expect("writes the job");
        file
    }

    /// Where the driver writes.
    pub(crate) fn out_file(&self) -> PathBuf {
        self.folder.path().join("out.jsonl")
    }
}

impl Case {
    /// Loads a case by name.
    pub(crate) fn load(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(name);
        let text = std::fs::read_to_string(folder.join("host.json")).expect("the case has a host.json");
        let host = serde_json::from_str(&text).expect("host.json is as README.md says");
        Self { folder, host }
    }

    /// Where the expected trace stands.
    pub(crate) fn expected_file(&self) -> PathBuf {
        self.folder.join("expect.jsonl")
    }

    /// Makes a folder with the script and the working folder, and the job.
    pub(crate) fn prepare(&self, tap: &str) -> Prepared {
        let folder = tempfile::tempdir().expect("makes a folder");
        // The agent names files by their real place.
        let place = folder.path().canonicalize().expect("the folder is there");
        let (script, work) = (place.join("script.json"), place.join("work"));
        std::fs::copy(self.folder.join("script.json"), &script).expect("the case has a script.json");
        std::fs::create_dir(&work).expect("makes the working folder");
        for (name, text) in &self.host.files {
            std::fs::write(work.join(name), text).expect("writes a file of the case");
        }
        let mut options = match &self.host.options {
            Value::Null => json!({}),
            options => options.clone(),
        };
        options["cwd"] = json!(work);
        options["model"] = json!(format!("scripted/{}", script.display()));
        let mut plays = self.host.plays.clone();
        for turn in &mut plays.turns {
            turn.makes = turn.makes.take().map(|name| work.join(name));
        }
        Prepared { folder, job: Job { tap: tap.to_owned(), options, plays } }
    }
}
