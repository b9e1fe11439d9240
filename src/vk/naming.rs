//! Names for objects that another library creates.
//!
//! A library with an [`ash::Device`] creates its objects by that device's function table, and does not return their handles.
//! [`naming_device`] gives it a table whose creating functions also name the objects. Each calls the loader's function, which
//! dispatches by the device, so one set of functions serves all devices.

use super::instance::Instance;
use ash::ext::debug_utils;
use ash::{DeviceFnV1_0, vk};
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

/// The name of all these objects.
const NAME: &CStr = c"panels";

static LOADER: OnceLock<Loader> = OnceLock::new();

struct Loader {
    /// Keeps the loader in memory: the functions outlive the instance that they were looked up by.
    _library: ash::Entry,
    functions: DeviceFnV1_0,
    debug: debug_utils::DeviceFn,
}

/// A copy of `device` for a library whose objects get the name [`NAME`]; a plain copy without debug utils.
pub(super) fn naming_device(instance: &Instance, device: &ash::Device) -> ash::Device {
    if !instance.debug_utils {
        return device.clone();
    }
    let lookup = |name: &CStr| {
        // SAFETY: the instance is alive.
        let found = unsafe { instance.entry.get_instance_proc_addr(instance.raw.handle(), name.as_ptr()) };
        found.map_or(std::ptr::null(), |function| function as *const c_void)
    };
    LOADER.get_or_init(|| Loader {
        _library: instance.entry.clone(),
        functions: DeviceFnV1_0::load(lookup),
        debug: debug_utils::DeviceFn::load(lookup),
    });
    let own = |name: &CStr| -> *const c_void {
        own_function(name).unwrap_or_else(|| {
            // SAFETY: both are alive, and the device is of this instance.
            let found = unsafe { instance.raw.get_device_proc_addr(device.handle(), name.as_ptr()) };
            found.map_or(std::ptr::null(), |function| function as *const c_void)
        })
    };
    // SAFETY: every function has the type that the specification gives to its name.
    unsafe { ash::Device::load_with(own, device.handle()) }
}

fn loader() -> &'static Loader {
    LOADER.get().expect("it is set before a table that calls this")
}

/// Names `count` objects at `made`, unless their creation failed.
///
/// # Safety
/// The objects are of `device`.
unsafe fn name<T: vk::Handle + Copy>(device: vk::Device, result: vk::Result, made: *const T, count: u32) -> vk::Result {
    if result == vk::Result::SUCCESS {
        for index in 0..count as usize {
            // SAFETY: the call that succeeded has written that many.
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(unsafe { *made.add(index) });
            // SAFETY: the object is of this device. A failure to set the name is ignored.
            let _ = unsafe { (loader().debug.set_debug_utils_object_name_ext)(device, &info.object_name(NAME)) };
        }
    }
    result
}

/// Functions that create one object, and the lookup of all functions that name what they create.
macro_rules! making_one {
    ($($vulkan:literal $own:ident: $function:ident($info:ident) -> $object:ident;)*) => {
        fn own_function(name: &CStr) -> Option<*const c_void> {
            match name.to_bytes() {
                $($vulkan => Some($own as *const c_void),)*
                b"vkAllocateDescriptorSets" => Some(sets as *const c_void),
                b"vkCreateGraphicsPipelines" => Some(pipelines as *const c_void),
                _ => None,
            }
        }

        $(unsafe extern "system" fn $own(
            device: vk::Device,
            info: *const vk::$info<'_>,
            allocator: *const vk::AllocationCallbacks<'_>,
            made: *mut vk::$object,
        ) -> vk::Result {
            // SAFETY: the caller follows the specification of the function that this replaces.
            unsafe { name(device, (loader().functions.$function)(device, info, allocator, made), made, 1) }
        })*
    };
}

making_one! {
    b"vkAllocateMemory" memory: allocate_memory(MemoryAllocateInfo) -> DeviceMemory;
    b"vkCreateBuffer" buffer: create_buffer(BufferCreateInfo) -> Buffer;
    b"vkCreateImage" image: create_image(ImageCreateInfo) -> Image;
    b"vkCreateImageView" view: create_image_view(ImageViewCreateInfo) -> ImageView;
    b"vkCreateSampler" sampler: create_sampler(SamplerCreateInfo) -> Sampler;
    b"vkCreateShaderModule" module: create_shader_module(ShaderModuleCreateInfo) -> ShaderModule;
    b"vkCreateDescriptorSetLayout" set_layout: create_descriptor_set_layout(DescriptorSetLayoutCreateInfo) -> DescriptorSetLayout;
    b"vkCreatePipelineLayout" pipeline_layout: create_pipeline_layout(PipelineLayoutCreateInfo) -> PipelineLayout;
    b"vkCreateDescriptorPool" pool: create_descriptor_pool(DescriptorPoolCreateInfo) -> DescriptorPool;
    b"vkCreateFence" fence: create_fence(FenceCreateInfo) -> Fence;
}

unsafe extern "system" fn sets(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    made: *mut vk::DescriptorSet,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let count = (*info).descriptor_set_count;
        name(device, (loader().functions.allocate_descriptor_sets)(device, info, made), made, count)
    }
}

unsafe extern "system" fn pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    made: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let create = loader().functions.create_graphics_pipelines;
        name(device, create(device, cache, count, infos, allocator, made), made, count)
    }
}
