//! Promises that hold for any bytes: nothing is lost, the fast path is the composed rooms, and
//! threads, cuts and order change nothing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ops::ControlFlow;
use std::sync::OnceLock;

use proptest::prelude::*;
use toksmith_core::Error;
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::control::NoControl;
use toksmith_core::count::{Provenance, WordCounter, WordCounts};
use toksmith_core::encode::EncoderKind;
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{DigitRule, Pretokenizer, PretokenizerSettings, names};
use toksmith_core::special::AllowedSpecial;
use toksmith_core::tokenizer::{Tokenizer, TrainSettings};
use toksmith_core::train::{AlphabetSettings, BpeSettings, TrainerSettings};

/// JSON lines; as text it is as good a corpus as what is in them.
const CORPUS: &str = include_str!("../../../testdata/corpora/small.jsonl");
const CUSTOM: &str = r"\w+(?=\s)|[^\w\s]";

/// Every named pattern in this build, and one of a user's own.
fn patterns() -> impl Iterator<Item = &'static str> {
    names()
        .into_iter()
        .filter(|&name| name != "jieba" || cfg!(feature = "jieba"))
        .chain([CUSTOM])
}

fn counts(
    documents: &[&[u8]],
    pattern: &str,
    boundary: Boundary,
    whitespace: WhitespaceRule,
    num_threads: usize,
) -> WordCounts {
    counts_with_digits(documents, pattern, None, boundary, whitespace, num_threads)
}

fn counts_with_digits(
    documents: &[&[u8]],
    pattern: &str,
    digits: Option<DigitRule>,
    boundary: Boundary,
    whitespace: WhitespaceRule,
    num_threads: usize,
) -> WordCounts {
    let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
        pattern: pattern.to_owned(),
        unicode: None,
        digits,
    })
    .unwrap();
    let identity = Normalizer::IDENTITY;
    let provenance = Provenance::of(identity, &pretokenizer, boundary, whitespace);
    let mut counter = WordCounter::new(provenance, num_threads).unwrap();
    for batch in documents.chunks(3) {
        counter.count(batch, &NoControl).unwrap();
    }
    counter.finish(&NoControl).unwrap()
}

fn train(counts: &WordCounts, num_merges: usize) -> Tokenizer {
    let settings = TrainSettings {
        strict: false,
        recipe: "test".to_owned(),
        vocab_size: counts.provenance().boundary.alphabet_len() + num_merges + 2,
        trainer: TrainerSettings::Bpe(BpeSettings::default()),
        encoder: None,
        alphabet: AlphabetSettings::default(),
        special_tokens: vec!["<eot>".to_owned(), "<eot>>".to_owned()],
        unk: None,
    };
    Tokenizer::train(counts, settings, &NoControl).unwrap()
}

