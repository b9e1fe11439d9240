//! NumPy archives: arrays `position` [K, N, 3 or 2] and, if they are there, `velocity`, `id` [N], `step` or `time` [K].

use super::{A_BOID, A_MOMENT, Frame, Reason, Trajectory};
use glam::DVec3;
use npyz::NpyFile;
use serde_json::Value;
use starlings::input::Bounded;
use std::io::{Cursor, Read};
use zip::ZipArchive;

type Archive = ZipArchive<Cursor<Vec<u8>>>;

struct Array {
    shape: Vec<u64>,
    values: Vec<f64>,
}

pub fn read(bytes: Vec<u8>, bounded: &Bounded) -> Result<Trajectory, Reason> {
    let most = bytes.len() as u64;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let names =
        |names: &[&str], archive: &mut Archive| names.iter().find_map(|name| array(archive, name, bounded).transpose());
    let position = names(&["position", "pos", "positions"], &mut archive).ok_or("it has no array 'position'")??;
    let [moments, boids, axes] = position.shape[..] else {
        return Err(format!("its array 'position' has the shape {:?}, and not [K, N, 3] or [K, N, 2]", position.shape));
    };
    if !(2..=3).contains(&axes) || boids == 0 {
        return Err(format!("its array 'position' has the shape {:?}, and not [K, N, 3] or [K, N, 2]", position.shape));
    }
    let of_shape = |found: Option<Result<Array, Reason>>, name: &str, shape: &[u64]| match found.transpose()? {
        Some(array) if array.shape != shape => {
            Err(format!("its array '{name}' has the shape {:?}, and not {shape:?}", array.shape))
        }
        found => Ok(found.map(|array| array.values)),
    };
    let velocity = names(&["velocity", "vel", "velocities"], &mut archive);
    let velocity = of_shape(velocity, "velocity", &position.shape)?;
    let id = of_shape(names(&["id"], &mut archive), "id", &[boids])?;
    let time = of_shape(names(&["time"], &mut archive), "time", &[moments])?;
    let step = of_shape(names(&["step"], &mut archive), "step", &[moments])?;
    let parameters = parameters(&mut archive, most);
    bounded.decoded(moments * A_MOMENT + moments * boids * A_BOID)?;
    let number = |name: &str| parameters.get(name).and_then(Value::as_f64);
    let seconds = number("time_step").zip(step.as_ref()).map(|(each, steps)| steps.iter().map(|s| s * each).collect());
    let times: Option<Vec<f64>> = time.or(seconds);
    let in_seconds = times.is_some();
    let times = times.or(step).unwrap_or_else(|| (0..moments).map(|k| k as f64).collect());

    let (boids, axes) = (boids as usize, axes as usize);
    let vectors = |values: &[f64]| -> Vec<DVec3> {
        values.chunks_exact(axes).map(|v| DVec3::new(v[0], v[1], v.get(2).copied().unwrap_or(0.0))).collect()
    };
    let ids: Vec<u64> = id.map_or_else(|| (0..boids as u64).collect(), |id| id.iter().map(|&id| id as u64).collect());
    let frame = |k: usize| {
        let part = k * boids * axes..(k + 1) * boids * axes;
        let velocity = velocity.as_ref().map(|values| vectors(&values[part.clone()])).unwrap_or_default();
        Frame { time: times[k], id: ids.clone(), position: vectors(&position.values[part]), velocity }
    };
    let radius = ["alignment_radius", "cohesion_radius", "separation_radius"].into_iter().filter_map(number);
    let edges = || {
        let size: Vec<f64> = parameters.get("world_size")?.as_array()?.iter().filter_map(Value::as_f64).collect();
        let size = <[f64; 3]>::try_from(size).ok()?;
        (parameters.get("walls")? == "wrap").then_some(DVec3::from_array(size))
    };
    Ok(Trajectory {
        frames: (0..moments as usize).map(frame).collect(),
        in_seconds,
        radius: radius.reduce(f64::max),
        edges: edges(),
        is_still: false,
    })
}

/// The settings that this program leaves in its archives.
fn parameters(archive: &mut Archive, most: u64) -> Value {
    let mut text = || {
        let file = archive.by_name("parameters.npy").ok()?;
        let letters: Vec<String> = NpyFile::new(file.take(most)).ok()?.into_vec().ok()?;
        serde_json::from_str(letters.first()?).ok()
    };
    text().unwrap_or(Value::Null)
}

/// The array `name` of floats or whole numbers, if there is one.
fn array(archive: &mut Archive, name: &str, bounded: &Bounded) -> Result<Option<Array>, Reason> {
    let Ok(file) = archive.by_name(&npyz::npz::file_name_from_array_name(name)) else { return Ok(None) };
    let broken = |error: std::io::Error| format!("its array '{name}': {error}");
    // As much as its list says, and no more.
    let size = file.size();
    let charged = |bytes| bounded.decoded(bytes).map_err(|why| format!("its array '{name}' {why}"));
    charged(size)?;
    let mut array = NpyFile::new(file.take(size)).map_err(broken)?;
    let shape = array.shape().to_vec();
    if array.order() == npyz::Order::Fortran && shape.len() > 1 {
        return Err(format!("its array '{name}' is in Fortran order; numpy.ascontiguousarray changes that"));
    }
    let count = shape.iter().try_fold(1u64, |count, &length| count.checked_mul(length)).unwrap_or(u64::MAX);
    charged(count.saturating_mul(8))?;
    macro_rules! of_type {
        ($($number:ty),*) => {
            $(match array.try_data::<$number>() {
                Ok(values) => {
                    let values = values.map(|value| value.map(|value| value as f64)).collect::<Result<_, _>>();
                    return Ok(Some(Array { shape, values: values.map_err(broken)? }));
                }
                Err(other) => array = other,
            })*
        };
    }
    of_type!(f32, f64, u32, i64, i32, u64);
    drop(array);
    Err(format!("its array '{name}' is neither of floats nor of whole numbers"))
}
