//! Folders of output files.

use super::file::{Existing, OutputFile, cause, check, followed, output};
use crate::error::Result;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder for numbered files. Dropping it removes the folders again that were made here and are still empty.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    existing: Existing,
    /// The folders that were made, the innermost first.
    made: Vec<PathBuf>,
}

impl OutputFolder {
    /// Makes the folder if it is not there, and proves that it can be written to. `is_ours` tells the names of its files.
    ///
    /// # Errors
    /// [`crate::Error::Output`] when it cannot be made or written to, or when one of its files is in it and `existing` keeps it.
    pub fn create(path: &Path, is_ours: impl Fn(&str) -> bool, existing: Existing) -> Result<Self> {
        let place = followed(path);
        let missing: Vec<PathBuf> = place
            .ancestors()
            .take_while(|folder| !folder.as_os_str().is_empty() && fs::symlink_metadata(folder).is_err())
            .map(Path::to_owned)
            .collect();
        if let Some(back) = missing.iter().find(|folder| folder.file_name().is_none()) {
            let missing = back.parent().unwrap_or(back);
            return Err(output(path, format!("there is no folder {}", missing.display())));
        }
        if missing.is_empty() && !place.is_dir() {
            return Err(output(path, "it exists but is not a folder"));
        }
        // Before the first is made, so that all go again if the last one cannot be made.
        let folder = OutputFolder { path: path.to_owned(), existing, made: missing };
        fs::create_dir_all(&place).map_err(|e| output(path, e))?;
        let entries = fs::read_dir(&place).map_err(|e| output(path, e))?;
        let mut names: Vec<_> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        names
            .iter()
            .filter(|name| is_ours(name))
            .try_for_each(|name| check(&path.join(name), &path.join(name), existing))?;
        tempfile::tempfile_in(&place).map_err(|e| output(path, cause(&e)))?;
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
        // Ends at the first that is not empty, which is intended.
        let _ = self.made.iter().try_for_each(fs::remove_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).expect("a folder").count()
    }

    #[test]
    fn folders_that_stayed_empty_go_again() {
        let outer = tempfile::tempdir().expect("a folder");
        let path = outer.path().join("a/b/frames/");
        let create = |existing| OutputFolder::create(&path, |name| ["0.png", "7.png"].contains(&name), existing);
        drop(create(Existing::Keep).expect("a new folder"));
        assert_eq!(entries(outer.path()), 0);
        let folder = create(Existing::Keep).expect("a new folder");
        folder.file("7.png").expect("a new file").commit().expect("a name");
        drop(folder);
        assert_eq!(entries(&path), 1);
        let message = create(Existing::Keep).expect_err("it has a frame already").to_string();
        assert!(message.ends_with("7.png: it is already there"), "{message}");
        create(Existing::Replace).expect("allowed");
        fs::create_dir(path.join("0.png")).expect("room");
        let message = create(Existing::Replace).expect_err("a folder in the way of a frame").to_string();
        assert!(message.ends_with("0.png: it is a folder"), "{message}");
    }

    #[test]
    fn a_way_back_makes_no_folder() {
        let outer = tempfile::tempdir().expect("a folder");
        let path = outer.path().join("a.png/..");
        let message = OutputFolder::create(&path, |_| true, Existing::Keep).expect_err("no way").to_string();
        assert!(
            message.ends_with(&format!("there is no folder {}", outer.path().join("a.png").display())),
            "{message}"
        );
        assert_eq!(entries(outer.path()), 0);
        fs::create_dir(outer.path().join("b")).expect("room");
        OutputFolder::create(&outer.path().join("b/.."), |_| false, Existing::Keep).expect("it is there");
    }
}
