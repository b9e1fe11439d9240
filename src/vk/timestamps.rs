//! GPU time of every pass: two timestamps around each, read when the frame's fence has been waited for.

use super::device::Device;
use super::flights::TimedPass;
use super::owned::Owned;
use super::timeline;
use crate::error::Result;
use ash::vk::{self, Handle as _};
use barrier_proof::{Bytes, HostEvent};
use std::collections::VecDeque;
use std::sync::Arc;

/// Passes that one recording can time; later ones run untimed.
const MAX_TIMED_PASSES: u32 = 4096;

/// Frames kept until they are taken; older ones are dropped first.
const MAX_FRAMES: usize = 64;

/// Samples kept for each pass; older ones are dropped first.
const MAX_SAMPLES: usize = 4096;

/// The timestamps of one frame slot.
pub(super) struct SlotTimestamps {
    pool: Owned<vk::QueryPool>,
    /// The passes recorded so far.
    pub passes: Vec<TimedPass>,
    /// The submission that writes the timestamps.
    pub submission: u64,
    period_ms: f64,
    mask: u64,
    /// What was read last, and the time of each pass in it: kept for their memory.
    stamps: Vec<u64>,
    runs: Vec<(&'static str, f64)>,
}

impl SlotTimestamps {
    /// None if the queue cannot write timestamps.
    pub fn new(device: &Arc<Device>, name: &str) -> Result<Option<Self>> {
        let bits = device.info.timestamp_bits;
        if bits == 0 {
            return Ok(None);
        }
        let create =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2 * MAX_TIMED_PASSES);
        // SAFETY: the device is alive.
        let made = unsafe { device.raw.create_query_pool(&create, None) };
        let name = format!("{name} timestamps");
        let pool = device.owned("vkCreateQueryPool", &name, made, ash::Device::destroy_query_pool)?;
        // SAFETY: the pool was just made; hostQueryReset is a required feature.
        unsafe { device.raw.reset_query_pool(*pool, 0, 2 * MAX_TIMED_PASSES) };
        Ok(Some(SlotTimestamps {
            pool,
            passes: Vec::new(),
            submission: 0,
            period_ms: f64::from(device.info.properties.limits.timestamp_period) * 1e-6,
            mask: u64::MAX >> (64 - bits),
            stamps: Vec::new(),
            runs: Vec::new(),
        }))
    }

    /// Its queries: two for each pass.
    pub fn pool(&self) -> vk::QueryPool {
        *self.pool
    }

    /// The queries of the passes recorded so far, as if they were mapped memory: the host reads them.
    pub fn bytes(&self) -> Bytes {
        let to = 2 * self.passes.len() as u64;
        Bytes { buffer: self.pool().as_raw(), name: "timestamps".to_owned(), from: 0, to }
    }

    /// Forgets passes that were recorded and never submitted.
    pub fn forget(&mut self) {
        self.passes.clear();
    }

    /// The queries of a pass: it gets the first and the one after it; none if there is no room left.
    pub fn next(&mut self, pass: TimedPass) -> Option<(vk::QueryPool, u32)> {
        let index = self.passes.len() as u32;
        if index == MAX_TIMED_PASSES {
            return None;
        }
        self.passes.push(pass);
        Some((*self.pool, 2 * index))
    }

    /// Moves the timestamps of a finished frame into `timings` and resets the queries for the next one.
    pub fn harvest(&mut self, timings: &mut PassTimings) -> Result<()> {
        if self.passes.is_empty() {
            return Ok(());
        }
        let device = &self.pool.device;
        device.watch.note(|| HostEvent::Read(self.bytes()));
        let (mut stamps, mut runs) = (std::mem::take(&mut self.stamps), std::mem::take(&mut self.runs));
        stamps.clear();
        stamps.resize(2 * self.passes.len(), 0);
        // SAFETY: the frame's fence was waited for, so the device has written all these queries.
        let results =
            unsafe { device.raw.get_query_pool_results(*self.pool, 0, &mut stamps, vk::QueryResultFlags::TYPE_64) };
        results.map_err(device.failed("vkGetQueryPoolResults", "timestamps"))?;
        let ms = |from: u64, to: u64| ((to.wrapping_sub(from)) & self.mask) as f64 * self.period_ms;
        timings.first_tick = stamps[0];
        self.trace(&stamps)?;
        runs.clear();
        runs.extend(
            self.passes.iter().zip(stamps.chunks_exact(2)).map(|(pass, pair)| (pass.name, ms(pair[0], pair[1]))),
        );
        timings.push_frame(&runs, ms(stamps[0], stamps[stamps.len() - 1]));
        // SAFETY: the queries are no longer in use by the device.
        unsafe { device.raw.reset_query_pool(*self.pool, 0, stamps.len() as u32) };
        self.passes.clear();
        (self.stamps, self.runs) = (stamps, runs);
        Ok(())
    }

