//! `starlings simulate`: writes a flock's trajectories to a file, or prints digests of them.

use super::flock::FlockArgs;
use super::machine::MachineArgs;
use super::numbers::{self, bytes, counted, duration};
use super::origin::{CheckpointArgs, LastCheckpoint, OriginArgs};
use super::output::{OutputArgs, create, distinct, print, progress};
use super::profiling::{self, CaptureArgs, FrameCapture, TraceArgs};
use super::stats::{self, Stats, StatsArgs};
use super::steps;
use crate::export::{self, Checkpoint, Existing, FlockArchive, OutputFile, TrajectoryFile, digest};
use crate::flight::{Course, Flight};
use crate::interrupt::{self, Kept};
use crate::running::Running;
use crate::trajectory::{TextFile, TextFormat};
use crate::{Error, Result};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::json;
use starlings::flock::obstacles::baking::bake_models_on_cpu;
use starlings::flock::{BoidState, Settings, memory};
use starlings::vk::Device;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Default count of steps.
const STEPS: u32 = 1000;

/// Samples of a run at most: their step numbers are kept in memory.
const MOST_SAMPLES: u32 = 10_000_000;

/// Options of `starlings simulate`.
#[derive(Args, Debug)]
#[command(after_help = "\
The archive opens with numpy.load. The start, step 0 or that of the checkpoint, is the first of the K samples:
  id          u4 [N]        0 to N-1
  step        u4 [K]        steps since the start
  kind        u4 [N]        with --kinds: number of the kind, from 0 in the order of the flag
  position    f4 [K, N, 3]  boids in the order of `id`, world units
  velocity    f4 [K, N, 3]  the same, world units per second
  state       u4 [K, N]     with --states: 0 flap, 1 glide, 2 bank left, 3 bank right, 4 descend, 5 perch,
                            6 take off, 7 flee, 8 cruise, 9 burst, 10 rest
  target      f4 [K, T, 3]  positions of the targets in the next step, world units
  parameters  text          json.loads(str(archive['parameters'])): every setting
Extended XYZ, for OVITO and ASE, has the columns id, x, y, z, vx, vy, vz and the box; a .csv file, for R or pandas, \
the columns frame (the step), time in seconds, id, x, y, z, vx, vy, vz.
Ctrl-C ends the run early; the file then holds the samples so far. Until the end, they are kept in its folder as \
well.

With --hash, each line is a step and the SHA-256 of the boids' positions and then velocities there:
  sha256(archive['position'][k].tobytes() + archive['velocity'][k].tobytes()), 4-byte floats, little-endian
The same settings with the same engine on the same device and driver print the same lines.")]
pub struct SimulateArgs {
    /// File to write: a NumPy archive (.npz), extended XYZ (.xyz) or a table (.csv); not required with --hash or
    /// --checkpoint
    #[arg(
        long,
        value_name = "FILE.npz|FILE.xyz|FILE.csv",
        required_unless_present_any = ["hash", "checkpoint"],
        help_heading = "Output"
    )]
    export: Option<PathBuf>,
    /// Print a digest of the state at each sample and after the last step
    #[arg(long, help_heading = "Output")]
    hash: bool,
    /// Steps to simulate [default: 1000, or those of the file given by --from]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    steps: Option<u32>,
    /// Steps from one sample to the next
    #[arg(long, value_name = "COUNT", default_value = "10")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    every: u32,
    #[command(flatten)]
    origin: OriginArgs,
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

