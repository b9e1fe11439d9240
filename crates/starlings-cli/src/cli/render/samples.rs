//! `--samples`: a picture drawn larger than it is, each of whose pixels is the mean of a square of those drawn.

use crate::cli::numbers::{Accepted, whole};
use crate::{Error, Result};
use rayon::prelude::*;
use starlings::limits::SAMPLES;
use starlings::vk::DeviceInfo;

/// Pixels that are drawn along an edge of a pixel, at most.
const MOST: u32 = 16;

/// Samples for each pixel: of each of a square of pixels, those of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Samples {
    /// Pixels that are drawn along an edge of one of the picture.
    edge: u32,
}

impl Default for Samples {
    fn default() -> Self {
        Samples { edge: 1 }
    }
}

impl Samples {
    /// So many, if there is a square of that many.
    pub fn of(count: u32) -> Option<Samples> {
        (1..=MOST).map(|edge| Samples { edge }).find(|samples| samples.count() == count)
    }

    pub fn count(self) -> u32 {
        SAMPLES * self.edge * self.edge
    }

    /// The size in pixels that is drawn for a picture of this size, if `device` has images of it.
    pub fn drawn(self, (width, height): (u32, u32), device: &DeviceInfo) -> Result<(u32, u32)> {
        let fits = |edge: u32| u64::from(edge) * u64::from(width.max(height)) <= u64::from(device.max_image_size);
        // A picture that is itself too large is refused by its size.
        if !fits(1) || fits(self.edge) {
            return Ok((width.saturating_mul(self.edge), height.saturating_mul(self.edge)));
        }
        let most = (1..self.edge).rev().find(|&edge| fits(edge)).map_or(SAMPLES, |edge| Samples { edge }.count());
        let accepted = format!("at most {most} for {width}x{height} on {}", device.name);
        Err(Error::flag("samples", self.count(), accepted))
    }

    /// The picture of `width` pixels a row that these larger rows become: four sRGB bytes a pixel, rows from the top.
    pub fn mean(self, drawn: Vec<u8>, width: u32) -> Vec<u8> {
        if self.edge == 1 {
            return drawn;
        }
        let linear: Vec<f32> = (0..=255u8).map(|code| decoded(f32::from(code) / 255.0)).collect();
        let (edge, width) = (self.edge as usize, width as usize);
        let row = |(y, rows): (usize, &[u8])| -> Vec<u8> {
            let pixel = |x: usize| {
                let mut sum = [0.0; 3];
                for row in rows.chunks_exact(4 * width * edge) {
                    for drawn in row[4 * x * edge..4 * (x + 1) * edge].chunks_exact(4) {
                        sum = std::array::from_fn(|at| sum[at] + linear[usize::from(drawn[at])]);
                    }
                }
                // Without noise, a smooth gradient would show the steps of a byte, as in `compose.comp`. A little less
                // than a step, so that an even color stays the same.
                let grain = 0.98 * (noise(x as u32, y as u32) - 0.5);
                let [r, g, b] = sum.map(|sum| {
                    let code = 255.0 * encoded(sum / (edge * edge) as f32);
                    (code + grain).round().clamp(0.0, 255.0) as u8
                });
                [r, g, b, 255]
            };
            (0..width).flat_map(pixel).collect()
        };
        drawn.par_chunks_exact(4 * width * edge * edge).enumerate().flat_map_iter(row).collect()
    }
}

/// The argument of `--samples`.
pub fn samples(text: &str) -> Result<Samples, Accepted> {
    let count = whole(text).and_then(|count| u32::try_from(count).ok());
    count.and_then(Samples::of).ok_or_else(|| {
        let (few, most) = ([1, 2, 3, 4].map(|edge| Samples { edge }.count().to_string()), Samples { edge: MOST });
        Accepted(format!("{SAMPLES} times a square: {}, and so on to {}", few.join(", "), most.count()))
    })
}

/// A code of sRGB from 0 to 1 as linear light (IEC 61966-2-1).
fn decoded(code: f32) -> f32 {
    if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
}

/// The opposite.
fn encoded(light: f32) -> f32 {
    if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

/// A number from 0 to 1 for each pixel, the same on every run: the finalizer of MurmurHash3.
fn noise(x: u32, y: u32) -> f32 {
    let mut bits = x ^ y.rotate_left(16);
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ (bits >> 13)).wrapping_mul(0xc2b2_ae35);
    ((bits ^ (bits >> 16)) >> 8) as f32 / (1u32 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_its_light() {
        // Two by two pixels for each of two, in a row: half of the light of white is a code of 188, not of 128.
        let [black, white] = [[0, 0, 0, 255], [255; 4]];
        let rows = [[white, white, black, white], [white, white, white, black]].concat().concat();
        let mean = Samples { edge: 2 }.mean(rows, 2);
        assert_eq!(mean[..4], white);
        assert!(mean[4].abs_diff(188) <= 1 && mean[7] == 255, "{mean:?}");
    }

    #[test]
    fn an_even_color_stays_what_it_is() {
        let colors: Vec<u8> = (0..=255).flat_map(|code| [code, 255 - code, code / 2, 255]).collect();
        let larger: Vec<u8> = colors.chunks_exact(4).flat_map(|color| [color; 2].concat()).collect();
        let mean = Samples { edge: 2 }.mean([larger.clone(), larger].concat(), 256);
        assert_eq!(mean.len(), colors.len());
        assert!(mean == colors);
    }

    #[test]
    fn counts_that_are_no_square() {
        for (text, edge) in [("4", 1), ("16", 2), ("36", 3), ("64", 4), ("1024", 16)] {
            assert_eq!(samples(text).expect("a square"), Samples { edge });
        }
        for text in ["0", "1", "5", "8", "1156", "-4", "x", ""] {
            assert!(samples(text).is_err(), "{text}");
        }
    }
}
