//! The tokenizer's own file: JSON, every stage in it, a content hash and a self-test.
//!
//! A file says what it is, so loading finds out when something differs: a changed byte (the hash), a
//! pattern that means something else here or another Unicode version (the stages), another encoding
//! of the same text (the self-test), a later format (the version).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::alphabet::{Alphabet, AlphabetOrder};
use crate::artifact::{hex, sha256_hex, unhex};
use crate::count::Provenance;
use crate::encode::{EncoderKind, UnkSettings};
use crate::error::{Error, Result};
use crate::model::{Merge, Model};
use crate::special::AllowedSpecial;
use crate::tokenizer::{Parts, Tokenizer, TrainingRecord};
use crate::types::{Marks, TokenId};

const FORMAT: &str = "toksmith.tokenizer";
const VERSION: u64 = 1;
const WHAT: &str = "tokenizer file";

/// Texts whose ids every file carries: each stands for a way in which tokenizers differ.
const SELF_TEST_TEXTS: [&[u8]; 20] = [
    b"",
    b"the cat sat on the mat.",
    b" leading and trailing ",
    b"two  spaces, three   spaces,\ttab\n\n\nand lines\r\n  indented",
    b"def fireEvent(self, x=1.5e-3):\n    return self.get_attraction(x)[0]\n",
    b"don't we'll I'd've 'tis b'test' don'ts",
    b"CamelCase snake_case SCREAMING_CASE kebab-case v1.2.3",
    b"0123456789 1,234,567.89 0xDEADBEEF",
    "na\u{ef}ve caf\u{e9} \u{201c}quotes\u{201d} \u{2014} dash\u{2026}".as_bytes(),
    "e\u{301} combining, \u{feff}BOM, zero\u{200b}width".as_bytes(),
    "\u{a0}no-break\u{a0}space \u{3000}ideographic\u{2028}line".as_bytes(),
    "\u{4e2d}\u{6587}\u{5206}\u{8bcd} \u{65e5}\u{672c}\u{8a9e}\u{306e}\u{6587}".as_bytes(),
    "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{5e9}\u{5dc}\u{5d5}\u{5dd}".as_bytes(),
    "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{e2a}\u{e27}\u{e31}\u{e2a}\u{e14}\u{e35}"
        .as_bytes(),
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{1f917}\u{1f3fd}".as_bytes(),
    "\u{11f04}\u{11f05} letters of Unicode 15".as_bytes(),
    "\u{2581}metaspace \u{2581}\u{2581} # ## \\ |".as_bytes(),
    b"ill-formed \xFF\xFE \xE2\x82 \xED\xA0\x80 \xC0\x80 bytes",
    b"\x00\x01\x1C\x1F\x7F control",
    b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

/// A file with fewer texts was not written here and proves little.
const MIN_SELF_TESTS: usize = 16;

/// Lead, bytes in hex, trail.
type TokenRow = (u8, String, u8);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SelfTest {
    hex: String,
    /// `None` where a custom pattern gives up on the text, or no token spells a part of it.
    ids: Option<Vec<TokenId>>,
}

/// The units, which are the first tokens.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AlphabetRow {
    order: AlphabetOrder,
    /// Whether all bytes are units.
    has_bytes: bool,
    num_units: usize,
}

/// The file, field by field.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenizerFile {
    format: String,
    version: u64,
    recipe: String,
    stages: Provenance,
    encoder: EncoderKind,
    alphabet: AlphabetRow,
    training: Option<TrainingRecord>,
    special_tokens: Vec<String>,
    /// The special token for what cannot be spelled.
    unk: Option<UnkSettings>,
    /// All tokens by id, the alphabet first, user-defined symbols and special tokens left out.
    tokens: Vec<TokenRow>,
    merges: Vec<[TokenId; 3]>,
    /// Log probabilities by id, where the model has them.
    scores: Option<Vec<f64>>,
    /// Tokens that an encoder may not emit.
    hidden_tokens: Vec<TokenId>,
    self_test: Vec<SelfTest>,
    content_hash: String,
}

/// The two fields that are read before all others.
#[derive(Deserialize)]
struct Preamble {
    format: String,
    version: u64,
}

