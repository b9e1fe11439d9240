//! `starlings simulate`: writes a flock's trajectories to a NumPy archive, or prints digests of them.

use super::asked::Asked;
use super::failure::Failure;
use super::flock::FlockArgs;
use super::machine::MachineArgs;
use super::numbers::{self, bytes, counted, duration};
use super::origin::{CheckpointArgs, End, Origin, ResumeArgs};
use super::output::{OutputArgs, create, distinct, print};
use super::profiling::{self, CaptureArgs, Captured, TraceArgs};
use super::progress::progress;
use super::stats::{self, Stats, StatsArgs};
use super::{interrupt, steps};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use starlings::cpu::Engine;
use starlings::export::{self, Checkpoint, FlockArchive, digest};
use starlings::flock::{BoidState, Flock, Settings, memory};
use starlings::simulation::Simulation;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Samples of a run at most: their step numbers are kept in memory.
const MOST_SAMPLES: u32 = 10_000_000;

/// Options of `starlings simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
The archive opens with numpy.load. The start, step 0 or that of the checkpoint, is the first of the K samples:
  id          u4 [N]        0 to N-1
  step        u4 [K]        steps since the start
  position    f4 [K, N, 3]  boids in the order of `id`, world units
  velocity    f4 [K, N, 3]  the same, world units per second
  state       u4 [K, N]     with --states: 0 flap, 1 glide, 2 bank left, 3 bank right, 4 descend, 5 perch,
                            6 take off, 7 flee, 8 cruise, 9 burst, 10 rest
  target      f4 [K, T, 3]  positions of the targets in the next step, world units
  parameters  text          json.loads(str(archive['parameters'])): every setting
Ctrl-C ends the run early; the archive then holds the samples so far. Until the end, they are kept in its folder as well.

With --hash, each line is a step and the SHA-256 of the boids' positions and then velocities there:
  sha256(archive['position'][k].tobytes() + archive['velocity'][k].tobytes()), 4-byte floats, little-endian
The same settings with the same engine on the same device and driver print the same lines.")]
pub struct SimulateArgs {
    /// File to write, ending in .npz; not required with --hash or --checkpoint
    #[arg(long, value_name = "FILE.npz", required_unless_present_any = ["hash", "checkpoint"], help_heading = "Output")]
    export: Option<PathBuf>,
    /// Print a digest of the state at each sample and after the last step
    #[arg(long, help_heading = "Output")]
    hash: bool,
    /// Steps to simulate
    #[arg(long, value_name = "COUNT", default_value = "1000", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    steps: u32,
    /// Steps from one sample to the next
    #[arg(long, value_name = "COUNT", default_value = "10", allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    every: u32,
    #[command(flatten)]
    resume: ResumeArgs,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
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
    let mut origin = args.resume.open(&args.flock)?;
    let asked = origin.flock(&args.flock)?;
    let settings = &asked.settings;
    let (first, last) = (origin.first(), origin.last(args.steps, "steps")?);
    let samples = args.samples(first)?;
    let mut parameters = export::parameters(settings);
    parameters.insert("steps".into(), json!(args.steps));
    parameters.insert("every".into(), json!(args.every));

    profiling::check(args.capture.capture, args.steps, "--steps")?;
    interrupt::install();
    let out = args.export.as_ref().map(|path| create(path, "export", "npz", args.output.existing())).transpose()?;
    let written = [("export", args.export.as_deref()), ("checkpoint", args.checkpoint.path())];
    distinct(&written, &[("resume", args.resume.path())])?;
    let end = args.checkpoint.open(settings, args.output.existing())?;
    let end = end.map(|file| End { file, replayable: origin.replayable(), config: asked.config() });
    let open = || {
        let archive = out.map(|out| FlockArchive::new(out, settings, &parameters)).transpose()?;
        Ok(Samples { settings, archive, hash: args.hash, hashed: None })
    };
    if settings.engine.is_cpu() {
        return on_processor(args, &asked, &origin, end, open, &samples);
    }
    let mut stats = args.stats.open_counting(settings, first, args.output.existing())?;
    let device = args.machine.open_with(args.capture.capture.is_some())?;
    asked.check(&device)?;
    if args.stats.every().is_some() {
        memory::check_observed(device.info(), settings)?;
    }
    let mut out = open()?;
    let started = Instant::now();
    let mut simulation = Simulation::new(&device, settings)?;
    if let Some(Checkpoint { state, step, .. }) = origin.checkpoint() {
        simulation.flock_mut().resume(state, *step)?;
    }
    let mut captured = Captured::new(&device, args.capture.capture.map(|step| first + step));
    let progress = progress(args.steps.into(), "steps", args.output.quiet);
    let run = |mut stats: Option<&mut Stats>| {
        for &sample in &samples {
            let stats = stats.as_deref_mut();
            steps::run_to(sample, &mut simulation, &mut captured, stats, |done| progress.inc(done.into()))?;
            interrupt::check()?;
            out.push(sample, &simulation.flock().state()?, &progress)?;
            out.push_states(simulation.flock())?;
        }
        let rest = stats.as_deref_mut();
        steps::run_to(last, &mut simulation, &mut captured, rest, |done| progress.inc(done.into()))?;
        if out.lacks(last) {
            out.print(last, &simulation.flock().state()?, &progress)?;
        }
        if let Some(end) = end {
            end.write(settings, simulation.flock().state()?, last)?;
        }
        steps::finish(&mut simulation, &mut captured, stats)?;
        Ok(simulation.wait()?)
    };
    let went = run(stats.as_mut());
    drop(progress);
    let went = stats::finish(went, stats).and_then(|()| args.machine.check(&device));
    let answer = args.finish(went, out, started, &device.info().name)?;
    captured.tell(answer).map_or(Ok(()), |lines| print(&lines))
}

