//! The mesh of a boid of few pixels.
//!
//! Clips move its vertices, so all of them are vertices of the near mesh: those that a simplifier chooses, not new
//! ones.

mod collapse;
mod quadrics;

use super::likeness::Outline;
use super::{FAR_TRIANGLES_MOST, FAR_VERTICES_MOST};
use crate::cancel::Cancel;
use collapse::collapsed;
use glam::Vec3;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Parts that a far mesh has, at most: four triangles and as many vertices for each.
const PARTS_MOST: usize = 16;

/// Steps that collapsing edges may take: see [`collapses`].
const COLLAPSES_MOST: usize = 1 << 26;

/// Cells along the longest edge of a mesh, at most.
const CELLS_MOST: u32 = 256;

/// Triangles that are left of a mesh that would take more.
const LARGEST: usize = 4_096;

/// Triangles that stand for `triangles`, few enough for the far mesh. `places` has the vertices of each frame, the
/// first frame first, in which the shapes are compared. Once `cancel` is requested, they are of no use.
pub fn coarse(places: &[Vec3], vertices: usize, triangles: &[[u32; 3]], cancel: &Cancel) -> Vec<[u32; 3]> {
    let one = welded(places, vertices);
    let shape = distinct(triangles.iter().map(|corners| corners.map(|corner| one[corner as usize])));
    let places = &places[..vertices];
    if fits(&shape) {
        return shape;
    }
    let near = if shape.is_empty() { triangles } else { &shape };
    let simple = Simple { first: places };
    let shape = if collapses(&shape) > COLLAPSES_MOST { simple.cells(&shape, LARGEST) } else { shape.clone() };
    // No way of simplifying is the best for every mesh, so each has a try: that is chosen which is most like the near
    // mesh.
    let targets = || (1..=4).map(|part| FAR_TRIANGLES_MOST * part / 4).rev();
    let ways: [&dyn Fn(usize) -> Vec<[u32; 3]>; 3] =
        [&|most| simple.edges(&shape, most), &|most| simple.cells(&shape, most), &|most| simple.parts(&shape, most)];
    let goes_on = || !cancel.is_requested();
    let found = ways.iter().filter_map(|way| targets().take_while(|_| goes_on()).map(way).find(|all| fits(all)));
    let outline = Outline::of(places, near);
    let off = |far: &[[u32; 3]]| {
        let share = outline.share(&Outline::within(places, far, near));
        // What is far shows as its silhouette.
        (share.extent - 1.0).abs().max((share.silhouette - 1.0).abs()) + 0.1 * (share.area - 1.0).abs()
    };
    let all = found.chain([largest(places, near)]).take_while(|_| goes_on());
    let all = all.map(|far| stretched(places, near, far, &off));
    let best = all.min_by(|a, b| a.1.total_cmp(&b.1));
    best.map(|(far, _)| far).unwrap_or_default()
}

/// Ways of simplifying a mesh of these places.
struct Simple<'a> {
    first: &'a [Vec3],
}

