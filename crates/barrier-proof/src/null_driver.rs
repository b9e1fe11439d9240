//! The null driver: a Vulkan implementation that makes objects and records commands, and runs nothing. Frames can be
//! recorded, and their journals analyzed, on a machine without any driver. What a submission would compute stays zero.
//!
//! It has few functions beyond those that a [`Recorder`](crate::Recorder) calls: an unknown one is null, as the
//! specification has it, and calling it panics with its name.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "all calls come from ash and the allocator, by the specification"
)]

use ash::vk;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of its one device.
pub const DEVICE_NAME: &str = "null driver";

/// The functions of the null driver. Its instance has one device, on which frames can be recorded but nothing runs.
pub fn entry() -> ash::Entry {
    let functions = ash::StaticFn { get_instance_proc_addr: instance_function };
    // SAFETY: the functions below have the signatures of the specification, and live as long as the program.
    unsafe { ash::Entry::from_static_fn(functions) }
}

/// A pointer; all thin pointers are passed alike, also those of dispatchable handles.
type P = *mut c_void;
/// A handle that is not dispatchable: 64 bits.
type H = u64;

/// The function of that name, by these signatures: `-> ()` or `-> i32`, which is success.
macro_rules! functions {
    ($wanted:expr, $($name:ident ($($parameter:ty),*) $(-> $result:ty)?),+ $(,)?) => {
        match $wanted {
            $(stringify!($name) => {
                unsafe extern "system" fn null_function($(_: $parameter),*) $(-> $result)? { $(<$result>::default())? }
                null_function as *const ()
            })+
            _ => return None,
        }
    };
}

unsafe extern "system" fn instance_function(_: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the specification promises a zero-terminated name.
    let name = unsafe { CStr::from_ptr(name) }.to_str().ok()?;
    let address = function(name)?;
    // SAFETY: an address of a function; whoever asks for it by name gives it its signature again.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(address) })
}

unsafe extern "system" fn device_function(_: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: as the caller's.
    unsafe { instance_function(vk::Instance::null(), name) }
}