    /// Reports when the device ran each pass, if a trace is requested.
    fn trace(&self, stamps: &[u64]) -> Result<()> {
        let Some(clock) = self.pool.device.clock.get() else { return Ok(()) };
        clock.renew()?;
        for (pass, pair) in self.passes.iter().zip(stamps.chunks_exact(2)) {
            let (begin, end) = (clock.host(pair[0]), clock.host(pair[1]));
            let (pass, step, submission) = (pass.name, pass.step, self.submission);
            tracing::trace!(target: timeline::TARGET, pass, step, submission, begin, end);
        }
        Ok(())
    }
}

/// GPU times of each pass, in the order in which the passes were first seen. A pass that runs several times in a frame
/// gives a sample each time.
#[derive(Clone, Debug, Default)]
pub struct PassTimings {
    passes: Samples,
    /// The same, with the sum of all runs of a pass in one frame.
    in_frame: Samples,
    /// The whole of each frame, and its time outside of passes.
    whole: Samples,
    /// The last frames one by one, until they are taken.
    frames: VecDeque<FrameTimes>,
    first_tick: u64,
}

/// GPU times of one frame, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameTimes {
    /// Each pass with the sum of its runs, in the order of their first runs.
    pub passes: Vec<(&'static str, f64)>,
    /// From the first timestamp to the last.
    pub whole: f64,
}

/// Times under names, in the order in which the names were first seen.
#[derive(Clone, Debug, Default)]
struct Samples(Vec<(&'static str, Vec<f64>)>);

impl Samples {
    fn of(&self, name: &str) -> &[f64] {
        self.0.iter().find(|(known, _)| *known == name).map_or(&[], |(_, samples)| samples)
    }

    fn push(&mut self, name: &'static str, ms: f64) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, samples)) => {
                if samples.len() == MAX_SAMPLES {
                    samples.remove(0);
                }
                samples.push(ms);
            }
            None => self.0.push((name, vec![ms])),
        }
    }
}

/// Shortest time, median and 99th percentile of a pass, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassStatistics {
    /// The pass.
    pub name: &'static str,
    /// Count of samples.
    pub samples: usize,
    /// Shortest time, in milliseconds.
    pub least_ms: f64,
    /// Median, in milliseconds.
    pub median_ms: f64,
    /// 99th percentile (nearest rank), in milliseconds.
    pub p99_ms: f64,
}

impl PassTimings {
    /// Statistics of every pass, then of the `frame` from first to last timestamp, then, as `unnamed`, of its time
    /// outside of passes.
    pub fn statistics(&self) -> Vec<PassStatistics> {
        self.statistics_of(&self.passes)
    }

    /// The same, for each pass's time in a whole frame: the sum of its runs.
    pub fn frame_statistics(&self) -> Vec<PassStatistics> {
        self.statistics_of(&self.in_frame)
    }

    fn statistics_of(&self, passes: &Samples) -> Vec<PassStatistics> {
        passes.0.iter().chain(&self.whole.0).map(|(name, samples)| statistics(name, samples)).collect()
    }

    /// The device's clock at the first timestamp of the last frame.
    pub(super) fn first_tick(&self) -> u64 {
        self.first_tick
    }

    /// GPU time of each run of the pass of that name, in milliseconds; oldest first.
    pub fn pass_ms(&self, name: &str) -> &[f64] {
        self.passes.of(name)
    }

