//! The table: one line, its facts.

use lodger_policy::shell::analyse;

use crate::shown::{facts, lines};

#[test]
fn every_line_of_the_table_has_the_facts_that_stand_there() {
    let lines = lines();
    assert!(lines.len() >= 150, "only {} lines were read", lines.len());
    for (line, expected) in &lines {
        let found = facts(&analyse(line));
        assert_eq!(&found, expected, "\n$ {}\n{found}\n", line.replace('\n', "⏎"));
    }
}

#[test]
fn every_reason_can_be_read_by_a_person() {
    for (line, _) in lines() {
        if let lodger_policy::shell::Analysis::NotUnderstood { why, .. } = analyse(&line) {
            let said = why.to_string();
            assert!(said.len() > 10 && !said.contains("NotUnderstood"), "{line}: {said}");
        }
    }
}
