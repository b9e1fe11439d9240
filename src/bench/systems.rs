//! Every way to step a flock, from all pairs on one CPU thread to the counting-sorted grid on the GPU, at the sizes that their
//! authors published and above. All do the same work, [`work::settings`](super::work::settings), uniformly at random. A GPU
//! step is timed by timestamps, a CPU step by the clock.

use super::gate;
use super::oracle::Oracle;
use super::peers::{LONGEST_MS, predicted};
use super::work::Work;
use crate::cpu::Engine;
use crate::error::{Error, Result};
use crate::flock::{EngineKind, Search, Settings};
use crate::simulation::Simulation;
use crate::vk::Device;
use std::sync::Arc;
use std::time::Instant;

/// The sizes: those that the authors name, and larger ones.
pub const COUNTS: [u32; 9] = [400, 1_000, 10_000, 20_000, 40_000, 102_400, 200_000, 1_000_000, 4_000_000];

/// Largest flock for which a GPU search is checked before timing.
const CHECKED: u32 = 10_000;

/// Time that a cell's timed steps take together, in milliseconds, if a step is short enough.
const ENOUGH_MS: f64 = 500.0;

/// Most timed steps of a cell: the flock gathers over time and has more neighbors.
const MOST_STEPS: u32 = 10;

/// One way to step a flock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// What it is, in a few words.
    pub name: &'static str,
    /// The same in two lines of at most eleven letters, for a column header.
    pub head: [&'static str; 2],
    /// How a boid finds its neighbors.
    pub search: Search,
    /// Where.
    pub engine: EngineKind,
}

/// Every system, from the simplest on.
pub const SYSTEMS: &[System] = &[
    system("all pairs, one thread", ["1 thread", "all pairs"], Search::AllPairs, EngineKind::CpuSerial),
    system("all pairs, all cores", ["all cores", "all pairs"], Search::AllPairs, EngineKind::Cpu),
    system("grid, one thread", ["1 thread", "grid"], Search::SortedGrid, EngineKind::CpuSerial),
    system("grid, all cores", ["all cores", "grid"], Search::SortedGrid, EngineKind::Cpu),
    system("all pairs, GPU", ["GPU", "all pairs"], Search::AllPairs, EngineKind::Gpu),
    system("tiles, GPU", ["GPU", "tiles"], Search::Tiles, EngineKind::Gpu),
    system("bitonic grid, GPU", ["GPU", "bitonic"], Search::BitonicGrid, EngineKind::Gpu),
    system("counting grid, GPU", ["GPU", "counting"], Search::QuantizedGrid, EngineKind::Gpu),
];

const fn system(name: &'static str, head: [&'static str; 2], search: Search, engine: EngineKind) -> System {
    System { name, head, search, engine }
}

/// One system at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// Median time of a step, in milliseconds, and the steps behind it.
    Measured {
        /// Milliseconds.
        ms: f64,
        /// Steps.
        steps: u32,
    },
    /// Not run, because a step would take over [`LONGEST_MS`], as predicted from the largest measured size.
    Skipped {
        /// Milliseconds.
        predicted_ms: f64,
    },
    /// The flock does not fit on the device.
    TooLarge,
}

/// Times `system` at each of `counts`, which must ascend. `settings` gives the flock of a count; `done` is called after each, and its
/// error ends the measurement.
///
/// # Errors
/// [`Error::Gate`] for a search that finds the wrong neighbors; [`Error::NoDevice`] without timestamps; other device errors.
pub fn climb<E: From<Error>>(
    device: &Arc<Device>,
    system: &System,
    counts: &[u32],
    settings: impl Fn(u32) -> Settings,
    done: impl Fn() -> Result<(), E>,
) -> Result<Vec<Cell>, E> {
    let mut cells = Vec::new();
    let mut last: Option<(u32, f64)> = None;
    for &boids in counts {
        let predicted_ms = last.map(|(from, ms)| predicted(system.search, ms, from, boids));
        let cell = match predicted_ms {
            Some(predicted_ms) if predicted_ms > LONGEST_MS => Cell::Skipped { predicted_ms },
            _ => {
                let settings = Settings { search: system.search, engine: system.engine, ..settings(boids) };
                match timed(device, &settings) {
                    Err(Error::TooLarge { .. }) => Cell::TooLarge,
                    cell => cell?,
                }
            }
        };
        if let Cell::Measured { ms, .. } = cell {
            last = Some((boids, ms));
        }
        cells.push(cell);
        done()?;
    }
    Ok(cells)
}

fn timed(device: &Arc<Device>, settings: &Settings) -> Result<Cell> {
    if let Some(mut engine) = Engine::of(settings)? {
        return measured(|| {
            let begun = Instant::now();
            engine.advance(1);
            Ok(begun.elapsed().as_secs_f64() * 1e3)
        });
    }
    if settings.boids <= CHECKED {
        let verdict = gate::check(device, &Oracle::new(&Work::spawned(settings)), settings.search)?;
        verdict.passed(settings.search, settings.boids)?;
    }
    let mut simulation = Simulation::new(device, settings)?.with_steps_per_submission(1);
    measured(|| {
        simulation.clear_timings();
        simulation.advance(1)?;
        simulation.wait()?;
        let lacks = || Error::NoDevice(format!("{} has no timestamps on its queue", device.info().name));
        simulation.timings().frame_ms().first().copied().ok_or_else(lacks)
    })
}

/// The median of some steps after a warm-up step, which sorts unordered boids and fills caches.
fn measured(mut step_ms: impl FnMut() -> Result<f64>) -> Result<Cell> {
    let first = step_ms()?;
    let steps = ((ENOUGH_MS / first.max(1e-3)) as u32).clamp(1, MOST_STEPS);
    let mut times = (0..steps).map(|_| step_ms()).collect::<Result<Vec<f64>>>()?;
    times.sort_by(f64::total_cmp);
    Ok(Cell::Measured { ms: times[times.len() / 2], steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_grow_as_the_search_does() {
        assert_eq!(predicted(Search::AllPairs, 2.0, 1_000, 10_000), 200.0);
        assert_eq!(predicted(Search::Tiles, 2.0, 1_000, 2_000), 8.0);
        let grid = predicted(Search::QuantizedGrid, 2.0, 1_000, 10_000);
        assert!((20.0..30.0).contains(&grid), "{grid}");
        assert_eq!(predicted(Search::BitonicGrid, 2.0, 1_000, 1_000), 2.0);
    }

    #[test]
    fn the_ladder_has_every_search_of_the_published_systems_and_grows() {
        assert!(COUNTS.windows(2).all(|pair| pair[0] < pair[1]));
        for search in [Search::AllPairs, Search::Tiles, Search::BitonicGrid, Search::QuantizedGrid] {
            assert!(
                SYSTEMS.iter().any(|system| system.search == search && system.engine == EngineKind::Gpu),
                "{search}"
            );
        }
        assert!(SYSTEMS.iter().all(|system| system.head.iter().all(|line| line.len() <= 11)));
    }

    #[test]
    fn a_median_is_of_the_steps_after_the_first() {
        let mut times = [400.0, 5.0, 7.0].into_iter();
        let cell = measured(|| Ok(times.next().unwrap_or(6.0))).expect("it is timed");
        assert_eq!(cell, Cell::Measured { ms: 5.0, steps: 1 });
        let mut times = [0.0, 3.0, 1.0, 2.0].into_iter().chain(std::iter::repeat(9.0));
        assert_eq!(
            measured(|| Ok(times.next().expect("endless"))).expect("it is timed"),
            Cell::Measured { ms: 9.0, steps: MOST_STEPS }
        );
    }
}
