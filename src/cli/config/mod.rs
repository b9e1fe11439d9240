//! Config files: what they hold ([`keys`]), how they are read ([`file`]), and `starlings config`, which prints one.

mod file;
pub mod keys;

pub use file::ConfigFile;

use super::failure::Failure;
use super::flock::{BoidsArg, FlockArgs};
use super::output::print;
use clap::Args;
use starlings::Error;
use starlings::flock::{PRESETS, Preset, Settings};

/// Options of `starlings config`.
#[derive(Args, Debug)]
#[command(after_help = "\
The file holds everything that describes the flock, with meanings, units and accepted values as comments. Options \
change what is printed: `starlings config reynolds --boids 5000 > mine.toml`, then `starlings --config mine.toml`.")]
pub struct ConfigArgs {
    #[arg(value_name = "PRESET", help = format!("Preset to print [default: {}]", PRESETS[0].name), conflicts_with = "preset")]
    name: Option<String>,
    #[command(flatten)]
    boids: BoidsArg,
    #[command(flatten)]
    flock: FlockArgs,
}

/// Runs the command.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        Preset::named(name).map_err(|error| renamed(error, "PRESET"))?;
    }
    let asked = args.flock.settings_of(args.name.as_deref(), args.boids.boids)?;
    asked.check_count()?;
    print(text(&asked.settings).trim_end())
}

/// A setting's error under another name: a preset that is an argument, and no flag.
pub fn renamed(error: Error, name: &str) -> Error {
    match error {
        Error::Setting { value, accepted, .. } => Error::Setting { name: name.into(), value, accepted },
        other => other,
    }
}

