//! tiktoken's rank files: lines of a token in base64, a space and its rank, which is its id.
//!
//! Merges are not in the file: tiktoken joins the two neighbours whose bytes together have the lowest
//! rank. The pair that makes a token is always the same one, that with which the token's own bytes end
//! when they are merged by lower ranks: within the bytes of a token that comes about, no merge reaches
//! across its ends, so they are merged as if they stood alone. So each token has one merge, in the
//! order of ranks, and merging by pairs gives tiktoken's ids.
//!
//! How text is cut and which special tokens there are is not in the file either. The vocabularies that
//! tiktoken publishes are recognized by their number of tokens and the hash of the tokens in the order
//! of their ranks, so whatever a file is called and however its lines end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::alphabet::{Alphabet, AlphabetOrder};
use crate::artifact::sha256_hex;
use crate::boundary::{Boundary, WhitespaceRule};
use crate::count::Provenance;
use crate::display::form;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::normalize::Normalizer;
use crate::pretokenize::{self, Pretokenizer, PretokenizerSettings};
use crate::special::{AddedKind, AddedToken};
use crate::tokenizer::{Parts, Tokenizer};
use crate::types::{Marks, Rank, TokenId};

use super::ForeignSettings;

const WHAT: &str = "tiktoken ranks";
/// The Unicode version of the regular expression engine in tiktoken 0.14.
const UNICODE: &str = "16.0";
/// So much of a token is shown in a message.
const MAX_SHOWN_BYTES: usize = 40;

/// A published vocabulary: what its file does not say.
struct Encoding {
    name: &'static str,
    num_tokens: usize,
    /// SHA-256 of the tokens by rank, each as its length in four bytes, the lowest first, and its
    /// bytes.
    tokens_hash: &'static str,
    pretokenizer: &'static str,
    special_tokens: &'static [(&'static str, TokenId)],
}

const ENCODINGS: [Encoding; 3] = [
    Encoding {
        name: "r50k_base",
        num_tokens: 50_256,
        tokens_hash: "7cff19521369c7f5f5ed77ed7b730e7491800afb47d01d341e12b3ca740d8543",
        pretokenizer: "gpt2",
        special_tokens: &[("<|endoftext|>", 50_256)],
    },
    Encoding {
        name: "cl100k_base",
        num_tokens: 100_256,
        tokens_hash: "be52da118a38232d010811f3ca60f21b7824fd75ab422e92cf240c54253bba22",
        pretokenizer: "cl100k",
        special_tokens: &[
            ("<|endoftext|>", 100_257),
            ("<|fim_prefix|>", 100_258),
            ("<|fim_middle|>", 100_259),
            ("<|fim_suffix|>", 100_260),
            ("<|endofprompt|>", 100_276),
        ],
    },
    Encoding {
        name: "o200k_base",
        num_tokens: 199_998,
        tokens_hash: "5d6cb6182d039b81bc66a2185f24eb91de7e333213fb2e7a46d5c982c77f3d00",
        pretokenizer: "o200k",
        special_tokens: &[("<|endoftext|>", 199_999), ("<|endofprompt|>", 200_018)],
    },
];

/// One line of the file.
struct Ranked {
    rank: Rank,
    token: Vec<u8>,
    /// Its number, from 1 on.
    line: usize,
}

/// Whether content is of this format, which its first line tells.
pub(super) fn begins_so(content: &[u8]) -> bool {
    lines(content).next().is_some_and(|(_, line)| {
        let (token, rank) = fields(line).unwrap_or_default();
        let is_base64 = |&byte: &u8| digit_value(byte).is_some() || byte == b'=';
        let is_number = !rank.is_empty() && rank.iter().all(u8::is_ascii_digit);
        is_number && !token.is_empty() && token.iter().all(is_base64)
    })
}

