//! Any bytes as a tokenizer file: an error, or a tokenizer that writes itself back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toksmith_core::Tokenizer;

fuzz_target!(|data: &[u8]| {
    if let Ok(tokenizer) = Tokenizer::from_json(data) {
        let json = tokenizer.to_json().unwrap();
        assert!(Tokenizer::from_json(&json).is_ok());
    }
});
