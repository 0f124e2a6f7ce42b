//! Files → tokenizers, whoever wrote them. The content tells the format, never the file's name and
//! never a trial of one after another; a format is one file here, which knows the parts of a tokenizer
//! and that foreign file.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::display::one_line;
use crate::error::{Error, Result};
use crate::special::AddedToken;
use crate::tokenizer::Tokenizer;

mod tiktoken;

/// The formats and how they begin, for people.
const KNOWN: &str = "toksmith tokenizer files (a JSON object with a \"format\"), tiktoken's ranks \
                     (lines of a token in base64, a space and its rank)";
/// So much of unknown content is shown.
const MAX_SHOWN_BYTES: usize = 40;

/// What a foreign file may not say. A file that says it refuses to be told otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignSettings {
    /// Name of the pretokenizer, or a regular expression; `None` for that of a known encoding.
    #[serde(default)]
    pub pretokenizer: Option<String>,
    /// Special tokens, ascending where they state ids; `None` for those of a known encoding.
    #[serde(default)]
    pub special_tokens: Option<Vec<AddedToken>>,
    /// Unicode version of the pattern's classes; `None` for that of the library which the file is
    /// of.
    #[serde(default)]
    pub unicode: Option<String>,
}

/// A JSON object, of which only this is asked.
#[derive(Deserialize)]
struct Probe {
    format: Option<IgnoredAny>,
}

/// Reads the content of a tokenizer file of any known format.
///
/// # Errors
/// [`Error::UnknownFormat`]; [`Error::PretokenizerNeeded`]; [`Error::Incompatible`] for settings that
/// the file makes itself; and what the format says of content that is damaged.
pub fn read(content: &[u8], settings: &ForeignSettings) -> Result<Tokenizer> {
    let is_json = content.trim_ascii_start().starts_with(b"{");
    if is_json && !is_foreign_json(content) {
        refuse_settings(settings)?;
        Tokenizer::from_json(content)
    } else if tiktoken::begins_so(content) {
        tiktoken::read(content, settings)
    } else {
        Err(Error::UnknownFormat {
            begins: beginning(content),
            known: KNOWN,
        })
    }
}

/// Whether content is whole JSON of something else. What does not parse is for the own format to
/// explain.
fn is_foreign_json(content: &[u8]) -> bool {
    serde_json::from_slice(content).is_ok_and(|probe: Probe| probe.format.is_none())
}

fn refuse_settings(settings: &ForeignSettings) -> Result<()> {
    let given = [
        ("pretokenizer", settings.pretokenizer.is_some()),
        ("special_tokens", settings.special_tokens.is_some()),
        ("unicode", settings.unicode.is_some()),
    ];
    match given.into_iter().find(|&(_, is_given)| is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Error::Incompatible {
            what: format!("a toksmith tokenizer file says its {name} itself: none can be given"),
        }),
    }
}

/// The first bytes, for a message.
fn beginning(content: &[u8]) -> String {
    let shown = &content[..content.len().min(MAX_SHOWN_BYTES)];
    match shown {
        [] => "nothing: it is empty".to_owned(),
        _ => one_line(shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(content: &[u8], settings: &ForeignSettings) -> String {
        read(content, settings).map_or_else(|error| error.to_string(), |_| "none".to_owned())
    }

    #[test]
    fn unknown_content_is_told_what_is_known() {
        for content in [
            &b""[..],
            b"#version: 0.2\n",
            b"[PAD]\n",
            b"\xFF\x00",
            b"AA==",
            b"{\"model\": {}}",
        ] {
            let error = error_of(content, &ForeignSettings::default());
            assert!(error.contains("unknown format"), "{error}");
            assert!(error.contains("tiktoken"), "{error}");
        }
    }

    #[test]
    fn json_that_is_cut_is_explained_by_the_own_format() {
        let error = error_of(
            b"{\"format\": \"toksmith.tokenizer\", \"ver",
            &ForeignSettings::default(),
        );
        assert!(error.contains("tokenizer file does not parse"), "{error}");
    }

    #[test]
    fn what_a_file_says_itself_cannot_be_given() {
        let settings = ForeignSettings {
            unicode: Some("16.0".to_owned()),
            ..ForeignSettings::default()
        };
        let error = error_of(b"{\"format\": \"toksmith.tokenizer\"}", &settings);
        assert!(error.contains("unicode"), "{error}");
    }
}