pub fn run(args: &SimulateArgs) -> Result<()> {
    let mut origin = args.origin.open(&args.flock)?;
    let asked = origin.flock(&args.flock)?;
    let flight = origin.flight_to(&asked);
    let settings = flight.first();
    let steps = args.steps.or(origin.step).unwrap_or(STEPS);
    let (first, last) = (origin.first(), origin.last(steps, "steps")?);
    let samples = args.samples(first, steps)?;
    args.check_archived(&flight)?;
    let mut parameters = export::parameters(settings);
    parameters.insert("steps".into(), json!(steps));
    parameters.insert("every".into(), json!(args.every));
    if flight.is_changed() {
        parameters.insert("flight".into(), json!(super::flight::rows(&flight.up_to(last))));
    }

    profiling::check(args.capture.capture, steps, "--steps")?;
    interrupt::install();
    let out = args.export.as_ref().map(|path| open(path, args.output.existing())).transpose()?;
    let written = [("export", args.export.as_deref()), ("checkpoint", args.checkpoint.path())];
    distinct(&written, &[("resume", args.origin.checkpoint())])?;
    let end = args.checkpoint.open(settings, args.output.existing())?;
    let end = end.map(|file| LastCheckpoint { file, replayable: origin.is_of_settings(), config: asked.config() });
    let on_cpu = flight.all(|settings| settings.engine.is_cpu());
    if on_cpu {
        args.machine.refuse(settings.engine, &[("capture", args.capture.capture.is_some())])?;
        asked.check_count()?;
    }
    let mut stats = args.stats.open(settings, settings.states, first, args.output.existing())?;
    let device = if on_cpu { None } else { Some(args.machine.open(args.capture.capture.is_some())?) };
    if let Some(device) = &device {
        asked.check(device)?;
        if args.stats.every().is_some() {
            memory::check_observed(device.info(), settings)?;
        }
    }
    let file = match out {
        None => None,
        Some((out, None)) => Some(Box::new(FlockArchive::new(out, settings, &parameters)?) as Export),
        Some((out, Some(format))) => Some(Box::new(TextFile::new(out, settings, format)?) as Export),
    };
    let complete = |file: Export| {
        if file.samples() > 0 {
            drop(file.finish());
        }
    };
    let file = file.map(|file| Kept::new(file, complete));
    let mut out = Samples { file, hash: args.hash, hashed: None };
    let started = Instant::now();
    if settings.engine.is_cpu() {
        bake_models_on_cpu(&settings.models(), interrupt::token())?;
    }
    let mut flock = Flown {
        running: Running::new(device.as_ref().filter(|_| !settings.engine.is_cpu()), settings, None)?
            .cancelled_by(interrupt::token()),
        captured: FrameCapture::new(device.as_deref(), args.capture.capture.map(|step| first + step)),
        device: device.as_ref(),
        course: flight.course(),
    };
    if let Some(Checkpoint { state, step, .. }) = origin.checkpoint() {
        flock.running.resume(state, *step)?;
    }
    let place = device.as_ref().map_or_else(|| flock.running.place(), |device| device.info().name.clone());
    let progress = progress(steps.into(), "steps", args.output.quiet);
    let run = |mut stats: Option<&mut Stats>| {
        let done = |steps: u32| progress.inc(steps.into());
        for &sample in &samples {
            flock.run_to(sample, stats.as_deref_mut(), done)?;
            interrupt::check()?;
            out.push(sample, &flock, &progress)?;
            out.push_states(&flock)?;
        }
        flock.run_to(last, stats.as_deref_mut(), done)?;
        if out.lacks(last) {
            out.print(last, &flock, &progress)?;
        }
        if let Some(end) = end {
            end.write(flock.course.settings(), flock.state()?, last)?;
        }
        steps::finish(&mut flock.running, &mut flock.captured, stats)
    };
    let went = run(stats.as_mut());
    drop(progress);
    let mut went = stats::finish(went, stats);
    if let Some(device) = &device {
        went = went.and_then(|()| args.machine.check(device));
    }
    let answer = args.finish(went, (out, &asked.settings, steps), started, &place)?;
    flock.captured.tell(answer).map_or(Ok(()), |lines| print(&lines))
}

/// A flock on its flight.
struct Flown<'a> {
    running: Running,
    captured: FrameCapture<'a>,
    device: Option<&'a Arc<Device>>,
    course: Course<&'a Flight>,
}

impl Flown<'_> {
    /// Takes steps until `step` are taken since the start, with the changes of the flight, and records the samples of
    /// `stats` before them.
    fn run_to(&mut self, step: u32, mut stats: Option<&mut Stats>, done: impl Fn(u32)) -> Result<()> {
        loop {
            while let Some(settings) = self.course.due(self.running.step()) {
                self.running.go_on(self.device, settings)?;
            }
            if self.running.step() >= step {
                return Ok(());
            }
            let (to, stats) = (self.course.stop().unwrap_or(step).min(step), stats.as_deref_mut());
            steps::run_to(to, &mut self.running, &mut self.captured, stats, &done)?;
        }
    }

    fn state(&self) -> Result<BoidState> {
        self.running.state()
    }
}