/// The function `name`. Those that make objects, fill structures or map memory are below; others do nothing,
/// successfully.
fn function(name: &str) -> Option<*const ()> {
    Some(match name {
        "vkGetInstanceProcAddr" => instance_function as *const (),
        "vkGetDeviceProcAddr" => device_function as *const (),
        "vkCreateInstance" => create_first as *const (),
        "vkCreateGraphicsPipelines" | "vkCreateComputePipelines" => create_pipelines as *const (),
        "vkAllocateCommandBuffers" => allocate_command_buffers as *const (),
        "vkAllocateDescriptorSets" => allocate_descriptor_sets as *const (),
        "vkAllocateMemory" => allocate_memory as *const (),
        "vkFreeMemory" => free_memory as *const (),
        "vkMapMemory" => map_memory as *const (),
        "vkGetDeviceQueue" => create_first_queue as *const (),
        "vkEnumeratePhysicalDevices" => enumerate_physical_devices as *const (),
        "vkGetPhysicalDeviceProperties" => get_properties as *const (),
        "vkGetPhysicalDeviceProperties2" => get_properties2 as *const (),
        "vkGetPhysicalDeviceFeatures2" => get_features2 as *const (),
        "vkGetPhysicalDeviceQueueFamilyProperties" => get_queue_families as *const (),
        "vkGetPhysicalDeviceMemoryProperties" => get_memory_properties as *const (),
        "vkGetBufferMemoryRequirements" | "vkGetImageMemoryRequirements" => memory_requirements as *const (),
        "vkGetBufferDeviceAddress" => device_address as *const (),
        "vkCreateBuffer" => create_buffer as *const (),
        "vkCreateImage" => create_image as *const (),
        made if made.starts_with("vkCreate") && !made.ends_with("KHR") && !made.ends_with("EXT") => create as *const (),
        "vkDestroyBuffer" | "vkDestroyImage" => destroy_sized as *const (),
        "vkDestroyInstance" | "vkDestroyDevice" => functions!(name, vkDestroyInstance(P, P), vkDestroyDevice(P, P)),
        gone if gone.starts_with("vkDestroy") => destroy as *const (),
        name => functions!(name,
            // What there is none of: the caller's count is zero before.
            vkEnumerateInstanceExtensionProperties(P, P, P) -> i32, vkEnumerateInstanceLayerProperties(P, P) -> i32,
            vkEnumerateDeviceExtensionProperties(P, P, P, P) -> i32, vkGetPipelineCacheData(P, H, P, P) -> i32,
            vkDeviceWaitIdle(P) -> i32, vkQueueWaitIdle(P) -> i32, vkQueueSubmit2(P, u32, P, H) -> i32,
            vkBindBufferMemory(P, H, H, u64) -> i32, vkBindImageMemory(P, H, H, u64) -> i32, vkUnmapMemory(P, H),
            vkResetCommandPool(P, H, u32) -> i32, vkBeginCommandBuffer(P, P) -> i32, vkEndCommandBuffer(P) -> i32,
            vkWaitForFences(P, u32, P, u32, u64) -> i32, vkResetFences(P, u32, P) -> i32, vkGetFenceStatus(P, H) -> i32,
            vkResetEvent(P, H) -> i32, vkCmdSetEvent2(P, H, P), vkCmdWaitEvents2(P, u32, P, P),
            vkUpdateDescriptorSets(P, u32, P, u32, P), vkResetQueryPool(P, H, u32, u32),
            vkGetQueryPoolResults(P, H, u32, u32, usize, P, u64, u32) -> i32,
            vkCmdWriteTimestamp2(P, u64, H, u32), vkCmdPipelineBarrier2(P, P), vkCmdBindPipeline(P, i32, H),
            vkCmdBindDescriptorSets(P, i32, H, u32, u32, P, u32, P), vkCmdPushConstants(P, H, u32, u32, u32, P),
            vkCmdDispatch(P, u32, u32, u32), vkCmdDispatchBase(P, u32, u32, u32, u32, u32, u32),
            vkCmdFillBuffer(P, H, u64, u64, u32), vkCmdUpdateBuffer(P, H, u64, u64, P),
            vkCmdCopyBuffer(P, H, H, u32, P),
            vkCmdCopyBufferToImage(P, H, H, i32, u32, P), vkCmdCopyImageToBuffer(P, H, i32, H, u32, P),
            vkCmdBeginRendering(P, P), vkCmdEndRendering(P), vkCmdSetViewport(P, u32, u32, P),
            vkCmdSetScissor(P, u32, u32, P), vkCmdBindVertexBuffers(P, u32, u32, P, P),
            vkCmdBindIndexBuffer(P, H, u64, i32), vkCmdDraw(P, u32, u32, u32, u32),
            vkCmdDrawIndexed(P, u32, u32, u32, i32, u32), vkCmdDrawIndexedIndirect(P, H, u64, u32, u32),
        ),
    })
}

/// A number that no other object has.
fn number() -> u64 {
    static OBJECTS: AtomicU64 = AtomicU64::new(1);
    OBJECTS.fetch_add(1, Ordering::Relaxed)
}

unsafe extern "system" fn create_first(_: P, _: P, made: *mut u64) -> i32 {
    unsafe { *made = number() };
    0
}

unsafe extern "system" fn create(_: P, _: P, _: P, made: *mut u64) -> i32 {
    unsafe { *made = number() };
    0
}

unsafe extern "system" fn destroy(_: P, _: H, _: P) {}

unsafe extern "system" fn create_first_queue(_: P, _: u32, _: u32, made: *mut u64) {
    unsafe { *made = number() };
}

unsafe extern "system" fn create_pipelines(_: P, _: H, count: u32, _: P, _: P, made: *mut u64) -> i32 {
    unsafe { several(count, made) }
}

unsafe fn several(count: u32, made: *mut u64) -> i32 {
    (0..count as usize).for_each(|at| unsafe { *made.add(at) = number() });
    0
}

