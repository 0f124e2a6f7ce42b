//! BERT's basic cut: white space, punctuation and Chinese characters part words, and each
//! punctuation and Chinese character is by itself. Nothing is dropped: a run of white space is a
//! pretoken, and what becomes of it is the boundary's business.
//!
//! White space is the property White_Space, and controls, which BERT deletes first, are parts of
//! words. Source: Devlin et al. 2019, `tokenization.py` (`BasicTokenizer`).

use super::PretokenClass;
use super::punctuation::is_punctuation;
use super::unicode::{CharClass, CharKind, Character, UnicodeClasses, ascii_letters_end};

/// The text of the pattern.
pub(super) const PATTERN: &str = r"\s+|[\p{P}$+<=>^`|~]|[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0002A6DF\U0002A700-\U0002CEAF\U0002F800-\U0002FA1F]|[^\s\p{P}$+<=>^`|~\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0002A6DF\U0002A700-\U0002CEAF\U0002F800-\U0002FA1F]+";

/// The blocks of Chinese characters that BERT names.
fn is_chinese(character: Character) -> bool {
    matches!(
        character.code_point,
        Some(
            0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_CEAF
            | 0x2_F800..=0x2_FA1F,
        )
    )
}

fn stands_alone(character: Character) -> bool {
    is_punctuation(character) || is_chinese(character)
}

/// The scanner.
#[derive(Clone, Copy, Debug)]
pub struct Bert {
    classes: &'static UnicodeClasses,
}

impl Bert {
    pub(super) fn new(classes: &'static UnicodeClasses) -> Self {
        Self { classes }
    }

    pub(super) fn classes(&self) -> &'static UnicodeClasses {
        self.classes
    }

    /// End and class of the pretoken that starts at `start`, which is inside the text.
    pub(super) fn pretoken_at(&self, text: &[u8], start: usize) -> (usize, PretokenClass) {
        let first = self.classes.character_at(text, start);
        let mut end = start + first.len;
        if first.kind == CharKind::Space {
            let end = self.classes.run_end(text, end, CharClass::Space);
            return (end, PretokenClass::Whitespace);
        }
        let mut all_letters = first.kind.class() == CharClass::Letter;
        while !stands_alone(first) {
            end = ascii_letters_end(text, end);
            if end == text.len() {
                break;
            }
            let character = self.classes.character_at(text, end);
            if character.kind == CharKind::Space || stands_alone(character) {
                break;
            }
            all_letters &= character.kind.class() == CharClass::Letter;
            end += character.len;
        }
        let class = match all_letters {
            true => PretokenClass::Letters,
            false => PretokenClass::Other,
        };
        (end, class)
    }
}
