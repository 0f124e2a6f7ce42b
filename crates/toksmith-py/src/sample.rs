//! `Dropout` and `Temperature`: how a text is encoded at random, and from which seed.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use toksmith_core::encode::Sample;

use crate::errors::{OrRaise, named};

/// Sampling for merges: each one is left out with a probability, at each step (BPE-dropout).
///
/// Args:
///     probability: from 0 (the encoding without sampling) to 1 (units alone).
/// Source: Provilkov et al. 2020.
///
/// >>> import toksmith as ts
/// >>> ts.Dropout(0.1)
/// Dropout(0.1)
#[pyclass(name = "Dropout", module = "toksmith", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyDropout {
    /// The probability with which a merge is left out.
    #[pyo3(get)]
    probability: f64,
}

#[pymethods]
impl PyDropout {
    #[new]
    fn new(py: Python<'_>, probability: f64) -> PyResult<Self> {
        Sample::Dropout(probability).check().or_raise(py)?;
        Ok(Self { probability })
    }

    fn __repr__(&self) -> String {
        format!("Dropout({:?})", self.probability)
    }

    fn __getnewargs__(&self) -> (f64,) {
        (self.probability,)
    }
}

/// Sampling for scores: a segmentation comes with probability proportional to exp(alpha * score).
///
/// Args:
///     alpha: inverse temperature, from 0 (all segmentations are equally likely) to 1,000,000; the
///         larger, the more often the best one comes.
/// Source: Kudo 2018 (subword regularization).
///
/// >>> import toksmith as ts
/// >>> ts.Temperature(0.2)
/// Temperature(0.2)
#[pyclass(name = "Temperature", module = "toksmith", frozen, eq)]
#[derive(Clone, PartialEq)]
pub(crate) struct PyTemperature {
    /// The inverse temperature.
    #[pyo3(get)]
    alpha: f64,
}

#[pymethods]
impl PyTemperature {
    #[new]
    fn new(py: Python<'_>, alpha: f64) -> PyResult<Self> {
        Sample::Temperature(alpha).check().or_raise(py)?;
        Ok(Self { alpha })
    }

    fn __repr__(&self) -> String {
        format!("Temperature({:?})", self.alpha)
    }

    fn __getnewargs__(&self) -> (f64,) {
        (self.alpha,)
    }
}

/// What to draw, and from which seed; nothing is drawn without one.
pub(crate) fn take_sample(
    py: Python<'_>,
    sample: Option<&Bound<'_, PyAny>>,
    seed: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(Sample, u64)>> {
    let fault = |message: String| Err(named(py, "SettingsError", message));
    let Some(sample) = sample else {
        return match seed {
            None => Ok(None),
            Some(_) => fault("seed goes with sample: without it nothing is random".to_owned()),
        };
    };
    let sample = if let Ok(dropout) = sample.cast::<PyDropout>() {
        Sample::Dropout(dropout.get().probability)
    } else if let Ok(temperature) = sample.cast::<PyTemperature>() {
        Sample::Temperature(temperature.get().alpha)
    } else {
        let kind = sample.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "sample is {kind}, not Dropout or Temperature"
        )));
    };
    match seed {
        Some(seed) => Ok(Some((sample, take_seed(py, seed)?))),
        None => fault("sample needs a seed: equal seeds give equal ids".to_owned()),
    }
}

/// A seed: a whole number of 64 bits.
pub(crate) fn take_seed(py: Python<'_>, seed: &Bound<'_, PyAny>) -> PyResult<u64> {
    take_whole(py, "seed", seed)
}

/// A number of results.
pub(crate) fn take_number(
    py: Python<'_>,
    name: &str,
    number: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    Ok(usize::try_from(take_whole(py, name, number)?).unwrap_or(usize::MAX))
}

fn take_whole(py: Python<'_>, name: &str, number: &Bound<'_, PyAny>) -> PyResult<u64> {
    // True is an int to Python.
    let is_bool = number.is_instance_of::<PyBool>();
    match number.extract::<u64>() {
        Ok(whole) if !is_bool => Ok(whole),
        _ => {
            let repr = number.repr()?;
            let message =
                format!("{name} is {repr}, but must be a whole number from 0 to 2**64 - 1");
            Err(named(py, "SettingsError", message))
        }
    }
}
