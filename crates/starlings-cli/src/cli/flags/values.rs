//! Parsers of flag values; each error says what is accepted.

use crate::cli::numbers::{Accepted, precise, precise_vector, real, vector, whole};
use glam::{DVec3, UVec3, Vec3};
use starlings::flock::kinds::{FEELING_FORM, Feeling, KIND_FORM, Kind as BoidKind};
use starlings::flock::layout::Point;
use starlings::flock::obstacles::{FORMS, Obstacle, list};
use starlings::flock::settings::{MAX_BOIDS, Waypoint};
use starlings::render::camera::FIELDS_OF_VIEW;
use starlings::render::look::{COLOR_ENDS, LONGEST_TRAIL, STRETCHES, is_color_range};

/// A parsed value, or what would be accepted instead.
fn or_accepted<T>(value: Option<T>, accepted: impl Into<String>) -> Result<T, Accepted> {
    value.ok_or_else(|| Accepted(accepted.into()))
}

/// A count of boids of any size: what fits depends on the device.
pub fn boids(text: &str) -> Result<u64, Accepted> {
    or_accepted(whole(text).filter(|&count| count > 0), format!("a whole number from 1 to {MAX_BOIDS}"))
}

pub fn density(text: &str) -> Result<f32, Accepted> {
    or_accepted(
        real(text).filter(|&density| density > 0.0 && density.is_finite()),
        "a number above 0, from 1e-18 to 1e27 depending on the count, in boids per cubic world unit",
    )
}

/// One edge, two or three.
pub fn world_size(text: &str) -> Result<Vec<f32>, Accepted> {
    let edges: Option<Vec<f32>> = text.split('x').map(real).collect();
    let fits = |edges: &Vec<f32>| edges.len() <= 3 && edges.iter().all(|&edge| edge > 0.0 && edge.is_finite());
    or_accepted(edges.filter(fits), EDGES)
}

/// What is accepted as the size of a world.
pub const EDGES: &str = "one edge, or three like 40x20x40 (on a plane two), each above 0, in world units";

pub fn cursor(text: &str) -> Result<Vec<Waypoint>, Accepted> {
    let waypoint = |part: &str| {
        let (seconds, position) = part.split_once(':')?;
        Some(Waypoint { seconds: real(seconds)?, position: vector(position)? })
    };
    let path = match text.contains(':') {
        true => text.split('/').map(waypoint).collect(),
        false => vector(text).map(|position| vec![Waypoint { seconds: 0.0, position }]),
    };
    or_accepted(path, "three numbers like 0,-5,2.5, or positions with times like 0:10,0,0/5:0,0,10")
}

pub fn predator(text: &str) -> Result<Vec<Waypoint>, Accepted> {
    if text == "none" {
        return Ok(Vec::new());
    }
    cursor(text).map_err(|Accepted(accepted)| Accepted(format!("{accepted}; or none")))
}

/// Things, and the path of each, as far as any has one.
pub type OnPaths<T> = (Vec<T>, Vec<Vec<Waypoint>>);

/// What each of `parts` is, and its path behind it: `@5:1,2,3` is where it is after 5 seconds.
fn on_paths<T>(parts: Vec<&str>, of: impl Fn(&str) -> Option<T>) -> Option<OnPaths<T>> {
    let one = |part: &str| {
        let (mut part, mut path) = (part, Vec::new());
        // Names of files may have an @, too.
        while let Some((before, waypoint)) = part.rsplit_once('@')
            && let Some((seconds, position)) = waypoint.split_once(':')
            && let (Some(seconds), Some(position)) = (real(seconds), vector(position))
        {
            path.insert(0, Waypoint { seconds, position });
            part = before;
        }
        Some((of(part)?, path))
    };
    let (things, mut paths): OnPaths<T> = parts.into_iter().map(one).collect::<Option<Vec<_>>>()?.into_iter().unzip();
    paths.truncate(paths.iter().rposition(|path| !path.is_empty()).map_or(0, |last| last + 1));
    Some((things, paths))
}

/// Points that attract or repel: position, reach and strength of each.
pub fn points(text: &str) -> Result<OnPaths<Point>, Accepted> {
    if text == "none" {
        return Ok(OnPaths::default());
    }
    let point = |part: &str| {
        let numbers: Option<Vec<f32>> = part.split(',').map(real).collect();
        let [x, y, z, reach, strength] = numbers?[..] else { return None };
        Some(Point { position: Vec3::new(x, y, z), reach, strength })
    };
    or_accepted(
        on_paths(text.split('/').collect(), point),
        "five numbers like 0,5,0,10,-20, for each point, with later places behind them like @5:0,9,0 (after 5 \
            seconds), and / between points; or none",
    )
}

