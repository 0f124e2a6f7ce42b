//! Special tokens: texts with an id of their own. They are split off before anything else, and only
//! those that the caller allows by name: the same text typed by a user is text.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::error::{Error, Result};
use crate::types::TokenId;

/// The special tokens of a tokenizer, numbered after all others.
#[derive(Clone, Debug, Default)]
pub struct SpecialTokens {
    names: Vec<String>,
    index: HashMap<String, TokenId, RandomState>,
    first_id: TokenId,
    /// Made once, since a call that allows all tokens is the common one.
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

/// A finder for the special tokens that one call allows. Cheap to copy.
#[derive(Clone, Debug)]
pub struct SpecialFinder {
    finder: AhoCorasick,
    ids: Arc<[TokenId]>,
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
    /// Special tokens numbered from `first_id` on, in the order given.
    ///
    /// # Errors
    /// [`Error::BadSpecial`] for an empty name or one given twice.
    pub fn new(names: Vec<String>, first_id: TokenId) -> Result<Self> {
        let mut index = HashMap::default();
        for (id, name) in (first_id..).zip(&names) {
            let reason = if name.is_empty() {
                "is empty"
            } else if index.insert(name.clone(), id).is_some() {
                "is given twice"
            } else {
                continue;
            };
            return Err(Error::BadSpecial {
                name: name.clone(),
                reason,
            });
        }
        let mut this = Self {
            names,
            index,
            first_id,
            of_all: None,
        };
        this.of_all = SpecialFinder::new(this.iter().collect())?;
        Ok(this)
    }

    /// The names in the order of their ids.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The text of a special token, `None` for any other id.
    #[must_use]
    pub fn name(&self, id: TokenId) -> Option<&str> {
        let at = id.checked_sub(self.first_id)?;
        self.names.get(at as usize).map(String::as_str)
    }

    /// Names with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, TokenId)> {
        self.names
            .iter()
            .enumerate()
            .map(|(at, name)| (name.as_str(), self.first_id + at as TokenId))
    }

    /// A finder for the allowed ones; `None` when there is nothing to find.
    ///
    /// # Errors
    /// [`Error::UnknownSpecial`] for a name this tokenizer does not have.
    pub fn finder(&self, allowed: AllowedSpecial<'_>) -> Result<Option<SpecialFinder>> {
        let names = match allowed {
            AllowedSpecial::None => return Ok(None),
            AllowedSpecial::All => return Ok(self.of_all.clone()),
            AllowedSpecial::Only(names) => names,
        };
        let allowed = names.iter().map(|name| match self.index.get(name) {
            Some(&id) => Ok((name.as_str(), id)),
            None => Err(Error::UnknownSpecial {
                name: name.clone(),
                known: match self.names.is_empty() {
                    true => "none".to_owned(),
                    false => self.names.join(", "),
                },
            }),
        });
        SpecialFinder::new(allowed.collect::<Result<_>>()?)
    }
}

impl SpecialFinder {
    /// A finder for these texts; `None` when there are none.
    fn new(tokens: Vec<(&str, TokenId)>) -> Result<Option<Self>> {
        if tokens.is_empty() {
            return Ok(None);
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(tokens.iter().map(|(name, _)| name))
            .map_err(|error| Error::Incompatible {
                what: format!("the special tokens cannot be searched for: {error}"),
            })?;
        Ok(Some(Self {
            finder,
            ids: tokens.into_iter().map(|(_, id)| id).collect(),
        }))
    }

    /// Cuts a text into segments, from left to right; of two special tokens that start at the same
    /// place the longer is taken.
    pub fn segments(&self, text: &[u8]) -> impl Iterator<Item = Segment> {
        let mut done = 0;
        let mut segments = Vec::new();
        for found in self.finder.find_iter(text) {
            segments.push(Segment::Text {
                start: done,
                end: found.start(),
            });
            segments.push(Segment::Special {
                start: found.start(),
                end: found.end(),
                id: self.ids[found.pattern().as_usize()],
            });
            done = found.end();
        }
        segments.push(Segment::Text {
            start: done,
            end: text.len(),
        });
        segments.into_iter()
    }
}
