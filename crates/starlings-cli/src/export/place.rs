//! Where a file will be: its folder, which is kept open, and its name in it. Whatever becomes of the names that led
//! there, the file is made in this folder.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// As many as Linux follows.
const MOST_LINKS: usize = 40;

/// A folder and a name in it.
#[derive(Debug)]
pub struct Place {
    folder: Folder,
    name: OsString,
}

impl Place {
    /// The file `path`, itself if it is a link.
    pub fn new(path: &Path) -> Result<Place, String> {
        Self::within(None, path)
    }

    /// The file that `path` leads to if it is a link, also if that is not there yet. Followed as Linux does with
    /// `fs.protected_symlinks`: in a folder of all users that is sticky, such as `/tmp`, only one's own links and those
    /// of the folder's owner.
    pub fn followed(path: &Path) -> Result<Place, String> {
        let mut place = Self::new(path)?;
        for _ in 0..MOST_LINKS {
            match place.folder.target(&place.name)? {
                None => return Ok(place),
                Some(target) => place = Self::within(Some(&place.folder), &target)?,
            }
        }
        Err("it is a link that leads back to itself".into())
    }

    fn within(base: Option<&Folder>, path: &Path) -> Result<Place, String> {
        let last = path.as_os_str().as_encoded_bytes().last();
        match path.file_name() {
            Some(name) if last.is_some_and(|&byte| !std::path::is_separator(byte.into())) => {
                Ok(Place { folder: Folder::open(base, folder_of(path))?, name: name.to_owned() })
            }
            _ => Err("it does not name a file".into()),
        }
    }

    /// A path of its folder that is valid as long as this is there.
    pub fn folder(&self) -> PathBuf {
        self.folder.path()
    }

    /// A path of the file `name` in its folder, by default its own.
    pub fn path(&self, name: Option<&OsStr>) -> PathBuf {
        self.folder().join(name.unwrap_or(&self.name))
    }

    /// Its name in its folder.
    pub fn name(&self) -> &Path {
        Path::new(&self.name)
    }

    /// Its path without links.
    pub fn real(&self) -> PathBuf {
        self.folder.real().join(&self.name)
    }

    /// Writes the folder's entries to the disk, so that a file's name survives a power cut. Not every file system can,
    /// which is no reason to fail: the file itself is on the disk.
    pub fn sync(&self) {
        #[cfg(unix)]
        let _ = std::fs::File::open(self.folder()).and_then(|folder| folder.sync_all());
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn no_folder(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => format!("there is no folder {}", path.display()),
        _ => format!("{}: {}", path.display(), super::file::words(error)),
    }
}

#[cfg(target_os = "linux")]
use linux::Folder;

#[cfg(target_os = "linux")]
mod linux {
    use super::no_folder;
    use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat, readlinkat};
    use rustix::io::Errno;
    use rustix::process::geteuid;
    use std::ffi::OsStr;
    use std::io;
    use std::os::fd::{AsFd, AsRawFd, OwnedFd};
    use std::os::unix::ffi::OsStringExt;
    use std::path::{Path, PathBuf};

    /// A folder that is kept open.
    #[derive(Debug)]
    pub struct Folder {
        open: OwnedFd,
        /// As it was opened, for systems without `/proc`.
        path: PathBuf,
    }

    impl Folder {
        /// The folder `path`, from `base` on.
        pub fn open(base: Option<&Folder>, path: &Path) -> Result<Folder, String> {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let from = base.map_or(CWD, |base| base.open.as_fd());
            let open = openat(from, path, flags, Mode::empty()).map_err(|error| no_folder(path, &error.into()))?;
            let path = base.map_or(path.to_owned(), |base| base.path.join(path));
            Ok(Folder { open, path })
        }

        pub fn path(&self) -> PathBuf {
            let path = PathBuf::from(format!("/proc/self/fd/{}", self.open.as_raw_fd()));
            if path.exists() { path } else { self.path.clone() }
        }

        pub fn real(&self) -> PathBuf {
            std::fs::read_link(self.path()).or_else(|_| self.path.canonicalize()).unwrap_or(self.path.clone())
        }

        /// Where the file `name` leads, if it is a link. The link is opened before it is judged and read: another that
        /// takes its place meanwhile is not followed.
        pub fn target(&self, name: &OsStr) -> Result<Option<PathBuf>, String> {
            let failed = |error: Errno| super::super::file::words(io::Error::from(error));
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let link = match openat(&self.open, name, flags, Mode::empty()) {
                Err(Errno::NOENT) => return Ok(None),
                opened => opened.map_err(failed)?,
            };
            let (of_link, of_folder) = (fstat(&link).map_err(failed)?, fstat(&self.open).map_err(failed)?);
            if FileType::from_raw_mode(of_link.st_mode) != FileType::Symlink {
                return Ok(None);
            }
            let shared = Mode::from_raw_mode(of_folder.st_mode).contains(Mode::SVTX | Mode::WOTH);
            if shared && of_link.st_uid != geteuid().as_raw() && of_link.st_uid != of_folder.st_uid {
                return Err("it is a link that another user has put into a folder of all users".into());
            }
            let target = readlinkat(&link, "", Vec::new()).map_err(failed)?;
            Ok(Some(std::ffi::OsString::from_vec(target.into_bytes()).into()))
        }
    }
}

#[cfg(not(target_os = "linux"))]
use other::Folder;

#[cfg(not(target_os = "linux"))]
mod other {
    use super::no_folder;
    use std::ffi::OsStr;
    use std::path::{Path, PathBuf};

    /// A folder, by its path.
    #[derive(Debug)]
    pub struct Folder(PathBuf);

    impl Folder {
        pub fn open(base: Option<&Folder>, path: &Path) -> Result<Folder, String> {
            let path = base.map_or(path.to_owned(), |base| base.0.join(path));
            let real = path.canonicalize().map_err(|error| no_folder(&path, &error))?;
            if real.is_dir() { Ok(Folder(real)) } else { Err(format!("there is no folder {}", path.display())) }
        }

        pub fn path(&self) -> PathBuf {
            self.0.clone()
        }

        pub fn real(&self) -> PathBuf {
            self.0.clone()
        }

        pub fn target(&self, name: &OsStr) -> Result<Option<PathBuf>, String> {
            Ok(std::fs::read_link(self.0.join(name)).ok())
        }
    }
}
