//! `starlings render`: pictures and videos without a window.

mod frames;
mod samples;
mod target;

use super::config;
use super::look::DrawnArgs;
use super::machine::MachineArgs;
use super::numbers::{self, Accepted, counted, duration, grouped, whole};
use super::origin::{CheckpointArgs, LastCheckpoint, Origin, OriginArgs};
use super::output::{OutputArgs, distinct, print, progress};
use super::profiling::{self, CaptureArgs, FrameCapture, TraceArgs};
use super::request::Request;
use super::stats::{self, Stats, StatsArgs};
use super::steps;
use super::viewpoint::Viewpoint;
use crate::camera_path::CameraPath;
use crate::export::{Checkpoint, Existing, OutputFile, digest};
use crate::interrupt;
use crate::{Error, Result};
use clap::Args;
use frames::{Frame, Writer};
pub use samples::Samples;
use starlings::flock::{Observation, States};
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Look};
use starlings::vk::{Device, RecordOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use target::{Kind, Target, file_name};

/// Default count of frames: the flock has formed.
const FRAMES: u32 = 300;

/// Default size of a picture, in pixels.
const SIZE: (u32, u32) = (1280, 720);

/// Options of `starlings render`.
#[derive(Args, Debug)]
#[command(after_help = "\
A picture remembers its settings, look, camera and step: `render --from a.png --out b.png` makes the same picture, \
bit for bit where no trails overlap, on the same device and driver. A picture of a window, and a video (.mp4, .gif), \
have the whole flight: what was changed, and before which step.")]
pub struct RenderArgs {
    /// A .png file for the last frame, a folder for every frame, a video of every frame (.mp4, .webm or .gif by the
    /// program ffmpeg on PATH, or .y4m, which is written instead of them where there is none), - for the last frame to
    /// standard output, or -.y4m for a video to it
    #[arg(
        long,
        value_name = "FILE|FOLDER|-|-.y4m",
        allow_hyphen_values = true,
        default_value = "starlings.png",
        help_heading = "Output"
    )]
    out: PathBuf,
    /// Frames to run, one simulation step each [default: 300, or the steps of the picture given by --from]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    frames: Option<u32>,
    /// Size of the picture, in pixels [default: 1280x720, or that of the picture given by --from]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true, value_parser = size)]
    size: Option<(u32, u32)>,
    /// Samples for each pixel, 4 times a square: 4, 16, 36, 64, and so on to 1024. The picture is drawn as much larger,
    /// and takes as much longer [default: 4, or those of the picture given by --from]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = samples::samples)]
    samples: Option<Samples>,
    /// View the flock from its edge instead of from afar; for a single picture
    #[arg(long, conflicts_with_all = ["eye", "look-at"])]
    near: bool,
    /// Lead the camera along the key poses in this file, by the flock's time [default: none]
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["near", "eye", "look-at", "fov"])]
    camera: Option<PathBuf>,
    /// Print a digest of the state after the last frame: the line of `simulate --hash` for that step
    #[arg(long, help_heading = "Output")]
    hash: bool,
    #[command(flatten)]
    checkpoint: CheckpointArgs,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    drawn: DrawnArgs,
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

pub fn run(args: &RenderArgs) -> Result<()> {
    let mut origin = args.origin.open(&args.drawn.flock)?;
    let (asked, look) = origin.drawn(&args.drawn)?;
    let frames = args.frames.or(origin.step).unwrap_or(FRAMES);
    let size = args.size.or(origin.size).unwrap_or(SIZE);
    let capture = args.capture.capture;
    profiling::check(capture, frames, "--frames")?;
    origin.last(frames, "frames")?;
    interrupt::install();
    let kind = Kind::of(&args.out)?;
    let many = match kind {
        Kind::Folder => Some("given with a folder"),
        Kind::Video(_) | Kind::StandardOutput { video: true } => Some("given with a video"),
        Kind::File | Kind::StandardOutput { video: false } => None,
    };
    if let (true, Some(given)) = (args.near, many) {
        return Err(Error::flag("near", given, "a single picture: --out with a name that ends in .png"));
    }
    let camera = asked.camera(&args.drawn.camera, aspect(size))?;
    let path = args.camera.as_deref().map(CameraPath::read).transpose()?;
    let samples = args.samples.or(origin.samples).unwrap_or_default();
    let shots = Shots { frames, camera, path, near: args.near, hash: args.hash, ..Shots::new(size, look) };
    let shots = Shots { capture, samples, ..shots };
    // After what costs nothing, because it may start another program.
    let target = Target::create(kind, &args.out, &shots, asked.settings.time_step, args.output.existing())?;
    distinct(&[("checkpoint", args.checkpoint.path())], &[("resume", args.origin.checkpoint())])?;
    let end = args.checkpoint.open(&asked.settings, args.output.existing())?;
    let mut stats = args.stats.open(&asked.settings, States::None, origin.first(), args.output.existing())?;
    let device = args.machine.open(capture.is_some())?;
    let drawn = draw(&device, (&asked, &origin), (target, stats.as_mut(), end), &shots, args.output.quiet);
    let line = stats::finish(drawn, stats)?;
    args.machine.check(&device)?;
    match kind {
        Kind::StandardOutput { .. } => {
            // Ignored: stderr may be closed.
            let _ = writeln!(std::io::stderr(), "{line}");
            Ok(())
        }
        Kind::File | Kind::Folder | Kind::Video(_) => print(&line),
    }
}

