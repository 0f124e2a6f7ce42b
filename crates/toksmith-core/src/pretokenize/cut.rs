//! Where a document may be cut for parallel work without moving a pretoken.

use crate::types::is_ascii_whitespace;

use super::unicode::{CharClass, UnicodeClasses};

/// The bytes before which a document may be cut, where they follow a character that is no white
/// space.
///
/// Why that is safe for patterns in which no match holds such a byte after a non-space: a match ends
/// there in any case, and none of the patterns looks further than one character ahead or behind, nor
/// past white space, so what stands on one side of the cut changes nothing on the other. UTF-8 is
/// self-synchronizing, so the character before is known from its own bytes. The first part ends in a
/// non-space, so no rule for white space at the end of a text comes into play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutRule {
    /// Before any ASCII white space.
    BeforeWhitespace,
    /// Before U+0020: for patterns whose punctuation takes the line ends after it along.
    BeforeSpace,
}

impl CutRule {
    /// Cuts `text` into parts of at least `min_part_bytes` (the last may be shorter). A text without
    /// such places is one part. Returns the starts of all parts but the first, ascending.
    pub(super) fn cuts(
        self,
        text: &[u8],
        min_part_bytes: usize,
        classes: &UnicodeClasses,
    ) -> Vec<usize> {
        let mut cuts = Vec::new();
        let step = min_part_bytes.max(1);
        let mut at = step;
        while at < text.len() {
            let is_place = match self {
                Self::BeforeWhitespace => is_ascii_whitespace(text[at]),
                Self::BeforeSpace => text[at] == b' ',
            };
            if is_place && classes.class_before(text, at) != Some(CharClass::Space) {
                cuts.push(at);
                at += step;
            } else {
                at += 1;
            }
        }
        cuts
    }
}
