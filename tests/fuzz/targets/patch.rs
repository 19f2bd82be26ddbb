//! Whatever is taken for a patch is within its bounds, and leaves every line alone that it does not name.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lodger_tools::builtin::patch::{FilePatch, Hunk, HunkLine, apply, parse};

fuzz_target!(|input: (&str, &str)| {
    let (patch, text) = input;
    let Ok(patch) = parse(patch) else { return };
    assert!((1..=100).contains(&patch.files.len()));
    let text = format!("{text}\n");
    for file in &patch.files {
        let FilePatch::Update { move_to, hunks, .. } = file else { continue };
        assert!(move_to.is_some() || !hunks.is_empty());
        let Ok(after) = apply(&text, hunks) else { continue };
        let count = |counted: fn(&HunkLine) -> bool| -> usize {
            hunks.iter().flat_map(|hunk: &Hunk| &hunk.lines).filter(|line| counted(line)).count()
        };
        let added = count(|line| matches!(line, HunkLine::Add(_)));
        let removed = count(|line| matches!(line, HunkLine::Remove(_)));
        assert_eq!(after.matches('\n').count() + removed, text.matches('\n').count() + added);
        let mut before: Vec<&str> = text.lines().collect();
        before.sort_unstable();
        let is_new = |line: &str| hunks.iter().flat_map(|hunk| &hunk.lines).any(|new| *new == HunkLine::Add(line.to_owned()));
        assert!(after.lines().all(|line| before.binary_search(&line).is_ok() || is_new(line)));
    }
});
