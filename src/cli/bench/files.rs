//! The files that a benchmark writes, and the file that it is compared with.

use super::{BenchArgs, Peer, Run};
use crate::cli::failure::Failure;
use crate::cli::output::{create, existing, print};
use starlings::Error;
use starlings::bench::plot::{Plot, Series};
use starlings::bench::ratios::{self, RatioFile};
use starlings::export::{Existing, OutputFile};
use starlings::input;
use starlings::vk::Device;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// Bytes of a file of ratios at most; a flock takes some hundred.
const MOST_BYTES: u64 = 1 << 24;

/// The files of one command.
#[derive(Default)]
pub struct Files {
    compare: Option<RatioFile>,
    record: Option<(OutputFile, RatioFile)>,
    plot: Option<OutputFile>,
    device: String,
    over_neighbors: bool,
    compared: usize,
    regressions: Vec<String>,
    /// Nanoseconds of a boid's step, by the name of the line.
    lines: BTreeMap<String, Vec<(f64, f64)>>,
    json: bool,
}

impl Files {
    /// Opens the files that `args` name, so that errors are reported before anything is timed.
    pub fn open(args: &BenchArgs) -> Result<Files, Failure> {
        let compare = args.compare.as_deref().map(|path| read(path, "compare")).transpose()?;
        let record = match &args.record {
            None => None,
            Some(path) => {
                // Existing entries are kept: the file is replaced by a longer one.
                let out = create(path, "record", "json", Existing::Replace)?;
                Some((out, if path.exists() { read(path, "record")? } else { RatioFile::default() }))
            }
        };
        let (plot, over_neighbors, json) = (plot(args)?, args.neighbors.len() > 1, args.json);
        Ok(Files { compare, record, plot, over_neighbors, json, ..Files::default() })
    }

    /// Adds the results for one flock.
    pub fn take(&mut self, device: &Device, run: &Run) -> Result<(), Failure> {
        self.device.clone_from(&device.info().name);
        let measured = run.peers.iter().filter_map(|(search, peer)| match peer {
            Peer::Measured(_, measured) => Some((search.name(), &**measured)),
            Peer::Skipped(_) => None,
        });
        let others: Vec<(&str, f64)> = measured.clone().map(|(name, other)| (name, other.frame.least_ms)).collect();
        let ratios = ratios::of(device.info().kind, &run.measured, &others);
        let flock = flock(run);
        if let Some(file) = &self.compare {
            let worse = file.regressions(&self.device, &flock, &ratios)?;
            self.compared += 1;
            self.regressions.extend(worse.into_iter().map(|worse| format!("{flock}: {worse}")));
        }
        let start = what(run);
        let at = if self.over_neighbors { run.flock.verdict.mean_neighbors } else { run.flock.settings.boids.into() };
        for (search, measured) in measured.chain([(run.flock.settings.search.name(), &run.measured)]) {
            let each = measured.frame.median_ms * 1e6 / f64::from(run.flock.settings.boids);
            self.lines.entry(format!("{start} {search}")).or_default().push((at, each));
        }
        if let Some((_, file)) = &mut self.record {
            file.record(&self.device, &flock, ratios)?;
        }
        Ok(())
    }

    /// Writes the files, unless no flock was measured, and fails if a ratio is worse than recorded.
    pub fn finish(self) -> Result<(), Failure> {
        if self.lines.is_empty() {
            return Ok(());
        }
        if let Some((out, file)) = self.record {
            write(out, &file.text())?;
        }
        if let Some(out) = self.plot {
            let mut series: Vec<Series> =
                self.lines.into_iter().map(|(name, points)| Series { name, points }).collect();
            for line in &mut series {
                line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
            let plot = Plot {
                title: format!("Time per boid and step on {}", self.device),
                x: if self.over_neighbors { "neighbors per boid" } else { "boids" }.into(),
                y: "nanoseconds".into(),
                series,
            };
            write(out, &plot.svg()?)?;
        }
        if !self.regressions.is_empty() {
            return Err(Error::Regressed(format!("slower than recorded: {}", self.regressions.join("; "))).into());
        }
        if self.compare.is_some() && !self.json {
            print(&format!("\nno ratio is worse than recorded, in {} of {}", self.compared, self.compared))?;
        }
        Ok(())
    }
}

/// The name of a flock in a file of ratios.
fn flock(run: &Run) -> String {
    let settings = &run.flock.settings;
    format!("{} {} boids, radius {}, {}", what(run), settings.boids, settings.search_radius(), settings.search)
}

fn what(run: &Run) -> &'static str {
    run.flock.state.map_or(run.flock.settings.preset, |state| state.name())
}

fn read(path: &Path, flag: &str) -> Result<RatioFile, Failure> {
    let bytes = input::read(path, MOST_BYTES).map_err(|error| error.to_string());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "this is not text".to_owned()));
    text.and_then(|text| RatioFile::parse(&text)).map_err(|fault| {
        let accepted = format!("a file that `starlings bench --record` wrote: {fault}");
        Failure::flag(flag, format!("'{}'", path.display()), accepted)
    })
}

/// The plot to draw, if requested.
pub fn plot(args: &BenchArgs) -> Result<Option<OutputFile>, Failure> {
    args.plot.as_deref().map(|path| create(path, "plot", "svg", existing(args.force))).transpose()
}

/// Writes all of a file.
pub fn write(mut out: OutputFile, text: &str) -> Result<(), Failure> {
    let path = out.path().to_owned();
    out.file().write_all(text.as_bytes()).map_err(|error| Error::Output { path, reason: error.kind().to_string() })?;
    out.commit()?;
    Ok(())
}
