//! `starlings render`: pictures without a window.

use super::asked::Asked;
use super::failure::Failure;
use super::look::DrawnArgs;
use super::machine::MachineArgs;
use super::numbers::{self, Accepted, counted, duration, grouped, whole};
use super::output::{OutputArgs, print};
use super::profiling::{self, CaptureArgs, Captured, TraceArgs};
use super::progress::progress;
use super::stats::{self, Stats, StatsArgs};
use super::{interrupt, steps};
use clap::Args;
use starlings::export::{self, Existing, OutputFile, OutputFolder, digest, write_png};
use starlings::flock::Observation;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::{Camera, Look};
use starlings::vk::{Device, RecordOptions};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Options of `starlings render`.
#[derive(Args, Debug)]
pub struct RenderArgs {
    /// A .png file for the last frame, a folder for every frame, or - for the last frame to standard output
    #[arg(long, value_name = "FILE.png|FOLDER|-", default_value = "starlings.png", help_heading = "Output")]
    out: PathBuf,
    /// Frames to run, one simulation step each
    #[arg(long, value_name = "COUNT", default_value = "300", allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    frames: u32,
    /// Size of the picture, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", allow_hyphen_values = true, value_parser = size)]
    size: (u32, u32),
    /// View the flock from its edge instead of from afar; for a single picture
    #[arg(long, conflicts_with_all = ["eye", "look-at"])]
    near: bool,
    /// Print a digest of the state after the last frame: the line of `simulate --hash` for that step
    #[arg(long, help_heading = "Output")]
    hash: bool,
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

/// Where frames go.
enum Target {
    /// The last one into this file.
    File(OutputFile),
    /// All of them into this folder.
    Folder(OutputFolder),
}

pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let (asked, look) = args.drawn.wanted()?;
    profiling::check(args.capture.capture, args.frames, "--frames")?;
    interrupt::install();
    let kind = Kind::of(&args.out)?;
    if args.near && kind == Kind::Folder {
        let accepted = "a single picture: --out with a name that ends in .png";
        return Err(Failure::flag("near", "given with a folder", accepted));
    }
    let target = Target::create(kind, &args.out, args.frames, args.output.existing())?;
    let mut stats = args.stats.open(&asked.settings, args.output.existing())?;
    let capture = args.capture.capture;
    let device = args.machine.open_with(capture.is_some())?;
    let camera = asked.camera(&args.drawn.camera, aspect(args.size))?;
    let shots = Shots { frames: args.frames, size: args.size, look, camera, near: args.near, hash: args.hash, capture };
    let drawn = draw(&device, &asked, (target, stats.as_mut()), &shots, args.output.quiet);
    let line = stats::finish(drawn, stats)?;
    args.machine.check(&device)?;
    match kind {
        Kind::StandardOutput => {
            // Ignored: stderr may be closed.
            let _ = writeln!(std::io::stderr(), "{line}");
            Ok(())
        }
        Kind::File | Kind::Folder => print(&line),
    }
}

/// Draws the picture that replaces a window, into a new file.
pub fn picture(device: &Arc<Device>, asked: &Asked, mut stats: Option<Stats>, shots: &Shots) -> Result<(), Failure> {
    let target = Target::File(OutputFile::create(Path::new("starlings.png"), Existing::Number)?);
    let drawn = draw(device, asked, (target, stats.as_mut()), shots, false);
    print(&stats::finish(drawn, stats)?)
}

/// What to draw.
pub struct Shots {
    /// Frames to run, one simulation step each.
    pub frames: u32,
    /// Width and height in pixels.
    pub size: (u32, u32),
    /// The look of the flock.
    pub look: Look,
    /// The camera, if it is not the preset's.
    pub camera: Option<Camera>,
    /// Whether the last frame views the flock from its edge.
    pub near: bool,
    /// Whether to print a digest of the state after the last frame.
    pub hash: bool,
    /// The frame that RenderDoc captures.
    pub capture: Option<u32>,
}

