//! `starlings bench`: GPU time of every pass, after the gate has checked the step.

mod lines;
mod object;
mod table;

use super::flags::boids;
use super::flock::FlockArgs;
use super::machine::MachineArgs;
use super::numbers::{self, Accepted, real};
use super::output::{print, progress};
use super::profiling::TraceArgs;
use super::render::size;
use crate::bench::gate::{self, Verdict};
use crate::bench::levels::Levels;
use crate::bench::measure::{self, Measured, Plan};
use crate::bench::oracle::Oracle;
use crate::bench::peers;
use crate::bench::stepper::{Place, no_timestamps};
use crate::bench::work::{self, FLOCKED_STEPS, State, Work};
use crate::export::OutputFile;
use crate::interrupt::{self, Kept};
use crate::{Error, Result};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use starlings::copy_rate::{CopyRate, CopyRates};
use starlings::flock::obstacles::baking::{bake_models, bake_models_on_cpu};
use starlings::flock::{BoidState, EngineKind, Search, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::canvas::COARSE;
use starlings::render::{Camera, View};
use starlings::vk::{Device, DeviceOptions, RecordOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Samples that are kept for each pass.
const MOST_REPEATS: u32 = 4096;

/// The sizes of the published systems, and larger ones.
const SIZES: [u64; 9] = [400, 1_000, 10_000, 20_000, 40_000, 102_400, 200_000, 1_000_000, 4_000_000];

/// The largest of these on a software driver.
const MOST_IN_SOFTWARE: u32 = 10_000;

/// Options of `starlings bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Before timing, 2,000 boids are checked against all pairs in double precision; if one neighbor is missing, \
no time is printed and the exit status is 1. GPU timestamps enclose each pass. B/boid counts the bytes that a pass \
reads and writes; `of copy` is the time that this device takes to copy as many bytes, divided by the pass's time. \
See docs/benchmarks.md.")]
pub struct BenchArgs {
    /// Boids in the flock: one count, or several separated by commas, like 1e6 or 2^20 [default: the preset's]
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', help_heading = "Flock")]
    #[arg(allow_hyphen_values = true, value_parser = boids)]
    boids: Vec<u64>,
    /// The benchmark's own flock, of one boid per cubic unit: U, uniformly at random, or F, the same after 500 steps,
    /// or both as U,F [default: a preset, from its start]
    #[arg(long, value_name = "STATE,...", value_delimiter = ',', conflicts_with_all = ["preset", "config"])]
    #[arg(allow_hyphen_values = true, value_parser = state)]
    state: Vec<State>,
    /// Set the search radius so that a boid of a uniform flock, away from the walls, has this many neighbors; one
    /// number, or several separated by commas [default: as the radii give]
    #[arg(long, value_name = "NUMBER,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = neighbors)]
    neighbors: Vec<f32>,
    /// Steps before the timing starts [default: 20, or 3 with --systems]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    warm_up: Option<u32>,
    /// Steps that are timed [default: 100, or 10 with --systems]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(1, MOST_REPEATS))]
    repeats: Option<u32>,
    /// Also time the same work in every other way whose step takes at most 2 s: each search on the GPU, and those of
    /// the CPU on one thread and on all
    #[arg(long, conflicts_with = "draw")]
    peer: bool,
    /// From all pairs on one CPU thread to the counting-sorted grid on the GPU, at the sizes that the authors of these
    /// systems published and above: as --state U --peer with 400 boids to 4 million, on a software driver to 10,000
    #[arg(long, conflicts_with_all = ["state", "preset", "config", "search", "engine", "neighbors", "peer", "draw"])]
    systems: bool,
    /// Plot the time per boid and step over the counts of boids or of neighbors [default: none]
    #[arg(long, value_name = "FILE.svg", conflicts_with = "draw", help_heading = "Files")]
    plot: Option<PathBuf>,
    /// Also draw each step, in a picture of this size in pixels [default: no drawing]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true, value_parser = size)]
    draw: Option<(u32, u32)>,
    /// Draw every pixel on its own on a software driver, too. Otherwise it draws blocks of 2 by 2 pixels there, as a
    /// window does
    #[arg(long, requires = "draw", conflicts_with_all = ["peer", "plot", "systems"])]
    full_quality: bool,
    /// View the flock from its edge, as it is after the warm-up, instead of from afar
    #[arg(long, requires = "draw", conflicts_with_all = ["peer", "plot", "systems"])]
    near: bool,
    /// Access the flock's arrays by address, as flocks too large for descriptors do, to measure the cost
    #[arg(long)]
    by_address: bool,
    /// Print JSON, one object for each flock
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    pub trace: TraceArgs,
    /// Replace existing files of the trace and the plot
    #[arg(long, help_heading = "Profiling")]
    pub force: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

impl BenchArgs {
    /// Steps before the timing starts, and steps that are timed. Ways that take seconds a step are timed with a few.
    fn plan(&self) -> Plan {
        let (warm_up, repeats) = if self.systems { (3, 10) } else { (20, 100) };
        Plan { warm_up: self.warm_up.unwrap_or(warm_up), repeats: self.repeats.unwrap_or(repeats) }
    }

    /// Pixels along an edge of a block of the picture: those of a window that has just opened on `device`.
    fn block(&self, device: &Device) -> u32 {
        if self.draw.is_some() && !self.full_quality && device.info().is_software() { COARSE } else { 1 }
    }
}

/// What was timed, and the gate's verdict.
struct Flock {
    state: Option<State>,
    settings: Settings,
    /// Boids in the fullest cell before the timing.
    fullest_cell: u32,
    verdict: Verdict,
}

/// One flock, measured.
struct Run {
    flock: Flock,
    /// What stepped it, in words and for programs.
    place: (String, Value),
    /// Pixels along an edge of a block of the picture.
    block: u32,
    /// Mean neighbors per boid after the timed steps; the verdict has those before.
    neighbors_after: f64,
    measured: Measured,
    /// Of the last picture, if there is one.
    levels: Option<Levels>,
    /// The other ways to step it.
    peers: Vec<(EngineKind, Search, Peer)>,
    copies: Vec<CopyRate>,
}

/// The same work in another way.
enum Peer {
    Measured(Verdict, Box<Measured>),
    /// A step would take about this long, in milliseconds.
    Skipped(f64),
    /// The flock does not fit on the device.
    TooLarge,
}

impl Run {
    /// Neighbors found in a second, over all boids.
    fn pairs_per_second(&self) -> f64 {
        let mean = 0.5 * (self.flock.verdict.mean_neighbors + self.neighbors_after);
        mean * self.measured.boid_steps_per_second(self.flock.settings.boids)
    }
}

pub fn run(args: &BenchArgs) -> Result<()> {
    interrupt::install();
    let mut asked = args.flocks()?;
    let engine = asked[0].1.settings.engine;
    let (place, plot) = if engine.is_cpu() {
        asked.iter().try_for_each(|(_, flock)| flock.check_count())?;
        let others = [("peer", args.peer), ("draw", args.draw.is_some()), ("plot", args.plot.is_some())];
        args.machine.refuse(engine, &others)?;
        (Place::on_cpu(engine), None)
    } else {
        let plot = lines::plot(args)?;
        // With `--by-address`, flocks of any size access their arrays by address.
        let options = DeviceOptions { by_address: args.by_address, ..DeviceOptions::default() };
        let device = args.machine.open_with(false, options)?;
        if args.systems && args.boids.is_empty() && device.info().is_software() {
            asked.retain(|(_, flock)| flock.settings.boids <= MOST_IN_SOFTWARE);
        }
        asked.iter().try_for_each(|(_, flock)| flock.check(&device))?;
        (Place::Device(device), plot)
    };
    let by_neighbors = args.neighbors.len() > 1;
    let results = Results { json: args.json, by_neighbors, objects: Vec::new(), lines: lines::Lines::default(), plot };
    let results = Kept::new(results, |mut results: Results| {
        drop(results.draw());
        interrupt::briefly(move || drop(results.print()));
    });
    let went = asked.iter().try_for_each(|(state, flock)| {
        let run = measure(args, &place, *state, &flock.settings)?;
        let first = results.with(|results| results.add(args, &run));
        if args.json {
            return Ok(());
        }
        print(&format!("{}{}", if first { "" } else { "\n" }, table::table(args, &run)))
    });
    let measured = matches!(went, Ok(()) | Err(Error::Interrupted));
    let went = match &place {
        Place::Device(device) => went.and_then(|()| args.machine.check(device)),
        Place::Cpu(_) => went,
    };
    // What an interrupted run has measured is printed.
    if measured {
        let mut results = results.take();
        results.print()?;
        if matches!(went, Ok(()) | Err(Error::Interrupted)) {
            results.draw()?;
        }
    }
    went
}

struct Results {
    json: bool,
    by_neighbors: bool,
    objects: Vec<Value>,
    lines: lines::Lines,
    plot: Option<OutputFile>,
}

impl Results {
    /// Adds a run. Returns whether it is the first.
    fn add(&mut self, args: &BenchArgs, run: &Run) -> bool {
        self.lines.add(run, self.by_neighbors);
        self.objects.push(object::object(args, run));
        self.objects.len() == 1
    }

    /// Prints the runs as JSON, if that was asked for.
    fn print(&self) -> Result<()> {
        if self.json { print(&Value::from(self.objects.clone()).to_string()) } else { Ok(()) }
    }

    fn draw(&mut self) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        if let (Some(out), Some(plot)) = (self.plot.take(), lines.plot(self.by_neighbors)) {
            let svg = plot.svg()?;
            out.fill(|file| file.write_all(svg.as_bytes()))?;
        }
        Ok(())
    }
}

/// Counts steps as done, and fails once the user has interrupted the program.
fn stepping(progress: &ProgressBar) -> impl Fn(u64) -> Result<()> {
    |steps| {
        progress.inc(steps);
        interrupt::check()
    }
}

impl BenchArgs {
    /// The requested flocks: each state with each count and each number of neighbors.
    fn flocks(&self) -> Result<Vec<(Option<State>, super::request::Request)>> {
        let mut flocks = Vec::new();
        let (states, sizes) = match self.systems {
            true => (&[State::U][..], if self.boids.is_empty() { &SIZES[..] } else { &self.boids }),
            false => (&self.state[..], &self.boids[..]),
        };
        for state in each(states) {
            for boids in each(sizes) {
                let asked = || match state {
                    Some(_) => self.flock.settings_from(work::settings(), boids),
                    None => self.flock.settings_of(None, boids).map(|asked| self.flock.measured(asked)),
                };
                if self.neighbors.is_empty() {
                    flocks.push((state, asked()?));
                }
                for &neighbors in &self.neighbors {
                    let mut asked = asked()?;
                    asked.settings = work::with_neighbors(&asked.settings, neighbors);
                    asked.settings.validate()?;
                    flocks.push((state, asked));
                }
            }
        }
        Ok(flocks)
    }
}

fn measure(args: &BenchArgs, place: &Place, state: Option<State>, settings: &Settings) -> Result<Run> {
    let plan = args.plan();
    let steps = [state.map_or(0, State::steps), plan.warm_up, plan.repeats].map(u64::from);
    let progress = progress(steps.iter().sum(), "steps", args.quiet);
    // Before the boids are spawned, which are not to be inside.
    match place {
        Place::Device(device) => bake_models(device, &settings.models())?,
        Place::Cpu(_) => bake_models_on_cpu(&settings.models(), interrupt::token())?,
    }
    let work = Work::in_state(place, settings, state, stepping(&progress))?;
    let oracle = Oracle::new(&work);
    // On the CPU the engine says more than the search, of which there is one.
    let by = if settings.engine.is_cpu() { settings.engine.name() } else { settings.search.name() };
    let verdict = gate::check(place, &oracle, settings.search)?.passed(by, settings.boids)?;

    let mut rates = if let Place::Device(device) = place { Some(CopyRates::new(device)) } else { None };
    let mut run = match (place, args.draw, &mut rates) {
        (Place::Device(device), Some(size), Some(rates)) => drawn(args, device, &work, size, rates, &progress)?,
        _ => {
            let (measured, mut stepper) =
                measure::steps(place, &work, settings.search, plan, rates.as_mut(), stepping(&progress))?;
            Timed { place: stepper.describe(), measured, block: 1, levels: None, after: stepper.state()? }
        }
    };
    let neighbors_after = gate::mean_neighbors(place, settings, &std::mem::take(&mut run.after))?;
    drop(progress);
    let others = peers::ways().filter(|way| (args.peer || args.systems) && *way != (settings.engine, settings.search));
    let peers = others
        .map(|(engine, search)| {
            let (place, rates) = match engine {
                EngineKind::Gpu => (place.clone(), rates.as_mut()),
                _ => (Place::on_cpu(engine), None),
            };
            let timed = match peer(args, &place, &oracle, (engine, search), plan, rates) {
                Err(Error::Engine(starlings::Error::TooLarge { .. })) => Peer::TooLarge,
                timed => timed?,
            };
            Ok((engine, search, timed))
        })
        .collect::<Result<_>>()?;
    let Timed { place, measured, block, levels, .. } = run;
    Ok(Run {
        flock: Flock { state, settings: settings.clone(), fullest_cell: work.fullest_cell(), verdict },
        place,
        block,
        neighbors_after,
        measured,
        levels,
        peers,
        copies: rates.iter().flat_map(CopyRates::all).collect(),
    })
}

fn peer(
    args: &BenchArgs,
    place: &Place,
    oracle: &Oracle<'_>,
    (engine, search): (EngineKind, Search),
    plan: Plan,
    rates: Option<&mut CopyRates>,
) -> Result<Peer> {
    let work = oracle.work();
    let predicted = peers::predict(place, &Settings { search, ..work.settings.clone() })?;
    if predicted > peers::LONGEST_MS {
        return Ok(Peer::Skipped(predicted));
    }
    let steps = u64::from(plan.warm_up) + u64::from(plan.repeats);
    let progress = progress(steps, if engine.is_cpu() { engine.name() } else { search.name() }, args.quiet);
    let verdict = gate::check(place, oracle, search)?.passed(search, work.settings.boids)?;
    let (measured, _) = measure::steps(place, work, search, plan, rates, stepping(&progress))?;
    Ok(Peer::Measured(verdict, Box::new(measured)))
}

/// What a search on an engine is called.
fn way(engine: EngineKind, search: Search) -> String {
    if engine.is_cpu() { format!("{search}, {engine}") } else { search.to_string() }
}

/// What was timed, and the flock that it left.
struct Timed {
    place: (String, Value),
    measured: Measured,
    block: u32,
    levels: Option<Levels>,
    after: BoidState,
}

fn drawn(
    args: &BenchArgs,
    device: &Arc<Device>,
    work: &Work,
    (width, height): (u32, u32),
    rates: &mut CopyRates,
    progress: &ProgressBar,
) -> Result<Timed> {
    let mut offscreen = Offscreen::new(device, &work.settings, width, height)?;
    let block = args.block(device);
    offscreen.draw_in_blocks(block)?;
    offscreen.set_state_at(&work.state, work.step)?;
    let mut camera = Camera::of(&work.settings, width as f32 / height as f32);
    let noted = RecordOptions { journal: true, ..RecordOptions::default() };
    let (_, journal) = offscreen.draw(&Shot { camera, steps: 1, options: noted })?;
    let Plan { warm_up, repeats } = args.plan();
    for (count, timed) in [(warm_up.saturating_sub(1), false), (repeats, true)] {
        if timed && args.near {
            let state = offscreen.flock().state()?;
            camera = Camera::near(&state.position, offscreen.scene().look().boid_length).settled();
        }
        offscreen.clear_timings();
        for _ in 0..count {
            offscreen.draw(&Shot { camera, steps: 1, options: RecordOptions::default() })?;
            stepping(progress)(1)?;
        }
    }
    let statistics = offscreen.timings().frame_statistics();
    let flock = offscreen.flock();
    let info = device.info();
    let mut measured = Measured::of(&statistics).ok_or_else(|| no_timestamps(&info.name))?;
    measured.compare(&journal.unwrap_or_default(), flock, rates)?;
    let after = flock.state()?;
    let levels = Some(Levels::of(&offscreen, &View { block, ..View::of(camera, width, height) }, &after));
    let place = (info.name.clone(), json!({ "device": info.name, "driver": info.driver }));
    Ok(Timed { place, measured, block, levels, after })
}

/// The entries of `list`, or a single `None` if it is empty.
fn each<T: Copy>(list: &[T]) -> Vec<Option<T>> {
    if list.is_empty() { vec![None] } else { list.iter().copied().map(Some).collect() }
}

fn state(text: &str) -> Result<State, Accepted> {
    [State::U, State::F]
        .into_iter()
        .find(|state| state.name().eq_ignore_ascii_case(text))
        .ok_or_else(|| Accepted(format!("U, uniformly at random, or F, after {FLOCKED_STEPS} steps")))
}

fn neighbors(text: &str) -> Result<f32, Accepted> {
    let accepted = || Accepted("a number above 0, like 8 or 33.5".into());
    real(text).filter(|&neighbors| neighbors > 0.0 && neighbors.is_finite()).ok_or_else(accepted)
}
