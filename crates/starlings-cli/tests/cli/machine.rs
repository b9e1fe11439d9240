//! Machines that lack something, or have something that is damaged: a line that names it.
#![cfg(target_os = "linux")]

use super::{assert_refused, names, run, starlings, text};
use std::fs;
use std::process::Stdio;

#[test]
fn the_doctor_has_a_line_for_each_thing() {
    let Some(device) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "doctor");
    let said = text(&output.stdout);
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{said}");
    for what in ["display", "libraries", "driver", "device", "validation", "cache", "ffmpeg", "disk", "memory"] {
        let is = |line: &str| ["ok  ", "-   "].iter().any(|state| line.starts_with(&format!("{state}{what} ")));
        assert!(said.lines().any(is), "no {what} in\n{said}");
    }
    assert!(said.contains(&device.info().name), "{said}");
    assert!(said.contains("display     neither DISPLAY nor WAYLAND_DISPLAY is set"), "{said}");
}

#[test]
fn a_damaged_manifest_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bad_icd.json"), "{").expect("room");
    let good = std::env::var("VK_DRIVER_FILES").unwrap_or_default();
    for files in ["bad_icd.json".to_owned(), format!("bad_icd.json:{good}")] {
        let output = starlings(folder.path(), &["devices"]).env("VK_DRIVER_FILES", &files).output().expect("it starts");
        // Some loaders pass over it.
        if output.status.code() != Some(0) {
            let parts = ["the driver manifest bad_icd.json is damaged: ", "`starlings doctor`"];
            assert_refused(&output, 3, &parts, &files);
        }
        let output = starlings(folder.path(), &["doctor"]).env("VK_DRIVER_FILES", &files).output().expect("it starts");
        let said = text(&output.stdout);
        assert!(said.contains("-   driver      bad_icd.json is damaged: EOF while parsing"), "{said}");
    }
}

/// As in a container without a GPU: the driver is there, and finds none.
#[test]
fn a_driver_without_a_gpu_reads_as_none() {
    let manifest = "/usr/share/vulkan/icd.d/intel_icd.x86_64.json";
    if !fs::exists(manifest).unwrap_or(false) || fs::exists("/dev/dri").unwrap_or(true) {
        return eprintln!("SKIPPED, nothing was tested: no driver for a GPU, or a GPU");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = starlings(folder.path(), &["devices"]).env("VK_DRIVER_FILES", manifest).output().expect("it starts");
    assert_refused(&output, 3, &["no Vulkan device on this machine", "install a driver for your GPU"], manifest);
}

#[test]
fn a_device_is_named_by_its_index_only_as_it_is_listed() {
    let Some(device) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let zeros = "0".repeat(32);
    let output = run(folder.path(), &format!("simulate --boids 5 --steps 1 --export a.npz --gpu {zeros}"));
    assert_refused(&output, 2, &["--gpu is ", &zeros, &device.info().name], "32 zeros");
}

#[test]
fn standard_output_has_other_names() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = |out: &str| format!("render -q --boids 20 --frames 2 --size 32x32 --out {out}");
    let usual = run(folder.path(), &line("-")).stdout;
    assert!(usual.starts_with(b"\x89PNG\r\n\x1a\n"));
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        assert!(run(folder.path(), &line(name)).stdout == usual, "{name}");
    }
}

#[test]
fn names_of_files_steer_no_terminal() {
    let Some(_) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let name = "\u{1b}[31mred.png";
    let line = ["render", "--boids", "5", "--frames", "1", "--size", "16x16", "--out", name];
    let output = starlings(folder.path(), &line).output().expect("it starts");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(
        output.status.success() && said.contains("\\u{1b}[31mred.png: frame 1") && !said.contains('\u{1b}'),
        "{said}"
    );
    assert_eq!(names(folder.path()), [name]);
}

#[test]
fn the_size_of_the_world_is_blamed_for_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(folder.path(), "config --world-size 1e12");
    assert_refused(&output, 2, &["--world-size (x) is 1000000000000"], "config");
}

#[test]
fn no_color_is_obeyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = std::process::Command::new("script")
        .args([
            "-qec",
            &format!("{} -v devices; {} --help", env!("CARGO_BIN_EXE_starlings"), env!("CARGO_BIN_EXE_starlings")),
        ])
        .arg("/dev/null")
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output();
    let Ok(output) = begun else { return eprintln!("SKIPPED, nothing was tested: script is not installed") };
    let said = text(&output.stdout);
    assert!(said.contains("Without a command") && !said.contains('\u{1b}'), "{said}");
}
