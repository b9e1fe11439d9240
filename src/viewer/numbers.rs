//! The numbers in a window's title and controls.

use super::controls::widgets::grouped;

/// The share of its rate below which time counts as held up.
const HELD_UP: f64 = 0.95;

/// The numbers and texts.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub preset: &'static str,
    pub boids: u32,
    pub step: u32,
    pub paused: bool,
    pub recording: bool,
    pub fps: f64,
    /// Simulated seconds in a real one, as wanted.
    pub rate: f64,
    /// The same as it has been lately.
    pub reached: f64,
    pub device: String,
    /// A recent event, if any.
    pub notice: Option<String>,
}

impl Numbers {
    /// How fast time runs; and how fast it should, if the machine is too slow for it.
    pub fn time(&self) -> String {
        let short = |rate: f64| format!("{}×", (rate * 1_000.0).round() / 1_000.0);
        if self.paused || self.reached >= HELD_UP * self.rate {
            return short(self.rate);
        }
        format!("{:.2}× of {}", self.reached, short(self.rate))
    }

    /// The window's title. While the frame is being broken, `left_out` has the name of the dependency left out, if any.
    pub fn title(&self, left_out: Option<Option<&str>>) -> String {
        let mut title = format!("starlings: {}, {} boids", self.preset, grouped(self.boids.into()));
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
        format!("{title} · {}", self.notice.as_deref().unwrap_or("H: controls"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_is_held_up_says_so() {
        let numbers = Numbers { rate: 0.25, reached: 0.249, ..Numbers::default() };
        assert_eq!(numbers.time(), "0.25×");
        let slow = Numbers { rate: 1.0, reached: 0.13, ..Numbers::default() };
        assert_eq!(slow.time(), "0.13× of 1×");
        assert_eq!(Numbers { paused: true, ..slow }.time(), "1×");
    }
}
