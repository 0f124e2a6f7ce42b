//! What every saved artifact shares: hex, content hashes, and files that are written whole or not
//! at all.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// Tells the temporary files of one process apart.
static NUM_WRITTEN: AtomicU64 = AtomicU64::new(0);

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
/// file beside it, flushed to disk, then renamed. A link is followed; what is no regular file (a
/// pipe, a device) is written to as it is. Several writers of one path do not mix.
///
/// # Errors
/// [`Error::Io`] with the path; the temporary file is removed.
pub fn write_atomically(path: &Path, data: &[u8]) -> Result<()> {
    let io = |source| Error::Io {
        path: path.to_owned(),
        source,
    };
    let linked = fs::canonicalize(path);
    let target = linked.as_deref().unwrap_or(path);
    if fs::metadata(target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return fs::write(target, data).map_err(io);
    }
    if target.file_name().is_none() {
        return Err(io(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "the path names no file",
        )));
    }
    let number = NUM_WRITTEN.fetch_add(1, Ordering::Relaxed);
    let name = format!(".toksmith-{}-{number}.tmp", std::process::id());
    let temporary = target.with_file_name(name);
    let written = File::create_new(&temporary)
        .and_then(|mut file| {
            if let Ok(old) = fs::metadata(target) {
                file.set_permissions(old.permissions())?;
            }
            file.write_all(data)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, target));
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
    fn writers_of_one_path_do_not_mix() {
        let folder = std::env::temp_dir().join(format!("toksmith-writers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("file");
        std::thread::scope(|scope| {
            for byte in 0..4_u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write_atomically(path, &[byte; 10_000]).unwrap();
                        let read = fs::read(path).unwrap();
                        assert!(read.len() == 10_000 && read.iter().all(|&b| b == read[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = std::env::temp_dir().join(format!("toksmith-links-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&file, &link).unwrap();
        write_atomically(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        write_atomically(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(&folder).unwrap();
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
