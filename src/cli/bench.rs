//! `starlings bench`: GPU time of every pass.

use super::failure::Failure;
use super::flock::{FlockArgs, boids};
use super::machine::MachineArgs;
use super::numbers::{self, counted};
use super::output::print;
use super::progress::Progress;
use super::render::size;
use clap::Args;
use serde_json::{Value, json};
use starlings::Error;
use starlings::export;
use starlings::flock::Settings;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::Camera;
use starlings::simulation::Simulation;
use starlings::vk::{Device, PassStatistics, RecordOptions};
use std::sync::Arc;

/// Samples that are kept for each pass.
const MOST_REPEATS: u32 = 4096;

/// Options of `starlings bench`.
#[derive(Args, Debug)]
#[command(after_help = "\
Times are taken on the GPU, around each pass. `frame` is the time from the first pass to the last, `unnamed` the part \
of it that is in no pass.")]
pub struct BenchArgs {
    /// Boids in the flock: one count, or several separated by commas [default: the preset's]
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',', help_heading = "Flock", allow_hyphen_values = true, value_parser = boids)]
    boids: Vec<u64>,
    /// Steps before the timing starts
    #[arg(long, value_name = "COUNT", default_value = "20", allow_hyphen_values = true, value_parser = numbers::count(0, u32::MAX))]
    warm_up: u32,
    /// Steps that are timed
    #[arg(long, value_name = "COUNT", default_value = "100", allow_hyphen_values = true, value_parser = numbers::count(1, MOST_REPEATS))]
    repeats: u32,
    /// Also draw each step, into a picture of this size in pixels [default: nothing is drawn]
    #[arg(long, value_name = "WIDTHxHEIGHT", allow_hyphen_values = true, value_parser = size)]
    draw: Option<(u32, u32)>,
    /// Print JSON, one object for each count of boids
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let counts: Vec<Option<u64>> =
        if args.boids.is_empty() { vec![None] } else { args.boids.iter().copied().map(Some).collect() };
    let asked = counts.into_iter().map(|count| args.flock.settings(count)).collect::<Result<Vec<_>, _>>()?;
    let device = args.machine.open()?;
    for flock in &asked {
        flock.check(&device)?;
    }
    let mut objects = Vec::new();
    for (index, flock) in asked.iter().enumerate() {
        let passes = measure(args, &device, &flock.settings)?;
        if args.json {
            objects.push(object(args, &device, &flock.settings, &passes));
        } else {
            let gap = if index == 0 { "" } else { "\n" };
            print(&format!("{gap}{}", table(args, &device, &flock.settings, &passes)))?;
        }
    }
    if args.json {
        print(&Value::from(objects).to_string())?;
    }
    args.machine.check(&device)
}

fn measure(args: &BenchArgs, device: &Arc<Device>, settings: &Settings) -> Result<Vec<PassStatistics>, Failure> {
    let progress = Progress::new(u64::from(args.warm_up) + u64::from(args.repeats), "steps", args.quiet);
    let passes = match args.draw {
        None => {
            // One step a submission: the time between two steps is part of what a frame sees.
            let mut simulation = Simulation::new(device, settings)?.with_steps_per_submission(1);
            for count in [args.warm_up, args.repeats] {
                simulation.clear_timings();
                for _ in 0..count {
                    simulation.advance(1)?;
                    progress.add(1);
                }
                simulation.wait()?;
            }
            simulation.timings().statistics()
        }
        Some((width, height)) => {
            let mut offscreen = Offscreen::new(device, settings, width, height)?;
            let camera = Camera::fit(&settings.world, width as f32 / height as f32);
            for count in [args.warm_up, args.repeats] {
                offscreen.clear_timings();
                for _ in 0..count {
                    offscreen.draw(&Shot { camera, steps: 1, options: RecordOptions::default() })?;
                    progress.add(1);
                }
            }
            offscreen.timings().statistics()
        }
    };
    if passes.is_empty() {
        return Err(Error::NoDevice(format!("{} cannot take the time on its queue", device.info().name)).into());
    }
    Ok(passes)
}

/// Boids moved by one step in a second, at the median.
fn rate(settings: &Settings, passes: &[PassStatistics]) -> f64 {
    let frame = passes.iter().find(|pass| pass.name == "frame").map_or(f64::NAN, |pass| pass.median_ms);
    f64::from(settings.boids) / (frame * 1e-3)
}

fn table(args: &BenchArgs, device: &Device, settings: &Settings, passes: &[PassStatistics]) -> String {
    let drawn = args.draw.map_or(String::new(), |(width, height)| format!(", drawn at {width}x{height},"));
    let mut text = format!(
        "{} of {}{drawn} on {}, {} after {} of warm-up\n\n{:<16}{:>12}{:>12}\n",
        counted(settings.boids, "boid"),
        settings.preset,
        device.info().name,
        counted(args.repeats, "step"),
        args.warm_up,
        "pass",
        "median ms",
        "p99 ms"
    );
    for pass in passes {
        text += &format!("{:<16}{:>12.3}{:>12.3}\n", pass.name, pass.median_ms, pass.p99_ms);
    }
    text + &format!("\n{:.1} million boid-steps a second", rate(settings, passes) / 1e6)
}

fn object(args: &BenchArgs, device: &Device, settings: &Settings, passes: &[PassStatistics]) -> Value {
    let info = device.info();
    let list: Vec<Value> = passes
        .iter()
        .map(|pass| {
            json!({"name": pass.name, "samples": pass.samples, "median_ms": pass.median_ms, "p99_ms": pass.p99_ms})
        })
        .collect();
    json!({
        "device": info.name,
        "driver": info.driver,
        "boids": settings.boids,
        "warm_up": args.warm_up,
        "repeats": args.repeats,
        "draw": args.draw.map(|(width, height)| json!([width, height])),
        "boid_steps_per_second": rate(settings, passes),
        "passes": list,
        "parameters": export::parameters(settings),
    })
}
