//! Pretokens → marked words, and back: how a space is written.
//!
//! A word is a span of the text and two marks. No rule moves a byte, and only metaspace's dummy prefix
//! adds one; an implicit space is a byte between two words. A word may depend on the pretoken after
//! it, so one word is held back.
//!
//! A room that knows neighbouring pretokens, never a trainer or an encoder.

use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::pretokenize::{Pretoken, Pretokenizer};
use crate::types::{Marks, is_ascii_whitespace};

mod continuation;
mod end_of_word;
mod implicit_space;
mod space_prefix;

use continuation::DropWhitespace;
use end_of_word::EndOfWord;
use implicit_space::ImplicitSpace;
use space_prefix::SpacePrefix;

/// How a space in front of a word is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boundary {
    /// As the first byte of the word (GPT-2).
    #[default]
    SpacePrefix,
    /// As the first byte of the word, shown as `▁`, and a text gets one space put before it
    /// (SentencePiece with its dummy prefix). Decoding takes that space away again.
    Metaspace,
    /// As the first byte of the word, shown as `▁`, and nothing is put before a text.
    MetaspaceNoPrefix,
    /// As the last byte of the word before it, shown as `</w>` (the first BPE). A word that no space
    /// follows has no end mark.
    EndOfWord,
    /// As the first byte of the word, and every token that continues a word carries `lead`, shown as
    /// `##` (WordPiece). With white space dropped it is BERT's, where spaces are lost.
    Continuation,
    /// Not at all; a word without a space before it carries `lead` (ISBPE, single flag).
    ImplicitSingle,
    /// Not at all; before a letter word the word on the left carries `trail` (ISBPE, dual flag).
    ImplicitDual,
}

/// Whether white space pretokens are kept one for one or joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhitespaceRule {
    /// As the pattern cuts them.
    #[default]
    Split,
    /// Adjacent ones are one word, and a leading space after white space belongs to it.
    Whole,
    /// They are lost, and so is a leading space; decoding writes one space before each word. Only
    /// [`Boundary::Continuation`] knows where words begin, so only with it.
    Drop,
}

/// A marked word: a span of the text, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// Its marks.
    pub marks: Marks,
}

impl Word {
    /// No word: what an unused place of a buffer holds.
    pub(crate) const EMPTY: Self = Self {
        start: 0,
        end: 0,
        marks: Marks::NONE,
    };
}

/// What marking must remember between two pretokens.
#[derive(Clone, Copy, Debug)]
pub struct MarkState {
    /// The word that may still change.
    pending: Option<Pending>,
    /// Nothing stands before the next pretoken.
    at_start: bool,
    /// The last byte before the next pretoken is ASCII white space.
    after_whitespace: bool,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    word: Word,
    is_whitespace: bool,
}

impl MarkState {
    /// The state at the start of a text.
    #[must_use]
    pub fn at_start() -> Self {
        Self {
            pending: None,
            at_start: true,
            after_whitespace: false,
        }
    }

    /// The state at a safe cut inside a text: something stands before, and it is no white space.
    #[must_use]
    pub fn at_cut() -> Self {
        Self {
            at_start: false,
            ..Self::at_start()
        }
    }

    /// True where no space would be written and so none need be marked as missing.
    fn glue(&self) -> bool {
        self.at_start || self.after_whitespace
    }

    #[inline]
    fn replace_pending(&mut self, next: Pending, text: &[u8], emit: &mut impl FnMut(Word)) {
        self.at_start = false;
        self.after_whitespace = is_ascii_whitespace(text[next.word.end - 1]);
        if let Some(done) = self.pending.replace(next) {
            emit(done.word);
        }
    }

    /// Lengthens the pending word by the bytes up to `end`, which must follow it directly.
    fn extend_pending(&mut self, text: &[u8], end: usize) {
        if let Some(pending) = &mut self.pending {
            pending.word.end = end;
        }
        self.after_whitespace = is_ascii_whitespace(text[end - 1]);
    }

