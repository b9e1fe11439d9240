//! What a mesh is as an obstacle: its box, its parts, its holes, and which triangles face the wrong way.

use super::{Mesh, key};
use glam::DVec3;
use std::collections::HashMap;
use std::fmt;

/// What a mesh is as an obstacle.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Whether it has an inside: [`Mesh::is_closed`].
    pub is_closed: bool,
    /// Its triangles.
    pub triangles: usize,
    /// Surfaces that hang together by edges of two triangles.
    pub parts: usize,
    /// Edges that have a triangle on one side only, by the rings or lines that they form.
    pub holes: usize,
    /// How many such edges there are.
    pub open_edges: usize,
    /// Triangles that face the other way than most of those around them.
    pub flipped: usize,
    /// The edges of its box, in units of its file.
    pub size: DVec3,
}

impl Report {
    /// That of `mesh`.
    pub fn of(mesh: &Mesh) -> Report {
        let (low, high) = mesh.bounds();
        let (corners, places) = numbered(mesh);
        // Each edge with the triangles that pass it, and whether they do so from its lower to its higher end.
        let mut edges: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(3 * corners.len());
        for (triangle, &[a, b, c]) in (0u32..).zip(&corners) {
            let passed = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
            edges.extend(passed.map(|(from, to)| (from.min(to), from.max(to), triangle, from < to)));
        }
        edges.sort_unstable();
        let (mut parts, mut rings, mut open_edges) = (Sets::new(corners.len()), Sets::new(places), 0);
        let mut is_at_hole = vec![false; places];
        for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            // Triangles that pass it the same way face opposite sides. Where more meet, nothing says which belong
            // together.
            if let [one, other] = edge {
                parts.join(one.2, other.2, one.3 == other.3);
            }
            if edge.len() == 1 {
                open_edges += 1;
                rings.join(edge[0].0, edge[0].1, false);
                [edge[0].0, edge[0].1].iter().for_each(|&end| is_at_hole[end as usize] = true);
            }
        }
        // Of each part, the triangles that face as its first one does, and those that do not.
        let mut sides: HashMap<u32, [usize; 2]> = HashMap::new();
        for triangle in 0..corners.len() as u32 {
            let (root, is_turned) = parts.root(triangle);
            sides.entry(root).or_default()[usize::from(is_turned)] += 1;
        }
        let holes = (0..places as u32).filter(|&place| is_at_hole[place as usize] && rings.root(place).0 == place);
        Report {
            is_closed: mesh.is_closed(),
            triangles: corners.len(),
            parts: sides.len(),
            holes: holes.count(),
            open_edges,
            flipped: sides.values().map(|[one, other]| *one.min(other)).sum(),
            size: high - low,
        }
    }
}

/// The corners of each triangle by numbers of their places, and how many places there are.
fn numbered(mesh: &Mesh) -> (Vec<[u32; 3]>, usize) {
    let mut known = HashMap::new();
    let mut number = |place| {
        let next = known.len() as u32;
        *known.entry(key(place)).or_insert(next)
    };
    let corners = mesh.triangles().iter().map(|triangle| triangle.map(&mut number)).collect();
    (corners, known.len())
}

/// Sets that are joined. Each member also has a side, and joining says whether two members have the same one.
struct Sets(Vec<(u32, bool)>);

impl Sets {
    fn new(count: usize) -> Sets {
        Sets((0..count as u32).map(|own| (own, false)).collect())
    }

    /// The member that stands for the set of this one, and whether their sides differ.
    fn root(&mut self, mut at: u32) -> (u32, bool) {
        let mut differs = false;
        while self.0[at as usize].0 != at {
            // The next time, the way is half as long.
            let (up, side) = self.0[at as usize];
            let (above, other) = self.0[up as usize];
            self.0[at as usize] = (above, side ^ other);
            differs ^= side ^ other;
            at = above;
        }
        (at, differs)
    }

    fn join(&mut self, a: u32, b: u32, differ: bool) {
        let ((a, from_a), (b, from_b)) = (self.root(a), self.root(b));
        if a != b {
            self.0[a.max(b) as usize] = (a.min(b), from_a ^ from_b ^ differ);
        }
    }
}

/// As `closed, 1 part of 12 triangles, a box of 1 x 1 x 1 units of its file`.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let some = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        f.write_str(if self.is_closed { "closed" } else { "open, a thin shell without an inside" })?;
        if self.open_edges > 0 {
            write!(f, ", {} of {}", some(self.holes, "hole"), some(self.open_edges, "edge"))?;
        }
        if self.flipped > 0 {
            write!(f, ", {} facing the other way than those around", some(self.flipped, "triangle"))?;
        }
        write!(f, ", {} of {}", some(self.parts, "part"), some(self.triangles, "triangle"))?;
        let [x, y, z] = self.size.to_array().map(|edge| edge as f32);
        write!(f, ", a box of {x} x {y} x {z} units of its file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Triangle;
    use glam::Vec3;

    /// From 0 to 2 along each axis.
    fn cube(at: f32) -> Vec<Triangle> {
        let corner = |i: usize| Vec3::from([0, 1, 2].map(|axis| 2.0 * (i >> axis & 1) as f32)) + at;
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).map(|corners| corners.map(corner)).collect()
    }

    #[test]
    fn a_box_is_closed_and_its_faults_are_counted() {
        let report = |triangles| Report::of(&Mesh::new(triangles).expect("a mesh"));
        let whole = report(cube(0.0));
        assert_eq!(whole.to_string(), "closed, 1 part of 12 triangles, a box of 2 x 2 x 2 units of its file");
        // Without a side, and without a triangle of the opposite side.
        let mut open = cube(0.0);
        open.drain(0..2);
        open.remove(0);
        let open = report([open, cube(9.0)].concat());
        assert_eq!((open.is_closed, open.holes, open.open_edges, open.parts, open.flipped), (false, 2, 7, 2, 0));
        assert!(
            open.to_string().starts_with("open, a thin shell without an inside, 2 holes of 7 edges, 2 parts of 21")
        );
        let mut turned = cube(0.0);
        turned[3].swap(0, 1);
        turned[7].swap(0, 1);
        let turned = report(turned);
        assert_eq!((turned.is_closed, turned.holes, turned.flipped), (false, 0, 2));
        assert!(turned.to_string().contains(", 2 triangles facing the other way than those around, 1 part of"));
        // All of it inside out is as good.
        let inside_out = report(cube(0.0).into_iter().map(|[a, b, c]| [a, c, b]).collect());
        assert_eq!((inside_out.is_closed, inside_out.flipped), (true, 0));
    }
}
