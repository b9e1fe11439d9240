//! GPU times of the last frames.

use starlings::vk::FrameTimes;
use std::collections::VecDeque;

/// Frames that are kept.
pub const FRAMES: usize = 120;

/// Passes of the picture; all others but the panels are of steps.
const PICTURE: &[&str] = &[
    "trail_reset",
    "trail_record",
    "trail_cull",
    "skin_upload",
    "samples_clear",
    "draw_reset",
    "mirror",
    "cull",
    "draw_boids",
    "draw_targets",
    "draw_obstacles",
    "compose",
    "copy_to_image",
    "value_histogram",
    "copy_boids",
    "draw_trails",
    "draw_cell",
];

/// What a pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Steps,
    Picture,
    Panels,
    /// The time in no pass.
    Between,
}

impl Group {
    pub const ALL: [Group; 4] = [Group::Steps, Group::Picture, Group::Panels, Group::Between];

    pub fn of(pass: &str) -> Group {
        match pass {
            "panels" => Group::Panels,
            pass if PICTURE.contains(&pass) => Group::Picture,
            _ => Group::Steps,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Group::Steps => "steps",
            Group::Picture => "picture",
            Group::Panels => "panels",
            Group::Between => "between passes",
        }
    }
}

/// The last [`FRAMES`] frames, and means over them, which add up.
#[derive(Debug, Default)]
pub struct Profile {
    frames: VecDeque<FrameTimes>,
}

impl Profile {
    /// Takes in frames, oldest first. Returns whether there are any.
    pub fn see(&mut self, frames: impl Iterator<Item = FrameTimes>) -> bool {
        let mut any = false;
        for frame in frames {
            if self.frames.len() == FRAMES {
                self.frames.pop_front();
            }
            self.frames.push_back(frame);
            any = true;
        }
        any
    }

    /// Forgets all: the frames to come are other ones.
    pub fn clear(&mut self) {
        self.frames.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Milliseconds of the last frame.
    pub fn last_frame(&self) -> f64 {
        self.frames.back().map_or(0.0, |frame| frame.whole)
    }

    /// Milliseconds of the last frame's steps.
    pub fn last_steps(&self) -> f64 {
        let steps = |frame: &FrameTimes| -> f64 {
            frame.passes.iter().filter(|(pass, _)| Group::of(pass) == Group::Steps).map(|(_, ms)| ms).sum()
        };
        self.frames.back().map_or(0.0, steps)
    }

    /// Milliseconds of each frame: all of it, or a pass. Oldest first.
    pub fn times(&self, pass: Option<&str>) -> Vec<f64> {
        let of = |frame: &FrameTimes| match pass {
            None => frame.whole,
            Some(pass) => frame.passes.iter().find(|(name, _)| *name == pass).map_or(0.0, |(_, ms)| *ms),
        };
        self.frames.iter().map(of).collect()
    }

    /// Mean milliseconds a frame of each pass, in the order of the frame.
    pub fn passes(&self) -> Vec<(&'static str, f64)> {
        let mut sums: Vec<(&'static str, f64)> = Vec::new();
        // The longest frame first: it has the passes in order, those of steps included.
        let longest = self.frames.iter().max_by_key(|frame| frame.passes.len());
        sums.extend(longest.into_iter().flat_map(|frame| &frame.passes).map(|(name, _)| (*name, 0.0)));
        for (name, ms) in self.frames.iter().flat_map(|frame| &frame.passes) {
            match sums.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += ms,
                None => sums.push((name, *ms)),
            }
        }
        let count = self.frames.len().max(1) as f64;
        sums.iter_mut().for_each(|(_, sum)| *sum /= count);
        sums
    }

    /// Mean milliseconds a frame of each group; their sum is the mean of the whole frame.
    pub fn groups(&self) -> [(Group, f64); 4] {
        let passes = self.passes();
        let sum = |group| passes.iter().filter(|(pass, _)| Group::of(pass) == group).map(|(_, ms)| ms).sum::<f64>();
        let named: f64 = passes.iter().map(|(_, ms)| ms).sum();
        Group::ALL.map(|group| match group {
            Group::Between => (group, (self.mean() - named).max(0.0)),
            group => (group, sum(group)),
        })
    }

    /// Mean milliseconds of a frame.
    pub fn mean(&self) -> f64 {
        self.frames.iter().map(|frame| frame.whole).sum::<f64>() / self.frames.len().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::{FrameKind, Rehearsal, Rehearse, frames};
    use starlings::flock::Settings;
    use starlings::vk::{Device, Instance};
    use std::collections::BTreeSet;

    fn frame(passes: &[(&'static str, f64)], whole: f64) -> FrameTimes {
        FrameTimes { passes: passes.to_vec(), whole }
    }

    #[test]
    fn groups_add_up_to_the_frame() {
        let mut profile = Profile::default();
        profile.see(
            [
                frame(&[("steer", 2.0), ("cull", 1.0), ("compose", 0.0)], 4.0),
                frame(&[("cull", 1.0), ("panels", 0.5)], 2.0),
            ]
            .into_iter(),
        );
        let groups = profile.groups();
        assert_eq!(groups.map(|(_, ms)| ms), [1.0, 1.0, 0.25, 0.75]);
        assert_eq!(groups.iter().map(|(_, ms)| ms).sum::<f64>(), profile.mean());
        assert_eq!(profile.passes(), [("steer", 1.0), ("cull", 1.0), ("compose", 0.0), ("panels", 0.25)]);
        assert_eq!(profile.times(Some("steer")), [2.0, 0.0], "not in every frame");
        assert_eq!(profile.last_steps(), 0.0);
    }

    /// Passes of a window's frame are of steps if a frame without a picture has them, too; and of the picture
    /// otherwise.
    #[test]
    fn every_pass_of_a_window_has_its_group() {
        let device = Device::new(&Instance::null().expect("it needs no driver"), None, None).expect("a null device");
        let names = |kind: FrameKind| {
            let settings = Settings::preset("counting-sort").expect("a preset");
            let of_kind = frames(&settings).into_iter().filter(|frame| frame.kind == kind);
            let recorded = of_kind.flat_map(|frame| {
                let mut frame = Rehearsal::new(&device, &frame, None).expect("a small flock");
                frame.journals(&[0, 2], &[]).expect("journals")
            });
            recorded.flat_map(|journal| journal.passes().map(|pass| pass.name).collect::<Vec<_>>()).collect()
        };
        let windowed: BTreeSet<&str> = names(FrameKind::Windowed);
        // What a CPU engine steps is uploaded only to be drawn.
        let of_steps: BTreeSet<&str> = &names(FrameKind::Step) | &BTreeSet::from(["state_upload"]);
        let wrong = |pass: &&&str| (Group::of(pass) == Group::Steps) != of_steps.contains(**pass);
        assert_eq!(windowed.iter().filter(wrong).collect::<Vec<_>>(), [&""; 0], "in the wrong group");
        let known: BTreeSet<&str> = PICTURE.iter().copied().chain(["panels"]).collect();
        assert_eq!(known.difference(&windowed).collect::<Vec<_>>(), [&""; 0], "in no frame");
    }

    #[test]
    fn old_frames_are_dropped() {
        let mut profile = Profile::default();
        profile.see((0..300).map(|ms| frame(&[], f64::from(ms))));
        assert_eq!(profile.times(None).len(), FRAMES);
        assert_eq!((profile.times(None)[0], profile.times(None)[FRAMES - 1]), (180.0, 299.0));
    }
}
