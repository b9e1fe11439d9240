//! The analysis of shared variables against the validation layer's, which instruments kernels and watches them run
//! (GPU-AV): it must report no race that the analysis does not, but for one false alarm.

#[path = "../examples/pingpong/gpu.rs"]
#[allow(dead_code, reason = "the example needs more of it")]
mod gpu;
mod kernels;

use ash::vk;
use gpu::Gpu;
use kernels::Own;
use std::collections::BTreeSet;
use std::process::Command;

/// What has the layer instrument kernels, and only for this.
const SETTINGS: [(&str, &str); 5] = [
    ("VK_LAYER_GPUAV_ENABLE", "1"),
    ("VK_LAYER_GPUAV_SHARED_MEMORY_DATA_RACE", "1"),
    ("VK_LAYER_GPUAV_BUFFERS_VALIDATION", "0"),
    ("VK_LAYER_GPUAV_DESCRIPTOR_CHECKS", "0"),
    ("VK_LAYER_VALIDATE_SYNC", "0"),
];

/// Kernels in which not all invocations reach a barrier: a device may wait for them without end.
const MAY_HANG: [&str; 7] = [
    "barrier_of_a_half",
    "early_return",
    "barrier_in_own_loop",
    "broken_loop",
    "subgroups_differ",
    "by_what_a_loop_left",
    "unseen_spin",
];

/// Correct kernels of which the layer reports a race. A memory barrier before a control barrier releases for it, and
/// one after it acquires (Memory Model, "Synchronizes-With"); the layer takes the semantics of the control barrier
/// alone.
const FALSE_ALARMS: [&str; 1] = ["ok_memory_barriers"];

/// The shared variables of the kernels.
const SHARED: [&str; 3] = ["s", "t", "one"];

#[test]
#[ignore = "long: 30 kernels, each instrumented and compiled"]
fn the_layer_reports_no_race_of_shared_variables_that_the_analysis_does_not() {
    if std::env::var_os(SETTINGS[1].0).is_none() {
        let name = "the_layer_reports_no_race_of_shared_variables_that_the_analysis_does_not";
        let program = std::env::current_exe().expect("it runs");
        let mut command = Command::new(program);
        let status = command.args(["--ignored", "--exact", "--nocapture", name]).envs(SETTINGS).status();
        return assert!(status.expect("it starts").success(), "see above");
    }
    // SAFETY: a loader that is well behaved.
    let Ok(entry) = (unsafe { ash::Entry::load() }) else { return eprintln!("SKIPPED: there is no Vulkan loader") };
    let Ok(gpu) = Gpu::new(entry) else { return eprintln!("SKIPPED: there is no device") };
    if !gpu.validating {
        return eprintln!("SKIPPED: the validation layer is not installed");
    }
    let own = Own::read();
    let (mut by_both, mut ours_only, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for &module in own.0.keys().filter(|module| !MAY_HANG.contains(module)) {
        let found = own.check(module, [4, 1, 1]).0;
        let is_shared = |said: &String| SHARED.iter().any(|name| said.contains(&format!(" {name} and another")));
        let ours = found.iter().any(is_shared);
        let theirs = run(&gpu, &own.0[module]).expect("it runs");
        match (ours, theirs) {
            (true, true) => by_both.push(module),
            (true, false) => ours_only.push(module),
            (false, true) => wrong.push(module),
            (false, false) => {}
        }
    }
    println!("by both: {by_both:?}\nby the analysis alone: {ours_only:?}\nby the layer alone: {wrong:?}");
    assert_eq!(wrong, FALSE_ALARMS);
    assert!(by_both.len() >= 7, "{by_both:?}");
}

/// Whether the layer reports a race while four workgroups of this kernel run.
fn run(gpu: &Gpu, words: &[u32]) -> Result<bool, vk::Result> {
    let (device, stages) = (&gpu.device, vk::ShaderStageFlags::COMPUTE);
    gpu.messages.lock().expect("no panic before").clear();
    let buffers: BTreeSet<u32> = (0..3).collect();
    // SAFETY: the calls are as the specification has them; what they make lives as long as the device.
    unsafe {
        let binding = |at: &u32| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(*at)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(stages)
        };
        let bindings: Vec<_> = buffers.iter().map(binding).collect();
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let layout = device.create_descriptor_set_layout(&create, None)?;
        let layout = [gpu.owns(layout, ash::Device::destroy_descriptor_set_layout)];
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 3 }];
        let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = gpu.owns(device.create_descriptor_pool(&create, None)?, ash::Device::destroy_descriptor_pool);
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layout);
        let set = device.allocate_descriptor_sets(&info)?[0];
        for at in buffers {
            let buffer = gpu.buffer("values", 4096, vk::BufferUsageFlags::STORAGE_BUFFER)?;
            let whole = [vk::DescriptorBufferInfo { buffer: buffer.raw, offset: 0, range: vk::WHOLE_SIZE }];
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(at).buffer_info(&whole);
            device.update_descriptor_sets(&[write.descriptor_type(vk::DescriptorType::STORAGE_BUFFER)], &[]);
        }
        let push = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: 4 }];
        let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layout).push_constant_ranges(&push);
        let layout = gpu.owns(device.create_pipeline_layout(&create, None)?, ash::Device::destroy_pipeline_layout);
        let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None)?;
        let module = gpu.owns(module, ash::Device::destroy_shader_module);
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(stages).module(module).name(c"main");
        let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None);
        let pipeline = gpu.owns(made.map_err(|(_, error)| error)?[0], ash::Device::destroy_pipeline);
        let create = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family);
        let pool = gpu.owns(device.create_command_pool(&create, None)?, ash::Device::destroy_command_pool);
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = device.allocate_command_buffers(&info)?[0];
        let point = vk::PipelineBindPoint::COMPUTE;
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
        device.cmd_bind_pipeline(commands, point, pipeline);
        device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        device.cmd_push_constants(commands, layout, stages, 0, &2u32.to_ne_bytes());
        device.cmd_dispatch(commands, 4, 1, 1);
        device.end_command_buffer(commands)?;
        let infos = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
        let submit = vk::SubmitInfo2::default().command_buffer_infos(&infos);
        device.queue_submit2(gpu.queue, &[submit], vk::Fence::null())?;
        device.queue_wait_idle(gpu.queue)?;
    }
    let messages = gpu.messages.lock().expect("no panic before");
    Ok(messages.iter().any(|message| message.text.contains("data race")))
}
