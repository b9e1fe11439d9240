//! The real loops, watched: nothing is wrong in them, and a dependency that is missing in one ends it.

use crate::common;
use starlings::flock::Settings;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::Camera;
use starlings::simulation::Simulation;
use starlings::vk::{DeviceOptions, Fault, Instance, InstanceOptions, RecordOptions, Validation};
use starlings_cli::sync::loops::{Loop, Watched};
use std::process::Command;
use std::time::Instant;

fn watch(of: Loop, planted: &[Fault]) -> Watched {
    let options = InstanceOptions { validation: Validation::Off, display: None, capture: false };
    let instance = Instance::new(&options).expect("there is a driver");
    of.watch(&instance, None, planted).expect("it runs")
}

#[test]
fn nothing_is_wrong_in_the_loops() {
    if common::device().is_none() {
        return;
    }
    for of in Loop::ALL {
        let Watched { seen, finding, command } = watch(of, &[]);
        assert_eq!(finding, None);
        let Some(seen) = seen else {
            assert!(of == Loop::View, "{command} runs everywhere");
            continue;
        };
        assert!(seen.submissions >= 8 && seen.unjudged == 0, "{command}: {seen}");
        assert!(seen.journals > 2 && seen.journals < seen.submissions, "{command}: {seen}");
    }
}

/// In steps and pictures, between submissions in flight, in a window that waits for its display, and while a flock and
/// its picture are made.
#[test]
fn a_fault_in_a_real_loop_is_found() {
    if common::device().is_none() {
        return;
    }
    for (of, name, says) in [
        (Loop::Render, "copy-to-host", "RAW on picture_bytes: copy_to_host → host"),
        (Loop::Simulate, "steer-to-count", "RAW on position_vx: steer"),
        (Loop::Simulate, "download-to-host", "RAW on staging buffer: download → host"),
        (Loop::View, "copy-to-compose", "of the previous frame → compose"),
        (Loop::View, "start-to-skin", "layout on "),
        (Loop::View, "acquire-to-copy", "on swapchain_image"),
    ] {
        let Watched { command, seen, finding } = watch(of, &[Fault::Omit(name.to_owned())]);
        match finding {
            Some(finding) => assert!(finding.contains(says) && finding.lines().count() == 1, "{finding}"),
            None => assert!(of == Loop::View && seen.is_none(), "{command} runs without {name}"),
        }
    }
}

#[test]
fn a_command_that_is_watched_ends_at_the_first_error_in_one_line() {
    if common::device().is_none() {
        return;
    }
    for (arguments, status, says) in [
        ("simulate --boids 300 --steps 4 --hash --watch", 0, ""),
        ("simulate --boids 300 --steps 4 --hash --watch=steer-to-count", 1, "RAW on position_vx: steer"),
        (
            "simulate --boids 300 --steps 4 --hash --watch=compose-to-copy",
            2,
            "accepted is a dependency that is recorded",
        ),
        ("simulate --boids 300 --steps 4 --hash --engine cpu --watch", 2, "--engine cpu uses no device"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
        // Without the layer, which would say more.
        command.args(arguments.split(' ')).env("VK_LAYER_PATH", "/nonexistent");
        let output = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.contains(says)), (Some(status), true), "{arguments}: {said}");
        assert_eq!(said.lines().count(), usize::from(status > 0), "{arguments}: {said}");
    }
}

/// Of pictures and of steps, by turns with the same unwatched.
#[test]
#[ignore = "long: times many frames"]
fn a_watched_loop_takes_hardly_longer() {
    let watch = DeviceOptions { watch: Some(&[]), ..DeviceOptions::default() };
    let (Some(plain), Some(watched)) = (common::unwatched_device(Validation::Off), common::device_with(&watch)) else {
        return;
    };
    let settings = Settings::preset("reynolds").expect("a preset").with_boids(2_000);
    let devices = [plain, watched];
    let mut drawn = devices.each_ref().map(|device| Offscreen::new(device, &settings, 320, 240).expect("it fits"));
    let mut stepped = devices.each_ref().map(|device| Simulation::new(device, &settings).expect("it fits"));
    let camera = Camera::of(&settings, 4.0 / 3.0);
    // The least of many tries: other programs disturb some of them.
    let mut least = [[f64::INFINITY; 2]; 2];
    for _ in 0..200 {
        for at in 0..2 {
            let mut timed = |what: usize, run: &mut dyn FnMut()| {
                let begun = Instant::now();
                run();
                least[what][at] = least[what][at].min(begun.elapsed().as_secs_f64());
            };
            let shot = Shot { camera, steps: 1, options: RecordOptions::default() };
            timed(0, &mut || drop(drawn[at].draw(&shot).expect("the device lives")));
            timed(1, &mut || {
                stepped[at].advance(16).expect("the device lives");
                stepped[at].wait().expect("the device lives");
            });
        }
    }
    for (what, [without, with]) in ["a picture", "16 steps"].into_iter().zip(least) {
        let (without, more) = (1e3 * without, 100.0 * (with / without - 1.0));
        println!("{what}: {without:.2} ms, watched {more:+.1} %");
        assert!(more < 5.0, "{what}: {without:.2} ms, watched {more:+.1} %");
    }
}
