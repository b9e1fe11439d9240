//! The window, used at random as by a restless user: under validation, and without it.

use super::common::screen::{Screen, Viewer};
use super::memory::Memory;
use super::{common, duration};
use starlings::flock::PRESETS;
use starlings::flock::random::{self, Stream};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// Keys that change what is shown or how, with how often each is pressed in a row: pairs leave things as they were, and
/// a single step leaves a pause, which Space ends.
const KEYS: [(&str, u32); 22] = [
    ("space", 2),
    ("Right space", 1),
    ("r", 1),
    ("shift+r", 1),
    ("l", 1),
    ("c", 1),
    ("v", 1),
    ("t", 1),
    ("f", 1),
    ("Home", 1),
    ("o", 2),
    ("1", 1),
    ("3", 1),
    ("7", 1),
    ("p", 2),
    ("x", 2),
    ("bracketleft", 1),
    ("bracketright", 1),
    ("h", 3),
    ("b", 2),
    ("F11", 2),
    ("F12", 1),
];

/// Where the lists of presets and of engines are, with their first entries below; the section above them is unfolded
/// first, and the panel scrolled to its top.
const SECTION: (u32, u32) = (70, 155);
const LISTS: [(u32, u32, u64); 2] = [(174, 198, PRESETS.len() as u64), (212, 236, 3)];
const ROW: u32 = 19;

/// What a restless user does.
#[derive(Clone)]
enum Act {
    /// Choose this entry of a list.
    Choose((u32, u32, u64), u64),
    /// Drag the count of boids a little: another flock.
    Count,
    Resize(u64, u64),
    /// Drag from this place, with a key held.
    Drag(&'static str, u64, u64),
    Wheel,
    /// Press a key so many times.
    Key(&'static str, u32),
}

/// Every act once, in an order and with places drawn at random.
fn acts() -> Vec<Act> {
    let mut draw = 0;
    let mut chance = |below: u64| {
        draw += 1;
        random::bits(7, Stream::Influence, draw, 0) % below
    };
    let mut all = vec![Act::Count, Act::Wheel];
    all.extend(LISTS.into_iter().flat_map(|list| (0..list.2).map(move |entry| Act::Choose(list, entry))));
    all.extend((0..3).map(|_| Act::Resize(340 + chance(300), 410 + chance(60))));
    all.extend(["", "shift", "ctrl"].map(|held| Act::Drag(held, 400 + chance(60), 100 + chance(200))));
    all.extend(KEYS.map(|(key, times)| Act::Key(key, times)));
    for k in (1..all.len()).rev() {
        all.swap(k, chance(k as u64 + 1) as usize);
    }
    all
}

/// The layer keeps something of each named object and each swapchain, so after some 20 minutes its memory is refused.
#[test]
#[ignore = "long: as long as STARLINGS_SOAK_SECONDS says"]
fn a_window_under_validation_for_long() {
    if common::validated_device().is_some() {
        use_for_long(" --validation");
    }
}

#[test]
#[ignore = "long: as long as STARLINGS_SOAK_SECONDS says"]
fn a_window_for_long() {
    if common::device().is_some() {
        use_for_long("");
    }
}

/// Starts a window with `more` arguments, uses it, and ends it.
fn use_for_long(more: &str) {
    let tool = Command::new("xdotool").arg("version").output().is_ok();
    let Some(screen) = Screen::new().filter(|_| tool) else {
        assert!(!common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb or xdotool is not installed");
        eprintln!("SKIPPED, nothing was tested: Xvfb or xdotool is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let arguments = format!("view -v --preset {} --boids 300 --size 640x470{more}", PRESETS[0].name);
    let mut viewer = Viewer::new(&screen, folder.path(), &arguments);
    let window = viewer.window.clone();
    screen.does(&format!("windowfocus --sync {window}"));
    let click = |x: u32, y: u32| {
        screen.does(&format!("mousemove --window {window} {x} {y} sleep 0.3 click 1 sleep 0.7"));
    };
    let choose = |(y, first, _): (u32, u32, u64), entry: u64| {
        screen.does(&format!("mousemove --window {window} 100 300 sleep 0.2 click --repeat 9 4 sleep 0.2"));
        click(200, y);
        click(200, first + ROW * entry as u32);
    };
    click(SECTION.0, SECTION.1);
    // Each round does the same, from the same size, preset and engine on: memory is compared with that after the same
    // act.
    let mut round = acts();
    round.insert(0, Act::Resize(640, 470));
    round.insert(1, Act::Choose(LISTS[0], 0));
    let mut memory = Memory::of(&viewer.id().to_string());
    let (mut shown, mut done, mut breaks) = (BTreeSet::new(), 0, 0);
    let begun = Instant::now();
    while begun.elapsed() < duration() {
        let phase = done % round.len();
        match round[phase].clone() {
            Act::Choose(list, entry) => choose(list, entry),
            Act::Count => {
                screen.does(&format!("mousemove --window {window} 186 193 sleep 0.2 mousedown 1 sleep 0.3"));
                screen.does("mousemove_relative -- -5 0 sleep 0.3 mouseup 1");
            }
            Act::Resize(width, height) => drop(screen.does(&format!("windowsize {window} {width} {height}"))),
            Act::Drag(held, x, y) => {
                let at = format!("mousemove --window {window} {x} {y}");
                let [down, up] = ["keydown", "keyup"]
                    .map(|way| if held.is_empty() { String::new() } else { format!("{way} {held} ") });
                let drag = "mousedown 1 sleep 0.3 mousemove_relative -- -40 20 sleep 0.3 mouseup 1";
                screen.does(format!("{at} {down}{drag} {up}").trim());
            }
            Act::Wheel => drop(screen.does("click --repeat 3 4 click --repeat 3 5")),
            Act::Key(key, times) => {
                // Apart, so that each is seen by a frame of its own.
                (0..times).for_each(|_| drop(screen.does(&format!("key {key} sleep 0.2"))));
                if key == "b" {
                    breaks += 1;
                    viewer.until("mended frame", |viewer| {
                        !["left out", "without "].iter().any(|word| viewer.title().contains(word))
                    });
                }
            }
        }
        done += 1;
        std::thread::sleep(Duration::from_millis(300));
        assert!(viewer.is_running(), "the window closed after {done} acts: {}", viewer.ended().1);
        let title = viewer.title();
        shown.extend(PRESETS.iter().map(|row| row.name).filter(|name| title.contains(name)));
        // It has obeyed all before this key: acts that it has not come to would wait in a queue that grows.
        screen.does("key space");
        viewer.until("pause", |viewer| viewer.title().contains("paused"));
        memory.sample(phase);
        screen.does("key space");
        viewer.until("run", |viewer| !viewer.title().contains("paused"));
        // Pictures of F12 would fill the disk.
        let pictures = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        pictures.filter(|entry| entry.path().extension().is_some_and(|end| end == "png")).for_each(|entry| {
            let _ = std::fs::remove_file(entry.path());
        });
    }
    println!(
        "{done} acts in a window, {} in a round, {breaks} times another device and back; presets shown: {shown:?}; \
         last title: {}",
        round.len(),
        viewer.title()
    );
    screen.does("key ctrl+q");
    let (status, said) = viewer.ended();
    println!("{}", said.lines().last().unwrap_or_default());
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert!(shown.len() == PRESETS.len() || done < round.len(), "a preset was never shown: {shown:?}");
    memory.report("window");
}
