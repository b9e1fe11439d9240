//! PNG pictures.

use crate::error::{Error, Result};
use std::io::{BufWriter, Write};

use super::file::{OutputFile, output};

/// Writes a picture of `width` × `height` pixels, `rgba` holding four sRGB bytes a pixel, rows from the top;
/// alpha is left out. `comment` is stored along with it, for instance the settings behind the picture.
///
/// # Errors
/// [`Error::Output`] when it cannot be written.
///
/// # Panics
/// When `rgba` is not `4 * width * height` bytes long.
pub fn write_png(out: &mut OutputFile, (width, height): (u32, u32), rgba: &[u8], comment: &str) -> Result<()> {
    assert_eq!(rgba.len() as u64, 4 * u64::from(width) * u64::from(height), "a picture of {width}x{height}");
    let path = out.path().to_owned();
    let fail = |e: png::EncodingError| -> Error { output(&path, e) };
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut file = BufWriter::new(out.file());
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk("Software".into(), concat!("starlings ", env!("CARGO_PKG_VERSION")).into()).map_err(fail)?;
    encoder.add_itxt_chunk("Comment".into(), comment.into()).map_err(fail)?;
    let mut writer = encoder.write_header().map_err(fail)?;
    writer.write_image_data(&rgb).map_err(fail)?;
    writer.finish().map_err(fail)?;
    file.flush().map_err(|e| output(&path, e))
}
