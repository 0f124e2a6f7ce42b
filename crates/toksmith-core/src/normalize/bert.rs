//! BERT's normalizer (Devlin et al. 2018, `BasicTokenizer`; `tokenizers.normalizers.BertNormalizer`):
//! clean the text, put spaces round Chinese characters, strip accents, lower case, in this order.
//!
//! White space is the Unicode property, as in `tokenizers`; the original knows only category Zs,
//! tab and line ends. The blocks of Chinese characters are the original's; `tokenizers` leaves
//! U+2B820 to U+2B91F out.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::rewrite::{Passes, Rewrite};
use super::{accents, case, forms::Form};

/// Which parts run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bert {
    pub(super) clean_text: bool,
    pub(super) handle_chinese_chars: bool,
    pub(super) strip_accents: bool,
    pub(super) lowercase: bool,
}

impl Bert {
    pub(super) fn run(self, passes: &mut Passes<'_>) {
        if self.clean_text {
            passes.pass(clean);
        }
        if self.handle_chinese_chars {
            passes.pass(space_chinese);
        }
        if self.strip_accents {
            passes.pass(|rewrite| Form::Nfd.run(rewrite));
            passes.pass(accents::strip_nonspacing);
        }
        if self.lowercase {
            passes.pass(case::lowercase);
        }
    }
}

/// Deletes NUL, U+FFFD and control characters; white space becomes a space.
fn clean(rewrite: &mut Rewrite<'_>) {
    let category = CodePointMapData::<GeneralCategory>::new();
    rewrite.each_char(|c, by| match c {
        ' '..='~' => false,
        '\t' | '\n' | '\r' => {
            by.push(' ');
            true
        }
        '\u{FFFD}' => true,
        _ => match category.get(c) {
            GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse => {
                true
            }
            _ if c.is_whitespace() => {
                by.push(' ');
                true
            }
            _ => false,
        },
    });
}

/// Puts a space before and after each Chinese character. Both came from an empty span.
fn space_chinese(rewrite: &mut Rewrite<'_>) {
    for chunk in rewrite.source().utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_chinese(c) {
                rewrite.replace(0, " ");
                rewrite.copy(c.len_utf8());
                rewrite.replace(0, " ");
            } else {
                rewrite.copy(c.len_utf8());
            }
        }
        rewrite.copy(chunk.invalid().len());
    }
}

fn is_chinese(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4DBF}'
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}'
        | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}'
        | '\u{2B820}'..='\u{2CEAF}'
        | '\u{2F800}'..='\u{2FA1F}')
}
