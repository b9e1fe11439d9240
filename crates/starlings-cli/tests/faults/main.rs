//! Every Vulkan call fails, one at a time, with each error that its specification lists: the program must end in one
//! line that names the call or its object, with status 3, without leftovers in memory or on disk. Some failures have no
//! effect; they are listed in `harmless`. A window that has lost its device says so, and goes on with another one.
//!
//! `layer.c` makes calls fail. The validation layer, below it, reports what is not destroyed. The tests here fail the
//! first call of each function, and lose the device; the whole is `cargo test --test faults -- --ignored`.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

#[path = "../common/mod.rs"]
mod common;
mod layer;
mod results;
mod system_calls;
mod window;

use layer::{Fault, Layer, Outcome};
use results::{DEVICE_LOST, INCOMPATIBLE_DRIVER, TIMEOUT, code, harmless, results};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A run of the program, and the file that it writes.
pub struct Program {
    name: &'static str,
    line: &'static str,
    file: Option<&'static str>,
}

const SIMULATE: Program = Program {
    name: "simulate",
    line: "simulate --boids 300 --steps 40 --every 20 --stats b.csv --stats-every 10 --export a.npz",
    file: Some("a.npz"),
};
const RENDER: Program = Program {
    name: "render",
    line: "render --preset reynolds --boids 300 --frames 3 --size 64x48 --trail 0.5 --color speed --out a.png",
    file: Some("a.png"),
};
const VIEW: Program =
    Program { name: "view", line: "view --boids 300 --size 320x240 --frames 3 --no-vsync", file: None };
const BENCH: Program = Program { name: "bench", line: "bench --boids 300 --warm-up 2 --repeats 2", file: None };
const BREAK: Program =
    Program { name: "break", line: "sync break count-to-reduce --boids 300 --trial 2 --size 64x48", file: None };
const SYNC: Program = Program { name: "sync", line: "sync", file: None };
const PROVE: Program = Program { name: "prove", line: "sync prove --preset cursor", file: None };

/// What is wrong with how `program` ended, if anything.
fn complaint(program: &Program, fault: &Fault<'_>, outcome: &Outcome) -> Option<String> {
    let Outcome { status, stdout, stderr, files, .. } = outcome;
    let lines: Vec<&str> = stderr.lines().collect();
    let complain = |what: &str| Some(format!("{what} (status {status:?}, files {files:?})\n{stderr}"));
    if status.is_none() {
        return complain("killed, or it hangs");
    }
    // `sync` records frames for a display without a swapchain, and does not run them.
    let known = |line: &&str| line.contains("VUID-VkImageMemoryBarrier2-newLayout-parameter");
    let reports = ["VUID", "Validation Error", "UNASSIGNED"];
    let is_report = |line: &str| reports.iter().any(|word| line.contains(word));
    if stdout.lines().chain(stderr.lines()).filter(|line| !known(line)).any(is_report) {
        return complain("the validation layer has found something").map(|text| text + stdout);
    }
    if ["panicked", "defect"].iter().any(|word| stderr.contains(word)) {
        return complain("a panic");
    }
    let names = |line: &str| {
        let call = fault.call.trim_end_matches("KHR").trim_end_matches("EXT");
        // Memory is named by what it was for, and surfaces by the window.
        let words = match call {
            "vkAllocateMemory" | "vkMapMemory" => "no memory for ",
            "vkCreateXlibSurface" | "vkCreateXcbSurface" => "making a surface failed on window",
            "vkCreateInstance" => "no Vulkan driver on this machine",
            // The loader calls it, too, and hands on the failure.
            "vkEnumerateDeviceExtensionProperties" => "vkCreateDevice failed on ",
            _ => call,
        };
        line.contains(call) || line.contains(words)
    };
    if *status == Some(0) {
        let whole = program.file.is_none_or(|file| files.iter().any(|name| name == file));
        // Without a driver, these record the frame with the null driver.
        let with_null_driver = ["sync", "break"].contains(&program.name) && fault.result == INCOMPATIBLE_DRIVER;
        // A window's last wait is for its presentations, when its swapchain is destroyed.
        let at_end = program.name == "view" && fault.call == "vkWaitForFences" && fault.last;
        let survived = lines.len() == 1 && lines[0].contains("WARN") && names(lines[0]);
        let goes_on = program.name == "view" && fault.result == DEVICE_LOST && lines.len() == 1 && names(lines[0]);
        let went_on = goes_on && ["; going on from step ", "; starting over"].iter().any(|end| lines[0].contains(end));
        let passes = harmless(fault.call, fault.result) || with_null_driver || at_end || survived || went_on;
        return match (passes || !outcome.reached, whole) {
            (false, _) => complain("passed over"),
            (true, false) => complain("the file is missing"),
            (true, true) => None,
        };
    }
    if lines.len() != 1 || !lines[0].starts_with("starlings: ") {
        return complain("not one line");
    }
    if !names(lines[0]) {
        return complain("the line does not name the call");
    }
    if *status != Some(3) {
        return complain("not status 3");
    }
    if !files.is_empty() {
        return complain("a file is left");
    }
    if fault.result == DEVICE_LOST && !lines[0].contains("lost") {
        return complain("the line does not say that the device was lost");
    }
    None
}