/// Draws the frames of `shots` and says what was drawn.
fn draw(
    device: &Arc<Device>,
    asked: &Asked,
    (target, mut stats): (Target, Option<&mut Stats>),
    shots: &Shots,
    quiet: bool,
) -> Result<String, Failure> {
    let settings = &asked.settings;
    let Shots { frames, size: (width, height), look, camera, near, hash, capture } = *shots;
    asked.check(device)?;
    let started = Instant::now();
    let comment = serde_json::Value::Object(export::parameters(settings)).to_string();
    let mut offscreen = Offscreen::with_look(device, settings, look, width, height)?;
    let camera = camera.unwrap_or_else(|| Camera::of(settings, aspect(shots.size)));
    let mut captured = Captured::new(device, capture);
    let first_stop = stats.as_ref().map_or(u32::MAX, |stats| stats.end());
    // A picture that nobody sees is not drawn.
    let mut take = |offscreen: &mut Offscreen, camera, steps, seen| {
        let after = offscreen.flock().step() + steps;
        let sample = stats.as_deref_mut().filter(|stats| steps > 0 && stats.end() == after);
        offscreen.observe(sample.is_some().then_some(Observation::Order))?;
        let shot = Shot { camera, steps, options: RecordOptions::default() };
        let pixels = match seen {
            true => offscreen.draw(&shot)?.0,
            false => offscreen.advance(&shot).map(|()| Vec::new())?,
        };
        if let (Some(stats), Some(order)) = (sample, offscreen.order()) {
            stats.push(&order)?;
        }
        // The next sample is the state before the last step of a submission.
        Ok::<_, Failure>((pixels, stats.as_ref().map_or(u32::MAX, |stats| stats.end())))
    };
    let progress = progress(frames.into(), "frames", quiet);
    let write = |mut file: OutputFile, pixels: &[u8]| -> Result<PathBuf, Failure> {
        write_png(&mut file, (width, height), pixels, &comment)?;
        Ok(file.commit()?.path)
    };
    let (mut done, mut stop, mut pixels) = (0, first_stop, Vec::new());
    while done < frames {
        interrupt::check()?;
        let most = if matches!(target, Target::File(_)) { offscreen.steps_at_once() } else { 1 };
        let now = steps::next(done, frames.min(stop), most, captured.frame());
        done += now;
        let seen = done == frames || Some(done) == captured.frame() || matches!(target, Target::Folder(_));
        (pixels, stop) = captured.draw(done, || take(&mut offscreen, camera, now, seen))?;
        if let Target::Folder(folder) = &target {
            write(folder.file(&file_name(done))?, &pixels)?;
        }
        progress.inc(now.into());
    }
    let line =
        if hash { format!("\n{frames} {}", digest(settings, &offscreen.flock().state()?)) } else { String::new() };
    if near {
        let nearest = Camera::near(&offscreen.flock().state()?.position, look.boid_length);
        let camera = Camera { vertical_fov: camera.vertical_fov, ..nearest };
        (pixels, _) = take(&mut offscreen, camera, 0, true)?;
    }
    if stop == frames + 1 {
        take(&mut offscreen, camera, 1, false)?;
    }
    let what = match target {
        Target::File(file) => format!("{}: frame {}", write(file, &pixels)?.display(), grouped(frames.into())),
        Target::Folder(folder) => {
            format!("{}: {} to {}", folder.path().display(), file_name(1), file_name(frames))
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

/// What `--out` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    StandardOutput,
    File,
    Folder,
}

impl Kind {
    fn of(path: &Path) -> Result<Kind, Failure> {
        let refused = |accepted| Failure::flag("out", format!("'{}'", path.display()), accepted);
        if path == Path::new("-") {
            return match std::io::stdout().is_terminal() {
                true => Err(refused("a file ending in .png or a folder: standard output is a terminal")),
                false => Ok(Kind::StandardOutput),
            };
        }
        let last = path.as_os_str().as_encoded_bytes().last();
        if last.is_some_and(|&byte| std::path::is_separator(byte.into())) {
            return Ok(Kind::Folder);
        }
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(Kind::File),
            Some(_) if !path.is_dir() => {
                Err(refused("a file ending in .png or a folder, with / at its end if there is a dot in its name"))
            }
            _ => Ok(Kind::Folder),
        }
    }
}

impl Target {
    fn create(kind: Kind, path: &Path, frames: u32, existing: Existing) -> Result<Self, Failure> {
        Ok(match kind {
            Kind::StandardOutput => Target::File(OutputFile::standard_output()?),
            Kind::File => Target::File(OutputFile::create(path, existing)?),
            Kind::Folder => {
                let is_ours = |name: &str| frame_of(name).is_some_and(|frame| (1..=frames).contains(&frame));
                Target::Folder(OutputFolder::create(path, is_ours, existing)?)
            }
        })
    }
}

/// The frame whose [`file_name`] is `name`.
fn frame_of(name: &str) -> Option<u32> {
    let frame = name.strip_prefix("frame_")?.strip_suffix(".png")?.parse().ok()?;
    (file_name(frame) == name).then_some(frame)
}

fn file_name(frame: u32) -> String {
    format!("frame_{frame:06}.png")
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