/// Draws the picture that replaces a window, into a new file.
pub fn picture(
    device: &Arc<Device>,
    (asked, origin): (&Request, &Origin),
    mut stats: Option<Stats>,
    shots: &Shots,
) -> Result<()> {
    let target = Target::File(OutputFile::create(Path::new("starlings.png"), Existing::Number)?);
    let drawn = draw(device, (asked, origin), (target, stats.as_mut(), None), shots, false);
    print(&stats::finish(drawn, stats)?)
}

/// What to draw.
pub struct Shots {
    /// Frames to run, one simulation step each. Without any, the flock is drawn as it is.
    pub frames: u32,
    /// Width and height in pixels.
    pub size: (u32, u32),
    pub samples: Samples,
    pub look: Look,
    /// The camera, if it is not the preset's.
    pub camera: Option<Camera>,
    /// The way that it goes instead, if it does.
    pub path: Option<CameraPath>,
    /// Whether the last frame views the flock from its edge.
    pub near: bool,
    /// Whether to print a digest of the state after the last frame.
    pub hash: bool,
    /// The frame that RenderDoc captures.
    pub capture: Option<u32>,
}

impl Shots {
    /// No frames of that size and look, by the preset's camera.
    pub fn new(size: (u32, u32), look: Look) -> Self {
        let samples = Samples::default();
        Shots { frames: 0, size, samples, look, camera: None, path: None, near: false, hash: false, capture: None }
    }
}