unsafe extern "system" fn allocate_command_buffers(
    _: P,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    made: *mut u64,
) -> i32 {
    unsafe { several((*info).command_buffer_count, made) }
}

unsafe extern "system" fn allocate_descriptor_sets(
    _: P,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    made: *mut u64,
) -> i32 {
    unsafe { several((*info).descriptor_set_count, made) }
}

/// A buffer's or an image's handle points to its size.
unsafe fn sized(size: u64, made: *mut u64) -> i32 {
    unsafe { *made = Box::into_raw(Box::new(size)) as u64 };
    0
}

unsafe extern "system" fn create_buffer(_: P, info: *const vk::BufferCreateInfo<'_>, _: P, made: *mut u64) -> i32 {
    unsafe { sized((*info).size, made) }
}

unsafe extern "system" fn create_image(_: P, info: *const vk::ImageCreateInfo<'_>, _: P, made: *mut u64) -> i32 {
    let extent = unsafe { (*info).extent };
    // At most eight bytes a pixel, and less than as much again for smaller levels.
    unsafe { sized(16 * u64::from(extent.width) * u64::from(extent.height), made) }
}

unsafe extern "system" fn destroy_sized(_: P, handle: H, _: P) {
    if handle != 0 {
        drop(unsafe { Box::from_raw(handle as *mut u64) });
    }
}

unsafe extern "system" fn memory_requirements(_: P, handle: H, found: *mut vk::MemoryRequirements) {
    let size = unsafe { *(handle as *const u64) }.next_multiple_of(ALIGNMENT);
    unsafe { *found = vk::MemoryRequirements { size, alignment: ALIGNMENT, memory_type_bits: 0b11 } };
}

const ALIGNMENT: u64 = 256;

/// Memory that the host can map: aligned as pages are, and zero. Memory of the device alone is nothing.
struct Block(Vec<Page>);

#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

unsafe extern "system" fn allocate_memory(_: P, info: *const vk::MemoryAllocateInfo<'_>, _: P, made: *mut u64) -> i32 {
    let info = unsafe { &*info };
    let pages = if info.memory_type_index == 0 { 0 } else { info.allocation_size.div_ceil(4096) as usize };
    unsafe { *made = Box::into_raw(Box::new(Block(vec![Page([0; 4096]); pages]))) as u64 };
    0
}

unsafe extern "system" fn free_memory(_: P, memory: H, _: P) {
    if memory != 0 {
        drop(unsafe { Box::from_raw(memory as *mut Block) });
    }
}

unsafe extern "system" fn map_memory(_: P, memory: H, offset: u64, _: u64, _: u32, mapped: *mut *mut u8) -> i32 {
    unsafe { *mapped = (*(memory as *mut Block)).0.as_mut_ptr().cast::<u8>().add(offset as usize) };
    0
}

unsafe extern "system" fn device_address(_: P, _: P) -> u64 {
    1 << 32
}

unsafe extern "system" fn enumerate_physical_devices(_: P, count: *mut u32, devices: *mut u64) -> i32 {
    unsafe { *count = 1 };
    if !devices.is_null() {
        unsafe { *devices = 1 };
    }
    0
}

unsafe extern "system" fn get_queue_families(_: P, count: *mut u32, families: *mut vk::QueueFamilyProperties) {
    unsafe { *count = 1 };
    if !families.is_null() {
        let all = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER;
        unsafe { *families = vk::QueueFamilyProperties { queue_flags: all, queue_count: 1, ..Default::default() } };
    }
}

