//! How tokens and texts are shown to people. Marks are bits, not characters: `#` is only how they
//! are written here, and every form can be parsed back.

use std::fmt::Write as _;

use crate::boundary::Boundary;
use crate::pretokenize::{UnicodeClasses, newest_version};
use crate::types::Marks;

/// The form of a token as its boundary writes it: as [`form`], but for `▁` in place of the first space
/// with metaspace, `</w>` in place of the last one with end-of-word, and `##` if lead with
/// continuation.
#[must_use]
pub fn form_in(boundary: Boundary, bytes: &[u8], marks: Marks) -> String {
    match (boundary, bytes) {
        (Boundary::Metaspace | Boundary::MetaspaceNoPrefix, [b' ', rest @ ..]) => {
            format!("\u{2581}{}", form(rest, marks))
        }
        (Boundary::EndOfWord, [rest @ .., b' ']) if !rest.is_empty() => {
            format!("{}</w>", form(rest, marks))
        }
        (Boundary::Continuation, _) if marks.lead() => {
            format!("##{}", form(bytes, Marks::new(false, marks.trail())))
        }
        _ => form(bytes, marks),
    }
}

/// The form of a token: `#` if lead, its bytes, `#` if trail.
///
/// Printable UTF-8 is shown as it is, `#` as `\#`, `\` as `\\`, `|` as `\|`, a space as `\s`. A token
/// that is not printable UTF-8 as a whole shows `\n`, `\t`, `\r` and printable ASCII so too, and every
/// other byte as `\xHH`. Source: specification of implicit spaces, section 9.
#[must_use]
pub fn form(bytes: &[u8], marks: Marks) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    if marks.lead() {
        out.push('#');
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().all(is_printable) => {
            for c in text.chars() {
                push_char(c, &mut out);
            }
        }
        _ => {
            for &byte in bytes {
                push_byte(byte, &mut out);
            }
        }
    }
    if marks.trail() {
        out.push('#');
    }
    out
}

/// A text on one line: as it is, but for what would break the line or cannot be printed.
#[must_use]
pub fn one_line(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                ' ' | '#' | '|' => out.push(c),
                c if c.is_ascii() || is_printable(c) => push_char(c, &mut out),
                c => c
                    .encode_utf8(&mut [0; 4])
                    .bytes()
                    .for_each(|b| push_byte(b, &mut out)),
            }
        }
        chunk.invalid().iter().for_each(|&b| push_byte(b, &mut out));
    }
    out
}

fn is_printable(c: char) -> bool {
    UnicodeClasses::of_version(newest_version())
        .is_ok_and(|classes| classes.is_printable(u32::from(c)))
}

fn push_char(c: char, out: &mut String) {
    match u8::try_from(u32::from(c)) {
        Ok(byte) if byte < 0x80 => push_byte(byte, out),
        _ => out.push(c),
    }
}

fn push_byte(byte: u8, out: &mut String) {
    match byte {
        b'#' | b'\\' | b'|' => {
            out.push('\\');
            out.push(char::from(byte));
        }
        b' ' => out.push_str("\\s"),
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        0x21..=0x7E => out.push(char::from(byte)),
        _ => {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
}
