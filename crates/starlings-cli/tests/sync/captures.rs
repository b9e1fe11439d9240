//! Captures of two other tools, of `starlings simulate --boids 300 --steps 3`, cut to the first three passes of a step:
//! by gfxreconstruct 0.9.18, converted by its own converter, and by RenderDoc 1.24, by `renderdoc.py`. Shaders are
//! there without their sources.

use std::path::Path;
use std::process::Command;

/// What is said of a capture, of which some text is replaced.
fn judged(name: &str, replaced: Option<[&str; 2]>) -> (Option<i32>, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sync/captures");
    let text = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).expect("the capture is there");
    let changed = replaced.map_or(text.clone(), |[from, to]| text.replace(from, to));
    assert_eq!(changed == text, replaced.is_none(), "{name} has that text");
    let other = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(other.path(), changed).expect("it can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command.args(["sync", "check"]).arg(other.path()).arg("--shaders").arg(folder.join(format!("{name}.shaders")));
    let output = command.output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn captures_of_two_tools_are_judged() {
    for name in ["renderdoc", "gfxreconstruct"] {
        let (_, intact) = judged(name, None);
        // What other frames need is too wide in three passes.
        assert!(intact.contains("1 frame, 3 passes, ") && intact.contains(" 0 missing"), "{name}: {intact}");
        assert!(!intact.contains("MISSING"), "{name}: {intact}");
        // The atomics of grid_count do not wait for the fill.
        let [clear, copy] = ["CLEAR", "COPY"].map(|of| format!("VK_PIPELINE_STAGE_2_{of}_BIT\",\"srcAccessMask\""));
        let (status, wrong) = judged(name, Some([&clear, &copy]));
        assert_eq!(status, Some(1), "{name}: {wrong}");
        assert!(wrong.contains("MISSING    RAW on cell_counts: grid_clear 1 → grid_count 2"), "{name}: {wrong}");
    }
}
