//! Words → a lattice of all their segmentations, one word behind the other, for what needs more than the
//! best one.

use crate::error::Result;
use crate::lattice::{Arc, Lattice};
use crate::model::Model;
use crate::trie::{Direction, Trie};
use crate::types::{Symbol, TokenId};

use super::unknown::UnknownRule;
use super::viterbi;

/// What the unknown token scores below the least token (SentencePiece).
const UNKNOWN_PENALTY: f64 = 10.0;

/// Lays the tokens of a model with scores over words.
#[derive(Debug)]
pub struct Segmentations {
    trie: Trie,
    scores: Vec<f64>,
    /// What becomes of what no token spells, and the score of its token.
    unknown: Option<(UnknownRule, f64)>,
}

impl Segmentations {
    /// Tables for a model; its hidden tokens are left out.
    ///
    /// # Errors
    /// [`Error::Incompatible`](crate::Error::Incompatible) for a model without scores.
    pub fn new(model: &Model, unknown: Option<UnknownRule>) -> Result<Self> {
        let scores = viterbi::scores(model)?;
        let least = scores.iter().copied().fold(0.0, f64::min);
        Ok(Self {
            trie: Trie::new(model, Direction::Forward),
            scores,
            unknown: unknown.map(|rule| (rule, least - UNKNOWN_PENALTY)),
        })
    }

    /// Appends a word with all tokens in it. No token crosses into the word before.
    ///
    /// # Errors
    /// [`Error::UncoveredSymbol`](crate::Error::UncoveredSymbol) when no tokens spell the word and there
    /// is no unknown token; [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn push_word(&self, word: &[Symbol], lattice: &mut Lattice) -> Result<()> {
        let first = lattice.num_units();
        if first + word.len() >= u32::MAX as usize {
            return Err(super::too_long(first + word.len()));
        }
        let is_too_long = |rule: &UnknownRule| rule.is_too_long(word);
        let uncovered = match &self.unknown {
            Some((rule, _)) if is_too_long(rule) => word.first().copied(),
            _ => self.push_tokens(word, lattice),
        };
        let Some(uncovered) = uncovered else {
            return Ok(());
        };
        let Some((rule, score)) = &self.unknown else {
            return Err(super::uncovered(uncovered));
        };
        lattice.truncate(first);
        let mut at = 0;
        for (len, is_known) in rule.parts(word) {
            let part = &word[at..at + len];
            at += len;
            if is_known {
                self.push_tokens(part, lattice);
            } else {
                let start = lattice.num_units() as u32;
                part.iter().for_each(|_| lattice.push_unit());
                lattice.push_arc(Arc {
                    start,
                    id: rule.id(),
                    score: *score,
                });
            }
        }
        Ok(())
    }

    /// Appends a token that is no part of a word and may not be left out, as one unit.
    pub fn push_special(&self, id: TokenId, lattice: &mut Lattice) {
        let start = lattice.num_units() as u32;
        lattice.push_unit();
        let score = 0.0;
        lattice.push_arc(Arc { start, id, score });
    }

    /// Appends units and tokens; where no tokens lead to the end, says at which symbol.
    fn push_tokens(&self, word: &[Symbol], lattice: &mut Lattice) -> Option<Symbol> {
        let first = lattice.num_units();
        let mut reached = vec![true];
        let mut node = self.trie.start();
        for (at, &symbol) in word.iter().enumerate() {
            node = self.trie.read(node, symbol);
            lattice.push_unit();
            let mut is_reached = false;
            let mut entry = self.trie.longest(node);
            loop {
                let token = self.trie.entry(entry);
                if token.len == 0 {
                    break;
                }
                let start = at + 1 - token.len as usize;
                if reached[start] {
                    is_reached = true;
                    lattice.push_arc(Arc {
                        start: (first + start) as u32,
                        id: token.id,
                        score: self.scores[token.id as usize],
                    });
                }
                entry = self.trie.shorter(entry);
            }
            reached.push(is_reached);
        }
        match reached.last() {
            Some(false) => word.last().copied(),
            _ => None,
        }
    }
}
