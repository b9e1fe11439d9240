//! The vertices of a glTF file before they move.

use super::super::gltf::json::Primitive as Source;
use super::super::gltf::{File, Kind};
use super::paint::{Paint, Paints};
use super::{NEAR_TRIANGLES_MOST, VERTICES_MOST};
use glam::{Vec2, Vec3};
use std::collections::{HashMap, HashSet};

/// The joints that lead a vertex, with weights whose sum is 1.
pub type Influences = Vec<(usize, f64)>;

/// The vertices that triangles of a primitive use. All lists but the last have an entry for each.
pub struct Primitive {
    /// Where they are.
    pub places: Vec<Vec3>,
    /// Their normals, if the file has them.
    pub normals: Option<Vec<Vec3>>,
    /// How far each morph target moves their places and normals, which may be left out.
    pub targets: Vec<[Option<Vec<Vec3>>; 2]>,
    /// The joints that lead them, if there are any.
    pub influences: Option<Vec<Influences>>,
    /// Their colors.
    pub albedo: Vec<Vec3>,
    /// Their places in a texture that colors them, too, if there is one.
    pub painted: Option<(Paint, Vec<Vec2>)>,
    /// The triangles.
    pub corners: Vec<[u32; 3]>,
}

impl Primitive {
    /// The primitive, or none if it has no triangles.
    pub fn read(file: &File<'_>, source: &Source, paints: &mut Paints) -> Result<Option<Primitive>, String> {
        let Some(positions) = file.positions(source)? else { return Ok(None) };
        let corners = file.corners(source, positions.len())?;
        if corners.is_empty() {
            return Ok(None);
        }
        if corners.len() > NEAR_TRIANGLES_MOST {
            return Err(format!("has {} triangles; accepted are at most {NEAR_TRIANGLES_MOST}", corners.len()));
        }
        let mut order = corners.as_flattened().to_vec();
        order.sort_unstable();
        order.dedup();
        check_vertices(order.len())?;
        let own = |vertex: u32| order.binary_search(&vertex).unwrap_or_default() as u32;
        let corners = corners.iter().map(|triangle| triangle.map(own)).collect();

        let used = Used { file, order: &order, count: positions.len() };
        let mut targets = Vec::new();
        for target in &source.targets {
            let moved = |name: &str| target.get(name).map(|of| used.of("morph targets", of, Kind::Places)).transpose();
            targets.push([moved("POSITION")?, moved("NORMAL")?]);
        }
        let normals = source.attributes.get("NORMAL").map(|of| used.of("normals", of, Kind::Places)).transpose()?;
        let color = paints.of(file, source.material)?;
        let painted = match color.paint {
            None => None,
            Some(paint) => {
                let name = format!("TEXCOORD_{}", paint.set);
                let places = source.attributes.get(&name).map(|of| used.of("places of textures", of, Kind::Places));
                places.transpose()?.map(|places| (paint, places))
            }
        };
        Ok(Some(Primitive {
            places: used.picked("positions", positions)?,
            normals,
            targets,
            influences: influences(&used, source)?,
            albedo: colors(&used, source, color.factor)?,
            painted,
            corners,
        }))
    }

    /// Gives each vertex the color of the texture, and divides the triangles in which that changes most, into as many
    /// more as there is room for.
    pub fn paint(&mut self, paints: &Paints, room: usize) {
        let Some((paint, mut uv)) = self.painted.take() else { return };
        let mut left = room;
        // Each round halves edges, so that details of a sixty-fourth are found.
        for _ in 0..6 {
            let before = self.corners.len();
            let marked = self.edges_to_halve(paints, &paint, &uv, left / 2);
            if marked.is_empty() {
                break;
            }
            self.halve(&marked, &mut uv);
            left = left.saturating_sub(self.corners.len() - before);
        }
        let colors = self.colors(paints, &paint, &uv);
        self.albedo.iter_mut().zip(colors).for_each(|(albedo, color)| *albedo *= color);
    }

    /// The color of the texture at each vertex: that from as far as a quarter of its edges, and from inside of its
    /// triangles, because beside these a picture may have anything.
    fn colors(&self, paints: &Paints, paint: &Paint, uv: &[Vec2]) -> Vec<Vec3> {
        let mut around = vec![(f32::MAX, Vec2::ZERO, 0.0); uv.len()];
        for corners in &self.corners {
            let ends = corners.map(|corner| uv[corner as usize]);
            for (k, &corner) in corners.iter().enumerate() {
                let (shortest, sum, count) = &mut around[corner as usize];
                *shortest = shortest.min(ends[k].distance(ends[(k + 1) % 3])).min(ends[k].distance(ends[(k + 2) % 3]));
                *sum += middle_of(ends);
                *count += 1.0;
            }
        }
        let color = |(place, (shortest, sum, count)): (&Vec2, (f32, Vec2, f32))| {
            paints.sample(paint, place.lerp(sum / f32::max(count, 1.0), INWARD), shortest * 0.25)
        };
        uv.iter().zip(around).map(color).collect()
    }

