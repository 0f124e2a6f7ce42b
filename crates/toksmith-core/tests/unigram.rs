//! The unigram trainer and what draws from its scores: what holds for any words and any text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;
use toksmith_core::alphabet::{Alphabet, AlphabetOrder};
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::control::{Control, NoControl};
use toksmith_core::count::{Provenance, WordCounter, WordCounts, WordRef};
use toksmith_core::encode::{Dropout, EncoderKind, Sample};
use toksmith_core::lattice::{Arc, Lattice};
use toksmith_core::model::{Merge, Model};
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{Pretokenizer, PretokenizerSettings};
use toksmith_core::random::Random;
use toksmith_core::special::AllowedSpecial;
use toksmith_core::tokenizer::{Tokenizer, TrainSettings};
use toksmith_core::train::{
    AlphabetSettings, BpeSettings, StopReason, Trained, Trainer, TrainerSettings, Unigram,
    UnigramSettings,
};
use toksmith_core::types::{Marks, TokenId};
use toksmith_core::{Error, Result};

const CORPUS: &str = include_str!("../../../testdata/corpora/small.jsonl");

fn provenance(boundary: Boundary) -> Provenance {
    let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
        pattern: "gpt2-contraction-fix".to_owned(),
        unicode: None,
        digits: None,
    })
    .unwrap();
    let identity = Normalizer::IDENTITY;
    Provenance::of(identity, &pretokenizer, boundary, WhitespaceRule::Split)
}

fn counts(words: &[(Vec<u8>, u64)]) -> WordCounts {
    let words = words.iter().map(|(bytes, count)| WordRef {
        bytes,
        marks: Marks::NONE,
        count: *count,
    });
    WordCounts::from_words(provenance(Boundary::SpacePrefix), 0, 0, words).unwrap()
}

/// Runs on some threads, or stops at once.
struct Threads(usize);

impl Control for Threads {
    fn go_on(&self, _done: u64, _total: u64) -> bool {
        self.0 > 0
    }

    fn num_threads(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.0).unwrap_or(NonZeroUsize::MIN)
    }
}

fn train_with(
    counts: &WordCounts,
    num_tokens: usize,
    settings: UnigramSettings,
    control: &dyn Control,
) -> Result<Trained> {
    let trainer = Unigram {
        num_tokens,
        settings,
    };
    trainer.train(counts, Alphabet::new(256, AlphabetOrder::Bytes), control)
}

fn train(words: &[(Vec<u8>, u64)], num_tokens: usize) -> Trained {
    let settings = UnigramSettings::default();
    train_with(&counts(words), num_tokens, settings, &NoControl).unwrap()
}

/// Tokens that are no bytes, and all scores.
fn learned(trained: &Trained) -> (Vec<Vec<u8>>, Vec<f64>) {
    let tokens = trained.model.vocab().iter().skip(256);
    let scores = trained.model.scores().unwrap().to_vec();
    (tokens.map(|token| token.bytes.to_vec()).collect(), scores)
}

fn random_words(num_words: usize, seed: u64) -> Vec<(Vec<u8>, u64)> {
    let mut random = Random::new(seed);
    (0..num_words)
        .map(|_| {
            let len = 1 + random.next_u64() % 24;
            let letter = |random: &mut Random| b'a' + (random.next_u64() % 7) as u8;
            let word = (0..len).map(|_| letter(&mut random)).collect();
            (word, 1 + random.next_u64() % 9)
        })
        .collect()
}

#[test]
fn threads_and_the_order_of_words_change_nothing() {
    // 8,000 words make more than one chunk.
    let mut words = random_words(8_000, 1);
    let settings = UnigramSettings::default;
    let on_one = train_with(&counts(&words), 900, settings(), &Threads(1)).unwrap();
    words.reverse();
    let on_three = train_with(&counts(&words), 900, settings(), &Threads(3)).unwrap();
    assert_eq!(learned(&on_one), learned(&on_three));
    assert_eq!(on_one.model.vocab().len(), 900);
}

