//! The JSON of a glTF file: what is read of it. All else is passed over, whatever it is.

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// A text that stays in the file where it can: a buffer may be one.
#[derive(Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// What extensions say, wherever they do.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Extensions {
    #[serde(rename = "KHR_node_visibility")]
    pub visibility: Option<Visibility>,
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<IgnoredAny>,
    #[serde(rename = "EXT_meshopt_compression", alias = "KHR_meshopt_compression")]
    #[cfg_attr(not(feature = "meshopt"), allow(dead_code))]
    pub meshopt: Option<Meshopt>,
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub specular: Option<Color>,
    #[serde(rename = "KHR_texture_transform")]
    pub transform: Option<Transform>,
    #[serde(rename = "EXT_texture_webp")]
    pub webp: Option<TextureSource>,
    #[serde(rename = "KHR_texture_basisu")]
    pub basisu: Option<IgnoredAny>,
}

/// The file.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Root<'a> {
    pub extensions_required: Vec<String>,
    pub scene: Option<u32>,
    pub scenes: Vec<Scene>,
    pub nodes: Vec<Node>,
    pub meshes: Vec<Mesh>,
    pub accessors: Vec<Accessor>,
    pub buffer_views: Vec<View>,
    #[serde(borrow)]
    pub buffers: Vec<Buffer<'a>>,
    pub skins: Vec<Skin>,
    pub animations: Vec<Animation>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub samplers: Vec<TextureSampler>,
    #[serde(borrow)]
    pub images: Vec<Image<'a>>,
}

/// Only the version, of a file that may be of another one.
#[derive(Deserialize)]
pub struct Versioned {
    pub asset: Asset,
}

#[derive(Deserialize)]
pub struct Asset {
    /// Text, but a number in files before 2.0.
    pub version: serde_json::Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Scene {
    pub nodes: Vec<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Node {
    pub children: Vec<u32>,
    pub mesh: Option<u32>,
    pub skin: Option<u32>,
    pub matrix: Option<Box<[f32; 16]>>,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
    pub weights: Option<Vec<f32>>,
    pub extensions: Option<Box<Extensions>>,
}

#[derive(Deserialize)]
pub struct Visibility {
    #[serde(default = "yes")]
    pub visible: bool,
}

fn yes() -> bool {
    true
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Mesh {
    pub primitives: Vec<Primitive>,
    pub weights: Option<Vec<f32>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Primitive {
    pub attributes: Attributes,
    pub indices: Option<u32>,
    pub material: Option<u32>,
    /// Triangles, unless it says so.
    pub mode: Option<u32>,
    pub targets: Vec<Attributes>,
    pub extensions: Option<Box<Extensions>>,
}

/// The accessors of those attributes that are read, by their names.
#[derive(Default)]
pub struct Attributes(Vec<(String, u32)>);

impl Attributes {
    /// The accessor of the attribute of this name.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, accessor)| *accessor)
    }
}

impl<'de> Deserialize<'de> for Attributes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Attributes, D::Error> {
        struct Names;

        impl<'de> Visitor<'de> for Names {
            type Value = Attributes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("attributes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attributes, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    let read = ["POSITION", "NORMAL", "TEXCOORD_", "COLOR_0", "JOINTS_", "WEIGHTS_"];
                    if read.iter().any(|known| name.starts_with(known)) {
                        all.push((name, map.next_value()?));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Attributes(all))
            }
        }

        from.deserialize_map(Names)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Accessor {
    pub buffer_view: Option<u32>,
    #[serde(default)]
    pub byte_offset: u64,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: u64,
    #[serde(rename = "type")]
    pub shape: Shape,
    pub sparse: Option<Box<Sparse>>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Shape {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat4,
    #[serde(other)]
    Other,
}

impl Shape {
    /// Numbers of an element.
    pub fn width(self) -> usize {
        match self {
            Shape::Scalar => 1,
            Shape::Vec2 => 2,
            Shape::Vec3 => 3,
            Shape::Vec4 => 4,
            Shape::Mat4 => 16,
            Shape::Other => 0,
        }
    }
}

#[derive(Deserialize)]
pub struct Sparse {
    pub count: u64,
    pub indices: SparsePart,
    pub values: SparsePart,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparsePart {
    pub buffer_view: u32,
    #[serde(default)]
    pub byte_offset: u64,
    #[serde(default)]
    pub component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    pub buffer: u32,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: Option<u64>,
    #[serde(default)]
    #[cfg_attr(not(feature = "meshopt"), allow(dead_code))]
    pub extensions: Option<Box<Extensions>>,
}

/// How a view is compressed.
#[cfg_attr(not(feature = "meshopt"), allow(dead_code))]
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Meshopt {
    pub buffer: u32,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    pub byte_stride: u64,
    pub count: u64,
    pub mode: Mode,
    #[serde(default)]
    pub filter: Filter,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Filter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Buffer<'a> {
    #[serde(borrow)]
    pub uri: Option<Text<'a>>,
    pub byte_length: u64,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Skin {
    pub joints: Vec<u32>,
    pub inverse_bind_matrices: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Animation {
    pub name: Option<String>,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Deserialize)]
pub struct Channel {
    pub sampler: u32,
    pub target: Target,
}

#[derive(Deserialize)]
pub struct Target {
    /// None if an extension says what moves.
    pub node: Option<u32>,
    pub path: Property,
}

/// What of a node moves.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
pub struct Sampler {
    pub input: u32,
    pub output: u32,
    #[serde(default)]
    pub interpolation: Interpolation,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum Interpolation {
    #[default]
    Linear,
    Step,
    CubicSpline,
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Material {
    pub pbr_metallic_roughness: Color,
    pub extensions: Option<Box<Extensions>>,
}

/// The color of a material: of the usual model, or of that of an extension.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Color {
    #[serde(alias = "diffuseFactor")]
    pub base_color_factor: Option<[f32; 4]>,
    #[serde(alias = "diffuseTexture")]
    pub base_color_texture: Option<TextureUse>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextureUse {
    pub index: u32,
    #[serde(default)]
    pub tex_coord: u32,
    #[serde(default)]
    pub extensions: Option<Box<Extensions>>,
}

/// How places in a texture move before they are looked up.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Transform {
    pub offset: [f32; 2],
    pub rotation: f32,
    pub scale: Option<[f32; 2]>,
    pub tex_coord: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Texture {
    pub source: Option<u32>,
    pub sampler: Option<u32>,
    pub extensions: Option<Box<Extensions>>,
}

#[derive(Deserialize)]
pub struct TextureSource {
    pub source: u32,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct TextureSampler {
    pub wrap_s: Option<u32>,
    pub wrap_t: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Image<'a> {
    #[serde(borrow)]
    pub uri: Option<Text<'a>>,
    pub buffer_view: Option<u32>,
}

/// Bytes at most that the structures above take for this text: by its objects, lists and numbers, which are counted
/// before any of them is made.
pub fn cost(text: &[u8]) -> u64 {
    let (mut cost, mut in_string, mut is_escaped) = (0u64, false, false);
    for &byte in text {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => cost += 256,
            b'[' => cost += 64,
            b',' => cost += 8,
            _ => {}
        }
    }
    cost
}
