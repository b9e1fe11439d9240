//! NumPy archives (`.npz`): zip files of arrays, stored without compression.

pub mod read;

use bytemuck::NoUninit;
use npyz::{DType, TypeStr, WriterBuilder};
use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::rc::Rc;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Bytes from which a zip entry needs 64-bit sizes. Lower than the true limit of 4 GiB: headers count too.
const LARGE_ENTRY: u64 = 4_000_000_000;

/// Bytes gathered before they are written.
pub const BUFFER: usize = 1 << 20;

/// An archive being written, one array after the other. Dropping it unfinished writes nothing more.
pub struct Npz {
    // Before `zip`, which would otherwise complete the archive when it is dropped.
    give_up: GiveUp,
    zip: ZipWriter<BufWriter<Target>>,
}

impl Npz {
    /// Begins an archive in `file`.
    pub fn new(file: File) -> Npz {
        let give_up = GiveUp::default();
        let target = Target { file, given_up: give_up.0.clone(), place: 0, end: 0 };
        Npz { give_up, zip: ZipWriter::new(BufWriter::with_capacity(BUFFER, target)) }
    }

    /// Opens the array `name`, whose elements have four bytes and are to be written next.
    pub fn array<T: npyz::AutoSerialize>(&mut self, name: &str, shape: &[u64]) -> io::Result<()> {
        self.start(name, 4 * shape.iter().product::<u64>())?;
        npyz::WriteOptions::<T>::new().default_dtype().shape(shape).writer(&mut self.zip).write_header_only()?;
        Ok(())
    }

    /// Adds the array `name`, whose elements are these.
    pub fn list<T: npyz::AutoSerialize>(
        &mut self,
        name: &str,
        shape: &[u64],
        elements: &[impl NoUninit],
    ) -> io::Result<()> {
        self.array::<T>(name, shape)?;
        self.write_all(bytemuck::cast_slice(elements))
    }

    /// Adds the array `name` of a single number.
    pub fn number(&mut self, name: &str, number: u32) -> io::Result<()> {
        self.list::<u32>(name, &[], &[number])
    }

    /// Adds the array `name` of a single text.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        // NumPy's strings are arrays of code points.
        let text: Vec<u32> = text.chars().map(u32::from).collect();
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let string: TypeStr = format!("{order}U{}", text.len()).parse().map_err(io::Error::other)?;
        self.start(name, 4 * text.len() as u64)?;
        npyz::WriteOptions::<str>::new()
            .dtype(DType::Plain(string))
            .shape(&[])
            .writer(&mut self.zip)
            .write_header_only()?;
        self.write_all(bytemuck::cast_slice(&text))
    }

    fn start(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(bytes > LARGE_ENTRY);
        Ok(self.zip.start_file(npyz::npz::file_name_from_array_name(name), options)?)
    }

    /// Completes the archive.
    pub fn finish(self) -> io::Result<()> {
        let Npz { give_up, zip } = self;
        zip.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        drop(give_up);
        Ok(())
    }
}

impl Write for Npz {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.zip.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.zip.flush()
    }
}

/// Makes the [`Target`] discard writes after this is dropped.
#[derive(Default)]
struct GiveUp(Rc<Cell<bool>>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.set(true);
    }
}

/// The file of the zip writer, which on drop completes the archive and prints errors to stderr. After anything has
/// failed, or once the archive is abandoned, nothing fails, and nothing is written.
struct Target {
    file: File,
    given_up: Rc<Cell<bool>>,
    /// Where the next byte would be, and the end.
    place: u64,
    end: u64,
}

impl Target {
    fn tried<T>(&self, went: io::Result<T>) -> io::Result<T> {
        if went.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.given_up.set(true);
        }
        went
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.given_up.get() { bytes.len() } else { self.tried((&self.file).write(bytes))? };
        self.place += written as u64;
        self.end = self.end.max(self.place);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.given_up.get() { Ok(()) } else { self.tried((&self.file).flush()) }
    }
}

impl Seek for Target {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(distance) => self.end.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.place.checked_add_signed(distance),
        };
        let place = place.ok_or(io::ErrorKind::InvalidInput)?;
        if !self.given_up.get() {
            self.tried((&self.file).seek(SeekFrom::Start(place)))?;
        }
        self.place = place;
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_dropped_unfinished_writes_nothing_more() {
        let file = tempfile::tempfile().expect("room");
        let mut npz = Npz::new(file.try_clone().expect("a handle"));
        npz.number("a", 3).expect("room");
        let length = || file.metadata().expect("a file").len();
        let before = length();
        drop(npz);
        assert_eq!(length(), before);
    }
}