#[test]
fn the_caller_can_stop_it() {
    let settings = UnigramSettings::default();
    let stopped = train_with(&counts(&random_words(10, 1)), 300, settings, &Threads(0));
    assert!(matches!(stopped, Err(Error::Interrupted)));
}

#[test]
fn a_word_of_a_megabyte_and_huge_counts_give_finite_scores() {
    let mut random = Random::new(3);
    let letters: Vec<u8> = (0..1 << 19)
        .map(|_| b'a' + (random.next_u64() % 26) as u8)
        .collect();
    for word in [letters, vec![b'a'; 1 << 19]] {
        let words = [(word, 5_000_000_000_000), (b"ab".to_vec(), 1)];
        let (_, scores) = learned(&train(&words, 400));
        assert!(scores.iter().all(|score| score.is_finite() && *score < 0.0));
    }
}

#[test]
fn words_that_exceed_64_bits_together_are_refused() {
    let counts = counts(&[(vec![b'a'; 8], u64::MAX / 4)]);
    let refused = train_with(&counts, 300, UnigramSettings::default(), &NoControl);
    assert!(matches!(refused, Err(Error::TooLarge { .. })));
}

#[test]
fn the_vocabulary_is_never_larger_and_says_when_it_is_smaller() {
    let words: Vec<_> = ["a", " b", " c", " d", " a"]
        .map(|word| (word.into(), 2))
        .into();
    let trained = train(&words, 4_000);
    assert_eq!(trained.stop_reason, StopReason::PiecesTooRare);
    let (tokens, _) = learned(&trained);
    assert!(tokens.len() <= 4, "{tokens:?}");
    for num_tokens in [256, 257, 300] {
        let trained = train(&random_words(200, 9), num_tokens);
        assert_eq!(trained.model.vocab().len(), num_tokens);
        assert_eq!(trained.stop_reason, StopReason::VocabSizeReached);
    }
}

#[test]
fn tokens_stand_by_falling_score_and_unseen_bytes_below_all() {
    let trained = train(&random_words(500, 2), 400);
    let scores = trained.model.scores().unwrap();
    assert!(scores[256..].is_sorted_by(|a, b| a >= b));
    let least = scores[256..].iter().copied().fold(0.0, f64::min);
    assert!(scores[usize::from(b'z')] < least - 9.9);
    // So that sums are exact.
    assert!(
        scores
            .iter()
            .all(|score| (score * f64::from(1 << 30)).fract() == 0.0)
    );
}

#[test]
fn settings_out_of_bounds_are_named() {
    let settings = [
        UnigramSettings {
            shrinking_factor: 1.0,
            ..Default::default()
        },
        UnigramSettings {
            shrinking_factor: f64::NAN,
            ..Default::default()
        },
        UnigramSettings {
            num_sub_iterations: 0,
            ..Default::default()
        },
        UnigramSettings {
            max_token_chars: 0,
            ..Default::default()
        },
        UnigramSettings {
            max_token_chars: 256,
            ..Default::default()
        },
    ];
    let names = [
        "shrinking_factor is 1",
        "shrinking_factor is NaN",
        "num_sub_iterations is 0",
        "max_token_chars is 0",
        "max_token_chars is 256",
    ];
    for (settings, name) in settings.into_iter().zip(names) {
        let message = TrainerSettings::Unigram(settings)
            .check()
            .unwrap_err()
            .to_string();
        assert!(message.starts_with(name), "{message}");
    }
}

fn tokenizer(trainer: TrainerSettings, boundary: Boundary) -> Tokenizer {
    let mut counter = WordCounter::new(provenance(boundary), 1).unwrap();
    counter.count(&[CORPUS.as_bytes()], &NoControl).unwrap();
    let settings = TrainSettings {
        strict: false,
        recipe: "test".to_owned(),
        vocab_size: boundary.alphabet_len() + 500,
        trainer,
        encoder: None,
        alphabet: AlphabetSettings::default(),
        special_tokens: vec!["<eot>".to_owned()],
        unk: None,
    };
    Tokenizer::train(&counter.finish(&NoControl).unwrap(), settings, &NoControl).unwrap()
}

