//! Comma-separated values: a line for each boid at each moment.

use super::{A_BOID, A_MOMENT, Frame, Reason, Trajectory};
use glam::DVec3;
use starlings::input::Bounded;
use std::collections::BTreeMap;

/// What columns are called, in this program and in others.
const TIME: &[&str] = &["time", "t", "seconds", "time [s]"];
const FRAME: &[&str] = &["frame", "step", "frame_number", "fnr"];
const ID: &[&str] = &["id", "track", "track_id", "particle", "individual", "individuals", "bird"];
const PLACE: [&[&str]; 3] = [&["x", "pos_x"], &["y", "pos_y"], &["z", "pos_z"]];
const VELOCITY: [&[&str]; 3] = [&["vx", "vel_x"], &["vy", "vel_y"], &["vz", "vel_z"]];

/// Bytes that an identity takes beyond its letters.
const A_WORD: u64 = 100;

/// The trajectory in `text`, whose first line names the columns, in any order.
pub fn read(text: &str, bounded: &Bounded) -> Result<Trajectory, Reason> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    let head = lines.next().ok_or("it is empty")?;
    let names: Vec<String> = head.split(',').map(|name| name.trim().trim_matches('"').to_lowercase()).collect();
    let column = |known: &[&str]| names.iter().position(|name| known.contains(&name.as_str()));
    let wanted = |known: &[&str]| column(known).ok_or_else(|| format!("it has no column '{}'", known[0]));
    let time = column(TIME);
    let moment = time.or(column(FRAME)).ok_or("it has no column 'time' or 'frame'")?;
    let id = wanted(ID)?;
    let place = [Some(wanted(PLACE[0])?), Some(wanted(PLACE[1])?), column(PLACE[2])];
    let velocity = VELOCITY.map(column);
    let moves = velocity[0].is_some() && velocity[1].is_some();

    // Identities may be words.
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    let mut frames: BTreeMap<u64, Frame> = BTreeMap::new();
    for (number, line) in (2..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(|cell| cell.trim().trim_matches('"')).collect();
        let cell = |at: usize| cells.get(at).copied().ok_or_else(|| format!("line {number} has too few columns"));
        let value = |at: Option<usize>| match at {
            None => Ok(0.0),
            Some(at) => {
                let refused = |_| format!("line {number}: column '{}' is not a number", names[at]);
                // A gap in a track.
                let text = cell(at)?;
                if ["", "na", "nan"].contains(&text.to_lowercase().as_str()) {
                    Ok(f64::NAN)
                } else {
                    text.parse().map_err(refused)
                }
            }
        };
        let vector = |at: [Option<usize>; 3]| Ok::<_, Reason>(DVec3::new(value(at[0])?, value(at[1])?, value(at[2])?));
        let when = value(Some(moment))?;
        if !when.is_finite() {
            return Err(format!("line {number}: column '{}' is not a number", names[moment]));
        }
        let place = vector(place)?;
        if place.is_nan() {
            continue;
        }
        let (word, next) = (cell(id)?, words.len() as u64);
        let identity = *words.entry(word.to_owned()).or_insert(next);
        // Order of keys is order of time for numbers of one sign; all is sorted once more.
        let frame = frames.entry(when.to_bits()).or_insert_with(|| Frame { time: when, ..Frame::default() });
        let of_word = if identity == next { A_WORD + word.len() as u64 } else { 0 };
        bounded.decoded(A_BOID + of_word + if frame.id.is_empty() { A_MOMENT } else { 0 })?;
        frame.id.push(identity);
        frame.position.push(place);
        if moves {
            frame.velocity.push(vector(velocity)?);
        }
    }
    for frame in frames.values() {
        let mut ids = frame.id.clone();
        ids.sort_unstable();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(format!("a boid is at time {} twice", frame.time));
        }
    }
    Ok(Trajectory { frames: frames.into_values().collect(), in_seconds: time.is_some(), ..Trajectory::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Trajectory, Reason> {
        super::read(text, &Bounded::new(0))
    }

    #[test]
    fn columns_are_found_by_name_in_any_order() {
        let found =
            read("\u{feff}y,x,ID,t\r\n2,1,crow,0.5\n4,3,rook,0.5\n\n6,5,crow,1\nNA,NA,rook,1\n").expect("columns");
        assert!(found.in_seconds);
        let places: Vec<_> = found.frames.iter().map(|f| (f.time, f.id.clone(), f.position.clone())).collect();
        let flat = |x, y| DVec3::new(x, y, 0.0);
        assert_eq!(places[0], (0.5, vec![0, 1], vec![flat(1.0, 2.0), flat(3.0, 4.0)]));
        assert_eq!(places[1], (1.0, vec![0], vec![flat(5.0, 6.0)]));
        let moving = read("frame,id,x,y,z,vx,vy,vz\n3,7,1,2,3,4,5,6\n").expect("columns");
        assert_eq!((moving.in_seconds, moving.frames[0].velocity[0]), (false, DVec3::new(4.0, 5.0, 6.0)));
    }

    #[test]
    fn what_is_no_table_of_tracks_is_refused_by_line_or_column() {
        for (text, why) in [
            ("", "it is empty"),
            ("id,x,y\n", "it has no column 'time' or 'frame'"),
            ("t,x,y\n", "it has no column 'id'"),
            ("t,id,x\n", "it has no column 'y'"),
            ("t,id,x,y\n0,1,2\n", "line 2 has too few columns"),
            ("t,id,x,y\n0,1,2,3\n\n0,2,two,3\n", "line 4: column 'x' is not a number"),
            ("t,id,x,y\nnan,1,2,3\n", "line 2: column 't' is not a number"),
            ("t,id,x,y\n0,1,2,3\n0,1,4,5\n", "a boid is at time 0 twice"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
    }
}
