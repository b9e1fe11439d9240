//! The audit: counts of the errors in results downloaded from the device.

use bytemuck::Pod;
use glam::Vec3;
use rayon::prelude::*;
use starlings::Result;
use starlings::flock::buffers::{CELL_COUNTS, CELL_STARTS};
use starlings::flock::{BoidState, Flock};
use starlings::render::layout::{DrawCommand, VisibleBoid};
use starlings::vk::Buffer;

/// Results of one trial. In an intact run all are to be zero except `strayed`, `farthest`, `instances` and `pixels`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Difference between the sum of all cells' counts and the count of boids.
    pub miscounted: u64,
    /// Cells that start after the next one: starts must not fall.
    pub falling: u64,
    /// Cells whose range of boids differs in length from their count.
    pub misfitting: u64,
    /// Boids that are missing from the state.
    pub lost: u64,
    /// Places that hold a duplicate of a boid, or an identity that does not exist.
    pub doubled: u64,
    /// Boids with a position or velocity that is NaN or infinite.
    pub non_finite: u64,
    /// Boids farther than the tolerance from their place in the intact run.
    pub strayed: u64,
    /// The largest such distance, in world units.
    pub farthest: f32,
    /// Entries in the list of visible boids that are duplicates, do not exist, or are not drawn.
    pub mislisted: u64,
    /// Difference in the counts of drawn instances.
    pub instances: u64,
    /// Pixels that differ from the intact picture, summed over the trial's pictures.
    pub pixels: u64,
}

impl Counts {
    /// The sum of the counts that are to be zero in an intact run.
    pub fn certain(&self) -> u64 {
        self.miscounted + self.falling + self.misfitting + self.lost + self.doubled + self.non_finite + self.mislisted
    }

    /// The maximum of each count.
    #[must_use]
    pub fn most(self, other: &Counts) -> Counts {
        self.merge(other, u64::max)
    }

    pub(super) fn merge(self, other: &Counts, merge: impl Fn(u64, u64) -> u64) -> Counts {
        Counts {
            miscounted: merge(self.miscounted, other.miscounted),
            falling: merge(self.falling, other.falling),
            misfitting: merge(self.misfitting, other.misfitting),
            lost: merge(self.lost, other.lost),
            doubled: merge(self.doubled, other.doubled),
            non_finite: merge(self.non_finite, other.non_finite),
            strayed: merge(self.strayed, other.strayed),
            farthest: self.farthest.max(other.farthest),
            mislisted: merge(self.mislisted, other.mislisted),
            instances: merge(self.instances, other.instances),
            pixels: merge(self.pixels, other.pixels),
        }
    }

    /// Audits a flock on the device: its grid and its state. Waits for the device.
    pub fn flock(&mut self, flock: &Flock) -> Result<()> {
        self.grid_of(flock)?;
        self.state(&flock.state()?);
        Ok(())
    }

    /// Audits the grid of the last step, if the search has one.
    pub(super) fn grid_of(&mut self, flock: &Flock) -> Result<()> {
        if let (Some(counts), Some(starts)) = (flock.buffer(CELL_COUNTS), flock.buffer(CELL_STARTS)) {
            // The buffers are longer, to fill their last vector.
            let cells = flock.grid().cell_count as usize;
            let counts = counts.download(0, cells)?;
            let starts = starts.download(0, cells + 1)?;
            self.grid(&counts, &starts, flock.settings().boids);
        }
        Ok(())
    }

    /// Audits a grid: `starts` has one entry more than `counts`.
    pub fn grid(&mut self, counts: &[u32], starts: &[u32], boids: u32) {
        let sum: u64 = counts.par_iter().map(|&count| u64::from(count)).sum();
        self.miscounted = sum.abs_diff(boids.into());
        let ranges = || starts.par_iter().zip(&starts[1..]);
        self.falling = ranges().filter(|(begin, end)| begin > end).count() as u64;
        let misfits = ranges().zip(counts).filter(|((begin, end), count)| end.wrapping_sub(**begin) != **count);
        self.misfitting = misfits.count() as u64 + u64::from(starts.first() != Some(&0));
    }

