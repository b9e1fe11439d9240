//! The CPU engine: its check, its times, and the bound they are compared with.

use super::gate::{self, Verdict};
use super::measure::Plan;
use super::oracle::Oracle;
use super::samples::Sampled;
use super::work::{FLOCKED_STEPS, State, UNTIMED, Work};
use crate::cpu::bound::{Cost, Visits};
use crate::cpu::{Engine, StepTimes, Threads};
use crate::error::{Error, Result};
use crate::flock::{Settings, Start};
use crate::vk::Spread;
use std::time::Duration;

/// What was measured of one flock.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Threads that stepped it.
    pub threads: usize,
    /// The instruction set they used.
    pub instructions: String,
    /// The passes with their names, in order, in milliseconds.
    pub passes: Vec<(&'static str, Spread)>,
    /// The whole step, in milliseconds.
    pub step: Spread,
    /// What the last timed step visited.
    pub visits: Visits,
    /// What each part of the arithmetic cost at the least.
    pub least: Cost,
    /// The same, at the median.
    pub median: Cost,
    /// Boids in the flock.
    pub boids: u32,
}

impl Measured {
    /// Least time that the arithmetic of a step takes, in milliseconds: at the least and at the median.
    pub fn bounds_ms(&self) -> [f64; 2] {
        [self.least, self.median].map(|cost| cost.bound_ms(self.visits, self.boids, self.threads))
    }

    /// Time of the step over its bound: the least over the least, and the median over the median.
    pub fn ratios(&self) -> [f64; 2] {
        let [least, median] = self.bounds_ms();
        [self.step.least / least, self.step.median / median]
    }

    /// Boids moved by one step in a second, at the median.
    pub fn boid_steps_per_second(&self) -> f64 {
        f64::from(self.boids) / (self.step.median * 1e-3)
    }
}

/// The flock of `settings` in `state`, or as it is spawned. `progress` is called with each step that leads there, and its
/// error ends them.
///
/// # Errors
/// As [`Engine::new`].
pub fn work<E: From<Error>>(
    settings: &Settings,
    state: Option<State>,
    progress: impl Fn(u64) -> Result<(), E>,
) -> Result<Work, E> {
    match state {
        None => Ok(Work::spawned(settings)),
        Some(State::U) => Ok(Work::uniform(settings)),
        Some(State::F) => {
            let mut engine = Engine::new(settings, Threads::All)?;
            for _ in 0..FLOCKED_STEPS {
                engine.advance(1);
                progress(1)?;
            }
            Ok(Work::of(settings, engine.state(), FLOCKED_STEPS))
        }
    }
}

/// Compares what the engine does to the work of `oracle` with all pairs in double precision: see [`gate`].
///
/// # Errors
/// As [`Engine::new`].
pub fn check(oracle: &Oracle<'_>, threads: Threads) -> Result<Verdict> {
    gate::judge(oracle, &oracle.work().settings, |settings, step| {
        let start = Start { step, ..oracle.work().start(settings.search) };
        let mut engine = Engine::starting_from(settings, threads, &start)?;
        engine.advance(1);
        Ok(Sampled::of(oracle, &engine.state()))
    })
}

/// Times `plan` steps of `work`. After each, the cost of the arithmetic is measured, so that other load on the machine
/// slows both. `progress` is called after each step, and its error ends the measurement.
///
/// # Errors
/// As [`Engine::new`].
pub fn steps<E: From<Error>>(
    work: &Work,
    threads: Threads,
    plan: Plan,
    progress: impl Fn(u64) -> Result<(), E>,
) -> Result<Measured, E> {
    let mut engine = Engine::starting_from(&work.settings, threads, &work.start(work.settings.search))?;
    for _ in 0..plan.warm_up {
        engine.advance(1);
        progress(1)?;
    }
    let (mut times, mut costs) = (Vec::new(), Vec::new());
    let mut left = plan.repeats;
    while left > 0 {
        let round = work.restart.unwrap_or(left).min(left);
        if work.restart.is_some() {
            engine.set_state_at(&work.state, work.step);
            engine.advance(UNTIMED);
        }
        for _ in 0..round {
            engine.advance(1);
            times.push(engine.times());
            costs.push(engine.cost());
            progress(1)?;
        }
        left -= round;
    }
    let pass = |of: fn(&StepTimes) -> Duration| {
        let ms: Vec<f64> = times.iter().map(|times| of(times).as_secs_f64() * 1e3).collect();
        Spread::of(&ms)
    };
    Ok(Measured {
        threads: engine.threads(),
        instructions: engine.instructions(),
        passes: vec![
            ("count", pass(|times| times.sort.count)),
            ("scan", pass(|times| times.sort.scan)),
            ("scatter", pass(|times| times.sort.scatter)),
            ("steer", pass(|times| times.steer)),
        ],
        step: pass(|times| times.step),
        visits: engine.visits(),
        least: Cost::of(&costs, |times| Spread::of(times).least),
        median: Cost::of(&costs, |times| Spread::of(times).median),
        boids: work.settings.boids,
    })
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;

    #[test]
    fn the_engine_passes_the_gate_and_has_its_times() {
        let settings = Settings { search: crate::flock::Search::SortedGrid, ..work::settings().with_boids(5_000) };
        let unwatched = |_| Ok::<_, Error>(());
        let work = super::work(&settings, Some(State::U), unwatched).expect("valid settings");
        let verdict = check(&Oracle::new(&work), Threads::All).expect("valid settings");
        assert_eq!(verdict.faults(), Vec::<String>::new());
        assert!(verdict.neighbors > 20 * 2_000, "{verdict:?}");

        let measured = steps(&work, Threads::One, Plan { warm_up: 1, repeats: 3 }, unwatched).expect("valid settings");
        assert_eq!(measured.threads, 1);
        let visits = measured.visits;
        // Of the boids on the chords about a third are neighbors, and no vector holds more than eight.
        assert!(visits.candidates > 2 * 20 * 5_000 && visits.candidates < 200 * 5_000, "{visits:?}");
        let (fewest, own) = (visits.fewest_vectors(), visits.own_vectors());
        assert!(fewest * 8 > visits.candidates && fewest < own && own < visits.candidates, "{visits:?}");
        let sum: f64 = measured.passes.iter().map(|(_, times)| times.least).sum();
        assert!(sum <= measured.step.p99 && measured.step.least <= measured.step.median, "{measured:?}");
        assert!(measured.ratios().iter().all(|ratio| ratio.is_finite() && *ratio > 0.5), "{:?}", measured.ratios());
    }
}
