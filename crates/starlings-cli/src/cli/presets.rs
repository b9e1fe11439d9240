//! `starlings presets`: the list of presets.

use super::numbers::grouped;
use super::output::{broken, print};
use crate::Result;
use starlings::flock::{PRESETS, Settings};

/// Width of what is printed at most.
const COLUMNS: usize = 100;

/// Prints the list.
pub fn run() -> Result<()> {
    print(&list())
}

fn list() -> String {
    let row = |cells: [&str; 5]| {
        let [preset, boids, law, search, engine] = cells;
        format!("{preset:<15}{boids:>9}  {law:<15}{search:<16}{engine}")
    };
    let mut text = row(["PRESET", "BOIDS", "LAW", "SEARCH", "ENGINE"]);
    for preset in PRESETS {
        let Settings { boids, law, search, engine, .. } = preset.settings();
        let boids = grouped(boids.into());
        text += &format!("\n\n{}", row([preset.name, &boids, law.name(), search.name(), engine.name()]));
        text += &indented(&format!("\n  {}. {}", preset.title, preset.about), 2);
        text += &indented(&format!("\n  After {}.", law.info().origin), 2);
        text += &indented(&format!("\n  Constants: {}", preset.constants), 2);
    }
    text + "\n\n\
        starlings --preset NAME   runs one\n\
        starlings config NAME     prints all its settings, as a config file"
}

/// `text` within [`COLUMNS`], indented from the second line on.
fn indented(text: &str, indent: usize) -> String {
    broken(text, indent, COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_listed_within_a_terminal() {
        let list = list();
        for preset in PRESETS {
            let settings = preset.settings();
            let line = list.lines().find(|line| line.starts_with(&format!("{} ", preset.name)));
            let line = line.unwrap_or_else(|| panic!("{list}"));
            for name in [settings.law.name(), settings.search.name(), settings.engine.name()] {
                assert!(line.split_whitespace().skip(2).any(|word| word == name), "{name}: {line}");
            }
            for line in list.lines() {
                assert!(line.chars().count() <= COLUMNS && line.trim_end() == line, "{line}");
            }
        }
    }
}
