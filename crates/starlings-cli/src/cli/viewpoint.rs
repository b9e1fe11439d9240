//! What is said about the camera: on a command line, in a config file, or by a picture.

use crate::Result;
use glam::{DVec3, Vec3};
use starlings::flock::Settings;
use starlings::render::Camera;

/// What is said about the camera. The rest is as [`Camera::of`] has it, which depends on the shape of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Viewpoint {
    /// The place of the eye, in world units.
    pub eye: Option<DVec3>,
    /// The place that it looks at, in world units.
    pub look_at: Option<Vec3>,
    /// The angle from the bottom to the top of the picture, in degrees.
    pub fov: Option<f64>,
}

impl Viewpoint {
    /// The viewpoint that says `camera`, as [`Camera::settled`] has it, in the fewest decimals.
    pub fn of(camera: &Camera) -> Viewpoint {
        let look = |eye: DVec3| Camera::looking(eye, camera.center, camera.vertical_fov).ok();
        let exact = camera.exact_eye();
        let wanted = Some(camera.settled());
        let rounded = (0..=17).map(|digits| exact.to_array().map(|x| decimal(x, digits))).map(DVec3::from_array);
        let eye = rounded.into_iter().find(|&eye| look(eye) == wanted);
        let degrees = f64::from(camera.vertical_fov).to_degrees();
        let fov = (0..=17).map(|digits| decimal(degrees, digits)).find(|&fov| radians(fov) == camera.vertical_fov);
        Viewpoint { eye: Some(eye.unwrap_or(exact)), look_at: Some(camera.center), fov: Some(fov.unwrap_or(degrees)) }
    }

    /// The camera for a flock of `settings` in a picture of `aspect`; none where nothing is said about it.
    pub fn camera(&self, settings: &Settings, aspect: f32) -> Result<Option<Camera>> {
        if *self == Viewpoint::default() {
            return Ok(None);
        }
        let fit = Camera::of(settings, aspect);
        let eye = self.eye.unwrap_or_else(|| fit.exact_eye());
        let fov = self.fov.map_or(fit.vertical_fov, radians);
        Ok(Some(Camera::looking(eye, self.look_at.unwrap_or(fit.center), fov)?))
    }
}

fn radians(degrees: f64) -> f32 {
    degrees.to_radians() as f32
}

/// `value`, rounded to so many decimals.
fn decimal(value: f64, digits: usize) -> f64 {
    let rounded = format!("{value:.digits$}").parse().unwrap_or(value);
    // Without the sign of a zero.
    rounded + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::PRESETS;

    #[test]
    fn a_camera_comes_back_from_its_viewpoint() {
        for preset in PRESETS {
            let settings = preset.settings();
            for (yaw, pitch) in [(0.35, 0.26), (-3.0, -0.95), (1.0, -std::f32::consts::FRAC_PI_2), (0.0, 0.0)] {
                let camera = Camera { yaw, pitch, ..Camera::of(&settings, 1.6) };
                let viewpoint = Viewpoint::of(&camera);
                let again = viewpoint.camera(&settings, 0.5).expect("a view").expect("one is said");
                assert_eq!((again, Viewpoint::of(&again)), (camera, viewpoint), "{}", preset.name);
            }
        }
    }

    #[test]
    fn what_is_not_said_comes_from_the_preset() {
        let settings = PRESETS[0].settings();
        let fit = Camera::of(&settings, 1.6);
        let camera = |viewpoint: Viewpoint| viewpoint.camera(&settings, 1.6).expect("a view");
        assert_eq!(camera(Viewpoint::default()), None);
        let wide = camera(Viewpoint { fov: Some(90.0), ..Viewpoint::default() });
        assert_eq!(wide, Some(Camera { vertical_fov: std::f32::consts::FRAC_PI_2, ..fit }));
        let eye = fit.exact_eye() + DVec3::X;
        let moved = camera(Viewpoint { eye: Some(eye), ..Viewpoint::default() }).expect("one is said");
        assert_eq!((moved.center, moved.vertical_fov), (fit.center, fit.vertical_fov));
        let turned = camera(Viewpoint { look_at: Some(Vec3::ONE), ..Viewpoint::default() }).expect("one is said");
        assert!(turned.center == Vec3::ONE && turned.eye().distance(fit.eye()) < 1e-3);
    }
}
