//! Captures of single frames by RenderDoc, through its in-application API.

use crate::error::{Error, Result};
use renderdoc::{CaptureOption, InputButton, OverlayBits, RenderDoc, V140};
use std::ffi::CStr;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// The Vulkan layer that loads RenderDoc into the process.
pub(super) const CAPTURE_LAYER: &CStr = c"VK_LAYER_RENDERDOC_Capture";

pub(super) const HOW_TO_GET_RENDERDOC: &str =
    "install it (Debian: librenderdoc), or run this program under `renderdoccmd capture`";

/// RenderDoc, loaded into this process.
pub struct Capture {
    api: Mutex<RenderDoc<V140>>,
    /// Whether this program loaded it, and so chooses the path of captures.
    ours: bool,
}

impl Capture {
    /// Whether RenderDoc was loaded before Vulkan, or will be with the instance, as requested by the environment.
    pub(super) fn comes_by_itself() -> bool {
        RenderDoc::<V140>::new().is_ok()
            || std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some_and(|value| value == "1")
    }

    /// RenderDoc, if it is in the process. Its layer loads it while the instance is created. With `ours`, its hot keys
    /// and overlay are switched off.
    pub(super) fn find(ours: bool) -> Option<Self> {
        let mut api = RenderDoc::<V140>::new().ok()?;
        if ours {
            api.set_capture_keys::<InputButton>(&[]);
            api.mask_overlay_bits(OverlayBits::NONE, OverlayBits::NONE);
            // Otherwise a capture includes only what its frame uses.
            api.set_capture_option_u32(CaptureOption::RefAllResources, 1);
        }
        Some(Capture { api: Mutex::new(api), ours })
    }

    /// Captures all submissions from now until [`Recording::finish`].
    ///
    /// # Errors
    /// [`Error::Capture`] when the current folder cannot be written to.
    pub fn start(self: &Arc<Self>) -> Result<Recording> {
        let folder = match self.ours {
            false => None,
            true => Some(tempfile::Builder::new().prefix(".starlings-").tempdir_in(".").map_err(unwritten)?),
        };
        let mut api = self.api();
        if let Some(name) = folder.as_ref().and_then(|folder| folder.path().file_name()) {
            // Relative, because the API accepts only Unicode, and the path of the current folder may have other bytes.
            api.set_capture_file_path_template(Path::new(name).join("frame"));
        }
        api.start_frame_capture(ptr::null(), ptr::null());
        drop(api);
        Ok(Recording { capture: self.clone(), folder, ended: false })
    }

    fn api(&self) -> MutexGuard<'_, RenderDoc<V140>> {
        self.api.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A capture in progress. Dropping it discards what was captured.
pub struct Recording {
    capture: Arc<Capture>,
    // RenderDoc would replace a capture of the same name, so it writes into a separate folder.
    folder: Option<TempDir>,
    ended: bool,
}

impl Recording {
    /// Ends the capture and writes it, as `starlings-frame-<frame>.rdc` in the current folder unless RenderDoc was
    /// started with another path. Returns its path.
    ///
    /// # Errors
    /// [`Error::Capture`] when it cannot be written.
    pub fn finish(mut self, frame: u64) -> Result<PathBuf> {
        self.ended = true;
        let mut api = self.capture.api();
        let before = api.get_num_captures();
        api.end_frame_capture(ptr::null(), ptr::null());
        let number = api.get_num_captures();
        let written = if number > before { api.get_capture(number - 1) } else { None };
        let (path, _) = written.ok_or_else(|| unwritten("RenderDoc wrote none"))?;
        if self.folder.is_none() {
            return Ok(path);
        }
        named(&path, frame).map_err(unwritten)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.ended {
            self.capture.api().discard_frame_capture(ptr::null(), ptr::null());
        }
    }
}

fn unwritten(reason: impl ToString) -> Error {
    Error::Capture(reason.to_string())
}

/// Names the capture at `path` `starlings-frame-<frame>.rdc`, or, with `-2`, `-3` and so on, the first name that is
/// free.
fn named(path: &Path, frame: u64) -> io::Result<PathBuf> {
    let first = PathBuf::from(format!("starlings-frame-{frame}.rdc"));
    let others = (2..).map(|number| format!("starlings-frame-{frame}-{number}.rdc").into());
    for name in std::iter::once(first).chain(others) {
        // Unlike a rename, this replaces no capture of another run. The old name goes with its folder.
        match std::fs::hard_link(path, &name) {
            Ok(()) => return Ok(name),
            // Not every file system has links.
            Err(_) if name.symlink_metadata().is_err() => return std::fs::rename(path, &name).map(|()| name),
            Err(_) => {}
        }
    }
    unreachable!("there are more numbers than files")
}
