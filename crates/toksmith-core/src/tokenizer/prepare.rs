//! Texts to rows for a model: every text encoded with its spans, then what `post` does to ids.

use super::{Encoding, Tokenizer, groups_of_texts, in_order};
use crate::error::{Error, Result};
use crate::post::{Form, Post, PostSettings, Prepared, Sample, Sequence, Template, frame};
use crate::special::AllowedSpecial;
use crate::types::TokenId;

impl Encoding {
    fn as_sequence(&self) -> Sequence<'_> {
        Sequence {
            ids: &self.ids,
            byte_spans: &self.byte_spans,
            char_spans: &self.char_spans,
        }
    }
}

impl Tokenizer {
    /// The ids of texts, laid out as [`encode_batch`](Self::encode_batch) gives them, with the
    /// special tokens that the template puts around one text; without a template, as they are.
    #[must_use]
    pub fn add_special_tokens(
        &self,
        ids: &[TokenId],
        offsets: &[usize],
    ) -> (Vec<TokenId>, Vec<usize>) {
        let bare = Form::bare(false);
        let form = self.template().map_or(&bare, Template::single);
        let num_texts = offsets.len().saturating_sub(1);
        let mut framed = Vec::with_capacity(ids.len() + num_texts * form.num_special());
        let mut starts = Vec::with_capacity(offsets.len());
        starts.push(0);
        for pair in offsets.windows(2) {
            frame(form, &ids[pair[0]..pair[1]], &mut framed);
            starts.push(framed.len());
        }
        (framed, starts)
    }

    /// Rows for a model: texts, or texts with their pairs, encoded, cut, framed and filled up.
    ///
    /// # Errors
    /// As [`encode`](Self::encode), of the first text or pair at fault; what [`Post`] says; and
    /// [`Error::Incompatible`] when there are not as many pairs as texts.
    pub fn prepare(
        &self,
        texts: &[&[u8]],
        pairs: Option<&[&[u8]]>,
        allowed: AllowedSpecial<'_>,
        settings: &PostSettings,
        num_threads: usize,
    ) -> Result<Prepared> {
        if let Some(pairs) = pairs {
            if pairs.len() != texts.len() {
                let (texts, pairs) = (texts.len(), pairs.len());
                return Err(Error::Incompatible {
                    what: format!("there are {texts} texts, but {pairs} pairs"),
                });
            }
        }
        let post = Post::new(self.template(), &self.special, settings, pairs.is_some())?;
        let encode = |texts| self.encode_all_with_offsets(texts, allowed, num_threads);
        let first = encode(texts)?;
        let second = encode(pairs.unwrap_or_default())?;
        let samples: Vec<Sample<'_>> = (0..texts.len())
            .map(|at| {
                [&first, &second]
                    .map(|all| all.get(at).map(Encoding::as_sequence).unwrap_or_default())
            })
            .collect();
        post.prepare(&samples)
    }

    fn encode_all_with_offsets(
        &self,
        texts: &[&[u8]],
        allowed: AllowedSpecial<'_>,
        num_threads: usize,
    ) -> Result<Vec<Encoding>> {
        let finder = self.special.finder(allowed)?;
        let groups = groups_of_texts(texts, num_threads);
        let groups = in_order(&groups, num_threads, |group| {
            let encode = |text: &&[u8]| self.encode_with_offsets_by(text, finder.as_ref());
            group.iter().map(encode).collect::<Result<Vec<_>>>()
        });
        let mut encodings = Vec::with_capacity(texts.len());
        for group in groups {
            encodings.extend(group?);
        }
        Ok(encodings)
    }
}
