//! One concept, one name, in every language.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;

use lodger_dev::parity::{self, Table};
use lodger_dev::surface::{Face, Origin, Surface};
use lodger_dev::vocabulary::{self, Shape, Vocabulary};
use lodger_dev::{files, names, schema};

fn types() -> Vocabulary {
    vocabulary::read(&schema::document()).unwrap()
}

fn options(types: &Vocabulary) -> Vec<String> {
    let Shape::Record(fields) = &types["AgentOptions"].shape else { panic!("options are a record") };
    fields.iter().map(|field| field.name.clone()).collect()
}

#[test]
fn every_concept_has_its_name_in_every_language_and_every_name_its_concept() {
    let root = files::root();
    let faults = parity::faults(&parity::table(&root).unwrap(), &parity::surfaces(&root).unwrap(), &options(&types()));
    assert!(faults.is_empty(), "tests/parity.toml and the languages differ:\n{}", faults.join("\n"));
}

#[test]
fn the_cpp_layer_has_every_function_of_c_or_a_reason() {
    let root = files::root();
    let faults = parity::cpp_faults(&parity::table(&root).unwrap(), &root).unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `text_delta` is `TextDelta` in Rust, `LODGER_EVENT_TEXT_DELTA` in C, `TextDeltaEvent` in Node and Python.
#[test]
fn every_event_has_its_name_in_c_node_and_python() {
    let types = types();
    let Shape::Union { members, .. } = &types["Event"].shape else { panic!("events are a union") };
    let read = |face: Face| face.read(&files::root()).unwrap();
    let (c, node, python) = (read(Face::C), read(Face::Node), read(Face::Python));
    let mut missing = Vec::new();
    for word in members.iter().map(|member| member.word.as_str()) {
        let constant = format!("LODGER_EVENT_{}", word.to_uppercase());
        let class = format!("{}Event", names::pascal(word));
        for (surface, name) in [(&c, &constant), (&node, &class), (&python, &class)] {
            if !surface.contains_key(name) {
                missing.push(name.clone());
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_error_code_has_its_number_in_c() {
    let c = Face::C.read(&files::root()).unwrap();
    for entry in lodger_protocol::ErrorCode::ALL {
        let name = format!("LODGER_E_{}", entry.name.to_uppercase());
        assert!(c.contains_key(&name), "{name}");
    }
}

fn small_table(rows: &str) -> Table {
    toml::from_str(rows).unwrap()
}

fn surfaces(face: Face, names: &[&str]) -> BTreeMap<Face, Surface> {
    BTreeMap::from([(face, names.iter().map(|name| ((*name).to_owned(), Origin::Own)).collect())])
}

#[test]
fn a_new_name_without_siblings_is_found() {
    let table = small_table(
        r#"
        [[concept]]
        what = "start a turn"
        rust = "Agent::prompt"
        c = "lodger_agent_prompt"
        node = "Agent.prompt"
        python = "Agent.prompt"
        [only]
        "#,
    );
    let faults = parity::faults(&table, &surfaces(Face::Node, &["Agent.prompt", "Agent.undo"]), &[]);
    assert_eq!(
        faults,
        ["node: `Agent.undo` has no row: give it one with its siblings, or say under [only.node] why it has none"]
    );
}

#[test]
fn a_row_without_a_word_about_a_language_and_a_name_that_is_gone_are_found() {
    let table = small_table(
        r#"
        [[concept]]
        what = "start a turn"
        rust = { "-" = "" }
        c = "lodger_agent_prompt"
        node = "Agent.prompt"
        [only.c]
        "lodger_blob" = "bytes"
        "#,
    );
    let faults = parity::faults(&table, &surfaces(Face::C, &["lodger_blob"]), &[]);
    assert_eq!(
        faults,
        [
            "\"start a turn\" says nothing about python: name it, or `{ \"-\" = why }`",
            "\"start a turn\" gives no reason",
            "c: there is no `lodger_agent_prompt` (\"start a turn\")",
        ]
    );
}
