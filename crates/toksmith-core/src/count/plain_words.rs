//! Lists of words with their counts, as lexicons and other tools write them → word counts.
//!
//! A line is a word and its count, or the count first, with a tab between them; in a line without a
//! tab it is a space. There are no escapes: a word is any bytes but line ends, at least one.

use crate::error::{Error, Result};
use crate::types::{Count, Marks};

use super::word_counts::{Provenance, VERSION_LINE, WordCounts};
use super::word_table::WordTable;

const FORMAT: &str = "words with counts";

/// What stands first in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOrder {
    /// `low⇥5`, as SentencePiece and subword-nmt write it.
    WordFirst,
    /// `5⇥low`, as `uniq -c` and frequency lists do; spaces before the count are skipped.
    CountFirst,
}

impl LineOrder {
    /// Every order.
    pub const ALL: [Self; 2] = [Self::WordFirst, Self::CountFirst];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::WordFirst => "word-first",
            Self::CountFirst => "count-first",
        }
    }

    /// The order with this name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`].
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|order| order.name() == name);
        found.ok_or_else(|| Error::UnknownSetting {
            setting: "order",
            value: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }

    /// Word and count, still as text.
    fn split(self, line: &[u8]) -> Option<(&[u8], &[u8])> {
        let separator = match line.contains(&b'\t') {
            true => b'\t',
            false => b' ',
        };
        let is_separator = |&byte: &u8| byte == separator;
        match self {
            Self::WordFirst => {
                let at = line.iter().rposition(is_separator)?;
                Some((&line[..at], &line[at + 1..]))
            }
            Self::CountFirst => {
                let line = line.trim_ascii_start();
                let at = line.iter().position(is_separator)?;
                Some((&line[at + 1..], &line[..at]))
            }
        }
    }
}

impl WordCounts {
    /// Reads lines of words with counts; equal words are added up.
    ///
    /// # Errors
    /// [`Error::Format`] with the line.
    pub fn from_lines(provenance: Provenance, lines: &[u8], order: LineOrder) -> Result<Self> {
        let fault = |line: usize, reason: &str| Error::Format {
            format: FORMAT,
            place: format!("line {line}"),
            reason: reason.to_owned(),
        };
        if lines.starts_with(VERSION_LINE.as_bytes()) {
            return Err(fault(1, "it is a file of word counts already: load it"));
        }
        let mut table = WordTable::default();
        let lines = lines.strip_suffix(b"\n").unwrap_or(lines);
        let rows = lines.split(|&byte| byte == b'\n');
        for (number, row) in (1..).zip(rows.take_while(|_| !lines.is_empty())) {
            let row = row.strip_suffix(b"\r").unwrap_or(row);
            let (word, count) = parse_line(row, order).map_err(|reason| fault(number, &reason))?;
            if !table.add(word, Marks::NONE, count) {
                return Err(fault(
                    number,
                    "the counts of this word add up to more than 64 bits",
                ));
            }
        }
        Ok(Self::from_table(provenance, 0, 0, &table))
    }
}

fn parse_line(row: &[u8], order: LineOrder) -> Result<(&[u8], Count), String> {
    let (word, count) = order.split(row).ok_or_else(|| {
        let form = match order {
            LineOrder::WordFirst => "a word, a tab, a count",
            LineOrder::CountFirst => "a count, a tab, a word",
        };
        format!("a line is {form}")
    })?;
    let shown = String::from_utf8_lossy(count);
    let digits = std::str::from_utf8(count)
        .ok()
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    let count = digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("the count {shown:?} is not a 64-bit number"))?;
    if count == 0 {
        return Err("the count is 0".to_owned());
    }
    if word.is_empty() {
        return Err("the word is empty".to_owned());
    }
    Ok((word, count))
}
