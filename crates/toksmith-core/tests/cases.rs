//! The shared case files, run by the core: one file of inputs and answers for every engine.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toksmith_core::alphabet::{Alphabet, AlphabetOrder};
use toksmith_core::artifact::{hex, unhex};
use toksmith_core::boundary::{Boundary, MarkState, WhitespaceRule};
use toksmith_core::control::NoControl;
use toksmith_core::count::{Provenance, WordCounter};
use toksmith_core::display::form;
use toksmith_core::encode::{Encoder, EncoderKind, LongestFirst, MergeRank, Scratch};
use toksmith_core::model::{Merge, Model};
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{
    DigitRule, Pretokenizer, PretokenizerSettings, names as pretokenizer_names,
};
use toksmith_core::special::{AddedKind, AddedToken, AllowedSpecial};
use toksmith_core::tokenizer::{Parts, Tokenizer, TrainSettings};
use toksmith_core::train::{AlphabetSettings, BpeSettings, TrainerSettings};
use toksmith_core::types::{Marks, TokenId, push_symbols};

fn cases(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/cases")
        .join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap()
}

fn text<'v>(value: &'v Value, field: &str) -> Option<&'v str> {
    value.get(field).and_then(Value::as_str)
}

fn bytes(value: &Value) -> Vec<u8> {
    unhex(value.as_str().unwrap()).unwrap()
}

fn ids(value: &Value) -> Vec<TokenId> {
    serde_json::from_value(value.clone()).unwrap()
}

fn names(value: &Value) -> Vec<String> {
    let text = |v| String::from_utf8(bytes(v)).unwrap();
    value.as_array().into_iter().flatten().map(text).collect()
}

fn boundary(mode: &str) -> Boundary {
    match mode {
        "bpe" => Boundary::SpacePrefix,
        "single" => Boundary::ImplicitSingle,
        "dual" => Boundary::ImplicitDual,
        other => panic!("unknown mode {other}"),
    }
}

fn whitespace(rule: &str) -> WhitespaceRule {
    WhitespaceRule::from_name(rule).unwrap()
}

fn pretokenizer(pattern: &str) -> Pretokenizer {
    Pretokenizer::new(&PretokenizerSettings {
        pattern: pattern.to_owned(),
        unicode: None,
        digits: None,
    })
    .unwrap()
}

/// The model whose tokens are what merges spell.
fn model_of_merges(alphabet: Alphabet, merges: &[[TokenId; 3]]) -> Model {
    let mut tokens: Vec<(Vec<u8>, Marks)> = alphabet
        .units()
        .iter()
        .map(|unit| (unit.bytes.to_vec(), unit.marks))
        .collect();
    let mut rows = Vec::new();
    for &[left, right, new] in merges {
        let ((mut bytes, lead), (rest, trail)) = (
            tokens[left as usize].clone(),
            tokens[right as usize].clone(),
        );
        bytes.extend(rest);
        if new as usize == tokens.len() {
            tokens.push((bytes, Marks::new(lead.lead(), trail.trail())));
        }
        rows.push(Merge { left, right, new });
    }
    let tokens = tokens.iter().map(|(bytes, marks)| (&**bytes, *marks));
    Model::from_parts(alphabet, tokens, rows).unwrap()
}

/// The stages that a case names, with the defaults that the case files state.
struct Stages {
    boundary: Boundary,
    pattern: String,
    whitespace: WhitespaceRule,
}

impl Stages {
    fn of(case: &Value) -> Self {
        Self {
            boundary: boundary(text(case, "mode").unwrap_or("dual")),
            pattern: text(case, "pattern")
                .unwrap_or("gpt2-contraction-fix")
                .to_owned(),
            whitespace: whitespace(text(case, "whitespace").unwrap_or("split")),
        }
    }

    fn provenance(&self) -> Provenance {
        let pretokenizer = pretokenizer(&self.pattern);
        let identity = Normalizer::IDENTITY;
        Provenance::of(identity, &pretokenizer, self.boundary, self.whitespace)
    }

