//! The numbers in a window's title and controls.

use super::ViewerOptions;
use super::controls::grouped;
use super::pace::Pace;
use super::session::Session;

/// The share of its rate below which time counts as held up.
const HELD_UP: f64 = 0.95;

#[derive(Clone, Debug, Default)]
pub struct Numbers<'a> {
    pub preset: &'static str,
    pub boids: u32,
    /// That are wanted: more, where the machine is too slow for them.
    pub wanted: u32,
    pub step: u32,
    pub paused: bool,
    pub recording: bool,
    pub fps: f64,
    /// Simulated seconds in a real one, as wanted.
    pub rate: f64,
    /// The same as it has been lately.
    pub reached: f64,
    pub device: &'a str,
}

impl<'a> Numbers<'a> {
    /// Those of an open window.
    pub fn of(options: &ViewerOptions, session: &'a Session, pace: &Pace, recording: bool) -> Numbers<'a> {
        Numbers {
            preset: options.settings.preset,
            boids: options.settings.boids,
            wanted: pace.throttle.wanted(options.settings.boids),
            step: session.flock.on_device.step(),
            paused: pace.clock.paused(),
            recording,
            fps: pace.fps,
            rate: pace.clock.rate(),
            reached: pace.reached,
            device: &session.device.info().name,
        }
    }

    /// How many boids there are; and how many there should be, if the machine is too slow for them.
    pub fn count(&self) -> String {
        let boids = grouped(self.boids.into());
        if self.boids >= self.wanted { boids } else { format!("{boids} of {}", grouped(self.wanted.into())) }
    }

    /// How fast time runs; and how fast it should, if the machine is too slow for it.
    pub fn time(&self) -> String {
        let short = |rate: f64| format!("{}×", (rate * 1_000.0).round() / 1_000.0);
        if self.paused || self.reached >= HELD_UP * self.rate {
            return short(self.rate);
        }
        format!("{:.2}× of {}", self.reached, short(self.rate))
    }

    /// The window's title, with a recent event, if any. While the frame is being broken, `left_out` has the name of the
    /// dependency left out, if any.
    pub fn title(&self, left_out: Option<Option<&str>>, notice: Option<&str>) -> String {
        let mut title = format!("starlings: {}, {} boids", self.preset, self.count());
        if self.paused {
            title.push_str(", paused");
        } else if self.fps > 0.0 {
            title.push_str(&format!(", {:.0} fps", self.fps));
        }
        if self.recording {
            title.push_str(", recording");
        }
        match left_out {
            Some(Some(name)) => title.push_str(&format!(", without {name}")),
            Some(None) => title.push_str(", nothing left out"),
            None => {}
        }
        format!("{title} · {}", notice.unwrap_or("H: controls"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boids_that_are_left_out_are_counted() {
        let slow = Numbers { boids: 750, wanted: 3_000, ..Numbers::default() };
        assert_eq!((slow.count(), Numbers { boids: 3_000, ..slow }.count()), ("750 of 3,000".into(), "3,000".into()));
    }

    #[test]
    fn time_that_is_held_up_says_so() {
        let numbers = Numbers { rate: 0.25, reached: 0.249, ..Numbers::default() };
        assert_eq!(numbers.time(), "0.25×");
        let slow = Numbers { rate: 1.0, reached: 0.13, ..Numbers::default() };
        assert_eq!(slow.time(), "0.13× of 1×");
        assert_eq!(Numbers { paused: true, ..slow }.time(), "1×");
    }
}
