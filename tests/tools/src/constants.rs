//! Constants of the Rust sources, with the values that are plain arithmetic.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;
use crate::syntax::{Piece, Source, files};

/// One constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// Its value, where that is a number or a duration written out.
    pub value: Option<Value>,
}

/// What a constant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Count(u64),
    /// A duration.
    Milliseconds(u64),
}

/// The constants of what ships, by `path::NAME`: of `core/` and `ffi/`, outside tests.
pub fn constants(root: &Path) -> Result<BTreeMap<String, Constant>> {
    let mut found = BTreeMap::new();
    for folder in ["core", "ffi/src"] {
        for path in files(&root.join(folder), "rs")? {
            let short = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            if !short.contains("/src/") || short.contains("/tests/") || short.ends_with("/tests.rs") {
                continue;
            }
            let source = Source::read(&path, &tree_sitter_rust::LANGUAGE.into())?;
            for item in outside_tests(source.root()) {
                let Some(name) = item.field("name").map(|name| name.text().to_owned()) else { continue };
                let value = item.field("value").and_then(value);
                found.insert(format!("{short}::{name}"), Constant { name, value });
            }
        }
    }
    Ok(found)
}

/// The constants of a file, at its top and in functions, but not in `mod tests`.
fn outside_tests(piece: Piece<'_>) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    for child in piece.children() {
        match child.kind() {
            "const_item" => found.push(child),
            "mod_item" if child.field("name").map(Piece::text) == Some("tests") => {}
            _ => found.extend(outside_tests(child)),
        }
    }
    found
}

fn value(expression: Piece<'_>) -> Option<Value> {
    if expression.kind() != "call_expression" {
        return number(expression).map(Value::Count);
    }
    let argument = expression.field("arguments")?.children().into_iter().next().and_then(number)?;
    match expression.field("function")?.text() {
        "Duration::from_secs" => Some(Value::Milliseconds(argument.checked_mul(1000)?)),
        "Duration::from_millis" => Some(Value::Milliseconds(argument)),
        _ => None,
    }
}

fn number(expression: Piece<'_>) -> Option<u64> {
    match expression.kind() {
        "integer_literal" => expression.text().replace('_', "").parse().ok(),
        "parenthesized_expression" => expression.children().into_iter().next().and_then(number),
        "binary_expression" => {
            let (left, right) = (number(expression.field("left")?)?, number(expression.field("right")?)?);
            match expression.field("operator")?.text() {
                "*" => left.checked_mul(right),
                "+" => left.checked_add(right),
                "<<" => left.checked_shl(u32::try_from(right).ok()?),
                _ => None,
            }
        }
        _ => None,
    }
}
