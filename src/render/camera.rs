//! The orbit camera: where the eye is, and the matrices and planes that follow from it.
//!
//! World space is right-handed with y up. Clip space is Vulkan's (y down) with reversed, infinite depth: 1 at the near
//! plane, 0 at infinity, which spends floating-point precision evenly over distance.

mod looking;

pub use looking::FIELDS_OF_VIEW;

use crate::flock::Settings;
use crate::flock::layout::World;
use glam::{Mat4, Vec3, Vec4};
use std::f32::consts::FRAC_PI_2;

/// Radians that the camera turns for each pixel of mouse motion.
const RADIANS_PER_PIXEL: f32 = 0.005;

/// Factor on the distance for each step of the wheel.
const ZOOM_STEP: f32 = 0.88;

/// Nearest and farthest distance from the center, in world units. Within them every matrix is well formed.
const DISTANCES: (f32, f32) = (1e-5, 1e7);

/// Direction of view around the vertical at first, in radians.
const FIT_YAW: f32 = 0.35;

/// Elevation of the direction of view at first, in radians.
const LEVEL: f32 = 0.26;

/// The same where a flock flies above a ground, in its plane.
const DOWN: f32 = -0.95;

/// Angle from the bottom to the top of the picture, in radians.
const FIELD_OF_VIEW: f32 = 0.75;

/// Room around a fitted world, as a factor on the distance: flocks swing a little beyond their box.
const MARGIN: f32 = 1.1;

/// The near plane's distance as a share of the distance to the center.
const NEAR_SHARE: f32 = 0.01;

/// A camera that looks at `center` from `distance` away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it looks at, in world units.
    pub center: Vec3,
    /// Direction of view around the vertical, in radians: 0 looks along -z, π/2 along +x.
    pub yaw: f32,
    /// Elevation of the direction of view, in radians, from -π/2 (straight down) to π/2.
    pub pitch: f32,
    /// From the eye to the center, in world units.
    pub distance: f32,
    /// Angle from the bottom to the top of the picture, in radians.
    pub vertical_fov: f32,
}

impl Camera {
    /// Looks at the whole of `world` from a little below its middle, against the sky, filling a picture of `aspect`
    /// (width / height) but for a margin.
    pub fn fit(world: &World, aspect: f32) -> Self {
        Self::fit_along(world, aspect, FIT_YAW, LEVEL)
    }

    /// Looks at the whole flock of `settings`: straight down on one that is flat, as a map does, with x to the right
    /// and -z up; obliquely down on one that the cursor leads; and else as [`Camera::fit`] does.
    pub fn of(settings: &Settings, aspect: f32) -> Self {
        if settings.law.follows_cursor() {
            // The flock gathers where the cursor is, and leaves most of its world.
            let around = World { half_size: 0.6 * settings.world.half_size, ..settings.world };
            return Self::fit_along(&around, aspect, FIT_YAW, DOWN);
        }
        let (yaw, pitch) = if settings.plane { (0.0, -FRAC_PI_2) } else { (FIT_YAW, LEVEL) };
        Self::fit_along(&settings.world, aspect, yaw, pitch)
    }

    fn fit_along(world: &World, aspect: f32, yaw: f32, pitch: f32) -> Self {
        let mut camera = Camera { center: world.center, yaw, pitch, distance: 1.0, vertical_fov: FIELD_OF_VIEW };
        camera.distance = (MARGIN * camera.distance_to_fit(world, aspect)).min(DISTANCES.1);
        camera
    }

    /// Where the ray through a point of the picture meets the plane of that height, in world units. `right` and `up` go
    /// from -1 to 1 across the picture. None where the ray goes along the plane or away from it.
    pub fn on_plane(&self, aspect: f32, right: f32, up: f32, height: f32) -> Option<Vec3> {
        let ray = self.toward(aspect, right, up);
        let way = (height - self.eye().y) / ray.y;
        let place = (self.eye() + ray * way).with_y(height);
        (way > 0.0 && place.is_finite()).then_some(place)
    }

