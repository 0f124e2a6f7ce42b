//! Added tokens: texts with an id of their own, split off before anything else. Special tokens only
//! where the caller allows them by name: the same text typed by a user is text. Plain ones always:
//! they are text that must not be cut.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, Input, MatchKind};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::pretokenize::{CharClass, CharKind, UnicodeClasses, decode_multibyte, newest_version};
use crate::types::TokenId;

/// Where an added token is recognized in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AddedKind {
    /// Where the caller allows it by name. Decoding can leave it out.
    Special,
    /// Wherever it stands, also inside a word.
    Anywhere,
    /// Where no letter, mark, number or underscore stands directly before or after it.
    Word,
}

impl AddedKind {
    const ALL: [Self; 3] = [Self::Word, Self::Anywhere, Self::Special];

    fn name(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Anywhere => "anywhere",
            Self::Special => "special",
        }
    }

    /// The kind of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the list of names.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| Error::UnknownSetting {
            setting: "match",
            value: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// A text with an id of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddedToken {
    /// The text.
    pub text: String,
    /// Where it is recognized.
    pub kind: AddedKind,
    /// Its id; `None` for the one after those before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<TokenId>,
}

impl AddedToken {
    /// Tokens of one kind, each with the next id.
    pub fn all_of(kind: AddedKind, texts: &[String]) -> impl Iterator<Item = Self> + '_ {
        texts.iter().map(move |text| Self {
            text: text.clone(),
            kind,
            id: None,
        })
    }
}

/// So many ids may be left out before and between added tokens. Vocabularies in use leave out a few
/// dozen; tables have a place for every id, so a file may not ask for any number of them.
const MAX_LEFT_OUT: u64 = 1 << 16;

/// The added tokens of a tokenizer, numbered after the tokens of its model.
#[derive(Clone, Debug, Default)]
pub struct SpecialTokens {
    tokens: Vec<AddedToken>,
    /// Ids of the special ones.
    index: HashMap<String, TokenId, RandomState>,
    /// The id of each, ascending.
    ids: Vec<TokenId>,
    /// Both made once, since most calls allow all special tokens or none.
    of_none: Option<SpecialFinder>,
    of_all: Option<SpecialFinder>,
}

/// Which special tokens may be recognized in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedSpecial<'a> {
    /// None: all text is text.
    None,
    /// All that the tokenizer has.
    All,
    /// Those named.
    Only(&'a [String]),
}

/// A finder for the added tokens that one call allows. Cheap to copy.
#[derive(Clone, Debug)]
pub struct SpecialFinder {
    finder: AhoCorasick,
    /// Id of each, and whether it must be a whole word.
    tokens: Arc<[(TokenId, bool)]>,
}

/// A stretch of text between special tokens, or one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Ordinary text, possibly empty.
    Text {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
    },
    /// A special token.
    Special {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// Its id.
        id: TokenId,
    },
}

impl SpecialTokens {
    /// Tokens numbered from `first_id` on, in the order given. One may state a later id than the next;
    /// the ids that it leaves out are no tokens.
    ///
    /// # Errors
    /// [`Error::BadSpecial`] for an empty text or one given twice, [`Error::AddedTokenId`] for an id
    /// that is taken, not in order, or too far away.
    pub fn new(mut tokens: Vec<AddedToken>, first_id: TokenId) -> Result<Self> {
        check_texts(&tokens)?;
        let ids = take_ids(&mut tokens, first_id)?;
        let mut this = Self {
            tokens,
            index: HashMap::default(),
            ids,
            of_none: None,
            of_all: None,
        };
        this.index = this
            .iter()
            .map(|(name, id)| (name.to_owned(), id))
            .collect();
        this.of_none = SpecialFinder::new(this.iter_plain())?;
        this.of_all = SpecialFinder::new(this.numbered())?;
        Ok(this)
    }

    /// All added tokens in the order of their ids.
    #[must_use]
    pub fn tokens(&self) -> &[AddedToken] {
        &self.tokens
    }

    /// The text of an added token, `None` for any other id.
    #[must_use]
    pub fn name(&self, id: TokenId) -> Option<&str> {
        self.get(id).map(|token| token.text.as_str())
    }

