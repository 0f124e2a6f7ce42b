//! Promises that hold for any bytes under every normalizer: spans lie in the source and never run
//! backwards, decoding gives the normalized text, counting does not depend on threads, and hostile
//! text takes linear time.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::OnceLock;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use proptest::prelude::*;
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::control::NoControl;
use toksmith_core::count::{Provenance, WordCounter, WordCounts};
use toksmith_core::normalize::{Normalizer, UNICODE_VERSION};
use toksmith_core::pretokenize::{Pretokenizer, PretokenizerSettings, UNICODE_TABLE};
use toksmith_core::special::AllowedSpecial;
use toksmith_core::tokenizer::{Tokenizer, TrainSettings};
use toksmith_core::train::{AlphabetSettings, BpeSettings, TrainerSettings};

const NORMALIZERS: [&str; 20] = [
    r#""nfc""#,
    r#""nfd""#,
    r#""nfkc""#,
    r#""nfkd""#,
    r#""lowercase""#,
    r#""strip-accents""#,
    r#""bert""#,
    r#""strip""#,
    r#""strip-left""#,
    r#""strip-right""#,
    r#""collapse-whitespace""#,
    r#""remove-extra-whitespaces""#,
    r#""nmt-nfkc""#,
    r#""nmt-nfkc-cf""#,
    r#""nfkc-cf""#,
    r#""sentencepiece-nfkc""#,
    r#"{"type": "replace", "literal": "a", "by": ""}"#,
    r#"{"type": "replace", "pattern": "a*", "by": "<é>"}"#,
    r#"["nmt-nfkc", "remove-extra-whitespaces"]"#,
    r#"["nfd", "strip-accents", "bert", {"type": "replace", "pattern": "\\s|$", "by": "株"}, "nfkc",
        "collapse-whitespace", "strip"]"#,
];

fn normalizers() -> Vec<Normalizer> {
    let read = |steps: &&str| serde_json::from_str(steps).unwrap();
    NORMALIZERS.iter().map(read).collect()
}

fn counts(
    normalizer: &Normalizer,
    documents: &[&[u8]],
    boundary: Boundary,
    num_threads: usize,
) -> WordCounts {
    let pretokenizer = Pretokenizer::new(&PretokenizerSettings::default()).unwrap();
    let split = WhitespaceRule::Split;
    let provenance = Provenance::of(normalizer.clone(), &pretokenizer, boundary, split);
    let mut counter = WordCounter::new(provenance, num_threads).unwrap();
    counter.count(documents, &NoControl).unwrap();
    counter.finish(&NoControl).unwrap()
}

/// One tokenizer for each normalizer, every boundary among them.
fn tokenizers() -> &'static [Tokenizer] {
    static ALL: OnceLock<Vec<Tokenizer>> = OnceLock::new();
    ALL.get_or_init(|| {
        let text = "a é the 中文 株式会社 <é> fi ﬁ e\u{301}  The the THE ".repeat(3);
        let all = normalizers()
            .into_iter()
            .zip(Boundary::ALL.into_iter().cycle());
        all.map(|(normalizer, boundary)| {
            let settings = TrainSettings {
                strict: false,
                recipe: "test".to_owned(),
                vocab_size: boundary.alphabet_len() + 31,
                trainer: TrainerSettings::Bpe(BpeSettings::default()),
                encoder: None,
                alphabet: AlphabetSettings::default(),
                special_tokens: vec!["<eot>".to_owned()],
                unk: None,
            };
            let counts = counts(&normalizer, &[text.as_bytes()], boundary, 1);
            Tokenizer::train(&counts, settings, &NoControl).unwrap()
        })
        .collect()
    })
}

fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&'static [u8]> = vec![
        b"a",
        b"The",
        b" ",
        b"  ",
        b"\t",
        b"\n",
        b"<eot>",
        b"\0",
        b"\x1F",
        b"\x7F",
        b"\xFF",
        b"\x80",
        b"\xE2\x80",
        b"\xED\xA0\x80",
        "\u{85}".as_bytes(),
        "\u{A0}".as_bytes(),
        "\u{3000}".as_bytes(),
        "é".as_bytes(),
        "É".as_bytes(),
        "e\u{301}".as_bytes(),
        "\u{301}".as_bytes(),
        "\u{323}".as_bytes(),
        "\u{344}".as_bytes(),
        "\u{345}".as_bytes(),
        "\u{F73}".as_bytes(),
        "ậ".as_bytes(),
        "İ".as_bytes(),
        "ẞ".as_bytes(),
        "Σ".as_bytes(),
        "ﬁ".as_bytes(),
        "㍿".as_bytes(),
        "\u{FDFA}".as_bytes(),
        "中".as_bytes(),
        "각".as_bytes(),
        "가".as_bytes(),
        "\u{1100}".as_bytes(),
        "\u{1161}".as_bytes(),
        "\u{11A8}".as_bytes(),
        "\u{FFC2}".as_bytes(),
        "\u{FF76}".as_bytes(),
        "\u{FF9E}".as_bytes(),
        "\u{9C7}".as_bytes(),
        "\u{9BE}".as_bytes(),
        "\u{958}".as_bytes(),
        "\u{200B}".as_bytes(),
        "\u{2581}".as_bytes(),
        "\u{FF5E}".as_bytes(),
        "\u{FFFD}".as_bytes(),
        "\u{1D15E}".as_bytes(),
        "\u{1E030}".as_bytes(),
    ];
    let any_text = prop::collection::vec(any::<char>(), 0..20)
        .prop_map(|chars| String::from_iter(chars).into_bytes());
    prop_oneof![
        3 => prop::collection::vec(prop::sample::select(pieces), 0..30).prop_map(|p| p.concat()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => any_text,
    ]
}

fn well_formed(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn spans_lie_in_the_source_and_never_run_backwards(text in hostile()) {
        for normalizer in normalizers() {
            let normalized = normalizer.normalize_with_offsets(&text);
            prop_assert_eq!(&normalizer.normalize(&text), &normalized.bytes, "{}", normalizer);
            prop_assert!(!well_formed(&text) || well_formed(&normalized.bytes), "{}", normalizer);
            let len = normalized.bytes.len();
            for num_bytes in 1..5 {
                let mut before = (0, 0);
                for at in (0..len).step_by(num_bytes) {
                    let to = len.min(at + num_bytes);
                    let (start, end) = normalized.offsets.source_span(at, to);
                    prop_assert!(start <= end && end <= text.len(), "{}", normalizer);
                    prop_assert!(before.0 <= start && before.1 <= end, "{}", normalizer);
                    before = (start, end);
                }
            }
        }
    }

    #[test]
    fn what_a_span_covers_becomes_what_stands_there(text in hostile()) {
        // Of forms, a piece is normalized by itself: what came from a span is what it becomes.
        for (name, normalizer) in NORMALIZERS.iter().zip(normalizers()).take(4) {
            let normalized = normalizer.normalize_with_offsets(&text);
            let mut at = 0;
            while at < normalized.bytes.len() {
                let (start, end) = normalized.offsets.source_span(at, at + 1);
                let same = |to: &usize| {
                    normalized.offsets.source_span(*to - 1, *to) == (start, end)
                };
                let to = (at + 1..=normalized.bytes.len()).take_while(same).last().unwrap();
                let source = &text[start..end];
                if well_formed(source) && well_formed(&normalized.bytes[at..to]) {
                    prop_assert_eq!(
                        &*normalizer.normalize(source), &normalized.bytes[at..to], "{}", name
                    );
                }
                at = to;
            }
        }
    }

    #[test]
    fn decoding_gives_the_normalized_text(text in hostile()) {
        for tokenizer in tokenizers() {
            let ids = tokenizer.encode(&text, AllowedSpecial::None).unwrap();
            let decoder = tokenizer.decoder();
            let decoded = decoder.decode(&ids, decoder.state(None, false).unwrap()).unwrap();
            prop_assert_eq!(&*decoded, &*tokenizer.normalize(&text), "{:?}", tokenizer.provenance());
            prop_assert!(!tokenizer.is_lossless());
        }
    }

    #[test]
    fn offsets_go_with_the_ids_of_the_fast_path(text in hostile()) {
        for tokenizer in tokenizers() {
            for allowed in [AllowedSpecial::None, AllowedSpecial::All] {
                let encoding = tokenizer.encode_with_offsets(&text, allowed).unwrap();
                prop_assert_eq!(&tokenizer.encode(&text, allowed).unwrap(), &encoding.ids);
                let (mut bytes, mut chars) = ((0, 0), (0, 0));
                for (&b, &c) in encoding.byte_spans.iter().zip(&encoding.char_spans) {
                    prop_assert!(b.0 <= b.1 && b.1 <= text.len());
                    prop_assert!(bytes.0 <= b.0 && bytes.1 <= b.1);
                    prop_assert!(c.0 <= c.1 && chars.0 <= c.0 && chars.1 <= c.1);
                    prop_assert_eq!(b.0 == b.1, c.0 == c.1);
                    (bytes, chars) = (b, c);
                }
            }
        }
    }

    #[test]
    fn counts_do_not_depend_on_threads(
        documents in prop::collection::vec(hostile(), 1..6), num_threads in 2_usize..5,
    ) {
        let documents: Vec<&[u8]> = documents.iter().map(Vec::as_slice).collect();
        for normalizer in normalizers() {
            let one = counts(&normalizer, &documents, Boundary::SpacePrefix, 1);
            let many = counts(&normalizer, &documents, Boundary::SpacePrefix, num_threads);
            prop_assert_eq!(one.to_tsv(), many.to_tsv());
            prop_assert_eq!(&WordCounts::from_tsv(&one.to_tsv()).unwrap(), &one);
        }
    }
}

