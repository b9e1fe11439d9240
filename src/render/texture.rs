//! A texture that the first frame which samples it fills.

use crate::error::Result;
use crate::vk::{
    Binding, Buffer, BufferInfo, BufferUsage, DescriptorSet, Device, Format, Image, ImageInfo, ImageRef, ImageUsage,
    MemoryLocation, Pass, Recorder, Resource, SetLayout,
};
use std::sync::Arc;

/// Parameters of a [`Texture`].
pub struct TextureInfo {
    /// Names of the image and of the buffer that it is filled from.
    pub names: [Resource; 2],
    /// Texels of the largest level: width and height.
    pub size: (u32, u32),
    /// Levels, each half as wide and half as high as the one before.
    pub levels: u32,
    /// Format of a texel.
    pub format: Format,
    /// Where shaders see it.
    pub binding: Binding,
    /// The pass that fills it.
    pub upload: Pass<'static>,
}

/// An image on the device, the buffer that it is filled from, and a set that has it alone.
pub struct Texture {
    info: TextureInfo,
    image: Image,
    texels: Buffer,
    /// The shape of its descriptor set.
    pub layout: SetLayout,
    /// Its descriptor set.
    pub set: DescriptorSet,
}

impl Texture {
    /// Makes the texture of these texels, one level after the other. Nothing is in it before [`Texture::upload`].
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, info: TextureInfo, texels: &[u8]) -> Result<Texture> {
        let [name, texels_name] = info.names.map(Resource::name);
        let image = ImageInfo {
            name,
            width: info.size.0,
            height: info.size.1,
            mip_levels: info.levels,
            format: info.format,
            usage: ImageUsage::TRANSFER_DST | ImageUsage::SAMPLED,
        };
        let image = Image::new(device, &image)?;
        let buffer = BufferInfo {
            name: texels_name,
            size: texels.len() as u64,
            usage: BufferUsage::TRANSFER_SRC,
            location: MemoryLocation::CpuToGpu,
        };
        let mut buffer = Buffer::new(device, &buffer)?;
        buffer.write(0, texels);
        let (layout, set) = DescriptorSet::sampling(device, name, info.binding, &image)?;
        Ok(Texture { info, image, texels: buffer, layout, set })
    }

    /// The image, for its dependencies.
    pub fn image(&self) -> ImageRef {
        self.image.reference(self.info.names[0])
    }

    /// Copies all levels into the image. The host has written the texels before the submission.
    pub fn upload(&self, rec: &mut Recorder<'_>) {
        let (width, height) = self.info.size;
        let texels: u64 =
            (0..self.info.levels).map(|level| u64::from(width >> level) * u64::from(height >> level)).sum();
        let bytes_a_texel = self.texels.size() / texels;
        let mut offset = 0;
        let levels: Vec<(u64, [u32; 2])> = (0..self.info.levels)
            .map(|level| {
                let (at, size) = (offset, [width >> level, height >> level]);
                offset += bytes_a_texel * u64::from(size[0]) * u64::from(size[1]);
                (at, size)
            })
            .collect();
        rec.pass(&self.info.upload, |rec| rec.copy_buffer_to_image(&self.texels, self.image(), &levels));
    }
}
