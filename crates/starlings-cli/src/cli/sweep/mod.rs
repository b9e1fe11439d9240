//! `starlings sweep`: runs a flock with every combination of settings and seeds, and writes a row of means for each
//! run.

mod ranges;
mod rows;

use super::config;
use super::flags::Kind;
use super::flock::FlockArgs;
use super::machine::MachineArgs;
use super::numbers::{self, counted, duration};
use super::output::{OutputArgs, create, print, progress};
use super::request::Request;
use crate::export::Existing;
use crate::interrupt;
use crate::plot::{Plot, Series};
use crate::{Error, Result};
use clap::Args;
use indicatif::ProgressBar;
use ranges::Range;
use rows::{Means, Table};
use sha2::{Digest, Sha256};
use starlings::cpu::Engine;
use starlings::flock::obstacles::baking::bake_models_on_cpu;
use starlings::flock::{BoidState, EngineKind, Observation, Settings, many, memory};
use starlings::render::Look;
use starlings::simulation::Simulation;
use starlings::vk::Device;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Runs of a sweep at most.
const MOST_RUNS: usize = 1_000_000;

/// Options of `starlings sweep`.
#[derive(Args, Debug)]
#[command(after_help = "\
`starlings sweep --preset reynolds --boids 2000 --vary alignment-weight=0:2:9 --seeds 5 --out a.csv --plot a.svg`