/// Runs `program` with each of `faults`. Returns the complaints, and how many of the calls were made and failed.
fn run_all(layer: &Layer, program: &Program, faults: &[Fault<'_>]) -> (Vec<String>, usize) {
    let (next, failed, complaints) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(fault) = faults.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = layer.run(program, Some(fault));
            failed.fetch_add(usize::from(outcome.reached), Ordering::Relaxed);
            if let Some(what) = complaint(program, fault, &outcome) {
                let text = format!(
                    "{}, call {} of {} is {}: {what}",
                    program.name,
                    fault.number,
                    fault.call,
                    code(fault.result)
                );
                complaints.lock().expect("no panic").push(text);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    (complaints.into_inner().expect("no panic"), failed.into_inner())
}

/// Counts the calls of `program`, then fails call number `1..=most` of each function, with one in `one_in` of its
/// errors.
fn fail_calls(layer: &Layer, program: &Program, most: u32, one_in: usize) {
    let counts = layer.counts(program);
    let mut faults = Vec::new();
    for (call, &count) in &counts {
        // Names of objects are for profilers: one is like another.
        let count = if call == "vkSetDebugUtilsObjectNameEXT" { 1 } else { count };
        for number in 1..=count.min(most) {
            let (last, number) = (number == count, number.to_string());
            faults.extend(results(call).iter().map(|&result| Fault { call, number: number.clone(), result, last }));
        }
    }
    let faults: Vec<_> = faults.into_iter().step_by(one_in).collect();
    let begun = std::time::Instant::now();
    let (complaints, failed) = run_all(layer, program, &faults);
    let calls: u32 = counts.values().sum();
    println!(
        "{}: {} functions, {calls} calls, {failed} of {} failed in {:.0?}, {} complaints",
        program.name,
        counts.len(),
        faults.len(),
        begun.elapsed(),
        complaints.len()
    );
    assert!(complaints.is_empty(), "{} of {}:\n\n{}", complaints.len(), faults.len(), complaints.join("\n\n"));
    assert!(20 * failed > 19 * faults.len(), "only {failed} of {} calls were made", faults.len());
}

#[test]
fn simulate_survives_each_first_call() {
    let Some(layer) = Layer::new(None) else { return };
    fail_calls(&layer, &SIMULATE, 1, 1);
}

#[test]
fn render_survives_each_first_call() {
    let Some(layer) = Layer::new(None) else { return };
    fail_calls(&layer, &RENDER, 1, 1);
}

#[test]
fn a_lost_device_is_reported_with_the_last_pass_that_finished() {
    let Some(layer) = Layer::new(None) else { return };
    let submissions = layer.counts(&SIMULATE)["vkQueueSubmit2"];
    let lost = |call, number: u32, done: Option<u32>| {
        let fault = Fault { call, number: number.to_string(), result: DEVICE_LOST, last: false };
        // After that, only so many timestamps of a frame have arrived.
        let done: Vec<_> = done.map(|done| ("STARLINGS_FAULT_DONE", done.to_string())).into_iter().collect();
        let outcome = layer.run_with(&SIMULATE, Some(&fault), &done);
        assert_eq!(complaint(&SIMULATE, &fault, &outcome), None);
        outcome.stderr
    };
    assert!(lost("vkQueueSubmit2", 1, None).contains("vkQueueSubmit2 failed on upload"));
    // Uploads come first. Of the first frame with steps, no timestamp, then those of two passes have arrived, then all.
    let first = (2..=submissions)
        .find(|&number| lost("vkWaitForFences", number, None).contains("; the last pass that finished"));
    let first = first.expect("a frame with steps");
    let none = lost("vkWaitForFences", first, Some(0));
    assert!(none.contains("; the last step that was recorded is step 1"), "{none}");
    let two = lost("vkWaitForFences", first, Some(4));
    assert!(two.contains("; the last pass that finished is grid_count of step 1"), "{two}");
    let next = lost("vkWaitForFences", first + 1, Some(0));
    assert!(next.contains("; the last pass that finished is "), "{next}");
}

/// By `VK_EXT_device_fault`, which software drivers do not have: the layer pretends.
#[test]
fn what_a_driver_reports_of_a_lost_device_is_told() {
    let Some(layer) = Layer::new(None) else { return };
    let fault = Fault { call: "vkWaitForFences", number: "4".into(), result: DEVICE_LOST, last: false };
    let outcome = layer.run_with(&SIMULATE, Some(&fault), &[("STARLINGS_FAULT_REPORT", "1".into())]);
    assert_eq!(complaint(&SIMULATE, &fault, &outcome), None);
    let report = "; the driver reports a layer pretends: it faulted, an invalid write at 0x1000 or up to 4095 bytes \
                  after, MMU (0x7, 0x10)\n";
    assert!(outcome.stderr.ends_with(report), "{}", outcome.stderr);
}

/// A driver that never says that its device was lost: the wait is told of, and goes on.
#[test]
fn a_wait_that_takes_long_is_told_of() {
    let Some(layer) = Layer::new(None) else { return };
    let waits = layer.counts(&SIMULATE)["vkWaitForFences"];
    // A wait comes in pieces of a quarter of a second.
    let number = format!("{waits}-{}", waits + 120);
    let fault = Fault { call: "vkWaitForFences", number, result: TIMEOUT, last: true };
    let outcome = layer.run(&SIMULATE, Some(&fault));
    assert_eq!((outcome.status, complaint(&SIMULATE, &fault, &outcome)), (Some(0), None));
    let told = ["WARN", " is not done after 30 s; the last pass that finished is "]
        .map(|words| outcome.stderr.contains(words));
    assert_eq!((told, outcome.stderr.lines().count()), ([true; 2], 1), "{}", outcome.stderr);
}

/// Fails call number `1..=most` of each function of `program`.
fn fail_all(program: &Program, most: u32) {
    if let Some(layer) = Layer::new(None) {
        fail_calls(&layer, program, most, 1);
    }
}

#[test]
#[ignore = "long: takes minutes"]
fn every_call_of_simulate_may_fail() {
    fail_all(&SIMULATE, u32::MAX);
}

#[test]
#[ignore = "long: takes minutes"]
fn every_call_of_render_may_fail() {
    fail_all(&RENDER, u32::MAX);
}

#[test]
#[ignore = "long: takes minutes"]
fn every_call_of_sync_may_fail() {
    fail_all(&SYNC, u32::MAX);
}

/// Its calls are many and alike, as are those of the next.
#[test]
#[ignore = "long: takes minutes"]
fn calls_of_bench_may_fail() {
    fail_all(&BENCH, 8);
}

#[test]
#[ignore = "long: takes minutes"]
fn calls_of_sync_break_may_fail() {
    fail_all(&BREAK, 3);
}

/// A whole proof takes minutes, so calls whose failure is harmless do not fail here.
#[test]
#[ignore = "long: takes minutes"]
fn sync_prove_survives_each_first_call() {
    let Some(layer) = Layer::new(None) else { return };
    let mut calls: Vec<String> = layer.counts(&SYNC).into_keys().collect();
    calls.extend(["vkQueueSubmit2", "vkWaitForFences", "vkResetFences"].map(str::to_owned));
    let fault = |call, result| Fault { call, number: "1".into(), result, last: false };
    let faults = calls.iter().flat_map(|call| results(call).iter().map(move |&result| fault(call, result)));
    // A wait that takes long goes on, too.
    let ends = |fault: &Fault<'_>| !harmless(fault.call, fault.result) && fault.result != TIMEOUT;
    let faults: Vec<Fault<'_>> = faults.filter(ends).collect();
    let (complaints, failed) = run_all(&layer, &PROVE, &faults);
    assert_eq!(failed, faults.len(), "every one is a first call");
    assert!(complaints.is_empty(), "{} of {}:\n\n{}", complaints.len(), faults.len(), complaints.join("\n\n"));
}
