//! What Lodger costs in Rust, and the floor: the least that any client must do for the same requests.
//!
//! `lodger-bench rust|floor JOB BASE_URL` prints one JSON object. `tests/bench/run` starts the server, runs the
//! jobs of every language, and makes the table.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench that fails is to stop and say so")]

mod floor;
mod process;
mod rust;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How often each job is measured.
const TIMES: usize = 60;
/// Agents of the job `load`, and of `idle`.
const AGENTS: usize = 100;
const IDLE_AGENTS: usize = 1000;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [side, job, base_url] = arguments.as_slice() else {
        println!("usage: lodger-bench rust|floor first-text|warm|rounds|stream|load|create|cancel|close|idle BASE_URL");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("threads");
    let measured = match side.as_str() {
        "floor" => runtime.block_on(floor::run(job, base_url)),
        _ => runtime.block_on(rust::run(job, base_url)),
    };
    println!("{measured}");
}

/// Measured times in microseconds.
fn micros(times: &[Duration]) -> Value {
    json!({ "us": times.iter().map(|time| time.as_secs_f64() * 1e6).collect::<Vec<_>>() })
}

/// Wall, processor time and growth of memory while `work` runs.
async fn cost(work: impl Future<Output = ()>) -> Value {
    let (cpu, began) = (process::cpu(), Instant::now());
    work.await;
    json!({ "wallMs": began.elapsed().as_secs_f64() * 1e3, "cpuMs": (process::cpu() - cpu).as_secs_f64() * 1e3 })
}
