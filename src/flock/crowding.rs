//! Estimates the work of a search from the crowding of the cells. It keeps a dispatch short if a flock has clumped, to
//! avoid a device reset by the driver's watchdog.
//!
//! `steer` visits, for each boid, the boids of a few cells, at most `CELLS` for all boids of one cell (the search's
//! `cells_visited`). With `c` boids in a cell, all boids make at most `CELLS * Σ c²` visits, because a product is at
//! most half the sum of the squares; and one boid visits at most `CELLS * max c` others. The device computes both in
//! the scan, which reads every count anyway, and the host reads them after the fence of those steps.
//!
//! # The delay
//! Steps are recorded while others are in flight, so the crowding is a few steps old. In `k` steps two boids come
//! closer by at most twice the top speed times the duration of `k` steps, `2 k v dt`. A boid that is near afterwards
//! was within `R + 2 k v dt` before, a volume `(1 + 2 k v dt / R)³` times as large: the work is scaled by this factor.
//! For fast boids it is thousands, and a flock does not contract like that from one step to the next without having
//! contracted before. So the factor is at most four times what the squares would grow by in `k` steps at the rate of
//! the last two counts. Measured over 300 steps of 8,000 boids, they grew in four steps by at most 1.04 with each
//! preset, by 1.3 with steps of 0.1 s or towards points that attract, and by 95 towards a point of strength 1,000. It
//! is an estimate, not a bound: a dispatch may take several times its [`BUDGET`]. After a flock's boids are set, the
//! host counts them exactly.

use super::grid::{cell_id, cell_of};
use super::layout::{Crowding, Grid};
use super::search::GridKind;
use super::settings::Settings;
use crate::limits::WORKGROUP_SIZE;
use glam::Vec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most candidates for one dispatch, and for all steps of one submission: 9 ms on an NVIDIA H200 if every candidate is
/// a neighbor, and half a second on a GPU with a sixtieth of its speed. Drivers with a watchdog reset the device after
/// 2 s or more.
pub const BUDGET: f64 = (1u64 << 33) as f64;

/// By how much more than at its last rate a flock may contract.
const MARGIN: f64 = 4.0;

/// The rate at which the squares grow, per step, of a flock that was counted once.
pub const UNKNOWN_RATE: f64 = 2.0;

/// Boids in one dispatch of a search without counts of cells, whose crowding is therefore unknown.
const UNCOUNTED: u64 = 1 << 16;

/// Boids in the largest flock without counts of cells whose steps share a submission.
const SMALL: u32 = 200_000;

/// Counts the boids of each cell on the host.
pub fn count(grid: &Grid, boids: usize, position: impl Fn(usize) -> Vec3 + Sync) -> Crowding {
    let counts: Vec<AtomicU32> = (0..grid.cell_count).into_par_iter().map(|_| AtomicU32::new(0)).collect();
    (0..boids).into_par_iter().for_each(|i| {
        counts[cell_id(grid, cell_of(grid, position(i))) as usize].fetch_add(1, Ordering::Relaxed);
    });
    let counts = counts.par_iter().map(|count| count.load(Ordering::Relaxed));
    Crowding {
        fullest: counts.clone().max().unwrap_or(0),
        squares: counts.map(|count| f64::from(count).powi(2)).sum::<f64>() as f32,
    }
}

/// The work of `steer` in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Candidates that all boids visit, at most.
    pub total: f64,
    /// Candidates that one boid visits, at most.
    pub of_one: f64,
}

impl Work {
    /// The work `steps` steps after the flock of `settings` had this crowding, whose squares have grown at `rate` per
    /// step.
    pub fn after(settings: &Settings, crowding: Crowding, rate: f64, steps: u32) -> Work {
        let boids = f64::from(settings.boids);
        let Some(cells) = settings.search.info().cells_visited else {
            return Work { total: boids * boids, of_one: boids };
        };
        let way = 2.0 * f64::from(steps) * f64::from(settings.full_speed()) * f64::from(settings.time_step);
        let reach = (1.0 + way / f64::from(settings.search_radius())).powi(3);
        let growth = cells * reach.min(MARGIN * rate.powf(f64::from(steps)));
        // NaN, as on a device that is broken on purpose, counts as the maximum.
        let at_most = |most: f64, estimate: f64| if estimate < most { estimate } else { most };
        Work {
            total: at_most(boids * boids, growth * f64::from(crowding.squares)),
            of_one: at_most(boids, growth * f64::from(crowding.fullest)),
        }
    }

    /// Workgroups of one dispatch, such that it visits at most `budget` candidates, if one workgroup does not visit
    /// more.
    pub fn groups_at_once(&self, settings: &Settings, budget: f64) -> u64 {
        let workgroup = u64::from(WORKGROUP_SIZE);
        if self.total <= budget {
            u64::MAX
        } else if settings.search.grid() == GridKind::BitonicSorted {
            UNCOUNTED / workgroup
        } else {
            ((budget / self.of_one) as u64 / workgroup).max(1)
        }
    }
}

