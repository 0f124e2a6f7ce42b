//! Text → text, with a map back to the source. The default changes nothing; every step hands on
//! where each byte came from, so that offsets always speak of the source.
//!
//! A normalizer is a list of steps. Each is linear in the text (n·log n where marks are put in
//! order) and acts on the well-formed stretches: ill-formed bytes pass through unchanged, as
//! something that is neither white space, letter nor mark. Data on characters is ICU4X's, of the
//! Unicode version that is written beside each step that reads it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Result;

use bert::Bert;
use forms::Form;
use replace::{Replace, Target};
use rewrite::Passes;
use sentencepiece::Rules;
use whitespace::Whitespace;

mod accents;
mod bert;
mod case;
mod forms;
mod replace;
mod rewrite;
mod sentencepiece;
mod whitespace;

pub use rewrite::OffsetMap;

/// The Unicode version of the data on characters: normalization forms, case and categories.
pub const UNICODE_VERSION: &str = "18.0";

/// The Unicode version that `SentencePiece`'s rules were made from.
pub const SENTENCEPIECE_UNICODE_VERSION: &str = "17.0";

/// The steps by name, and the name of the empty list.
const NAMES: [&str; 18] = [
    "identity",
    "nfc",
    "nfd",
    "nfkc",
    "nfkd",
    "lowercase",
    "strip-accents",
    "bert",
    "strip",
    "strip-left",
    "strip-right",
    "collapse-whitespace",
    "remove-extra-whitespaces",
    "replace",
    "nmt-nfkc",
    "nmt-nfkc-cf",
    "nfkc-cf",
    "sentencepiece-nfkc",
];

/// What is done to a text before it is cut: a list of steps, empty by default.
///
/// As data it is a list of names and of objects with a `type`; a name or an object alone is a list of
/// one, and `identity` is the empty list.
///
/// ```
/// use toksmith_core::normalize::Normalizer;
/// let normalizer: Normalizer = serde_json::from_str(
///     r#"["nfkc", {"type": "replace", "pattern": "[0-9]+", "by": "0"}]"#,
/// )?;
/// assert_eq!(&*normalizer.normalize("Ⅷ: １２".as_bytes()), b"VIII: 0");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Normalizer {
    steps: Vec<Step>,
}

/// A text after normalization.
#[derive(Debug)]
pub struct Normalized<'t> {
    /// The bytes the next stage sees.
    pub bytes: Cow<'t, [u8]>,
    /// Where they came from.
    pub offsets: OffsetMap,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Form(Form),
    Lowercase,
    StripAccents,
    Bert(Bert),
    Whitespace(Whitespace),
    Replace(Box<Replace>),
    SentencePiece(Rules),
}

impl Normalizer {
    /// The normalizer that changes nothing.
    pub const IDENTITY: Self = Self { steps: Vec::new() };

    /// Normalizes one text. A text that no step changes is borrowed.
    ///
    /// Cost: none without steps; else a pass over the text for each step, four for `bert`.
    #[must_use]
    pub fn normalize<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.run(text, false).0
    }

    /// [`normalize`](Self::normalize), with the way back to the source.
    #[must_use]
    pub fn normalize_with_offsets<'t>(&self, text: &'t [u8]) -> Normalized<'t> {
        let (bytes, offsets) = self.run(text, true);
        Normalized { bytes, offsets }
    }

    fn run<'t>(&self, text: &'t [u8], with_offsets: bool) -> (Cow<'t, [u8]>, OffsetMap) {
        let mut passes = Passes::new(text, with_offsets);
        // Nothing becomes something nowhere: not between two added tokens, nor in an empty text.
        let steps: &[Step] = if text.is_empty() { &[] } else { &self.steps };
        for step in steps {
            match step {
                Step::Form(form) => passes.pass(|rewrite| form.run(rewrite)),
                Step::Lowercase => passes.pass(case::lowercase),
                Step::StripAccents => passes.pass(accents::strip),
                Step::Bert(bert) => bert.run(&mut passes),
                Step::Whitespace(whitespace) => passes.pass(|rewrite| whitespace.run(rewrite)),
                Step::Replace(replace) => passes.pass(|rewrite| replace.run(rewrite)),
                Step::SentencePiece(rules) => passes.pass(|rewrite| rules.run(rewrite)),
            }
        }
        passes.finish()
    }

    /// True when there is no step.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        self.steps.is_empty()
    }

    /// True when the source can be had back from the normalized text: of no step so far.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.is_identity()
    }
}