/// The same with a CPU engine.
fn on_processor<'a>(
    args: &SimulateArgs,
    asked: &'a Asked,
    origin: &Origin,
    end: Option<End>,
    open: impl FnOnce() -> Result<Samples<'a>, Failure>,
    samples: &[u32],
) -> Result<(), Failure> {
    let settings = &asked.settings;
    args.machine.refuse(settings.engine, &[("capture", args.capture.capture.is_some())])?;
    asked.check_count()?;
    let last = origin.last(args.steps, "steps")?;
    let mut stats = args.stats.open(settings, origin.first(), args.output.existing())?;
    let mut out = open()?;
    let started = Instant::now();
    let Some(mut engine) = Engine::of(settings)? else { return Ok(()) };
    if let Some(Checkpoint { state, step, .. }) = origin.checkpoint() {
        engine.resume(state, *step);
    }
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
    let run = || {
        for &sample in samples {
            out.push(sample, &advance_to(sample)?, &progress)?;
        }
        let state = advance_to(last)?;
        if out.lacks(last) {
            out.print(last, &state, &progress)?;
        }
        end.map_or(Ok(()), |end| end.write(settings, state, last))
    };
    let went = run();
    drop(progress);
    let place = counted(engine.threads() as u64, "thread");
    let answer = args.finish(stats::finish(went, stats), out, started, &place)?;
    answer.map_or(Ok(()), |line| print(&line))
}

/// Where samples go.
struct Samples<'a> {
    settings: &'a Settings,
    archive: Option<FlockArchive>,
    hash: bool,
    /// The step whose digest was printed last.
    hashed: Option<u32>,
}

impl Samples<'_> {
    /// Takes the state after `step` steps.
    fn push(&mut self, step: u32, state: &BoidState, progress: &ProgressBar) -> Result<(), Failure> {
        if let Some(archive) = &mut self.archive {
            let state = state.by_id();
            archive.push(step, &state.position, &state.velocities(self.settings))?;
        }
        if self.hash { self.print(step, state, progress) } else { Ok(()) }
    }

    /// Takes what the boids are doing at the sample that was taken last.
    fn push_states(&mut self, flock: &Flock) -> Result<(), Failure> {
        match &mut self.archive {
            Some(archive) if self.settings.states.is_on() => Ok(archive.push_states(&flock.behaviors()?)?),
            _ => Ok(()),
        }
    }

    /// Prints the digest of the state after `step` steps.
    fn print(&mut self, step: u32, state: &BoidState, progress: &ProgressBar) -> Result<(), Failure> {
        self.hashed = Some(step);
        progress.suspend(|| print(&format!("{step} {}", digest(self.settings, state))))
    }

    /// Whether the digest after the last step, `step`, has not been printed yet but should be.
    fn lacks(&self, step: u32) -> bool {
        self.hash && self.hashed != Some(step)
    }
}

impl SimulateArgs {
    /// Completes the archive, if there is one, of a run that went well or was interrupted. Returns what was done, in one line; of an
    /// interrupted run, prints it.
    fn finish(
        &self,
        went: Result<(), Failure>,
        out: Samples<'_>,
        started: Instant,
        place: &str,
    ) -> Result<Option<String>, Failure> {
        let interrupted = matches!(went, Err(Failure::Interrupted));
        let kept = out.archive.filter(|archive| went.is_ok() || (interrupted && archive.samples() > 0));
        let answer = match kept {
            None => None,
            Some(archive) => {
                let samples = counted(archive.samples() as u64, "sample");
                let length = archive.finish()?;
                let first = if interrupted { "the first " } else { "" };
                Some(format!(
                    "{}: {} of {}, {}, {first}{samples}, {}, in {} on {place}",
                    self.export.as_deref().unwrap_or(Path::new("")).display(),
                    counted(out.settings.boids, "boid"),
                    out.settings.preset,
                    counted(self.steps, "step"),
                    bytes(length),
                    duration(started.elapsed()),
                ))
            }
        };
        if let (true, Some(line)) = (interrupted, &answer) {
            print(line)?;
        }
        went.map(|()| answer)
    }

    /// The steps after which a sample is taken, in a run that begins after `first` steps.
    fn samples(&self, first: u32) -> Result<Vec<u32>, Failure> {
        if self.steps / self.every >= MOST_SAMPLES {
            let least = self.steps / MOST_SAMPLES + 1;
            let accepted = format!("a whole number from {least}: an archive has room for {MOST_SAMPLES} samples");
            return Err(Failure::flag("every", self.every, accepted));
        }
        Ok((0..=self.steps).step_by(self.every as usize).map(|step| first + step).collect())
    }
}
