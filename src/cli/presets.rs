//! `starlings presets`: the list of presets, or one with all its settings.

use super::failure::Failure;
use super::flags::{Flag, keys};
use super::numbers::{grouped, short};
use super::output::{broken, print};
use super::viewpoint::Viewpoint;
use clap::Args;
use starlings::flock::settings::in_unit;
use starlings::flock::{PRESETS, Preset, Settings};
use starlings::render::Look;

/// Options of `starlings presets`.
#[derive(Args, Debug)]
pub struct PresetsArgs {
    /// Show this preset with all its settings [default: a list of all presets]
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Width of what is printed at most.
const COLUMNS: usize = 100;

/// Flags shown above the settings.
const ABOVE: &[&str] = &["preset", "engine", "search"];

pub fn run(args: &PresetsArgs) -> Result<(), Failure> {
    match &args.name {
        None => print(&list()),
        Some(name) => print(&page(Preset::named(name).map_err(|error| Failure::from(error).of_argument("NAME"))?)),
    }
}

/// What each preset is.
fn list() -> String {
    let row = |cells: [&str; 5]| {
        let [preset, boids, law, search, engine] = cells;
        format!("{preset:<15}{boids:>9}  {law:<15}{search:<16}{engine}")
    };
    let mut text = row(["PRESET", "BOIDS", "LAW", "SEARCH", "ENGINE"]);
    for preset in PRESETS {
        let boids = grouped(preset.boids.into());
        let Settings { search, engine, .. } = preset.settings();
        text += &format!("\n\n{}", row([preset.name, &boids, preset.law.name(), search.name(), engine.name()]));
        text += &indented(&format!("\n  {}", preset.about), 2);
        text += &indented(&format!("\n  After {}.", preset.law.info().origin), 2);
        text += &indented(&format!("\n  Constants: {}", preset.constants), 2);
    }
    text + "\n\n\
        starlings --preset NAME   runs one\n\
        starlings presets NAME    lists its settings\n\
        starlings config NAME     prints them as a config file"
}

/// One preset with all its settings.
fn page(preset: &Preset) -> String {
    let settings = preset.settings();
    let mut text = format!("{}: {}\nAfter {}.\n", preset.name, preset.about, preset.law.info().origin);
    text += &indented(&format!("\nLaw     {}: {}", settings.law, settings.law.info().sentence), 8);
    text += &indented(&format!("\nSearch  {}: {}", settings.search, settings.search.info().sentence), 8);
    text += &indented(&format!("\nEngine  {}: {}", settings.engine, settings.engine.about()), 8);
    text += &indented(&format!("\nValues  {}", preset.constants), 8);
    text.push('\n');
    let look = Look::of(&settings);
    for flag in keys().into_iter().filter(|flag| !ABOVE.contains(&&*flag.name)) {
        if let Some(value) = shown(flag, &settings, &look) {
            let unit = in_unit(flag.unit);
            text += &indented(&format!("\n--{:<20}{value:>8}  {}{unit}", flag.name, flag.about), 32);
        }
    }
    text
}

/// A setting's value for people.
fn shown(flag: &Flag, settings: &Settings, look: &Look) -> Option<String> {
    let value = flag.value(settings, look, &Viewpoint::default())?;
    Some(match flag.tunable {
        Some(tunable) => short((tunable.value)(settings)),
        // In the syntax of its flag.
        None => value.parse().map_or_else(|_| value.replace([' ', '"', '[', ']'], ""), grouped),
    })
}

/// `text` within [`COLUMNS`], indented from the second line on.
fn indented(text: &str, indent: usize) -> String {
    broken(text, indent, COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_listed_and_shown_within_a_terminal() {
        let list = list();
        for preset in PRESETS {
            let settings = preset.settings();
            let line = list.lines().find(|line| line.starts_with(&format!("{} ", preset.name)));
            let line = line.unwrap_or_else(|| panic!("{list}"));
            let page = page(preset);
            for name in [settings.law.name(), settings.search.name(), settings.engine.name()] {
                assert!(line.split_whitespace().skip(2).any(|word| word == name), "{name}: {line}");
                assert!(page.contains(&format!("  {name}: ")), "{name}: {page}");
            }
            for flag in keys().into_iter().filter(|flag| !ABOVE.contains(&&*flag.name)) {
                let said = page.contains(&format!("\n--{} ", flag.name));
                assert_eq!(
                    said,
                    flag.value(&settings, &Look::of(&settings), &Viewpoint::default()).is_some(),
                    "{}: {page}",
                    flag.name
                );
            }
            for line in list.lines().chain(page.lines()) {
                assert!(line.chars().count() <= COLUMNS && line.trim_end() == line, "{line}");
            }
        }
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let text = format!("--name   5  {}", "word ".repeat(25));
        let broken = indented(text.trim_end(), 12);
        assert_eq!(broken.lines().count(), 2);
        assert!(broken.lines().all(|line| line.len() <= COLUMNS), "{broken}");
        assert!(broken.starts_with("--name   5  word word") && broken.contains("word\n            word"), "{broken}");
    }
}
