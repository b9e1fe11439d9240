//! How much the far mesh of a model is like the near one.

use super::{Animated, Clip};
use glam::{Vec2, Vec3};

/// Frames of a clip that are compared, at most.
const FRAMES: u32 = 4;

/// Points along an edge of the grid on which silhouettes are compared.
const GRID: usize = 96;

/// Shares of the far mesh in the near one: in the frame in which it is farthest from 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Of the edge of the box around it in which they differ most.
    pub extent: f32,
    /// Of its silhouettes from the side, from above and from behind, all three together.
    pub silhouette: f32,
    /// Of its surface.
    pub area: f32,
}

impl Likeness {
    /// The largest difference.
    pub fn off(&self) -> f32 {
        [self.extent, self.silhouette, self.area].map(|share| (share - 1.0).abs()).into_iter().fold(0.0, f32::max)
    }

    fn farther(self, other: Likeness) -> Likeness {
        let far = |a: f32, b: f32| if (a - 1.0).abs() < (b - 1.0).abs() { b } else { a };
        Likeness {
            extent: far(self.extent, other.extent),
            silhouette: far(self.silhouette, other.silhouette),
            area: far(self.area, other.area),
        }
    }
}

impl Animated {
    /// How much the far mesh is like the near one in `clip`.
    pub fn likeness(&self, clip: Clip) -> Likeness {
        let count = clip.frames.min(FRAMES);
        let shares = (0..count).map(|k| {
            let first = (clip.first + k * clip.frames / count) as usize * self.vertices();
            let places = &self.places[first..first + self.vertices()];
            Outline::of(places, &self.triangles).share(&Outline::within(places, &self.coarse, &self.triangles))
        });
        let all = Likeness { extent: 1.0, silhouette: 1.0, area: 1.0 };
        shares.fold(all, Likeness::farther)
    }
}

/// What is compared of a mesh.
pub struct Outline {
    size: Vec3,
    /// Points of the grids that it covers.
    covered: usize,
    area: f32,
}

impl Outline {
    /// That of a mesh, whose silhouettes are taken on grids that just hold it.
    pub fn of(places: &[Vec3], triangles: &[[u32; 3]]) -> Outline {
        Outline::within(places, triangles, triangles)
    }

    /// That of a mesh, on grids that hold `whole`.
    pub fn within(places: &[Vec3], triangles: &[[u32; 3]], whole: &[[u32; 3]]) -> Outline {
        let (low, high) = bounds(places, triangles);
        let (from, to) = bounds(places, whole);
        let span = to - from;
        let mut covered = 0;
        for (x, y) in [(2, 1), (0, 2), (0, 1)] {
            let (least, span) = (Vec2::new(from[x], from[y]), Vec2::new(span[x], span[y]));
            if span.min_element() < 1e-6 * span.max_element() {
                continue;
            }
            let mut grid = Grid::new();
            for corners in triangles {
                let flat = |corner: u32| {
                    let place = places[corner as usize];
                    (Vec2::new(place[x], place[y]) - least) / span * GRID as f32
                };
                grid.fill(corners.map(flat));
            }
            covered += grid.covered;
        }
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| places[corner as usize]);
            (b - a).cross(c - a).length()
        };
        Outline { size: high - low, covered, area: triangles.iter().map(area).sum() }
    }

    /// What share `far` is of it.
    pub fn share(&self, far: &Outline) -> Likeness {
        let of = |far: f32, near: f32| if near > 0.0 { far / near } else { 1.0 };
        let edges = (0..3).filter(|&axis| self.size[axis] > 1e-6 * self.size.max_element());
        Likeness {
            extent: edges.map(|axis| far.size[axis] / self.size[axis]).fold(1.0, f32::min),
            silhouette: of(far.covered as f32, self.covered as f32),
            area: of(far.area, self.area),
        }
    }
}

fn bounds(places: &[Vec3], triangles: &[[u32; 3]]) -> (Vec3, Vec3) {
    let corners = || triangles.iter().flatten().map(|&corner| places[corner as usize]);
    (corners().fold(Vec3::MAX, Vec3::min), corners().fold(Vec3::MIN, Vec3::max))
}

/// The middles of the cells of a square. Each is covered once, so the work is that of the rows of all triangles.
struct Grid {
    /// Of each point and the end of each row, itself if it is free, or else one that is nearer to the next free one.
    next: Vec<usize>,
    covered: usize,
}

impl Grid {
    fn new() -> Grid {
        Grid { next: (0..GRID * (GRID + 1)).collect(), covered: 0 }
    }

    /// Covers the points in a triangle.
    fn fill(&mut self, [a, b, c]: [Vec2; 3]) {
        let cell = |at: f32| at.clamp(0.0, GRID as f32 - 1.0) as usize;
        for y in cell(a.y.min(b.y).min(c.y))..=cell(a.y.max(b.y).max(c.y)) {
            let height = y as f32 + 0.5;
            let crossed = [(a, b), (b, c), (c, a)].into_iter().filter_map(|(from, to)| {
                let share = (height - from.y) / (to.y - from.y);
                Some(from.x + share * (to.x - from.x)).filter(|_| (0.0..=1.0).contains(&share))
            });
            let (low, high) = crossed.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
            let (first, end) = ((low - 0.5).ceil().max(0.0), (high - 0.5).floor().min(GRID as f32 - 1.0));
            if first > end {
                continue;
            }
            let row = y * (GRID + 1);
            let mut at = self.free(row + first as usize);
            while at <= row + end as usize {
                self.covered += 1;
                self.next[at] = at + 1;
                at = self.free(at + 1);
            }
        }
    }

    /// The first free point from this one on, or the end of its row.
    fn free(&mut self, mut at: usize) -> usize {
        while self.next[at] != at {
            self.next[at] = self.next[self.next[at]];
            at = self.next[at];
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::vec3;

    #[test]
    fn half_of_a_square_is_half_as_like_it() {
        let places = [vec3(0.0, 0.0, 0.0), vec3(1.0, 0.0, 0.0), vec3(1.0, 1.0, 0.0), vec3(0.0, 1.0, 0.0)];
        let (whole, half) = ([[0, 1, 2], [0, 2, 3], [0, 1, 3]], [[0, 1, 2]]);
        let near = Outline::of(&places, &whole);
        assert_eq!(near.covered, GRID * GRID, "seen along z");
        let share = near.share(&Outline::within(&places, &half, &whole));
        assert!((share.silhouette - 0.5).abs() < 0.01 && share.extent == 1.0, "{share:?}");
        assert!((share.area - 1.0 / 3.0).abs() < 1e-6 && (share.off() - 2.0 / 3.0).abs() < 1e-6, "{share:?}");
    }
}
