//! Reading an archive that this program wrote. The file may be anything: nothing is allocated beyond what is in it.

use super::super::file::{opened, words};
use std::fs::File;
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

/// Why a file is not what it should be, in words that follow its name.
pub type Reason = String;

/// An archive that is read, one array after the other.
pub struct Archive {
    zip: ZipArchive<BufReader<File>>,
    /// What it should be, for messages.
    kind: &'static str,
}

impl Archive {
    /// Opens the archive at `path`, which should be a `kind`, such as "checkpoint".
    pub fn open(path: &Path, kind: &'static str) -> Result<Archive, Reason> {
        let mut file = opened(path)?;
        check_directory(&mut file, kind)?;
        let length = file.metadata().map_err(words)?.len();
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(kind, &error))?;
        let mut archive = Archive { zip, kind };
        // Memory is allocated by these sizes.
        for place in 0..archive.zip.len() {
            if archive.zip.by_index_raw(place).map_err(|error| damaged(kind, &error))?.size() > length {
                return Err(format!("this {kind} is damaged: an array is longer than the file"));
            }
        }
        Ok(archive)
    }

    /// Refuses every version of the format but `version`: the number in the array `name`.
    pub fn check_version(&mut self, name: &str, version: u32) -> Result<(), Reason> {
        match self.number(name)? {
            found if found == version => Ok(()),
            found => Err(format!("this {} is of version {found}, and this program reads version {version}", self.kind)),
        }
    }

    /// Opens the array `name`, and returns its type, its shape, the bytes of its elements, and what they are read from.
    fn array<'a>(&'a mut self, name: &str) -> Result<(String, Vec<u64>, u64, impl Read + use<'a>), Reason> {
        let kind = self.kind;
        let mut entry = self
            .zip
            .by_name(&npyz::npz::file_name_from_array_name(name))
            .map_err(|_| format!("this is not a {kind}: it has no '{name}'"))?;
        if entry.compression() != zip::CompressionMethod::Stored || entry.size() != entry.compressed_size() {
            return Err(format!("its array '{name}' is compressed"));
        }
        let broken = || format!("its array '{name}' has a header that NumPy does not write");
        let mut head = [0; 10];
        entry.read_exact(&mut head).map_err(|error| damaged(kind, &error))?;
        if !head.starts_with(b"\x93NUMPY\x01\x00") {
            return Err(broken());
        }
        let mut header = vec![0; usize::from(u16::from_le_bytes([head[8], head[9]]))];
        entry.read_exact(&mut header).map_err(|error| damaged(kind, &error))?;
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

    /// The array `name` of elements of `kind`, which have four bytes, and of the shape `wanted`, where `None` stands
    /// for any length. `item` makes one item of `N` elements; there are 1 to `most`.
    pub fn list<T, const N: usize>(
        &mut self,
        name: &str,
        kind: &str,
        wanted: &[Option<u64>],
        most: u64,
        item: impl Fn([u32; N]) -> T,
    ) -> Result<Vec<T>, Reason> {
        let what = self.kind;
        let (found, shape, bytes, data) = self.array(name)?;
        let count = shape.iter().try_fold(1u64, |count, &length| count.checked_mul(length)).unwrap_or(u64::MAX);
        let suits = found == kind
            && shape.len() == wanted.len()
            && shape.iter().zip(wanted).all(|(&length, wanted)| wanted.is_none_or(|wanted| wanted == length))
            && count.is_multiple_of(N as u64)
            && (1..=most).contains(&(count / N as u64))
            && bytes == 4 * count;
        if !suits {
            let wanted: Vec<String> =
                wanted.iter().map(|length| length.map_or("N".into(), |length| length.to_string())).collect();
            let wanted = wanted.join(", ");
            return Err(format!(
                "its array '{name}' has type {found} and shape {shape:?}, and not {kind} and [{wanted}]"
            ));
        }
        items(what, data, count as usize / N, item)
    }

    /// The array `name` of a single number.
    pub fn number(&mut self, name: &str) -> Result<u32, Reason> {
        let what = self.kind;
        let (kind, shape, bytes, data) = self.array(name)?;
        if (kind.as_str(), &shape[..], bytes) != ("<u4", &[], 4) {
            return Err(format!("its array '{name}' is not a whole number of 32 bits"));
        }
        let numbers = items(what, data, 1, |[number]| number)?;
        Ok(numbers[0])
    }

    /// The array `name` of a single text.
    pub fn text(&mut self, name: &str) -> Result<String, Reason> {
        let what = self.kind;
        let (kind, shape, bytes, data) = self.array(name)?;
        let letters: Option<u64> = kind.strip_prefix("<U").and_then(|letters| letters.parse().ok());
        let Some(letters) = letters.filter(|&n| n <= MOST_LETTERS && bytes == 4 * n && shape.is_empty()) else {
            return Err(format!("its array '{name}' is not a text of at most {MOST_LETTERS} letters"));
        };
        let text = items(what, data, letters as usize, |[letter]| char::from_u32(letter))?;
        text.into_iter().collect::<Option<String>>().ok_or_else(|| format!("its array '{name}' is not a text"))
    }
}

