//! What is wrong between two accesses, and who takes part besides passes.

use crate::vk::Hazard;
use std::fmt;

/// Two accesses that nothing orders as it should.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conflict {
    /// Read after write, write after read, write after write, or layout.
    pub hazard: Hazard,
    /// What both touch.
    pub resource: &'static str,
    /// Who touches it first: a pass, or a dependency that changes the image's layout.
    pub producer: &'static str,
    /// Who touches it next.
    pub consumer: &'static str,
    /// Whether the producer belongs to an earlier frame than the consumer.
    pub across_frames: bool,
    /// Whether the two follow each other: nobody has written the resource between them, nor, if both write, read it. Else
    /// the conflict follows from others.
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

/// Who is to blame for the layout of an image that nobody has touched.
pub const NOBODY: &str = "nobody";
