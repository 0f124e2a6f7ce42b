//! Python values → what the core takes.

use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyInt, PyList, PyString};
use toksmith_core::special::AllowedSpecial;
use toksmith_core::types::TokenId;

use crate::errors::{named, to_py};

/// A text from Python: borrowed where the object's bytes cannot change.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
    Copy(Vec<u8>),
}

impl<'py> Text<'py> {
    /// Takes `str`, `bytes` or `bytearray`; `what` names the argument in the error.
    pub(crate) fn take(value: &Bound<'py, PyAny>, what: impl FnOnce() -> String) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            if let Err(error) = text.to_str() {
                return Err(lone_surrogate(value.py(), &error, what));
            }
            Ok(Self::Str(text.clone()))
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            Ok(Self::Bytes(bytes.clone()))
        } else if let Ok(bytes) = value.cast::<PyByteArray>() {
            Ok(Self::Copy(bytes.to_vec()))
        } else {
            let kind = value.get_type().name()?;
            Err(PyTypeError::new_err(format!(
                "{} is {kind}, not str or bytes",
                what()
            )))
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            // Checked in `take`; the object keeps its UTF-8 form.
            Self::Str(text) => text.to_str().unwrap_or_default().as_bytes(),
            Self::Bytes(bytes) => bytes.as_bytes(),
            Self::Copy(bytes) => bytes,
        }
    }
}

fn lone_surrogate(py: Python<'_>, error: &PyErr, what: impl FnOnce() -> String) -> PyErr {
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return error.clone_ref(py);
    }
    let at = error
        .value(py)
        .getattr("start")
        .and_then(|start| start.extract::<usize>())
        .unwrap_or_default();
    named(
        py,
        "EncodeError",
        format!(
            "{} holds a lone surrogate at character {at}, which UTF-8 cannot express; \
             pass bytes, or replace it first",
            what()
        ),
    )
}

/// Texts from a sequence, each named by its index in errors.
pub(crate) fn take_texts<'py>(texts: &Bound<'py, PyAny>) -> PyResult<Vec<Text<'py>>> {
    take_texts_of(texts, "texts")
}

/// As [`take_texts`], of the argument `name`.
pub(crate) fn take_texts_of<'py>(
    texts: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Vec<Text<'py>>> {
    if texts.is_instance_of::<PyString>() || texts.is_instance_of::<PyBytes>() {
        return Err(PyTypeError::new_err(format!(
            "{name} is one text; pass a list of texts (`encode` takes one)"
        )));
    }
    texts
        .try_iter()?
        .enumerate()
        .map(|(at, text)| Text::take(&text?, || format!("{name}[{at}]")))
        .collect()
}

/// Which special tokens a call allows.
pub(crate) enum Allowed {
    All,
    Only(Vec<String>),
}

impl Allowed {
    pub(crate) fn take(value: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(value) = value else {
            return Ok(Self::Only(Vec::new()));
        };
        if let Ok(text) = value.cast::<PyString>() {
            return match text.to_str()? {
                "all" => Ok(Self::All),
                other => Err(PyTypeError::new_err(format!(
                    "allowed_special is {other:?}; pass \"all\" or a collection of names"
                ))),
            };
        }
        value
            .try_iter()?
            .map(|name| {
                let name = Text::take(&name?, || "a name in allowed_special".to_owned())?;
                Ok(String::from_utf8_lossy(name.bytes()).into_owned())
            })
            .collect::<PyResult<_>>()
            .map(Self::Only)
    }

    pub(crate) fn as_core(&self) -> AllowedSpecial<'_> {
        match self {
            Self::All => AllowedSpecial::All,
            Self::Only(names) if names.is_empty() => AllowedSpecial::None,
            Self::Only(names) => AllowedSpecial::Only(names),
        }
    }
}

/// One id; what is no id of a vocabulary of `vocab_size` is named, however large or negative.
pub(crate) fn take_id(value: &Bound<'_, PyAny>, at: usize, vocab_size: usize) -> PyResult<TokenId> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err(format!("id {at} is bool, not int")));
    }
    if let Ok(id) = value.extract::<TokenId>() {
        return Ok(id);
    }
    let number = py
        .import("operator")?
        .call_method1("index", (value,))
        .map_err(|_| {
            let kind = value.get_type().name();
            let kind = kind.map_or_else(|_| "?".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("id {at} is {kind}, not int"))
        })?;
    match number.extract::<i64>() {
        Ok(id) => match TokenId::try_from(id) {
            Ok(id) => Ok(id),
            Err(_) => Err(to_py(
                py,
                toksmith_core::Error::UnknownTokenId {
                    id: i128::from(id),
                    at,
                    vocab_size,
                },
            )),
        },
        Err(_) => Err(named(
            py,
            "UnknownTokenIdError",
            format!(
                "the token id at position {at} does not fit 64 bits (ids are 0 to {})",
                vocab_size.saturating_sub(1)
            ),
        )),
    }
}

/// Ids from a list, an array (by its `tolist`) or any iterable of integers.
pub(crate) fn take_ids(ids: &Bound<'_, PyAny>, vocab_size: usize) -> PyResult<Vec<TokenId>> {
    if let Ok(list) = ids.cast::<PyList>() {
        return list
            .iter()
            .enumerate()
            .map(|(at, id)| take_id(&id, at, vocab_size))
            .collect();
    }
    if ids.is_instance_of::<PyInt>()
        || ids.is_instance_of::<PyString>()
        || ids.is_instance_of::<PyBytes>()
        || ids.is_instance_of::<PyDict>()
    {
        let kind = ids.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "ids is {kind}, not a sequence of int"
        )));
    }
    if let Ok(list) = ids.call_method0("tolist") {
        if let Ok(list) = list.cast::<PyList>() {
            return take_ids(list.as_any(), vocab_size);
        }
    }
    ids.try_iter()?
        .enumerate()
        .map(|(at, id)| take_id(&id?, at, vocab_size))
        .collect()
}

/// More threads than this are never started; results do not depend on their number.
const MAX_THREADS: usize = 256;

/// Threads to use: what is asked for, else what the machine has.
pub(crate) fn num_threads(py: Python<'_>, asked: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(asked) = asked else {
        return Ok(std::thread::available_parallelism().map_or(1, usize::from));
    };
    let number = py.import("operator")?.call_method1("index", (asked,))?;
    if number.lt(1)? {
        let message = format!("num_threads is {asked}, but must be at least 1, or None for all");
        return Err(named(py, "SettingsError", message));
    }
    Ok(number
        .extract::<usize>()
        .map_or(MAX_THREADS, |n| n.min(MAX_THREADS)))
}
