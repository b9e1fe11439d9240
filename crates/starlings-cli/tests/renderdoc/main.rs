//! Captures by RenderDoc: their content, and that they replay.
#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod document;

use common::screen::{Screen, Viewer};
use serde_json::Value;
use starlings::flock::Settings;
use starlings::offscreen::{Offscreen, Shot};
use starlings::render::Camera;
use starlings::vk::{DependencyEntry, Journal, RecordOptions};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The Python that RenderDoc's module is built for.
fn python() -> Command {
    Command::new(std::env::var_os("PYTHON").unwrap_or_else(|| "/usr/bin/python3".into()))
}

/// What one test at a time holds that makes, converts or replays captures, or none if something for it is lacking. One
/// at a time: RenderDoc 1.24 writes its shaders to `vkshaders.cache` in place, and crashes if it reads half of that
/// file.
fn renderdoc() -> Option<MutexGuard<'static, ()>> {
    static ALONE: Mutex<()> = Mutex::new(());
    let runs = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let lacking = if !runs(Command::new("renderdoccmd").arg("version")) {
        "renderdoccmd is not installed"
    } else if !runs(python().args(["-c", "import renderdoc"])) {
        "RenderDoc's Python module is not installed"
    } else {
        common::device()?;
        return Some(ALONE.lock().unwrap_or_else(PoisonError::into_inner));
    };
    assert!(!common::required("REQUIRE_RENDERDOC"), "REQUIRE_RENDERDOC=1, but {lacking}");
    eprintln!("SKIPPED, nothing was tested: {lacking}");
    None
}

fn screen() -> Option<Screen> {
    let screen = Screen::new();
    if screen.is_none() {
        assert!(!common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb is not installed");
        eprintln!("SKIPPED, nothing was tested: Xvfb is not installed");
    }
    screen
}

/// The program in `folder`.
fn starlings(folder: &Path, line: &str, display: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
    command.args(line.split(' ')).current_dir(folder).env("XDG_CACHE_HOME", folder.join(".cache"));
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
    command.envs(display.map(|display| ("DISPLAY", display)));
    command
}

/// Stdout and stderr of a program that succeeded.
fn said(output: &Output, what: &str) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{what}: {stdout}{stderr}");
    (stdout, stderr)
}

/// The journal of an offscreen frame with one step.
fn journal() -> Journal {
    let device = common::device().expect("there was one a moment ago");
    let settings = Settings::preset("counting-sort").expect("a known preset").with_boids(300);
    let mut offscreen = Offscreen::new(&device, &settings, 64, 36).expect("a small picture fits");
    let options = RecordOptions { journal: true, ..RecordOptions::default() };
    let shot = Shot { camera: Camera::fit(&settings.world, 64.0 / 36.0), steps: 1, options };
    offscreen.draw(&shot).expect("a frame").1.expect("it was asked for")
}

/// The content of a capture's XML.
struct Listing {
    /// Labels of passes, of groups around them, and of barriers, each in the order in which they begin.
    labels: Vec<String>,
    groups: Vec<String>,
    barriers: Vec<String>,
    /// Names by the call that made the object, with the object's type.
    named: BTreeMap<String, Vec<String>>,
    /// Calls that made an object without a name, with the object's type.
    unnamed: Vec<String>,
}

