//! Output files that are complete or absent.

use super::place::Place;
use crate::error::{Error, Result};
use crate::interrupt;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// What to do when the file is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Leave it alone and fail.
    #[default]
    Keep,
    /// Replace it once the new one is complete.
    Replace,
    /// Leave it alone, and take the first of `name-2`, `name-3` and so on that is not there.
    Number,
}

/// What errors call it.
pub(super) const STANDARD_OUTPUT: &str = "standard output";

/// An unfinished file, which has no name yet: whatever ends the program, nothing is left of it.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    /// Its name, as given.
    path: PathBuf,
    /// Where that is; none for standard output.
    place: Option<Place>,
    existing: Existing,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Its name.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

impl OutputFile {
    /// Opens a file without a name in the folder of `path`, so that an unwritable folder is reported early.
    ///
    /// # Errors
    /// [`Error::Exists`] when `path` is there and `existing` keeps it; [`Error::Output`] when it is not a regular file,
    /// or lies in a folder that does not exist or is not writable. Only [`Existing::Replace`] follows links, where
    /// `Place::followed` does.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        let place = if existing == Existing::Replace { Place::followed(path) } else { Place::new(path) };
        let place = place.map_err(|reason| output(path, reason))?;
        check(&place.path(None), path, existing)?;
        let file = tempfile::tempfile_in(place.folder()).map_err(|e| output(path, cause(&e)))?;
        Ok(OutputFile { file, path: path.to_owned(), place: Some(place), existing })
    }

    /// A file that is copied to standard output once it is complete.
    ///
    /// # Errors
    /// [`Error::Output`] when there is no room for it.
    pub fn standard_output() -> Result<Self> {
        let path = PathBuf::from(STANDARD_OUTPUT);
        let file = tempfile::tempfile();
        // In memory where the folder for temporary files cannot be written, as in a container that is read-only.
        #[cfg(target_os = "linux")]
        let file = file.or_else(|_| {
            use rustix::fs::{MemfdFlags, memfd_create};
            Ok(memfd_create("starlings", MemfdFlags::CLOEXEC)?.into())
        });
        let file = file.map_err(|e: io::Error| output(&path, cause(&e)))?;
        Ok(OutputFile { file, path, place: None, existing: Existing::Keep })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for other files that belong to it.
    pub(super) fn folder(&self) -> PathBuf {
        self.place.as_ref().map_or_else(std::env::temp_dir, Place::folder)
    }

    /// Writes all of the file by `write`, and gives it its name.
    pub fn fill(mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<Written> {
        let _held = self.place.is_some().then(interrupt::hold);
        write(&mut self.file).map_err(|error| output(&self.path, error))?;
        self.commit()
    }

    /// Syncs the file to the disk and gives it its name. A file that it replaces leaves it its permissions.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full; [`Error::Exists`] when the name has been taken meanwhile.
    pub fn commit(mut self) -> Result<Written> {
        // Standard output may be read by a program that does not.
        let _held = self.place.is_some().then(interrupt::hold);
        match self.publish() {
            Ok(written) => Ok(written),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists(self.path)),
            Err(e) => Err(output(&self.path, cause(&e))),
        }
    }

    fn publish(&mut self) -> io::Result<Written> {
        let bytes = self.file.metadata()?.len();
        let Some(place) = self.place.take() else {
            self.file.rewind()?;
            let mut out = io::stdout().lock();
            match io::copy(&mut self.file, &mut out).and_then(|_| out.flush()) {
                // As in `starlings render --out - | head`.
                Err(e) if e.kind() != io::ErrorKind::BrokenPipe => return Err(e),
                _ => return Ok(Written { path: self.path.clone(), bytes }),
            }
        };
        self.keep_access(&place, &self.file)?;
        self.file.sync_all()?;
        let path = match self.existing {
            Existing::Replace => self.name(&place, None, true).map(|()| self.path.clone()),
            Existing::Keep => self.name(&place, None, false).map(|()| self.path.clone()),
            Existing::Number => self.number(&place),
        }?;
        place.sync();
        Ok(Written { path, bytes })
    }

    /// Names the file `place`, or the first of its numbered names that is free.
    fn number(&mut self, place: &Place) -> io::Result<PathBuf> {
        for number in 1.. {
            match self.name(place, Some(numbered(place.name(), number).as_os_str()), false) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                named => return named.map(|()| numbered(&self.path, number)),
            }
        }
        unreachable!("there are more numbers than files")
    }

    /// Names the file `name` in the folder of `place`, by default the name there.
    fn name(&mut self, place: &Place, name: Option<&OsStr>, replace: bool) -> io::Result<()> {
        let path = place.path(name);
        if !replace {
            match link(&self.file, &path) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {}
                named => return named,
            }
        }
        // A link cannot replace a file, but a file with another name can. Only while this runs is there such a file.
        let part = {
            let mut builder = tempfile::Builder::new();
            builder.prefix(".starlings-").suffix(".part");
            let linked = builder.make_in(place.folder(), |name| link(&self.file, name));
            linked.map(|part| part.into_temp_path()).or_else(|_| self.copy(&mut builder, place))?
        };
        if replace { part.persist(path) } else { part.persist_noclobber(path) }.map_err(|e| e.error)
    }

    /// A copy in the same folder, for systems that cannot name a file that has no name.
    fn copy(&mut self, builder: &mut tempfile::Builder<'_, '_>, place: &Place) -> io::Result<tempfile::TempPath> {
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (mut copy, part) = builder.tempfile_in(place.folder())?.into_parts();
        self.file.rewind()?;
        io::copy(&mut self.file, &mut copy)?;
        self.keep_access(place, &copy)?;
        copy.sync_all()?;
        Ok(part)
    }

    /// Gives `file` the permissions of the file that it replaces, if it replaces one.
    fn keep_access(&self, place: &Place, file: &File) -> io::Result<()> {
        match fs::symlink_metadata(place.path(None)) {
            Ok(old) if self.existing == Existing::Replace => keep_access(file, &old),
            _ => Ok(()),
        }
    }
}

