//! Character classes of a pinned Unicode version, from one generated table that the Python twins
//! read too. A different version cuts text differently, so the version is part of every artifact.

use std::sync::OnceLock;

use crate::error::{Error, Result};

/// The generated table: `start end category since until`, one run of code points a line.
pub const TABLE: &str = include_str!("../../data/unicode_general_category.tsv");

/// What the patterns ask of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CharClass {
    /// Neither letter, number nor white space; also every byte of ill-formed UTF-8.
    Other = 0,
    /// `\p{L}`.
    Letter = 1,
    /// `\p{N}`.
    Number = 2,
    /// `\s`: the property White_Space.
    Space = 3,
}

/// What the patterns that look closer ask of a character: general categories, in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharKind {
    /// `\p{Lu}` and `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`.
    Uncased,
    /// `\p{N}`.
    Number,
    /// `\s`: the property White_Space.
    Space,
    /// `\p{M}`.
    Mark,
    /// `\p{P}`.
    Punctuation,
    /// `\p{S}`.
    Symbol,
    /// Controls, formats, private use, unassigned; also every byte of ill-formed UTF-8.
    Rest,
}

impl CharKind {
    /// The class that this kind is part of.
    #[must_use]
    pub const fn class(self) -> CharClass {
        match self {
            Self::Upper | Self::Lower | Self::Uncased => CharClass::Letter,
            Self::Number => CharClass::Number,
            Self::Space => CharClass::Space,
            Self::Mark | Self::Punctuation | Self::Symbol | Self::Rest => CharClass::Other,
        }
    }
}

/// One character of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Character {
    /// Its kind.
    pub kind: CharKind,
    /// Its code point; `None` for a byte of ill-formed UTF-8.
    pub code_point: Option<u32>,
    /// Its length in bytes.
    pub len: usize,
}

/// Classes of ASCII, the same in every Unicode version; `None` for the bytes of longer sequences.
const ASCII_CLASSES: [Option<CharClass>; 256] = ascii_classes();

const fn ascii_classes() -> [Option<CharClass>; 256] {
    let mut classes = [None; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        classes[byte as usize] = Some(match byte {
            b'a'..=b'z' | b'A'..=b'Z' => CharClass::Letter,
            b'0'..=b'9' => CharClass::Number,
            0x09..=0x0D | 0x20 => CharClass::Space,
            _ => CharClass::Other,
        });
        byte += 1;
    }
    classes
}

/// Kinds of ASCII, the same in every Unicode version; `None` for the bytes of longer sequences.
const ASCII_KINDS: [Option<CharKind>; 256] = ascii_kinds();

const fn ascii_kinds() -> [Option<CharKind>; 256] {
    let mut kinds = [None; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        kinds[byte as usize] = Some(match byte {
            b'A'..=b'Z' => CharKind::Upper,
            b'a'..=b'z' => CharKind::Lower,
            b'0'..=b'9' => CharKind::Number,
            0x09..=0x0D | 0x20 => CharKind::Space,
            b'$' | b'+' | b'<'..=b'>' | b'^' | b'`' | b'|' | b'~' => CharKind::Symbol,
            b'!'..=b'/' | b':'..=b'@' | b'['..=b'_' | b'{'..=b'}' => CharKind::Punctuation,
            _ => CharKind::Rest,
        });
        byte += 1;
    }
    kinds
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// How many bytes from the low end on are ASCII letters.
#[inline]
fn leading_letters(eight: u64) -> usize {
    leading_lower(eight | (0x20 * ONES))
}

/// How many bytes from the low end on are ASCII letters in lower case.
#[inline]
fn leading_lower(eight: u64) -> usize {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Bytes without their high bits; adding carries into the high bit, never beyond.
    let low = eight & !HIGH;
    let from_a = low + (0x80 - u64::from(b'a')) * ONES;
    let beyond_z = low + (0x7F - u64::from(b'z')) * ONES;
    let letters = from_a & !beyond_z & !eight & HIGH;
    ((!letters & HIGH).trailing_zeros() / 8) as usize
}

const CLASS_BITS: u8 = 0b11;
const PRINTABLE: u8 = 0b100;
/// Tells the kinds of one class apart.
const DETAIL_SHIFT: u8 = 3;
const BLOCK: usize = 256;
const NUM_CODE_POINTS: usize = 0x11_0000;

/// White_Space: the same 25 code points in every version in the table.
const WHITE_SPACE: [(u32, u32); 10] = [
    (0x09, 0x0D),
    (0x20, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
];

/// Classes by code point, in shared blocks of 256.
#[derive(Debug)]
pub struct UnicodeClasses {
    version: &'static str,
    block_of: Vec<u16>,
    blocks: Vec<u8>,
}

/// The versions in the table, oldest first.
pub fn versions() -> &'static [&'static str] {
    static VERSIONS: OnceLock<Vec<&'static str>> = OnceLock::new();
    VERSIONS.get_or_init(|| {
        TABLE
            .lines()
            .find_map(|line| line.strip_prefix("# versions: "))
            .map(|versions| versions.split_whitespace().collect())
            .unwrap_or_default()
    })
}

/// The newest version in the table: the default everywhere.
pub fn newest_version() -> &'static str {
    versions().last().copied().unwrap_or_default()
}

