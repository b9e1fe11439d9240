//! Synchronization validation and the checker of `src/sync`, compared on random frames: each difference must be of a
//! class that `docs/synchronization/layer.md` explains, and each class must occur.

mod compare;
mod plan;
mod stage;

use crate::common;
use compare::{Class, Comparison};
use plan::{Entry, Maker};
use stage::Rehearsal;
use starlings::vk::{Messages, Validation};
use std::collections::BTreeMap;

/// Journals of the quick test.
const FEW: u64 = 2_000;

/// Journals among which each class occurs; `STARLINGS_RANDOM_FRAMES` names another count for the long test.
const USUAL: u64 = 20_000;

/// How many journals with an unknown difference are shown.
const SHOWN: usize = 3;

#[test]
fn layer_and_checker_differ_in_known_ways_only() {
    compare(FEW);
}

#[test]
#[ignore = "long: thousands of journals"]
fn layer_and_checker_differ_in_every_known_way_and_no_other() {
    compare(std::env::var("STARLINGS_RANDOM_FRAMES").map_or(USUAL, |text| text.parse().expect("a count")));
}

/// Correct frames of the quick test, and of the long one.
const CORRECT: [u64; 2] = [300, 10_000];

#[test]
fn no_correct_frame_is_rejected() {
    reject_none(CORRECT[0]);
}

#[test]
#[ignore = "long: thousands of journals"]
fn of_ten_thousand_correct_frames_none_is_rejected() {
    reject_none(CORRECT[1]);
}

/// Frames in which each pass is ordered after all earlier ones that access the same, without the checker: neither it
/// nor the layer may find an error.
fn reject_none(count: u64) {
    let Some((mut stage, messages)) = stage() else { return };
    for seed in 0..count {
        let entries = Maker::make(seed, true);
        let comparison = Comparison::of(&mut stage, &messages, &entries);
        let said = (comparison.agreed(), comparison.differences());
        assert_eq!(said, (0, Vec::new()), "seed {seed}: {entries:#?}");
    }
}

fn stage() -> Option<(Rehearsal, std::sync::Arc<Messages>)> {
    let device = common::unwatched_device(Validation::Required)?;
    let messages = device.instance().messages().clone();
    messages.expect(true);
    Some((Rehearsal::new(&device), messages))
}

fn compare(count: u64) {
    let Some((mut stage, messages)) = stage() else { return };
    let (mut agreed, mut alike) = (0, 0);
    let mut classes: BTreeMap<Class, (usize, usize)> = BTreeMap::new();
    let mut unknown = Vec::new();
    for seed in 0..count {
        let entries = Maker::make(seed, false);
        let comparison = Comparison::of(&mut stage, &messages, &entries);
        agreed += comparison.agreed();
        let differences = comparison.differences();
        alike += usize::from(differences.is_empty());
        for class in Class::all() {
            let of = differences.iter().filter(|(_, found)| *found == Some(class)).count();
            let (journals, times) = classes.entry(class).or_default();
            (*journals, *times) = (*journals + usize::from(of > 0), *times + of);
        }
        if differences.iter().any(|(_, class)| class.is_none()) {
            unknown.push(seed);
            if unknown.len() <= SHOWN {
                show(&mut stage, &messages, seed, entries);
            }
        }
    }
    println!(
        "{count} journals, {alike} without a difference; {agreed} conflicts that both report; by class, journals and \
        conflicts:"
    );
    for (class, (journals, times)) in &classes {
        println!("{:12} {journals:7} {times:7}", class.name());
    }
    assert!(
        unknown.is_empty(),
        "differences of no known class: {} journals, with the seeds {unknown:?}",
        unknown.len()
    );
    let absent: Vec<&str> = classes.iter().filter(|(_, of)| of.0 == 0).map(|(class, _)| class.name()).collect();
    assert!(count < USUAL || absent.is_empty(), "classes that do not occur: {absent:?}");
}

/// Prints the smallest part of a journal that still has a difference of no class.
fn show(stage: &mut Rehearsal, messages: &Messages, seed: u64, mut entries: Vec<Entry>) {
    let mut unknown = |entries: &[Entry]| {
        let differences = Comparison::of(stage, messages, entries).differences();
        differences.into_iter().filter(|(_, class)| class.is_none()).map(|(said, _)| said).collect::<Vec<_>>()
    };
    while let Some(less) = plan::smaller(&entries).into_iter().find(|less| !unknown(less).is_empty()) {
        entries = less;
    }
    println!("seed {seed}: {:#?}", unknown(&entries));
    entries.iter().for_each(|entry| println!("    {entry:?}"));
}

#[test]
fn the_documentation_lists_each_class() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/synchronization/layer.md"))
        .expect("the page");
    let listed: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(name, _)| name).collect();
    let all: Vec<&str> = Class::all().into_iter().map(Class::name).collect();
    assert_eq!(listed, all);
}
