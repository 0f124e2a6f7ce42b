//! Which units a vocabulary starts with: all bytes, or the characters of the corpus on top of them or
//! instead of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::alphabet::{Alphabet, AlphabetOrder};
use crate::count::WordCounts;
use crate::error::{Error, Result};
use crate::types::Marks;

/// Settings of the alphabet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum AlphabetSettings {
    /// The 256 bytes, in each form that the boundary has.
    Bytes {
        /// How the bytes are numbered.
        #[serde(default)]
        order: AlphabetOrder,
    },
    /// Characters of the corpus.
    Characters {
        /// How the bytes are numbered.
        #[serde(default)]
        order: AlphabetOrder,
        /// The share of all characters of the corpus that the alphabet covers, above 0 and at most
        /// 1: the most frequent are taken, and of equally frequent ones the smaller code points.
        #[serde(default = "whole")]
        coverage: f64,
        /// The most characters taken, required ones not counted; `None` for no limit.
        #[serde(default)]
        limit: Option<usize>,
        /// Characters that are units whether they occur or not.
        #[serde(default)]
        required: String,
        /// Whether the bytes are units too, so that any text can be encoded. A character of one byte
        /// is that byte.
        #[serde(default = "yes")]
        byte_fallback: bool,
    },
    /// Nothing: only what is learned are tokens.
    None {
        /// How the bytes would be numbered.
        #[serde(default)]
        order: AlphabetOrder,
    },
}

fn whole() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

impl Default for AlphabetSettings {
    fn default() -> Self {
        Self::Bytes {
            order: AlphabetOrder::Bytes,
        }
    }
}

impl AlphabetSettings {
    /// True when every byte is a unit.
    #[must_use]
    pub fn has_bytes(&self) -> bool {
        match self {
            Self::Bytes { .. } => true,
            Self::Characters { byte_fallback, .. } => *byte_fallback,
            Self::None { .. } => false,
        }
    }

    /// Says what is wrong with these settings.
    ///
    /// # Errors
    /// [`Error::Incompatible`] for a coverage outside its bounds.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::Characters { coverage, .. } if !(*coverage > 0.0 && *coverage <= 1.0) => {
                Err(Error::Incompatible {
                    what: format!(
                        "character_coverage is {coverage}, but must be above 0 and at most 1"
                    ),
                })
            }
            _ => Ok(()),
        }
    }

    /// The alphabet for some words. Characters come after the bytes, by marks and then code points;
    /// each in the forms in which it occurs, a required one in all forms that the boundary has.
    /// `max_units` takes only as many of the most frequent characters as there is room for.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn alphabet(&self, counts: &WordCounts, max_units: Option<usize>) -> Result<Alphabet> {
        self.check()?;
        let len = counts.provenance().boundary.alphabet_len();
        let (order, coverage, limit, required, byte_fallback) = match self {
            Self::Bytes { order } => return Ok(Alphabet::new(len, *order)),
            Self::None { order } => return Ok(Alphabet::with_characters(len, *order, false, &[])),
            Self::Characters {
                order,
                coverage,
                limit,
                required,
                byte_fallback,
            } => (*order, *coverage, *limit, required, *byte_fallback),
        };
        let occurrences = occurrences(counts);
        let mut characters: Vec<(char, u128)> = Vec::new();
        for (&(character, _), &count) in &occurrences {
            match characters.last_mut() {
                Some((last, total)) if *last == character => *total += count,
                _ => characters.push((character, count)),
            }
        }
        let all: u128 = characters.iter().map(|&(_, count)| count).sum();
        // Stable, so equally frequent ones stay in the order of code points.
        characters.sort_by_key(|&(_, count)| Reverse(count));
        let required = required.chars();
        let mut units: BTreeSet<(Marks, char)> = required
            .flat_map(|character| forms(len).map(move |marks| (marks, character)))
            .collect();
        let is_symbol = |character: char| byte_fallback && character.is_ascii();
        let room = max_units.map(|max| max.saturating_sub(if byte_fallback { len } else { 0 }));
        let mut covered = 0_u128;
        for (character, count) in characters.into_iter().take(limit.unwrap_or(usize::MAX)) {
            if covered as f64 >= coverage * all as f64 {
                break;
            }
            covered += count;
            if is_symbol(character) {
                continue;
            }
            let occurring = occurrences.range((character, Marks::NONE)..=(character, Marks::ALL));
            let occurring = occurring.map(|(&(character, marks), _)| (marks, character));
            let new: Vec<_> = occurring.filter(|unit| !units.contains(unit)).collect();
            if room.is_some_and(|room| units.len() + new.len() > room) {
                break;
            }
            units.extend(new);
        }
        let mut text = String::new();
        let spans: Vec<(usize, usize, Marks)> = units
            .into_iter()
            .map(|(marks, character)| {
                let start = text.len();
                text.push(character);
                (start, text.len(), marks)
            })
            .collect();
        let characters: Vec<(&[u8], Marks)> = spans
            .into_iter()
            .map(|(start, end, marks)| (&text.as_bytes()[start..end], marks))
            .collect();
        Ok(Alphabet::with_characters(
            len,
            order,
            byte_fallback,
            &characters,
        ))
    }
}

/// How often each character occurs in each form. Ill-formed UTF-8 has none.
fn occurrences(counts: &WordCounts) -> BTreeMap<(char, Marks), u128> {
    let is_marked = counts.provenance().boundary.is_marked();
    let mut forms = BTreeMap::new();
    for word in counts.iter() {
        let mut at = 0;
        for chunk in word.bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                let end = at + character.len_utf8();
                let marks = Marks::new(
                    is_marked && (at > 0 || word.marks.lead()),
                    end == word.bytes.len() && word.marks.trail(),
                );
                *forms.entry((character, marks)).or_default() += u128::from(word.count);
                at = end;
            }
            at += chunk.invalid().len();
        }
    }
    forms
}

/// The forms that a unit can have, where there are so many symbols.
fn forms(num_symbols: usize) -> impl Iterator<Item = Marks> {
    [(false, false), (true, false), (false, true), (true, true)]
        .into_iter()
        .map(|(lead, trail)| Marks::new(lead, trail))
        .take(num_symbols / 256)
}
