//! The parameters of a picture's passes.

use super::Scene;
use crate::flock::search::GridKind;
use crate::flock::{Flock, Settings};
use crate::limits::{MAX_KINDS, MIRROR_BOIDS};
use crate::render::camera::Camera;
use crate::render::layout::SceneParams;
use crate::render::look::Coloring;
use crate::render::values::values_per_unit;
use crate::render::view::View;
use crate::render::{cells, palette};
use crate::vk::Format;
use glam::{Mat4, vec3, vec4};

impl Scene {
    /// What a frame that looks at `flock` through `view` hands to the cull and draw passes.
    pub fn params(&self, flock: &Flock, view: &View) -> SceneParams {
        let settings = flock.settings();
        let aspect = view.width as f32 / view.height as f32;
        // A band is the picture, stretched and shifted until its rows fill the frame: `y / share - shift / share` in
        // normalized device coordinates.
        let rows = view.rows.len() as f32;
        let share = rows / view.height as f32;
        let shift = (2.0 * view.rows.start as f32 + rows) / view.height as f32 - 1.0;
        let band = Mat4::from_cols(
            vec4(1.0, 0.0, 0.0, 0.0),
            vec4(0.0, 1.0 / share, 0.0, 0.0),
            vec4(0.0, 0.0, 1.0, 0.0),
            vec4(0.0, -shift / share, 0.0, 1.0),
        );
        let view_projection = band * view.camera.view_projection(aspect);
        let [right, up, forward] = view.camera.axes();
        let (tan_x, tan_y) = view.camera.tangents(aspect);
        let seconds = f64::from(flock.step()) * f64::from(settings.time_step) + f64::from(view.extrapolate);
        let last = flock.step().saturating_sub(1);
        let [ramp_low, ramp_high] = self.color_range().unwrap_or([0.0, 1.0]);
        let (mut kind_ends, mut kind_sizes) = ([u32::MAX; MAX_KINDS as usize], [1.0; MAX_KINDS as usize]);
        for (k, (kind, ids)) in settings.kinds.iter().zip(settings.boids_of_kinds()).enumerate() {
            (kind_ends[k], kind_sizes[k]) = (ids.end, kind.size);
        }
        let mut params = SceneParams {
            view_projection: view_projection.to_cols_array_2d(),
            planes: Camera::planes(view_projection).map(|plane| plane.to_array()),
            eye: view.camera.eye(),
            ray_right: right * tan_x,
            ray_down: up * (-tan_y * share),
            ray_forward: forward + up * (-tan_y * shift),
            palette: self.look.palette,
            pixels_per_radian: view.height as f32 / view.block as f32 / (2.0 * tan_y),
            time: seconds as f32,
            extrapolate: view.extrapolate,
            speed_scale: settings.speed_scale(),
            boid_length: self.look.boid_length,
            lod_pixels: self.look.lod_pixels,
            silhouette: self.drawers.figure.far.most_silhouette(self.look.scale),
            haze: self.look.haze / settings.world.half_size.length(),
            // Only steps with a counting sort count the boids of cells.
            shadow: if !flock.has_stepped() || settings.search.grid() != GridKind::CountingSorted {
                0.0
            } else {
                self.look.shadow
            },
            boid_count: settings.boids,
            batches: self.batches,
            // Boids are stored in layers, the lowest first.
            last_first: (view.camera.eye().y > settings.world.center.y).into(),
            target_count: settings.targets,
            width: view.width.div_ceil(view.block),
            height: (view.rows.len() as u32).div_ceil(view.block),
            block: view.block,
            pixels: [view.width, view.rows.len() as u32],
            round: 0,
            blue_first: matches!(self.color_format, Format::B8G8R8A8_SRGB | Format::B8G8R8A8_UNORM).into(),
            encode_srgb: (!encodes_srgb(self.color_format)).into(),
            grid: *flock.grid(),
            // The targets and obstacles that the last step steered by.
            targets: settings.step_params(last).targets,
            cells: cells(settings),
            cell: self.look.cell,
            obstacle_count: settings.obstacles.len() as u32,
            obstacles: settings.obstacles_shown(last),
            boid_scale: self.look.scale,
            ramp: match self.look.color {
                Coloring::Kind => palette::of_kinds(&settings.kinds),
                _ if self.look.shows_amounts() => palette::amounts(),
                _ => palette::hues(),
            },
            ramp_low,
            ramp_high,
            values_per_unit: values_per_unit(self.look.color, settings),
            full_speed: settings.full_speed(),
            step: flock.step(),
            time_step: settings.time_step,
            first_row: view.rows.start / view.block,
            mirror_stride: settings.boids.div_ceil(MIRROR_BOIDS),
            clips: self.drawers.figure.clips,
            clip_rows: self.drawers.figure.rows,
            trail_seconds: self.look.trail,
            trail_width: self.look.trail_width,
            kind_ends,
            kind_sizes,
            ..bytemuck::Zeroable::zeroed()
        };
        mirrored(&mut params, settings, &view.camera, tan_x);
        if let Some(trails) = &self.trails {
            trails.moments.fill(&mut params, flock.step(), view.extrapolate);
        }
        params
    }
}

/// Fills in the sea and its mirror image of the flock: of a level picture plane, so that bands of a picture have the
/// same.
fn mirrored(params: &mut SceneParams, settings: &Settings, camera: &Camera, tan_x: f32) {
    /// Slopes of rays up from the sea that the image has, of a camera that looks along the horizon: waves tilt them.
    const RISE: f32 = 0.75;
    let (center, half) = (settings.world.center, settings.world.half_size);
    // Below the flock's world, and always below the eye.
    let room = 0.25 * half.y + 0.05 * half.max_element();
    params.sea = (center.y - half.y - room).min(params.eye.y - 0.25 * room);
    params.wave_length = 0.03 * half.max_element();
    params.flock_distance = params.eye.distance(center);
    let (sin, cos) = camera.yaw.sin_cos();
    params.mirror_forward = vec3(sin, 0.0, -cos);
    // A camera that looks down sees more to its sides, close to its feet.
    params.mirror_right = vec3(cos, 0.0, sin) / (1.2 * tan_x / camera.pitch.cos().max(0.3));
    params.mirror_rise = 1.0 / (RISE + (-camera.pitch).max(0.0).tan().min(2.0));
}

/// Whether writing to an attachment of `format` turns linear color into sRGB.
fn encodes_srgb(format: Format) -> bool {
    matches!(format, Format::R8G8B8A8_SRGB | Format::B8G8R8A8_SRGB | Format::A8B8G8R8_SRGB_PACK32)
}
