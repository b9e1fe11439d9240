//! The controls in the window: what is shown and how fast it runs, and what can be changed while it runs.
//!
//! [`Overlay`] lays out a [`Draft`] of what can be changed, and the window applies what the user has made of it.

mod camera;
mod files;
mod flock;
mod look;
mod message;
mod obstacles;
mod overlay;
mod panel;
mod profile;
mod search;
pub mod widgets;

use super::ViewerOptions;
use super::breaking::{Breaking, Choice};
use super::diagram::Diagram;
use super::influences::Marker;
use super::keys::Command;
use super::numbers::Numbers;
use super::open_window::NOTICE_TIME;
use super::profile::Profile;
use super::throttle::{boids_at_first, most_offered};
use super::trends::Trends;
use crate::camera_path::CameraPath;
pub use flock::{resized, title};
pub use message::startup_message;
pub use overlay::{Mode, Overlay, Picture};
use starlings::flock::{PRESETS, Settings, memory};
use starlings::render::{Camera, Look};
use starlings::vk::DeviceInfo;
use std::path::PathBuf;
use std::time::Instant;
pub use widgets::grouped;

/// What can be changed: the window applies what differs afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub settings: Settings,
    pub look: Look,
    /// Key poses of the camera.
    pub path: CameraPath,
    /// The pass whose times are plotted.
    pub pinned: Option<&'static str>,
    /// Whether the search is drawn over the flock.
    pub diagram: bool,
    /// Whether blocks of pixels share their samples.
    pub coarse: bool,
    /// Whether slow frames may become cheaper by themselves.
    pub throttles: bool,
}

/// What the user asks of one layout.
#[derive(Debug, Default)]
pub struct Requests {
    /// The draft, if it was changed.
    pub draft: Option<Draft>,
    /// A preset to start instead.
    pub preset: Option<&'static str>,
    /// The dependency to leave out, if the choice was changed.
    pub choice: Option<Choice>,
    /// What is to be done with a file.
    pub file: Option<FileRequest>,
    /// The key pose that the camera is to go to.
    pub pose: Option<Camera>,
    /// Buttons that stand for keys.
    pub commands: Vec<Command>,
}

/// What is to be done with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRequest {
    /// Save a config file of this name, or one like it if there is one.
    Save(PathBuf),
    Open(PathBuf),
    /// Save the key poses of the camera, under this name or one like it.
    SavePath(PathBuf),
    CopyCommandLine,
}

pub struct Contents<'a> {
    pub numbers: Numbers<'a>,
    pub profile: &'a Profile,
    pub trends: &'a Trends,
    pub breaking: Option<&'a Breaking>,
    pub boids: BoidCounts,
    pub markers: Vec<Marker>,
    /// What is drawn over the flock, if anything.
    pub diagram: Option<Diagram>,
    /// What is being built beside the flock, in a few words.
    pub building: Option<&'static str>,
    /// Whether the camera goes from pose to pose.
    pub plays_path: bool,
    /// The values of the first and of the last color, if colors stand for amounts.
    pub color_range: Option<[f32; 2]>,
}

/// Counts of boids that the panel offers.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoidCounts {
    /// The most that the device holds, with these settings.
    pub most: u32,
    /// That the preset starts with on this device.
    pub usual: u32,
}

/// The controls of a window, and what they show besides its settings.
pub struct Controls {
    pub overlay: Overlay,
    pub profile: Profile,
    pub trends: Trends,
    /// Whether the search is drawn over the flock.
    pub diagram: bool,
    /// The pass whose times are plotted.
    pub pinned: Option<&'static str>,
    pub boids: BoidCounts,
    /// The range of colors in the legend.
    pub color_range: Option<[f32; 2]>,
    /// Swapchains that there were when they were last laid out.
    swapchains: u64,
    /// A recent event, for the title, and when it was.
    notice: Option<(String, Instant)>,
}

impl Controls {
    /// With nothing to show yet.
    pub fn new(overlay: Overlay) -> Controls {
        Controls {
            overlay,
            profile: Profile::default(),
            trends: Trends::default(),
            diagram: false,
            pinned: None,
            boids: BoidCounts::default(),
            color_range: None,
            swapchains: 0,
            notice: None,
        }
    }

    /// Updates what follows from the settings.
    pub fn settings_changed(&mut self, options: &ViewerOptions, device: &DeviceInfo) {
        let settings = &options.settings;
        let most = most_offered(device, memory::most_boids(device, settings));
        self.boids = BoidCounts { most, usual: self.boids_of(settings.preset, options, device) };
        self.profile.clear();
    }

    /// Boids that a window begins with by this preset, unless the user says how many.
    pub fn boids_of(&self, name: &str, options: &ViewerOptions, device: &DeviceInfo) -> u32 {
        let preset = PRESETS.iter().find(|preset| preset.name == name).unwrap_or(&PRESETS[0]);
        let boids = preset.settings().boids;
        if options.full_quality { boids } else { boids_at_first(device, boids) }
    }

    /// With another swapchain, they are laid out anew.
    pub fn show_on(&mut self, swapchains: u64) {
        if std::mem::replace(&mut self.swapchains, swapchains) != swapchains {
            self.overlay.renew();
        }
    }

    /// Shows a message over the picture, and for the title.
    pub fn remark(&mut self, notice: String) {
        self.overlay.say(notice.clone(), NOTICE_TIME);
        self.notice = Some((notice, Instant::now()));
    }

    /// A recent event, if any.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_ref().map(|(notice, _)| notice.as_str())
    }

    /// Forgets an old event. True if there was one.
    pub fn forget_notice(&mut self) -> bool {
        self.notice.take_if(|(_, since)| since.elapsed() >= NOTICE_TIME).is_some()
    }
}

/// What panels show in tests.
#[cfg(test)]
mod samples {
    use super::*;

    impl Draft {
        /// Of a flock as its preset has it, if `settings` are those.
        pub fn of(settings: Settings) -> Draft {
            let look = Look::of(&settings);
            Draft {
                settings,
                look,
                path: CameraPath::default(),
                pinned: None,
                diagram: false,
                coarse: false,
                throttles: true,
            }
        }
    }

    impl<'a> Contents<'a> {
        /// Numbers, and nothing over the flock.
        pub fn of(numbers: Numbers<'a>, profile: &'a Profile, trends: &'a Trends) -> Contents<'a> {
            let boids = BoidCounts { most: 1 << 20, usual: 3_000 };
            let (breaking, markers, diagram, plays_path, color_range) = (None, Vec::new(), None, false, None);
            let building = None;
            Contents { numbers, profile, trends, breaking, boids, markers, diagram, building, plays_path, color_range }
        }
    }
}
