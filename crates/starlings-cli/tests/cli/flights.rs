//! Flights: the same flock again, by every way that leads to it.

use super::{assert_refused, run, text};
use starlings::cpu::{Engine, Threads};
use starlings::flock::layout::Point;
use starlings::flock::obstacles::Obstacle;
use starlings::flock::settings::Waypoint;
use starlings::flock::{BoidState, EngineKind, Flock, Search, Settings, Start};
use starlings::simulation::Simulation;
use starlings::vk::Device;
use starlings_cli::export::digest;
use starlings_cli::scripted::{Flags, ScriptedFlock};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Steps of the flight.
const STEPS: u32 = 40;

/// The settings at the end of the flight, but for engine and search, as a config file has them.
const END: &str = "preset = 'reynolds'\nboids = 150\nmax-speed = 7\nalignment-radius = 2.0\n\
                   points = '1,0,0,6,-9@0.25:0,1,0'\nobstacle = 'sphere:0,0,0,2@1:0,3,0'\n";

/// What is changed before which step: as a flight says it, and in the settings.
type Changes = Vec<(u32, &'static str, fn(&mut Settings))>;

fn changes() -> Changes {
    vec![
        (5, "max-speed=7", |settings| settings.rules.max_speed = 7.0),
        // Other kernels, and then none.
        (9, "predator=1,2,3", |settings| settings.predator = way(&[(0.0, [1.0, 2.0, 3.0])])),
        (10, "predator=1.5,2,3", |settings| settings.predator = way(&[(0.0, [1.5, 2.0, 3.0])])),
        (14, "obstacle=sphere:0,0,0,2@1:0,3,0", |settings| {
            settings.obstacles = vec![Obstacle::Sphere { center: glam::Vec3::ZERO, radius: 2.0 }];
            settings.paths.obstacles = vec![way(&[(1.0, [0.0, 3.0, 0.0])])];
        }),
        (14, "points=1,0,0,6,-9@0.25:0,1,0", |settings| {
            settings.points = vec![Point { position: glam::Vec3::X, reach: 6.0, strength: -9.0 }];
            settings.paths.points = vec![way(&[(0.25, [0.0, 1.0, 0.0])])];
        }),
        // A coarser grid, other boids in a smaller world, and a finer grid, which may take longer buffers.
        (18, "alignment-radius=4", |settings| settings.rules.alignment_radius = 4.0),
        (20, "boids=150", |settings| *settings = settings.clone().with_boids(150)),
        (26, "alignment-radius=2", |settings| settings.rules.alignment_radius = 2.0),
        (30, "predator=none", |settings| settings.predator.clear()),
    ]
}

fn way(places: &[(f32, [f32; 3])]) -> Vec<Waypoint> {
    places.iter().map(|&(seconds, place)| Waypoint { seconds, position: place.into() }).collect()
}

fn first(engine: EngineKind, search: Search) -> Settings {
    Settings { engine, search, ..Settings::preset("reynolds").expect("a known preset").with_boids(200) }
}

/// Writes the flight of a flock with that engine and search.
fn write(path: &Path, engine: EngineKind, search: Search) {
    let (engine, search) = (engine.name(), search.name());
    let rows: String = changes().iter().map(|(step, flags, _)| format!("{step}\t{flags}\n")).collect();
    let start = format!("0\tpreset=reynolds\tboids=200\tengine={engine}\tsearch={search}\n");
    let keys = format!("engine = '{engine}'\nsearch = '{search}'\n");
    let flight = format!("[flight]\nsteps = {STEPS}\nchanges = \"\"\"\n{start}{rows}\"\"\"\n");
    fs::write(path, format!("{END}{keys}{flight}")).expect("room");
}

/// The digest at the end, of a flock that is led through the library, as a window leads its own: it goes on in place,
/// or as another flock of the same boids.
fn led(device: &Arc<Device>, mut settings: Settings) -> String {
    let mut flock = Simulation::new(device, &settings).expect("a small flock");
    for (step, _, change) in changes() {
        flock.advance(step - flock.flock().step()).and_then(|()| flock.wait()).expect("the steps run");
        let before = settings.clone();
        change(&mut settings);
        if !flock.flock_mut().adjust(&settings).expect("settings that are accepted") {
            let state = flock.flock().state().expect("a state").carried_over(&before, &settings);
            let start = Start { state: &state, step, crowding: None };
            flock = Simulation::starting_from(device, &settings, &start).expect("a small flock");
        }
    }
    flock.advance(STEPS - flock.flock().step()).and_then(|()| flock.wait()).expect("the steps run");
    digest(&settings, &flock.flock().state().expect("a state"))
}

/// The same on the CPU, shown by a flock on the device.
fn led_on_cpu(device: &Arc<Device>, mut settings: Settings) -> String {
    let mut engine = Engine::new(&settings, Threads::All).expect("threads");
    let mut shown = Flock::new(device, &settings, 1).expect("a small flock");
    for (step, _, change) in changes() {
        engine.advance(step - engine.step());
        let before = settings.clone();
        change(&mut settings);
        if shown.adjust(&settings).expect("settings that are accepted") {
            engine.adjust(&settings).expect("settings that are accepted");
        } else {
            let state: BoidState = engine.state().carried_over(&before, &settings);
            let start = Start { state: &state, step, crowding: None };
            shown = Flock::starting_from(device, &settings, 1, &start).expect("a small flock");
            engine = Engine::starting_from(&settings, Threads::All, &start).expect("threads");
        }
    }
    engine.advance(STEPS - engine.step());
    digest(&settings, &engine.state())
}

#[test]
fn a_flight_leads_to_the_same_bits_as_the_changes_one_by_one() {
    let Some(device) = crate::common::device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.toml");
    let flown = || {
        let flags = Flags::from([("from".to_owned(), path.display().to_string())]);
        ScriptedFlock::open(&flags, &mut || true).and_then(|flock| flock.hash()).expect("a flight")
    };
    for search in [EngineKind::Gpu.searches()[0], Search::BitonicGrid, Search::AllPairs] {
        write(&path, EngineKind::Gpu, search);
        assert_eq!(flown(), led(&device, first(EngineKind::Gpu, search)), "{search}");
    }
    for search in EngineKind::Cpu.searches() {
        write(&path, EngineKind::Cpu, search);
        assert_eq!(flown(), led_on_cpu(&device, first(EngineKind::Cpu, search)), "cpu, {search}");
    }
}

/// The lines `STEP DIGEST` of an output, from the one for `step` on.
fn digests(output: &std::process::Output, step: u32) -> String {
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{}", text(&output.stdout));
    let stdout = text(&output.stdout);
    let line = stdout.lines().find(|line| line.starts_with(&format!("{step} ")));
    line.unwrap_or_else(|| panic!("no step {step}: {stdout}")).to_owned()
}

#[test]
fn every_command_flies_a_flight_from_every_file_that_has_it() {
    if crate::common::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |line: &str| run(folder.path(), line);
    write(&folder.path().join("a.toml"), EngineKind::Gpu, EngineKind::Gpu.searches()[0]);
    let wanted = digests(&at("replay a.toml --hash"), STEPS);
    assert_eq!(digests(&at("render --from a.toml --size 64x36 --hash --out a.png"), STEPS), wanted);
    assert_eq!(digests(&at("simulate --from a.png --hash --every 40"), STEPS), wanted);
    // Where it is flown further, or not to its end.
    let further = digests(&at("simulate --from a.png --hash --steps 50"), 50);
    assert_eq!(digests(&at("render --from a.toml --frames 50 --size 64x36 --hash --out b.png"), 50), further);
    let half = digests(&at("render --from a.toml --frames 12 --size 64x36 --hash --out c.png"), 12);
    assert_eq!(digests(&at("replay c.png --hash"), 12), half);
    // What would not be this flight is refused by name.
    for (line, says) in [
        (
            "render --from a.png --boids 30 --out d.png",
            "--boids is 30; accepted is what it is at the end of the flight",
        ),
        ("simulate --from a.toml --hash --max-speed 3", "--max-speed is 3; accepted is what it is at the end of"),
        ("simulate --from a.toml --export a.npz", "in which the count of boids or targets changes"),
    ] {
        assert_refused(&at(line), 2, &[says], line);
    }
}

#[test]
#[ignore = "long: each frame is drawn"]
fn a_video_has_the_flight_to_its_end() {
    let ffmpeg = std::process::Command::new("ffmpeg").arg("-version").output().is_ok();
    if !ffmpeg || crate::common::device().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |line: &str| run(folder.path(), line);
    write(&folder.path().join("a.toml"), EngineKind::Gpu, EngineKind::Gpu.searches()[0]);
    let wanted = digests(&at("replay a.toml --hash"), STEPS);
    for name in ["a.gif", "a.mp4"] {
        let output = at(&format!("render --from a.toml --size 64x36 --out {name}"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(digests(&at(&format!("replay {name} --hash")), STEPS), wanted, "{name}");
    }
    assert_refused(&at("replay a.toml.gif --hash"), 2, &["cannot open a.toml.gif: "], "no video");
}
