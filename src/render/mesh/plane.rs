//! A plane as the author of the cursor's flock drew it: a fuselage and a wing, each a cube that is turned and
//! stretched.

use super::Mesh;
use glam::{Mat3, Vec3, vec3};
use std::f32::consts::FRAC_PI_4;

impl Mesh {
    /// Two cubes. The fuselage stands on an edge and is turned by 45° once more, so that it points ahead, with its nose
    /// 7.5° down; the wing is turned by 45° about the vertical, so that its edges sweep back.
    pub fn plane() -> Mesh {
        let mut mesh = Mesh::default();
        let tilted = Mat3::from_rotation_x(FRAC_PI_4) * Mat3::from_rotation_z(FRAC_PI_4);
        let nose_down = Mat3::from_rotation_x(-7.5_f32.to_radians());
        mesh.cube(nose_down * stretched(tilted, vec3(0.13, 0.13, 0.5)), Vec3::ZERO, 1.0);
        let turned = Mat3::from_rotation_y(FRAC_PI_4);
        mesh.cube(stretched(turned, vec3(0.62, 0.02, 0.15)), vec3(0.0, 0.015, 0.06), 0.8);
        mesh
    }

    /// Adds a cube of edge 2 about the origin, brought into shape and place.
    fn cube(&mut self, shape: Mat3, place: Vec3, shade: f32) {
        for axis in 0..3 {
            for side in [1.0, -1.0] {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                let outline = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(a, b)| {
                    let mut corner = Vec3::ZERO;
                    corner[axis] = side;
                    corner[u] = a * side;
                    corner[v] = b;
                    (shape * corner + place, 0.0, shade)
                });
                self.facet(&outline);
            }
        }
    }
}

/// A turn, and then a stretch that makes the turned cube reach as far as `reach` along each axis.
fn stretched(turn: Mat3, reach: Vec3) -> Mat3 {
    let rows = turn.transpose();
    let extent = Vec3::from_array([rows.x_axis, rows.y_axis, rows.z_axis].map(|row| row.abs().element_sum()));
    Mat3::from_diagonal(reach / extent) * turn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuselage_points_down_by_seven_and_a_half_degrees() {
        // The cube's foremost corner, without and with that tilt.
        let turn = Mat3::from_rotation_x(FRAC_PI_4) * Mat3::from_rotation_z(FRAC_PI_4);
        let corners = (0..8).map(|k| [1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 }));
        let level = corners.map(|corner| stretched(turn, vec3(0.13, 0.13, 0.5)) * Vec3::from_array(corner));
        let level = level.min_by(|a, b| a.z.total_cmp(&b.z)).expect("eight");
        let places: Vec<Vec3> = Mesh::plane().vertices.iter().map(|vertex| vertex.position).collect();
        let tip = places.into_iter().min_by(|a, b| a.z.total_cmp(&b.z)).expect("a mesh");
        let below = |v: Vec3| (-v.y).atan2(-v.z).to_degrees();
        assert!((below(tip) - below(level) - 7.5).abs() < 1e-3, "{} and {}", below(level), below(tip));
    }
}
