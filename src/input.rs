//! Reading of files that a user or the environment names, within bounds: [`Bounded`].

use crate::host_memory;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes that every input may become, however short it is.
pub const DECODED_BASE: u64 = 64 << 20;

/// Bytes that each byte of an input may become beyond [`DECODED_BASE`].
pub const DECODED_TIMES: u64 = 8;

/// Steps of work that an input may ask for beyond one for each of its bytes: some seconds.
pub const WORK: u64 = 1 << 30;

/// What one input takes: bytes of its files, bytes that they are decoded to, and steps of work. Each has a limit, which
/// the error names. A parser asks before it allocates or computes, so that a short file cannot ask for much.
#[derive(Debug)]
pub struct Bounded {
    most: u64,
    times: u64,
    read: Cell<u64>,
    decoded: Cell<u64>,
    work: Cell<u64>,
}

impl Bounded {
    /// An input of files that have at most `most` bytes together.
    pub fn new(most: u64) -> Bounded {
        Bounded { most, times: DECODED_TIMES, read: Cell::new(0), decoded: Cell::new(0), work: Cell::new(0) }
    }

    /// The same with `times` bytes for each byte of an input, in place of [`DECODED_TIMES`].
    #[must_use]
    pub fn with_times(self, times: u64) -> Bounded {
        Bounded { times, ..self }
    }

    /// The bytes of one of its files, as by [`read`].
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn file(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = read(path, self.most - self.read.get()).map_err(|error| match error.kind() {
            io::ErrorKind::FileTooLarge if self.read.get() > 0 => {
                let text = format!("with this file there are more than {} bytes", self.most);
                io::Error::new(io::ErrorKind::FileTooLarge, text)
            }
            _ => error,
        })?;
        self.read.set(self.read.get() + bytes.len() as u64);
        Ok(bytes)
    }

    /// As [`Bounded::file`], also of what is no regular file, such as the output of another program.
    ///
    /// # Errors
    /// [`io::ErrorKind::FileTooLarge`] with a text for the user; otherwise the system's error.
    pub fn stream(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.all_of(File::open(path)?)
    }

    /// As [`Bounded::file`], of what is open already.
    ///
    /// # Errors
    /// As [`Bounded::stream`].
    pub fn all_of(&self, from: impl Read) -> io::Result<Vec<u8>> {
        let bytes = read_most(from, self.most - self.read.get())?;
        self.read.set(self.read.get() + bytes.len() as u64);
        Ok(bytes)
    }

    /// Takes `bytes` of what the input may be decoded to: [`DECODED_BASE`], and [`DECODED_TIMES`] what was read; but no
    /// more than there is memory for.
    ///
    /// # Errors
    /// The limit, as the rest of a sentence that names the input.
    pub fn decoded(&self, bytes: u64) -> Result<(), String> {
        let before = self.decoded.get();
        self.decoded.set(before.saturating_add(bytes));
        let (read, most) = (self.read.get(), DECODED_BASE + self.times * self.read.get());
        if self.decoded.get() > most {
            return Err(format!("decodes to more than {most} bytes; accepted are as many for a file of {read}"));
        }
        // Asked for what is large only: this reads files of the system.
        if bytes > DECODED_BASE || self.decoded.get() / DECODED_BASE > before / DECODED_BASE {
            let (left, by) = host_memory::left();
            if bytes.max(DECODED_BASE) > left {
                return Err(format!("decodes to more than the {left} bytes of memory that are left by {by}"));
            }
        }
        Ok(())
    }

    /// Takes `steps` of the work that the input may ask for: [`WORK`], and one for each byte that was read.
    ///
    /// # Errors
    /// The limit, as the rest of a sentence that names the input.
    pub fn work(&self, steps: u64) -> Result<(), String> {
        let most = WORK + self.read.get();
        self.work.set(self.work.get().saturating_add(steps));
        if self.work.get() > most {
            return Err(format!("takes more than {most} steps to read; accepted are at most as many"));
        }
        Ok(())
    }
}

/// The bytes of the regular file at `path`, at most `most` of them: a pipe would wait for its writer, and a device may
/// never end.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] for another kind of file and [`io::ErrorKind::FileTooLarge`] for a larger one, with
/// a text for the user; otherwise the system's error.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Before it is opened, because opening a pipe waits as well.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"));
    }
    read_most(File::open(path)?, most)
}

fn read_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // One more, by which a file that is too large is told from one that just fits.
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("this file has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_input_takes_is_bounded_by_its_length() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "four").expect("room");
        let bounded = Bounded::new(7);
        let most = DECODED_BASE + 4 * DECODED_TIMES;
        assert_eq!(bounded.decoded(DECODED_BASE), Ok(()));
        bounded.file(&path).expect("it fits");
        assert_eq!(bounded.decoded(4 * DECODED_TIMES), Ok(()));
        let says = format!("decodes to more than {most} bytes; accepted are as many for a file of 4");
        assert_eq!(bounded.decoded(1), Err(says));
        assert_eq!(bounded.work(WORK + 4), Ok(()));
        assert!(bounded.work(u64::MAX).is_err_and(|why| why.starts_with("takes more than 1073741828 steps")));
        let second = bounded.file(&path).expect_err("eight bytes").to_string();
        assert_eq!(second, "with this file there are more than 7 bytes");
    }

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