/// Reads a rank file.
pub(super) fn read(content: &[u8], settings: &ForeignSettings) -> Result<Tokenizer> {
    let ranked = parse(content)?;
    let encoding = known_encoding(&ranked);
    let pretokenizer = match (&settings.pretokenizer, encoding) {
        (Some(pattern), _) => pattern.as_str(),
        (None, Some(encoding)) => encoding.pretokenizer,
        (None, None) => {
            return Err(Error::PretokenizerNeeded {
                format: WHAT,
                num_tokens: ranked.len(),
                encodings: ENCODINGS.map(|encoding| encoding.name).join(", "),
                pretokenizers: pretokenize::names().join(", "),
            });
        }
    };
    let pretokenizer = Pretokenizer::new(&PretokenizerSettings {
        pattern: pretokenizer.to_owned(),
        unicode: Some(settings.unicode.as_deref().unwrap_or(UNICODE).to_owned()),
        digits: None,
    })?;
    let added_tokens = match (&settings.special_tokens, encoding) {
        (Some(tokens), _) => tokens.clone(),
        (None, Some(encoding)) => encoding.added_tokens(),
        (None, None) => Vec::new(),
    };
    Tokenizer::new(Parts {
        recipe: "bpe".to_owned(),
        provenance: Provenance::of(
            Normalizer::default(),
            &pretokenizer,
            Boundary::SpacePrefix,
            WhitespaceRule::Split,
        ),
        model: Arc::new(model_of(&ranked)?),
        added_tokens,
        unk: None,
        encoder: None,
        training: None,
    })
}

impl Encoding {
    fn added_tokens(&self) -> Vec<AddedToken> {
        let tokens = self.special_tokens.iter();
        tokens
            .map(|&(text, id)| AddedToken {
                text: text.to_owned(),
                kind: AddedKind::Special,
                id: Some(id),
            })
            .collect()
    }
}

fn known_encoding(ranked: &[Ranked]) -> Option<&'static Encoding> {
    let mut same_size = ENCODINGS
        .iter()
        .filter(|encoding| encoding.num_tokens == ranked.len())
        .peekable();
    same_size.peek()?;
    let hash = tokens_hash(ranked);
    same_size.find(|encoding| encoding.tokens_hash == hash)
}

fn tokens_hash(ranked: &[Ranked]) -> String {
    let mut bytes = Vec::new();
    for Ranked { token, .. } in ranked {
        bytes.extend((token.len() as u32).to_le_bytes());
        bytes.extend(token);
    }
    sha256_hex(&bytes)
}

/// The lines of the file by rank: every rank from 0 on once, and every token once.
fn parse(content: &[u8]) -> Result<Vec<Ranked>> {
    let mut ranked = lines(content)
        .map(|(line, text)| ranked_of(line, text))
        .collect::<Result<Vec<_>>>()?;
    refuse_repeated_tokens(&ranked)?;
    ranked.sort_by_key(|entry| entry.rank);
    for (pair, expected) in ranked.windows(2).zip(0_u32..) {
        let [one, two] = pair else { continue };
        if one.rank == two.rank {
            let reason = format!("the rank {} stands on line {} already", two.rank, one.line);
            return Err(fault(two.line, reason));
        }
        check_rank(one, expected)?;
    }
    if let Some(last) = ranked.last() {
        check_rank(last, ranked.len() as Rank - 1)?;
    }
    Ok(ranked)
}

fn refuse_repeated_tokens(ranked: &[Ranked]) -> Result<()> {
    let mut seen = HashMap::<&[u8], usize, RandomState>::with_capacity_and_hasher(
        ranked.len(),
        RandomState::default(),
    );
    for Ranked { token, line, .. } in ranked {
        if let Some(first) = seen.insert(token, *line) {
            let reason = format!("the token {} stands on line {first} already", shown(token));
            return Err(fault(*line, reason));
        }
    }
    Ok(())
}

/// Refuses a gap before an entry. Ids are places in tables, so they may not have any.
fn check_rank(entry: &Ranked, expected: Rank) -> Result<()> {
    if entry.rank == expected {
        return Ok(());
    }
    let reason = format!(
        "the rank is {}, but no line has rank {expected}; ranks must have no gaps",
        entry.rank
    );
    Err(fault(entry.line, reason))
}

/// The lines that are not empty, with their numbers.
fn lines(content: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = content.split(|&byte| byte == b'\n');
    (1..)
        .zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
        .filter(|(_, line)| !line.is_empty())
}

fn fields(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|&byte| byte == b' ')?;
    Some((&line[..at], &line[at + 1..]))
}

