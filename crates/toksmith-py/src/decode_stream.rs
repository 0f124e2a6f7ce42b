//! `DecodeStream`, and what decoding may do with bytes that are not UTF-8.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use toksmith_core::decode::DecodeState;
use toksmith_core::tokenizer::Tokenizer;

use crate::convert::take_id;
use crate::errors::{OrRaise, named};

/// What `decode` may do with bytes that are not UTF-8: names of Python's own error handlers.
const ERROR_HANDLERS: [&str; 5] = [
    "strict",
    "replace",
    "ignore",
    "backslashreplace",
    "surrogateescape",
];

/// Decodes ids one at a time; the joined chunks equal one-shot decoding.
///
/// A chunk never ends inside a character: bytes that do not yet make one are held back. The implicit
/// space of a token comes with that token, never earlier. Cost per token is constant.
#[pyclass(name = "DecodeStream", module = "toksmith")]
pub(crate) struct PyDecodeStream {
    tokenizer: Arc<Tokenizer>,
    state: DecodeState,
    num_pushed: usize,
    /// Python's own incremental decoder, so that every error handler means what it means there.
    utf8: Py<PyAny>,
}

impl PyDecodeStream {
    /// A stream at the start of a text.
    ///
    /// # Errors
    /// `SettingsError` for an unknown error handler.
    pub(crate) fn new(
        py: Python<'_>,
        tokenizer: Arc<Tokenizer>,
        errors: &str,
        skip_special_tokens: bool,
    ) -> PyResult<Self> {
        check_error_handler(py, errors)?;
        let utf8 = py
            .import("codecs")?
            .call_method1("getincrementaldecoder", ("utf-8",))?
            .call1((errors,))?;
        let state = tokenizer.decoder().state(None, skip_special_tokens);
        Ok(Self {
            state: state.or_raise(py)?,
            tokenizer,
            num_pushed: 0,
            utf8: utf8.unbind(),
        })
    }
}

#[pymethods]
impl PyDecodeStream {
    /// The text that one more id adds; may be empty.
    ///
    /// Raises:
    ///     UnknownTokenIdError: the id is not in the vocabulary; the stream is as it was.
    ///     DecodeError: the bytes are not UTF-8 and errors="strict"; the stream is as it was but
    ///         for an unfinished character, which is dropped.
    fn push(&mut self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let decoder = self.tokenizer.decoder();
        let id = take_id(id, self.num_pushed, decoder.vocab_size())?;
        let mut bytes = Vec::new();
        let mut state = self.state;
        decoder
            .push_token(id, self.num_pushed, &mut state, &mut bytes)
            .or_raise(py)?;
        let text = self.text_of(py, &bytes, false)?;
        self.state = state;
        self.num_pushed += 1;
        Ok(text)
    }

    /// What is left when no more ids come: nothing, or the rest of an unfinished character.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.text_of(py, &[], true)
    }
}

impl PyDecodeStream {
    /// A Python `str`, since under "surrogateescape" it may hold what a Rust one cannot.
    fn text_of(&self, py: Python<'_>, bytes: &[u8], last: bool) -> PyResult<Py<PyAny>> {
        self.utf8
            .call_method1(py, "decode", (PyBytes::new(py, bytes), last))
            .map_err(|error| match self.utf8.call_method0(py, "reset") {
                Ok(_) => not_utf8(py, &error),
                Err(error) => error,
            })
    }
}

pub(crate) fn check_error_handler(py: Python<'_>, errors: &str) -> PyResult<()> {
    if ERROR_HANDLERS.contains(&errors) {
        return Ok(());
    }
    Err(toksmith_core::Error::UnknownSetting {
        setting: "errors",
        value: errors.to_owned(),
        known: ERROR_HANDLERS.join(", "),
    })
    .or_raise(py)
}

pub(crate) fn not_utf8(py: Python<'_>, error: &PyErr) -> PyErr {
    let message = format!(
        "the bytes of these ids are not UTF-8 ({}); decode_bytes gives them as they are",
        error.value(py)
    );
    named(py, "DecodeError", message)
}
