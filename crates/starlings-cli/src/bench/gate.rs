//! The check before any timing: correct neighbors and correct motion of a sample of the boids.
//!
//! Steps of two laws are taken, with the search that is to be timed, and their results are read back:
//!
//! * [`Law::Probe`] with that search leaves the count and the sums of each boid's neighbors. For each sampled boid the
//!   counts within the three radii must be those of all pairs in double precision, and over all samples the sums (Σ
//!   d/|d|², Σ v, Σ offset) must be within 1e-6 of all pairs' in relative L2 distance.
//! * The timed step itself. The change of velocity that it gives the sampled boids must be within 1e-5 of that of the
//!   law's twin: more than for the sums, since the law goes on from them through square roots and quotients.
//!
//! Neighbors so close to a radius that both decisions are correct in single precision (`reference::outcomes`) are tried
//! both ways; the gate says how many there were.

use super::oracle::Oracle;
use super::stepper::Place;
use super::took;
use crate::error::{Error, Result};
use glam::DVec3;
use rayon::prelude::*;
use starlings::flock::{BoidState, Law, Search, Settings, Start};
use starlings::reference::steer::Boid;
use std::fmt::Display;

/// Relative L2 distance allowed between the sums.
pub const SUMS_WITHIN: f64 = 1e-6;

/// Relative L2 distance allowed between the changes of velocity.
pub const CHANGE_WITHIN: f64 = 1e-5;

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Boids that were checked.
    pub samples: usize,
    /// Neighbors that they have.
    pub neighbors: u64,
    /// Those of them that rounding may count or not.
    pub borderline: usize,
    /// Sampled boids with another count of neighbors than all pairs give them.
    pub wrong_counts: usize,
    /// Relative L2 distances of the sums of separation, alignment and cohesion.
    pub sums: [f64; 3],
    /// Relative L2 distance of the change of velocity by the timed kernel.
    pub change: f64,
    /// Sampled boids whose change of velocity rounding decides, and which are not in `change`.
    pub undecided: usize,
    /// Neighbors of each boid on average, over all boids.
    pub mean_neighbors: f64,
}

impl Verdict {
    /// The faults found; empty if none.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.wrong_counts > 0 {
            faults.push(format!(
                "{} of {} sampled boids have a wrong count of neighbors",
                self.wrong_counts, self.samples
            ));
        }
        let sums = ["separation", "alignment", "cohesion"].into_iter().zip(self.sums);
        let distances = sums.map(|(name, off)| (format!("the sums of {name}"), off, SUMS_WITHIN)).chain([(
            "the changes of velocity".to_owned(),
            self.change,
            CHANGE_WITHIN,
        )]);
        for (what, off, within) in distances {
            if off.is_nan() || off > within {
                faults.push(format!("{what} are off by {off:.1e}, more than {within:e}"));
            }
        }
        if self.undecided > 1 + self.samples / 100 {
            faults.push(format!("rounding decides for {} of {} sampled boids", self.undecided, self.samples));
        }
        faults
    }

    /// Itself, if there are no faults; `by` is the search or engine that stepped `boids` boids.
    ///
    /// # Errors
    /// [`Error::Gate`] with all [`Verdict::faults`].
    pub fn passed(self, by: impl Display, boids: u32) -> Result<Verdict> {
        match &self.faults()[..] {
            [] => Ok(self),
            faults => {
                let faults = faults.join("; ");
                Err(Error::Gate(format!("{by} with {boids} boids fails its check, so it is not timed: {faults}")))
            }
        }
    }
}

/// Lets `place` take single steps with `search` from the work of `oracle` on, of the probe and of the timed law, and
/// compares what they leave with all pairs.
///
/// # Errors
/// What `place` could not do. A failed comparison is not an error: see [`Verdict::faults`].
pub fn check(place: &Place, oracle: &Oracle<'_>, search: Search) -> Result<Verdict> {
    let work = oracle.work();
    let step = |law, step| {
        // The probe has the radii of the law it stands for, hence its grid.
        let settings = Settings { law, search, ..work.settings.clone() };
        one_step(place, &settings, &Start { step, ..work.start(search) })
    };
    // One state at a time: a flock may be many gigabytes.
    let first = oracle.find(&step(Law::Probe, 0)?);
    let counted = step(Law::Probe, 1)?;
    let (second, mean_neighbors) = (oracle.find(&counted), mean_of_counts(&counted));
    drop(counted);
    let moved = oracle.find(&step(work.settings.law, work.step)?);
    Ok(Verdict { mean_neighbors, ..compare(oracle, [&first, &second, &moved]) })
}

