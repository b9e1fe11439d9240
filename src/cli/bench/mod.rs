//! `starlings bench`: GPU time of every pass, after the gate has checked the step.

pub mod cpu;
mod files;
mod object;
mod scan;
mod systems;
mod table;

use super::failure::Failure;
use super::flags::boids;
use super::flock::FlockArgs;
use super::interrupt;
use super::machine::MachineArgs;
use super::numbers::{self, Accepted, real};
use super::output::{distinct, print};
use super::profiling::TraceArgs;
use super::progress::progress;
use super::render::size;
use clap::Args;
use indicatif::ProgressBar;
use serde_json::Value;
use starlings::bench::copy_rate::{CopyRate, CopyRates};
use starlings::bench::gate::{self, Verdict};
use starlings::bench::levels::Levels;
use starlings::bench::measure::{self, Measured, Plan};
use starlings::bench::oracle::Oracle;
use starlings::bench::peers;
use starlings::bench::work::{self, FLOCKED_STEPS, State, Work};
use starlings::flock::obstacles::baking::bake_models;
use starlings::flock::search::SEARCHES;
use starlings::flock::{BoidState, Search, Settings};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::canvas::COARSE;
use starlings::render::{Camera, View};
use starlings::vk::{Device, RecordOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// Samples that are kept for each pass.
const MOST_REPEATS: u32 = 4096;

/// Options of `starlings bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Before timing, 2,000 boids are checked against all pairs in double precision; if one neighbor is missing, \
no time is printed and the exit status is 1. GPU timestamps enclose each pass. B/boid counts the bytes that a pass \
reads and writes; `of copy` is the time that this device takes to copy as many bytes, divided by the pass's time. \
See docs/benchmarks.md.")]
pub struct BenchArgs {
    /// Boids in the flock: one count, or several separated by commas, like 1e6 or 2^20 [default: the preset's]
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', help_heading = "Flock", allow_hyphen_values = true, value_parser = boids)]
    boids: Vec<u64>,
    /// The benchmark's own flock, of one boid per cubic unit: U, uniformly at random, or F, the same after 500
    /// steps, or both as U,F [default: a preset, from its start]
    #[arg(long, value_name = "STATE,...", value_delimiter = ',', conflicts_with_all = ["preset", "config"], allow_hyphen_values = true, value_parser = state)]
    state: Vec<State>,
    /// Set the search radius so that a boid of a uniform flock, away from the walls, has this many neighbors; one
    /// number, or several separated by commas [default: as the radii give]
    #[arg(long, value_name = "NUMBER,...", value_delimiter = ',', allow_hyphen_values = true, value_parser = neighbors)]
    neighbors: Vec<f32>,
    /// Steps before the timing starts
    #[arg(long, value_name = "COUNT", default_value = "20", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    warm_up: u32,
    /// Steps that are timed
    #[arg(long, value_name = "COUNT", default_value = "100", allow_hyphen_values = true, value_parser = numbers::count(1, MOST_REPEATS))]
    repeats: u32,
    /// Also time the same work with every other search whose step takes at most 2 s
    #[arg(long, conflicts_with = "draw")]
    peer: bool,
    /// Compare this run's ratios with those in this file, and fail if one is worse [default: none]
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["draw", "record"], help_heading = "Files")]
    compare: Option<PathBuf>,
    /// Record this run's ratios in this file, for later runs to compare [default: none]
    #[arg(long, value_name = "FILE.json", conflicts_with = "draw", help_heading = "Files")]
    record: Option<PathBuf>,
    /// Plot the time per boid and step over the counts of boids or of neighbors [default: none]
    #[arg(long, value_name = "FILE.svg", conflicts_with = "draw", help_heading = "Files")]
    plot: Option<PathBuf>,
    /// Time only the exclusive prefix sum, of this many elements, like 2^20,2^28 [default: time flocks]
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', conflicts_with_all = ["state", "boids", "peer", "draw", "compare", "record", "plot", "neighbors"], allow_hyphen_values = true, value_parser = numbers::count(1, starlings::bench::scan::MOST))]
    scan: Vec<u32>,
    /// Time the same flock with every system, from all pairs on one thread to the counting-sorted grid on the GPU, at the
    /// sizes that their authors published and above: 400 boids to 4 million, on a software driver to 10,000
    #[arg(long, conflicts_with_all = ["state", "preset", "config", "search", "neighbors", "peer", "draw", "compare", "record", "scan", "repeats", "warm_up"])]
    systems: bool,
    /// Also draw each step, in a picture of this size in pixels [default: no drawing]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true, value_parser = size)]
    draw: Option<(u32, u32)>,
    /// Draw every pixel on its own on a software driver, too. Otherwise it draws blocks of 2 by 2 pixels there, as a window does
    #[arg(long, requires = "draw", conflicts_with_all = ["peer", "compare", "record", "plot", "scan", "systems"])]
    full_quality: bool,
    /// View the flock from its edge, as it is after the warm-up, instead of from afar
    #[arg(long, requires = "draw", conflicts_with_all = ["peer", "compare", "record", "plot", "scan", "systems"])]
    near: bool,
    /// Access the flock's arrays by address, as flocks too large for descriptors do, to measure the cost
    #[arg(long, conflicts_with = "scan")]
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
    /// Mean neighbors per boid after the timed steps; the verdict has those before.
    neighbors_after: f64,
    measured: Measured,
    /// Of the last picture, if there is one.
    levels: Option<Levels>,
    /// The other searches.
    peers: Vec<(Search, Peer)>,
    copies: Vec<CopyRate>,
}

