//! Parsers of flag values; each error says what is accepted.

use crate::cli::numbers::{Accepted, precise, precise_vector, real, vector, whole};
use glam::{DVec3, UVec3, Vec3};
use starlings::flock::layout::Point;
use starlings::flock::obstacles::{FORMS, Obstacle, list};
use starlings::flock::settings::{MAX_BOIDS, Waypoint};
use starlings::render::camera::FIELDS_OF_VIEW;
use starlings::render::look::{COLOR_ENDS, LONGEST_TRAIL, STRETCHES, is_color_range};

/// A count of boids of any size: what fits depends on the device.
pub fn boids(text: &str) -> Result<u64, Accepted> {
    let accepted = || Accepted(format!("a whole number from 1 to {MAX_BOIDS}"));
    whole(text).filter(|&count| count > 0).ok_or_else(accepted)
}

pub fn density(text: &str) -> Result<f32, Accepted> {
    let accepted = || {
        Accepted("a number above 0, from 1e-18 to 1e27 depending on the count, in boids per cubic world unit".into())
    };
    real(text).filter(|&density| density > 0.0 && density.is_finite()).ok_or_else(accepted)
}

/// One edge, two or three.
pub fn world_size(text: &str) -> Result<Vec<f32>, Accepted> {
    let edges: Option<Vec<f32>> = text.split('x').map(real).collect();
    edges
        .filter(|edges| edges.len() <= 3 && edges.iter().all(|&edge| edge > 0.0 && edge.is_finite()))
        .ok_or_else(|| Accepted(EDGES.into()))
}

/// What is accepted as the size of a world.
pub const EDGES: &str = "one edge, or three like 40x20x40, each above 0, in world units";

/// The path of the cursor.
pub fn cursor(text: &str) -> Result<Vec<Waypoint>, Accepted> {
    let accepted = || Accepted("three numbers like 0,-5,2.5, or positions with times like 0:10,0,0/5:0,0,10".into());
    if !text.contains(':') {
        let position = vector(text).ok_or_else(accepted)?;
        return Ok(vec![Waypoint { seconds: 0.0, position }]);
    }
    let waypoint = |part: &str| {
        let (seconds, position) = part.split_once(':')?;
        Some(Waypoint { seconds: real(seconds)?, position: vector(position)? })
    };
    text.split('/').map(waypoint).collect::<Option<_>>().ok_or_else(accepted)
}

/// Points that attract or repel: position, reach and strength of each.
pub fn points(text: &str) -> Result<Vec<Point>, Accepted> {
    let accepted = || Accepted("five numbers like 0,5,0,10,-20, for each point, with / between points; or none".into());
    if text == "none" {
        return Ok(Vec::new());
    }
    let point = |part: &str| {
        let numbers: Option<Vec<f32>> = part.split(',').map(real).collect();
        let [x, y, z, reach, strength] = numbers?[..] else { return None };
        Some(Point { position: Vec3::new(x, y, z), reach, strength })
    };
    text.split('/').map(point).collect::<Option<_>>().ok_or_else(accepted)
}

/// Obstacles: the shape of each with its numbers.
pub fn obstacles(text: &str) -> Result<Vec<Obstacle>, Accepted> {
    if text == "none" {
        return Ok(Vec::new());
    }
    let accepted = || Accepted(format!("{FORMS}, with / between obstacles; or none"));
    list(text).into_iter().map(Obstacle::parse).collect::<Option<_>>().ok_or_else(accepted)
}

/// The file of a model; none for `none`.
pub fn model(text: &str) -> Result<Option<String>, Accepted> {
    match text {
        "" => Err(Accepted("a file made by `starlings bake`, or none".into())),
        "none" => Ok(None),
        file => Ok(Some(file.into())),
    }
}

pub fn switch(text: &str) -> Result<bool, Accepted> {
    text.parse().map_err(|_| Accepted("true or false".into()))
}

pub fn place(text: &str) -> Result<Vec3, Accepted> {
    vector(text).ok_or_else(|| Accepted("three numbers like 0,-5,2.5, in world units".into()))
}

/// The farthest that the eye, or what it looks at, may be along an axis, in world units.
pub const SEEN: f64 = 2e7;

/// In double precision: far from the origin, the angles of a view need it.
pub fn eye(text: &str) -> Result<DVec3, Accepted> {
    let accepted = || Accepted(format!("three numbers like 0,-5,2.5, each from {} to {SEEN}, in world units", -SEEN));
    // NaN is in no range.
    let near = |place: &DVec3| place.to_array().iter().all(|x| (-SEEN..=SEEN).contains(x));
    precise_vector(text).filter(near).ok_or_else(accepted)
}

pub fn look_at(text: &str) -> Result<Vec3, Accepted> {
    eye(text).map(|place| place.as_vec3())
}

/// The angle of a picture.
pub fn degrees(text: &str) -> Result<f64, Accepted> {
    let (least, most) = FIELDS_OF_VIEW;
    let accepted = || Accepted(format!("a number from {least} to {most}, in degrees"));
    precise(text).filter(|angle| (least..=most).contains(angle)).ok_or_else(accepted)
}

/// The values of the first and of the last color; none for `auto`.
pub fn color_range(text: &str) -> Result<Option<[f32; 2]>, Accepted> {
    if text == "auto" {
        return Ok(None);
    }
    let ends = text.split_once(',').and_then(|(low, high)| Some([real(low)?, real(high)?]));
    ends.filter(|ends| is_color_range(*ends))
        .map(Some)
        .ok_or_else(|| Accepted(format!("auto, or LOW,HIGH: {COLOR_ENDS}")))
}

/// The length of a trail.
pub fn seconds(text: &str) -> Result<f32, Accepted> {
    let accepted = || Accepted(format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds"));
    real(text).filter(|seconds| (0.0..=LONGEST_TRAIL).contains(seconds)).ok_or_else(accepted)
}

pub fn cell(text: &str) -> Result<UVec3, Accepted> {
    let place: Option<Vec<u32>> =
        text.split(',').map(|part| whole(part).and_then(|at| u32::try_from(at).ok())).collect();
    match place.as_deref() {
        Some([x, y, z]) => Ok(UVec3::new(*x, *y, *z)),
        _ => Err(Accepted("three whole numbers like 4,0,7: the place of a cell along each axis".into())),
    }
}

pub fn stretch(text: &str) -> Result<Vec3, Accepted> {
    let (least, most) = (STRETCHES.start(), STRETCHES.end());
    let accepted = || Accepted(format!("three numbers like 1,1.5,1, each from {least} to {most}"));
    let all = |factors: &Vec3| factors.to_array().iter().all(|factor| STRETCHES.contains(factor));
    vector(text).filter(all).ok_or_else(accepted)
}