/// Compares the sampled boids after three steps from the same state with all pairs: steps 0 and 1 of the probe, and the
/// step that is timed.
fn compare(oracle: &Oracle<'_>, [first, second, moved]: [&[Boid]; 3]) -> Verdict {
    let work = oracle.work();
    let mut verdict = Verdict { samples: oracle.ids().count(), borderline: oracle.borderline(), ..Verdict::default() };
    let (mut away, mut velocity, mut offset, mut change) =
        (Distance::default(), Distance::default(), Distance::default(), Distance::default());
    for (got, want) in first.iter().zip(oracle.outcomes(Law::Probe, 0)) {
        let nearest = nearest(got, &want);
        velocity.add(got.velocity, nearest.velocity);
        offset.add(got.position, nearest.position);
    }
    for (got, want) in second.iter().zip(oracle.outcomes(Law::Probe, 1)) {
        let counted: Vec<Boid> = want.iter().filter(|want| want.velocity == got.velocity).copied().collect();
        verdict.wrong_counts += usize::from(counted.is_empty());
        let nearest = nearest(got, if counted.is_empty() { &want } else { &counted });
        verdict.neighbors += nearest.velocity.x as u64;
        away.add(got.position, nearest.position);
    }
    let outcomes = oracle.outcomes(work.settings.law, work.step);
    for ((was, is), want) in oracle.before().zip(moved).zip(outcomes) {
        if want.is_empty() {
            verdict.undecided += 1;
        } else {
            let nearest = nearest(is, &want);
            change.add(is.velocity - was.velocity, nearest.velocity - was.velocity);
        }
    }
    verdict.sums = [away.relative(), velocity.relative(), offset.relative()];
    verdict.change = change.relative();
    verdict
}

/// Neighbors of each boid on average in `state`, found at `place` by the search of `settings`.
pub fn mean_neighbors(place: &Place, settings: &Settings, state: &BoidState) -> Result<f64> {
    let start = Start { state, step: 1, crowding: None };
    Ok(mean_of_counts(&one_step(place, &Settings { law: Law::Probe, ..settings.clone() }, &start)?))
}

/// Mean over all boids of the count of neighbors that step 1 of the probe leaves in the first component of the
/// velocity. The sum is exact, whatever the order: counts are whole numbers.
fn mean_of_counts(probed: &BoidState) -> f64 {
    probed.velocity.par_iter().map(|counts| f64::from(counts.x)).sum::<f64>() / probed.len() as f64
}

/// The state after one step from `start` on. Its flock is gone when this returns: a device may have room for one.
fn one_step(place: &Place, settings: &Settings, start: &Start<'_>) -> Result<BoidState> {
    took("checked step", || {
        let mut stepper = place.stepper(settings, Some(start))?;
        stepper.step()?;
        stepper.state()
    })
}

/// The one of `boids`, of whom there must be one, that is nearest to `to`.
fn nearest(to: &Boid, boids: &[Boid]) -> Boid {
    let distance =
        |boid: &&Boid| boid.position.distance_squared(to.position) + boid.velocity.distance_squared(to.velocity);
    *boids.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("a boid has an outcome")
}

/// A relative L2 distance that adds up.
#[derive(Default)]
struct Distance {
    error: f64,
    size: f64,
}

impl Distance {
    fn add(&mut self, got: DVec3, want: DVec3) {
        self.error += got.distance_squared(want);
        self.size += want.length_squared();
    }