impl Simple<'_> {
    /// By collapsing edges, which keeps the shape best; but not every mesh has enough edges to collapse.
    fn edges(&self, shape: &[[u32; 3]], most: usize) -> Vec<[u32; 3]> {
        collapsed(self.first, shape, most)
    }

    /// By putting the vertices of a cell of a grid together, whatever their triangles are: by Rossignac and Borrel,
    /// "Multi-resolution 3D approximations for rendering complex scenes" (1993). Of a cell, the vertex nearest to the
    /// mean of its vertices stays.
    fn cells(&self, shape: &[[u32; 3]], most: usize) -> Vec<[u32; 3]> {
        let corners: BTreeSet<u32> = shape.as_flattened().iter().copied().collect();
        let place = |corner: u32| self.first[corner as usize];
        let low = corners.iter().fold(Vec3::MAX, |low, &corner| low.min(place(corner)));
        let high = corners.iter().fold(Vec3::MIN, |high, &corner| high.max(place(corner)));
        let edge = (high - low).max_element();
        let with = |along: u32| {
            let cell = |corner: u32| ((place(corner) - low) / edge * along as f32).floor().as_uvec3();
            let mut cells: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
            corners.iter().for_each(|&corner| cells.entry(cell(corner).to_array()).or_default().push(corner));
            let mut kept: HashMap<u32, u32> = HashMap::new();
            for members in cells.into_values() {
                let mean = members.iter().map(|&member| place(member)).sum::<Vec3>() / members.len() as f32;
                let away = |member: &u32| place(*member).distance_squared(mean);
                let nearest = members.iter().copied().min_by(|a, b| away(a).total_cmp(&away(b)));
                kept.extend(members.iter().map(|&member| (member, nearest.unwrap_or(member))));
            }
            distinct(shape.iter().map(|corners| corners.map(|corner| kept[&corner])))
        };
        // More cells leave more triangles, so the finest grid that leaves few enough is found by halving.
        let (mut few, mut many, mut best) = (1, CELLS_MOST, Vec::new());
        while few < many {
            let along = few.midpoint(many).max(few + 1);
            let left = with(along);
            if left.len() <= most {
                (few, best) = (along, left);
            } else {
                many = along - 1;
            }
        }
        best
    }

    /// Each part for itself, with a share of the triangles by the root of its area. Of many, those that are near each
    /// other are stood for by the largest of them.
    fn parts(&self, shape: &[[u32; 3]], most: usize) -> Vec<[u32; 3]> {
        let place = |corner: u32| self.first[corner as usize];
        let middle = |part: &[[u32; 3]]| {
            part.iter().flatten().map(|&corner| place(corner)).sum::<Vec3>() / (3 * part.len()) as f32
        };
        let sized = |part: Vec<[u32; 3]>| (area(self.first, &part), middle(&part), part);
        let mut groups = vec![parts(shape).into_iter().map(sized).collect::<Vec<_>>()];
        while groups.len() < PARTS_MOST {
            let Some(at) = (0..groups.len()).filter(|&at| groups[at].len() > 1).max_by(|&a, &b| {
                let total = |group: &[(f32, Vec3, _)]| group.iter().map(|part| part.0).sum::<f32>();
                total(&groups[a]).total_cmp(&total(&groups[b]))
            }) else {
                break;
            };
            let mut group = groups.swap_remove(at);
            let low = group.iter().fold(Vec3::MAX, |low, part| low.min(part.1));
            let high = group.iter().fold(Vec3::MIN, |high, part| high.max(part.1));
            let axis = (high - low).max_position();
            group.sort_by(|a, b| a.1[axis].total_cmp(&b.1[axis]));
            let other = group.split_off(group.len() / 2);
            groups.extend([group, other]);
        }
        let mut chosen: Vec<(f32, Vec<[u32; 3]>)> = Vec::new();
        for group in groups {
            let largest = group.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
            chosen.extend(largest.map(|(area, _, part)| (area.sqrt(), part)));
        }
        let total: f32 = chosen.iter().map(|(weight, _)| weight).sum();
        let share = |(weight, part): (f32, Vec<[u32; 3]>)| {
            let own = ((most as f32 * weight / total) as usize).max(4);
            if part.len() <= own {
                return part;
            }
            let by_edges = self.edges(&part, own);
            if (1..=own).contains(&by_edges.len()) {
                return by_edges;
            }
            let by_cells = self.cells(&part, own);
            if by_cells.is_empty() { largest(self.first, &part).into_iter().take(own).collect() } else { by_cells }
        };
        chosen.into_iter().flat_map(share).collect()
    }
}

