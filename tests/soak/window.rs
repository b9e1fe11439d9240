//! The window, used at random as by a restless user, under validation.

use super::common::screen::{Screen, Viewer};
use super::memory::Memory;
use super::{common, duration};
use starlings::flock::PRESETS;
use starlings::flock::random::{self, Stream};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// Keys that change what is shown or how, with how often each is pressed in a row: pairs leave things as they were, and a single step leaves a pause, which Space ends.
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

/// Where the lists of presets and of engines are, with their first entries below; the section above them is unfolded first, and the
/// panel scrolled to its top.
const SECTION: (u32, u32) = (70, 155);
const LISTS: [(u32, u32, u64); 2] = [(174, 198, PRESETS.len() as u64), (212, 236, 3)];
const ROW: u32 = 19;

/// After so many acts the window is brought back to the preset, engine and size that it began with, and its memory is looked at: in
/// between it shows flocks and pictures that take more or less.
const ROUND: usize = 12;
const PRESET: &str = "reynolds";

#[test]
#[ignore = "as long as STARLINGS_SOAK_SECONDS says"]
fn a_window_for_long() {
    if common::validated_device().is_none() {
        return;
    }
    let tool = Command::new("xdotool").arg("version").output().is_ok();
    let Some(screen) = Screen::new().filter(|_| tool) else {
        assert!(!common::required("REQUIRE_GPU"), "REQUIRE_GPU=1, but Xvfb or xdotool is not installed");
        eprintln!("SKIPPED, nothing was tested: Xvfb or xdotool is not installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder for pictures");
    let arguments = format!("view -v --preset {PRESET} --boids 300 --size 640x470 --validation");
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
    let mut memory = Memory::of(&viewer.process_id().to_string());
    let (mut shown, mut draw) = (BTreeSet::new(), 0);
    let mut chance = |below: u64| {
        draw += 1;
        random::bits(7, Stream::Influence, draw, 0) % below
    };
    let (mut acts, mut breaks) = (0, 0);
    let begun = Instant::now();
    while begun.elapsed() < duration() {
        match chance(12) {
            0 => {
                let list = LISTS[chance(2) as usize];
                choose(list, chance(list.2));
            }
            1 => {
                // The count of boids, a little, and back again by a double click.
                screen.does(&format!("mousemove --window {window} 186 193 sleep 0.2 mousedown 1 sleep 0.3"));
                screen.does("mousemove_relative -- -5 0 sleep 0.3 mouseup 1");
            }
            2 => drop(screen.does(&format!("windowsize {window} {} {}", 340 + chance(300), 410 + chance(60)))),
            3 => {
                let held = ["", "shift", "ctrl"][chance(3) as usize];
                let at = format!("mousemove --window {window} {} {}", 400 + chance(60), 100 + chance(200));
                let [down, up] = ["keydown", "keyup"]
                    .map(|way| if held.is_empty() { String::new() } else { format!("{way} {held} ") });
                let drag = "mousedown 1 sleep 0.3 mousemove_relative -- -40 20 sleep 0.3 mouseup 1";
                screen.does(format!("{at} {down}{drag} {up}").trim());
            }
            4 => drop(screen.does("click --repeat 3 4 click --repeat 3 5")),
            _ => {
                let (key, times) = KEYS[chance(KEYS.len() as u64) as usize];
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
        acts += 1;
        std::thread::sleep(Duration::from_millis(300));
        assert!(viewer.is_running(), "the window closed after {acts} acts: {}", viewer.ended().1);
        let title = viewer.title();
        shown.extend(PRESETS.iter().map(|row| row.name).filter(|name| title.contains(name)));
        if acts % ROUND == 0 {
            screen.does(&format!("windowsize {window} 640 470 sleep 0.5"));
            let preset = PRESETS.iter().position(|row| row.name == PRESET).expect("a preset");
            choose(LISTS[0], preset as u64);
            choose(LISTS[1], 0);
            std::thread::sleep(Duration::from_secs(2));
            if viewer.title().contains(PRESET) {
                memory.sample();
            }
        }
        // Pictures of F12 would fill the disk.
        let pictures = std::fs::read_dir(folder.path()).expect("a folder").flatten();
        pictures.filter(|entry| entry.path().extension().is_some_and(|end| end == "png")).for_each(|entry| {
            let _ = std::fs::remove_file(entry.path());
        });
    }
    println!(
        "{acts} acts in a window, {breaks} times another device and back; presets shown: {shown:?}; last title: {}",
        viewer.title()
    );
    screen.does("key Escape");
    let (status, said) = viewer.ended();
    println!("{}", said.lines().last().unwrap_or_default());
    assert_eq!(status, Some(0), "{said}");
    assert!(!said.contains("VUID") && !said.contains("SYNC-HAZARD"), "{said}");
    assert!(shown.len() >= 2 || acts < 200, "the list of presets was never opened: {shown:?}");
    let samples = memory.count();
    assert!(2 * samples >= acts / ROUND, "the window was brought back only {samples} times after {acts} acts");
    memory.report("window");
}