    fn relative(&self) -> f64 {
        // A nonzero value where zero is expected gives infinity, which fails.
        if self.error == 0.0 { 0.0 } else { (self.error / self.size).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::work::{self, Work};
    use super::*;
    use starlings::reference;

    /// What the twins leave: step 0 and 1 of the probe, and the step that is timed.
    type States = [BoidState; 3];

    fn compare(oracle: &Oracle<'_>, left: &States) -> Verdict {
        let [first, second, moved] = left.each_ref().map(|state| oracle.find(state));
        super::compare(oracle, [&first, &second, &moved])
    }

    /// What the twins leave, with `other` settings in their steps.
    fn left(work: &Work, other: impl Fn(&mut Settings)) -> States {
        let step = |law: Law, step: u32| {
            let mut settings = Settings { law, ..work.settings.clone() };
            other(&mut settings);
            let mut state = work.state.clone();
            reference::step(&settings, &mut state, step);
            state
        };
        [step(Law::Probe, 0), step(Law::Probe, 1), step(work.settings.law, work.step)]
    }

    #[test]
    fn the_twins_pass_and_whoever_misses_a_neighbor_does_not() {
        let settings = work::settings().with_boids(2_000);
        let work = Work::spawned(&settings);
        let oracle = Oracle::new(&work);
        let good = left(&work, |_| {});
        let verdict = compare(&oracle, &good);
        assert_eq!(verdict.faults(), Vec::<String>::new());
        assert!((verdict.neighbors as f64 / 2_000.0 - mean_of_counts(&good[1])).abs() < 1e-9, "{verdict:?}");

        // A radius a thousandth too small loses a neighbor of some boids.
        let verdict = compare(&oracle, &left(&work, |s| s.rules.cohesion_radius *= 0.999));
        assert_eq!(verdict.faults().len(), 2, "cohesion and the change of velocity: {:?}", verdict.faults());
        let all = left(&work, |s| (s.rules.cohesion_radius, s.rules.alignment_radius) = (1.998, 1.998));
        let verdict = compare(&oracle, &all);
        assert!(verdict.wrong_counts > 20 && verdict.faults().len() == 4, "{:?}", verdict.faults());

        // One neighbor missed by one boid.
        let mut bad = left(&work, |_| {});
        bad[1].velocity[1_234].x -= 1.0;
        assert_eq!(compare(&oracle, &bad).faults(), ["1 of 2000 sampled boids have a wrong count of neighbors"]);
        // A boid that the sort lost.
        let mut bad = left(&work, |_| {});
        bad[2].id[7] = bad[2].id[8];
        assert!(compare(&oracle, &bad).faults()[0].contains("the changes of velocity are off by NaN"));
        // A force that is wrong by a part in a thousand.
        let verdict = compare(&oracle, &left(&work, |s| s.rules.separation_weight *= 1.001));
        assert!(verdict.faults()[0].contains("the changes of velocity are off by"), "{:?}", verdict.faults());
    }

    fn good() -> Verdict {
        Verdict {
            samples: 2_000,
            neighbors: 65_000,
            borderline: 1,
            sums: [1e-7; 3],
            change: 1e-6,
            mean_neighbors: 32.5,
            ..Verdict::default()
        }
    }

    #[test]
    fn each_kind_of_fault_closes_the_gate() {
        assert_eq!(good().faults(), Vec::<String>::new());
        for (bad, says) in [
            (Verdict { wrong_counts: 1, ..good() }, "1 of 2000 sampled boids have a wrong count"),
            (Verdict { sums: [1e-7, 2e-6, 1e-7], ..good() }, "the sums of alignment are off by 2.0e-6"),
            (Verdict { sums: [f64::NAN, 0.0, 0.0], ..good() }, "the sums of separation are off by NaN"),
            (Verdict { change: 2e-5, ..good() }, "the changes of velocity are off by 2.0e-5"),
            (Verdict { undecided: 30, ..good() }, "rounding decides for 30 of 2000"),
        ] {
            let faults = bad.faults();
            assert!(faults.len() == 1 && faults[0].contains(says), "{faults:?}");
        }
    }

    #[test]
    fn distances_are_relative_and_nothing_is_near_nothing() {
        let mut distance = Distance::default();
        assert_eq!(distance.relative(), 0.0);
        distance.add(DVec3::new(3.0, 0.0, 0.0), DVec3::new(3.0, 0.0, 4.0));
        assert_eq!(distance.relative(), 0.8);
    }
}
