//! `Prepared`, and the arguments of `Tokenizer.prepare` and `Tokenizer.with_template`.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use toksmith_core::Error;
use toksmith_core::post::{
    PadLength, PaddingSettings, PostSettings, Prepared, Side, Strategy, TemplateSettings,
    TruncationSettings, split_pieces,
};
use toksmith_core::types::Span;

use crate::errors::{OrRaise, named};

/// Rows ready for a model. Each field is a list of rows, one value an id; `numpy()` has arrays.
///
/// ids: token ids. attention_mask: 0 for padding, else 1. type_ids: what the template says.
/// special_tokens_mask: 1 for what the template and padding added, 0 for what stands in a text.
/// byte_spans, char_spans: `(start, end)` in the id's own text, `(0, 0)` for what was added.
/// sequence_ids: 0 for an id of the text, 1 for one of its pair, None for what was added.
/// overflow_to_sample: for each row the number of its text.
#[pyclass(name = "Prepared", module = "toksmith", frozen)]
pub(crate) struct PyPrepared {
    pub(crate) inner: Prepared,
}

impl PyPrepared {
    fn rows<'py, T>(&self, py: Python<'py>, column: &[T]) -> PyResult<Bound<'py, PyList>>
    where
        T: Copy + IntoPyObject<'py>,
    {
        let rows = self
            .inner
            .offsets
            .windows(2)
            .map(|pair| PyList::new(py, column[pair[0]..pair[1]].iter().copied()))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, rows)
    }
}

#[pymethods]
impl PyPrepared {
    /// Token ids.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.ids)
    }

    /// 0 for padding, else 1.
    #[getter]
    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.attention_mask)
    }

    /// What the template says: as a rule 0, and 1 for the pair; 0 for padding.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.type_ids)
    }

    /// 1 for what the template and padding added, 0 for what stands in a text.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.special_tokens_mask)
    }

    /// For each id its bytes in its own text; `(0, 0)` for what was added.
    #[getter]
    fn byte_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.byte_spans)
    }

    /// For each id the characters of its own text of which it holds at least one byte; `(0, 0)` for
    /// what was added.
    #[getter]
    fn char_spans<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.char_spans)
    }

    /// 0 for an id of the text, 1 for one of its pair, None for what was added.
    #[getter]
    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.rows(py, &self.inner.sequence_ids)
    }

    /// For each row the number of its text: 0, 1, … unless `return_overflow` gave several rows.
    #[getter]
    fn overflow_to_sample(&self) -> Vec<usize> {
        self.inner.overflow_to_sample.clone()
    }

    /// All fields by name as int64 arrays, of shape (rows, ids); spans have a third axis of 2, in
    /// `sequence_ids` None is -1, and `overflow_to_sample` has one value a row.
    ///
    /// Raises:
    ///     SettingsError: the rows are not of one length; padding makes them so.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (shortest, longest) = self.inner.row_lens().unwrap_or_default();
        if shortest != longest {
            let what = format!(
                "rows have {shortest} to {longest} ids, so they make no array; \
                 pass padding=\"longest\" or \"max_length\" to prepare"
            );
            return Err(Error::Incompatible { what }).or_raise(py);
        }
        let shape = [self.inner.len(), longest];
        let array = |values: Vec<i64>| PyArray1::from_vec(py, values).reshape(shape);
        let spans = |spans: &[Span]| {
            let flat = spans
                .iter()
                .flat_map(|&(start, end)| [start as i64, end as i64]);
            PyArray1::from_vec(py, flat.collect()).reshape([shape[0], shape[1], 2])
        };
        let inner = &self.inner;
        let arrays = PyDict::new(py);
        arrays.set_item("ids", array(as_i64(&inner.ids))?)?;
        arrays.set_item("attention_mask", array(as_i64(&inner.attention_mask))?)?;
        arrays.set_item("type_ids", array(as_i64(&inner.type_ids))?)?;
        let mask = as_i64(&inner.special_tokens_mask);
        arrays.set_item("special_tokens_mask", array(mask)?)?;
        arrays.set_item("byte_spans", spans(&inner.byte_spans)?)?;
        arrays.set_item("char_spans", spans(&inner.char_spans)?)?;
        let sequences = inner.sequence_ids.iter();
        let sequences = sequences.map(|id| id.map_or(-1, i64::from)).collect();
        arrays.set_item("sequence_ids", array(sequences)?)?;
        let samples = inner.overflow_to_sample.iter().map(|&sample| sample as i64);
        let samples = PyArray1::from_vec(py, samples.collect());
        arrays.set_item("overflow_to_sample", samples)?;
        Ok(arrays)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        let num_rows = self.inner.len();
        match self.inner.row_lens() {
            None => "Prepared(0 rows)".to_owned(),
            Some((shortest, longest)) if shortest == longest => {
                format!("Prepared({num_rows} rows of {longest} ids)")
            }
            Some((shortest, longest)) => {
                format!("Prepared({num_rows} rows of {shortest} to {longest} ids)")
            }
        }
    }
}

