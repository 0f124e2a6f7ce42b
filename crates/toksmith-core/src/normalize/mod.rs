//! Text → text, with a map back to the source. The default changes nothing; every stage, this one
//! too, hands on where each byte came from, so that offsets always speak of the source.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

mod identity;

/// Which normalizer runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalizer {
    /// Nothing is changed.
    #[default]
    Identity,
}

/// A text after normalization.
#[derive(Debug)]
pub struct Normalized<'t> {
    /// The bytes the next stage sees.
    pub bytes: Cow<'t, [u8]>,
    /// Where they came from.
    pub offsets: OffsetMap,
}

/// Places in the normalized text → places in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OffsetMap {
    /// Every byte stands where it stood.
    Identity,
}

impl OffsetMap {
    /// The span of the source that a span of the normalized text came from, in bytes.
    #[must_use]
    pub fn source_span(&self, start: usize, end: usize) -> (usize, usize) {
        match self {
            Self::Identity => (start, end),
        }
    }
}

impl Normalizer {
    /// Normalizes one text. Cost: none for identity, which borrows.
    #[must_use]
    pub fn normalize<'t>(&self, text: &'t [u8]) -> Normalized<'t> {
        match self {
            Self::Identity => identity::normalize(text),
        }
    }

    /// True when the source can be had back from the normalized text.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        match self {
            Self::Identity => true,
        }
    }

    /// The name users type.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Identity => "identity",
        }
    }
}