fn unigrams() -> Vec<Tokenizer> {
    let settings = || TrainerSettings::Unigram(UnigramSettings::default());
    let boundaries = [
        Boundary::SpacePrefix,
        Boundary::Metaspace,
        Boundary::ImplicitDual,
    ];
    boundaries
        .map(|boundary| tokenizer(settings(), boundary))
        .into()
}

fn decoded(tokenizer: &Tokenizer, ids: &[u32]) -> Vec<u8> {
    let decoder = tokenizer.decoder();
    decoder
        .decode(ids, decoder.state(None, false).unwrap())
        .unwrap()
}

#[test]
fn every_segmentation_of_any_text_decodes_to_it() {
    let all = unigrams();
    proptest!(|(text in prop::collection::vec(any::<u8>(), 0..60), words in "[ a-eé<>]{0,40}(<eot>)?", seed in any::<u64>(), alpha in 0.0..4.0)| {
        for tokenizer in &all {
            for text in [&text[..], words.as_bytes()] {
                for allowed in [AllowedSpecial::None, AllowedSpecial::All] {
                    let ids = tokenizer.encode(text, allowed).unwrap();
                    prop_assert_eq!(decoded(tokenizer, &ids), text);
                    let best = tokenizer.n_best(text, 4, allowed).unwrap();
                    // The words one by one, and the whole text at once: the same, ties included.
                    prop_assert_eq!(&best[0].ids, &ids);
                    prop_assert!(best.is_sorted_by(|a, b| a.score >= b.score));
                    let sampled = tokenizer
                        .encode_sampled(text, Sample::Temperature(alpha), seed, allowed)
                        .unwrap();
                    prop_assert_eq!(decoded(tokenizer, &sampled), text);
                    let distinct = tokenizer.sample_distinct(text, 4, alpha, seed, allowed).unwrap();
                    for path in best.iter().chain(&distinct) {
                        prop_assert_eq!(decoded(tokenizer, &path.ids), text);
                    }
                    let again = tokenizer.sample_distinct(text, 4, alpha, seed, allowed).unwrap();
                    prop_assert_eq!(distinct, again);
                }
            }
        }
    });
}

#[test]
fn dropout_leaves_out_merges_and_loses_nothing() {
    for boundary in [Boundary::SpacePrefix, Boundary::ImplicitDual] {
        let tokenizer = tokenizer(TrainerSettings::Bpe(BpeSettings::default()), boundary);
        let encode = |text: &[u8], probability, seed| {
            let sample = Sample::Dropout(probability);
            tokenizer
                .encode_sampled(text, sample, seed, AllowedSpecial::All)
                .unwrap()
        };
        proptest!(|(text in "[ a-eé<>]{0,40}(<eot>)?[ a-e]{0,40}", seed in any::<u64>(), probability in 0.0..1.0)| {
            let text = text.as_bytes();
            let plain = tokenizer.encode(text, AllowedSpecial::All).unwrap();
            prop_assert_eq!(encode(text, 0.0, seed), plain);
            let units = encode(text, 1.0, seed);
            let num_units = boundary.alphabet_len() as u32;
            let is_unit = |id: &u32| *id < num_units || *id == num_units + 499;
            prop_assert!(units.iter().all(is_unit));
            let sampled = encode(text, probability, seed);
            prop_assert_eq!(decoded(&tokenizer, &sampled), text);
            prop_assert_eq!(encode(text, probability, seed), sampled);
        });
        // About n·log n: a quadratic way would take minutes.
        let long = vec![b'a'; 300_000];
        assert_eq!(decoded(&tokenizer, &encode(&long, 0.1, 1)), long);
    }
}

