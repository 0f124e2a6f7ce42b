//! Chinese words, by dictionary and a hidden Markov model for what is not in it: jieba's default
//! mode. What is neither Chinese nor an ASCII word is cut into its characters.
//!
//! In a build without the feature `jieba` the name is known and making it is an error that says so.
//! Source: Sun Junyi's jieba, in the crate jieba-rs, which brings the dictionary.

use std::ops::ControlFlow;

use crate::error::Result;

use super::unicode::UnicodeClasses;
use super::{Pretoken, class_of_span};

/// The name of the pretokenizer.
pub(super) const NAME: &str = "jieba";

/// What decides the cuts, in place of a pattern: another version may have another dictionary.
pub(super) const PATTERN: &str = "jieba-rs 0.11, its dictionary and HMM";

#[cfg(feature = "jieba")]
use jieba_rs::Jieba as Segmenter;

/// What a build without the feature has: nothing.
#[cfg(not(feature = "jieba"))]
#[derive(Debug)]
enum Segmenter {}

/// The segmenter.
#[derive(Clone, Copy, Debug)]
pub struct Jieba {
    segmenter: &'static Segmenter,
    classes: &'static UnicodeClasses,
}

impl Jieba {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Result<Self> {
        let segmenter = segmenter()?;
        Ok(Self { segmenter, classes })
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    /// Segments line by line, so that memory does not grow with the text. A line end is in no word,
    /// and jieba segments what stands between such characters piece by piece. Each byte of ill-formed
    /// UTF-8 is a pretoken.
    pub(super) fn for_each(&self, text: &[u8], emit: &mut dyn FnMut(Pretoken) -> ControlFlow<()>) {
        let mut start = 0;
        let mut emit = |len: usize| {
            let end = start + len;
            let class = class_of_span(self.classes, &text[start..end]);
            let pretoken = Pretoken { start, end, class };
            start = end;
            emit(pretoken)
        };
        for chunk in text.utf8_chunks() {
            for line in chunk.valid().split_inclusive('\n') {
                if for_each_word(self.segmenter, line, &mut emit).is_break() {
                    return;
                }
            }
            for _ in chunk.invalid() {
                if emit(1).is_break() {
                    return;
                }
            }
        }
    }
}

/// The one segmenter, made on first use and kept (its dictionary takes a while to read). Made before
/// anything is locked, so that a fork meanwhile leaves no child waiting.
#[cfg(feature = "jieba")]
fn segmenter() -> Result<&'static Segmenter> {
    static SEGMENTER: std::sync::OnceLock<Segmenter> = std::sync::OnceLock::new();
    if let Some(segmenter) = SEGMENTER.get() {
        return Ok(segmenter);
    }
    let made = Segmenter::new();
    Ok(SEGMENTER.get_or_init(|| made))
}

#[cfg(not(feature = "jieba"))]
fn segmenter() -> Result<&'static Segmenter> {
    Err(crate::error::Error::NotBuilt {
        setting: "pretokenizer",
        value: NAME,
        feature: "jieba",
    })
}

/// Calls `emit` with the length of each word in bytes.
#[cfg(feature = "jieba")]
fn for_each_word(
    segmenter: &Segmenter,
    text: &str,
    mut emit: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut words = segmenter.cut(text, true).into_iter();
    words.try_for_each(|token| emit(token.word.len()))
}

#[cfg(not(feature = "jieba"))]
fn for_each_word(
    segmenter: &Segmenter,
    _: &str,
    _: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match *segmenter {}
}

#[cfg(feature = "jieba")]
#[cfg(test)]
mod tests {
    use super::super::{Pretokenizer, PretokenizerSettings};
    use super::*;

    fn cut(text: &[u8]) -> Vec<usize> {
        let settings = PretokenizerSettings {
            pattern: NAME.to_owned(),
            ..PretokenizerSettings::default()
        };
        let mut ends = Vec::new();
        Pretokenizer::new(&settings)
            .and_then(|jieba| {
                jieba.for_each(text, |pretoken| {
                    ends.push(pretoken.end);
                    ControlFlow::Continue(())
                })
            })
            .unwrap_or_else(|error| panic!("{error}"));
        ends
    }

    #[test]
    fn line_by_line_is_the_whole_text() {
        let text = "我们中出了一个叛徒\r\n他来到了网易杭研大厦 ab-1\n\n C++ 数据\r很好";
        let words = segmenter().map(|jieba| jieba.cut(text, true));
        let mut end = 0;
        let ends: Vec<usize> = words
            .unwrap_or_default()
            .iter()
            .map(|token| {
                end += token.word.len();
                end
            })
            .collect();
        assert_eq!(cut(text.as_bytes()), ends);
    }

    #[test]
    fn bytes_of_ill_formed_text_stand_alone() {
        let text = b"\xE6\x88\x91\xE4\xBB\xAC\xE2\x80a\xFF\n";
        assert_eq!(cut(text), [6, 7, 8, 9, 10, 11]);
    }
}
