//! The one error type of the core: data in its variants, a sentence for people in `Display`.

use std::path::PathBuf;

use crate::types::TokenId;

/// What can go wrong, with the value, the bound and the place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting that does not exist, or a value it cannot take.
    #[error("unknown {setting} {value:?}; known: {known}")]
    UnknownSetting {
        /// Which setting.
        setting: &'static str,
        /// What was given.
        value: String,
        /// What could have been given, comma separated.
        known: String,
    },
    /// A value that exists, but not in this build of the library.
    #[error(
        "{setting} {value:?} is not in this build of toksmith: build it from source with the \
         cargo feature {feature:?} (`maturin build --release --features {feature}`)"
    )]
    NotBuilt {
        /// Which setting.
        setting: &'static str,
        /// What was asked for.
        value: &'static str,
        /// The cargo feature that brings it.
        feature: &'static str,
    },
    /// Settings that do not parse (an unknown field, a wrong type).
    #[error("setting {reason}")]
    Settings {
        /// What the parser says; it names the field and lists the known ones.
        reason: String,
    },
    /// Settings that exist but make no sense together.
    #[error("{what}")]
    Incompatible {
        /// A full sentence.
        what: String,
    },
    /// A vocabulary that cannot hold what is pinned in it.
    #[error(
        "vocab_size is {vocab_size}, but the alphabet of {boundary} needs {alphabet} \
         and the added tokens {special}: at least {}", alphabet + special
    )]
    VocabTooSmall {
        /// The size asked for.
        vocab_size: usize,
        /// The boundary that fixes the alphabet.
        boundary: &'static str,
        /// Symbols pinned before training.
        alphabet: usize,
        /// Number of added tokens.
        special: usize,
    },
    /// A vocabulary larger than token ids can number.
    #[error("vocab_size is {vocab_size}; the largest supported is {max}")]
    VocabTooLarge {
        /// The size asked for.
        vocab_size: usize,
        /// The bound.
        max: usize,
    },
    /// Words that do not give as many tokens as were asked for, where that is an error.
    #[error(
        "vocab_size is {vocab_size}, but training stopped at {most} ({reason}): with these words and \
         settings it can be from {least}, which the alphabet and the added tokens take, to {most}"
    )]
    VocabNotReached {
        /// The size asked for.
        vocab_size: usize,
        /// Ids of the alphabet and of the added tokens.
        least: usize,
        /// Ids where training stopped. Scaffold-BPE, which takes ids back as it goes on, may reach a
        /// few more on its way.
        most: usize,
        /// Why it stopped.
        reason: &'static str,
    },
    /// Nothing to train on.
    #[error("no words to train on: the corpus is empty")]
    EmptyCorpus,
    /// More data than the trainer's tables can number.
    #[error("{what} is {value}; the limit is {max}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its value.
        value: u128,
        /// The bound.
        max: u128,
    },
    /// A regular expression that does not compile.
    #[error("pattern {pattern:?} does not compile: {reason}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What the engine says.
        reason: String,
    },
    /// A regular expression that gave up on a text.
    #[error("pattern {pattern:?} gave up at byte {at} of the text: {reason}")]
    PatternRun {
        /// The pattern as given.
        pattern: String,
        /// Where it started.
        at: usize,
        /// What the engine says.
        reason: String,
    },
    /// A Unicode version that the table does not hold.
    #[error("Unicode version {version:?} is not in the table; known: {known}")]
    UnicodeVersion {
        /// What was asked for.
        version: String,
        /// The versions in the table.
        known: String,
    },
    /// Word counts that were made in different ways cannot be added up.
    #[error(
        "word counts differ in {field}: {left:?} and {right:?}; only counts made the same way can be merged"
    )]
    Provenance {
        /// The first field that differs.
        field: &'static str,
        /// Its value on the left.
        left: String,
        /// Its value on the right.
        right: String,
    },
    /// A count that no longer fits 64 bits.
    #[error("the count of word {word:?} exceeds 64 bits")]
    CountOverflow {
        /// The word, as displayed.
        word: String,
    },
    /// An id outside the vocabulary, or one that no token has.
    #[error(
        "token id {id} at position {at} is not in the vocabulary ({} 0 to {})",
        match usize::try_from(*id) {
            Ok(id) if id < *vocab_size => "no token has it; ids lie from",
            _ => "ids are",
        },
        vocab_size.saturating_sub(1)
    )]
    UnknownTokenId {
        /// The id; wider than [`TokenId`] so that what a caller gave can be named.
        id: i128,
        /// Its position in the sequence.
        at: usize,
        /// The largest id + 1.
        vocab_size: usize,
    },
    /// A symbol that no token spells.
    #[error("byte {byte:#04x} of the word is in no token of the vocabulary")]
    UncoveredSymbol {
        /// The byte.
        byte: u8,
    },
    /// A special token that was asked for by name but does not exist.
    #[error("special token {name:?} is not in this tokenizer; it has: {known}")]
    UnknownSpecial {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// An added token that cannot be.
    #[error("added token {name:?} {reason}")]
    BadSpecial {
        /// The token's text.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// An added token with an id that it cannot have.
    #[error(
        "added token {name:?} has id {id}, but it must be from {least} to {most}: ids ascend after \
         those of the model, and few may be left out"
    )]
    AddedTokenId {
        /// The token's text.
        name: String,
        /// The id it states.
        id: u64,
        /// The id after those before it.
        least: u64,
        /// The largest it may have.
        most: u64,
    },
    /// A template that cannot be, or that lacks what is asked of it.
    #[error("template {place}: {reason}")]
    Template {
        /// The form, and the piece where one is at fault.
        place: String,
        /// Why not.
        reason: String,
    },
    /// A maximum length that the special tokens alone exceed.
    #[error(
        "max_length is {max_length}, but the template's {form} form alone adds {num_special} special tokens"
    )]
    MaxLength {
        /// What was asked for.
        max_length: usize,
        /// For one text or for a pair.
        form: &'static str,
        /// Special tokens that it adds.
        num_special: usize,
    },
    /// Windows that would not move on.
    #[error(
        "stride is {stride}, but a window has room for {kept} of the ids of {of} \
         (max_length {max_length}, {num_special} of it special tokens): {}",
        match kept.checked_sub(1) {
            Some(largest) => format!("the largest stride is {largest}"),
            None => "max_length must be larger".to_owned(),
        }
    )]
    Stride {
        /// What was asked for.
        stride: usize,
        /// Ids of the text in a window; the stride must be below.
        kept: usize,
        /// Which text.
        of: String,
        /// Ids a row.
        max_length: usize,
        /// Special tokens among them.
        num_special: usize,
    },
    /// A text that alone may be cut, where that is not enough.
    #[error(
        "{text} cannot be cut to fit: {other} has {other_len} ids, which with {num_special} special \
         tokens leave nothing of max_length {max_length} (truncation {strategy:?})"
    )]
    CannotTruncate {
        /// The strategy.
        strategy: &'static str,
        /// The text that may be cut.
        text: String,
        /// The other one.
        other: String,
        /// Its ids.
        other_len: usize,
        /// Special tokens that the template adds.
        num_special: usize,
        /// Ids a row.
        max_length: usize,
    },
    /// More ids than one call may give out.
    #[error(
        "these settings give {num_ids} ids at once, padding and overlaps counted in; the limit is {max}"
    )]
    TooManyIds {
        /// How many, or as many as can be numbered.
        num_ids: usize,
        /// The bound.
        max: usize,
    },
    /// A file that is not what it should be.
    #[error("{format} does not parse at {place}: {reason}")]
    Format {
        /// The format that was tried.
        format: &'static str,
        /// Line, field or byte.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// A file in no format that is read here.
    #[error("unknown format: it begins with {begins}; known: {known}")]
    UnknownFormat {
        /// The first bytes, as text.
        begins: String,
        /// The formats there are and how they begin.
        known: &'static str,
    },
    /// A file that does not say how text is cut, which cannot be guessed.
    #[error(
        "{format} do not say how text is cut, and these {num_tokens} tokens are those of no known \
         encoding ({encodings}): give a pretokenizer, one of {pretokenizers}, or a regular expression"
    )]
    PretokenizerNeeded {
        /// The format.
        format: &'static str,
        /// Tokens in the file.
        num_tokens: usize,
        /// Encodings whose pretokenizer is known.
        encodings: String,
        /// Pretokenizers with a name.
        pretokenizers: String,
    },
    /// A file written by a later version.
    #[error("{format} has version {found}; this toksmith reads up to {supported}")]
    FormatVersion {
        /// The format.
        format: &'static str,
        /// The version in the file.
        found: u64,
        /// The newest version this build reads.
        supported: u64,
    },
    /// A tokenizer file whose content is not what its hash says.
    #[error(
        "the tokenizer file was changed after it was written: its content hash is {found}, the file says {stated}"
    )]
    ContentHash {
        /// The hash of what was read.
        found: String,
        /// The hash in the file.
        stated: String,
    },
    /// A tokenizer that no longer encodes its self-test as it did when it was written.
    #[error(
        "self-test {index} gives {}, but the file says {} (text {text:?})",
        ids_or_none(found),
        ids_or_none(stated)
    )]
    SelfTest {
        /// Which of the texts.
        index: usize,
        /// The text, lossily.
        text: String,
        /// Ids now; `None` where a custom pattern gives up.
        found: Option<Vec<TokenId>>,
        /// Ids in the file.
        stated: Option<Vec<TokenId>>,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The operating system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn ids_or_none(ids: &Option<Vec<TokenId>>) -> String {
    match ids {
        Some(ids) => format!("{ids:?}"),
        None => "no ids".to_owned(),
    }
}

/// The core's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;
