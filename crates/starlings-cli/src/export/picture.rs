//! PNG pictures, and what they remember of the flock in them.

use super::file::{OutputFile, opened, output, words};
use crate::error::{Error, Result};
use png::text_metadata::ITXtChunk;
use std::io::{BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Keyword of the text that holds the flock, its look and the camera, as a config file.
const CONFIG: &str = "starlings";

/// Keyword of the text that holds the count of steps that lead from the start to the flock.
const STEP: &str = "starlings step";

/// Keyword of the text that holds the samples of each pixel, if they are more than those of a frame.
const SAMPLES: &str = "starlings samples";

/// Bytes of a picture that are read at most: what it remembers is at its beginning.
const MOST_BYTES: u64 = 18 << 20;

/// Bytes of a text in it, unpacked, at most: as many as a config file has, with its flight.
pub(super) const MOST_LETTERS: usize = 16 << 20;

/// Bytes of a text from which on it is compressed: that of a config file without a flight is not.
const LONG: usize = 1 << 15;

/// The last bytes of every PNG: the chunk `IEND`.
const END: [u8; 12] = *b"\0\0\0\0IEND\xae\x42\x60\x82";

/// What a picture remembers of the flock in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Settings, look and camera, as the text of a config file, with the flight if it has changes.
    pub config: String,
    /// The steps that lead from the start of those settings, or of the flight, to the flock in the picture; none if
    /// they do not.
    pub step: Option<u32>,
    /// Samples for each pixel; none if they are those of a frame.
    pub samples: Option<u32>,
}

/// Writes a picture of `width` × `height` pixels, `rgba` holding four sRGB bytes a pixel, rows from the top; alpha is
/// left out. `comment` is stored along with it, for instance the settings behind the picture, and so is `memory`, which
/// [`remembered`] reads again.
///
/// # Panics
/// When `rgba` is not `4 * width * height` bytes long.
pub fn write_png(
    out: &mut OutputFile,
    (width, height): (u32, u32),
    rgba: &[u8],
    comment: &str,
    memory: Option<&Memory>,
) -> Result<()> {
    assert_eq!(rgba.len() as u64, 4 * u64::from(width) * u64::from(height), "a picture of {width}x{height}");
    let path = out.path().to_owned();
    let fail = |e: png::EncodingError| -> Error { output(&path, e) };
    let mut rgb = Vec::with_capacity(rgba.len() / 4 * 3);
    rgba.chunks_exact(4).for_each(|pixel| rgb.extend_from_slice(&pixel[..3]));
    let mut file = BufWriter::new(out.file());
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.add_text_chunk("Software".into(), concat!("starlings ", env!("CARGO_PKG_VERSION")).into()).map_err(fail)?;
    encoder.add_itxt_chunk("Comment".into(), comment.into()).map_err(fail)?;
    if let Some(Memory { config, step, samples }) = memory {
        if config.len() < LONG {
            encoder.add_itxt_chunk(CONFIG.into(), config.clone()).map_err(fail)?;
        }
        for (keyword, number) in [(STEP, step), (SAMPLES, samples)] {
            if let Some(number) = number {
                encoder.add_itxt_chunk(keyword.into(), number.to_string()).map_err(fail)?;
            }
        }
    }
    let mut writer = encoder.write_header().map_err(fail)?;
    if let Some(Memory { config, .. }) = memory.filter(|memory| memory.config.len() >= LONG) {
        let mut text = ITXtChunk::new(CONFIG, config.clone());
        text.compressed = true;
        writer.write_text_chunk(&text).map_err(fail)?;
    }
    writer.write_image_data(&rgb).map_err(fail)?;
    writer.finish().map_err(fail)?;
    file.flush().map_err(|e| output(&path, e))
}

/// Reads the size in pixels of the PNG at `path`, and what it remembers. At most 18 MiB are read, texts are unpacked to
/// at most 16 MiB each, and no pixel is decoded.
///
/// # Errors
/// One line that says why there is nothing to be read: it is not a regular file, not a PNG, damaged, or not by this
/// program.
pub fn remembered(path: &Path) -> Result<((u32, u32), Memory), String> {
    let mut file = opened(path)?;
    let mut head = Vec::new();
    (&mut file).take(MOST_BYTES).read_to_end(&mut head).map_err(words)?;
    if !head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err("this is not a PNG picture".into());
    }
    let mut last = [0; END.len()];
    let read = file.seek(SeekFrom::End(-(END.len() as i64))).and_then(|_| file.read_exact(&mut last));
    if read.is_err() || last != END {
        return Err("this picture is cut off".into());
    }
    let mut options = png::DecodeOptions::default();
    // A text that is not as it was written is refused, not skipped.
    options.set_skip_ancillary_crc_failures(false);
    // Of no use here, and unpacked as they are met.
    options.set_ignore_iccp_chunk(true);
    let reader = png::Decoder::new_with_options(Cursor::new(head), options).read_info();
    let reader = reader.map_err(|error| format!("this picture is damaged: {error}"))?;
    let info = reader.info();
    let texts = || info.utf8_text.iter();
    let damaged = |error: png::DecodingError| format!("this picture is damaged: {error}");
    let text = |keyword: &str| -> Result<Option<String>, String> {
        let Some(mut text) = texts().find(|text| text.keyword == keyword).cloned() else { return Ok(None) };
        let long =
            || format!("its text '{keyword}' decodes to more than {MOST_LETTERS} bytes; accepted are at most as many");
        // A longer one is refused before it is whole.
        text.decompress_text_with_limit(MOST_LETTERS).map_err(|error| match error.to_string() {
            why if why.contains("space") => long(),
            _ => damaged(error),
        })?;
        let text = text.get_text().map_err(damaged)?;
        if text.len() > MOST_LETTERS { Err(long()) } else { Ok(Some(text)) }
    };
    let Some(config) = text(CONFIG)? else {
        return Err("this picture does not hold the settings of a flock".into());
    };
    let number = |keyword: &str, name: &str| {
        let number =
            text(keyword)?.map(|it| it.parse().map_err(|_| format!("this picture is damaged: its {name} is '{it}'")));
        number.transpose()
    };
    let (step, samples) = (number(STEP, "step")?, number(SAMPLES, "count of samples")?);
    Ok((info.size(), Memory { config, step, samples }))
}
