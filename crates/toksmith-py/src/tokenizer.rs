//! `Tokenizer`.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString, PyType};
use toksmith_core::artifact;
use toksmith_core::encode::EncoderKind;
use toksmith_core::lattice::Path;
use toksmith_core::post::Template;
use toksmith_core::pretokenize::DigitRule;
use toksmith_core::special::AddedKind;
use toksmith_core::tokenizer::Tokenizer;
use toksmith_core::types::{Marks, TokenId};

use crate::convert::{Allowed, Text, num_threads, take_id, take_ids, take_texts, take_texts_of};
use crate::decode_stream::{PyDecodeStream, check_error_handler, not_utf8};
use crate::encoding::PyEncoding;
use crate::errors::OrRaise;
use crate::explanation::PyExplanation;
use crate::json::to_python;
use crate::post::{PostArguments, PyPrepared, take_template};
use crate::sample::{take_number, take_sample, take_seed};
use crate::token::PyToken;

/// Below this many bytes, handing the lock over costs more than it gives.
const MIN_BYTES_WITHOUT_LOCK: usize = 1 << 12;

/// A trained tokenizer: frozen, picklable, safe to share between threads and after a fork.
#[pyclass(name = "Tokenizer", module = "toksmith", frozen)]
pub(crate) struct PyTokenizer {
    pub(crate) inner: Arc<Tokenizer>,
    /// One shared `int` for each id: making a fresh one per token would cap speed.
    ints: OnceLock<Vec<Py<PyInt>>>,
    content_hash: OnceLock<String>,
}

impl PyTokenizer {
    pub(crate) fn new(inner: Tokenizer) -> Self {
        Self {
            inner: Arc::new(inner),
            ints: OnceLock::new(),
            content_hash: OnceLock::new(),
        }
    }

    /// User-defined symbols and special tokens.
    fn num_added(&self) -> TokenId {
        (self.inner.vocab_size() - self.inner.model().num_ids()) as TokenId
    }

    fn list_of<'py>(&self, py: Python<'py>, ids: &[TokenId]) -> PyResult<Bound<'py, PyList>> {
        let ints = self.ints.get_or_init(|| {
            (0..self.inner.vocab_size() as TokenId)
                .map(|id| PyInt::new(py, id).unbind())
                .collect()
        });
        PyList::new(py, ids.iter().map(|&id| &ints[id as usize]))
    }

    /// `uint16` where every id of the vocabulary fits, else `uint32`.
    fn array_of<'py>(&self, py: Python<'py>, ids: Vec<TokenId>) -> Bound<'py, PyAny> {
        if self.inner.vocab_size() <= 1 << 16 {
            let ids = ids.into_iter().map(|id| id as u16).collect();
            PyArray1::from_vec(py, ids).into_any()
        } else {
            PyArray1::from_vec(py, ids).into_any()
        }
    }

    fn lists_of<'py>(
        &self,
        py: Python<'py>,
        paths: &[Path],
    ) -> PyResult<Vec<(Bound<'py, PyList>, f64)>> {
        paths
            .iter()
            .map(|path| Ok((self.list_of(py, &path.ids)?, path.score)))
            .collect()
    }

    fn ids_of(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        add_special_tokens: bool,
    ) -> PyResult<Vec<TokenId>> {
        let text = Text::take(text, || "text".to_owned())?;
        let allowed = Allowed::take(allowed_special)?;
        let (bytes, allowed) = (text.bytes(), allowed.as_core());
        let ids = if bytes.len() < MIN_BYTES_WITHOUT_LOCK {
            self.inner.encode(bytes, allowed)
        } else {
            py.detach(|| self.inner.encode(bytes, allowed))
        };
        Ok(self.with_special_tokens(ids.or_raise(py)?, add_special_tokens))
    }

    fn with_special_tokens(&self, ids: Vec<TokenId>, add_special_tokens: bool) -> Vec<TokenId> {
        match add_special_tokens {
            true => self.inner.add_special_tokens(&ids, &[0, ids.len()]).0,
            false => ids,
        }
    }

    fn batch_of(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        add_special_tokens: bool,
    ) -> PyResult<(Vec<TokenId>, Vec<usize>)> {
        let texts = take_texts(texts)?;
        let texts: Vec<&[u8]> = texts.iter().map(Text::bytes).collect();
        let allowed = Allowed::take(allowed_special)?;
        let allowed = allowed.as_core();
        let threads = num_threads(py, threads)?;
        py.detach(|| {
            let (ids, offsets) = self.inner.encode_batch(&texts, allowed, threads)?;
            Ok(match add_special_tokens {
                true => self.inner.add_special_tokens(&ids, &offsets),
                false => (ids, offsets),
            })
        })
        .or_raise(py)
    }

    fn bytes_of(
        &self,
        py: Python<'_>,
        ids: &Bound<'_, PyAny>,
        after: Option<&Bound<'_, PyAny>>,
        skip_special_tokens: bool,
    ) -> PyResult<Vec<u8>> {
        let decoder = self.inner.decoder();
        let vocab_size = decoder.vocab_size();
        let ids = take_ids(ids, vocab_size)?;
        let after = after.map(|id| take_id(id, 0, vocab_size)).transpose()?;
        py.detach(|| decoder.decode(&ids, decoder.state(after, skip_special_tokens)?))
            .or_raise(py)
    }
}

