//! Reading a checkpoint. The file may be anything: nothing is allocated beyond what is in it.

use super::{Checkpoint, VERSION};
use crate::flock::BoidState;
use crate::flock::settings::MAX_BOIDS;
use glam::Vec3;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use zip::ZipArchive;

/// Arrays in an archive at most, and bytes of the list of them.
const MOST_ARRAYS: u64 = 64;
const MOST_DIRECTORY: u64 = 1 << 16;

/// Characters of a text at most.
const MOST_LETTERS: u64 = 1 << 20;

/// Bytes that are read at once, at most.
const PIECE: usize = 1 << 16;

type Zip = ZipArchive<BufReader<File>>;

/// Why a file is no checkpoint, in words that follow its name.
type Reason = String;

impl Checkpoint {
    /// Reads the checkpoint at `path`. Whether its config suits its boids is up to the caller.
    ///
    /// # Errors
    /// One line that says why it is none.
    pub fn read(path: &Path) -> Result<Checkpoint, Reason> {
        // Before it is opened: a pipe would wait for its other end.
        if !fs::metadata(path).map_err(words)?.is_file() {
            return Err("this is not a regular file".into());
        }
        let mut file = File::open(path).map_err(words)?;
        check_directory(&mut file)?;
        let length = file.metadata().map_err(words)?.len();
        let zip = &mut ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error))?;
        // Memory is allocated by these sizes.
        for place in 0..zip.len() {
            if zip.by_index_raw(place).map_err(|error| damaged(&error))?.size() > length {
                return Err("this checkpoint is damaged: an array is longer than the file".into());
            }
        }
        let version = number(zip, "checkpoint")?;
        if version != VERSION {
            return Err(format!("this checkpoint is of version {version}, and this program reads version {VERSION}"));
        }
        let (step, replayable) = (number(zip, "step")?, number(zip, "replayable")? != 0);
        let config = text(zip, "config")?;
        let id =
            list(zip, "id", "<u4", &[], None, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))?;
        check_permutation(&id)?;
        let mut vectors = |name| {
            let vectors = list(zip, name, "<f4", &[3], Some(id.len() as u64), vector)?;
            match vectors.iter().find(|vector| !vector.is_finite()) {
                Some(vector) => Err(format!("its array '{name}' has {vector}, which is no place or velocity")),
                None => Ok(vectors),
            }
        };
        let (position, velocity) = (vectors("position")?, vectors("velocity_slot")?);
        Ok(Checkpoint { state: BoidState { position, velocity, id }, step, replayable, config })
    }
}

/// Refuses what is not a zip file with a short list of entries at its end, before that list is read.
fn check_directory(file: &mut File) -> Result<(), Reason> {
    let mut from_end = |distance: i64, bytes: &mut [u8]| -> io::Result<()> {
        file.seek(SeekFrom::End(-distance))?;
        file.read_exact(bytes)
    };
    let at = |bytes: &[u8], place: usize, count: usize| {
        bytes[place..place + count].iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte))
    };
    let mut end = [0; 22];
    let whole = from_end(22, &mut end).is_ok() && end.starts_with(b"PK\x05\x06") && at(&end, 20, 2) == 0;
    if !whole {
        return Err("this is not a checkpoint, or it is cut off".into());
    }
    let (mut entries, mut bytes) = (at(&end, 10, 2), at(&end, 12, 4));
    // A file of more than 4 GiB ends with 64-bit numbers, too.
    let mut locator = [0; 20];
    if from_end(42, &mut locator).is_ok() && locator.starts_with(b"PK\x06\x07") {
        let mut large = [0; 56];
        let read = file.seek(SeekFrom::Start(at(&locator, 8, 8))).and_then(|_| file.read_exact(&mut large));
        if read.is_err() || !large.starts_with(b"PK\x06\x06") {
            return Err("this is not a checkpoint, or it is damaged".into());
        }
        (entries, bytes) = (entries.max(at(&large, 32, 8)), bytes.max(at(&large, 40, 8)));
    }
    if entries > MOST_ARRAYS || bytes > MOST_DIRECTORY {
        return Err(format!("this is not a checkpoint: it is an archive of {entries} entries"));
    }
    file.rewind().map_err(words)
}

