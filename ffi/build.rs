//! Link arguments of the shared library, and the target's name for `lodger_build_info`.

use std::env;

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through its environment")]
fn main() {
    let target = |name: &str| env::var(name).unwrap_or_default();
    // The number in the name is the major part of `lodger_abi_version`.
    match target("CARGO_CFG_TARGET_OS").as_str() {
        "linux" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liblodger.so.1");
            // Engine threads must not lose their code to a `dlclose`.
            println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
        }
        "macos" => println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/liblodger.1.dylib"),
        _ => {}
    }
    println!("cargo:rustc-env=LODGER_TARGET={}", target("TARGET"));
    println!("cargo:rerun-if-changed=build.rs");
}
