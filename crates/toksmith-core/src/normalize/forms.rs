//! The four normalization forms of Unicode (UAX #15), by ICU4X.
//!
//! Where offsets are asked for, a text is cut before characters that start afresh, and each piece is
//! normalized by itself: a base with its marks, a syllable of Hangul. What a piece becomes came from
//! all of the piece; what is in the form already came from itself.

use std::borrow::Cow;
use std::iter::once;

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::rewrite::Rewrite;

const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfd();
const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
const COMBINING_CLASS: CanonicalCombiningClassMapBorrowed<'static> =
    CanonicalCombiningClassMapBorrowed::new();

/// Characters of combining class 0 that can become one with the character before them, first and
/// last: vowels and finals of Hangul, and length marks and vowel signs of other scripts. A test
/// holds the list against the data.
const COMBINE_BACKWARD: [(char, char); 31] = [
    ('\u{9BE}', '\u{9BE}'),
    ('\u{9D7}', '\u{9D7}'),
    ('\u{B3E}', '\u{B3E}'),
    ('\u{B56}', '\u{B57}'),
    ('\u{BBE}', '\u{BBE}'),
    ('\u{BD7}', '\u{BD7}'),
    ('\u{CC2}', '\u{CC2}'),
    ('\u{CD5}', '\u{CD6}'),
    ('\u{D3E}', '\u{D3E}'),
    ('\u{D57}', '\u{D57}'),
    ('\u{DCF}', '\u{DCF}'),
    ('\u{DDF}', '\u{DDF}'),
    ('\u{102E}', '\u{102E}'),
    ('\u{1161}', '\u{1175}'),
    ('\u{11A8}', '\u{11C2}'),
    ('\u{1B35}', '\u{1B35}'),
    ('\u{11127}', '\u{11127}'),
    ('\u{1133E}', '\u{1133E}'),
    ('\u{11357}', '\u{11357}'),
    ('\u{113B8}', '\u{113B8}'),
    ('\u{113BB}', '\u{113BB}'),
    ('\u{113C2}', '\u{113C2}'),
    ('\u{113C9}', '\u{113C9}'),
    ('\u{114B0}', '\u{114B0}'),
    ('\u{114BA}', '\u{114BA}'),
    ('\u{114BD}', '\u{114BD}'),
    ('\u{115AF}', '\u{115AF}'),
    ('\u{11930}', '\u{11930}'),
    ('\u{1611E}', '\u{16120}'),
    ('\u{16129}', '\u{16129}'),
    ('\u{16D67}', '\u{16D67}'),
];

/// Which normalization form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

impl Form {
    pub(super) fn run(self, rewrite: &mut Rewrite<'_>) {
        for chunk in rewrite.source().utf8_chunks() {
            let mut rest = chunk.valid();
            loop {
                let (normalized, other) = self.split_normalized(rest);
                rewrite.copy(normalized.len());
                if other.is_empty() {
                    break;
                }
                let len = if rewrite.has_offsets() {
                    self.first_piece(other)
                } else {
                    other.len()
                };
                rewrite.replace(len, &self.normalize(&other[..len]));
                rest = &other[len..];
            }
            rewrite.copy(chunk.invalid().len());
        }
    }

    /// The longest part at the left that is in this form, and what is normalized by itself after it.
    pub(super) fn split_normalized(self, text: &str) -> (&str, &str) {
        match self {
            Self::Nfc => NFC.split_normalized(text),
            Self::Nfd => NFD.split_normalized(text),
            Self::Nfkc => NFKC.split_normalized(text),
            Self::Nfkd => NFKD.split_normalized(text),
        }
    }

    fn normalize(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Nfc => NFC.normalize(text),
            Self::Nfd => NFD.normalize(text),
            Self::Nfkc => NFKC.normalize(text),
            Self::Nfkd => NFKD.normalize(text),
        }
    }

    /// Bytes up to the next character that starts afresh.
    pub(super) fn first_piece(self, text: &str) -> usize {
        text.char_indices()
            .skip(1)
            .find(|&(_, c)| self.starts_afresh(c))
            .map_or(text.len(), |(at, _)| at)
    }

    /// True when nothing before this character changes what becomes of it and of what follows.
    fn starts_afresh(self, c: char) -> bool {
        let decomposition = match self {
            Self::Nfc | Self::Nfd => NFD,
            Self::Nfkc | Self::Nfkd => NFKD,
        };
        let first = decomposition.normalize_iter(once(c)).next().unwrap_or(c);
        let composes = matches!(self, Self::Nfc | Self::Nfkc);
        COMBINING_CLASS.get_u8(first) == 0 && !(composes && combines_backward(first))
    }
}

fn combines_backward(c: char) -> bool {
    let at = COMBINE_BACKWARD.partition_point(|&(_, last)| last < c);
    COMBINE_BACKWARD
        .get(at)
        .is_some_and(|&(first, _)| first <= c)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};

    use super::*;

    #[test]
    fn the_characters_that_combine_backward_are_those_of_the_data() {
        let mut found = BTreeSet::new();
        for c in (0..=0x10_FFFF).filter_map(char::from_u32) {
            if let Decomposed::Expansion(_, second) =
                CanonicalDecompositionBorrowed::new().decompose(c)
                && COMBINING_CLASS.get_u8(second) == 0
                && NFC
                    .normalize(c.encode_utf8(&mut [0; 4]))
                    .chars()
                    .eq(once(c))
            {
                found.insert(second);
            }
        }
        let mut runs: Vec<(char, char)> = Vec::new();
        for c in found {
            match runs.last_mut() {
                Some((_, last)) if u32::from(*last) + 1 == u32::from(c) => *last = c,
                _ => runs.push((c, c)),
            }
        }
        assert_eq!(runs, COMBINE_BACKWARD);
    }
}