    /// Looks into the flock from its edge: at a boid with few others before it and many behind, from a few of its
    /// lengths away, in about the direction that [`Camera::fit`] looks. `positions` are those of the whole flock;
    /// without any, this is the same as a fitted view of a boid's surroundings.
    pub fn near(positions: &[Vec3], boid_length: f32) -> Self {
        /// Boids that are compared as centers of the picture, and boids that each is compared by.
        const CANDIDATES: usize = 256;
        const SAMPLE: usize = 8_192;
        let mut camera = Camera {
            center: positions.first().copied().unwrap_or_default(),
            yaw: FIT_YAW,
            pitch: 0.20,
            distance: (12.0 * boid_length).clamp(DISTANCES.0, DISTANCES.1),
            vertical_fov: FIELD_OF_VIEW,
        };
        let sample = || positions.iter().step_by(positions.len().div_ceil(SAMPLE).max(1));
        // Enough surroundings to hold some hundred boids of the sample where the flock is dense.
        let reach = 40.0 * boid_length;
        let forward = Vec3::new(FIT_YAW.sin(), 0.0, -FIT_YAW.cos());
        let mut best = f32::NEG_INFINITY;
        for &candidate in positions.iter().step_by(positions.len().div_ceil(CANDIDATES).max(1)) {
            let around = sample().filter(|p| p.distance_squared(candidate) < reach * reach);
            let (sum, count) =
                around.fold((Vec3::ZERO, 0.0f32), |(sum, count), p| (sum + (*p - candidate), count + 1.0));
            // How far the middle of the surroundings lies behind the boid, as seen by the camera: from -1 to 1.
            let behind = sum.dot(forward) / (count.max(1.0) * reach);
            let score = behind * (1.0 + count).ln();
            if score > best {
                best = score;
                camera.center = candidate;
            }
        }
        camera
    }

    /// The distance from which all corners of `world` are just in a picture of `aspect`.
    fn distance_to_fit(&self, world: &World, aspect: f32) -> f32 {
        let [right, up, forward] = self.axes();
        let (tan_x, tan_y) = self.tangents(aspect);
        let mut distance = DISTANCES.0;
        for corner in 0..8 {
            let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = world.half_size * Vec3::new(sign(0), sign(1), sign(2));
            // In the picture when |right · corner| <= tan_x * (distance + forward · corner), likewise up.
            let across = (right.dot(corner).abs() / tan_x).max(up.dot(corner).abs() / tan_y);
            distance = distance.max(across - forward.dot(corner));
        }
        distance
    }

    /// Turns by a drag of the mouse, in pixels: what is near follows the pointer.
    pub fn orbit(&mut self, pixels_right: f32, pixels_down: f32) {
        self.yaw = (self.yaw + RADIANS_PER_PIXEL * pixels_right) % std::f32::consts::TAU;
        self.pitch = (self.pitch - RADIANS_PER_PIXEL * pixels_down).clamp(-FRAC_PI_2, FRAC_PI_2);
    }

    /// Moves closer by `steps` of the wheel, or away when negative.
    pub fn zoom(&mut self, steps: f32) {
        self.distance = (self.distance * ZOOM_STEP.powf(steps)).clamp(DISTANCES.0, DISTANCES.1);
    }

    /// Unit vectors right, up and forward. Made of the angles alone, so straight up and down are fine.
    pub fn axes(&self) -> [Vec3; 3] {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        let forward = Vec3::new(sin_yaw * cos_pitch, sin_pitch, -cos_yaw * cos_pitch);
        let right = Vec3::new(cos_yaw, 0.0, sin_yaw);
        [right, right.cross(forward), forward]
    }

    /// Unit vector from the eye through the point of the picture with these normalized device coordinates, of which y
    /// points down.
    pub fn ray(&self, [x, y]: [f32; 2], aspect: f32) -> Vec3 {
        self.toward(aspect, x, -y).normalize()
    }

    /// From the eye to the point `right` and `up` in the picture, at distance 1 along the direction of view.
    fn toward(&self, aspect: f32, right: f32, up: f32) -> Vec3 {
        let [x, y, forward] = self.axes();
        let (tan_x, tan_y) = self.tangents(aspect);
        forward + x * (tan_x * right) + y * (tan_y * up)
    }

    /// Where the eye is, in world units.
    pub fn eye(&self) -> Vec3 {
        self.center - self.axes()[2] * self.distance
    }

    /// Half the picture's width and height at distance 1.
    pub fn tangents(&self, aspect: f32) -> (f32, f32) {
        let tan_y = (self.vertical_fov * 0.5).tan();
        (tan_y * aspect, tan_y)
    }

