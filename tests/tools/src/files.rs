//! The generated files: which there are, and what each should hold.

use std::path::{Path, PathBuf};

use crate::{Result, header, limits, python, reference, schema, typescript, vocabulary};

/// One generated file.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Where it stands, from the root of the repository.
    pub path: &'static str,
    /// What it should hold.
    pub text: String,
}

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every generated file. A new one is one more line here.
pub fn all() -> Result<Vec<Generated>> {
    let document = schema::document();
    let types = vocabulary::read(&document)?;
    let schema_text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    Ok(vec![
        Generated { path: "core/protocol/schema/v1/lodger.json", text: schema_text + "\n" },
        Generated { path: "bindings-node/src-ts/types.gen.ts", text: typescript::emit(&types) },
        Generated { path: "bindings-python/python/lodger/_types.py", text: python::types::emit(&types) },
        Generated { path: "bindings-python/python/lodger/_inputs.py", text: python::types::emit_inputs(&types) },
        Generated { path: "bindings-python/python/lodger/_events.py", text: python::objects::emit(&types) },
        Generated { path: "docs/errors.md", text: reference::errors() },
        Generated { path: "docs/events.md", text: reference::events(&types)? },
        Generated { path: "docs/options.md", text: reference::options(&types) },
        Generated { path: "docs/limits.md", text: limits::emit(&root(), &types)? },
        Generated { path: "include/lodger.h", text: header::emit(&root())? },
    ])
}