/// The far mesh with vertices moved to where the near one reaches farther, where that makes it more like it; and how
/// far off it is then.
fn stretched(
    places: &[Vec3],
    near: &[[u32; 3]],
    mut far: Vec<[u32; 3]>,
    off: &impl Fn(&[[u32; 3]]) -> f32,
) -> (Vec<[u32; 3]>, f32) {
    let mut least = off(&far);
    for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)].repeat(2) {
        let reach = |corner: &u32| places[*corner as usize][axis] * side;
        let end = |mesh: &[[u32; 3]]| mesh.iter().flatten().copied().max_by(|a, b| reach(a).total_cmp(&reach(b)));
        let (Some(wanted), Some(own)) = (end(near), end(&far)) else { continue };
        if reach(&wanted) <= reach(&own) {
            continue;
        }
        let moved: Vec<[u32; 3]> =
            far.iter().map(|corners| corners.map(|corner| if corner == own { wanted } else { corner })).collect();
        let moved = distinct(moved.into_iter());
        let now = off(&moved);
        if now < least && fits(&moved) {
            (far, least) = (moved, now);
        }
    }
    (far, least)
}

/// About how many steps it takes to collapse all edges: at each vertex, each of its triangles is looked at for each of
/// its edges.
fn collapses(triangles: &[[u32; 3]]) -> usize {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    triangles.iter().flatten().for_each(|&corner| *counts.entry(corner).or_default() += 1);
    counts.into_values().map(|count| count * count).sum()
}

/// Triangles without those that are an edge or a place, and each only once: the simplifier looks at all triangles of a
/// vertex for each of them.
fn distinct(triangles: impl Iterator<Item = [u32; 3]>) -> Vec<[u32; 3]> {
    let mut known = HashSet::new();
    let is_new = |corners: &[u32; 3]| {
        let least = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
        known.insert([0, 1, 2].map(|k| corners[(k + least) % 3]))
    };
    triangles.filter(|[a, b, c]| a != b && b != c && c != a).filter(is_new).collect()
}

/// Triangles by the surfaces that they hang together in.
fn parts(triangles: &[[u32; 3]]) -> Vec<Vec<[u32; 3]>> {
    let mut up: HashMap<u32, u32> = HashMap::new();
    fn root(up: &mut HashMap<u32, u32>, mut at: u32) -> u32 {
        while let Some(&above) = up.get(&at).filter(|&&above| above != at) {
            let next = up.get(&above).copied().unwrap_or(above);
            up.insert(at, next);
            at = next;
        }
        at
    }
    for [a, b, c] in triangles {
        for (one, other) in [(*a, *b), (*b, *c)] {
            let (one, other) = (root(&mut up, one), root(&mut up, other));
            up.insert(one.max(other), one.min(other));
        }
    }
    let mut all: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for corners in triangles {
        all.entry(root(&mut up, corners[0])).or_default().push(*corners);
    }
    all.into_values().collect()
}

fn area(places: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| places[corner as usize]);
        (b - a).cross(c - a).length()
    };
    triangles.iter().map(area).sum()
}

/// Whether a mesh can be the far one.
fn fits(triangles: &[[u32; 3]]) -> bool {
    (1..=FAR_TRIANGLES_MOST).contains(&triangles.len())
        && triangles.as_flattened().iter().collect::<HashSet<_>>().len() <= FAR_VERTICES_MOST
}

