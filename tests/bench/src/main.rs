//! What Lodger costs in Rust, and the floor: the least that any client must do for the same requests.
//!
//! `lodger-bench rust|floor JOB BASE_URL` prints one JSON object. `tests/bench/run` starts the server, runs the
//! jobs of every language, and makes the table.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench that fails is to stop and say so")]

mod files;
mod floor;
mod process;
mod rust;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How often each job is measured.
const TIMES: usize = 60;
/// Agents of the job `load`, and of `idle`.
const AGENTS: usize = 100;
/// Turns of the job `large`.
const LARGE_TURNS: u32 = 10;
const IDLE_AGENTS: usize = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [side, job, base_url] = arguments.as_slice() else {
        println!(
            "usage: lodger-bench rust|floor first-text|warm|rounds|stream|load|large|create|cancel|close|idle BASE_URL"
        );
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let measured = match (side.as_str(), job.as_str()) {
        ("floor", "edit") => files::floor(base_url),
        (_, "glob" | "grep" | "edit") => runtime.block_on(files::run(job, base_url)),
        ("floor", _) => runtime.block_on(floor::run(job, base_url)),
        _ => runtime.block_on(rust::run(job, base_url)),
    };
    println!("{measured}");
}

/// Measured times in microseconds.
fn micros(times: &[Duration]) -> Value {
    json!({ "us": times.iter().map(|time| time.as_secs_f64() * 1e6).collect::<Vec<_>>() })
}

/// Wall and processor time of each of the `times` that `work` does the same.
async fn cost(times: u32, work: impl Future<Output = ()>) -> Value {
    let (cpu, began) = (process::cpu(), Instant::now());
    work.await;
    let each = |time: Duration| (time / times).as_secs_f64() * 1e3;
    json!({ "wallMs": each(began.elapsed()), "cpuMs": each(process::cpu() - cpu) })
}
