//! `WordCounts` and `WordCounter`.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyString, PyType};
use toksmith_core::artifact;
use toksmith_core::boundary::{Boundary, WhitespaceRule};
use toksmith_core::count::{LineOrder, Provenance, WordCounter, WordCounts, WordRef};
use toksmith_core::normalize::Normalizer;
use toksmith_core::pretokenize::{DigitRule, Pretokenizer, PretokenizerSettings};
use toksmith_core::types::Marks;

use crate::control::PyControl;
use crate::convert::{Text, num_threads, take_texts};
use crate::errors::{OrRaise, named, to_py};
use crate::json::{from_json, from_python, to_python};
use crate::token::PyToken;

/// The stages before counting, as JSON from Python.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CountSettings {
    #[serde(default)]
    normalizer: Normalizer,
    pretokenizer: String,
    boundary: String,
    whitespace: String,
    #[serde(default)]
    unicode: Option<String>,
    #[serde(default)]
    digits: Option<DigitRule>,
    #[serde(default)]
    user_defined_symbols: Vec<String>,
}

impl CountSettings {
    /// The settings of words that are given with their counts.
    fn of_words(
        py: Python<'_>,
        boundary: &str,
        pretokenizer: &str,
        whitespace: &str,
        unicode: Option<String>,
        normalizer: Option<&Bound<'_, PyAny>>,
        digits: Option<&str>,
    ) -> PyResult<Self> {
        Ok(Self {
            normalizer: match normalizer {
                None => Normalizer::IDENTITY,
                Some(steps) => from_python(steps, "normalizer")?,
            },
            pretokenizer: pretokenizer.to_owned(),
            boundary: boundary.to_owned(),
            whitespace: whitespace.to_owned(),
            unicode,
            digits: digits.map(DigitRule::from_name).transpose().or_raise(py)?,
            user_defined_symbols: Vec::new(),
        })
    }

    /// The stages that these settings name.
    pub(crate) fn provenance(self, py: Python<'_>) -> PyResult<Provenance> {
        let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
            pattern: self.pretokenizer,
            unicode: self.unicode,
            digits: self.digits,
        })
        .or_raise(py)?;
        let boundary = Boundary::from_name(&self.boundary).or_raise(py)?;
        let whitespace = WhitespaceRule::from_name(&self.whitespace).or_raise(py)?;
        boundary.check(whitespace).or_raise(py)?;
        Ok(Provenance {
            user_defined_symbols: self.user_defined_symbols,
            ..Provenance::of(self.normalizer, &pretokenizer, boundary, whitespace)
        })
    }
}

/// Marked word -> 64-bit count, with provenance. Merging is associative and commutative.
///
/// Made by `toksmith.count_words`, by `from_dict`, or read from a file. Iterating `items()` gives
/// `(Token, count)` sorted by bytes and marks. Equal counts made the same way are equal files.
#[pyclass(name = "WordCounts", module = "toksmith", frozen)]
pub(crate) struct PyWordCounts {
    pub(crate) inner: WordCounts,
}

