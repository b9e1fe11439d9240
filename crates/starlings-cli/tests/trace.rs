//! `--trace`: files in the Trace Event Format, with the passes of the frame at the right times.

mod common;

use common::screen::Screen;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// A slice of a track, in nanoseconds.
#[derive(Clone, Debug)]
struct Slice {
    name: String,
    category: String,
    submission: Option<u64>,
    begin: i64,
    end: i64,
}

/// A trace in the format.
struct Trace {
    slices: Vec<Slice>,
    /// Nanoseconds by which times of the device may be off.
    error: i64,
    clock: String,
}

impl Trace {
    /// Runs the program with `--trace` in a folder of its own.
    fn of(line: &str, display: Option<&str>) -> Trace {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
        command.args(line.split(' ')).args(["--trace", "trace.json"]).current_dir(folder.path());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.envs(display.map(|display| ("DISPLAY", display)));
        let output = command.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {said}");
        Trace::read(&folder.path().join("trace.json"))
    }

    /// Reads a file and checks it against the format, as far as it is used here.
    fn read(path: &Path) -> Trace {
        let text = std::fs::read(path).expect("the trace is there");
        let json: Value = serde_json::from_slice(&text).expect("it is JSON");
        assert_eq!(json["displayTimeUnit"], "ms");
        let nanos = |value: &Value| (value.as_f64().expect("a number") * 1e3).round() as i64;
        let mut tracks: BTreeMap<(u64, u64), Vec<Slice>> = BTreeMap::new();
        let (mut names, mut arrows) = (BTreeSet::new(), BTreeMap::new());
        for event in json["traceEvents"].as_array().expect("a list of events") {
            let number = |key: &str| event[key].as_u64().unwrap_or_else(|| panic!("{key} of {event}"));
            let text = |key: &str| event[key].as_str().unwrap_or_else(|| panic!("{key} of {event}")).to_owned();
            let (name, track) = (text("name"), (number("pid"), number("tid")));
            match text("ph").as_str() {
                "M" => {
                    assert!(event["args"]["name"].is_string(), "{event}");
                    assert!(names.insert((name, track)), "twice: {event}");
                }
                "X" => {
                    let (begin, length) = (nanos(&event["ts"]), nanos(&event["dur"]));
                    assert!(begin >= 0 && length >= 0, "{event}");
                    let submission = event["args"]["submission"].as_u64();
                    let slice = Slice { name, category: text("cat"), submission, begin, end: begin + length };
                    tracks.entry(track).or_default().push(slice);
                }
                "C" => assert!(event["args"][&name].is_u64(), "{event}"),
                phase @ ("s" | "f") => {
                    let ends = arrows.entry(number("id")).or_insert([None, None]);
                    let end = &mut ends[usize::from(phase == "f")];
                    assert!(end.replace((track, nanos(&event["ts"]))).is_none(), "twice: {event}");
                }
                other => panic!("phase {other} of {event}"),
            }
        }
        for (&track, slices) in &mut tracks {
            assert!(names.contains(&("thread_name".into(), track)), "{track:?} has no name");
            assert!(names.contains(&("process_name".into(), (track.0, 0))), "process of {track:?} has no name");
            // Overlapping slices are nested.
            slices.sort_by_key(|slice| (slice.begin, -slice.end));
            let mut open: Vec<&Slice> = Vec::new();
            for slice in slices.iter() {
                open.retain(|outer| outer.end > slice.begin);
                assert!(open.iter().all(|outer| slice.end <= outer.end), "{slice:?} sticks out of {open:?}");
                open.push(slice);
            }
        }
        for (id, ends) in arrows {
            let [Some(from), Some(to)] = ends else { panic!("half an arrow: {id}") };
            for (track, at) in [from, to] {
                let bound = tracks[&track].iter().any(|slice| slice.submission == Some(id) && slice.begin == at);
                assert!(bound, "arrow {id} hangs in the air");
            }
        }
        let about = &json["otherData"];
        Trace {
            slices: tracks.into_values().flatten().collect(),
            error: nanos(&about["clock_error_us"]),
            clock: about["clock"].as_str().expect("how clocks were compared").to_owned(),
        }
    }

    fn of_category<'a>(&'a self, category: &'a str) -> impl Iterator<Item = &'a Slice> {
        self.slices.iter().filter(move |slice| slice.category == category)
    }