/// The most steps, of 1 to `most`, that one submission takes without visiting more than `budget` candidates; `unknown`
/// steps are in flight.
pub fn steps_at_once(settings: &Settings, crowding: Crowding, rate: f64, unknown: u32, most: u32, budget: f64) -> u32 {
    if settings.search.grid() == GridKind::BitonicSorted {
        return if settings.boids <= SMALL { most } else { 1 };
    }
    let fits = |steps: &u32| Work::after(settings, crowding, rate, unknown + steps).total * f64::from(*steps) <= budget;
    (1..=most).rev().find(fits).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::SpawnShape;
    use crate::flock::search::Search;
    use crate::flock::spawn::position_at_start;

    /// One boid per cubic unit and a radius of 2, uniform: each cell holds two on average.
    fn uniform(boids: u32) -> (Settings, Crowding) {
        let mut settings = Settings::preset("reynolds").expect("a known preset").with_boids(boids).with_density(1.0);
        (settings.rules.alignment_radius, settings.rules.cohesion_radius) = (2.0, 2.0);
        settings.rules.separation_radius = 0.6;
        settings.spawn = SpawnShape::Box;
        let counted = count(&settings.grid(), 200_000, |i| {
            position_at_start(&settings.clone().with_boids(200_000).with_density(1.0), i as u32)
        });
        let squares = counted.squares * (boids as f32 / 200_000.0);
        (settings, Crowding { squares, ..counted })
    }

    #[test]
    fn a_uniform_flock_is_steered_in_one_dispatch() {
        let (settings, crowding) = uniform(200_000);
        // Σ c² of a Poisson distribution is λ² + λ a cell, hence λ + 1 a boid.
        let a_boid = crowding.squares / 200_000.0;
        assert!((2.8..3.2).contains(&a_boid) && (10..25).contains(&crowding.fullest), "{crowding:?}");
        for boids in [1, 10_000, 200_000, 1 << 20, 1 << 24] {
            let (settings, crowding) = uniform(boids);
            // One step in flight, and the one that is recorded.
            assert_eq!(
                Work::after(&settings, crowding, UNKNOWN_RATE, 2).groups_at_once(&settings, BUDGET),
                u64::MAX,
                "{boids}"
            );
        }
        assert!(steps_at_once(&settings, crowding, UNKNOWN_RATE, 16, 16, BUDGET) >= 4);
        let (settings, crowding) = uniform(20_000);
        assert_eq!(steps_at_once(&settings, crowding, UNKNOWN_RATE, 16, 16, BUDGET), 16);
    }

    #[test]
    fn a_collapsed_flock_is_steered_in_slices_and_alone() {
        let (settings, _) = uniform(1 << 20);
        let collapsed = Crowding { fullest: 1 << 20, squares: (1u64 << 40) as f32 };
        let work = Work::after(&settings, collapsed, UNKNOWN_RATE, 2);
        assert_eq!(work, Work { total: (1u64 << 40) as f64, of_one: (1 << 20) as f64 });
        // 2^33 candidates are 2^13 boids with 2^20 each, and 32 workgroups.
        assert_eq!(work.groups_at_once(&settings, BUDGET), 32);
        assert_eq!(steps_at_once(&settings, collapsed, UNKNOWN_RATE, 16, 16, BUDGET), 1);
        // All pairs are as many as there are, wherever the boids.
        let all_pairs = Settings { search: Search::AllPairs, ..settings.clone() };
        assert_eq!(
            Work::after(&all_pairs, Crowding::default(), UNKNOWN_RATE, 0).groups_at_once(&all_pairs, BUDGET),
            32
        );
        // Invalid values from a device that is broken on purpose.
        let garbage = Crowding { fullest: u32::MAX, squares: f32::NAN };
        assert_eq!(Work::after(&settings, garbage, UNKNOWN_RATE, 2), work);
    }

    #[test]
    fn a_fast_flock_that_does_not_contract_is_not_sliced_more() {
        let (slow, crowding) = uniform(1 << 20);
        let fast = Settings { time_step: 1.0, ..slow.clone() };
        // A boid crosses several radii in a step; the flock is as it was.
        let calm = Work::after(&fast, crowding, 1.0, 3);
        assert_eq!(calm.total, MARGIN * Work::after(&slow, crowding, 1.0, 0).total);
        // While it contracts, more is expected, but no more than can come near.
        let contracting = Work::after(&fast, crowding, 1.5, 3);
        assert!(contracting.total > 3.0 * calm.total, "{contracting:?}");
        let reach = Work::after(&slow, crowding, 1e3, 1).total / Work::after(&slow, crowding, 1.0, 0).total;
        let way = 2.0 * f64::from(slow.full_speed()) * f64::from(slow.time_step) / 2.0;
        assert!((reach - (1.0 + way).powi(3)).abs() < 1e-6, "{reach}");
    }
}