/// One tokenizer for each boundary, pattern, white space rule and encoder.
fn tokenizers() -> &'static [Tokenizer] {
    static ALL: OnceLock<Vec<Tokenizer>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        let documents = [&CORPUS.as_bytes()[..20_000]];
        for boundary in Boundary::ALL {
            for whitespace in [WhitespaceRule::Split, WhitespaceRule::Whole] {
                for pattern in patterns() {
                    let by_rank = train(&counts(&documents, pattern, boundary, whitespace, 1), 200);
                    // What a pattern cuts is the same for every encoder: two patterns are enough here.
                    if ["gpt2", CUSTOM].contains(&pattern) {
                        all.push(by_rank.with_encoder(EncoderKind::LongestFirst).unwrap());
                    }
                    all.push(by_rank);
                }
                for (pattern, digits) in [
                    ("gpt2-contraction-fix", DigitRule::Single),
                    ("none", DigitRule::Left(2)),
                    ("whitespace", DigitRule::Right(3)),
                ] {
                    let counts = counts_with_digits(
                        &documents,
                        pattern,
                        Some(digits),
                        boundary,
                        whitespace,
                        1,
                    );
                    all.push(train(&counts, 200));
                }
            }
        }
        all
    })
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"a",
        b"the",
        b"Z",
        b" ",
        b"  ",
        b"\n",
        b"\r",
        b"\t",
        b"'",
        b"s",
        b"ll",
        b"def ",
        b"9",
        b"_",
        b".",
        b"#",
        b"<eot>",
        b">",
        b"\0",
        b"\xC2\xA0",
        b"\xC3\xA9",
        b"\xCC\x81",
        b"\xFF",
        b"\xE2\x80",
        b"\xE2\x80\xA8",
        b"\x1C",
        b"\xE4\xB8\xAD",
        b"\xF0\x9F\xA4\x97",
        b"\xE2\x96\x81",
        b"123",
        b"AB",
        b"/",
        b"\xE3\x83\xBB",
        b"self.",
        b"return ",
        b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    prop_oneof![
        prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|p| p.concat()),
        prop::collection::vec(any::<u8>(), 0..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn decoding_gives_the_bytes_back(text in hostile()) {
        for tokenizer in tokenizers() {
            for allowed in [AllowedSpecial::None, AllowedSpecial::All] {
                let ids = tokenizer.encode(&text, allowed).unwrap();
                let decoder = tokenizer.decoder();
                let state = decoder.state(None, false).unwrap();
                let decoded = decoder.decode(&ids, state).unwrap();
                prop_assert_eq!(&decoded, &text, "{:?}", tokenizer.provenance());
            }
        }
    }

    #[test]
    fn the_fast_path_equals_the_composed_rooms_and_offsets_tile(text in hostile()) {
        for tokenizer in tokenizers() {
            let encoding = tokenizer.encode_with_offsets(&text, AllowedSpecial::All).unwrap();
            // Twice: the second time every word is in the table.
            for _ in 0..2 {
                let ids = tokenizer.encode(&text, AllowedSpecial::All).unwrap();
                prop_assert_eq!(&ids, &encoding.ids);
            }
            let mut at = 0;
            for (&id, &(start, end)) in encoding.ids.iter().zip(&encoding.byte_spans) {
                let gap = &text[at..start];
                let boundary = tokenizer.provenance().boundary;
                prop_assert!(gap.is_empty() || gap == b" ");
                prop_assert!(gap.is_empty() || boundary.is_marked());
                let bytes = tokenizer.decoder().token_bytes(id).unwrap();
                // Of metaspace's first token the space that was put before the text is not in it.
                let is_prefixed = boundary.has_prefix() && bytes.len() > end - start;
                prop_assert_eq!(&text[start..end], &bytes[usize::from(is_prefixed)..]);
                at = end;
            }
            prop_assert_eq!(at, text.len());
        }
    }

    #[test]
    fn counts_do_not_depend_on_threads_order_or_shards(
        documents in prop::collection::vec(hostile(), 1..8),
        num_threads in 2_usize..5,
        split in 0_usize..8,
    ) {
        let forward: Vec<&[u8]> = documents.iter().map(Vec::as_slice).collect();
        let backward: Vec<&[u8]> = documents.iter().rev().map(Vec::as_slice).collect();
        for boundary in Boundary::ALL {
            let count = |documents: &[&[u8]], num_threads| {
                counts(documents, "gpt2", boundary, WhitespaceRule::Split, num_threads)
            };
            let whole = count(&forward, 1);
            prop_assert_eq!(whole.to_tsv(), count(&backward, num_threads).to_tsv());
            let (left, right) = forward.split_at(split.min(forward.len()));
            let merged = count(right, 1).merge(&count(left, num_threads)).unwrap();
            prop_assert_eq!(whole.to_tsv(), merged.to_tsv());
            prop_assert_eq!(WordCounts::from_tsv(&whole.to_tsv()).unwrap().to_tsv(), whole.to_tsv());
        }
    }
}

#[test]
fn a_long_document_counts_the_same_on_any_number_of_threads() {
    // Long enough to be cut: parts are at least 256 KiB.
    let document = CORPUS.repeat(1 + (1 << 20) / CORPUS.len());
    for boundary in Boundary::ALL {
        for whitespace in [WhitespaceRule::Split, WhitespaceRule::Whole] {
            for pattern in patterns() {
                let count = |threads| {
                    counts(
                        &[document.as_bytes()],
                        pattern,
                        boundary,
                        whitespace,
                        threads,
                    )
                    .to_tsv()
                };
                assert_eq!(count(1), count(4), "{pattern}");
            }
        }
    }
}

