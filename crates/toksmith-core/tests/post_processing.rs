//! The shared cases of templates, truncation and padding, run by the core.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toksmith_core::alphabet::{Alphabet, AlphabetOrder};
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::count::Provenance;
use toksmith_core::encode::EncoderKind;
use toksmith_core::model::Model;
use toksmith_core::normalize::Normalizer;
use toksmith_core::post::{
    PadLength, PaddingSettings, PostSettings, Prepared, Side, Strategy, TemplateSettings,
    TruncationSettings, split_pieces,
};
use toksmith_core::pretokenize::{Pretokenizer, PretokenizerSettings};
use toksmith_core::special::{AddedKind, AddedToken, AllowedSpecial};
use toksmith_core::tokenizer::{Parts, Tokenizer};

fn cases() -> Value {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases/post-processing.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Bytes alone, and the special tokens of the case file.
fn tokenizer(file: &Value) -> Tokenizer {
    let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
        pattern: "gpt2-contraction-fix".to_owned(),
        unicode: None,
        digits: None,
    })
    .unwrap();
    let provenance = Provenance::of(
        Normalizer::IDENTITY,
        &pretokenizer,
        Boundary::SpacePrefix,
        WhitespaceRule::Split,
    );
    let alphabet = Alphabet::new(256, AlphabetOrder::Bytes);
    let units: Vec<_> = alphabet
        .units()
        .iter()
        .map(|unit| (unit.bytes.to_vec(), unit.marks))
        .collect();
    let tokens = units.iter().map(|(bytes, marks)| (&**bytes, *marks));
    Tokenizer::new(Parts {
        recipe: "case".to_owned(),
        provenance,
        model: Arc::new(Model::from_parts(alphabet, tokens, Vec::new()).unwrap()),
        added_tokens: AddedToken::all_of(AddedKind::Special, &strings(&file["special_tokens"]))
            .collect(),
        unk: None,
        encoder: Some(EncoderKind::MergeRank),
        training: None,
    })
    .unwrap()
}

fn template(value: &Value) -> TemplateSettings {
    let pieces = |form: &Value| form.as_str().map(split_pieces);
    TemplateSettings {
        single: pieces(&value["single"]).unwrap(),
        pair: pieces(&value["pair"]),
    }
}

/// Keyword arguments, as Python takes them, as settings.
fn settings(arguments: &Value) -> PostSettings {
    let size = |name: &str| arguments[name].as_u64().map(|n| n as usize);
    let flag = |name: &str, default| arguments[name].as_bool().unwrap_or(default);
    let side = |name: &'static str| {
        Side::from_name(name, arguments[name].as_str().unwrap_or("right")).unwrap()
    };
    let strategy = match arguments.get("truncation") {
        None => Some(Strategy::LongestFirst),
        Some(name) => name.as_str().map(|name| Strategy::from_name(name).unwrap()),
    };
    PostSettings {
        add_special_tokens: flag("add_special_tokens", true),
        truncation: size("max_length")
            .zip(strategy)
            .map(|(max_length, strategy)| TruncationSettings {
                max_length,
                stride: size("stride").unwrap_or(0),
                side: side("truncation_side"),
                strategy,
            }),
        padding: arguments["padding"].as_str().map(|length| PaddingSettings {
            length: match length {
                "longest" => PadLength::Longest,
                _ => PadLength::Fixed(size("max_length").unwrap()),
            },
            pad_token: arguments["pad_token"].as_str().unwrap().to_owned(),
            side: side("padding_side"),
            pad_to_multiple_of: size("pad_to_multiple_of"),
        }),
        return_overflow: flag("return_overflow", false),
    }
}

fn column<T: serde::Serialize>(prepared: &Prepared, values: &[T]) -> Value {
    let rows = prepared.offsets.windows(2);
    let rows: Vec<&[T]> = rows.map(|pair| &values[pair[0]..pair[1]]).collect();
    serde_json::to_value(rows).unwrap()
}

