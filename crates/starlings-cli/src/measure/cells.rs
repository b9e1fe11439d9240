//! A grid of cells, by which the neighbors of a boid are found.

use super::Space;
use glam::{DVec3, IVec3};
use std::collections::HashMap;

/// Boids by cell. Edges of cells are at least the radius, so that neighbors are in the 27 cells around a boid, or in
/// fewer along an axis that has fewer.
pub struct Cells<'a> {
    position: &'a [DVec3],
    space: Space,
    radius: f64,
    /// How many cells a periodic axis has; 0 along others.
    counts: IVec3,
    members: HashMap<IVec3, Vec<usize>>,
}

/// Cells along a periodic axis at most: more are of no use to any flock that fits in memory.
const MOST: f64 = 1e6;

impl<'a> Cells<'a> {
    pub fn new(position: &'a [DVec3], space: Space, radius: f64) -> Self {
        let periodic = |edge: f64| match edge {
            edge if edge.is_finite() && edge > 0.0 => (edge / radius).floor().clamp(1.0, MOST) as i32,
            _ => 0,
        };
        let counts = IVec3::new(periodic(space.edges.x), periodic(space.edges.y), periodic(space.edges.z));
        let mut cells = Cells { position, space, radius, counts, members: HashMap::new() };
        for (i, &place) in position.iter().enumerate() {
            let cell = cells.cell(place);
            cells.members.entry(cell).or_default().push(i);
        }
        cells
    }

    fn cell(&self, place: DVec3) -> IVec3 {
        let along = |at: f64, edge: f64, count: i32| match count {
            0 => (at / self.radius).floor() as i32,
            // A place just below an edge may be rounded up to it.
            count => ((at / edge).rem_euclid(1.0) * f64::from(count)).min(f64::from(count - 1)) as i32,
        };
        let (edges, counts) = (self.space.edges, self.counts);
        IVec3::new(
            along(place.x, edges.x, counts.x),
            along(place.y, edges.y, counts.y),
            along(place.z, edges.z, counts.z),
        )
    }

    /// Calls `visit` with each boid within the radius of boid `i`, and its distance.
    pub fn visit(&self, i: usize, mut visit: impl FnMut(usize, f64)) {
        let own = self.cell(self.position[i]);
        // Each cell once: three, or all of an axis that has fewer.
        let along = |at: i32, count: i32| match count {
            0 => (at.saturating_sub(1)..=at.saturating_add(1)).collect::<Vec<i32>>(),
            1..=3 => (0..count).collect(),
            _ => [at - 1, at, at + 1].map(|cell| cell.rem_euclid(count)).to_vec(),
        };
        for z in along(own.z, self.counts.z) {
            for y in along(own.y, self.counts.y) {
                for x in along(own.x, self.counts.x) {
                    for &j in self.members.get(&IVec3::new(x, y, z)).into_iter().flatten() {
                        let distance = self.space.between(self.position[i], self.position[j]).length();
                        if j != i && distance <= self.radius {
                            visit(j, distance);
                        }
                    }
                }
            }
        }
    }
}
