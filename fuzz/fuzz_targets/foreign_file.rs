//! Any bytes as a tokenizer file of any format: an error, or a tokenizer that writes itself so that it
//! can be read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toksmith_core::Tokenizer;
use toksmith_core::format::{ForeignSettings, read};

fuzz_target!(|data: &[u8]| {
    let settings = ForeignSettings {
        pretokenizer: Some("gpt2".to_owned()),
        ..ForeignSettings::default()
    };
    // As it is, and as what follows the bytes in a rank file.
    let mut ranks: Vec<u8> = (0..=255_u8).flat_map(line_of_byte).collect();
    ranks.extend(data);
    for content in [data, &ranks] {
        if let Ok(tokenizer) = read(content, &settings) {
            let json = tokenizer.to_json().unwrap();
            assert!(Tokenizer::from_json(&json).is_ok());
        }
    }
});

fn line_of_byte(byte: u8) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (high, low) = (
        DIGITS[usize::from(byte >> 2)],
        DIGITS[usize::from(byte << 4 & 63)],
    );
    let mut line = vec![high, low, b'=', b'='];
    line.extend(format!(" {byte}\n").bytes());
    line
}