/// The data form, as JSON.
impl fmt::Display for Normalizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// A step with a `type`, as data.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
enum StepSettings {
    Nfc(UnicodeOnly),
    Nfd(UnicodeOnly),
    Nfkc(UnicodeOnly),
    Nfkd(UnicodeOnly),
    Lowercase(UnicodeOnly),
    StripAccents(UnicodeOnly),
    Bert(BertSettings),
    Strip(Nothing),
    StripLeft(Nothing),
    StripRight(Nothing),
    CollapseWhitespace(Nothing),
    RemoveExtraWhitespaces(Nothing),
    Replace(ReplaceSettings),
    NmtNfkc(UnicodeOnly),
    NmtNfkcCf(UnicodeOnly),
    NfkcCf(UnicodeOnly),
    SentencepieceNfkc(UnicodeOnly),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnicodeOnly {
    #[serde(default)]
    unicode: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BertSettings {
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    /// `None` is as `lowercase`.
    #[serde(default)]
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
    #[serde(default)]
    unicode: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceSettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    literal: Option<String>,
    by: String,
}

impl UnicodeOnly {
    fn of(version: &str) -> Self {
        Self {
            unicode: Some(version.to_owned()),
        }
    }
}

/// The only version there is, or none named.
fn check_unicode(stated: Option<&str>, version: &str) -> Result<(), String> {
    match stated {
        Some(stated) if stated != version => Err(format!(
            "this normalizer has Unicode version {version} only, not {stated:?}"
        )),
        _ => Ok(()),
    }
}

impl TryFrom<StepSettings> for Step {
    type Error = String;

    fn try_from(settings: StepSettings) -> Result<Self, String> {
        use StepSettings as S;
        let of_data = |unicode: UnicodeOnly, step: Self| {
            check_unicode(unicode.unicode.as_deref(), UNICODE_VERSION).map(|()| step)
        };
        let of_rules = |unicode: UnicodeOnly, nmt: bool, fold: bool| {
            check_unicode(unicode.unicode.as_deref(), SENTENCEPIECE_UNICODE_VERSION)
                .map(|()| Self::SentencePiece(Rules { nmt, fold }))
        };
        match settings {
            S::Nfc(unicode) => of_data(unicode, Self::Form(Form::Nfc)),
            S::Nfd(unicode) => of_data(unicode, Self::Form(Form::Nfd)),
            S::Nfkc(unicode) => of_data(unicode, Self::Form(Form::Nfkc)),
            S::Nfkd(unicode) => of_data(unicode, Self::Form(Form::Nfkd)),
            S::Lowercase(unicode) => of_data(unicode, Self::Lowercase),
            S::StripAccents(unicode) => of_data(unicode, Self::StripAccents),
            S::Bert(bert) => {
                check_unicode(bert.unicode.as_deref(), UNICODE_VERSION)?;
                Ok(Self::Bert(Bert {
                    clean_text: bert.clean_text,
                    handle_chinese_chars: bert.handle_chinese_chars,
                    strip_accents: bert.strip_accents.unwrap_or(bert.lowercase),
                    lowercase: bert.lowercase,
                }))
            }
            S::Strip(Nothing {}) => Ok(Self::Whitespace(Whitespace::Strip)),
            S::StripLeft(Nothing {}) => Ok(Self::Whitespace(Whitespace::StripLeft)),
            S::StripRight(Nothing {}) => Ok(Self::Whitespace(Whitespace::StripRight)),
            S::CollapseWhitespace(Nothing {}) => Ok(Self::Whitespace(Whitespace::Collapse)),
            S::RemoveExtraWhitespaces(Nothing {}) => Ok(Self::Whitespace(Whitespace::RemoveExtra)),
            S::Replace(settings) => {
                let target = match (settings.pattern, settings.literal) {
                    (Some(pattern), None) => Target::Pattern(pattern),
                    (None, Some(literal)) => Target::Literal(literal),
                    _ => {
                        return Err(
                            "replace takes either pattern (a regular expression) or literal (a \
                             text as it stands)"
                                .to_owned(),
                        );
                    }
                };
                let replace = Replace::new(target, settings.by).map_err(|e| e.to_string())?;
                Ok(Self::Replace(Box::new(replace)))
            }
            S::NmtNfkc(unicode) => of_rules(unicode, true, false),
            S::NmtNfkcCf(unicode) => of_rules(unicode, true, true),
            S::NfkcCf(unicode) => of_rules(unicode, false, true),
            S::SentencepieceNfkc(unicode) => of_rules(unicode, false, false),
        }
    }
}

impl From<&Step> for StepSettings {
    fn from(step: &Step) -> Self {
        let data = || UnicodeOnly::of(UNICODE_VERSION);
        let rules = || UnicodeOnly::of(SENTENCEPIECE_UNICODE_VERSION);
        match step {
            Step::Form(Form::Nfc) => Self::Nfc(data()),
            Step::Form(Form::Nfd) => Self::Nfd(data()),
            Step::Form(Form::Nfkc) => Self::Nfkc(data()),
            Step::Form(Form::Nfkd) => Self::Nfkd(data()),
            Step::Lowercase => Self::Lowercase(data()),
            Step::StripAccents => Self::StripAccents(data()),
            Step::Bert(bert) => Self::Bert(BertSettings {
                clean_text: bert.clean_text,
                handle_chinese_chars: bert.handle_chinese_chars,
                strip_accents: Some(bert.strip_accents),
                lowercase: bert.lowercase,
                unicode: Some(UNICODE_VERSION.to_owned()),
            }),
            Step::Whitespace(Whitespace::Strip) => Self::Strip(Nothing {}),
            Step::Whitespace(Whitespace::StripLeft) => Self::StripLeft(Nothing {}),
            Step::Whitespace(Whitespace::StripRight) => Self::StripRight(Nothing {}),
            Step::Whitespace(Whitespace::Collapse) => Self::CollapseWhitespace(Nothing {}),
            Step::Whitespace(Whitespace::RemoveExtra) => Self::RemoveExtraWhitespaces(Nothing {}),
            Step::Replace(replace) => {
                let (pattern, literal) = match replace.target() {
                    Target::Pattern(pattern) => (Some(pattern.clone()), None),
                    Target::Literal(literal) => (None, Some(literal.clone())),
                };
                Self::Replace(ReplaceSettings {
                    pattern,
                    literal,
                    by: replace.by().to_owned(),
                })
            }
            Step::SentencePiece(Rules { nmt, fold }) => match (nmt, fold) {
                (true, false) => Self::NmtNfkc(rules()),
                (true, true) => Self::NmtNfkcCf(rules()),
                (false, true) => Self::NfkcCf(rules()),
                (false, false) => Self::SentencepieceNfkc(rules()),
            },
        }
    }
}

impl Serialize for Normalizer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.steps.iter().map(StepSettings::from))
    }
}