    /// World to clip space.
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let [_, up, forward] = self.axes();
        let view = glam::camera::rh::view::look_to_mat4(self.eye(), forward, up);
        let near = self.distance * NEAR_SHARE;
        glam::camera::rh::proj::vulkan::perspective_infinite_reverse(self.vertical_fov, aspect, near) * view
    }

    /// The left, right, bottom, top and near plane of `view_projection`: `dot(xyz, p) + w` is the distance from the
    /// plane in world units, negative outside (Gribb and Hartmann, "Fast Extraction of Viewing Frustum Planes from the
    /// World-View-Projection Matrix", 2001). There is no far plane.
    pub fn planes(view_projection: Mat4) -> [Vec4; 5] {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        // y points down in clip space, and depth is 1 at the near plane.
        [w + x, w - x, w - y, w + y, w - z].map(|plane| plane / plane.truncate().length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec4Swizzles, vec3};
    use proptest::prelude::*;

    fn world() -> World {
        World { center: vec3(3.0, -2.0, 5.0), half_size: vec3(10.0, 4.0, 7.0) }
    }

    fn project(camera: &Camera, aspect: f32, point: Vec3) -> Vec3 {
        let clip = camera.view_projection(aspect) * point.extend(1.0);
        clip.xyz() / clip.w
    }

    #[test]
    fn known_points_land_where_they_should() {
        let camera = Camera { center: Vec3::ZERO, yaw: 0.0, pitch: 0.0, distance: 10.0, vertical_fov: FRAC_PI_2 };
        assert!(camera.eye().abs_diff_eq(vec3(0.0, 0.0, 10.0), 1e-6));
        let center = project(&camera, 2.0, Vec3::ZERO);
        assert!(center.truncate().length() < 1e-6 && center.z > 0.0);
        // Half the height at a distance of 10 is 10; y points down and x is squeezed by the aspect.
        let corner = project(&camera, 2.0, vec3(20.0, 10.0, 0.0));
        assert!((corner.truncate() - glam::vec2(1.0, -1.0)).length() < 1e-5, "{corner}");
        assert!((project(&camera, 2.0, vec3(0.0, 0.0, 9.9)).z - 1.0).abs() < 1e-4, "the near plane has depth 1");
        assert!(project(&camera, 2.0, vec3(0.0, 0.0, -1e9)).z < 1e-6, "infinity has depth 0");
    }

    #[test]
    fn a_point_of_the_picture_leads_to_the_plane_and_back() {
        let settings = Settings::preset("cursor").expect("a known preset");
        let camera = Camera::of(&settings, 1.6);
        for (right, up) in [(0.0, 0.0), (0.5, -0.7), (-0.9, 0.3)] {
            let place = camera.on_plane(1.6, right, up, settings.world.center.y).expect("it looks down");
            assert_eq!(place.y, settings.world.center.y);
            let back = project(&camera, 1.6, place);
            assert!((back.truncate() - glam::vec2(right, -up)).length() < 1e-4, "{back}");
        }
        let level = Camera { pitch: 0.0, ..camera };
        assert_eq!(level.on_plane(1.6, 0.0, 0.0, level.center.y - 1.0), None, "along the plane");
        assert_eq!(level.on_plane(1.6, 0.0, 0.5, level.center.y - 1.0), None, "away from it");
    }

    #[test]
    fn a_plane_is_seen_as_a_map() {
        for preset in ["vicsek", "reynolds", "couzin"] {
            let settings = Settings::preset(preset).expect("a known preset").on_plane();
            let (camera, World { center, half_size }) = (Camera::of(&settings, 1.6), settings.world);
            let corner = project(&camera, 1.6, center + half_size * vec3(1.0, 0.0, -1.0));
            assert!(corner.x > 0.0 && corner.y < 0.0, "x to the right and -z up: {corner}");
            let most = corner.x.max(-corner.y);
            assert!((most * MARGIN - 1.0).abs() < 0.02, "all of it, and little more: {corner}");
            let beside = project(&camera, 1.6, center + half_size * vec3(1.0, 0.0, 0.0));
            assert!((beside.x - corner.x).abs() < 1e-4, "upright: {beside} {corner}");
        }
    }

    #[test]
    fn turning_a_quarter_looks_along_x() {
        let camera = Camera { yaw: FRAC_PI_2, pitch: 0.0, ..Camera::fit(&world(), 1.0) };
        assert!(camera.axes()[2].abs_diff_eq(Vec3::X, 1e-6));
    }

    #[test]
    fn a_drag_moves_what_is_near_along() {
        let mut camera = Camera { yaw: 0.0, pitch: 0.0, ..Camera::fit(&world(), 1.0) };
        let near = camera.center + vec3(0.0, 0.0, 1.0);
        let before = project(&camera, 1.0, near);
        camera.orbit(20.0, 20.0);
        let after = project(&camera, 1.0, near);
        assert!(after.x > before.x && after.y > before.y, "{before} {after}");
    }

    #[test]
    fn a_ray_leads_through_its_point_of_the_picture() {
        let camera = Camera { yaw: 0.7, pitch: -0.4, ..Camera::fit(&world(), 1.6) };
        for at in [[0.0, 0.0], [0.5, -0.3], [-0.9, 0.8]] {
            let seen = project(&camera, 1.6, camera.eye() + camera.ray(at, 1.6) * 7.0);
            assert!((seen.truncate() - glam::Vec2::from_array(at)).length() < 1e-4, "{at:?}: {seen}");
        }
    }

    #[test]
    fn zoom_steps_undo_each_other() {
        let mut camera = Camera::fit(&world(), 1.5);
        let before = camera.distance;
        camera.zoom(3.0);
        assert!(camera.distance < before);
        camera.zoom(-3.0);
        assert!((camera.distance / before - 1.0).abs() < 1e-5);
    }

    proptest! {
        #[test]
        fn a_fitted_world_touches_the_frame(aspect in 0.2f32..5.0) {
            let mut camera = Camera::fit(&world(), aspect);
            camera.distance /= MARGIN;
            let mut most = 0.0f32;
            for corner in 0..8 {
                let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                let corner = world().center + world().half_size * vec3(sign(0), sign(1), sign(2));
                let ndc = project(&camera, aspect, corner);
                prop_assert!(ndc.z > 0.0, "before the eye");
                most = most.max(ndc.x.abs()).max(ndc.y.abs());
            }
            prop_assert!((most - 1.0).abs() < 1e-3, "{}", most);
        }

        #[test]
        fn planes_and_projection_agree(
            yaw in -7.0f32..7.0, pitch in -FRAC_PI_2..FRAC_PI_2, distance in 0.1f32..100.0, aspect in 0.2f32..5.0,
            x in -30.0f32..30.0, y in -30.0f32..30.0, z in -30.0f32..30.0,
        ) {
            let camera = Camera { yaw, pitch, distance, ..Camera::fit(&world(), aspect) };
            let matrix = camera.view_projection(aspect);
            let point = vec3(x, y, z);
            let clip = matrix * point.extend(1.0);
            let least = Camera::planes(matrix)
                .iter()
                .map(|plane| plane.truncate().dot(point) + plane.w)
                .fold(f32::INFINITY, f32::min);
            let inside = clip.x.abs() <= clip.w && clip.y.abs() <= clip.w && clip.z <= clip.w && clip.w > 0.0;
            // On a plane itself rounding decides.
            if least.abs() > 1e-3 {
                prop_assert_eq!(least > 0.0, inside, "{} {}", least, clip);
            }
        }

        #[test]
        fn nothing_is_nan_however_it_is_turned(
            drags in proptest::collection::vec((-1e4f32..1e4, -1e4f32..1e4, -500f32..500.0), 1..20)
        ) {
            let mut camera = Camera::fit(&world(), 1.7);
            for (right, down, steps) in drags {
                camera.orbit(right, down);
                camera.zoom(steps);
                let matrix = camera.view_projection(1.7);
                prop_assert!(matrix.is_finite() && camera.eye().is_finite());
                prop_assert!(Camera::planes(matrix).iter().all(|plane| plane.is_finite()));
                let [right, up, forward] = camera.axes();
                prop_assert!((right.cross(forward).dot(up) - 1.0).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn poles_are_ordinary_directions() {
        for pitch in [-FRAC_PI_2, FRAC_PI_2] {
            let camera = Camera { pitch, ..Camera::fit(&world(), 1.0) };
            assert!(camera.view_projection(1.0).is_finite());
            assert!(project(&camera, 1.0, camera.center).truncate().length() < 1e-5);
        }
    }

    #[test]
    fn a_near_view_has_the_flock_behind_the_boid_it_looks_at() {
        let positions: Vec<Vec3> =
            (0..1_000).map(|k| vec3((k % 10) as f32, (k / 10 % 10) as f32, (k / 100) as f32) * 0.5).collect();
        let camera = Camera::near(&positions, 0.2);
        assert!(positions.contains(&camera.center));
        let forward = camera.axes()[2];
        let behind = positions.iter().filter(|p| (**p - camera.center).dot(forward) > 0.0).count();
        assert!(behind > 800, "{behind}");
    }

    #[test]
    fn near_views_of_odd_flocks_are_finite() {
        for positions in [vec![], vec![Vec3::ONE], vec![Vec3::NEG_ONE; 5]] {
            assert!(Camera::near(&positions, 0.4).view_projection(1.0).is_finite());
        }
    }
}