fn as_i64<T: Copy + Into<i64>>(values: &[T]) -> Vec<i64> {
    values.iter().map(|&value| value.into()).collect()
}

/// A template from Python: each form a string, cut at white space, or a list of pieces.
pub(crate) fn take_template(
    single: &Bound<'_, PyAny>,
    pair: Option<&Bound<'_, PyAny>>,
) -> PyResult<TemplateSettings> {
    Ok(TemplateSettings {
        single: take_pieces(single, "single")?,
        pair: pair.map(|pair| take_pieces(pair, "pair")).transpose()?,
    })
}

fn take_pieces(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<String>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(split_pieces(text.to_str()?));
    }
    value.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "{name} is neither a str, such as \"[CLS] $A [SEP]\", nor a list of str"
        ))
    })
}

/// The keyword arguments of `prepare` that say what becomes of ids, as they came.
pub(crate) struct PostArguments<'a> {
    pub(crate) max_length: Option<i128>,
    pub(crate) truncation: Option<&'a str>,
    pub(crate) stride: i128,
    pub(crate) truncation_side: &'a str,
    pub(crate) padding: Option<&'a str>,
    pub(crate) pad_token: Option<&'a str>,
    pub(crate) padding_side: &'a str,
    pub(crate) pad_to_multiple_of: Option<i128>,
    pub(crate) add_special_tokens: bool,
    pub(crate) return_overflow: bool,
}

impl PostArguments<'_> {
    /// The core's settings; what would have no effect is refused.
    pub(crate) fn settings(&self, py: Python<'_>) -> PyResult<PostSettings> {
        let size = |name, value: Option<i128>| value.map(|n| take_size(py, name, n)).transpose();
        let max_length = size("max_length", self.max_length)?;
        let stride = take_size(py, "stride", self.stride)?;
        let multiple = size("pad_to_multiple_of", self.pad_to_multiple_of)?;
        let strategy = self.truncation.map(Strategy::from_name).transpose();
        let strategy = strategy.or_raise(py)?;
        let truncation_side = Side::from_name("truncation_side", self.truncation_side);
        let side = truncation_side.or_raise(py)?;
        let truncation = match (max_length, strategy) {
            (Some(max_length), Some(strategy)) => Some(TruncationSettings {
                max_length,
                stride,
                side,
                strategy,
            }),
            _ => None,
        };
        let refuse = |what: String| Err(Error::Incompatible { what }).or_raise(py);
        if truncation.is_none() && stride > 0 {
            return refuse(format!("stride is {stride}, but nothing is truncated"));
        }
        let padding_side = Side::from_name("padding_side", self.padding_side);
        let side = padding_side.or_raise(py)?;
        let length = match (self.padding, max_length) {
            (None, Some(max_length)) if truncation.is_none() => {
                return refuse(format!(
                    "max_length is {max_length}, but there is neither truncation nor padding"
                ));
            }
            (None, _) if multiple.is_some() => {
                return refuse("pad_to_multiple_of is set, but padding is not".to_owned());
            }
            (None, _) => None,
            (Some("longest"), _) => Some(PadLength::Longest),
            (Some("max_length"), Some(max_length)) => Some(PadLength::Fixed(max_length)),
            (Some("max_length"), None) => {
                return refuse("padding is \"max_length\", but max_length is not set".to_owned());
            }
            (Some(other), _) => {
                return Err(Error::UnknownSetting {
                    setting: "padding",
                    value: other.to_owned(),
                    known: "longest, max_length".to_owned(),
                })
                .or_raise(py);
            }
        };
        let padding = match (length, self.pad_token) {
            (None, _) => None,
            (Some(length), Some(pad_token)) => Some(PaddingSettings {
                length,
                pad_token: pad_token.to_owned(),
                side,
                pad_to_multiple_of: multiple,
            }),
            (Some(_), None) => {
                let what = "padding needs pad_token, the name of a special token of this tokenizer";
                return refuse(what.to_owned());
            }
        };
        Ok(PostSettings {
            add_special_tokens: self.add_special_tokens,
            truncation,
            padding,
            return_overflow: self.return_overflow,
        })
    }
}

/// A length from Python; however large, since lengths are only ever compared.
fn take_size(py: Python<'_>, name: &str, value: i128) -> PyResult<usize> {
    if value < 0 {
        let message = format!("{name} is {value}, but must be at least 0");
        return Err(named(py, "SettingsError", message));
    }
    Ok(usize::try_from(value).unwrap_or(usize::MAX))
}
