//! A tokenizer: all stages composed, frozen after construction, shared freely between threads.
//!
//! ```text
//! text → special tokens split off → normalize → pretokenize → mark → encode → ids
//! ids → decode → bytes
//! ```

mod prepare;
mod sample;

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::Builder;

use serde::{Deserialize, Serialize};

use crate::boundary::Word;
use crate::control::Control;
use crate::count::{Provenance, WordCounts};
use crate::decode::Decoder;
use crate::encode::{
    Dropout, Encoder, EncoderKind, Scratch, Segmentations, UnkSettings, Unknown, UnknownRule,
};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::pipeline::{Stages, Worker, WorkerPool};
use crate::post::{Template, TemplateSettings};
use crate::pretokenize::{Pretokenizer, decode_multibyte};
use crate::special::{
    AddedKind, AddedToken, AllowedSpecial, Segment, SpecialFinder, SpecialTokens,
};
use crate::train::{AlphabetSettings, StopReason, TrainerSettings};
use crate::types::{Marks, Span, Symbol, TokenId};

/// The largest vocabulary: more than any in use, and small enough that ids, marker values and
/// tables keep apart.
const MAX_VOCAB_SIZE: usize = 1 << 30;

/// What training reads beside the counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    /// The recipe's name, for people; an encoder suffix in it is ignored.
    pub recipe: String,
    /// Size of the vocabulary: alphabet, user-defined symbols and special tokens counted in.
    pub vocab_size: usize,
    /// Which trainer.
    pub trainer: TrainerSettings,
    /// Which encoder runs the vocabulary; `None` for the trainer's own.
    #[serde(default)]
    pub encoder: Option<EncoderKind>,
    /// Which units the vocabulary starts with.
    #[serde(default)]
    pub alphabet: AlphabetSettings,
    /// Special tokens; they take the last ids, in this order.
    #[serde(default)]
    pub special_tokens: Vec<String>,
    /// The token for what cannot be spelled.
    #[serde(default)]
    pub unk: Option<UnkSettings>,
    /// Whether a vocabulary smaller than `vocab_size` is an error.
    #[serde(default)]
    pub strict: bool,
}

impl TrainSettings {
    /// Says what is wrong with these settings for words counted so, before any work is done.
    ///
    /// # Errors
    /// [`Error::VocabTooSmall`], [`Error::VocabTooLarge`], [`Error::BadSpecial`],
    /// [`Error::UnknownSpecial`], [`Error::Incompatible`].
    pub fn check(&self, provenance: &Provenance) -> Result<()> {
        let special = SpecialTokens::new(self.added_tokens(provenance), 0)?;
        self.trainer.check()?;
        self.alphabet.check()?;
        match &self.unk {
            Some(unk) => drop(unk_id(unk, &special)?),
            None if !self.alphabet.has_bytes() => {
                return Err(Error::Incompatible {
                    what: "without byte_fallback some text cannot be spelled: name an unk_token"
                        .to_owned(),
                });
            }
            None => {}
        }
        if self.vocab_size > MAX_VOCAB_SIZE {
            return Err(Error::VocabTooLarge {
                vocab_size: self.vocab_size,
                max: MAX_VOCAB_SIZE,
            });
        }
        let num_symbols = match self.alphabet.has_bytes() {
            true => provenance.boundary.alphabet_len(),
            false => 0,
        };
        self.num_tokens(provenance, num_symbols).map(drop)
    }

    /// User-defined symbols, then special tokens.
    fn added_tokens(&self, provenance: &Provenance) -> Vec<AddedToken> {
        let plain = AddedToken::all_of(AddedKind::Anywhere, &provenance.user_defined_symbols);
        let special = AddedToken::all_of(AddedKind::Special, &self.special_tokens);
        plain.chain(special).collect()
    }

    /// Ids that are left for the tokens of the model, of which `num_units` are pinned.
    fn num_tokens(&self, provenance: &Provenance, num_units: usize) -> Result<usize> {
        let special = self.special_tokens.len() + provenance.user_defined_symbols.len();
        let num_tokens = self.vocab_size.checked_sub(special);
        num_tokens
            .filter(|&num_tokens| num_tokens >= num_units)
            .ok_or(Error::VocabTooSmall {
                vocab_size: self.vocab_size,
                boundary: provenance.boundary.name(),
                alphabet: num_units,
                special,
            })
    }
}

