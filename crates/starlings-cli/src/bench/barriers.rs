//! The price of each dependency: the frame's time with it as it is, against the same frame with it recorded otherwise.
//!
//! What is compared has the same results: a dependency with the widest masks, as an event, merged with the one before
//! it, or left out where the checker finds others sufficient in these frames. Submissions of the frame as it is and
//! recorded otherwise alternate in both orders, and each difference is of two neighbors, so that clocks and a changing
//! flock affect both alike. Only the whole is timed, by two timestamps: more between the passes would make the device
//! wait there anyway.

use super::stepper::no_timestamps;
pub use crate::damage::Part;
use crate::error::Result;
use crate::panels::Panels;
use crate::sync::between::faulty;
use crate::sync::{Drawing, Images, check};
use starlings::flock::{Flock, Settings};
use starlings::frame::{record, record_steps};
use starlings::render::Look;
use starlings::render::canvas::picture;
use starlings::vk::{
    Access, DependencyEntry, Device, Fault, FrameSlots, Journal, JournalEntry, Masks, RecordOptions, Spread, Stage,
    stages,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Steps in a submission without a picture.
pub const STEPS: u32 = 4;

/// Submissions before the first that counts.
const WARM_UP: u32 = 8;

/// Differences of each kind, at least, whatever the time.
const LEAST: usize = 12;

const WHOLE: &str = "whole";

/// How a dependency is recorded otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From all commands to all commands, with all accesses on both sides.
    Wide,
    /// By an event, set and waited for in its place.
    Event,
    /// As one barrier with the named one, which is recorded next to it.
    Merged(&'static str),
    /// Not at all: others do its work in these frames.
    LeftOut,
}

/// A price.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The dependency.
    pub name: &'static str,
    /// What ran.
    pub part: Part,
    /// How it was recorded.
    pub way: Way,
    /// The median of the differences to the frame as it is, in microseconds of a step or a frame.
    pub median_us: f64,
    /// Their median lies between these, with a probability of 95 %.
    pub between_us: (f64, f64),
    /// How many differences there are.
    pub samples: usize,
}

/// All prices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    /// Median time of a step, and of a frame, as they are, in microseconds.
    pub base_us: [f64; 2],
    /// The prices, in the order of the frame.
    pub prices: Vec<Price>,
}

/// A frame in which one dependency is recorded otherwise.
struct Variant {
    name: &'static str,
    way: Way,
    faults: Vec<Fault>,
}

/// What runs, again and again.
struct Rig {
    // Dropped before what its submissions use.
    slots: FrameSlots,
    drawing: Drawing,
    flock: Flock,
}

/// Measures for about `budget`, with pictures of `size` pixels. `go_on` receives the share of it that has passed, and
/// stops the run by an error.
///
/// # Errors
/// [`starlings::Error::NoDevice`] for a device without timestamps; [`starlings::Error::Vulkan`] when it is lost or out
/// of memory; or the error of `go_on`.
pub fn measure(
    device: &Arc<Device>,
    settings: &Settings,
    size: (u32, u32),
    budget: Duration,
    mut go_on: impl FnMut(f64) -> Result<()>,
) -> Result<Prices> {
    let mut rig = Rig::new(device, settings, size)?;
    let mut prices = Prices::default();
    for (at, part) in [Part::Step, Part::Frame].into_iter().enumerate() {
        let variants = rig.variants(part)?;
        let mut differences: Vec<Vec<f64>> = vec![Vec::new(); variants.len()];
        let mut base = Vec::new();
        for _ in 0..WARM_UP {
            rig.time(part, &[])?;
        }
        let began = Instant::now();
        let share = budget / 2;
        while began.elapsed() < share || base.len() < LEAST * variants.len() {
            for (variant, differences) in variants.iter().zip(&mut differences) {
                // In turn, which of the two comes first.
                let first = differences.len() % 2 == 0;
                let before = if first { Some(rig.time(part, &[])?) } else { None };
                let otherwise = rig.time(part, &variant.faults)?;
                let as_it_is = before.map_or_else(|| rig.time(part, &[]), Ok)?;
                differences.push(otherwise - as_it_is);
                base.push(as_it_is);
            }
            go_on((at as f64 + (began.elapsed().as_secs_f64() / share.as_secs_f64()).min(1.0)) / 2.0)?;
        }
        prices.base_us[at] = Spread::of(&base).median;
        for (Variant { name, way, .. }, differences) in variants.into_iter().zip(differences) {
            let (median_us, between_us) = (Spread::of(&differences).median, interval(&differences));
            prices.prices.push(Price { name, part, way, median_us, between_us, samples: differences.len() });
        }
    }
    Ok(prices)
}

impl Rig {
    fn new(device: &Arc<Device>, settings: &Settings, size: (u32, u32)) -> Result<Rig> {
        if device.info().is_without_timestamps() {
            return Err(no_timestamps(&device.info().name).into());
        }
        let flock = Flock::new(device, settings, STEPS as usize)?;
        let image = Images::Picture(picture(device, size.0, size.1)?);
        let panels = Panels::showing(device, image.format(), 1, size, |ui| drop(ui.label("starlings")))?;
        let drawing = Drawing::new(&flock, Look::of(settings), image, size, 1, Some(panels))?;
        let slots = FrameSlots::new(device, "cost", 1, true)?.with_events(4 * STEPS as usize)?;
        Ok(Rig { slots, drawing, flock })
    }