/// The same work with another search.
enum Peer {
    Measured(Verdict, Box<Measured>),
    /// A step would take about this long, in milliseconds.
    Skipped(f64),
}

impl Run {
    /// Neighbors found in a second, over all boids.
    fn pairs_per_second(&self) -> f64 {
        let mean = 0.5 * (self.flock.verdict.mean_neighbors + self.neighbors_after);
        mean * self.measured.boid_steps_per_second(self.flock.settings.boids)
    }
}

pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    // A record keeps what is in the file, so that one file may be compared with and added to.
    let compared = [("compare", args.compare.as_deref())];
    distinct(&[("record", args.record.as_deref()), ("trace", args.trace.path())], &[])?;
    distinct(&[("trace", args.trace.path())], &compared)?;
    interrupt::install();
    if !args.scan.is_empty() {
        return scan::run(args);
    }
    if args.systems {
        return systems::run(args);
    }
    let asked = args.flocks()?;
    if asked.iter().any(|(_, flock)| flock.settings.engine.is_cpu()) {
        for (_, flock) in &asked {
            flock.check_count()?;
        }
        let flocks: Vec<_> = asked.into_iter().map(|(state, flock)| (state, flock.settings)).collect();
        return cpu::run(args, &flocks);
    }
    let mut files = files::Files::open(args)?;
    let device = args.machine.open_by_address(args.by_address)?;
    for (_, flock) in &asked {
        flock.check(&device)?;
    }
    let went = show(args, &asked, |(state, flock)| {
        let run = measure(args, &device, *state, &flock.settings)?;
        files.take(&device, &run)?;
        Ok((table::table(args, &device, &run), object::object(args, &device, &run)))
    });
    let went = went.and_then(|()| args.machine.check(&device));
    if matches!(went, Ok(()) | Err(Failure::Interrupted)) {
        files.finish()?;
    }
    went
}

/// Measures each of `flocks` and prints the results: text for each, or JSON at the end, also if a signal ends the run.
fn show<F>(
    args: &BenchArgs,
    flocks: &[F],
    mut measure: impl FnMut(&F) -> Result<(String, Value), Failure>,
) -> Result<(), Failure> {
    let mut objects = Vec::new();
    let went = flocks.iter().try_for_each(|flock| {
        let (text, object) = measure(flock)?;
        if !args.json {
            print(&format!("{}{text}", if objects.is_empty() { "" } else { "\n" }))?;
        }
        objects.push(object);
        Ok(())
    });
    if args.json && matches!(went, Ok(()) | Err(Failure::Interrupted)) {
        print(&Value::from(objects).to_string())?;
    }
    went
}

/// Counts steps as done, and fails once the user has interrupted the program.
fn stepping(progress: &ProgressBar) -> impl Fn(u64) -> Result<(), Failure> {
    |steps| {
        progress.inc(steps);
        interrupt::check()
    }
}