fn unk_id(unk: &UnkSettings, special: &SpecialTokens) -> Result<TokenId> {
    special
        .id(&unk.token)
        .ok_or_else(|| special.unknown(&unk.token))
}

/// What is recorded of a training. Nothing in it depends on the order of documents, threads or time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// Documents counted; 0 when words with counts were given.
    pub num_documents: u64,
    /// Bytes of text counted.
    pub num_bytes: u64,
    /// SHA-256 of the word counts.
    pub word_counts_hash: String,
    /// The size of the vocabulary that was asked for.
    pub vocab_size: usize,
    /// Trainer and its settings.
    pub trainer: TrainerSettings,
    /// How the alphabet was chosen.
    pub alphabet: AlphabetSettings,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

/// What a tokenizer is made of.
#[derive(Debug)]
pub struct Parts {
    /// The recipe's name; an encoder suffix in it is ignored.
    pub recipe: String,
    /// The stages before the model.
    pub provenance: Provenance,
    /// Tokens, merges or scores, visibility.
    pub model: Arc<Model>,
    /// Added tokens in the order of their ids.
    pub added_tokens: Vec<AddedToken>,
    /// The token for what cannot be spelled.
    pub unk: Option<UnkSettings>,
    /// Which encoder runs; `None` for the one that goes with the model.
    pub encoder: Option<EncoderKind>,
    /// How the model was trained, if this library trained it.
    pub training: Option<TrainingRecord>,
}

/// Ids with the places in the source that they cover.
///
/// A token covers its own bytes, so implicit spaces are gaps of one byte. Under a normalizer it covers
/// what its bytes came from: tokens that share what one character became all cover that character, a
/// token of inserted bytes covers nothing, and spans never run backwards. Character spans cover
/// every character of which the token holds a byte; a byte of ill-formed UTF-8 is a character.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoding {
    /// Token ids in text order.
    pub ids: Vec<TokenId>,
    /// For each id the bytes `[start, end)` of the source.
    pub byte_spans: Vec<Span>,
    /// For each id the characters `[start, end)` of the source.
    pub char_spans: Vec<Span>,
}

/// All stages, ready to run.
#[derive(Debug)]
pub struct Tokenizer {
    base_recipe: String,
    provenance: Provenance,
    pretokenizer: Pretokenizer,
    model: Arc<Model>,
    special: Arc<SpecialTokens>,
    unk: Option<UnkSettings>,
    decoder: Arc<Decoder>,
    encoder_kind: EncoderKind,
    encoder: Box<dyn Encoder>,
    template: Option<Template>,
    training: Option<TrainingRecord>,
    workers: WorkerPool,
    /// Made when they are first asked for.
    segmentations: OnceLock<Segmentations>,
    dropout: OnceLock<Dropout>,
}

impl Tokenizer {
    /// Puts a tokenizer together.
    ///
    /// # Errors
    /// What the stages say of settings that do not fit.
    pub fn new(parts: Parts) -> Result<Self> {
        let Parts {
            recipe,
            provenance,
            model,
            added_tokens,
            unk,
            encoder,
            training,
        } = parts;
        let pretokenizer = provenance.pretokenizer()?;
        let special = SpecialTokens::new(added_tokens, model.num_ids() as TokenId)?;
        let Provenance {
            boundary,
            whitespace,
            ..
        } = provenance;
        let unk_token = unk.as_ref().map(|unk| unk_id(unk, &special)).transpose()?;
        let decoder = Decoder::new(&model, boundary, whitespace, &special, unk_token)?;
        let encoder_kind = encoder.unwrap_or_else(|| own_encoder(training.as_ref(), &model));
        let encoder = make_encoder(encoder_kind, &model, unk.as_ref(), &special)?;
        let mut base_recipe = recipe.as_str();
        while let Some(shorter) = EncoderKind::ALL.iter().find_map(|kind| {
            base_recipe
                .strip_suffix(kind.name())
                .and_then(|name| name.strip_suffix('+'))
        }) {
            base_recipe = shorter;
        }
        Ok(Self {
            base_recipe: base_recipe.to_owned(),
            provenance,
            pretokenizer,
            model,
            special: Arc::new(special),
            unk,
            decoder: Arc::new(decoder),
            encoder_kind,
            encoder,
            template: None,
            training,
            workers: WorkerPool::default(),
            segmentations: OnceLock::new(),
            dropout: OnceLock::new(),
        })
    }