impl UnicodeClasses {
    /// The classes of a version, built on first use (about a millisecond) and kept. Built before
    /// anything is locked, so that a fork meanwhile leaves no child waiting.
    ///
    /// # Errors
    /// [`Error::UnicodeVersion`] for a version that is not in the table.
    pub fn of_version(version: &str) -> Result<&'static Self> {
        static CLASSES: OnceLock<Vec<OnceLock<UnicodeClasses>>> = OnceLock::new();
        let index = versions()
            .iter()
            .position(|&known| known == version)
            .ok_or_else(|| Error::UnicodeVersion {
                version: version.to_owned(),
                known: versions().join(", "),
            })?;
        let all = CLASSES.get_or_init(|| versions().iter().map(|_| OnceLock::new()).collect());
        if let Some(classes) = all[index].get() {
            return Ok(classes);
        }
        let built = Self::build(index);
        Ok(all[index].get_or_init(|| built))
    }

    fn build(version_index: usize) -> Self {
        let mut flat = vec![0_u8; NUM_CODE_POINTS];
        for row in TABLE.lines().filter(|line| !line.starts_with('#')) {
            if let Some((start, end, bits)) = parse_row(row, version_index) {
                flat[start..=end].fill(bits);
            }
        }
        for (start, end) in WHITE_SPACE {
            for bits in &mut flat[start as usize..=end as usize] {
                *bits = (*bits & PRINTABLE) | CharClass::Space as u8;
            }
        }
        let mut block_of = Vec::with_capacity(NUM_CODE_POINTS / BLOCK);
        let mut blocks: Vec<u8> = Vec::new();
        for block in flat.chunks_exact(BLOCK) {
            let found = blocks.chunks_exact(BLOCK).position(|known| known == block);
            let index = found.unwrap_or_else(|| {
                blocks.extend_from_slice(block);
                blocks.len() / BLOCK - 1
            });
            block_of.push(index as u16);
        }
        Self {
            version: versions()[version_index],
            block_of,
            blocks,
        }
    }

    /// The version these classes are of.
    #[must_use]
    pub fn version(&self) -> &'static str {
        self.version
    }

    fn bits(&self, code_point: u32) -> u8 {
        let code_point = code_point as usize;
        self.block_of.get(code_point / BLOCK).map_or(0, |&block| {
            self.blocks[usize::from(block) * BLOCK + code_point % BLOCK]
        })
    }

    /// The class of a code point.
    #[must_use]
    pub fn class(&self, code_point: u32) -> CharClass {
        class_of_bits(self.bits(code_point))
    }

    /// The kind of a code point.
    #[must_use]
    pub fn kind(&self, code_point: u32) -> CharKind {
        let bits = self.bits(code_point);
        match (class_of_bits(bits), bits >> DETAIL_SHIFT) {
            (CharClass::Letter, 1) => CharKind::Upper,
            (CharClass::Letter, 2) => CharKind::Lower,
            (CharClass::Letter, _) => CharKind::Uncased,
            (CharClass::Number, _) => CharKind::Number,
            (CharClass::Space, _) => CharKind::Space,
            (CharClass::Other, 1) => CharKind::Mark,
            (CharClass::Other, 2) => CharKind::Punctuation,
            (CharClass::Other, 3) => CharKind::Symbol,
            (CharClass::Other, _) => CharKind::Rest,
        }
    }

    /// Python's `str.isprintable` for one code point, on this Unicode version.
    #[must_use]
    pub fn is_printable(&self, code_point: u32) -> bool {
        self.bits(code_point) & PRINTABLE != 0
    }

    /// Class and length in bytes of the character at `at`, which must be inside `text`. A byte
    /// that belongs to no well-formed UTF-8 sequence is one character of class other.
    #[inline]
    #[must_use]
    pub fn class_at(&self, text: &[u8], at: usize) -> (CharClass, usize) {
        match ASCII_CLASSES[usize::from(text[at])] {
            Some(class) => (class, 1),
            None => self.multibyte_class_at(text, at),
        }
    }

    /// The character at `at`, which must be inside `text`, as [`class_at`](Self::class_at) sees it.
    #[inline]
    #[must_use]
    pub fn character_at(&self, text: &[u8], at: usize) -> Character {
        let byte = text[at];
        match ASCII_KINDS[usize::from(byte)] {
            Some(kind) => Character {
                kind,
                code_point: Some(u32::from(byte)),
                len: 1,
            },
            None => self.multibyte_character_at(text, at),
        }
    }

    #[inline(never)]
    fn multibyte_character_at(&self, text: &[u8], at: usize) -> Character {
        match decode_multibyte(&text[at..]) {
            Some((code_point, len)) => Character {
                kind: self.kind(code_point),
                code_point: Some(code_point),
                len,
            },
            None => Character {
                kind: CharKind::Rest,
                code_point: None,
                len: 1,
            },
        }
    }

    #[inline(never)]
    fn multibyte_class_at(&self, text: &[u8], at: usize) -> (CharClass, usize) {
        match decode_multibyte(&text[at..]) {
            Some((code_point, len)) => (self.class(code_point), len),
            None => (CharClass::Other, 1),
        }
    }

    /// The class of the character that ends at `at`; `None` at the start of the text.
    #[must_use]
    pub fn class_before(&self, text: &[u8], at: usize) -> Option<CharClass> {
        let byte = *text[..at].last()?;
        if let Some(class) = ASCII_CLASSES[usize::from(byte)] {
            return Some(class);
        }
        // UTF-8 is self-synchronizing: the character is known from its own bytes.
        let decoded = (2..=at.min(4)).find_map(|len| {
            let (code_point, decoded) = decode_multibyte(&text[at - len..at])?;
            (decoded == len).then(|| self.class(code_point))
        });
        Some(decoded.unwrap_or(CharClass::Other))
    }

    /// Where the run of characters of this class ends, from `at` on.
    #[inline]
    #[must_use]
    pub fn run_end(&self, text: &[u8], mut at: usize, class: CharClass) -> usize {
        while let Some(&byte) = text.get(at) {
            match ASCII_CLASSES[usize::from(byte)] {
                Some(found) if found == class => at += 1,
                Some(_) => break,
                None => match self.multibyte_class_at(text, at) {
                    (found, len) if found == class => at += len,
                    _ => break,
                },
            }
        }
        at
    }

    /// [`run_end`](Self::run_end) for letters, eight ASCII bytes at a time: most words end within
    /// the first eight, so no branch depends on the length of a word.
    #[inline]
    #[must_use]
    pub fn letters_end(&self, text: &[u8], mut at: usize) -> usize {
        loop {
            let Some(window) = text.get(at..at + 8) else {
                return self.run_end(text, at, CharClass::Letter);
            };
            let mut eight = [0; 8];
            eight.copy_from_slice(window);
            let run = leading_letters(u64::from_le_bytes(eight));
            at += run;
            if run < 8 {
                return match text[at] {
                    0..0x80 => at,
                    _ => self.run_end(text, at, CharClass::Letter),
                };
            }
        }
    }
}

