//! The files and command lines of what a window shows, for the viewer.

use super::config::{self, file};
use super::failure::line;
use super::flags::{FLAGS, Kind};
use super::flight;
use super::origin;
use super::render::aspect;
use super::viewpoint::Viewpoint;
use crate::flight::Flight;
use crate::viewer::{Documents, Opened};
use crate::{Error, Result};
use starlings::flock::Settings;
use starlings::render::{Camera, Look};
use std::path::Path;

/// Size of a window at first, in pixels, unless it is said.
pub const WINDOW: (u32, u32) = (1280, 720);

/// The syntax of this program.
#[derive(Debug)]
pub struct ProgramDocuments;

impl Documents for ProgramDocuments {
    fn toml(&self, settings: &Settings, look: &Look, camera: &Camera) -> String {
        config::text(settings, look, &Viewpoint::of(camera))
    }

    fn flight(&self, flown: (&Flight, u32), look: &Look, camera: &Camera, wanted: bool) -> String {
        flight::config(Some(flown), flown.0.last(), (look, &Viewpoint::of(camera)), wanted)
    }

    fn opening(&self, file: &Path) -> String {
        format!("starlings view --from {}", word(&file.display().to_string()))
    }

    fn command_line(&self, settings: &Settings, look: &Look, camera: &Camera, step: u32) -> String {
        let mut line = "starlings view".to_owned();
        for flag in needed(settings, look, camera) {
            line += " ";
            // A switch takes no separate value.
            let is_switch =
                FLAGS.iter().any(|row| row.kind == Kind::Switch && flag[2..].split('=').next() == Some(&row.name));
            line += &match flag.split_once('=').filter(|_| !is_switch) {
                Some((name, value)) => format!("{name} {}", word(value)),
                None => flag,
            };
        }
        if step > 0 {
            line += &format!(" --start-step {step}");
        }
        line
    }

    fn open(&self, path: &Path) -> crate::Result<Opened> {
        opened(path).map_err(|error| Error::Input(line(&error)))
    }
}

/// A value as a shell takes it: in quotes if it has more than numbers and names have, as a name of a file may.
fn word(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-_./,:=%@".contains(c);
    if value.chars().all(is_plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', "'\\''")) }
}

fn opened(path: &Path) -> Result<Opened> {
    let mut origin = origin::open(path)?;
    let none = file::parse(&[])?;
    let (asked, look) = origin.drawn(&none)?;
    asked.check_count()?;
    let camera = asked.camera(&none.camera, aspect(origin.size.unwrap_or(WINDOW)))?;
    Ok(Opened { settings: asked.settings, look, camera, step: origin.step.unwrap_or(0), flight: origin.flight })
}

/// The flags that lead to this flock, look and camera, none of which can be left out.
fn needed(settings: &Settings, look: &Look, camera: &Camera) -> Vec<String> {
    let all = file::flags_of(config::text(settings, look, &Viewpoint::of(camera)));
    let mut flags = all.unwrap_or_else(|failure| panic!("a config file of our own: {failure:?}"));
    // A file says how large targets are where there are none, too; a command line that does is refused.
    let without = settings.targets == 0;
    flags.retain(|flag| !without || !flag.starts_with("--target-"));
    let as_shown = |found: Settings| match without {
        true => Settings { target_radius: settings.target_radius, ..found },
        false => found,
    };
    let leads_there = |flags: &[String]| -> Result<bool> {
        let args = file::parse(flags)?;
        let (asked, seen) = args.wanted()?;
        let fit = || Camera::of(&asked.settings, aspect(WINDOW));
        let camera_seen = asked.camera(&args.camera, aspect(WINDOW))?.unwrap_or_else(fit);
        Ok(as_shown(asked.settings.clone()) == *settings && seen == *look && camera_seen.settled() == camera.settled())
    };
    let mut at = 0;
    while at < flags.len() {
        let flag = flags.remove(at);
        if !leads_there(&flags).unwrap_or(false) {
            flags.insert(at, flag);
            at += 1;
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::PRESETS;
    use starlings::render::look::Shape;

    fn line(settings: &Settings, look: &Look, camera: &Camera, step: u32) -> String {
        ProgramDocuments.command_line(settings, look, camera, step)
    }

    #[test]
    fn a_command_line_says_only_what_differs_from_the_preset() {
        for (at, preset) in PRESETS.iter().enumerate() {
            let settings = preset.settings();
            let (look, camera) = (Look::of(&settings), Camera::of(&settings, aspect(WINDOW)));
            let wanted =
                if at == 0 { "starlings view".to_owned() } else { format!("starlings view --preset {}", preset.name) };
            assert_eq!(line(&settings, &look, &camera, 0), wanted);
            let settings = settings.with_boids(5_000);
            let (look, camera) = (Look::of(&settings), Camera::of(&settings, aspect(WINDOW)));
            let (shape, name) = if look.shape == Shape::Dart { (Shape::Fish, "fish") } else { (Shape::Dart, "dart") };
            let look = Look { shape, ..look };
            let line = line(&settings, &look, &camera, 60);
            assert_eq!(line, format!("{wanted} --boids 5000 --look {name} --start-step 60"));
        }
        let mut settings = PRESETS[0].settings().on_plane();
        settings.seed = 7;
        let look = Look::of(&settings);
        let camera = Camera { vertical_fov: std::f32::consts::FRAC_PI_2, ..Camera::of(&settings, aspect(WINDOW)) };
        assert_eq!(line(&settings, &look, &camera, 0), "starlings view --seed 7 --plane=true --fov 90");
    }

    #[test]
    fn what_is_saved_is_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.toml");
        for preset in PRESETS {
            let settings = preset.settings().with_boids(700);
            let (look, camera) = (Look::of(&settings), Camera::of(&settings, 1.0));
            let camera = Camera { yaw: -1.25, ..camera };
            std::fs::write(&path, ProgramDocuments.toml(&settings, &look, &camera)).expect("room");
            let wanted = Opened { settings, look, camera: Some(camera), step: 0, flight: None };
            assert_eq!(ProgramDocuments.open(&path).expect("a file of our own"), wanted);
        }
        std::fs::write(&path, "boids = 0").expect("room");
        let line = ProgramDocuments.open(&path).expect_err("no flock").to_string();
        assert!(line.ends_with("a.toml:1:9: boids is 0; accepted is a whole number from 1 to 1073741824"), "{line}");
        let line = ProgramDocuments.open(&folder.path().join("b.png")).expect_err("no file").to_string();
        assert!(line.contains("b.png: No such file or directory; accepted is a picture that"), "{line}");
    }
}
