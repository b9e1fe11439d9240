//! Captures of single frames by RenderDoc, through the interface it offers to the program it is loaded into.

use crate::error::{Error, Result};
use renderdoc::{CaptureOption, InputButton, OverlayBits, RenderDoc, V140};
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tempfile::TempDir;

/// The Vulkan layer that brings RenderDoc into the process.
pub(super) const CAPTURE_LAYER: &CStr = c"VK_LAYER_RENDERDOC_Capture";

/// RenderDoc, loaded into this process.
pub struct Capture {
    api: Mutex<RenderDoc<V140>>,
    /// This program loaded it, so nobody else says where captures go.
    ours: bool,
}

impl Capture {
    /// Whether RenderDoc is in the process before anything of Vulkan is, or will be with the instance, because whoever
    /// started the program wants it.
    pub(super) fn comes_by_itself() -> bool {
        RenderDoc::<V140>::new().is_ok()
            || std::env::var_os("ENABLE_VULKAN_RENDERDOC_CAPTURE").is_some_and(|value| value == "1")
    }

    /// RenderDoc, where it is in the process. Its layer brings it while the instance is made. With `ours`, keys and
    /// picture stay as they are without RenderDoc.
    pub(super) fn find(ours: bool) -> Option<Self> {
        let mut api = RenderDoc::<V140>::new().ok()?;
        if ours {
            api.set_capture_keys::<InputButton>(&[]);
            api.mask_overlay_bits(OverlayBits::NONE, OverlayBits::NONE);
            // Else a capture holds only what its frame uses.
            api.set_capture_option_u32(CaptureOption::RefAllResources, 1);
        }
        Some(Capture { api: Mutex::new(api), ours })
    }

    /// From here on everything that is submitted is captured, until [`Recording::finish`].
    ///
    /// # Errors
    /// [`Error::Output`] when the current folder cannot be written to.
    pub fn start(self: &Arc<Self>) -> Result<Recording> {
        let folder = match self.ours {
            false => None,
            true => Some(tempfile::Builder::new().prefix(".starlings-").tempdir_in(".").map_err(unwritten)?),
        };
        let mut api = self.api();
        if let Some(name) = folder.as_ref().and_then(|folder| folder.path().file_name()) {
            // Relative: the interface takes Unicode only, which the way to the current folder need not be.
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

/// A capture on its way. Dropping it drops what was captured so far.
pub struct Recording {
    capture: Arc<Capture>,
    // RenderDoc would replace a capture of the same name, so it writes into a folder of its own.
    folder: Option<TempDir>,
    ended: bool,
}

impl Recording {
    /// Ends the capture and writes it, as `starlings-frame-<frame>.rdc` into the current folder unless RenderDoc was
    /// told a place by whoever started the program. Returns where it lies.
    ///
    /// # Errors
    /// [`Error::Output`] when there is no room for it.
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
        let name = free_name(frame);
        std::fs::rename(path, &name).map_err(unwritten)?;
        Ok(name)
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
    Error::Output { path: "RenderDoc's capture".into(), reason: reason.to_string() }
}

/// `starlings-frame-<frame>.rdc`, or with `-2`, `-3` and so on the first name that is not taken.
fn free_name(frame: u64) -> PathBuf {
    let first = PathBuf::from(format!("starlings-frame-{frame}.rdc"));
    let others = (2..).map(|number| format!("starlings-frame-{frame}-{number}.rdc").into());
    let free = |path: &PathBuf| path.symlink_metadata().is_err();
    std::iter::once(first).chain(others).find(free).expect("there are more numbers than files")
}
