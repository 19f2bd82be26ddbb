//! A case as it stands in its folder, and the job that is made of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One case.
pub struct Case {
    folder: PathBuf,
    host: HostBehaviour,
}

/// What the host does, as it stands in `host.json`.
#[derive(Clone, Default, Deserialize)]
pub struct HostBehaviour {
    /// `AgentOptions` without model and folder.
    #[serde(default)]
    options: Value,
    /// A text or blocks.
    prompt: Value,
    /// Files of the working folder, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(flatten)]
    plays: Plays,
}

/// What a driver plays.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Plays {
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<Answer>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    tools: BTreeMap<String, ToolBehaviour>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancel_after: Option<CancelAfter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reader: Option<Reader>,
}

/// How a permission request is answered.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// The answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// How long it takes.
    pub delay_ms: u64,
    /// `thread`: it comes from another thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The handler throws this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throw: Option<String>,
    /// The handler does not return.
    pub never: bool,
}

/// What a host tool does.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolBehaviour {
    /// What it shows meanwhile.
    #[serde(default)]
    pub progress: Vec<String>,
    /// What it returns.
    pub result: Value,
}

/// When the host cancels.
#[derive(Clone, Deserialize, Serialize)]
pub struct CancelAfter {
    /// Type of event.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many of them.
    pub count: usize,
}

/// How the host reads.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reader {
    /// How long it waits.
    pub delay_ms: u64,
    /// After how many events.
    pub max: usize,
}

/// All that a driver needs to know.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Complete options.
    pub options: Value,
    /// The prompt.
    pub prompt: Value,
    /// How permission requests are answered, in order. Absent: there is no handler.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answers: Option<Vec<Answer>>,
    /// What host tools do.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub tools: BTreeMap<String, ToolBehaviour>,
    /// When the host cancels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cancel_after: Option<CancelAfter>,
    /// How the host reads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reader: Option<Reader>,
}

/// A case made ready to be played once.
pub struct Prepared {
    folder: TempDir,
    /// The job.
    pub job: Job,
}

impl Prepared {
    /// The working folder, as the agent sees it.
    pub fn cwd(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes the job for a driver of another language.
    pub fn job_file(&self) -> PathBuf {
        let file = self.folder.path().join("job.json");
        std::fs::write(&file, serde_json::to_string_pretty(&self.job).expect("a job is JSON")).expect("writes the job");
        file
    }

    /// Where the driver writes.
    pub fn out_file(&self) -> PathBuf {
        self.folder.path().join("out.jsonl")
    }
}

impl Case {
    /// Loads a case by name.
    pub fn load(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(name);
        let text = std::fs::read_to_string(folder.join("host.json")).expect("the case has a host.json");
        let host = serde_json::from_str(&text).expect("host.json is as README.md says");
        Self { folder, host }
    }

    /// Where the expected trace stands.
    pub fn expected_file(&self) -> PathBuf {
        self.folder.join("expect.jsonl")
    }

    /// Makes the working folder and the job.
    pub fn prepare(&self) -> Prepared {
        let folder = tempfile::tempdir().expect("makes a folder");
        // The agent names files by their real place.
        let work = folder.path().canonicalize().expect("the folder is there").join("work");
        std::fs::create_dir(&work).expect("makes the working folder");
        for (name, text) in &self.host.files {
            std::fs::write(work.join(name), text).expect("writes a file of the case");
        }
        let mut options = match &self.host.options {
            Value::Null => json!({}),
            options => options.clone(),
        };
        options["cwd"] = json!(work);
        options["model"] = json!(format!("scripted/{}", self.folder.join("script.json").display()));
        let plays = self.host.plays.clone();
        Prepared {
            folder,
            job: Job {
                options,
                prompt: self.host.prompt.clone(),
                answers: plays.answers,
                tools: plays.tools,
                cancel_after: plays.cancel_after,
                reader: plays.reader,
            },
        }
    }
}
