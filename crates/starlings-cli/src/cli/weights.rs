//! `--weights`: a file with a weight for each boid, which scales what targets, leader and current do to it, or with a
//! factor of its speeds.

use crate::{Error, Result};
use npyz::NpyFile;
use starlings::input::Bounded;
use std::io::{Cursor, Read};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

/// Bytes of a line, or of a number in an archive, at most.
const A_BOID: u64 = 64;

/// Bytes of all headers, at most.
const HEADERS: u64 = 1 << 16;

type Archive = ZipArchive<Cursor<Vec<u8>>>;

/// What a file says of each boid, by identity.
#[derive(Debug, Default, PartialEq)]
pub struct PerBoid {
    pub weights: Option<Vec<f32>>,
    pub speeds: Option<Vec<f32>>,
}

pub fn read(path: &Path, boids: u32) -> Result<PerBoid> {
    let refused = |why: String| {
        let accepted = format!(
            "a .csv file of lines `id,weight`, `id,weight,speed` or, below a line that says so, `id,speed`; or a .npz \
                file with an array `weight` or `speed` of numbers, and their boids in an array `id` or in order; for \
                each of the {boids} boids"
        );
        Error::flag("weights", format!("'{}'{why}", path.display()), accepted)
    };
    let is = |kind| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(kind));
    if !is("csv") && !is("npz") {
        return Err(refused(String::new()));
    }
    let most = HEADERS + A_BOID * u64::from(boids);
    let bytes = Bounded::new(most).file(path).map_err(|error| refused(format!(" ({error})")))?;
    let read = if is("csv") { lines(&bytes, boids) } else { arrays(bytes, boids) };
    read.map_err(|why| refused(format!(" ({why})")))
}

/// The numbers in lines `id,weight`, `id,weight,speed` or `id,speed`, in any order. The first line may name them.
fn lines(bytes: &[u8], boids: u32) -> Result<PerBoid, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    let first = text.lines().next().unwrap_or_default().trim();
    let is_named = ["id,weight", "id,weight,speed", "id,speed"].contains(&first);
    let form = match first.matches(',').count() {
        _ if is_named => first,
        2 => "id,weight,speed",
        _ => "id,weight",
    };
    // As much memory as the file has lines, not as the flock has boids.
    let mut columns = vec![Vec::new(); form.matches(',').count()];
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || (number == 1 && is_named) {
            continue;
        }
        let mut parts = line.split(',').map(str::trim);
        let id = parts.next().and_then(|id| id.parse::<usize>().ok());
        let values: Option<Vec<f32>> = parts.map(|value| value.parse().ok()).collect();
        let values = values.filter(|values| values.len() == columns.len());
        let (Some(id), Some(values)) = (id, values) else { return Err(format!("line {number} is not `{form}`")) };
        if id >= boids as usize {
            return Err(format!("line {number} is for boid {id}"));
        }
        columns.iter_mut().zip(values).for_each(|(column, value)| column.push((id, number, value)));
    }
    let mut columns = columns.into_iter().map(|column| ordered(column, boids, "line"));
    let mut take = |name: &str| form.split(',').any(|of| of == name).then(|| columns.next()).flatten().transpose();
    Ok(PerBoid { weights: take("weight")?, speeds: take("speed")? })
}

/// The numbers by identity, of which each boid has one. They came with their places in the file, which are of a `kind`.
fn ordered(mut numbers: Vec<(usize, usize, f32)>, boids: u32, kind: &str) -> Result<Vec<f32>, String> {
    numbers.sort_unstable_by_key(|&(id, place, _)| (id, place));
    if let Some(pair) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("{kind} {} is the second for boid {}", pair[1].1, pair[1].0));
    }
    match (0..boids as usize).find(|&place| numbers.get(place).is_none_or(|&(id, ..)| id != place)) {
        Some(missing) => Err(format!("it has none for boid {missing}")),
        None => Ok(numbers.into_iter().map(|(.., number)| number).collect()),
    }
}

