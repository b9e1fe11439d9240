//! Which moments are recorded for trails, and the memory they need. Independent of a device.

use crate::error::{Error, Result};
use crate::flock::Settings;
use crate::flock::memory::{self, Sizes};
use crate::limits::MAX_TRAIL_SLOTS;
use crate::render::layout::{SceneParams, TrailSample, TrailStep};
use crate::vk::DeviceInfo;
use glam::Vec3;
use std::collections::VecDeque;

/// Pieces that a trail is made of, at most.
pub const SEGMENTS: u32 = MAX_TRAIL_SLOTS - 2;

/// Most steps between two frames of one run; more mean that the flock was reset.
const LONGEST_GAP: u32 = 64;

/// A trail breaks where a boid is farther from its last sample than its speed allows, times this factor.
const LEEWAY: f32 = 1.5;

/// How trails of some length are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Steps from one recorded moment to the next.
    pub stride: u32,
    /// Moments that are kept: as many as the trail's seconds hold, and one more at either end.
    pub slots: u32,
}

impl Sampling {
    /// For trails of `seconds` of a flock of `settings`.
    pub fn of(settings: &Settings, seconds: f32) -> Sampling {
        let steps = (f64::from(seconds) / f64::from(settings.time_step)).ceil().max(1.0) as u32;
        let stride = steps.div_ceil(SEGMENTS);
        Sampling { stride, slots: steps.div_ceil(stride) + 2 }
    }

    /// Bytes of the history of `boids` boids.
    pub fn bytes(self, boids: u32) -> u64 {
        u64::from(self.slots) * u64::from(boids) * size_of::<TrailSample>() as u64
    }
}

/// Checks that trails of `seconds` fit on the device beside the flock.
///
/// # Errors
/// [`Error::TooLarge`] naming the largest count of boids whose trails fit.
pub fn check(device: &DeviceInfo, settings: &Settings, seconds: f32) -> Result<()> {
    if seconds == 0.0 {
        return Ok(());
    }
    let largest = largest(settings, seconds, (device.reach(false), device.memory));
    if settings.boids <= largest {
        return Ok(());
    }
    let how = format!(" with trails of {seconds} s");
    Err(Error::TooLarge { boids: settings.boids.into(), how, device: device.name.clone(), largest: largest.into() })
}

/// The largest flock that fits with its trails, given the bytes of the longest buffer and of all memory.
fn largest(settings: &Settings, seconds: f32, (range, memory): (u64, u64)) -> u32 {
    memory::largest(|boids| {
        let history = Sampling::of(settings, seconds).bytes(boids);
        // What a scene has besides: the lists of visible boids and of trails.
        let lists = 12 * u64::from(boids);
        history <= range && Sizes::of(&Settings { boids, ..settings.clone() }).total + history + lists <= memory
    })
}

/// The length of the world of `settings` along each axis, if it is a torus, in world units; else 0.
pub fn period(settings: &Settings) -> Vec3 {
    settings.torus().map_or(Vec3::ZERO, |torus| torus.period().as_vec3())
}

/// One recording of the flock that a frame makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recording {
    /// Steps of the frame that come before it.
    pub after: u32,
    /// What it needs.
    pub step: TrailStep,
}

/// Schedules moments, and lists the recorded ones.
#[derive(Clone, Debug)]
pub struct Moments {
    /// How they are recorded.
    pub sampling: Sampling,
    /// On a torus, its length along each axis, in world units; else 0.
    pub period: Vec3,
    boids: u32,
    /// World units that a boid flies in a step, at most.
    per_step: f32,
    time_step: f32,
    /// Step that the last frame ended with.
    seen: Option<u32>,
    /// Slot and step of every moment that is there, the newest first.
    there: VecDeque<(u32, u32)>,
    next_slot: u32,
}

impl Moments {
    /// None yet. No boid is faster than `full_speed`.
    pub fn new(settings: &Settings, seconds: f32, full_speed: f32) -> Moments {
        Moments {
            sampling: Sampling::of(settings, seconds),
            period: period(settings),
            boids: settings.boids,
            per_step: full_speed * settings.time_step,
            time_step: settings.time_step,
            seen: None,
            there: VecDeque::new(),
            next_slot: 0,
        }
    }

    /// The recordings of a frame that takes `taken` steps and ends with step `now`.
    pub fn advance(&mut self, now: u32, taken: u32) -> Vec<Recording> {
        let first = now.saturating_sub(taken);
        let mut recordings: Vec<_> = self.find(0, first).into_iter().collect();
        for after in 1..=taken {
            if (first + after).is_multiple_of(self.sampling.stride) {
                recordings.push(self.record(after, first + after));
            }
        }
        self.seen = Some(now);
        recordings
    }

    /// The same for a frame with the CPU engine's state after step `now`, in 0 or 1 `uploads`. The states in between
    /// are not uploaded, so only this one can be recorded: a trail has a corner there.
    pub fn arrive(&mut self, now: u32, uploads: u32) -> Vec<Recording> {
        let recording = self.find(uploads, now);
        self.seen = Some(now);
        recording.into_iter().collect()
    }

    /// The flock is found at `step`, after so many steps of the frame. It is recorded if a moment has passed since the
    /// frame before. If the step went back or far ahead, the flock was reset, and earlier moments are dropped.
    fn find(&mut self, after: u32, step: u32) -> Option<Recording> {
        match self.seen {
            Some(seen) if step >= seen && step - seen <= LONGEST_GAP => {
                (step / self.sampling.stride > seen / self.sampling.stride).then(|| self.record(after, step))
            }
            _ => {
                self.there.clear();
                Some(self.record(after, step))
            }
        }
    }

