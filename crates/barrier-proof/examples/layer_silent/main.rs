//! Hazards that synchronization validation does not report, each with a program of a few commands: for reports to the
//! Khronos validation layer. `docs/synchronization/layer.md` says of each what the specification requires.
//!
//! `cargo run -p barrier-proof --example layer_silent` prints what the layer reports of each program, and of the same
//! program without the barrier that hides the hazard.

use ash::{ext, vk};
use std::ffi::{CStr, c_void};
use std::sync::Mutex;
use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// A kernel: `buffer A { uint a[]; }; void main() { a[gl_GlobalInvocationID.x] += 1; }`, in workgroups of one.
const ADD_ONE: &[u8] = include_bytes!("add_one.comp.spv");

/// The names of the messages.
static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());

unsafe extern "system" fn note(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    _: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer gives a message with a name.
    let name = unsafe { (*data).message_id_name_as_c_str() };
    SAID.lock().expect("no panic before").push(name.map_or_else(String::new, |name| name.to_string_lossy().into()));
    vk::FALSE
}

/// What the programs use.
struct Objects {
    device: ash::Device,
    a: vk::Buffer,
    b: vk::Buffer,
    image: vk::Image,
    other: vk::Image,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    kernel: vk::Pipeline,
}

type Masks = (Stage, Access, Stage, Access);

impl Objects {
    fn barrier(&self, commands: vk::CommandBuffer, (from, made, to, seen): Masks) {
        let barrier = vk::MemoryBarrier2::default().src_stage_mask(from).src_access_mask(made);
        let barriers = [barrier.dst_stage_mask(to).dst_access_mask(seen)];
        // SAFETY: the commands are being recorded, as in all of these.
        unsafe {
            let info = vk::DependencyInfo::default().memory_barriers(&barriers);
            self.device.cmd_pipeline_barrier2(commands, &info);
        }
    }

    /// The fill is in order with what `ALL_GRAPHICS` has: not with a copy, which reads it.
    fn all_graphics(&self, commands: vk::CommandBuffer, hidden: bool) {
        let to = if hidden { Stage::ALL_GRAPHICS } else { Stage::FRAGMENT_SHADER };
        let region = [vk::BufferCopy::default().size(64)];
        // SAFETY: as above.
        unsafe {
            self.device.cmd_fill_buffer(commands, self.a, 0, 64, 1);
            self.barrier(commands, (Stage::CLEAR, Access::TRANSFER_WRITE, to, Access::MEMORY_READ));
            self.device.cmd_copy_buffer(commands, self.a, self.b, &region);
        }
    }

    /// What the clear wrote is visible to copies. A blit comes after the copy, but nothing makes it visible to blits.
    fn later_read(&self, commands: vk::CommandBuffer, hidden: bool) {
        let (general, color) = (vk::ImageLayout::GENERAL, vk::ImageAspectFlags::COLOR);
        let range =
            [vk::ImageSubresourceRange { aspect_mask: color, level_count: 1, layer_count: 1, ..Default::default() }];
        let layers = vk::ImageSubresourceLayers { aspect_mask: color, layer_count: 1, ..Default::default() };
        let extent = vk::Extent3D { width: 4, height: 4, depth: 1 };
        let copy = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent)];
        let corners = [vk::Offset3D::default(), vk::Offset3D { x: 4, y: 4, z: 1 }];
        let blit = vk::ImageBlit::default().src_subresource(layers).src_offsets(corners);
        let blit = [blit.dst_subresource(layers).dst_offsets(corners)];
        // SAFETY: as above.
        unsafe {
            self.device.cmd_clear_color_image(commands, self.image, general, &vk::ClearColorValue::default(), &range);
            self.barrier(commands, (Stage::CLEAR, Access::TRANSFER_WRITE, Stage::COPY, Access::TRANSFER_READ));
            if hidden {
                self.device.cmd_copy_image_to_buffer(commands, self.image, general, self.b, &copy);
            }
            self.barrier(commands, (Stage::COPY, Access::NONE, Stage::BLIT, Access::NONE));
            let nearest = vk::Filter::NEAREST;
            self.device.cmd_blit_image(commands, self.image, general, self.other, general, &blit, nearest);
        }
    }

    /// The kernel reads what the fill wrote, which is visible to its writes only.
    fn unseen_read(&self, commands: vk::CommandBuffer, hidden: bool) {
        let point = vk::PipelineBindPoint::COMPUTE;
        let seen = if hidden { Access::SHADER_STORAGE_WRITE } else { Access::NONE };
        // SAFETY: as above.
        unsafe {
            self.device.cmd_fill_buffer(commands, self.a, 0, 64, 1);
            self.barrier(commands, (Stage::CLEAR, Access::TRANSFER_WRITE, Stage::COMPUTE_SHADER, seen));
            self.device.cmd_bind_pipeline(commands, point, self.kernel);
            self.device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            self.device.cmd_dispatch(commands, 16, 1, 1);
        }
    }
}