/// Refuses what is not a zip file with a short list of entries at its end, before that list is read.
fn check_directory(file: &mut File, kind: &str) -> Result<(), Reason> {
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
        return Err(format!("this is not a {kind}, or it is cut off"));
    }
    let (mut entries, mut bytes) = (at(&end, 10, 2), at(&end, 12, 4));
    // A file of more than 4 GiB ends with 64-bit numbers, too.
    let mut locator = [0; 20];
    if from_end(42, &mut locator).is_ok() && locator.starts_with(b"PK\x06\x07") {
        let mut large = [0; 56];
        let read = file.seek(SeekFrom::Start(at(&locator, 8, 8))).and_then(|_| file.read_exact(&mut large));
        if read.is_err() || !large.starts_with(b"PK\x06\x06") {
            return Err(format!("this is not a {kind}, or it is damaged"));
        }
        (entries, bytes) = (entries.max(at(&large, 32, 8)), bytes.max(at(&large, 40, 8)));
    }
    if entries > MOST_ARRAYS || bytes > MOST_DIRECTORY {
        return Err(format!("this is not a {kind}: it is an archive of {entries} entries"));
    }
    file.rewind().map_err(words)
}

/// `count` items of `N` elements each, which must be all that there are.
fn items<T, const N: usize>(
    kind: &str,
    mut data: impl Read,
    count: usize,
    item: impl Fn([u32; N]) -> T,
) -> Result<Vec<T>, Reason> {
    let size = 4 * N;
    let mut items = Vec::with_capacity(count);
    let mut piece = vec![0; PIECE / size * size];
    while items.len() < count {
        let now = (count - items.len()).min(piece.len() / size);
        let bytes = &mut piece[..now * size];
        data.read_exact(bytes).map_err(|error| damaged(kind, &error))?;
        let word = |bytes: &[u8], at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[4 * at + byte]));
        items.extend(bytes.chunks_exact(size).map(|bytes| item(std::array::from_fn(|at| word(bytes, at)))));
    }
    // The checksum is compared at the end.
    match data.read(&mut [0]) {
        Ok(0) => Ok(items),
        Ok(_) => Err(format!("this {kind} is damaged: an array is longer than its shape")),
        Err(error) => Err(damaged(kind, &error)),
    }
}

/// What it is to meet `error`, which may be that of the system, or what is wrong with the file.
fn damaged(kind: &str, error: &(dyn std::error::Error + 'static)) -> Reason {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let of_system =
        causes.find_map(|error| error.downcast_ref::<io::Error>().filter(|error| error.raw_os_error().is_some()));
    match of_system {
        Some(error) => format!("it cannot be read: {}", words(error)),
        None => format!("this {kind} is damaged: {error}"),
    }
}
