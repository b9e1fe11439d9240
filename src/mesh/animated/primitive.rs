//! The vertices of a glTF file before they move.

use super::super::gltf::{File, Kind};
use super::{NEAR_TRIANGLES_MOST, VERTICES_MOST};
use glam::Vec3;
use gltf::accessor::Dimensions;
use gltf::{Primitive as Source, Semantic};

/// Vectors of all morph targets together, at most.
const MOST_DELTAS: usize = 1 << 24;

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
    /// The triangles.
    pub corners: Vec<[u32; 3]>,
}

impl Primitive {
    /// The primitive, or none if it has no triangles. Its vectors of morph targets are added to `deltas`.
    pub fn read(file: &File, source: &Source<'_>, deltas: &mut usize) -> Result<Option<Primitive>, String> {
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
        let own = |vertex: usize| order.binary_search(&vertex).unwrap_or_default() as u32;
        let corners = corners.iter().map(|triangle| triangle.map(own)).collect();

        let count = positions.len();
        let used =
            |what: &str, list: Vec<[f32; 3]>| -> Result<Vec<Vec3>, String> { picked(what, &list, &order, count) };
        let vectors = |what, accessor| used(what, file.numbers(what, &accessor, Kind::Floats)?);
        let mut targets = Vec::new();
        for target in source.morph_targets() {
            *deltas += 2 * order.len();
            if *deltas > MOST_DELTAS {
                return Err(format!(
                    "has more than {MOST_DELTAS} vectors of morph targets; accepted are at most as many"
                ));
            }
            let moved = |accessor: Option<_>| accessor.map(|accessor| vectors("morph targets", accessor)).transpose();
            targets.push([moved(target.positions())?, moved(target.normals())?]);
        }
        let normals = source.get(&Semantic::Normals).map(|normals| vectors("normals", normals)).transpose()?;
        Ok(Some(Primitive {
            places: used("positions", positions)?,
            normals,
            targets,
            influences: influences(file, source, &order, count)?,
            albedo: colors(file, source, &order, count)?,
            corners,
        }))
    }
}

/// Refuses too many vertices.
pub fn check_vertices(count: usize) -> Result<(), String> {
    let says = || format!("has more than {VERTICES_MOST} vertices that triangles use; accepted are at most as many");
    if count <= VERTICES_MOST { Ok(()) } else { Err(says()) }
}

/// Those of `list`, which has `count`, that `order` names.
fn picked<const N: usize, T: From<[f32; N]>>(
    what: &str,
    list: &[[f32; N]],
    order: &[usize],
    count: usize,
) -> Result<Vec<T>, String> {
    if list.len() != count {
        return Err(format!("has {} {what} of {count} vertices; accepted is one for each", list.len()));
    }
    let number = order.iter().map(|&at| list[at]);
    match number.clone().flatten().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("has {what} with {number}; accepted are finite numbers")),
        None => Ok(number.map(T::from).collect()),
    }
}

/// The base color of the material times those of the vertices.
fn colors(file: &File, source: &Source<'_>, order: &[usize], count: usize) -> Result<Vec<Vec3>, String> {
    let [r, g, b, _] = source.material().pbr_metallic_roughness().base_color_factor();
    let base = Vec3::new(r, g, b);
    let own = match source.get(&Semantic::Colors(0)) {
        None => vec![Vec3::ONE; order.len()],
        Some(colors) if colors.dimensions() == Dimensions::Vec4 => {
            let colors =
                picked::<4, [f32; 4]>("colors", &file.numbers("colors", &colors, Kind::Fractions)?, order, count)?;
            colors.iter().map(|[r, g, b, _]| Vec3::new(*r, *g, *b)).collect()
        }
        Some(colors) => picked("colors", &file.numbers("colors", &colors, Kind::Fractions)?, order, count)?,
    };
    Ok(own.into_iter().map(|color| (base * color).clamp(Vec3::ZERO, Vec3::ONE)).collect())
}

/// The joints of each vertex with their weights.
fn influences(
    file: &File,
    source: &Source<'_>,
    order: &[usize],
    count: usize,
) -> Result<Option<Vec<Influences>>, String> {
    let mut all: Vec<Influences> = Vec::new();
    for set in 0.. {
        let (joints, weights) = match (source.get(&Semantic::Joints(set)), source.get(&Semantic::Weights(set))) {
            (Some(joints), Some(weights)) => (joints, weights),
            (None, None) => break,
            _ => return Err(format!("has only one of JOINTS_{set} and WEIGHTS_{set}; accepted are both")),
        };
        let joints: Vec<[f32; 4]> = picked("joints", &file.numbers("joints", &joints, Kind::Whole)?, order, count)?;
        let weights: Vec<[f32; 4]> =
            picked("weights", &file.numbers("weights", &weights, Kind::Fractions)?, order, count)?;
        all.resize(order.len(), Vec::new());
        for (list, (joints, weights)) in all.iter_mut().zip(joints.into_iter().zip(weights)) {
            list.extend(joints.into_iter().zip(weights).map(|(joint, weight)| (joint as usize, f64::from(weight))));
        }
    }
    for list in &mut all {
        let sum: f64 = list.iter().map(|(_, weight)| weight).sum();
        if sum <= 0.0 || list.iter().any(|&(_, weight)| weight < 0.0) {
            return Err("has a vertex whose weights of joints are below 0 or all 0; accepted is a sum of 1".into());
        }
        // Their sum may be off by what their numbers are rounded.
        list.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    Ok(if all.is_empty() { None } else { Some(all) })
}
