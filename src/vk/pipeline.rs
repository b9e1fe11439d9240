//! Compute and graphics pipelines.

use super::descriptors::SetLayout;
use super::device::Device;
use super::image::Format;
use super::layouts::{PipelineKey, ShaderStages, get_or};
use super::owned::Owned;
use crate::error::Result;
use ash::vk;
use barrier_proof::{Shader, Stage};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static PIPELINES: AtomicU64 = AtomicU64::new(0);

/// Pipelines made by this process so far.
pub fn pipelines_made() -> u64 {
    PIPELINES.load(Ordering::Relaxed)
}

pub use ash::vk::PipelineCreateFlags as PipelineFlags;
pub use ash::vk::VertexInputAttributeDescription as VertexAttribute;

/// A shader with an entry point `main`.
#[derive(Clone, Debug)]
pub struct ShaderModule {
    /// Name in profilers and errors.
    pub name: String,
    /// Name in a journal, where it tells builds of one shader apart.
    pub build: String,
    /// Valid SPIR-V.
    pub words: Vec<u32>,
}

impl ShaderModule {
    /// The module on the device. It need not outlive the creation of a pipeline.
    fn make(&self, device: &Arc<Device>) -> Result<Owned<vk::ShaderModule>> {
        let create = vk::ShaderModuleCreateInfo::default().code(&self.words);
        // SAFETY: the words are valid by the struct's contract.
        let made = unsafe { device.raw.create_shader_module(&create, None) };
        device.owned("vkCreateShaderModule", &self.build, made, ash::Device::destroy_shader_module)
    }
}

/// A pipeline of either kind.
pub(super) struct Pipeline {
    pub raw: Owned<vk::Pipeline>,
    pub layout: vk::PipelineLayout,
    /// What a journal says of it.
    pub shaders: Vec<Shader>,
}

impl Pipeline {
    /// The pipeline that a call created.
    fn of(
        device: &Arc<Device>,
        operation: &'static str,
        name: &str,
        (layout, shaders): (vk::PipelineLayout, Vec<Shader>),
        made: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
    ) -> Result<Self> {
        let made = made.map(|made| made[0]).map_err(|(_, result)| result);
        let raw = device.owned(operation, name, made, ash::Device::destroy_pipeline)?;
        PIPELINES.fetch_add(1, Ordering::Relaxed);
        Ok(Pipeline { raw, layout, shaders })
    }
}

/// A compute pipeline, with its kernel's name.
pub struct ComputePipeline(pub(super) Pipeline);

impl ComputePipeline {
    /// Builds a kernel, which sees `sets` and `push_bytes` bytes of push constants, with the value of each
    /// specialization constant 0, 1, … A value for a constant that the kernel does not have is ignored. Its subgroups
    /// are full.
    pub fn new(
        device: &Arc<Device>,
        module: &ShaderModule,
        sets: &[&SetLayout],
        push_bytes: u32,
        constants: &[u32],
    ) -> Result<Self> {
        Self::with_flags(device, module, sets, push_bytes, constants, PipelineFlags::empty())
    }

    /// The same, with flags: [`PipelineFlags::DISPATCH_BASE`] is for a kernel that may be dispatched in slices.
    pub fn with_flags(
        device: &Arc<Device>,
        module: &ShaderModule,
        sets: &[&SetLayout],
        push_bytes: u32,
        constants: &[u32],
        flags: PipelineFlags,
    ) -> Result<Self> {
        let (name, made) = (&module.name, module.make(device)?);
        let layout = pipeline_layout(device, name, sets, push_bytes, ShaderStages::COMPUTE)?;
        let entries = specialization_entries(constants);
        let specialization =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(constants));
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS)
            .specialization_info(&specialization)
            .module(*made)
            .name(c"main");
        let mut create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
        // Some drivers add bounds checks that were not requested, unless disabled. On an NVIDIA H200 a check is an
        // addition and a comparison for each load, 8 % of steer.
        let mut unchecked = vk::PipelineRobustnessCreateInfoEXT::default()
            .storage_buffers(vk::PipelineRobustnessBufferBehaviorEXT::DISABLED)
            .uniform_buffers(vk::PipelineRobustnessBufferBehaviorEXT::DISABLED)
            .vertex_inputs(vk::PipelineRobustnessBufferBehaviorEXT::DISABLED)
            .images(vk::PipelineRobustnessImageBehaviorEXT::DISABLED);
        if device.info.pipeline_robustness && !device.is_robust() {
            create = create.push_next(&mut unchecked);
        }
        // SAFETY: module, layout and cache belong to this device.
        let made = unsafe { device.raw.create_compute_pipelines(device.pipeline_cache.raw, &[create], None) };
        let shader =
            Shader { stage: Stage::COMPUTE_SHADER, module: module.build.clone(), constants: constants.to_vec() };
        Pipeline::of(device, "vkCreateComputePipelines", name, (layout, vec![shader]), made).map(ComputePipeline)
    }
}

