//! Trials on a device: intact runs show no damage, broken ones end, and garbage in the grid is harmless.

use crate::common;
use starlings::flock::buffers::{CELL_STARTS, SORTED_BOID_ID};
use starlings::flock::search::{GridKind, SEARCHES};
use starlings::flock::{Flock, Search, Settings, Stepper, spawn};
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, Recorder, Uses, Validation};
use starlings_cli::damage::{Breakable, Part, Trials};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn robust(validation: Validation) -> Option<Arc<Device>> {
    let requirement = if validation == Validation::Required { "REQUIRE_VALIDATION" } else { "REQUIRE_GPU" };
    let options = DeviceOptions { robust: true, ..DeviceOptions::default() };
    let opened = Instance::new(&InstanceOptions { validation, display: None, capture: false })
        .and_then(|instance| Device::with_options(&instance, &options));
    match opened {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(!common::required(requirement), "{requirement}=1, but {error}");
            eprintln!("SKIPPED, nothing was tested: {error}");
            None
        }
    }
}

fn settings(boids: u32) -> Settings {
    Settings::preset("counting-sort").expect("a known preset").with_boids(boids)
}

fn go_on(_: u32) -> starlings::Result<()> {
    Ok(())
}

#[test]
fn intact_runs_show_no_damage_and_trials_are_clean_under_validation() {
    let Some(device) = robust(Validation::Required) else { return };
    let mut trials = Trials::new(&device, &settings(1_500), 3, (96, 64)).expect("a small flock fits");
    for part in [Part::Step, Part::Frame] {
        let intact = trials.run(part, None, 8, go_on).expect("three trials");
        assert_eq!(intact.trials.iter().map(|trial| trial.certain()).collect::<Vec<_>>(), [0, 0, 0], "{part:?}");
        assert_eq!(intact.hurt(&intact), 0);
        assert_eq!(trials.flock().step(), 8);
        assert_eq!((intact.worst().strayed, intact.worst().farthest), (0, 0.0), "{part:?}: the same bits");
    }
    let messages = device.instance().messages().all();
    assert!(messages.is_empty(), "{messages:#?}");
}

#[test]
fn every_dependency_can_be_left_out() {
    let Some(device) = robust(Validation::Off) else { return };
    let mut trials = Trials::new(&device, &settings(1_000), 2, (64, 48)).expect("a small flock fits");
    let known = trials.dependencies().expect("a journal");
    assert!(known.iter().any(|known| known.dependency.name == "scatter-to-steer" && known.part == Part::Step));
    assert!(known.iter().any(|known| known.dependency.name == "cull-to-draw" && known.part == Part::Frame));
    for Breakable { dependency, part } in known {
        let damage = trials.run(part, Some(dependency.name), 4, go_on).expect("two trials");
        assert_eq!(damage.trials.len(), 2, "{}", dependency.name);
    }
}

/// A bitonic sort repeats two dependencies between its many dispatches: each is left out at all places at once.
#[test]
fn a_dependency_that_stands_often_in_a_frame_is_broken_once() {
    let Some(device) = robust(Validation::Off) else { return };
    let settings = Settings { search: Search::BitonicGrid, ..settings(10_000) };
    let mut trials = Trials::new(&device, &settings, 2, (64, 48)).expect("a small flock fits");
    let known = trials.dependencies().expect("a journal");
    for name in ["sorted-to-exchange", "exchange-to-merge"] {
        assert_eq!(known.iter().filter(|known| known.dependency.name == name).count(), 1, "{name}");
    }
}

/// Shows that a dependency is really left out: the validation layer reports it on any driver.
#[test]
fn what_is_left_out_is_left_out() {
    let Some(device) = robust(Validation::Required) else { return };
    let mut trials = Trials::new(&device, &settings(1_000), 2, (64, 48)).expect("a small flock fits");
    for (part, name) in [(Part::Step, "scatter-to-steer"), (Part::Frame, "cull-to-draw")] {
        let before = device.instance().messages().count();
        trials.run(part, Some(name), 2, go_on).expect("a trial");
        assert!(device.instance().messages().count() > before, "{name}");
    }
}

#[test]
fn a_step_over_garbage_ends() {
    let Some(device) = robust(Validation::Off) else { return };
    let garbage: [fn(u32) -> u32; 3] = [
        |cell| if cell % 3 == 0 { cell.wrapping_mul(2_654_435_761) } else { (cell % 3 - 1) * u32::MAX },
        |_| u32::MAX,
        |cell| u32::MAX - 70 * (cell % 2),
    ];
    for search in SEARCHES.iter().filter(|search| search.grid == GridKind::CountingSorted) {
        let settings = Settings { search: search.search, ..settings(1_000) };
        let mut flock = Flock::new(&device, &settings, 1).expect("a small flock fits");
        let mut step_over = |starts: fn(u32) -> u32| {
            let starts: Vec<u32> = (0..=flock.grid().cell_count).map(starts).collect();
            flock.buffer(CELL_STARTS).expect("a flock in cells").upload(0, &starts).expect("garbage fits as well");
            let step = flock.prepare_steps(0, 1)[0];
            let begun = Instant::now();
            let Stepper::CountingSorted(sorted) = flock.stepper() else { panic!("a flock in cell order") };
            device
                .run_once("garbage", |rec| sorted.sort_list.record(rec, step, Uses::default()))
                .expect("no harm is done");
            device.run_once("garbage", |rec| sorted.sort_scatter(rec, step, Uses::default())).expect("no harm is done");
            device
                .run_once("garbage", |rec| sorted.steering.steer(rec, step, Uses::default()))
                .expect("no harm is done");
            let took = begun.elapsed();
            assert_eq!(flock.state().expect("the state comes back").len(), 1_000);
            took
        };
        // Empty cells first: a driver compiles kernels when they first run, and where many tests ran at once that took
        // over 20 s.
        step_over(|_| 0);
        for garbage in garbage {
            let took = step_over(garbage);
            assert!(took < Duration::from_secs(20), "{}: {took:?}", search.name);
        }
    }
}