Each run starts from its seed, takes the steps of --warm-up, and is then measured every --every steps, --samples \
times. Its row has the varied settings, the seed, a digest of all settings, the count of samples, and means over the \
samples. Rows are written while the sweep runs; after an interruption, the same command with --append makes the \
missing ones. With `--engine gpu`, as many flocks are stepped at once as fit on the device and need the same kernels; \
with `--engine cpu-serial`, as many runs are made at a time as there are threads. Others use the whole machine for one \
run after the other: those of the engine cpu, and flocks with targets, a cursor, influences, own speeds or states.")]
pub struct SweepArgs {
    /// A setting and its values: NAME=A,B,C or NAME=FIRST:LAST:COUNT; several for every combination
    #[arg(long, value_name = "NAME=VALUES", required = true, value_parser = ranges::parse, help_heading = "Sweep")]
    vary: Vec<Range>,
    /// A setting that changes along with the first that is varied, and its values: as many
    #[arg(long, value_name = "NAME=VALUES", value_parser = ranges::parse, help_heading = "Sweep")]
    along: Vec<Range>,
    /// Let one flock take the values of the first setting in order, and back: a run goes on from where the one before
    /// ended, which shows whether the flock remembers
    #[arg(long, help_heading = "Sweep")]
    there_and_back: bool,
    /// Runs of each combination, with seeds from --seed on
    #[arg(long, value_name = "COUNT", default_value = "1", help_heading = "Sweep")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, 100_000u32))]
    seeds: u32,
    /// Steps before the first sample
    #[arg(long, value_name = "COUNT", default_value = "1000", help_heading = "Sweep")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(0, 1_000_000_000u32))]
    warm_up: u32,
    /// Samples of each run
    #[arg(long, value_name = "COUNT", default_value = "50", help_heading = "Sweep")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, 1_000_000u32))]
    samples: u32,
    /// Steps from one sample to the next
    #[arg(long, value_name = "COUNT", default_value = "10", help_heading = "Sweep")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, 1000u32))]
    every: u32,
    /// The table to write
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    out: PathBuf,
    /// Plot over the first varied setting, with a line for each combination of the others
    #[arg(long, value_name = "FILE.svg", help_heading = "Output")]
    plot: Option<PathBuf>,
    /// What is plotted: columns of the table
    #[arg(long, value_name = "COLUMN,...", default_value = "polarization", value_delimiter = ',', requires = "plot")]
    #[arg(help_heading = "Output", value_parser = rows::column)]
    columns: Vec<&'static str>,
    /// Keep the rows of the table that is there, and make those that are missing
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    append: bool,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

struct Run {
    /// The values of the varied settings, of those along with them, there or back, and the seed.
    values: Vec<String>,
    settings: Settings,
    /// Tells apart runs whose settings, steps or samples differ.
    digest: String,
}

/// Runs that one flock makes, one after the other.
type Chain = Vec<Run>;

/// Where a flock is, and after how many steps.
type Place = (BoidState, u32);

/// Settings, and the values that they were made of.
type Varied = (Settings, Vec<String>);

/// What a run adds to the lines of a plot: its number along the axis, and its values.
type Points = BTreeMap<usize, (f64, Vec<f64>)>;

pub fn run(args: &SweepArgs) -> Result<()> {
    let chains = args.chains()?;
    let runs: Vec<&Run> = chains.iter().flatten().collect();
    interrupt::install();
    // Refused before the first run.
    drop(create(&args.out, "out", "csv", if args.append { Existing::Replace } else { args.output.existing() })?);
    let existing = if args.append { Existing::Replace } else { args.output.existing() };
    let plot = args.plot.as_ref().map(|path| create(path, "plot", "svg", existing)).transpose()?;
    let way = args.there_and_back.then_some("way");
    let names = args.vary.iter().chain(&args.along).map(|range| &*range.name).chain(way).chain(["seed"]);
    let mut table = Table::new(args.out.clone(), &names.collect::<Vec<_>>(), runs.len());
    if args.append {
        let digests: Vec<String> = runs.iter().map(|run| run.digest.clone()).collect();
        table.go_on(&digests)?;
    }
    // With the number of its first run.
    let numbered = chains.iter().scan(0, |next, chain| {
        *next += chain.len();
        Some((*next - chain.len(), chain))
    });
    let missing: Vec<(usize, &Chain)> =
        numbered.filter(|(first, chain)| (0..chain.len()).any(|k| !table.has(first + k))).collect();
    let to_make: usize = missing.iter().map(|(_, chain)| chain.len()).sum();
    let kept = runs.len() - to_make;
    let device = args.device(&runs)?;
    let started = Instant::now();
    let bar = progress(to_make as u64 * args.steps(), "steps", args.output.quiet);
    let shared = Mutex::new(table);
    // Several chains are of one run each.
    let at_once = |chains: &Vec<(usize, &Chain)>| {
        let mut place = None;
        for k in 0..chains[0].1.len() {
            let each: Vec<Settings> = chains.iter().map(|(_, chain)| chain[k].settings.clone()).collect();
            let means;
            (means, place) = args.measured(&each, device.as_ref(), place, &bar)?;
            let mut table = shared.lock().unwrap_or_else(PoisonError::into_inner);
            for ((first, chain), means) in chains.iter().zip(&means) {
                table.push(first + k, &chain[k].values, &chain[k].digest, means)?;
            }
        }
        Ok(())
    };
    let side_by_side = runs.iter().all(|run| run.settings.engine == EngineKind::CpuSerial);
    let batches = args.batches(&missing, device.as_deref());
    let went = if side_by_side { side_by_side_each(&batches, at_once) } else { batches.iter().try_for_each(at_once) };
    drop(bar);
    let mut table = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if matches!(went, Ok(()) | Err(Error::Interrupted)) {
        table.write()?;
    }
    went?;
    if let Some(device) = &device {
        args.machine.check(device)?;
    }
    if let Some(file) = plot {
        let svg = args.picture(&runs, &table).svg()?;
        file.fill(|file| file.write_all(svg.as_bytes()))?;
    }
    let before = if kept > 0 { format!(", {kept} of them from before") } else { String::new() };
    let (path, count) = (args.out.display(), counted(runs.len() as u64, "run"));
    print(&format!("{path}: {count}{before}, in {}", duration(started.elapsed())))
}

/// `work` for each of `items`, on as many threads as there are, until an error. Not on those of rayon: while one of
/// them waits for the pool of its flock, it begins another run, and in that another, until its stack is full.
fn side_by_side_each<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let items = Mutex::new(items.iter());
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let worker = || {
        let went = std::iter::from_fn(next).try_for_each(&work);
        if went.is_err() {
            std::iter::from_fn(next).for_each(drop);
        }
        went
    };
    let failed = |error: std::io::Error| Error::Engine(starlings::Error::Threads(error.to_string()));
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, worker).map_err(failed);
        let threads: Vec<_> = (0..rayon::current_num_threads()).map(start).collect::<Result<_>>()?;
        threads.into_iter().try_for_each(|thread| thread.join().expect("a run does not panic"))
    })
}

