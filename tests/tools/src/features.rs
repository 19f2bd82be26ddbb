//! Does `docs/features.md` keep its word? Each promise names the tests that show it, or says that it is planned.
//!
//! A test is named as `path::name`: a function in Rust, Python or C, a title in Node, a folder for golden traces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Result;

/// Where the golden traces stand: each case is a folder.
const CASES: &str = "tests/golden/cases";

/// Everything that is wrong with the page.
pub fn faults(root: &Path) -> Result<Vec<String>> {
    let page = fs::read_to_string(root.join("docs/features.md")).map_err(|error| format!("features.md: {error}"))?;
    let mut files = BTreeMap::new();
    let mut found = Vec::new();
    for promise in promises(&page) {
        let tests: Vec<&str> = tests(&promise).collect();
        if tests.is_empty() != promise.ends_with("*planned*") {
            found.push(format!("name a test for this, or say that it is *planned*, not both: {promise}"));
        }
        for (path, name) in tests.iter().filter_map(|test| test.split_once("::")) {
            if path == CASES {
                if !root.join(CASES).join(name).join("expect.jsonl").is_file() {
                    found.push(format!("there is no golden trace {name}"));
                }
                continue;
            }
            let text = files.entry(path.to_owned()).or_insert_with(|| fs::read_to_string(root.join(path)));
            match text {
                Err(error) => found.push(format!("{path}: {error}")),
                Ok(text) if !has_test(path, text, name) => found.push(format!("{path} has no test `{name}`")),
                Ok(_) => {}
            }
        }
    }
    Ok(found)
}

/// The points of the page, each in one line.
#[must_use]
pub fn promises(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        if let Some(first) = line.strip_prefix("- ") {
            found.push(first.to_owned());
            inside = true;
        } else if let Some(more) = line.strip_prefix("  ").filter(|_| inside) {
            if let Some(promise) = found.last_mut() {
                promise.push(' ');
                promise.push_str(more);
            }
        } else {
            inside = false;
        }
    }
    found
}

/// The tests that a promise names: what stands between backticks and has a path before `::`.
fn tests(promise: &str) -> impl Iterator<Item = &str> {
    promise.split('`').skip(1).step_by(2).filter(|code| code.contains('/') && code.contains("::"))
}

/// Whether a file has a test of that name.
fn has_test(path: &str, text: &str, name: &str) -> bool {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("rs") => {
            let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
            let head = format!("fn {name}(");
            // Over the function stand its attributes, comments, and in a table of properties nothing else.
            let is_test = |at: usize| {
                let above = lines.iter().take(at).rev();
                let mut above = above.take_while(|line| line.starts_with('#') || line.starts_with("//"));
                above.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
            };
            let functions = lines
                .iter()
                .enumerate()
                .filter(|(_, line)| line.strip_prefix("async ").unwrap_or(line).starts_with(&head));
            functions.into_iter().any(|(at, _)| is_test(at))
        }
        Some("mjs" | "ts") => ['\'', '"', '`'].iter().any(|mark| text.contains(&format!("test({mark}{name}{mark}"))),
        Some("py") => text.contains(&format!("def {name}(")),
        Some("c") => text.contains(&format!(" {name}(void)")),
        _ => false,
    }
}
