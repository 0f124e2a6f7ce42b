//! Counts documents in batches, on several threads, with one result whatever their number.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::boundary::{Boundary, ImplicitSpace, Mark, MarkState, SpacePrefix, WhitespaceRule};
use crate::error::{Error, Result};
use crate::normalize::Normalizer;
use crate::pretokenize::{Pretokenizer, safe_cuts};
use crate::types::Marks;

use super::word_counts::{Provenance, WordCounts};
use super::word_table::WordTable;

/// Parts of a document handed to different threads are at least this long.
const MIN_PART_BYTES: usize = 256 << 10;

/// Counts marked words.
#[derive(Debug)]
pub struct WordCounter {
    normalizer: Normalizer,
    pretokenizer: Pretokenizer,
    boundary: Boundary,
    whitespace: WhitespaceRule,
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
    #[must_use]
    pub fn new(
        normalizer: Normalizer,
        pretokenizer: Pretokenizer,
        boundary: Boundary,
        whitespace: WhitespaceRule,
        num_threads: usize,
    ) -> Self {
        Self {
            normalizer,
            pretokenizer,
            boundary,
            whitespace,
            num_documents: 0,
            num_bytes: 0,
            tables: (0..num_threads.max(1))
                .map(|_| WordTable::default())
                .collect(),
        }
    }

    /// Counts some documents. Each is marked by itself; no word spans two of them.
    ///
    /// # Errors
    /// What the pattern's engine says, and [`Error::CountOverflow`]. The counter is then spoiled:
    /// part of the batch may have been counted.
    pub fn count(&mut self, documents: &[&[u8]]) -> Result<()> {
        let normalized: Vec<_> = documents
            .iter()
            .map(|document| self.normalizer.normalize(document))
            .collect();
        let mut parts = Vec::new();
        for document in &normalized {
            self.push_parts(&document.bytes, &mut parts);
        }
        let next = AtomicUsize::new(0);
        let (pretokenizer, boundary, whitespace) =
            (&self.pretokenizer, self.boundary, self.whitespace);
        let work = |table: &mut WordTable| -> Result<()> {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                match boundary {
                    Boundary::SpacePrefix => {
                        count_part(pretokenizer, SpacePrefix { whitespace }, part, table)?;
                    }
                    Boundary::ImplicitSingle => {
                        let mark = ImplicitSpace::<false> { whitespace };
                        count_part(pretokenizer, mark, part, table)?;
                    }
                    Boundary::ImplicitDual => {
                        let mark = ImplicitSpace::<true> { whitespace };
                        count_part(pretokenizer, mark, part, table)?;
                    }
                }
            }
            Ok(())
        };
        let num_workers = self.tables.len().min(parts.len());
        if num_workers <= 1 {
            self.tables.iter_mut().take(1).try_for_each(work)?;
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = self
                    .tables
                    .iter_mut()
                    .take(num_workers)
                    .map(|table| scope.spawn(|| work(table)))
                    .collect();
                workers.into_iter().try_for_each(|worker| {
                    worker
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
            })?;
        }
        self.num_documents += documents.len() as u64;
        self.num_bytes += documents
            .iter()
            .map(|document| document.len() as u64)
            .sum::<u64>();
        Ok(())
    }

    fn push_parts<'d>(&self, document: &'d [u8], parts: &mut Vec<Part<'d>>) {
        let cuts = if self.tables.len() > 1 && self.pretokenizer.has_safe_cuts() {
            safe_cuts(document, MIN_PART_BYTES)
        } else {
            Vec::new()
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
    /// [`Error::CountOverflow`].
    pub fn finish(mut self) -> Result<WordCounts> {
        let provenance = Provenance::of(
            self.normalizer,
            &self.pretokenizer,
            self.boundary,
            self.whitespace,
        );
        let mut all = self.tables.swap_remove(0);
        for table in &self.tables {
            for (word, marks, count) in table.iter() {
                if !all.add(word, marks, count) {
                    return Err(overflow(word, marks));
                }
            }
        }
        Ok(WordCounts::from_table(
            provenance,
            self.num_documents,
            self.num_bytes,
            &all,
        ))
    }
}

fn overflow(word: &[u8], marks: Marks) -> Error {
    Error::CountOverflow {
        word: crate::display::form(word, marks),
    }
}

fn count_part(
    pretokenizer: &Pretokenizer,
    mark: impl Mark,
    part: &Part<'_>,
    table: &mut WordTable,
) -> Result<()> {
    let mut state = part.state;
    let mut overflowed = None;
    let mut add = |word: crate::boundary::Word| {
        if !table.add(&part.text[word.start..word.end], word.marks, 1) {
            overflowed = Some(word);
        }
    };
    pretokenizer.for_each(part.text, |pretoken| {
        mark.mark(&mut state, part.text, pretoken, &mut add);
    })?;
    mark.finish(&mut state, &mut add);
    match overflowed {
        None => Ok(()),
        Some(word) => Err(overflow(&part.text[word.start..word.end], word.marks)),
    }
}
