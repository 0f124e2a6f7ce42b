//! What training makes and encoding reads: tokens, merges and visibility. The place of a merge in
//! the list (its rank), the id of the token it makes, and whether that token may be emitted are
//! three things.

use hashbrown::HashSet;

use crate::alphabet::Alphabet;
use crate::error::{Error, Result};
use crate::types::{Marks, TokenId};
use crate::vocab::{TokenRef, Vocab};

/// Scores are multiples of this.
const SCORE_STEP: f64 = 1.0 / (1_u64 << 30) as f64;
/// The largest score, and negated the least; logarithms of probabilities are far within.
const MAX_SCORE: f64 = 1e12;

/// One merge: the pair and the token it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Id of the left part.
    pub left: TokenId,
    /// Id of the right part.
    pub right: TokenId,
    /// Id of the result; an id that exists already where two pairs spell the same token.
    pub new: TokenId,
}

/// A vocabulary with its merges or scores. Frozen once made.
#[derive(Clone, Debug)]
pub struct Model {
    alphabet: Alphabet,
    vocab: Vocab,
    merges: Vec<Merge>,
    visible: Option<Vec<bool>>,
    scores: Option<Vec<f64>>,
}

impl Model {
    /// A model that holds the alphabet and nothing else.
    #[must_use]
    pub fn of_alphabet(alphabet: Alphabet) -> Self {
        Self {
            vocab: alphabet.units().clone(),
            alphabet,
            merges: Vec::new(),
            visible: None,
            scores: None,
        }
    }

    /// Puts a model together again from tokens and merges, as a file holds them: the units of the
    /// alphabet first. Where there are merges they make every token that is no unit.
    ///
    /// # Errors
    /// [`Error::Format`] with the place: a token given twice or other than the alphabet says; a merge
    /// of parts that do not exist yet, of a pair that is merged already, across a mark (`left` with
    /// trail, or a marked `right` without lead), or that does not spell its `new`; a token that no
    /// merge makes.
    pub fn from_parts<'t>(
        alphabet: Alphabet,
        tokens: impl IntoIterator<Item = (&'t [u8], Marks)>,
        merges: Vec<Merge>,
    ) -> Result<Self> {
        let num_units = alphabet.len();
        let mut vocab = Vocab::new();
        for (id, (bytes, marks)) in tokens.into_iter().enumerate() {
            let token = TokenRef { bytes, marks };
            let unit = alphabet.units().get(id as TokenId);
            if id < num_units && unit != Some(token) {
                return Err(fault("tokens", id, "it is not the unit of the alphabet"));
            }
            if vocab.push(bytes, marks) as usize != id {
                return Err(fault("tokens", id, "the token stands there twice"));
            }
            if bytes.is_empty() {
                return Err(fault("tokens", id, "the token is empty"));
            }
            if usize::from(marks.bits()) >= alphabet.num_forms() {
                let reason = "the token carries a mark that the boundary does not have";
                return Err(fault("tokens", id, reason));
            }
        }
        if vocab.len() < num_units {
            return Err(fault(
                "tokens",
                vocab.len(),
                "a unit of the alphabet is missing",
            ));
        }
        let mut made = vec![false; vocab.len()];
        made[..num_units].fill(true);
        let mut pairs = HashSet::<(TokenId, TokenId), foldhash::fast::RandomState>::default();
        for (rank, &Merge { left, right, new }) in merges.iter().enumerate() {
            let fault = |reason: String| fault("merges", rank, reason);
            for part in [left, right] {
                if !made.get(part as usize).copied().unwrap_or(false) {
                    return Err(fault(format!("id {part} does not exist yet")));
                }
            }
            if !pairs.insert((left, right)) {
                let reason = format!("the pair ({left}, {right}) is merged a second time");
                return Err(fault(reason));
            }
            let (Some(l), Some(r), Some(n)) = (vocab.get(left), vocab.get(right), vocab.get(new))
            else {
                return Err(fault(format!("id {new} does not exist")));
            };
            if !may_join(l, r, alphabet.is_marked()) {
                return Err(fault(format!("({left}, {right}) would join across a mark")));
            }
            let spelled = n.bytes.strip_prefix(l.bytes) == Some(r.bytes)
                && n.marks == Marks::new(l.marks.lead(), r.marks.trail());
            if !spelled {
                return Err(fault(format!("({left}, {right}) does not spell id {new}")));
            }
            made[new as usize] = true;
        }
        match made.iter().position(|&made| !made) {
            Some(id) if !merges.is_empty() => Err(fault("tokens", id, "no merge makes it")),
            _ => Ok(Self {
                alphabet,
                vocab,
                merges,
                visible: None,
                scores: None,
            }),
        }
    }

    /// Appends a token and returns its id; one that is there already keeps the id it has.
    pub(crate) fn push_token(&mut self, bytes: &[u8], marks: Marks) -> TokenId {
        self.vocab.push(bytes, marks)
    }

    /// Appends a merge and returns the id of its token: a new one, or the one that spells the same
    /// already. `None`, and nothing changes, when the pair would join across a mark or is unknown.
    pub(crate) fn push_merge(&mut self, left: TokenId, right: TokenId) -> Option<TokenId> {
        let (l, r) = (self.vocab.get(left)?, self.vocab.get(right)?);
        if !may_join(l, r, self.alphabet.is_marked()) {
            return None;
        }
        let mut bytes = Vec::with_capacity(l.bytes.len() + r.bytes.len());
        bytes.extend_from_slice(l.bytes);
        bytes.extend_from_slice(r.bytes);
        let marks = Marks::new(l.marks.lead(), r.marks.trail());
        let new = self.vocab.push(&bytes, marks);
        self.merges.push(Merge { left, right, new });
        Some(new)
    }

