//! The numbers of a glTF file: accessors, and the corners of primitives.

use super::File;
use gltf::accessor::sparse::IndexType;
use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::View;
use gltf::mesh::Mode;
use gltf::{Accessor, Primitive, Semantic};

/// Elements at most of an accessor that says nothing of most of them: all others are bounded by the bytes of the file.
const MOST_ZEROS: usize = 1 << 20;

/// Which numbers an accessor may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Floats.
    Floats,
    /// Floats, or integers that stand for fractions of their largest value.
    Fractions,
    /// Integers of one or two bytes that stand for themselves.
    Whole,
}

impl File {
    /// The places of the vertices of a primitive, or none if it has no triangles.
    pub fn positions(&self, primitive: &Primitive<'_>) -> Result<Option<Vec<[f32; 3]>>, String> {
        if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(None);
        }
        let positions = primitive.get(&Semantic::Positions);
        positions.map(|positions| self.numbers("positions", &positions, Kind::Floats)).transpose()
    }

    /// The triangles of a primitive of so many vertices.
    pub fn corners(&self, primitive: &Primitive<'_>, vertices: usize) -> Result<Vec<[usize; 3]>, String> {
        let order: Vec<usize> = match primitive.indices() {
            None => (0..vertices).collect(),
            Some(indices) if indices.dimensions() != Dimensions::Scalar => {
                return Err("has indices that are not single numbers; accepted are such".into());
            }
            Some(indices) => {
                let view = indices.view().filter(|_| indices.sparse().is_none());
                let view = view.ok_or_else(|| {
                    format!("has an accessor {} of indices that is sparse; accepted is a full one", indices.index())
                })?;
                self.elements(&indices, &view)?.map(whole).collect()
            }
        };
        if let Some(index) = order.iter().find(|&&index| index >= vertices) {
            return Err(format!("has a corner {index} of {vertices}; accepted is a smaller number"));
        }
        Ok(match primitive.mode() {
            Mode::TriangleStrip => {
                let turned =
                    |(k, at): (usize, &[usize])| if k % 2 == 0 { [at[0], at[1], at[2]] } else { [at[1], at[0], at[2]] };
                order.windows(3).enumerate().map(turned).collect()
            }
            Mode::TriangleFan => order.windows(2).skip(1).map(|at| [order[0], at[0], at[1]]).collect(),
            _ => order.as_chunks().0.to_vec(),
        })
    }

    /// The elements of an accessor of `what`: single numbers, vectors of three or four, or matrices, by columns. They may be
    /// sparse.
    pub fn numbers<const N: usize>(&self, what: &str, of: &Accessor<'_>, kind: Kind) -> Result<Vec<[f32; N]>, String> {
        let dimensions = match N {
            1 => Dimensions::Scalar,
            3 => Dimensions::Vec3,
            4 => Dimensions::Vec4,
            _ => Dimensions::Mat4,
        };
        let is_float = of.data_type() == DataType::F32;
        let (suits, words) = match kind {
            Kind::Floats => (is_float, "floats"),
            Kind::Fractions => {
                (is_float || of.normalized() && of.data_type() != DataType::U32, "floats or normalized integers")
            }
            Kind::Whole => {
                (matches!(of.data_type(), DataType::U8 | DataType::U16) && !of.normalized(), "integers of 8 or 16 bits")
            }
        };
        if !suits || of.dimensions() != dimensions {
            return Err(format!("has {what} that are not of {N} {words}; accepted are such"));
        }
        let size = of.data_type().size();
        let number = |bytes: &[u8]| match (of.data_type(), kind) {
            (DataType::F32, _) => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            (_, Kind::Whole) => whole(bytes) as f32,
            // As the specification says; -128 and -127 are both -1.
            (DataType::I8, _) => (f32::from(bytes[0] as i8) / 127.0).max(-1.0),
            (DataType::I16, _) => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / 32_767.0).max(-1.0),
            (DataType::U8, _) => f32::from(bytes[0]) / 255.0,
            _ => f32::from(u16::from_le_bytes([bytes[0], bytes[1]])) / 65_535.0,
        };
        let element =
            |bytes: &[u8]| -> [f32; N] { std::array::from_fn(|at| number(&bytes[at * size..(at + 1) * size])) };
        let mut all: Vec<[f32; N]> = match of.view() {
            Some(view) => self.elements(of, &view)?.map(element).collect(),
            None if of.count() <= MOST_ZEROS => vec![[0.0; N]; of.count()],
            None => {
                return Err(format!(
                    "has an accessor {} of {} elements without bytes; accepted are {MOST_ZEROS}",
                    of.index(),
                    of.count()
                ));
            }
        };
        if let Some(sparse) = of.sparse() {
            let (indices, values) = (sparse.indices(), sparse.values());
            let wide = match indices.index_type() {
                IndexType::U8 => 1,
                IndexType::U16 => 2,
                IndexType::U32 => 4,
            };
            let (number, count) = (of.index(), sparse.count());
            let places = self.slots(number, &indices.view(), indices.offset(), (wide, wide), count)?;
            let values = self.slots(number, &values.view(), values.offset(), (of.size(), of.size()), count)?;
            for (place, value) in places.map(whole).zip(values) {
                let slot = all.get_mut(place).ok_or_else(|| {
                    format!(
                        "has a sparse element {place} in accessor {number} of {}; accepted is a smaller number",
                        of.count()
                    )
                })?;
                *slot = element(value);
            }
        }
        Ok(all)
    }

    /// The bytes of each element of an accessor in its view.
    fn elements<'a>(
        &'a self,
        of: &Accessor<'_>,
        view: &View<'_>,
    ) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, String> {
        let stride = view.stride().unwrap_or(of.size());
        self.slots(of.index(), view, of.offset(), (of.size(), stride), of.count())
    }

    /// The bytes of `count` elements of accessor `number` in `view`, each of `size` bytes and `stride` from the next.
    fn slots<'a>(
        &'a self,
        number: usize,
        view: &View<'_>,
        offset: usize,
        (size, stride): (usize, usize),
        count: usize,
    ) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, String> {
        let own = view
            .offset()
            .checked_add(view.length())
            .and_then(|end| self.buffers[view.buffer().index()].get(view.offset()..end));
        // One that is too long to be counted is longer than its buffer.
        let length =
            count.saturating_sub(1).saturating_mul(stride).saturating_add(size.min(size.saturating_mul(count)));
        let bytes = own.and_then(|bytes| bytes.get(offset..offset.checked_add(length)?));
        let bytes = bytes.filter(|_| stride >= size).ok_or_else(|| {
            format!("has an accessor {number} of {count} elements that are not all in its buffer; accepted are those that are")
        })?;
        Ok(bytes.chunks(stride).take(count).map(move |element| &element[..size]))
    }
}

/// The whole number of these bytes, the lowest first.
fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte))
}
