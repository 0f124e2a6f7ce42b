//! Where a document may be cut for parallel work without moving a pretoken.

use crate::types::is_ascii_whitespace;

/// Cuts `text` into parts of at least `min_part_bytes` (the last may be shorter), each cut before
/// an ASCII white space byte that follows an ASCII byte which is none.
///
/// Why that is safe for patterns in which no match holds white space after a non-space: a match
/// ends there in any case, and what follows is matched from there on without looking back. ASCII
/// on both sides makes the place recognizable without decoding; a text without such places is one
/// part. Returns the starts of all parts but the first, ascending.
#[must_use]
pub fn safe_cuts(text: &[u8], min_part_bytes: usize) -> Vec<usize> {
    let mut cuts = Vec::new();
    let step = min_part_bytes.max(1);
    let mut at = step;
    while at < text.len() {
        let (before, here) = (text[at - 1], text[at]);
        if before < 0x80 && !is_ascii_whitespace(before) && is_ascii_whitespace(here) {
            cuts.push(at);
            at += step;
        } else {
            at += 1;
        }
    }
    cuts
}
