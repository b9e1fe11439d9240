//! The texture of a fish: painted here, texel by texel, and sampled by the fragment shader.
//!
//! It shows the fish from its right side by the measures of [`mesh::fish`](super::mesh): a place is the distance from
//! the nose along the fish, and down from its upper edge, in lengths of the fish. Alpha cuts out the fins.

use super::mesh::fish::{PECTORAL, TOP, outline};
use super::texture::{Texture, TextureInfo};
use crate::error::Result;
use crate::limits::BINDING_FISH_SKIN;
use crate::render::resources::{FISH_SKIN, FISH_TEXELS};
use crate::vk::{Binding, Device, Format, Pass, ShaderStages, Stage, Use};
use glam::{Vec2, Vec3, vec2, vec3};
use std::f32::consts::PI;
use std::sync::{Arc, OnceLock};

/// Texels along an edge of the largest level.
pub const SIZE: u32 = 128;

/// Levels, each half as wide as the one before, down to one texel.
pub const LEVELS: u32 = SIZE.ilog2() + 1;

/// The texture on the device.
///
/// # Errors
/// What the device could not make.
pub fn texture(device: &Arc<Device>) -> Result<Texture> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let info = TextureInfo {
        names: [FISH_SKIN, FISH_TEXELS],
        size: (SIZE, SIZE),
        levels: LEVELS,
        format: Format::R8G8B8A8_SRGB,
        binding: Binding::sampled(BINDING_FISH_SKIN, ShaderStages::FRAGMENT),
        upload: SKIN_UPLOAD,
    };
    Texture::new(device, info, BYTES.get_or_init(|| levels().concat()))
}

const SKIN_UPLOAD: Pass<'_> = Pass {
    name: "skin_upload",
    stage: Stage::COPY,
    uses: &[Use::copy_from(FISH_TEXELS), Use::copy_to_image(FISH_SKIN)],
};

/// Red, green, blue and alpha of every texel of each level, row by row, the largest first.
pub fn levels() -> Vec<Vec<u8>> {
    let center = |at: u32| (at as f32 + 0.5) / SIZE as f32;
    let texel = |at: u32| texel(vec2(center(at % SIZE), center(at / SIZE)));
    let mut level: Vec<[f32; 4]> = (0..SIZE * SIZE).map(texel).collect();
    let mut levels = vec![encode(&level)];
    for edge in (1..LEVELS).map(|level| (SIZE >> level) as usize) {
        let average = |at: usize| {
            let (x, y) = (at % edge, at / edge);
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| level[2 * edge * (2 * y + j) + 2 * x + i]);
            std::array::from_fn(|k| four.iter().map(|texel| texel[k]).sum::<f32>() / 4.0)
        };
        level = (0..edge * edge).map(average).collect();
        levels.push(encode(&level));
    }
    levels
}

/// Linear colors as sRGB bytes; alpha as it is.
fn encode(level: &[[f32; 4]]) -> Vec<u8> {
    let code =
        |linear: f32| if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    let byte = |share: f32| (share.clamp(0.0, 1.0) * 255.0).round() as u8;
    level.iter().flat_map(|&[r, g, b, a]| [byte(code(r)), byte(code(g)), byte(code(b)), byte(a)]).collect()
}

/// Linear color and alpha at a place.
pub fn texel(place: Vec2) -> [f32; 4] {
    let (back, up) = (place.x - 0.5, TOP - place.y);
    let (half, lift) = outline(back);
    let from_body = (up - lift).abs() - half;
    // The body is opaque slightly beyond its outline, so that coarser levels do not show holes.
    let body = ((0.026 - from_body) / 0.008).clamp(0.0, 1.0);
    let fin = fin(place, back, up, (half, lift));
    let (color, alpha) = if from_body < 0.012 && half > 0.0 {
        (scales(back, up, (up - lift) / half), body)
    } else {
        (rays(place, back, up), fin.max(if half > 0.0 { body } else { 0.0 }))
    };
    [color.x, color.y, color.z, alpha]
}

/// Dark above, silver along the side, pale below, with an eye and a gill.
fn scales(back: f32, up: f32, height: f32) -> Vec3 {
    let blend = |from: f32, to: f32, x: f32| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    let (dark, silver, pale) = (vec3(0.018, 0.085, 0.13), vec3(0.42, 0.52, 0.54), vec3(0.80, 0.80, 0.74));
    let mut color = pale.lerp(silver, blend(-0.75, -0.2, height)).lerp(dark, blend(0.25, 0.70, height));
    let band = (-((height - 0.22) / 0.10).powi(2)).exp() * blend(-0.36, -0.22, back);
    color = color.lerp(vec3(0.72, 0.46, 0.07), 0.8 * band);
    // Rows of scales, each shifted by half a scale.
    let row = (up / 0.019).floor();
    let along = back / 0.026 + 0.5 * row.rem_euclid(2.0);
    let bulge = (PI * along.rem_euclid(1.0)).sin() * (PI * (up / 0.019).rem_euclid(1.0)).sin();
    color *= 0.86 + 0.24 * bulge * blend(-0.33, -0.25, back);
    let gill = (-((back + 0.285 - 0.6 * up * up / 0.1) / 0.008).powi(2)).exp() * blend(0.09, 0.06, up.abs());
    color *= 1.0 - 0.55 * gill;
    let from_eye = vec2(back + 0.405, up - 0.016).length();
    color = color.lerp(vec3(0.85, 0.78, 0.45), blend(0.027, 0.022, from_eye));
    color = color.lerp(vec3(0.004, 0.004, 0.006), blend(0.018, 0.014, from_eye));
    let glint = vec2(back + 0.412, up - 0.023).length();
    color.lerp(Vec3::ONE, blend(0.007, 0.004, glint))
}

