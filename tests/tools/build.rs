//! Takes the Rust programs out of the guides, for tests/guides.rs to run.
//!
//! `<!-- file: NAME.rs -->` before a block names a program. Each becomes a module with a function `run`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

#[allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "cargo speaks to a build script through its environment, and listens to what it prints"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs");
    println!("cargo:rerun-if-changed={}", docs.display());
    let mut modules = String::new();
    let mut table = String::new();
    let mut pages: Vec<_> =
        fs::read_dir(&docs)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    pages.sort();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|extension| extension == "md")) {
        println!("cargo:rerun-if-changed={}", page.display());
        let text = fs::read_to_string(page)?;
        let stem = page.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
        for block in text.split("<!-- file: ").skip(1) {
            let Some((name, rest)) = block.split_once(" -->\n```rust\n") else { continue };
            let Some((code, _)) = rest.split_once("\n```") else { continue };
            let module = format!("{stem}_{}", name.trim_end_matches(".rs"));
            writeln!(
                modules,
                "mod {module} {{\n{code}\npub(super) fn run() -> impl std::process::Termination {{ main() }}\n}}"
            )?;
            writeln!(table, "(\"{stem}\", \"{name}\") => drop(Termination::report({module}::run())),")?;
        }
    }
    let code = format!(
        "{modules}\nfn run(page: &str, name: &str) {{\nmatch (page, name) {{\n{table}_ => panic!(\"there is no {{page}} {{name}}\"),\n}}\n}}\n"
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("guides.rs"), code)?;
    Ok(())
}