fn ranked_of(line: usize, text: &[u8]) -> Result<Ranked> {
    let (token, rank) = fields(text)
        .ok_or_else(|| fault(line, "it is not a token in base64, a space and a rank"))?;
    let token = unbase64(token)
        .filter(|token| !token.is_empty())
        .ok_or_else(|| {
            let reason = format!("{} is not the base64 of a token", shown(token));
            fault(line, reason)
        })?;
    // A number as tiktoken writes it: digits alone.
    let rank = std::str::from_utf8(rank)
        .ok()
        .filter(|rank| rank.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|rank| rank.parse().ok())
        .ok_or_else(|| {
            let reason = format!("{} is not a rank below 2^32", shown(rank));
            fault(line, reason)
        })?;
    Ok(Ranked { rank, token, line })
}

/// The bytes that base64 stands for (RFC 4648, section 4, padded); `None` for what no encoder writes.
fn unbase64(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() % 4 != 0 {
        return None;
    }
    let digits = text.strip_suffix(b"=").unwrap_or(text);
    let digits = digits.strip_suffix(b"=").unwrap_or(digits);
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut num_bits) = (0_u32, 0);
    for &digit in digits {
        bits = bits << 6 | digit_value(digit)?;
        num_bits += 6;
        if num_bits >= 8 {
            num_bits -= 8;
            bytes.push((bits >> num_bits) as u8);
            bits &= (1 << num_bits) - 1;
        }
    }
    (bits == 0 && num_bits < 6).then_some(bytes)
}

fn digit_value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

/// The tokens with the merges that make them.
fn model_of(ranked: &[Ranked]) -> Result<Model> {
    let alphabet = alphabet_of(ranked)?;
    let mut merger = Merger::new(&alphabet);
    let num_bytes = alphabet.len();
    let mut model = Model::of_alphabet(alphabet);
    for entry in &ranked[num_bytes..] {
        let parts = merger.parts(&entry.token);
        let pair = match parts[..] {
            [left, right] => model.push_merge(left, right).map(|_| (left, right)),
            _ => None,
        };
        let Some(pair) = pair else {
            let reason = format!(
                "no two tokens of lower ranks make {}: merging its bytes ends with {} parts",
                shown(&entry.token),
                parts.len()
            );
            return Err(fault(entry.line, reason));
        };
        merger.merges.insert(pair, entry.rank);
    }
    Ok(model)
}

/// The alphabet whose order the first 256 ranks show.
fn alphabet_of(ranked: &[Ranked]) -> Result<Alphabet> {
    let mut has_byte = [false; 256];
    for entry in ranked {
        if let [byte] = entry.token[..] {
            has_byte[usize::from(byte)] = true;
        }
    }
    if let Some(byte) = has_byte.iter().position(|&has| !has) {
        return Err(Error::Format {
            format: WHAT,
            place: "the end of the file".to_owned(),
            reason: format!("the byte {byte:#04x} is no token, so not every text could be encoded"),
        });
    }
    if let Some(entry) = ranked[..256].iter().find(|entry| entry.token.len() > 1) {
        let reason = format!(
            "{} has rank {}, but the ranks below 256 must be those of the bytes",
            shown(&entry.token),
            entry.rank
        );
        return Err(fault(entry.line, reason));
    }
    let orders = [AlphabetOrder::Bytes, AlphabetOrder::Gpt2];
    let alphabets = orders.map(|order| Alphabet::new(256, order));
    let mut first_other = &ranked[0];
    for alphabet in alphabets {
        let mut units = ranked.iter().zip(alphabet.units().iter());
        let other = units.find(|(entry, unit)| entry.token != unit.bytes);
        let other = other.map(|(entry, _)| entry);
        drop(units);
        match other {
            None => return Ok(alphabet),
            Some(entry) if entry.rank > first_other.rank => first_other = entry,
            Some(_) => {}
        }
    }
    let reason = format!(
        "the byte {} has rank {}, which is neither the order of bytes nor GPT-2's",
        shown(&first_other.token),
        first_other.rank
    );
    Err(fault(first_other.line, reason))
}

/// Merges bytes by the ranks known so far. Cost: n·log n in the bytes.
struct Merger {
    bytes: [TokenId; 256],
    /// Pair → the token it makes, whose id is the pair's rank.
    merges: HashMap<(TokenId, TokenId), Rank, RandomState>,
    parts: Vec<Part>,
    heap: BinaryHeap<Reverse<(Rank, usize)>>,
}

