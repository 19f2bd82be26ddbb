//! The file tools: what a call takes from the moment that the model made it.

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use lodger::Agent;
use lodger::protocol::{Entry, EventBody, Mode};
use serde_json::{Value, json};

use crate::{TIMES, micros};

/// The file of the job `edit`, and the piece that is replaced to and fro.
pub(crate) const EDITED: &str = "edited.txt";
pub(crate) const PIECES: [&str; 2] = ["the one line that changes", "the line that has changed"];

/// Calls one tool in a folder, again and again.
pub(crate) async fn run(job: &str, folder: &str) -> Value {
    let folder = Path::new(folder);
    let mut times = Vec::new();
    for round in 0..TIMES / 6 {
        times.push(call(job, folder, round).await);
    }
    micros(&times)
}

async fn call(job: &str, folder: &Path, round: usize) -> Duration {
    let calls = match job {
        "glob" => vec![("glob", json!({ "pattern": "**/*7.rs" }))],
        "grep" => vec![("grep", json!({ "pattern": "needle_[0-9]+" }))],
        _ => {
            let [old, new] = [PIECES[round % 2], PIECES[(round + 1) % 2]];
            let edit = json!({ "path": EDITED, "oldText": old, "newText": new });
            vec![("read_file", json!({ "path": EDITED, "limit": 1 })), ("edit_file", edit)]
        }
    };
    let measured = calls.last().expect("a call").0;
    let mut steps: Vec<Value> = calls
        .iter()
        .map(|(name, input)| json!({ "reply": [{ "type": "tool_call", "toolName": name, "input": input }] }))
        .collect();
    steps.push(json!({ "reply": [{ "type": "text", "text": "Done" }] }));
    let script = folder.join(".script.json");
    std::fs::write(&script, json!({ "steps": steps }).to_string()).expect("a script");

    let agent = Agent::builder()
        .model(format!("scripted/{}", script.display()))
        .cwd(folder.display().to_string())
        .mode(Mode::FullAuto)
        .create()
        .expect("an agent");
    let mut turn = agent.prompt("Go").expect("starts");
    let (mut began, mut took) = (None, None);
    while let Some(event) = turn.next().await {
        match &event.body {
            EventBody::Entry(Entry::ToolCall { tool_name, .. }) if tool_name == measured => {
                began = Some(Instant::now())
            }
            EventBody::Entry(Entry::ToolResult { tool_name, is_error, content, .. }) if tool_name == measured => {
                assert!(!is_error, "{content:?}");
                took = began.map(|began: Instant| began.elapsed());
            }
            _ => {}
        }
    }
    agent.close().await;
    took.expect("a result")
}

/// The least that an edit must do: read, replace, write beside, rename.
pub(crate) fn floor(folder: &str) -> Value {
    let path = Path::new(folder).join(EDITED);
    let times: Vec<Duration> = (0..TIMES / 6)
        .map(|round| {
            let began = Instant::now();
            let before = std::fs::read_to_string(&path).expect("a file");
            let after = before.replacen(PIECES[round % 2], PIECES[(round + 1) % 2], 1);
            let beside = path.with_extension("new");
            std::fs::write(&beside, after).expect("a file");
            std::fs::rename(beside, &path).expect("a file");
            began.elapsed()
        })
        .collect();
    micros(&times)
}