/// Where the run of ASCII letters ends, from `at` on, eight bytes at a time.
#[inline]
#[must_use]
pub(super) fn ascii_letters_end(text: &[u8], at: usize) -> usize {
    ascii_run_end(text, at, leading_letters)
}

/// [`ascii_letters_end`] for letters in lower case.
#[inline]
#[must_use]
pub(super) fn ascii_lower_end(text: &[u8], at: usize) -> usize {
    ascii_run_end(text, at, leading_lower)
}

#[inline]
fn ascii_run_end(text: &[u8], mut at: usize, leading: impl Fn(u64) -> usize) -> usize {
    loop {
        // Behind the end of the text stand zeros, which are no letters.
        let mut eight = [0; 8];
        match text.get(at..at + 8) {
            Some(window) => eight.copy_from_slice(window),
            None => {
                let rest = text.get(at..).unwrap_or_default();
                eight[..rest.len()].copy_from_slice(rest);
            }
        }
        let run = leading(u64::from_le_bytes(eight));
        at += run;
        if run < 8 {
            return at;
        }
    }
}

#[inline]
fn class_of_bits(bits: u8) -> CharClass {
    match bits & CLASS_BITS {
        1 => CharClass::Letter,
        2 => CharClass::Number,
        3 => CharClass::Space,
        _ => CharClass::Other,
    }
}

