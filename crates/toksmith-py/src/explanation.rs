//! `Explanation`: how a text becomes tokens.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use toksmith_core::explain::Explanation;
use toksmith_core::types::TokenId;

use crate::json::to_python;

/// How a text becomes tokens. `str()` gives `text -> form | form`.
///
/// A form is `#` if the token has lead, its bytes, `#` if it has trail; `#`, `|` and `\` of the
/// text are escaped by `\`, white space is `\s \n \t \r`, other bytes `\xHH`.
#[pyclass(name = "Explanation", module = "toksmith", frozen)]
pub(crate) struct PyExplanation {
    pub(crate) inner: Explanation,
}

#[pymethods]
impl PyExplanation {
    /// The text, in bytes.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.text)
    }

    /// Its ids.
    #[getter]
    fn ids(&self) -> Vec<TokenId> {
        self.inner.ids.clone()
    }

    /// How each token is shown.
    #[getter]
    fn forms(&self) -> Vec<String> {
        self.inner.forms.clone()
    }

    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    fn __repr__(&self) -> String {
        self.inner.to_string()
    }

    /// What each stage made of each stretch of the text, as data: `normalized`, `is_changed`,
    /// `is_added_token`, `pretokens`, and `words` with `form`, `ids`, `forms` and `steps` (`what` and
    /// `forms` after it; empty for words of more than 64 units and encoders without steps).
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.inner.parts)
    }

    /// All of it, line by line.
    fn details(&self) -> String {
        self.inner.details()
    }

    /// The tokens as a row of coloured boxes and below them how they came about, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let escape = py.import("html")?.getattr("escape")?;
        let escape = |text: &str| escape.call1((text,))?.extract::<String>();
        let mut html = String::from("<div style=\"font-family:monospace;line-height:2\">");
        for (at, (form, id)) in self.inner.forms.iter().zip(&self.inner.ids).enumerate() {
            let hue = HUES[at % HUES.len()];
            html.push_str(&format!(
                "<span title=\"id {id}\" style=\"border:1px solid #8888;border-radius:4px;\
                 background:hsl({hue} 70% 50% / 0.25);padding:2px 4px;margin:1px;\
                 white-space:pre\">{}</span>",
                escape(form)?
            ));
        }
        html.push_str("</div><details><summary>step by step</summary><pre>");
        html.push_str(&escape(&self.inner.details())?);
        html.push_str("</pre></details>");
        Ok(html)
    }
}

/// Colours of neighbouring tokens, as degrees on the wheel.
const HUES: [u16; 5] = [210, 30, 130, 280, 0];
