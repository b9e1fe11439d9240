//! Cheaper frames while the machine is slow: a coarser picture, then fewer boids. What was saved comes back when there
//! is time.

use super::controls::{grouped, resized};
use super::open_window::OpenWindow;
use crate::error::Result;
use starlings::flock::Settings;
use starlings::flock::settings::MAX_BOIDS;
use starlings::render::canvas::COARSE;
use starlings::vk::DeviceInfo;

/// Frames a second below which it saves.
const ENOUGH: f64 = 20.0;

/// Ticks in a row, of half a second each, that must be slow before it saves.
const PATIENCE: u32 = 4;

/// Frames a second from which it gives back: twice the boids take at most twice the time.
const PLENTY: f64 = 2.0 * ENOUGH;

/// The most ticks in a row that must be fast before it gives something back.
const LONGEST_PATIENCE: u32 = 64;

/// Without a gain of this factor, another saving of the same kind is not worth it.
const GAIN: f64 = 1.1;

/// The fewest boids that it leaves.
const LEAST_BOIDS: u32 = 500;

/// Boids to start with on a software driver, unless the user has said how many.
const SOFTWARE_BOIDS: u32 = 3_000;

/// The most boids that the slider offers on a software driver, whose memory is that of the whole machine.
const SOFTWARE_MOST: u32 = 1 << 20;

/// What to do about frames that are slow, or fast again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    CoarserPicture,
    FinerPicture,
    /// So many are left, or come back.
    Boids(u32),
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
#[derive(Debug, Default)]
pub struct Throttle {
    /// Whether it may save.
    pub allowed: bool,
    /// Whether it may leave boids out: the user has not said how many there are to be.
    may_leave_out: bool,
    slow_ticks: u32,
    fast_ticks: u32,
    /// Fast ticks in a row before it gives something back: more after each time that this was too early.
    patience: u32,
    /// What it gave back last has not been saved again.
    has_given: bool,
    /// Frames a second before the last saving of boids.
    before: Option<f64>,
    /// The boids that there were before it left some out.
    wanted: Option<u32>,
    /// It has made the picture coarser.
    has_coarsened: bool,
}

impl Throttle {
    pub fn new(allowed: bool, may_leave_out: bool) -> Throttle {
        Throttle { allowed, may_leave_out, patience: PATIENCE, ..Throttle::default() }
    }

    /// The boids that the user wants, of whom there are `boids` now.
    pub fn wanted(&self, boids: u32) -> u32 {
        self.wanted.unwrap_or(boids)
    }

    /// The user has chosen another count of boids: none is left out of it yet.
    pub fn count_chosen(&mut self) {
        (self.wanted, self.before) = (None, None);
    }

    /// The user has chosen how coarse the picture is.
    pub fn picture_chosen(&mut self) {
        self.has_coarsened = false;
    }

    /// Looks at the frames a second of one tick, in a picture of such blocks with so many boids. Returns what to
    /// change, if anything.
    pub fn watch(&mut self, fps: f64, block: u32, boids: u32) -> Option<Change> {
        self.slow_ticks = if fps < ENOUGH { self.slow_ticks + 1 } else { 0 };
        self.fast_ticks = if fps >= PLENTY { self.fast_ticks + 1 } else { 0 };
        if !self.allowed || self.fast_ticks >= self.patience {
            self.fast_ticks = 0;
            return self.give_back(boids);
        }
        if self.slow_ticks < PATIENCE {
            return None;
        }
        self.slow_ticks = 0;
        let change = self.save(fps, block, boids);
        if change.is_some() && std::mem::take(&mut self.has_given) {
            self.patience = (2 * self.patience).min(LONGEST_PATIENCE);
        }
        change
    }

    fn save(&mut self, fps: f64, block: u32, boids: u32) -> Option<Change> {
        if block < COARSE {
            self.has_coarsened = true;
            return Some(Change::CoarserPicture);
        }
        let helped = self.before.is_none_or(|before| fps > GAIN * before);
        if !self.may_leave_out || !helped || boids / 2 < LEAST_BOIDS {
            return None;
        }
        self.before = Some(fps);
        self.wanted.get_or_insert(boids);
        Some(Change::Boids(boids / 2))
    }

    /// In the opposite order of saving.
    fn give_back(&mut self, boids: u32) -> Option<Change> {
        let change = match self.wanted {
            Some(wanted) => {
                // Half of an odd count is less than half.
                let all = !self.allowed || boids.saturating_mul(2) >= wanted - 1;
                (self.wanted, self.before) = (self.wanted.filter(|_| !all), None);
                Change::Boids(if all { wanted } else { 2 * boids })
            }
            None if std::mem::take(&mut self.has_coarsened) => Change::FinerPicture,
            None => return None,
        };
        self.has_given = true;
        Some(change)
    }

    /// Waits anew: frames of another kind are to come.
    pub fn restart(&mut self) {
        (self.slow_ticks, self.fast_ticks) = (0, 0);
    }
}

/// The same flock of so many boids, in a world of the same proportions.
fn with_count(settings: &Settings, count: u32) -> Settings {
    let volumes = f64::from(count) / f64::from(settings.boids);
    let edges = if settings.plane { volumes.sqrt() } else { volumes.cbrt() } as f32;
    resized(&Settings { boids: count, ..settings.clone() }, 2.0 * settings.world.half_size.max_element() * edges)
}