    /// Audits a state, and returns the place of each boid.
    pub fn state(&mut self, state: &BoidState) -> Whereabouts {
        let found = Whereabouts::of(&state.id);
        let missing = found.0.iter().filter(|&&place| place == ABSENT).count();
        let several = found.0.iter().filter(|&&place| place == SEVERAL).count();
        self.lost = missing as u64;
        // There are as many places as boids. Of a boid's several places, all but one count.
        let single = found.0.len() - missing - several;
        self.doubled = (state.id.len() - single - several) as u64;
        let finite = |v: &Vec3| v.is_finite();
        let pairs = state.position.par_iter().zip(&state.velocity);
        self.non_finite = pairs.filter(|(p, v)| !finite(p) || !finite(v)).count() as u64;
        found
    }

    /// Compares a state with that of the intact run, boid by boid, except lost, doubled and non-finite ones. The
    /// distance of two boids is that of their positions, or of their moves in a step if that is more; `reach` is the
    /// move at a velocity slot of 1.
    pub fn difference(
        &mut self,
        (broken, there): (&BoidState, &Whereabouts),
        (intact, here): (&BoidState, &Whereabouts),
        reach: f32,
        tolerance: f32,
    ) {
        let apart = |(&a, &b): (&u32, &u32)| apart((broken, a), (intact, b), reach).unwrap_or(0.0);
        let count = |apart: f32| (u64::from(apart > tolerance), apart);
        let sum = |a: (u64, f32), b: (u64, f32)| (a.0 + b.0, a.1.max(b.1));
        let pairs = there.0.par_iter().zip(&here.0);
        (self.strayed, self.farthest) = pairs.map(apart).map(count).reduce(|| (0, 0.0), sum);
    }

    /// Audits the draw of near boids of the last frame and its `list`, in a flock of `boids`, and compares the draw
    /// with that of the intact run.
    pub fn draw(&mut self, broken: &DrawCommand, intact: &DrawCommand, list: &[VisibleBoid], boids: u32) {
        let mut drawn = vec![false; boids as usize];
        let shown = &list[..list.len().min(broken.instance_count as usize)];
        let wrong = shown.iter().filter(|boid| {
            let known = drawn.get_mut(boid.id as usize);
            known.is_none_or(|drawn| std::mem::replace(drawn, true))
        });
        // And instances beyond the list.
        self.mislisted = wrong.count() as u64 + u64::from(broken.instance_count) - shown.len() as u64;
        self.instances = broken.instance_count.abs_diff(intact.instance_count).into();
    }

    /// Compares a picture of four bytes per pixel with that of the intact run.
    pub fn picture(&mut self, broken: &[u8], intact: &[u8]) {
        let differ = |(a, b): &(&[u8], &[u8])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > FAINT);
        self.pixels += broken.chunks_exact(4).zip(intact.chunks_exact(4)).filter(differ).count() as u64;
    }
}

/// For each boid of the intact run, by place, whether it is lost, doubled, not finite, or farther than `tolerance` from
/// where it should be, by the measure of [`Counts::difference`].
pub(super) fn hurt(
    (broken, there): (&BoidState, &Whereabouts),
    (intact, here): (&BoidState, &Whereabouts),
    reach: f32,
    tolerance: f32,
) -> Vec<bool> {
    let mut hurt = vec![false; intact.len()];
    for (&a, &b) in there.0.iter().zip(&here.0) {
        if let Some(hurt) = hurt.get_mut(b as usize) {
            *hurt = apart((broken, a), (intact, b), reach).is_none_or(|apart| apart > tolerance);
        }
    }
    hurt
}

/// The distance between a boid at a place of the broken state and the same at a place of the intact one; none where it
/// is lost, doubled or not finite.
fn apart((broken, a): (&BoidState, u32), (intact, b): (&BoidState, u32), reach: f32) -> Option<f32> {
    let (a, b) = (a as usize, b as usize);
    if a >= broken.len() || b >= intact.len() {
        return None;
    }
    let places = broken.position[a].distance(intact.position[b]);
    let courses = broken.velocity[a].distance(intact.velocity[b]) * reach;
    (places.is_finite() && courses.is_finite()).then(|| places.max(courses))
}

/// The contents of a buffer.
pub(super) fn all<T: Pod>(buffer: &Buffer) -> Result<Vec<T>> {
    buffer.download(0, buffer.size() as usize / size_of::<T>())
}

/// Levels, of 255, by which a pixel may differ without being counted.
const FAINT: u8 = 16;

