//! The examples of `docs/scripted-model.md` are real.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use lodger_kit::FaultRule;
use lodger_model::scripted::{Part, Script, Step};

const PAGE: &str = include_str!("../../../docs/scripted-model.md");

fn blocks() -> Vec<&'static str> {
    PAGE.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// What stands between back-quotes and is an object.
fn objects() -> Vec<&'static str> {
    PAGE.lines().flat_map(|line| line.split('`').filter(|text| text.starts_with("{\"type\""))).collect()
}

#[test]
fn the_script_and_the_faults_are_read() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 2);
    Script::parse(blocks[0]).unwrap();
    serde_json::from_str::<Vec<FaultRule>>(blocks[1]).unwrap();
}

#[test]
fn each_part_and_fault_in_the_tables_is_read() {
    let objects = objects();
    assert!(objects.len() >= 12, "{objects:?}");
    for text in objects {
        let part = serde_json::from_str::<Part>(text).map(|part| Step { reply: vec![part], ..Step::default() });
        let step =
            part.or_else(|_| serde_json::from_str(text).map(|fault| Step { fault: Some(fault), ..Step::default() }));
        let script = Script { steps: vec![step.expect(text)], after: Default::default(), price: None };
        Script::parse(&serde_json::to_string(&script).unwrap()).expect(text);
    }
}
