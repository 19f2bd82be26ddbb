//! The mock model server as a program, for tests and demos in any language: prints one line
//! `{"baseUrl": "http://127.0.0.1:PORT"}` and serves until its standard input ends.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use lodger_kit::{FaultRule, MockOptions, MockServer, Quirk};
use lodger_model::scripted::Script;
use serde_json::json;

/// Plays a script as a model server on loopback, until standard input ends.
#[derive(Parser)]
struct Arguments {
    /// The script.
    #[arg(long)]
    script: PathBuf,
    /// A JSON list of `{"request": N, "fault": {"type": ...}}`.
    #[arg(long)]
    faults: Option<PathBuf>,
    /// Shapes of real servers beside the protocol's own, such as `no_usage`.
    #[arg(long, value_delimiter = ',', value_parser = quirk)]
    quirks: Vec<Quirk>,
    /// The models that the lists of models hold.
    #[arg(long, value_delimiter = ',')]
    models: Vec<String>,
    /// The port; 0: any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Milliseconds between events.
    #[arg(long)]
    pace_ms: Option<u64>,
    /// Bytes of events that are written at once; 1: each event alone.
    #[arg(long, default_value_t = MockOptions::default().batch_bytes)]
    batch_bytes: usize,
    /// The key that requests must carry.
    #[arg(long)]
    api_key: Option<String>,
}

fn quirk(name: &str) -> Result<Quirk, serde_json::Error> {
    serde_json::from_value(name.into())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = Arguments::parse();
    let faults: Vec<FaultRule> = match &arguments.faults {
        Some(path) => serde_json::from_str(&std::fs::read_to_string(path)?)?,
        None => Vec::new(),
    };
    let server = MockServer::start_with(
        Script::load(&arguments.script)?,
        MockOptions {
            faults,
            quirks: arguments.quirks,
            models: if arguments.models.is_empty() { MockOptions::default().models } else { arguments.models },
            batch_bytes: arguments.batch_bytes,
            pace: arguments.pace_ms.map(Duration::from_millis),
            api_key: arguments.api_key,
            folder: arguments.script.canonicalize()?.parent().map(PathBuf::from),
            port: arguments.port,
        },
    )?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", json!({ "baseUrl": server.base_url() }))?;
    out.flush()?;
    std::io::stdin().lock().read_to_end(&mut Vec::new())?;
    Ok(())
}