/// A row that holds in the given version, as (start, end, bits for class, kind and printable).
fn parse_row(row: &str, version_index: usize) -> Option<(usize, usize, u8)> {
    let mut fields = row.split('\t');
    let start = usize::from_str_radix(fields.next()?, 16).ok()?;
    let end = usize::from_str_radix(fields.next()?, 16).ok()?;
    let category = fields.next()?;
    let index_of = |version: &str| versions().iter().position(|&known| known == version);
    let since = index_of(fields.next()?)?;
    let until = fields.next()?;
    let until = if until == "-" {
        usize::MAX
    } else {
        index_of(until)?
    };
    if version_index < since || version_index > until || end >= NUM_CODE_POINTS {
        return None;
    }
    let class = match category.as_bytes().first()? {
        b'L' => CharClass::Letter,
        b'N' => CharClass::Number,
        _ => CharClass::Other,
    };
    let detail = match category {
        "Lu" | "Lt" | "Mn" | "Mc" | "Me" => 1,
        "Ll" => 2,
        _ if category.starts_with('P') => 2,
        _ if category.starts_with('S') => 3,
        _ => 0,
    };
    let printable = match category {
        "Cc" | "Cf" | "Cs" | "Co" | "Cn" | "Zl" | "Zp" => false,
        "Zs" => start == 0x20,
        _ => true,
    };
    Some((
        start,
        end,
        class as u8 | detail << DETAIL_SHIFT | if printable { PRINTABLE } else { 0 },
    ))
}

