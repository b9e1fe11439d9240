//! The plot that a benchmark draws.

use super::{BenchArgs, Peer, Run, way};
use crate::Result;
use crate::cli::output::{create, existing};
use crate::export::OutputFile;
use crate::plot::{Plot, Series};
use std::collections::BTreeMap;

/// Nanoseconds of a boid's step over the count of boids or of neighbors, by the name of the line.
#[derive(Default)]
pub struct Lines {
    device: String,
    points: BTreeMap<String, Vec<(f64, f64)>>,
}

impl Lines {
    /// Adds the results for one flock.
    pub fn add(&mut self, run: &Run, over_neighbors: bool) {
        self.device.clone_from(&run.place.0);
        let (settings, verdict) = (&run.flock.settings, &run.flock.verdict);
        let start = run.flock.state.map_or(settings.preset, |state| state.name());
        let at = if over_neighbors { verdict.mean_neighbors } else { settings.boids.into() };
        let peers = run.peers.iter().filter_map(|(engine, search, peer)| match peer {
            Peer::Measured(_, measured) => Some((way(*engine, *search), &**measured)),
            Peer::Skipped(_) | Peer::TooLarge => None,
        });
        for (way, measured) in peers.chain([(way(settings.engine, settings.search), &run.measured)]) {
            let each = measured.frame.median_ms * 1e6 / f64::from(settings.boids);
            self.points.entry(format!("{start} {way}")).or_default().push((at, each));
        }
    }

    /// All lines, if there are some.
    pub fn plot(self, over_neighbors: bool) -> Option<Plot> {
        let line = |(name, mut points): (String, Vec<(f64, f64)>)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series { name, points }
        };
        (!self.points.is_empty()).then(|| Plot {
            title: format!("Time per boid and step on {}", self.device),
            x: if over_neighbors { "neighbors per boid" } else { "boids" }.into(),
            y: "nanoseconds".into(),
            logarithmic: true,
            series: self.points.into_iter().map(line).collect(),
        })
    }
}

/// The plot to draw, if requested, opened before anything is timed.
pub fn plot(args: &BenchArgs) -> Result<Option<OutputFile>> {
    args.plot.as_deref().map(|path| create(path, "plot", "svg", existing(args.force))).transpose()
}
