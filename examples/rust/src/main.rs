//! Mends the failing test in a folder, and asks before it changes or runs anything.
//!
//!     cargo run -p lodger-example-rust -- FOLDER [--yes]
//!
//! LODGER_MODEL       provider/model; default anthropic/claude-sonnet-5-5
//! LODGER_BASE_URL    a server that speaks Anthropic Messages; default: the provider's own
//! ANTHROPIC_API_KEY  the key, under the name of the model's provider

use std::io::{Write, stdin, stdout};

use futures_util::StreamExt;
use lodger::protocol::{
    AgentOptions, Endpoint, EndpointKind, Entry, EventBody, Passing, PermissionRequest, RequestBody, RequestDelivery,
};

const PROMPT: &str = "The test in this folder fails. Find out why, mend the code, and run the test again.";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else {
        eprintln!("usage: fixer FOLDER [--yes]");
        std::process::exit(2);
    };
    if let Err(error) = fix(folder, arguments.iter().any(|argument| argument == "--yes")).await {
        eprintln!("\n{error}");
        std::process::exit(1);
    }
}

async fn fix(folder: &str, yes: bool) -> lodger::Result<()> {
    let env = lodger::host_environment();
    // As events, questions come in order: after what led to them.
    let mut builder = lodger::Agent::builder()
        .options(AgentOptions { requests: RequestDelivery::Events, ..AgentOptions::default() })
        .cwd(folder)
        .model(env.get("LODGER_MODEL").unwrap_or("anthropic/claude-sonnet-5-5"));
    if let Some(url) = env.get("LODGER_BASE_URL") {
        builder = builder.endpoint(Endpoint::new(EndpointKind::Anthropic, url));
    }
    let agent = builder.environment(env).create()?;

    let mut turn = agent.prompt(PROMPT)?;
    while let Some(event) = turn.next().await {
        match &event.body {
            EventBody::Passing(Passing::TextDelta { text, .. }) => show(text),
            EventBody::Entry(Entry::AssistantMessage { .. }) => show("\n"),
            EventBody::Entry(Entry::ToolCall { tool_name, target, .. }) => {
                show(&format!("> {tool_name}: {}\n", target.summary));
            }
            EventBody::Entry(Entry::RequestOpened { request }) => {
                let answer = match &request.body {
                    RequestBody::Permission(call) if confirm(call, yes) => r#"{"kind": "allow_once"}"#,
                    _ => r#"{"kind": "deny", "feedback": "The user said no."}"#,
                };
                agent.answer(request.request_id.as_str(), answer)?;
            }
            _ => {}
        }
    }
    let usage = turn.result().await?.usage;
    let [read, written] = [usage.input_tokens, usage.output_tokens].map(Option::unwrap_or_default);
    show(&format!("\n{read} tokens in, {written} out\n"));
    agent.close().await;
    Ok(())
}

fn confirm(call: &PermissionRequest, yes: bool) -> bool {
    if let Some(diff) = &call.diff {
        show(&format!("{}\n", diff.trim_end()));
    }
    show(&format!("{}: {}? [y/N] {}", call.label, call.summary, if yes { "yes\n" } else { "" }));
    let mut line = String::new();
    yes || stdin().read_line(&mut line).is_ok() && line.to_lowercase().starts_with('y')
}

fn show(text: &str) {
    print!("{text}");
    let _ = stdout().flush();
}
