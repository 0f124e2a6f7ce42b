//! How a text becomes tokens, step by step: normalized, cut, marked, and each word's way from its
//! units to its tokens. For people: nothing here is fast, and long words are shown without their way.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use serde::Serialize;

use crate::boundary::Word;
use crate::display::{form_in, one_line};
use crate::encode::EncoderKind;
use crate::error::Result;
use crate::model::Model;
use crate::special::{AllowedSpecial, Segment};
use crate::tokenizer::Tokenizer;
use crate::types::{Marks, Symbol, TokenId, symbol_parts};

/// The way of a word with more units than this is not shown.
const MAX_UNITS_SHOWN: usize = 64;

/// Segmentations shown for a word that is cut by scores.
const MAX_SEGMENTATIONS_SHOWN: usize = 3;

/// How a text becomes tokens; shown as `text -> form | form | …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The text.
    pub text: Vec<u8>,
    /// Its ids.
    pub ids: Vec<TokenId>,
    /// For each id how its token is shown.
    pub forms: Vec<String>,
    /// The stretches of text between special tokens and user-defined symbols, and these.
    pub parts: Vec<ExplainedPart>,
}

/// A stretch of text, or a token that was split off before anything else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedPart {
    /// The text as it is marked, on one line: normalized, and with the space that the boundary puts
    /// before it.
    pub normalized: String,
    /// Whether normalization, or the boundary's space, changed it.
    pub is_changed: bool,
    /// Whether it is a token that was split off.
    pub is_added_token: bool,
    /// The pretokens, each on one line.
    pub pretokens: Vec<String>,
    /// The marked words.
    pub words: Vec<ExplainedWord>,
}

/// One marked word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedWord {
    /// How it is shown.
    pub form: String,
    /// Its ids.
    pub ids: Vec<TokenId>,
    /// For each id how its token is shown.
    pub forms: Vec<String>,
    /// From units to tokens; empty for a long word.
    pub steps: Vec<Step>,
}

/// One step of an encoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What is done.
    pub what: String,
    /// The word after it, part by part.
    pub forms: Vec<String>,
}

/// A part of a word while it is encoded: a span of its symbols, and the token once there is one.
#[derive(Clone, Copy, Debug)]
struct Part {
    start: usize,
    end: usize,
    id: Option<TokenId>,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} -> {}", one_line(&self.text), self.forms.join(" | "))
    }
}

impl Explanation {
    /// Everything, line by line: what each stage makes of the text, and each word's way.
    #[must_use]
    pub fn details(&self) -> String {
        let mut lines = vec![format!("{:<12}{}", "text", one_line(&self.text))];
        for part in &self.parts {
            if part.is_added_token {
                lines.push(format!("{:<12}{}", "token", part.normalized));
                continue;
            }
            if part.is_changed {
                lines.push(format!("{:<12}{}", "normalized", part.normalized));
            }
            lines.push(format!("{:<12}{}", "pretokens", part.pretokens.join(" | ")));
            let words: Vec<&str> = part.words.iter().map(|word| word.form.as_str()).collect();
            lines.push(format!("{:<12}{}", "words", words.join(" | ")));
            for word in &part.words {
                lines.push(format!("{} -> {}", word.form, word.forms.join(" | ")));
                let width = word
                    .steps
                    .iter()
                    .map(|step| step.what.chars().count())
                    .max();
                let width = width.unwrap_or(0);
                for step in &word.steps {
                    lines.push(format!(
                        "  {:<width$}  {}",
                        step.what,
                        step.forms.join(" | ")
                    ));
                }
            }
        }
        lines.push(format!("{:<12}{}", "tokens", self.forms.join(" | ")));
        let ids: Vec<String> = self.ids.iter().map(TokenId::to_string).collect();
        lines.push(format!("{:<12}{}", "ids", ids.join(" ")));
        lines.join("\n")
    }
}

