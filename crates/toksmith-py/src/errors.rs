//! Core errors → the exceptions of `toksmith.errors`, in one place.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;
use toksmith_core::Error;

/// The Python exception for a core error.
pub(crate) fn to_py(py: Python<'_>, error: Error) -> PyErr {
    let class = match &error {
        Error::Interrupted => return PyKeyboardInterrupt::new_err(()),
        Error::Io { path, source } => {
            return match source.raw_os_error() {
                // The constructor picks FileNotFoundError and its like by the number.
                Some(number) => {
                    let message = source.to_string();
                    let message = message.split(" (os error").next().unwrap_or_default();
                    PyOSError::new_err((number, message.to_owned(), path.clone()))
                }
                None => PyOSError::new_err(error.to_string()),
            };
        }
        Error::EmptyCorpus
        | Error::TooLarge { .. }
        | Error::CountOverflow { .. }
        | Error::VocabNotReached { .. } => "TrainingError",
        Error::PatternRun { .. } | Error::UncoveredSymbol { .. } => "EncodeError",
        Error::UnknownTokenId { .. } => "UnknownTokenIdError",
        Error::Format { .. }
        | Error::UnknownFormat { .. }
        | Error::FormatVersion { .. }
        | Error::ContentHash { .. }
        | Error::SelfTest { .. } => "FormatError",
        _ => "SettingsError",
    };
    named(py, class, error.to_string())
}

/// An exception of `toksmith.errors` by name.
pub(crate) fn named(py: Python<'_>, class: &str, message: String) -> PyErr {
    let made = py
        .import("toksmith.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// `?` for core results where the interpreter is at hand.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for toksmith_core::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| to_py(py, error))
    }
}
