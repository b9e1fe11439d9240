//! What is kept of a step's outcome for the gate: a few boids out of billions, and one mean over all.

use super::oracle::Oracle;
use crate::error::Result;
use crate::flock::buffers::{BOID_ID, POSITION_VX, VELOCITY_YZ};
use crate::flock::{BoidState, Flock};
use crate::reference::steer::{Boid, boid};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;

/// Marks that tell whether some sample has an id with that remainder.
const ID_MARKS: usize = 1 << 20;

/// What is kept of a state that a step left: of billions of boids the host need not hold more.
#[derive(Clone)]
pub struct Sampled {
    /// The sampled boids, in the order of the samples. The position of a boid that is missing is NaN.
    pub(super) boids: Vec<Boid>,
    /// Mean over all boids of the first component of the velocity slot: step 1 of the probe leaves the count of neighbors.
    pub(super) mean: f64,
}

impl Sampled {
    /// Those of `oracle` out of a state that is on the host, each boid under its identity and in any order.
    pub(super) fn of(oracle: &Oracle<'_>, state: &BoidState) -> Sampled {
        let mut places = Places::of(oracle);
        places.look_at(&state.id);
        let boids = places.found.iter().map(|place| place.map_or(LOST, |place| boid(state, place))).collect();
        let sum: f64 = state.velocity.par_iter().map(|counts| f64::from(counts.x)).sum();
        Sampled { boids, mean: sum / state.len() as f64 }
    }

    /// Those of `oracle` out of a state that is on the device. All identities come to the host, to be looked through, but of the
    /// rest only what is sampled, and one component for the mean if it is `counted`.
    pub(super) fn download(oracle: &Oracle<'_>, flock: &Flock, counted: bool) -> Result<Sampled> {
        let (buffers, boids) = (flock.buffers(), flock.settings().boids as usize);
        let mut places = Places::of(oracle);
        buffers[BOID_ID].download_with(0, boids, |ids| places.look_at(ids))?;
        let found: Vec<usize> = places.found.iter().flatten().copied().collect();
        let position_vx: Vec<[f32; 4]> = buffers[POSITION_VX].download_at(&found)?;
        let velocity_yz: Vec<[f32; 2]> = buffers[VELOCITY_YZ].download_at(&found)?;
        let mut fetched = position_vx.iter().zip(&velocity_yz).map(|(&[x, y, z, vx], &[vy, vz])| Boid {
            position: Vec3::new(x, y, z).as_dvec3(),
            velocity: Vec3::new(vx, vy, vz).as_dvec3(),
        });
        let boids = places.found.iter().map(|place| place.and_then(|_| fetched.next()).unwrap_or(LOST)).collect();
        Ok(Sampled { boids, mean: if counted { mean_of_counts(flock)? } else { f64::NAN } })
    }
}

/// A boid that is missing.
const LOST: Boid = Boid { position: DVec3::NAN, velocity: DVec3::NAN };

/// Where the sampled boids are, as far as the identities were looked through.
struct Places {
    /// Number of the sample with that identity.
    samples: HashMap<u32, usize>,
    /// Marks of all samples: most boids are spared the look-up.
    some: Vec<bool>,
    /// Place of each sample.
    found: Vec<Option<usize>>,
    /// Boids looked at.
    seen: usize,
}

impl Places {
    fn of(oracle: &Oracle<'_>) -> Places {
        let samples: HashMap<u32, usize> = oracle.ids().zip(0..).collect();
        let mut some = vec![false; ID_MARKS];
        samples.keys().for_each(|&id| some[mark_of(id)] = true);
        Places { found: vec![None; samples.len()], samples, some, seen: 0 }
    }

    /// Looks at the boids that follow those that it has seen.
    fn look_at(&mut self, ids: &[u32]) {
        let marked = ids.par_iter().enumerate().filter(|(_, id)| self.some[mark_of(**id)]);
        let found: Vec<_> = marked.filter_map(|(place, id)| Some((*self.samples.get(id)?, place))).collect();
        for (sample, place) in found {
            self.found[sample] = Some(self.seen + place);
        }
        self.seen += ids.len();
    }
}

/// Mean over all boids of the count that step 1 of the probe leaves in the first component of the velocity slot. The sum is
/// exact, whatever the order: counts are whole numbers.
pub(super) fn mean_of_counts(probed: &Flock) -> Result<f64> {
    let boids = probed.settings().boids;
    let mut sum = 0.0;
    probed.buffers()[POSITION_VX].download_with(0, boids as usize, |piece: &[[f32; 4]]| {
        sum += piece.par_iter().map(|boid| f64::from(boid[3])).sum::<f64>();
    })?;
    Ok(sum / f64::from(boids))
}

/// Which mark stands for an id.
fn mark_of(id: u32) -> usize {
    id as usize % ID_MARKS
}

#[cfg(test)]
mod tests {
    use super::super::work::{self, Work};
    use super::*;

    #[test]
    fn sampled_boids_are_found_wherever_the_pieces_end() {
        let settings = work::settings().with_boids(5_000);
        let work = Work::spawned(&settings);
        let oracle = Oracle::new(&work);
        let mut ids = work.state.id.clone();
        ids.reverse();
        for piece in [1, 7, 4_999, 5_000] {
            let mut places = Places::of(&oracle);
            ids.chunks(piece).for_each(|ids| places.look_at(ids));
            let found: Vec<u32> = places.found.iter().map(|place| ids[place.expect("it is there")]).collect();
            assert_eq!(found, oracle.ids().collect::<Vec<_>>(), "pieces of {piece}");
        }
        let mut places = Places::of(&oracle);
        places.look_at(&ids[..2_500]);
        assert!(places.found.contains(&None) && places.found.iter().any(Option::is_some));
    }
}
