//! The artifact `WordCounts`: marked word → 64-bit count, with how it was made.
//!
//! As a file it is text: a version line, a line of JSON with the provenance, then one word a line as
//! `lead`, bytes in hex, `trail`, count, sorted by bytes and marks. Equal counts are equal files.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::artifact::{hex, sha256_hex, unhex};
use crate::boundary::{Boundary, WhitespaceRule};
use crate::display::form;
use crate::error::{Error, Result};
use crate::normalize::Normalizer;
use crate::pretokenize::{DigitRule, Pretokenizer, PretokenizerSettings};
use crate::types::{Count, Marks};

use super::word_table::WordTable;

const FORMAT: &str = "word counts";
pub(super) const VERSION_LINE: &str = "# toksmith word-counts ";
const VERSION: u64 = 1;

/// How words were made from text. Counts with different provenance cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// What was done to the text first.
    pub normalizer: Normalizer,
    /// Name of the pattern, or the pattern.
    pub pretokenizer: String,
    /// Text of the pattern; `None` where the whole document is one pretoken.
    pub pattern: Option<String>,
    /// Unicode version of the pattern's classes.
    pub unicode: String,
    /// How digits are grouped inside each pretoken; left out of files where there is no rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<DigitRule>,
    /// How spaces are written.
    pub boundary: Boundary,
    /// What becomes of white space pretokens.
    pub whitespace: WhitespaceRule,
    /// Texts that are tokens wherever they stand, split off before the text is normalized.
    #[serde(default)]
    pub user_defined_symbols: Vec<String>,
}

impl Provenance {
    /// What these stages do to text; no user-defined symbols.
    #[must_use]
    pub fn of(
        normalizer: Normalizer,
        pretokenizer: &Pretokenizer,
        boundary: Boundary,
        whitespace: WhitespaceRule,
    ) -> Self {
        Self {
            normalizer,
            pretokenizer: pretokenizer.name().to_owned(),
            pattern: pretokenizer.pattern().map(str::to_owned),
            unicode: pretokenizer.classes().version().to_owned(),
            digits: pretokenizer.digits(),
            boundary,
            whitespace,
            user_defined_symbols: Vec::new(),
        }
    }

    /// True when decoding gives back what the stages were given, byte for byte.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.normalizer.is_lossless() && self.boundary.is_lossless(self.whitespace)
    }

    /// The pretokenizer that it names.
    ///
    /// # Errors
    /// As [`Pretokenizer::new`] and [`Boundary::check`]; [`Error::Incompatible`] when this version of the library has
    /// another pattern under that name.
    pub fn pretokenizer(&self) -> Result<Pretokenizer> {
        self.boundary.check(self.whitespace)?;
        let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
            pattern: self.pretokenizer.clone(),
            unicode: Some(self.unicode.clone()),
            digits: self.digits,
        })?;
        if pretokenizer.pattern() != self.pattern.as_deref() {
            return Err(Error::Incompatible {
                what: format!(
                    "the file says that {:?} is the pattern {:?}, but here it is {:?}",
                    self.pretokenizer,
                    self.pattern.as_deref().unwrap_or("none"),
                    pretokenizer.pattern().unwrap_or("none")
                ),
            });
        }
        Ok(pretokenizer)
    }

    fn require_equal(&self, other: &Self) -> Result<()> {
        let debug = |value: &dyn std::fmt::Debug| format!("{value:?}");
        let fields: [(&'static str, String, String); 8] = [
            (
                "normalizer",
                self.normalizer.to_string(),
                other.normalizer.to_string(),
            ),
            (
                "pretokenizer",
                self.pretokenizer.clone(),
                other.pretokenizer.clone(),
            ),
            ("pattern", debug(&self.pattern), debug(&other.pattern)),
            ("unicode", self.unicode.clone(), other.unicode.clone()),
            (
                "digits",
                self.digits.map_or("none".to_owned(), DigitRule::name),
                other.digits.map_or("none".to_owned(), DigitRule::name),
            ),
            (
                "boundary",
                self.boundary.name().to_owned(),
                other.boundary.name().to_owned(),
            ),
            (
                "whitespace",
                self.whitespace.name().to_owned(),
                other.whitespace.name().to_owned(),
            ),
            (
                "user_defined_symbols",
                debug(&self.user_defined_symbols),
                debug(&other.user_defined_symbols),
            ),
        ];
        match fields.into_iter().find(|(_, left, right)| left != right) {
            None => Ok(()),
            Some((field, left, right)) => Err(Error::Provenance { field, left, right }),
        }
    }
}