impl Listing {
    fn of(capture: &Path) -> Listing {
        let xml = capture.with_extension("xml");
        let mut convert = Command::new("renderdoccmd");
        convert.args(["convert", "-c", "xml", "-f"]).arg(capture).arg("-o").arg(&xml);
        said(&convert.output().expect("renderdoccmd starts"), "convert");
        let text = std::fs::read_to_string(&xml).expect("the listing is there");
        let document = roxmltree::Document::parse(&text).expect("it is XML");
        let (mut labels, mut made, mut names) = (Vec::new(), Vec::new(), BTreeMap::new());
        let (mut groups, mut barriers) = (Vec::new(), Vec::new());
        for chunk in document.descendants().filter(|node| node.has_tag_name("chunk")) {
            let call = chunk.attribute("name").expect("each call has a name");
            let mut ids = chunk.descendants().filter(|node| node.has_tag_name("ResourceId"));
            let string = || chunk.descendants().filter(|node| node.has_tag_name("string")).find_map(|node| node.text());
            if call == "vkCmdBeginDebugUtilsLabelEXT" {
                let label = string().expect("a label has a name").to_owned();
                if label.starts_with('[') { groups.push(label) } else { labels.push(label) }
            } else if call == "vkCmdInsertDebugUtilsLabelEXT" {
                barriers.push(string().expect("a label has a name").to_owned());
            } else if call == "vkSetDebugUtilsObjectNameEXT" {
                let object = ids.next_back().and_then(|id| id.text()).expect("an object");
                names.insert(object.to_owned(), string().unwrap_or_default().to_owned());
            } else if ["vkCreate", "vkAllocate", "vkGetDeviceQueue", "vkGetSwapchainImages"]
                .iter()
                .any(|start| call.starts_with(start))
            {
                // The last one is the created object.
                let object = ids.next_back().expect("it makes something");
                let kind = object.attribute("typename").expect("it has a type");
                made.push((kind.to_owned(), object.text().expect("it has a number").to_owned()));
            }
        }
        let (mut named, mut unnamed) = (BTreeMap::<String, Vec<String>>::new(), Vec::new());
        for (kind, object) in made {
            match names.get(&object).filter(|name| !name.is_empty()) {
                Some(name) => named.entry(kind).or_default().push(name.clone()),
                None => unnamed.push(kind),
            }
        }
        Listing { labels, groups, barriers, named, unnamed }
    }

    /// Fails unless every object has a name, except types with only one object.
    fn assert_named(&self) {
        let single = ["VkInstance", "VkDevice"];
        let unnamed: Vec<&String> = self.unnamed.iter().filter(|kind| !single.contains(&kind.as_str())).collect();
        assert!(unnamed.is_empty(), "without a name: {unnamed:?}");
        for (kind, least) in [
            ("VkBuffer", 15),
            ("VkImage", 1),
            ("VkImageView", 1),
            ("VkPipeline", 10),
            ("VkPipelineLayout", 10),
            ("VkDescriptorSetLayout", 2),
            ("VkDescriptorSet", 2),
            ("VkCommandBuffer", 1),
            ("VkFence", 1),
            ("VkQueryPool", 1),
            ("VkQueue", 1),
        ] {
            assert!(
                self.named.get(kind).is_some_and(|names| names.len() >= least),
                "{kind}: {:?}",
                self.named.get(kind)
            );
        }
    }

    /// Fails unless `resource` is the name of a buffer or an image.
    fn assert_has(&self, resource: &str) {
        let places = ["VkBuffer", "VkImage"].iter().filter_map(|kind| self.named.get(*kind)).flatten();
        assert!(places.into_iter().any(|name| name == resource), "no {resource} in {:?}", self.named);
    }
}

/// The labels of the barriers of a frame: hazards and name of each.
fn marks(journal: &Journal) -> Vec<String> {
    let mark = |of: &DependencyEntry| {
        let hazards: Vec<String> = of.hazards.iter().map(ToString::to_string).collect();
        format!("[{}] {}", hazards.join(", "), of.name)
    };
    journal.dependencies().map(mark).collect()
}

/// RenderDoc's report of a replayed capture.
fn replay(capture: &Path) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/renderdoc/replay.py");
    let mut command = python();
    command.arg(script).arg(capture).env("PYTHONFAULTHANDLER", "1"); // Should RenderDoc crash, it says where.
    let output = command.output().expect("Python starts");
    serde_json::from_str(&said(&output, "replay").0).expect("the script prints JSON")
}

