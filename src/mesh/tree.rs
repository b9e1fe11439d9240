//! The nearest of many triangles: a tree of boxes.

use super::{Triangle, distinct};
use arrayvec::ArrayVec;
use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3};

/// Triangles of a leaf, at most.
const LEAF: usize = 4;

/// Triangles for which one may stand, at least: of fewer, each is compared.
const MANY: usize = 64;

/// Boxes that are open at once, at most: one for each halving of [`super::MAX_TRIANGLES`] triangles, and some.
const DEEPEST: usize = 32;

struct Node {
    low: DVec3,
    high: DVec3,
    /// Of a leaf its triangles; else the two nodes below.
    below: Below,
}

enum Below {
    Triangles(usize, usize),
    Nodes(usize, usize),
}

/// A node for kernels. The nodes below one follow it, first those of its left half, then those of its right half.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PackedNode {
    /// The least coordinates of its box.
    pub low: Vec3,
    /// The number of the first node that is neither this one nor below it.
    pub after: u32,
    /// The greatest coordinates of its box.
    pub high: Vec3,
    /// Of a leaf its first triangle times 8 plus their count; else 0.
    pub triangles: u32,
}

/// A triangle for kernels.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PackedTriangle {
    /// Its corners.
    pub corners: [Vec3; 3],
    /// Its unit normal, or zero if it is degenerate. Single precision would lose that of a sliver.
    pub normal: Vec3,
}

/// Triangles, sorted into boxes.
pub struct Tree {
    triangles: Vec<[DVec3; 3]>,
    nodes: Vec<Node>,
    /// How far a triangle may be from one that stands for it.
    tolerance: f64,
}

impl Tree {
    /// The tree of at least one triangle. Each box is divided into halves of as many triangles, so its depth is
    /// bounded.
    ///
    /// A place has many nearest triangles where many are in one place, and would be compared with each of them. So of
    /// triangles with the same corners there is one, and one stands for many that are within `tolerance` of it: a
    /// distance is too large by no more than that.
    pub fn new(triangles: &[Triangle], tolerance: f64) -> Tree {
        let own = |(place, _): (usize, i32)| triangles[place].map(|corner| corner.as_dvec3());
        let triangles = distinct(triangles).into_iter().map(own).collect();
        let mut tree = Tree { triangles, nodes: Vec::new(), tolerance };
        tree.divide(0, tree.triangles.len());
        tree
    }

    /// The node of the triangles `first..end`.
    fn divide(&mut self, first: usize, end: usize) -> usize {
        let own = &mut self.triangles[first..end];
        let low = own.iter().flatten().fold(DVec3::MAX, |low, &place| low.min(place));
        let high = own.iter().flatten().fold(DVec3::MIN, |high, &place| high.max(place));
        let node = self.nodes.len();
        self.nodes.push(Node { low, high, below: Below::Triangles(first, end) });
        if end - first >= MANY && self.is_one(first, end) {
            self.nodes[node].below = Below::Triangles(first, first + 1);
        } else if end - first > LEAF {
            let own = &mut self.triangles[first..end];
            let (extent, half) = (high - low, (end - first) / 2);
            let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
            let middle = |corners: &[DVec3; 3]| corners[0][axis] + corners[1][axis] + corners[2][axis];
            own.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)));
            let left = self.divide(first, first + half);
            let right = self.divide(first + half, end);
            self.nodes[node].below = Below::Nodes(left, right);
        }
        node
    }

    /// Whether the first of these triangles can stand for all: a distance to a triangle is largest at a corner of what
    /// it is measured from.
    fn is_one(&self, first: usize, end: usize) -> bool {
        let squared = self.tolerance * self.tolerance;
        let (one, all) = (&self.triangles[first], &self.triangles[first..end]);
        all.iter().flatten().all(|&corner| squared_distance(one, corner) <= squared)
    }

    /// Its nodes for kernels, the root first.
    pub fn packed_nodes(&self) -> Vec<PackedNode> {
        let mut packed: Vec<PackedNode> = Vec::with_capacity(self.nodes.len());
        // From the last on, because the nodes after one begin where the last of its children ends.
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let (after, triangles) = match node.below {
                Below::Triangles(first, end) => (number as u32 + 1, (first * 8 + end - first) as u32),
                Below::Nodes(_, right) => (packed[self.nodes.len() - 1 - right].after, 0),
            };
            packed.push(PackedNode { low: node.low.as_vec3(), after, high: node.high.as_vec3(), triangles });
        }
        packed.reverse();
        packed
    }

    /// Its triangles for kernels, in the order of its leaves.
    pub fn packed_triangles(&self) -> Vec<PackedTriangle> {
        let pack = |corners: &[DVec3; 3]| {
            let normal = if is_degenerate(corners) { DVec3::ZERO } else { normal(corners).normalize() };
            PackedTriangle { corners: corners.map(|corner| corner.as_vec3()), normal: normal.as_vec3() }
        };
        self.triangles.iter().map(pack).collect()
    }

    /// The distance from `place` to the nearest triangle. `near` is one that may be near, and then the nearest: the
    /// nearer it is, the fewer others are looked at.
    pub fn distance(&self, place: DVec3, near: &mut usize) -> f64 {
        let mut least = squared_distance(&self.triangles[*near], place);
        let to_box = |node: usize| {
            let Node { low, high, .. } = self.nodes[node];
            place.clamp(low, high).distance_squared(place)
        };
        let mut open = ArrayVec::<_, DEEPEST>::new();
        open.push((to_box(0), 0));
        while let Some((distance, node)) = open.pop() {
            if distance >= least {
                continue;
            }
            match self.nodes[node].below {
                Below::Triangles(first, end) => {
                    for at in first..end {
                        let distance = squared_distance(&self.triangles[at], place);
                        if distance < least {
                            (least, *near) = (distance, at);
                        }
                    }
                }
                Below::Nodes(left, right) => {
                    let (left, right) = ((to_box(left), left), (to_box(right), right));
                    // The nearer is looked at first.
                    let nodes = if left.0 < right.0 { [right, left] } else { [left, right] };
                    open.extend(nodes.into_iter().filter(|node| node.0 < least));
                }
            }
        }
        least.sqrt()
    }
}

/// At a right angle to a triangle, counter-clockwise. Twice its area long.
fn normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Whether a triangle has next to no area, for the length of its edges.
fn is_degenerate(corners: &[DVec3; 3]) -> bool {
    let [a, b, c] = *corners;
    normal(corners).length_squared() <= 1e-20 * (b - a).length_squared() * (c - a).length_squared()
}

/// The squared distance from `place` to a triangle, which may be degenerate: then to its edges.
// Called, and not inlined, it makes `bake` 16 % slower.
#[inline(always)]
fn squared_distance(corners: &[DVec3; 3], place: DVec3) -> f64 {
    let ([a, b, c], normal) = (*corners, normal(corners));
    let edges = [(a, b), (b, c), (c, a)];
    if !is_degenerate(corners) && edges.iter().all(|&(from, to)| normal.cross(to - from).dot(place - from) >= 0.0) {
        let height = normal.dot(place - a);
        return height * height / normal.length_squared();
    }
    let to_edge = |(from, to): (DVec3, DVec3)| {
        let way = to - from;
        let share = (place - from).dot(way) / way.length_squared().max(f64::MIN_POSITIVE);
        place.distance_squared(from + way * share.clamp(0.0, 1.0))
    };
    edges.map(to_edge).into_iter().fold(f64::INFINITY, f64::min)
}
