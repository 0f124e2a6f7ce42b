//! Templates: where special tokens stand around one text or two, and the type of every id.
//!
//! A piece is `$A`, `$B` or the name of a special token, each with `:` and a type id behind it where
//! that is not 0: `[CLS] $A [SEP] $B:1 [SEP]:1`.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::special::SpecialTokens;
use crate::types::TokenId;

/// A template as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSettings {
    /// Pieces for one text.
    pub single: Vec<String>,
    /// Pieces for a text and its pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<Vec<String>>,
}

/// Cuts a template written as one string into pieces, at white space.
#[must_use]
pub fn split_pieces(template: &str) -> Vec<String> {
    template.split_whitespace().map(str::to_owned).collect()
}

/// One piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A text.
    Text {
        /// 0 for the first, 1 for its pair.
        index: usize,
        /// The type of its ids.
        type_id: u32,
    },
    /// A special token.
    Special {
        /// Its id.
        id: TokenId,
        /// Its type.
        type_id: u32,
    },
}

/// The pieces for one text or for a pair, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    pieces: Vec<Piece>,
    num_special: usize,
}

impl Form {
    fn new(pieces: Vec<Piece>) -> Self {
        let is_special = |piece: &&Piece| matches!(piece, Piece::Special { .. });
        Self {
            num_special: pieces.iter().filter(is_special).count(),
            pieces,
        }
    }

    /// Texts without special tokens, the second of type 1.
    #[must_use]
    pub fn bare(paired: bool) -> Self {
        let text = |index| Piece::Text {
            index,
            type_id: index as u32,
        };
        Self::new((0..=usize::from(paired)).map(text).collect())
    }

    /// The pieces, from left to right.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Number of special tokens that it adds.
    #[must_use]
    pub fn num_special(&self) -> usize {
        self.num_special
    }

    fn without_special(&self) -> Self {
        let is_text = |piece: &Piece| matches!(piece, Piece::Text { .. });
        Self::new(self.pieces.iter().copied().filter(is_text).collect())
    }
}

/// A template whose special tokens have been found in a tokenizer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    settings: TemplateSettings,
    single: Form,
    pair: Option<Form>,
}

impl Template {
    /// Reads a template for a tokenizer that has these special tokens.
    ///
    /// # Errors
    /// [`Error::Template`] for a piece that is neither a text nor one of the special tokens, a type
    /// id that is none, and a text that is missing or stands there twice.
    pub fn new(settings: &TemplateSettings, special: &SpecialTokens) -> Result<Self> {
        let single = read_form("single", &settings.single, special)?;
        let pair = match &settings.pair {
            None => None,
            Some(pieces) => Some(read_form("pair", pieces, special)?),
        };
        let write = |form: &Form| -> Vec<String> {
            let pieces = form.pieces.iter();
            pieces.map(|piece| write_piece(*piece, special)).collect()
        };
        Ok(Self {
            settings: TemplateSettings {
                single: write(&single),
                pair: pair.as_ref().map(write),
            },
            single,
            pair,
        })
    }

    /// The template as data, every piece in its shortest form.
    #[must_use]
    pub fn settings(&self) -> &TemplateSettings {
        &self.settings
    }

    /// The form for one text.
    #[must_use]
    pub fn single(&self) -> &Form {
        &self.single
    }

    /// The form for one text, or for pairs.
    ///
    /// # Errors
    /// [`Error::Template`] when there is none for pairs.
    pub fn form(&self, paired: bool) -> Result<&Form> {
        match (paired, &self.pair) {
            (false, _) => Ok(&self.single),
            (true, Some(form)) => Ok(form),
            (true, None) => Err(Error::Template {
                place: "pair".to_owned(),
                reason: "this tokenizer's template has no form for pairs".to_owned(),
            }),
        }
    }

    /// The texts alone, with the types that the template gives them.
    #[must_use]
    pub fn bare_form(&self, paired: bool) -> Form {
        match self.form(paired) {
            Ok(form) => form.without_special(),
            Err(_) => Form::bare(paired),
        }
    }
}

