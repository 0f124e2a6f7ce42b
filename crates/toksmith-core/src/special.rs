//! Tokens that are texts with an id of their own, split off before anything else. Special tokens only
//! where the caller allows them by name: the same text typed by a user is text. User-defined symbols
//! always: they are text that must not be cut.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use crate::error::{Error, Result};
use crate::types::TokenId;

/// The user-defined symbols and the special tokens of a tokenizer, numbered after all others.
#[derive(Clone, Debug, Default)]
pub struct SpecialTokens {
    user_defined: Vec<String>,
    names: Vec<String>,
    index: HashMap<String, TokenId, RandomState>,
    first_user_defined: TokenId,
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
    /// User-defined symbols numbered from `first_id` on and special tokens after them, each in the
    /// order given.
    ///
    /// # Errors
    /// [`Error::BadSpecial`] for an empty name or one given twice.
    pub fn new(user_defined: Vec<String>, names: Vec<String>, first_id: TokenId) -> Result<Self> {
        check_names(user_defined.iter().chain(&names))?;
        let mut this = Self {
            user_defined,
            names,
            index: HashMap::default(),
            first_user_defined: first_id,
            of_none: None,
            of_all: None,
        };
        this.index = this
            .iter()
            .map(|(name, id)| (name.to_owned(), id))
            .collect();
        this.of_none = SpecialFinder::new(this.iter_user_defined().collect())?;
        this.of_all = SpecialFinder::new(this.iter_user_defined().chain(this.iter()).collect())?;
        Ok(this)
    }

    /// The names of the special tokens in the order of their ids.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The user-defined symbols in the order of their ids.
    #[must_use]
    pub fn user_defined(&self) -> &[String] {
        &self.user_defined
    }

    fn first_special(&self) -> TokenId {
        self.first_user_defined + self.user_defined.len() as TokenId
    }

    /// The text of a special token or user-defined symbol, `None` for any other id.
    #[must_use]
    pub fn name(&self, id: TokenId) -> Option<&str> {
        let at = id.checked_sub(self.first_user_defined)? as usize;
        let name = match at.checked_sub(self.user_defined.len()) {
            None => self.user_defined.get(at),
            Some(at) => self.names.get(at),
        };
        name.map(String::as_str)
    }

    /// True for the id of a special token.
    #[must_use]
    pub fn is_special(&self, id: TokenId) -> bool {
        id >= self.first_special() && self.name(id).is_some()
    }

    /// The id of a special token, `None` if there is none of that name.
    #[must_use]
    pub fn id(&self, name: &str) -> Option<TokenId> {
        self.index.get(name).copied()
    }

    /// Names of special tokens with their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, TokenId)> {
        numbered(&self.names, self.first_special())
    }

    /// User-defined symbols with their ids.
    pub fn iter_user_defined(&self) -> impl ExactSizeIterator<Item = (&str, TokenId)> {
        numbered(&self.user_defined, self.first_user_defined)
    }

    /// A finder for the allowed ones and all user-defined symbols; `None` when there is nothing to
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
        let user_defined = self.iter_user_defined().map(Ok);
        SpecialFinder::new(user_defined.chain(allowed).collect::<Result<_>>()?)
    }
}

fn check_names<'n>(names: impl Iterator<Item = &'n String>) -> Result<()> {
    let mut known = HashSet::<&str, RandomState>::default();
    for name in names {
        let reason = if name.is_empty() {
            "is empty"
        } else if !known.insert(name) {
            "is given twice"
        } else {
            continue;
        };
        return Err(Error::BadSpecial {
            name: name.clone(),
            reason,
        });
    }
    Ok(())
}

fn numbered(names: &[String], first: TokenId) -> impl ExactSizeIterator<Item = (&str, TokenId)> {
    names
        .iter()
        .enumerate()
        .map(move |(at, name)| (name.as_str(), first + at as TokenId))
}

impl SpecialFinder {
    /// A finder for user-defined symbols where no tokenizer is yet, as in counting; their place in
    /// the list is their id. `None` when there are none.
    ///
    /// # Errors
    /// As [`SpecialTokens::new`].
    pub fn of_user_defined(names: &[String]) -> Result<Option<Self>> {
        Ok(SpecialTokens::new(names.to_vec(), Vec::new(), 0)?.of_none)
    }

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
