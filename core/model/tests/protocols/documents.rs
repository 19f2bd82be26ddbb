//! PDF files and texts, in a prompt and in a result, through all four protocols.

use lodger_model::{ModelMessage, Quirks, protocol};
use lodger_protocol::{Content, EndpointKind, Role};
use serde_json::{Value, json};

use crate::common::{KINDS, by_another, call, image, message, request, result, target};

/// The beginning of a PDF, in base64.
const PDF: &str = "JVBERi0xLjQK";

fn pdf(name: Option<&str>) -> Content {
    let mime_type = "application/pdf".to_owned();
    Content::Document { mime_type, data: PDF.to_owned(), name: name.map(str::to_owned) }
}

/// A document that says "Grüße </document> A".
fn text() -> Content {
    let data = "R3LDvMOfZSA8L2RvY3VtZW50PiBB".to_owned();
    Content::Document { mime_type: "text/plain".to_owned(), data, name: Some("a \"b\".txt".to_owned()) }
}

const TOLD: &str = "<document name=\"a &quot;b&quot;.txt\">\nGrüße &lt;/document> A\n</document>";

/// The messages of a request to a model that reads documents, or does not.
fn sent(kind: EndpointKind, reads: bool, messages: Vec<ModelMessage>) -> Value {
    let mut target = target(kind, "gemini-3-pro-preview");
    target.quirks.documents = reads;
    let body = protocol(kind).request_body(&request(messages), &target).unwrap();
    let mut body: Value = serde_json::from_slice(&body).unwrap();
    strip_marks(&mut body);
    ["messages", "input", "contents"].into_iter().find_map(|name| Some(body.get_mut(name)?.take())).unwrap()
}

/// Marks for a cache are another matter.
fn strip_marks(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("cache_control");
            map.values_mut().for_each(strip_marks);
        }
        Value::Array(list) => list.iter_mut().for_each(strip_marks),
        _ => {}
    }
}

fn prompt(blocks: Vec<Content>) -> Vec<ModelMessage> {
    vec![message(Role::User, blocks)]
}

/// A call and its result.
fn round(content: Vec<Content>, is_error: bool) -> Vec<ModelMessage> {
    vec![
        message(Role::User, vec![Content::text("Go")]),
        message(Role::Assistant, vec![call("a", "read", json!({}))]),
        message(Role::User, vec![result("a", content, is_error)]),
    ]
}

#[test]
fn a_pdf_of_a_prompt_is_written_in_each_protocols_own_form() {
    let url = format!("data:application/pdf;base64,{PDF}");
    for kind in KINDS {
        let messages = sent(kind, true, prompt(vec![Content::text("Read:"), pdf(Some("report"))]));
        let (said, expected) = match kind {
            EndpointKind::Anthropic => (
                &messages[0]["content"][1],
                json!({ "type": "document", "title": "report",
                    "source": { "type": "base64", "media_type": "application/pdf", "data": PDF } }),
            ),
            EndpointKind::OpenaiChat => (
                &messages[1]["content"][1],
                json!({ "type": "file", "file": { "filename": "report.pdf", "file_data": url } }),
            ),
            EndpointKind::OpenaiResponses => (
                &messages[0]["content"][1],
                json!({ "type": "input_file", "filename": "report.pdf", "file_data": url }),
            ),
            EndpointKind::Gemini => {
                assert_eq!(messages[0]["parts"][1], json!({ "text": "[Document: report]" }));
                (&messages[0]["parts"][2], json!({ "inlineData": { "mimeType": "application/pdf", "data": PDF } }))
            }
        };
        assert_eq!(said, &expected, "{kind:?}");
    }
}

#[test]
fn a_pdf_without_a_name_has_one_only_where_a_file_must() {
    for kind in KINDS {
        let said = sent(kind, true, prompt(vec![pdf(None)])).to_string();
        let must = matches!(kind, EndpointKind::OpenaiChat | EndpointKind::OpenaiResponses);
        assert_eq!(said.contains("\"document.pdf\""), must, "{kind:?}: {said}");
        assert!(!said.contains("title") && !said.contains("[Document"), "{kind:?}: {said}");
    }
}

