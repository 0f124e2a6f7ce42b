//! Text → pretokens: runs that no token may cross. Each pattern covers the text: what a custom
//! pattern leaves between two matches is a pretoken of its own, so nothing is ever dropped.
//!
//! A room that knows one string and never a vocabulary.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::Result;

mod bert;
mod cl100k;
mod cut;
mod deepseek;
mod digits;
mod gpt2;
mod jieba;
mod punctuation;
mod regex;
mod spaces;
mod unicode;
mod whitespace;

pub use digits::DigitRule;
pub use unicode::{
    CharClass, CharKind, Character, TABLE as UNICODE_TABLE, UnicodeClasses, newest_version,
    versions,
};

pub(crate) use unicode::decode_multibyte;

use cut::CutRule;

/// What a pretoken is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PretokenClass {
    /// `\p{L}+` with or without one space before it.
    Letters,
    /// Only `\s`.
    Whitespace,
    /// Anything else.
    Other,
}

/// One pretoken: a span of the text, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pretoken {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// What it is made of.
    pub class: PretokenClass,
}

/// Settings of this room: which pattern, which Unicode version decides its classes, and what is done
/// with digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PretokenizerSettings {
    /// One of [`names`], or the text of any other regular expression.
    pub pattern: String,
    /// Unicode version of `\p{…}`; `None` takes the newest that the pattern's engine has.
    pub unicode: Option<String>,
    /// How digits are grouped inside each pretoken; `None` leaves them as the pattern cuts them.
    #[serde(default)]
    pub digits: Option<DigitRule>,
}

impl Default for PretokenizerSettings {
    fn default() -> Self {
        Self {
            pattern: gpt2::Contraction::WholeWord.name().to_owned(),
            unicode: None,
            digits: None,
        }
    }
}

/// A pattern ready to cut text, and a rule for digits.
#[derive(Clone, Debug)]
pub struct Pretokenizer {
    scanner: Scanner,
    digits: Option<DigitRule>,
}

/// What runs a pattern.
#[derive(Clone, Debug)]
enum Scanner {
    Gpt2(gpt2::Gpt2),
    Cl100k(cl100k::Cl100k),
    Deepseek(deepseek::Deepseek),
    Bert(bert::Bert),
    Punctuation(punctuation::Punctuation),
    Spaces(spaces::Spaces),
    Whitespace(whitespace::Whitespace),
    None(whitespace::WholeText),
    Jieba(jieba::Jieba),
    Regex(Box<regex::RegexPretokenizer>),
}

impl Pretokenizer {
    /// Makes the pretokenizer that the settings name.
    ///
    /// # Errors
    /// [`Error::UnicodeVersion`](crate::Error::UnicodeVersion),
    /// [`Error::Pattern`](crate::Error::Pattern), and
    /// [`Error::NotBuilt`](crate::Error::NotBuilt) for `jieba` in a build without it.
    pub fn new(settings: &PretokenizerSettings) -> Result<Self> {
        Ok(Self {
            scanner: Scanner::new(&settings.pattern, settings.unicode.as_deref())?,
            digits: settings.digits,
        })
    }

    /// The name users type: one of [`names`], or the pattern itself.
    #[must_use]
    pub fn name(&self) -> &str {
        match &self.scanner {
            Scanner::Gpt2(gpt2) => gpt2.contraction().name(),
            Scanner::Cl100k(cl100k) => cl100k.family().name(),
            Scanner::Deepseek(_) => "deepseek",
            Scanner::Bert(_) => "bert",
            Scanner::Punctuation(_) => "punctuation",
            Scanner::Spaces(_) => "spaces",
            Scanner::Whitespace(_) => "whitespace",
            Scanner::None(_) => "none",
            Scanner::Jieba(_) => jieba::NAME,
            Scanner::Regex(regex) => regex.pattern(),
        }
    }

