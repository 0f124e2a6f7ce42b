//! White space at the ends of a text, and in runs. White space is the Unicode property White_Space,
//! the same 25 characters in every version.

use super::rewrite::Rewrite;

/// What is done about white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whitespace {
    /// Taken away at both ends.
    Strip,
    /// Taken away at the start.
    StripLeft,
    /// Taken away at the end.
    StripRight,
    /// Each run becomes one space.
    Collapse,
    /// `SentencePiece`'s `remove_extra_whitespaces`: of U+0020 only, runs become one and both ends
    /// are stripped.
    RemoveExtra,
}

impl Whitespace {
    pub(super) fn run(self, rewrite: &mut Rewrite<'_>) {
        match self {
            Self::Strip => strip(rewrite, true, true),
            Self::StripLeft => strip(rewrite, true, false),
            Self::StripRight => strip(rewrite, false, true),
            Self::Collapse => collapse(rewrite, char::is_whitespace, " "),
            Self::RemoveExtra => collapse(rewrite, |c| c == ' ', ""),
        }
    }
}

fn strip(rewrite: &mut Rewrite<'_>, left: bool, right: bool) {
    let source = rewrite.source();
    let (mut start, mut end) = (usize::MAX, 0);
    for chunk in source.utf8_chunks() {
        let chunk_start = rewrite.at();
        let first = chunk.valid().find(|c: char| !c.is_whitespace());
        let last = chunk.valid().trim_end().len();
        if let Some(first) = first {
            start = start.min(chunk_start + first);
            end = chunk_start + last;
        }
        let valid_end = chunk_start + chunk.valid().len();
        if !chunk.invalid().is_empty() {
            start = start.min(valid_end);
            end = valid_end + chunk.invalid().len();
        }
        rewrite.copy_to(valid_end + chunk.invalid().len());
    }
    let start = start.min(source.len());
    let end = end.max(start);
    rewrite.copy_to(0);
    if left || start == source.len() {
        rewrite.replace(start, "");
    }
    rewrite.copy_to(end);
    if right {
        rewrite.replace(source.len() - end, "");
    }
    rewrite.copy_to(source.len());
}

/// Runs become one space, or `at_ends` where nothing else stands before or after them.
fn collapse(rewrite: &mut Rewrite<'_>, is_space: impl Fn(char) -> bool, at_ends: &str) {
    let source = rewrite.source();
    // Start of the run that is being read, and where the text goes on.
    let mut run = None;
    let mut at = 0;
    for chunk in source.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_space(c) {
                run = run.or(Some(at));
            } else if let Some(start) = run.take() {
                rewrite.copy_to(start);
                rewrite.replace(at - start, if start == 0 { at_ends } else { " " });
            }
            at += c.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            if let Some(start) = run.take() {
                rewrite.copy_to(start);
                rewrite.replace(at - start, if start == 0 { at_ends } else { " " });
            }
            at += chunk.invalid().len();
        }
    }
    if let Some(start) = run {
        rewrite.copy_to(start);
        rewrite.replace(at - start, at_ends);
    }
    rewrite.copy_to(source.len());
}
