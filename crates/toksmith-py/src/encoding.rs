//! `Encoding`: ids with their places.

use pyo3::prelude::*;
use toksmith_core::tokenizer::Encoding;
use toksmith_core::types::{Span, TokenId};

/// Ids with the places in the source that they cover.
///
/// Spans are `(start, end)`, end exclusive, one an id. A token covers its own bytes: an implicit
/// space belongs to no token, so gaps of one byte are exactly the implicit spaces.
#[pyclass(name = "Encoding", module = "toksmith", frozen)]
pub(crate) struct PyEncoding {
    pub(crate) inner: Encoding,
}

#[pymethods]
impl PyEncoding {
    /// Token ids in text order.
    #[getter]
    fn ids(&self) -> Vec<TokenId> {
        self.inner.ids.clone()
    }

    /// For each id the bytes of the source (of its UTF-8 form, for `str`).
    #[getter]
    fn byte_spans(&self) -> Vec<Span> {
        self.inner.byte_spans.clone()
    }

    /// For each id the characters of the source of which it holds at least one byte.
    #[getter]
    fn char_spans(&self) -> Vec<Span> {
        self.inner.char_spans.clone()
    }

    fn __len__(&self) -> usize {
        self.inner.ids.len()
    }

    fn __repr__(&self) -> String {
        format!("Encoding({} ids)", self.inner.ids.len())
    }
}