    fn get(&self, id: TokenId) -> Option<&AddedToken> {
        let at = self.ids.binary_search(&id).ok()?;
        self.tokens.get(at)
    }

    /// True for the id of a special token.
    #[must_use]
    pub fn is_special(&self, id: TokenId) -> bool {
        self.get(id)
            .is_some_and(|token| token.kind == AddedKind::Special)
    }

    /// The id of a special token, `None` if there is none of that name.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<TokenId> {
        self.index.get(name).copied()
    }

    /// All added tokens with their ids, ascending.
    pub fn numbered(&self) -> impl Iterator<Item = (&AddedToken, TokenId)> {
        self.tokens.iter().zip(self.ids.iter().copied())
    }

    /// Names of special tokens with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.numbered()
            .filter(|(token, _)| token.kind == AddedKind::Special)
            .map(|(token, id)| (token.text.as_str(), id))
    }

    /// The plain ones with their ids.
    pub fn iter_plain(&self) -> impl Iterator<Item = (&AddedToken, TokenId)> {
        self.numbered()
            .filter(|(token, _)| token.kind != AddedKind::Special)
    }

    /// The names of the special tokens for a message.
    #[must_use]
    pub fn known(&self) -> String {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    }

    /// What to say of a special token that there is not.
    #[must_use]
    pub fn unknown(&self, name: &str) -> Error {
        Error::UnknownSpecial {
            name: name.to_owned(),
            known: self.known(),
        }
    }

    /// A finder for the allowed special ones and all plain ones; `None` when there is nothing to
    /// find.
    ///
    /// # Errors
    /// [`Error::UnknownSpecial`] for a name this tokenizer does not have.
    pub fn finder(&self, allowed: AllowedSpecial<'_>) -> Result<Option<SpecialFinder>> {
        let names = match allowed {
            AllowedSpecial::None => return Ok(self.of_none.clone()),
            AllowedSpecial::All => return Ok(self.of_all.clone()),
            AllowedSpecial::Only(names) => names,
        };
        let mut is_allowed = HashSet::<TokenId, RandomState>::default();
        for name in names {
            is_allowed.insert(self.id(name).ok_or_else(|| self.unknown(name))?);
        }
        let tokens = self.numbered();
        SpecialFinder::new(
            tokens
                .filter(|(token, id)| token.kind != AddedKind::Special || is_allowed.contains(id)),
        )
    }
}

fn check_texts(tokens: &[AddedToken]) -> Result<()> {
    let mut known = HashSet::<&str, RandomState>::default();
    for AddedToken { text, .. } in tokens {
        let reason = if text.is_empty() {
            "is empty"
        } else if !known.insert(text) {
            "is given twice"
        } else {
            continue;
        };
        return Err(Error::BadSpecial {
            name: text.clone(),
            reason,
        });
    }
    Ok(())
}

/// The ids of added tokens; a stated one that is the next anyway is forgotten, so that equal
/// tokenizers have equal files.
fn take_ids(tokens: &mut [AddedToken], first_id: TokenId) -> Result<Vec<TokenId>> {
    let (mut next, mut left_out) = (u64::from(first_id), 0);
    let mut ids = Vec::with_capacity(tokens.len());
    for token in tokens {
        let id = token.id.map_or(next, u64::from);
        let most = next + MAX_LEFT_OUT - left_out;
        let (Ok(taken), true) = (TokenId::try_from(id), (next..=most).contains(&id)) else {
            return Err(Error::AddedTokenId {
                name: token.text.clone(),
                id,
                least: next,
                most,
            });
        };
        left_out += id - next;
        token.id = token.id.filter(|_| id > next);
        next = id + 1;
        ids.push(taken);
    }
    Ok(ids)
}

impl SpecialFinder {
    /// A finder for texts that are tokens anywhere, where no tokenizer is yet, as in counting; their
    /// place in the list is their id. `None` when there are none.
    ///
    /// # Errors
    /// As [`SpecialTokens::new`].
    pub fn of_user_defined(texts: &[String]) -> Result<Option<Self>> {
        let tokens = AddedToken::all_of(AddedKind::Anywhere, texts).collect();
        Ok(SpecialTokens::new(tokens, 0)?.of_none)
    }