    fn pending_is_whitespace(&self) -> bool {
        self.pending.is_some_and(|pending| pending.is_whitespace)
    }

    /// The word held back, at the end of the text or part.
    fn take_pending(&mut self) -> Option<Word> {
        self.pending.take().map(|pending| pending.word)
    }
}

/// Marks pretokens one at a time. Static dispatch, so that scanning and marking are one pass.
trait Mark: Copy {
    /// Takes the next pretoken of `text`; emits the words that no later pretoken can change.
    fn mark(
        self,
        state: &mut MarkState,
        text: &[u8],
        pretoken: Pretoken,
        emit: &mut impl FnMut(Word),
    );
}

impl Boundary {
    /// All boundaries, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::SpacePrefix,
        Self::Metaspace,
        Self::MetaspaceNoPrefix,
        Self::EndOfWord,
        Self::Continuation,
        Self::ImplicitSingle,
        Self::ImplicitDual,
    ];

    /// The name users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SpacePrefix => "space-prefix",
            Self::Metaspace => "metaspace",
            Self::MetaspaceNoPrefix => "metaspace-no-prefix",
            Self::EndOfWord => "end-of-word",
            Self::Continuation => "continuation",
            Self::ImplicitSingle => "implicit-single",
            Self::ImplicitDual => "implicit-dual",
        }
    }

    /// The boundary of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the list of names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|boundary| boundary.name() == name)
            .ok_or_else(|| Error::UnknownSetting {
                setting: "boundary",
                value: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }

    /// Says whether white space can be treated so.
    ///
    /// # Errors
    /// [`Error::Incompatible`] where white space would be lost and nothing told words apart.
    pub fn check(self, whitespace: WhitespaceRule) -> Result<()> {
        if whitespace == WhitespaceRule::Drop && self != Self::Continuation {
            return Err(Error::Incompatible {
                what: format!(
                    "white space can be dropped only with the boundary continuation, whose tokens \
                     say where a word begins; with {} take split or whole",
                    self.name()
                ),
            });
        }
        Ok(())
    }

    /// Number of symbols it needs: every byte in every form.
    #[must_use]
    pub fn alphabet_len(self) -> usize {
        match self {
            Self::SpacePrefix | Self::Metaspace | Self::MetaspaceNoPrefix | Self::EndOfWord => 256,
            Self::Continuation | Self::ImplicitSingle => 512,
            Self::ImplicitDual => 1024,
        }
    }

    /// True when its tokens carry marks.
    #[must_use]
    pub fn is_marked(self) -> bool {
        self.alphabet_len() > 256
    }

    /// Whether its words can carry these marks; with none of them they always can.
    #[must_use]
    pub fn has_marks(self, marks: Marks) -> bool {
        match self {
            Self::ImplicitSingle => !marks.trail(),
            Self::ImplicitDual => true,
            _ => marks == Marks::NONE,
        }
    }

    /// Whether decoding gives the text back, byte for byte.
    #[must_use]
    pub fn is_lossless(self, whitespace: WhitespaceRule) -> bool {
        whitespace != WhitespaceRule::Drop
    }

    /// The text that is marked: as it is, or with the space that [`Boundary::Metaspace`] puts
    /// before it. An empty text stays empty.
    #[must_use]
    pub fn with_prefix<'t>(self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        if !self.has_prefix() || text.is_empty() {
            return text;
        }
        let mut prefixed = Vec::with_capacity(text.len() + 1);
        prefixed.push(b' ');
        prefixed.extend_from_slice(&text);
        prefixed.into()
    }

    /// Whether a text gets a space put before it, which decoding takes away.
    #[must_use]
    pub fn has_prefix(self) -> bool {
        self == Self::Metaspace
    }

    /// Whether a document may be cut before white space: not where the white space belongs to the
    /// word before it.
    #[must_use]
    pub fn has_safe_cuts(self) -> bool {
        self != Self::EndOfWord
    }

    /// Whether decoding writes spaces that no token holds.
    fn writes_spaces(self, whitespace: WhitespaceRule) -> bool {
        match self {
            Self::ImplicitSingle | Self::ImplicitDual => true,
            _ => whitespace == WhitespaceRule::Drop,
        }
    }

    /// Whether the decoder writes no space before this token.
    #[must_use]
    pub fn glue_before(self, whitespace: WhitespaceRule, marks: Marks) -> bool {
        !self.writes_spaces(whitespace) || marks.lead()
    }

    /// Whether the decoder writes no space after this token.
    #[must_use]
    pub fn glue_after(self, whitespace: WhitespaceRule, bytes: &[u8], marks: Marks) -> bool {
        !self.writes_spaces(whitespace)
            || marks.trail()
            || bytes.last().is_none_or(|&byte| is_ascii_whitespace(byte))
    }

    /// Pretokenizes and marks a text in one pass: calls `emit` for each word from left to right.
    /// `state` says what stands before the text. `go_on` is asked after each pretoken; when it breaks
    /// the rest is left.
    ///
    /// # Errors
    /// [`Error::PatternRun`] of a custom pattern.
    #[inline]
    pub fn for_each_word(
        self,
        pretokenizer: &Pretokenizer,
        whitespace: WhitespaceRule,
        text: &[u8],
        state: MarkState,
        go_on: impl FnMut() -> ControlFlow<()>,
        mut emit: impl FnMut(Word),
    ) -> Result<()> {
        let emit = &mut emit;
        match self {
            Self::Continuation if whitespace == WhitespaceRule::Drop => {
                words(pretokenizer, DropWhitespace, text, state, go_on, emit)
            }
            Self::SpacePrefix | Self::Metaspace | Self::MetaspaceNoPrefix | Self::Continuation => {
                let mark = SpacePrefix {
                    whitespace,
                    has_prefix: self.has_prefix(),
                };
                words(pretokenizer, mark, text, state, go_on, emit)
            }
            Self::EndOfWord => {
                let mark = EndOfWord { whitespace };
                words(pretokenizer, mark, text, state, go_on, emit)
            }
            Self::ImplicitSingle => {
                let mark = ImplicitSpace::<false> { whitespace };
                words(pretokenizer, mark, text, state, go_on, emit)
            }
            Self::ImplicitDual => {
                let mark = ImplicitSpace::<true> { whitespace };
                words(pretokenizer, mark, text, state, go_on, emit)
            }
        }
    }

    /// The text that marked words came from: the inverse of marking, a prefix left in place.
    pub fn unmark<'w>(
        self,
        whitespace: WhitespaceRule,
        words: impl IntoIterator<Item = (&'w [u8], Marks)>,
    ) -> Vec<u8> {
        let mut text = Vec::new();
        let mut glue = true;
        for (bytes, marks) in words {
            if !glue && !self.glue_before(whitespace, marks) {
                text.push(b' ');
            }
            text.extend_from_slice(bytes);
            glue = self.glue_after(whitespace, bytes, marks);
        }
        text
    }
}

#[inline]
fn words(
    pretokenizer: &Pretokenizer,
    mark: impl Mark,
    text: &[u8],
    mut state: MarkState,
    mut go_on: impl FnMut() -> ControlFlow<()>,
    emit: &mut impl FnMut(Word),
) -> Result<()> {
    pretokenizer.for_each(text, |pretoken| {
        mark.mark(&mut state, text, pretoken, emit);
        go_on()
    })?;
    if let Some(last) = state.take_pending() {
        emit(last);
    }
    Ok(())
}

impl WhitespaceRule {
    /// All rules, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Split, Self::Whole, Self::Drop];

    /// The name users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Whole => "whole",
            Self::Drop => "drop",
        }
    }

    /// The rule of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the list of names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| Error::UnknownSetting {
                setting: "whitespace",
                value: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }
}
