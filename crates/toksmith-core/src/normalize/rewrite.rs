//! Rewriting a text from left to right, and the way back: where in the source each byte came from.

use std::borrow::Cow;

/// Bytes `[source_start, source_end)` of a text that became `[start, end)` of the next. What lies
/// between two edits was copied. Either side may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    start: usize,
    end: usize,
    source_start: usize,
    source_end: usize,
}

/// Places in the normalized text → places in the source.
///
/// A byte that was copied came from itself. Every byte of a replacement came from all that was
/// replaced: `e` and an accent, or the one character that became four. Bytes that were inserted
/// where nothing stood came from an empty span there, and from all of a character when a later step
/// inserted them inside its replacement. Bytes that were deleted belong to no span.
///
/// Spans lie in the source, and neither their starts nor their ends run backwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    /// One list for each pass over the text that changed it, the first pass first.
    passes: Vec<Vec<Edit>>,
}

impl OffsetMap {
    /// The span of the source that a span of the normalized text came from, in bytes.
    ///
    /// Cost: a binary search for each pass that changed the text.
    #[must_use]
    pub fn source_span(&self, start: usize, end: usize) -> (usize, usize) {
        self.passes
            .iter()
            .rev()
            .fold((start, end), |(start, end), edits| {
                span_before(edits, start, end)
            })
    }
}

/// A span of the text after a pass → the span of the text before it.
fn span_before(edits: &[Edit], start: usize, end: usize) -> (usize, usize) {
    // The last edit that begins at or before a byte: either the byte is in it, or it was copied.
    let edit_at = |byte: usize| {
        let after = edits.partition_point(|edit| edit.start <= byte);
        after.checked_sub(1).map(|at| edits[at])
    };
    let start_of = |byte: usize| match edit_at(byte) {
        None => byte,
        Some(edit) if byte < edit.end => edit.source_start,
        Some(edit) => edit.source_end + (byte - edit.end),
    };
    let end_of = |last_byte: usize| match edit_at(last_byte) {
        None => last_byte + 1,
        Some(edit) if last_byte < edit.end => edit.source_end,
        Some(edit) => edit.source_end + (last_byte + 1 - edit.end),
    };
    if start < end {
        return (start_of(start), end_of(end - 1));
    }
    // Between two bytes: nothing, unless both are of one replacement.
    match start.checked_sub(1) {
        None => (0, 0),
        Some(before) => match edit_at(start) {
            Some(edit) if edit.start < start && start < edit.end => {
                (edit.source_start, edit.source_end)
            }
            _ => (end_of(before), end_of(before)),
        },
    }
}

/// One pass over a text. What is copied is not touched before something is replaced.
pub(super) struct Rewrite<'t> {
    source: &'t [u8],
    /// Bytes of the source that are dealt with, and those of them that stand in `out`.
    at: usize,
    written: usize,
    out: Vec<u8>,
    /// `None` when nobody asks where bytes came from.
    edits: Option<Vec<Edit>>,
    is_changed: bool,
}

impl<'t> Rewrite<'t> {
    fn new(source: &'t [u8], with_offsets: bool) -> Self {
        Self {
            source,
            at: 0,
            written: 0,
            out: Vec::new(),
            edits: with_offsets.then(Vec::new),
            is_changed: false,
        }
    }

    pub(super) fn source(&self) -> &'t [u8] {
        self.source
    }

    /// How much of the source is dealt with.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn has_offsets(&self) -> bool {
        self.edits.is_some()
    }

    /// The next `len` bytes stay.
    pub(super) fn copy(&mut self, len: usize) {
        self.at += len;
    }

    /// The bytes up to `end` stay.
    pub(super) fn copy_to(&mut self, end: usize) {
        self.at = end;
    }

    /// The next `len` bytes become `by`.
    pub(super) fn replace(&mut self, len: usize, by: &str) {
        let source_end = self.at + len;
        if &self.source[self.at..source_end] == by.as_bytes() {
            self.at = source_end;
            return;
        }
        if !self.is_changed {
            self.is_changed = true;
            self.out.reserve(self.source.len());
        }
        self.out
            .extend_from_slice(&self.source[self.written..self.at]);
        let start = self.out.len();
        self.out.extend_from_slice(by.as_bytes());
        if let Some(edits) = &mut self.edits {
            edits.push(Edit {
                start,
                end: self.out.len(),
                source_start: self.at,
                source_end,
            });
        }
        self.at = source_end;
        self.written = source_end;
    }

    /// Asks for every character of the well-formed stretches what it becomes: true, and it is what
    /// was put into the string; false, and it stays. Ill-formed bytes stay.
    pub(super) fn each_char(&mut self, mut becomes: impl FnMut(char, &mut String) -> bool) {
        let mut by = String::new();
        for chunk in self.source.utf8_chunks() {
            for c in chunk.valid().chars() {
                by.clear();
                if becomes(c, &mut by) {
                    self.replace(c.len_utf8(), &by);
                } else {
                    self.copy(c.len_utf8());
                }
            }
            self.copy(chunk.invalid().len());
        }
    }

    /// The new text and its edits; `None` when it is the old one.
    fn finish(mut self) -> Option<(Vec<u8>, Vec<Edit>)> {
        if !self.is_changed {
            return None;
        }
        self.out.extend_from_slice(&self.source[self.written..]);
        Some((self.out, self.edits.unwrap_or_default()))
    }
}

/// A text on its way through the steps.
pub(super) struct Passes<'t> {
    text: Cow<'t, [u8]>,
    offsets: Option<OffsetMap>,
}

impl<'t> Passes<'t> {
    pub(super) fn new(text: &'t [u8], with_offsets: bool) -> Self {
        Self {
            text: Cow::Borrowed(text),
            offsets: with_offsets.then(OffsetMap::default),
        }
    }

    /// One pass over what the passes so far made of the text.
    pub(super) fn pass(&mut self, pass: impl FnOnce(&mut Rewrite<'_>)) {
        let mut rewrite = Rewrite::new(&self.text, self.offsets.is_some());
        pass(&mut rewrite);
        if let Some((text, edits)) = rewrite.finish() {
            self.text = Cow::Owned(text);
            if let Some(offsets) = &mut self.offsets {
                offsets.passes.push(edits);
            }
        }
    }

    pub(super) fn finish(self) -> (Cow<'t, [u8]>, OffsetMap) {
        (self.text, self.offsets.unwrap_or_default())
    }
}
