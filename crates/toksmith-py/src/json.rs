//! Settings cross the boundary as JSON, so that the bindings do not grow with the settings.

use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::to_py;

/// Settings from Python; an unknown field or a wrong type is a `SettingsError` that says so.
pub(crate) fn from_json<T: DeserializeOwned>(py: Python<'_>, json: &str) -> PyResult<T> {
    let mut parser = serde_json::Deserializer::from_str(json);
    serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        // "at line 1 column 77" means nothing to somebody who passed keyword arguments.
        let reason = error.inner().to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        let reason = format!("{}: {reason}", error.path());
        to_py(py, toksmith_core::Error::Settings { reason })
    })
}

/// Settings from Python dicts, lists and scalars; `what` names the argument in the error.
pub(crate) fn from_python<T: DeserializeOwned>(
    value: &Bound<'_, PyAny>,
    what: &str,
) -> PyResult<T> {
    let py = value.py();
    let fault = |reason: &dyn std::fmt::Display| {
        let reason = format!("{what}: {reason}");
        to_py(py, toksmith_core::Error::Settings { reason })
    };
    let json = py.import("json")?.call_method1("dumps", (value,));
    let json: String = json
        .and_then(|json| json.extract())
        .map_err(|error| fault(&error.value(py)))?;
    let mut parser = serde_json::Deserializer::from_str(&json);
    serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        let reason = error.inner().to_string();
        fault(&reason.split(" at line ").next().unwrap_or_default())
    })
}

/// Any serializable value as Python dicts, lists and scalars.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let json = serde_json::to_string(value).map_err(|error| {
        to_py(
            py,
            toksmith_core::Error::Settings {
                reason: error.to_string(),
            },
        )
    })?;
    py.import("json")?.call_method1("loads", (json,))
}
