//! Variables that may stand before an allowed command. Only these: any other can change which program runs, what it
//! loads or where it reads its settings, and no list of those would ever be complete.

const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_THREADS",
    "TERM",
    "TZ",
];

/// Setting this variable changes nothing but messages, colours, or how much a program says.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_so_that_all_of_it_is_found() {
        assert!(HARMLESS.is_sorted());
        assert!(HARMLESS.iter().all(|name| is_harmless(name)));
    }

    #[test]
    fn what_decides_which_code_runs_is_not_harmless() {
        for name in ["PATH", "LD_PRELOAD", "GIT_SSH_COMMAND", "BASH_ENV", "IFS", "PAGER", "NODE_OPTIONS", "rustc", ""] {
            assert!(!is_harmless(name), "{name}");
        }
    }
}
