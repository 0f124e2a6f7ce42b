//! Lower case, character by character, as `tokenizers` has it.
//!
//! The full mapping without context: `İ` becomes `i` and a dot above, and `Σ` is `σ` at the end of a
//! word too, so that a text and its parts are lowered alike.

use icu_casemap::{CaseMapper, CaseMapperBorrowed};

use super::rewrite::Rewrite;

const CASE: CaseMapperBorrowed<'static> = CaseMapper::new();

pub(super) fn lowercase(rewrite: &mut Rewrite<'_>) {
    rewrite.each_char(push_lower);
}

/// Puts the lower case of a character into `lower`; false when it is the character itself.
fn push_lower(c: char, lower: &mut String) -> bool {
    if c.is_ascii() {
        lower.push(c.to_ascii_lowercase());
        return c.is_ascii_uppercase();
    }
    // The only character whose full lower case is longer than its simple one.
    if c == '\u{130}' {
        lower.push_str("i\u{307}");
        return true;
    }
    let simple = CASE.simple_lowercase(c);
    lower.push(simple);
    simple != c
}

/// Simple case folding of one character.
pub(super) fn fold(c: char) -> char {
    CASE.simple_fold(c)
}