    /// GPU time of each frame, from its first timestamp to its last, in milliseconds; oldest first.
    pub fn frame_ms(&self) -> &[f64] {
        self.whole.of("frame")
    }

    /// The frames since the last call, oldest first, but at most the last 64.
    pub fn take_frames(&mut self) -> impl Iterator<Item = FrameTimes> {
        self.frames.drain(..)
    }

    /// Clears all samples, for instance after a warm-up.
    pub fn clear(&mut self) {
        *self = PassTimings::default();
    }

    /// Appends all of `other`, as if its frames came after these.
    pub fn append(&mut self, other: &PassTimings) {
        let PassTimings { passes, in_frame, whole, .. } = self;
        for (own, more) in [(passes, &other.passes), (in_frame, &other.in_frame), (whole, &other.whole)] {
            for (name, samples) in &more.0 {
                samples.iter().for_each(|&ms| own.push(name, ms));
            }
        }
    }

    /// Adds the runs of one frame, in order, and the time of the whole frame.
    fn push_frame(&mut self, runs: &[(&'static str, f64)], frame: f64) {
        // In the memory of the frame that is dropped for it.
        let dropped = if self.frames.len() == MAX_FRAMES { self.frames.pop_front() } else { None };
        let mut totals = dropped.unwrap_or_default().passes;
        totals.clear();
        for &(name, ms) in runs {
            self.passes.push(name, ms);
            match totals.iter_mut().find(|(known, _)| *known == name) {
                Some((_, total)) => *total += ms,
                None => totals.push((name, ms)),
            }
        }
        let named: f64 = totals.iter().map(|(_, total)| total).sum();
        for &(name, total) in &totals {
            self.in_frame.push(name, total);
        }
        self.frames.push_back(FrameTimes { passes: totals, whole: frame });
        self.whole.push("frame", frame);
        self.whole.push("unnamed", (frame - named).max(0.0));
    }
}

fn statistics(name: &'static str, samples: &[f64]) -> PassStatistics {
    let Spread { least, median, p99 } = Spread::of(samples);
    PassStatistics { name, samples: samples.len(), least_ms: least, median_ms: median, p99_ms: p99 }
}

/// Minimum, median and 99th percentile of some samples, in their own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The minimum.
    pub least: f64,
    /// The median: for an even number, the mean of the middle two.
    pub median: f64,
    /// The 99th percentile by nearest rank: the smallest sample that at least 99 % of all do not exceed.
    pub p99: f64,
}

impl Spread {
    /// That of `samples`; zero if there are none.
    pub fn of(samples: &[f64]) -> Spread {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let Some(&least) = sorted.first() else { return Spread::default() };
        let middle = sorted.len() / 2;
        let median = if sorted.len() % 2 == 1 { sorted[middle] } else { (sorted[middle - 1] + sorted[middle]) / 2.0 };
        let rank = (sorted.len() * 99).div_ceil(100);
        Spread { least, median, p99: sorted[rank - 1] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_p99_of_known_samples() {
        let samples: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let found = statistics("steer", &samples);
        assert_eq!((found.median_ms, found.p99_ms, found.samples), (100.5, 198.0, 200));
        assert_eq!(statistics("one", &[3.0]).p99_ms, 3.0);
    }

    #[test]
    fn passes_keep_the_order_in_which_they_were_seen() {
        let mut timings = PassTimings::default();
        timings.push_frame(&[("b", 1.0), ("a", 1.0), ("b", 1.0)], 3.5);
        let names: Vec<_> = timings.statistics().iter().map(|s| (s.name, s.samples)).collect();
        assert_eq!(names, [("b", 2), ("a", 1), ("frame", 1), ("unnamed", 1)]);
        let in_frame: Vec<_> = timings.frame_statistics().iter().map(|s| (s.name, s.samples, s.median_ms)).collect();
        let mut twice = timings.clone();
        twice.append(&timings);
        assert!(twice.statistics().iter().zip(timings.statistics()).all(|(two, one)| two.samples == 2 * one.samples));
        assert_eq!(in_frame, [("b", 1, 2.0), ("a", 1, 1.0), ("frame", 1, 3.5), ("unnamed", 1, 0.5)]);
    }
}
