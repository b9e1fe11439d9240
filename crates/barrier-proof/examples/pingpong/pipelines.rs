//! The two pipelines, and the descriptor sets that they share.

use super::gpu::{Buffer, Gpu};
use ash::vk;
use barrier_proof::{Shader, Stage};

/// A pipeline, and what a journal says of it.
pub struct Pipeline {
    pub raw: vk::Pipeline,
    pub shaders: Vec<Shader>,
}

/// The words of a module that is built in, by its name. `glslc -O --target-env=vulkan1.3` made them of the files beside
/// this one.
pub fn words(module: &str) -> Option<Vec<u32>> {
    let bytes: &[u8] = match module {
        "diffuse.comp" => include_bytes!("diffuse.comp.spv"),
        "screen.vert" => include_bytes!("screen.vert.spv"),
        "heat.frag" => include_bytes!("heat.frag.spv"),
        _ => return None,
    };
    Some(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// What a field is read from at binding 0 and written to at binding 1: a layout of pipelines, and a set for each
/// direction.
pub fn sets(gpu: &Gpu, fields: &[Buffer; 2]) -> Result<(vk::PipelineLayout, [vk::DescriptorSet; 2]), vk::Result> {
    let device = &gpu.device;
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let stages = vk::ShaderStageFlags::COMPUTE | vk::ShaderStageFlags::FRAGMENT;
    let binding = |at| {
        vk::DescriptorSetLayoutBinding::default()
            .binding(at)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(stages)
    };
    // SAFETY: all that is named here is of this device, and lives until the calls return.
    unsafe {
        let bindings = [binding(0), binding(1)];
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let of_set =
            gpu.owns(device.create_descriptor_set_layout(&create, None)?, ash::Device::destroy_descriptor_set_layout);
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(std::slice::from_ref(&of_set));
        let layout = gpu.owns(device.create_pipeline_layout(&create, None)?, ash::Device::destroy_pipeline_layout);
        let sizes = [vk::DescriptorPoolSize::default().ty(kind).descriptor_count(4)];
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes);
        let pool = gpu.owns(device.create_descriptor_pool(&create, None)?, ash::Device::destroy_descriptor_pool);
        let layouts = [of_set; 2];
        let allocate = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let sets = device.allocate_descriptor_sets(&allocate)?;
        for (from, &set) in sets.iter().enumerate() {
            let info = [from, 1 - from]
                .map(|of| vk::DescriptorBufferInfo::default().buffer(fields[of].raw).range(vk::WHOLE_SIZE));
            let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(kind).buffer_info(&info);
            device.update_descriptor_sets(&[write], &[]);
        }
        Ok((layout, [sets[0], sets[1]]))
    }
}

/// The kernel of diffusion.
pub fn diffuse(gpu: &Gpu, layout: vk::PipelineLayout) -> Result<Pipeline, vk::Result> {
    let (stage, shader) = stage(gpu, "diffuse.comp", vk::ShaderStageFlags::COMPUTE, Stage::COMPUTE_SHADER)?;
    let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    // SAFETY: all that is named here is of this device.
    let made = unsafe { gpu.device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None) };
    let raw = gpu.owns(made.map_err(|(_, error)| error)?[0], ash::Device::destroy_pipeline);
    Ok(Pipeline { raw, shaders: vec![shader] })
}

/// What draws the heat into a picture of this format.
pub fn heat(gpu: &Gpu, layout: vk::PipelineLayout, format: vk::Format) -> Result<Pipeline, vk::Result> {
    let (vertex, first) = stage(gpu, "screen.vert", vk::ShaderStageFlags::VERTEX, Stage::VERTEX_SHADER)?;
    let (fragment, second) = stage(gpu, "heat.frag", vk::ShaderStageFlags::FRAGMENT, Stage::FRAGMENT_SHADER)?;
    let stages = [vertex, fragment];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let rasterization = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blend = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default()
        .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
    let formats = [format];
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let create = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&rasterization)
        .multisample_state(&multisample)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .push_next(&mut rendering);
    // SAFETY: all that is named here is of this device.
    let made = unsafe { gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
    let raw = gpu.owns(made.map_err(|(_, error)| error)?[0], ash::Device::destroy_pipeline);
    Ok(Pipeline { raw, shaders: vec![first, second] })
}

fn stage(
    gpu: &Gpu,
    module: &str,
    flags: vk::ShaderStageFlags,
    stage: Stage,
) -> Result<(vk::PipelineShaderStageCreateInfo<'static>, Shader), vk::Result> {
    let words = words(module).ok_or(vk::Result::ERROR_INVALID_SHADER_NV)?;
    let create = vk::ShaderModuleCreateInfo::default().code(&words);
    // SAFETY: the words are valid SPIR-V.
    let raw = gpu.owns(unsafe { gpu.device.create_shader_module(&create, None) }?, ash::Device::destroy_shader_module);
    let info = vk::PipelineShaderStageCreateInfo::default().stage(flags).module(raw).name(c"main");
    Ok((info, Shader { stage, module: module.to_owned(), constants: Vec::new() }))
}
