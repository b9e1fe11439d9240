//! A program with its own Vulkan device that steps a flock in its own command buffer.
//!
//! The program creates instance, device, queue and command buffer with `ash`, as `starlings` requires. Each frame it
//! records a step of 20,000 boids and, after it, a compute pass of its own, `embed.comp`, which reads the boids in
//! place. `starlings` submits and waits only while the flock is set up.
//!
//! ```sh
//! cargo run --release --example embed
//! ```
//!
//! If the validation layer is installed, it is on, with synchronization validation, and should report nothing.

use ash::{ext, vk};
use starlings::barrier_proof::{Conflict, check};
use starlings::flock::buffers::{POSITION_VX, VELOCITY_YZ};
use starlings::vk::{Access, Buffer, Dependency, Hazard, Journal, Pass, RecordOptions, Resource, Stage, Use};
use starlings::{AFTER_STEPS, BEFORE_STEPS, record_steps};
use starlings::{Device, Enabled, Flock, HostDevice, Recorder, Requirements, Settings};
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex};

const BOIDS: u32 = 20_000;
const FRAMES: u32 = 120;

fn main() -> Result<(), Box<dyn Error>> {
    let host = Host::new(Requirements::for_steps())?;
    println!("{}, {}", host.name(), if host.validates() { "validated" } else { "without the validation layer" });
    let flown = fly(&host, FRAMES)?;
    let [x, y, z] = flown.measured.mean_velocity;
    println!("after {FRAMES} steps, {BOIDS} boids fly at ({x:.4}, {y:.4}, {z:.4}) on average");
    println!("and {} of them are in the middle eighth of their world", flown.measured.in_box);
    println!("{} conflicts in the synchronization of two frames", flown.conflicts.len());
    let messages = host.close();
    println!("{} messages of the validation layer", messages.len());
    if flown.conflicts.is_empty() && messages.is_empty() { Ok(()) } else { Err("not clean".into()) }
}

/// Results of a few frames.
pub struct Flown {
    /// What the last frame measured.
    pub measured: Measured,
    /// Synchronization faults of two consecutive frames, from their journals.
    pub conflicts: Vec<Conflict>,
    /// The state of the boids.
    pub state: starlings::flock::BoidState,
}

/// Steps a flock for `frames` frames, and measures it in each.
pub fn fly(host: &Host, frames: u32) -> Result<Flown, Box<dyn Error>> {
    // SAFETY: the host keeps its device until after this function, uses the queue in this thread only, and waits for
    // every frame before anything of the flock is dropped.
    let device = unsafe { Device::adopt(&host.handles()) }?;
    let settings = Settings::preset("reynolds")?.with_boids(BOIDS);
    let mut flock = Flock::new(&device, &settings, 1)?;
    let measure = Measure::new(host, &flock)?;
    let mut journals = Vec::new();
    for frame in 0..frames {
        let commands = host.begin()?;
        // Two frames are enough: the same dependencies are between any two consecutive frames.
        let options = RecordOptions { journal: frame < 2, ..RecordOptions::default() };
        // SAFETY: the commands are in the recording state, and submitted once, to the queue of the adopted device.
        let rec = unsafe { Recorder::adopt(&device, commands, options) };
        journals.extend(record(rec, &mut flock, || measure.record(commands))?);
        host.submit_and_wait(commands)?;
    }
    let flown =
        Flown { measured: measure.read(), conflicts: check(&journals).into_iter().collect(), state: flock.state()? };
    measure.destroy();
    Ok(flown)
}

/// One frame in the host's command buffer: a step of the flock, then the host's own pass.
pub fn record(mut rec: Recorder<'_>, flock: &mut Flock, measure: impl FnOnce()) -> starlings::Result<Option<Journal>> {
    // The one frame in flight has slot 0.
    let steps = flock.prepare_steps(0, 1);

    // WAR: measure → steer. The previous frame has read the state that this step writes.
    rec.barrier(BEFORE_STEPS);
    record_steps(&mut rec, flock, &steps);

    // RAW: steer → measure.
    rec.barrier(AFTER_STEPS);
    rec.pass(&MEASURE, |_| measure());

    // RAW: measure → the host, which reads the result after the fence.
    rec.barrier(Dependency {
        name: "measure-to-host",
        hazards: &[Hazard::Raw, Hazard::Host],
        guards: &[&[MEASURED]],
        relies_on: &[],
        src_stage: Stage::COMPUTE_SHADER,
        src_access: Access::SHADER_STORAGE_WRITE,
        dst_stage: Stage::HOST,
        dst_access: Access::HOST_READ,
        reason: "A fence makes nothing visible to the host.",
    });
    rec.host_reads(MEASURED);
    rec.finish()
}