#[test]
fn what_cannot_be_drawn_from_is_refused() {
    let bpe = tokenizer(
        TrainerSettings::Bpe(BpeSettings::default()),
        Boundary::SpacePrefix,
    );
    let unigram = &unigrams()[0];
    let sampled = |tokenizer: &Tokenizer, sample| {
        tokenizer
            .encode_sampled(b"a", sample, 1, AllowedSpecial::None)
            .unwrap_err()
            .to_string()
    };
    assert!(sampled(&bpe, Sample::Temperature(1.0)).contains("no scores"));
    assert!(bpe.n_best(b"a", 1, AllowedSpecial::None).is_err());
    assert!(bpe.with_encoder(EncoderKind::Viterbi).is_err());
    assert!(sampled(unigram, Sample::Dropout(0.1)).contains("the encoder is viterbi"));
    let longest = bpe.with_encoder(EncoderKind::LongestFirst).unwrap();
    assert!(sampled(&longest, Sample::Dropout(0.1)).contains("merge-rank"));
    for sample in [
        Sample::Dropout(-0.1),
        Sample::Dropout(f64::NAN),
        Sample::Temperature(-1.0),
        Sample::Temperature(f64::INFINITY),
    ] {
        assert!(sampled(&bpe, sample).contains("but must be from 0 to"));
    }
}

fn cases(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/cases")
        .join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap()
}

/// Pieces of a case with their numbers, in the order of the file's names.
fn numbers(value: &Value) -> BTreeMap<String, f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap()
}

/// The lattice of a word, and what its ids spell.
fn lattice(word: &str, scores: &BTreeMap<String, f64>) -> (Lattice, Vec<String>) {
    let names: Vec<String> = scores.keys().cloned().collect();
    let mut lattice = Lattice::new();
    for end in 1..=word.len() {
        lattice.push_unit();
        for start in 0..end {
            if let Some(id) = names.iter().position(|name| *name == word[start..end]) {
                lattice.push_arc(Arc {
                    start: start as u32,
                    id: id as TokenId,
                    score: scores[&names[id]],
                });
            }
        }
    }
    (lattice, names)
}

fn spelled(ids: &[TokenId], names: &[String]) -> Vec<String> {
    ids.iter().map(|&id| names[id as usize].clone()).collect()
}

#[test]
fn lattices_are_those_of_the_case_file() {
    for case in list(&cases("unigram.json")["lattices"]) {
        let word = case["word"].as_str().unwrap();
        let (lattice, names) = lattice(word, &numbers(&case["scores"]));
        let best = lattice.viterbi().unwrap();
        assert_eq!(spelled(&best.ids, &names), strings(&case["viterbi"]));
        let wanted = list(&case["n_best"]);
        let found = lattice.n_best(wanted.len());
        assert_eq!(found.len(), wanted.len());
        for (path, wanted) in found.iter().zip(wanted) {
            assert_eq!(spelled(&path.ids, &names), strings(&wanted[0]));
            assert!((path.score - wanted[1].as_f64().unwrap()).abs() < 1e-9);
        }
        let total = lattice.forward(1.0)[word.len()];
        assert!((total - case["log_total"].as_f64().unwrap()).abs() < 1e-9);
        let mut expected = numbers(&case["expected"]);
        let arcs = (1..=word.len()).flat_map(|place| lattice.ending(place));
        for (arc, posterior) in arcs.zip(lattice.posteriors(1.0)) {
            *expected.get_mut(&names[arc.id as usize]).unwrap() -= posterior;
        }
        assert!(expected.values().all(|rest| rest.abs() < 1e-9));
    }
}

/// The sum over words of minus the log probability of the best segmentation.
fn loss(words: &BTreeMap<String, f64>, scores: &BTreeMap<String, f64>) -> f64 {
    let best = |word: &str| lattice(word, scores).0.viterbi().unwrap().score;
    words.iter().map(|(word, count)| -count * best(word)).sum()
}

#[test]
fn losses_and_removal_costs_are_those_of_the_worked_examples() {
    for case in list(&cases("unigram.json")["models"]) {
        let words = numbers(&case["words"]);
        let total = case["total"].as_f64().unwrap();
        let scores: BTreeMap<String, f64> = numbers(&case["pieces"])
            .into_iter()
            .map(|(piece, count)| (piece, (count / total).ln()))
            .collect();
        let whole = loss(&words, &scores);
        assert!((whole - case["loss"].as_f64().unwrap()).abs() < 1e-9);
        for (piece, cost) in numbers(&case["removal_costs"]) {
            let mut without = scores.clone();
            without.remove(&piece);
            assert!(
                (loss(&words, &without) - whole - cost).abs() < 1e-9,
                "{piece}"
            );
        }
        for (word, wanted) in case["n_best"].as_object().unwrap() {
            let wanted = list(wanted);
            let (lattice, _) = lattice(word, &scores);
            let found = lattice.n_best(wanted.len());
            for (path, wanted) in found.iter().zip(wanted) {
                let fraction = wanted[1].as_str().unwrap();
                let (over, under) = fraction.split_once('/').unwrap();
                let wanted: f64 = over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap();
                assert!((path.score.exp() / wanted - 1.0).abs() < 1e-9, "{word}");
            }
        }
    }
}