#[pymethods]
impl PyWordCounts {
    /// Word counts from words and their counts, as a lexicon or a lecture gives them.
    ///
    /// Keys are words without marks, `str` or `bytes`. The other arguments say how a tokenizer
    /// trained on them cuts text.
    ///
    /// >>> import toksmith as ts
    /// >>> counts = ts.WordCounts.from_dict({"low": 5, "newer": 6})
    /// >>> len(counts), counts.total
    /// (2, 11)
    #[staticmethod]
    #[expect(
        clippy::too_many_arguments,
        reason = "Python passes one for each stage"
    )]
    #[pyo3(signature = (counts, *, boundary="space-prefix", pretokenizer="gpt2-contraction-fix", whitespace="split", unicode=None, normalizer=None, digits=None))]
    fn from_dict(
        py: Python<'_>,
        counts: &Bound<'_, PyAny>,
        boundary: &str,
        pretokenizer: &str,
        whitespace: &str,
        unicode: Option<String>,
        normalizer: Option<&Bound<'_, PyAny>>,
        digits: Option<&str>,
    ) -> PyResult<Self> {
        let provenance = CountSettings::of_words(
            py,
            boundary,
            pretokenizer,
            whitespace,
            unicode,
            normalizer,
            digits,
        )?
        .provenance(py)?;
        let mut words = Vec::new();
        for item in counts.call_method0("items")?.try_iter()? {
            let (word, count) = item?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let shown = word.repr()?.to_string();
            let bytes = Text::take(&word, || format!("word {shown}"))?
                .bytes()
                .to_vec();
            let count = count.extract::<u64>().ok().filter(|&count| count > 0);
            match count {
                Some(count) if !bytes.is_empty() => words.push((bytes, count)),
                Some(_) => return Err(named(py, "CorpusError", "a word is empty".to_owned())),
                None => {
                    let message = format!("the count of {shown} is no integer from 1 to 2**64-1");
                    return Err(named(py, "CorpusError", message));
                }
            }
        }
        let words = words.iter().map(|(bytes, count)| WordRef {
            bytes,
            marks: Marks::NONE,
            count: *count,
        });
        let inner = WordCounts::from_words(provenance, 0, 0, words).or_raise(py)?;
        Ok(Self { inner })
    }

    /// Reads words and their counts from a file of plain lines, as lexicons and other tools write.
    ///
    /// A line is a word, a tab and a count; with `order="count-first"` the count stands first. In a
    /// line without a tab a space does its part. There are no escapes: a word is any bytes but line
    /// ends, without marks, and of a line with several tabs it has all but the one at the count.
    /// Equal words are added up. The other arguments are those of `from_dict`.
    ///
    /// Args:
    ///     order: `word-first` (SentencePiece, subword-nmt) or `count-first` (`uniq -c`).
    /// Raises:
    ///     FormatError: a line is no word with a count; the message gives the line.
    ///     SettingsError: an unknown setting.
    ///     OSError: the file cannot be read.
    ///
    /// >>> import pathlib, tempfile
    /// >>> import toksmith as ts
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = pathlib.Path(folder, "words.tsv")
    /// ...     _ = path.write_text("low\t5\nnewer\t6\n")
    /// ...     ts.WordCounts.from_tsv(path) == ts.WordCounts.from_dict({"low": 5, "newer": 6})
    /// True
    #[staticmethod]
    #[expect(
        clippy::too_many_arguments,
        reason = "Python passes one for each stage"
    )]
    #[pyo3(signature = (path, *, order="word-first", boundary="space-prefix", pretokenizer="gpt2-contraction-fix", whitespace="split", unicode=None, normalizer=None, digits=None))]
    fn from_tsv(
        py: Python<'_>,
        path: PathBuf,
        order: &str,
        boundary: &str,
        pretokenizer: &str,
        whitespace: &str,
        unicode: Option<String>,
        normalizer: Option<&Bound<'_, PyAny>>,
        digits: Option<&str>,
    ) -> PyResult<Self> {
        let order = LineOrder::from_name(order).or_raise(py)?;
        let provenance = CountSettings::of_words(
            py,
            boundary,
            pretokenizer,
            whitespace,
            unicode,
            normalizer,
            digits,
        )?
        .provenance(py)?;
        let inner =
            py.detach(|| WordCounts::from_lines(provenance, &artifact::read(&path)?, order));
        let inner = inner.map_err(|error| with_path(py, &path, error))?;
        Ok(Self { inner })
    }

    /// Reads counts that `save` wrote.
    ///
    /// Raises:
    ///     FormatError: the file is no word counts; the message gives the line.
    ///     OSError: it cannot be read.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inner = py.detach(|| {
            let bytes = artifact::read(&path)?;
            let text = String::from_utf8(bytes).map_err(|error| toksmith_core::Error::Format {
                format: "word counts",
                place: format!("byte {}", error.utf8_error().valid_up_to()),
                reason: "it is not UTF-8".to_owned(),
            })?;
            WordCounts::from_tsv(&text)
        });
        let inner = inner.map_err(|error| with_path(py, &path, error))?;
        Ok(Self { inner })
    }

    /// Writes the counts as TSV (lead, bytes in hex, trail, count), whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| artifact::write_atomically(&path, self.inner.to_tsv().as_bytes()))
            .or_raise(py)
    }

    /// Both counts added up.
    ///
    /// Raises:
    ///     SettingsError: they were made in different ways; the message names the difference.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let inner = py.detach(|| self.inner.merge(&other.inner)).or_raise(py)?;
        Ok(Self { inner })
    }

    /// Iterates over `(Token, count)`, sorted by bytes and then by marks.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let items = self.inner.iter().map(|word| {
            let token = PyToken {
                bytes: word.bytes.to_vec(),
                marks: word.marks,
                is_special: false,
            };
            (token, word.count)
        });
        let items = items
            .map(|item| item.into_pyobject(py))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, items)?.try_iter()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// The sum of all counts.
    #[getter]
    fn total(&self) -> u128 {
        self.inner.total()
    }

    /// How the words were made: normalizer, pretokenizer, pattern, unicode, boundary, whitespace,
    /// and digits where there is a rule for them.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.inner.provenance())
    }

    /// Number of documents counted; 0 when words were given.
    #[getter]
    fn num_documents(&self) -> u64 {
        self.inner.num_documents()
    }

    /// Bytes of text counted; 0 when words were given.
    #[getter]
    fn num_bytes(&self) -> u64 {
        self.inner.num_bytes()
    }

    /// SHA-256 of the file form, in hex.
    #[getter]
    fn content_hash(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.content_hash())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.inner == other.get().inner)
    }

    fn __hash__(&self) -> isize {
        self.inner.len() as isize
    }

    fn __repr__(&self) -> String {
        format!(
            "WordCounts({} words, total {}, {})",
            self.inner.len(),
            self.inner.total(),
            self.inner.provenance().boundary.name()
        )
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyString>,))> {
        let py = slf.py();
        let make = PyType::new::<Self>(py).getattr("_from_tsv")?;
        Ok((make, (PyString::new(py, &slf.get().inner.to_tsv()),)))
    }

    /// Counts from their file form; what pickles are made of.
    #[staticmethod]
    fn _from_tsv(py: Python<'_>, tsv: &str) -> PyResult<Self> {
        let inner = py.detach(|| WordCounts::from_tsv(tsv)).or_raise(py)?;
        Ok(Self { inner })
    }
}

