//! Files of an open window: config files and pictures that lead back to what is shown.

use super::controls::FileWish;
use super::running::Running;
use crate::error::{Error, Result};
use crate::export::{Existing, OutputFile};
use std::io::Write;
use std::path::Path;

/// Why a command line leads to another flock.
const OMITTED: &str = " (from the start: settings were changed in between, so no step leads to this flock)";

impl Running {
    /// Does what the user wants of a file. What goes wrong with it is said, and the window goes on.
    pub(super) fn handle_file(&mut self, wish: FileWish) -> Result<()> {
        let Some(documents) = self.options.documents.clone() else { return Ok(()) };
        let (settings, look, camera) = (&self.options.settings, &self.options.look, self.rig.camera().settled());
        match wish {
            FileWish::Save(path) => {
                let saved = save(&path, &documents.toml(settings, look, &camera));
                self.tell(saved.map(|name| Some(format!("wrote {name}"))));
            }
            FileWish::Open(path) => match documents.open(&path) {
                Ok(opened) => self.start(opened, &format!("opened {}", path.display()))?,
                Err(error) => self.announce(error.to_string()),
            },
            FileWish::CopyCommandLine => {
                // Steps lead to another flock where settings were changed since the start.
                let replayable = self.session.is_replayable(&self.options);
                let step = if replayable { self.session.stepping.step() } else { 0 };
                let line = documents.command_line(settings, look, &camera, step);
                let omitted = if step < self.session.stepping.step() { OMITTED } else { "" };
                match self.copy(&line) {
                    Ok(()) => self.announce(format!("copied: {line}{omitted}")),
                    Err(error) => self.announce(format!("{line} (not copied: {error})")),
                }
            }
        }
        Ok(())
    }
}

impl Running {
    /// Puts `text` into the clipboard, where it stays while the window is open, or longer if the desktop keeps it.
    fn copy(&mut self, text: &str) -> std::result::Result<(), arboard::Error> {
        if self.clipboard.is_none() {
            self.clipboard = Some(arboard::Clipboard::new()?);
        }
        self.clipboard.as_mut().map_or(Ok(()), |clipboard| clipboard.set_text(text))
    }
}

/// Writes `text` to a new file named like `path`. Returns its name.
fn save(path: &Path, text: &str) -> Result<String> {
    let mut file = OutputFile::create(path, Existing::Number)?;
    let written = file.file().write_all(text.as_bytes());
    written.map_err(|error| Error::Output { path: path.to_owned(), reason: error.to_string() })?;
    Ok(file.commit()?.path.display().to_string())
}
