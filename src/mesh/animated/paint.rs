//! Textures of a glTF file, as colors of vertices.

use super::super::gltf::json::{Color, Text, TextureUse};
use super::super::gltf::{File, at};
use glam::{Vec2, Vec3};
use image::{ImageReader, Limits};
use std::collections::HashMap;
use std::io::Cursor;

/// Pixels along an edge that are kept of a picture: vertices cannot show more.
const KEPT: u32 = 512;

/// Bytes of a decoded picture, at most. There is one at a time.
const MOST_BYTES: u64 = 256 << 20;

/// Pixels along an edge of a picture, at most.
const MOST_EDGE: u32 = 16_384;

/// The pictures of a file, each read once.
#[derive(Default)]
pub struct Paints {
    pictures: Vec<Picture>,
    /// Places in the list by the numbers of images; none for those that cannot be read.
    known: HashMap<u32, Option<usize>>,
    /// What of the colors was left out.
    pub notes: Vec<String>,
}

/// A picture in ever smaller copies, each of half the edges, in linear light.
struct Picture(Vec<(u32, u32, Vec<Vec3>)>);

/// A texture of a material.
#[derive(Clone, Copy)]
pub struct Paint {
    picture: usize,
    /// Which places of vertices it has.
    pub set: u32,
    offset: Vec2,
    scale: Vec2,
    turn: Vec2,
    wrap: [u32; 2],
}

/// The color of a material: a factor, and a texture that it is multiplied with.
pub struct Coloring {
    /// The factor.
    pub factor: Vec3,
    /// The texture.
    pub paint: Option<Paint>,
}

impl Paints {
    /// The color of a material, which may be none.
    pub fn of(&mut self, file: &File<'_>, material: Option<u32>) -> Result<Coloring, String> {
        let white = Coloring { factor: Vec3::ONE, paint: None };
        let Some(material) = material else { return Ok(white) };
        let material = at(&file.json.materials, material, "material")?;
        let specular = material.extensions.as_ref().and_then(|of| of.specular.as_ref());
        let Color { base_color_factor, base_color_texture } = specular.unwrap_or(&material.pbr_metallic_roughness);
        let [r, g, b, _] = base_color_factor.unwrap_or([1.0; 4]);
        let paint = match base_color_texture {
            Some(texture) => self.paint(file, texture)?,
            None => None,
        };
        Ok(Coloring { factor: Vec3::new(r, g, b), paint })
    }

    fn paint(&mut self, file: &File<'_>, texture: &TextureUse) -> Result<Option<Paint>, String> {
        let source = at(&file.json.textures, texture.index, "texture")?;
        let extensions = source.extensions.as_deref();
        let webp = extensions.and_then(|of| of.webp.as_ref()).map(|webp| webp.source);
        let Some(image) = webp.or(source.source) else {
            if extensions.is_some_and(|of| of.basisu.is_some()) {
                self.note(format!(
                    "texture {} is in the format of KHR_texture_basisu, which is not read",
                    texture.index
                ));
            }
            return Ok(None);
        };
        let picture = match self.known.get(&image) {
            Some(known) => *known,
            None => {
                let read = self.read(file, image);
                let read = read.map_err(|why| self.note(format!("image {image} {why}"))).ok();
                self.known.insert(image, read);
                read
            }
        };
        let sampler = source.sampler.and_then(|sampler| file.json.samplers.get(sampler as usize));
        let transform = texture.extensions.as_ref().and_then(|of| of.transform.as_ref());
        let (sin, cos) = transform.map_or(0.0, |of| of.rotation).sin_cos();
        Ok(picture.map(|picture| Paint {
            picture,
            set: transform.and_then(|of| of.tex_coord).unwrap_or(texture.tex_coord),
            offset: transform.map_or(Vec2::ZERO, |of| of.offset.into()),
            scale: transform.and_then(|of| of.scale).map_or(Vec2::ONE, Vec2::from),
            turn: Vec2::new(cos, sin),
            wrap: sampler.map_or([None; 2], |of| [of.wrap_s, of.wrap_t]).map(|wrap| wrap.unwrap_or(REPEAT)),
        }))
    }

    fn note(&mut self, text: String) {
        // A file of many such textures says it once for each of a few.
        if self.notes.len() < 5 {
            self.notes.push(text);
        }
    }

