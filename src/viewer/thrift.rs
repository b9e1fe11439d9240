//! Cheaper frames where the machine is slow: a coarser picture, then fewer boids.

use crate::flock::settings::MAX_BOIDS;
use crate::render::canvas::COARSE;
use crate::vk::DeviceInfo;

/// Frames a second below which it saves.
const ENOUGH: f64 = 20.0;

/// Ticks in a row, of half a second each, that must be slow before it saves.
const PATIENCE: u32 = 4;

/// Without a gain of this factor, another saving of the same kind is not worth it.
const GAIN: f64 = 1.1;

/// The fewest boids that it leaves.
const LEAST_BOIDS: u32 = 500;

/// Boids to start with on a software driver, unless the user has said how many.
const SOFTWARE_BOIDS: u32 = 3_000;

/// The most boids that the slider offers on a software driver, whose memory is that of the whole machine.
const SOFTWARE_MOST: u32 = 1 << 20;

/// What to do about slow frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saving {
    CoarserPicture,
    /// So many are left.
    FewerBoids(u32),
}

/// How many boids to start with, of those wanted by default.
pub fn boids_at_first(device: &DeviceInfo, wanted: u32) -> u32 {
    if device.is_software() { wanted.min(SOFTWARE_BOIDS) } else { wanted }
}

/// How many boids to offer, of those that the device holds.
pub fn most_offered(device: &DeviceInfo, held: u64) -> u32 {
    let most = if device.is_software() { SOFTWARE_MOST } else { MAX_BOIDS };
    held.min(most.into()) as u32
}

/// Watches how fast frames come.
#[derive(Debug)]
pub struct Thrift {
    /// Whether it may save.
    pub allowed: bool,
    /// Whether it may leave boids out: the user has not said how many there are to be.
    may_leave_out: bool,
    slow_ticks: u32,
    /// Frames a second before the last saving of boids.
    before: Option<f64>,
}

impl Thrift {
    pub fn new(allowed: bool, may_leave_out: bool) -> Thrift {
        Thrift { allowed, may_leave_out, slow_ticks: 0, before: None }
    }

    /// Looks at the frames a second of one tick, in a picture of such blocks with so many boids. Returns what to save, if anything.
    pub fn watch(&mut self, fps: f64, block: u32, boids: u32) -> Option<Saving> {
        self.slow_ticks = if fps < ENOUGH { self.slow_ticks + 1 } else { 0 };
        if !self.allowed || self.slow_ticks < PATIENCE {
            return None;
        }
        self.slow_ticks = 0;
        if block < COARSE {
            return Some(Saving::CoarserPicture);
        }
        let helped = self.before.is_none_or(|before| fps > GAIN * before);
        if !self.may_leave_out || !helped || boids / 2 < LEAST_BOIDS {
            return None;
        }
        self.before = Some(fps);
        Some(Saving::FewerBoids(boids / 2))
    }

    /// Waits anew: frames of another kind are to come.
    pub fn restart(&mut self) {
        self.slow_ticks = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows upon so many ticks at `fps`.
    fn after(thrift: &mut Thrift, ticks: u32, fps: f64, block: u32, boids: u32) -> Vec<Saving> {
        (0..ticks).filter_map(|_| thrift.watch(fps, block, boids)).collect()
    }

    #[test]
    fn slow_frames_cost_pixels_first_and_then_boids() {
        let mut thrift = Thrift::new(true, true);
        assert_eq!(after(&mut thrift, 100, 20.0, 1, 4_000), []);
        assert_eq!(after(&mut thrift, PATIENCE, 10.0, 1, 4_000), [Saving::CoarserPicture]);
        assert_eq!(after(&mut thrift, PATIENCE, 12.0, 2, 4_000), [Saving::FewerBoids(2_000)]);
        assert_eq!(after(&mut thrift, PATIENCE, 15.0, 2, 2_000), [Saving::FewerBoids(1_000)]);
        assert_eq!(after(&mut thrift, 100, 15.1, 2, 1_000), [], "the last one did not help");
    }

    #[test]
    fn it_does_not_save_what_the_user_wants() {
        let mut refused = Thrift::new(false, true);
        assert_eq!(after(&mut refused, 100, 1.0, 1, 4_000), []);
        let mut counted = Thrift::new(true, false);
        assert_eq!(after(&mut counted, 100, 1.0, COARSE, 4_000), []);
        let mut short = Thrift::new(true, true);
        for _ in 0..30 {
            assert_eq!(after(&mut short, PATIENCE - 1, 1.0, 1, 4_000), [], "a moment");
            assert_eq!(after(&mut short, 1, 60.0, 1, 4_000), []);
        }
    }
}