/// The numbers in the arrays `weight` and `speed` of an archive, for the boids in its array `id` or else in order. It
/// may have other arrays.
fn arrays(bytes: Vec<u8>, boids: u32) -> Result<PerBoid, String> {
    let mut archive = Archive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let read = PerBoid { weights: array(&mut archive, "weight", boids)?, speeds: array(&mut archive, "speed", boids)? };
    match read == PerBoid::default() {
        true => Err("it has no array `weight` or `speed`".to_owned()),
        false => Ok(read),
    }
}

fn array(archive: &mut Archive, name: &str, boids: u32) -> Result<Option<Vec<f32>>, String> {
    let Some(values) = numbers(archive, name, boids)? else { return Ok(None) };
    let values = values.into_iter().map(|value| value as f32);
    let Some(ids) = numbers(archive, "id", boids)? else { return Ok(Some(values.collect())) };
    let mut all = Vec::with_capacity(ids.len());
    for (place, (id, value)) in ids.into_iter().zip(values).enumerate() {
        if id.fract() != 0.0 || !(0.0..f64::from(boids)).contains(&id) {
            return Err(format!("element {place} of its array `id` is {id}"));
        }
        all.push((id as usize, place, value));
    }
    ordered(all, boids, "element").map(Some)
}

/// The numbers of an array of an archive, of any type and order of bytes, if it has the array. Its size is compared
/// with that of as many numbers before it is unpacked.
fn numbers(archive: &mut Archive, name: &str, boids: u32) -> Result<Option<Vec<f64>>, String> {
    let file = match archive.by_name(&npyz::npz::file_name_from_array_name(name)) {
        Ok(file) => file,
        Err(ZipError::FileNotFound) => return Ok(None),
        Err(error) => return Err(format!("its array `{name}`: {error}")),
    };
    let (size, most) = (file.size(), HEADERS + A_BOID * u64::from(boids));
    if size > most {
        return Err(format!("its array `{name}` decodes to {size} bytes; accepted are at most {most}"));
    }
    let array = NpyFile::new(file.take(most)).map_err(|error| error.to_string())?;
    // A row and a column are lists, too, and then the order of the array is of no matter.
    let long = array.shape().iter().filter(|&&length| length != 1);
    if long.count() > 1 || array.shape().iter().product::<u64>() != u64::from(boids) {
        return Err(format!("its array `{name}` has the shape {:?}", array.shape()));
    }
    macro_rules! try_as {
        ($($kind:ty),*) => {{
            $(let array = match array.try_data::<$kind>() {
                Ok(all) => {
                    let number = |number: std::io::Result<$kind>| number.map(|number| number as f64);
                    return all.map(number).collect::<Result<_, _>>().map(Some).map_err(|error| error.to_string());
                }
                Err(array) => array,
            };)*
            array
        }};
    }
    let array = try_as!(f32, f64, i8, u8, i16, u16, i32, u32, i64, u64);
    Err(format!("its array `{name}` is of type {}", array.dtype().descr()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn lines_give_each_boid_a_weight_once() {
        let read = |text: &str| lines(text.as_bytes(), 3).map(|read| read.weights.expect("weights"));
        assert_eq!(read("id,weight\n2,0.5\n0,1\n1, 2e1\n"), Ok(vec![1.0, 20.0, 0.5]));
        assert_eq!(read("0,1\r\n\r\n1,1\r\n2,0\r\n"), Ok(vec![1.0, 1.0, 0.0]));
        assert_eq!(read("\u{feff}id,weight\n0,1\n1,1\n2,0\n"), Ok(vec![1.0, 1.0, 0.0]));
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
    fn a_third_column_or_a_named_one_has_speeds() {
        let (weights, speeds) = (Some(vec![1.0, 0.5]), Some(vec![2.0, 3.0]));
        let both = Ok(PerBoid { weights: weights.clone(), speeds: speeds.clone() });
        assert_eq!(lines(b"1,0.5,3\n0,1,2\n", 2), both);
        assert_eq!(lines(b"id,weight,speed\n1,0.5,3\n0,1,2\n", 2), both);
        assert_eq!(lines(b"id,speed\n1,3\n0,2\n", 2), Ok(PerBoid { weights: None, speeds: speeds.clone() }));
        assert_eq!(lines(b"id,speed\n1,3\n0\n", 2), Err("line 3 is not `id,speed`".to_owned()));
        assert_eq!(lines(b"0,1,2\n1,2\n", 2), Err("line 2 is not `id,weight,speed`".to_owned()));
        let header = "'descr': '|u1', 'fortran_order': False, 'shape': (2,)";
        let read = arrays(archive(&[("speed", header, &[2, 3])]), 2);
        assert_eq!(read, Ok(PerBoid { weights: None, speeds }));
        let none = arrays(archive(&[("other", header, &[2, 3])]), 2);
        assert_eq!(none, Err("it has no array `weight` or `speed`".to_owned()));
    }

    /// An archive of arrays, each with its name, the rest of its header and its bytes.
    fn archive(arrays: &[(&str, &str, &[u8])]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let packed = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        for (name, header, bytes) in arrays {
            zip.start_file(format!("{name}.npy"), packed).expect("a new file");
            let header = format!("{{{header}, }}\n");
            zip.write_all(b"\x93NUMPY\x01\x00").expect("room");
            zip.write_all(&(header.len() as u16).to_le_bytes()).expect("room");
            zip.write_all(header.as_bytes()).expect("room");
            zip.write_all(bytes).expect("room");
        }
        zip.finish().expect("room").into_inner()
    }

    #[test]
    fn arrays_of_every_kind_of_number_are_read() {
        let shape = |kind: &str, shape: &str| format!("'descr': '{kind}', 'fortran_order': True, 'shape': {shape}");
        let weights = |bytes, boids| arrays(bytes, boids).map(|read| read.weights.expect("weights"));
        let read = |kind: &str, bytes: &[u8]| weights(archive(&[("weight", &shape(kind, "(3,)"), bytes)]), 3);
        let whole = Ok(vec![1.0, 0.0, 7.0]);
        for (kind, size) in [("|i1", 1), ("|u1", 1), ("<i2", 2), ("<u4", 4), ("<i8", 8), (">i2", 2), (">u8", 8)] {
            let number = |x: u64| match kind.starts_with('>') {
                true => x.to_be_bytes()[8 - size..].to_vec(),
                false => x.to_le_bytes()[..size].to_vec(),
            };
            assert_eq!(read(kind, &[1, 0, 7].map(number).concat()), whole, "{kind}");
        }
        assert_eq!(read("<f4", &[1.0f32, 0.0, 7.0].map(f32::to_le_bytes).concat()), whole);
        assert_eq!(read(">f4", &[1.0f32, 0.0, 7.0].map(f32::to_be_bytes).concat()), whole);
        assert_eq!(read(">f8", &[1.0f64, 0.0, 7.0].map(f64::to_be_bytes).concat()), whole);
        assert_eq!(read("<U1", &[0; 12]), Err("its array `weight` is of type '<U1'".to_owned()));
        // A column, and boids in another order.
        let column = shape("|u1", "(3, 1)");
        let id =
            |ids: &[u8]| weights(archive(&[("weight", &column, &[1, 0, 7]), ("id", &shape("|u1", "(3,)"), ids)]), 3);
        assert_eq!(id(&[1, 2, 0]), Ok(vec![7.0, 1.0, 0.0]));
        assert_eq!(id(&[1, 2, 1]), Err("element 2 is the second for boid 1".to_owned()));
        assert_eq!(id(&[1, 2, 3]), Err("element 2 of its array `id` is 3".to_owned()));
        let table = weights(archive(&[("weight", &shape("|u1", "(3, 2)"), &[0; 6])]), 6);
        assert_eq!(table, Err("its array `weight` has the shape [3, 2]".to_owned()));
    }

    #[test]
    fn an_array_is_not_unpacked_beyond_what_boids_take() {
        let packed = archive(&[("weight", "'descr': '|u1', 'fortran_order': False, 'shape': (3,)", &vec![0; 1 << 24])]);
        assert!(packed.len() < 1 << 16, "{}", packed.len());
        let refused = arrays(packed, 3).expect_err("16 MiB");
        assert!(refused.ends_with("bytes; accepted are at most 65728"), "{refused}");
    }

    #[test]
    fn archives_that_are_damaged_are_refused() {
        assert!(arrays(b"PK\x03\x04".to_vec(), 3).is_err());
        assert!(arrays(Vec::new(), 3).is_err());
    }
}