/// The error of not being able to write `path`.
pub(super) fn output(path: &Path, reason: impl ToString) -> Error {
    Error::Output { path: path.to_owned(), reason: words(reason) }
}

/// Opens the regular file at `path`, to read it.
pub(super) fn opened(path: &Path) -> Result<File, String> {
    // Before it is opened: a pipe would wait for its other end.
    if !fs::metadata(path).map_err(words)?.is_file() {
        return Err("this is not a regular file".into());
    }
    File::open(path).map_err(words)
}

/// The system's message without its error number.
pub fn words(error: impl ToString) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The system's message without the name of the temporary file.
pub(super) fn cause(error: &io::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |cause| cause.to_string())
}

/// Fails if a file of the name `path`, which the user knows as `shown`, cannot be written.
pub(super) fn check(path: &Path, shown: &Path, existing: Existing) -> Result<()> {
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(output(shown, e)),
        Ok(_) if existing == Existing::Number => Ok(()),
        Ok(_) if path.is_dir() => Err(output(shown, "it is a folder")),
        // A device or a pipe must not be replaced by a file, even with `Replace`.
        Ok(_) if path.exists() && !path.is_file() => Err(output(shown, "it is not a regular file")),
        Ok(_) if existing == Existing::Keep => Err(Error::Exists(shown.to_owned())),
        Ok(_) => Ok(()),
    }
}

/// `path` with links followed as far as it can be, to compare it with others.
pub fn followed(path: &Path) -> PathBuf {
    Place::followed(path).map_or_else(|_| path.to_owned(), |place| place.real())
}

/// `a.png`, `a-2.png`, `a-3.png` and so on.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Gives a file that has no name one.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, unnamed, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Lets the same users access `file` as the file that it replaces.
fn keep_access(file: &File, old: &fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        // Only root may give a file away; others keep what they write.
        let _ = fchown(file, Some(old.uid()), Some(old.gid()));
        // Without the bits that run a program as its owner.
        file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o777))
    }
    #[cfg(not(unix))]
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As on a file system on which a file without a name cannot get one.
    #[test]
    fn a_file_that_cannot_be_named_is_copied() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bin");
        for existing in [Existing::Keep, Existing::Replace, Existing::Number] {
            let mut out = OutputFile::create(&path, existing).expect("a new file");
            let hidden = folder.path().join("hidden");
            out.file = File::options().read(true).write(true).create_new(true).open(&hidden).expect("room");
            fs::remove_file(hidden).expect("our own file");
            out.file().write_all(b"whole").expect("room");
            let written = out.commit().expect("a name");
            assert_eq!(fs::read(&written.path).expect("a file"), b"whole");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
    }
}