    /// Trains a tokenizer on counted words.
    ///
    /// # Errors
    /// [`Error::VocabTooSmall`], [`Error::VocabTooLarge`], [`Error::EmptyCorpus`],
    /// [`Error::VocabNotReached`] if that is asked for, [`Error::Interrupted`] and what the settings
    /// do wrong.
    pub fn train(
        counts: &WordCounts,
        settings: TrainSettings,
        control: &dyn Control,
    ) -> Result<Self> {
        let provenance = counts.provenance().clone();
        settings.check(&provenance)?;
        if counts.is_empty() {
            return Err(Error::EmptyCorpus);
        }
        // Only where the alphabet is all there is does it give way to the size asked for.
        let max_units = match settings.trainer {
            TrainerSettings::Characters {} => Some(settings.num_tokens(&provenance, 0)?),
            _ => None,
        };
        let alphabet = settings.alphabet.alphabet(counts, max_units)?;
        let num_tokens = settings.num_tokens(&provenance, alphabet.len())?;
        let num_pinned = match max_units {
            Some(_) => alphabet.num_symbols(),
            None => alphabet.len(),
        };
        let trained = settings
            .trainer
            .trainer(num_tokens)
            .train(counts, alphabet, control)?;
        let added_tokens = settings.added_tokens(&provenance);
        let most = trained.model.num_ids() + added_tokens.len();
        if settings.strict && most < settings.vocab_size {
            return Err(Error::VocabNotReached {
                vocab_size: settings.vocab_size,
                least: num_pinned + added_tokens.len(),
                most,
                reason: trained.stop_reason.name(),
            });
        }
        let training = TrainingRecord {
            num_documents: counts.num_documents(),
            num_bytes: counts.num_bytes(),
            word_counts_hash: counts.content_hash(),
            vocab_size: settings.vocab_size,
            trainer: settings.trainer,
            alphabet: settings.alphabet,
            stop_reason: trained.stop_reason,
        };
        Self::new(Parts {
            recipe: settings.recipe,
            provenance,
            model: Arc::new(trained.model),
            added_tokens,
            unk: settings.unk,
            encoder: settings.encoder,
            training: Some(training),
        })
    }

    /// The same vocabulary with another encoder.
    ///
    /// # Errors
    /// [`Error::Incompatible`] when the model has what the encoder cannot honour.
    pub fn with_encoder(&self, kind: EncoderKind) -> Result<Self> {
        Ok(Self {
            base_recipe: self.base_recipe.clone(),
            provenance: self.provenance.clone(),
            pretokenizer: self.pretokenizer.clone(),
            model: Arc::clone(&self.model),
            special: Arc::clone(&self.special),
            unk: self.unk.clone(),
            decoder: Arc::clone(&self.decoder),
            encoder_kind: kind,
            encoder: make_encoder(kind, &self.model, self.unk.as_ref(), &self.special)?,
            template: self.template.clone(),
            training: self.training.clone(),
            workers: WorkerPool::default(),
            segmentations: OnceLock::new(),
            dropout: OnceLock::new(),
        })
    }

    /// The same tokenizer with another template, or without one.
    ///
    /// # Errors
    /// [`Error::Template`].
    pub fn with_template(&self, settings: Option<&TemplateSettings>) -> Result<Self> {
        let mut tokenizer = self.with_encoder(self.encoder_kind)?;
        tokenizer.set_template(settings)?;
        Ok(tokenizer)
    }

    /// For reading a file: the encoder's tables need not be made twice.
    pub(crate) fn set_template(&mut self, settings: Option<&TemplateSettings>) -> Result<()> {
        let read = |settings| Template::new(settings, &self.special);
        self.template = settings.map(read).transpose()?;
        Ok(())
    }

