//! Documents on their way from a prompt and a tool to the models of all protocols, and into checkpoints.

use lodger::protocol::{AgentOptions, Content, DoneReason, Endpoint, Prompt, ToolOptions};
use lodger::{Agent, AgentBuilder, ErrorCode};
use lodger_kit::{MockServer, Protocol};
use serde_json::{Value, json};

use crate::support::script::{calls, says};
use crate::support::*;

/// The beginning of a PDF, in base64.
const PDF: &str = "JVBERi0xLjQK";
/// `Grüße` in base64.
const TEXT: &str = "R3LDvMOfZQ==";

fn document(mime_type: &str, data: &str, name: Option<&str>) -> Content {
    Content::Document { mime_type: mime_type.to_owned(), data: data.to_owned(), name: name.map(str::to_owned) }
}

fn pdf() -> Content {
    document("application/pdf", PDF, Some("a.pdf"))
}

fn text() -> Content {
    document("text/plain", TEXT, None)
}

fn scan() -> ToolOptions {
    ToolOptions {
        name: "scan".to_owned(),
        description: "Scans.".to_owned(),
        input_schema: json!({ "type": "object" }),
        timeout_ms: None,
        read_only: true,
        approval: Default::default(),
    }
}

/// An agent at that server, of a model whose name says that it reads PDF files, with a tool that hands one over.
fn reader(server: &MockServer, protocol: Protocol) -> AgentBuilder {
    reader_with(AgentOptions::default(), server, protocol)
}

fn reader_with(options: AgentOptions, server: &MockServer, protocol: Protocol) -> AgentBuilder {
    let model = match protocol {
        Protocol::Anthropic => "any/claude-5",
        Protocol::OpenaiChat | Protocol::OpenaiResponses => "openai/gpt-5.2",
        Protocol::Gemini => "any/gemini-3-pro",
    };
    Agent::builder()
        .options(options)
        .model(model)
        .endpoint(Endpoint::new(crate::wire::kind(protocol), server.base_url()))
        .tool(scan(), |_| async { vec![Content::text("scanned"), pdf()] })
}

fn steps() -> Vec<Value> {
    vec![calls("scan", json!({})), says("read"), says("again")]
}

/// Prompts with a PDF and a text, of which the mock server must find no fault; the bodies.
async fn converse(build: impl FnOnce(&MockServer) -> AgentBuilder) -> (Agent, Vec<Value>) {
    let server = server(&steps());
    let agent = build(&server).create().unwrap();
    let prompt = Prompt::Blocks(vec![Content::text("Read:"), pdf(), text()]);
    look::ended(&read(&mut agent.prompt(prompt).unwrap()).await, DoneReason::EndTurn);
    let stats = server.stats();
    assert!(stats.flaws.is_empty(), "{:?}", stats.flaws);
    (agent, stats.bodies.into())
}

fn count(body: &Value, what: &str) -> usize {
    body.to_string().matches(what).count()
}

#[tokio::test]
async fn every_provider_is_handed_the_documents_of_prompts_and_of_tools() {
    for protocol in Protocol::ALL {
        let (_, bodies) = converse(|server| reader(server, protocol)).await;
        assert_eq!((count(&bodies[0], PDF), count(&bodies[1], PDF)), (1, 2), "{protocol:?}: {}", bodies[1]);
        assert_eq!((count(&bodies[1], "Grüße"), count(&bodies[1], TEXT)), (1, 0), "{protocol:?}: {}", bodies[1]);
    }
}

#[tokio::test]
async fn a_session_with_documents_goes_on_at_every_other_provider() {
    for from in Protocol::ALL {
        let (agent, _) = converse(|server| reader(server, from)).await;
        let bytes = agent.checkpoint().unwrap();
        for to in Protocol::ALL {
            let server = server(&steps());
            let restored = reader(&server, to).checkpoint(bytes.clone()).create().unwrap();
            assert_eq!(restored.messages(), agent.messages());
            look::ended(&play(&restored, "And now?").await, DoneReason::EndTurn);
            let stats = server.stats();
            assert!(stats.flaws.is_empty(), "{from:?} to {to:?}: {:?}", stats.flaws);
            assert_eq!(count(&stats.bodies[0], PDF), 2, "{from:?} to {to:?}");
        }
    }
}

