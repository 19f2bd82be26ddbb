//! Python: the wire as typed dictionaries, and what an agent hands out as objects with snake_case attributes.

pub(crate) mod objects;
pub(crate) mod types;

use std::fmt::Write;

use crate::vocabulary::{Field, Shape, Ty, Vocabulary};

/// As ruff is set up for the Python package.
const LINE_WIDTH: usize = 120;

/// Writes one line.
fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}

/// The docstring of a class.
fn docstring(out: &mut String, text: &str) {
    let text = if text.is_empty() { "See the fields." } else { text };
    match text.split_once('\n') {
        None => line(out, &format!("    \"\"\"{text}\"\"\"")),
        Some((first, rest)) => {
            line(out, &format!("    \"\"\"{first}"));
            for text in rest.lines() {
                line(out, format!("    {text}").trim_end());
            }
            line(out, "    \"\"\"");
        }
    }
}

/// A comment above a name: each line of it begins with `mark`, such as Sphinx's `#: `.
fn comment(out: &mut String, mark: &str, text: &str) {
    for text in text.lines() {
        line(out, format!("{mark}{text}").trim_end());
    }
}

/// A name for one of several types: on one line where it fits.
fn alias(out: &mut String, name: &str, about: &str, choices: &[String]) {
    comment(out, "#: ", about);
    let one_line = format!("{name}: TypeAlias = {}", choices.join(" | "));
    if one_line.len() <= LINE_WIDTH {
        line(out, &one_line);
    } else {
        line(out, &format!("{name}: TypeAlias = (\n    {}\n)", choices.join("\n    | ")));
    }
}

/// The fields of a record that carries one of several bodies: the word that names the body, and each body, which may
/// not be there. The word's type is the choice of exactly these words.
fn keyed_fields(types: &Vocabulary, tag: &str, base: &[Field], bodies: &[Field]) -> Vec<Field> {
    let names: Vec<_> = bodies.iter().map(|body| body.name.as_str()).collect();
    let choice = types.iter().find(|(_, ty)| match &ty.shape {
        Shape::Choice(choices) => choices.iter().map(|choice| choice.word.as_str()).eq(names.iter().copied()),
        _ => false,
    });
    let tag = Field {
        name: tag.to_owned(),
        doc: format!("Which of {} there is.", names.join(", ")),
        ty: choice.map_or(Ty::Text, |(name, _)| Ty::Named(name.clone())),
        required: true,
        default: None,
    };
    let bodies = bodies.iter().cloned().map(|body| Field { required: false, ..body });
    std::iter::once(tag).chain(base.iter().cloned()).chain(bodies).collect()
}
