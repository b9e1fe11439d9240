//! The physical devices, what each lacks, and the selection of one.

use super::fault_info;
use super::requirements::{self, Requirements};
use super::room;
use crate::error::{Error, Result};
use crate::host_memory;
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// Extensions that read the device's clock: either is sufficient.
const CALIBRATED_TIMESTAMPS: [&CStr; 2] = [khr::calibrated_timestamps::NAME, ext::calibrated_timestamps::NAME];

/// The type of a device, as the specification names it.
pub use ash::vk::PhysicalDeviceType as DeviceKind;

/// Every type, best first, with the name for users.
const KINDS: [(DeviceKind, &str); 5] = [
    (DeviceKind::DISCRETE_GPU, "discrete GPU"),
    (DeviceKind::INTEGRATED_GPU, "integrated GPU"),
    (DeviceKind::VIRTUAL_GPU, "virtual GPU"),
    (DeviceKind::CPU, "software"),
    (DeviceKind::OTHER, "other"),
];

/// One physical device.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its index in the driver's list.
    pub index: usize,
    /// The driver's name for it.
    pub name: String,
    /// Its identity, as 32 hexadecimal digits.
    pub uuid: String,
    /// Its type.
    pub kind: DeviceKind,
    /// Driver name and version.
    pub driver: String,
    /// Highest Vulkan version, e.g. `1.3.230`.
    pub api_version: String,
    /// Invocations in a subgroup.
    pub subgroup_size: u32,
    /// Bytes of the largest device-local heap.
    pub memory: u64,
    /// Bytes that a kernel can access through one descriptor.
    pub max_storage_range: u64,
    /// Bytes of the largest buffer.
    pub max_buffer: u64,
    /// Whether kernels can access buffers by address, and compute addresses in 64 bits. False for a device that is
    /// opened robust, because accesses by address are not bounded.
    pub device_addresses: bool,
    /// Whether shaders have atomics of 64 bits in buffers. False for a device that is opened narrow.
    pub wide_atomics: bool,
    /// Pixels of the longest edge of an image that can be drawn to.
    pub max_image_size: u32,
    /// Bytes that the offset of a uniform buffer must be a multiple of.
    pub uniform_alignment: u64,
    /// Names of requirements that it does not meet.
    pub missing: Vec<String>,
    pub(super) raw: vk::PhysicalDevice,
    pub(super) queue_family: Option<u32>,
    pub(super) timestamp_bits: u32,
    pub(super) properties: vk::PhysicalDeviceProperties,
    pub(super) swapchain: bool,
    pub(super) robustness2: bool,
    pub(super) external_memory_fd: bool,
    /// The driver can report why a device was lost.
    pub(super) device_fault: bool,
    /// The extension that reads the device's clock.
    pub(super) calibrated_timestamps: Option<&'static CStr>,
    pub(super) pipeline_robustness: bool,
}

impl DeviceInfo {
    /// The rank of its type among all types.
    fn rank(&self) -> usize {
        KINDS.iter().position(|(kind, _)| *kind == self.kind).unwrap_or(KINDS.len() - 1)
    }

    /// Whether its queue cannot write timestamps.
    pub fn is_without_timestamps(&self) -> bool {
        self.timestamp_bits == 0
    }

    /// The name of its type for users.
    pub fn kind_name(&self) -> &'static str {
        KINDS[self.rank()].1
    }

    /// Whether it is a program that runs on the processor.
    pub fn is_software(&self) -> bool {
        self.kind == DeviceKind::CPU
    }

    /// What is known to be wrong with its driver, for which another driver is preferred if there is one.
    pub(super) fn driver_fault(&self) -> Option<String> {
        // Debian 12 has it.
        let of_mesa_22 = self.is_software() && self.driver.starts_with("llvmpipe Mesa 22.");
        of_mesa_22.then(|| format!("{} ({}) ends each shader loop after 65,535 iterations", self.name, self.driver))
    }

    /// Bytes of one buffer that kernels can access: by address the whole buffer, else the range of a descriptor.
    pub fn reach(&self, by_address: bool) -> u64 {
        if by_address && self.device_addresses { self.max_buffer } else { self.max_storage_range.min(self.max_buffer) }
    }
}

/// The device that `wanted` (index, UUID or part of a name) asks for, or the best one that lacks nothing. `ask` adds to
/// what a device lacks what only its driver can tell: no other driver is asked, because one driver may fail, or end the
/// program, over what belongs to another.
pub(super) fn choose(
    mut devices: Vec<DeviceInfo>,
    wanted: Option<&str>,
    ask: impl Fn(&mut DeviceInfo) -> Result<()>,
) -> Result<DeviceInfo> {
    if devices.is_empty() {
        return Err(no_device(""));
    }
    if let Some(wanted) = wanted {
        let mut device = find(devices, wanted)?;
        ask(&mut device)?;
        if device.missing.is_empty() {
            return Ok(device);
        }
        return Err(Error::Lacks { device: device.name, missing: device.missing });
    }
    devices.sort_by_key(|device| (device.rank(), device.index));
    let mut lacks = Vec::new();
    for mut device in devices {
        if device.missing.is_empty() {
            ask(&mut device)?;
        }
        if device.missing.is_empty() {
            return Ok(device);
        }
        lacks.push(format!("{} lacks {}", device.name, device.missing.join(", ")));
    }
    Err(Error::NoDevice(format!("no device meets the requirements: {}", lacks.join("; "))))
}