    /// The edges in whose middle the texture is farthest from the mean of their ends, by the places of their ends.
    fn edges_to_halve(&self, paints: &Paints, paint: &Paint, uv: &[Vec2], most: usize) -> HashSet<[PlaceKey; 2]> {
        let mut all: HashMap<[PlaceKey; 2], f32> = HashMap::new();
        let low = self.places.iter().fold(Vec3::MAX, |low, &place| low.min(place));
        let high = self.places.iter().fold(Vec3::MIN, |high, &place| high.max(place));
        // Finer than a pixel of most boids is of no use.
        let least = 0.01 * (high - low).max_element();
        let colors: Vec<Vec3> = self.colors(paints, paint, uv).into_iter().map(seen).collect();
        for corners in &self.corners {
            let [a, b, c] = corners.map(|corner| self.places[corner as usize]);
            let area = (b - a).cross(c - a).length();
            let inside = middle_of(corners.map(|corner| uv[corner as usize]));
            for (from, to) in edges(corners).map(|(a, b)| (a as usize, b as usize)) {
                let length = self.places[from].distance(self.places[to]);
                if length < least {
                    continue;
                }
                let reach = uv[from].distance(uv[to]) * 0.25;
                let at = |place: Vec2| seen(paints.sample(paint, place.lerp(inside, INWARD), reach));
                let (begin, end) = (colors[from], colors[to]);
                // Twice, so that a stripe is not missed that lies beside the middle.
                let off = |share: f32| (at(uv[from].lerp(uv[to], share)) - begin.lerp(end, share)).abs().max_element();
                let off = off(0.5).max(off(0.25)).max(off(0.75));
                if off > 0.08 {
                    let score = all.entry(self.edge(from, to)).or_default();
                    *score = score.max(off * area);
                }
            }
        }
        let mut order: Vec<([PlaceKey; 2], f32)> = all.into_iter().collect();
        // The same for each run: the order of a table is not.
        order.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.truncate(most);
        order.into_iter().map(|(edge, _)| edge).collect()
    }

    /// An edge by the places of its ends: vertices in one place may differ by their normals.
    fn edge(&self, a: usize, b: usize) -> [PlaceKey; 2] {
        let mut ends = [a, b].map(|end| super::super::key(self.places[end]));
        ends.sort_unstable();
        ends
    }

    /// Divides all triangles at these edges.
    fn halve(&mut self, marked: &HashSet<[PlaceKey; 2]>, uv: &mut Vec<Vec2>) {
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut corners = Vec::with_capacity(self.corners.len());
        for own in std::mem::take(&mut self.corners) {
            let middles = edges(&own).map(|(a, b)| {
                marked.contains(&self.edge(a as usize, b as usize)).then(|| {
                    *known.entry((a.min(b), a.max(b))).or_insert_with(|| self.middle(a as usize, b as usize, uv))
                })
            });
            let [a, b, c] = own;
            match middles {
                [None, None, None] => corners.push(own),
                [Some(ab), Some(bc), Some(ca)] => {
                    corners.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
                }
                _ => {
                    // Turned so that the first edge is divided and the last is not.
                    let turn = (0..3).find(|&k| middles[k].is_some() && middles[(k + 2) % 3].is_none()).unwrap_or(0);
                    let [a, b, c] = [0, 1, 2].map(|k| own[(k + turn) % 3]);
                    let (Some(ab), bc) = (middles[turn], middles[(turn + 1) % 3]) else { continue };
                    match bc {
                        Some(bc) => corners.extend([[a, ab, c], [ab, b, bc], [ab, bc, c]]),
                        None => corners.extend([[a, ab, c], [ab, b, c]]),
                    }
                }
            }
        }
        self.corners = corners;
    }

    /// Adds a vertex in the middle of an edge.
    fn middle(&mut self, a: usize, b: usize, uv: &mut Vec<Vec2>) -> u32 {
        let add = |list: &mut Vec<Vec3>| list.push((list[a] + list[b]) * 0.5);
        uv.push((uv[a] + uv[b]) * 0.5);
        add(&mut self.places);
        add(&mut self.albedo);
        if let Some(normals) = &mut self.normals {
            normals.push((normals[a] + normals[b]).normalize_or(normals[a]));
        }
        self.targets.iter_mut().flatten().flatten().for_each(add);
        if let Some(influences) = &mut self.influences {
            let mut all: Influences = Vec::new();
            for (joint, weight) in influences[a].iter().chain(&influences[b]) {
                match all.iter_mut().find(|(own, _)| own == joint) {
                    Some((_, sum)) => *sum += weight * 0.5,
                    None => all.push((*joint, weight * 0.5)),
                }
            }
            influences.push(all);
        }
        self.places.len() as u32 - 1
    }

