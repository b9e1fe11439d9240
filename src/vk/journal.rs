//! What a recorder recorded: every pass with what it touches, every dependency between them, and every place
//! where the frame meets the display or the host.

use super::barrier::{Hazard, Layout, Masks, Stage};
use super::pass::Use;

/// The passes and dependencies of one recording, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The entries, in recording order.
    pub entries: Vec<JournalEntry>,
}

/// One line of the journal.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEntry {
    /// A pass.
    Pass(PassEntry),
    /// A dependency between the passes before and after it.
    Dependency(DependencyEntry),
    /// The submission waits, in `stage`, until the display has let go of the image.
    Acquire {
        /// The image.
        image: &'static str,
        /// The stage that waits.
        stage: Stage,
    },
    /// After the submission, the display takes the image.
    Present {
        /// The image.
        image: &'static str,
    },
    /// After the frame's fence, the host reads the buffer.
    HostRead {
        /// The buffer.
        buffer: &'static str,
    },
}

/// A pass as it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct PassEntry {
    /// Its name.
    pub name: &'static str,
    /// What it touches.
    pub uses: Vec<Use>,
    /// Which of the frame's renderings it is in.
    pub rendering: Option<u32>,
    /// Dispatches in it.
    pub dispatches: u32,
}

/// A dependency as it was recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DependencyEntry {
    /// Its name.
    pub name: &'static str,
    /// What would go wrong without it.
    pub hazards: &'static [Hazard],
    /// Resources it guards, of all that frames of any kind have.
    pub guards: Vec<&'static str>,
    /// Dependencies without which it would not be enough.
    pub relies_on: &'static [&'static str],
    /// Its masks, as weakened as they were recorded.
    pub masks: Masks,
    /// Old and new layout, for an image.
    pub layouts: Option<(Layout, Layout)>,
    /// Why it is there.
    pub reason: &'static str,
    /// Whether it is in one command with the dependency before it. Those of one command do not build upon each other.
    pub same_command: bool,
    /// True when it was left out on request.
    pub omitted: bool,
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
}