#[test]
fn draws_are_those_of_the_case_file() {
    let cases = cases("sampling.json");
    for case in list(&cases["splitmix"]) {
        let mut random = Random::new(case["seed"].as_u64().unwrap());
        for number in strings(&case["numbers"]) {
            assert_eq!(format!("{:016x}", random.next_u64()), number);
        }
    }
    let scores = numbers(&cases["scores"]);
    for case in list(&cases["sample"]) {
        let mut random = Random::new(case["seed"].as_u64().unwrap());
        let (lattice, names) = lattice(case["word"].as_str().unwrap(), &scores);
        let alpha = case["inverse_temperature"].as_f64().unwrap();
        for tokens in list(&case["tokens"]) {
            let path = lattice.sample(alpha, &mut random).unwrap();
            assert_eq!(spelled(&path.ids, &names), strings(tokens));
        }
    }
    for case in list(&cases["distinct"]) {
        let mut random = Random::new(case["seed"].as_u64().unwrap());
        let (lattice, names) = lattice(case["word"].as_str().unwrap(), &scores);
        let alpha = case["inverse_temperature"].as_f64().unwrap();
        let k = case["k"].as_u64().unwrap() as usize;
        let paths = lattice.sample_distinct(k, alpha, &mut random);
        let wanted: Vec<Vec<String>> = list(&case["tokens"]).iter().map(strings).collect();
        let found: Vec<_> = paths
            .iter()
            .map(|path| spelled(&path.ids, &names))
            .collect();
        assert_eq!(found, wanted);
    }
}

#[test]
fn dropout_is_that_of_the_case_file() {
    let cases = cases("sampling.json");
    let alphabet = Alphabet::new(256, AlphabetOrder::Bytes);
    let mut names: Vec<String> = (0..=255_u8)
        .map(|byte| char::from(byte).to_string())
        .collect();
    let mut merges = Vec::new();
    for merge in list(&cases["merges"]) {
        let parts = strings(merge);
        let id = |part: &str| names.iter().position(|name| name == part).unwrap() as TokenId;
        let (left, right) = (id(&parts[0]), id(&parts[1]));
        let joined = parts.concat();
        let new = names
            .iter()
            .position(|name| *name == joined)
            .unwrap_or(names.len());
        if new == names.len() {
            names.push(joined);
        }
        merges.push(Merge {
            left,
            right,
            new: new as TokenId,
        });
    }
    let bytes = (0..=255_u8).map(|byte| vec![byte]);
    let tokens: Vec<Vec<u8>> = bytes
        .chain(names[256..].iter().map(|name| name.clone().into_bytes()))
        .collect();
    let tokens = tokens.iter().map(|bytes| (&**bytes, Marks::NONE));
    let model = Model::from_parts(alphabet, tokens, merges).unwrap();
    let dropout = Dropout::new(&model, None).unwrap();
    for case in list(&cases["dropout"]) {
        let mut random = Random::new(case["seed"].as_u64().unwrap());
        let word: Vec<u16> = case["word"]
            .as_str()
            .unwrap()
            .bytes()
            .map(u16::from)
            .collect();
        let probability = case["probability"].as_f64().unwrap();
        for tokens in list(&case["tokens"]) {
            let mut ids = Vec::new();
            dropout
                .encode_word(&word, probability, &mut random, &mut ids)
                .unwrap();
            assert_eq!(spelled(&ids, &names), strings(tokens));
        }
    }
}