    fn record(&mut self, after: u32, step: u32) -> Recording {
        let slot = self.next_slot;
        self.next_slot = (slot + 1) % self.sampling.slots;
        let (previous, reach) = match self.there.front() {
            Some(&(previous, then)) => (previous, LEEWAY * self.per_step * (step - then).max(1) as f32),
            None => (slot, -1.0),
        };
        self.there.push_front((slot, step));
        self.there.truncate(self.sampling.slots as usize);
        Recording {
            after,
            step: TrailStep { boid_count: self.boids, slot, previous, step, reach, period: self.period },
        }
    }

    /// Tells the draw which moments there are, `extrapolate` seconds after step `now`.
    pub fn fill(&self, params: &mut SceneParams, now: u32, extrapolate: f32) {
        params.trail_slots = self.sampling.slots;
        params.trail_samples = self.there.len() as u32;
        let Some(&(newest, then)) = self.there.front() else { return };
        let age = |step: u32| (now - step) as f32 * self.time_step + extrapolate;
        params.trail_newest = newest;
        params.trail_reach = LEEWAY * self.per_step * (age(then) / self.time_step).max(1.0);
        for &(slot, step) in &self.there {
            params.trail_ages[slot as usize] = age(step);
            params.trail_steps[slot as usize] = step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::preset("reynolds").expect("a known preset").with_boids(100)
    }

    #[test]
    fn a_trail_has_few_pieces_and_all_of_its_seconds() {
        let settings = settings();
        for seconds in [1e-3, 0.1, 0.4, 0.5, 1.0, 7.0, 60.0] {
            let sampling = Sampling::of(&settings, seconds);
            assert!(sampling.slots <= MAX_TRAIL_SLOTS, "{seconds}: {sampling:?}");
            // The newest moment may be almost a stride old, and the oldest must still be past the end.
            let span = f64::from((sampling.slots - 2) * sampling.stride) * f64::from(settings.time_step);
            assert!(span >= f64::from(seconds) - 1e-6, "{seconds}: {sampling:?} spans {span}");
        }
        assert_eq!(Sampling::of(&settings, 0.5), Sampling { stride: 2, slots: 17 });
    }

    #[test]
    fn moments_do_not_depend_on_how_steps_fall_into_frames() {
        let settings = settings();
        let fly = |frames: &[u32]| {
            let mut moments = Moments::new(&settings, 0.5, 4.0);
            let mut now = 0;
            let mut steps = Vec::new();
            for &taken in frames {
                now += taken;
                steps.extend(moments.advance(now, taken).iter().map(|recording| recording.step.step));
            }
            steps
        };
        let one_by_one = fly(&[1; 12]);
        assert_eq!(one_by_one, [0, 2, 4, 6, 8, 10, 12]);
        for frames in [&[12][..], &[0, 5, 0, 0, 7], &[3, 3, 3, 3], &[0, 11, 1]] {
            assert_eq!(fly(frames), one_by_one, "{frames:?}");
        }
    }

    #[test]
    fn a_flock_that_starts_over_leaves_its_trails_behind() {
        let mut moments = Moments::new(&settings(), 0.5, 4.0);
        moments.advance(10, 10);
        let again = moments.advance(2, 2);
        assert_eq!(again.iter().map(|recording| recording.step.step).collect::<Vec<_>>(), [0, 2]);
        assert!(again[0].step.reach < 0.0, "nothing leads there");
        assert_eq!(moments.there.len(), 2);
        // As does one that was put far ahead.
        assert!(moments.advance(1_000, 0)[0].step.reach < 0.0);
        // Steps of another engine are not a reset.
        let other = moments.advance(1_003, 0);
        assert_eq!((other.len(), other[0].after, other[0].step.step), (1, 0, 1_003));
        assert!(other[0].step.reach > 0.0);
    }

    #[test]
    fn what_the_processor_brings_is_recorded_where_it_arrives_and_as_what_it_is() {
        let mut moments = Moments::new(&settings(), 0.5, 4.0);
        // (step, uploads) of a frame, and what it records: steps of the frame before it, and step.
        for (frame, want) in [
            ((0, 0), Some((0, 0))),
            ((5, 1), Some((1, 5))),
            ((5, 0), None),
            ((6, 1), Some((1, 6))),
            ((7, 1), None),
            ((23, 1), Some((1, 23))),
        ] {
            let recordings = moments.arrive(frame.0, frame.1);
            let got: Vec<_> = recordings.iter().map(|recording| (recording.after, recording.step.step)).collect();
            assert_eq!(got, Vec::from_iter(want), "{frame:?}");
        }
        // As far as a boid flies in that one step, and half as far again.
        let reach = moments.arrive(24, 1)[0].step.reach;
        assert!((reach - 1.5 * 4.0 * settings().time_step).abs() < 1e-6, "{reach}");
        assert!(moments.arrive(3, 1)[0].step.reach < 0.0, "it has started over");
    }

    #[test]
    fn trails_are_bounded_by_the_longest_buffer_and_by_all_memory() {
        let settings = settings();
        let by_buffer = largest(&settings, 0.5, (1 << 27, 1 << 40));
        assert_eq!(u64::from(by_buffer), (1 << 27) / (17 * 16), "17 moments of 16 bytes");
        let by_memory = largest(&settings, 0.5, (1 << 40, 1 << 30));
        assert!((1_000_000..4_000_000).contains(&by_memory), "some 400 bytes a boid: {by_memory}");
        assert!(largest(&settings, 0.1, (1 << 27, 1 << 40)) > by_buffer, "shorter trails take less");
    }
}
