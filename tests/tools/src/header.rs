//! `include/lodger.h`, from the exported functions of `ffi/` and their doc comments.
//!
//! cbindgen reads the crate; what it cannot know or does not do for the reader is added here: the statuses of the
//! one list of errors, and a form that is pleasant to read.

use std::fmt::Write as _;
use std::path::Path;

use lodger_protocol::ErrorCode;

use crate::Result;

/// The header, as cbindgen writes it with `ffi/cbindgen.toml`.
pub(crate) fn emit(root: &Path) -> Result<String> {
    let ffi = root.join("ffi");
    let config = cbindgen::Config::from_file(ffi.join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new()
        .with_crate(&ffi)
        .with_config(config)
        .generate()
        .map_err(|error| format!("cbindgen: {error}"))?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    Ok(sections(&short_names(&one_line_comments(&with_errors(&text)?))))
}

/// Puts the statuses of all errors after the last of the others.
fn with_errors(text: &str) -> Result<String> {
    let last = "#define LODGER_END 2\n";
    let (before, after) = text.split_once(last).ok_or("ffi/ declares no `LODGER_END` to put the errors after")?;
    let mut errors = String::new();
    for entry in ErrorCode::ALL {
        let comment = wrapped(entry.meaning);
        let name = entry.name.to_ascii_uppercase();
        // Writing to a text cannot fail.
        let _ = write!(errors, "\n/**\n{comment} */\n#define LODGER_E_{name} ({})\n", entry.number);
    }
    Ok(format!("{before}{last}{errors}{after}"))
}

/// The lines of a comment.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        if lines.last().is_some_and(|line| line.len() + word.len() > 110) {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.into_iter().map(|line| format!(" *{line}\n")).collect()
}

/// A comment of one line takes one line.
fn one_line_comments(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let content = lines.get(at + 1).and_then(|next| next.trim_start().strip_prefix("* "));
        let short = line.trim_start() == "/**" && lines.get(at + 2).is_some_and(|end| end.trim_start() == "*/");
        match content {
            Some(content) if short => {
                out += &format!("{line} {content} */\n");
                at += 3;
            }
            _ => {
                out += line;
                out.push('\n');
                at += 1;
            }
        }
    }
    out
}

/// Every type has a name without `struct`, so only its declaration says the word.
fn short_names(text: &str) -> String {
    text.lines()
        .map(|line| match line.starts_with("typedef struct ") {
            true => format!("{line}\n"),
            false => line.replace("struct lodger_", "lodger_") + "\n",
        })
        .collect()
}

/// A heading where the functions of the next object begin.
fn sections(text: &str) -> String {
    let mut section = String::new();
    let mut out = Vec::new();
    for block in text.split("\n\n") {
        if let Some(object) = function(block)
            && object != section
        {
            out.push(format!("/* {:-<104} */", format!("---- {object} ")));
            object.clone_into(&mut section);
        }
        out.push(block.to_owned());
    }
    out.join("\n\n")
}

/// The object that a block's function belongs to: `agent` for `lodger_agent_create`; what stands alone is `library`.
fn function(block: &str) -> Option<&str> {
    let declaration = block.lines().rev().find(|line| !line.starts_with(' '))?;
    let (head, _) = declaration.split_once('(')?;
    if head.starts_with(['#', '/']) || head.starts_with("typedef") || head.starts_with("static") {
        return None;
    }
    let name = head.rsplit([' ', '*']).next()?.strip_prefix("lodger_")?;
    let (object, _) = name.split_once('_')?;
    Some(match object {
        "abi" | "build" | "version" | "status" => "library",
        object => object,
    })
}
