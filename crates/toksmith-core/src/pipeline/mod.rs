//! The fast path: scanner, marking and pretoken table in one pass over the text, nothing copied and
//! nothing allocated per token. Tested equal to the rooms composed one after another.
//!
//! With `tokenizer` the only room that knows all stages.

mod table;

use std::ops::ControlFlow;
use std::sync::Mutex;

use crate::boundary::{Boundary, MarkState, WhitespaceRule, Word};
use crate::encode::{Encoder, Scratch};
use crate::error::Result;
use crate::pretokenize::Pretokenizer;
use crate::types::{Symbol, TokenId, push_symbols};
use crate::vocab::Vocab;

use table::{PretokenTable, Request};

/// What one thread of work uses: the table and the encoders' buffers.
#[derive(Debug)]
pub(crate) struct Worker {
    table: PretokenTable,
    scratch: Scratch,
    symbols: Vec<Symbol>,
}

impl Worker {
    fn with(table: PretokenTable) -> Self {
        Self {
            table,
            scratch: Scratch::default(),
            symbols: Vec::new(),
        }
    }
}

/// Workers waiting to be used again. Nothing here ever waits for another thread: where the lock is
/// held, as it may be for ever in a child of a fork, what it guards is made anew.
#[derive(Debug, Default)]
pub(crate) struct WorkerPool {
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    idle: Vec<Worker>,
    /// The table that new workers start with.
    seeded: Option<PretokenTable>,
}

/// Words requested from the table before the first of them is looked up, so that memory answers
/// while the text is scanned on.
const WORDS_PER_BATCH: usize = 32;

/// Tokens that a table is seeded with; later ones are rarer. About 6 ms when a tokenizer first runs.
const MAX_SEEDS: usize = 1 << 15;

/// Buffers for words longer than this are freed after use.
const MAX_KEPT_SYMBOLS: usize = 1 << 14;

/// Idle workers kept; more threads than this make new ones.
const MAX_IDLE: usize = 64;

impl WorkerPool {
    pub(crate) fn with<T>(
        &self,
        stages: Stages<'_>,
        vocab: &Vocab,
        work: impl FnOnce(&mut Worker) -> T,
    ) -> T {
        let mut worker = self.take().unwrap_or_else(|| {
            // Built while nothing is locked; of two threads that do so at once either may win.
            let table = stages.seeded_table(vocab);
            if let Ok(mut shared) = self.shared.try_lock() {
                shared.seeded = Some(table.clone());
            }
            Worker::with(table)
        });
        let result = work(&mut worker);
        // A word of megabytes needs buffers of its size; they are not kept for the next.
        if worker.symbols.capacity() > MAX_KEPT_SYMBOLS {
            worker.symbols = Vec::new();
            worker.scratch = Scratch::default();
        }
        if let Ok(mut shared) = self.shared.try_lock() {
            if shared.idle.len() < MAX_IDLE {
                shared.idle.push(worker);
            }
        }
        result
    }

    /// An idle worker, or a new one with a copy of the seeded table if there is one.
    fn take(&self) -> Option<Worker> {
        let mut shared = self.shared.try_lock().ok()?;
        let idle = shared.idle.pop();
        idle.or_else(|| shared.seeded.clone().map(Worker::with))
    }
}

/// The stages between text and ids, borrowed from a tokenizer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stages<'t> {
    pub pretokenizer: &'t Pretokenizer,
    pub boundary: Boundary,
    pub whitespace: WhitespaceRule,
    pub encoder: &'t dyn Encoder,
}

impl Stages<'_> {
    /// Calls `emit` for each marked word of a text.
    ///
    /// # Errors
    /// Those of a custom pattern.
    #[inline]
    pub(crate) fn for_each_word(&self, text: &[u8], emit: impl FnMut(Word)) -> Result<()> {
        let start = MarkState::at_start();
        self.boundary.for_each_word(
            self.pretokenizer,
            self.whitespace,
            text,
            start,
            || ControlFlow::Continue(()),
            emit,
        )
    }

    /// A table that knows the tokens of the vocabulary as words: in new text every third unseen word
    /// is one. What each encodes to is found by encoding it, not assumed.
    fn seeded_table(&self, vocab: &Vocab) -> PretokenTable {
        let mut table = PretokenTable::new();
        let (mut scratch, mut symbols, mut ids) = (Scratch::default(), Vec::new(), Vec::new());
        for token in vocab.iter().take(MAX_SEEDS) {
            let word = Word {
                start: 0,
                end: token.bytes.len(),
                marks: token.marks,
            };
            ids.clear();
            let encoded = self.encode_word(token.bytes, word, &mut scratch, &mut symbols, &mut ids);
            if encoded.is_ok() {
                table.seed(token.bytes, token.marks, &ids);
            }
        }
        table
    }

    /// Appends the ids of one word, without the table.
    pub(crate) fn encode_word(
        &self,
        bytes: &[u8],
        word: Word,
        scratch: &mut Scratch,
        symbols: &mut Vec<Symbol>,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        symbols.clear();
        push_symbols(bytes, word.marks, self.boundary.is_marked(), symbols);
        self.encoder.encode_word(symbols, scratch, out)
    }

    /// Appends the ids of a text.
    ///
    /// # Errors
    /// Those of a custom pattern and of the encoder.
    pub(crate) fn encode(
        &self,
        text: &[u8],
        worker: &mut Worker,
        out: &mut Vec<TokenId>,
    ) -> Result<()> {
        let Worker {
            table,
            scratch,
            symbols,
        } = worker;
        let mut encode = |word: Word, out: &mut Vec<TokenId>| {
            let bytes = &text[word.start..word.end];
            self.encode_word(bytes, word, scratch, symbols, out)
        };
        let mut requests = [Request::EMPTY; WORDS_PER_BATCH];
        let mut len = 0;
        let mut done = Ok(());
        self.for_each_word(text, |word| {
            requests[len] = table.request(text, word);
            len += 1;
            if len == WORDS_PER_BATCH {
                len = 0;
                if done.is_ok() {
                    done = table.get_or_encode(text, &requests, out, &mut encode);
                }
            }
        })?;
        done?;
        table.get_or_encode(text, &requests[..len], out, &mut encode)
    }
}