/// Fails unless each action of `replay` is under the label of its pass, and each dispatch shows its kernel's source.
/// Returns the labels of the actions.
fn assert_labelled(replay: &Value) -> Vec<String> {
    // A rendering begins and ends outside of the passes that share it.
    let of_pass = |action: &&Value| !action["name"].as_str().is_some_and(|name| name.contains("Rendering("));
    let actions: Vec<&Value> = replay["actions"].as_array().expect("a list").iter().filter(of_pass).collect();
    let label = |action: &Value| {
        let labels = action["labels"].as_array().expect("a list");
        let [group, label] = &labels[..] else { panic!("{labels:?}: {action}") };
        let group = group.as_str().expect("a text");
        assert!(group == "[picture]" || group.starts_with("[step "), "{group}");
        label.as_str().expect("a text").to_owned()
    };
    for dispatch in actions.iter().copied().filter(|action| action["dispatch"] == true) {
        let shader = &dispatch["shaders"]["compute"];
        let kernel = format!("glsl/{}.comp", label(dispatch));
        assert_eq!(shader["files"][0], kernel.as_str(), "{dispatch}");
        assert!(shader["lines"].as_u64() > Some(20), "{dispatch}");
    }
    actions.into_iter().map(label).collect()
}

#[test]
fn a_picture_and_a_step_without_a_window() {
    let Some(_alone) = renderdoc() else { return };
    let journal = journal();
    let passes: Vec<&str> = journal.passes().map(|pass| pass.name).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let line = "render --boids 300 --size 64x36 --frames 20 --capture 18 --out a.png --quiet";
    let (stdout, _) = said(&starlings(folder.path(), line, None).output().expect("the program starts"), line);
    assert!(stdout.ends_with("\nstarlings-frame-18.rdc: RenderDoc's capture of frame 18\n"), "{stdout}");
    let capture = folder.path().join("starlings-frame-18.rdc");
    let listing = Listing::of(&capture);
    assert_eq!(listing.labels, passes);
    assert_eq!(listing.groups, ["[step 18]", "[picture]"]);
    assert_eq!(listing.barriers, marks(&journal));
    assert!(listing.barriers.contains(&"[RAW] count-to-reduce".to_owned()), "{:?}", listing.barriers);
    listing.assert_named();
    for resource in journal.passes().flat_map(|pass| &pass.uses).map(|touched| touched.resource) {
        listing.assert_has(resource.name());
    }
    let replayed = replay(&capture);
    let mut labels = assert_labelled(&replayed);
    labels.dedup();
    assert_eq!(labels, passes);

    let line = "simulate --boids 300 --steps 9 --every 4 --capture 7 --export a.npz --quiet";
    let (stdout, _) = said(&starlings(folder.path(), line, None).output().expect("the program starts"), line);
    assert!(stdout.ends_with("\nstarlings-frame-7.rdc: RenderDoc's capture of frame 7\n"), "{stdout}");
    let capture = folder.path().join("starlings-frame-7.rdc");
    let step: Vec<&str> = passes.iter().copied().take_while(|pass| *pass != "samples_clear").collect();
    assert_eq!(Listing::of(&capture).labels, step);
    assert_eq!(assert_labelled(&replay(&capture)), step);

    // An existing capture is kept.
    let line = "render --boids 300 --size 64x36 --frames 18 --capture 18 --out a.png --force --quiet";
    let (stdout, _) = said(&starlings(folder.path(), line, None).output().expect("the program starts"), line);
    assert!(stdout.contains("\nstarlings-frame-18-2.rdc: "), "{stdout}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("plain text"))
        .filter(|name| name != ".cache" && !name.ends_with(".xml"))
        .collect();
    names.sort();
    let expected = ["a.npz", "a.png", "starlings-frame-18-2.rdc", "starlings-frame-18.rdc", "starlings-frame-7.rdc"];
    assert_eq!(names, expected);
}

#[test]
fn a_frame_of_a_window_named_beforehand_or_by_f10() {
    let Some(_alone) = renderdoc() else { return };
    let Some(screen) = screen() else { return };
    let journal = journal();
    let of_window = ["copy_to_image", "panels"];
    let passes: Vec<&str> =
        journal.passes().map(|pass| pass.name).filter(|pass| *pass != "copy_to_host").chain(of_window).collect();
    let folder = tempfile::tempdir().expect("a folder");
    // Steps so short that each frame has one.
    let line = "view --boids 300 --size 320x400 --frames 8 --capture 5 --time-step 1/10000";
    let output = starlings(folder.path(), line, Some(&screen.display)).output().expect("the program starts");
    let (_, stderr) = said(&output, line);
    assert!(stderr.contains("starlings: captured starlings-frame-5.rdc"), "{stderr}");
    let capture = folder.path().join("starlings-frame-5.rdc");
    let listing = Listing::of(&capture);
    let steps = listing.labels.iter().filter(|label| *label == "steer").count();
    let count = passes.iter().position(|pass| *pass == "samples_clear").expect("a frame draws");
    let expected: Vec<&str> =
        passes[..count].iter().copied().cycle().take(count * steps).chain(passes[count..].iter().copied()).collect();
    // A few times a second, a frame also measures the order parameters that the panel shows.
    let measuring = ["observe", "order_reduce", "order_mean", "milling_reduce", "milling_mean"];
    let usual = |labels: &[String]| -> Vec<String> {
        labels.iter().filter(|label| !measuring.contains(&label.as_str())).cloned().collect()
    };
    assert_eq!(usual(&listing.labels), expected);
    listing.assert_named();
    for kind in ["VkSwapchainKHR", "VkSemaphore"] {
        assert!(listing.named.contains_key(kind), "{kind}: {:?}", listing.named);
    }
    let mut labels = assert_labelled(&replay(&capture));
    labels.dedup();
    assert_eq!(usual(&labels), expected);

    let mut viewer = Viewer::new(&screen, folder.path(), "view --boids 300 --size 320x240 --capture");
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    screen.does("key F10");
    viewer.until("a notice of the capture", |viewer| viewer.title().contains("captured starlings-frame-"));
    screen.does("key ctrl+q");
    let (status, stderr) = viewer.ended();
    assert_eq!(status, Some(0), "{stderr}");
    let name = stderr.split("captured ").nth(1).and_then(|rest| rest.lines().next()).expect("the notice");
    assert!(Listing::of(&folder.path().join(name)).labels.contains(&"panels".to_owned()));
}

#[test]
fn a_machine_without_renderdoc_says_how_to_get_it() {
    let Some(_) = common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let line = "render --boids 300 --size 64x36 --frames 2 --capture 1 --out a.png";
    let mut command = starlings(folder.path(), line, None);
    // Here the loader finds no implicit layers.
    command.env("VK_IMPLICIT_LAYER_PATH", folder.path()).env("XDG_DATA_DIRS", folder.path());
    command.env("XDG_CONFIG_DIRS", folder.path()).env("HOME", folder.path());
    let output = command.output().expect("the program starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.starts_with("starlings: RenderDoc is not loaded: ") && stderr.contains("librenderdoc"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(!folder.path().join("a.png").exists());
}

#[test]
fn f10_without_renderdoc_says_so_and_goes_on() {
    if common::device().is_none() {
        return;
    }
    let Some(screen) = screen() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut viewer = Viewer::new(&screen, folder.path(), "view --boids 300 --size 320x240");
    screen.does(&format!("windowfocus --sync {}", viewer.window));
    screen.does("key F10");
    viewer.until("a notice", |viewer| viewer.title().contains("RenderDoc is not loaded"));
    screen.does("key ctrl+q");
    assert_eq!(viewer.ended().0, Some(0));
}
