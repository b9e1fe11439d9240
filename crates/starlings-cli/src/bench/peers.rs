//! The other ways to step the same flock, from all pairs on one CPU thread to the counting-sorted grid on the GPU:
//! whether they are worth waiting for.

use super::stepper::Place;
use crate::error::Result;
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::{EngineKind, Search, Settings};

/// The longest step that is waited for, in milliseconds.
pub const LONGEST_MS: f64 = 2_000.0;

/// Boids of the smallest flock that a prediction starts from.
const FEW: u32 = 1_024;

/// By how much the flock grows from one trial to the next.
const GROWTH: u32 = 4;

/// Every search on every engine that has it.
pub fn ways() -> impl Iterator<Item = (EngineKind, Search)> {
    let of = |engine: EngineKind, search| engine.searches().contains(&search).then_some((engine, search));
    let engines = [EngineKind::Gpu, EngineKind::Cpu, EngineKind::CpuSerial];
    engines.into_iter().flat_map(move |engine| SEARCHES.iter().filter_map(move |info| of(engine, info.search)))
}

/// What a step of `to` boids will take, in milliseconds, if one of `from` takes `ms`: all pairs grow with the square of
/// the count, the others with it, and a little faster where caches end.
fn predicted(search: Search, ms: f64, from: u32, to: u32) -> f64 {
    let exponent = if search.grid() == GridKind::None { 2.0 } else { 1.1 };
    ms * (f64::from(to) / f64::from(from)).powf(exponent)
}

/// How long a step of `settings` will take, in milliseconds, from trials with smaller flocks of the same density. Each
/// is run only if the one before lets it expect to be over soon.
pub fn predict(place: &Place, settings: &Settings) -> Result<f64> {
    let mut boids = FEW.min(settings.boids);
    loop {
        let mut stepper = place.stepper(&settings.clone().with_boids(boids), None)?;
        // The first step sorts boids in random order.
        stepper.step_ms()?;
        let ms = stepper.step_ms()?.min(stepper.step_ms()?);
        drop(stepper);
        let next = boids.saturating_mul(GROWTH).min(settings.boids);
        let whole = predicted(settings.search, ms, boids, settings.boids);
        if boids == settings.boids
            || whole < 0.5 * LONGEST_MS
            || predicted(settings.search, ms, boids, next) > LONGEST_MS
        {
            return Ok(whole);
        }
        boids = next;
    }
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
}
