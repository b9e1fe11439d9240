//! A conflict between two accesses, and its parties besides passes.

use crate::{Hazard, Resource};
use std::fmt;

/// Two accesses that are not ordered as required.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conflict {
    /// Read after write, write after read, write after write, or layout.
    pub hazard: Hazard,
    /// The resource that both access.
    pub resource: Resource,
    /// The first to access it: a pass, or a dependency that changes the image's layout.
    pub producer: &'static str,
    /// The next to access it.
    pub consumer: &'static str,
    /// Whether the producer belongs to an earlier frame than the consumer.
    pub across_frames: bool,
    /// Whether no access between the two writes the resource, or reads it if both write. Else the conflict follows from
    /// others.
    pub direct: bool,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = if self.across_frames { " of the previous frame" } else { "" };
        let Conflict { hazard, resource, producer, consumer, .. } = self;
        write!(f, "{hazard} on {resource}: {producer}{before} → {consumer}")
    }
}

/// Name of the display as a party to conflicts.
pub const PRESENT: &str = "present";

/// Name of the host as a party to conflicts.
pub const HOST: &str = "host";

/// The producer of the layout of an image that was not accessed before.
pub const NOBODY: &str = "no access";
