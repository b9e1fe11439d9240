//! The surface of a mesh: the counterpart of `glsl/include/mesh_surface.glsl`, which has the reasons.

use super::lanes::Lane;
use super::obstacles::{Surface, or};
use super::vectors::V3;
use crate::flock::layout::PackedObstacle;
use crate::limits::OBSTACLE_SECTION;
use crate::mesh::Volume;
use glam::Vec3;

/// `offset`: from the middle of the mesh.
#[inline(always)]
pub fn mesh_surface<L: Lane>(obstacle: &PackedObstacle, volume: &Volume, offset: V3<L>) -> Surface<L> {
    let (zero, [cos, sin, size]) = (offset.x.constant(0.0), obstacle.extent.to_array());
    let own = V3::new(offset.x * cos - offset.z * sin, offset.y, offset.x * sin + offset.z * cos);
    let cell = volume.lattice.cell * size;
    let first = volume.lattice.origin * size;
    let most = volume.lattice.dims.map(|count| (count - 1) as f32);
    let place = V3::new((own.x - first.x) / cell, (own.y - first.y) / cell, (own.z - first.z) / cell);
    let nearest = V3::new(place.x.clamp(0.0, most[0]), place.y.clamp(0.0, most[1]), place.z.clamp(0.0, most[2]));
    let corner = [(nearest.x, most[0]), (nearest.y, most[1]), (nearest.z, most[2])].map(
        #[inline(always)]
        |(at, most)| at.floor().min(at.constant(most - 1.0)),
    );
    let share = nearest - V3::new(corner[0], corner[1], corner[2]);
    let [a, b, c, d, e, f, g, h] = L::look_up(corner, |[x, y, z]| volume.samples([x, y, z]));
    let along_x = [(a, b), (c, d), (e, f), (g, h)].map(
        #[inline(always)]
        |(a, b)| between(a, b, share.x),
    );
    let along_y = [between(along_x[0], along_x[1], share.y), between(along_x[2], along_x[3], share.y)];
    let climb = [between(b - a, d - c, share.y), between(f - e, h - g, share.y)];
    let slope = V3::new(
        between(climb[0], climb[1], share.z),
        between(along_x[1] - along_x[0], along_x[3] - along_x[2], share.z),
        along_y[1] - along_y[0],
    );
    let slope = slope.map(
        #[inline(always)]
        |x| x / volume.lattice.cell,
    );
    let within = between(along_y[0], along_y[1], share.z) * size - obstacle.radius;

    let beyond = (place - nearest) * cell;
    let squared = beyond.length_squared();
    let (is_beyond, rest) = (zero.lt(squared), within.max(zero));
    let outside = (squared + rest * rest).sqrt();
    let climbs = V3::new(
        climb_beyond(beyond.x, rest, slope.x),
        climb_beyond(beyond.y, rest, slope.y),
        climb_beyond(beyond.z, rest, slope.z),
    );
    let (distance, slope) = (L::select(is_beyond, outside, within), V3::select(is_beyond, climbs, slope));
    let normal = V3::new(slope.x * cos + slope.z * sin, slope.y, slope.z * cos - slope.x * sin);
    let around = offset.length_squared().sqrt() - obstacle.bound;
    let is_far = distance.lt(around);
    let (distance, mut normal) = (L::select(is_far, around, distance), V3::select(is_far, offset, normal));
    if obstacle.kind == OBSTACLE_SECTION {
        normal.y = zero;
    }
    Surface { distance, normal: or(normal.direction(), Vec3::X) }
}

#[inline(always)]
fn between<L: Lane>(a: L, b: L, share: L) -> L {
    a + (b - a) * share
}

/// Along an axis along which the place is beyond the volume, only the way there counts.
#[inline(always)]
fn climb_beyond<L: Lane>(beyond: L, rest: L, slope: L) -> L {
    beyond + (rest * slope).only(beyond.abs().le(beyond.constant(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flock::Settings;
    use crate::flock::obstacles::Obstacle;
    use crate::flock::random::{Stream, in_cube};
    use crate::laws::lanes::Double;
    use crate::laws::obstacles::{Solids, nearest_surface};
    use crate::mesh::{Mesh, Model};
    use glam::DVec3;

    /// Distances are those of `Obstacle::distance`, and normals their slopes, in a flat world along it.
    #[test]
    fn surfaces_have_their_distances_and_normals() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 0.6, Vec3::Z * 1.4];
        let closed = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]].map(|of| of.map(|at: usize| corners[at])).to_vec();
        let open = closed[2..].to_vec();
        for (plane, triangles) in [(false, closed.clone()), (false, open), (true, closed)] {
            let model = Model::of("a", &Mesh::new(triangles).expect("a mesh"), 9).expect("a model");
            let mesh = Obstacle::Mesh { center: Vec3::new(0.3, 0.0, -0.4), size: 3.0, turn: 50.0, model };
            let settings = Settings::preset("reynolds").expect("a known preset").with_plane(plane);
            let settings = Settings { obstacles: vec![mesh], ..settings };
            let packed = settings.obstacles_met(0);
            let (mut compared, distance) = (0, |at: DVec3| settings.obstacles[0].distance(at));
            for i in 0..3_000 {
                let place = in_cube(7, Stream::Position, i, 0).as_dvec3() * if i % 2 == 0 { 2.0 } else { 20.0 };
                let place = if plane { place.with_y(0.0) } else { place };
                let surface = nearest_surface(Solids::new(&packed, &settings.obstacles), V3::<Double>::from(place));
                let (found, normal) = (surface.distance.0, DVec3::from(surface.normal));
                // The sphere around it is a little larger for kernels.
                assert!((found - distance(place)).abs() < 3e-5, "{found} at {place}, not {}", distance(place));
                assert!((normal.length() - 1.0).abs() < 1e-6 && (!plane || normal.y == 0.0), "{normal}");
                let ahead = DVec3::AXES.map(|axis| (distance(place + axis * 1e-5) - distance(place)) * 1e5);
                let behind = DVec3::AXES.map(|axis| (distance(place) - distance(place - axis * 1e-5)) * 1e5);
                let (ahead, behind) = (DVec3::from(ahead), DVec3::from(behind));
                // Between cells there is more than one slope.
                if ahead.distance(behind) < 1e-3 && ahead.length() > 0.1 {
                    let slope = if plane { ahead.with_y(0.0) } else { ahead };
                    let off = slope.normalize().distance(normal);
                    assert!(off < 1e-2, "{normal} at {place}, not along {slope}");
                    compared += 1;
                }
            }
            assert!(compared > 2_500, "only {compared} of 3000");
        }
    }
}