fn read_form(name: &'static str, pieces: &[String], special: &SpecialTokens) -> Result<Form> {
    let mut places: [Option<usize>; 2] = [None; 2];
    let mut read = Vec::with_capacity(pieces.len());
    for (at, text) in pieces.iter().enumerate() {
        let fault = |reason: String| Error::Template {
            place: format!("{name}, piece {at}, {text:?}"),
            reason,
        };
        let piece = read_piece(text, special).map_err(fault)?;
        if let Piece::Text { index, .. } = piece {
            if let Some(before) = places[index].replace(at) {
                return Err(fault(format!("this text is piece {before} already")));
            }
            if index == 1 && name == "single" {
                return Err(fault("$B stands in pairs only".to_owned()));
            }
        }
        read.push(piece);
    }
    let needed = if name == "pair" { 2 } else { 1 };
    match places[..needed].iter().position(Option::is_none) {
        None => Ok(Form::new(read)),
        Some(index) => Err(Error::Template {
            place: name.to_owned(),
            reason: format!("{} is missing", ["$A", "$B"][index]),
        }),
    }
}

/// `$A` and `$B` are always texts; a piece that is the whole name of a special token is that token,
/// a colon in it or not.
fn read_piece(piece: &str, special: &SpecialTokens) -> Result<Piece, String> {
    let (name, type_id) = match piece.rsplit_once(':') {
        Some((name, digits)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, digits.parse().ok())
        }
        _ => (piece, Some(0)),
    };
    let (id, type_id) = match (name, special.id(piece), special.id(name)) {
        ("$A" | "$B", ..) => (None, type_id),
        (_, Some(whole), _) => (Some(whole), Some(0)),
        (_, None, Some(id)) => (Some(id), type_id),
        (_, None, None) => {
            return Err(format!(
                "a piece is $A, $B or one of the special tokens ({}), with :N behind it for type N",
                special.known()
            ));
        }
    };
    let type_id = type_id.ok_or_else(|| format!("a type id is 0 to {}", u32::MAX))?;
    Ok(match id {
        Some(id) => Piece::Special { id, type_id },
        None => Piece::Text {
            index: usize::from(name == "$B"),
            type_id,
        },
    })
}

/// The inverse of [`read_piece`].
fn write_piece(piece: Piece, special: &SpecialTokens) -> String {
    let (name, type_id) = match piece {
        Piece::Text { index, type_id } => (["$A", "$B"][index], type_id),
        Piece::Special { id, type_id } => (special.name(id).unwrap_or_default(), type_id),
    };
    match type_id {
        0 => name.to_owned(),
        _ => format!("{name}:{type_id}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::{AddedKind, AddedToken};

    fn special(names: &[&str]) -> SpecialTokens {
        {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            SpecialTokens::new(
                AddedToken::all_of(AddedKind::Special, &names).collect(),
                100,
            )
            .unwrap()
        }
    }

    fn read(single: &str, pair: Option<&str>, names: &[&str]) -> Result<Template> {
        let settings = TemplateSettings {
            single: split_pieces(single),
            pair: pair.map(split_pieces),
        };
        Template::new(&settings, &special(names))
    }

    #[test]
    fn a_name_with_a_colon_is_taken_whole_first_and_written_as_it_was_read() {
        let names = ["[CLS]", "a:1", "a", "$A"];
        let template = read("[CLS]:0 a:1 $A:7 a:1:2", None, &names).unwrap();
        let pieces = template.form(false).unwrap().pieces();
        assert_eq!(
            pieces,
            [
                Piece::Special {
                    id: 100,
                    type_id: 0
                },
                Piece::Special {
                    id: 101,
                    type_id: 0
                },
                Piece::Text {
                    index: 0,
                    type_id: 7
                },
                Piece::Special {
                    id: 101,
                    type_id: 2
                },
            ]
        );
        assert_eq!(
            template.settings().single,
            ["[CLS]", "a:1", "$A:7", "a:1:2"]
        );
        let again = Template::new(template.settings(), &special(&names));
        assert_eq!(again.unwrap(), template);
    }
}
