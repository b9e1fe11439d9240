//! The same in a window.

use super::layer::{Fault, Layer};
use super::results::{DEVICE_LOST, OUT_OF_DATE, SURFACE_LOST};
use super::{Program, VIEW, complaint, fail_calls};
use crate::common::screen::Screen;

#[test]
fn a_window_survives_each_first_call() {
    let Some((layer, _screen)) = on_screen() else { return };
    // Most calls have two errors or three.
    fail_calls(&layer, &VIEW, 1, 2);
}

/// The same answer for ever must not keep the program busy.
#[test]
fn a_window_that_never_fits_ends_in_one_line() {
    let Some((layer, _screen)) = on_screen() else { return };
    for call in ["vkAcquireNextImageKHR", "vkQueuePresentKHR"] {
        let outcome = layer.run(&VIEW, Some(&Fault { call, number: "2+".into(), result: OUT_OF_DATE, last: false }));
        assert_eq!(outcome.status, Some(3), "{}", outcome.stderr);
        assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains(&format!("starlings: {call} failed on swapchain")), "{}", outcome.stderr);
        let outcome = layer.run(&VIEW, Some(&Fault { call, number: "1+".into(), result: SURFACE_LOST, last: false }));
        // Somebody else has closed the window, which is no failure.
        assert_eq!(outcome.status, Some(0), "{}", outcome.stderr);
    }
}

/// A window that draws on after some frames, and a run that takes the same steps.
const LONG: Program = Program {
    name: "view",
    line: "view --boids 300 --size 320x240 --frames 150 --no-vsync --stats a.csv --stats-every 2",
    file: Some("a.csv"),
};
const SAME: Program = Program {
    name: "simulate",
    line: "simulate --boids 300 --steps 3000 --every 3000 --stats a.csv --stats-every 2 --export a.npz",
    file: Some("a.csv"),
};
const LONG_ON_CPU: Program = Program {
    line: "view --boids 100 --engine cpu --size 320x240 --frames 300 --no-vsync --stats a.csv --stats-every 2",
    ..LONG
};
const SAME_ON_CPU: Program = Program {
    line: "simulate --boids 100 --engine cpu --steps 2000 --every 2000 --stats a.csv --stats-every 2 --export a.npz",
    ..SAME
};

/// It does so by a device of its own, with the same bits: the order parameters are those of a run that nothing has
/// disturbed.
#[test]
fn a_window_goes_on_after_its_device_was_lost() {
    goes_on(&LONG, &SAME, &[0.2, 0.8]);
}

/// Nothing of such a flock is lost with the device: a step that was being taken is finished.
#[test]
fn a_window_with_a_cpu_engine_goes_on_after_its_device_was_lost() {
    goes_on(&LONG_ON_CPU, &SAME_ON_CPU, &[0.5]);
}

/// The device is lost with the submission after each of these shares of all.
fn goes_on(window: &Program, same: &Program, shares: &[f64]) {
    let Some((layer, _screen)) = on_screen() else { return };
    let all = layer.run(same, None);
    assert_eq!(all.status, Some(0), "{}", all.stderr);
    let submissions = layer.counts(window)["vkQueueSubmit2"];
    for share in shares {
        let number = ((f64::from(submissions) * share) as u32).to_string();
        let fault = Fault { call: "vkQueueSubmit2", number, result: DEVICE_LOST, last: false };
        let outcome = layer.run(window, Some(&fault));
        assert_eq!((outcome.status, complaint(window, &fault, &outcome)), (Some(0), None), "{}", outcome.stderr);
        let step = outcome.stderr.trim_end().rsplit_once("; going on from step ").expect("it says so").1;
        let step: u32 = step.parse().expect("a step");
        assert!(outcome.stderr.contains("; the last pass that finished is "), "{}", outcome.stderr);
        let of = |row: &str| row.split(',').next().and_then(|step| step.parse::<u32>().ok());
        let steps: Vec<u32> = outcome.text.lines().filter_map(of).collect();
        assert!(steps.iter().copied().eq((0..).step_by(2).take(steps.len())), "{steps:?}");
        assert!(steps.iter().filter(|&&measured| measured > step).count() > 4, "from {step} on: {steps:?}");
        for row in outcome.text.lines() {
            assert!(all.text.lines().any(|other| other == row), "not among those of an undisturbed run: {row}");
        }
    }
}

/// What the texture was to hold is not lost with the device: the next change of a part of it finds the rest.
#[test]
fn a_window_goes_on_after_its_device_was_lost_with_a_texture_of_its_panels() {
    lost_with_textures(1);
}

#[test]
#[ignore = "long: a window for each of its textures"]
fn a_window_goes_on_whatever_texture_of_its_panels_its_device_was_lost_with() {
    lost_with_textures(u32::MAX);
}

/// With each texture, until it has gone on so many times.
fn lost_with_textures(times: u32) {
    let Some((layer, _screen)) = on_screen() else { return };
    let mut went_on = 0;
    // So that the panels change meanwhile, however fast the machine is.
    let of = "upload of panel_textures 0 commands";
    let variables = [("STARLINGS_FAULT_OF", of.into()), ("STARLINGS_FAULT_PAUSE", "20".into())];
    for number in 1.. {
        let fault = Fault { call: "vkQueueSubmit2", number: number.to_string(), result: DEVICE_LOST, last: false };
        let outcome = layer.run_with(&LONG, Some(&fault), &variables);
        assert_eq!(complaint(&LONG, &fault, &outcome), None);
        if !outcome.reached {
            break;
        }
        // The first texture is of a window that is starting, which ends.
        went_on += u32::from(outcome.status == Some(0));
        if went_on == times {
            return;
        }
    }
    assert!(went_on > 0, "no texture was copied while the flock was shown");
}

/// Lost again before it has shown a frame, it ends.
#[test]
fn a_window_whose_devices_are_always_lost_ends() {
    let Some((layer, _screen)) = on_screen() else { return };
    for call in ["vkQueueSubmit2", "vkAcquireNextImageKHR", "vkQueuePresentKHR"] {
        let fault = Fault { call, number: "8+".into(), result: DEVICE_LOST, last: false };
        let outcome = layer.run(&LONG, Some(&fault));
        assert_eq!(outcome.status, Some(3), "{call}: {}", outcome.stderr);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert!(lines.len() <= 2 && lines.iter().all(|line| line.starts_with("starlings: ")), "{call}: {lines:?}");
    }
}

#[test]
#[ignore = "long: takes minutes"]
fn every_call_of_a_window_may_fail() {
    let Some((layer, _screen)) = on_screen() else { return };
    fail_calls(&layer, &VIEW, u32::MAX, 1);
}

fn on_screen() -> Option<(Layer, Screen)> {
    let Some(screen) = Screen::new() else {
        assert!(!crate::common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb is not installed");
        eprintln!("SKIPPED, nothing was tested: Xvfb is not installed");
        return None;
    };
    Some((Layer::new(Some(&screen.display))?, screen))
}