fn main() -> Result<(), vk::Result> {
    // SAFETY: the calls are as the specification has them. Objects are not destroyed: the process ends.
    unsafe {
        let Ok(entry) = ash::Entry::load() else {
            eprintln!("SKIPPED: there is no Vulkan loader");
            return Ok(());
        };
        let layers = entry.enumerate_instance_layer_properties()?;
        let Some(layer) = layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(LAYER)) else {
            eprintln!("SKIPPED: the validation layer is not installed");
            return Ok(());
        };
        let version = layer.spec_version;
        println!("layer 1.{}.{}", vk::api_version_minor(version), vk::api_version_patch(version));
        let yes = 1u32.to_ne_bytes();
        let settings = [c"validate_sync", c"syncval_shader_accesses_heuristic"].map(|name| {
            let setting = vk::LayerSettingEXT::default().layer_name(LAYER).setting_name(name).values(&yes);
            vk::LayerSettingEXT { value_count: 1, ..setting.ty(vk::LayerSettingTypeEXT::BOOL32) }
        });
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let mut messenger = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(note));
        let (layers, extensions) = ([LAYER.as_ptr()], [ext::debug_utils::NAME.as_ptr()]);
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&application).enabled_layer_names(&layers);
        let create = create.enabled_extension_names(&extensions).push_next(&mut settings).push_next(&mut messenger);
        let instance = entry.create_instance(&create, None)?;
        let create = vk::DebugUtilsMessengerCreateInfoEXT { p_next: std::ptr::null(), ..messenger };
        ext::debug_utils::Instance::new(&entry, &instance).create_debug_utils_messenger(&create, None)?;
        let physical = instance.enumerate_physical_devices()?[0];
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut features = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
        let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
        let device = instance.create_device(physical, &create, None)?;
        let memory = instance.get_physical_device_memory_properties(physical);
        let allocate = |needs: vk::MemoryRequirements| {
            let fits = (0..memory.memory_type_count).find(|at| needs.memory_type_bits >> at & 1 == 1).unwrap_or(0);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(fits);
            device.allocate_memory(&info, None)
        };
        let buffer = || {
            let usage = vk::BufferUsageFlags::TRANSFER_SRC
                | vk::BufferUsageFlags::TRANSFER_DST
                | vk::BufferUsageFlags::STORAGE_BUFFER;
            let made = device.create_buffer(&vk::BufferCreateInfo::default().size(64).usage(usage), None)?;
            device.bind_buffer_memory(made, allocate(device.get_buffer_memory_requirements(made))?, 0)?;
            Ok::<_, vk::Result>(made)
        };
        let image = || {
            let create = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(vk::Format::R8G8B8A8_UNORM)
                .extent(vk::Extent3D { width: 4, height: 4, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
            let made = device.create_image(&create, None)?;
            device.bind_image_memory(made, allocate(device.get_image_memory_requirements(made))?, 0)?;
            Ok::<_, vk::Result>(made)
        };
        let (a, b, first, other) = (buffer()?, buffer()?, image()?, image()?);
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let sets = [device
            .create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding), None)?];
        let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 1 }];
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = device.create_descriptor_pool(&pool, None)?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&sets);
        let set = device.allocate_descriptor_sets(&info)?[0];
        let whole = [vk::DescriptorBufferInfo { buffer: a, offset: 0, range: vk::WHOLE_SIZE }];
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(vk::DescriptorType::STORAGE_BUFFER);
        device.update_descriptor_sets(&[write.buffer_info(&whole)], &[]);
        let layout =
            device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&sets), None)?;
        let words: Vec<u32> =
            ADD_ONE.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None)?;
        let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE);
        let create = vk::ComputePipelineCreateInfo::default().stage(stage.module(module).name(c"main")).layout(layout);
        let kernel =
            device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None).map_err(|(_, e)| e)?[0];
        let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
        let objects = Objects { device: device.clone(), a, b, image: first, other, layout, set, kernel };
        let queue = device.get_device_queue(0, 0);
        let submit = |record: &dyn Fn(vk::CommandBuffer)| {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            record(commands);
            device.end_command_buffer(commands)?;
            let infos = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
            let submit = vk::SubmitInfo2::default().command_buffer_infos(&infos);
            device.queue_submit2(queue, &[submit], vk::Fence::null())?;
            device.queue_wait_idle(queue)
        };
        submit(&|commands| {
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: 1,
                layer_count: 1,
                ..Default::default()
            };
            let begin = [first, other].map(|image| {
                let barrier = vk::ImageMemoryBarrier2::default().image(image).subresource_range(range);
                barrier.new_layout(vk::ImageLayout::GENERAL)
            });
            device.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&begin));
        })?;
        type Program = fn(&Objects, vk::CommandBuffer, bool);
        let programs: [(&str, Program); 3] = [
            ("all-graphics", Objects::all_graphics),
            ("later-read", Objects::later_read),
            ("unseen-read", Objects::unseen_read),
        ];
        for (name, program) in programs {
            for hidden in [true, false] {
                SAID.lock().expect("no panic before").clear();
                submit(&|commands| program(&objects, commands, hidden))?;
                let mut said = SAID.lock().expect("no panic before").clone();
                said.sort();
                said.dedup();
                let said = if said.is_empty() { "nothing".to_owned() } else { said.join(", ") };
                println!("{name}, {}: {said}", if hidden { "hidden" } else { "in the open" });
            }
        }
        Ok(())
    }
}