impl SweepArgs {
    /// Every combination of values with every seed, checked.
    fn chains(&self) -> Result<Vec<Chain>> {
        let all: Vec<&Range> = self.vary.iter().chain(&self.along).collect();
        for (at, range) in all.iter().enumerate() {
            let twice = all[..at].iter().any(|other| other.name == range.name);
            if twice || self.flock.values.has(&range.name) {
                let accepted = format!("either --vary {0}=… once or --{0}", range.name);
                return Err(Error::flag("vary", format!("'{}=…'", range.name), accepted));
            }
        }
        let first = &self.vary[0];
        if let Some(range) = self.along.iter().find(|range| range.values.len() != first.values.len()) {
            let accepted = format!("{} values, as many as {} has", first.values.len(), first.name);
            return Err(Error::flag("along", format!("'{}=…'", range.name), accepted));
        }
        let asked = self.flock.settings()?;
        asked.check_count()?;
        let turns = if self.there_and_back { 2 } else { 1 };
        let count =
            self.vary.iter().try_fold(turns * self.seeds as usize, |n, range| n.checked_mul(range.values.len()));
        if count.is_none_or(|count| count > MOST_RUNS) {
            return Err(Error::flag("vary", "given", format!("at most {MOST_RUNS} runs in all")));
        }
        let others: usize = self.vary[1..].iter().map(|range| range.values.len()).product();
        let firsts = first.values.len();
        let mut chains = Vec::new();
        if self.there_and_back {
            let way =
                (0..firsts).map(|at| (at, Some("there"))).chain((0..firsts - 1).rev().map(|at| (at, Some("back"))));
            for other in 0..others {
                let steps: Vec<_> = way
                    .clone()
                    .map(|(at, way)| self.one(&asked, at, other).map(|one| (one, way)))
                    .collect::<Result<_>>()?;
                chains.extend((0..self.seeds).map(|seed| self.chain(&steps, seed)));
            }
            return Ok(chains);
        }
        for (at, other) in (0..firsts).flat_map(|at| (0..others).map(move |other| (at, other))) {
            let only = [(self.one(&asked, at, other)?, None)];
            chains.extend((0..self.seeds).map(|seed| self.chain(&only, seed)));
        }
        Ok(chains)
    }

    /// The settings with the values of one combination, and these: number `at` of the first setting and of those along
    /// with it, and combination `other` of the others, of which the last changes fastest.
    fn one(&self, asked: &Request, at: usize, mut other: usize) -> Result<Varied> {
        let mut values: Vec<String> = Vec::with_capacity(self.vary.len());
        for range in self.vary[1..].iter().rev() {
            values.push(range.values[other % range.values.len()].clone());
            other /= range.values.len();
        }
        values.push(self.vary[0].values[at].clone());
        values.reverse();
        values.extend(self.along.iter().map(|range| range.values[at].clone()));
        let named = self.vary.iter().chain(&self.along).zip(&values);
        let flags =
            config::file::parse(&named.map(|(range, value)| format!("--{}={value}", range.name)).collect::<Vec<_>>())?;
        let wanted = flags.flock.settings_from(asked.settings.clone(), flags.flock.values.get("boids"))?;
        wanted.check_count()?;
        Ok((wanted.settings, values))
    }

    /// The runs of these settings, each there or back, with seed number `seed`.
    fn chain(&self, steps: &[(Varied, Option<&str>)], seed: u32) -> Chain {
        let mut chain: Chain = Vec::with_capacity(steps.len());
        for ((settings, values), way) in steps {
            let settings = Settings { seed: settings.seed.wrapping_add(seed.into()), ..settings.clone() };
            let digest = self.digest(&settings, chain.last().map_or("", |run| run.digest.as_str()));
            let more = way.map(str::to_owned).into_iter().chain([settings.seed.to_string()]);
            chain.push(Run { values: values.iter().cloned().chain(more).collect(), settings, digest });
        }
        chain
    }

