//! Padding: rows that are shorter than asked for are filled up with a special token.

use serde::{Deserialize, Serialize};

use super::{MAX_IDS, Side, check_num_ids};
use crate::error::{Error, Result};
use crate::special::SpecialTokens;
use crate::types::TokenId;

/// How long rows are to be at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PadLength {
    /// As the longest row of the call.
    Longest,
    /// As this number says.
    Fixed(usize),
}

/// How rows are filled up. Rows that are longer stay as they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaddingSettings {
    /// How long rows are to be at least.
    pub length: PadLength,
    /// Name of the special token that fills them up.
    pub pad_token: String,
    /// Where it is put.
    #[serde(default)]
    pub side: Side,
    /// The length is rounded up to a multiple of this, a fixed length too.
    #[serde(default)]
    pub pad_to_multiple_of: Option<usize>,
}

impl PaddingSettings {
    /// The id of the padding token.
    pub(super) fn check(&self, special: &SpecialTokens) -> Result<TokenId> {
        if self.pad_to_multiple_of == Some(0) {
            return Err(Error::Incompatible {
                what: "pad_to_multiple_of is 0, but must be at least 1".to_owned(),
            });
        }
        special
            .id(&self.pad_token)
            .ok_or_else(|| special.unknown(&self.pad_token))
    }

    /// The length that all rows are filled up to, when the longest has `longest` ids.
    pub(super) fn row_len(&self, longest: usize) -> Result<usize> {
        let len = match self.length {
            PadLength::Longest => longest,
            PadLength::Fixed(len) => len,
        };
        let multiple = self.pad_to_multiple_of.unwrap_or(1).max(1);
        let len = len.checked_next_multiple_of(multiple);
        let len = len.unwrap_or(MAX_IDS + 1);
        check_num_ids(len)?;
        Ok(len)
    }
}
