//! What every saved artifact shares: hex, content hashes, and files that are written whole or not
//! at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes as lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 0xF])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// The bytes that lower- or upper-case hex stands for; the inverse of [`hex`].
#[must_use]
pub fn unhex(hex: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|d| d as u8);
    let hex = hex.as_bytes();
    if hex.len() % 2 != 0 {
        return None;
    }
    hex.chunks_exact(2)
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect()
}

/// SHA-256 in hex.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Writes a file so that at any moment either the old one or the new one is there: to a temporary
/// file beside it, flushed to disk, then renamed.
///
/// # Errors
/// [`Error::Io`] with the path; the temporary file is removed.
pub fn write_atomically(path: &Path, data: &[u8]) -> Result<()> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let name = path.file_name().ok_or_else(|| {
        io(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "the path names no file",
        ))
    })?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(data)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report; a leftover is all that can be missed here.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(io)
}

/// Reads a whole file.
///
/// # Errors
/// [`Error::Io`] with the path.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_unhex_are_inverse() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!(unhex("0"), None);
        assert_eq!(unhex("zz"), None);
    }

    #[test]
    fn a_failed_write_leaves_nothing_behind() {
        let folder = std::env::temp_dir().join(format!("toksmith-artifact-{}", std::process::id()));
        fs::create_dir_all(folder.join("taken")).unwrap();
        assert!(write_atomically(&folder.join("taken"), b"x").is_err());
        let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1);
        write_atomically(&folder.join("new"), b"x").unwrap();
        assert_eq!(fs::read(folder.join("new")).unwrap(), b"x");
        fs::remove_dir_all(&folder).unwrap();
    }
}
