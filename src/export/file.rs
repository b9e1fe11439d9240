//! Output files that are complete or absent.

use crate::error::{Error, Result};
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
    /// The same with links followed; none for standard output.
    place: Option<PathBuf>,
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
    /// [`Error::Output`] when `path` exists and `existing` keeps it, is not a regular file, or lies in a folder
    /// that does not exist or is not writable.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        check(path, path, existing)?;
        let place = followed(path);
        if place.is_symlink() {
            return Err(output(path, "it is a link that leads back to itself"));
        }
        check(&place, path, existing)?;
        let folder = folder_of(&place);
        if !folder.is_dir() {
            return Err(output(path, format!("there is no folder {}", folder.display())));
        }
        let file = tempfile::tempfile_in(folder).map_err(|e| output(path, cause(&e)))?;
        Ok(OutputFile { file, path: path.to_owned(), place: Some(place), existing })
    }

    /// A file that is copied to standard output once it is complete.
    ///
    /// # Errors
    /// [`Error::Output`] when the system's folder for temporary files is not writable.
    pub fn standard_output() -> Result<Self> {
        let path = PathBuf::from(STANDARD_OUTPUT);
        let file = tempfile::tempfile().map_err(|e| output(&path, cause(&e)))?;
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
        self.place.as_deref().map_or_else(std::env::temp_dir, |place| folder_of(place).to_owned())
    }

    /// Syncs the file to the disk and gives it its name. A file that it replaces leaves it its permissions.
    ///
    /// # Errors
    /// [`Error::Output`] when the disk is full; [`Error::Exists`] when the name has been taken meanwhile.
    pub fn commit(mut self) -> Result<Written> {
        match self.publish() {
            Ok(written) => Ok(written),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(Error::Exists(self.path)),
            Err(e) => Err(output(&self.path, cause(&e))),
        }
    }

    fn publish(&mut self) -> io::Result<Written> {
        let bytes = self.file.metadata()?.len();
        let Some(place) = self.place.clone() else {
            self.file.rewind()?;
            let mut out = io::stdout().lock();
            match io::copy(&mut self.file, &mut out).and_then(|_| out.flush()) {
                // As in `starlings render --out - | head`.
                Err(e) if e.kind() != io::ErrorKind::BrokenPipe => return Err(e),
                _ => return Ok(Written { path: self.path.clone(), bytes }),
            }
        };
        self.keep_access(&self.file)?;
        self.file.sync_all()?;
        let path = match self.existing {
            Existing::Replace => self.name(&place, true).map(|()| self.path.clone()),
            Existing::Keep => self.name(&place, false).map(|()| self.path.clone()),
            Existing::Number => self.number(&place),
        }?;
        sync_folder(folder_of(&place));
        Ok(Written { path, bytes })
    }

    /// Names the file `place`, or the first of its numbered names that is free.
    fn number(&mut self, place: &Path) -> io::Result<PathBuf> {
        for number in 1.. {
            match self.name(&numbered(place, number), false) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                named => return named.map(|()| numbered(&self.path, number)),
            }
        }
        unreachable!("there are more numbers than files")
    }

    fn name(&mut self, place: &Path, replace: bool) -> io::Result<()> {
        if !replace {
            match link(&self.file, place) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {}
                named => return named,
            }
        }
        // A link cannot replace a file, but a file with another name can. Only while this runs is there such a file.
        let part = {
            let mut builder = tempfile::Builder::new();
            builder.prefix(".starlings-").suffix(".part");
            let linked = builder.make_in(folder_of(place), |name| link(&self.file, name));
            linked.map(|part| part.into_temp_path()).or_else(|_| self.copy(&mut builder, folder_of(place)))?
        };
        if replace { part.persist(place) } else { part.persist_noclobber(place) }.map_err(|e| e.error)
    }

    /// A copy in `folder`, for systems that cannot name a file that has no name.
    fn copy(&mut self, builder: &mut tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<tempfile::TempPath> {
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (mut copy, part) = builder.tempfile_in(folder)?.into_parts();
        self.file.rewind()?;
        io::copy(&mut self.file, &mut copy)?;
        self.keep_access(&copy)?;
        copy.sync_all()?;
        Ok(part)
    }

    /// Gives `file` the permissions of the file that it replaces, if it replaces one.
    fn keep_access(&self, file: &File) -> io::Result<()> {
        match self.place.as_deref().map(fs::metadata) {
            Some(Ok(old)) if self.existing == Existing::Replace => keep_access(file, &old),
            _ => Ok(()),
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
pub(super) fn cause(error: &io::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), |cause| cause.to_string())
}

/// Fails if a file of the name `path`, which the user knows as `shown`, cannot be written.
pub(super) fn check(path: &Path, shown: &Path, existing: Existing) -> Result<()> {
    let last = path.as_os_str().as_encoded_bytes().last();
    if path.file_name().is_none() || last.is_some_and(|&byte| std::path::is_separator(byte.into())) {
        return Err(output(shown, "it does not name a file"));
    }
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

/// `path` with links followed, also where they lead to a file that is not there yet.
pub fn followed(path: &Path) -> PathBuf {
    let mut place = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&place) else { break };
        place = folder_of(&place).join(target);
    }
    match (folder_of(&place).canonicalize(), place.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => place,
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
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

/// Writes a folder's entries to the disk, so that a file's name survives a power cut. Not every file system can, which is
/// no reason to fail: the file itself is on the disk.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    #[cfg(not(unix))]
    let _ = folder;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    /// Writes `text` to the file `path`.
    fn write(path: &Path, text: &str, existing: Existing) -> Result<Written> {
        let mut file = OutputFile::create(path, existing)?;
        file.file().write_all(text.as_bytes()).expect("room");
        file.commit()
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bin");
        let mut file = OutputFile::create(&path, Existing::Keep).expect("a new file");
        file.file().write_all(b"half").expect("room");
        // Not even under a hidden name, which a killed program would leave behind.
        assert_eq!(entries(folder.path()), 0);
        drop(file);
        assert_eq!(entries(folder.path()), 0);
        let written = write(&path, "whole", Existing::Keep).expect("a name");
        assert_eq!(written, Written { path: path.clone(), bytes: 5 });
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
        assert_eq!(late.commit().expect_err("it came in between").to_string(), message);
        assert_eq!(fs::read(&path).expect("a file"), b"old");
        write(&path, "", Existing::Replace).expect("allowed");
        assert_eq!(fs::read(&path).expect("a file"), b"");
        assert_eq!(entries(folder.path()), 1);
    }

    #[test]
    fn files_of_one_name_at_once_are_numbered() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.b.png");
        let files: Vec<_> = (0..3).map(|_| OutputFile::create(&path, Existing::Number).expect("room")).collect();
        let names: Vec<_> = files.into_iter().map(|file| file.commit().expect("a name").path).collect();
        assert_eq!(names, ["a.b.png", "a.b-2.png", "a.b-3.png"].map(|name| folder.path().join(name)));
    }

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
        assert_eq!(entries(folder.path()), 2);
    }

    #[test]
    fn places_that_cannot_be_written_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, reason) in [
            (folder.path().join("no/such/a.bin"), "there is no folder"),
            (folder.path().to_owned(), "it is a folder"),
            (folder.path().join("a.bin/"), "it does not name a file"),
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
    fn a_link_is_followed_also_to_nothing() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        symlink("second", at("first")).expect("a link");
        symlink(at("target"), at("second")).expect("a link");
        OutputFile::create(&at("first"), Existing::Keep).expect_err("the link is there");
        for text in ["new", "newer"] {
            write(&at("first"), text, Existing::Replace).expect("allowed");
            assert!(at("first").is_symlink() && at("second").is_symlink());
            assert_eq!(fs::read_to_string(at("target")).expect("a file"), text);
        }
        symlink("round", at("round")).expect("a link");
        let message = OutputFile::create(&at("round"), Existing::Replace).expect_err("no end").to_string();
        assert!(message.contains("a link that leads back to itself"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_leaves_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.bin");
        for mode in [0o600, 0o664] {
            fs::write(&path, "old").expect("room");
            fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("our own file");
            write(&path, "new", Existing::Replace).expect("allowed");
            let permissions = fs::metadata(&path).expect("a file").permissions();
            assert_eq!(permissions.mode() & 0o777, mode);
        }
    }
}