    /// Where special tokens stand around texts, if that is set.
    #[must_use]
    pub fn template(&self) -> Option<&Template> {
        self.template.as_ref()
    }

    /// The same tokenizer with further added tokens, which get the ids after all others.
    ///
    /// # Errors
    /// [`Error::BadSpecial`] for an empty text or one that is an added token already.
    pub fn with_added_tokens(&self, texts: &[String], kind: AddedKind) -> Result<Self> {
        let mut added_tokens = self.special.tokens().to_vec();
        added_tokens.extend(AddedToken::all_of(kind, texts));
        let tokenizer = Self::new(Parts {
            recipe: self.base_recipe.clone(),
            provenance: self.provenance.clone(),
            model: Arc::clone(&self.model),
            added_tokens,
            unk: self.unk.clone(),
            encoder: Some(self.encoder_kind),
            training: self.training.clone(),
        })?;
        match &self.template {
            None => Ok(tokenizer),
            Some(template) => tokenizer.with_template(Some(template.settings())),
        }
    }

    /// The recipe: the trainer's, and `+` the encoder where that is not the trainer's own.
    #[must_use]
    pub fn recipe(&self) -> String {
        let kind = self.encoder_kind;
        if kind == own_encoder(self.training.as_ref(), &self.model) {
            self.base_recipe.clone()
        } else {
            format!("{}+{}", self.base_recipe, kind.name())
        }
    }

    /// The stages before the model.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// The pattern that cuts the text.
    #[must_use]
    pub fn pretokenizer(&self) -> &Pretokenizer {
        &self.pretokenizer
    }

