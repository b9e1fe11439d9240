//! `starlings simulate`: writes a flock's trajectories to a NumPy archive.

use super::asked::Asked;
use super::failure::Failure;
use super::flock::FlockArgs;
use super::machine::MachineArgs;
use super::numbers::{self, bytes, counted, duration};
use super::output::{OutputArgs, create, print};
use super::profiling::{self, CaptureArgs, Captured, TraceArgs};
use super::progress::progress;
use super::stats::{self, Stats, StatsArgs};
use super::{interrupt, steps};
use clap::Args;
use serde_json::{Map, Value, json};
use starlings::cpu::Engine;
use starlings::export::{self, FlockArchive, OutputFile};
use starlings::flock::{Settings, memory};
use starlings::simulation::Simulation;
use std::path::PathBuf;
use std::time::Instant;

/// Samples of a run at most: their step numbers are kept in memory.
const MOST_SAMPLES: u32 = 10_000_000;

/// Options of `starlings simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
The archive opens with numpy.load. Step 0, the start, is the first of the K samples:
  id          u4 [N]        0 to N-1
  step        u4 [K]        steps since the start
  position    f4 [K, N, 3]  boids in the order of `id`, world units
  velocity    f4 [K, N, 3]  the same, world units per second
  target      f4 [K, T, 3]  positions of the targets in the next step, world units
  parameters  text          json.loads(str(archive['parameters'])): every setting")]
pub struct SimulateArgs {
    /// File to write, ending in .npz
    #[arg(long, value_name = "FILE.npz", help_heading = "Output")]
    export: PathBuf,
    /// Steps to simulate
    #[arg(long, value_name = "COUNT", default_value = "1000", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    steps: u32,
    /// Steps from one sample to the next
    #[arg(long, value_name = "COUNT", default_value = "10", allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    every: u32,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    stats: StatsArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    capture: CaptureArgs,
    #[command(flatten)]
    pub trace: TraceArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

pub fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let asked = args.flock.settings()?;
    let settings = &asked.settings;
    let samples = args.samples()?;
    let mut parameters = export::parameters(settings);
    parameters.insert("steps".into(), json!(args.steps));
    parameters.insert("every".into(), json!(args.every));

    profiling::check(args.capture.capture, args.steps, "--steps")?;
    interrupt::install();
    let out = create(&args.export, "export", "npz", args.output.existing())?;
    if settings.engine.is_cpu() {
        return on_processor(args, &asked, out, &samples, parameters);
    }
    let mut stats = args.stats.open(settings, args.output.existing())?;
    let device = args.machine.open_with(args.capture.capture.is_some())?;
    asked.check(&device)?;
    if args.stats.every().is_some() {
        memory::check_observed(device.info(), settings)?;
    }
    let mut archive = FlockArchive::new(out, settings, &samples, &parameters)?;
    let started = Instant::now();
    let mut simulation = Simulation::new(&device, settings)?;
    let mut captured = Captured::new(&device, args.capture.capture);
    let progress = progress(args.steps.into(), "steps", args.output.quiet);
    let mut run = |mut stats: Option<&mut Stats>| {
        for &sample in &samples {
            let stats = stats.as_deref_mut();
            steps::run_to(sample, &mut simulation, &mut captured, stats, |done| progress.inc(done.into()))?;
            interrupt::check()?;
            let state = simulation.flock().state()?.by_id();
            archive.push(&state.position, &state.velocities(settings))?;
        }
        let rest = stats.as_deref_mut();
        steps::run_to(args.steps, &mut simulation, &mut captured, rest, |done| progress.inc(done.into()))?;
        steps::finish(&mut simulation, &mut captured, stats)?;
        Ok(simulation.wait()?)
    };
    let went = run(stats.as_mut());
    stats::finish(went, stats)?;
    args.machine.check(&device)?;
    let length = archive.finish()?;
    drop(progress);
    print(&captured.tell(args.answer(settings, samples.len(), length, started, &device.info().name)))
}

/// The same with a CPU engine.
fn on_processor(
    args: &SimulateArgs,
    asked: &Asked,
    out: OutputFile,
    samples: &[u32],
    parameters: Map<String, Value>,
) -> Result<(), Failure> {
    let settings = &asked.settings;
    args.machine.refuse(settings.engine, &[("capture", args.capture.capture.is_some())])?;
    asked.check_count()?;
    let mut stats = args.stats.open(settings, args.output.existing())?;
    let mut archive = FlockArchive::new(out, settings, samples, &parameters)?;
    let started = Instant::now();
    let Some(mut engine) = Engine::of(settings)? else { return Ok(()) };
    let progress = progress(args.steps.into(), "steps", args.output.quiet);
    let mut advance_to = |step: u32| {
        let mut look = |engine: &Engine| stats.as_mut().map_or(Ok(()), |stats| stats.look_at(engine));
        while engine.step() < step {
            interrupt::check()?;
            look(&engine)?;
            engine.advance(1);
            progress.inc(1);
        }
        look(&engine)?;
        Ok::<_, Failure>(engine.state())
    };
    let mut run = || {
        for &sample in samples {
            let state = advance_to(sample)?.by_id();
            archive.push(&state.position, &state.velocities(settings))?;
        }
        advance_to(args.steps).map(drop)
    };
    let went = run();
    stats::finish(went, stats)?;
    let length = archive.finish()?;
    drop(progress);
    let place = counted(engine.threads() as u64, "thread");
    print(&args.answer(settings, samples.len(), length, started, &place))
}

impl SimulateArgs {
    /// What was done, in one line.
    fn answer(&self, settings: &Settings, samples: usize, length: u64, started: Instant, place: &str) -> String {
        format!(
            "{}: {} of {}, {}, {}, {}, in {} on {place}",
            self.export.display(),
            counted(settings.boids, "boid"),
            settings.preset,
            counted(self.steps, "step"),
            counted(samples as u64, "sample"),
            bytes(length),
            duration(started.elapsed()),
        )
    }

    /// The steps after which a sample is taken.
    fn samples(&self) -> Result<Vec<u32>, Failure> {
        if self.steps / self.every >= MOST_SAMPLES {
            let least = self.steps / MOST_SAMPLES + 1;
            let accepted = format!("a whole number from {least}: an archive has room for {MOST_SAMPLES} samples");
            return Err(Failure::flag("every", self.every, accepted));
        }
        Ok((0..=self.steps).step_by(self.every as usize).collect())
    }
}