/// Of the vertices that are at the same places in all frames, the first. Files divide vertices where normals or colors
/// change, and the simplifier sees no surface across such vertices.
fn welded(places: &[Vec3], vertices: usize) -> Vec<u32> {
    let path = |vertex: u32| {
        places[vertex as usize..].iter().step_by(vertices).flat_map(|&place| (place + Vec3::ZERO).to_array())
    };
    let compare = |a: u32, b: u32| {
        let mut differences = path(a).zip(path(b)).map(|(a, b)| a.total_cmp(&b));
        differences.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let mut order: Vec<u32> = (0..vertices as u32).collect();
    order.sort_by(|&a, &b| compare(a, b));
    let mut one: Vec<u32> = (0..vertices as u32).collect();
    for same in order.chunk_by(|&a, &b| compare(a, b).is_eq()) {
        same.iter().for_each(|&vertex| one[vertex as usize] = same[0]);
    }
    one
}

/// The largest triangles, as many as there can be without a common vertex.
fn largest(places: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let area = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| places[corner as usize]);
        (b - a).cross(c - a).length_squared()
    };
    let mut all = triangles.to_vec();
    all.sort_by(|a, b| area(b).total_cmp(&area(a)));
    all.truncate(FAR_VERTICES_MOST / 3);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of so many squares along an edge, from 0 to 1, at the heights of `height`.
    fn grid(edge: usize, height: impl Fn(f32, f32) -> f32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let at = |i: usize| i as f32 / edge as f32;
        let line = |y| (0..=edge).map(move |x| (at(x), at(y)));
        let places = (0..=edge).flat_map(line).map(|(x, y)| Vec3::new(x, y, height(x, y))).collect();
        let corner = |x, y| (y * (edge + 1) + x) as u32;
        let square = |x, y| {
            let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| corner(x, y));
            [[a, b, c], [a, c, d]]
        };
        (places, (0..edge).flat_map(|y| (0..edge).flat_map(move |x| square(x, y))).collect())
    }

    fn area(places: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| places[corner as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        triangles.iter().map(of).sum()
    }

    #[test]
    fn a_plane_keeps_its_area_and_a_roof_its_ridge() {
        let (places, triangles) = grid(20, |_, _| 0.0);
        let flat = coarse(&places, places.len(), &triangles, &Cancel::default());
        assert!(fits(&flat) && (area(&places, &flat) - 1.0).abs() < 1e-5, "{}", area(&places, &flat));
        let (places, triangles) = grid(20, |x, _| 0.5 - (x - 0.5).abs());
        let roof = coarse(&places, places.len(), &triangles, &Cancel::default());
        assert!(fits(&roof) && (area(&places, &roof) - 2f32.sqrt()).abs() < 1e-5, "{}", area(&places, &roof));
    }

    #[test]
    fn small_parts_go_before_large_ones() {
        let (mut places, mut triangles) = grid(20, |_, _| 0.0);
        let first = places.len() as u32;
        for i in 0..100 {
            let corner = Vec3::new(0.01 * i as f32, 0.5, 1e-3);
            places.extend([corner, corner + 1e-3 * Vec3::X, corner + 1e-3 * Vec3::Y]);
            triangles.push([0, 1, 2].map(|at| first + 3 * i + at));
        }
        let few = coarse(&places, places.len(), &triangles, &Cancel::default());
        assert!(fits(&few) && (area(&places, &few) - 1.0).abs() < 1e-3, "{}", area(&places, &few));
    }

    #[test]
    fn whatever_the_triangles_are_there_is_a_far_mesh() {
        // All on one edge; all apart; all in one place; far away.
        let fan = (0..200).map(|i| Vec3::new(0.0, 1.0 + i as f32, i as f32 % 7.0));
        let fan: Vec<Vec3> = [Vec3::ZERO, Vec3::X].into_iter().chain(fan).collect();
        let on_edge: Vec<[u32; 3]> = (0..200).map(|i| [0, 1, i + 2]).collect();
        let apart: Vec<Vec3> = (0..600).map(|i| Vec3::new((i / 3) as f32, (i % 3) as f32, (i % 2) as f32)).collect();
        let each: Vec<[u32; 3]> = (0..200).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let far: Vec<Vec3> = apart.iter().map(|place| *place * 1e36).collect();
        for (places, triangles) in [(&fan, &on_edge), (&apart, &each), (&vec![Vec3::ONE; 600], &each), (&far, &each)] {
            let few = coarse(places, places.len(), triangles, &Cancel::default());
            assert!(fits(&few), "{} triangles", few.len());
        }
    }
}
