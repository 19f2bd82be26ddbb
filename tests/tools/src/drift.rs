//! Does each generated file hold what it should?

use std::fs;
use std::io;
use std::path::Path;

use similar::TextDiff;

use crate::Result;
use crate::files::Generated;

/// Writes every file that differs and names it.
pub fn write(root: &Path, files: &[Generated]) -> Result<Vec<&'static str>> {
    let mut written = Vec::new();
    for file in files {
        let path = root.join(file.path);
        if read(&path)? == file.text {
            continue;
        }
        let folder = path.parent().ok_or("a generated file without a folder")?;
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, &file.text))
            .map_err(|error| format!("{}: {error}", file.path))?;
        written.push(file.path);
    }
    Ok(written)
}

/// A unified diff from what is committed to what should be; empty when nothing drifted.
pub fn diff(root: &Path, files: &[Generated]) -> Result<String> {
    let mut out = String::new();
    for file in files {
        let committed = read(&root.join(file.path))?;
        if committed != file.text {
            let diff = TextDiff::from_lines(&committed, &file.text);
            out += &diff.unified_diff().header(file.path, "what `make gen` would write").to_string();
        }
    }
    Ok(out)
}

/// An absent file reads as an empty one, so that the diff shows all of it.
fn read(path: &Path) -> Result<String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}