#[pymethods]
impl PyTokenizer {
    /// The largest id + 1: special tokens and ids that no token has counted in.
    #[getter]
    fn vocab_size(&self) -> usize {
        self.inner.vocab_size()
    }

    /// The recipe, for example `isbpe-dual+longest-first`.
    #[getter]
    fn recipe(&self) -> String {
        self.inner.recipe()
    }

    /// Name of the encoder, such as `merge-rank` or `longest-first`.
    #[getter]
    fn encoder(&self) -> &'static str {
        self.inner.encoder_kind().name()
    }

    /// How spaces are written, such as `space-prefix` or `implicit-dual`.
    #[getter]
    fn boundary(&self) -> &'static str {
        self.inner.provenance().boundary.name()
    }

    /// Name of the pretokenizer, or the custom pattern.
    #[getter]
    fn pretokenizer(&self) -> &str {
        &self.inner.provenance().pretokenizer
    }

    /// Text of the pretokenizer's pattern; None where a document is one pretoken.
    #[getter]
    fn pattern(&self) -> Option<&str> {
        self.inner.provenance().pattern.as_deref()
    }

    /// Rule for digits, such as `single` or `right-3`; None where there is none.
    #[getter]
    fn digits(&self) -> Option<String> {
        self.inner.provenance().digits.map(DigitRule::name)
    }

    /// White space rule: `split`, `whole` or `drop`.
    #[getter]
    fn whitespace(&self) -> &'static str {
        self.inner.provenance().whitespace.name()
    }

    /// What is done to a text before it is cut: a list of steps, each with its settings.
    #[getter]
    fn normalizer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.inner.provenance().normalizer)
    }

    /// Unicode version of the pattern's character classes.
    #[getter]
    fn unicode_version(&self) -> &str {
        &self.inner.provenance().unicode
    }

    /// True when decoding gives every text back, byte for byte.
    #[getter]
    fn is_lossless(&self) -> bool {
        self.inner.is_lossless()
    }

    /// SHA-256 of all that the tokenizer's file says, as `sha256:…`.
    #[getter]
    fn content_hash(&self, py: Python<'_>) -> PyResult<String> {
        if let Some(hash) = self.content_hash.get() {
            return Ok(hash.clone());
        }
        let hash = py.detach(|| self.inner.content_hash()).or_raise(py)?;
        Ok(self.content_hash.get_or_init(|| hash).clone())
    }

    /// What is recorded of the training; None for a vocabulary that was not trained here.
    #[getter]
    fn training<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.inner.training())
    }

    /// All stages as data; `trainer` is None for a vocabulary that was not trained here.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let settings = to_python(py, self.inner.provenance())?;
        let training = self.inner.training();
        let alphabet = match training {
            Some(training) => to_python(py, &training.alphabet)?,
            None => {
                let alphabet = self.inner.model().alphabet();
                let known = PyDict::new(py);
                known.set_item("order", to_python(py, &alphabet.order())?)?;
                known.set_item("has_bytes", alphabet.has_bytes())?;
                known.into_any()
            }
        };
        settings.set_item("alphabet", alphabet)?;
        let trainer = training.map(|training| &training.trainer);
        settings.set_item("trainer", to_python(py, &trainer)?)?;
        settings.set_item("encoder", self.inner.encoder_kind().name())?;
        settings.set_item("unk", to_python(py, &self.inner.unk())?)?;
        let special = self.inner.special_tokens();
        settings.set_item("added_tokens", to_python(py, &special.tokens())?)?;
        settings.set_item("template", self.template(py)?)?;
        settings.set_item("recipe", self.inner.recipe())?;
        Ok(settings)
    }

    /// The template's pieces for one text (`single`) and for a `pair`; None without a template.
    #[getter]
    fn template<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.inner.template().map(Template::settings))
    }

    /// Special tokens by name.
    #[getter]
    fn special_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tokens = PyDict::new(py);
        for (name, id) in self.inner.special_tokens().iter() {
            tokens.set_item(name, id)?;
        }
        Ok(tokens)
    }

    /// The merges by rank, as `(left, right, new)`. Tokens that are never emitted (scaffolds) have the
    /// ids from `vocab_size` on.
    #[getter]
    fn merges(&self) -> Vec<(TokenId, TokenId, TokenId)> {
        let shown = |id: TokenId| {
            let is_internal = id as usize >= self.inner.model().num_ids();
            id + if is_internal { self.num_added() } else { 0 }
        };
        let merges = self.inner.model().merges().iter();
        merges
            .map(|m| (shown(m.left), shown(m.right), shown(m.new)))
            .collect()
    }

    /// The tokens that take part in merges and are never emitted, in the order of their ids, which
    /// begin at `vocab_size`.
    #[getter]
    fn hidden_tokens(&self) -> Vec<PyToken> {
        let model = self.inner.model();
        let hidden = model.vocab().iter().skip(model.num_ids());
        hidden
            .map(|token| PyToken {
                bytes: token.bytes.to_vec(),
                marks: token.marks,
                is_special: false,
            })
            .collect()
    }

    /// The log probability of each token by id, where the model has them; else None.
    #[getter]
    fn scores(&self) -> Option<Vec<f64>> {
        self.inner.model().scores().map(<[f64]>::to_vec)
    }

    /// Name of the special token for what the vocabulary cannot spell; None where it can spell all.
    #[getter]
    fn unk_token(&self) -> Option<&str> {
        self.inner.unk().map(|unk| unk.token.as_str())
    }

    /// Plain added tokens with their ids: user-defined symbols and those of `with_added_tokens`.
    #[getter]
    fn added_tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tokens = PyDict::new(py);
        for (token, id) in self.inner.special_tokens().iter_plain() {
            tokens.set_item(&token.text, id)?;
        }
        Ok(tokens)
    }

    /// The same tokenizer with further tokens, which get the ids after all others; those that are
    /// there keep theirs.
    ///
    /// Args:
    ///     tokens: their texts.
    ///     match: where they are recognized: "word", where no letter, mark, number or
    ///         underscore stands directly before or after; "anywhere", also inside words; "special", only where a call
    ///         allows them by name.
    /// Raises:
    ///     SettingsError: an empty text, or one that is an added token already.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.BPE().train("overwrite", vocab_size=256).with_added_tokens(["rw"])
    /// >>> tok.encode("(rw)"), 256 in tok.encode("overwrite")
    /// ([40, 256, 41], False)
    #[pyo3(signature = (tokens, *, r#match="word"))]
    fn with_added_tokens(
        &self,
        py: Python<'_>,
        tokens: Vec<String>,
        r#match: &str,
    ) -> PyResult<Self> {
        let kind = AddedKind::from_name(r#match).or_raise(py)?;
        let inner = py.detach(|| self.inner.with_added_tokens(&tokens, kind));
        Ok(Self::new(inner.or_raise(py)?))
    }

    /// The ids of a text.
    ///
    /// Args:
    ///     text: `str` (encoded as strict UTF-8) or any `bytes`.
    ///     allowed_special: names of special tokens to recognize in the text, or "all"; by default
    ///         the text of a special token is ordinary text.
    ///     add_special_tokens: put the special tokens of the template's form for one text around
    ///         the ids; without a template there are none.
    ///     sample: `Dropout` (for merges) or `Temperature` (for scores): an encoding drawn at random.
    ///     seed: a whole number of 64 bits; goes with `sample`. Equal seeds give equal ids.
    /// Returns:
    ///     Ids in text order.
    /// Raises:
    ///     EncodeError: a lone surrogate, or a custom pattern that gave up.
    ///     SettingsError: a special token that this tokenizer does not have; a sample without a seed,
    ///         or of a kind that the vocabulary has no merges, or no scores, for.
    /// Cost: linear in the text, n*log(n) in its longest pretoken.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.BPE(special_tokens=["<eot>"]).train("low low lower", vocab_size=259)
    /// >>> tok.encode("low<eot>")
    /// [257, 60, 101, 111, 116, 62]
    /// >>> tok.encode("low<eot>", allowed_special="all")
    /// [257, 258]
    /// >>> tok.encode("low", sample=ts.Dropout(0.5), seed=0)
    /// [256, 119]
    #[pyo3(signature = (text, *, allowed_special=None, add_special_tokens=false, sample=None, seed=None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        add_special_tokens: bool,
        sample: Option<&Bound<'py, PyAny>>,
        seed: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let ids = match take_sample(py, sample, seed)? {
            None => self.ids_of(py, text, allowed_special, add_special_tokens)?,
            Some((sample, seed)) => {
                let text = Text::take(text, || "text".to_owned())?;
                let allowed = Allowed::take(allowed_special)?;
                let (bytes, allowed) = (text.bytes(), allowed.as_core());
                let ids = py
                    .detach(|| self.inner.encode_sampled(bytes, sample, seed, allowed))
                    .or_raise(py)?;
                self.with_special_tokens(ids, add_special_tokens)
            }
        };
        self.list_of(py, &ids)
    }

    /// The n segmentations of a text with the best sums of scores, best first; fewer where there are
    /// no more. For vocabularies with scores.
    ///
    /// Args:
    ///     text: as for `encode`; words are cut as there, and no token crosses two of them.
    ///     n: how many.
    /// Returns:
    ///     For each its ids and the sum of their scores: the log probability of these tokens in the
    ///     unigram model.
    /// Raises:
    ///     SettingsError: a vocabulary without scores.
    /// Cost: linear in the text and in n.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.Unigram().train("low low lower low", vocab_size=258)
    /// >>> [ids for ids, log_prob in tok.n_best(" low", 2)]
    /// [[256], [32, 257]]
    #[pyo3(signature = (text, n, *, allowed_special=None))]
    fn n_best<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        n: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<(Bound<'py, PyList>, f64)>> {
        let n = take_number(py, "n", n)?;
        let text = Text::take(text, || "text".to_owned())?;
        let allowed = Allowed::take(allowed_special)?;
        let (bytes, allowed) = (text.bytes(), allowed.as_core());
        let paths = py
            .detach(|| self.inner.n_best(bytes, n, allowed))
            .or_raise(py)?;
        self.lists_of(py, &paths)
    }

    /// k different segmentations of a text, drawn at random one after another and not put back; fewer
    /// where there are no more. For vocabularies with scores.
    ///
    /// Args:
    ///     text: as for `encode`.
    ///     k: how many.
    ///     alpha: a segmentation comes with probability proportional to exp(alpha * score).
    ///     seed: equal seeds give equal segmentations.
    /// Returns:
    ///     For each its ids and the logarithm of its probability among all segmentations, in the order
    ///     in which they were drawn.
    /// Raises:
    ///     SettingsError: a vocabulary without scores, an alpha below 0 or above 1,000,000.
    /// Source: Kool, van Hoof and Welling 2019 (Gumbel top-k).
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.Unigram().train("low low lower low", vocab_size=258)
    /// >>> [ids for ids, log_prob in tok.sample_distinct("low", 9, alpha=0.5, seed=1)]
    /// [[108, 111, 119], [257]]
    #[pyo3(signature = (text, k, *, alpha=1.0, seed, allowed_special=None))]
    fn sample_distinct<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        k: &Bound<'py, PyAny>,
        alpha: f64,
        seed: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<(Bound<'py, PyList>, f64)>> {
        let (k, seed) = (take_number(py, "k", k)?, take_seed(py, seed)?);
        let text = Text::take(text, || "text".to_owned())?;
        let allowed = Allowed::take(allowed_special)?;
        let (bytes, allowed) = (text.bytes(), allowed.as_core());
        let paths = py
            .detach(|| self.inner.sample_distinct(bytes, k, alpha, seed, allowed))
            .or_raise(py)?;
        self.lists_of(py, &paths)
    }

    /// The ids of a text as an array: uint16 where the vocabulary fits, else uint32.
    #[pyo3(signature = (text, *, allowed_special=None, add_special_tokens=false))]
    fn encode_numpy<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        add_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ids = self.ids_of(py, text, allowed_special, add_special_tokens)?;
        Ok(self.array_of(py, ids))
    }

    /// The ids of many texts; equal to a loop over `encode`, on `num_threads` threads (default:
    /// all that the machine has).
    #[pyo3(signature = (
        texts, *, allowed_special=None, add_special_tokens=false, num_threads=None
    ))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        add_special_tokens: bool,
        num_threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (ids, offsets) =
            self.batch_of(py, texts, allowed_special, num_threads, add_special_tokens)?;
        let lists = offsets
            .windows(2)
            .map(|pair| self.list_of(py, &ids[pair[0]..pair[1]]))
            .collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, lists)
    }

    /// The ids of many texts in one flat array, and int64 offsets, one more than there are texts:
    /// text i has `ids[offsets[i]:offsets[i + 1]]`.
    #[pyo3(signature = (
        texts, *, allowed_special=None, add_special_tokens=false, num_threads=None
    ))]
    fn encode_batch_numpy<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        allowed_special: Option<&Bound<'py, PyAny>>,
        add_special_tokens: bool,
        num_threads: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (ids, offsets) =
            self.batch_of(py, texts, allowed_special, num_threads, add_special_tokens)?;
        let offsets = offsets.into_iter().map(|offset| offset as i64).collect();
        Ok((
            self.array_of(py, ids),
            PyArray1::from_vec(py, offsets).into_any(),
        ))
    }

    /// The ids of a text with the bytes and characters that each covers.
    ///
    /// >>> import toksmith as ts
    /// >>> ts.ISBPE().train("the cat", vocab_size=1024).encode_with_offsets("a b").byte_spans
    /// [(0, 1), (2, 3)]
    #[pyo3(signature = (text, *, allowed_special=None))]
    fn encode_with_offsets(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyEncoding> {
        let text = Text::take(text, || "text".to_owned())?;
        let allowed = Allowed::take(allowed_special)?;
        let (bytes, allowed) = (text.bytes(), allowed.as_core());
        let inner = py
            .detach(|| self.inner.encode_with_offsets(bytes, allowed))
            .or_raise(py)?;
        Ok(PyEncoding { inner })
    }

    /// The number of tokens of a text.
    #[pyo3(signature = (text, *, allowed_special=None))]
    fn count_tokens(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        Ok(self.ids_of(py, text, allowed_special, false)?.len())
    }

    /// The text as the pretokenizer sees it: `str` for `str`, `bytes` for `bytes`.
    ///
    /// Decoding the ids of a text gives this; without normalizer it is the text.
    fn normalize<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = Text::take(text, || "text".to_owned())?;
        let bytes = text.bytes();
        let normalized = py.detach(|| self.inner.normalize(bytes));
        match text {
            Text::Str(_) => Ok(PyString::from_bytes(py, &normalized)?.into_any()),
            Text::Bytes(_) | Text::Copy(_) => Ok(PyBytes::new(py, &normalized).into_any()),
        }
    }

    /// The pretokens of a text, in bytes, as the pattern cuts them.
    fn pretokenize<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let text = Text::take(text, || "text".to_owned())?;
        let bytes = text.bytes();
        let pretokens = py.detach(|| self.inner.pretokenize(bytes)).or_raise(py)?;
        Ok(pretokens.iter().map(|p| PyBytes::new(py, p)).collect())
    }

    /// The number of pretokens of a text after marking (white space joined where the rule says so):
    /// no encoder can need fewer tokens.
    fn count_pretokens(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<usize> {
        let text = Text::take(text, || "text".to_owned())?;
        let bytes = text.bytes();
        py.detach(|| self.inner.count_pretokens(bytes)).or_raise(py)
    }

    /// The text of a sequence of ids.
    ///
    /// Args:
    ///     ids: a list, an array or any iterable of integers.
    ///     errors: what to do with bytes that are not UTF-8: "strict" raises, "replace" gives
    ///         U+FFFD, "ignore" leaves them out; also "backslashreplace", "surrogateescape".
    ///     after: the id before the first one, so that a slice of a text gets its space back.
    ///     skip_special_tokens: leave special tokens out.
    /// Raises:
    ///     UnknownTokenIdError: an id is not in the vocabulary; names it and its position.
    ///     DecodeError: the bytes are not UTF-8 and errors="strict".
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.ISBPE().train("the cat", vocab_size=1024)
    /// >>> ids = tok.encode("a b")
    /// >>> tok.decode(ids), tok.decode(ids[1:]), tok.decode(ids[1:], after=ids[0])
    /// ('a b', 'b', ' b')
    #[pyo3(signature = (ids, *, errors="replace", after=None, skip_special_tokens=false))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        errors: &str,
        after: Option<&Bound<'py, PyAny>>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        check_error_handler(py, errors)?;
        let bytes = self.bytes_of(py, ids, after, skip_special_tokens)?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(PyString::new(py, text).into_any()),
            Err(_) => PyBytes::new(py, &bytes)
                .call_method1("decode", ("utf-8", errors))
                .map_err(|error| not_utf8(py, &error)),
        }
    }

    /// The exact bytes of a sequence of ids: the inverse of `encode` for every text.
    #[pyo3(signature = (ids, *, after=None, skip_special_tokens=false))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        after: Option<&Bound<'py, PyAny>>,
        skip_special_tokens: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.bytes_of(py, ids, after, skip_special_tokens)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// A decoder for ids that come one at a time.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.BPE().train("low low", vocab_size=256)
    /// >>> stream = tok.decode_stream()
    /// >>> [stream.push(id) for id in tok.encode("né")], stream.finish()
    /// (['n', '', 'é'], '')
    #[pyo3(signature = (*, errors="replace", skip_special_tokens=false))]
    fn decode_stream(
        &self,
        py: Python<'_>,
        errors: &str,
        skip_special_tokens: bool,
    ) -> PyResult<PyDecodeStream> {
        PyDecodeStream::new(py, Arc::clone(&self.inner), errors, skip_special_tokens)
    }

    /// How a text becomes tokens; `str()` of it is one line.
    ///
    /// >>> import toksmith as ts
    /// >>> print(ts.ISBPE().train("the cat", vocab_size=1024).explain("a.b c"))
    /// a.b c -> a | #.# | b | c
    #[pyo3(signature = (text, *, allowed_special=None))]
    fn explain(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        allowed_special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyExplanation> {
        let allowed = Allowed::take(allowed_special)?;
        let text = Text::take(text, || "text".to_owned())?;
        let inner = self
            .inner
            .explain(text.bytes(), allowed.as_core())
            .or_raise(py)?;
        Ok(PyExplanation { inner })
    }

    /// The same tokenizer with a template: where special tokens stand around texts.
    ///
    /// A piece is `$A` (the text), `$B` (its pair) or the name of a special token of this tokenizer,
    /// with `:1` behind it for type id 1. The template is kept in the tokenizer's file.
    ///
    /// Args:
    ///     single: the form for one text: a str cut at white space, or a list of pieces; None takes
    ///         the template away.
    ///     pair: the form for a text and its pair, if pairs are to be prepared.
    /// Raises:
    ///     SettingsError: a piece is none, or a text is missing or stands there twice; the message
    ///         names form and piece.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.BPE(special_tokens=["[CLS]", "[SEP]"]).train("low", vocab_size=258)
    /// >>> tok = tok.with_template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    /// >>> tok.encode("a"), tok.encode("a", add_special_tokens=True)
    /// ([97], [256, 97, 257])
    #[pyo3(signature = (single, pair=None))]
    fn with_template(
        &self,
        py: Python<'_>,
        single: Option<&Bound<'_, PyAny>>,
        pair: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let template = match (single, pair) {
            (None, Some(_)) => {
                let what = "a template for pairs needs a form for one text too".to_owned();
                return Err(toksmith_core::Error::Incompatible { what }).or_raise(py);
            }
            (None, None) => None,
            (Some(single), pair) => Some(take_template(single, pair)?),
        };
        let inner = py.detach(|| self.inner.with_template(template.as_ref()));
        Ok(Self::new(inner.or_raise(py)?))
    }

    /// Rows for a model: texts, or texts with their pairs, encoded, cut, framed and filled up.
    ///
    /// Ids are cut, not characters: a row may end inside a character, whose bytes then decode to
    /// U+FFFD, or raise with errors="strict"; spans are always those of the whole text. Special
    /// tokens in a text are text, as in `encode`.
    ///
    /// Args:
    ///     texts: a list of texts.
    ///     pairs: for each text a second one, or None.
    ///     allowed_special: as in `encode`, for texts and pairs.
    ///     max_length: ids a row, special tokens counted in; None cuts nothing.
    ///     truncation: which text gives way. "longest-first": the longer one, until both are of one
    ///         length, then both; of an odd room the text that was longer keeps one id more, of two
    ///         equally long ones the second. "only-first", "only-second": that one alone. None: no
    ///         text, and max_length is for padding.
    ///     stride: ids that a window shares with the one before it; needs return_overflow.
    ///     truncation_side: where ids are taken away, "left" or "right".
    ///     padding: "longest" fills up to the longest row of this call, "max_length" to that.
    ///     pad_token: name of the special token to fill up with.
    ///     padding_side: "left" or "right".
    ///     pad_to_multiple_of: rounds the length up, also that of max_length.
    ///     add_special_tokens: put the template's special tokens around the texts.
    ///     return_overflow: give a row for every window over a text that was cut, of a pair for
    ///         every window of the one with every window of the other, the second running fastest.
    ///         With truncation_side="left" the windows run from the end.
    ///     num_threads: threads to encode with, by default all that the machine has.
    /// Raises:
    ///     SettingsError: max_length is below the number of special tokens, a stride leaves windows
    ///         no room to move on, a text cannot be cut to fit, pad_token is missing or unknown; the
    ///         message names value, bound and text.
    ///     EncodeError: as `encode`.
    /// Cost: linear in the texts and in what is given out.
    ///
    /// >>> import toksmith as ts
    /// >>> tok = ts.BPE(special_tokens=["[CLS]", "[SEP]", "[PAD]"]).train("low", vocab_size=259)
    /// >>> tok = tok.with_template("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1")
    /// >>> tok.prepare(["abcd", "a"], max_length=5, padding="longest", pad_token="[PAD]").ids
    /// [[256, 97, 98, 99, 257], [256, 97, 257, 258, 258]]
    /// >>> rows = tok.prepare(["abcd"], ["x"], max_length=6, stride=1, return_overflow=True)
    /// >>> rows.char_spans[1], rows.type_ids[1]
    /// ([(0, 0), (1, 2), (2, 3), (0, 0), (0, 1), (0, 0)], [0, 0, 0, 0, 1, 1])
    #[pyo3(signature = (
        texts, pairs=None, *, allowed_special=None, max_length=None, truncation="longest-first",
        stride=0, truncation_side="right", padding=None, pad_token=None, padding_side="right",
        pad_to_multiple_of=None, add_special_tokens=true, return_overflow=false, num_threads=None,
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python's keyword arguments")]
    fn prepare(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        pairs: Option<&Bound<'_, PyAny>>,
        allowed_special: Option<&Bound<'_, PyAny>>,
        max_length: Option<i128>,
        truncation: Option<&str>,
        stride: i128,
        truncation_side: &str,
        padding: Option<&str>,
        pad_token: Option<&str>,
        padding_side: &str,
        pad_to_multiple_of: Option<i128>,
        add_special_tokens: bool,
        return_overflow: bool,
        num_threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPrepared> {
        let settings = PostArguments {
            max_length,
            truncation,
            stride,
            truncation_side,
            padding,
            pad_token,
            padding_side,
            pad_to_multiple_of,
            add_special_tokens,
            return_overflow,
        }
        .settings(py)?;
        let texts = take_texts(texts)?;
        let texts: Vec<&[u8]> = texts.iter().map(Text::bytes).collect();
        let pairs = pairs
            .map(|pairs| take_texts_of(pairs, "pairs"))
            .transpose()?;
        let pairs: Option<Vec<&[u8]>> = pairs
            .as_ref()
            .map(|pairs| pairs.iter().map(Text::bytes).collect());
        let allowed = Allowed::take(allowed_special)?;
        let threads = crate::convert::num_threads(py, num_threads)?;
        let (pairs, allowed) = (pairs.as_deref(), allowed.as_core());
        let inner = py.detach(|| {
            self.inner
                .prepare(&texts, pairs, allowed, &settings, threads)
        });
        Ok(PyPrepared {
            inner: inner.or_raise(py)?,
        })
    }

    /// The same vocabulary with another encoder: `merge-rank`, `longest-first`, `longest-prefix`,
    /// `longest-suffix` or `fewest-tokens`.
    fn with_encoder(&self, py: Python<'_>, encoder: &str) -> PyResult<Self> {
        let kind = EncoderKind::from_name(encoder).or_raise(py)?;
        let inner = py.detach(|| self.inner.with_encoder(kind)).or_raise(py)?;
        Ok(Self::new(inner))
    }

    /// The token with this id.
    fn token(&self, py: Python<'_>, id: &Bound<'_, PyAny>) -> PyResult<PyToken> {
        let vocab_size = self.inner.vocab_size();
        let id = take_id(id, 0, vocab_size)?;
        match self.inner.token(id) {
            Some((bytes, marks)) => Ok(PyToken {
                bytes: bytes.to_vec(),
                marks,
                is_special: self.inner.special_tokens().is_special(id),
            }),
            None => Err(toksmith_core::Error::UnknownTokenId {
                id: i128::from(id),
                at: 0,
                vocab_size,
            })
            .or_raise(py),
        }
    }

    /// The id of a token, None if there is none. Special tokens are in `special_tokens`.
    #[pyo3(signature = (bytes, *, lead=false, trail=false))]
    fn token_id(&self, bytes: &[u8], lead: bool, trail: bool) -> Option<TokenId> {
        let model = self.inner.model();
        let id = model.vocab().id_of(bytes, Marks::new(lead, trail))?;
        ((id as usize) < model.num_ids()).then_some(id)
    }

    /// Writes the tokenizer's file: JSON with a content hash and a self-test, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| artifact::write_atomically(&path, &self.inner.to_json()?))
            .or_raise(py)
    }

    /// The content of the tokenizer's file.
    fn to_json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let json = py.detach(|| self.inner.to_json()).or_raise(py)?;
        Ok(PyBytes::new(py, &json))
    }

    /// A tokenizer from the content of its file; everything in it is checked.
    ///
    /// Raises:
    ///     FormatError: it does not parse, was changed, is of a later version, or encodes its
    ///         self-test otherwise here; the message says which and where.
    #[staticmethod]
    fn from_json(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        py.detach(|| Tokenizer::from_json(data))
            .or_raise(py)
            .map(Self::new)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        let make = PyType::new::<Self>(py).getattr("from_json")?;
        Ok((make, (slf.get().to_json(py)?,)))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => Ok(self.content_hash(py)? == other.get().content_hash(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyString::new(py, &self.content_hash(py)?).hash()
    }

    fn __repr__(&self) -> String {
        format!(
            "Tokenizer({}, vocab_size={})",
            self.inner.recipe(),
            self.inner.vocab_size()
        )
    }
}