    fn tokenizer(&self, merges: &Value, special: Vec<String>) -> Tokenizer {
        let merges: Vec<[TokenId; 3]> = match merges {
            Value::Null => Vec::new(),
            rows => serde_json::from_value(rows.clone()).unwrap(),
        };
        let alphabet = Alphabet::new(self.boundary.alphabet_len(), AlphabetOrder::Bytes);
        let model = model_of_merges(alphabet, &merges);
        Tokenizer::new(Parts {
            recipe: "case".to_owned(),
            provenance: self.provenance(),
            model: Arc::new(model),
            added_tokens: AddedToken::all_of(AddedKind::Special, &special).collect(),
            unk: None,
            encoder: Some(EncoderKind::MergeRank),
            training: None,
        })
        .unwrap()
    }

    fn marked(&self, input: &[u8], state: MarkState) -> Vec<(bool, String, bool)> {
        let mut words = Vec::new();
        self.boundary
            .for_each_word(
                &pretokenizer(&self.pattern),
                self.whitespace,
                input,
                state,
                || ControlFlow::Continue(()),
                |word| {
                    let bytes = hex(&input[word.start..word.end]);
                    words.push((word.marks.lead(), bytes, word.marks.trail()));
                },
            )
            .unwrap();
        words
    }
}

fn marked(value: &Value) -> Vec<(bool, String, bool)> {
    let flag = |v: &Value| v.as_u64() == Some(1);
    list(value)
        .iter()
        .map(|row| {
            (
                flag(&row[0]),
                row[1].as_str().unwrap().to_owned(),
                flag(&row[2]),
            )
        })
        .collect()
}

fn pretokens(pattern: &str, input: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    pretokenizer(pattern)
        .for_each(input, |p| {
            found.push(hex(&input[p.start..p.end]));
            ControlFlow::Continue(())
        })
        .unwrap();
    found
}

