//! Many flocks that are stepped at once: small ones, of which each alone leaves most of a device idle.
//!
//! Each has a part of every array, and workgroups of its own, by their number along z; kernels are built once more for
//! that (`glsl/include/array.glsl`). Within its part a flock is what it is alone: with its own parameters, places,
//! cells, identities and random numbers, and so with the same bits. Frames and barriers are those of one flock.
//!
//! Flocks differ in their seeds and in all settings that choose no other kernel. What is placed anew from step to step
//! or is told of single boids is stepped alone: targets, the cursor, influences (a leader, a current, points,
//! obstacles, hunters), own speeds and states; so are other searches than the default.

use super::buffers::{BUFFERS, Counts};
use super::crowding::BUDGET;
use super::engine::EngineKind;
use super::law::Law;
use super::search::Search;
use super::settings::Settings;
use super::state::MAX_STEPS_PER_SUBMISSION;
use crate::limits::MAX_GROUPS_PER_DIMENSION;
use crate::vk::DeviceInfo;

/// Those of these flocks that can be stepped at once, by their numbers: as many as fit on the device, in order. Each is
/// in one batch.
pub fn batches(device: &DeviceInfo, all: &[&Settings]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut open: Vec<usize> = (0..all.len()).collect();
    while let Some(&first) = open.first() {
        let (same, rest): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|&other| other == first || are_alike(all[first], all[other]));
        let mut same = &same[..];
        while !same.is_empty() {
            let most = same.len().min(most_at_once(all[first]));
            let each: Vec<Settings> = same[..most].iter().map(|&flock| all[flock].clone()).collect();
            // The memory grows with the count.
            let counts: Vec<usize> = (2..=most).collect();
            let count = 1 + counts.partition_point(|&count| fit(device, &each[..count]));
            let (batch, more) = same.split_at(count);
            batches.push(batch.to_vec());
            same = more;
        }
        open = rest;
    }
    batches
}

/// Whether the same kernels step both, at once.
pub(super) fn are_alike(a: &Settings, b: &Settings) -> bool {
    let can_be = |of: &Settings| {
        let alone = of.influences() != 0 || of.targets > 0 || of.has_weights() || of.states.is_on();
        let law = of.law != Law::Cursor && of.law != Law::Probe;
        of.engine == EngineKind::Gpu && of.search == Search::QuantizedGrid && law && !alone
    };
    let kernels = |of: &Settings| {
        let Settings { law, boids, nearest, .. } = *of;
        (law, boids, nearest, of.walls_met(), of.manners(), of.kinds_felt())
    };
    can_be(a) && can_be(b) && kernels(a) == kernels(b)
}

/// Whether several fit into the memory of a device.
fn fit(device: &DeviceInfo, each: &[Settings]) -> bool {
    let counts = Counts::of_each(each);
    let bytes = || BUFFERS.iter().map(|row| row.bytes(&each[0], &counts));
    // A record for each of two frames in flight, and room to fill and read buffers.
    bytes().all(|bytes| bytes <= device.reach(false)) && 2 * bytes().sum::<u64>() <= device.memory
}

/// Candidates of a step of so many flocks like this one at most: if in each all are near all others.
fn candidates(settings: &Settings, flocks: usize) -> f64 {
    flocks as f64 * f64::from(settings.boids).powi(2)
}

/// Flocks like this one that one dispatch steps, at most: so that it is short whatever they do.
fn most_at_once(settings: &Settings) -> usize {
    ((BUDGET / candidates(settings, 1)) as usize).clamp(1, MAX_GROUPS_PER_DIMENSION as usize)
}

/// Steps of so many flocks like this one in one submission, at most.
pub(super) fn steps_at_once(settings: &Settings, flocks: usize) -> u32 {
    ((BUDGET / candidates(settings, flocks)) as u32).clamp(1, MAX_STEPS_PER_SUBMISSION)
}
