//! `starlings view`: the window, or a picture where there is no display.

use super::documents::{ProgramDocuments, WINDOW};
use super::look::DrawnArgs;
use super::machine::MachineArgs;
use super::numbers::{self, Accepted};
use super::origin::OriginArgs;
use super::output::{create, distinct, existing, print};
use super::profiling::{self, TraceArgs};
use super::render::{self, Shots};
use super::stats::{self, StatsArgs};
use crate::camera_path::CameraPath;
use crate::error::printable;
use crate::export::OutputFile;
use crate::interrupt;
use crate::viewer::{self, ViewerOptions, ViewerReport};
use crate::{Error, Result};
use clap::Args;
use starlings::flock::States;
use starlings::vk::{Fault, Spread};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Default frame of the picture, by preset: the flock has formed by then, as its order parameters and pictures of it
/// show (docs/systems.md). A software driver takes a minute at most for each of these on two cores. Particles that only
/// bounce form nothing.
const PICTURE_FRAMES: &[(&str, u32)] = &[
    ("counting-sort", 240),
    ("three-radius", 480),
    ("cursor", 420),
    ("reynolds", 360),
    ("bitonic", 120),
    ("vicsek", 600),
    ("couzin", 1_000),
];

/// Frames of `--benchmark`, unless their count is given.
const TIMED_FRAMES: u32 = 600;

/// Steps before the first frame at most: so that the steps after it can be counted, too.
const MOST_STEPS: u32 = 1_000_000_000;

/// Options of `starlings view`.
#[derive(Args, Debug)]
pub struct ViewArgs {
    /// Size of the window at the start, in points: pixels on a display that does not scale [default: as the last window
    /// had that was opened without this, else 1280x720]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true, value_parser = size)]
    size: Option<(u32, u32)>,
    /// Fill the screen from the start
    #[arg(long)]
    fullscreen: bool,
    /// Lead the camera along the key poses in this file, from the start of the flock on, until it is moved by hand; K
    /// in the window sets some, and its section of the camera saves them [default: none]
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["eye", "look-at", "fov", "kiosk", "benchmark"])]
    camera: Option<PathBuf>,
    /// Fill the screen, without controls, with a camera that goes around by itself where nobody has moved it for a
    /// minute; any key ends it
    #[arg(long, conflicts_with_all = ["headless", "benchmark"])]
    kiosk: bool,
    /// Draw all frames of a window without a window or a display, until --frames or a signal ends it
    #[arg(long, conflicts_with = "fullscreen")]
    headless: bool,
    /// Time each frame, one step a frame from a fixed camera, as fast as frames come and without controls, and print
    /// what the times come to; with FILE.csv, write them to it [default count of frames: 600, after 30 that are not
    /// timed]
    #[arg(long, value_name = "FILE.csv", num_args = 0..=1)]
    benchmark: Option<Option<PathBuf>>,
    /// Do not wait for the display between frames
    #[arg(long)]
    no_vsync: bool,
    /// Never draw a coarser picture or fewer boids to keep 20 frames a second
    #[arg(long)]
    full_quality: bool,
    /// Steps to take before the first frame, without drawing [default: 0, or those of the picture given by --from]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(0, MOST_STEPS))]
    start_step: Option<u32>,
    /// Close the window after this many frames; without a display, draw the last of them [default: no limit; as many as
    /// the preset's flock takes to form, at most 480]
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true, value_parser = numbers::count(1, u32::MAX))]
    frames: Option<u32>,
    /// Leave out the dependency of this name: for tests, under validation
    #[arg(long, value_name = "NAME", hide = true)]
    omit: Option<String>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    drawn: DrawnArgs,
    /// Load RenderDoc and capture this frame; without FRAME, capture only when F10 is pressed
    #[arg(long, value_name = "FRAME", num_args = 0..=1, conflicts_with = "validation", default_missing_value = "0")]
    #[arg(value_parser = numbers::count(0, u32::MAX), help_heading = "Profiling")]
    capture: Option<u32>,
    #[command(flatten)]
    stats: StatsArgs,
    #[command(flatten)]
    pub trace: TraceArgs,
    /// Replace existing files of the trace, the order parameters and the benchmark
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

impl ViewArgs {
    /// Whether this is a window like the last one, and the next like this: its size is not said, and its frames are not
    /// counted.
    fn remembers(&self) -> bool {
        self.size.is_none() && !self.fullscreen && !self.kiosk && self.frames.is_none() && self.benchmark.is_none()
    }
}