/// The code point at the start of `bytes` and its length, if a well-formed sequence of two to four
/// bytes stands there (RFC 3629: no overlong forms, no surrogates, nothing above 10FFFF).
#[inline]
#[must_use]
pub fn decode_multibyte(bytes: &[u8]) -> Option<(u32, usize)> {
    let continuation = |at: usize, low: u8, high: u8| {
        bytes
            .get(at)
            .filter(|&&byte| low <= byte && byte <= high)
            .map(|&byte| u32::from(byte & 0x3F))
    };
    let first = *bytes.first()?;
    match first {
        0xC2..=0xDF => {
            let b = continuation(1, 0x80, 0xBF)?;
            Some((u32::from(first & 0x1F) << 6 | b, 2))
        }
        0xE0..=0xEF => {
            let (low, high) = match first {
                0xE0 => (0xA0, 0xBF),
                0xED => (0x80, 0x9F),
                _ => (0x80, 0xBF),
            };
            let b = continuation(1, low, high)?;
            let c = continuation(2, 0x80, 0xBF)?;
            Some((u32::from(first & 0x0F) << 12 | b << 6 | c, 3))
        }
        0xF0..=0xF4 => {
            let (low, high) = match first {
                0xF0 => (0x90, 0xBF),
                0xF4 => (0x80, 0x8F),
                _ => (0x80, 0xBF),
            };
            let b = continuation(1, low, high)?;
            let c = continuation(2, 0x80, 0xBF)?;
            let d = continuation(3, 0x80, 0xBF)?;
            Some((u32::from(first & 0x07) << 18 | b << 12 | c << 6 | d, 4))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multibyte_decoding_agrees_with_the_standard_library_on_every_character() {
        let mut buffer = [0_u8; 4];
        for c in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            let bytes = c.encode_utf8(&mut buffer).as_bytes();
            assert_eq!(decode_multibyte(bytes), Some((u32::from(c), bytes.len())));
        }
    }

    #[test]
    fn ascii_classes_are_those_of_the_table_in_every_version() {
        for version in versions() {
            let classes = UnicodeClasses::of_version(version).unwrap();
            for byte in 0..0x80_u8 {
                let expected = Some(classes.class(u32::from(byte)));
                assert_eq!(ASCII_CLASSES[usize::from(byte)], expected);
                let expected = Some(classes.kind(u32::from(byte)));
                assert_eq!(ASCII_KINDS[usize::from(byte)], expected, "{byte}");
            }
        }
    }

    #[test]
    fn letters_are_counted_in_any_place_of_eight_bytes() {
        for byte in 0..=255_u8 {
            for place in 0..8 {
                let mut eight = *b"aZbYcXdW";
                eight[place] = byte;
                let expected = if byte.is_ascii_alphabetic() { 8 } else { place };
                assert_eq!(leading_letters(u64::from_le_bytes(eight)), expected);
                let eight = eight.map(|b| if b == byte { b } else { b.to_ascii_lowercase() });
                let expected = if byte.is_ascii_lowercase() { 8 } else { place };
                if !byte.is_ascii_uppercase() {
                    assert_eq!(leading_lower(u64::from_le_bytes(eight)), expected);
                }
            }
        }
    }

    #[test]
    fn kinds_are_parts_of_classes() {
        for version in versions() {
            let classes = UnicodeClasses::of_version(version).unwrap();
            for code_point in 0..=0x10_FFFF {
                assert_eq!(classes.kind(code_point).class(), classes.class(code_point));
            }
        }
    }

    #[test]
    fn ill_formed_sequences_are_refused() {
        for bytes in [
            &b"\x80"[..],
            b"\xC0\x80",
            b"\xC1\xBF",
            b"\xE0\x9F\xBF",
            b"\xED\xA0\x80",
            b"\xF0\x8F\xBF\xBF",
            b"\xF4\x90\x80\x80",
            b"\xF5\x80\x80\x80",
            b"\xE2\x82",
            b"\xC3",
            b"",
        ] {
            assert_eq!(decode_multibyte(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn letters_of_later_versions_are_not_letters_in_earlier_ones() {
        // U+11F04 KAWI LETTER A came with Unicode 15.0.
        let at = |version| UnicodeClasses::of_version(version).map(|c| c.class(0x1_1F04));
        assert!(matches!(at("14.0"), Ok(CharClass::Other)));
        assert!(matches!(at("15.0"), Ok(CharClass::Letter)));
    }

    #[test]
    fn white_space_is_the_unicode_property_and_not_pythons_isspace() {
        let Ok(classes) = UnicodeClasses::of_version(newest_version()) else {
            panic!("the newest version is in the table");
        };
        let spaces = (0..=0x10_FFFF).filter(|&c| classes.class(c) == CharClass::Space);
        assert_eq!(spaces.count(), 25);
        assert_eq!(classes.class(0x1C), CharClass::Other);
        assert_eq!(classes.class(0x0300), CharClass::Other);
    }
}