    /// Tokens, merges and visibility.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The added tokens: special ones and plain ones.
    #[must_use]
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.special
    }

    /// The token for what cannot be spelled, if there is one.
    #[must_use]
    pub fn unk(&self) -> Option<&UnkSettings> {
        self.unk.as_ref()
    }

    /// The decoder.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Which encoder runs.
    #[must_use]
    pub fn encoder_kind(&self) -> EncoderKind {
        self.encoder_kind
    }

    /// How the model was trained, if this library trained it.
    #[must_use]
    pub fn training(&self) -> Option<&TrainingRecord> {
        self.training.as_ref()
    }

    /// The largest id + 1: the number of ids, special tokens and ids left out before them counted in.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.decoder.vocab_size()
    }

    /// True when decoding gives every text back, byte for byte.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        let words = self.unk.as_ref().and_then(|unk| unk.max_characters);
        self.provenance.is_lossless() && self.model.alphabet().has_bytes() && words.is_none()
    }

    fn stages(&self) -> Stages<'_> {
        Stages {
            pretokenizer: &self.pretokenizer,
            boundary: self.provenance.boundary,
            whitespace: self.provenance.whitespace,
            encoder: self.encoder.as_ref(),
        }
    }

    /// The ids of a text.
    ///
    /// Cost: linear in the text (n·log n in the longest pretoken), memory bounded beside the ids.
    ///
    /// # Errors
    /// [`Error::UnknownSpecial`], and those of a custom pattern.
    pub fn encode(&self, text: &[u8], allowed: AllowedSpecial<'_>) -> Result<Vec<TokenId>> {
        let finder = self.special.finder(allowed)?;
        let mut ids = Vec::with_capacity(text.len() / 4 + 1);
        self.with_worker(|worker| self.encode_into(text, finder.as_ref(), worker, &mut ids))?;
        Ok(ids)
    }

    fn with_worker<T>(&self, work: impl FnOnce(&mut Worker) -> T) -> T {
        self.workers.with(self.stages(), self.model.vocab(), work)
    }

    fn encode_into(
        &self,
        text: &[u8],
        finder: Option<&SpecialFinder>,
        worker: &mut Worker,
        ids: &mut Vec<TokenId>,
    ) -> Result<()> {
        let stages = self.stages();
        let mut is_first = true;
        let mut part = |part: &[u8], ids: &mut Vec<TokenId>| {
            let bytes = self.provenance.normalizer.normalize(part);
            let bytes = self.prefixed(bytes, &mut is_first);
            stages.encode(&bytes, worker, ids)
        };
        let Some(finder) = finder else {
            return part(text, ids);
        };
        for segment in finder.segments(text) {
            match segment {
                Segment::Text { start, end } => part(&text[start..end], ids)?,
                Segment::Special { id, .. } => ids.push(id),
            }
        }
        Ok(())
    }

    /// The text as the next stages see it: where the boundary has one, with the space before the first
    /// stretch of a text that is not empty.
    pub(crate) fn prefixed<'t>(&self, bytes: Cow<'t, [u8]>, is_first: &mut bool) -> Cow<'t, [u8]> {
        if bytes.is_empty() || !std::mem::take(is_first) {
            return bytes;
        }
        self.provenance.boundary.with_prefix(bytes)
    }

    /// The ids of many texts, one after another, and where each text's ids begin; the last offset
    /// is the number of ids. Equal to a loop over [`encode`](Self::encode), on `num_threads` threads.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); of several, that of the first text.
    pub fn encode_batch(
        &self,
        texts: &[&[u8]],
        allowed: AllowedSpecial<'_>,
        num_threads: usize,
    ) -> Result<(Vec<TokenId>, Vec<usize>)> {
        let finder = self.special.finder(allowed)?;
        let groups = groups_of_texts(texts, num_threads);
        let encode_group = |group: &[&[u8]]| -> Result<(Vec<TokenId>, Vec<usize>)> {
            let num_bytes: usize = group.iter().map(|text| text.len()).sum();
            let mut ids = Vec::with_capacity(num_bytes / 4 + group.len());
            let mut ends = Vec::with_capacity(group.len());
            self.with_worker(|worker| {
                group.iter().try_for_each(|text| {
                    self.encode_into(text, finder.as_ref(), worker, &mut ids)?;
                    ends.push(ids.len());
                    Ok(())
                })
            })?;
            Ok((ids, ends))
        };
        let encoded: Vec<_> = if num_threads <= 1 || groups.len() <= 1 {
            groups.iter().map(|group| encode_group(group)).collect()
        } else {
            in_order(&groups, num_threads, |group| encode_group(group))
        };
        let mut ids = Vec::new();
        let mut offsets = Vec::with_capacity(texts.len() + 1);
        offsets.push(0);
        for group in encoded {
            let (group_ids, ends) = group?;
            let before = ids.len();
            if before == 0 {
                ids = group_ids;
            } else {
                ids.extend_from_slice(&group_ids);
            }
            offsets.extend(ends.into_iter().map(|end| before + end));
        }
        Ok((ids, offsets))
    }

    /// The ids of a text and where they stand in it.
    ///
    /// The stages one after another, without the pretoken table.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_with_offsets(
        &self,
        text: &[u8],
        allowed: AllowedSpecial<'_>,
    ) -> Result<Encoding> {
        self.encode_with_offsets_by(text, self.special.finder(allowed)?.as_ref())
    }

    fn encode_with_offsets_by(
        &self,
        text: &[u8],
        finder: Option<&SpecialFinder>,
    ) -> Result<Encoding> {
        let mut encoding = Encoding::default();
        let whole = [Segment::Text {
            start: 0,
            end: text.len(),
        }];
        match finder {
            None => self.push_segments(text, whole, &mut encoding)?,
            Some(finder) => self.push_segments(text, finder.segments(text), &mut encoding)?,
        }
        encoding.char_spans = char_spans(text, &encoding.byte_spans);
        Ok(encoding)
    }

    fn push_segments(
        &self,
        text: &[u8],
        segments: impl IntoIterator<Item = Segment>,
        encoding: &mut Encoding,
    ) -> Result<()> {
        let mut is_first = true;
        for segment in segments {
            match segment {
                Segment::Special { start, end, id } => {
                    encoding.ids.push(id);
                    encoding.byte_spans.push((start, end));
                }
                Segment::Text { start, end } => {
                    let normalized =
                        (self.provenance.normalizer).normalize_with_offsets(&text[start..end]);
                    let num_bytes = normalized.bytes.len();
                    let bytes = self.prefixed(normalized.bytes, &mut is_first);
                    let prefix_len = bytes.len() - num_bytes;
                    let offsets = |at: usize, end: usize| {
                        let (at, end) = (at.saturating_sub(prefix_len), end - prefix_len);
                        let (at, end) = normalized.offsets.source_span(at, end);
                        (start + at, start + end)
                    };
                    self.push_words(&bytes, offsets, encoding)?;
                }
            }
        }
        Ok(())
    }

    fn push_words(
        &self,
        text: &[u8],
        source_span: impl Fn(usize, usize) -> Span,
        encoding: &mut Encoding,
    ) -> Result<()> {
        self.for_each_encoded_word(text, |word, symbols, ids| {
            let mut at = word.start;
            for &id in ids {
                let len = self.spelled_len(&symbols[at - word.start..], id);
                encoding.byte_spans.push(source_span(at, at + len));
                at += len;
            }
            encoding.ids.extend_from_slice(ids);
        })
    }

    /// Calls `emit` with each word of a text that is normalized already, its symbols and its ids.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub(crate) fn for_each_encoded_word(
        &self,
        text: &[u8],
        mut emit: impl FnMut(Word, &[Symbol], &[TokenId]),
    ) -> Result<()> {
        let stages = self.stages();
        let (mut scratch, mut symbols, mut ids) = (Scratch::default(), Vec::new(), Vec::new());
        let mut words = Vec::new();
        stages.for_each_word(text, |word| words.push(word))?;
        for word in words {
            ids.clear();
            let bytes = &text[word.start..word.end];
            stages.encode_word(bytes, word, &mut scratch, &mut symbols, &mut ids)?;
            emit(word, &symbols, &ids);
        }
        Ok(())
    }

    /// Number of symbols at the start of `symbols` that a token of a word stands for.
    pub(crate) fn spelled_len(&self, symbols: &[Symbol], id: TokenId) -> usize {
        let own = || self.decoder.token_bytes(id).map_or(0, <[u8]>::len);
        self.encoder.unknown_len(symbols, id).unwrap_or_else(own)
    }

    /// A text as the pretokenizer sees it, special tokens being text. Without normalizer it is the
    /// text. Decoding the ids of a text gives this.
    #[must_use]
    pub fn normalize<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.provenance.normalizer.normalize(text)
    }

    /// The marked words of a text, as spans of its normalized form.
    ///
    /// # Errors
    /// Those of a custom pattern.
    pub fn words(&self, text: &[u8]) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        let text = self.as_marked(text);
        self.stages()
            .for_each_word(&text, |word| words.push(word))?;
        Ok(words)
    }

    /// A text as it is marked: normalized, and with the space before it where the boundary has one.
    fn as_marked<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let normalized = self.provenance.normalizer.normalize(text);
        self.provenance.boundary.with_prefix(normalized)
    }

    /// The pretokens of a text, as the pattern cuts them; special tokens are text here.
    ///
    /// # Errors
    /// Those of a custom pattern.
    pub fn pretokenize(&self, text: &[u8]) -> Result<Vec<Vec<u8>>> {
        let normalized = self.provenance.normalizer.normalize(text);
        let mut pretokens = Vec::new();
        self.pretokenizer.for_each(&normalized, |pretoken| {
            pretokens.push(normalized[pretoken.start..pretoken.end].to_vec());
            ControlFlow::Continue(())
        })?;
        Ok(pretokens)
    }

    /// The number of pretokens of a text after marking, so with white space joined where the rule
    /// says so: the encoder gets them one by one, and none can need fewer tokens.
    ///
    /// # Errors
    /// Those of a custom pattern.
    pub fn count_pretokens(&self, text: &[u8]) -> Result<usize> {
        let mut num_pretokens = 0;
        self.stages()
            .for_each_word(&self.as_marked(text), |_| num_pretokens += 1)?;
        Ok(num_pretokens)
    }

    /// Bytes and marks of a token, special tokens without marks; `None` outside the vocabulary.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Option<(&[u8], Marks)> {
        if let Some(name) = self.special.name(id) {
            return Some((name.as_bytes(), Marks::NONE));
        }
        let token = self.model.vocab().get(id)?;
        ((id as usize) < self.model.num_ids()).then_some((token.bytes, token.marks))
    }
}

