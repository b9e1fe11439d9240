//! Replays of a flock: for each dependency, frames that need it.

use super::{FlockReplay, FlockReplayer, replayer};
use crate::sync::FrameKind;
use starlings::Result;
use starlings::flock::Settings;
use starlings::vk::{DependencyEntry, Fault, MaskBit};

/// Kinds of frames, and their steps: the first in which a dependency is needed shows its damage.
const PROGRAM: [(FrameKind, u32); 4] =
    [(FrameKind::Step, 1), (FrameKind::Windowed, 1), (FrameKind::Windowed, 0), (FrameKind::Offscreen, 1)];

/// Boids of a replayed flock, at most: enough for several blocks of the scan, and few enough for the twins.
pub const MOST_BOIDS: u32 = 8_000;

/// Replayers of the frames of one flock.
pub struct Replays {
    replayers: Vec<(FrameKind, u32, FlockReplayer)>,
    /// Boids of the replayed flock.
    pub boids: u32,
}

/// A mutant, and its replay.
#[derive(Clone, Debug)]
pub struct MutantReplay {
    /// The dependency.
    pub dependency: DependencyEntry,
    /// The bit that is missing; none if the dependency was left out.
    pub bit: Option<MaskBit>,
    /// The frames and their steps, and the worst execution; none if no kind of frame needs it.
    pub worst: Option<(FrameKind, u32, FlockReplay)>,
}

impl Replays {
    /// Replays of a flock of `settings`, but of [`MOST_BOIDS`] at most.
    pub fn new(settings: &Settings) -> Result<Replays> {
        let boids = settings.boids.min(MOST_BOIDS);
        let settings = settings.clone().with_boids(boids);
        let replayer = |(kind, steps)| Ok((kind, steps, replayer(&settings, kind, steps)?));
        Ok(Replays { replayers: PROGRAM.map(replayer).into_iter().collect::<Result<_>>()?, boids })
    }

    /// Every dependency that some of the frames have, in order.
    pub fn dependencies(&self) -> Vec<DependencyEntry> {
        let mut all: Vec<DependencyEntry> = Vec::new();
        for dependency in self.replayers.iter().flat_map(|(.., replayer)| replayer.dependencies()) {
            if all.iter().all(|known| known.name != dependency.name) {
                all.push(dependency.clone());
            }
        }
        all
    }

    /// Replays the frames with the dependency left out, or without `bit`.
    pub fn replay(&self, dependency: &DependencyEntry, bit: Option<MaskBit>) -> MutantReplay {
        let name = dependency.name.to_owned();
        let fault = bit.map_or(Fault::Omit(name.clone()), |bit| Fault::Weaken(name, bit));
        let has = |of: &FlockReplayer| of.dependencies().iter().any(|of| of.name == dependency.name);
        let replay = |(kind, steps, of): &(FrameKind, u32, FlockReplayer)| Some((*kind, *steps, of.replay(&fault)?));
        let worst = self.replayers.iter().filter(|(.., replayer)| has(replayer)).find_map(replay);
        MutantReplay { dependency: dependency.clone(), bit, worst }
    }
}
