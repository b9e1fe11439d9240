//! What a window says of its flock, in its title and in its panel.

use super::widgets::grouped;
use crate::flock::OrderParameters;
use crate::render::Look;
use crate::vk::PassStatistics;

/// What a window says.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    /// Name of the preset.
    pub preset: &'static str,
    /// Boids in the flock.
    pub boids: u32,
    /// Steps since the start.
    pub step: u32,
    /// Whether time stands still.
    pub paused: bool,
    /// Frames a second.
    pub fps: f64,
    /// Boids in the fullest cell, where the device counts them.
    pub fullest: Option<u32>,
    /// GPU times of the passes.
    pub passes: Vec<PassStatistics>,
    /// How orderly the flock is, once that was looked at.
    pub order: Option<OrderParameters>,
    /// Name of the device.
    pub device: String,
    /// What the flock is drawn like.
    pub look: Option<Look>,
    /// What just happened, if anything.
    pub notice: Option<String>,
}

impl Numbers {
    /// The window's title. `left_out` is there while the frame is being broken on purpose, with the name of the dependency
    /// that is left out, if one is.
    pub fn title(&self, left_out: Option<Option<&str>>) -> String {
        let mut title = format!("starlings: {}, {} boids", self.preset, grouped(self.boids.into()));
        if self.paused {
            title.push_str(", paused");
        } else if self.fps > 0.0 {
            title.push_str(&format!(", {:.0} fps", self.fps));
        }
        match left_out {
            Some(Some(name)) => title.push_str(&format!(", without {name}")),
            Some(None) => title.push_str(", nothing left out"),
            None => {}
        }
        format!("{title} · {}", self.notice.as_deref().unwrap_or("H: keys"))
    }
}
