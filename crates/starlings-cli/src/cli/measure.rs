//! `starlings stats`: measures a trajectory, whichever program made it.

use super::numbers::{self, Accepted, counted};
use super::output::{OutputArgs, create, distinct, print, progress};
use crate::interrupt;
use crate::measure::{Correlation, Moment, Space, correlation, measure, radial};
use crate::trajectory::{self, Trajectory};
use crate::{Error, Result};
use clap::Args;
use glam::DVec3;
use std::io::Write;
use std::path::PathBuf;

/// Bins of distances.
const BINS: usize = 50;

/// Options of `starlings stats`.
#[derive(Args, Debug)]
#[command(after_help = "\
Reads archives of `simulate --export` and others with an array `position` [K, N, 3 or 2]; tables with columns \
`time` or `frame`, `id`, `x`, `y` and, if there are some, `z`, `vx`, `vy`, `vz`; and extended XYZ. Without velocities, \
differences of places stand for them; one moment has none. Other names that programs give to columns are accepted: \
docs/files.md. Prints a row for each moment, or writes it to --out:
  time, boids, polarization, milling, speed, nearest neighbor, neighbors, alone, clusters, largest cluster, \
correlation length
Clusters are groups linked by steps of at most the radius; the correlation length is where the correlation of velocity \
fluctuations first falls to 0. Of more than 4,096 boids, so many, evenly chosen, are correlated.")]
pub struct MeasureArgs {
    /// The trajectory: .npz, .csv or .xyz
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Distance within which boids are neighbors, in the file's unit [default: the largest radius that an archive of
    /// this program names]
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true, value_parser = length)]
    radius: Option<f64>,
    /// Edges of a periodic box, X,Y,Z or X,Y, in the file's unit; 0 along an axis without extent [default: what the
    /// file says, otherwise no box]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = edges)]
    periodic: Option<DVec3>,
    /// Write the rows to this file [default: standard output]
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Write the mean g(r) of a periodic box and the mean correlation of velocities, by distance
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pairs: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

fn length(text: &str) -> Result<f64, Accepted> {
    let length = numbers::precise(text).filter(|length| length.is_finite() && *length > 0.0);
    length.ok_or_else(|| Accepted("a number above 0".into()))
}

fn edges(text: &str) -> Result<DVec3, Accepted> {
    let numbers: Option<Vec<f64>> = text.split([',', 'x']).map(numbers::precise).collect();
    let edges = match numbers.as_deref() {
        Some([x, y]) => Some(DVec3::new(*x, *y, 0.0)),
        Some([x, y, z]) => Some(DVec3::new(*x, *y, *z)),
        _ => None,
    };
    let good = |edges: &DVec3| edges.is_finite() && edges.min_element() >= 0.0 && edges.max_element() > 0.0;
    edges.filter(good).ok_or_else(|| Accepted("two or three edges from 0 on, like 10,10,5".into()))
}

pub fn run(args: &MeasureArgs) -> Result<()> {
    interrupt::install();
    let existing = args.output.existing();
    let written = [("out", args.out.as_deref()), ("pairs", args.pairs.as_deref())];
    distinct(&written, &[("FILE", Some(&args.file))])?;
    let open = |path: &PathBuf, flag| create(path, flag, "csv", existing);
    let out = args.out.as_ref().map(|path| open(path, "out")).transpose()?;
    let pairs = args.pairs.as_ref().map(|path| open(path, "pairs")).transpose()?;
    let refused = |why: String| {
        let accepted = "accepted is a trajectory: .npz, .csv or .xyz, as `starlings stats --help` describes";
        Error::Input(format!("cannot measure {}: {why}; {accepted}", args.file.display()))
    };
    let found = trajectory::read(&args.file, args.periodic).map_err(refused)?;
    if let Some(edges) = args.periodic {
        check_extent(&found, edges)?;
    }
    let radius = args.radius.or(found.radius).ok_or_else(|| {
        Error::flag("radius", "missing", "a number above 0: this file does not say who is a neighbor")
    })?;
    let space = Space { edges: found.edges.unwrap_or(DVec3::INFINITY) };
    let text = rows(args, &found, space, radius)?;
    if let Some(file) = pairs {
        let text = by_distance(&found, space)?;
        file.fill(|file| file.write_all(text.as_bytes()))?;
    }
    let Some(file) = out else { return print(text.trim_end()) };
    let written = file.fill(|file| file.write_all(text.as_bytes()))?;
    print(&format!("{}: {}", written.path.display(), counted(found.frames.len() as u64, "moment")))
}