/// A part of a token; parts stay where they start.
#[derive(Clone, Copy)]
struct Part {
    id: TokenId,
    before: Option<usize>,
    after: Option<usize>,
    is_gone: bool,
}

impl Merger {
    fn new(alphabet: &Alphabet) -> Self {
        let mut bytes = [0; 256];
        for (id, unit) in (0..).zip(alphabet.units().iter()) {
            bytes[usize::from(unit.bytes[0])] = id;
        }
        Self {
            bytes,
            merges: HashMap::default(),
            parts: Vec::new(),
            heap: BinaryHeap::new(),
        }
    }

    /// What is left of a token when no further pair can be merged.
    fn parts(&mut self, token: &[u8]) -> Vec<TokenId> {
        self.parts.clear();
        self.heap.clear();
        for (at, &byte) in token.iter().enumerate() {
            self.parts.push(Part {
                id: self.bytes[usize::from(byte)],
                before: at.checked_sub(1),
                after: (at + 1 < token.len()).then_some(at + 1),
                is_gone: false,
            });
        }
        for at in 0..token.len() {
            self.push_pair(at);
        }
        while let Some(Reverse((rank, at))) = self.heap.pop() {
            let part = self.parts[at];
            let Some(after) = part.after.filter(|_| !part.is_gone) else {
                continue;
            };
            // The pair may have become another one since.
            if self.rank_of(at) != Some(rank) {
                continue;
            }
            let gone = &mut self.parts[after];
            gone.is_gone = true;
            let next = gone.after;
            self.parts[at].id = rank;
            self.parts[at].after = next;
            if let Some(next) = next {
                self.parts[next].before = Some(at);
            }
            self.push_pair(at);
            if let Some(before) = part.before {
                self.push_pair(before);
            }
        }
        let left = self.parts.iter().filter(|part| !part.is_gone);
        left.map(|part| part.id).collect()
    }

    /// The rank of the pair that begins with a part.
    fn rank_of(&self, at: usize) -> Option<Rank> {
        let part = self.parts[at];
        let pair = (part.id, self.parts[part.after?].id);
        self.merges.get(&pair).copied()
    }

    fn push_pair(&mut self, at: usize) {
        if let Some(rank) = self.rank_of(at) {
            self.heap.push(Reverse((rank, at)));
        }
    }
}

/// A token as it is shown to people, its beginning if it is long.
fn shown(bytes: &[u8]) -> String {
    let beginning = &bytes[..bytes.len().min(MAX_SHOWN_BYTES)];
    let dots = if beginning.len() < bytes.len() {
        "…"
    } else {
        ""
    };
    format!("\"{}{dots}\"", form(beginning, Marks::NONE))
}