const MEASURED: Resource = Resource::new("measured");

/// The host's pass, as listed in the journal.
const MEASURE: Pass<'_> = Pass {
    name: "measure",
    stage: Stage::COMPUTE_SHADER,
    uses: &[
        Use::read(Stage::COMPUTE_SHADER, POSITION_VX),
        Use::read(Stage::COMPUTE_SHADER, VELOCITY_YZ),
        Use::write(Stage::COMPUTE_SHADER, MEASURED),
    ],
};

/// The output of `embed.comp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// In world units per second.
    pub mean_velocity: [f32; 3],
    /// Boids in the box.
    pub in_box: u32,
}

/// The push constants of `embed.comp`.
#[repr(C)]
#[derive(Clone, Copy)]
struct PushConstants {
    lowest: [f32; 3],
    boids: u32,
    highest: [f32; 3],
}

/// The kernel of the host's pass, and the buffer it writes.
pub struct Measure<'a> {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *const Measured,
    middle: PushConstants,
    device: &'a ash::Device,
}

impl<'a> Measure<'a> {
    /// Builds the kernel, and binds the state of `flock`.
    pub fn new(host: &'a Host, flock: &Flock) -> Result<Self, Box<dyn Error>> {
        let device = &host.device;
        let spirv = include_bytes!(concat!(env!("OUT_DIR"), "/embed.spv"));
        let words = ash::util::read_spv(&mut std::io::Cursor::new(spirv))?;
        let binding = |index| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(index)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        };
        let bindings = [binding(0), binding(1), binding(2)];
        let push = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(size_of::<PushConstants>() as u32)];
        let world = flock.settings().world;
        let middle = PushConstants {
            lowest: (world.center - world.half_size * 0.5).to_array(),
            boids: flock.settings().boids,
            highest: (world.center + world.half_size * 0.5).to_array(),
        };
        // SAFETY: valid Vulkan, on a device that outlives the objects made from it.
        unsafe {
            let set_layout = device.create_descriptor_set_layout(
                &vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings),
                None,
            )?;
            let layout = device.create_pipeline_layout(
                &vk::PipelineLayoutCreateInfo::default().set_layouts(&[set_layout]).push_constant_ranges(&push),
                None,
            )?;
            let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let pipeline = device
                .create_compute_pipelines(vk::PipelineCache::null(), &[create], None)
                .map_err(|(_, result)| result)?[0];
            device.destroy_shader_module(module, None);

            let (buffer, memory, mapped) = host.readback(size_of::<Measured>() as u64)?;
            let sizes = [vk::DescriptorPoolSize::default()
                .ty(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(bindings.len() as u32)];
            let pool = device.create_descriptor_pool(
                &vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes),
                None,
            )?;
            let set = device.allocate_descriptor_sets(
                &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&[set_layout]),
            )?[0];
            // The state is in buffers of the flock, which gives access to their handles.
            let state =
                |buffer: &Buffer| vk::DescriptorBufferInfo::default().buffer(buffer.handle()).range(buffer.size());
            let infos = [
                [state(&flock.buffers()[POSITION_VX])],
                [state(&flock.buffers()[VELOCITY_YZ])],
                [vk::DescriptorBufferInfo::default().buffer(buffer).range(vk::WHOLE_SIZE)],
            ];
            let write = |index: usize| {
                vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(index as u32)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&infos[index])
            };
            device.update_descriptor_sets(&[write(0), write(1), write(2)], &[]);
            let mapped = mapped.cast();
            Ok(Measure { pipeline, layout, set_layout, pool, set, buffer, memory, mapped, middle, device })
        }
    }

    /// Records the pass, without a barrier.
    pub fn record(&self, commands: vk::CommandBuffer) {
        let (point, stage) = (vk::PipelineBindPoint::COMPUTE, vk::ShaderStageFlags::COMPUTE);
        // SAFETY: the commands are being recorded; the constants are seven words, without padding.
        unsafe {
            let push = std::slice::from_raw_parts((&raw const self.middle).cast(), size_of::<PushConstants>());
            self.device.cmd_bind_pipeline(commands, point, self.pipeline);
            self.device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
            self.device.cmd_push_constants(commands, self.layout, stage, 0, push);
            self.device.cmd_dispatch(commands, 1, 1, 1);
        }
    }

    /// What the last frame measured.
    pub fn read(&self) -> Measured {
        // SAFETY: mapped while this exists, coherent, and the frame that writes it was waited for.
        unsafe { self.mapped.read() }
    }

    /// Destroys the kernel and its buffer.
    pub fn destroy(self) {
        // SAFETY: every frame was waited for.
        unsafe {
            self.device.destroy_descriptor_pool(self.pool, None);
            self.device.destroy_pipeline(self.pipeline, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_set_layout(self.set_layout, None);
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// The Vulkan objects of this program, independent of flocks.
pub struct Host {
    entry: ash::Entry,
    instance: ash::Instance,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    messages: Arc<Mutex<Vec<String>>>,
    physical: vk::PhysicalDevice,
    device: ash::Device,
    /// What the device was made with.
    requirements: Requirements,
    family: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    fence: vk::Fence,
}

impl Host {
    /// Creates instance and device, on the first physical device that meets these requirements.
    pub fn new(mut requirements: Requirements) -> Result<Host, Box<dyn Error>> {
        // SAFETY: valid Vulkan; the objects made from the entry and the instance do not outlive them.
        unsafe {
            let entry = ash::Entry::load()?;
            let layers = entry.enumerate_instance_layer_properties()?;
            // Older layers report false hazards.
            let validates = layers.iter().any(|layer| {
                layer.layer_name_as_c_str() == Ok(LAYER) && layer.spec_version >= vk::make_api_version(0, 1, 4, 0)
            });
            if validates {
                requirements.instance_extensions.push(ext::debug_utils::NAME);
            }
            let layers = if validates { vec![LAYER.as_ptr()] } else { Vec::new() };
            let extensions: Vec<_> = requirements.instance_extensions.iter().map(|name| name.as_ptr()).collect();
            // The layer reads these from the chain. It tracks accesses of shaders only on request.
            let yes = vk::TRUE.to_ne_bytes();
            let setting = |name| {
                let on = vk::LayerSettingEXT::default().layer_name(LAYER).setting_name(name).values(&yes);
                vk::LayerSettingEXT { ty: vk::LayerSettingTypeEXT::BOOL32, value_count: 1, ..on }
            };
            let settings = [setting(c"validate_sync"), setting(c"syncval_shader_accesses_heuristic")];
            let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
            let application =
                vk::ApplicationInfo::default().application_name(c"embed").api_version(requirements.api_version);
            let mut create = vk::InstanceCreateInfo::default()
                .application_info(&application)
                .enabled_layer_names(&layers)
                .enabled_extension_names(&extensions);
            if validates {
                create = create.push_next(&mut settings);
            }
            let instance = entry.create_instance(&create, None)?;
            let messages = Arc::new(Mutex::new(Vec::new()));
            let messenger = validates.then(|| listen(&entry, &instance, &messages)).transpose()?;

            let mut lacks = Vec::new();
            let mut found = None;
            for physical in instance.enumerate_physical_devices()? {
                let missing = requirements.missing(&instance, physical)?;
                if missing.is_empty() {
                    found = Some(physical);
                    break;
                }
                lacks.extend(missing);
            }
            let Some(physical) = found else {
                return Err(format!("no device will do; missing: {}", lacks.join(", ")).into());
            };
            let requirements = requirements.with_optional(&instance, physical)?;
            let families = instance.get_physical_device_queue_family_properties(physical);
            let family = requirements.family(&families).expect("nothing is missing");

            // A real program would enable its own features here.
            let mut features = requirements.features;
            let mut features = features.chain();
            let extensions: Vec<_> = requirements.device_extensions.iter().map(|name| name.as_ptr()).collect();
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .push_next(&mut features);
            let device = instance.create_device(physical, &create, None)?;
            let queue = device.get_device_queue(family, 0);
            let pool =
                device.create_command_pool(&vk::CommandPoolCreateInfo::default().queue_family_index(family), None)?;
            let fence = device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            Ok(Host {
                entry,
                instance,
                messenger,
                messages,
                physical,
                device,
                requirements,
                family,
                queue,
                pool,
                fence,
            })
        }
    }

    /// The handles for `Device::adopt`.
    pub fn handles(&self) -> HostDevice<'_> {
        HostDevice {
            entry: &self.entry,
            instance: &self.instance,
            physical_device: self.physical,
            device: &self.device,
            queue_family: self.family,
            queue: self.queue,
            enabled: Enabled {
                api_version: self.requirements.api_version,
                instance_extensions: &self.requirements.instance_extensions,
                device_extensions: &self.requirements.device_extensions,
                features: self.requirements.features,
            },
        }
    }

    /// Name of the device.
    pub fn name(&self) -> String {
        // SAFETY: the instance is alive.
        let properties = unsafe { self.instance.get_physical_device_properties(self.physical) };
        properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether the validation layer is loaded.
    pub fn validates(&self) -> bool {
        self.messenger.is_some()
    }

    /// A new command buffer, in the recording state.
    pub fn begin(&self) -> Result<vk::CommandBuffer, vk::Result> {
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let once = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the pool is alive and used in one thread.
        unsafe {
            let commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.device.begin_command_buffer(commands, &once)?;
            Ok(commands)
        }
    }

    /// Submits the command buffer, waits until it is done, and frees it.
    pub fn submit_and_wait(&self, commands: vk::CommandBuffer) -> Result<(), vk::Result> {
        let buffers = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the queue is used in one thread, and the fence is not in use.
        unsafe {
            self.device.end_command_buffer(commands)?;
            self.device.queue_submit(self.queue, &[submit], self.fence)?;
            self.device.wait_for_fences(&[self.fence], true, u64::MAX)?;
            self.device.reset_fences(&[self.fence])?;
            self.device.free_command_buffers(self.pool, &buffers);
        }
        Ok(())
    }

    /// A buffer that kernels write and the host reads, with its memory and its mapped address.
    unsafe fn readback(&self, size: u64) -> Result<(vk::Buffer, vk::DeviceMemory, *const c_void), Box<dyn Error>> {
        let create = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::STORAGE_BUFFER);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: valid Vulkan; the memory type is one that the buffer allows.
        unsafe {
            let buffer = self.device.create_buffer(&create, None)?;
            let needed = self.device.get_buffer_memory_requirements(buffer);
            let types = self.instance.get_physical_device_memory_properties(self.physical);
            let fits = |index: &u32| {
                needed.memory_type_bits & (1 << index) != 0
                    && types.memory_types[*index as usize].property_flags.contains(wanted)
            };
            let index = (0..types.memory_type_count).find(fits).ok_or("no memory that the host sees")?;
            let allocate = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(index);
            let memory = self.device.allocate_memory(&allocate, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let mapped = self.device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty())?;
            Ok((buffer, memory, mapped))
        }
    }

    /// Destroys device and instance, and returns the messages of the validation layer.
    pub fn close(self) -> Vec<String> {
        // SAFETY: nothing is in flight, and no object made from these is left.
        unsafe {
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            if let Some((functions, messenger)) = &self.messenger {
                functions.destroy_debug_utils_messenger(*messenger, None);
            }
            self.instance.destroy_instance(None);
        }
        self.messages.lock().expect("nobody panics with it in hand").clone()
    }
}

/// Message about a function looked up through the wrong call: NVIDIA's driver 580 causes it itself while a device is
/// created.
const DRIVER_LOOKUP: &CStr = c"WARNING-vkGetDeviceProcAddr-device";

/// Collects the messages of the validation layer.
///
/// # Safety
/// The list of messages must live until the messenger is destroyed.
unsafe fn listen(
    entry: &ash::Entry,
    instance: &ash::Instance,
    messages: &Arc<Mutex<Vec<String>>>,
) -> Result<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT), vk::Result> {
    let functions = ext::debug_utils::Instance::new(entry, instance);
    let severities = vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
    let create = vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(severities)
        .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
        .pfn_user_callback(Some(on_message))
        .user_data(Arc::as_ptr(messages).cast_mut().cast());
    // SAFETY: by this function's contract.
    let messenger = unsafe { functions.create_debug_utils_messenger(&create, None) }?;
    Ok((functions, messenger))
}

unsafe extern "system" fn on_message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and `listen` the messages.
    let (data, messages) = unsafe { (&*data, &*user.cast::<Mutex<Vec<String>>>()) };
    // SAFETY: the texts of a message are C strings.
    let (id, text) = unsafe { (data.message_id_name_as_c_str(), data.message_as_c_str()) };
    if id == Some(DRIVER_LOOKUP) {
        return vk::FALSE;
    }
    let text = text.unwrap_or_default().to_string_lossy().into_owned();
    eprintln!("{text}");
    messages.lock().expect("nobody panics with it in hand").push(text);
    vk::FALSE
}
