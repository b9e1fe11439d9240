//! `starlings simulate`: a flock's course as a NumPy archive, for those who check it with their own tools.

use super::failure::Failure;
use super::flock::{BoidsArg, FlockArgs};
use super::machine::MachineArgs;
use super::numbers::{self, bytes, duration, grouped};
use super::output::{OutputArgs, print};
use super::progress::Progress;
use super::{interrupt, steps};
use clap::Args;
use serde_json::json;
use starlings::export::{self, FlockArchive};
use starlings::simulation::Simulation;
use std::path::PathBuf;
use std::time::Instant;

/// Steps and samples of a run at most: step numbers have 32 bits.
const MOST: u32 = u32::MAX;

/// Options of `starlings simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
The archive opens with numpy.load. Step 0, the start, is the first of the K samples:
  id          u4 [N]        0 to N-1
  step        u4 [K]        steps since the start
  position    f4 [K, N, 3]  boids in the order of `id`, world units
  velocity    f4 [K, N, 3]  the same, world units per second
  parameters  text          json.loads(str(archive['parameters'])): every setting")]
pub struct SimulateArgs {
    /// File to write, ending in .npz
    #[arg(long, value_name = "FILE.npz", help_heading = "Output")]
    export: PathBuf,
    /// Steps to simulate
    #[arg(long, value_name = "COUNT", default_value = "1000", allow_hyphen_values = true, value_parser = numbers::count(0, MOST))]
    steps: u32,
    /// Steps from one sample to the next
    #[arg(long, value_name = "COUNT", default_value = "10", allow_hyphen_values = true, value_parser = numbers::count(1, MOST))]
    every: u32,
    #[command(flatten)]
    boids: BoidsArg,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let asked = args.flock.settings(args.boids.boids)?;
    let settings = &asked.settings;
    let samples: Vec<u32> = (0..=args.steps).step_by(args.every as usize).collect();
    let mut parameters = export::parameters(settings);
    parameters.insert("steps".into(), json!(args.steps));
    parameters.insert("every".into(), json!(args.every));

    let device = args.machine.open()?;
    asked.check(&device)?;
    interrupt::install();
    let mut archive =
        FlockArchive::create(&args.export, args.output.existing(), settings.boids, &samples, &parameters)?;
    let started = Instant::now();
    let mut simulation =
        Simulation::new(&device, settings)?.with_steps_per_submission(steps::per_submission(settings.boids));
    let progress = Progress::new(args.steps.into(), "steps", args.output.quiet);
    for &sample in &samples {
        let ahead = sample - simulation.flock().step();
        steps::run(&mut simulation, ahead, |done| progress.add(done.into()))?;
        interrupt::check()?;
        let state = simulation.flock().state()?.by_id();
        archive.push(&state.position, &state.velocities(settings))?;
    }
    let rest = args.steps - simulation.flock().step();
    steps::run(&mut simulation, rest, |done| progress.add(done.into()))?;
    simulation.wait()?;
    args.machine.check(&device)?;
    let length = archive.finish()?;
    drop(progress);
    print(&format!(
        "{}: {} boids of {}, {} steps, {} samples, {}, in {} on {}",
        args.export.display(),
        grouped(settings.boids.into()),
        settings.preset,
        grouped(args.steps.into()),
        grouped(samples.len() as u64),
        bytes(length),
        duration(started.elapsed()),
        device.info().name,
    ))
}
