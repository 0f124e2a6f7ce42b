//! `Token`: one entry of a vocabulary.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use toksmith_core::types::Marks;

/// Bytes, lead, trail, and whether it is special.
type TokenParts<'py> = (Bound<'py, PyBytes>, bool, bool, bool);

/// One entry of a vocabulary: bytes, and in implicit-space models two marks.
///
/// >>> import toksmith as ts
/// >>> ts.Token(b"the", lead=True)
/// Token(b'the', lead=True, trail=False)
#[pyclass(name = "Token", module = "toksmith", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyToken {
    pub(crate) bytes: Vec<u8>,
    pub(crate) marks: Marks,
    pub(crate) is_special: bool,
}

#[pymethods]
impl PyToken {
    #[new]
    #[pyo3(signature = (bytes, lead=false, trail=false))]
    fn new(bytes: Vec<u8>, lead: bool, trail: bool) -> Self {
        Self {
            bytes,
            marks: Marks::new(lead, trail),
            is_special: false,
        }
    }

    /// What the token spells, without implicit spaces.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    /// True when no space stands before it.
    #[getter]
    fn lead(&self) -> bool {
        self.marks.lead()
    }

    /// True when no space stands after it.
    #[getter]
    fn trail(&self) -> bool {
        self.marks.trail()
    }

    /// True for special tokens, whose bytes are their name.
    #[getter]
    fn is_special(&self) -> bool {
        self.is_special
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let py_bool = |flag| if flag { "True" } else { "False" };
        Ok(format!(
            "Token({}, lead={}, trail={})",
            PyBytes::new(py, &self.bytes).repr()?,
            py_bool(self.marks.lead()),
            py_bool(self.marks.trail()),
        ))
    }

    /// The token as `explain` shows it.
    fn __str__(&self) -> String {
        toksmith_core::display::form(&self.bytes, self.marks)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, TokenParts<'py>)> {
        let py = slf.py();
        let this = slf.get();
        let make = PyType::new::<Self>(py).getattr("_from_parts")?;
        let (lead, trail) = (this.marks.lead(), this.marks.trail());
        Ok((
            make,
            (PyBytes::new(py, &this.bytes), lead, trail, this.is_special),
        ))
    }

    /// A token from all of its parts; what pickles are made of.
    #[staticmethod]
    fn _from_parts(bytes: Vec<u8>, lead: bool, trail: bool, is_special: bool) -> Self {
        Self {
            bytes,
            marks: Marks::new(lead, trail),
            is_special,
        }
    }
}