impl<'de> Deserialize<'de> for Normalizer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NormalizerVisitor)
    }
}

/// An item of the list: at most one step, since `identity` is none.
struct Item(Option<Step>);

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor)
    }
}

struct ItemVisitor;

impl<'de> Visitor<'de> for ItemVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a normalizer or an object with its type")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Item, E> {
        if name == "identity" {
            return Ok(Item(None));
        }
        if !NAMES.contains(&name) {
            return Err(E::custom(format!(
                "unknown normalizer {name:?}; known: {}",
                NAMES.join(", ")
            )));
        }
        // A name alone is an object with nothing but its type.
        let alone = [("type", name)];
        self.visit_map(de::value::MapDeserializer::new(alone.into_iter()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item, A::Error> {
        let map = de::value::MapAccessDeserializer::new(map);
        let step = Step::try_from(StepSettings::deserialize(map)?);
        step.map(|step| Item(Some(step))).map_err(de::Error::custom)
    }
}

struct NormalizerVisitor;

impl<'de> Visitor<'de> for NormalizerVisitor {
    type Value = Normalizer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a normalizer, by name or as an object with its type, or a list of them")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Normalizer, E> {
        ItemVisitor.visit_str(name).map(one)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Normalizer, A::Error> {
        ItemVisitor.visit_map(map).map(one)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Normalizer, A::Error> {
        let mut steps = Vec::new();
        while let Some(Item(step)) = items.next_element()? {
            steps.extend(step);
        }
        Ok(Normalizer { steps })
    }
}

fn one(Item(step): Item) -> Normalizer {
    Normalizer {
        steps: step.into_iter().collect(),
    }
}