/// Fins are of one color, with darker rays.
fn rays(place: Vec2, back: f32, up: f32) -> Vec3 {
    vec3(0.66, 0.44, 0.10) * (0.72 + 0.28 * ray(place, back, up))
}

/// From 0 between two rays to 1 on one.
fn ray(place: Vec2, back: f32, up: f32) -> f32 {
    let (corner, _) = PECTORAL;
    let angle = if place.y > corner.y - 0.02 {
        (place.y - corner.y - 0.14).atan2(place.x - corner.x + 0.08) * 34.0
    } else if back > 0.25 {
        up.atan2(back - 0.20) * 34.0
    } else {
        (back + 0.25 * up.abs()) * 190.0
    };
    0.5 + 0.5 * angle.sin()
}

/// Alpha of the fins: 1 well inside of their outlines, 0 outside, frayed between the rays.
fn fin(place: Vec2, back: f32, up: f32, (half, lift): (f32, f32)) -> f32 {
    let hump = |from: f32, to: f32, bow: f32| {
        let share = (back - from) / (to - from);
        if (0.0..=1.0).contains(&share) { (PI * share.powf(bow)).sin() } else { -1.0 }
    };
    let above = 0.105 * hump(-0.19, 0.17, 0.55) - (up - lift - half);
    let below = 0.075 * hump(0.01, 0.21, 0.60) - (lift - half - up);
    let notch = if back > 0.37 { up.abs() - 1.3 * (back - 0.37) } else { 1.0 };
    let tail = (0.02 + 0.95 * (back - 0.26) - up.abs()).min(notch).min(0.49 - back);
    let (corner, size) = PECTORAL;
    let local = (place - corner) / size;
    let spread =
        (0.16 + 0.36 * local.x - (local.y - 0.5).abs()).min(0.97 - vec2(local.x, 0.6 * (local.y - 0.5)).length());
    let pectoral = if local.x >= 0.0 { 0.28 * spread } else { -1.0 };
    let inside = match (place.y > corner.y - 0.02, back > 0.26, up > lift) {
        (true, _, _) => pectoral,
        (_, true, _) => tail,
        (_, _, true) => above,
        _ => below,
    };
    let frayed = inside - 0.007 * (1.0 - ray(place, back, up));
    (frayed / 0.012 + 0.5).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alpha at a place of the fish, in the largest level.
    fn alpha(level: &[u8], place: Vec2) -> u8 {
        let at = (place * SIZE as f32).as_uvec2().min(glam::UVec2::splat(SIZE - 1));
        level[(4 * (at.y * SIZE + at.x) + 3) as usize]
    }

    #[test]
    fn alpha_keeps_the_body_and_cuts_out_the_fins() {
        let levels = levels();
        assert_eq!(levels.len(), LEVELS as usize);
        assert_eq!(levels[LEVELS as usize - 1].len(), 4);
        let side = |back: f32, up: f32| alpha(&levels[0], vec2(back + 0.5, TOP - up));
        for back in [-0.45, -0.3, 0.0, 0.2] {
            assert_eq!(side(back, 0.0), 255, "the body at {back}");
        }
        assert_eq!(side(-0.45, 0.2), 0, "above the head");
        assert_eq!(side(0.49, 0.0), 0, "the notch of the tail");
        assert!(side(0.44, 0.13) > 25, "a lobe of the tail");
        // The sheets of the fins have both opaque and transparent texels.
        for sheet in [(-0.19..0.17, 0.14..0.25), (0.02..0.21, -0.19..-0.12), (0.30..0.5, -0.24..0.24)] {
            let places = (0..400).map(|k| {
                let share = vec2((k % 20) as f32 / 20.0, (k / 20) as f32 / 20.0);
                let size = vec2(sheet.0.end - sheet.0.start, sheet.1.end - sheet.1.start);
                vec2(sheet.0.start, sheet.1.start) + share * size
            });
            let shown = places.filter(|place| side(place.x, place.y) >= 26).count();
            assert!((40..360).contains(&shown), "{sheet:?}: {shown} of 400");
        }
    }
}
