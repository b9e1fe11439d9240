//! What acts on the flock in each frame of an open window: the mouse, and what the user has put down.

use super::controls::Marker;
use super::diagram::View;
use super::mouse::Drag;
use super::reading::Wanted;
use super::running::Running;
use crate::error::Result;
use crate::flock::layout::Point;
use glam::Vec3;
use std::time::Duration;

impl Running {
    /// Puts the flock's cursor where the mouse points.
    pub(super) fn lead(&mut self) {
        let settings = &self.options.settings;
        let Some(size) = self.session.size().filter(|_| settings.law.follows_cursor()) else { return };
        if let Some(place) = self.mouse.place(&self.rig.camera(), size, &settings.world) {
            tracing::debug!("the cursor is at {place}");
            self.session.stepping.flock.set_cursor(Some(place));
        }
    }

    /// Seconds of the flock in a frame of that length.
    fn seconds(&self, elapsed: Duration) -> f32 {
        if self.clock.paused() { 0.0 } else { elapsed.as_secs_f32().min(0.1) * self.clock.rate() as f32 }
    }

    /// Looks for the boid that the camera follows, and for the predator's prey. Moves the camera along with the first, and returns where
    /// the second is.
    pub(super) fn find_boids(&mut self, elapsed: Duration) -> Result<Option<Vec3>> {
        let (boids, scale) = (self.options.settings.boids, self.options.settings.speed_scale());
        let followed = self.rig.followed.filter(|&id| id < boids);
        let prey = self.touch.prey(self.seconds(elapsed), boids);
        let wanted: Vec<u32> = followed.into_iter().chain(prey).collect();
        let wanted = Wanted { neighbors: self.diagram && followed.is_some(), ids: wanted };
        let found = match self.session.look_for(wanted) {
            Ok(found) => found,
            Err(error) => {
                // Without room for it the window goes on.
                (self.rig.followed, self.touch.predator) = (None, None);
                return self.refused(error).map(|()| None);
            }
        };
        if let (Some(_), Some(&Some((place, velocity)))) = (followed, found.first()) {
            self.rig.follow(place + velocity * scale * self.clock.extrapolate());
        }
        // A copy is under way that shows the neighborhood of now.
        let step = self.session.stepping.flock.step();
        let seen = |id: u32| self.session.neighborhood(id).is_some_and(|seen| seen.step == step);
        self.look_again |= self.diagram && followed.is_some_and(|id| !seen(id));
        Ok(prey.and_then(|_| found.last().copied().flatten()).map(|(place, _)| place))
    }

    /// Lets pointer and predator act on the flock, `elapsed` after the last frame.
    pub(super) fn touch_flock(&mut self, elapsed: Duration, prey: Option<Vec3>) -> Result<()> {
        let Some(size) = self.session.size() else { return Ok(()) };
        let (camera, settings) = (self.rig.camera(), &self.options.settings);
        let sign = match self.mouse.drag() {
            Some(Drag::Attract) => Some(1.0),
            Some(Drag::Repel) => Some(-1.0),
            _ => None,
        };
        self.touch.hold(sign.map(|sign| (self.mouse.place_at_depth(&camera, size, &settings.world), sign)));
        let seconds = self.seconds(elapsed);
        if let Some(place) = prey {
            self.touch.chase(place, seconds, settings.full_speed());
        }
        let points = self.touch.points(settings, &camera);
        if points == settings.points {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.options.settings.points, points);
        let changed = self.session.change(&self.options);
        changed.or_else(|error| {
            self.options.settings.points = before;
            self.refused(error)
        })
    }

    /// Where the points that act on the flock are in a picture of that size: places and reaches in pixels, and whether they attract.
    pub(super) fn markers(&self, size: (u32, u32)) -> Vec<Marker> {
        let view = View::new(&self.rig.camera(), size);
        let marker = |point: &Point| {
            let (at, reach) = view.ring(point.position, point.reach)?;
            Some(Marker { at, reach, attracts: point.strength > 0.0 })
        };
        self.options.settings.points.iter().filter(|point| point.strength != 0.0).filter_map(marker).collect()
    }
}