impl OpenWindow {
    /// Draws cheaper frames if they have been slow for a while, or dearer ones again if there is time, and says so.
    pub(super) fn throttle(&mut self) -> Result<()> {
        let (fps, boids) = (self.pace.fps, self.options.settings.boids);
        let is_busy = self.outputs.is_recording() || self.buildings.is_busy();
        if is_busy || self.pace.clock.paused() || self.window.is_hidden() || self.breaking.is_some() {
            self.pace.throttle.restart();
            return Ok(());
        }
        let Some(change) = self.pace.throttle.watch(fps, self.session.drawing.block, boids) else { return Ok(()) };
        let what = match change {
            Change::CoarserPicture => {
                self.session.set_block(COARSE);
                "a coarser picture until there is time (--full-quality keeps the fine one)".to_owned()
            }
            Change::FinerPicture => {
                self.session.set_block(1);
                "the fine picture again".to_owned()
            }
            Change::Boids(count) => {
                self.change_settings(with_count(&self.options.settings, count))?;
                let wanted = self.pace.throttle.wanted(count);
                match grouped(count.into()) {
                    all if count == wanted => format!("all {all} boids again"),
                    some if count > boids => format!("{some} of {} boids", grouped(wanted.into())),
                    some => {
                        let wanted = grouped(wanted.into());
                        format!("{some} of {wanted} boids until there is time (--full-quality keeps all)")
                    }
                }
            }
        };
        self.remark(format!("{fps:.0} frames a second: {what}"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows upon so many ticks at `fps`.
    fn after(throttle: &mut Throttle, ticks: u32, fps: f64, block: u32, boids: u32) -> Vec<Change> {
        (0..ticks).filter_map(|_| throttle.watch(fps, block, boids)).collect()
    }

    #[test]
    fn slow_frames_cost_pixels_first_and_then_boids() {
        let mut throttle = Throttle::new(true, true);
        assert_eq!(after(&mut throttle, 100, 20.0, 1, 4_000), []);
        assert_eq!(after(&mut throttle, PATIENCE, 10.0, 1, 4_000), [Change::CoarserPicture]);
        assert_eq!(after(&mut throttle, PATIENCE, 12.0, 2, 4_000), [Change::Boids(2_000)]);
        assert_eq!(after(&mut throttle, PATIENCE, 15.0, 2, 2_000), [Change::Boids(1_000)]);
        assert_eq!(after(&mut throttle, 100, 15.1, 2, 1_000), [], "the last one did not help");
    }

    #[test]
    fn what_was_saved_comes_back_when_there_is_time() {
        let mut throttle = Throttle::new(true, true);
        after(&mut throttle, PATIENCE, 10.0, 1, 3_001);
        after(&mut throttle, PATIENCE, 10.0, 2, 3_001);
        after(&mut throttle, PATIENCE, 15.0, 2, 1_500);
        assert_eq!(throttle.wanted(750), 3_001);
        assert_eq!(after(&mut throttle, 100, 39.0, 2, 750), [], "twice as many would be too slow");
        assert_eq!(after(&mut throttle, PATIENCE, 40.0, 2, 750), [Change::Boids(1_500)]);
        assert_eq!(throttle.wanted(1_500), 3_001);
        assert_eq!(after(&mut throttle, PATIENCE, 60.0, 2, 1_500), [Change::Boids(3_001)]);
        assert_eq!(throttle.wanted(3_001), 3_001);
        assert_eq!(after(&mut throttle, PATIENCE, 60.0, 2, 3_001), [Change::FinerPicture]);
        assert_eq!(after(&mut throttle, 100, 60.0, 1, 3_001), [], "nothing is saved");
    }

    #[test]
    fn it_gives_back_later_each_time_that_was_too_early() {
        let mut throttle = Throttle::new(true, true);
        let mut waits = Vec::new();
        after(&mut throttle, PATIENCE, 10.0, COARSE, 4_000);
        for _ in 0..6 {
            waits.push((1..).find(|_| throttle.watch(60.0, COARSE, 2_000).is_some()).expect("they come back"));
            assert_eq!(after(&mut throttle, PATIENCE, 10.0, COARSE, 4_000), [Change::Boids(2_000)]);
        }
        assert_eq!(waits, [4, 8, 16, 32, 64, 64]);
    }

    #[test]
    fn a_user_who_chooses_has_what_was_chosen() {
        let mut throttle = Throttle::new(true, true);
        after(&mut throttle, PATIENCE, 10.0, COARSE, 4_000);
        throttle.count_chosen();
        assert_eq!(after(&mut throttle, 100, 60.0, COARSE, 600), [], "nothing comes back");
        after(&mut throttle, PATIENCE, 10.0, 1, 4_000);
        throttle.picture_chosen();
        assert_eq!(after(&mut throttle, 100, 60.0, 1, 600), []);
        after(&mut throttle, 2 * PATIENCE, 10.0, COARSE, 4_000);
        throttle.allowed = false;
        assert_eq!(throttle.watch(1.0, COARSE, 2_000), Some(Change::Boids(4_000)), "all at once");
    }

    #[test]
    fn it_does_not_save_what_the_user_wants() {
        let mut refused = Throttle::new(false, true);
        assert_eq!(after(&mut refused, 100, 1.0, 1, 4_000), []);
        let mut counted = Throttle::new(true, false);
        assert_eq!(after(&mut counted, 100, 1.0, COARSE, 4_000), []);
        let mut short = Throttle::new(true, true);
        for _ in 0..30 {
            assert_eq!(after(&mut short, PATIENCE - 1, 1.0, 1, 4_000), [], "a moment");
            assert_eq!(after(&mut short, 1, 30.0, 1, 4_000), []);
        }
    }
}