#[test]
fn a_long_document_is_normalized_before_it_is_cut() {
    // Long enough to be cut: parts are at least 256 KiB. What a step sees at the cuts matters.
    let document = "Ａ  e\u{301} \u{3000} b\n\n  ﬁ\t".repeat(60_000);
    for normalizer in normalizers() {
        let count = |threads| {
            counts(
                &normalizer,
                &[document.as_bytes()],
                Boundary::SpacePrefix,
                threads,
            )
            .to_tsv()
        };
        assert_eq!(count(1), count(4), "{normalizer}");
        let normalized = normalizer.normalize(document.as_bytes());
        let words = |counts: WordCounts| {
            let words = counts.iter().map(|word| (word.bytes.to_vec(), word.count));
            words.collect::<Vec<_>>()
        };
        assert_eq!(
            words(counts(
                &normalizer,
                &[document.as_bytes()],
                Boundary::SpacePrefix,
                3
            )),
            words(counts(
                &Normalizer::IDENTITY,
                &[&normalized],
                Boundary::SpacePrefix,
                1
            )),
            "{normalizer}"
        );
    }
}

#[test]
fn counts_of_different_normalizers_are_not_merged() {
    let of = |steps: &str| {
        let normalizer = serde_json::from_str(steps).unwrap();
        counts(&normalizer, &[b"a"], Boundary::SpacePrefix, 1)
    };
    let error = of(r#""nfc""#)
        .merge(&of(r#""nfkc""#))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("normalizer") && error.contains("nfkc"),
        "{error}"
    );
    assert!(of(r#""nfc""#).merge(&of(r#"["nfc"]"#)).is_ok());
}

#[test]
fn a_tokenizer_with_a_normalizer_is_read_back_as_it_was_written() {
    for tokenizer in tokenizers() {
        let json = tokenizer.to_json().unwrap();
        let read = Tokenizer::from_json(&json).unwrap();
        assert_eq!(read.to_json().unwrap(), json);
        assert_eq!(read.provenance(), tokenizer.provenance());
    }
}

#[test]
fn without_steps_nothing_is_copied() {
    let text = "É  a".as_bytes();
    let normalized = Normalizer::IDENTITY.normalize(text);
    assert!(std::ptr::eq(normalized.as_ptr(), text.as_ptr()));
    assert!(Normalizer::IDENTITY.is_lossless());
    // Nor is a text that is normalized already.
    let nfc: Normalizer = serde_json::from_str(r#""nfc""#).unwrap();
    assert!(std::ptr::eq(nfc.normalize(text).as_ptr(), text.as_ptr()));
}

#[test]
fn megabytes_of_hostile_text_take_linear_time() {
    // With anything quadratic this test would not end.
    const LEN: usize = 1 << 20;
    let units = [
        "\u{301}",
        "\u{301}\u{323}",
        "e\u{323}\u{301}",
        "각",
        "\u{1100}",
        "\u{1161}",
        " ",
        "a ",
        "a\u{3000}",
        "\u{FDFA}",
        "İ",
        "a",
        "中",
        "\u{9BE}",
        "\u{FF9E}",
    ];
    let ill_formed: [&[u8]; 3] = [b"\xFF", b"\xE2\x80 ", b"\xCC\x81\xCC"];
    let texts = units.iter().map(|unit| unit.as_bytes()).chain(ill_formed);
    for unit in texts {
        let text = [b"e", &*unit.repeat(LEN / unit.len())].concat();
        for normalizer in normalizers() {
            let normalized = normalizer.normalize_with_offsets(&text);
            let len = normalized.bytes.len();
            assert!(normalized.offsets.source_span(0, len).1 <= text.len());
        }
    }
}

/// The first version with a category for a code point, and its category in the version wanted.
fn category_table(wanted: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let versions: Vec<&str> = UNICODE_TABLE
        .lines()
        .find_map(|line| line.strip_prefix("# versions: "))
        .unwrap()
        .split_whitespace()
        .collect();
    let order = |version: &str| versions.iter().position(|&known| known == version);
    let wanted = order(wanted).unwrap();
    let (mut first, mut category) = (vec![""; 0x11_0000], vec!["Cn"; 0x11_0000]);
    for row in UNICODE_TABLE.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let code_point = |field: &str| usize::from_str_radix(field, 16).unwrap();
        let since = order(fields[3]).unwrap();
        for at in code_point(fields[0])..=code_point(fields[1]) {
            if first[at].is_empty() || order(first[at]) > Some(since) {
                first[at] = fields[3];
            }
            if (since..=order(fields[4]).unwrap_or(usize::MAX)).contains(&wanted) {
                category[at] = fields[2];
            }
        }
    }
    (first, category)
}

#[test]
fn sentencepiece_rules_leave_later_characters_alone() {
    let (first, _) = category_table(UNICODE_VERSION);
    let normalizers: Vec<_> = normalizers().drain(12..16).collect();
    for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
        if first[c as usize] != "18.0" {
            continue;
        }
        // A mark after it finds nothing to compose with.
        let text = [c, '\u{300}'].iter().collect::<String>();
        for normalizer in &normalizers {
            assert_eq!(&*normalizer.normalize(text.as_bytes()), text.as_bytes());
        }
    }
}

#[test]
fn the_data_has_the_unicode_version_that_is_recorded() {
    let names = |category: GeneralCategory| match category {
        GeneralCategory::UppercaseLetter => "Lu",
        GeneralCategory::LowercaseLetter => "Ll",
        GeneralCategory::NonspacingMark => "Mn",
        GeneralCategory::SpacingMark => "Mc",
        GeneralCategory::EnclosingMark => "Me",
        GeneralCategory::Control => "Cc",
        GeneralCategory::Format => "Cf",
        GeneralCategory::PrivateUse => "Co",
        GeneralCategory::Unassigned => "Cn",
        _ => "other",
    };
    let (_, expected) = category_table(UNICODE_VERSION);
    let data = CodePointMapData::<GeneralCategory>::new();
    for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
        let expected = match expected[c as usize] {
            found @ ("Lu" | "Ll" | "Mn" | "Mc" | "Me" | "Cc" | "Cf" | "Co" | "Cn") => found,
            _ => "other",
        };
        assert_eq!(names(data.get(c)), expected, "{c:?}");
    }
}
