//! Without the feature `capture`, RenderDoc is not looked for.

use std::ffi::CStr;

pub(super) const CAPTURE_LAYER: &CStr = c"VK_LAYER_RENDERDOC_Capture";
pub(super) const HOW_TO_GET_RENDERDOC: &str = "this program was built without the feature `capture` of starlings";

/// RenderDoc, which this build cannot use.
pub enum Capture {}

impl Capture {
    pub(super) fn comes_by_itself() -> bool {
        false
    }

    pub(super) fn find(_: bool) -> Option<Self> {
        None
    }
}