/// On a robust device the boids of a very full cell are not ordered, which bounds the comparisons. None is lost.
#[test]
fn a_cell_too_full_to_be_ordered_loses_nobody() {
    let Some(device) = robust(Validation::Off) else { return };
    let settings = settings(70_000);
    let mut flock = Flock::new(&device, &settings, 1).expect("a flock fits");
    let mut state = spawn(&settings);
    let corner = settings.grid().origin + 0.5 * settings.grid().cell_size;
    // All but a few are in one cell.
    state.position[1_000..].fill(corner);
    flock.set_state(&state).expect("the state goes up");
    let step = flock.prepare_steps(0, 1)[0];
    let Stepper::CountingSorted(sorted) = flock.stepper() else { panic!("a flock in cell order") };
    let run = |what: &dyn Fn(&mut Recorder<'_>)| device.run_once("sort", what).expect("it runs");
    run(&|rec| sorted.grid_clear(rec, Uses::default()));
    for kernel in
        [&sorted.grid_count, &sorted.scan.reduce, &sorted.scan.spine, &sorted.scan.downsweep, &sorted.sort_list]
    {
        run(&|rec| kernel.record(rec, step, Uses::default()));
    }
    run(&|rec| sorted.sort_scatter(rec, step, Uses::default()));
    let ids = flock.buffer(SORTED_BOID_ID).expect("a sorted flock").download::<u32>(0, 70_000).expect("they come back");
    let mut all = ids.clone();
    all.sort_unstable();
    assert!(all.into_iter().eq(0..70_000), "each boid once");
}

#[test]
fn a_device_that_garbage_could_hurt_is_refused() {
    let Some(device) = common::device() else { return };
    let refused = Trials::new(&device, &settings(100), 2, (64, 48)).err().expect("it is not robust");
    assert!(refused.to_string().contains("robust"), "{refused}");
}

/// What `starlings sync break` prints, and its exit status.
fn sync_break(arguments: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_starlings"))
        .args(["sync", "break"])
        .args(arguments.split(' '))
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("it exits"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_counts_and_says_what_it_found() {
    if common::device().is_none() {
        return;
    }
    let (status, page, error) = sync_break("scatter-to-steer --boids 500 --steps 5 --trial 2");
    assert_eq!(status, 0, "{error}");
    assert!(page.starts_with("scatter-to-steer (RAW, WAR) left out\n500 boids"), "{page}");
    assert!(page.contains(" of 3          0 of 3"), "{page}");
    assert!(page.contains("No damage on this device.") || page.contains("\nDamage."), "{page}");
    assert!(page.contains("scatter-to-steer left out, played on the host"), "beside it: {page}");

    let (status, table, error) = sync_break("--all --boids 300 --steps 2 --trial 2 --size 32x24 --preset reynolds");
    assert_eq!(status, 0, "{error}");
    for name in ["*none, steps*", "scatter-to-steer", "*none, frames*", "compose-to-copy", "copy-to-host"] {
        assert!(table.lines().any(|line| line.starts_with(&format!("| {name} "))), "{name}: {table}");
    }

    let (status, page, error) = sync_break("cull-to-draw --boids 300 --steps 4 --trial 2 --size 32x24");
    assert_eq!(status, 0, "{error}");
    assert!(page.contains(" of 2          0 of 2") && page.contains("\npixels that differ "), "{page}");

    let (status, table, error) = sync_break("steer-to-count clear-to-count --boids 300 --steps 2 --trial 2");
    assert_eq!(status, 0, "{error}");
    let (table, played) = table.split_once("Played on the host").expect("both tables");
    assert!(played.contains("| `steer-to-count` | grid_count reads position_vx"), "{played}");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    assert_eq!(rows.len(), 3, "the intact twin and the two, in the frame's order: {table}");
    assert!(rows[1].starts_with("| clear-to-count") && rows[2].starts_with("| steer-to-count"), "{table}");
}

#[test]
fn an_unknown_name_is_answered_with_those_there_are() {
    if common::device().is_none() {
        return;
    }
    for arguments in ["nonsense --boids 100", "--boids 100", "scatter-to-steer nonsense --boids 100"] {
        let (status, _, error) = sync_break(arguments);
        assert_eq!(status, 2, "{error}");
        assert!(error.starts_with("starlings: NAME is ") && error.contains("scatter-to-steer"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