impl Tokenizer {
    /// The ids of a text, the forms of their tokens, and how they came about.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn explain(&self, text: &[u8], allowed: AllowedSpecial<'_>) -> Result<Explanation> {
        let whole = Segment::Text {
            start: 0,
            end: text.len(),
        };
        let segments: Vec<Segment> = match self.special_tokens().finder(allowed)? {
            None => vec![whole],
            Some(finder) => finder.segments(text).collect(),
        };
        let mut ids = Vec::new();
        let mut parts = Vec::new();
        let mut is_first = true;
        let merges = Merges::new(self.model());
        for segment in segments {
            let part = match segment {
                Segment::Special { start, end, id } => {
                    ids.push(id);
                    ExplainedPart {
                        normalized: one_line(&text[start..end]),
                        is_changed: false,
                        is_added_token: true,
                        pretokens: Vec::new(),
                        words: Vec::new(),
                    }
                }
                Segment::Text { start, end } if start == end => continue,
                Segment::Text { start, end } => {
                    let source = &text[start..end];
                    let normalized = self.provenance().normalizer.normalize(source);
                    let marked = self.prefixed(normalized, &mut is_first);
                    let words = self.explain_words(&marked, &merges)?;
                    ids.extend(words.iter().flat_map(|word| &word.ids));
                    ExplainedPart {
                        normalized: one_line(&marked),
                        is_changed: *marked != *source,
                        is_added_token: false,
                        pretokens: self.pretokens(&marked)?,
                        words,
                    }
                }
            };
            parts.push(part);
        }
        Ok(Explanation {
            text: text.to_vec(),
            forms: self.forms(&ids),
            ids,
            parts,
        })
    }

    fn forms(&self, ids: &[TokenId]) -> Vec<String> {
        let boundary = self.provenance().boundary;
        let form = |&id| match self.special_tokens().name(id) {
            Some(name) => Some(one_line(name.as_bytes())),
            None => self
                .token(id)
                .map(|(bytes, marks)| form_in(boundary, bytes, marks)),
        };
        ids.iter().filter_map(form).collect()
    }

    fn pretokens(&self, text: &[u8]) -> Result<Vec<String>> {
        let mut pretokens = Vec::new();
        self.pretokenizer().for_each(text, |pretoken| {
            pretokens.push(one_line(&text[pretoken.start..pretoken.end]));
            ControlFlow::Continue(())
        })?;
        Ok(pretokens)
    }

    fn explain_words(&self, text: &[u8], merges: &Merges) -> Result<Vec<ExplainedWord>> {
        let mut words = Vec::new();
        self.for_each_encoded_word(text, |word, symbols, ids| {
            words.push(ExplainedWord {
                form: self.form_of(text, word),
                ids: ids.to_vec(),
                forms: self.forms(ids),
                steps: self.steps(symbols, ids, merges),
            });
        })?;
        Ok(words)
    }

    fn form_of(&self, text: &[u8], word: Word) -> String {
        let bytes = &text[word.start..word.end];
        form_in(self.provenance().boundary, bytes, word.marks)
    }

    fn steps(&self, symbols: &[Symbol], ids: &[TokenId], merges: &Merges) -> Vec<Step> {
        let mut at = 0;
        let mut tokens = Vec::with_capacity(ids.len());
        for &id in ids {
            let end = at + self.spelled_len(&symbols[at..], id);
            tokens.push(Part {
                start: at,
                end,
                id: Some(id),
            });
            at = end;
        }
        let mut units = Vec::new();
        let mut at = 0;
        self.model().alphabet().for_each_unit(symbols, |unit| {
            units.push(Part {
                start: at,
                end: at + unit.len,
                id: unit.id,
            });
            at += unit.len;
        });
        if units.len() > MAX_UNITS_SHOWN {
            return Vec::new();
        }
        let is_unknown = |part: &Part| part.id.is_some_and(|id| self.is_unk(id));
        if let [whole] = tokens[..] {
            if is_unknown(&whole) && units.len() > 1 {
                let what = "unknown as a whole".to_owned();
                return vec![self.step(what, symbols, &tokens)];
            }
        }
        match self.encoder_kind() {
            EncoderKind::MergeRank => self.merging(symbols, units, &tokens, merges),
            EncoderKind::LongestFirst => {
                tokens.sort_by_key(|part| (Reverse(num_units(&units, part)), part.start));
                self.taking(symbols, &tokens, "longest")
            }
            EncoderKind::LongestPrefix => self.taking(symbols, &tokens, "longest prefix"),
            EncoderKind::LongestSuffix => {
                tokens.reverse();
                self.taking(symbols, &tokens, "longest suffix")
            }
            EncoderKind::FewestTokens => {
                let what = format!("fewest tokens: {}", tokens.len());
                vec![self.step(what, symbols, &tokens)]
            }
            EncoderKind::Viterbi => self.weighing(symbols),
            EncoderKind::WholeWord => {
                let what = match tokens.len() {
                    1 => "the word is a token",
                    _ => "no token: its units",
                };
                vec![self.step(what.to_owned(), symbols, &tokens)]
            }
        }
    }

    fn is_unk(&self, id: TokenId) -> bool {
        let unk = self
            .unk()
            .and_then(|unk| self.special_tokens().id(&unk.token));
        unk == Some(id)
    }

    /// The units, then the word after each merge; last what hidden tokens are spelled with.
    fn merging(
        &self,
        symbols: &[Symbol],
        mut parts: Vec<Part>,
        tokens: &[Part],
        merges: &Merges,
    ) -> Vec<Step> {
        let mut steps = vec![self.step("units".to_owned(), symbols, &parts)];
        while let Some((rank, at, new)) = merges.first(&parts) {
            let joined = format!(
                "merge {rank}: {} + {}",
                self.part_form(symbols, parts[at]),
                self.part_form(symbols, parts[at + 1])
            );
            parts[at].end = parts[at + 1].end;
            parts[at].id = Some(new);
            parts.remove(at + 1);
            steps.push(self.step(joined, symbols, &parts));
        }
        let ids = |parts: &[Part]| parts.iter().map(|part| part.id).collect::<Vec<_>>();
        if ids(&parts) != ids(tokens) {
            let what = match parts.iter().any(|part| part.id.is_none()) {
                true => "unknown characters",
                false => "hidden tokens spelled",
            };
            steps.push(self.step(what.to_owned(), symbols, tokens));
        }
        steps
    }

    /// The best segmentations with the sums of their scores: the word's, and what it was preferred to.
    fn weighing(&self, symbols: &[Symbol]) -> Vec<Step> {
        let best = self.n_best_of_word(symbols, MAX_SEGMENTATIONS_SHOWN);
        best.into_iter()
            .map(|path| Step {
                what: format!("score {:.2}", path.score),
                forms: self.forms(&path.ids),
            })
            .collect()
    }

    /// The word after each token is taken; what is not taken yet stands in between.
    fn taking(&self, symbols: &[Symbol], in_order: &[Part], which: &str) -> Vec<Step> {
        let mut taken: Vec<Part> = Vec::new();
        let mut steps = Vec::new();
        for &part in in_order {
            taken.push(part);
            taken.sort_by_key(|part| part.start);
            let mut parts = Vec::new();
            let mut at = 0;
            for &part in &taken {
                parts.extend(rest(at, part.start));
                parts.push(part);
                at = part.end;
            }
            parts.extend(rest(at, symbols.len()));
            let which = match part.id {
                Some(id) if self.is_unk(id) => "unknown",
                _ => which,
            };
            let what = format!("{which}: {}", self.part_form(symbols, part));
            steps.push(self.step(what, symbols, &parts));
        }
        steps
    }

    fn step(&self, what: String, symbols: &[Symbol], parts: &[Part]) -> Step {
        let forms = parts.iter().map(|&part| self.part_form(symbols, part));
        Step {
            what,
            forms: forms.collect(),
        }
    }

    /// A token, or in `…` what is none yet.
    fn part_form(&self, symbols: &[Symbol], part: Part) -> String {
        if let Some(name) = part.id.and_then(|id| self.special_tokens().name(id)) {
            return one_line(name.as_bytes());
        }
        // By its symbols, since hidden tokens are no tokens to anybody else.
        let span = &symbols[part.start..part.end];
        let bytes: Vec<u8> = span.iter().map(|&symbol| symbol_parts(symbol).0).collect();
        let boundary = self.provenance().boundary;
        if part.id.is_none() {
            return format!("\u{2026}{}\u{2026}", form_in(boundary, &bytes, Marks::NONE));
        }
        let marks = |symbol: Option<&Symbol>| symbol.map_or(Marks::NONE, |&s| symbol_parts(s).1);
        let marks = Marks::new(marks(span.first()).lead(), marks(span.last()).trail());
        form_in(boundary, &bytes, marks)
    }
}

/// Number of units that a part covers.
fn num_units(units: &[Part], part: &Part) -> usize {
    let inside = |unit: &&Part| unit.start >= part.start && unit.end <= part.end;
    units.iter().filter(inside).count()
}

fn rest(start: usize, end: usize) -> Option<Part> {
    (start < end).then_some(Part {
        start,
        end,
        id: None,
    })
}

/// The merges of a model by pair: rank and result.
struct Merges(HashMap<(TokenId, TokenId), (usize, TokenId), RandomState>);

impl Merges {
    fn new(model: &Model) -> Self {
        let merges = model.merges().iter().enumerate();
        Self(
            merges
                .map(|(rank, merge)| ((merge.left, merge.right), (rank, merge.new)))
                .collect(),
        )
    }

    /// The merge of the lowest rank that applies, leftmost: its rank, place and result.
    fn first(&self, parts: &[Part]) -> Option<(usize, usize, TokenId)> {
        let pairs = parts.windows(2).enumerate();
        pairs
            .filter_map(|(at, pair)| {
                let &(rank, new) = self.0.get(&(pair[0].id?, pair[1].id?))?;
                Some((rank, at, new))
            })
            .min()
    }
}
