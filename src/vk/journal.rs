//! What a recorder recorded: every pass with what it reads and writes, every dependency between them.

use super::barrier::{Access, Layout, Stage};

/// One line of the journal.
#[derive(Clone, Debug, PartialEq)]
pub enum JournalEntry {
    /// A pass.
    Pass {
        /// Its name.
        name: &'static str,
        /// Resources it reads.
        reads: &'static [&'static str],
        /// Resources it writes.
        writes: &'static [&'static str],
    },
    /// A dependency between the passes before and after it.
    Dependency {
        /// Its name.
        name: &'static str,
        /// Resources it guards.
        guards: Vec<String>,
        /// Stages and accesses before.
        source: (Stage, Access),
        /// Stages and accesses after.
        destination: (Stage, Access),
        /// Old and new layout, for an image.
        layouts: Option<(Layout, Layout)>,
        /// True when it was left out on request.
        omitted: bool,
    },
}

/// The passes and dependencies of one recording, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// The entries, in recording order.
    pub entries: Vec<JournalEntry>,
}

impl Journal {
    /// Names of the passes, in order.
    pub fn passes(&self) -> Vec<&'static str> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                JournalEntry::Pass { name, .. } => Some(*name),
                JournalEntry::Dependency { .. } => None,
            })
            .collect()
    }

    /// Names of the dependencies, in order.
    pub fn dependencies(&self) -> Vec<&'static str> {
        self.entries
            .iter()
            .filter_map(|entry| match entry {
                JournalEntry::Dependency { name, .. } => Some(*name),
                JournalEntry::Pass { .. } => None,
            })
            .collect()
    }
}
