//! Any other regular expression, in a linear-time engine where it can be had; patterns with
//! look-around run in a backtracking engine with a bound.
//!
//! Text between matches is a pretoken of its own, and an empty match is none.

use std::ops::ControlFlow;

use fancy_regex::Regex as BacktrackingRegex;
use regex_automata::meta::Regex as LinearRegex;

use crate::error::{Error, Result};

use super::unicode::{UnicodeClasses, decode_multibyte};
use super::{Pretoken, class_of_span};

/// The Unicode version of the tables inside the regular expression engines.
const ENGINE_UNICODE: &str = "16.0";

/// Ill-formed bytes are matched as private-use characters, which are neither letter, number nor
/// space; they exist only in a copy of the text that the engine sees.
const ILL_FORMED_BASE: u32 = 0x10_FF00;

/// Steps a backtracking search for the next match may take before it is given up. It bounds the time
/// that a hostile pattern can cost; a pattern with look-around may meet it on long harmless runs too,
/// and then says so with the place.
const BACKTRACK_LIMIT: usize = 1_000_000;

/// Compiling takes more than linear time, so longer patterns are refused.
const MAX_PATTERN_BYTES: usize = 10_000;

/// Characters of a pattern that an error shows.
const MAX_SHOWN: usize = 200;

/// Limit on the compiled size of a pattern, in bytes.
const COMPILED_SIZE_LIMIT: usize = 10 << 20;

#[derive(Clone, Debug)]
enum Engine {
    Linear(LinearRegex),
    Backtracking(BacktrackingRegex),
}

/// A compiled custom pattern.
#[derive(Clone, Debug)]
pub struct RegexPretokenizer {
    pattern: String,
    engine: Engine,
    classes: &'static UnicodeClasses,
}

