//! Displays that lack something, or that are left over from another session.

use super::common::screen::Screen;
use super::{decode, screen};
use std::path::Path;
use std::process::{Command, Output};

/// A short run on `display`, with these variables.
fn view(folder: &Path, display: &str, more: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command
        .args("view --boids 100 --frames 5".split(' '))
        .args(if more.is_empty() { "--size 64x48" } else { more }.split(' '));
    command.current_dir(folder).env("DISPLAY", display).env_remove("WAYLAND_SOCKET").env_remove("WAYLAND_DISPLAY");
    command.envs(variables.iter().copied()).output().expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// winit panics without it.
#[test]
fn a_server_without_an_extension_is_no_display() {
    if screen().is_none() {
        return;
    }
    let screen = Screen::with((640, 480), &["-extension", "RANDR"]).expect("it started before");
    let folder = tempfile::tempdir().expect("a folder for the picture");
    let output = view(folder.path(), &screen.display, "", &[]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("no display: the X server lacks the extensions RANDR; drawing a picture"), "{said}");
    assert_eq!(decode(&folder.path().join("starlings.png")).0, 64);
}

/// As `su`, `tmux` and `ssh -X` leave it.
#[test]
fn a_wayland_display_that_is_gone_gives_way_to_x11() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = view(folder.path(), &screen.display, "", &[("WAYLAND_DISPLAY", "wayland-9")]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("trying X11") && !said.contains("no display"), "{said}");
    assert!(!folder.path().join("starlings.png").exists(), "a picture instead of a window");
}

#[test]
fn a_scale_that_no_window_can_have_is_refused() {
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let set = |dpi: &str| {
        let mut command = Command::new("xprop");
        command.args(["-display", &screen.display, "-root", "-f", "RESOURCE_MANAGER", "8s"]);
        command.args(["-set", "RESOURCE_MANAGER", &format!("Xft.dpi:\t{dpi}\n")]).status()
    };
    for (dpi, status) in [("0", 2), ("-96", 2), ("inf", 2), ("99999", 2), ("x", 0), ("96", 0)] {
        if set(dpi).is_err() {
            return eprintln!("SKIPPED, nothing was tested: xprop is not installed");
        }
        let output = view(folder.path(), &screen.display, "", &[]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(status), "{dpi}: {said}");
        if status == 2 {
            let says = format!("starlings: Xft.dpi is '{dpi}'; accepted is a number from 9.6 to 1920; ");
            assert!(said.starts_with(&says) && said.lines().count() == 1, "{said}");
        }
        let output = view(folder.path(), &screen.display, "", &[("WINIT_X11_SCALE_FACTOR", "1")]);
        assert_eq!(output.status.code(), Some(0), "{dpi}: {}", self::said(&output));
    }
    let large = view(folder.path(), &screen.display, "--size 8192x8192", &[("WINIT_X11_SCALE_FACTOR", "20")]);
    assert_eq!(large.status.code(), Some(2), "{}", said(&large));
    assert!(said(&large).contains("--size is 8192x8192; accepted is at most 1638x1638 points"), "{}", said(&large));
}
