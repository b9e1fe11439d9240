//! The journal of a recorder: the passes with the resources that they access, the dependencies between them, and the
//! synchronization with the display and the host.

use crate::{Hazard, Layout, Masks, Resource, Stage, Use};
use ash::vk;
use std::panic::Location;

/// The passes and dependencies of one recording, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The entries, in recording order.
    pub entries: Vec<JournalEntry>,
    /// The shaders that passes have bound.
    pub bound: Vec<BoundShader>,
    /// The dispatches of kernels.
    pub dispatches: Vec<Dispatch>,
}

/// A dispatch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dispatch {
    /// The kernel.
    pub shader: Shader,
    /// Workgroups along each dimension; those of all parts, if it was recorded in several.
    pub groups: [u32; 3],
    /// The push constants.
    pub push: Vec<u32>,
}

/// A shader that a pass has bound.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundShader {
    /// The pass.
    pub pass: &'static str,
    /// The shader.
    pub shader: Shader,
    /// Resources that are bound to it under another name: that name, and the resource.
    pub aliases: Vec<(Resource, Resource)>,
}

/// A shader of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shader {
    /// Its stage.
    pub stage: Stage,
    /// Its module.
    pub module: String,
    /// Value of each specialization constant 0, 1, …
    pub constants: Vec<u32>,
}

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEntry {
    /// A pass.
    Pass(PassEntry),
    /// A dependency between the passes before and after it.
    Dependency(DependencyEntry),
    /// The submission waits, in `stage`, until the display has released the image.
    Acquire {
        /// The image.
        image: Resource,
        /// The stage that waits.
        stage: Stage,
    },
    /// After the submission, the display takes the image.
    Present {
        /// The image.
        image: Resource,
    },
    /// After the frame's fence, the host reads the buffer.
    HostRead {
        /// The buffer.
        buffer: Resource,
    },
}

/// A pass as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassEntry {
    /// Its name.
    pub name: &'static str,
    /// Its accesses.
    pub uses: Vec<Use>,
    /// The rendering of the frame that it belongs to.
    pub rendering: Option<u32>,
    /// The attachments of that rendering.
    pub attachments: Vec<Attachment>,
    /// Dispatches in it.
    pub dispatches: u32,
}

/// An attachment of a rendering, and what becomes of its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// The image.
    pub image: Resource,
    /// At the start.
    pub load: vk::AttachmentLoadOp,
    /// At the end.
    pub store: vk::AttachmentStoreOp,
}

/// A dependency as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DependencyEntry {
    /// Its name.
    pub name: &'static str,
    /// The hazards that it resolves.
    pub hazards: &'static [Hazard],
    /// The resources that it guards, in any kind of frame.
    pub guards: Vec<Resource>,
    /// Dependencies without which it is not sufficient.
    pub relies_on: &'static [&'static str],
    /// Its masks as recorded, without removed bits.
    pub masks: Masks,
    /// Old and new layout, for an image.
    pub layouts: Option<(Layout, Layout)>,
    /// The reason for it.
    pub reason: &'static str,
    /// Whether it is in one command with the dependency before it. Those of one command do not chain with each other.
    pub same_command: bool,
    /// Whether it was left out on request.
    pub omitted: bool,
    /// The line of source that records it; none for one that was not recorded.
    pub site: Option<&'static Location<'static>>,
}

impl Journal {
    /// The passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = &PassEntry> {
        self.entries.iter().filter_map(|entry| match entry {
            JournalEntry::Pass(pass) => Some(pass),
            _ => None,
        })
    }

    /// The dependencies, in order.
    pub fn dependencies(&self) -> impl Iterator<Item = &DependencyEntry> {
        self.entries.iter().filter_map(|entry| match entry {
            JournalEntry::Dependency(dependency) => Some(dependency),
            _ => None,
        })
    }

    /// The same with other dependencies.
    #[must_use]
    pub fn changed(&self, mut change: impl FnMut(&mut DependencyEntry)) -> Journal {
        let mut journal = self.clone();
        for entry in &mut journal.entries {
            if let JournalEntry::Dependency(dependency) = entry {
                change(dependency);
            }
        }
        journal
    }
}

/// Frames without the dependencies of these names.
pub fn without(frames: &[Journal], names: &[&str]) -> Vec<Journal> {
    let left_out = |frame: &Journal| frame.changed(|of| of.omitted |= names.contains(&of.name));
    frames.iter().map(left_out).collect()
}