    /// Records steps, or a step and a picture, and submits them unless their journal is wanted.
    fn record(&mut self, part: Part, options: RecordOptions<'_>) -> Result<Journal> {
        let slot = self.slots.next()?;
        let steps = self.flock.prepare_steps(0, if part == Part::Step { STEPS } else { 1 });
        let (flock, drawing) = (&self.flock, &mut self.drawing);
        let submit = !options.journal;
        let journal = record(slot, options, |rec| {
            rec.timed_as_one(WHOLE, |rec| match part {
                Part::Step => record_steps(rec, flock, &steps),
                Part::Frame => drawing.record(rec, (0, 0), flock, &steps),
            });
        })?;
        if submit {
            slot.submit(None)?;
        }
        Ok(journal.unwrap_or_default())
    }

    /// Microseconds of a step or of a frame with these faults.
    fn time(&mut self, part: Part, faults: &[Fault]) -> Result<f64> {
        self.slots.timings_mut().clear();
        self.record(part, RecordOptions { journal: false, faults })?;
        self.slots.wait_all()?;
        let steps = if part == Part::Step { f64::from(STEPS) } else { 1.0 };
        Ok(1e3 * self.slots.timings().pass_ms(WHOLE).first().copied().unwrap_or_default() / steps)
    }

    fn variants(&mut self, part: Part) -> Result<Vec<Variant>> {
        let step = self.flock.step();
        // Some dependencies are recorded in the first frame of a scene only: the second is as all others.
        let noted = RecordOptions { journal: true, faults: &[] };
        self.record(part, noted)?;
        let journal = self.record(part, noted)?;
        // They were not submitted.
        self.flock.set_step(step);
        let mut known = BTreeSet::new();
        if part == Part::Frame {
            // Those of the step were measured without pictures.
            known.extend(self.record(Part::Step, noted)?.dependencies().map(|dependency| dependency.name));
            self.flock.set_step(step);
        }
        let mut variants = Vec::new();
        for dependency in journal.dependencies().filter(|dependency| known.insert(dependency.name)) {
            variants.extend(ways(&journal, dependency));
        }
        Ok(variants)
    }
}

/// How a dependency can be recorded otherwise, without an error.
fn ways(journal: &Journal, dependency: &DependencyEntry) -> Vec<Variant> {
    let (name, masks) = (dependency.name, dependency.masks);
    let own = || name.to_owned();
    let host = masks.dst_stage.intersects(Stage::HOST);
    // All commands do not include the host.
    let to = if host { Stage::ALL_COMMANDS | Stage::HOST } else { Stage::ALL_COMMANDS };
    let wide =
        Masks { src_stage: Stage::ALL_COMMANDS, src_access: stages::MEMORY, dst_stage: to, dst_access: stages::MEMORY };
    let mut ways = vec![Variant { name, way: Way::Wide, faults: vec![Fault::Replace(own(), wide)] }];
    // An event cannot be waited for by the host in this way.
    if !host {
        ways.push(Variant { name, way: Way::Event, faults: vec![Fault::Event(own())] });
    }
    if let Some(beside) = beside(journal, dependency) {
        let both = Masks {
            src_stage: masks.src_stage | beside.masks.src_stage,
            src_access: masks.src_access | beside.masks.src_access,
            dst_stage: masks.dst_stage | beside.masks.dst_stage,
            dst_access: masks.dst_access | beside.masks.dst_access,
        };
        let faults = vec![Fault::Replace(beside.name.to_owned(), both), Fault::Omit(own())];
        ways.push(Variant { name, way: Way::Merged(beside.name), faults });
    }
    let omitted = Fault::Omit(own());
    let without = faulty(journal, &omitted);
    if check(&[without.clone(), without.clone(), without]).is_empty() {
        ways.push(Variant { name, way: Way::LeftOut, faults: vec![omitted] });
    }
    ways
}

/// The dependency before this one, without a pass between the two, if neither is of an image.
fn beside<'a>(journal: &'a Journal, dependency: &DependencyEntry) -> Option<&'a DependencyEntry> {
    let pair = journal.entries.windows(2).find_map(|pair| match pair {
        [JournalEntry::Dependency(before), JournalEntry::Dependency(own)] if own.name == dependency.name => {
            Some((before, own))
        }
        _ => None,
    });
    let (before, own) = pair?;
    (before.layouts.is_none() && own.layouts.is_none() && own.masks.dst_access != Access::NONE).then_some(before)
}

/// Two of `samples` between which the median of their distribution, whatever it is, lies with a probability of 95 %.
fn interval(samples: &[f64]) -> (f64, f64) {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    // The count of samples below the median is binomial.
    let low = ((count - 1.96 * count.sqrt()) / 2.0).floor().max(0.0) as usize;
    match sorted.is_empty() {
        true => (0.0, 0.0),
        false => (sorted[low], sorted[sorted.len() - 1 - low]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_has_the_ranks_of_a_sign_test() {
        let samples: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!(interval(&samples), (40.0, 59.0));
        assert_eq!(interval(&[]), (0.0, 0.0));
        assert_eq!(interval(&[1.0, 2.0]), (1.0, 2.0));
    }
}
