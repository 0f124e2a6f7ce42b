//! A rule for digits, applied inside each pretoken after the pattern has cut.
//!
//! A digit is `\p{N}`, as in the patterns and in `tokenizers`' `Digits`: the general categories Nd,
//! Nl and No. Each group of a run is a pretoken; so is what stands before and after the run. One
//! space that begins the pretoken and stands before a digit stays with the first group.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

use super::unicode::{CharClass, UnicodeClasses};
use super::{Pretoken, PretokenClass, class_of_span};

/// Digits of the largest group.
const MAX_GROUP: usize = 9;

/// How the digits of a number are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DigitRule {
    /// Each digit by itself.
    Single,
    /// Groups of so many digits, counted from the left: the last group may be shorter.
    Left(usize),
    /// Groups of so many digits, counted from the right: the first group may be shorter.
    Right(usize),
}

impl DigitRule {
    /// All rules, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::once(Self::Single)
            .chain((1..=MAX_GROUP).map(Self::Left))
            .chain((1..=MAX_GROUP).map(Self::Right))
    }

    /// The name users type: `single`, `left-3`, `right-3`.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Single => "single".to_owned(),
            Self::Left(size) => format!("left-{size}"),
            Self::Right(size) => format!("right-{size}"),
        }
    }

    /// The rule of that name.
    ///
    /// # Errors
    /// [`Error::UnknownSetting`] with the list of names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::all()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| Error::UnknownSetting {
                setting: "digits",
                value: name.to_owned(),
                known: format!("single, left-N, right-N (N from 1 to {MAX_GROUP})"),
            })
    }

    /// Digits of the first group and of each later one, for a run of `num_digits`.
    fn sizes(self, num_digits: usize) -> (usize, usize) {
        match self {
            Self::Single => (1, 1),
            Self::Left(size) => (size, size),
            Self::Right(size) => match num_digits % size {
                0 => (size, size),
                shorter => (shorter, size),
            },
        }
    }

    /// Cuts one pretoken. Linear.
    pub(super) fn cut(
        self,
        text: &[u8],
        pretoken: Pretoken,
        classes: &UnicodeClasses,
        emit: &mut dyn FnMut(Pretoken) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if pretoken.class != PretokenClass::Other {
            return emit(pretoken);
        }
        // No character may be read beyond the pretoken's end.
        let text = &text[..pretoken.end];
        let mut start = pretoken.start;
        let mut at = start;
        let leading_space = text[start] == b' ';
        while at < text.len() {
            let (class, len) = classes.class_at(text, at);
            if class != CharClass::Number {
                at += len;
                continue;
            }
            if start < at && !(leading_space && at == pretoken.start + 1) {
                let class = class_of_span(classes, &text[start..at]);
                emit(Pretoken {
                    start,
                    end: at,
                    class,
                })?;
                start = at;
            }
            let run_end = classes.run_end(text, at, CharClass::Number);
            let (mut left, size) = self.sizes(num_characters(&text[at..run_end]));
            while at < run_end {
                at += classes.class_at(text, at).1;
                left -= 1;
                if left == 0 || at == run_end {
                    emit(Pretoken {
                        start,
                        end: at,
                        class: PretokenClass::Other,
                    })?;
                    (start, left) = (at, size);
                }
            }
        }
        if start < text.len() {
            let class = class_of_span(classes, &text[start..]);
            emit(Pretoken {
                start,
                end: text.len(),
                class,
            })?;
        }
        ControlFlow::Continue(())
    }
}

/// Characters of well-formed UTF-8.
fn num_characters(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

impl TryFrom<String> for DigitRule {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        Self::from_name(&name)
    }
}

impl From<DigitRule> for String {
    fn from(rule: DigitRule) -> Self {
        rule.name()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pretokenizer, PretokenizerSettings};
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str, pattern: &str, digits: Option<DigitRule>) -> Vec<String> {
        let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
            pattern: pattern.to_owned(),
            unicode: None,
            digits,
        })
        .unwrap_or_else(|error| panic!("{error}"));
        let mut parts = Vec::new();
        let done = pretokenizer.for_each(text.as_bytes(), |pretoken| {
            let Pretoken { start, end, class } = pretoken;
            let classes = pretokenizer.classes();
            assert_eq!(class, class_of_span(classes, &text.as_bytes()[start..end]));
            parts.push(text[start..end].to_owned());
            ControlFlow::Continue(())
        });
        assert!(done.is_ok());
        parts
    }

    fn num_digits(part: &str) -> usize {
        part.chars().filter(|c| c.is_numeric()).count()
    }

    #[test]
    fn names_are_read_back_and_others_are_refused_with_the_known_ones() {
        for rule in DigitRule::all() {
            assert!(DigitRule::from_name(&rule.name()).is_ok_and(|read| read == rule));
        }
        for name in [
            "", "none", "left", "left-0", "left-10", "right-", "right-03", "Single",
        ] {
            let refused = DigitRule::from_name(name).map_err(|error| error.to_string());
            assert!(
                refused.is_err_and(|message| message.contains("right-N")),
                "{name}"
            );
        }
    }

    proptest! {
        #[test]
        fn digits_are_grouped_inside_pretokens_and_nothing_is_lost(
            text in "[ a9\u{B2}\u{663}.\u{4E2D}\n]{0,40}",
            pattern in prop::sample::select(vec!["gpt2", "cl100k", "whitespace", "none", "spaces"]),
            rule in prop::sample::select(DigitRule::all().collect::<Vec<_>>()),
        ) {
            let (size, right) = match rule {
                DigitRule::Single => (1, false),
                DigitRule::Left(size) => (size, false),
                DigitRule::Right(size) => (size, true),
            };
            let mut parts = cut(&text, pattern, Some(rule)).into_iter();
            for pretoken in cut(&text, pattern, None) {
                let mut rebuilt = String::new();
                let mut groups: Vec<usize> = Vec::new();
                while rebuilt.len() < pretoken.len() {
                    let part = parts.next().unwrap_or_default();
                    let digits = num_digits(&part);
                    prop_assert!(digits <= size);
                    let body = match rebuilt.is_empty() {
                        true => part.strip_prefix(' ').unwrap_or(&part),
                        false => &part,
                    };
                    prop_assert!(digits == 0 || digits == body.chars().count(), "{:?}", part);
                    rebuilt.push_str(&part);
                    let run_ends = !pretoken[rebuilt.len()..].starts_with(char::is_numeric);
                    groups.push(digits);
                    if digits == 0 || run_ends {
                        // All groups of a run are full but the last, or the first.
                        let full = match right {
                            true => groups.get(1..),
                            false => groups.split_last().map(|(_, full)| full),
                        };
                        if digits > 0 {
                            prop_assert!(full.unwrap_or_default().iter().all(|&n| n == size));
                        }
                        groups.clear();
                    }
                }
                prop_assert_eq!(rebuilt, pretoken);
            }
            prop_assert_eq!(parts.next(), None);
        }
    }
}