/// One counted word, borrowed from [`WordCounts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRef<'c> {
    /// The bytes of the word.
    pub bytes: &'c [u8],
    /// Its marks.
    pub marks: Marks,
    /// How often it occurred.
    pub count: Count,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    start: usize,
    end: usize,
    marks: Marks,
    count: Count,
}

/// Marked word → count, sorted by bytes and marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCounts {
    provenance: Provenance,
    num_documents: u64,
    num_bytes: u64,
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

/// The second line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    provenance: Provenance,
    num_documents: u64,
    num_bytes: u64,
    /// Rows that follow, so that a file cut after a row is noticed.
    num_words: usize,
}

impl WordCounts {
    /// Counts from pairs of word and count; equal words are added up.
    ///
    /// # Errors
    /// [`Error::CountOverflow`] when a sum exceeds 64 bits.
    pub fn from_words<'w>(
        provenance: Provenance,
        num_documents: u64,
        num_bytes: u64,
        words: impl IntoIterator<Item = WordRef<'w>>,
    ) -> Result<Self> {
        let mut table = WordTable::default();
        for WordRef {
            bytes,
            marks,
            count,
        } in words
        {
            if !provenance.boundary.has_marks(marks) {
                return Err(Error::Incompatible {
                    what: format!(
                        "word {:?} carries a mark that {} does not have",
                        form(bytes, marks),
                        provenance.boundary.name()
                    ),
                });
            }
            if !table.add(bytes, marks, count) {
                return Err(Error::CountOverflow {
                    word: form(bytes, marks),
                });
            }
        }
        Ok(Self::from_table(
            provenance,
            num_documents,
            num_bytes,
            &table,
        ))
    }

    pub(super) fn from_table(
        provenance: Provenance,
        num_documents: u64,
        num_bytes: u64,
        table: &WordTable,
    ) -> Self {
        let mut words: Vec<_> = table.iter().collect();
        words.sort_unstable_by_key(|&(bytes, marks, _)| (bytes, marks));
        let mut bytes = Vec::with_capacity(words.iter().map(|(word, _, _)| word.len()).sum());
        let mut entries = Vec::with_capacity(words.len());
        for (word, marks, count) in words {
            let start = bytes.len();
            bytes.extend_from_slice(word);
            entries.push(Entry {
                start,
                end: bytes.len(),
                marks,
                count,
            });
        }
        Self {
            provenance,
            num_documents,
            num_bytes,
            bytes,
            entries,
        }
    }

    /// How the words were made.
    #[must_use]
    pub fn provenance(&self) -> &Provenance {
        &self.provenance
    }

    /// Number of documents counted; 0 when the words did not come from text.
    #[must_use]
    pub fn num_documents(&self) -> u64 {
        self.num_documents
    }

    /// Bytes of text counted; 0 when the words did not come from text.
    #[must_use]
    pub fn num_bytes(&self) -> u64 {
        self.num_bytes
    }

    /// Number of distinct words.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sum of all counts.
    #[must_use]
    pub fn total(&self) -> u128 {
        self.entries
            .iter()
            .map(|entry| u128::from(entry.count))
            .sum()
    }

    /// The words, sorted by bytes and then by marks.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = WordRef<'_>> {
        self.entries.iter().map(|entry| WordRef {
            bytes: &self.bytes[entry.start..entry.end],
            marks: entry.marks,
            count: entry.count,
        })
    }

    /// Both counts added up. Associative and commutative.
    ///
    /// # Errors
    /// [`Error::Provenance`] when they were made in different ways, naming the first difference;
    /// [`Error::CountOverflow`].
    pub fn merge(&self, other: &Self) -> Result<Self> {
        self.provenance.require_equal(&other.provenance)?;
        Self::from_words(
            self.provenance.clone(),
            self.num_documents.saturating_add(other.num_documents),
            self.num_bytes.saturating_add(other.num_bytes),
            self.iter().chain(other.iter()),
        )
    }

    /// SHA-256 of the file form, in hex: equal for equal counts made the same way.
    #[must_use]
    pub fn content_hash(&self) -> String {
        sha256_hex(self.to_tsv().as_bytes())
    }

    /// The file form.
    #[must_use]
    pub fn to_tsv(&self) -> String {
        let header = Header {
            provenance: self.provenance.clone(),
            num_documents: self.num_documents,
            num_bytes: self.num_bytes,
            num_words: self.len(),
        };
        let header = serde_json::to_string(&header).unwrap_or_default();
        let mut out = format!("{VERSION_LINE}{VERSION}\n# {header}\n");
        for word in self.iter() {
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "{}\t{}\t{}\t{}",
                u8::from(word.marks.lead()),
                hex(word.bytes),
                u8::from(word.marks.trail()),
                word.count
            );
        }
        out
    }

    /// Reads the file form; rows may stand in any order.
    ///
    /// # Errors
    /// [`Error::Format`] with the line, [`Error::FormatVersion`].
    pub fn from_tsv(tsv: &str) -> Result<Self> {
        let fault = |line: usize, reason: &str| Error::Format {
            format: FORMAT,
            place: format!("line {line}"),
            reason: reason.to_owned(),
        };
        let mut lines = tsv.lines();
        let version = lines
            .next()
            .and_then(|line| line.strip_prefix(VERSION_LINE))
            .ok_or_else(|| fault(1, &format!("it does not begin with {VERSION_LINE:?}")))?
            .parse::<u64>()
            .map_err(|error| fault(1, &error.to_string()))?;
        if version != VERSION {
            return Err(Error::FormatVersion {
                format: FORMAT,
                found: version,
                supported: VERSION,
            });
        }
        let header: Header = lines
            .next()
            .and_then(|line| line.strip_prefix("# "))
            .ok_or_else(|| fault(2, "the provenance is missing"))
            .and_then(|json| {
                serde_json::from_str(json).map_err(|error| fault(2, &error.to_string()))
            })?;
        if !tsv.ends_with('\n') {
            return Err(fault(
                tsv.lines().count(),
                "the last line has no end: the file was cut",
            ));
        }
        let boundary = header.provenance.boundary;
        let mut table = WordTable::default();
        for (line, row) in (3..).zip(lines) {
            let (bytes, marks, count) =
                parse_row(row, boundary).map_err(|reason| fault(line, reason))?;
            let known = table.len();
            if !table.add(&bytes, marks, count) || table.len() == known {
                return Err(fault(line, "the word stands in the file twice"));
            }
        }
        if table.len() != header.num_words {
            let reason = format!(
                "there are {} words, but the header says {}",
                table.len(),
                header.num_words
            );
            return Err(fault(tsv.lines().count(), &reason));
        }
        Ok(Self::from_table(
            header.provenance,
            header.num_documents,
            header.num_bytes,
            &table,
        ))
    }
}

fn parse_row(row: &str, boundary: Boundary) -> Result<(Vec<u8>, Marks, Count), &'static str> {
    let mut fields = row.split('\t');
    let mut next = || {
        fields
            .next()
            .ok_or("a row has four fields: lead, hex, trail, count")
    };
    let (lead, bytes, trail, count) = (next()?, next()?, next()?, next()?);
    if fields.next().is_some() {
        return Err("a row has four fields: lead, hex, trail, count");
    }
    let flag = |field: &str| match field {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("a mark is 0 or 1"),
    };
    let marks = Marks::new(flag(lead)?, flag(trail)?);
    if !boundary.has_marks(marks) {
        return Err("the word carries a mark that its boundary does not have");
    }
    let bytes = unhex(bytes).ok_or("the word is not hex")?;
    if bytes.is_empty() {
        return Err("the word is empty");
    }
    if !count.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err("the count is not a 64-bit number");
    }
    let count = count
        .parse()
        .map_err(|_| "the count is not a 64-bit number")?;
    if count == 0 {
        return Err("the count is 0");
    }
    Ok((bytes, marks, count))
}
