//! `starlings sync cost`: what each dependency costs on this machine's device, and what it would cost recorded
//! otherwise.

use crate::bench::barriers::{Part, Price, Prices, STEPS, Way, measure};
use crate::cli::flock::FlockArgs;
use crate::cli::machine::GpuArg;
use crate::cli::numbers::{self, counted};
use crate::cli::output::{print, progress};
use crate::cli::render::size;
use crate::interrupt;
use crate::{Error, Result};
use clap::Args;
use serde_json::{Value, json};
use starlings::flock::Settings;
use starlings::vk::{Device, DeviceOptions, Validation};
use std::fmt::Write as _;
use std::time::Duration;

/// Options of `starlings sync cost`.
#[derive(Args, Debug)]
#[command(after_help = "\
A submission of steps, or of a step and a picture, is timed as a whole on the device, in turn as it is and with one \
dependency recorded otherwise: `wide` is from ALL_COMMANDS with MEMORY_READ and MEMORY_WRITE to the same; `event` is \
an event that is set and waited for in its place; `merged` is one barrier with the dependency beside it; `left out` \
is timed only where the checker finds that others do its work in such frames. All give the same results.

Printed is the median of the differences to the submission as it is, in microseconds of a step or of a frame, and the \
range in which it lies with a probability of 95 %: a range with 0 in it shows no price.")]
pub struct CostArgs {
    /// Seconds to measure, about
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    #[arg(allow_hyphen_values = true, value_parser = numbers::count(1, 3_600_u32))]
    seconds: u32,
    /// Size of the pictures, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720")]
    #[arg(allow_hyphen_values = true, value_parser = size)]
    size: (u32, u32),
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// No progress bar
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    gpu: GpuArg,
}

pub fn run(args: &CostArgs) -> Result<()> {
    let asked = args.flock.measured(args.flock.settings()?);
    if asked.settings.engine.is_cpu() {
        return Err(Error::flag(
            "engine",
            asked.settings.engine,
            "gpu: only steps on the GPU have dependencies to time",
        ));
    }
    interrupt::install();
    let device = args.gpu.open(Validation::Off, false, DeviceOptions::default())?;
    asked.check(&device)?;
    let progress = progress(1_000, "thousandths", args.quiet);
    let budget = Duration::from_secs(args.seconds.into());
    let prices = measure(&device, &asked.settings, args.size, budget, |share| {
        progress.set_position((1_000.0 * share) as u64);
        interrupt::check()
    })?;
    progress.finish_and_clear();
    print(&match args.json {
        true => json(&prices, &asked.settings, &device).to_string(),
        false => page(&prices, &asked.settings, &device, args.size),
    })
}

fn page(prices: &Prices, settings: &Settings, device: &Device, (width, height): (u32, u32)) -> String {
    let info = device.info();
    let mut text =
        format!("{} of {}\n{}, {}\n", counted(settings.boids, "boid"), settings.preset, info.name, info.driver);
    let parts = [
        (Part::Step, format!("steps, {STEPS} in a submission")),
        (Part::Frame, format!("frames of a step and a picture of {width}x{height}")),
    ];
    for ((part, what), base) in parts.into_iter().zip(prices.base_us) {
        let of: Vec<&Price> = prices.prices.iter().filter(|price| price.part == part).collect();
        let fewest = of.iter().map(|price| price.samples).min().unwrap_or(0);
        let _ = writeln!(text, "\n{what}: {base:.1} us each as it is; differences in us, {fewest} or more of each\n");
        text.push_str("| dependency | wide | event | merged | left out |\n|---|--:|--:|--:|--:|\n");
        let mut names: Vec<&str> = of.iter().map(|price| price.name).collect();
        names.dedup();
        for name in names {
            let cell = |fits: fn(&Way) -> bool| {
                let price = of.iter().find(|price| price.name == name && fits(&price.way));
                price.map(|price| {
                    let (low, high) = price.between_us;
                    format!("{:+.2} [{low:+.2}, {high:+.2}]", price.median_us)
                })
            };
            let cells = [
                cell(|way| *way == Way::Wide),
                cell(|way| *way == Way::Event),
                cell(|way| matches!(way, Way::Merged(_))),
                cell(|way| *way == Way::LeftOut),
            ];
            let cells = cells.map(|cell| cell.unwrap_or_else(|| "–".to_owned()));
            let _ = writeln!(text, "| `{name}` | {} |", cells.join(" | "));
        }
    }
    text.trim_end().to_owned()
}

fn json(prices: &Prices, settings: &Settings, device: &Device) -> Value {
    let price = |price: &Price| {
        let (way, with) = match price.way {
            Way::Wide => ("wide", None),
            Way::Event => ("event", None),
            Way::Merged(with) => ("merged", Some(with)),
            Way::LeftOut => ("left out", None),
        };
        json!({
            "dependency": price.name,
            "part": if price.part == Part::Step { "step" } else { "frame" },
            "way": way,
            "with": with,
            "median_us": price.median_us,
            "between_us": [price.between_us.0, price.between_us.1],
            "samples": price.samples,
        })
    };
    json!({
        "device": device.info().name,
        "driver": device.info().driver,
        "preset": settings.preset,
        "boids": settings.boids,
        "step_us": prices.base_us[0],
        "frame_us": prices.base_us[1],
        "prices": prices.prices.iter().map(price).collect::<Vec<_>>(),
    })
}
