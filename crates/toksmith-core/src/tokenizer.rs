//! A tokenizer: all stages composed, frozen after construction, shared freely between threads.
//!
//! ```text
//! text → special tokens split off → normalize → pretokenize → mark → encode → ids
//! ids → decode → bytes
//! ```

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use serde::{Deserialize, Serialize};

use crate::alphabet::{Alphabet, AlphabetOrder};
use crate::boundary::{Boundary, Word};
use crate::control::Control;
use crate::count::{Provenance, WordCounts};
use crate::decode::Decoder;
use crate::display::{form, one_line};
use crate::encode::{Encoder, EncoderKind, Scratch};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::normalize::OffsetMap;
use crate::pipeline::{Stages, Worker, WorkerPool};
use crate::pretokenize::{Pretokenizer, decode_multibyte};
use crate::special::{AllowedSpecial, Segment, SpecialFinder, SpecialTokens};
use crate::train::{StopReason, TrainerSettings};
use crate::types::{Marks, TokenId};

/// The largest vocabulary: more than any in use, and small enough that ids, marker values and
/// tables keep apart.
const MAX_VOCAB_SIZE: usize = 1 << 30;

/// A span of a text: first byte or character, and one past the last.
pub type Span = (usize, usize);

/// What training reads beside the counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainSettings {
    /// The recipe's name, for people; an encoder suffix in it is ignored.
    pub recipe: String,
    /// Which trainer.
    pub trainer: TrainerSettings,
    /// Which encoder runs the vocabulary.
    #[serde(default)]
    pub encoder: EncoderKind,
    /// How the bytes are numbered.
    #[serde(default)]
    pub alphabet_order: AlphabetOrder,
    /// Special tokens; they take the last ids, in this order.
    #[serde(default)]
    pub special_tokens: Vec<String>,
}

impl TrainSettings {
    /// Says what is wrong with these settings for a boundary, before any work is done.
    ///
    /// # Errors
    /// [`Error::VocabTooSmall`], [`Error::VocabTooLarge`], [`Error::BadSpecial`].
    pub fn check(&self, boundary: Boundary) -> Result<()> {
        let vocab_size = self.trainer.vocab_size();
        let special = self.special_tokens.len();
        if vocab_size < boundary.alphabet_len() + special {
            return Err(Error::VocabTooSmall {
                vocab_size,
                boundary: boundary.name(),
                alphabet: boundary.alphabet_len(),
                special,
            });
        }
        if vocab_size > MAX_VOCAB_SIZE {
            return Err(Error::VocabTooLarge {
                vocab_size,
                max: MAX_VOCAB_SIZE,
            });
        }
        SpecialTokens::new(self.special_tokens.clone(), 0).map(drop)
    }
}

/// What is recorded of a training. Nothing in it depends on the order of documents, threads or time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecord {
    /// Documents counted; 0 when words with counts were given.
    pub num_documents: u64,
    /// Bytes of text counted.
    pub num_bytes: u64,
    /// SHA-256 of the word counts.
    pub word_counts_hash: String,
    /// Trainer and its settings.
    pub trainer: TrainerSettings,
    /// Why it stopped.
    pub stop_reason: StopReason,
}

/// Ids with the places in the source that they cover.
///
/// A token covers its own bytes, so implicit spaces are gaps of one byte. Character spans cover
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
    decoder: Arc<Decoder>,
    encoder_kind: EncoderKind,
    encoder: Box<dyn Encoder>,
    training: Option<TrainingRecord>,
    workers: WorkerPool,
}

