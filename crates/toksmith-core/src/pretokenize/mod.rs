//! Text → pretokens: runs that no token may cross. Each pattern covers the text: what a custom
//! pattern leaves between two matches is a pretoken of its own, so nothing is ever dropped.
//!
//! A room that knows one string and never a vocabulary.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::Result;

mod cut;
mod gpt2;
mod regex;
mod unicode;
mod whitespace;

pub use cut::safe_cuts;
pub use unicode::{CharClass, TABLE as UNICODE_TABLE, UnicodeClasses, newest_version, versions};

pub(crate) use unicode::decode_multibyte;

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

/// Settings of this room: which pattern, and which Unicode version decides its classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PretokenizerSettings {
    /// `gpt2`, `gpt2-contraction-fix`, `whitespace`, `none`, or the text of any other regular
    /// expression.
    pub pattern: String,
    /// Unicode version of `\p{…}`; `None` takes the newest that the pattern's engine has.
    pub unicode: Option<String>,
}

impl Default for PretokenizerSettings {
    fn default() -> Self {
        Self {
            pattern: gpt2::Contraction::WholeWord.name().to_owned(),
            unicode: None,
        }
    }
}

/// A pattern ready to cut text.
#[derive(Clone, Debug)]
pub enum Pretokenizer {
    /// GPT-2's pattern, with or without the contraction fix, as a hand-written scanner.
    Gpt2(gpt2::Gpt2),
    /// `\s+|\S+`.
    Whitespace(whitespace::Whitespace),
    /// The whole document is one pretoken.
    None(whitespace::WholeText),
    /// Any other regular expression.
    Regex(Box<regex::RegexPretokenizer>),
}

impl Pretokenizer {
    /// Makes the pretokenizer that the settings name.
    ///
    /// # Errors
    /// [`Error::UnicodeVersion`](crate::Error::UnicodeVersion) and
    /// [`Error::Pattern`](crate::Error::Pattern).
    pub fn new(settings: &PretokenizerSettings) -> Result<Self> {
        let pattern = settings.pattern.as_str();
        let named = NAMED
            .iter()
            .find(|row| row.name == pattern || row.pattern == Some(pattern));
        let Some(row) = named else {
            let regex = regex::RegexPretokenizer::new(pattern, settings.unicode.as_deref())?;
            return Ok(Self::Regex(Box::new(regex)));
        };
        let version = settings.unicode.as_deref().unwrap_or(newest_version());
        let classes = UnicodeClasses::of_version(version)?;
        Ok(match row.kind {
            Kind::Gpt2(contraction) => Self::Gpt2(gpt2::Gpt2::new(contraction, classes)),
            Kind::Whitespace => Self::Whitespace(whitespace::Whitespace::new(classes)),
            Kind::None => Self::None(whitespace::WholeText::new(classes)),
        })
    }

    /// The name users type: one of [`names`], or the pattern itself.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Gpt2(gpt2) => gpt2.contraction().name(),
            Self::Whitespace(_) => "whitespace",
            Self::None(_) => "none",
            Self::Regex(regex) => regex.pattern(),
        }
    }

    /// The text of the pattern; `None` where the whole document is one pretoken.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        match self {
            Self::Regex(regex) => Some(regex.pattern()),
            named => NAMED
                .iter()
                .find(|row| row.name == named.name())
                .and_then(|row| row.pattern),
        }
    }

    /// The classes, and so the Unicode version, that this pretokenizer uses.
    #[must_use]
    pub fn classes(&self) -> &'static UnicodeClasses {
        match self {
            Self::Gpt2(gpt2) => gpt2.classes(),
            Self::Whitespace(whitespace) => whitespace.classes(),
            Self::None(whole) => whole.classes(),
            Self::Regex(regex) => regex.classes(),
        }
    }

    /// True when a document may be cut before white space that follows a non-space without moving
    /// a pretoken: proven for the named patterns, never assumed of a custom one.
    #[must_use]
    pub fn has_safe_cuts(&self) -> bool {
        matches!(self, Self::Gpt2(_) | Self::Whitespace(_))
    }

    /// Calls `emit` for each pretoken from left to right, until it breaks. They tile the text.
    ///
    /// Cost: linear; for custom patterns that need look-around, what their engine takes, with a
    /// bound on backtracking.
    ///
    /// # Errors
    /// [`Error::PatternRun`](crate::Error::PatternRun) when a custom pattern exceeds that bound;
    /// the named patterns cannot fail.
    pub fn for_each(
        &self,
        text: &[u8],
        mut emit: impl FnMut(Pretoken) -> ControlFlow<()>,
    ) -> Result<()> {
        match self {
            Self::Gpt2(gpt2) => gpt2.for_each(text, emit),
            Self::Whitespace(whitespace) => whitespace.for_each(text, emit),
            Self::None(whole) => whole.for_each(text, emit),
            Self::Regex(regex) => return regex.for_each(text, &mut emit),
        }
        Ok(())
    }
}

/// What a named pattern is made with.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Gpt2(gpt2::Contraction),
    Whitespace,
    None,
}

/// A pattern with a name. One given by its text is the named one.
#[derive(Clone, Copy, Debug)]
struct Named {
    name: &'static str,
    pattern: Option<&'static str>,
    kind: Kind,
}

const NAMED: [Named; 4] = [
    Named::gpt2(gpt2::Contraction::Always),
    Named::gpt2(gpt2::Contraction::WholeWord),
    Named {
        name: "whitespace",
        pattern: Some(r"\s+|\S+"),
        kind: Kind::Whitespace,
    },
    Named {
        name: "none",
        pattern: None,
        kind: Kind::None,
    },
];

impl Named {
    const fn gpt2(contraction: gpt2::Contraction) -> Self {
        Self {
            name: contraction.name(),
            pattern: Some(contraction.pattern()),
            kind: Kind::Gpt2(contraction),
        }
    }
}

/// The names of the patterns that have one.
#[must_use]
pub fn names() -> [&'static str; 4] {
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