/// Parameters of a [`GraphicsPipeline`].
#[derive(Clone, Copy)]
pub struct GraphicsInfo<'a> {
    /// Name in profilers.
    pub name: &'a str,
    /// The vertex shader.
    pub vertex: &'a ShaderModule,
    /// The fragment shader.
    pub fragment: &'a ShaderModule,
    /// Value of each specialization constant 0, 1, … of both stages. One that a stage does not have is ignored.
    pub constants: &'a [u32],
    /// Layouts of the shaders' descriptor sets.
    pub sets: &'a [&'a SetLayout],
    /// Bytes from one vertex of binding 0 to the next; 0 without a vertex buffer.
    pub vertex_stride: u32,
    /// Attributes of a vertex, in binding 0.
    pub attributes: &'a [VertexAttribute],
    /// Format of the color attachment, which fragments are blended into by their alpha. Without one, the fragment
    /// shader writes to buffers.
    pub color: Option<Format>,
    /// Samples in a pixel: a power of two.
    pub samples: u32,
    /// Whether the fragments' colors are already multiplied by their alpha.
    pub premultiplied: bool,
    /// Whether back-facing triangles are culled (front is counter-clockwise).
    pub cull_back: bool,
}

/// A graphics pipeline for triangle lists, with dynamic viewport and scissor.
pub struct GraphicsPipeline(pub(super) Pipeline);

impl GraphicsPipeline {
    /// Builds the pipeline.
    ///
    /// # Errors
    /// [`crate::Error::Vulkan`] naming the pipeline; [`crate::Error::Lacks`] on a device that was adopted for steps
    /// only.
    pub fn new(device: &Arc<Device>, info: &GraphicsInfo<'_>) -> Result<Self> {
        device.require_pictures()?;
        let (vertex, fragment) = (info.vertex.make(device)?, info.fragment.make(device)?);
        let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let layout = pipeline_layout(device, info.name, info.sets, 0, both)?;
        let entries = specialization_entries(info.constants);
        let specialization =
            vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(info.constants));
        let stage = |stage, module: vk::ShaderModule| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(stage)
                .specialization_info(&specialization)
                .module(module)
                .name(c"main")
        };
        let stages = [stage(vk::ShaderStageFlags::VERTEX, *vertex), stage(vk::ShaderStageFlags::FRAGMENT, *fragment)];
        let bindings = [vk::VertexInputBindingDescription::default().stride(info.vertex_stride)];
        let mut vertex_input = vk::PipelineVertexInputStateCreateInfo::default();
        if info.vertex_stride > 0 {
            vertex_input =
                vertex_input.vertex_binding_descriptions(&bindings).vertex_attribute_descriptions(info.attributes);
        }
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let rasterization = vk::PipelineRasterizationStateCreateInfo::default()
            .cull_mode(if info.cull_back { vk::CullModeFlags::BACK } else { vk::CullModeFlags::NONE })
            .front_face(vk::FrontFace::COUNTER_CLOCKWISE)
            .line_width(1.0);
        // The flag for a count is the count.
        let samples = vk::SampleCountFlags::from_raw(info.samples);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
        let blend = [vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(true)
            .src_color_blend_factor(if info.premultiplied { vk::BlendFactor::ONE } else { vk::BlendFactor::SRC_ALPHA })
            .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .src_alpha_blend_factor(vk::BlendFactor::ONE)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let colors: Vec<Format> = info.color.into_iter().collect();
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend[..colors.len()]);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&colors);
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&vertex_input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&rasterization)
            .multisample_state(&multisample)
            .color_blend_state(&blending)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut rendering);
        // SAFETY: modules, layout and cache belong to this device; every structure lives until the call returns.
        let made = unsafe { device.raw.create_graphics_pipelines(device.pipeline_cache.raw, &[create], None) };
        let shader = |stage, module: &ShaderModule| Shader {
            stage,
            module: module.build.clone(),
            constants: info.constants.to_vec(),
        };
        let shaders = vec![shader(Stage::VERTEX_SHADER, info.vertex), shader(Stage::FRAGMENT_SHADER, info.fragment)];
        Pipeline::of(device, "vkCreateGraphicsPipelines", info.name, (layout, shaders), made).map(GraphicsPipeline)
    }
}

/// The layout of the pipeline `name`, with `sets`, and `push_bytes` bytes of push constants for `stages`.
fn pipeline_layout(
    device: &Device,
    name: &str,
    sets: &[&SetLayout],
    push_bytes: u32,
    stages: ShaderStages,
) -> Result<vk::PipelineLayout> {
    let sets = sets.iter().map(|set| set.raw).collect();
    let key = PipelineKey { name: name.to_owned(), sets, push_bytes, stages };
    get_or(&device.layouts.pipelines, key, |key| {
        let push = [vk::PushConstantRange::default().stage_flags(stages).size(push_bytes)];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&key.sets);
        if push_bytes > 0 {
            create = create.push_constant_ranges(&push);
        }
        // SAFETY: the set layouts belong to this device, which keeps them.
        device.made("vkCreatePipelineLayout", name, unsafe { device.raw.create_pipeline_layout(&create, None) })
    })
}

/// The map entries of specialization constants 0, 1, … among these values.
fn specialization_entries(constants: &[u32]) -> Vec<vk::SpecializationMapEntry> {
    let entry = |id| vk::SpecializationMapEntry { constant_id: id, offset: 4 * id, size: 4 };
    (0..constants.len() as u32).map(entry).collect()
}