    /// The text of the pattern, or what else decides the cuts; `None` where the whole document is
    /// one pretoken.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        match &self.scanner {
            Scanner::Regex(regex) => Some(regex.pattern()),
            _ => NAMED
                .iter()
                .find(|row| row.name == self.name())
                .and_then(|row| row.pattern),
        }
    }

    /// The rule for digits, if there is one.
    #[must_use]
    pub fn digits(&self) -> Option<DigitRule> {
        self.digits
    }

    /// The classes, and so the Unicode version, that this pretokenizer uses.
    #[must_use]
    pub fn classes(&self) -> &'static UnicodeClasses {
        match &self.scanner {
            Scanner::Gpt2(gpt2) => gpt2.classes(),
            Scanner::Cl100k(cl100k) => cl100k.classes(),
            Scanner::Deepseek(deepseek) => deepseek.classes(),
            Scanner::Bert(bert) => bert.classes(),
            Scanner::Punctuation(punctuation) => punctuation.classes(),
            Scanner::Spaces(spaces) => spaces.classes(),
            Scanner::Whitespace(whitespace) => whitespace.classes(),
            Scanner::None(whole) => whole.classes(),
            Scanner::Jieba(jieba) => jieba.classes(),
            Scanner::Regex(regex) => regex.classes(),
        }
    }

    /// Where a document may be cut into parts of at least `min_part_bytes` without moving a
    /// pretoken: before white space that follows a non-space. Proven for most named patterns, never
    /// assumed of a custom one, which is left whole. Returns the starts of all parts but the first,
    /// ascending.
    ///
    /// A rule for digits looks at one pretoken, so it changes nothing here.
    #[must_use]
    pub fn safe_cuts(&self, text: &[u8], min_part_bytes: usize) -> Vec<usize> {
        let rule = match &self.scanner {
            // No match holds white space after a non-space.
            Scanner::Gpt2(_) | Scanner::Whitespace(_) | Scanner::Bert(_) => {
                CutRule::BeforeWhitespace
            }
            // White space parts the blocks that are segmented, each by itself.
            Scanner::Jieba(_) => CutRule::BeforeWhitespace,
            // Punctuation takes the line ends after it along; no match holds other white space after
            // a non-space.
            Scanner::Cl100k(_) | Scanner::Deepseek(_) => CutRule::BeforeSpace,
            // No match holds U+0020 after anything but U+0020.
            Scanner::Spaces(_) => CutRule::BeforeSpace,
            // Runs between punctuation go on over white space.
            Scanner::Punctuation(_) | Scanner::None(_) | Scanner::Regex(_) => return Vec::new(),
        };
        rule.cuts(text, min_part_bytes, self.classes())
    }

    /// Calls `emit` for each pretoken from left to right, until it breaks. They tile the text.
    ///
    /// Cost: linear; for custom patterns that need look-around, what their engine takes, with a
    /// bound on backtracking.
    ///
    /// # Errors
    /// [`Error::PatternRun`](crate::Error::PatternRun) when a custom pattern exceeds that bound;
    /// the named patterns cannot fail.
    #[inline]
    pub fn for_each(
        &self,
        text: &[u8],
        mut emit: impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        match self.digits {
            None => self.scanner.for_each(text, emit),
            Some(rule) => self.for_each_with_digits(rule, text, &mut emit),
        }
    }

    fn for_each_with_digits(
        &self,
        rule: DigitRule,
        text: &[u8],
        emit: &mut dyn FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        let classes = self.classes();
        self.scanner
            .for_each(text, |pretoken| rule.cut(text, pretoken, classes, emit))
    }
}

impl Scanner {
    fn new(pattern: &str, unicode: Option<&str>) -> Result<Self> {
        let named = NAMED
            .iter()
            .find(|row| row.name == pattern || row.pattern == Some(pattern));
        let Some(row) = named else {
            let regex = regex::RegexPretokenizer::new(pattern, unicode)?;
            return Ok(Self::Regex(Box::new(regex)));
        };
        let classes = UnicodeClasses::of_version(unicode.unwrap_or(newest_version()))?;
        Ok(match row.kind {
            Kind::Gpt2(contraction) => Self::Gpt2(gpt2::Gpt2::new(contraction, classes)),
            Kind::Cl100k(family) => Self::Cl100k(cl100k::Cl100k::new(family, classes)),
            Kind::Deepseek => Self::Deepseek(deepseek::Deepseek::new(classes)),
            Kind::Bert => Self::Bert(bert::Bert::new(classes)),
            Kind::Punctuation => Self::Punctuation(punctuation::Punctuation::new(classes)),
            Kind::Spaces => Self::Spaces(spaces::Spaces::new(classes)),
            Kind::Whitespace => Self::Whitespace(whitespace::Whitespace::new(classes)),
            Kind::None => Self::None(whitespace::WholeText::new(classes)),
            Kind::Jieba => Self::Jieba(jieba::Jieba::new(classes)?),
        })
    }

