//! Vulkan in as few lines as a small program needs: nothing here is about synchronization.

use ash::{ext, vk};
use barrier_proof::{Message, Watch, with_c_name};
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What the validation layer has said.
type Messages = Mutex<Vec<Message>>;

/// What destroys an object.
type Destroy = Box<dyn FnOnce(&ash::Device)>;

/// A device with one queue.
pub struct Gpu {
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub family: u32,
    pub labels: Option<ext::debug_utils::Device>,
    pub messages: Box<Messages>,
    /// Whether the validation layer is loaded.
    pub validating: bool,
    /// Whether what is submitted is executed: not by the null driver.
    pub runs: bool,
    pub watch: Watch,
    memory: vk::PhysicalDeviceMemoryProperties,
    /// What destroys each object, in the order in which they were made.
    objects: RefCell<Vec<Destroy>>,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    instance: ash::Instance,
    _entry: ash::Entry,
}

/// A buffer that the host has mapped, and its memory.
#[derive(Clone, Copy)]
pub struct Buffer {
    pub raw: vk::Buffer,
    pub bytes: *mut u8,
    pub size: usize,
}

impl Gpu {
    /// The first device of this Vulkan; under the validation layer, if that is installed.
    pub fn new(entry: ash::Entry) -> Result<Gpu, vk::Result> {
        // SAFETY: the calls are as the specification has them; what they make lives as long as this.
        unsafe {
            let layers = entry.enumerate_instance_layer_properties()?;
            let validating = layers.iter().any(|layer| layer.layer_name_as_c_str() == Ok(LAYER));
            let (layers, extensions) = ([LAYER.as_ptr()], [ext::debug_utils::NAME.as_ptr()]);
            let (yes, no) = (1u32.to_ne_bytes(), 0u32.to_ne_bytes());
            let settings = [
                (c"validate_sync", &yes),
                (c"syncval_shader_accesses_heuristic", &yes),
                (c"syncval_message_extra_properties", &yes),
                (c"enable_message_limit", &no),
            ];
            let settings = settings.map(|(name, value)| {
                let setting = vk::LayerSettingEXT::default().layer_name(LAYER).setting_name(name).values(value);
                vk::LayerSettingEXT { value_count: 1, ..setting.ty(vk::LayerSettingTypeEXT::BOOL32) }
            });
            let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let mut create = vk::InstanceCreateInfo::default().application_info(&application);
            if validating {
                create =
                    create.enabled_layer_names(&layers).enabled_extension_names(&extensions).push_next(&mut settings);
            }
            let instance = entry.create_instance(&create, None)?;
            let messages = Box::<Messages>::default();
            let messenger = validating.then(|| ext::debug_utils::Instance::new(&entry, &instance));
            let messenger = messenger.map(|functions| {
                let user_data: *const Messages = &*messages;
                let create = vk::DebugUtilsMessengerCreateInfoEXT::default()
                    .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
                    .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
                    .pfn_user_callback(Some(collect))
                    .user_data(user_data.cast_mut().cast());
                functions.create_debug_utils_messenger(&create, None).map(|messenger| (functions, messenger))
            });
            let messenger = messenger.transpose()?;
            let physical = instance.enumerate_physical_devices()?[0];
            let families = instance.get_physical_device_queue_family_properties(physical);
            let both = vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE;
            let family = families.iter().position(|family| family.queue_flags.contains(both)).unwrap_or(0) as u32;
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let mut features =
                vk::PhysicalDeviceVulkan13Features::default().synchronization2(true).dynamic_rendering(true);
            let create = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut features);
            let device = instance.create_device(physical, &create, None)?;
            let name = instance.get_physical_device_properties(physical);
            let runs = name
                .device_name_as_c_str()
                .is_ok_and(|name| name.to_bytes() != barrier_proof::null_driver::DEVICE_NAME.as_bytes());
            Ok(Gpu {
                queue: device.get_device_queue(family, 0),
                family,
                labels: validating.then(|| ext::debug_utils::Device::new(&instance, &device)),
                messages,
                validating,
                runs,
                watch: Watch::default(),
                memory: instance.get_physical_device_memory_properties(physical),
                objects: RefCell::default(),
                messenger,
                device,
                instance,
                _entry: entry,
            })
        }
    }

    /// Has an object destroyed before the device.
    pub fn owns<T: Copy + 'static>(
        &self,
        object: T,
        destroy: unsafe fn(&ash::Device, T, Option<&vk::AllocationCallbacks<'_>>),
    ) -> T {
        // SAFETY: each object is destroyed once, after the device is idle.
        self.objects.borrow_mut().push(Box::new(move |device| unsafe { destroy(device, object, None) }));
        object
    }

    /// Gives an object the name that messages show.
    fn name<T: vk::Handle>(&self, object: T, name: &str) {
        let Some(functions) = &self.labels else { return };
        with_c_name(name, |name| {
            let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(object).object_name(name);
            // SAFETY: the object is of this device.
            let _ = unsafe { functions.set_debug_utils_object_name(&info) };
        });
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        properties: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, vk::Result> {
        let types = self.memory.memory_types_as_slice().iter().enumerate();
        let fits = |(at, of): &(usize, &vk::MemoryType)| {
            needs.memory_type_bits & (1 << at) != 0 && of.property_flags.contains(properties)
        };
        let (index, _) = types.into_iter().find(fits).ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index as u32);
        // SAFETY: the type exists.
        Ok(self.owns(unsafe { self.device.allocate_memory(&info, None) }?, ash::Device::free_memory))
    }

    /// A zeroed buffer that the host has mapped.
    pub fn buffer(&self, name: &str, size: usize, usage: vk::BufferUsageFlags) -> Result<Buffer, vk::Result> {
        let properties = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let create = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
        // SAFETY: the memory fits and is bound once; it is mapped as long as it lives.
        unsafe {
            let raw = self.device.create_buffer(&create, None)?;
            let memory = self.allocate(self.device.get_buffer_memory_requirements(raw), properties)?;
            self.owns(raw, ash::Device::destroy_buffer);
            self.name(raw, name);
            self.device.bind_buffer_memory(raw, memory, 0)?;
            let bytes = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u8>();
            bytes.write_bytes(0, size);
            Ok(Buffer { raw, bytes, size })
        }
    }

    /// An image that is drawn to and copied from, with a view of it.
    pub fn image(&self, name: &str, edge: u32, format: vk::Format) -> Result<(vk::Image, vk::ImageView), vk::Result> {
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: edge, height: edge, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: the memory fits and is bound once.
        unsafe {
            let image = self.device.create_image(&create, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
            self.owns(image, ash::Device::destroy_image);
            self.name(image, name);
            self.device.bind_image_memory(image, memory, 0)?;
            let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
            let create = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range.level_count(1).layer_count(1));
            let view = self.owns(self.device.create_image_view(&create, None)?, ash::Device::destroy_image_view);
            self.name(view, name);
            Ok((image, view))
        }
    }
}

unsafe extern "system" fn collect(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and the messages outlive the messenger.
    let (message, messages) = unsafe { (Message::of(&*data), &*messages.cast::<Messages>()) };
    messages.lock().expect("nobody panics while pushing").push(message);
    vk::FALSE
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: everything is destroyed once, in reverse.
        unsafe {
            let _ = self.device.device_wait_idle();
            let objects = std::mem::take(&mut *self.objects.borrow_mut());
            objects.into_iter().rev().for_each(|destroy| destroy(&self.device));
            self.device.destroy_device(None);
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            self.instance.destroy_instance(None);
        }
    }
}
