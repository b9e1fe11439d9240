//! Every command of docs/profiling.md, in its order, in one folder.

use super::{renderdoc, screen};
use std::path::Path;
use std::process::Command;

/// Lines of the document's `sh` blocks.
fn commands() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/profiling.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().expect("it ends"));
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// `line`, made small enough for a software driver, and ended where a user would end it.
fn small(line: &str) -> String {
    let mut line = line.replace("crates/starlings-cli/", concat!(env!("CARGO_MANIFEST_DIR"), "/"));
    let draws = line.contains("starlings view") || line.contains("starlings render");
    for (flag, value, wanted) in
        [("--boids", "300", line.contains("starlings ")), ("--size", "160x240", draws), ("--frames", "3", draws)]
    {
        if wanted && !line.contains(flag) {
            line = format!("{line} {flag} {value}");
        }
    }
    line
}

#[test]
fn the_commands_of_the_document_work() {
    let Some(_alone) = renderdoc() else { return };
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let programs = Path::new(env!("CARGO_BIN_EXE_starlings")).parent().expect("it lies somewhere");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a search path"));
    let (mut run, mut by_hand) = (0, 0);
    for line in commands() {
        // These rebuild the program.
        if line.starts_with("STARLINGS_SHADER_DEBUG=1 ./bootstrap run ") {
            by_hand += 1;
            continue;
        }
        let mut command = Command::new("sh");
        command.args(["-c", &small(&line)]).current_dir(folder.path()).env("PATH", &path);
        command.env("DISPLAY", &screen.display).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        command.env("PYTHONFAULTHANDLER", "1"); // Should RenderDoc crash, it says where.
        let output = command.output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr);
        if line.contains("step.py") {
            // The program under test was not built for stepping.
            assert_eq!(output.status.code(), Some(1), "{line}: {said}");
            assert!(said.contains("build with STARLINGS_SHADER_DEBUG=1"), "{line}: {said}");
        } else {
            assert_eq!(output.status.code(), Some(0), "{line}: {said}");
        }
        run += 1;
    }
    assert!(run >= 8 && by_hand == 1, "{run} commands ran, {by_hand} were left to be run by hand");
    for name in ["starlings-frame-60.rdc", "starlings-frame-60-2.rdc", "frame.xml", "trace.json", "bench.json"] {
        assert!(folder.path().join(name).exists(), "no {name}");
    }
}