/// Opens the array `name`, and returns its type, its shape, the bytes of its elements, and what they are read from.
fn array<'a>(zip: &'a mut Zip, name: &str) -> Result<(String, Vec<u64>, u64, impl Read + use<'a>), Reason> {
    let mut entry =
        zip.by_name(&format!("{name}.npy")).map_err(|_| format!("this is not a checkpoint: it has no '{name}'"))?;
    if entry.compression() != zip::CompressionMethod::Stored || entry.size() != entry.compressed_size() {
        return Err(format!("its array '{name}' is compressed"));
    }
    let broken = || format!("its array '{name}' has a header that NumPy does not write");
    let mut head = [0; 10];
    entry.read_exact(&mut head).map_err(|error| damaged(&error))?;
    if !head.starts_with(b"\x93NUMPY\x01\x00") {
        return Err(broken());
    }
    let mut header = vec![0; usize::from(u16::from_le_bytes([head[8], head[9]]))];
    entry.read_exact(&mut header).map_err(|error| damaged(&error))?;
    let bytes = entry.size().saturating_sub((head.len() + header.len()) as u64);
    let header: String = header.iter().map(|&byte| char::from(byte)).filter(|c| !c.is_whitespace()).collect();
    let parsed = || {
        let (kind, rest) = header.strip_prefix("{'descr':'")?.split_once("','fortran_order':False,'shape':(")?;
        let shape = rest.strip_suffix(",}").or(rest.strip_suffix('}'))?.strip_suffix(')')?;
        let lengths = shape.split(',').filter(|length| !length.is_empty()).map(|length| length.parse().ok());
        Some((kind.to_owned(), lengths.collect::<Option<Vec<u64>>>()?))
    };
    // Short enough for a message.
    let (kind, shape) = parsed().filter(|(kind, shape)| kind.len() <= 16 && shape.len() <= 8).ok_or_else(broken)?;
    Ok((kind, shape, bytes, entry))
}

/// The array `name` of elements of `kind`, in rows of the shape `row`: as many as there are, or `count`. `item` makes one of the
/// bytes of a row.
fn list<T>(
    zip: &mut Zip,
    name: &str,
    kind: &str,
    row: &[u64],
    count: Option<u64>,
    item: impl Fn(&[u8]) -> T,
) -> Result<Vec<T>, Reason> {
    let (found, shape, bytes, data) = array(zip, name)?;
    let size = 4 * row.iter().product::<u64>();
    let rows = shape.first().copied().unwrap_or(0);
    let suits = found == kind
        && shape.get(1..) == Some(row)
        && (1..=u64::from(MAX_BOIDS)).contains(&rows)
        && count.is_none_or(|count| count == rows)
        && bytes == rows * size;
    if !suits {
        let wanted: Vec<String> = std::iter::once(count.map_or("N".into(), |n| n.to_string()))
            .chain(row.iter().map(u64::to_string))
            .collect();
        let wanted = wanted.join(", ");
        return Err(format!("its array '{name}' has type {found} and shape {shape:?}, and not {kind} and [{wanted}]"));
    }
    items(data, rows as usize, size as usize, item)
}

/// `count` items of `size` bytes each, which must be all that there are.
fn items<T>(mut data: impl Read, count: usize, size: usize, item: impl Fn(&[u8]) -> T) -> Result<Vec<T>, Reason> {
    let mut items = Vec::with_capacity(count);
    let mut piece = vec![0; PIECE / size * size];
    while items.len() < count {
        let now = (count - items.len()).min(piece.len() / size);
        let bytes = &mut piece[..now * size];
        data.read_exact(bytes).map_err(|error| damaged(&error))?;
        items.extend(bytes.chunks_exact(size).map(&item));
    }
    // The checksum is compared at the end.
    match data.read(&mut [0]) {
        Ok(0) => Ok(items),
        Ok(_) => Err("this checkpoint is damaged: an array is longer than its shape".into()),
        Err(error) => Err(damaged(&error)),
    }
}

fn vector(bytes: &[u8]) -> Vec3 {
    let [x, y, z] = [0, 4, 8].map(|at| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
    Vec3::new(x, y, z)
}

/// The array `name` of a single number.
fn number(zip: &mut Zip, name: &str) -> Result<u32, Reason> {
    let (kind, shape, bytes, data) = array(zip, name)?;
    if (kind.as_str(), &shape[..], bytes) != ("<u4", &[], 4) {
        return Err(format!("its array '{name}' is not a whole number of 32 bits"));
    }
    let numbers = items(data, 1, 4, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))?;
    Ok(numbers[0])
}

/// The array `name` of a single text.
fn text(zip: &mut Zip, name: &str) -> Result<String, Reason> {
    let (kind, shape, bytes, data) = array(zip, name)?;
    let letters: Option<u64> = kind.strip_prefix("<U").and_then(|letters| letters.parse().ok());
    let Some(letters) = letters.filter(|&n| n <= MOST_LETTERS && bytes == 4 * n && shape.is_empty()) else {
        return Err(format!("its array '{name}' is not a text of at most {MOST_LETTERS} letters"));
    };
    let letter = |bytes: &[u8]| char::from_u32(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let text = items(data, letters as usize, 4, letter)?;
    text.into_iter().collect::<Option<String>>().ok_or_else(|| format!("its array '{name}' is not a text"))
}

/// Every identity from 0 on is there once.
fn check_permutation(ids: &[u32]) -> Result<(), Reason> {
    let mut seen = vec![false; ids.len()];
    for &id in ids {
        match seen.get_mut(id as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(format!("its array 'id' has {id} twice")),
            None => return Err(format!("its array 'id' has {id}, and {} boids have lower ones", ids.len())),
        }
    }
    Ok(())
}

fn damaged(error: &dyn std::error::Error) -> Reason {
    format!("this checkpoint is damaged: {error}")
}

/// The system's message without its error number.
fn words(error: io::Error) -> Reason {
    error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}