impl BenchArgs {
    /// A bar of all steps of a flock that starts in `state`.
    fn progress(&self, state: Option<State>) -> ProgressBar {
        let steps = [state.map_or(0, State::steps), self.warm_up, self.repeats].map(u64::from);
        progress(steps.iter().sum(), "steps", self.quiet)
    }

    /// The requested flocks: each state with each count and each number of neighbors.
    fn flocks(&self) -> Result<Vec<(Option<State>, super::asked::Asked)>, Failure> {
        let mut flocks = Vec::new();
        for state in each(&self.state) {
            for boids in each(&self.boids) {
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

fn measure(args: &BenchArgs, device: &Arc<Device>, state: Option<State>, settings: &Settings) -> Result<Run, Failure> {
    let progress = args.progress(state);
    // Before the boids are spawned, which are not to be inside.
    bake_models(device, &settings.models())?;
    let work = match state {
        None => Work::spawned(settings),
        Some(state) => Work::in_state(device, settings, state, stepping(&progress))?,
    };
    let oracle = Oracle::new(&work);
    let verdict = gate::check(device, &oracle, settings.search)?.passed(settings.search, settings.boids)?;

    let mut rates = CopyRates::new(device);
    let plan = Plan { warm_up: args.warm_up, repeats: args.repeats };
    let (measured, levels, after) = match args.draw {
        None => {
            let (measured, simulation) =
                measure::steps(device, &work, settings.search, plan, &mut rates, stepping(&progress))?;
            (measured, None, simulation.flock().state()?)
        }
        Some(size) => drawn(args, device, &work, size, &mut rates, &progress)?,
    };
    let neighbors_after = gate::mean_neighbors(device, settings, &after)?;
    drop(after);
    drop(progress);
    let others = SEARCHES.iter().map(|info| info.search).filter(|search| args.peer && *search != settings.search);
    let peers = others
        .map(|search| Ok((search, peer(args, device, &oracle, search, plan, &mut rates)?)))
        .collect::<Result<_, Failure>>()?;
    Ok(Run {
        flock: Flock { state, settings: settings.clone(), fullest_cell: work.fullest_cell(), verdict },
        neighbors_after,
        measured,
        levels,
        peers,
        copies: rates.all().collect(),
    })
}

fn peer(
    args: &BenchArgs,
    device: &Arc<Device>,
    oracle: &Oracle<'_>,
    search: Search,
    plan: Plan,
    rates: &mut CopyRates,
) -> Result<Peer, Failure> {
    let work = oracle.work();
    let predicted = peers::predict(device, &Settings { search, ..work.settings.clone() })?;
    if predicted > peers::LONGEST_MS {
        return Ok(Peer::Skipped(predicted));
    }
    let progress = progress(u64::from(plan.warm_up) + u64::from(plan.repeats), search.name(), args.quiet);
    let verdict = gate::check(device, oracle, search)?.passed(search, work.settings.boids)?;
    let (measured, _) = measure::steps(device, work, search, plan, rates, stepping(&progress))?;
    Ok(Peer::Measured(verdict, Box::new(measured)))
}

fn drawn(
    args: &BenchArgs,
    device: &Arc<Device>,
    work: &Work,
    (width, height): (u32, u32),
    rates: &mut CopyRates,
    progress: &ProgressBar,
) -> Result<(Measured, Option<Levels>, BoidState), Failure> {
    let mut offscreen = Offscreen::new(device, &work.settings, width, height)?;
    let block = args.block(device);
    offscreen.draw_in_blocks(block)?;
    offscreen.set_state_at(&work.state, work.step)?;
    let mut camera = Camera::of(&work.settings, width as f32 / height as f32);
    let noted = RecordOptions { journal: true, ..RecordOptions::default() };
    let (_, journal) = offscreen.draw(&Shot { camera, steps: 1, options: noted })?;
    for (count, timed) in [(args.warm_up.saturating_sub(1), false), (args.repeats, true)] {
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
    let measured = measure::rows(device, &statistics, &journal.unwrap_or_default(), flock, None, rates)?;
    let state = flock.state()?;
    let levels = Levels::of(&offscreen, &View { block, ..View::of(camera, width, height) }, &state);
    Ok((measured, Some(levels), state))
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
