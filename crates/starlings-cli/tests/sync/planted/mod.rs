//! Faults planted into real frames, one at a time: each has to be found, and by what is named beside it. With
//! `--nocapture` the tests print what was found.

mod finder;
mod table;

use crate::frames::null_device;
use starlings::flock::EngineKind;
use starlings::flock::search::Search;
use starlings::vk::{Device, Fault, Journal};
use starlings_cli::sync::kernels::{Kernels, OwnModules};
use starlings_cli::sync::shapes::Shapes;
use starlings_cli::sync::{FrameKind, Rehearsal, Rehearse};
use std::collections::BTreeSet;
use std::sync::Arc;
use table::{BITONIC, Frames, OBSERVED, PLANTED, STEPS, WINDOW, spec};

fn recorded(device: &Arc<Device>, frames: Frames) -> Vec<Journal> {
    let mut rehearsal = Rehearsal::new(device, &frames(), None).expect("a small flock fits");
    rehearsal.journals(&[2, 0, 1], &[]).expect("it can be recorded")
}

#[test]
fn every_fault_that_is_planted_into_a_frame_is_found() {
    let device = null_device();
    let mut survived = Vec::new();
    for &(frames, what, change, finder, says) in PLANTED {
        let intact = recorded(&device, frames);
        let mut planted = intact.clone();
        planted.iter_mut().for_each(change);
        assert_ne!(planted, intact, "{what}: nothing was changed");
        let before: BTreeSet<String> = finder.finds(&intact).into_iter().collect();
        let found: Vec<String> = finder.finds(&planted).into_iter().filter(|found| !before.contains(found)).collect();
        match found.iter().find(|found| found.contains(says)) {
            Some(found) => eprintln!("{what}: {finder:?}: {found}"),
            None => survived.push(format!("{what}: {finder:?} was to say {says:?}, and said {found:#?}")),
        }
    }
    assert!(survived.is_empty(), "{survived:#?}");
}

/// Frames of two and more steps need what frames of one step do not.
#[test]
fn a_dependency_that_only_some_counts_of_steps_need_is_found_missing() {
    let device = null_device();
    let mut rehearsal = Rehearsal::new(&device, &WINDOW(), None).expect("a small flock fits");
    let mut conflicts = |name: &str| {
        Shapes::record(&mut rehearsal, &[Fault::Omit(name.to_owned())]).expect("they can be recorded").conflicts()
    };
    let found = conflicts("steer-to-count");
    assert!(found.iter().any(|found| found.starts_with("frames of 2,")), "{found:#?}");
    assert!(!found.iter().any(|found| found.starts_with("frames of 1, 1 and 1")), "{found:#?}");
    assert_eq!(conflicts("no such name"), Vec::<String>::new());
}

/// A kernel that loses a `barrier()` has a race, in each of these.
#[test]
fn a_barrier_left_out_of_a_kernel_is_found() {
    let device = null_device();
    let mut kernels = Kernels::new(&OwnModules);
    let tiles: Frames = || spec(FrameKind::Step, EngineKind::Gpu, Search::Tiles, 500);
    for frames in [STEPS, BITONIC, OBSERVED, tiles] {
        recorded(&device, frames).iter().for_each(|journal| kernels.check(journal));
    }
    for module in
        ["scan_reduce", "scan_spine", "scan_downsweep", "bitonic_local", "bitonic_merge", "order_reduce", "steer_"]
    {
        let mut of = kernels.mutants.iter().filter(|of| of.module.starts_with(module)).peekable();
        assert!(of.peek().is_some(), "{module} has no barrier()");
        for mutant in of {
            let found = mutant.found.as_deref().or(mutant.explained).unwrap_or_else(|| panic!("{mutant:?}"));
            eprintln!("{}, {}, {}: {found}", mutant.module, mutant.place, mutant.change);
        }
    }
}
