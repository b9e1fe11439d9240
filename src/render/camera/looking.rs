//! A camera from the places of its eye and of what it looks at, and back.

use super::{Camera, DISTANCES};
use crate::error::{Error, Result};
use glam::{DVec3, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

/// The least and the most accepted angle from the bottom to the top of the picture, in degrees.
pub const FIELDS_OF_VIEW: (f64, f64) = (1.0, 170.0);

/// Share of the distance that the eye is beside the vertical through what it looks at, at most, where the view is
/// straight up or down: less than the pitch in single precision can say.
const STRAIGHT: f64 = 1e-7;

impl Camera {
    /// Looks at `look_at` from `eye`, both in world units, with `vertical_fov` radians from the bottom to the top of
    /// the picture. Straight up and down are ordinary views, with x to the right.
    ///
    /// # Errors
    /// [`Error::Setting`] if the eye is too near to or too far from what it looks at, or is not a place; or if the
    /// angle is not in [`FIELDS_OF_VIEW`].
    pub fn looking(eye: DVec3, look_at: Vec3, vertical_fov: f32) -> Result<Camera> {
        let ahead = look_at.as_dvec3() - eye;
        let distance = ahead.length() as f32;
        // NaN is in no range.
        if !(DISTANCES.0..=DISTANCES.1).contains(&distance) {
            let [nearest, farthest] =
                [DISTANCES.0, DISTANCES.1].map(f64::from).map(|distance| format!("{distance:.0e}"));
            let accepted = format!("a place from {nearest} to {farthest} world units away from what it looks at");
            return Err(Error::setting("eye", eye.to_array().map(|x| x.to_string()).join(","), accepted));
        }
        let degrees = f64::from(vertical_fov).to_degrees();
        let (least, most) = FIELDS_OF_VIEW;
        // The ends of the range, rounded to single precision, are in it.
        if !(least - 1e-5..=most + 1e-5).contains(&degrees) {
            return Err(Error::setting("fov", degrees, format!("a number from {least} to {most}, in degrees")));
        }
        let level = ahead.x.hypot(ahead.z);
        let pitch = match level <= STRAIGHT * ahead.length() {
            true => FRAC_PI_2.copysign(ahead.y as f32),
            false => ahead.y.atan2(level) as f32,
        };
        let yaw = if level == 0.0 { 0.0 } else { ahead.x.atan2(-ahead.z) as f32 };
        // π in single precision is more than half a turn, and would come back with the other sign.
        let yaw = yaw.clamp(-PI.next_down(), PI.next_down());
        Ok(Camera { center: look_at, yaw, pitch, distance, vertical_fov })
    }

    /// The same view with its yaw from -π to π: the camera that [`Camera::looking`] gives back.
    #[must_use]
    pub fn settled(&self) -> Camera {
        Camera::looking(self.exact_eye(), self.center, self.vertical_fov).unwrap_or(*self)
    }

    /// The eye in double precision: from there, [`Camera::looking`] gives back this camera, with its yaw from -π to π,
    /// unless it is ten million times as far from the origin as from what it looks at. Straight up and down, it is
    /// beside the vertical by 5·10⁻⁸ of the distance, which gives back the yaw.
    pub fn exact_eye(&self) -> DVec3 {
        let (sin_yaw, cos_yaw) = f64::from(self.yaw).sin_cos();
        let (sin_pitch, cos_pitch) = f64::from(self.pitch).sin_cos();
        let level = cos_pitch.max(0.5 * STRAIGHT);
        let forward = DVec3::new(sin_yaw * level, sin_pitch, -cos_yaw * level);
        self.center.as_dvec3() - forward * f64::from(self.distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{dvec3, vec3};
    use proptest::prelude::*;

    #[test]
    fn known_places_give_known_angles() {
        let camera = Camera::looking(dvec3(1.0, 2.0, 13.0), vec3(1.0, 2.0, 3.0), 0.75).expect("an ordinary view");
        let wanted = Camera { center: vec3(1.0, 2.0, 3.0), yaw: 0.0, pitch: 0.0, distance: 10.0, vertical_fov: 0.75 };
        assert_eq!(camera, wanted);
        let camera = Camera::looking(dvec3(-3.0, 4.0, 0.0), Vec3::ZERO, 0.75).expect("an ordinary view");
        assert_eq!((camera.yaw, camera.distance), (FRAC_PI_2, 5.0), "along +x");
        assert!((camera.pitch + (4.0f32 / 3.0).atan()).abs() < 1e-6, "down");
        let behind = Camera::looking(dvec3(0.0, 5.0, -9.0), Vec3::ZERO, 0.75).expect("an ordinary view");
        assert!(behind.settled() == behind && (behind.yaw - PI).abs() < 1e-6, "along +z: {}", behind.yaw);
    }

    #[test]
    fn straight_up_and_down_are_ordinary_views() {
        for (eye, pitch) in [(dvec3(0.0, 9.0, 0.0), -FRAC_PI_2), (dvec3(0.0, -9.0, 0.0), FRAC_PI_2)] {
            let camera = Camera::looking(eye, Vec3::ZERO, 0.75).expect("it is not where it looks at");
            assert_eq!((camera.yaw, camera.pitch, camera.distance), (0.0, pitch, 9.0));
            assert!(camera.view_projection(1.5).is_finite());
            // The top of the picture is kept.
            let turned = Camera { yaw: 2.0, ..camera };
            assert_eq!(Camera::looking(turned.exact_eye(), turned.center, 0.75).expect("the same"), turned);
        }
    }

    #[test]
    fn views_of_nothing_are_refused() {
        let refused = |eye, fov| Camera::looking(eye, Vec3::ONE, fov).expect_err("no view").to_string();
        let near = "eye is 1,1,1; accepted is a place from 1e-5 to 1e7 world units away from what it looks at";
        assert_eq!(refused(DVec3::ONE, 0.75), near);
        for eye in [dvec3(1.0, 1.0, 1.000001), dvec3(1e9, 0.0, 0.0), DVec3::NAN, DVec3::INFINITY] {
            assert!(refused(eye, 0.75).starts_with("eye is "));
        }
        for fov in [0.0, -1.0, f32::NAN, 3.1] {
            assert!(refused(DVec3::ZERO, fov).ends_with("accepted is a number from 1 to 170, in degrees"), "{fov}");
        }
    }

    proptest! {
        #[test]
        fn a_camera_comes_back_from_its_eye(
            yaw in -3.1f32..3.1, pitch in -FRAC_PI_2..=FRAC_PI_2, distance in 1e-3f32..1e6, fov in 0.02f32..2.9,
            x in -1e3f32..1e3, y in -1e3f32..1e3, z in -1e3f32..1e3,
        ) {
            let camera = Camera { center: vec3(x, y, z), yaw, pitch, distance, vertical_fov: fov };
            prop_assert_eq!(Camera::looking(camera.exact_eye(), camera.center, fov).expect("a view"), camera);
            let turned = Camera { yaw: yaw + std::f32::consts::TAU, ..camera }.settled();
            prop_assert_eq!(turned.settled(), turned);
            prop_assert!((turned.yaw - yaw).abs() < 1e-5, "{}", turned.yaw);
        }
    }
}
