//! What happens to ids after encoding: long texts are cut, a template puts special tokens around one
//! text or two, short rows are filled up.
//!
//! Knows ids, special tokens and spans, never a text or a model. Nothing here is hidden state: the
//! template belongs to a tokenizer, the rest is asked for in each call.

mod pad;
mod template;
mod truncate;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::special::SpecialTokens;
use crate::types::{Span, TokenId};

pub use pad::{PadLength, PaddingSettings};
pub use template::{Form, Piece, Template, TemplateSettings, split_pieces};
pub use truncate::{Strategy, TruncationSettings, Windows};

/// Ids that one call may give out: more are a mistake, such as every window of a pair of books.
const MAX_IDS: usize = 1 << 30;

/// The left or the right end of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The beginning.
    Left,
    /// The end.
    #[default]
    Right,
}

impl Side {
    /// The side of a name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`], with the setting that held the name.
    pub fn from_name(setting: &'static str, name: &str) -> Result<Self> {
        match name {
            "left" => Ok(Self::Left),
            "right" => Ok(Self::Right),
            _ => Err(Error::UnknownSetting {
                setting,
                value: name.to_owned(),
                known: "left, right".to_owned(),
            }),
        }
    }
}

/// What one call asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostSettings {
    /// Put the template's special tokens around the texts.
    #[serde(default = "yes")]
    pub add_special_tokens: bool,
    /// Cut rows that are longer than this; `None` cuts nothing.
    #[serde(default)]
    pub truncation: Option<TruncationSettings>,
    /// Fill up rows that are shorter than this; `None` fills up nothing.
    #[serde(default)]
    pub padding: Option<PaddingSettings>,
    /// Give what truncation cuts off as further rows.
    #[serde(default)]
    pub return_overflow: bool,
}

fn yes() -> bool {
    true
}

impl Default for PostSettings {
    fn default() -> Self {
        Self {
            add_special_tokens: true,
            truncation: None,
            padding: None,
            return_overflow: false,
        }
    }
}

/// The ids of one text and where they stand in it; three slices of one length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence<'a> {
    /// Token ids.
    pub ids: &'a [TokenId],
    /// For each id its bytes in the text.
    pub byte_spans: &'a [Span],
    /// For each id its characters in the text.
    pub char_spans: &'a [Span],
}

/// A text and its pair; where there are no pairs the second is empty.
pub type Sample<'a> = [Sequence<'a>; 2];

/// Rows ready for a model, one after another; row `r` is `offsets[r]..offsets[r + 1]` of each column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Token ids.
    pub ids: Vec<TokenId>,
    /// 0 for padding, else 1.
    pub attention_mask: Vec<u8>,
    /// What the template says; 0 for padding.
    pub type_ids: Vec<u32>,
    /// 1 for what the template and padding added, 0 for what stands in a text.
    pub special_tokens_mask: Vec<u8>,
    /// Bytes in the id's own text; `(0, 0)` for what was added.
    pub byte_spans: Vec<Span>,
    /// Characters in the id's own text; `(0, 0)` for what was added.
    pub char_spans: Vec<Span>,
    /// Which text an id is of, 0 or 1; `None` for what was added.
    pub sequence_ids: Vec<Option<u8>>,
    /// Where each row begins; one more than there are rows.
    pub offsets: Vec<usize>,
    /// For each row the sample that it is of.
    pub overflow_to_sample: Vec<usize>,
}

/// Settings that were checked against a template, ready to run.
#[derive(Debug)]
pub struct Post<'t> {
    form: Form,
    settings: &'t PostSettings,
    pad_id: TokenId,
    /// What a row has for ids of texts; `None` without truncation.
    room: Option<usize>,
}

impl<'t> Post<'t> {
    /// Checks settings. Without a template the texts stand alone, the second of type 1.
    ///
    /// # Errors
    /// [`Error::Template`] for pairs where the template has no form for them, [`Error::MaxLength`],
    /// [`Error::Stride`], [`Error::UnknownSpecial`] for the padding token, and
    /// [`Error::Incompatible`] for settings that do nothing together.
    pub fn new(
        template: Option<&Template>,
        special: &SpecialTokens,
        settings: &'t PostSettings,
        paired: bool,
    ) -> Result<Self> {
        let form = match (template, settings.add_special_tokens) {
            (Some(template), true) => template.form(paired)?.clone(),
            (Some(template), false) => template.bare_form(paired),
            (None, _) => Form::bare(paired),
        };
        let pad_id = match &settings.padding {
            None => 0,
            Some(padding) => padding.check(special)?,
        };
        let mut this = Self {
            form,
            settings,
            pad_id,
            room: None,
        };
        let Some(truncation) = &settings.truncation else {
            return Ok(this);
        };
        truncation.check(paired, settings.return_overflow)?;
        let num_special = this.form.num_special();
        let room = truncation.max_length.checked_sub(num_special);
        this.room = Some(room.ok_or(Error::MaxLength {
            max_length: truncation.max_length,
            form: if paired { "pair" } else { "single" },
            num_special,
        })?);
        // How much a window holds of each text of a pair shows only when they are there.
        if settings.return_overflow && !paired {
            this.check_stride(truncation, None)?;
        }
        Ok(this)
    }