    /// Length in bytes of the token that a pair would make.
    pub(crate) fn num_bytes_joined(&self, left: TokenId, right: TokenId) -> u64 {
        let len = |id| {
            self.vocab
                .get(id)
                .map_or(0, |token| token.bytes.len() as u64)
        };
        len(left) + len(right)
    }

    /// The same model, with tokens that an encoder may not emit. Units are always visible.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the mask has another length than the vocabulary or hides a
    /// unit of the alphabet.
    pub fn with_visible(mut self, visible: Vec<bool>) -> Result<Self> {
        if visible.len() != self.vocab.len() {
            return Err(Error::Incompatible {
                what: format!(
                    "the visible mask has {} entries for {} tokens",
                    visible.len(),
                    self.vocab.len()
                ),
            });
        }
        if let Some(id) = visible[..self.alphabet.len()].iter().position(|&v| !v) {
            return Err(Error::Incompatible {
                what: format!("the visible mask hides id {id}, a unit of the alphabet"),
            });
        }
        self.visible = visible.contains(&false).then_some(visible);
        Ok(self)
    }

    /// The same model with the hidden tokens renumbered to come last; visible and hidden ones each
    /// stay in their order.
    ///
    /// # Errors
    /// As [`with_visible`](Self::with_visible).
    pub(crate) fn with_hidden_last(mut self, visible: &[bool]) -> Result<Self> {
        let mut order: Vec<TokenId> = (0..self.vocab.len() as TokenId).collect();
        let is_hidden = |id: TokenId| !visible.get(id as usize).copied().unwrap_or(true);
        order.sort_by_key(|&id| is_hidden(id));
        let mut place = vec![0; order.len()];
        let mut vocab = Vocab::new();
        for (&id, new_id) in order.iter().zip(0..) {
            place[id as usize] = new_id;
            if let Some(token) = self.vocab.get(id) {
                vocab.push(token.bytes, token.marks);
            }
        }
        for merge in &mut self.merges {
            for id in [&mut merge.left, &mut merge.right, &mut merge.new] {
                *id = place[*id as usize];
            }
        }
        self.vocab = vocab;
        let hidden = order.iter().map(|&id| is_hidden(id));
        self.with_visible(hidden.map(|hidden| !hidden).collect())
    }

    /// The same model, with a score for each token: its log probability in a unigram model. Scores are
    /// kept as multiples of 2⁻³⁰, so that sums below 2²² are exact in whatever order, and ties are ties.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when there are more or fewer scores than tokens, or one of them is no
    /// number from -10¹² to 10¹².
    pub fn with_scores(mut self, scores: Vec<f64>) -> Result<Self> {
        if scores.len() != self.vocab.len() {
            return Err(Error::Incompatible {
                what: format!(
                    "there are {} scores for {} tokens",
                    scores.len(),
                    self.vocab.len()
                ),
            });
        }
        if let Some(id) = scores
            .iter()
            .position(|s| !(-MAX_SCORE..=MAX_SCORE).contains(s))
        {
            return Err(Error::Incompatible {
                what: format!(
                    "the score of id {id} is {}, but must be from -{MAX_SCORE:e} to {MAX_SCORE:e}",
                    scores[id]
                ),
            });
        }
        let scores = scores.into_iter().map(rounded_score).collect();
        self.scores = Some(scores);
        Ok(self)
    }

    /// The units the vocabulary starts with.
    #[must_use]
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// The tokens, special tokens not among them.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// The merges by rank.
    #[must_use]
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The mask of tokens that may be emitted; `None` when all may.
    #[must_use]
    pub fn visible(&self) -> Option<&[bool]> {
        self.visible.as_deref()
    }

    /// The score of each token, in models that have scores.
    #[must_use]
    pub fn scores(&self) -> Option<&[f64]> {
        self.scores.as_deref()
    }

    /// Number of ids that can be emitted or decoded: hidden tokens at the end of the vocabulary are
    /// internal, and special tokens take the ids from here on.
    #[must_use]
    pub fn num_ids(&self) -> usize {
        let last_visible = self
            .visible
            .as_ref()
            .and_then(|v| v.iter().rposition(|&v| v));
        last_visible.map_or(self.vocab.len(), |last| last + 1)
    }

    /// True when tokens of this model carry marks.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.alphabet.is_marked()
    }

    /// The visible tokens with their ids.
    pub(crate) fn visible_tokens(&self) -> impl Iterator<Item = (TokenId, TokenRef<'_>)> {
        (0..)
            .zip(self.vocab.iter())
            .filter(|&(id, _)| self.visible.as_ref().is_none_or(|mask| mask[id as usize]))
    }
}

/// The nearest number that a score can be.
pub(crate) fn rounded_score(score: f64) -> f64 {
    (score / SCORE_STEP).round() * SCORE_STEP
}

/// Whether two tokens can stand side by side in a word.
fn may_join(left: TokenRef<'_>, right: TokenRef<'_>, marked: bool) -> bool {
    !left.marks.trail() && (!marked || right.marks.lead())
}

fn fault(field: &str, index: usize, reason: impl Into<String>) -> Error {
    Error::Format {
        format: "tokenizer file",
        place: format!("{field}[{index}]"),
        reason: reason.into(),
    }
}
