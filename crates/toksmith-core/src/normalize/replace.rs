//! Replacing what a regular expression matches, or a fixed text.

use aho_corasick::AhoCorasick;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use crate::error::{Error, Result};

use super::rewrite::Rewrite;

/// The longest pattern: what it compiles to can be a thousand times as long.
const MAX_PATTERN_BYTES: usize = 10_000;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A regular expression.
    Pattern(String),
    /// A text, as it stands.
    Literal(String),
}

#[derive(Clone, Debug)]
enum Finder {
    Pattern(Regex),
    Literal(AhoCorasick),
}

/// Every match, from left to right, becomes `by`, which is taken as it stands.
///
/// Regular expressions run in a linear-time engine, so look-around and back-references are refused.
#[derive(Clone, Debug)]
pub(super) struct Replace {
    target: Target,
    by: String,
    finder: Finder,
}

impl PartialEq for Replace {
    fn eq(&self, other: &Self) -> bool {
        (&self.target, &self.by) == (&other.target, &other.by)
    }
}

impl Eq for Replace {}

impl Replace {
    /// # Errors
    /// [`Error::Pattern`] for an empty or overlong target and for a pattern that does not compile.
    pub(super) fn new(target: Target, by: String) -> Result<Self> {
        let (Target::Pattern(text) | Target::Literal(text)) = &target;
        let fault = |reason: String| Error::Pattern {
            pattern: text.chars().take(100).collect(),
            reason,
        };
        if text.is_empty() {
            return Err(fault("it is empty".to_owned()));
        }
        if text.len() > MAX_PATTERN_BYTES {
            let reason = format!(
                "it has {} bytes; the longest supported has {MAX_PATTERN_BYTES}",
                text.len()
            );
            return Err(fault(reason));
        }
        let finder = match &target {
            Target::Literal(text) => {
                Finder::Literal(AhoCorasick::new([text]).map_err(|error| fault(error.to_string()))?)
            }
            Target::Pattern(pattern) => {
                // Ill-formed bytes are in the text too; empty matches inside a character are
                // left out below.
                let config = Regex::config().utf8_empty(false);
                let regex = Regex::builder()
                    .configure(config)
                    .syntax(syntax::Config::new().utf8(true))
                    .build(pattern)
                    .map_err(|error| {
                        let reason = error.syntax_error().map(ToString::to_string);
                        let reason = reason.unwrap_or_else(|| error.to_string());
                        fault(format!("{reason} (replacing has no look-around)"))
                    })?;
                Finder::Pattern(regex)
            }
        };
        Ok(Self { target, by, finder })
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn by(&self) -> &str {
        &self.by
    }

    pub(super) fn run(&self, rewrite: &mut Rewrite<'_>) {
        let source = rewrite.source();
        let mut replace = |start: usize, end: usize| {
            rewrite.copy_to(start);
            rewrite.replace(end - start, &self.by);
        };
        match &self.finder {
            Finder::Literal(literal) => {
                for found in literal.find_iter(source) {
                    replace(found.start(), found.end());
                }
            }
            Finder::Pattern(regex) => {
                for found in regex.find_iter(source) {
                    if found.start() < found.end() || is_between_characters(source, found.start()) {
                        replace(found.start(), found.end());
                    }
                }
            }
        }
        rewrite.copy_to(source.len());
    }
}

/// False inside a well-formed sequence of bytes.
fn is_between_characters(text: &[u8], at: usize) -> bool {
    let Some(0x80..=0xBF) = text.get(at) else {
        return true;
    };
    // The first byte of a sequence stands at most three before.
    let before = &text[at.saturating_sub(3)..at];
    let Some(back) = before.iter().rev().position(|&byte| byte >= 0xC0) else {
        return true;
    };
    let start = at - back - 1;
    let window = &text[start..text.len().min(start + 4)];
    let first = window.utf8_chunks().next();
    let first = first.and_then(|chunk| chunk.valid().chars().next());
    first.is_none_or(|c| start + c.len_utf8() <= at)
}
