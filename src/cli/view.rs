//! `starlings view`: the window, or a picture where there is no display.

use super::failure::Failure;
use super::flock::{BoidsArg, FlockArgs};
use super::machine::MachineArgs;
use super::render;
use clap::Args;
use std::io::Write;
use std::path::PathBuf;

/// Frames until the picture: a flock has begun to form, and a software driver takes seconds, not minutes.
const PICTURE_FRAMES: u32 = 120;

/// Options of `starlings view`.
#[derive(Args, Debug)]
pub struct ViewArgs {
    /// Size of the window at the start, in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", allow_hyphen_values = true, value_parser = render::size)]
    size: (u32, u32),
    #[command(flatten)]
    boids: BoidsArg,
    #[command(flatten)]
    flock: FlockArgs,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &ViewArgs) -> Result<(), Failure> {
    let asked = args.flock.settings(args.boids.boids)?;
    let reason = no_display().unwrap_or("this build has no window yet");
    let path = free_name();
    // A note, not an answer: stdout stays with what was drawn.
    let _ = writeln!(std::io::stderr(), "starlings: {reason}; drawing {} instead", path.display());
    let device = args.machine.open()?;
    render::picture(&device, &asked, &path, PICTURE_FRAMES, args.size)?;
    args.machine.check(&device)
}

/// Why no window can be opened here, if that is known without trying.
fn no_display() -> Option<&'static str> {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let lacking = cfg!(all(unix, not(target_os = "macos"))) && !set("DISPLAY") && !set("WAYLAND_DISPLAY");
    lacking.then_some("no display: neither DISPLAY nor WAYLAND_DISPLAY is set")
}

/// `starlings.png`, or the first of `starlings-2.png`, `starlings-3.png` and so on that is not there yet.
fn free_name() -> PathBuf {
    let names = (2..).map(|number| format!("starlings-{number}.png").into());
    std::iter::once(PathBuf::from("starlings.png"))
        .chain(names)
        .find(|path: &PathBuf| path.symlink_metadata().is_err())
        .expect("there are more numbers than files")
}
