//! Where a document may be cut for parallel work without moving a pretoken.

use crate::types::is_ascii_whitespace;

use super::unicode::{CharClass, UnicodeClasses, decode_multibyte};

/// Cuts `text` into parts of at least `min_part_bytes` (the last may be shorter), each cut before
/// an ASCII white space byte that follows a character which is no white space.
///
/// Why that is safe for patterns in which no match holds white space after a non-space: a match
/// ends there in any case, and what follows is matched from there on without looking back. UTF-8 is
/// self-synchronizing, so the character before is known from its own bytes. A text without such
/// places is one part. Returns the starts of all parts but the first, ascending.
#[must_use]
pub fn safe_cuts(text: &[u8], min_part_bytes: usize, classes: &UnicodeClasses) -> Vec<usize> {
    let mut cuts = Vec::new();
    let step = min_part_bytes.max(1);
    let mut at = step;
    while at < text.len() {
        if is_ascii_whitespace(text[at]) && class_before(text, at, classes) != CharClass::Space {
            cuts.push(at);
            at += step;
        } else {
            at += 1;
        }
    }
    cuts
}

/// The class of the character that ends at `at`, where a character begins and one has ended.
fn class_before(text: &[u8], at: usize, classes: &UnicodeClasses) -> CharClass {
    (1..=at.min(4))
        .find_map(|len| {
            let bytes = &text[at - len..at];
            match bytes[0] {
                ascii @ 0..0x80 => (len == 1).then(|| classes.class(u32::from(ascii))),
                _ => decode_multibyte(bytes)
                    .filter(|&(_, decoded)| decoded == len)
                    .map(|(code_point, _)| classes.class(code_point)),
            }
        })
        .unwrap_or(CharClass::Other)
}
