//! The reference pages: errors, events, options and answers.

use std::fmt::Write;

use lodger_protocol::ErrorCode;

use crate::Result;
use crate::vocabulary::{self, Field, Member, Shape, Ty, Vocabulary};

const ERRORS: &str = "\
<!-- Generated from the Rust types in core/protocol by `make gen`. Do not edit. -->

# Errors

Every face shows the same errors: `code`, `message` (what was expected, what was found, what to do), `retryable`,
`retryAfterMs` where the provider asked to wait, and `data` for programs. Codes and numbers are never reused or
given another meaning; new ones are added, so treat a code that you do not know like `internal`.

*Retryable* says whether the same call may succeed later, unchanged. A single error may say otherwise in its own
`retryable`; that one counts.

| code | in C | number | retryable | meaning |
|---|---|---|---|---|
";

pub(crate) fn errors() -> String {
    let mut out = ERRORS.to_owned();
    for entry in ErrorCode::ALL {
        let retryable = if entry.retryable { "yes" } else { "no" };
        let constant = format!("LODGER_E_{}", entry.name.to_uppercase());
        let meaning = entry.meaning.replace('|', "\\|");
        let _ = writeln!(out, "| `{}` | `{constant}` | {} | {retryable} | {meaning} |", entry.name, entry.number);
    }
    out
}

const EVENTS: &str = "\
<!-- Generated from the Rust types in core/protocol by `make gen`. Do not edit. -->

# Events

An agent tells what happens as a stream of events. They are the same in Rust, C, TypeScript, Python and in
`lodger -p TEXT --output-format stream-json`, where each is one line of JSON. Attributes are snake_case in Python.

Fields marked *optional* are absent when there is nothing to say; they are never null. **Ignore types, fields and
words that you do not know**: new ones may be added without a new version. What has a meaning today keeps it.

Every turn ends in exactly one `done`, every `tool_call` in exactly one `tool_result`, every `request_opened` in
exactly one `request_resolved`.
";

pub(crate) fn events(types: &Vocabulary) -> Result<String> {
    let event = types.get("Event").ok_or("there is no type Event")?;
    let Shape::Union { tag, base, members } = &event.shape else {
        return Err("Event is not a union".to_owned());
    };
    let mut out = EVENTS.to_owned();
    out.push_str("\n## Every event\n\n");
    let _ = writeln!(out, "{TABLE}\n| `{tag}` | text | One of the names below. |");
    rows(&mut out, base);
    for (group, title, about) in [
        (
            "Entry",
            "What is kept",
            "The transcript is the list of these. A checkpoint keeps those that say what was said and done.",
        ),
        ("Passing", "What is shown and forgotten", "Missing one of these loses nothing that a kept one does not say."),
    ] {
        let _ = write!(out, "\n## {title}\n\n{about}\n");
        for member in members.iter().filter(|member| member.group.as_deref() == Some(group)) {
            section(&mut out, types, member);
        }
    }
    out.push_str("\n## What they are made of\n");
    for name in vocabulary::reached(types, &["Event"]).into_iter().filter(|name| *name != "Event") {
        part(&mut out, types, name, 3);
    }
    Ok(out)
}

const OPTIONS: &str = "\
<!-- Generated from the Rust types in core/protocol by `make gen`. Do not edit. -->

# What a host hands over

Options and answers are the same in every language; here they stand as in JSON. In Python names are snake_case, in
TypeScript and Python a tool carries its function and a request goes to your handler. A name that is not listed is an
error that says which one was probably meant.
";

pub(crate) fn options(types: &Vocabulary) -> String {
    let mut out = OPTIONS.to_owned();
    let options = ["AgentOptions"];
    let answers = ["PermissionAnswer", "ToolAnswer", "QuestionAnswer", "PlanAnswer", "CheckAnswer"];
    for name in options {
        part(&mut out, types, name, 2);
    }
    out.push_str("\n## Answers\n\nWhat does not fit its request is a refusal, never a permission.\n");
    for name in answers {
        part(&mut out, types, name, 3);
    }
    out.push_str("\n## Prompts\n");
    part(&mut out, types, "Prompt", 3);
    out.push_str("\n## What they are made of\n");
    let doors: Vec<_> = options.into_iter().chain(answers).chain(["Prompt"]).collect();
    for name in vocabulary::reached(types, &doors).into_iter().filter(|name| !doors.contains(name)) {
        part(&mut out, types, name, 3);
    }
    out
}

const TABLE: &str = "| field | holds | |\n|---|---|---|";

fn section(out: &mut String, types: &Vocabulary, member: &Member) {
    let _ = write!(out, "\n### `{}`\n\n{}\n", member.word, member.doc);
    let mut fields = member.fields.clone();
    if let Some(Shape::Keyed { base, bodies, .. }) =
        member.carries.as_ref().and_then(|carried| types.get(carried)).map(|carried| &carried.shape)
    {
        fields.extend(base.iter().cloned());
        fields.extend(bodies.iter().cloned().map(|body| Field { required: false, ..body }));
    }
    table(out, &fields);
}

/// One type that others are made of.
fn part(out: &mut String, types: &Vocabulary, name: &str, level: usize) {
    let Some(ty) = types.get(name) else { return };
    if matches!(ty.shape, Shape::Text | Shape::Keyed { .. }) {
        return;
    }
    let _ = write!(out, "\n{} {name}\n\n{}\n", "#".repeat(level), ty.doc);
    match &ty.shape {
        Shape::Text | Shape::Keyed { .. } => {}
        Shape::Choice(choices) => {
            let _ = writeln!(out, "\n| word | |\n|---|---|");
            for choice in choices {
                let _ = writeln!(out, "| `{}` | {} |", choice.word, cell(&choice.doc));
            }
        }
        Shape::Record(fields) => table(out, fields),
        Shape::Union { tag, members, .. } => {
            let _ = write!(out, "\nTold apart by `{tag}`:\n");
            for member in members {
                let _ = write!(out, "\n`{}`: {}\n", member.word, member.doc);
                table(out, &member.fields);
            }
        }
        Shape::Either(members) => {
            for member in members {
                let _ = write!(out, "\n{}\n", member.doc);
                table(out, &member.fields);
            }
        }
        Shape::Plain(choices) => {
            let choices: Vec<_> = choices.iter().map(holds).collect();
            let _ = write!(out, "\nHolds: {}.\n", choices.join(", or "));
        }
    }
}

fn table(out: &mut String, fields: &[Field]) {
    if !fields.is_empty() {
        let _ = write!(out, "\n{TABLE}\n");
        rows(out, fields);
    }
}

fn rows(out: &mut String, fields: &[Field]) {
    for field in fields {
        let optional = if field.required { "" } else { ", optional" };
        let _ = writeln!(out, "| `{}` | {}{optional} | {} |", field.name, holds(&field.ty), cell(&field.doc));
    }
}

fn holds(ty: &Ty) -> String {
    match ty {
        Ty::Text => "text".to_owned(),
        Ty::Integer => "integer".to_owned(),
        Ty::Number => "number".to_owned(),
        Ty::Boolean => "boolean".to_owned(),
        Ty::Any => "any JSON".to_owned(),
        Ty::List(item) => format!("list of {}", holds(item)),
        Ty::Map(value) => format!("names to {}", holds(value)),
        Ty::Named(name) if name.ends_with("Id") => format!("text ({name})"),
        Ty::Named(name) => format!("[{name}](#{})", name.to_lowercase()),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
