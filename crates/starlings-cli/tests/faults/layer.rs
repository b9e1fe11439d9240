//! The layer of `layer.c`: built, and stacked on the validation layer around a run of the program.

use super::Program;
use crate::common;
use starlings::vk::{Device, Instance, InstanceOptions, Validation};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than any run, on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(90);

/// A call that fails.
pub struct Fault<'a> {
    pub call: &'a str,
    /// Which of its calls, from 1; with a `+`, all later ones too, and with `-M` those up to call M.
    pub number: String,
    /// The `VkResult`.
    pub result: i32,
    /// Whether an undisturbed run has no later one.
    pub last: bool,
}

/// How a run ended.
pub struct Outcome {
    /// None if it was killed.
    pub status: Option<i32>,
    /// Whether the call that is to fail was made: under load, a window makes more or fewer than the run that was
    /// counted.
    pub reached: bool,
    pub stdout: String,
    pub stderr: String,
    /// What it left in its folder.
    pub files: Vec<String>,
    /// The text of the file that it writes, if that is one of them.
    pub text: String,
}

/// The built layer, and a filled pipeline cache.
pub struct Layer {
    folder: TempDir,
    display: Option<String>,
}

impl Layer {
    /// None, with a message, where there is no compiler, driver or validation layer. Windows open on `display`.
    pub fn new(display: Option<&str>) -> Option<Layer> {
        let validation = InstanceOptions { validation: Validation::Required, display: None, capture: false };
        let opened = Instance::new(&validation).and_then(|instance| Device::new(&instance, None, None));
        let folder = tempfile::tempdir().expect("a folder");
        let lacking = match (opened, build(folder.path())) {
            (Err(error), _) => Some(error.to_string()),
            (_, Err(error)) => Some(error),
            (Ok(_), Ok(())) => None,
        };
        if let Some(lacking) = lacking {
            assert!(!common::required("REQUIRE_VALIDATION"), "REQUIRE_VALIDATION=1, but {lacking}");
            eprintln!("SKIPPED, nothing was tested: {lacking}");
            return None;
        }
        Some(Layer { folder, display: display.map(str::to_owned) })
    }

    /// The calls of each function in an undisturbed run, which also fills the cache.
    pub fn counts(&self, program: &Program) -> BTreeMap<String, u32> {
        for _ in 0..2 {
            let outcome = self.run(program, None);
            assert_eq!(outcome.status, Some(0), "{}: {}", program.name, outcome.stderr);
        }
        let counts = fs::read_to_string(self.folder.path().join("counts")).expect("the layer has written it");
        let count =
            |line: &str| line.split_once(' ').map(|(count, call)| (call.to_owned(), count.parse().expect("a count")));
        counts.lines().filter_map(count).collect()
    }

    /// Runs `program` with `fault`, if any.
    pub fn run(&self, program: &Program, fault: Option<&Fault<'_>>) -> Outcome {
        self.run_with(program, fault, &[])
    }

    /// The same with more variables of the layer.
    pub fn run_with(&self, program: &Program, fault: Option<&Fault<'_>>, more: &[(&str, String)]) -> Outcome {
        let folder = tempfile::tempdir().expect("a folder for files");
        let output = folder.path().join("output");
        fs::create_dir(&output).expect("a new folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
        command.args(program.line.split(' ')).current_dir(&output).stdin(Stdio::null());
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        if let Some(display) = &self.display {
            command.env("DISPLAY", display);
        }
        let layers = "VK_LAYER_STARLINGS_faults:VK_LAYER_KHRONOS_validation";
        // Mesa's layer for the order of devices, above these two, does not survive failures itself.
        command.env("NODEVICE_SELECT", "1");
        command.env("VK_INSTANCE_LAYERS", layers).env("VK_LAYER_VALIDATE_SYNC", "0");
        match std::env::var("VK_LAYER_PATH") {
            Ok(path) => command.env("VK_LAYER_PATH", format!("{}:{path}", self.folder.path().display())),
            Err(_) => command.env("VK_ADD_LAYER_PATH", self.folder.path()),
        };
        // Pipelines are built once, by the program's cache or by the driver's own.
        command.env("XDG_CACHE_HOME", self.folder.path().join("cache"));
        let reached = folder.path().join("reached");
        match fault {
            None => command.env("STARLINGS_FAULT_COUNTS", self.folder.path().join("counts")),
            Some(fault) => command
                .env("STARLINGS_FAULT_REACHED", &reached)
                .env("STARLINGS_FAULT_CALL", fault.call)
                .env("STARLINGS_FAULT_NUMBER", &fault.number)
                .env("STARLINGS_FAULT_RESULT", fault.result.to_string()),
        };
        command.envs(more.iter().cloned());
        // Files instead of pipes, which a run that writes much would wait for.
        let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.path().join(name));
        command.stdout(fs::File::create(&stdout).expect("a file")).stderr(fs::File::create(&stderr).expect("a file"));
        let mut process = common::screen::Running(command.spawn().expect("the program starts"));
        let begun = Instant::now();
        let status = loop {
            match process.0.try_wait().expect("it can be asked") {
                Some(status) => break status.code(),
                None if begun.elapsed() > TIME_LIMIT => break None,
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        drop(process);
        let text = |path: PathBuf| String::from_utf8_lossy(&fs::read(path).expect("a file")).into_owned();
        let entries = fs::read_dir(&output).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let files = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        let written = program.file.and_then(|file| fs::read(output.join(file)).ok()).unwrap_or_default();
        let written = String::from_utf8_lossy(&written).into_owned();
        Outcome { status, reached: reached.exists(), stdout: text(stdout), stderr: text(stderr), files, text: written }
    }
}

/// Builds the layer and its manifest in `folder`.
fn build(folder: &Path) -> Result<(), String> {
    let library = folder.join("libfaults.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/layer.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(&compiler);
    command.args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-o"]);
    let output =
        command.arg(&library).arg(source).output().map_err(|error| format!("{compiler} does not start: {error}"))?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = serde_json::json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": "VK_LAYER_STARLINGS_faults",
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.280",
            "implementation_version": "1",
            "description": "makes a call fail",
            "device_extensions": [
                { "name": "VK_EXT_device_fault", "spec_version": "2", "entrypoints": ["vkGetDeviceFaultInfoEXT"] },
            ],
        },
    });
    fs::write(folder.join("faults.json"), manifest.to_string()).expect("a manifest");
    Ok(())
}