pub fn run(args: &ViewArgs) -> Result<()> {
    let mut origin = args.origin.open(&args.drawn.flock)?;
    let (asked, look) = origin.drawn(&args.drawn)?;
    let start_step = args.start_step.or(origin.step).unwrap_or(0).max(origin.first());
    if start_step > MOST_STEPS {
        return Err(Error::flag("start-step", start_step, format!("a whole number from 0 to {MOST_STEPS}")));
    }
    if asked.is_impossible() {
        asked.check(&*args.machine.open(false)?)?;
    }
    // Zero stands for a FRAME that was not given.
    let capture = args.capture.filter(|&frame| frame > 0);
    profiling::check(capture, args.frames.unwrap_or(u32::MAX), "--frames")?;
    let size = args.size.unwrap_or(WINDOW);
    let camera = asked.camera(&args.drawn.camera, render::aspect(size))?;
    let path = args.camera.as_deref().map(CameraPath::read).transpose()?;
    interrupt::install();
    let table = args.benchmark.as_ref().and_then(Option::as_deref);
    distinct(&[("benchmark", table), ("trace", args.trace.path()), ("stats", args.stats.path())], &[])?;
    let timed = args.benchmark.is_some();
    // Before the window opens, to report an unwritable file.
    let table = table.map(|path| create(path, "benchmark", "csv", existing(args.force))).transpose()?;
    let stats = args.stats.open(&asked.settings, States::None, origin.first(), existing(args.force))?;
    let now = origin.flight.as_ref().map_or(asked.settings.clone(), |flight| flight.up_to(start_step).last().clone());
    let options = ViewerOptions {
        look: look.clone().fitted(&now),
        camera,
        path: path.clone(),
        kiosk: args.kiosk,
        start_step,
        flight: origin.flight.clone(),
        resume: origin.checkpoint().cloned().map(Arc::new),
        documents: Some(Arc::new(ProgramDocuments)),
        stats_every: args.stats.every(),
        gpu: args.machine.device.gpu.clone(),
        validation: args.machine.validation(),
        watch: args.machine.watch(),
        width: size.0,
        height: size.1,
        remembered: if args.remembers() { viewer::state_file() } else { None },
        fullscreen: args.fullscreen || args.kiosk,
        headless: args.headless,
        benchmark: timed,
        full_quality: args.full_quality || timed,
        count_is_given: timed
            || args.drawn.flock.values.has("boids")
            || asked.has_file()
            || origin.checkpoint().is_some()
            || origin.step.is_some()
            || asked.settings.weights.is_some()
            || asked.settings.speeds.is_some(),
        vsync: !args.no_vsync && !timed,
        exit_after: args.frames.or(timed.then_some(TIMED_FRAMES)).map(u64::from),
        faults: args.omit.iter().cloned().map(Fault::Omit).collect(),
        renderdoc: args.capture.is_some(),
        capture: capture.map(u64::from),
        stop: interrupt::token().clone(),
        ..ViewerOptions::new(now)
    };
    let reason = match viewer::run(options) {
        Err(Error::NoDisplay(reason)) if !timed => reason,
        Err(error) => return Err(error),
        Ok(report) => {
            tracing::info!(
                "{} frames, {} steps, {} swapchains on {}",
                report.frames,
                report.steps,
                report.swapchains,
                report.device
            );
            tracing::info!("input: shown after {} frames at most", report.input_delay);
            tracing::info!("controls: laid out anew for {} frames", report.layouts);
            if let (Some(frame), []) = (capture, &report.captures[..]) {
                tracing::warn!("the window was closed before frame {frame}: nothing was captured");
            }
            let mut stats = stats;
            if let Some(stats) = &mut stats {
                report.order.iter().try_for_each(|order| stats.push(order))?;
            }
            if timed {
                tell_times(table, &report)?;
            }
            return stats::finish(interrupt::check(), stats);
        }
    };
    // To stderr: stdout has only the result, which names the picture.
    let _ = writeln!(
        std::io::stderr(),
        "starlings: no display: {}; drawing a picture instead (`starlings render --frames 600 --out FILE.png` draws \
            others, `starlings doctor` says what this machine has)",
        printable(&reason)
    );
    let device = args.machine.open(args.capture.is_some())?;
    // The steps before the first frame of a window are frames here.
    let to_form = || frames_to_form(asked.settings.preset);
    let after = args.frames.unwrap_or_else(|| origin.step.map_or_else(to_form, |step| step.saturating_sub(start_step)));
    let frames = (start_step - origin.first()).saturating_add(after);
    let samples = origin.samples.unwrap_or_default();
    let shots = Shots { frames, camera, path, capture, samples, ..Shots::new(size, look) };
    render::picture(&device, (&asked, &origin), stats, &shots)?;
    args.machine.check(&device)
}

/// Prints what the times of frames come to, and writes a row for each to `table`, if there is one.
fn tell_times(table: Option<OutputFile>, report: &ViewerReport) -> Result<()> {
    let times = &report.frame_times;
    if let Some(file) = table {
        let rows = times.iter().zip(1..).map(|(ms, frame)| format!("{frame},{ms:.3}\n"));
        let text: String = std::iter::once("frame,ms\n".to_owned()).chain(rows).collect();
        file.fill(|file| file.write_all(text.as_bytes()))?;
    }
    let Spread { median, p99, .. } = Spread::of(times);
    let (count, seconds) = (times.len(), times.iter().sum::<f64>() / 1e3);
    let rate = if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
    print(&format!(
        "{count} frames on {}: median {median:.3} ms, 99th percentile {p99:.3} ms, {rate:.1} frames a second",
        report.device
    ))
}

/// The default frame of the picture of a preset's flock.
fn frames_to_form(preset: &str) -> u32 {
    PICTURE_FRAMES.iter().find(|(name, _)| *name == preset).map_or(120, |(_, frames)| *frames)
}

/// Edge of a window at most, in points: some window systems count pixels in 16 bits, and displays scale by up to 4.
const MOST_POINTS: u32 = 8192;

fn size(text: &str) -> Result<(u32, u32), Accepted> {
    let accepted = || Accepted(format!("WIDTHxHEIGHT in points, like 1280x720, each from 1 to {MOST_POINTS}"));
    render::size_up_to(MOST_POINTS, text).ok_or_else(accepted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::PRESETS;

    #[test]
    fn every_preset_has_its_picture() {
        for preset in PRESETS {
            assert!(PICTURE_FRAMES.iter().any(|(name, _)| *name == preset.name), "{}", preset.name);
        }
    }
}