pub fn kinds(text: &str) -> Result<Vec<BoidKind>, Accepted> {
    listed(text, BoidKind::parse, "kinds", KIND_FORM)
}

/// What boids of a kind feel for those of another.
pub fn feelings(text: &str) -> Result<Vec<Feeling>, Accepted> {
    listed(text, Feeling::parse, "pairs", FEELING_FORM)
}

/// Several of `what`, each in a form; or none.
fn listed<T>(text: &str, parse: fn(&str) -> Option<T>, what: &str, form: &str) -> Result<Vec<T>, Accepted> {
    if text == "none" {
        return Ok(Vec::new());
    }
    or_accepted(text.split('/').map(parse).collect(), format!("{form}, with / between {what}; or none"))
}

/// Obstacles: the shape of each with its numbers.
pub fn obstacles(text: &str) -> Result<OnPaths<Obstacle>, Accepted> {
    if text == "none" {
        return Ok(OnPaths::default());
    }
    let accepted = "with later places of its middle behind it like @5:0,9,0 (after 5 seconds), and / between obstacles";
    or_accepted(on_paths(list(text), Obstacle::parse), format!("{FORMS}, {accepted}; or none"))
}

/// The file of a model; none for `none`.
pub fn model(text: &str) -> Result<Option<String>, Accepted> {
    let file = (!text.is_empty()).then(|| (text != "none").then(|| text.to_owned()));
    or_accepted(file, "a file made by `starlings bake`, or none")
}

pub fn switch(text: &str) -> Result<bool, Accepted> {
    or_accepted(text.parse().ok(), "true or false")
}

pub fn place(text: &str) -> Result<Vec3, Accepted> {
    or_accepted(vector(text), "three numbers like 0,-5,2.5, in world units")
}

/// The farthest that the eye, or what it looks at, may be along an axis, in world units.
pub const SEEN: f64 = 2e7;

/// In double precision: far from the origin, the angles of a view need it.
pub fn eye(text: &str) -> Result<DVec3, Accepted> {
    // NaN is in no range.
    let near = |place: &DVec3| place.to_array().iter().all(|x| (-SEEN..=SEEN).contains(x));
    let accepted = format!("three numbers like 0,-5,2.5, each from {} to {SEEN}, in world units", -SEEN);
    or_accepted(precise_vector(text).filter(near), accepted)
}

pub fn look_at(text: &str) -> Result<Vec3, Accepted> {
    eye(text).map(|place| place.as_vec3())
}

/// The angle of a picture.
pub fn degrees(text: &str) -> Result<f64, Accepted> {
    let (least, most) = FIELDS_OF_VIEW;
    let angle = precise(text).filter(|angle| (least..=most).contains(angle));
    or_accepted(angle, format!("a number from {least} to {most}, in degrees"))
}

/// The values of the first and of the last color; none for `auto`.
pub fn color_range(text: &str) -> Result<Option<[f32; 2]>, Accepted> {
    if text == "auto" {
        return Ok(None);
    }
    let ends = text.split_once(',').and_then(|(low, high)| Some([real(low)?, real(high)?]));
    let ends = ends.filter(|ends| is_color_range(*ends)).map(Some);
    or_accepted(ends, format!("auto, or LOW,HIGH: {COLOR_ENDS}"))
}

/// The length of a trail.
pub fn seconds(text: &str) -> Result<f32, Accepted> {
    let seconds = real(text).filter(|seconds| (0.0..=LONGEST_TRAIL).contains(seconds));
    or_accepted(seconds, format!("a number from 0, for none, to {LONGEST_TRAIL}, in simulated seconds"))
}

pub fn cell(text: &str) -> Result<UVec3, Accepted> {
    let place: Option<Vec<u32>> =
        text.split(',').map(|part| whole(part).and_then(|at| u32::try_from(at).ok())).collect();
    let place = place.and_then(|place| <[u32; 3]>::try_from(place).ok()).map(UVec3::from_array);
    or_accepted(place, "three whole numbers like 4,0,7: the place of a cell along each axis")
}

pub fn stretch(text: &str) -> Result<Vec3, Accepted> {
    let (least, most) = (STRETCHES.start(), STRETCHES.end());
    let all = |factors: &Vec3| factors.to_array().iter().all(|factor| STRETCHES.contains(factor));
    let accepted = format!("three numbers like 1,1.5,1, each from {least} to {most}");
    or_accepted(vector(text).filter(all), accepted)
}
