//! Extended XYZ, as OVITO and ASE write it: for each moment a line with the count, one with `key=value` pairs, and a
//! line for each boid.

use super::{A_BOID, A_MOMENT, Frame, Reason, Trajectory};
use glam::DVec3;
use starlings::input::Bounded;

/// Columns of a line at most, by which a damaged file is told from a trajectory.
const MOST_COLUMNS: usize = 1000;

/// Bytes that each letter of a comment may take, as a part of a pair.
const A_LETTER: u64 = 25;

pub fn read(text: &str, bounded: &Bounded) -> Result<Trajectory, Reason> {
    let mut found = Trajectory { in_seconds: true, ..Trajectory::default() };
    let mut lines = (1..).zip(text.lines());
    while let Some((number, line)) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let count: usize = line.trim().parse().map_err(|_| format!("line {number} is not a count"))?;
        let (at, comment) = lines.next().ok_or(format!("it ends after line {number}"))?;
        bounded.decoded(A_MOMENT + A_LETTER * comment.len() as u64)?;
        let pairs = pairs(comment);
        let value = |key: &str| pairs.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
        let places = properties(value("Properties").map_or("species:S:1:pos:R:3", String::as_str))
            .ok_or(format!("line {at} has no Properties like species:S:1:pos:R:3"))?;
        let time = value("Time").map(|time| time.parse::<f64>().ok().filter(|time| time.is_finite()));
        found.in_seconds &= time.is_some();
        let time = time.unwrap_or(Some(found.frames.len() as f64)).ok_or(format!("line {at}: Time is not a number"))?;
        if let Some(edges) = value("Lattice").and_then(|text| lattice(text)) {
            let wraps = value("pbc").map_or_else(|| "T T T".to_owned(), Clone::clone);
            let wraps: Vec<bool> = wraps.split_whitespace().map(|word| word.eq_ignore_ascii_case("T")).collect();
            let along = |k: usize| if wraps.get(k) == Some(&true) { edges[k] } else { f64::INFINITY };
            let edges = DVec3::new(along(0), along(1), along(2));
            found.edges = (edges != DVec3::INFINITY).then_some(edges);
        }
        let mut frame = Frame { time, ..Frame::default() };
        for k in 0..count {
            let (number, line) = lines.next().ok_or(format!("it ends after boid {k} of {count}"))?;
            bounded.decoded(A_BOID)?;
            let cells: Vec<&str> = line.split_whitespace().collect();
            let refused = || format!("line {number} has not the columns that line {at} names");
            let vector = |place: usize| {
                let numbers: Option<Vec<f64>> = cells.get(place..place + 3)?.iter().map(|n| n.parse().ok()).collect();
                numbers.map(|numbers| DVec3::from_slice(&numbers))
            };
            frame.position.push(vector(places.position).ok_or_else(refused)?);
            if let Some(place) = places.velocity {
                frame.velocity.push(vector(place).ok_or_else(refused)?);
            }
            frame.id.push(match places.id {
                None => k as u64,
                Some(place) => cells.get(place).and_then(|id| id.parse().ok()).ok_or_else(refused)?,
            });
        }
        found.frames.push(frame);
    }
    Ok(found)
}

/// Columns of the properties that are read.
struct Columns {
    position: usize,
    velocity: Option<usize>,
    id: Option<usize>,
}

/// From `species:S:1:pos:R:3:velo:R:3:id:I:1`.
fn properties(text: &str) -> Option<Columns> {
    let words: Vec<&str> = text.split(':').collect();
    let (mut at, mut position, mut velocity, mut id) = (0, None, None, None);
    for word in words.chunks(3) {
        let [name, _, columns] = word else { return None };
        let columns: usize = columns.parse().ok().filter(|&columns| columns <= MOST_COLUMNS)?;
        match (name.to_lowercase().as_str(), columns) {
            ("pos", 3) => position = Some(at),
            ("velo" | "vel" | "velocity" | "velocities", 3) => velocity = Some(at),
            ("id", 1) => id = Some(at),
            _ => {}
        }
        at += columns;
    }
    Some(Columns { position: position?, velocity, id })
}

/// The edges of a box along the axes, from nine numbers.
fn lattice(text: &str) -> Option<DVec3> {
    let numbers: Vec<f64> = text.split_whitespace().map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [x, a, b, c, y, d, e, f, z] = numbers[..] else { return None };
    ([a, b, c, d, e, f] == [0.0; 6] && [x, y, z].iter().all(|edge| *edge > 0.0)).then(|| DVec3::new(x, y, z))
}

/// `key=value` and `key="several words"`.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text.trim();
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.rsplit(char::is_whitespace).next().unwrap_or_default().to_owned();
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        pairs.push((key, value.to_owned()));
        rest = after.trim_start();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Trajectory, Reason> {
        super::read(text, &Bounded::new(0))
    }

    #[test]
    fn moments_are_read_with_their_box_and_columns() {
        let text = "2\nLattice=\"4 0 0 0 5 0 0 0 6\" Properties=id:I:1:pos:R:3:velo:R:3 Time=0.5\n7 1 2 3 4 5 6\n3 0 0 0 1 1 1\n\
                    1\nProperties=id:I:1:pos:R:3:velo:R:3 Time=1\n3 1 1 1 1 1 1\n";
        let found = read(text).expect("two moments");
        assert_eq!((found.in_seconds, found.edges), (true, Some(DVec3::new(4.0, 5.0, 6.0))));
        assert_eq!((found.frames[0].time, &found.frames[0].id[..]), (0.5, &[7, 3][..]));
        assert_eq!(found.frames[0].velocity[0], DVec3::new(4.0, 5.0, 6.0));
        assert_eq!(found.frames[1].position, [DVec3::ONE]);
        // Plain XYZ: a comment, and no identities.
        let plain = read("1\na comment\nC 1 2 3\n").expect("one moment");
        assert_eq!((plain.in_seconds, plain.frames[0].position[0]), (false, DVec3::new(1.0, 2.0, 3.0)));
    }

    #[test]
    fn what_is_cut_off_is_refused_by_line() {
        for (text, why) in [
            ("one\n", "line 1 is not a count"),
            ("1\n", "it ends after line 1"),
            ("2\n\nC 1 2 3\n", "it ends after boid 1 of 2"),
            ("1\n\nC 1 2\n", "line 3 has not the columns that line 2 names"),
            ("1\nProperties=pos:R:9999999\n", "line 2 has no Properties like species:S:1:pos:R:3"),
            ("1\nTime=noon\nC 1 2 3\n", "line 2: Time is not a number"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
    }
}
