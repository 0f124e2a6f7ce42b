//! Python bindings of `toksmith-core`: conversions, errors, the lock released; no algorithms.

mod control;
mod convert;
mod counts;
mod decode_stream;
mod encoding;
mod errors;
mod explanation;
mod json;
mod post;
mod sample;
mod token;
mod tokenizer;

use pyo3::prelude::*;

/// The compiled core of toksmith.
#[pymodule]
mod _core {
    use std::path::PathBuf;

    use pyo3::prelude::*;
    use toksmith_core::boundary::Boundary;
    use toksmith_core::format::{self, ForeignSettings};
    use toksmith_core::normalize::Normalizer;
    use toksmith_core::pretokenize::{DigitRule, UNICODE_TABLE, names, versions};
    use toksmith_core::tokenizer::{Tokenizer, TrainSettings};

    use crate::control::PyControl;
    use crate::counts::CountSettings;
    use crate::errors::OrRaise;
    use crate::json::{from_json, from_python, to_python};

    #[pymodule_export]
    use crate::counts::{PyWordCounter, PyWordCounts};
    #[pymodule_export]
    use crate::decode_stream::PyDecodeStream;
    #[pymodule_export]
    use crate::encoding::PyEncoding;
    #[pymodule_export]
    use crate::explanation::PyExplanation;
    #[pymodule_export]
    use crate::post::PyPrepared;
    #[pymodule_export]
    use crate::sample::{PyDropout, PyTemperature};
    #[pymodule_export]
    use crate::token::PyToken;
    #[pymodule_export]
    use crate::tokenizer::PyTokenizer;

    /// Version of the core.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name for it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Trains a tokenizer on counted words; settings are JSON.
    #[pyfunction]
    #[pyo3(signature = (counts, settings, *, num_threads=None, progress=None))]
    fn train(
        py: Python<'_>,
        counts: &Bound<'_, PyWordCounts>,
        settings: &str,
        num_threads: Option<&Bound<'_, PyAny>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PyTokenizer> {
        let settings: TrainSettings = from_json(py, settings)?;
        let counts = &counts.get().inner;
        PyControl::new(progress)
            .on_threads(crate::convert::num_threads(py, num_threads)?)
            .run(py, |control| Tokenizer::train(counts, settings, control))
            .map(PyTokenizer::new)
    }

    /// Says what is wrong with settings of training for words counted with some settings, before any
    /// work is done; both are JSON.
    #[pyfunction]
    fn check_training(py: Python<'_>, settings: &str, counting: &str) -> PyResult<()> {
        let settings: TrainSettings = from_json(py, settings)?;
        let counting: CountSettings = from_json(py, counting)?;
        settings.check(&counting.provenance(py)?).or_raise(py)
    }

    /// Reads the content of a tokenizer file of any known format; what a foreign one does not say are
    /// settings in JSON.
    #[pyfunction]
    fn read_tokenizer(py: Python<'_>, data: &[u8], settings: &str) -> PyResult<PyTokenizer> {
        let settings: ForeignSettings = from_json(py, settings)?;
        py.detach(|| format::read(data, &settings))
            .or_raise(py)
            .map(PyTokenizer::new)
    }

    /// The names of the boundaries: the ways in which a space is written.
    #[pyfunction]
    fn boundaries() -> Vec<&'static str> {
        Boundary::ALL.map(Boundary::name).to_vec()
    }

    /// The steps of a normalizer, with all of their settings written out.
    ///
    /// Takes a name, an object with a `type`, or a list of them, as every `normalizer=` does.
    #[pyfunction]
    fn normalizer_steps<'py>(normalizer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let steps: Normalizer = from_python(normalizer, "normalizer")?;
        to_python(normalizer.py(), &steps)
    }

    /// The names of the pretokenizers, in the order of the documentation; any other string is a
    /// regular expression.
    #[pyfunction]
    fn pretokenizers() -> Vec<&'static str> {
        names().to_vec()
    }

    /// The names of the rules for digits, in the order of the documentation.
    #[pyfunction]
    fn digit_rules() -> Vec<String> {
        DigitRule::all().map(DigitRule::name).collect()
    }

    /// The generated table of general categories, as text.
    #[pyfunction]
    fn unicode_table() -> &'static str {
        UNICODE_TABLE
    }

    /// The Unicode versions in the table, oldest first; the last is the default.
    #[pyfunction]
    fn unicode_versions() -> Vec<&'static str> {
        versions().to_vec()
    }

    /// Writes a file so that at any moment either the old one or the new one is there.
    #[pyfunction]
    fn write_atomically(py: Python<'_>, path: PathBuf, data: &[u8]) -> PyResult<()> {
        py.detach(|| toksmith_core::artifact::write_atomically(&path, data))
            .or_raise(py)
    }
}
