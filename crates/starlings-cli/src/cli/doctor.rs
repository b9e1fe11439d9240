//! `starlings doctor`: what this machine has and lacks, a line each, with the package that has it.

use super::numbers::bytes;
use super::output::print;
use crate::export::words;
use crate::machine::{drivers, packages};
use crate::system::load_library;
use crate::{Error, Result, cache_folder};
use starlings::host_memory;
use starlings::vk::{Instance, InstanceOptions, Validation};
use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Libraries that windows and Vulkan open at run time.
const LIBRARIES: [&str; 9] = [
    "libvulkan.so.1",
    "libX11.so.6",
    "libX11-xcb.so.1",
    "libxcb.so.1",
    "libXcursor.so.1",
    "libXi.so.6",
    "libxkbcommon.so.0",
    "libxkbcommon-x11.so.0",
    "libwayland-client.so.0",
];

/// How long `ffmpeg` may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of disk and memory below which little can be done.
const LITTLE: u64 = 256 << 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Missing or wrong, but only some commands need it.
    Lacking,
    /// Nothing runs on the device without it.
    Bad,
}

struct Finding {
    what: &'static str,
    state: State,
    text: String,
}

impl Finding {
    fn good(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, state: State::Good, text: text.into() }
    }

    fn lacking(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, state: State::Lacking, text: text.into() }
    }

    fn bad(what: &'static str, text: impl Into<String>) -> Finding {
        Finding { what, state: State::Bad, text: text.into() }
    }
}

/// Says all that is found.
///
/// # Errors
/// [`starlings::Error::NoDevice`] where no flock can be stepped on a device.
pub fn run() -> Result<()> {
    let mut findings = display();
    findings.push(loaded());
    findings.extend(vulkan());
    findings.push(layer());
    findings.extend(cache());
    findings.push(ffmpeg());
    findings.extend(room());
    let line = |Finding { what, state, text }: &Finding| {
        let state = match state {
            State::Good => "ok",
            State::Lacking => "-",
            State::Bad => "BAD",
        };
        format!("{state:<4}{what:<12}{text}")
    };
    print(&findings.iter().map(line).collect::<Vec<_>>().join("\n"))?;
    match findings.iter().find(|finding| finding.state == State::Bad) {
        Some(Finding { what, text, .. }) => Err(starlings::Error::NoDevice(format!("{what}: {text}")).into()),
        None => Ok(()),
    }
}

/// How to install `what`, in a sentence.
fn get(what: &str) -> String {
    packages::install(what).map(|line| format!("; `{line}`")).unwrap_or_default()
}

