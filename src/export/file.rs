//! Output files that are complete or absent, and folders of them.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// What to do when the file is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    #[default]
    Keep,
    /// Replace it once the new one is complete.
    Replace,
}

/// An unfinished file. Dropping it removes what was written so far.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    // Removes the file unless it was given its name.
    temporary: TempPath,
    path: PathBuf,
    existing: Existing,
}

impl OutputFile {
    /// Opens a temporary file beside `path`, so that an unwritable folder is reported early.
    ///
    /// # Errors
    /// [`Error::Output`] when `path` exists and `existing` keeps it, is not a regular file, or lies in a folder
    /// that does not exist or is not writable.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        check(path, existing)?;
        // A link is followed, so that its target is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = folder_of(&path);
        if !folder.is_dir() {
            return Err(output(&path, format!("there is no folder {}", folder.display())));
        }
        let (file, temporary) = temporary_in(folder).map_err(|e| output(&path, cause(e)))?.into_parts();
        Ok(OutputFile { file, temporary, path, existing })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs the file to the disk and gives it its name. Returns its length in bytes.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full, or the name has been taken meanwhile.
    pub fn commit(self) -> Result<u64> {
        let fail = |e: io::Error| output(&self.path, e);
        self.file.sync_all().map_err(fail)?;
        let length = self.file.metadata().map_err(fail)?.len();
        match self.existing {
            Existing::Replace => self.temporary.persist(&self.path),
            Existing::Keep => self.temporary.persist_noclobber(&self.path),
        }
        .map_err(|e| output(&self.path, e.error))?;
        Ok(length)
    }
}

/// A folder for numbered files. Dropping it removes the folder again if it was made here and is still empty.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    existing: Existing,
    made: bool,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and proves that it can be written to. The first of its files is
    /// to be called `first`.
    ///
    /// # Errors
    /// [`Error::Output`] when it cannot be made or written to, or when `first` is in it and `existing` keeps it.
    pub fn create(path: &Path, first: &str, existing: Existing) -> Result<Self> {
        let made = !path.exists();
        if made {
            fs::create_dir_all(path).map_err(|e| output(path, e))?;
        } else if !path.is_dir() {
            return Err(output(path, "it exists but is not a folder"));
        }
        let folder = OutputFolder { path: path.to_owned(), existing, made };
        check(&path.join(first), existing)?;
        temporary_in(path).map_err(|e| output(path, cause(e)))?;
        Ok(folder)
    }

    /// Opens a file in the folder.
    ///
    /// # Errors
    /// As [`OutputFile::create`].
    pub fn file(&self, name: &str) -> Result<OutputFile> {
        OutputFile::create(&self.path.join(name), self.existing)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if self.made {
            // Fails if the folder is not empty, which is intended.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// The error of not being able to write `path`.
pub(super) fn output(path: &Path, reason: impl ToString) -> Error {
    let reason = reason.to_string();
    // Without the system's error number.
    let words = reason.split(" (os error").next().unwrap_or(&reason);
    Error::Output { path: path.to_owned(), reason: words.to_owned() }
}

/// The system's message without the name of the temporary file.
fn cause(error: io::Error) -> String {
    std::error::Error::source(&error).map_or_else(|| error.to_string(), |cause| cause.to_string())
}

fn check(path: &Path, existing: Existing) -> Result<()> {
    if path.file_name().is_none() {
        return Err(output(path, "it does not name a file"));
    }
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(output(path, e)),
        Ok(_) if path.is_dir() => Err(output(path, "it is a folder")),
        // A device or a pipe must not be replaced by a file, even with `Replace`.
        Ok(_) if path.exists() && !path.is_file() => Err(output(path, "it is not a regular file")),
        Ok(_) if existing == Existing::Keep => Err(Error::Exists(path.to_owned())),
        Ok(_) => Ok(()),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A hidden file in `folder` with the permissions of any new file.
fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".starlings-").suffix(".part");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bin");
        let mut file = OutputFile::create(&path, Existing::Keep).expect("a new file");
        file.file().write_all(b"half").expect("room");
        drop(file);
        assert_eq!(entries(folder.path()), 0);
        let mut file = OutputFile::create(&path, Existing::Keep).expect("a new file");
        file.file().write_all(b"whole").expect("room");
        assert!(!path.exists());
        assert_eq!(file.commit().expect("a name"), 5);
        assert_eq!(fs::read(&path).expect("a file"), b"whole");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn what_is_there_is_kept_unless_told_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bin");
        let late = OutputFile::create(&path, Existing::Keep).expect("nothing there yet");
        fs::write(&path, "old").expect("room");
        let message = OutputFile::create(&path, Existing::Keep).expect_err("it is there").to_string();
        assert_eq!(message, format!("cannot write {}: it is already there", path.display()));
        late.commit().expect_err("it came in between");
        assert_eq!(fs::read(&path).expect("a file"), b"old");
        OutputFile::create(&path, Existing::Replace).expect("allowed").commit().expect("allowed");
        assert_eq!(fs::read(&path).expect("a file"), b"");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, reason) in [
            (folder.path().join("no/such/a.bin"), "there is no folder"),
            (folder.path().to_owned(), "it is a folder"),
            (PathBuf::from("/"), "it does not name a file"),
        ] {
            let message = OutputFile::create(&path, Existing::Replace).expect_err("no place").to_string();
            assert!(message.contains(reason), "{message}");
        }
        #[cfg(unix)]
        OutputFile::create(Path::new("/dev/null"), Existing::Replace).expect_err("a device is not replaced");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").expect("room");
        std::os::unix::fs::symlink(&target, &link).expect("a link");
        let mut file = OutputFile::create(&link, Existing::Replace).expect("allowed");
        file.file().write_all(b"new").expect("room");
        file.commit().expect("allowed");
        assert!(link.is_symlink());
        assert_eq!(fs::read(&target).expect("a file"), b"new");
    }

    #[test]
    fn a_folder_that_stayed_empty_goes_again() {
        let outer = tempfile::tempdir().expect("a folder");
        let path = outer.path().join("frames");
        drop(OutputFolder::create(&path, "0.png", Existing::Keep).expect("a new folder"));
        assert!(!path.exists());
        let folder = OutputFolder::create(&path, "0.png", Existing::Keep).expect("a new folder");
        folder.file("0.png").expect("a new file").commit().expect("a name");
        drop(folder);
        assert_eq!(entries(&path), 1);
        OutputFolder::create(&path, "0.png", Existing::Keep).expect_err("it has a frame already");
        OutputFolder::create(&path, "0.png", Existing::Replace).expect("allowed");
    }
}