fn check(case: &Value, tokenizer: &Tokenizer, prepared: &Prepared) {
    let shown = |id: u32| String::from_utf8(tokenizer.token(id).unwrap().0.to_vec()).unwrap();
    let rows = prepared.offsets.windows(2).map(|pair| {
        let row = prepared.ids[pair[0]..pair[1]].iter();
        row.map(|&id| shown(id)).collect::<Vec<_>>().join(" ")
    });
    assert_eq!(rows.collect::<Vec<_>>(), strings(&case["rows"]), "{case}");
    let columns = [
        ("type_ids", column(prepared, &prepared.type_ids)),
        ("attention_mask", column(prepared, &prepared.attention_mask)),
        ("sequence_ids", column(prepared, &prepared.sequence_ids)),
        ("byte_spans", column(prepared, &prepared.byte_spans)),
        // All texts are ASCII.
        ("byte_spans", column(prepared, &prepared.char_spans)),
        (
            "special_tokens_mask",
            column(prepared, &prepared.special_tokens_mask),
        ),
        (
            "overflow_to_sample",
            serde_json::to_value(&prepared.overflow_to_sample).unwrap(),
        ),
    ];
    for (name, found) in columns {
        if let Some(expected) = case.get(name) {
            assert_eq!(&found, expected, "{name} of {case}");
        }
    }
}

fn check_error(case: &Value, message: &str) {
    let expected = case["error"].as_str();
    let is_it = expected.is_some_and(|expected| message.contains(expected));
    assert!(is_it, "{message} in {case}");
}

#[test]
fn templates_are_read_and_written_and_faults_named() {
    let file = cases();
    let plain = tokenizer(&file);
    for case in list(&file["templates"]) {
        match plain.with_template(Some(&template(case))) {
            Err(error) => check_error(case, &error.to_string()),
            Ok(tokenizer) => {
                let written = tokenizer.template().unwrap().settings();
                assert_eq!(written.single, strings(&case["written"]), "{case}");
                let read = Tokenizer::from_json(&tokenizer.to_json().unwrap()).unwrap();
                assert_eq!(read.template(), tokenizer.template());
            }
        }
    }
}

#[test]
fn rows_are_those_of_the_cases() {
    let file = cases();
    let plain = tokenizer(&file);
    for case in list(&file["prepare"]) {
        let tokenizer = match &case["template"] {
            Value::Null => plain.with_template(None),
            Value::String(_) => plain.with_template(Some(&template(&file["bert"]))),
            other => plain.with_template(Some(&template(other))),
        }
        .unwrap();
        let texts = strings(&case["texts"]);
        let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let pairs = case["pairs"].as_array().map(|_| strings(&case["pairs"]));
        let pairs: Option<Vec<&[u8]>> = pairs
            .as_ref()
            .map(|pairs| pairs.iter().map(String::as_bytes).collect());
        let settings = settings(&case["settings"]);
        for num_threads in [1, 3] {
            let (pairs, none) = (pairs.as_deref(), AllowedSpecial::None);
            match tokenizer.prepare(&texts, pairs, none, &settings, num_threads) {
                Ok(prepared) => check(case, &tokenizer, &prepared),
                Err(error) => check_error(case, &error.to_string()),
            }
        }
    }
}

#[test]
fn texts_of_a_pair_keep_what_the_cases_say() {
    let file = cases();
    let plain = tokenizer(&file);
    for case in list(&file["kept"]) {
        let lens: Vec<usize> = serde_json::from_value(case["lengths"].clone()).unwrap();
        let kept: Vec<usize> = serde_json::from_value(case["kept"].clone()).unwrap();
        let settings = PostSettings {
            truncation: Some(TruncationSettings {
                max_length: case["room"].as_u64().unwrap() as usize,
                stride: 0,
                side: Side::Right,
                strategy: Strategy::from_name(case["strategy"].as_str().unwrap()).unwrap(),
            }),
            ..PostSettings::default()
        };
        let (first, second) = (vec![b'a'; lens[0]], vec![b'b'; lens[1]]);
        let prepared = plain
            .prepare(
                &[&first],
                Some(&[&second]),
                AllowedSpecial::None,
                &settings,
                1,
            )
            .unwrap();
        let of = |text| {
            prepared
                .sequence_ids
                .iter()
                .filter(|&&id| id == Some(text))
                .count()
        };
        assert_eq!([of(0), of(1)], kept[..], "{case}");
    }
}
