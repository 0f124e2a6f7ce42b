//! Any text as a word counts file: an error, or counts that are written back and train.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toksmith_core::count::WordCounts;

fuzz_target!(|data: &str| {
    if let Ok(counts) = WordCounts::from_tsv(data) {
        let again = WordCounts::from_tsv(&counts.to_tsv()).unwrap();
        assert_eq!(again.to_tsv(), counts.to_tsv());
    }
});