impl Tokenizer {
    /// Puts a tokenizer together.
    ///
    /// # Errors
    /// What the stages say of settings that do not fit.
    pub fn new(
        recipe: &str,
        provenance: Provenance,
        model: Arc<Model>,
        special_tokens: Vec<String>,
        encoder_kind: EncoderKind,
        training: Option<TrainingRecord>,
    ) -> Result<Self> {
        let pretokenizer = provenance.pretokenizer()?;
        let special = SpecialTokens::new(special_tokens, model.vocab().len() as TokenId)?;
        let decoder = Decoder::new(&model, provenance.boundary, &special)?;
        let encoder = encoder_kind.encoder(&model)?;
        let mut base_recipe = recipe;
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
            decoder: Arc::new(decoder),
            encoder_kind,
            encoder,
            training,
            workers: WorkerPool::default(),
        })
    }

    /// Trains a tokenizer on counted words.
    ///
    /// # Errors
    /// [`Error::VocabTooSmall`], [`Error::VocabTooLarge`], [`Error::EmptyCorpus`],
    /// [`Error::Interrupted`] and what the settings do wrong.
    pub fn train(
        counts: &WordCounts,
        settings: TrainSettings,
        control: &dyn Control,
    ) -> Result<Self> {
        let provenance = counts.provenance().clone();
        let boundary = provenance.boundary;
        settings.check(boundary)?;
        let special = settings.special_tokens.len();
        let alphabet = Alphabet::new(boundary.alphabet_len(), settings.alphabet_order);
        let trained = settings
            .trainer
            .trainer(special)
            .train(counts, alphabet, control)?;
        let training = TrainingRecord {
            num_documents: counts.num_documents(),
            num_bytes: counts.num_bytes(),
            word_counts_hash: counts.content_hash(),
            trainer: settings.trainer,
            stop_reason: trained.stop_reason,
        };
        Self::new(
            &settings.recipe,
            provenance,
            Arc::new(trained.model),
            settings.special_tokens,
            settings.encoder,
            Some(training),
        )
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
            decoder: Arc::clone(&self.decoder),
            encoder_kind: kind,
            encoder: kind.encoder(&self.model)?,
            training: self.training.clone(),
            workers: WorkerPool::default(),
        })
    }

    /// The recipe: the trainer's, and `+` the encoder where that is not the trainer's own.
    #[must_use]
    pub fn recipe(&self) -> String {
        match self.encoder_kind {
            EncoderKind::MergeRank => self.base_recipe.clone(),
            kind => format!("{}+{}", self.base_recipe, kind.name()),
        }
    }

    /// The stages before the model.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Tokens, merges and visibility.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The special tokens.
    #[must_use]
    pub fn special_tokens(&self) -> &SpecialTokens {
        &self.special
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

    /// Number of ids, special tokens counted in.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        self.decoder.vocab_size()
    }

    /// True when decoding gives every text back, byte for byte.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.provenance.normalizer.is_lossless()
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
        let mut part = |part: &[u8], ids: &mut Vec<TokenId>| {
            let normalized = self.provenance.normalizer.normalize(part);
            stages.encode(&normalized.bytes, worker, ids)
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
        let mut encoding = Encoding::default();
        let whole = [Segment::Text {
            start: 0,
            end: text.len(),
        }];
        match self.special.finder(allowed)? {
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
        for segment in segments {
            match segment {
                Segment::Special { start, end, id } => {
                    encoding.ids.push(id);
                    encoding.byte_spans.push((start, end));
                }
                Segment::Text { start, end } => {
                    let normalized = self.provenance.normalizer.normalize(&text[start..end]);
                    self.push_words(&normalized.bytes, start, &normalized.offsets, encoding)?;
                }
            }
        }
        Ok(())
    }

    fn push_words(
        &self,
        text: &[u8],
        source_start: usize,
        offsets: &OffsetMap,
        encoding: &mut Encoding,
    ) -> Result<()> {
        let stages = self.stages();
        let (mut scratch, mut symbols) = (Scratch::default(), Vec::new());
        let mut words = Vec::new();
        stages.for_each_word(text, |word| words.push(word))?;
        for word in words {
            let before = encoding.ids.len();
            let bytes = &text[word.start..word.end];
            stages.encode_word(bytes, word, &mut scratch, &mut symbols, &mut encoding.ids)?;
            let mut at = word.start;
            for &id in &encoding.ids[before..] {
                let len = self.decoder.token_bytes(id).map_or(0, <[u8]>::len);
                let (start, end) = offsets.source_span(at, at + len);
                encoding
                    .byte_spans
                    .push((source_start + start, source_start + end));
                at += len;
            }
        }
        Ok(())
    }

    /// The marked words of a text, as spans of its normalized form.
    ///
    /// # Errors
    /// Those of a custom pattern.
    pub fn words(&self, text: &[u8]) -> Result<Vec<Word>> {
        let normalized = self.provenance.normalizer.normalize(text);
        let mut words = Vec::new();
        self.stages()
            .for_each_word(&normalized.bytes, |word| words.push(word))?;
        Ok(words)
    }

    /// The pretokens of a text, as the pattern cuts them; special tokens are text here.
    ///
    /// # Errors
    /// Those of a custom pattern.
    pub fn pretokenize(&self, text: &[u8]) -> Result<Vec<Vec<u8>>> {
        let normalized = self.provenance.normalizer.normalize(text);
        let mut pretokens = Vec::new();
        self.pretokenizer.for_each(&normalized.bytes, |pretoken| {
            pretokens.push(normalized.bytes[pretoken.start..pretoken.end].to_vec());
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
        let normalized = self.provenance.normalizer.normalize(text);
        let mut num_pretokens = 0;
        self.stages()
            .for_each_word(&normalized.bytes, |_| num_pretokens += 1)?;
        Ok(num_pretokens)
    }

    /// Bytes and marks of a token, special tokens without marks; `None` outside the vocabulary.
    #[must_use]
    pub fn token(&self, id: TokenId) -> Option<(&[u8], Marks)> {
        match self.model.vocab().get(id) {
            Some(token) => Some((token.bytes, token.marks)),
            None => Some((self.special.name(id)?.as_bytes(), Marks::NONE)),
        }
    }

    /// The ids of a text and the forms of their tokens.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn explain(&self, text: &[u8]) -> Result<Explanation> {
        let ids = self.encode(text, AllowedSpecial::None)?;
        let forms = ids
            .iter()
            .filter_map(|&id| self.token(id))
            .map(|(bytes, marks)| form(bytes, marks))
            .collect();
        Ok(Explanation {
            text: text.to_vec(),
            ids,
            forms,
        })
    }
}

/// How a text becomes tokens; shown as `text -> form | form | …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The text.
    pub text: Vec<u8>,
    /// Its ids.
    pub ids: Vec<TokenId>,
    /// For each id how its token is shown.
    pub forms: Vec<String>,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} -> {}", one_line(&self.text), self.forms.join(" | "))
    }
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

/// Character spans for byte spans that stand in text order.
fn char_spans(text: &[u8], byte_spans: &[Span]) -> Vec<Span> {
    // Characters that start before a byte; spans only move forward, so one pass is enough.
    let (mut at, mut num_chars) = (0, 0);
    let mut char_start = (0, 0);
    let mut chars_before = |byte: usize| {
        while at < byte {
            char_start = (at, num_chars);
            at += if text[at] < 0x80 {
                1
            } else {
                decode_multibyte(&text[at..]).map_or(1, |(_, len)| len)
            };
            num_chars += 1;
        }
        // Inside a character: it is counted, and starts before the byte.
        if at > byte {
            (char_start.1, num_chars)
        } else {
            (num_chars, num_chars)
        }
    };
    byte_spans
        .iter()
        .map(|&(start, end)| (chars_before(start).0, chars_before(end).1))
        .collect()
}
