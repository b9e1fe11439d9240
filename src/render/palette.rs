//! The lights a scene can stand in, and the ramps of colors that stand for values.

use super::layout::Palette;
use crate::flock::States;
use crate::flock::kinds::Kind;
use crate::limits::RAMP_COLORS;
use glam::{Mat3, Vec3, vec3};
use std::f32::consts::TAU;

impl Palette {
    /// A low sun over a calm sea. Boids have the base color of the flock it is modeled on, (0, 0.66, 0.73).
    pub fn dusk() -> Self {
        Palette {
            sun_direction: vec3(0.72, 0.10, -0.68).normalize(),
            sun_color: vec3(2.6, 0.62, 0.25),
            zenith: vec3(0.020, 0.055, 0.165),
            horizon: vec3(0.27, 0.15, 0.20),
            glow: vec3(0.85, 0.20, 0.05),
            water: vec3(0.004, 0.016, 0.034),
            boid: BOID,
            boid_accent: vec3(0.02, 0.30, 0.62),
            target: TARGET,
        }
    }

    /// A clear morning with the sun high.
    pub fn day() -> Self {
        Palette {
            sun_direction: vec3(0.45, 0.70, -0.35).normalize(),
            sun_color: vec3(1.7, 1.55, 1.3),
            zenith: vec3(0.05, 0.16, 0.45),
            horizon: vec3(0.42, 0.54, 0.66),
            glow: vec3(0.72, 0.81, 0.86),
            water: vec3(0.01, 0.06, 0.10),
            boid: BOID,
            boid_accent: vec3(0.02, 0.35, 0.70),
            target: TARGET,
        }
    }

    /// A few meters below the surface of clear water, where red has gone already.
    pub fn water() -> Self {
        Palette {
            sun_direction: vec3(0.30, 0.90, -0.32).normalize(),
            sun_color: vec3(1.15, 1.45, 1.30),
            zenith: vec3(0.10, 0.42, 0.50),
            horizon: vec3(0.012, 0.125, 0.20),
            glow: vec3(0.16, 0.30, 0.27),
            water: vec3(0.001, 0.012, 0.032),
            boid: vec3(0.62, 0.66, 0.64),
            boid_accent: vec3(0.70, 0.60, 0.34),
            target: TARGET,
        }
    }

    /// Paper under even light.
    pub fn paper() -> Self {
        Palette {
            sun_direction: vec3(0.45, 0.70, 0.35).normalize(),
            sun_color: Vec3::ONE,
            zenith: PAPER,
            horizon: PAPER,
            glow: Vec3::ZERO,
            water: PAPER,
            boid: vec3(0.02, 0.16, 0.20),
            boid_accent: vec3(0.01, 0.07, 0.20),
            target: TARGET,
        }
    }
}

impl Palette {
    /// One color that goes with the backdrop, before there is a picture: four sRGB bytes.
    pub fn plain(&self) -> [u8; 4] {
        let byte = |linear: f32| {
            let coded = if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
            (255.0 * coded.clamp(0.0, 1.0)).round() as u8
        };
        let [red, green, blue] = self.horizon.to_array().map(byte);
        [red, green, blue, 255]
    }
}

const BOID: Vec3 = vec3(0.0, 0.66, 0.73);
const TARGET: Vec3 = vec3(0.95, 0.20, 0.015);
const PAPER: Vec3 = vec3(0.88, 0.87, 0.84);

/// Colors in the order of the values that they stand for.
pub type Ramp = [Vec3; RAMP_COLORS as usize];

/// A circle of hues of one lightness, for directions and for names: the last color is the first.
pub fn hues() -> Ramp {
    std::array::from_fn(|k| linear_of_oklch(0.72, 0.14, TAU * (k as f32 / (RAMP_COLORS - 1) as f32) + 0.5))
}

/// The color of `ramp` at `share`, from 0 at its first color to 1 at its last.
pub fn at(ramp: Ramp, share: f32) -> Vec3 {
    let place = share.clamp(0.0, 1.0) * (RAMP_COLORS - 1) as f32;
    let below = (place as usize).min(RAMP_COLORS as usize - 2);
    ramp[below].lerp(ramp[below + 1], place - below as f32)
}

