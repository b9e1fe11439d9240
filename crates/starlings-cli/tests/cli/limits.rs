//! Limits that a system sets.
#![cfg(target_os = "linux")]

use super::{assert_refused, names, text};
use std::process::Command;

/// Drivers end the program without a word where they get no memory.
#[test]
fn too_little_room_for_a_driver_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    for (limit, what) in [
        // Too little for threads, too.
        ("-v 120000", "address space (`ulimit -v`) is 117 MiB"),
        ("-v 300000", "address space (`ulimit -v`) is 292 MiB"),
        ("-v 1000000", "address space (`ulimit -v`) is 976 MiB"),
        ("-d 50000", "data (`ulimit -d`) is 48 MiB"),
        ("-d 200000", "data (`ulimit -d`) is 195 MiB"),
    ] {
        for line in
            ["devices", "simulate --boids 100 --steps 2 --export a.npz", "render --boids 100 --frames 1 --out a.png"]
        {
            let script = format!("ulimit {limit}; exec {} {line}", env!("CARGO_BIN_EXE_starlings"));
            let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
            assert_refused(&output, 3, &[what, "a Vulkan driver needs at least"], &format!("{limit}: {line}"));
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

/// Where it cannot grow, lavapipe and SwiftShader would end the program without a word (SIGBUS).
#[test]
fn too_small_a_file_for_the_memory_of_a_software_driver_is_one_line() {
    let Some(device) = crate::common::device() else { return };
    if !["llvmpipe", "SwiftShader"].iter().any(|name| device.info().name.contains(name)) {
        return eprintln!("SKIPPED, nothing was tested: {} keeps no memory in files", device.info().name);
    }
    let folder = tempfile::tempdir().expect("a folder");
    for line in ["simulate --boids 100 --steps 2 --export a.npz", "render --boids 100 --frames 1 --out a.png", "bench"]
    {
        let script = format!("ulimit -f 50; exec {} {line}", env!("CARGO_BIN_EXE_starlings"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
        assert_refused(&output, 3, &["lacks", "a file (`ulimit -f`) is 0 MiB"], line);
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn too_few_threads_are_one_line() {
    // A superuser has no such limit: another real user without these two rights has.
    let other = ["setpriv", "--ruid", "65534", "--bounding-set=-sys_resource,-sys_admin"];
    let can = |words: &[&str]| Command::new(words[0]).args(&words[1..]).arg("true").output();
    let may = |words: &[&str]| can(words).is_ok_and(|output| output.status.success());
    let (other, most): (&[&str], _) = if may(&other) { (&other, "--nproc=4") } else { (&[], "--nproc=1") };
    if !may(&["prlimit", most]) {
        assert!(!crate::common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but prlimit (util-linux) is not installed");
        return eprintln!("SKIPPED, nothing was tested: prlimit (util-linux) is not installed");
    }
    let folder = tempfile::tempdir().expect("a folder");
    for line in ["simulate --engine cpu --boids 100 --steps 2 --hash", "simulate --boids 100 --steps 2 --export a.npz"]
    {
        let program = ["prlimit", most, env!("CARGO_BIN_EXE_starlings")];
        let mut words = other.iter().copied().chain(program);
        let mut command = Command::new(words.next().expect("a program"));
        let output = command.args(words).args(line.split(' ')).current_dir(folder.path()).output().expect("it runs");
        assert_refused(&output, 3, &["cannot start threads: "], &format!("{line}: {}", text(&output.stderr)));
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

/// By name, where the flock itself does not fit; else by the bytes that were refused.
#[test]
fn memory_that_runs_out_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut done, mut refused, mut ran_out) = (0, 0, 0);
    for limit in (30..280).step_by(10) {
        let line = "simulate --engine cpu --boids 1000000 --steps 0 --export a.npz";
        let script =
            format!("ulimit -d {limit}000; RAYON_NUM_THREADS=2 exec {} {line}", env!("CARGO_BIN_EXE_starlings"));
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
        let said = text(&output.stderr);
        if output.status.success() {
            assert_eq!(names(folder.path()), ["a.npz"], "{limit}");
            std::fs::remove_file(folder.path().join("a.npz")).expect("it is there");
            done += 1;
            continue;
        }
        assert_refused(&output, 3, &[""], &format!("{limit} MB: {said}"));
        assert_eq!(names(folder.path()), [""; 0], "{limit}");
        refused += usize::from(said.contains("1000000 boids do not fit on the host, which has 0."));
        ran_out += usize::from(said.contains("out of memory: "));
    }
    assert!(done > 0 && refused > 0 && ran_out > 0, "{done} done, {refused} refused, {ran_out} ran out");
}
