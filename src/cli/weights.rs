//! `--weights`: a file with a weight for each boid, which scales what targets, leader and current do to it.

use super::failure::Failure;
use npyz::NpyFile;
use starlings::input;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use zip::ZipArchive;

/// Bytes of a line, or of a number in an archive, at most.
const A_BOID: u64 = 64;

/// Bytes of all headers, at most.
const HEADERS: u64 = 1 << 16;

/// The array of an archive.
const ARRAY: &str = "weight.npy";

/// The weights in the file at `path` for a flock of `boids` boids, by identity.
pub fn read(path: &Path, boids: u32) -> Result<Arc<[f32]>, Failure> {
    let refused = |why: String| {
        let accepted = format!(
            "a .csv file of lines `id,weight`, or a .npz file with an array `weight` of floats, for each of the {boids} boids"
        );
        Failure::flag("weights", format!("'{}'{why}", path.display()), accepted)
    };
    let is = |kind| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind));
    if !is("csv") && !is("npz") {
        return Err(refused(String::new()));
    }
    let bytes =
        input::read(path, HEADERS + A_BOID * u64::from(boids)).map_err(|error| refused(format!(" ({error})")))?;
    let weights = if is("csv") { lines(&bytes, boids) } else { array(bytes, boids) };
    let weights = weights.map_err(|why| refused(format!(" ({why})")))?;
    Ok(weights.into())
}

/// The weights in lines `id,weight`, in any order, after a line of these words or none.
fn lines(bytes: &[u8], boids: u32) -> Result<Vec<f32>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    // As much memory as the file has lines, not as the flock has boids.
    let mut weights = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || (number == 1 && line.trim() == "id,weight") {
            continue;
        }
        let pair = line
            .split_once(',')
            .and_then(|(id, weight)| Some((id.trim().parse::<usize>().ok()?, weight.trim().parse::<f32>().ok()?)));
        let Some((id, weight)) = pair else { return Err(format!("line {number} is not `id,weight`")) };
        if id >= boids as usize {
            return Err(format!("line {number} is for boid {id}"));
        }
        weights.push((id, number, weight));
    }
    weights.sort_unstable_by_key(|&(id, number, _)| (id, number));
    if let Some(pair) = weights.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("line {} is the second for boid {}", pair[1].1, pair[1].0));
    }
    match (0..boids as usize).find(|&place| weights.get(place).is_none_or(|&(id, ..)| id != place)) {
        Some(missing) => Err(format!("it has none for boid {missing}")),
        None => Ok(weights.into_iter().map(|(.., weight)| weight).collect()),
    }
}

/// The weights in the array of an archive.
fn array(bytes: Vec<u8>, boids: u32) -> Result<Vec<f32>, String> {
    let most = HEADERS + A_BOID * u64::from(boids);
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    // By its name, so that an archive may have others.
    let file = archive.by_name(ARRAY).map_err(|error| format!("its array `weight`: {error}"))?;
    let array = NpyFile::new(file.take(most)).map_err(|error| error.to_string())?;
    if array.shape() != [u64::from(boids)] {
        return Err(format!("its array has the shape {:?}", array.shape()));
    }
    let failed = |error: std::io::Error| error.to_string();
    match array.try_data::<f32>() {
        Ok(numbers) => numbers.map(|number| number.map_err(failed)).collect(),
        Err(array) => match array.try_data::<f64>() {
            Ok(numbers) => numbers.map(|number| number.map(|number| number as f32).map_err(failed)).collect(),
            Err(_) => Err("its array is not of 4- or 8-byte floats".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_give_each_boid_a_weight_once() {
        let read = |text: &str| lines(text.as_bytes(), 3);
        assert_eq!(read("id,weight\n2,0.5\n0,1\n1, 2e1\n"), Ok(vec![1.0, 20.0, 0.5]));
        assert_eq!(read("0,1\r\n\r\n1,1\r\n2,0\r\n"), Ok(vec![1.0, 1.0, 0.0]));
        for (text, why) in [
            ("", "it has none for boid 0"),
            ("0,1\n1,1", "it has none for boid 2"),
            ("0,1\n1,1\n2,1\n1,1", "line 4 is the second for boid 1"),
            ("0,1\n3,1", "line 2 is for boid 3"),
            ("weight\n1", "line 1 is not `id,weight`"),
            ("0;1", "line 1 is not `id,weight`"),
            ("-1,1", "line 1 is not `id,weight`"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
        assert_eq!(lines(&[0xff], 1), Err("it is not text".to_owned()));
    }

    #[test]
    fn archives_that_are_damaged_are_refused() {
        assert!(array(b"PK\x03\x04".to_vec(), 3).is_err());
        assert!(array(Vec::new(), 3).is_err());
    }
}