#[test]
fn batches_equal_a_loop_on_any_number_of_threads() {
    let texts: Vec<&[u8]> = CORPUS.split('\n').map(str::as_bytes).collect();
    for tokenizer in tokenizers() {
        let looped: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| tokenizer.encode(text, AllowedSpecial::None).unwrap())
            .collect();
        for num_threads in [1, 3] {
            let (ids, offsets) = tokenizer
                .encode_batch(&texts, AllowedSpecial::None, num_threads)
                .unwrap();
            let batched: Vec<Vec<u32>> = offsets
                .windows(2)
                .map(|o| ids[o[0]..o[1]].to_vec())
                .collect();
            assert_eq!(batched, looped);
        }
    }
}

#[test]
fn files_are_read_back_as_they_were_written() {
    for tokenizer in tokenizers() {
        let json = tokenizer.to_json().unwrap();
        let read = Tokenizer::from_json(&json).unwrap();
        assert_eq!(read.to_json().unwrap(), json);
    }
}

#[test]
fn a_cut_or_altered_file_is_an_error() {
    let json = tokenizers()[1].to_json().unwrap();
    for len in (0..json.len() - 2).step_by(97) {
        assert!(Tokenizer::from_json(&json[..len]).is_err(), "cut at {len}");
    }
    for at in (0..json.len()).step_by(61) {
        if !json[at].is_ascii_alphanumeric() {
            continue;
        }
        let mut altered = json.clone();
        altered[at] = if altered[at] == b'1' { b'2' } else { b'1' };
        assert!(Tokenizer::from_json(&altered).is_err(), "altered at {at}");
    }
}

#[test]
fn a_megabyte_without_a_space_is_encoded_in_time() {
    // The scanners are timed by themselves, below.
    let plain = ["gpt2", "gpt2-contraction-fix", "whitespace", "none", CUSTOM];
    let tokenizers = tokenizers().iter().filter(|tokenizer| {
        let provenance = tokenizer.provenance();
        provenance.digits.is_none() && plain.contains(&provenance.pretokenizer.as_str())
    });
    for tokenizer in tokenizers {
        for unit in [&b"a"[..], b"ab", b" ", b"_", b"\xE4\xB8\xAD"] {
            let text = unit.repeat(1_000_000 / unit.len());
            let ids = match tokenizer.encode(&text, AllowedSpecial::None) {
                Ok(ids) => ids,
                // A pattern with look-around backtracks within a bound, and says where it gave up.
                Err(error) => {
                    assert!(matches!(error, Error::PatternRun { .. }), "{error}");
                    assert_eq!(tokenizer.provenance().pretokenizer, CUSTOM);
                    continue;
                }
            };
            let decoder = tokenizer.decoder();
            let decoded = decoder
                .decode(&ids, decoder.state(None, false).unwrap())
                .unwrap();
            assert_eq!(decoded, text);
        }
    }
}

#[test]
fn every_scanner_cuts_a_hostile_megabyte_in_time() {
    let units = [
        &b"a"[..],
        b"A",
        b" ",
        b"\n ",
        b"1",
        b"'",
        b"\0",
        b"\xFF",
        b"\xE4\xB8\xAD",
        b"\xE3\x83\xBB",
        b"\xCC\x81AB",
        b"\xE3\x81\x82B",
        b"!\n/",
        b"\xE3\x81\x80",
    ];
    let rules = [None, Some(DigitRule::Single), Some(DigitRule::Right(9))];
    for pattern in patterns().filter(|&pattern| pattern != CUSTOM) {
        for digits in rules {
            let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
                pattern: pattern.to_owned(),
                unicode: None,
                digits,
            })
            .unwrap();
            for unit in units {
                let text = unit.repeat(1_000_000 / unit.len());
                let mut end = 0;
                pretokenizer
                    .for_each(&text, |pretoken| {
                        assert_eq!(pretoken.start, end);
                        end = pretoken.end;
                        ControlFlow::Continue(())
                    })
                    .unwrap();
                assert_eq!(end, text.len());
            }
        }
    }
}