unsafe extern "system" fn get_memory_properties(_: P, found: *mut vk::PhysicalDeviceMemoryProperties) {
    let mut memory =
        vk::PhysicalDeviceMemoryProperties { memory_type_count: 2, memory_heap_count: 1, ..Default::default() };
    memory.memory_types[0].property_flags = vk::MemoryPropertyFlags::DEVICE_LOCAL;
    memory.memory_types[1].property_flags = vk::MemoryPropertyFlags::HOST_VISIBLE
        | vk::MemoryPropertyFlags::HOST_COHERENT
        | vk::MemoryPropertyFlags::HOST_CACHED;
    memory.memory_heaps[0] = vk::MemoryHeap { size: 1 << 40, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    unsafe { *found = memory };
}

unsafe extern "system" fn get_properties(_: P, found: *mut vk::PhysicalDeviceProperties) {
    let mut core = vk::PhysicalDeviceProperties {
        api_version: vk::API_VERSION_1_3,
        device_type: vk::PhysicalDeviceType::CPU,
        ..Default::default()
    };
    for (to, from) in core.device_name.iter_mut().zip(DEVICE_NAME.bytes()) {
        *to = from as c_char;
    }
    let limits = &mut core.limits;
    limits.max_storage_buffer_range = u32::MAX;
    limits.max_image_dimension2_d = 1 << 15;
    (limits.max_framebuffer_width, limits.max_framebuffer_height) = (1 << 15, 1 << 15);
    limits.max_compute_work_group_invocations = 1024;
    limits.max_compute_work_group_count = [u32::MAX, 65_535, 65_535];
    (limits.min_uniform_buffer_offset_alignment, limits.min_storage_buffer_offset_alignment) = (64, 64);
    (limits.buffer_image_granularity, limits.non_coherent_atom_size) = (1, 1);
    limits.timestamp_period = 1.0;
    limits.standard_sample_locations = vk::TRUE;
    limits.framebuffer_no_attachments_sample_counts = vk::SampleCountFlags::TYPE_1 | vk::SampleCountFlags::TYPE_4;
    unsafe { *found = core };
}

unsafe extern "system" fn get_properties2(device: P, found: *mut vk::PhysicalDeviceProperties2<'_>) {
    unsafe { get_properties(device, &mut (*found).properties) };
    each_structure(unsafe { (*found).p_next }, |kind, next| match kind {
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES => {
            let v11 = unsafe { &mut *next.cast::<vk::PhysicalDeviceVulkan11Properties<'_>>() };
            v11.subgroup_size = 32;
            v11.subgroup_supported_stages = vk::ShaderStageFlags::ALL;
            v11.subgroup_supported_operations = vk::SubgroupFeatureFlags::from_raw(0xff);
        }
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES => {
            let v13 = unsafe { &mut *next.cast::<vk::PhysicalDeviceVulkan13Properties<'_>>() };
            v13.max_buffer_size = 1 << 40;
            (v13.min_subgroup_size, v13.max_subgroup_size) = (32, 32);
        }
        _ => {}
    });
}

/// Calls `fill` with each structure of a chain.
fn each_structure(first: P, fill: impl Fn(vk::StructureType, P)) {
    let mut next = first.cast::<vk::BaseOutStructure<'_>>();
    while !next.is_null() {
        fill(unsafe { (*next).s_type }, next.cast());
        next = unsafe { (*next).p_next };
    }
}

/// It has every feature of Vulkan 1.0, 1.2 and 1.3.
unsafe extern "system" fn get_features2(_: P, found: *mut vk::PhysicalDeviceFeatures2<'_>) {
    /// Sets the switches of a structure of `size` bytes, which begin `from` bytes after its start and are all of four
    /// bytes.
    unsafe fn set(structure: *mut u8, from: usize, size: usize) {
        // The end may be padding.
        let switches = unsafe { std::slice::from_raw_parts_mut(structure.add(from).cast::<u32>(), (size - from) / 4) };
        switches.fill(vk::TRUE);
    }
    const HEAD: usize = size_of::<vk::BaseOutStructure<'_>>();
    unsafe { set((&raw mut (*found).features).cast(), 0, size_of::<vk::PhysicalDeviceFeatures>()) };
    each_structure(unsafe { (*found).p_next }, |kind, next| match kind {
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES => unsafe {
            set(next.cast(), HEAD, size_of::<vk::PhysicalDeviceVulkan12Features<'_>>());
        },
        vk::StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES => unsafe {
            set(next.cast(), HEAD, size_of::<vk::PhysicalDeviceVulkan13Features<'_>>());
        },
        _ => {}
    });
}