    /// Of a run, and of those `before` it.
    fn digest(&self, settings: &Settings, before: &str) -> String {
        let text = config::text(settings, &Look::of(settings), &super::viewpoint::Viewpoint::default());
        let weights = settings.weights.as_deref().map(bytemuck::cast_slice::<f32, u8>).unwrap_or_default();
        let speeds = settings.speeds.as_ref().map(|speeds| bytemuck::cast_slice::<f32, u8>(speeds.factors()));
        let steps = [self.warm_up, self.samples, self.every].map(u32::to_le_bytes).concat();
        let hash = Sha256::new().chain_update(before).chain_update(text).chain_update(weights);
        let hash = hash.chain_update(speeds.unwrap_or_default()).chain_update(steps).finalize();
        hash[..6].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The device of the runs that need one; a flock that does not fit is refused before the first run.
    fn device(&self, runs: &[&Run]) -> Result<Option<Arc<Device>>> {
        if runs.iter().all(|run| run.settings.engine.is_cpu()) {
            self.machine.refuse(runs[0].settings.engine, &[])?;
            return Ok(None);
        }
        let device = self.machine.open(false)?;
        for run in runs.iter().filter(|run| !run.settings.engine.is_cpu()) {
            memory::check(device.info(), &run.settings, run.settings.boids.into())?;
            memory::check_observed(device.info(), &run.settings)?;
        }
        Ok(Some(device))
    }

    fn steps(&self) -> u64 {
        u64::from(self.warm_up) + u64::from(self.samples - 1) * u64::from(self.every) + 1
    }

    /// The chains whose flocks are stepped at once.
    fn batches<'a>(&self, missing: &[(usize, &'a Chain)], device: Option<&Device>) -> Vec<Vec<(usize, &'a Chain)>> {
        match device {
            Some(device) if !self.there_and_back => {
                let flocks: Vec<&Settings> = missing.iter().map(|(_, chain)| &chain[0].settings).collect();
                let batches = many::batches(device.info(), &flocks).into_iter();
                batches.map(|batch| batch.into_iter().map(|at| missing[at]).collect()).collect()
            }
            _ => missing.iter().map(|&chain| vec![chain]).collect(),
        }
    }

    /// The means of runs whose flocks are stepped at once; of one run, whose flock is spawned or goes on from a place,
    /// also where that then is if runs go on.
    fn measured(
        &self,
        each: &[Settings],
        device: Option<&Arc<Device>>,
        from: Option<Place>,
        bar: &ProgressBar,
    ) -> Result<(Vec<Means>, Option<Place>)> {
        let settings = &each[0];
        let mut means = vec![Means::default(); each.len()];
        let begun = from.as_ref().map_or(0, |(_, step)| *step);
        let samples = (0..self.samples).map(|sample| begun + self.warm_up + sample * self.every);
        if settings.engine.is_cpu() {
            bake_models_on_cpu(&settings.models(), interrupt::token())?;
        }
        if let Some(mut engine) = Engine::of(settings)? {
            if let Some((state, step)) = from {
                engine.set_state_at(&state, step);
            }
            for sample in samples {
                while engine.step() < sample {
                    interrupt::check()?;
                    engine.advance(1);
                    bar.inc(1);
                }
                interrupt::check()?;
                means[0].push(&engine.order());
            }
            return Ok((means, self.there_and_back.then(|| (engine.state(), engine.step()))));
        }
        let device = device.expect("a run on a device has opened one");
        let mut simulation = Simulation::of_many(device, each)?;
        if let Some((state, step)) = from {
            simulation.flock_mut().set_state_at(&state, step)?;
        }
        for sample in samples {
            while simulation.flock().step() < sample {
                interrupt::check()?;
                let now = simulation.flock().steps_at_once().min(sample - simulation.flock().step());
                simulation.advance(now)?;
                bar.inc(u64::from(now) * each.len() as u64);
            }
            interrupt::check()?;
            // The step after a sample measures it.
            simulation.advance_observed(1, Observation::Order)?;
            simulation.wait()?;
            bar.inc(each.len() as u64);
            means.iter_mut().zip(simulation.orders()).for_each(|(means, order)| means.push(&order));
        }
        let flock = simulation.flock();
        let place = if self.there_and_back { Some((flock.state()?, flock.step())) } else { None };
        Ok((means, place))
    }

    /// The columns over the first setting: the mean of the seeds.
    fn picture(&self, runs: &[&Run], table: &Table) -> Plot {
        let first = &self.vary[0];
        let named = super::flags::FLAGS.iter().any(|flag| flag.name == first.name && flag.kind == Kind::Name);
        let place = |value: &String| match numbers::precise(value) {
            Some(number) if !named => number,
            // Names stand side by side.
            _ => first.values.iter().position(|other| other == value).unwrap_or(0) as f64,
        };
        // In the order of the runs.
        let mut lines: Vec<(String, Points)> = Vec::new();
        for (column, (number, run)) in
            self.columns.iter().flat_map(|of| runs.iter().enumerate().map(move |run| (of, run)))
        {
            let others =
                self.vary[1..].iter().zip(&run.values[1..]).map(|(range, value)| format!("{} {value}", range.name));
            let way = self.there_and_back.then(|| run.values[run.values.len() - 2].clone());
            let only = self.vary.len() == 1 && way.is_none();
            let what = (self.columns.len() > 1 || only).then(|| (*column).to_owned());
            let name = what.into_iter().chain(others).chain(way).collect::<Vec<_>>().join(", ");
            let at = first.values.iter().position(|value| *value == run.values[0]).unwrap_or(0);
            let line = lines.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                lines.push((name, BTreeMap::new()));
                lines.len() - 1
            });
            let (_, found) = lines[line].1.entry(at).or_insert_with(|| (place(&run.values[0]), Vec::new()));
            found.extend(table.number(number, column));
        }
        let line = |(name, points): (String, BTreeMap<usize, (f64, Vec<f64>)>)| Series {
            name,
            points: points.into_values().map(|(x, y)| (x, y.iter().sum::<f64>() / y.len() as f64)).collect(),
        };
        let what = self.columns.join(", ");
        Plot {
            title: format!("{}: {what}, mean of {}", runs[0].settings.preset, counted(self.seeds, "seed")),
            x: first.name.clone(),
            y: what,
            logarithmic: false,
            series: lines.into_iter().map(line).collect(),
        }
    }
}