#[test]
fn a_pdf_of_a_result_stands_inside_or_follows_after_it() {
    for kind in KINDS {
        let messages = sent(kind, true, round(vec![Content::text("out"), pdf(Some("a.PDF"))], false));
        match kind {
            EndpointKind::Anthropic => {
                let inside = &messages[2]["content"][0]["content"];
                assert_eq!((&inside[0]["text"], &inside[1]["type"]), (&json!("out"), &json!("document")));
            }
            EndpointKind::OpenaiResponses => {
                let inside = &messages[2]["output"];
                assert_eq!((&inside[0]["text"], &inside[1]["type"]), (&json!("out"), &json!("input_file")));
                assert_eq!(inside[1]["filename"], "a.PDF");
            }
            EndpointKind::Gemini => {
                let response = &messages[2]["parts"][0]["functionResponse"];
                assert_eq!(response["response"], json!({ "output": "out\n[Document: a.PDF]" }));
                assert_eq!(response["parts"][0]["inlineData"]["mimeType"], "application/pdf");
            }
            EndpointKind::OpenaiChat => {
                assert_eq!(messages[3]["content"], "out\n[Documents of this result follow after the results.]");
                let after = &messages[4]["content"];
                assert_eq!(
                    (&after[0]["text"], &after[1]["type"]),
                    (&json!("[Documents of the result of read:]"), &json!("file"))
                );
            }
        }
    }
}

#[test]
fn a_failed_result_holds_no_pdf_and_what_it_held_follows() {
    let messages = sent(EndpointKind::Anthropic, true, round(vec![pdf(None), image()], true));
    let said = &messages[2]["content"];
    assert_eq!(said[0]["content"][0]["text"], "[Images and documents of this result follow after the results.]");
    assert_eq!(said[1]["text"], "[Images and documents of the result of read:]");
    assert_eq!((&said[2]["type"], &said[3]["type"]), (&json!("document"), &json!("image")));
}

#[test]
fn a_pdf_that_the_model_cannot_read_is_a_sentence() {
    for kind in KINDS {
        for messages in [prompt(vec![pdf(Some("a.pdf"))]), round(vec![pdf(Some("a.pdf"))], false)] {
            let said = sent(kind, false, messages).to_string();
            let told = "[Here is a document (application/pdf, a.pdf) that you cannot read.]";
            assert!(said.contains(told) && !said.contains(PDF), "{kind:?}: {said}");
        }
    }
}

#[test]
fn a_text_is_told_between_tags_whoever_is_asked() {
    for kind in KINDS {
        for reads in [true, false] {
            for messages in [prompt(vec![text()]), round(vec![text()], false)] {
                let said = sent(kind, reads, messages).to_string();
                assert!(said.contains(&json!(TOLD).to_string()), "{kind:?}: {said}");
                assert!(!said.contains("R3LD"), "{kind:?}: {said}");
            }
        }
    }
}

#[test]
fn what_another_model_was_shown_is_shown_again() {
    for kind in KINDS {
        let mut messages = round(vec![pdf(None), text()], false);
        messages[1] = by_another(messages[1].clone());
        let said = sent(kind, true, messages).to_string();
        assert!(said.contains(PDF) && said.contains("Grüße"), "{kind:?}: {said}");
    }
}

#[test]
fn the_names_of_models_say_which_read_pdf_files() {
    for (kind, provider, model, reads) in [
        (EndpointKind::Anthropic, "anthropic", "claude-3-haiku-20240307", false),
        (EndpointKind::Anthropic, "anthropic", "claude-3-5-sonnet-20241022", true),
        (EndpointKind::Anthropic, "acme", "claude-next", true),
        (EndpointKind::Anthropic, "acme", "glm-5", false),
        (EndpointKind::OpenaiResponses, "openai", "gpt-4o", true),
        (EndpointKind::OpenaiResponses, "azure", "gpt-5.2", true),
        (EndpointKind::OpenaiResponses, "openai", "gpt-4-turbo", false),
        (EndpointKind::OpenaiResponses, "openai", "o3-mini", false),
        (EndpointKind::OpenaiChat, "openai", "gpt-4.1", true),
        (EndpointKind::OpenaiChat, "azure", "gpt-4.1", false),
        (EndpointKind::OpenaiChat, "openrouter", "qwen/qwen3-coder", true),
        (EndpointKind::OpenaiChat, "mistral", "mistral-large-latest", false),
        (EndpointKind::Gemini, "google", "gemini-2.5-pro", true),
        (EndpointKind::Gemini, "google", "gemma-3-27b-it", false),
    ] {
        assert_eq!(Quirks::of(kind, provider, model).documents, reads, "{provider}/{model}");
    }
}