#[cfg(all(unix, not(target_os = "macos")))]
fn display() -> Vec<Finding> {
    use crate::machine::display::{ask_x, is_named, stale_wayland, wayland_socket};
    let mut findings = Vec::new();
    let x11 = is_named("DISPLAY");
    match (wayland_socket(), stale_wayland()) {
        (_, Some(stale)) => {
            findings.push(Finding::lacking("Wayland", format!("WAYLAND_DISPLAY is left over: {stale}")))
        }
        (Some(socket), None) => findings.push(Finding::good("Wayland", socket.display().to_string())),
        (None, None) if is_named("WAYLAND_SOCKET") => findings.push(Finding::good("Wayland", "by WAYLAND_SOCKET")),
        (None, None) => {}
    }
    if !x11 {
        if findings.iter().all(|finding| finding.state != State::Good) {
            let text = "neither DISPLAY nor WAYLAND_DISPLAY is set: pictures and files, but no window";
            findings.push(Finding::lacking("display", text));
        }
        return findings;
    }
    let name = env::var("DISPLAY").unwrap_or_default();
    match ask_x() {
        Err(error) => findings.push(Finding::lacking("X11", error.to_string())),
        Ok(Err(reason)) => findings.push(Finding::lacking("X11", format!("{name}: {reason}"))),
        Ok(Ok(server)) => {
            findings.push(Finding::good("X11", format!("{name}, {}", server.name)));
            findings.push(match server.lacks.is_empty() {
                true => Finding::good("extensions", "RANDR, XInputExtension, XKEYBOARD"),
                false => Finding::lacking("extensions", format!("the X server lacks {}", server.lacks.join(", "))),
            });
            if let Some(dpi) = server.dpi {
                findings.push(Finding::good("scale", format!("Xft.dpi is {dpi}; 96 is a pixel for a point")));
            }
        }
    }
    findings
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn display() -> Vec<Finding> {
    Vec::new()
}

fn loaded() -> Finding {
    if !cfg!(target_os = "linux") {
        return Finding::good("libraries", "those of the system");
    }
    let missing: Vec<&str> = LIBRARIES.into_iter().filter(|name| load_library(name).is_err()).collect();
    if missing.is_empty() {
        return Finding::good("libraries", LIBRARIES.join(", "));
    }
    let text: Vec<String> = missing.iter().map(|name| format!("there is no {name}{}", get(name))).collect();
    let state = if missing.contains(&LIBRARIES[0]) { State::Bad } else { State::Lacking };
    Finding { what: "libraries", state, text: text.join(", ") }
}

/// Manifests of drivers, and the devices that these find.
fn vulkan() -> Vec<Finding> {
    let mut findings = Vec::new();
    if cfg!(target_os = "linux") {
        let by = drivers::named_by().map(|name| format!(", by {name}")).unwrap_or_default();
        let manifests = drivers::manifests();
        if manifests.is_empty() {
            findings.push(Finding::bad("driver", format!("there is no driver manifest{by}{}", get("a driver"))));
        }
        findings.extend(manifests.into_iter().map(|manifest| {
            let path = manifest.path.display();
            match manifest.library {
                Ok(library) => Finding::good("driver", format!("{path} names {}{by}", library.display())),
                Err(reason) => Finding::lacking("driver", format!("{path} is damaged: {reason}{by}")),
            }
        }));
    }
    match Instance::new(&InstanceOptions::default()).and_then(|instance| instance.devices()) {
        Err(error) => findings.push(Finding::bad("device", error.to_string())),
        Ok(devices) if devices.is_empty() => {
            findings.push(Finding::bad("device", format!("no Vulkan device{}", get("a driver"))));
        }
        Ok(devices) => {
            let none_suits = devices.iter().all(|device| !device.missing.is_empty());
            findings.extend(devices.iter().map(|device| {
                let text = format!("{}, {}, Vulkan {}", device.name, device.driver, device.api_version);
                match device.missing.is_empty() {
                    true => Finding::good("device", text),
                    false => {
                        let state = if none_suits { State::Bad } else { State::Lacking };
                        Finding { what: "device", state, text: format!("{text} lacks {}", device.missing.join(", ")) }
                    }
                }
            }));
        }
    }
    findings
}

fn layer() -> Finding {
    let options = InstanceOptions { validation: Validation::Required, ..InstanceOptions::default() };
    match Instance::new(&options) {
        Ok(_) => Finding::good("validation", "the layer is there, for --validation"),
        Err(error) => Finding::lacking("validation", format!("{error}{}", get("the validation layer"))),
    }
}

/// The folder of pipeline caches.
fn cache() -> Option<Finding> {
    let folder = cache_folder()?;
    let shown = folder.display();
    let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let size: u64 =
        files.filter_map(|file| file.metadata().ok()).filter(|file| file.is_file()).map(|file| file.len()).sum();
    // It is made when it is first needed.
    let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    Some(match tempfile::tempfile_in(there) {
        Ok(_) => Finding::good("cache", format!("{shown}, {}", bytes(size))),
        Err(error) => {
            let reason = words(error);
            Finding::lacking("cache", format!("{shown} cannot be written: {reason}; each run compiles its shaders"))
        }
    })
}

fn ffmpeg() -> Finding {
    let lacking = |text: String| Finding::lacking("ffmpeg", format!("{text}: videos become .y4m{}", get("ffmpeg")));
    match said("ffmpeg", &["-hide_banner", "-encoders"]) {
        Err(reason) => lacking(reason),
        Ok(text) => {
            let missing: Vec<&str> = ["libx264", "libvpx-vp9", "gif"]
                .into_iter()
                .filter(|encoder| !text.split_whitespace().any(|word| word == *encoder))
                .collect();
            match missing.is_empty() {
                true => Finding::good("ffmpeg", "with libx264 (.mp4), libvpx-vp9 (.webm) and gif"),
                false => Finding::lacking("ffmpeg", format!("without the encoders {}", missing.join(", "))),
            }
        }
    }
}

/// What a program prints, if it ends soon.
fn said(program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut out = tempfile::tempfile().map_err(words)?;
    let copy = out.try_clone().map_err(words)?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(copy).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no program {program} on PATH"),
        _ => format!("{program} does not start: {}", words(error)),
    })?;
    let begun = Instant::now();
    while child.try_wait().map_err(words)?.is_none() {
        if begun.elapsed() >= PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{program} does not answer"));
        }
        thread::sleep(Duration::from_millis(10));
    }
    let mut text = Vec::new();
    std::io::Seek::rewind(&mut out).and_then(|()| std::io::Read::read_to_end(&mut out, &mut text)).map_err(words)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Disk and memory.
fn room() -> Vec<Finding> {
    let of = |what, left: u64, text: String| match left < LITTLE {
        true => Finding::lacking(what, format!("only {text}")),
        false => Finding::good(what, text),
    };
    let mut findings = Vec::new();
    #[cfg(target_os = "linux")]
    for folder in [Path::new(".").to_owned(), env::temp_dir()] {
        if let Ok(disk) = rustix::fs::statvfs(&folder) {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            findings.push(of("disk", free, format!("{} in {}", bytes(free), folder.display())));
        }
    }
    let (left, by) = host_memory::left();
    if left < u64::MAX {
        findings.push(of("memory", left, format!("{} left by {by}", bytes(left))));
    }
    findings
}

/// What to add to an error of a machine that lacks something: the likely cause, and where to look.
pub fn hint(error: &Error) -> Option<String> {
    use starlings::Error as Engine;
    let of_vulkan = match error {
        Error::Engine(Engine::NoDevice(reason)) => reason.starts_with("no Vulkan"),
        Error::Engine(Engine::Vulkan { operation, .. }) => *operation == "vkCreateInstance",
        Error::NoDisplay(_) | Error::Library(_) => false,
        _ => return None,
    };
    let damaged = drivers::damaged().filter(|_| of_vulkan && cfg!(target_os = "linux"));
    let cause = damaged.map(|damaged| format!("; {damaged}")).unwrap_or_default();
    let looks = of_vulkan || !matches!(error, Error::Engine(_));
    looks.then(|| format!("{cause}; `starlings doctor` says what this machine has"))
}