#[test]
fn marks_are_those_of_the_vectors() {
    let mut checked = 0;
    for case in list(&cases("implicit-space-marks.json")["cases"]) {
        let input = bytes(&case["hex"]);
        for pattern in ["gpt2-contraction-fix", "gpt2"] {
            // A missing pattern equals the default one, a missing whole equals split.
            let expected = case.get(pattern).unwrap_or(&case["gpt2-contraction-fix"]);
            if let Some(rows) = expected.get("regex_pretokens") {
                let rows: Vec<String> = serde_json::from_value(rows.clone()).unwrap();
                assert_eq!(pretokens(pattern, &input), rows, "{case}");
            }
            for mode in ["single", "dual"] {
                let split = &expected[format!("{mode}/split")];
                for rule in ["split", "whole"] {
                    let words = expected.get(format!("{mode}/{rule}")).unwrap_or(split);
                    let stages = Stages {
                        boundary: boundary(mode),
                        pattern: pattern.to_owned(),
                        whitespace: whitespace(rule),
                    };
                    let found = stages.marked(&input, MarkState::at_start());
                    assert_eq!(
                        found,
                        marked(&words["marked"]),
                        "{mode}/{rule} {pattern} {case}"
                    );
                    let shown: Vec<String> = found
                        .iter()
                        .map(|(l, b, t)| form(&unhex(b).unwrap(), Marks::new(*l, *t)))
                        .collect();
                    assert_eq!(shown.join(" | "), words["shown"].as_str().unwrap());
                    let words: Vec<(Vec<u8>, Marks)> = found
                        .iter()
                        .map(|(l, b, t)| (unhex(b).unwrap(), Marks::new(*l, *t)))
                        .collect();
                    let words = words.iter().map(|(b, m)| (b.as_slice(), *m));
                    assert_eq!(stages.boundary.unmark(stages.whitespace, words), input);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 77 * 8, "only {checked}");
}

#[test]
fn decoding_is_defined_for_every_id_sequence() {
    let file = cases("implicit-space-decode.json");
    for case in list(&file["cases"]) {
        let tokenizer = Stages::of(case).tokenizer(&Value::Null, Vec::new());
        let decoder = tokenizer.decoder();
        let given = ids(&case["ids"]);
        let decoded = decoder
            .decode(&given, decoder.state(None, false).unwrap())
            .unwrap();
        assert_eq!(hex(&decoded), case["hex"].as_str().unwrap(), "{case}");
        let canonical = tokenizer.encode(&decoded, AllowedSpecial::None).unwrap();
        assert_eq!(Value::Bool(canonical == given), case["canonical"], "{case}");
        if !case["canonical_ids"].is_null() {
            assert_eq!(canonical, ids(&case["canonical_ids"]), "{case}");
        }
    }
}

fn check_models(documents: &[Value], models: &[Value]) {
    let documents: Vec<&str> = documents.iter().map(|d| d.as_str().unwrap()).collect();
    let documents: Vec<&[u8]> = documents.iter().map(|d| d.as_bytes()).collect();
    for model in models {
        let stages = Stages::of(model);
        for num_threads in [1, 3] {
            let mut counter = WordCounter::new(stages.provenance(), num_threads).unwrap();
            counter.count(&documents, &NoControl).unwrap();
            let counts = counter.finish(&NoControl).unwrap();
            let settings = TrainSettings {
                strict: false,
                recipe: "case".to_owned(),
                vocab_size: model["vocab_size"].as_u64().unwrap() as usize,
                trainer: TrainerSettings::Bpe(BpeSettings {
                    min_pair_count: model["min_pair_count"].as_u64().unwrap(),
                    ..BpeSettings::default()
                }),
                encoder: None,
                alphabet: AlphabetSettings::default(),
                special_tokens: Vec::new(),
                unk: None,
            };
            let tokenizer = Tokenizer::train(&counts, settings, &NoControl).unwrap();
            let merges: Vec<[TokenId; 3]> = tokenizer
                .model()
                .merges()
                .iter()
                .map(|m| [m.left, m.right, m.new])
                .collect();
            let expected: Vec<[TokenId; 3]> =
                serde_json::from_value(model["merges"].clone()).unwrap();
            assert_eq!(merges, expected);
            let longest_first = tokenizer.with_encoder(EncoderKind::LongestFirst).unwrap();
            for sample in list(&model["samples"]) {
                let input = sample["text"].as_str().unwrap().as_bytes();
                let found = tokenizer.explain(input, AllowedSpecial::None).unwrap();
                assert_eq!(found.ids, ids(&sample["ids"]), "{sample}");
                assert_eq!(found.forms.join(" | "), sample["shown"].as_str().unwrap());
                let found = longest_first.encode(input, AllowedSpecial::None).unwrap();
                assert_eq!(found, ids(&sample["ids_longest_first"]), "{sample}");
            }
        }
    }
}

#[test]
fn training_and_encoding_give_the_models_of_the_vectors() {
    let file = cases("implicit-space-models.json");
    check_models(list(&file["documents"]), list(&file["models"]));
    let extra = cases("implicit-space-extra.json");
    check_models(list(&file["documents"]), list(&extra["models"]));
}

/// A model of single bytes and the given tokens, each built by merges from the left.
fn model_of_tokens(tokens: &[&[u8]], hidden: &[&[u8]]) -> Model {
    let alphabet = Alphabet::new(256, AlphabetOrder::Bytes);
    let mut merges: Vec<[TokenId; 3]> = Vec::new();
    let mut known: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    for token in tokens {
        for end in 2..=token.len() {
            let id = |b: &[u8]| known.iter().position(|k| k == b).unwrap() as TokenId;
            if !known.iter().any(|k| k == &token[..end]) {
                let (left, right) = (id(&token[..end - 1]), id(&token[end - 1..end]));
                merges.push([left, right, known.len() as TokenId]);
                known.push(token[..end].to_vec());
            }
        }
    }
    let is_visible = |t: &[u8]| t.len() == 1 || (tokens.contains(&t) && !hidden.contains(&t));
    let visible = known.iter().map(|token| is_visible(token)).collect();
    model_of_merges(alphabet, &merges)
        .with_visible(visible)
        .unwrap()
}

/// Runs an encoder over words; each says its pieces under `field`.
fn check_pieces(kind: EncoderKind, field: &str, group: &Value, words: &[Value]) {
    let strings = |value: &Value| -> Vec<String> {
        value
            .as_array()
            .into_iter()
            .flatten()
            .map(|v| v.as_str().unwrap().to_owned())
            .collect()
    };
    let (vocab, hidden) = (strings(&group["vocab"]), strings(&group["hidden"]));
    let vocab: Vec<&[u8]> = vocab.iter().map(|t| t.as_bytes()).collect();
    let hidden: Vec<&[u8]> = hidden.iter().map(|t| t.as_bytes()).collect();
    let model = model_of_tokens(&vocab, &hidden);
    let encoder = kind.encoder(&model).unwrap();
    for case in words {
        let mut symbols = Vec::new();
        push_symbols(
            case["word"].as_str().unwrap().as_bytes(),
            Marks::NONE,
            false,
            &mut symbols,
        );
        let mut found = Vec::new();
        encoder
            .encode_word(&symbols, &mut Scratch::default(), &mut found)
            .unwrap();
        let pieces: Vec<&str> = found
            .iter()
            .map(|&id| std::str::from_utf8(model.vocab().get(id).unwrap().bytes).unwrap())
            .collect();
        assert_eq!(pieces, strings(&case[field]), "{case}");
    }
}

#[test]
fn longest_first_gives_the_pieces_of_the_vectors() {
    let kind = EncoderKind::LongestFirst;
    for group in list(&cases("longest-first.json")["groups"]) {
        check_pieces(kind, "pieces", group, list(&group["cases"]));
    }
    for group in list(&cases("implicit-space-extra.json")["visible"]) {
        check_pieces(kind, "pieces", group, list(&group["words"]));
    }
}

#[test]
fn encoders_that_choose_spans_differ_as_the_cases_say() {
    for group in list(&cases("encoders.json")["groups"]) {
        for kind in EncoderKind::ALL {
            if !matches!(
                kind,
                EncoderKind::MergeRank | EncoderKind::Viterbi | EncoderKind::WholeWord
            ) {
                check_pieces(kind, kind.name(), group, list(&group["cases"]));
            }
        }
    }
}

#[test]
fn space_prefix_whole_joins_white_space() {
    for case in list(&cases("implicit-space-extra.json")["space_prefix_whole_marks"]) {
        let stages = Stages {
            boundary: Boundary::SpacePrefix,
            pattern: text(case, "pattern")
                .unwrap_or("gpt2-contraction-fix")
                .to_owned(),
            whitespace: WhitespaceRule::Whole,
        };
        let found = stages.marked(&bytes(&case["hex"]), MarkState::at_start());
        assert_eq!(found, marked(&case["marked"]), "{case}");
    }
}

#[test]
fn boundaries_mark_and_decode_as_the_case_file_says() {
    for case in list(&cases("boundaries.json")["cases"]) {
        let stages = Stages {
            boundary: Boundary::from_name(text(case, "boundary").unwrap()).unwrap(),
            pattern: "gpt2-contraction-fix".to_owned(),
            whitespace: whitespace(text(case, "whitespace").unwrap()),
        };
        let input = text(case, "text").unwrap();
        let tokenizer = stages.tokenizer(&Value::Null, Vec::new());
        let found = tokenizer
            .encode(input.as_bytes(), AllowedSpecial::None)
            .unwrap();
        let mut expected = Vec::new();
        for (_, word, _) in marked(&case["marked"]) {
            for (index, byte) in unhex(&word).unwrap().into_iter().enumerate() {
                let has_lead = index > 0 && stages.boundary == Boundary::Continuation;
                expected.push(TokenId::from(byte) + 256 * TokenId::from(has_lead));
            }
        }
        assert_eq!(found, expected, "{case}");
        let decoder = tokenizer.decoder();
        let decoded = decoder
            .decode(&found, decoder.state(None, false).unwrap())
            .unwrap();
        assert_eq!(decoded, text(case, "decoded").unwrap().as_bytes(), "{case}");
    }
}

#[test]
fn a_merge_may_spell_an_existing_token() {
    for case in list(&cases("implicit-space-extra.json")["repeated_tokens"]) {
        let stages = Stages::of(case);
        let tokenizer = stages.tokenizer(&case["merges"], Vec::new());
        let model = tokenizer.model();
        let merge_rank = MergeRank::new(model).unwrap();
        let longest_first = LongestFirst::new(model);
        for word in list(&case["words"]) {
            let (lead, bytes, trail) = &marked(&Value::Array(vec![word["word"].clone()]))[0];
            let mut symbols = Vec::new();
            let marks = Marks::new(*lead, *trail);
            push_symbols(
                &unhex(bytes).unwrap(),
                marks,
                model.is_marked(),
                &mut symbols,
            );
            let run = |encoder: &dyn Encoder| {
                let mut found = Vec::new();
                encoder
                    .encode_word(&symbols, &mut Scratch::default(), &mut found)
                    .unwrap();
                found
            };
            assert_eq!(run(&merge_rank), ids(&word["ids"]), "{word}");
            assert_eq!(
                run(&longest_first),
                ids(&word["ids_longest_first"]),
                "{word}"
            );
        }
    }
}

#[test]
fn special_tokens_cut_the_text_and_glue() {
    for case in list(&cases("implicit-space-extra.json")["special_tokens"]) {
        let special = names(&case["special_tokens"]);
        let tokenizer = Stages::of(case).tokenizer(&case["merges"], special);
        let found = tokenizer
            .encode(&bytes(&case["hex"]), AllowedSpecial::All)
            .unwrap();
        assert_eq!(found, ids(&case["ids"]), "{case}");
        let decoder = tokenizer.decoder();
        for decode in list(&case["decode"]) {
            let state = decoder.state(None, false).unwrap();
            let decoded = decoder.decode(&ids(&decode["ids"]), state).unwrap();
            assert_eq!(hex(&decoded), decode["hex"].as_str().unwrap(), "{case}");
        }
    }
}

#[test]
fn offsets_are_spans_of_the_source() {
    for case in list(&cases("implicit-space-extra.json")["offsets"]) {
        let special = names(&case["special_tokens"]);
        let tokenizer = Stages::of(case).tokenizer(&case["merges"], special);
        let found = tokenizer
            .encode_with_offsets(&bytes(&case["hex"]), AllowedSpecial::All)
            .unwrap();
        assert_eq!(found.ids, ids(&case["ids"]), "{case}");
        let spans: Vec<(usize, usize)> =
            serde_json::from_value(case["byte_spans"].clone()).unwrap();
        assert_eq!(found.byte_spans, spans, "{case}");
    }
}

#[test]
fn a_cut_document_gives_the_words_of_the_whole() {
    for case in list(&cases("implicit-space-extra.json")["cut_documents"]) {
        let stages = Stages::of(case);
        let (left, right) = (bytes(&case["left_hex"]), bytes(&case["right_hex"]));
        let left_words = stages.marked(&left, MarkState::at_start());
        let right_words = stages.marked(&right, MarkState::at_cut());
        assert_eq!(left_words, marked(&case["left_marked"]), "{case}");
        assert_eq!(right_words, marked(&case["right_marked"]), "{case}");
        let whole = stages.marked(&[left, right].concat(), MarkState::at_start());
        assert_eq!(whole, [left_words, right_words].concat(), "{case}");
    }
}

#[test]
fn decoding_goes_on_after_an_id() {
    for case in list(&cases("implicit-space-extra.json")["decode_after"]) {
        let tokenizer = Stages::of(case).tokenizer(&Value::Null, names(&case["special_tokens"]));
        let decoder = tokenizer.decoder();
        let after = case["after"].as_u64().map(|id| id as TokenId);
        let state = decoder.state(after, false).unwrap();
        let decoded = decoder.decode(&ids(&case["ids"]), state).unwrap();
        assert_eq!(hex(&decoded), case["hex"].as_str().unwrap(), "{case}");
    }
}

#[test]
fn custom_patterns_drop_nothing() {
    let file = cases("implicit-space-extra.json");
    for section in ["custom_patterns", "named_patterns"] {
        for case in list(&file[section]) {
            let pattern = text(case, "pattern").unwrap();
            let input = bytes(&case["hex"]);
            let expected: Vec<String> = serde_json::from_value(case["pretokens"].clone()).unwrap();
            assert_eq!(pretokens(pattern, &input), expected, "{case}");
            let found = Stages::of(case).marked(&input, MarkState::at_start());
            assert_eq!(found, marked(&case["dual"]), "{case}");
        }
    }
}

#[test]
fn pretokenizers_cut_as_the_case_file_says() {
    let mut seen = Vec::new();
    for case in list(&cases("pretokenizers.json")["cases"]) {
        let pattern = text(case, "pattern").unwrap();
        let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
            pattern: pattern.to_owned(),
            unicode: None,
            digits: text(case, "digits").map(|name| DigitRule::from_name(name).unwrap()),
        })
        .unwrap();
        let expected: Vec<String> = serde_json::from_value(case["pretokens"].clone()).unwrap();
        let input = unhex(&expected.concat()).unwrap();
        let mut found = Vec::new();
        pretokenizer
            .for_each(&input, |p| {
                found.push(hex(&input[p.start..p.end]));
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(found, expected, "{case}");
        seen.push(pattern.to_owned());
    }
    for name in pretokenizer_names() {
        assert!(
            name == "jieba" || seen.iter().any(|seen| seen == name),
            "{name}"
        );
    }
}

#[cfg(feature = "jieba")]
#[test]
fn chinese_words_are_those_of_the_case_file() {
    for case in list(&cases("jieba.json")["cases"]) {
        let input = text(case, "text").unwrap();
        let words: Vec<String> = serde_json::from_value(case["words"].clone()).unwrap();
        let words: Vec<String> = words.iter().map(|word| hex(word.as_bytes())).collect();
        assert_eq!(pretokens("jieba", input.as_bytes()), words, "{case}");
    }
}

#[test]
fn forms_are_shown_as_the_vectors_say() {
    for case in list(&cases("implicit-space-extra.json")["forms"]) {
        let (lead, bytes, trail) = &marked(&Value::Array(vec![case["token"].clone()]))[0];
        let shown = form(&unhex(bytes).unwrap(), Marks::new(*lead, *trail));
        assert_eq!(shown, case["form"].as_str().unwrap());
    }
}

fn normalizer(steps: &Value) -> Result<Normalizer, serde_json::Error> {
    serde_json::from_value(steps.clone())
}

#[test]
fn normalizers_give_the_bytes_and_spans_of_the_case_file() {
    for case in list(&cases("normalizers.json")["cases"]) {
        let normalizer = normalizer(&case["normalizer"]).unwrap();
        let text = bytes(&case["hex"]);
        let normalized = normalizer.normalize_with_offsets(&text);
        assert_eq!(
            hex(&normalized.bytes),
            case["normalized"].as_str().unwrap(),
            "{case}"
        );
        assert_eq!(normalizer.normalize(&text), normalized.bytes, "{case}");
        for (at, span) in case["spans"].as_array().into_iter().flatten().enumerate() {
            let expected: (usize, usize) = serde_json::from_value(span.clone()).unwrap();
            let found = normalized.offsets.source_span(at, at + 1);
            assert_eq!(found, expected, "byte {at} of {case}");
        }
    }
}

#[test]
fn normalizers_that_are_not_are_refused_as_the_case_file_says() {
    for case in list(&cases("normalizers.json")["refused"]) {
        let error = normalizer(&case["normalizer"]).unwrap_err().to_string();
        for says in list(&case["says"]) {
            assert!(error.contains(says.as_str().unwrap()), "{error} {case}");
        }
    }
}

#[test]
fn a_normalizer_is_read_back_as_it_was_written() {
    for case in list(&cases("normalizers.json")["cases"]) {
        let normalizer = normalizer(&case["normalizer"]).unwrap();
        let read: Normalizer = serde_json::from_str(&normalizer.to_string()).unwrap();
        assert_eq!(read, normalizer);
        assert_eq!(read.to_string(), normalizer.to_string());
    }
}
