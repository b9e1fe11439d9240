//! Reading of files that a user or the environment names.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of the regular file at `path`, at most `most` of them: a pipe would wait for its writer, and a device may never end.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for another kind of file and [`io::ErrorKind::FileTooLarge`] for a larger one, with a text for
/// the user; otherwise the system's error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Before it is opened, because opening a pipe waits as well.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
    }
    let mut bytes = Vec::new();
    // One more, by which a file that is too large is told from one that just fits.
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("this file has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_bounded_size_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "four").expect("room");
        assert_eq!(read(&path, 4).expect("it fits"), b"four");
        assert_eq!(read(&path, 3).expect_err("too large").kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(folder.path(), 4).expect_err("a folder").kind(), io::ErrorKind::InvalidInput);
        #[cfg(unix)]
        assert_eq!(read(Path::new("/dev/zero"), 4).expect_err("a device").kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read(&folder.path().join("b"), 4).expect_err("nothing").kind(), io::ErrorKind::NotFound);
    }
}
