//! Edges collapse into one of their ends, so that no vertex is new.

use super::quadrics::{Quadric, quadrics};
use glam::Vec3;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

/// Whether its corners are three.
pub fn has_corners([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}

/// The mesh with edges collapsed until at most `most` triangles are left, in each step the edge whose loss changes the
/// shape least, by Garland and Heckbert, "Surface simplification using quadric error metrics" (1997). Parts that are
/// small vanish before large ones lose their shape.
pub fn collapsed(places: &[Vec3], triangles: &[[u32; 3]], most: usize) -> Vec<[u32; 3]> {
    let mut mesh = Collapsing::new(places, triangles);
    for folds in [false, true] {
        mesh.folds = folds;
        (0..places.len() as u32).for_each(|vertex| mesh.push_edges(vertex, |other| vertex < other));
        while mesh.left > most && mesh.collapse() {}
    }
    let unique: BTreeSet<[u32; 3]> = mesh.triangles.iter().copied().filter(has_corners).collect();
    unique.into_iter().collect()
}

/// A mesh that is losing edges. A triangle that is gone has a corner twice.
struct Collapsing<'a> {
    places: &'a [Vec3],
    triangles: Vec<[u32; 3]>,
    /// How many of them are left.
    left: usize,
    /// Whether triangles may turn over.
    folds: bool,
    /// For each vertex, triangles that have it, and perhaps some that are gone.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    /// How often each vertex has taken another one in; `u32::MAX` for one that was taken in.
    taken: Vec<u32>,
    /// The cheapest first.
    edges: BinaryHeap<Reverse<Edge>>,
}

/// What it costs to put the first vertex into the second, as of how often these had taken another one in.
type Edge = (Cost, [u32; 2], [u32; 2]);

/// A cost, ordered.
#[derive(Clone, Copy, PartialEq)]
struct Cost(f64);

impl Eq for Cost {}

impl PartialOrd for Cost {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cost {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<'a> Collapsing<'a> {
    fn new(places: &'a [Vec3], triangles: &[[u32; 3]]) -> Self {
        let mut around = vec![Vec::new(); places.len()];
        for (triangle, corners) in triangles.iter().enumerate() {
            corners.iter().for_each(|&corner| around[corner as usize].push(triangle as u32));
        }
        Collapsing {
            places,
            triangles: triangles.to_vec(),
            left: triangles.len(),
            around,
            quadrics: quadrics(places, triangles),
            taken: vec![0; places.len()],
            edges: BinaryHeap::new(),
            folds: false,
        }
    }

    /// Adds the edges between `vertex` and each of its neighbors that are `wanted`, in both directions.
    fn push_edges(&mut self, vertex: u32, wanted: impl Fn(u32) -> bool) {
        let corners = self.around[vertex as usize].iter().flat_map(|&triangle| self.triangles[triangle as usize]);
        let others: BTreeSet<u32> = corners.filter(|&other| other != vertex && wanted(other)).collect();
        for other in others {
            let both = self.quadrics[vertex as usize] + self.quadrics[other as usize];
            for [from, to] in [[vertex, other], [other, vertex]] {
                let cost = Cost(both.at(self.places[to as usize].as_dvec3()));
                let taken = [from, to].map(|end| self.taken[end as usize]);
                self.edges.push(Reverse((cost, [from, to], taken)));
            }
        }
    }

    /// Whether a triangle around `from` would turn over if that were put into `to`.
    fn would_fold(&self, [from, to]: [u32; 2]) -> bool {
        let normal = |corners: [u32; 3]| {
            let [a, b, c] = corners.map(|corner| self.places[corner as usize].as_dvec3());
            (b - a).cross(c - a)
        };
        let triangles = self.around[from as usize].iter().map(|&triangle| self.triangles[triangle as usize]);
        triangles.filter(|corners| has_corners(corners) && !corners.contains(&to)).any(|corners| {
            let moved = corners.map(|corner| if corner == from { to } else { corner });
            normal(corners).dot(normal(moved)) < 0.0
        })
    }

    /// Collapses the cheapest edge; false without one.
    fn collapse(&mut self) -> bool {
        let [from, to] = loop {
            let Some(Reverse((_, ends, taken))) = self.edges.pop() else { return false };
            let is_known = ends.map(|end| self.taken[end as usize]) == taken;
            if is_known && (self.folds || !self.would_fold(ends)) {
                break ends;
            }
        };
        for triangle in std::mem::take(&mut self.around[from as usize]) {
            let corners = &mut self.triangles[triangle as usize];
            if !has_corners(corners) {
                continue;
            }
            *corners = corners.map(|corner| if corner == from { to } else { corner });
            match has_corners(corners) {
                true => self.around[to as usize].push(triangle),
                false => self.left -= 1,
            }
        }
        let triangles = &self.triangles;
        self.around[to as usize].retain(|&triangle| has_corners(&triangles[triangle as usize]));
        let moved = self.quadrics[from as usize];
        self.quadrics[to as usize] += moved;
        self.taken[from as usize] = u32::MAX;
        self.taken[to as usize] += 1;
        self.push_edges(to, |_| true);
        true
    }
}
