//! Counted words as sequences of units, in one array, sorted, each followed by a separator.

use crate::error::{Error, Result};
use crate::types::Count;

/// The cell after a word. Other cells hold a unit plus one, so a word sorts before its extensions.
pub(super) const SEPARATOR: u32 = 0;

/// A unit that no piece may hold: words are cut there, and it belongs to none of the parts.
pub(super) const UNCOVERED: u32 = u32::MAX;

/// Distinct words, sorted by units.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Units plus one, with a [`SEPARATOR`] after each word.
    pub cells: Vec<u32>,
    /// Where each word starts, and the number of cells.
    pub starts: Vec<u32>,
    /// How often each word occurred.
    pub counts: Vec<Count>,
}

impl Words {
    /// Sorts words, cuts them at [`UNCOVERED`] and adds up the counts of equal ones.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when the cells exceed 32 bits or all occurrences together 64.
    pub(super) fn new<'w, I>(words: I) -> Result<Self>
    where
        I: IntoIterator<Item = (&'w [u32], Count)>,
    {
        let mut cells = Vec::new();
        let mut spans: Vec<(u32, u32, Count)> = Vec::new();
        let mut total: u128 = 0;
        for (units, count) in words {
            for part in units.split(|&unit| unit == UNCOVERED) {
                if part.is_empty() || count == 0 {
                    continue;
                }
                let start = cells.len();
                cells.extend(part.iter().map(|unit| unit + 1));
                total += u128::from(count) * part.len() as u128;
                // A separator for each word is added below.
                let num_cells = cells.len() + spans.len() + 1;
                if num_cells > u32::MAX as usize {
                    return Err(Error::TooLarge {
                        what: "the length of all distinct words together",
                        value: num_cells as u128,
                        max: u128::from(u32::MAX),
                    });
                }
                spans.push((start as u32, cells.len() as u32, count));
            }
        }
        if total > u128::from(Count::MAX) {
            return Err(Error::TooLarge {
                what: "the number of units in all words together",
                value: total,
                max: u128::from(Count::MAX),
            });
        }
        let units = |&(start, end, _): &(u32, u32, Count)| &cells[start as usize..end as usize];
        if !spans.is_sorted_by(|a, b| units(a) < units(b)) {
            spans.sort_unstable_by(|a, b| units(a).cmp(units(b)));
        }
        let mut this = Self::default();
        this.cells.reserve_exact(cells.len() + spans.len());
        for group in spans.chunk_by(|a, b| units(a) == units(b)) {
            this.starts.push(this.cells.len() as u32);
            this.cells.extend_from_slice(units(&group[0]));
            this.cells.push(SEPARATOR);
            // The total is bounded, so the sum is.
            this.counts
                .push(group.iter().map(|&(_, _, count)| count).sum());
        }
        this.starts.push(this.cells.len() as u32);
        Ok(this)
    }

    /// Number of words.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The cells of a word, without its separator.
    pub(super) fn word(&self, at: usize) -> &[u32] {
        &self.cells[self.starts[at] as usize..self.starts[at + 1] as usize - 1]
    }
}