    /// The place of a picture in the list.
    fn read(&mut self, file: &File<'_>, number: u32) -> Result<usize, String> {
        let image = at(&file.json.images, number, "image")?;
        let of_uri = |Text(uri): &Text<'_>| file.resource(uri, &format!("image {number}"));
        let own = image.uri.as_ref().map(of_uri).transpose()?;
        let bytes = match (&own, image.buffer_view) {
            (Some(bytes), _) => bytes,
            (None, Some(view)) => file.view(view)?.0,
            (None, None) => return Err("has neither a file nor bytes".into()),
        };
        self.pictures.push(Picture::read(file, bytes)?);
        Ok(self.pictures.len() - 1)
    }

    /// The mean color of a picture around a place of a texture, about as far as `reach`.
    pub fn sample(&self, paint: &Paint, place: Vec2, reach: f32) -> Vec3 {
        let Paint { offset, scale, turn, wrap, .. } = *paint;
        let scaled = place * scale;
        // As KHR_texture_transform has it: y of a texture is down.
        let place = Vec2::new(turn.x * scaled.x + turn.y * scaled.y, turn.x * scaled.y - turn.y * scaled.x) + offset;
        let levels = &self.pictures[paint.picture].0;
        let pixels = reach * scale.abs().max_element() * levels[0].0.max(levels[0].1) as f32;
        let level = (pixels.max(1.0).log2() as usize).min(levels.len() - 1);
        let (width, height, colors) = &levels[level];
        let at = |x: f32, wrap: u32, count: u32| {
            let x = match wrap {
                CLAMP => x.clamp(0.0, 1.0),
                MIRROR => 1.0 - (x.rem_euclid(2.0) - 1.0).abs(),
                _ => x.rem_euclid(1.0),
            };
            ((x * count as f32) as usize).min(count as usize - 1)
        };
        colors[at(place.y, wrap[1], *height) * *width as usize + at(place.x, wrap[0], *width)]
    }
}

const REPEAT: u32 = 10_497;
const CLAMP: u32 = 33_071;
const MIRROR: u32 = 33_648;

impl Picture {
    /// The picture that a PNG, JPEG or WebP file has.
    fn read(file: &File<'_>, bytes: &[u8]) -> Result<Picture, String> {
        let mut reader =
            ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|error| error.to_string())?;
        if reader.format().is_none() {
            return Err("is neither PNG nor JPEG nor WebP".into());
        }
        let mut limits = Limits::default();
        (limits.max_image_width, limits.max_image_height) = (Some(MOST_EDGE), Some(MOST_EDGE));
        limits.max_alloc = Some(MOST_BYTES);
        reader.limits(limits);
        let picture = reader.decode().map_err(|error| {
            format!("cannot be decoded within {MOST_BYTES} bytes and {MOST_EDGE} pixels along an edge: {error}")
        })?;
        file.bounded.work(u64::from(picture.width()) * u64::from(picture.height()))?;
        let picture = picture.into_rgb8();
        let linear: Vec<f32> = (0..=255).map(|byte| linear(byte as f32 / 255.0)).collect();
        let (width, height) = (picture.width().min(KEPT), picture.height().min(KEPT));
        let cut = |k: u32, kept: u32, all: u32| u64::from(k) * u64::from(all) / u64::from(kept);
        let mut colors = Vec::with_capacity((width * height) as usize);
        for y in 0..height {
            for x in 0..width {
                let mut sum = Vec3::ZERO;
                let rows = cut(y, height, picture.height())..cut(y + 1, height, picture.height());
                let columns = cut(x, width, picture.width())..cut(x + 1, width, picture.width());
                let count = (rows.end - rows.start) * (columns.end - columns.start);
                for row in rows {
                    for column in columns.clone() {
                        let bytes = picture.get_pixel(column as u32, row as u32).0;
                        sum += Vec3::from(bytes.map(|byte| linear[usize::from(byte)]));
                    }
                }
                colors.push(sum / count as f32);
            }
        }
        let mut levels = vec![(width, height, colors)];
        while let Some((width, height, colors)) = levels.last().filter(|(width, height, _)| *width.max(height) > 1) {
            let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
            let at = |x: u32, y: u32| colors[(y.min(height - 1) * width + x.min(width - 1)) as usize];
            let mean = |k: u32| {
                let (x, y) = (k % half_width * 2, k / half_width * 2);
                (at(x, y) + at(x + 1, y) + at(x, y + 1) + at(x + 1, y + 1)) * 0.25
            };
            let halves = (0..half_width * half_height).map(mean).collect();
            levels.push((half_width, half_height, halves));
        }
        Ok(Picture(levels))
    }
}

/// From sRGB to linear light: IEC 61966-2-1.
fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}