/// Draws the frames of `shots` and says what was drawn.
fn draw(
    device: &Arc<Device>,
    (asked, origin): (&Request, &Origin),
    (mut target, mut stats, end): (Target, Option<&mut Stats>, Option<OutputFile>),
    shots: &Shots,
    quiet: bool,
) -> Result<String> {
    let flight = origin.flight_to(asked);
    let (mut course, settings) = (flight.course(), flight.first());
    let Shots { frames, size: (width, height), samples, ref look, camera, ref path, near, hash, capture } = *shots;
    asked.check(device)?;
    let started = Instant::now();
    let drawn = samples.drawn(shots.size, device.info())?;
    let mut offscreen = Offscreen::with_look(device, settings, look.clone().fitted(settings), drawn.0, drawn.1)?;
    if let Target::Video(_) = target {
        offscreen.follow_colors();
    }
    if let Some(Checkpoint { state, step, .. }) = origin.checkpoint() {
        offscreen.resume(state, *step)?;
    }
    let (first, last) = (origin.first(), origin.last(frames, "frames")?);
    // As the picture remembers it.
    let mut camera = camera.unwrap_or_else(|| Camera::of(&asked.settings, aspect(shots.size))).settled();
    let mut captured = FrameCapture::new(Some(device), capture.map(|frame| first + frame));
    let end_of = |stats: &Option<&mut Stats>| stats.as_ref().map_or(u32::MAX, |stats| stats.end());
    let mut stop = end_of(&stats);
    // A picture that nobody sees is not drawn.
    let mut take = |offscreen: &mut Offscreen, camera, steps, seen| {
        let after = offscreen.flock().step() + steps;
        let sample = stats.as_deref_mut().filter(|stats| steps > 0 && stats.end() == after);
        offscreen.observe(sample.is_some().then_some(Observation::Order))?;
        let shot = Shot { camera, steps, options: RecordOptions::default() };
        let pixels = match seen {
            true => samples.mean(offscreen.draw(&shot)?.0, width),
            false => offscreen.advance(&shot).map(|()| Vec::new())?,
        };
        if let (Some(stats), Some(order)) = (sample, offscreen.order()) {
            stats.push(&order)?;
        }
        // The next sample is the state before the last step of a submission.
        Ok::<_, Error>((pixels, end_of(&stats)))
    };
    let progress = progress(frames.into(), "frames", quiet);
    let writer = Writer { flight: &flight, origin, shots };
    // What is due after `step` steps, before a picture of them.
    let mut go_on = |offscreen: &mut Offscreen, step: u32| {
        while let Some(settings) = course.due(step) {
            offscreen.go_on(settings, look.clone().fitted(settings))?;
        }
        Ok::<_, Error>(course.stop().unwrap_or(u32::MAX))
    };
    let mut change = go_on(&mut offscreen, first)?;
    let (mut done, mut pixels, mut unwritten) = (first, Vec::new(), Vec::new());
    let mut draw_all = || {
        while done < last {
            interrupt::check()?;
            let most = if matches!(target, Target::File(_)) { offscreen.steps_at_once() } else { 1 };
            let now = steps::next(done, last.min(stop).min(change), most, captured.frame());
            done += now;
            let time_step = f64::from(offscreen.flock().settings().time_step);
            let on_path = path.as_ref().and_then(|path| path.at(f64::from(done) * time_step));
            camera = on_path.map_or(camera, |camera| camera.settled());
            let seen = done == last || Some(done) == captured.frame() || !matches!(target, Target::File(_));
            let changes = done == change;
            (pixels, stop) = captured.draw(done, || take(&mut offscreen, camera, now, seen && !changes))?;
            if changes {
                change = go_on(&mut offscreen, done)?;
                if seen {
                    (pixels, stop) = take(&mut offscreen, camera, 0, true)?;
                }
            }
            match &mut target {
                Target::File(_) => {}
                Target::Folder(folder) => {
                    let pixels = std::mem::take(&mut pixels);
                    unwritten.push(Frame { step: done, pixels, camera, color_range: offscreen.scene().color_range() });
                    if unwritten.len() >= writer.together() {
                        writer.write_all(folder, &mut unwritten)?;
                    }
                }
                Target::Video(video) => video.push(&pixels)?,
            }
            progress.inc(now.into());
        }
        Ok::<_, Error>(())
    };
    let drawn_all = draw_all();
    // Also those that were drawn before an interrupt or an error.
    if let Target::Folder(folder) = &target {
        writer.write_all(folder, &mut unwritten)?;
    }
    drawn_all?;
    let state = if hash || near || end.is_some() { Some(offscreen.flock().state()?) } else { None };
    let settings = &offscreen.flock().settings().clone();
    let mut line = String::new();
    if let Some(state) = &state {
        if hash {
            line = format!("\n{last} {}", digest(settings, state));
        }
        if near {
            let vertical_fov = camera.vertical_fov;
            camera = Camera { vertical_fov, ..Camera::near(&state.position, look.boid_length) }.settled();
        }
    }
    if near || frames == 0 {
        (pixels, _) = take(&mut offscreen, camera, 0, true)?;
        if let Target::Video(video) = &mut target {
            video.push(&pixels)?;
        }
    }
    if let (Some(file), Some(state)) = (end, state) {
        let config = config::text(settings, look, &Viewpoint::of(&camera));
        LastCheckpoint { file, replayable: origin.is_of_settings(), config }.write(settings, state, last)?;
    }
    if stop == last.saturating_add(1) {
        take(&mut offscreen, camera, 1, false)?;
    }
    let what = match target {
        Target::File(file) => {
            let frame = Frame { step: last, pixels, camera, color_range: offscreen.scene().color_range() };
            format!("{}: frame {}", writer.write(file, &frame)?.display(), grouped(last.into()))
        }
        Target::Folder(folder) => {
            format!("{}: {} to {}", folder.path().display(), file_name(1), file_name(frames))
        }
        Target::Video(mut video) => {
            if origin.replayable() {
                video.remember(writer.config(&camera, last, true));
            }
            format!("{}: {}", video.finish(false)?.display(), counted(frames, "frame"))
        }
    };
    drop(progress);
    let answer = format!(
        "{what}, {width}x{height}, {} of {}, in {} on {}{line}",
        counted(settings.boids, "boid"),
        settings.preset,
        duration(started.elapsed()),
        device.info().name,
    );
    Ok(captured.tell(Some(answer)).unwrap_or_default())
}

/// The width of a picture of that size, divided by its height.
pub fn aspect((width, height): (u32, u32)) -> f32 {
    width as f32 / height as f32
}

/// The size of a picture in pixels. The most that is accepted depends on the device.
pub fn size(text: &str) -> Result<(u32, u32), Accepted> {
    size_up_to(u32::MAX, text).ok_or_else(|| Accepted("WIDTHxHEIGHT in pixels, like 1280x720, each at least 1".into()))
}

/// `WIDTHxHEIGHT`, each from 1 to `most`.
pub fn size_up_to(most: u32, text: &str) -> Option<(u32, u32)> {
    let pixels =
        |text| whole(text).and_then(|count| u32::try_from(count).ok()).filter(|count| (1..=most).contains(count));
    let (width, height) = text.split_once('x')?;
    Some((pixels(width)?, pixels(height)?))
}
