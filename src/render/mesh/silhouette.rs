//! How much of the sky a mesh covers.

use glam::{Vec3, vec2, vec3};

/// The mean area of the silhouette of `triangles` over directions all around, in squares of a boid's length, by
/// counting points of a grid that is two lengths wide. Of triangle number `k`, the point `a + s (b - a) + t (c - a)`
/// counts if `is_opaque(k, s, t)`.
pub fn mean_silhouette(triangles: &[[Vec3; 3]], is_opaque: impl Fn(usize, f32, f32) -> bool) -> f32 {
    const DIRECTIONS: u32 = 64;
    const GRID: usize = 96;
    let mut covered = 0;
    for k in 0..DIRECTIONS {
        // A Fibonacci lattice on the sphere.
        let height = 1.0 - (2.0 * k as f32 + 1.0) / DIRECTIONS as f32;
        let turn = 2.399_963_2 * k as f32;
        let around = (1.0 - height * height).sqrt();
        let view = vec3(around * turn.cos(), height, around * turn.sin());
        let (right, up) = view.any_orthonormal_pair();
        let mut grid = [[false; GRID]; GRID];
        for (triangle, corners) in triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| vec2(corner.dot(right), corner.dot(up)));
            let area = (b - a).perp_dot(c - a);
            // Only the points of its box.
            let cell = |at: f32| ((at + 1.0) * 0.5 * GRID as f32).clamp(0.0, GRID as f32) as usize;
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            for (y, row) in grid.iter_mut().enumerate().take(cell(high.y) + 1).skip(cell(low.y)) {
                for (x, point) in row.iter_mut().enumerate().take(cell(high.x) + 1).skip(cell(low.x)) {
                    let place = (vec2(x as f32, y as f32) + 0.5) / GRID as f32 * 2.0 - 1.0 - a;
                    let (s, t) = (place.perp_dot(c - a) / area, (b - a).perp_dot(place) / area);
                    *point |= s >= 0.0 && t >= 0.0 && s + t <= 1.0 && is_opaque(triangle, s, t);
                }
            }
        }
        covered += grid.as_flattened().iter().filter(|point| **point).count();
    }
    4.0 * covered as f32 / (GRID * GRID) as f32 / DIRECTIONS as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean silhouette of a convex body is a quarter of its surface (Cauchy), that of a sheet half of its area.
    #[test]
    fn a_sheet_covers_half_of_its_area_on_average() {
        let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| vec3(x, y, 0.0));
        let [a, b, c, d] = square;
        let all = mean_silhouette(&[[a, b, c], [a, c, d]], |_, _, _| true);
        assert!((all - 0.5).abs() < 0.01, "{all}");
        let half = mean_silhouette(&[[a, b, c], [a, c, d]], |triangle, _, _| triangle == 0);
        assert!((half - 0.25).abs() < 0.01, "{half}");
    }
}