/// The place of each boid in a state, by identity.
pub struct Whereabouts(Vec<u32>);

const ABSENT: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

impl Whereabouts {
    /// From the boids `ids` at places 0, 1, …, which should be a permutation.
    pub fn of(ids: &[u32]) -> Self {
        let mut places = vec![ABSENT; ids.len()];
        for (place, &id) in ids.iter().enumerate() {
            if let Some(known) = places.get_mut(id as usize) {
                *known = if *known == ABSENT { place as u32 } else { SEVERAL };
            }
        }
        Whereabouts(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    fn state(ids: &[u32]) -> BoidState {
        let position = |&id: &u32| Vec3::splat(id as f32);
        BoidState { position: ids.iter().map(position).collect(), velocity: vec![Vec3::X; ids.len()], id: ids.to_vec() }
    }

    #[test]
    fn a_sound_flock_shows_nothing() {
        let mut counts = Counts::default();
        counts.grid(&[2, 0, 1], &[0, 2, 2, 3], 3);
        let (intact, broken) = (state(&[0, 1, 2]), state(&[2, 0, 1]));
        let (here, there) = (Counts::default().state(&intact), counts.state(&broken));
        counts.difference((&broken, &there), (&intact, &here), 1.0, 0.0);
        assert_eq!(counts, Counts::default());
    }

    #[test]
    fn each_fault_of_the_grid_is_counted() {
        let mut counts = Counts::default();
        counts.grid(&[2, 0, 3], &[0, 4, 3, 3], 3);
        assert_eq!((counts.miscounted, counts.falling, counts.misfitting), (2, 1, 3));
        counts.grid(&[1, 1, 1], &[1, 2, 3, 4], 3);
        assert_eq!((counts.miscounted, counts.falling, counts.misfitting), (0, 0, 1));
    }

    #[test]
    fn lost_and_doubled_boids_are_counted() {
        let mut counts = Counts::default();
        counts.state(&state(&[5, 3, 3, 3, 9, 0]));
        // 1, 2 and 4 are lost; 3 takes two places too many, and 9 does not exist.
        assert_eq!((counts.lost, counts.doubled), (3, 3));
    }

    #[test]
    fn boids_that_strayed_or_turned_or_blew_up_are_counted() {
        let intact = state(&[0, 1, 2, 3]);
        let mut broken = state(&[3, 2, 1, 0]);
        broken.position[1].y += 0.5;
        broken.velocity[2] = Vec3::ZERO;
        broken.position[3].z = f32::NAN;
        let mut counts = Counts::default();
        let (here, there) = (Counts::default().state(&intact), counts.state(&broken));
        counts.difference((&broken, &there), (&intact, &here), 0.125, 0.1);
        assert_eq!((counts.strayed, counts.farthest, counts.non_finite, counts.lost), (2, 0.5, 1, 0));
        assert_eq!(hurt((&broken, &there), (&intact, &here), 0.125, 0.1), [true, true, true, false]);
        broken.id[3] = 2;
        let there = Counts::default().state(&broken);
        assert_eq!(
            hurt((&broken, &there), (&intact, &here), 0.125, 0.1),
            [true, true, true, false],
            "lost, astray and doubled"
        );
    }

    #[test]
    fn lists_that_draws_cannot_show_are_counted() {
        let draw = |instance_count| DrawCommand { instance_count, ..Zeroable::zeroed() };
        let list: Vec<_> = [3, 1, 3, 77, 0].map(|id| VisibleBoid { id, ..Zeroable::zeroed() }).into();
        let mislisted = |count: u32| {
            let mut counts = Counts::default();
            counts.draw(&draw(count), &draw(2), &list, 4);
            (counts.mislisted, counts.instances)
        };
        assert_eq!(mislisted(2), (0, 0));
        assert_eq!(mislisted(3), (1, 1), "one boid twice");
        assert_eq!(mislisted(5), (2, 3), "and one that does not exist");
        assert_eq!(mislisted(4_000_000_000), (3_999_999_997, 3_999_999_998));
    }

    #[test]
    fn pixels_differ_by_more_than_a_shade() {
        let mut counts = Counts::default();
        counts.picture(&[0, 0, 0, 255, 90, 90, 90, 255], &[16, 0, 0, 255, 90, 107, 90, 255]);
        assert_eq!(counts.pixels, 1);
    }
}