impl TokenizerFile {
    /// The hash of all that the file says, whatever its white space.
    fn hash(&mut self) -> Result<String> {
        let stated = std::mem::take(&mut self.content_hash);
        let bytes = serde_json::to_vec(self);
        self.content_hash = stated;
        Ok(format!(
            "sha256:{}",
            sha256_hex(&bytes.map_err(parse_error)?)
        ))
    }
}

fn parse_error(error: serde_json::Error) -> Error {
    // The parser's sentence ends with the place, which stands in front here.
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default();
    Error::Format {
        format: WHAT,
        place: format!("line {}, column {}", error.line(), error.column()),
        reason: reason.to_owned(),
    }
}

fn fault(place: impl Into<String>, reason: impl Into<String>) -> Error {
    Error::Format {
        format: WHAT,
        place: place.into(),
        reason: reason.into(),
    }
}

impl Tokenizer {
    /// The file's content. Equal tokenizers give equal bytes.
    ///
    /// # Errors
    /// What the encoder says of a vocabulary without its whole alphabet.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        one_field_a_line(&self.file()?)
    }

    /// The hash that the file carries.
    ///
    /// # Errors
    /// As [`to_json`](Self::to_json).
    pub fn content_hash(&self) -> Result<String> {
        Ok(self.file()?.content_hash)
    }

    fn file(&self) -> Result<TokenizerFile> {
        let model = self.model();
        let hidden = model.visible().unwrap_or_default();
        let mut file = TokenizerFile {
            format: FORMAT.to_owned(),
            version: VERSION,
            recipe: self.recipe(),
            stages: self.provenance().clone(),
            encoder: self.encoder_kind(),
            alphabet: AlphabetRow {
                order: model.alphabet().order(),
                has_bytes: model.alphabet().has_bytes(),
                num_units: model.alphabet().len(),
            },
            training: self.training().cloned(),
            special_tokens: self.special_tokens().names().to_vec(),
            unk: self.unk().cloned(),
            tokens: token_rows(model).collect(),
            merges: model
                .merges()
                .iter()
                .map(|merge| [merge.left, merge.right, merge.new])
                .collect(),
            scores: model.scores().map(<[f64]>::to_vec),
            hidden_tokens: (0..)
                .zip(hidden)
                .filter(|&(_, &visible)| !visible)
                .map(|(id, _)| id)
                .collect(),
            self_test: SELF_TEST_TEXTS
                .iter()
                .map(|text| {
                    Ok(SelfTest {
                        hex: hex(text),
                        ids: self.self_test_ids(text)?,
                    })
                })
                .collect::<Result<_>>()?,
            content_hash: String::new(),
        };
        file.content_hash = file.hash()?;
        Ok(file)
    }

    fn self_test_ids(&self, text: &[u8]) -> Result<Option<Vec<TokenId>>> {
        match self.encode(text, AllowedSpecial::None) {
            Ok(ids) => Ok(Some(ids)),
            Err(Error::PatternRun { .. } | Error::UncoveredSymbol { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a file's content and checks all of it: format and version, every field, the content
    /// hash, tokens against merges, and the self-test.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::FormatVersion`], [`Error::ContentHash`], [`Error::SelfTest`], and
    /// what the stages say.
    pub fn from_json(json: &[u8]) -> Result<Self> {
        let preamble: Preamble = serde_json::from_slice(json).map_err(parse_error)?;
        if preamble.format != FORMAT {
            return Err(fault(
                "format",
                format!("it is {:?}, not {FORMAT:?}", preamble.format),
            ));
        }
        if preamble.version != VERSION {
            return Err(Error::FormatVersion {
                format: WHAT,
                found: preamble.version,
                supported: VERSION,
            });
        }
        let mut file: TokenizerFile = serde_json::from_slice(json).map_err(parse_error)?;
        let found = file.hash()?;
        if found != file.content_hash {
            return Err(Error::ContentHash {
                found,
                stated: file.content_hash,
            });
        }
        let texts: BTreeSet<&str> = file.self_test.iter().map(|t| t.hex.as_str()).collect();
        if texts.len() < MIN_SELF_TESTS {
            let found = texts.len();
            let reason = format!("there are {found} texts, and {MIN_SELF_TESTS} are needed");
            return Err(fault("self_test", reason));
        }
        let model = model_of(&file)?;
        let tokenizer = Self::new(Parts {
            recipe: file.recipe,
            provenance: file.stages,
            model: Arc::new(model),
            special_tokens: file.special_tokens,
            unk: file.unk,
            encoder: Some(file.encoder),
            training: file.training,
        })
        .map_err(|error| fault("stages and special tokens", error.to_string()))?;
        for (index, test) in file.self_test.into_iter().enumerate() {
            let text = unhex(&test.hex)
                .ok_or_else(|| fault(format!("self_test[{index}]"), "the text is not hex"))?;
            let found = tokenizer.self_test_ids(&text)?;
            if found != test.ids {
                return Err(Error::SelfTest {
                    index,
                    text: String::from_utf8_lossy(&text).into_owned(),
                    found,
                    stated: test.ids,
                });
            }
        }
        Ok(tokenizer)
    }
}

fn token_rows(model: &Model) -> impl Iterator<Item = TokenRow> {
    model.vocab().iter().map(|token| {
        (
            u8::from(token.marks.lead()),
            hex(token.bytes),
            u8::from(token.marks.trail()),
        )
    })
}

fn model_of(file: &TokenizerFile) -> Result<Model> {
    let tokens = file
        .tokens
        .iter()
        .enumerate()
        .map(|(id, row)| token_of(row).ok_or_else(|| fault(format!("tokens[{id}]"), BAD_ROW)))
        .collect::<Result<Vec<_>>>()?;
    let tokens: Vec<(&[u8], Marks)> = tokens.iter().map(|(b, marks)| (&**b, *marks)).collect();
    let AlphabetRow {
        order,
        has_bytes,
        num_units,
    } = file.alphabet;
    let len = file.stages.boundary.alphabet_len();
    let num_symbols = if has_bytes { len } else { 0 };
    let characters = tokens.get(num_symbols..num_units).ok_or_else(|| {
        let reason = format!(
            "it is {num_units}, but {num_symbols} of the {} tokens are bytes",
            tokens.len()
        );
        fault("alphabet.num_units", reason)
    })?;
    let alphabet = Alphabet::with_characters(len, order, has_bytes, characters);
    if alphabet.len() != num_units {
        return Err(fault(
            "alphabet.num_units",
            "a unit stands in the tokens twice",
        ));
    }
    let merges = file.merges.iter();
    let merges = merges.map(|&[left, right, new]| Merge { left, right, new });
    let mut model = Model::from_parts(alphabet, tokens, merges.collect())?;
    if let Some(scores) = &file.scores {
        model = model
            .with_scores(scores.clone())
            .map_err(|error| fault("scores", error.to_string()))?;
    }
    let mut visible = vec![true; model.vocab().len()];
    for &id in &file.hidden_tokens {
        match visible.get_mut(id as usize) {
            Some(visible) => *visible = false,
            None => return Err(fault("hidden_tokens", format!("id {id} does not exist"))),
        }
    }
    model
        .with_visible(visible)
        .map_err(|error| fault("hidden_tokens", error.to_string()))
}

const BAD_ROW: &str = "it is not a row of lead, hex and trail";

/// The token of a row, which must be written as [`token_rows`] writes it.
fn token_of((lead, digits, trail): &TokenRow) -> Option<(Vec<u8>, Marks)> {
    let flag = |flag: u8| (flag <= 1).then_some(flag == 1);
    let bytes = unhex(digits).filter(|bytes| hex(bytes) == *digits)?;
    Some((bytes, Marks::new(flag(*lead)?, flag(*trail)?)))
}

/// JSON with a line for each top-level field: readable, and small differences are small diffs.
fn one_field_a_line(file: &TokenizerFile) -> Result<Vec<u8>> {
    let compact = serde_json::to_vec(file).map_err(parse_error)?;
    let mut out = Vec::with_capacity(compact.len() + 64);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in compact {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            out.push(byte);
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        if byte == b'}' && depth == 0 {
            out.push(b'\n');
        }
        out.push(byte);
        if depth == 1 && (byte == b',' || out.len() == 1) {
            out.push(b'\n');
        }
    }
    out.push(b'\n');
    Ok(out)
}