/// A config file that leads to `settings`.
pub fn text(settings: &Settings) -> String {
    let mut text = format!(
        "# starlings {}: a config file. Each key is a flag without its dashes; a flag goes before its key.\n",
        env!("CARGO_PKG_VERSION")
    );
    for key in keys::keys() {
        if let Some(value) = key.value(settings) {
            text += &format!("\n# {}.\n# Accepted: {}\n{} = {value}\n", key.about(), key.accepted(), key.name());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, FromArgMatches};
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Flags that stand under a heading of the flock's and are no keys: what a file is named by, and a picture's.
    const NO_KEYS: &[&str] = &["config"];

    /// Headings under which the help lists what describes a flock.
    const HEADINGS: &[&str] = &["Flock", "Rules"];

    /// What the command line `line`, without the program's name and the command, leads to.
    fn settings(line: &str) -> Result<Settings, Failure> {
        let command = ConfigArgs::augment_args(clap::Command::new("config").no_binary_name(true));
        let args = ConfigArgs::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)?;
        Ok(args.flock.settings_of(args.name.as_deref(), args.boids.boids)?.settings)
    }

    fn good(line: &str) -> Settings {
        settings(line).unwrap_or_else(|failure| panic!("{line}: {failure:?}"))
    }

    fn write(folder: &Path, text: &str) -> String {
        let path = folder.join("a.toml");
        std::fs::write(&path, text).expect("room");
        path.display().to_string()
    }

    #[test]
    fn every_flag_that_describes_a_flock_has_a_key_and_every_key_a_flag() {
        let keys: BTreeSet<String> = keys::keys().map(|key| key.name().to_owned()).collect();
        let mut flags = BTreeSet::new();
        let command = crate::cli::Cli::command();
        let commands = command.get_subcommands().flat_map(|command| command.get_subcommands().chain([command]));
        let mut with_files = 0;
        for command in commands.filter(|command| command.get_arguments().any(|arg| arg.get_long() == Some("config"))) {
            with_files += 1;
            for arg in command.get_arguments() {
                let ours = arg.get_help_heading().is_some_and(|heading| HEADINGS.contains(&heading));
                flags.extend(arg.get_long().filter(|name| ours && !NO_KEYS.contains(name)).map(str::to_owned));
            }
        }
        assert_eq!(with_files, 6, "view, render, simulate, bench, config and sync break");
        assert_eq!(keys, flags);
        // And a file takes each of them.
        let values = file::Values::augment_args(clap::Command::new("config"));
        let taken: BTreeSet<String> = values
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .filter(|name| !NO_KEYS.contains(name))
            .map(str::to_owned)
            .collect();
        assert_eq!(keys, taken);
    }

    #[test]
    fn what_is_printed_leads_to_the_very_same_settings() {
        let folder = tempfile::tempdir().expect("a folder");
        for preset in PRESETS {
            for change in [
                "",
                "--boids 5000",
                "--boids 1234567 --density 0.3 --seed 18446744073709551615",
                "--boids 77 --world-size 3.7x11x0.1 --world-center 1,-2.5,1e5 --time-step 1/144",
                "--world-size 31.4 --search bitonic-grid --walls wrap",
                "--plane --boids 5000 --spawn flat-ball",
                "--plane --world-size 31x7 --world-center 0.1,0.2,0.3",
            ] {
                let asked = good(&format!("{} {change}", preset.name));
                let path = write(folder.path(), &text(&asked));
                let read = good(&format!("--config {path}"));
                assert_eq!(read, asked, "{} {change}", preset.name);
                assert_eq!(text(&read), text(&asked));
            }
        }
        let changed = good("reynolds --alignment-weight 2 --max-force 0.1 --separation-radius 1/3");
        let path = write(folder.path(), &text(&changed));
        assert_eq!(good(&format!("--config {path}")), changed);
        let led = good(
            "reynolds --leader 17 --leader-weight 0.3 --current 1,0,-2 --targets 3 --target-weight 0.7 --heed 0.5",
        );
        let path = write(folder.path(), &text(&led));
        assert_eq!(good(&format!("--config {path}")), led);
        let cursor = good("cursor --cursor 0:1,2,3.5/2.5:-4,5,1e3/10:0,0,0 --blend 1/3");
        let path = write(folder.path(), &text(&cursor));
        assert_eq!(good(&format!("--config {path}")), cursor);
        let flat = good("cursor --plane --cursor 1,2,3");
        let path = write(folder.path(), &text(&flat));
        assert_eq!(good(&format!("--config {path}")), flat);
        assert_eq!(good(&format!("--config {path} --plane=false")), good("cursor --cursor 1,2,3"));
        let targets = good("counting-sort --targets 3 --target-weight 0.7 --cohesion-radius 2.2 --target-radius 0.1");
        let path = write(folder.path(), &text(&targets));
        assert_eq!(good(&format!("--config {path}")), targets);
    }

    #[test]
    fn a_flag_goes_before_the_file_and_the_file_before_the_preset() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(
            folder.path(),
            "preset = 'reynolds'\nboids = 8_000\nmax-speed = 7\nseed = 0x10\nworld-size = [40, 20.0, 4e1]\n",
        );
        let file = good(&format!("--config {path}"));
        assert_eq!((file.preset, file.boids, file.rules.max_speed, file.seed), ("reynolds", 8_000, 7.0, 16));
        assert_eq!(file.world.half_size, glam::Vec3::new(20.0, 10.0, 20.0));
        // What is not in the file is the preset's.
        assert_eq!(file.rules.max_force, good("reynolds").rules.max_force);
        let flag = good(&format!("--config {path} --max-speed 9 --seed 3"));
        assert_eq!((flag.boids, flag.rules.max_speed, flag.seed), (8_000, 9.0, 3));
        // A flag changes a file's flock as it changes a preset's: the world follows the count.
        let more = good(&format!("--config {path} --boids 64000"));
        assert!((more.density() / file.density() - 1.0).abs() < 1e-5, "{}", more.density());
        // One radius on the command line stands for all three of a law that has only one.
        let path = write(folder.path(), &text(&good("counting-sort")));
        let wide = good(&format!("--config {path} --cohesion-radius 3"));
        assert_eq!((wide.rules.separation_radius, wide.rules.alignment_radius), (3.0, 3.0));
        // Another preset keeps what the file says, as far as it reads it.
        let path = write(folder.path(), "preset = 'reynolds'\nalignment-weight = 0.25\n");
        let other = good(&format!("counting-sort --config {path}"));
        assert_eq!((other.preset, other.rules.alignment_weight), ("counting-sort", 0.25));
        let path = write(folder.path(), "preset = 'reynolds'\nmax-force = 2\n");
        let Err(Failure::Usage(text)) = settings(&format!("counting-sort --config {path}")) else {
            panic!("counting-sort has no use for it")
        };
        assert!(text.contains("a.toml:2:13: max-force is 2; accepted is nothing: counting-sort"), "{text}");
    }
}