    /// A finder for these tokens; `None` when there are none.
    fn new<'t>(tokens: impl Iterator<Item = (&'t AddedToken, TokenId)>) -> Result<Option<Self>> {
        let tokens: Vec<_> = tokens.collect();
        if tokens.is_empty() {
            return Ok(None);
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|(token, _)| &token.text))
            .map_err(|error| Error::Incompatible {
                what: format!("the added tokens cannot be searched for: {error}"),
            })?;
        let tokens = tokens.into_iter();
        Ok(Some(Self {
            finder,
            tokens: tokens
                .map(|(token, id)| (id, token.kind == AddedKind::Word))
                .collect(),
        }))
    }

    /// Cuts a text into segments, from left to right; of two tokens that start at the same place the
    /// longer is taken, and if that must be a whole word and is none, neither.
    pub fn segments(&self, text: &[u8]) -> impl Iterator<Item = Segment> {
        let (mut done, mut at) = (0, 0);
        let mut segments = Vec::new();
        while let Some(found) = self.finder.find(Input::new(text).range(at..)) {
            let (start, end) = (found.start(), found.end());
            let (id, must_be_word) = self.tokens[found.pattern().as_usize()];
            if must_be_word && !is_word(text, start, end) {
                at = start + 1;
                continue;
            }
            segments.push(Segment::Text {
                start: done,
                end: start,
            });
            segments.push(Segment::Special { start, end, id });
            (done, at) = (end, end);
        }
        segments.push(Segment::Text {
            start: done,
            end: text.len(),
        });
        segments.into_iter()
    }
}

/// Whether no character of a word stands directly before or after a span.
fn is_word(text: &[u8], start: usize, end: usize) -> bool {
    let before = (1..=4.min(start)).find_map(|len| character(&text[start - len..start], len));
    let after = character(&text[end..], 0);
    !before.is_some_and(continues_word) && !after.is_some_and(continues_word)
}

/// The character that a text begins with, if there is one, and it is `len` bytes long where that is
/// not 0.
fn character(text: &[u8], len: usize) -> Option<u32> {
    let (code_point, found) = match *text.first()? {
        ascii @ 0..0x80 => (u32::from(ascii), 1),
        _ => decode_multibyte(text)?,
    };
    (len == 0 || found == len).then_some(code_point)
}

fn continues_word(code_point: u32) -> bool {
    UnicodeClasses::of_version(newest_version()).is_ok_and(|classes| {
        let kind = classes.kind(code_point);
        code_point == u32::from('_')
            || matches!(kind.class(), CharClass::Letter | CharClass::Number)
            || kind == CharKind::Mark
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[(&str, Option<TokenId>)]) -> Result<SpecialTokens> {
        let tokens = ids.iter().map(|&(text, id)| AddedToken {
            text: text.to_owned(),
            kind: AddedKind::Special,
            id,
        });
        SpecialTokens::new(tokens.collect(), 256)
    }

    #[test]
    fn ids_ascend_from_the_first_and_may_leave_some_out() {
        let special = tokens(&[("a", Some(256)), ("b", Some(300)), ("c", None)]).unwrap();
        let ids: Vec<_> = special.iter().collect();
        assert_eq!(ids, [("a", 256), ("b", 300), ("c", 301)]);
        assert_eq!(special.name(299), None);
        assert!(special.is_special(300) && !special.is_special(257));
        // Only what cannot be told otherwise is kept.
        let stated = special.tokens().iter().map(|token| token.id);
        assert_eq!(stated.collect::<Vec<_>>(), [None, Some(300), None]);
    }

    #[test]
    fn ids_that_are_taken_or_far_away_are_refused_with_the_bounds() {
        for (ids, least, most) in [
            (vec![("a", Some(255))], 256, 65_792),
            (vec![("a", Some(65_793))], 256, 65_792),
            (vec![("a", Some(300)), ("b", Some(300))], 301, 65_793),
            (
                vec![("a", Some(65_792)), ("b", Some(65_794))],
                65_793,
                65_793,
            ),
        ] {
            match tokens(&ids) {
                Err(Error::AddedTokenId {
                    least: l, most: m, ..
                }) => assert_eq!((l, m), (least, most)),
                other => panic!("{other:?}"),
            }
        }
    }
}
