//! The small types every room speaks in.

/// An index into the vocabulary. Special tokens come last.
pub type TokenId = u32;

/// The place of a merge in training order: smaller merges first. Not a [`TokenId`]: a merge that
/// spells an existing token has a rank of its own and no new id.
pub type Rank = u32;

/// How often something occurred. 64 bits: a 32-bit count overflows above about 100 GB of text.
pub type Count = u64;

/// One unit of a marked word: `byte + 256 * lead + 512 * trail`, so always below 1024.
pub type Symbol = u16;

/// The two boundary marks of a token, a word or a symbol.
///
/// Only the implicit-space boundaries ever set them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Marks(u8);

impl Marks {
    /// No mark: what space-prefix models use throughout.
    pub const NONE: Self = Self(0);

    /// Both marks: the last in the order of marks.
    pub(crate) const ALL: Self = Self(3);

    /// Marks from the two flags.
    #[must_use]
    pub const fn new(lead: bool, trail: bool) -> Self {
        Self(lead as u8 | (trail as u8) << 1)
    }

    /// No space before this token (shown `#tok`).
    #[must_use]
    pub const fn lead(self) -> bool {
        self.0 & 1 != 0
    }

    /// No space after this token (shown `tok#`).
    #[must_use]
    pub const fn trail(self) -> bool {
        self.0 & 2 != 0
    }

    /// `lead + 2 * trail`, below 4.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// The symbol of one byte with its marks.
#[must_use]
pub const fn symbol(byte: u8, marks: Marks) -> Symbol {
    byte as Symbol | (marks.bits() as Symbol) << 8
}

/// The byte and the marks of a symbol; the inverse of [`symbol`].
#[must_use]
pub const fn symbol_parts(symbol: Symbol) -> (u8, Marks) {
    ((symbol & 0xFF) as u8, Marks(((symbol >> 8) & 0b11) as u8))
}

/// Appends the symbols of one word: `lead` on the first byte, `trail` on the last, every byte after
/// the first with lead 1 where marks are in use, every byte before the last with trail 0.
///
/// `marked` is false for boundaries that use no marks at all; then every symbol is its byte.
pub fn push_symbols(bytes: &[u8], marks: Marks, marked: bool, out: &mut Vec<Symbol>) {
    if !marked {
        out.extend(bytes.iter().map(|&byte| Symbol::from(byte)));
        return;
    }
    let last = bytes.len().saturating_sub(1);
    out.extend(bytes.iter().enumerate().map(|(at, &byte)| {
        symbol(
            byte,
            Marks::new(at > 0 || marks.lead(), at == last && marks.trail()),
        )
    }));
}

/// The six ASCII whitespace bytes, and nothing else: 1C–1F and NBSP are not among them.
///
/// A decoder writes no implicit space after a token that ends in one of these, so it must be
/// decidable from a single byte (spec: implicit spaces, section 5).
#[must_use]
pub const fn is_ascii_whitespace(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0B | 0x0C | b'\r' | b' ')
}