    /// Names of the passes of each submission, sorted.
    fn passes(&self) -> Vec<Vec<&str>> {
        let mut passes: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for pass in self.of_category("pass") {
            passes.entry(pass.submission.expect("a submission")).or_default().push(&pass.name);
        }
        passes.values_mut().for_each(|names| names.sort_unstable());
        passes.into_values().collect()
    }

    /// Fails unless each submission runs after the host began to submit it and before the host's wait for it ended, and
    /// its passes in it. The host waits for submissions one after another.
    fn assert_causal(&self) {
        assert!(self.clock.starts_with("VK_") || self.clock.starts_with("a timestamp"), "{}", self.clock);
        let waits: Vec<&Slice> = self.of_category("host").filter(|slice| slice.name == "wait").collect();
        let mut count = 0;
        for work in self.of_category("submission") {
            let submit =
                self.of_category("host").find(|host| host.submission == work.submission).expect("a submission");
            assert_eq!(submit.name, "submit");
            assert!(submit.begin <= work.begin + self.error, "{work:?} began before {submit:?}, {}", self.clock);
            let waited = waits.iter().any(|wait| wait.end >= submit.end && work.end <= wait.end + self.error);
            assert!(waited, "nobody waited for {work:?}");
            for pass in self.of_category("pass").filter(|pass| pass.submission == work.submission) {
                assert!(pass.end <= work.end, "{pass:?} ends after {work:?}");
            }
            count += 1;
        }
        assert!(count > 1, "nothing ran");
    }
}

/// Passes of a frame with `steps` steps, sorted, as `starlings sync` prints them.
fn printed(frame: &str, steps: usize) -> Vec<String> {
    let line = format!("sync --frame {frame} --steps {steps} --format json");
    let output = Command::new(env!("CARGO_BIN_EXE_starlings")).args(line.split(' ')).output().expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let entries = json["entries"].as_array().expect("a list").iter();
    let mut names: Vec<String> = entries
        .filter(|entry| entry["kind"] == "pass")
        .map(|pass| pass["name"].as_str().expect("a pass has a name").to_owned())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn frames_and_steps_have_the_passes_that_sync_prints_in_their_place() {
    if common::device().is_none() {
        return;
    }
    let render = Trace::of("render --boids 300 --size 64x36 --frames 4 --out frames --quiet", None);
    render.assert_causal();
    assert_eq!(render.passes(), vec![printed("offscreen", 1); 4]);
    for name in ["frame", "host write", "record", "submit", "wait", "host read"] {
        let count = render.of_category("host").filter(|slice| slice.name == name).count();
        assert!(count >= 4, "{count} of {name}");
    }

    let trace = Trace::of("simulate --boids 300 --steps 3 --every 1 --export a.npz --quiet", None);
    trace.assert_causal();
    let step = printed("step", 1);
    assert_eq!(trace.passes(), vec![step.clone(); 3]);

    let trace = Trace::of("bench --boids 300 --warm-up 1 --repeats 2 --quiet", None);
    trace.assert_causal();
    // Its gate and its copies are also there.
    let steps = trace.passes().into_iter().filter(|names| *names == step).count();
    assert!(steps >= 3, "{steps} steps in {:?}", trace.passes());
}

#[test]
fn a_window_is_traced_to_its_last_frame() {
    if common::device().is_none() {
        return;
    }
    let Some(screen) = Screen::new() else {
        assert!(!common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb is not installed");
        return eprintln!("SKIPPED, nothing was tested: Xvfb is not installed");
    };
    let trace = Trace::of("view --boids 300 --size 160x240 --frames 12", Some(&screen.display));
    trace.assert_causal();
    let passes = trace.passes();
    assert_eq!(passes.len(), 12);
    const ORDER: [&str; 5] = ["milling_mean", "milling_reduce", "observe", "order_mean", "order_reduce"];
    let mut copies = 0;
    for mut names in passes {
        // One frame of 60 copies the boids, in case the device is lost.
        copies += names.extract_if(.., |name| *name == "copy_boids").count();
        // Some frames compute the order parameters for the panel: all of their passes, once.
        let order: Vec<&str> = names.extract_if(.., |name| ORDER.contains(name)).collect();
        assert!(order.is_empty() || order == ORDER, "{order:?}");
        // The number of steps of a frame depends on the elapsed time.
        let steps = names.iter().filter(|name| **name == "steer").count();
        assert_eq!(names, printed("windowed", steps));
    }
    assert_eq!(copies, 1);
    for name in ["frame", "acquire", "host write", "record", "submit", "present"] {
        assert!(trace.of_category("host").filter(|slice| slice.name == name).count() >= 12, "{name}");
    }
}