/// The encoder that goes with a trainer, or else with what the model holds.
fn own_encoder(training: Option<&TrainingRecord>, model: &Model) -> EncoderKind {
    match training.map(|record| &record.trainer) {
        Some(
            TrainerSettings::Bpe(_)
            | TrainerSettings::ScaffoldBpe(_)
            | TrainerSettings::Characters {},
        ) => EncoderKind::MergeRank,
        Some(TrainerSettings::Wordpiece(_)) => EncoderKind::LongestPrefix,
        Some(TrainerSettings::Unigram(_)) => EncoderKind::Viterbi,
        Some(TrainerSettings::Words(_)) => EncoderKind::WholeWord,
        None if model.scores().is_some() => EncoderKind::Viterbi,
        None if model.merges().is_empty() => EncoderKind::LongestPrefix,
        None => EncoderKind::MergeRank,
    }
}

fn make_encoder(
    kind: EncoderKind,
    model: &Model,
    unk: Option<&UnkSettings>,
    special: &SpecialTokens,
) -> Result<Box<dyn Encoder>> {
    let encoder = kind.encoder(model)?;
    Ok(match unknown_rule(model, unk, special)? {
        None => encoder,
        Some(rule) => Box::new(Unknown::new(encoder, rule)),
    })
}

fn unknown_rule(
    model: &Model,
    unk: Option<&UnkSettings>,
    special: &SpecialTokens,
) -> Result<Option<UnknownRule>> {
    let Some(unk) = unk else {
        return Ok(None);
    };
    let id = unk_id(unk, special)?;
    let alphabet = model.alphabet().clone();
    Ok(Some(UnknownRule::new(alphabet, id, unk.clone())))
}