    /// Cuts, frames and fills up.
    ///
    /// Rows stand in the order of the samples, those of one sample in the order of its windows, the
    /// windows of the second text running fastest.
    ///
    /// Cost: linear in the ids that are given out.
    ///
    /// # Errors
    /// [`Error::CannotTruncate`], [`Error::Stride`], both with the sample at fault, and
    /// [`Error::TooManyIds`].
    pub fn prepare(&self, samples: &[Sample<'_>]) -> Result<Prepared> {
        let rows = self.rows(samples)?;
        let longest = rows.iter().map(|row| self.row_len(row)).max();
        let padded = match &self.settings.padding {
            None => None,
            Some(padding) => Some(padding.row_len(longest.unwrap_or(0))?),
        };
        let num_ids = rows
            .iter()
            .map(|row| self.row_len(row).max(padded.unwrap_or(0)))
            .fold(0, usize::saturating_add);
        check_num_ids(num_ids)?;
        let mut out = Prepared::with_capacity(rows.len(), num_ids);
        for row in rows {
            self.push_row(&samples[row.sample], &row, padded, &mut out);
        }
        Ok(out)
    }

    /// What is cut from where, before anything is copied.
    fn rows(&self, samples: &[Sample<'_>]) -> Result<Vec<Row>> {
        let lens = |sample: &Sample<'_>| sample.map(|sequence| sequence.ids.len());
        let (Some(room), Some(truncation)) = (self.room, &self.settings.truncation) else {
            return Ok(samples
                .iter()
                .enumerate()
                .map(|(sample, texts)| Row {
                    sample,
                    ranges: lens(texts).map(|len| 0..len),
                })
                .collect());
        };
        let mut kept = Vec::with_capacity(samples.len());
        let mut tightest: Option<Tight> = None;
        for (sample, texts) in samples.iter().enumerate() {
            let lens = lens(texts);
            let keeps = truncation.kept(lens, room, sample, self.form.num_special())?;
            for text in 0..2 {
                if keeps[text] < lens[text] && tightest.is_none_or(|t| keeps[text] < t.kept) {
                    tightest = Some(Tight {
                        kept: keeps[text],
                        sample,
                        text,
                    });
                }
            }
            kept.push(keeps);
        }
        if self.settings.return_overflow {
            self.check_stride(truncation, tightest)?;
        }
        let mut rows = Vec::with_capacity(samples.len());
        let mut num_ids = 0_usize;
        for ((sample, texts), keeps) in samples.iter().enumerate().zip(kept) {
            let lens = lens(texts);
            let windows = [0, 1].map(|text| {
                let (stride, side) = (truncation.stride, truncation.side);
                let all = Windows::new(lens[text], keeps[text], stride, side);
                match self.settings.return_overflow {
                    true => all,
                    false => all.first_only(),
                }
            });
            let num_rows = windows[0]
                .num_windows()
                .saturating_mul(windows[1].num_windows());
            // Before the rows are made: there may be more than memory holds.
            let row_len = self.form.num_special() + keeps[0] + keeps[1];
            num_ids = num_ids.saturating_add(num_rows.saturating_mul(row_len));
            check_num_ids(num_ids)?;
            for first in 0..windows[0].num_windows() {
                for second in 0..windows[1].num_windows() {
                    rows.push(Row {
                        sample,
                        ranges: [windows[0].range(first), windows[1].range(second)],
                    });
                }
            }
        }
        Ok(rows)
    }

    /// Windows must move on: each holds more ids of a text than it shares with the next.
    fn check_stride(&self, truncation: &TruncationSettings, tightest: Option<Tight>) -> Result<()> {
        let room = self.room.unwrap_or(0);
        let kept = tightest.map_or(room, |tight| tight.kept);
        if truncation.stride < kept {
            return Ok(());
        }
        Err(Error::Stride {
            stride: truncation.stride,
            kept,
            of: tightest.map_or_else(
                || "the texts".to_owned(),
                |tight| format!("{}[{}]", ["texts", "pairs"][tight.text], tight.sample),
            ),
            max_length: truncation.max_length,
            num_special: self.form.num_special(),
        })
    }

    fn row_len(&self, row: &Row) -> usize {
        self.form.num_special() + row.ranges[0].len() + row.ranges[1].len()
    }

    fn push_row(&self, texts: &Sample<'_>, row: &Row, padded: Option<usize>, out: &mut Prepared) {
        let missing = padded.map_or(0, |len| len.saturating_sub(self.row_len(row)));
        let side = self.settings.padding.as_ref().map(|padding| padding.side);
        if side == Some(Side::Left) {
            out.push_added(self.pad_id, 0, 0, missing);
        }
        for piece in self.form.pieces() {
            match *piece {
                Piece::Special { id, type_id } => out.push_added(id, type_id, 1, 1),
                Piece::Text { index, type_id } => {
                    let (sequence, range) = (&texts[index], row.ranges[index].clone());
                    let len = range.len();
                    out.ids.extend_from_slice(&sequence.ids[range.clone()]);
                    out.byte_spans
                        .extend_from_slice(&sequence.byte_spans[range.clone()]);
                    out.char_spans
                        .extend_from_slice(&sequence.char_spans[range]);
                    push_times(&mut out.attention_mask, 1, len);
                    push_times(&mut out.type_ids, type_id, len);
                    push_times(&mut out.special_tokens_mask, 0, len);
                    push_times(&mut out.sequence_ids, Some(index as u8), len);
                }
            }
        }
        if side == Some(Side::Right) {
            out.push_added(self.pad_id, 0, 0, missing);
        }
        out.offsets.push(out.ids.len());
        out.overflow_to_sample.push(row.sample);
    }
}

/// Appends the ids of one text with the special tokens of a form for one text around them.
pub fn frame(form: &Form, ids: &[TokenId], out: &mut Vec<TokenId>) {
    for piece in form.pieces() {
        match *piece {
            Piece::Special { id, .. } => out.push(id),
            Piece::Text { .. } => out.extend_from_slice(ids),
        }
    }
}

/// One row to come: a range of each of its sample's two texts.
#[derive(Debug)]
struct Row {
    sample: usize,
    ranges: [std::ops::Range<usize>; 2],
}

/// The text of which a window holds the fewest ids.
#[derive(Clone, Copy, Debug)]
struct Tight {
    kept: usize,
    sample: usize,
    text: usize,
}

fn check_num_ids(num_ids: usize) -> Result<()> {
    match num_ids <= MAX_IDS {
        true => Ok(()),
        false => Err(Error::TooManyIds {
            num_ids,
            max: MAX_IDS,
        }),
    }
}

fn push_times<T: Copy>(column: &mut Vec<T>, value: T, times: usize) {
    column.resize(column.len() + times, value);
}

impl Prepared {
    fn with_capacity(num_rows: usize, num_ids: usize) -> Self {
        let mut offsets = Vec::with_capacity(num_rows + 1);
        offsets.push(0);
        Self {
            ids: Vec::with_capacity(num_ids),
            attention_mask: Vec::with_capacity(num_ids),
            type_ids: Vec::with_capacity(num_ids),
            special_tokens_mask: Vec::with_capacity(num_ids),
            byte_spans: Vec::with_capacity(num_ids),
            char_spans: Vec::with_capacity(num_ids),
            sequence_ids: Vec::with_capacity(num_ids),
            offsets,
            overflow_to_sample: Vec::with_capacity(num_rows),
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.overflow_to_sample.len()
    }

    /// True when there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.overflow_to_sample.is_empty()
    }

    /// The shortest and the longest row; `None` when there are no rows.
    #[must_use]
    pub fn row_lens(&self) -> Option<(usize, usize)> {
        let lens = || self.offsets.windows(2).map(|pair| pair[1] - pair[0]);
        Some((lens().min()?, lens().max()?))
    }

    fn push_added(&mut self, id: TokenId, type_id: u32, attention: u8, times: usize) {
        push_times(&mut self.ids, id, times);
        push_times(&mut self.attention_mask, attention, times);
        push_times(&mut self.type_ids, type_id, times);
        push_times(&mut self.special_tokens_mask, 1, times);
        push_times(&mut self.byte_spans, (0, 0), times);
        push_times(&mut self.char_spans, (0, 0), times);
        push_times(&mut self.sequence_ids, None, times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_data_and_unknown_ones_are_refused() {
        let json = r#"{"truncation":{"max_length":9,"stride":2,"strategy":"only-first"},
            "padding":{"length":{"fixed":9},"pad_token":"<pad>","side":"left"}}"#;
        let settings: PostSettings = serde_json::from_str(json).unwrap();
        assert_eq!(
            settings,
            PostSettings {
                truncation: Some(TruncationSettings {
                    max_length: 9,
                    stride: 2,
                    side: Side::Right,
                    strategy: Strategy::OnlyFirst,
                }),
                padding: Some(PaddingSettings {
                    length: PadLength::Fixed(9),
                    pad_token: "<pad>".to_owned(),
                    side: Side::Left,
                    pad_to_multiple_of: None,
                }),
                ..PostSettings::default()
            }
        );
        let written = serde_json::to_string(&settings).unwrap();
        assert_eq!(
            serde_json::from_str::<PostSettings>(&written).unwrap(),
            settings
        );
        for unknown in [
            r#"{"pad":1}"#,
            r#"{"truncation":{"max_length":9,"step":1}}"#,
            r#"{"padding":{"length":"longest","pad_token":"<pad>","id":0}}"#,
        ] {
            let error = serde_json::from_str::<PostSettings>(unknown).unwrap_err();
            assert!(error.to_string().contains("unknown field"), "{error}");
        }
    }
}
