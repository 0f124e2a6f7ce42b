//! Counts documents in batches, on several threads, with one result whatever their number.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use crate::boundary::{MarkState, Word};
use crate::control::{Control, NoControl};
use crate::display::form;
use crate::error::{Error, Result};
use crate::pretokenize::Pretokenizer;
use crate::special::{Segment, SpecialFinder};
use crate::types::Marks;

use super::word_counts::{Provenance, WordCounts};
use super::word_table::WordTable;

/// Parts of a document handed to different threads are at least this long.
const MIN_PART_BYTES: usize = 256 << 10;
/// The control is asked after this many words.
const WORDS_PER_CONTROL: usize = 1 << 14;

/// Counts marked words.
#[derive(Debug)]
pub struct WordCounter {
    provenance: Provenance,
    pretokenizer: Pretokenizer,
    user_defined: Option<SpecialFinder>,
    num_documents: u64,
    num_bytes: u64,
    tables: Vec<WordTable>,
}

/// A piece of a document that can be counted by itself.
struct Part<'d> {
    text: &'d [u8],
    state: MarkState,
}

impl WordCounter {
    /// A counter on `num_threads` threads (at least one).
    ///
    /// # Errors
    /// As [`Provenance::pretokenizer`]; [`Error::BadSpecial`] for a user-defined symbol that cannot
    /// be.
    pub fn new(provenance: Provenance, num_threads: usize) -> Result<Self> {
        Ok(Self {
            pretokenizer: provenance.pretokenizer()?,
            user_defined: SpecialFinder::of_user_defined(&provenance.user_defined_symbols)?,
            provenance,
            num_documents: 0,
            num_bytes: 0,
            tables: (0..num_threads.max(1))
                .map(|_| WordTable::default())
                .collect(),
        })
    }