/// Consecutive texts in groups of about equal size, several a thread so that none idles long.
fn groups_of_texts<'g, 't>(texts: &'g [&'t [u8]], num_threads: usize) -> Vec<&'g [&'t [u8]]> {
    const GROUPS_A_THREAD: usize = 8;
    let num_bytes: usize = texts.iter().map(|text| text.len()).sum();
    let target = num_bytes / (num_threads.max(1) * GROUPS_A_THREAD) + 1;
    let mut groups = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        size += text.len();
        if size >= target {
            groups.push(&texts[start..=at]);
            (start, size) = (at + 1, 0);
        }
    }
    if start < texts.len() {
        groups.push(&texts[start..]);
    }
    groups
}

/// The results of `work` on each item, in the order of the items.
fn in_order<T: Sync, R: Send>(
    items: &[T],
    num_threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let one_thread = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            match items.get(at) {
                None => return done,
                Some(item) => done.push((at, work(item))),
            }
        }
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        // The calling thread is one of them; where the system gives no more, fewer do the work.
        let threads: Vec<_> = (1..num_threads.min(items.len()))
            .map_while(|_| Builder::new().spawn_scoped(scope, one_thread).ok())
            .collect();
        let mut results = one_thread();
        for thread in threads {
            let done = thread.join();
            results.extend(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_unstable_by_key(|&(at, _)| at);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Character spans for byte spans whose starts, and whose ends, stand in text order.
fn char_spans(text: &[u8], byte_spans: &[Span]) -> Vec<Span> {
    let mut starts = CharCounter::new(text);
    let mut ends = CharCounter::new(text);
    byte_spans
        .iter()
        .map(|&(start, end)| match start == end {
            // Nothing is no part of a character.
            true => {
                ends.count_to(end);
                let at = starts.count_to(start).0;
                (at, at)
            }
            false => (starts.count_to(start).0, ends.count_to(end).1),
        })
        .collect()
}

/// Counts characters in one pass over a text.
struct CharCounter<'t> {
    text: &'t [u8],
    at: usize,
    num_chars: usize,
}

impl<'t> CharCounter<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            num_chars: 0,
        }
    }

    /// How many characters end at or before a byte, and how many start before it. No byte may lie
    /// before the one asked about last.
    fn count_to(&mut self, byte: usize) -> (usize, usize) {
        while self.at < byte {
            self.at += if self.text[self.at] < 0x80 {
                1
            } else {
                decode_multibyte(&self.text[self.at..]).map_or(1, |(_, len)| len)
            };
            self.num_chars += 1;
        }
        // Inside a character it was counted already.
        (self.num_chars - usize::from(self.at > byte), self.num_chars)
    }
}