/// The error of a machine without a device, for which `why` is the reason, as far as it is known.
pub(super) fn no_device(why: &str) -> Error {
    Error::NoDevice(format!(
        "no Vulkan device on this machine{why}; install a driver for your GPU, or Mesa's software driver (Debian: \
         mesa-vulkan-drivers)"
    ))
}

fn find(devices: Vec<DeviceInfo>, wanted: &str) -> Result<DeviceInfo> {
    let choices: Vec<String> = devices.iter().map(|d| format!("{} ({})", d.index, d.name)).collect();
    let lower = wanted.to_lowercase();
    let uuid = lower.replace('-', "");
    devices
        .into_iter()
        .find(|d| {
            // Not a UUID of zeros.
            wanted == d.index.to_string()
                || d.uuid == uuid
                // Any name contains a dot or nothing at all.
                || (wanted.chars().any(char::is_alphabetic) && d.name.to_lowercase().contains(&lower))
        })
        .ok_or_else(|| Error::Setting {
            name: "gpu".into(),
            value: format!("'{wanted}'"),
            accepted: format!("an index, a name or a UUID of: {}", choices.join(", ")),
        })
}

pub(super) fn describe(instance: &ash::Instance, index: usize, raw: vk::PhysicalDevice) -> Result<DeviceInfo> {
    let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
    let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
    let mut v13 = vk::PhysicalDeviceVulkan13Properties::default();
    let mut properties =
        vk::PhysicalDeviceProperties2::default().push_next(&mut v11).push_next(&mut v12).push_next(&mut v13);
    // SAFETY: `raw` comes from this instance; every structure lives until the call returns.
    unsafe { instance.get_physical_device_properties2(raw, &mut properties) };
    let core = properties.properties;
    // SAFETY: as above.
    let (families, memory, extensions) = unsafe {
        (
            instance.get_physical_device_queue_family_properties(raw),
            instance.get_physical_device_memory_properties(raw),
            requirements::extensions(instance, raw)?,
        )
    };
    let has = |name| requirements::has(&extensions, name);
    let needed = Requirements::for_pictures();
    let family = needed.family(&families);
    let text = |name: Option<&CStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    let (major, minor, patch) = requirements::parts(core.api_version);
    // SAFETY: as above.
    let mut missing = unsafe { needed.missing(instance, raw) }?;
    let (lacks_room, room) = room::memory_in_file(v12.driver_id, room::largest_file());
    missing.extend(lacks_room);
    let offered = match core.api_version >= vk::API_VERSION_1_1 {
        // SAFETY: as above, and the version was checked.
        true => unsafe { needed.with_optional(instance, raw) }?.features,
        false => needed.features,
    };
    // The memory of a program is that of the host.
    let software = core.device_type == DeviceKind::CPU;
    let limit = if software { host_memory::of_container().unwrap_or(u64::MAX) } else { u64::MAX };
    let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
    Ok(DeviceInfo {
        index,
        name: text(core.device_name_as_c_str().ok()),
        uuid: v11.device_uuid.iter().map(|byte| format!("{byte:02x}")).collect(),
        kind: core.device_type,
        driver: format!("{} {}", text(v12.driver_name_as_c_str().ok()), text(v12.driver_info_as_c_str().ok()))
            .trim()
            .into(),
        api_version: format!("{major}.{minor}.{patch}"),
        subgroup_size: v11.subgroup_size,
        memory: heaps
            .iter()
            .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|heap| heap.size)
            .max()
            .unwrap_or(0)
            .min(room)
            .min(limit),
        max_storage_range: core.limits.max_storage_buffer_range.into(),
        max_buffer: v13.max_buffer_size,
        device_addresses: offered.device_addresses(),
        wide_atomics: offered.wide_atomics(),
        max_image_size: core
            .limits
            .max_image_dimension2_d
            .min(core.limits.max_framebuffer_width)
            .min(core.limits.max_framebuffer_height),
        uniform_alignment: core.limits.min_uniform_buffer_offset_alignment.max(1),
        missing,
        raw,
        queue_family: family,
        timestamp_bits: family.map_or(0, |f| families[f as usize].timestamp_valid_bits),
        properties: core,
        swapchain: has(khr::swapchain::NAME),
        external_memory_fd: has(khr::external_memory_fd::NAME),
        robustness2: has(ext::robustness2::NAME) && has_robustness2(instance, raw),
        device_fault: has(ext::device_fault::NAME) && fault_info::can_report(instance, raw),
        calibrated_timestamps: CALIBRATED_TIMESTAMPS.into_iter().find(|name| has(name)),
        pipeline_robustness: offered.pipeline_robustness.pipeline_robustness == vk::TRUE,
    })
}

fn has_robustness2(instance: &ash::Instance, raw: vk::PhysicalDevice) -> bool {
    let mut robustness2 = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut robustness2);
    // SAFETY: `raw` comes from this instance; the structures live until the call returns.
    unsafe { instance.get_physical_device_features2(raw, &mut features) };
    robustness2.robust_buffer_access2 == vk::TRUE
}
