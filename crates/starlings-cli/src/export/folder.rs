//! Folders of output files.

use super::file::{Existing, OutputFile, cause, check, output};
use crate::error::Result;
use crate::interrupt::AtEnd;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder for numbered files. Dropping it removes the folders again that were made here and are still empty.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    existing: Existing,
    /// The folders that were made, the innermost first.
    made: Vec<PathBuf>,
    _at_end: AtEnd,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and proves that it can be written to. `is_ours` tells the names of its
    /// files.
    ///
    /// # Errors
    /// [`crate::Error::Output`] when it cannot be made or written to, or when one of its files is in it and `existing`
    /// keeps it.
    pub fn create(path: &Path, is_ours: impl Fn(&str) -> bool, existing: Existing) -> Result<Self> {
        let missing: Vec<PathBuf> = path
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err())
            .map(Path::to_owned)
            .collect();
        if let Some(back) = missing.iter().find(|folder| folder.file_name().is_none()) {
            let missing = back.parent().unwrap_or(back);
            return Err(output(path, format!("there is no folder {}", missing.display())));
        }
        if missing.is_empty() && !path.is_dir() {
            return Err(output(path, "it exists but is not a folder"));
        }
        // Before the first is made, so that all go again if the last one cannot be made.
        let made = missing.clone();
        let _at_end = AtEnd::undo(move || remove(&made));
        let folder = OutputFolder { path: path.to_owned(), existing, made: missing, _at_end };
        fs::create_dir_all(path).map_err(|e| output(path, e))?;
        let entries = fs::read_dir(path).map_err(|e| output(path, e))?;
        let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
            .iter()
            .filter(|name| is_ours(name))
            .try_for_each(|name| check(&path.join(name), &path.join(name), existing))?;
        tempfile::tempfile_in(path).map_err(|e| output(path, cause(&e)))?;
        Ok(folder)
    }

    /// Opens a file in the folder.
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
        remove(&self.made);
    }
}

/// Removes folders, up to the first that is not empty.
fn remove(made: &[PathBuf]) {
    let _ = made.iter().try_for_each(fs::remove_dir);
}