/// Counts marked words, batch after batch.
#[pyclass(name = "WordCounter", module = "toksmith._core")]
pub(crate) struct PyWordCounter {
    inner: Option<WordCounter>,
}

#[pymethods]
impl PyWordCounter {
    #[new]
    #[pyo3(signature = (settings, num_threads=None))]
    fn new(
        py: Python<'_>,
        settings: &str,
        num_threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let settings: CountSettings = from_json(py, settings)?;
        let provenance = settings.provenance(py)?;
        let num_threads = self::num_threads(py, num_threads)?;
        let inner = WordCounter::new(provenance, num_threads).or_raise(py)?;
        Ok(Self { inner: Some(inner) })
    }

    /// Counts some documents; each is marked by itself.
    fn count(&mut self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<()> {
        let documents = take_texts(documents)?;
        let documents: Vec<&[u8]> = documents.iter().map(Text::bytes).collect();
        let counter = self.inner.as_mut().ok_or_else(finished)?;
        let counted = PyControl::new(None).run(py, |control| counter.count(&documents, control));
        if counted.is_err() {
            self.inner = None;
        }
        counted
    }

    /// The counts of everything so far; the counter is then spent.
    fn finish(&mut self, py: Python<'_>) -> PyResult<PyWordCounts> {
        let counter = self.inner.take().ok_or_else(finished)?;
        let inner = PyControl::new(None).run(py, |control| counter.finish(control))?;
        Ok(PyWordCounts { inner })
    }
}

/// The exception for a file at fault, which its message names.
fn with_path(py: Python<'_>, path: &Path, error: toksmith_core::Error) -> PyErr {
    match error {
        toksmith_core::Error::Io { .. } => to_py(py, error),
        _ => named(py, "FormatError", format!("{}: {error}", path.display())),
    }
}

fn finished() -> PyErr {
    PyRuntimeError::new_err("the counter is finished")
}
