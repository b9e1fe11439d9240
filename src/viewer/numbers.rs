//! The numbers in a window's title and panel.

use super::widgets::grouped;
use crate::flock::OrderParameters;
use crate::render::Look;
use crate::vk::PassStatistics;

/// The numbers and texts.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pub preset: &'static str,
    pub boids: u32,
    pub step: u32,
    pub paused: bool,
    pub fps: f64,
    /// Boids in the fullest cell, where the device counts them.
    pub fullest: Option<u32>,
    pub passes: Vec<PassStatistics>,
    /// Order parameters, once measured.
    pub order: Option<OrderParameters>,
    pub device: String,
    pub look: Option<Look>,
    /// A recent event, if any.
    pub notice: Option<String>,
}

impl Numbers {
    /// The window's title. While the frame is being broken, `left_out` has the name of the dependency left out, if any.
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
