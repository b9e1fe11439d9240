//! Config files: how they are read ([`file`]), and `starlings config`, which prints one. Its keys are [`flags`].

pub mod file;

use super::failure::of_argument;
use super::flags;
use super::look::DrawnArgs;
use super::output::print;
use super::viewpoint::Viewpoint;
use crate::Result;
use clap::Args;
use starlings::flock::{PRESETS, Preset, Settings};
use starlings::render::Look;

/// Options of `starlings config`.
#[derive(Args, Debug)]
#[command(after_help = "\
The file holds the settings of the flock, its look and its camera, with meanings, units and accepted \
values as comments. Commands that draw nothing ignore look and camera. Options change what is printed: \
`starlings config reynolds --boids 5000 > mine.toml`, then `starlings --config mine.toml`.")]
pub struct ConfigArgs {
    #[arg(value_name = "PRESET", help = format!("Preset to print [default: \
        {}]", PRESETS[0].name), conflicts_with = "preset")]
    name: Option<String>,
    #[command(flatten)]
    drawn: DrawnArgs,
}

impl ConfigArgs {
    /// The requested flock, its look, and what is said about the camera.
    fn wanted(&self) -> Result<(Settings, Look, Viewpoint)> {
        let asked = self.drawn.flock.settings_of(self.name.as_deref(), self.drawn.flock.values.get("boids"))?;
        asked.check_count()?;
        let look = asked.look(&self.drawn.look)?;
        // Refused for a picture of any shape, or for none.
        asked.camera(&self.drawn.camera, 1.0)?;
        let viewpoint = asked.viewpoint(&self.drawn.camera);
        Ok((asked.settings, look, viewpoint))
    }
}

pub fn run(args: &ConfigArgs) -> Result<()> {
    if let Some(name) = &args.name {
        Preset::named(name).map_err(|error| of_argument("PRESET", error))?;
    }
    let (settings, look, viewpoint) = args.wanted()?;
    print(text(&settings, &look, &viewpoint).trim_end())
}

