//! `include/lodger.h`, from the exported functions of `ffi/` and their doc comments.

use std::path::Path;

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
    String::from_utf8(text).map_err(|error| error.to_string())
}
