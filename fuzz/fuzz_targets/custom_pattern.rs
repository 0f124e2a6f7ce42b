//! Any pattern on any bytes: an error, or pretokens that tile the text.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use toksmith_core::pretokenize::{Pretokenizer, PretokenizerSettings};

fuzz_target!(|input: (&str, &[u8])| {
    let (pattern, text) = input;
    let settings = PretokenizerSettings {
        pattern: pattern.to_owned(),
        unicode: None,
        digits: None,
    };
    let Ok(pretokenizer) = Pretokenizer::new(&settings) else {
        return;
    };
    let mut at = 0;
    let done = pretokenizer.for_each(text, |pretoken| {
        assert_eq!(pretoken.start, at);
        assert!(pretoken.end > at);
        at = pretoken.end;
        ControlFlow::Continue(())
    });
    if done.is_ok() {
        assert_eq!(at, text.len());
    }
});
