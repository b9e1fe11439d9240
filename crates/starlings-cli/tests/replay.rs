//! What the specification allows without a dependency, played on the host.

use starlings::flock::{Settings, spawn};
use starlings::reference;
use starlings::vk::{Access, DependencyEntry, Fault, MaskBit, Stage};
use starlings_cli::damage::replay::{FRAMES, MutantReplay, Replays, replayer, state};
use starlings_cli::sync::FrameKind;
use std::collections::BTreeSet;
use std::process::Command;

fn settings() -> Settings {
    Settings::preset("counting-sort").expect("a known preset").with_boids(600)
}

#[test]
fn intact_frames_are_the_twins_steps() {
    for kind in [FrameKind::Step, FrameKind::Windowed] {
        let replayer = replayer(&settings(), kind, 1).expect("a small flock fits");
        let mut expected = spawn(&settings());
        (0..FRAMES as u32).for_each(|step| reference::step(&settings(), &mut expected, step));
        assert_eq!(state(replayer.memory()), expected, "{kind}");
        assert_eq!(replayer.replay(&Fault::Omit("no-such-dependency".into())), None);
    }
}

/// Enough boids for several blocks of the scan.
fn replays() -> Replays {
    Replays::new(&settings().with_boids(6_000)).expect("a small flock fits")
}

fn named(replays: &Replays, name: &str) -> DependencyEntry {
    replays.dependencies().into_iter().find(|of| of.name == name).expect("a dependency of these frames")
}

/// What was wrong: the resource, how many elements, and the boids that it cost: lost, and astray.
fn damage(scene: &MutantReplay) -> (String, Vec<(&'static str, usize)>, u64, u64) {
    let (.., played) = scene.worst.as_ref().expect("something bad is allowed");
    let wrong = played.corrupt.iter().map(|of| (of.resource.name(), of.elements.map_or(0, |(wrong, _)| wrong)));
    (played.what.clone(), wrong.collect(), played.damage.counts.lost, played.damage.counts.strayed)
}

#[test]
fn every_dependency_of_the_default_frame_prevents_something_that_shows() {
    let replays = replays();
    for dependency in replays.dependencies() {
        let scene = replays.replay(&dependency, None);
        let (.., played) = scene.worst.as_ref().unwrap_or_else(|| panic!("{}: nothing", dependency.name));
        let wrong = played.corrupt.iter().any(|of| of.elements.is_none_or(|(wrong, _)| wrong > 0));
        assert!(wrong || played.results > 0, "{}: {played:?}", dependency.name);
        // A dependency of the step costs boids; that of the host only its number.
        let of_step = scene.worst.as_ref().is_some_and(|(kind, ..)| *kind == FrameKind::Step);
        let costs = played.damage.counts.certain() + played.damage.counts.strayed > 0;
        assert_eq!(costs, of_step && dependency.name != "crowding-to-host", "{}: {played:?}", dependency.name);
        // Without a bit, no more is allowed than without the dependency.
        for bit in dependency.masks.bits() {
            let weakened = replays.replay(&dependency, Some(bit));
            let (.., weakened) = weakened.worst.as_ref().unwrap_or_else(|| panic!("{} {bit:?}", dependency.name));
            assert!(weakened.tried <= played.tried, "{} {bit:?}: {weakened:?}", dependency.name);
        }
    }
}

#[test]
fn what_is_played_is_what_the_specification_allows() {
    let replays = replays();
    let without = |name, bit| damage(&replays.replay(&named(&replays, name), bit));
    // Nothing delays steer: the whole sorted copy is that of the step before.
    let (what, wrong, lost, astray) = without("scatter-to-steer", None);
    let copied = "steer reads sorted_boid_id, sorted_position_vx, sorted_quantized, sorted_velocity_yz as before \
        sort_scatter wrote";
    assert_eq!((what.as_str(), lost, astray), (copied, 0, 6_000));
    assert!(wrong.contains(&("sorted_position_vx", 6_000)), "{wrong:?}");
    // The positions are in order, but not visible: boids are counted where they were.
    let (what, wrong, lost, _) = without("steer-to-count", None);
    assert_eq!(what, "grid_count reads position_vx as before steer of the previous frame wrote");
    assert!(wrong == [("position_vx", 6_000)] && lost > 0, "{wrong:?}");
    // A write that was read need not be available: only a pass that comes too early does harm.
    let (what, wrong, ..) = without("downsweep-to-clear", None);
    assert_eq!(
        (what.as_str(), wrong[0].0),
        ("grid_clear runs before scan_reduce of the previous frame", "cell_counts")
    );
    // Each reader of cull-to-draw has its own bit.
    for (bit, resource) in [
        (MaskBit::DestinationStage(Stage::DRAW_INDIRECT), "draw_commands"),
        (MaskBit::DestinationStage(Stage::VERTEX_SHADER), "visible_boids"),
        (MaskBit::DestinationStage(Stage::FRAGMENT_SHADER), "samples"),
        (MaskBit::DestinationAccess(Access::INDIRECT_COMMAND_READ), "draw_commands"),
    ] {
        let (what, wrong, ..) = without("cull-to-draw", Some(bit));
        assert_eq!(what, format!("draw_boids reads {resource} as before cull wrote"));
        assert!(wrong.len() == 1 && wrong[0].1 > 0, "{bit:?}: {wrong:?}");
    }
    // The copy's stage is in order with the overlay only in part, so the copy alone reads ahead.
    assert_eq!(
        without("copy-to-compose", None).0,
        "copy_to_image of the previous frame reads pixels as after compose wrote"
    );
}

#[test]
fn passes_without_a_twin_are_named() {
    let replays = replays();
    let scene = replays.replay(&named(&replays, "steer-to-cull"), None);
    let (.., played) = scene.worst.expect("mirror may read too early");
    assert_eq!(played.untwinned, BTreeSet::from(["compose", "copy_to_image", "mirror", "panels"]));
    assert_eq!(played.results, 2, "the mirror image and the picture");
}

#[test]
fn it_is_the_same_each_time_and_needs_no_device() {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_starlings"));
        let output = command.args(["sync", "break"]).args(arguments).env("VK_DRIVER_FILES", "/nonexistent").output();
        let output = output.expect("the program starts");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("it is text")
    };
    let page = run(&["list-to-scatter", "--boids", "6k", "--no-device"]);
    assert_eq!(page, run(&["list-to-scatter", "--boids", "6k", "--no-device"]));
    assert!(page.contains("sort_scatter reads cell_members as before sort_list wrote"), "{page}");
    let table = run(&["--all", "--bits", "--boids", "2k"]);
    assert!(
        table.contains("| - dst stage VERTEX_SHADER | draw_boids reads visible_boids as before cull wrote |"),
        "{table}"
    );
    assert!(table.contains("Nothing was run on a device: no Vulkan driver"), "{table}");
}
