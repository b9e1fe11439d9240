//! The bytes of a glTF file: buffers, and views of them, which may be compressed.

#[cfg(feature = "meshopt")]
use super::json::{Filter, Meshopt, Mode};
use super::{File, at};
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet, engine::DecodePaddingMode};
#[cfg(feature = "meshopt")]
use bytemuck::{cast_slice, cast_slice_mut};
use percent_encoding::percent_decode_str;
use std::io;
use std::path::{Path, PathBuf};

/// Base64 with or without `=` at its end: writers differ.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

impl File<'_> {
    /// The bytes of a view. If they were compressed, the distance of its elements is the second.
    pub fn view(&self, number: u32) -> Result<(&[u8], Option<u64>), String> {
        let view = at(&self.json.buffer_views, number, "view")?;
        #[cfg(feature = "meshopt")]
        if let Some(packed) = view.extensions.as_ref().and_then(|of| of.meshopt.as_ref()) {
            let cell = &self.views[number as usize];
            let bytes = match cell.get() {
                Some(bytes) => bytes,
                None => {
                    let bytes = self.unpacked(number, packed)?;
                    cell.get_or_init(|| bytes)
                }
            };
            return Ok((bytes, Some(packed.byte_stride)));
        }
        let bytes = part(self.buffer(view.buffer)?, view.byte_offset, view.byte_length);
        let bytes = bytes
            .ok_or_else(|| format!("has a view {number} that is not all in its buffer; accepted are those that are"))?;
        Ok((bytes, view.byte_stride))
    }

    /// The bytes of a buffer, which are read when they are first needed.
    fn buffer(&self, number: u32) -> Result<&[u8], String> {
        let buffer = at(&self.json.buffers, number, "buffer")?;
        let bytes = match (&buffer.uri, self.blob) {
            (None, Some(blob)) => blob,
            (None, None) => return Err(format!("lacks the bytes of buffer {number}")),
            (Some(uri), _) => match self.buffers[number as usize].get() {
                Some(bytes) => bytes,
                None => {
                    let bytes = self.resource(&uri.0, &format!("buffer {number}"))?;
                    self.buffers[number as usize].get_or_init(|| bytes)
                }
            },
        };
        if (bytes.len() as u64) < buffer.byte_length {
            let (length, needed) = (bytes.len(), buffer.byte_length);
            return Err(format!("has a buffer {number} of {length} bytes; accepted are the {needed} that it says"));
        }
        Ok(bytes)
    }

    /// The bytes of `what`, which `uri` names: they are in it, or in a file beside this one.
    pub fn resource(&self, uri: &str, what: &str) -> Result<Vec<u8>, String> {
        if let Some(data) = uri.strip_prefix("data:") {
            let coded = data.split_once(";base64,").map(|(_, coded)| coded);
            let no = || format!("has a {what} that is no base64; accepted is data:TYPE;base64,...");
            let coded = coded.ok_or_else(no)?;
            self.bounded.decoded(coded.len() as u64 / 4 * 3)?;
            return BASE64.decode(coded).map_err(|_| no());
        }
        let name = PathBuf::from(&*percent_decode_str(uri).decode_utf8_lossy());
        let is_address = uri.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        });
        if is_address || name.is_absolute() || Path::new(uri).is_absolute() {
            return Err(format!("has a {what} at {uri}; accepted is a file relative to it"));
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        // A name with `%` that nobody has encoded is one, too.
        let (decoded, plain) = (folder.join(name), folder.join(uri));
        let read = match self.bounded.file(&decoded) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && decoded != plain => {
                self.bounded.file(&plain).map_err(|_| error)
            }
            read => read,
        };
        read.map_err(|error| format!("lacks its {what}: {}: {error}", decoded.display()))
    }

    /// The bytes of a view that meshoptimizer has compressed.
    #[cfg(feature = "meshopt")]
    fn unpacked(&self, number: u32, packed: &Meshopt) -> Result<Vec<u8>, String> {
        let broken = |why: &str| format!("has a view {number} whose compressed bytes {why}; accepted are whole ones");
        let source = part(self.buffer(packed.buffer)?, packed.byte_offset, packed.byte_length);
        let source = source.ok_or_else(|| broken("are not all in their buffer"))?;
        let (count, stride) = (packed.count, packed.byte_stride);
        let suits = match (packed.mode, packed.filter) {
            (Mode::Attributes, Filter::None | Filter::Exponential) => stride.is_multiple_of(4),
            (Mode::Attributes, Filter::Octahedral | Filter::Color) => stride == 4 || stride == 8,
            (Mode::Attributes, Filter::Quaternion) => stride == 8,
            (Mode::Triangles, Filter::None) => count.is_multiple_of(3) && (stride == 2 || stride == 4),
            (Mode::Indices, Filter::None) => stride == 2 || stride == 4,
            _ => false,
        };
        if !suits || stride == 0 {
            return Err(broken("have a mode, filter and stride that do not go together"));
        }
        self.bounded.decoded(count.saturating_mul(stride))?;
        let (count, damaged) = (count as usize, |_| broken("are damaged"));
        if packed.mode != Mode::Attributes {
            let long = |source| meshopt::decode_index_buffer::<u32>(source, count);
            let short = |source| meshopt::decode_index_buffer::<u16>(source, count);
            let bytes = match (packed.mode, stride) {
                (Mode::Triangles, 2) => cast_slice(&short(source).map_err(damaged)?).to_vec(),
                (Mode::Triangles, _) => cast_slice(&long(source).map_err(damaged)?).to_vec(),
                (_, 2) => cast_slice(&meshopt::decode_index_sequence::<u16>(source, count).map_err(damaged)?).to_vec(),
                _ => cast_slice(&meshopt::decode_index_sequence::<u32>(source, count).map_err(damaged)?).to_vec(),
            };
            return Ok(bytes);
        }
        macro_rules! decoded {
            ($($words:literal)*) => {
                match stride / 4 {
                    $($words => meshopt::decode_vertex_buffer::<[u32; $words]>(source, count)
                        .map(|elements| elements.into_flattened()),)*
                    _ => return Err(broken("have a stride of more than 128")),
                }
            };
        }
        let words = decoded!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
        let mut words: Vec<u32> = words.map_err(damaged)?;
        match (packed.filter, stride) {
            (Filter::None, _) => {}
            (Filter::Octahedral, 4) => meshopt::decode_filter_oct::<i8>(cast_slice_mut(&mut words)),
            (Filter::Octahedral, _) => meshopt::decode_filter_oct::<i16>(cast_slice_mut(&mut words)),
            (Filter::Quaternion, _) => meshopt::decode_filter_quat(cast_slice_mut(&mut words)),
            (Filter::Exponential, _) => meshopt::decode_filter_exp::<1>(cast_slice_mut(&mut words)),
            (Filter::Color, 4) => meshopt::decode_filter_color::<u8>(cast_slice_mut(&mut words)),
            (Filter::Color, _) => meshopt::decode_filter_color::<u16>(cast_slice_mut(&mut words)),
        }
        Ok(cast_slice(&words).to_vec())
    }
}

/// `length` bytes from `offset` on, if all are there.
pub fn part(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(offset).ok()?..usize::try_from(offset.checked_add(length)?).ok()?)
}
