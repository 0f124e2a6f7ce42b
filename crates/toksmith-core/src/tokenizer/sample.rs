//! Other encodings of a text than the best one: the n best, and random ones.
//!
//! The stages run one after another, without the pretoken table.

use crate::encode::{Dropout, EncoderKind, Sample, Segmentations, check_alpha};
use crate::error::{Error, Result};
use crate::lattice::{Lattice, Path};
use crate::random::Random;
use crate::special::{AllowedSpecial, Segment};
use crate::types::{Symbol, TokenId, push_symbols};

use super::{Tokenizer, unknown_rule};

/// What a text is cut into before words are.
enum Piece<'t> {
    /// A marked word.
    Word(&'t [Symbol]),
    /// A special token.
    Special(TokenId),
}

impl Tokenizer {
    /// The ids of a text, drawn at random. Equal seeds give equal ids, on any machine.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); [`Error::Incompatible`] when the number of `sample` is out of its bounds,
    /// or the model has no merges, or no scores, to draw from.
    pub fn encode_sampled(
        &self,
        text: &[u8],
        sample: Sample,
        seed: u64,
        allowed: AllowedSpecial<'_>,
    ) -> Result<Vec<TokenId>> {
        sample.check()?;
        let mut random = Random::new(seed);
        let mut ids = Vec::new();
        match sample {
            Sample::Dropout(probability) => {
                let dropout = self.dropout()?;
                self.for_each_piece(text, allowed, |piece| match piece {
                    Piece::Word(word) => {
                        dropout.encode_word(word, probability, &mut random, &mut ids)
                    }
                    Piece::Special(id) => {
                        ids.push(id);
                        Ok(())
                    }
                })?;
            }
            Sample::Temperature(alpha) => {
                let segmentations = self.segmentations()?;
                let mut lattice = Lattice::new();
                self.for_each_piece(text, allowed, |piece| {
                    match piece {
                        Piece::Word(word) => {
                            // Words do not depend on each other, so one at a time is enough.
                            lattice.clear();
                            segmentations.push_word(word, &mut lattice)?;
                            let path = lattice.sample(alpha, &mut random);
                            ids.extend(path.into_iter().flat_map(|path| path.ids));
                        }
                        Piece::Special(id) => ids.push(id),
                    }
                    Ok(())
                })?;
            }
        }
        Ok(ids)
    }

    /// The `n` segmentations of a text with the best sums of scores, best first; fewer where there are no
    /// more. A sum is the log probability of the tokens in the unigram model.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); [`Error::Incompatible`] for a model without scores.
    pub fn n_best(&self, text: &[u8], n: usize, allowed: AllowedSpecial<'_>) -> Result<Vec<Path>> {
        Ok(self.lattice(text, allowed)?.n_best(n))
    }

    /// The same of one word; none for a model without scores.
    pub(crate) fn n_best_of_word(&self, word: &[Symbol], n: usize) -> Vec<Path> {
        let mut lattice = Lattice::new();
        let pushed = self
            .segmentations()
            .and_then(|segmentations| segmentations.push_word(word, &mut lattice));
        pushed.map_or_else(|_| Vec::new(), |()| lattice.n_best(n))
    }

    /// `k` different segmentations of a text, drawn one after another without putting back, with probability
    /// proportional to exp(`alpha` · sum of scores), and the logarithm of that probability; fewer where
    /// there are no more.
    ///
    /// # Errors
    /// As [`n_best`](Self::n_best); [`Error::Incompatible`] for an `alpha` out of its bounds.
    pub fn sample_distinct(
        &self,
        text: &[u8],
        k: usize,
        alpha: f64,
        seed: u64,
        allowed: AllowedSpecial<'_>,
    ) -> Result<Vec<Path>> {
        check_alpha(alpha)?;
        let lattice = self.lattice(text, allowed)?;
        Ok(lattice.sample_distinct(k, alpha, &mut Random::new(seed)))
    }

    /// All segmentations of a text.
    fn lattice(&self, text: &[u8], allowed: AllowedSpecial<'_>) -> Result<Lattice> {
        let segmentations = self.segmentations()?;
        let mut lattice = Lattice::new();
        self.for_each_piece(text, allowed, |piece| match piece {
            Piece::Word(word) => segmentations.push_word(word, &mut lattice),
            Piece::Special(id) => {
                segmentations.push_special(id, &mut lattice);
                Ok(())
            }
        })?;
        Ok(lattice)
    }

    fn segmentations(&self) -> Result<&Segmentations> {
        if let Some(made) = self.segmentations.get() {
            return Ok(made);
        }
        let rule = unknown_rule(&self.model, self.unk.as_ref(), &self.special)?;
        let made = Segmentations::new(&self.model, rule)?;
        Ok(self.segmentations.get_or_init(|| made))
    }

    fn dropout(&self) -> Result<&Dropout> {
        if self.encoder_kind != EncoderKind::MergeRank {
            return Err(Error::Incompatible {
                what: format!(
                    "dropout leaves out merges, but the encoder is {}: use with_encoder({:?})",
                    self.encoder_kind.name(),
                    EncoderKind::MergeRank.name()
                ),
            });
        }
        if let Some(made) = self.dropout.get() {
            return Ok(made);
        }
        let rule = unknown_rule(&self.model, self.unk.as_ref(), &self.special)?;
        let made = Dropout::new(&self.model, rule)?;
        Ok(self.dropout.get_or_init(|| made))
    }

    /// Calls `emit` for each marked word and each special token of a text, until one fails.
    fn for_each_piece(
        &self,
        text: &[u8],
        allowed: AllowedSpecial<'_>,
        mut emit: impl FnMut(Piece<'_>) -> Result<()>,
    ) -> Result<()> {
        let stages = self.stages();
        let mut symbols = Vec::new();
        let mut is_first = true;
        let mut part = |part: &[u8], emit: &mut dyn FnMut(Piece<'_>) -> Result<()>| {
            let bytes = self.provenance.normalizer.normalize(part);
            let bytes = self.prefixed(bytes, &mut is_first);
            let mut done = Ok(());
            stages.for_each_word(&bytes, |word| {
                if done.is_ok() {
                    symbols.clear();
                    let is_marked = stages.boundary.is_marked();
                    push_symbols(
                        &bytes[word.start..word.end],
                        word.marks,
                        is_marked,
                        &mut symbols,
                    );
                    done = emit(Piece::Word(&symbols));
                }
            })?;
            done
        };
        let Some(finder) = self.special.finder(allowed)? else {
            return part(text, &mut emit);
        };
        for segment in finder.segments(text) {
            match segment {
                Segment::Text { start, end } => part(&text[start..end], &mut emit)?,
                Segment::Special { id, .. } => emit(Piece::Special(id))?,
            }
        }
        Ok(())
    }
}
