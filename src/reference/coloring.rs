//! The twin of `glsl/include/coloring.glsl`, as far as a color is a matter of right and wrong.

use super::cull::{hash, unit_float};
use crate::flock::grid::cell_of;
use crate::flock::layout::Grid;
use glam::{UVec3, Vec3, vec3};

/// Where a boid lies, as seen from the picked cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the picked cell: red.
    Picked,
    /// In one of the up to 26 cells around it: cyan.
    Around,
    /// Elsewhere: black.
    Elsewhere,
}

/// Where `position` lies, as seen from `picked`.
pub fn place(cells: &Grid, picked: UVec3, position: Vec3) -> Place {
    let mut apart = (cell_of(cells, position).as_ivec3() - picked.as_ivec3()).abs();
    if cells.wraps != 0 {
        apart = apart.min(cells.dims.as_ivec3() - apart);
    }
    match apart.max_element() {
        0 => Place::Picked,
        1 => Place::Around,
        _ => Place::Elsewhere,
    }
}

/// Red, green and blue of a boid as a display counts them, from 0 to 1: at random, drawn again until they add up to at
/// least 1.
pub fn random_color(id: u32) -> Vec3 {
    let bits = hash(id);
    let draw = |draw: u32| {
        let part = |k: u32| unit_float(hash(bits.wrapping_add(3 * draw + k)));
        vec3(part(0), part(1), part(2))
    };
    (0..16).map(draw).find(|color| color.element_sum() >= 1.0).unwrap_or(Vec3::splat(0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_is_too_dark_and_all_others_are_there() {
        let colors: Vec<Vec3> = (0..100_000).map(random_color).collect();
        assert!(colors.iter().all(|color| color.element_sum() >= 1.0));
        // Uniform over the cube without the corner of volume 1/6 whose mean is 1/4: (1/2 - 1/24) / (5/6) each.
        let mean = colors.iter().sum::<Vec3>() / colors.len() as f32;
        assert!(mean.abs_diff_eq(Vec3::splat(0.55), 0.005), "{mean}");
    }
}