fn fault(line: usize, reason: impl Into<String>) -> Error {
    Error::Format {
        format: WHAT,
        place: format!("line {line}"),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encode::EncoderKind;
    use crate::special::AllowedSpecial;

    fn base64(bytes: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for chunk in bytes.chunks(3) {
            let mut bits = 0;
            for at in 0..3 {
                bits = bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0));
            }
            for at in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
                text.push(if at <= chunk.len() { digit.into() } else { '=' });
            }
        }
        text
    }

    fn file_of(tokens: &[&[u8]]) -> String {
        let bytes: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
        let bytes = bytes.iter().map(|byte| &byte[..]);
        bytes
            .chain(tokens.iter().copied())
            .zip(0..)
            .map(|(token, rank)| format!("{} {rank}\n", base64(token)))
            .collect()
    }

    fn settings(pretokenizer: &str) -> ForeignSettings {
        ForeignSettings {
            pretokenizer: Some(pretokenizer.to_owned()),
            ..ForeignSettings::default()
        }
    }

    fn error_of(content: &str) -> String {
        let read = read(content.as_bytes(), &settings("none"));
        read.map_or_else(|error| error.to_string(), |_| "none".to_owned())
    }

    #[test]
    fn base64_is_read_as_the_standard_writes_it() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("+/8A", b"\xFB\xFF\0"),
        ] {
            assert_eq!(unbase64(text.as_bytes()).as_deref(), Some(bytes));
            assert_eq!(base64(bytes), text);
        }
        for text in [
            "Z", "Zg", "Zg=", "Z===", "Zg==Zg==", "Zh==", "Zm9=", "Zm-_", "====",
        ] {
            assert_eq!(unbase64(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn each_token_is_made_by_the_pair_its_bytes_end_with() {
        let file = file_of(&[b"ab", b"bc", b"abc", b"aabc", b"aa", b"aaaa"]);
        let tok = read(file.as_bytes(), &settings("none")).unwrap();
        let merges = tok.model().merges().iter();
        let merges: Vec<_> = merges.map(|m| (m.left, m.right, m.new)).collect();
        let (a, b, c) = (97, 98, 99);
        assert_eq!(
            merges,
            [
                (a, b, 256),
                (b, c, 257),
                (256, c, 258),
                (a, 258, 259),
                (a, a, 260),
                (260, 260, 261),
            ]
        );
        assert_eq!(tok.recipe(), "bpe");
        let ids = tok.encode(b"aabcbc", AllowedSpecial::None).unwrap();
        assert_eq!(ids, [259, 257]);
    }

    #[test]
    fn a_token_that_merging_does_not_reach_is_named_with_its_line() {
        // "bc" is merged first, and nothing is left to join "a" and "bc".
        let error = error_of(&file_of(&[b"bc", b"ab", b"abcd"]));
        assert!(
            error.contains("line 259: no two tokens of lower ranks make \"abcd\""),
            "{error}"
        );
        assert!(error.contains("3 parts"), "{error}");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let good = file_of(&[b"ab"]);
        for (from, to, wanted) in [
            ("YWI= 256", "YWI 256", "line 257: \"YWI\" is not the base64"),
            ("YWI= 256", " 256", "line 257: \"\" is not the base64"),
            ("YWI= 256", "YWI= 2x", "line 257: \"2x\" is not a rank"),
            ("YWI= 256", "YWI= +256", "is not a rank"),
            ("YWI= 256", "YWI= 4294967296", "is not a rank below 2^32"),
            ("YWI= 256", "YWI= 256 7", "is not a rank"),
            ("YWI= 256", "YWI=\t256", "line 257: it is not a token"),
            (
                "YWI= 256",
                "YWI= 257",
                "line 257: the rank is 257, but no line has rank 256",
            ),
            (
                "YWI= 256",
                "YWI= 9",
                "line 257: the rank 9 stands on line 10 already",
            ),
            (
                "YWI= 256",
                "YQ== 256",
                "line 257: the token \"a\" stands on line 98 already",
            ),
            ("YQ== 97\n", "", "but no line has rank 97"),
            ("YQ== 97", "YWJj 97", "the byte 0x61 is no token"),
            (
                "YQ== 97",
                "YWI= 97",
                "line 257: the token \"ab\" stands on line 98 already",
            ),
        ] {
            assert!(good.contains(from));
            let error = error_of(&good.replace(from, to));
            assert!(error.contains("tiktoken ranks does not parse"), "{error}");
            assert!(error.contains(wanted), "{error} for {wanted}");
        }
    }

    #[test]
    fn bytes_in_another_order_are_refused_with_the_place() {
        let swapped = file_of(&[])
            .replace("YQ== 97\n", "YQ== 98\n")
            .replace("Yg== 98\n", "Yg== 97\n");
        let error = error_of(&swapped);
        assert!(
            error.contains("line 99: the byte \"b\" has rank 97"),
            "{error}"
        );
        let error = error_of(
            &file_of(&[b"ab"])
                .replace("YQ== 97\n", "YQ== 256\n")
                .replace("YWI= 256", "YWI= 97"),
        );
        assert!(error.contains("\"ab\" has rank 97"), "{error}");
    }

    #[test]
    fn gpt2s_order_and_any_order_of_lines_and_line_ends_are_read() {
        let alphabet = Alphabet::new(256, AlphabetOrder::Gpt2);
        let units = alphabet.units().iter().zip(0..);
        let mut lines: Vec<String> = units
            .map(|(unit, rank)| format!("{} {rank}\r\n", base64(unit.bytes)))
            .collect();
        lines.reverse();
        let content = format!("{}\r\nYWI= 256", lines.concat());
        assert!(begins_so(content.as_bytes()));
        let tok = read(content.as_bytes(), &settings("gpt2")).unwrap();
        assert_eq!(tok.model().alphabet().order(), AlphabetOrder::Gpt2);
        assert_eq!(tok.encode(b"!ab", AllowedSpecial::None).unwrap(), [0, 256]);
    }

    #[test]
    fn an_unknown_vocabulary_needs_a_pretokenizer() {
        let read = read(file_of(&[b"ab"]).as_bytes(), &ForeignSettings::default());
        let error = read.map_or_else(|error| error.to_string(), |_| "none".to_owned());
        for named in ["257 tokens", "cl100k_base", "gpt2-contraction-fix"] {
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_cut_inside_a_line_is_an_error_and_a_lost_line_end_is_none() {
        let content = file_of(&[b"ab", b"abab"]);
        for len in 0..content.len() - 1 {
            let is_whole = content.as_bytes()[len] == b'\n' || content[..len].ends_with('\n');
            let cut = &content.as_bytes()[..len];
            let found = read(cut, &settings("none"));
            // The bytes end with line 256.
            let num_lines = content[..=len].matches('\n').count();
            assert_eq!(found.is_ok(), is_whole && num_lines >= 256, "{len}");
        }
        assert!(read(content.trim_end().as_bytes(), &settings("none")).is_ok());
    }

    #[test]
    fn long_tokens_take_linear_time() {
        let long: Vec<Vec<u8>> = (1..=20).map(|n| vec![b'a'; 1 << n]).collect();
        let mut tokens: Vec<&[u8]> = long.iter().map(|token| &token[..]).collect();
        let unreachable = [&b"b"[..], &long[19], &b"c"[..]].concat();
        let file = file_of(&tokens);
        let tok = read(file.as_bytes(), &settings("none")).unwrap();
        assert_eq!(tok.encode(&long[19], AllowedSpecial::None).unwrap(), [275]);
        tokens.push(&unreachable);
        assert!(error_of(&file_of(&tokens)).contains("ends with 3 parts"));
    }

    /// tiktoken's own way: the two neighbours whose bytes together have the lowest rank are joined.
    fn by_ranks(text: &[u8], ranked: &[Ranked]) -> Vec<TokenId> {
        let rank = |token: &[u8]| ranked.iter().position(|entry| entry.token == token);
        let mut parts: Vec<Vec<u8>> = text.iter().map(|&byte| vec![byte]).collect();
        while let Some((_, at)) = (1..parts.len())
            .filter_map(|at| Some((rank(&parts[at - 1..=at].concat())?, at)))
            .min()
        {
            let right = parts.remove(at);
            parts[at - 1].extend(right);
        }
        let ids = parts.iter().filter_map(|part| rank(part));
        ids.map(|id| id as TokenId).collect()
    }

    proptest! {
        #[test]
        fn merging_by_pairs_gives_the_ids_of_merging_by_ranks(
            wanted in prop::collection::vec("[ab]{2,6}", 0..24),
            texts in prop::collection::vec("[ab]{0,16}", 8),
        ) {
            // Of the tokens asked for, those that can be reached.
            let mut tokens: Vec<&[u8]> = Vec::new();
            for token in &wanted {
                tokens.push(token.as_bytes());
                if read(file_of(&tokens).as_bytes(), &settings("none")).is_err() {
                    tokens.pop();
                }
            }
            let file = file_of(&tokens);
            let ranked = parse(file.as_bytes()).unwrap();
            let tok = read(file.as_bytes(), &settings("none")).unwrap();
            for text in &texts {
                let ids = tok.encode(text.as_bytes(), AllowedSpecial::None).unwrap();
                prop_assert_eq!(ids, by_ranks(text.as_bytes(), &ranked));
            }
            for kind in EncoderKind::ALL {
                let Ok(other) = tok.with_encoder(kind) else { continue };
                for text in &texts {
                    let ids = other.encode(text.as_bytes(), AllowedSpecial::None).unwrap();
                    let state = other.decoder().state(None, false).unwrap();
                    prop_assert_eq!(other.decoder().decode(&ids, state).unwrap(), text.as_bytes());
                }
            }
        }

        #[test]
        fn any_content_is_a_tokenizer_or_an_error(lines in prop::collection::vec("[YWI=aQ]{0,8} ?[0-9]{0,4}", 0..40)) {
            let _ = read(lines.join("\n").as_bytes(), &settings("none"));
        }
    }
}