/// From dark to light, from blue over green to yellow, for amounts: lightness alone tells their order, so that it can
/// also be told in gray and by eyes that see fewer hues.
pub fn amounts() -> Ramp {
    std::array::from_fn(|k| {
        let share = k as f32 / (RAMP_COLORS - 1) as f32;
        let chroma = 0.11 + 0.05 * (std::f32::consts::PI * share).sin();
        linear_of_oklch(0.36 + 0.56 * share, chroma, (285.0 - 180.0 * share).to_radians())
    })
}

/// Linear sRGB of a color in OKLCH (Ottosson, "A perceptual color space for image processing", 2020), with less chroma
/// where sRGB does not have as much: lightness and hue stay.
fn linear_of_oklch(lightness: f32, chroma: f32, hue: f32) -> Vec3 {
    let mut chroma = chroma;
    loop {
        let color = linear_of_oklab(vec3(lightness, chroma * hue.cos(), chroma * hue.sin()));
        if chroma < 1e-3 || (color.min_element() >= 0.0 && color.max_element() <= 1.0) {
            return color.clamp(Vec3::ZERO, Vec3::ONE);
        }
        chroma *= 0.97;
    }
}

fn linear_of_oklab(lab: Vec3) -> Vec3 {
    let to_lms = Mat3::from_cols(
        vec3(1.0, 1.0, 1.0),
        vec3(0.396_337_78, -0.105_561_346, -0.089_484_18),
        vec3(0.215_803_76, -0.063_854_17, -1.291_485_5),
    );
    let to_linear = Mat3::from_cols(
        vec3(4.076_741_7, -1.268_438, -0.004_196_086),
        vec3(-3.307_711_6, 2.609_757_4, -0.703_418_6),
        vec3(0.230_969_94, -0.341_319_4, 1.707_614_7),
    );
    let lms = to_lms * lab;
    to_linear * (lms * lms * lms)
}

/// Of each kind its linear color: what it was given, or one of the hues.
pub fn of_kinds(kinds: &[Kind]) -> Ramp {
    let linear = |code: u8| {
        let coded = f32::from(code) / 255.0;
        if coded <= 0.040_45 { coded / 12.92 } else { ((coded + 0.055) / 1.055).powf(2.4) }
    };
    let hue = |k: usize| linear_of_oklch(0.72, 0.14, TAU * (k as f32 / kinds.len() as f32) + 0.5);
    let color = |k: usize| {
        let kind = kinds.get(k)?;
        Some(kind.color.map_or_else(|| hue(k), |color| Vec3::from_array(color.map(linear))))
    };
    std::array::from_fn(|k| color(k).unwrap_or(Vec3::ONE))
}

/// The linear color of a state, by its number: hues are spread evenly over the states of birds, and over those of fish.
pub fn of_state(number: u32) -> Vec3 {
    let all = [States::Birds, States::Fish].map(States::numbers);
    let Some(own) = all.into_iter().find(|own| own.contains(&number)) else { return Vec3::ONE };
    at(hues(), (number - own.start) as f32 / own.len() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of linear sRGB.
    fn luminance(color: Vec3) -> f32 {
        color.dot(vec3(0.2126, 0.7152, 0.0722))
    }

    #[test]
    fn white_and_black_are_where_they_belong() {
        assert!(linear_of_oklab(vec3(1.0, 0.0, 0.0)).abs_diff_eq(Vec3::ONE, 1e-3));
        assert_eq!(linear_of_oklab(Vec3::ZERO), Vec3::ZERO);
        // Red, from the published table of the color space's pairs.
        let red = linear_of_oklab(vec3(0.627_955, 0.224_863, 0.125_846));
        assert!(red.abs_diff_eq(Vec3::X, 2e-3), "{red}");
    }

    #[test]
    fn amounts_grow_lighter_and_hues_do_not() {
        let amounts = amounts().map(luminance);
        assert!(amounts.windows(2).all(|pair| pair[1] > 1.15 * pair[0]), "{amounts:?}");
        let hues = hues();
        assert!(hues[0].abs_diff_eq(hues[hues.len() - 1], 1e-5), "a circle");
        let lightest = hues.map(luminance).into_iter().fold(0.0, f32::max);
        assert!(hues.iter().all(|&hue| luminance(hue) > 0.6 * lightest), "{hues:?}");
        // Neighbors on the circle can be told apart.
        assert!(hues.windows(2).all(|pair| pair[0].distance(pair[1]) > 0.1), "{hues:?}");
    }
}