fn moments<'a>(found: &'a Trajectory, space: Space) -> impl Iterator<Item = Moment<'a>> {
    found.frames.iter().map(move |frame| Moment { position: &frame.position, velocity: &frame.velocity, space })
}

/// Refuses a box without extent along an axis along which places differ: `X,Y` for a flock in the plane of x and z.
fn check_extent(found: &Trajectory, edges: DVec3) -> Result<()> {
    let places = || found.frames.iter().flat_map(|frame| &frame.position).filter(|place| place.is_finite());
    let (low, high) =
        places().fold((DVec3::INFINITY, -DVec3::INFINITY), |(low, high), &at| (low.min(at), high.max(at)));
    match (0..3).find(|&axis| edges[axis] == 0.0 && high[axis] > low[axis]) {
        None => Ok(()),
        Some(axis) => {
            let accepted = "three edges, each above 0 along an axis along which places differ";
            let given = format!("without extent along {}", ["x", "y", "z"][axis]);
            Err(Error::flag("periodic", given, accepted))
        }
    }
}

/// A row for each moment.
fn rows(args: &MeasureArgs, found: &Trajectory, space: Space, radius: f64) -> Result<String> {
    let time = if found.in_seconds { "time [s]" } else { "frame" };
    let mut text = format!(
        "{time},boids,polarization,milling,speed,nearest neighbor,neighbors,alone,clusters,largest cluster,\
            correlation length\n"
    );
    let moving = !found.is_still;
    let bar = progress(found.frames.len() as u64, "moments", args.output.quiet);
    for (frame, moment) in found.frames.iter().zip(moments(found, space)) {
        interrupt::check()?;
        let m = measure(&moment, radius);
        let or_empty = |number: Option<f64>| number.map(|number| (number as f32).to_string()).unwrap_or_default();
        let length = correlation(&moment, BINS).as_ref().and_then(Correlation::length);
        let cells = [
            // As time steps are in single precision, more digits are their rounding.
            format!("{}", (frame.time * 1e6).round() / 1e6),
            m.boids.to_string(),
            or_empty(moving.then_some(m.polarization)),
            or_empty(m.milling),
            or_empty(moving.then_some(m.speed)),
            or_empty(m.nearest),
            or_empty(Some(m.neighbors)),
            m.alone.to_string(),
            m.clusters.to_string(),
            m.largest.to_string(),
            or_empty(length),
        ];
        text += &(cells.join(",") + "\n");
        bar.inc(1);
    }
    Ok(text)
}

/// g(r), and the correlation of velocities over the share of the greatest distance of each moment.
fn by_distance(found: &Trajectory, space: Space) -> Result<String> {
    let mut text = String::from("distance,g,correlation distance,correlation\n");
    let g = if space.is_periodic() { radial(moments(found, space), BINS) } else { None };
    let (mut sums, mut width, mut counted) = (vec![(0.0, 0u32); BINS], 0.0, 0u32);
    for moment in moments(found, space) {
        interrupt::check()?;
        let Some(found) = correlation(&moment, BINS) else { continue };
        (width, counted) = (width + found.width, counted + 1);
        for (sum, c) in sums.iter_mut().zip(&found.c) {
            if let Some(c) = c {
                *sum = (sum.0 + c, sum.1 + 1);
            }
        }
    }
    let width = width / f64::from(counted.max(1));
    for (bin, (sum, count)) in sums.into_iter().enumerate() {
        let middle = bin as f64 + 0.5;
        let g = g.as_ref().map(|g| (format!("{}", (middle * g.width) as f32), format!("{}", g.g[bin] as f32)));
        let (distance, g) = g.unwrap_or_default();
        let correlated = if count > 0 {
            format!("{},{}", (middle * width) as f32, (sum / f64::from(count)) as f32)
        } else {
            ",".to_owned()
        };
        text += &format!("{distance},{g},{correlated}\n");
    }
    Ok(text)
}
