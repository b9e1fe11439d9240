//! OBJ files: the three numbers of each `v`, and the places of each `f`. All else is passed over, whatever it is: names
//! in any encoding, colors, `w`, texture coordinates, lines and curves.

use super::polygon::Divider;
use super::{MAX_TRIANGLES, Triangle, too_many};
use crate::input::Bounded;
use glam::Vec3;
use std::path::Path;

/// Places at most: more than triangles can use.
const MAX_PLACES: usize = 3 * MAX_TRIANGLES;

/// The triangles of an OBJ file; polygons are divided.
///
/// # Errors
/// What is wrong with it, as the rest of a sentence.
pub fn triangles(_: &Path, bytes: &[u8], bounded: &Bounded) -> Result<Vec<Triangle>, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut places, mut all, mut polygon) = (Vec::<Vec3>::new(), Vec::new(), Vec::new());
    let mut divider = Divider::default();
    // A line of numbers whose last letter is `\` goes on in the next. Names in Shift-JIS and GBK may end with that
    // byte.
    let (mut line, mut number, mut begin) = (Vec::new(), 0, 0);
    for part in bytes.split(|&byte| byte == b'\n') {
        number += 1;
        let part = part.strip_suffix(b"\r").unwrap_or(part);
        if line.is_empty() {
            begin = number;
        }
        let is_wanted = !line.is_empty() || matches!(words(part).next(), Some(b"v" | b"f"));
        if let Some(part) = part.strip_suffix(b"\\").filter(|_| is_wanted) {
            line.extend_from_slice(part);
            line.push(b' ');
            continue;
        }
        let joined = std::mem::take(&mut line);
        let whole = if joined.is_empty() { part } else { &[&joined[..], part].concat() };
        let mut words = words(whole);
        let refused = |what: &str| format!("is not accepted as OBJ: line {begin} {what}");
        match words.next() {
            Some(b"v") => {
                if places.len() == MAX_PLACES {
                    return Err(format!("has more than {MAX_PLACES} places; accepted are at most as many"));
                }
                let mut number = || std::str::from_utf8(words.next()?).ok()?.parse::<f32>().ok();
                match [number(), number(), number()] {
                    [Some(x), Some(y), Some(z)] => places.push(Vec3::new(x, y, z)),
                    _ => return Err(refused("has no three numbers; accepted is v X Y Z")),
                }
            }
            Some(b"f") => {
                polygon.clear();
                for word in words {
                    let place = place(word, places.len());
                    polygon.push(place.ok_or_else(|| {
                        refused(&format!("has a corner that is none of its {} places so far", places.len()))
                    })?);
                }
                let count = polygon.len().saturating_sub(2);
                if all.len() + count > MAX_TRIANGLES {
                    return Err(too_many());
                }
                divider.divide(&polygon, |corner| places[corner], bounded, &mut all)?;
            }
            _ => {}
        }
    }
    Ok(all)
}

/// The words of a line before a comment.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// The place that a corner such as `3`, `3/1`, `3/` or `-1//2` names, of so many.
fn place(word: &[u8], count: usize) -> Option<usize> {
    let first = word.split(|&byte| byte == b'/').next()?;
    let number: i64 = std::str::from_utf8(first).ok()?.parse().ok()?;
    let place = if number < 0 { count as i64 + number } else { number - 1 };
    usize::try_from(place).ok().filter(|&place| place < count)
}
