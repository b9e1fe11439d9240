//! `starlings presets`: every preset with every setting.

use super::failure::Failure;
use super::flock::is_read;
use super::numbers::{grouped, short};
use super::output::print;
use starlings::flock::settings::TUNABLES;
use starlings::flock::{PRESETS, Settings};

/// Runs the command.
pub fn run() -> Result<(), Failure> {
    let mut lines: Vec<String> = PRESETS
        .iter()
        .map(|preset| format!("{:<15} {}\n{:15} After {}.", preset.name, preset.about, "", preset.origin))
        .collect();
    lines.push(String::new());
    let all: Vec<Settings> = PRESETS.iter().map(|preset| preset.settings()).collect();
    lines.push(row("", PRESETS.iter().map(|preset| preset.name.to_owned()), ""));
    lines.push(row("--boids", all.iter().map(|s| grouped(s.boids.into())), ""));
    lines.push(row("--density", all.iter().map(|s| short(s.density())), "boids per cubic world unit"));
    lines.push(row("--world-size", all.iter().map(|s| short(2.0 * s.world.half_size.x)), "world units"));
    lines.push(row("--targets", all.iter().map(|s| cell(s, "--targets", s.targets.to_string())), ""));
    for tunable in TUNABLES {
        let values = all.iter().map(|s| cell(s, tunable.name, short((tunable.value)(s))));
        lines.push(row(tunable.name, values, tunable.unit));
    }
    print(&lines.join("\n"))
}

/// A dash stands for a setting that the preset's law does not read.
fn cell(settings: &Settings, name: &str, value: String) -> String {
    if is_read(settings, name) { value } else { "-".into() }
}

fn row(name: &str, values: impl Iterator<Item = String>, unit: &str) -> String {
    let values: String = values.map(|value| format!("{value:>14}")).collect();
    format!("{name:<20}{values}  {unit}").trim_end().to_owned()
}
