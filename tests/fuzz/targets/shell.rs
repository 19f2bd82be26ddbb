//! Lines as they come: what is called one plain command is one, read by its characters alone.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lodger_policy::shell::{analyse, read_only, suggest};

#[path = "../../../core/policy/tests/shell/by_hand.rs"]
mod by_hand;

fuzz_target!(|line: &str| {
    let analysis = analyse(line);
    let Some(all) = analysis.understood() else { return };
    assert!(!all.all().is_empty());
    for command in all.all() {
        let _ = read_only(command);
        assert!(command.inside.iter().all(|inside| inside.index < all.all().len()));
    }
    let _ = suggest(&analysis);
    if let Some(plain) = all.plain() {
        let words: Vec<String> = std::iter::once(plain.program.as_str())
            .chain(plain.literal_arguments().unwrap())
            .map(str::to_owned)
            .collect();
        assert_eq!(by_hand::words(line), Some(words), "{line:?}");
    }
});