#[tokio::test]
async fn a_model_that_reads_no_pdf_is_told_so() {
    let stage = Stage::new();
    let own = json!({ "models": [{ "provider": "any", "id": "claude-5", "documents": false }] });
    let catalogue = stage.put("catalogue.json", &own.to_string());
    let options = AgentOptions { catalogue: Some(catalogue.display().to_string()), ..AgentOptions::default() };
    let (_, bodies) = converse(|server| reader_with(options, server, Protocol::Anthropic)).await;
    assert_eq!((count(&bodies[1], PDF), count(&bodies[1], "that you cannot read")), (0, 2), "{}", bodies[1]);
    assert_eq!(count(&bodies[1], "Grüße"), 1, "a text is told to every model");
}

/// The message with which a prompt of these documents is refused.
#[track_caller]
fn refused(agent: &Agent, documents: Vec<Content>) -> String {
    let error = assert_code(agent.prompt(Prompt::Blocks(documents)), ErrorCode::InvalidInput);
    assert!(!agent.interrupt(), "no turn was started");
    error.message
}

#[tokio::test]
async fn documents_are_held_to_their_form_and_bounds() {
    let stage = Stage::new();
    let agent = stage.agent(&[says("ok")]).create().unwrap();
    let named = |name: &str| document("text/plain", TEXT, Some(name));
    let over = "A".repeat(10 * 1024 * 1024 + 4);
    for (wrong, expected) in [
        (document("application/msword", PDF, None), "\"application/msword\"; expected application/pdf or text/plain"),
        (document("application/pdf", TEXT, None), "does not begin with %PDF-"),
        (document("text/plain", "/w==", None), "is not UTF-8"),
        (document("text/plain", &over, None), "10485764 bytes in base64; at most 10485760"),
        (named(""), "1 to 255 bytes"),
        (named(" "), "1 to 255 bytes"),
        (named("a\nb"), "control characters"),
        (named(&"x".repeat(256)), "1 to 255 bytes"),
    ] {
        let message = refused(&agent, vec![Content::text("Read:"), wrong]);
        assert!(message.contains("block 1 of the prompt is a document") && message.contains(expected), "{message}");
    }
    for data in ["", "====", "JVBERi0", "JVBE=i0x", "JVBE i0x", "data:application/pdf;base64,JVBERi0x"] {
        let message = refused(&agent, vec![document("application/pdf", data, None)]);
        assert!(message.contains("block 0 of the prompt") && message.contains("base64"), "{data}: {message}");
    }
    assert!(refused(&agent, vec![text(); 9]).contains("9 documents; at most 8"));
}

#[tokio::test]
async fn documents_at_the_bound_are_taken() {
    let stage = Stage::new();
    let agent = stage.agent(&[says("ok")]).create().unwrap();
    let mut documents = vec![document("text/plain", TEXT, Some(&"x".repeat(255))); 7];
    // A text of as many zeros as fit.
    documents.push(document("text/plain", &"A".repeat(10 * 1024 * 1024), None));
    look::ended(&read(&mut agent.prompt(Prompt::Blocks(documents)).unwrap()).await, DoneReason::EndTurn);
}

#[tokio::test]
async fn a_document_that_a_provider_would_refuse_fails_its_call_alone() {
    for (wrong, expected) in [
        (document("application/pdf", TEXT, None), "block 0 of the tool's result is a document"),
        (document("text/plain", "/w==", None), "is not UTF-8"),
    ] {
        let server = server(&steps());
        let answer = wrong.clone();
        let agent = client(&server)
            .tool(scan(), move |_| {
                let answer = answer.clone();
                async move { vec![answer] }
            })
            .create()
            .unwrap();
        let events = play(&agent, "go").await;
        look::ended(&events, DoneReason::EndTurn);
        let (message, is_error) = look::result(&events);
        assert!(is_error && message.contains(expected), "{message}");
    }
}
