//! Taking marks away.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::rewrite::Rewrite;

/// Deletes the combining marks of a text, as `tokenizers` does: category Mn, Mc or Me. A letter that
/// was composed with its accent keeps it; `nfd` before this step takes them apart.
pub(super) fn strip(rewrite: &mut Rewrite<'_>) {
    delete(rewrite, |category| {
        matches!(
            category,
            GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark
        )
    });
}

/// Deletes nonspacing marks only, as BERT does.
pub(super) fn strip_nonspacing(rewrite: &mut Rewrite<'_>) {
    delete(rewrite, |category| {
        category == GeneralCategory::NonspacingMark
    });
}

fn delete(rewrite: &mut Rewrite<'_>, is_mark: impl Fn(GeneralCategory) -> bool) {
    let category = CodePointMapData::<GeneralCategory>::new();
    // No character below U+0300 is a mark.
    rewrite.each_char(|c, _| c >= '\u{300}' && is_mark(category.get(c)));
}