impl RegexPretokenizer {
    pub(super) fn new(pattern: &str, unicode: Option<&str>) -> Result<Self> {
        if let Some(version) = unicode.filter(|&version| version != ENGINE_UNICODE) {
            return Err(Error::Incompatible {
                what: format!(
                    "unicode={version:?} cannot be had for a custom pattern: the regular expression \
                     engine has Unicode {ENGINE_UNICODE}; the named patterns have the others"
                ),
            });
        }
        let fault = |reason: String| Error::Pattern {
            pattern: pattern.chars().take(MAX_SHOWN).collect(),
            reason,
        };
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(fault(format!(
                "it is {} bytes long, and the limit is {MAX_PATTERN_BYTES}",
                pattern.len()
            )));
        }
        let linear = LinearRegex::builder()
            .configure(LinearRegex::config().nfa_size_limit(Some(COMPILED_SIZE_LIMIT)))
            .build(pattern);
        let engine = match linear {
            Ok(regex) => Engine::Linear(regex),
            Err(linear_error) => fancy_regex::RegexBuilder::new(pattern)
                .backtrack_limit(BACKTRACK_LIMIT)
                .delegate_size_limit(COMPILED_SIZE_LIMIT)
                .build()
                .map(Engine::Backtracking)
                .map_err(|error| {
                    // A size limit is the linear engine's word, syntax the other's.
                    fault(match linear_error.size_limit() {
                        Some(_) => linear_error.to_string(),
                        None => error.to_string(),
                    })
                })?,
        };
        Ok(Self {
            pattern: pattern.to_owned(),
            engine,
            classes: UnicodeClasses::of_version(ENGINE_UNICODE)?,
        })
    }

    pub(super) fn pattern(&self) -> &str {
        &self.pattern
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    pub(super) fn for_each(
        &self,
        text: &[u8],
        emit: &mut dyn FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        let mut done = 0;
        let mut cut = |end: usize| {
            if end <= done {
                return ControlFlow::Continue(());
            }
            let pretoken = Pretoken {
                start: done,
                end,
                class: class_of_span(self.classes, &text[done..end]),
            };
            done = end;
            emit(pretoken)
        };
        let flow = match std::str::from_utf8(text) {
            Ok(valid) => self.for_each_match(valid, |start, end| {
                cut(start)?;
                cut(end)
            })?,
            Err(_) => {
                let (copy, places) = with_placeholders(text);
                let source = |at: usize| {
                    let known = places.partition_point(|&(in_copy, _)| in_copy <= at);
                    places[..known]
                        .last()
                        .map_or(at, |&(in_copy, in_text)| in_text + (at - in_copy))
                };
                self.for_each_match(&copy, |start, end| {
                    cut(source(start))?;
                    cut(source(end))
                })?
            }
        };
        if flow.is_continue() {
            let _ = cut(text.len());
        }
        Ok(())
    }

    /// Calls `found` for the matches that are not empty.
    fn for_each_match(
        &self,
        text: &str,
        mut found: impl FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        match &self.engine {
            Engine::Linear(regex) => {
                for span in regex.find_iter(text).filter(|span| !span.is_empty()) {
                    if found(span.start(), span.end()).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            Engine::Backtracking(regex) => {
                let mut at = 0;
                for span in regex.find_iter(text) {
                    let span = span.map_err(|error| Error::PatternRun {
                        pattern: self.pattern.clone(),
                        at,
                        reason: error.to_string(),
                    })?;
                    at = span.end();
                    if span.start() < at && found(span.start(), at).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A copy of ill-formed text in which each stray byte is a private-use character of four bytes,
/// and the places (in the copy, in the text) from which on both run alike.
fn with_placeholders(text: &[u8]) -> (String, Vec<(usize, usize)>) {
    let mut copy = String::with_capacity(text.len() + text.len() / 8);
    let mut places = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if byte < 0x80 {
            copy.push(char::from(byte));
            at += 1;
            continue;
        }
        let decoded = decode_multibyte(&text[at..])
            .and_then(|(code_point, len)| char::from_u32(code_point).map(|c| (c, len)));
        if let Some((c, len)) = decoded {
            copy.push(c);
            at += len;
        } else {
            copy.extend(char::from_u32(ILL_FORMED_BASE + u32::from(byte)));
            at += 1;
            places.push((copy.len(), at));
        }
    }
    (copy, places)
}

#[cfg(test)]
mod tests {
    use super::super::{Pretokenizer, PretokenizerSettings};
    use super::*;
    use proptest::prelude::*;

    /// Spans and classes of the pretokens.
    fn cut(pretokenizer: &Pretokenizer, text: &[u8]) -> Vec<Pretoken> {
        let mut pretokens = Vec::new();
        let done = pretokenizer.for_each(text, |pretoken| {
            pretokens.push(pretoken);
            ControlFlow::Continue(())
        });
        assert!(done.is_ok());
        pretokens
    }

    fn named(name: &str, unicode: &str) -> Pretokenizer {
        Pretokenizer::new(&PretokenizerSettings {
            pattern: name.to_owned(),
            unicode: Some(unicode.to_owned()),
            digits: None,
        })
        .unwrap_or_else(|error| panic!("{error}"))
    }

    fn cut_by_regex(pattern: &str, text: &[u8]) -> Vec<Pretoken> {
        let regex = RegexPretokenizer::new(pattern, None);
        let regex = regex.unwrap_or_else(|error| panic!("{error}"));
        let mut pretokens = Vec::new();
        let done = regex.for_each(text, &mut |pretoken| {
            pretokens.push(pretoken);
            ControlFlow::Continue(())
        });
        assert!(done.is_ok());
        pretokens
    }

    /// The names whose pattern is a regular expression.
    fn names() -> impl Iterator<Item = &'static str> {
        let others = ["none", "jieba"];
        super::super::names()
            .into_iter()
            .filter(move |name| !others.contains(name))
    }

    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        let pieces: Vec<&'static [u8]> = vec![
            b"a",
            b"Z",
            b" ",
            b"  ",
            b"\n",
            b"\r",
            b"\t",
            b"'",
            b"s",
            b"ll",
            b"re",
            b"9",
            b"_",
            b".",
            b"\xC2\xA0",
            b"\xC3\xA9",
            b"\xCC\x81",
            b"\xFF",
            b"\xE2\x80",
            b"\xE2\x80\xA8",
            b"\x1C",
            b"\xE4\xB8\xAD",
            b"\xF0\x9F\xA4\x97",
            b"\xC2\xB2",
            b"\x85",
            b"\xF0\x91\xBC\x84",
            b"AB",
            b"/",
            b"\r\n",
            b"$",
            b"123",
            b"S",
            b"VE",
            b"\xC5\xBF",
            b"\xC7\x85",
            b"\xCA\xB0",
            b"\xE3\x81\x82",
            b"\xE3\x83\xBB",
            b"\xE3\x82\x9B",
            b"\xE3\x81\x80",
            b"\xE3\x82\x99",
            b"\xE9\xBE\xA6",
            b"\xC2\xBF",
            b"\xE2\x82\xAC",
            b"\xEF\xAC\x81",
            b"\xE2\x80\x8B",
            b"\0",
        ];
        prop_oneof![
            prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|p| p.concat()),
            prop::collection::vec(any::<u8>(), 0..40),
            any::<String>().prop_map(String::into_bytes),
        ]
    }

    proptest! {
        #[test]
        fn the_scanners_agree_with_the_regular_expressions_they_stand_for(text in hostile()) {
            for name in names() {
                let scanner = named(name, ENGINE_UNICODE);
                let pattern = scanner.pattern().unwrap_or_default();
                prop_assert_eq!(cut(&scanner, &text), cut_by_regex(pattern, &text), "{}", name);
            }
        }

        #[test]
        fn safe_cuts_move_no_pretoken(text in hostile(), min_part_bytes in 1_usize..4) {
            for name in names() {
                let scanner = named(name, ENGINE_UNICODE);
                let mut pretokens = Vec::new();
                let mut start = 0;
                let cuts = scanner.safe_cuts(&text, min_part_bytes);
                for end in cuts.into_iter().chain([text.len()]) {
                    pretokens.extend(cut(&scanner, &text[start..end]).iter().map(|part| Pretoken {
                        start: start + part.start,
                        end: start + part.end,
                        class: part.class,
                    }));
                    start = end;
                }
                prop_assert_eq!(pretokens, cut(&scanner, &text), "{}", name);
            }
        }

        #[test]
        fn any_pattern_tiles_any_text(text in hostile(), pattern in prop::sample::select(vec![
                "(a|s)?[.]", r"\w+(?= )", "x*", "'s", r"(?i)A|\d+", r"(?<!\s)\s", r"(a)\1", r"\p{L}{2}|$",
            ]),
        ) {
            let mut at = 0;
            for pretoken in cut_by_regex(pattern, &text) {
                prop_assert_eq!(pretoken.start, at);
                prop_assert!(pretoken.end > at);
                at = pretoken.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }

    #[test]
    fn the_engine_has_the_unicode_version_that_is_recorded_for_it() {
        use super::super::CharClass;
        let classes = UnicodeClasses::of_version(ENGINE_UNICODE).unwrap();
        for (pattern, class) in [
            (r"\p{L}", CharClass::Letter),
            (r"\p{N}", CharClass::Number),
            (r"\s", CharClass::Space),
        ] {
            let regex = LinearRegex::new(pattern).unwrap();
            let mut buffer = [0_u8; 4];
            for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
                let matches = regex.is_match(&*c.encode_utf8(&mut buffer));
                assert_eq!(
                    matches,
                    classes.class(u32::from(c)) == class,
                    "{pattern} {c:?}"
                );
            }
        }
    }

    #[test]
    fn a_pattern_that_does_not_compile_is_named() {
        let error = RegexPretokenizer::new("(", None);
        assert!(matches!(error, Err(Error::Pattern { pattern, .. }) if pattern == "("));
    }

    #[test]
    fn a_custom_pattern_has_only_the_unicode_version_of_its_engine() {
        assert!(RegexPretokenizer::new("x", Some("14.0")).is_err());
        assert!(RegexPretokenizer::new("x", Some(ENGINE_UNICODE)).is_ok());
    }
}