    #[inline]
    fn for_each(
        &self,
        text: &[u8],
        mut emit: impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        match self {
            Self::Gpt2(gpt2) => gpt2.for_each(text, emit),
            Self::Whitespace(whitespace) => whitespace.for_each(text, emit),
            Self::None(whole) => whole.for_each(text, emit),
            Self::Jieba(jieba) => jieba.for_each(text, &mut emit),
            Self::Regex(regex) => return regex.for_each(text, &mut emit),
            Self::Cl100k(s) => one_by_one(text, &|at| s.pretoken_at(text, at), emit),
            Self::Deepseek(s) => one_by_one(text, &|at| s.pretoken_at(text, at), emit),
            Self::Bert(s) => one_by_one(text, &|at| s.pretoken_at(text, at), emit),
            Self::Punctuation(s) => one_by_one(text, &|at| s.pretoken_at(text, at), emit),
            Self::Spaces(s) => one_by_one(text, &|at| s.pretoken_at(text, at), emit),
        }
        Ok(())
    }
}

/// Runs a scanner that is asked for one pretoken at a time: the end and class of the one that starts
/// at a place. Behind a pointer, so that what follows the scanner is compiled once for all of them;
/// one call for a pretoken costs little.
fn one_by_one(
    text: &[u8],
    pretoken_at: &dyn Fn(usize) -> (usize, PretokenClass),
    mut emit: impl FnMut(Pretoken) -> ControlFlow<()>,
) {
    let mut start = 0;
    while start < text.len() {
        let (end, class) = pretoken_at(start);
        if emit(Pretoken { start, end, class }).is_break() {
            return;
        }
        start = end;
    }
}

/// What a named pattern is made with.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Gpt2(gpt2::Contraction),
    Cl100k(cl100k::Family),
    Deepseek,
    Bert,
    Punctuation,
    Spaces,
    Whitespace,
    None,
    Jieba,
}

/// A pattern with a name. One given by its text is the named one.
#[derive(Clone, Copy, Debug)]
struct Named {
    name: &'static str,
    pattern: Option<&'static str>,
    kind: Kind,
}

const NAMED: [Named; 14] = [
    Named::gpt2(gpt2::Contraction::Always),
    Named::gpt2(gpt2::Contraction::WholeWord),
    Named::gpt2(gpt2::Contraction::AfterLetter),
    Named::cl100k(cl100k::Family::Cl100k),
    Named::cl100k(cl100k::Family::O200k),
    Named::cl100k(cl100k::Family::Llama3),
    Named::cl100k(cl100k::Family::Qwen2),
    Named::new("deepseek", Some(deepseek::PATTERN), Kind::Deepseek),
    Named::new("bert", Some(bert::PATTERN), Kind::Bert),
    Named::new("punctuation", Some(punctuation::PATTERN), Kind::Punctuation),
    Named::new("spaces", Some(spaces::PATTERN), Kind::Spaces),
    Named::new("whitespace", Some(r"\s+|\S+"), Kind::Whitespace),
    Named::new("none", None, Kind::None),
    Named::new(jieba::NAME, Some(jieba::PATTERN), Kind::Jieba),
];

impl Named {
    const fn new(name: &'static str, pattern: Option<&'static str>, kind: Kind) -> Self {
        Self {
            name,
            pattern,
            kind,
        }
    }

    const fn gpt2(contraction: gpt2::Contraction) -> Self {
        let kind = Kind::Gpt2(contraction);
        Self::new(contraction.name(), Some(contraction.pattern()), kind)
    }

    const fn cl100k(family: cl100k::Family) -> Self {
        Self::new(family.name(), Some(family.pattern()), Kind::Cl100k(family))
    }
}

/// The names of the patterns that have one, in the order of the documentation. `jieba` is among them
/// in a build without it too.
#[must_use]
pub fn names() -> [&'static str; NAMED.len()] {
    NAMED.map(|row| row.name)
}

/// The class of a span that some other pattern cut out.
fn class_of_span(classes: &UnicodeClasses, span: &[u8]) -> PretokenClass {
    let (mut letters, mut spaces) = (true, true);
    let mut at = 0;
    while at < span.len() && (letters || spaces) {
        let (class, len) = classes.class_at(span, at);
        letters &= class == CharClass::Letter || (at == 0 && span[0] == b' ');
        spaces &= class == CharClass::Space;
        at += len;
    }
    match (spaces, letters) {
        (true, _) => PretokenClass::Whitespace,
        (false, true) => PretokenClass::Letters,
        (false, false) => PretokenClass::Other,
    }
}
