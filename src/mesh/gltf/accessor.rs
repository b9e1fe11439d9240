//! The numbers of a glTF file: accessors, and the corners of primitives.

use super::buffers::part;
use super::json::{Accessor, Primitive, Shape};
use super::{File, at};

const BYTE: u32 = 5120;
const UNSIGNED_BYTE: u32 = 5121;
const SHORT: u32 = 5122;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const FLOAT: u32 = 5126;

/// Which numbers an accessor may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Floats.
    Floats,
    /// Floats, or integers that stand for fractions of their largest value.
    Fractions,
    /// Floats, or integers of one or two bytes, fractions or not: `KHR_mesh_quantization`.
    Places,
    /// Integers of one or two bytes that stand for themselves.
    Whole,
}

/// The bytes of a number of this component type.
fn size(component: u32) -> Option<usize> {
    match component {
        BYTE | UNSIGNED_BYTE => Some(1),
        SHORT | UNSIGNED_SHORT => Some(2),
        UNSIGNED_INT | FLOAT => Some(4),
        _ => None,
    }
}

impl File<'_> {
    /// The triangles of a primitive of so many vertices.
    pub fn corners(&self, primitive: &Primitive, vertices: usize) -> Result<Vec<[u32; 3]>, String> {
        let order: Vec<u32> = match primitive.indices {
            None => {
                self.bounded.decoded(4 * vertices as u64)?;
                (0..vertices as u32).collect()
            }
            Some(number) => {
                let accessor = at(&self.json.accessors, number, "accessor of indices")?;
                let component = accessor.component_type;
                let suits = accessor.shape == Shape::Scalar && ![BYTE, SHORT, FLOAT].contains(&component);
                let size = size(component).filter(|_| suits);
                let size = size.ok_or("has indices that are not single whole numbers; accepted are such")?;
                let bytes = self.elements(number, accessor)?;
                self.bounded.decoded(accessor.count.saturating_mul(4))?;
                let order: Vec<u32> = bytes.chunks_exact(size).map(|bytes| whole(bytes) as u32).collect();
                if let Some(place) = order.iter().position(|&index| index as usize >= vertices) {
                    return Err(format!(
                        "has a corner that is no vertex at {place} of accessor {number}; accepted are those of \
                        {vertices}"
                    ));
                }
                order
            }
        };
        self.bounded.decoded(12 * order.len() as u64)?;
        Ok(match primitive.mode {
            Some(5) => {
                let turned =
                    |(k, at): (usize, &[u32])| if k % 2 == 0 { [at[0], at[1], at[2]] } else { [at[1], at[0], at[2]] };
                order.windows(3).enumerate().map(turned).collect()
            }
            Some(6) => order.windows(2).skip(1).map(|at| [order[0], at[0], at[1]]).collect(),
            _ => order.as_chunks().0.to_vec(),
        })
    }

    /// The elements of accessor `number` as `what`: single numbers, vectors of two to four, or matrices, by columns.
    /// All are finite.
    pub fn numbers<const N: usize>(&self, what: &str, number: u32, kind: Kind) -> Result<Vec<[f32; N]>, String> {
        let of = at(&self.json.accessors, number, "accessor")?;
        let (component, is_float) = (of.component_type, of.component_type == FLOAT);
        let (suits, words) = match kind {
            Kind::Floats => (is_float, "floats"),
            Kind::Fractions => {
                (is_float || of.normalized && component != UNSIGNED_INT, "floats or normalized integers")
            }
            Kind::Places => (component != UNSIGNED_INT, "floats or integers of 8 or 16 bits"),
            Kind::Whole => {
                ([UNSIGNED_BYTE, UNSIGNED_SHORT].contains(&component) && !of.normalized, "integers of 8 or 16 bits")
            }
        };
        let size = size(component).filter(|_| suits && of.shape.width() == N);
        let size = size.ok_or_else(|| format!("has {what} that are not of {N} {words}; accepted are such"))?;
        let is_fraction = of.normalized;
        let value = |bytes: &[u8]| match component {
            FLOAT => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            // As the specification says; -128 and -127 are both -1.
            BYTE if is_fraction => (f32::from(bytes[0] as i8) / 127.0).max(-1.0),
            BYTE => f32::from(bytes[0] as i8),
            SHORT if is_fraction => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])) / 32_767.0).max(-1.0),
            SHORT => f32::from(i16::from_le_bytes([bytes[0], bytes[1]])),
            UNSIGNED_BYTE if is_fraction => f32::from(bytes[0]) / 255.0,
            _ if is_fraction => whole(bytes) as f32 / 65_535.0,
            _ => whole(bytes) as f32,
        };
        let bytes = self.elements(number, of)?;
        self.bounded.decoded(of.count.saturating_mul(4 * N as u64))?;
        let element = |bytes: &[u8]| std::array::from_fn(|at| value(&bytes[at * size..(at + 1) * size]));
        let all: Vec<[f32; N]> = bytes.chunks_exact(N * size).map(element).collect();
        match all.iter().position(|element| element.iter().any(|number| !number.is_finite())) {
            Some(place) => Err(format!(
                "has {what} that are not finite, element {place} of accessor {number}; accepted are finite numbers"
            )),
            None => Ok(all),
        }
    }

    /// How many numbers an element of an accessor has.
    pub fn width(&self, number: u32) -> Result<usize, String> {
        at(&self.json.accessors, number, "accessor").map(|accessor| accessor.shape.width())
    }

    /// The bytes of the elements of an accessor, one after the other: zeros, or those of its view, and then those that
    /// it says of some.
    fn elements(&self, number: u32, of: &Accessor) -> Result<Vec<u8>, String> {
        let size = (of.shape.width() * size(of.component_type).unwrap_or(0)) as u64;
        let slots = of.buffer_view.map(|view| self.slots(number, (view, of.byte_offset), (size, true), of.count));
        let slots = slots.transpose()?;
        self.bounded.decoded(of.count.saturating_mul(size))?;
        let mut all = vec![0; (of.count * size) as usize];
        if let Some(slots) = slots {
            all.chunks_exact_mut(size as usize).zip(slots).for_each(|(element, bytes)| element.copy_from_slice(bytes));
        }
        if let Some(sparse) = &of.sparse {
            let wide = self::size(sparse.indices.component_type).unwrap_or(4) as u64;
            let (indices, values) = (&sparse.indices, &sparse.values);
            let places = self.slots(number, (indices.buffer_view, indices.byte_offset), (wide, false), sparse.count)?;
            let values = self.slots(number, (values.buffer_view, values.byte_offset), (size, false), sparse.count)?;
            for (k, (place, value)) in places.zip(values).enumerate() {
                let element = all.chunks_exact_mut(size as usize).nth(whole(place)).ok_or_else(|| {
                    format!(
                        "has a sparse element {k} that is not in accessor {number}; accepted are those of {}",
                        of.count
                    )
                })?;
                element.copy_from_slice(value);
            }
        }
        Ok(all)
    }

    /// The bytes of `count` elements of accessor `number`, each of `size` bytes, in a view from an offset on. They lie
    /// as far apart as the view says, if it `may` say so.
    fn slots(
        &self,
        number: u32,
        (view, offset): (u32, u64),
        (size, may): (u64, bool),
        count: u64,
    ) -> Result<impl Iterator<Item = &[u8]>, String> {
        let (own, stride) = self.view(view)?;
        let stride = stride.filter(|stride| may && *stride > 0).unwrap_or(size);
        // One that is too long to be counted is longer than its buffer.
        let length =
            count.saturating_sub(1).saturating_mul(stride).saturating_add(size.min(size.saturating_mul(count)));
        let bytes = part(own, offset, length).filter(|_| stride >= size && size > 0).ok_or_else(|| {
            format!(
                "has an accessor {number} of {count} elements that are not all in its buffer; accepted are those \
                that are"
            )
        })?;
        let size = size as usize;
        Ok(bytes.chunks(stride as usize).take(count as usize).map(move |element| &element[..size]))
    }
}

/// The whole number of these bytes, the lowest first.
fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte))
}
