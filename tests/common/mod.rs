//! Shared by GPU tests: a device, or a skip with a message.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod kinds;
pub mod meshes;
pub mod obstacles;
pub mod perceived;
pub mod placements;
pub mod slopes;
pub mod torus;
pub mod twin;

use starlings::flock::Settings;
use starlings::simulation::Simulation;
use starlings::vk::{Device, DeviceOptions, Fault, Instance, InstanceOptions, Validation};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Whether the environment variable `name` is set to 1, which turns a skipped test into a failed one.
pub fn required(name: &str) -> bool {
    std::env::var(name).is_ok_and(|value| value == "1")
}

/// What a line of a process's status says of its memory, in KiB: `VmRSS` for all that is resident. A process is named
/// by its id, or `self`.
pub fn memory_kib(process: &str, line: &str) -> u64 {
    let path = format!("/proc/{process}/status");
    let status = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let value = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
    value.expect("every process has memory").trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Runs what rayon shares out on threads of this test's own: what those of the pool of all tests print when it fails
/// would be shown as another test's, if at all.
pub fn on_all_cores<R: Send>(run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().build().expect("threads can be started").install(run)
}

/// A Python interpreter that has numpy, or none (with a message on stderr).
///
/// # Panics
/// If there is none although `REQUIRE_NUMPY=1`.
pub fn python_with_numpy() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let imported = Command::new(&python).args(["-c", "import numpy"]).output();
    if imported.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(!required("REQUIRE_NUMPY"), "REQUIRE_NUMPY=1, but {python} cannot import numpy");
    eprintln!("SKIPPED, nothing was tested: {python} cannot import numpy");
    None
}

/// The start of a command line, whose program handles signals as one that a terminal starts: a shell that runs the
/// tests in the background makes them ignore SIGINT, which their children inherit, and only GNU `env` can undo that.
pub fn with_default_signals() -> Command {
    let mut command = Command::new("env");
    if cfg!(target_os = "linux") {
        command.arg("--default-signal=HUP,INT,TERM");
    }
    command
}

/// A device without validation, or none (with a message on stderr) if the machine has none.
///
/// # Panics
/// If there is none although `REQUIRE_GPU=1`.
pub fn device() -> Option<Arc<Device>> {
    open(Validation::Off, "REQUIRE_GPU", &usual())
}

/// A device with core and synchronization validation, or none (with a message on stderr).
///
/// # Panics
/// If there is none although `REQUIRE_VALIDATION=1`.
pub fn validated_device() -> Option<Arc<Device>> {
    open(Validation::Required, "REQUIRE_VALIDATION", &usual())
}

/// A device with validation on which flocks find their arrays by address, or none (with a message on stderr).
///
/// # Panics
/// If there is none although `REQUIRE_VALIDATION=1`.
pub fn by_address_device() -> Option<Arc<Device>> {
    let options = DeviceOptions { by_address: true, ..DeviceOptions::default() };
    let device = open(Validation::Required, "REQUIRE_VALIDATION", &options)?;
    if !device.info().device_addresses {
        let lacks = "has no bufferDeviceAddress or no shaderInt64";
        assert!(!required("REQUIRE_VALIDATION"), "REQUIRE_VALIDATION=1, but {} {lacks}", device.info().name);
        eprintln!("SKIPPED, nothing was tested: {} {lacks}", device.info().name);
        return None;
    }
    Some(device)
}

/// A device without validation, opened with `options`, or none (with a message on stderr).
///
/// # Panics
/// If there is none although `REQUIRE_GPU=1`.
pub fn device_with(options: &DeviceOptions<'_>) -> Option<Arc<Device>> {
    open(Validation::Off, "REQUIRE_GPU", options)
}

/// A device of which nothing that is submitted is judged, or none (with a message on stderr).
///
/// # Panics
/// If there is none although it is required.
pub fn unwatched_device(validation: Validation) -> Option<Arc<Device>> {
    let requirement = if validation == Validation::Required { "REQUIRE_VALIDATION" } else { "REQUIRE_GPU" };
    opened(validation, requirement, &usual())
}

fn usual() -> DeviceOptions<'static> {
    DeviceOptions { pipeline_cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR"))), ..DeviceOptions::default() }
}

fn open(validation: Validation, requirement: &str, options: &DeviceOptions<'_>) -> Option<Arc<Device>> {
    // What tests submit is judged, but for what has deliberate faults.
    opened(validation, requirement, &DeviceOptions { watch: options.watch.or(Some(&[])), ..*options })
}

fn opened(validation: Validation, requirement: &str, options: &DeviceOptions<'_>) -> Option<Arc<Device>> {
    let opened = Instance::new(&InstanceOptions { validation, display: None, capture: false })
        .and_then(|instance| Device::with_options(&instance, options));
    match opened {
        Ok(device) => Some(device),
        Err(error) if required(requirement) => panic!("{requirement}=1, but {error}"),
        Err(error) => {
            eprintln!("SKIPPED, nothing was tested: {error}");
            None
        }
    }
}

/// A flock of `settings` on `device`, one submission a step, leaving out the dependency `omit` if given.
pub fn simulation(device: &Arc<Device>, settings: &Settings, omit: Option<&str>) -> Simulation {
    let simulation = Simulation::new(device, settings).expect("a flock of valid settings fits");
    let faults = omit.map(|name| Fault::Omit(name.to_owned()));
    simulation.with_steps_per_submission(1).with_faults(faults.into_iter().collect())
}