pub fn text(settings: &Settings, look: &Look, viewpoint: &Viewpoint) -> String {
    let mut text = format!(
        "# starlings {}: a config file. Each key is a flag without its dashes; flags override keys.\n",
        env!("CARGO_PKG_VERSION")
    );
    for key in flags::keys() {
        if let Some(value) = key.value(settings, look, viewpoint) {
            text += &format!("\n# {}.\n# Accepted: {}\n{} = {value}\n", key.about, key.accepted, key.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use clap::{CommandFactory, FromArgMatches};
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// Flags under these headings that are not keys.
    const NO_KEYS: &[&str] = &["config", "from", "resume", "weights"];

    /// Headings of the help for the flags of a flock, its look and its camera.
    const HEADINGS: &[&str] = &["Flock", "Rules", "Look", "Camera"];

    /// What the command line `line`, without the program's name and the command, gives.
    fn wanted(line: &str) -> Result<(Settings, Look, Viewpoint)> {
        let command = ConfigArgs::augment_args(clap::Command::new("config").no_binary_name(true));
        let args = ConfigArgs::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)?;
        args.wanted()
    }

    fn refused(line: &str) -> String {
        match wanted(line) {
            Err(Error::Input(text)) => text,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn good(line: &str) -> Settings {
        drawn(line).0
    }

    fn drawn(line: &str) -> (Settings, Look, Viewpoint) {
        wanted(line).unwrap_or_else(|failure| panic!("{line}: {failure:?}"))
    }

    fn write(folder: &Path, text: &str) -> String {
        let path = folder.join("a.toml");
        std::fs::write(&path, text).expect("room");
        path.display().to_string()
    }

    #[test]
    fn every_flag_that_describes_a_flock_has_a_key_and_every_key_a_flag() {
        let keys: BTreeSet<String> = flags::FLAGS.iter().map(|key| key.name.clone()).collect();
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
        assert_eq!(with_files, 8, "view, render, simulate, bench, config, sweep, sync break and sync cost");
        assert_eq!(keys, flags);
    }

    /// Checks that the file printed for `line` gives the same settings. Returns the file's path.
    fn assert_read_again(folder: &Path, line: &str) -> String {
        let wanted = drawn(line);
        let printed = |(settings, look, viewpoint): &(Settings, Look, Viewpoint)| text(settings, look, viewpoint);
        let path = write(folder, &printed(&wanted));
        let again = drawn(&format!("--config {path}"));
        assert_eq!(again, wanted, "{line}");
        assert_eq!(printed(&again), printed(&wanted), "{line}");
        path
    }

    #[test]
    fn what_is_printed_leads_to_the_very_same_settings() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        for preset in PRESETS {
            for change in [
                "",
                "--boids 5000",
                "--boids 1234567 --density 0.3 --seed 18446744073709551615",
                "--plane=false --walls none --boids 77 --world-size 3.7x11x0.1 --world-center 1,-2.5,1e5 --time-step \
                1/144",
                "--world-size 61.4 --engine gpu --search bitonic-grid --walls wrap",
                "--noise 0.5 --noise-form vectorial --max-turn 90 --view-angle 120 --nearest 7",
                "--kinds a:5/b:0.1,speed=1.5,size=2,color=ff8000,hunts=a,sight=3 --boids 900 --feelings a:b:0,1,-0.5",
                "--plane --boids 5000 --spawn flat-ball",
                "--plane --world-size 31x7 --world-center 0.1,0.2,0.3",
                "--look fish --color id --backdrop paper --trail 1/3 --stretch 1,0.1,4",
                "--color cell --cell 1,0,1 --trail 0",
                "--color id --color-range 0.1,1/3",
                "--eye 0.1,2e6,-1/3 --look-at 1,0.3,1e-5 --fov 33.3",
                "--fov 90",
                "--points 1,2,3,40,-5/0,0.1,0,1e3,0.7",
                "--obstacle sphere:1,2,3,0.5/plane:0,-9,0,1,0,0 --obstacle-distance 7.5 --obstacle-weight 2 \
                    --max-force 3",
            ] {
                assert_read_again(folder, &format!("{} {change}", preset.name));
            }
        }
        for line in [
            "reynolds --alignment-weight 2 --max-force 0.1 --separation-radius 1/3",
            "reynolds --predator 1,2,3.5",
            "bitonic --predator 0:1,2,3.5/2.5:-4,5,1e3",
            "reynolds --points 1,2,3,40,-5@0.5:0,0,0@3:9,0,1/0,0,0,1,1/5,0,0,1,1@2:0,0,1 --obstacle \
                sphere:1,2,3,0.5/box:0,0,0,1,1,1@4:0,-1e2,0.25/plane:0,-9,0,0,1,0",
            "reynolds --leader 17 --leader-weight 0.3 --current 1,0,-2 --targets 3 --target-weight 0.7 --heed 0.5",
            "cursor --cursor 0:1,2,3.5/2.5:-4,5,1e3/10:0,0,0 --blend 1/3",
            "reynolds --nearest 7 --alignment-radius inf --cohesion-radius inf",
            "counting-sort --targets 3 --target-weight 0.7 --cohesion-radius 2.2 --target-radius 0.1",
            "cursor --engine cpu --search sorted-grid",
            "cursor --walls push --wall-weight 3 --current 0,1,0 --max-force 2 --targets 4 --target-weight 0.5",
            "bitonic --leader 3 --max-force 2 --heed 0.25",
        ] {
            assert_read_again(folder, line);
        }
        let path = assert_read_again(folder, "cursor --plane --cursor 1,2,3");
        assert_eq!(good(&format!("--config {path} --plane=false")), good("cursor --cursor 1,2,3"));
    }

    #[test]
    fn a_look_comes_from_the_flag_then_the_file_then_the_preset() {
        let folder = tempfile::tempdir().expect("a folder");
        let look = |line: &str| drawn(line).1;
        let names = |look: Look| (look.shape.name(), look.color.name(), look.backdrop.name(), look.trail);
        let path =
            write(folder.path(), "preset = 'cursor'\nlook = 'fish'\nbackdrop = 'water'\nstretch = [1, 2.5, 1]\n");
        let file = look(&format!("--config {path}"));
        assert_eq!(names(file.clone()), ("fish", "random", "water", 0.5));
        assert_eq!(file.scale, glam::Vec3::new(1.0, 2.5, 1.0));
        // The light comes with the backdrop.
        assert_eq!(file.palette, look("cursor --backdrop water").palette);
        let flag = look(&format!("--config {path} --look dart --trail 2"));
        assert_eq!(names(flag), ("dart", "random", "water", 2.0));
        assert_eq!(names(look(&format!("reynolds --config {path}"))), ("fish", "natural", "water", 0.0));
        // A given cell stays; the middle one changes with the count.
        let path = write(folder.path(), "cell = [1, 0, 2]\nboids = 9_000\n");
        assert_eq!(look(&format!("--config {path} --boids 20000")).cell, glam::UVec3::new(1, 0, 2));
        assert!(!text(&good("bitonic"), &look("bitonic"), &Viewpoint::default()).contains("\ncell = "));
        // An unsuitable value is reported at its place in the file, unless a flag gave it; a flag may correct it.
        let path = write(folder.path(), "trail = 1\ncolor = 'speed'\n");
        assert!(
            refused(&format!("--config {path}")).contains("a.toml:2:9: color is 'speed'; accepted is any other: all")
        );
        assert_eq!(names(look(&format!("--config {path} --color id"))), ("bird", "id", "dusk", 1.0));
        assert_eq!(names(look(&format!("reynolds --config {path}"))), ("fish", "speed", "water", 1.0));
        let path = write(folder.path(), "color = 'id'\n");
        match wanted(&format!("--config {path} --color speed")) {
            Err(Error::Engine(starlings::Error::Setting { name, .. })) => assert_eq!(name, "color"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_camera_is_said_by_flags_and_the_file_together() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), "look-at = [1, 2, 3]\nfov = 30\n");
        let said = drawn(&format!("--config {path} --eye 4,5,6 --fov 60")).2;
        assert_eq!(said.eye, Some(glam::DVec3::new(4.0, 5.0, 6.0)));
        assert_eq!((said.look_at, said.fov), (Some(glam::Vec3::new(1.0, 2.0, 3.0)), Some(60.0)));
        assert_eq!(drawn("reynolds").2, Viewpoint::default());
        let path = write(folder.path(), "look-at = [1, 2, 3]\neye = [1, 2, 3]\n");
        let text = refused(&format!("--config {path}"));
        assert!(text.contains("a.toml:2:7: eye is 1,2,3; accepted is a place from 1e-5 to 1e7 world units"), "{text}");
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
        let path = assert_read_again(folder.path(), "counting-sort");
        let wide = good(&format!("--config {path} --cohesion-radius 3"));
        assert_eq!((wide.rules.separation_radius, wide.rules.alignment_radius), (3.0, 3.0));
        // Another preset keeps the file's values that its law reads.
        let path = write(folder.path(), "preset = 'reynolds'\nalignment-weight = 0.25\n");
        let other = good(&format!("counting-sort --config {path}"));
        assert_eq!((other.preset, other.rules.alignment_weight), ("counting-sort", 0.25));
        let path = write(folder.path(), "preset = 'reynolds'\nmax-speed = 2\n");
        let text = refused(&format!("counting-sort --config {path}"));
        assert!(text.contains("a.toml:2:13: max-speed is 2; accepted is nothing: counting-sort"), "{text}");
    }

    #[test]
    fn a_name_far_longer_than_every_key_is_refused_without_a_search_for_the_nearest() {
        let begun = Instant::now();
        let text = format!("{} = 1\n", "a".repeat(1_000_000));
        let refused = file::ConfigFile::of_text(Path::new("a.toml"), text).expect_err("no such key").to_string();
        assert!(refused.contains("1:1: there is no key 'aaa"), "{refused}");
        assert!(refused.ends_with("prints all keys"), "{refused}");
        // To compute the distance to each of the keys takes more than a minute in an unoptimized build.
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