    /// The area of its triangles.
    pub fn area(&self) -> f32 {
        let area = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|corner| self.places[corner as usize]);
            (b - a).cross(c - a).length() * 0.5
        };
        self.corners.iter().map(area).sum()
    }
}

type PlaceKey = [u32; 3];

/// How far a place on the edge of a triangle is moved inward before its color is looked up.
const INWARD: f32 = 0.01;

fn middle_of([a, b, c]: [Vec2; 3]) -> Vec2 {
    (a + b + c) / 3.0
}

fn edges(&[a, b, c]: &[u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// A color about as an eye tells it from others.
fn seen(linear: Vec3) -> Vec3 {
    Vec3::from(linear.to_array().map(f32::sqrt))
}

/// Refuses too many vertices.
pub fn check_vertices(count: usize) -> Result<(), String> {
    let says = || format!("has more than {VERTICES_MOST} vertices that triangles use; accepted are at most as many");
    if count <= VERTICES_MOST { Ok(()) } else { Err(says()) }
}

/// The vertices that triangles use, in order, of so many.
struct Used<'a> {
    file: &'a File<'a>,
    order: &'a [u32],
    count: usize,
}

impl Used<'_> {
    /// What an accessor has for them.
    fn of<const N: usize, T: From<[f32; N]>>(&self, what: &str, accessor: u32, kind: Kind) -> Result<Vec<T>, String> {
        self.picked(what, self.file.numbers(what, accessor, kind)?)
    }

    fn picked<const N: usize, T: From<[f32; N]>>(&self, what: &str, list: Vec<[f32; N]>) -> Result<Vec<T>, String> {
        if list.len() != self.count {
            return Err(format!("has {} {what} of {} vertices; accepted is one for each", list.len(), self.count));
        }
        Ok(self.order.iter().map(|&at| T::from(list[at as usize])).collect())
    }
}

/// The factor of the material times the colors of the vertices.
fn colors(used: &Used<'_>, source: &Source, factor: Vec3) -> Result<Vec<Vec3>, String> {
    let own = match source.attributes.get("COLOR_0") {
        None => vec![Vec3::ONE; used.order.len()],
        Some(colors) if used.file.width(colors)? == 4 => {
            let colors: Vec<[f32; 4]> = used.of("colors", colors, Kind::Fractions)?;
            colors.iter().map(|[r, g, b, _]| Vec3::new(*r, *g, *b)).collect()
        }
        Some(colors) => used.of("colors", colors, Kind::Fractions)?,
    };
    Ok(own.into_iter().map(|color| (factor * color).clamp(Vec3::ZERO, Vec3::ONE)).collect())
}

/// The joints of each vertex with their weights.
fn influences(used: &Used<'_>, source: &Source) -> Result<Option<Vec<Influences>>, String> {
    let mut all: Vec<Influences> = Vec::new();
    for set in 0.. {
        let get = |name: &str| source.attributes.get(&format!("{name}_{set}"));
        let (joints, weights) = match (get("JOINTS"), get("WEIGHTS")) {
            (Some(joints), Some(weights)) => (joints, weights),
            (None, None) => break,
            _ => return Err(format!("has only one of JOINTS_{set} and WEIGHTS_{set}; accepted are both")),
        };
        used.file.bounded.decoded(64 * used.order.len() as u64)?;
        let joints: Vec<[f32; 4]> = used.of("joints", joints, Kind::Whole)?;
        let weights: Vec<[f32; 4]> = used.of("weights", weights, Kind::Fractions)?;
        all.resize(used.order.len(), Vec::new());
        for (list, (joints, weights)) in all.iter_mut().zip(joints.into_iter().zip(weights)) {
            list.extend(joints.into_iter().zip(weights).map(|(joint, weight)| (joint as usize, f64::from(weight))));
        }
    }
    for list in &mut all {
        let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
        if list.iter().any(|&(_, weight)| weight < 0.0) {
            return Err("has a vertex with a weight of a joint below 0; accepted are weights whose sum is 1".into());
        }
        // Then the first joint leads it, as other readers have it.
        if sum <= 0.0 {
            list.truncate(1);
            list[0].1 = 1.0;
            continue;
        }
        // Their sum may be off by what their numbers are rounded.
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    Ok(if all.is_empty() { None } else { Some(all) })
}