    /// Counts some documents. Each is marked by itself; no word spans two of them.
    ///
    /// # Errors
    /// What the pattern's engine says, [`Error::CountOverflow`] and [`Error::Interrupted`]. The
    /// counter is then spoiled: part of the batch may have been counted.
    pub fn count(&mut self, documents: &[&[u8]], control: &dyn Control) -> Result<()> {
        let texts = self.all_texts(documents, control)?;
        let mut parts = Vec::new();
        for text in &texts {
            self.push_parts(text, &mut parts);
        }
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let pretokenizer = &self.pretokenizer;
        let Provenance {
            boundary,
            whitespace,
            ..
        } = self.provenance;
        let work = |table: &mut WordTable, control: &dyn Control| -> Result<()> {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                let mut outcome = Ok(());
                let mut until_asked = 0_usize;
                let go_on = || {
                    until_asked = until_asked.checked_sub(1).unwrap_or(WORDS_PER_CONTROL);
                    if until_asked == WORDS_PER_CONTROL && outcome.is_ok() {
                        outcome = control.check(0, 0);
                    }
                    match outcome.is_err() || stop.load(Ordering::Relaxed) {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let mut overflowed = None;
                let add = |word: Word| {
                    if !table.add(&part.text[word.start..word.end], word.marks, 1) {
                        overflowed = Some(word);
                    }
                };
                let (text, state) = (part.text, part.state);
                let done = boundary
                    .for_each_word(pretokenizer, whitespace, text, state, go_on, add)
                    .and(outcome)
                    .and(match overflowed {
                        None => Ok(()),
                        Some(word) => Err(overflow(&text[word.start..word.end], word.marks)),
                    });
                if done.is_err() {
                    stop.store(true, Ordering::Relaxed);
                    return done;
                }
            }
            Ok(())
        };
        let (own, others) = self.tables.split_at_mut(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = others
                .iter_mut()
                .take(parts.len().saturating_sub(1))
                .map_while(|table| {
                    let work = || work(table, &NoControl);
                    Builder::new().spawn_scoped(scope, work).ok()
                })
                .collect();
            // The calling thread works too, and is the one that may ask whether to go on; where the
            // system gives no more threads, fewer do the work.
            let done = work(&mut own[0], control);
            threads.into_iter().fold(done, |done, thread| {
                let joined = thread.join();
                done.and(joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        })?;
        self.num_documents += documents.len() as u64;
        self.num_bytes += documents
            .iter()
            .map(|document| document.len() as u64)
            .sum::<u64>();
        Ok(())
    }

    /// The normalized texts of a document: one, but for user-defined symbols, which cut it.
    fn texts<'d>(&self, document: &'d [u8]) -> Vec<Cow<'d, [u8]>> {
        let Provenance {
            normalizer,
            boundary,
            ..
        } = &self.provenance;
        let normalize = |text| normalizer.normalize(text);
        let Some(finder) = &self.user_defined else {
            return vec![boundary.with_prefix(normalize(document))];
        };
        let mut texts: Vec<_> = finder
            .segments(document)
            .filter_map(|segment| match segment {
                Segment::Text { start, end } => Some(normalize(&document[start..end])),
                Segment::Special { .. } => None,
            })
            .collect();
        if let Some(first) = texts.iter_mut().find(|text| !text.is_empty()) {
            *first = boundary.with_prefix(std::mem::take(first));
        }
        texts
    }

    /// The texts of all documents, in order. Whole documents are normalized, before any is cut, on
    /// all threads where there is work to do.
    fn all_texts<'d>(
        &self,
        documents: &[&'d [u8]],
        control: &dyn Control,
    ) -> Result<Vec<Cow<'d, [u8]>>> {
        if self.provenance.normalizer.is_identity() {
            let texts = documents.iter().flat_map(|document| self.texts(document));
            return Ok(texts.collect());
        }
        let slots: Vec<OnceLock<Vec<Cow<'d, [u8]>>>> =
            documents.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let work = |control: &dyn Control| -> Result<()> {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((document, slot)) = documents.get(at).zip(slots.get(at)) else {
                    return Ok(());
                };
                let asked = control.check(0, 0);
                if asked.is_err() || stop.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                    return asked;
                }
                slot.get_or_init(|| self.texts(document));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.tables.len().min(documents.len()) {
                let thread = Builder::new().spawn_scoped(scope, || work(&NoControl));
                if thread.is_err() {
                    break;
                }
            }
            work(control)
        })?;
        // Every slot is filled: the threads are joined, and none gave up.
        let slots = slots.into_iter().filter_map(OnceLock::into_inner);
        Ok(slots.flatten().collect())
    }

    fn push_parts<'d>(&self, document: &'d [u8], parts: &mut Vec<Part<'d>>) {
        let cuts = match self.provenance.boundary.has_safe_cuts() {
            true => self.pretokenizer.safe_cuts(document, MIN_PART_BYTES),
            false => Vec::new(),
        };
        let mut start = 0;
        for end in cuts.into_iter().chain([document.len()]) {
            parts.push(Part {
                text: &document[start..end],
                state: if start == 0 {
                    MarkState::at_start()
                } else {
                    MarkState::at_cut()
                },
            });
            start = end;
        }
    }

    /// The counts of everything so far.
    ///
    /// # Errors
    /// [`Error::CountOverflow`] and [`Error::Interrupted`].
    pub fn finish(mut self, control: &dyn Control) -> Result<WordCounts> {
        let mut all = self.tables.swap_remove(0);
        for table in &self.tables {
            for (at, (word, marks, count)) in table.iter().enumerate() {
                if at % WORDS_PER_CONTROL == 0 {
                    control.check(0, 0)?;
                }
                if !all.add(word, marks, count) {
                    return Err(overflow(word, marks));
                }
            }
        }
        Ok(WordCounts::from_table(
            self.provenance,
            self.num_documents,
            self.num_bytes,
            &all,
        ))
    }
}

fn overflow(word: &[u8], marks: Marks) -> Error {
    Error::CountOverflow {
        word: form(word, marks),
    }
}