/// Opens the file of `--export`, whose ending says its format: none for an archive.
fn open(path: &Path, existing: Existing) -> Result<(OutputFile, Option<TextFormat>)> {
    let formats = [("xyz", TextFormat::Xyz), ("csv", TextFormat::Csv)];
    let is = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    match formats.into_iter().find(|(ending, _)| is(ending)) {
        Some((ending, format)) => Ok((create(path, "export", ending, existing)?, Some(format))),
        None if is("npz") => Ok((create(path, "export", "npz", existing)?, None)),
        None => Err(Error::flag("export", format!("'{}'", path.display()), "a file ending in .npz, .xyz or .csv")),
    }
}

/// The file of `--export`.
type Export = Box<dyn TrajectoryFile + Send>;

struct Samples {
    file: Option<Kept<Export>>,
    hash: bool,
    /// The step whose digest was printed last.
    hashed: Option<u32>,
}

impl Samples {
    /// Takes the state of `flock` after `step` steps.
    fn push(&mut self, step: u32, flock: &Flown<'_>, progress: &ProgressBar) -> Result<()> {
        if let Some(file) = &self.file {
            let (state, settings) = (flock.state()?.by_id(), flock.course.settings());
            file.with(|file| file.push(step, &state.position, &state.velocities(settings)))?;
        }
        if self.hash { self.print(step, flock, progress) } else { Ok(()) }
    }

    /// Takes what the boids are doing at the sample that was taken last.
    fn push_states(&mut self, flock: &Flown<'_>) -> Result<()> {
        match (&self.file, &flock.running) {
            (Some(file), Running::Device(simulation)) if flock.course.settings().states.is_on() => {
                let behaviors = simulation.flock().behaviors()?;
                file.with(|file| file.push_states(&behaviors))
            }
            _ => Ok(()),
        }
    }

    /// Prints the digest of the state of `flock` after `step` steps.
    fn print(&mut self, step: u32, flock: &Flown<'_>, progress: &ProgressBar) -> Result<()> {
        self.hashed = Some(step);
        let digest = digest(flock.course.settings(), &flock.state()?);
        progress.suspend(|| print(&format!("{step} {digest}")))
    }

    /// Whether the digest after the last step, `step`, has not been printed yet but should be.
    fn lacks(&self, step: u32) -> bool {
        self.hash && self.hashed != Some(step)
    }
}

impl SimulateArgs {
    /// Completes the file, if there is one, of a run that went well or was interrupted. Returns what was done, in
    /// one line; of an interrupted run, prints it.
    fn finish(
        &self,
        went: Result<()>,
        (out, settings, steps): (Samples, &Settings, u32),
        started: Instant,
        place: &str,
    ) -> Result<Option<String>> {
        let interrupted = matches!(went, Err(Error::Interrupted));
        let file = out.file.filter(|_| went.is_ok() || interrupted).map(Kept::take);
        let kept = file.filter(|file| went.is_ok() || file.samples() > 0);
        let answer = match kept {
            None => None,
            Some(file) => {
                let samples = counted(file.samples() as u64, "sample");
                let length = file.finish()?;
                let first = if interrupted { "the first " } else { "" };
                Some(format!(
                    "{}: {} of {}, {}, {first}{samples}, {}, in {} on {place}",
                    self.export.as_deref().unwrap_or(Path::new("")).display(),
                    counted(settings.boids, "boid"),
                    settings.preset,
                    counted(steps, "step"),
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

    /// Refuses a flight whose boids or targets do not fit into one array, or whose states begin on the way.
    fn check_archived(&self, flight: &Flight) -> Result<()> {
        let Some(path) = &self.export else { return Ok(()) };
        let of = |settings: &Settings| (settings.boids, settings.targets, settings.states);
        match flight.all(|settings| of(settings) == of(flight.first())) {
            true => Ok(()),
            false => {
                let accepted = "nothing with this flight, in which the count of boids or targets changes, or their \
                                states: --hash";
                Err(Error::flag("export", format!("'{}'", path.display()), accepted))
            }
        }
    }

    /// The steps after which a sample is taken, in a run of `steps` that begins after `first` steps.
    fn samples(&self, first: u32, steps: u32) -> Result<Vec<u32>> {
        if steps / self.every >= MOST_SAMPLES {
            let least = steps / MOST_SAMPLES + 1;
            let accepted = format!("a whole number from {least}: an archive has room for {MOST_SAMPLES} samples");
            return Err(Error::flag("every", self.every, accepted));
        }
        Ok((0..=steps).step_by(self.every as usize).map(|step| first + step).collect())
    }
}
