//! The players of a flock: for each dependency, frames that need it.

use super::{Played, Player};
use crate::error::Result;
use crate::flock::Settings;
use crate::sync::FrameKind;
use crate::vk::{DependencyEntry, Fault, MaskBit};

/// Kinds of frames, and their steps: the first in which a dependency is needed shows its damage.
const PROGRAM: [(FrameKind, u32); 4] =
    [(FrameKind::Step, 1), (FrameKind::Windowed, 1), (FrameKind::Windowed, 0), (FrameKind::Offscreen, 1)];

/// Boids of a played flock, at most: enough for several blocks of the scan, and few enough for the twins.
pub const MOST_BOIDS: u32 = 8_000;

/// Players of the frames of one flock.
pub struct Company {
    players: Vec<(FrameKind, u32, Player)>,
    /// Boids of the played flock.
    pub boids: u32,
}

/// A dependency with a fault, and what was played.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The dependency.
    pub dependency: DependencyEntry,
    /// The bit that is missing; none if the dependency was left out.
    pub bit: Option<MaskBit>,
    /// The frames and their steps, and the worst execution; none if no kind of frame needs it.
    pub played: Option<(FrameKind, u32, Played)>,
}

impl Company {
    /// Players for a flock of `settings`, but of [`MOST_BOIDS`] at most.
    ///
    /// # Errors
    /// As [`Player::new`].
    pub fn new(settings: &Settings) -> Result<Company> {
        let boids = settings.boids.min(MOST_BOIDS);
        let settings = settings.clone().with_boids(boids);
        let player = |(kind, steps)| Ok((kind, steps, Player::new(&settings, kind, steps)?));
        Ok(Company { players: PROGRAM.map(player).into_iter().collect::<Result<_>>()?, boids })
    }

    /// Every dependency that some of the frames have, in order.
    pub fn dependencies(&self) -> Vec<DependencyEntry> {
        let mut all: Vec<DependencyEntry> = Vec::new();
        for dependency in self.players.iter().flat_map(|(.., player)| player.dependencies()) {
            if all.iter().all(|known| known.name != dependency.name) {
                all.push(dependency.clone());
            }
        }
        all
    }

    /// Plays the dependency left out, or without `bit`.
    pub fn play(&self, dependency: &DependencyEntry, bit: Option<MaskBit>) -> Scene {
        let name = dependency.name.to_owned();
        let fault = bit.map_or(Fault::Omit(name.clone()), |bit| Fault::Weaken(name, bit));
        let has = |player: &Player| player.dependencies().iter().any(|of| of.name == dependency.name);
        let play = |(kind, steps, player): &(FrameKind, u32, Player)| Some((*kind, *steps, player.play(&fault)?));
        let played = self.players.iter().filter(|(.., player)| has(player)).find_map(play);
        Scene { dependency: dependency.clone(), bit, played }
    }
}
