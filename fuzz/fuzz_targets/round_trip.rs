//! Any bytes, as training text and as input: decoding gives the input back, for every boundary and
//! encoder, and offsets say where each token stands.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toksmith_core::Tokenizer;
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::control::NoControl;
use toksmith_core::count::{Provenance, WordCounter};
use toksmith_core::encode::EncoderKind;
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{DigitRule, Pretokenizer, PretokenizerSettings, names};
use toksmith_core::special::AllowedSpecial;
use toksmith_core::tokenizer::TrainSettings;
use toksmith_core::train::{AlphabetSettings, BpeSettings, TrainerSettings};

fuzz_target!(|data: &[u8]| {
    let [choice, text @ ..] = data else { return };
    let choice = usize::from(*choice);
    let boundary = Boundary::ALL[choice % 7];
    let whitespace = [WhitespaceRule::Split, WhitespaceRule::Whole][choice / 7 % 2];
    // Those that this build has: jieba may be left out.
    let pretokenizers: Vec<_> = names()
        .into_iter()
        .filter_map(|name| {
            Pretokenizer::new(&PretokenizerSettings {
                pattern: name.to_owned(),
                unicode: None,
                digits: [None, Some(DigitRule::Single), Some(DigitRule::Right(3))][choice % 3],
            })
            .ok()
        })
        .collect();
    let pretokenizer = pretokenizers[choice / 14 % pretokenizers.len()].clone();
    let (corpus, input) = text.split_at(text.len() / 2);
    let provenance = Provenance::of(Normalizer::IDENTITY, &pretokenizer, boundary, whitespace);
    let mut counter = WordCounter::new(provenance, 1).unwrap();
    counter.count(&[corpus, b"fallback"], &NoControl).unwrap();
    let settings = TrainSettings {
        recipe: "fuzz".to_owned(),
        vocab_size: boundary.alphabet_len() + 64,
        trainer: TrainerSettings::Bpe(BpeSettings {
            min_pair_count: 1,
            ..BpeSettings::default()
        }),
        encoder: None,
        alphabet: AlphabetSettings::default(),
        special_tokens: vec!["<s>".to_owned()],
        unk: None,
    };
    let counts = counter.finish(&NoControl).unwrap();
    let by_rank = Tokenizer::train(&counts, settings, &NoControl).unwrap();
    let longest_first = by_rank.with_encoder(EncoderKind::LongestFirst).unwrap();
    for tokenizer in [by_rank, longest_first] {
        let encoding = tokenizer.encode_with_offsets(input, AllowedSpecial::All).unwrap();
        let ids = tokenizer.encode(input, AllowedSpecial::All).unwrap();
        assert_eq!(ids, encoding.ids);
        let decoder = tokenizer.decoder();
        let decoded = decoder.decode(&ids, decoder.state(None, false).unwrap()).unwrap();
        assert_eq!(decoded, input);
        for (&id, &(start, end)) in ids.iter().zip(&encoding.byte_spans) {
            assert_eq!(decoder.token_bytes(id).unwrap(), &input[start..end]);
        }
    }
});
