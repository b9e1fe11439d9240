//! Requirements of a device, as data for `vkCreateDevice`, here and in a host program.
//!
//! One table of features serves both, so that both need the same features.

use crate::error::{Error, Result};
use crate::limits::{MAX_SUBGROUP_SIZE, MIN_SUBGROUP_SIZE, WORKGROUP_SIZE};
use ash::{ext, khr, vk};
use std::ffi::CStr;
use std::ptr::null_mut;

/// Features of a device, in the structures that `vkCreateDevice` takes: those that are required, or those that were
/// enabled.
///
/// A host adds its own features here, or chains other structures after [`Features::chain`]. A feature that it enables
/// by another structure, such as `VkPhysicalDeviceSynchronization2Features`, it must also set here.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// Of Vulkan 1.0.
    pub v10: vk::PhysicalDeviceFeatures,
    /// Of Vulkan 1.2.
    pub v12: vk::PhysicalDeviceVulkan12Features<'static>,
    /// Of Vulkan 1.3.
    pub v13: vk::PhysicalDeviceVulkan13Features<'static>,
    /// Of `VK_EXT_pipeline_robustness`.
    pub pipeline_robustness: vk::PhysicalDevicePipelineRobustnessFeaturesEXT<'static>,
}

impl Features {
    /// The structures as one chain, for `VkDeviceCreateInfo::pNext`. That of an extension is included only if its
    /// feature is set.
    pub fn chain(&mut self) -> vk::PhysicalDeviceFeatures2<'_> {
        let robustness = self.pipeline_robustness.pipeline_robustness == vk::TRUE;
        self.linked(robustness)
    }

    fn linked(&mut self, robustness: bool) -> vk::PhysicalDeviceFeatures2<'_> {
        // These may be copies of structures that were already linked.
        (self.v12.p_next, self.v13.p_next, self.pipeline_robustness.p_next) = (null_mut(), null_mut(), null_mut());
        let core = vk::PhysicalDeviceFeatures2::default().features(self.v10);
        let chain = core.push_next(&mut self.v12).push_next(&mut self.v13);
        if robustness { chain.push_next(&mut self.pipeline_robustness) } else { chain }
    }

    /// Those of `physical`.
    ///
    /// # Safety
    /// `physical` is of `instance`, has Vulkan 1.3, and has the extension if `robustness` says so.
    unsafe fn of(instance: &ash::Instance, physical: vk::PhysicalDevice, robustness: bool) -> Features {
        let mut features = Features::default();
        let mut chain = features.linked(robustness);
        // SAFETY: by this function's contract; the structures live until the call returns.
        unsafe { instance.get_physical_device_features2(physical, &mut chain) };
        features.v10 = chain.features;
        features
    }

    fn has(&self, feature: &Feature) -> bool {
        *(feature.switch)(&mut { *self }) == vk::TRUE
    }

    /// Names of the features in `needed` that are missing here.
    fn lacking(&self, needed: &Features) -> impl Iterator<Item = String> {
        FEATURES.iter().filter(|f| needed.has(f) && !self.has(f)).map(|f| f.name.to_owned())
    }

    /// Whether shaders have atomics of 64 bits in buffers.
    pub(super) fn wide_atomics(&self) -> bool {
        self.v12.shader_buffer_int64_atomics == vk::TRUE && self.v10.shader_int64 == vk::TRUE
    }

    /// Whether kernels can access buffers by address, and compute addresses in 64 bits.
    pub(super) fn device_addresses(&self) -> bool {
        self.v12.buffer_device_address == vk::TRUE && self.v10.shader_int64 == vk::TRUE
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Steps,
    Pictures,
    Optional,
}

struct Feature {
    /// The specification's name.
    name: &'static str,
    need: Need,
    switch: fn(&mut Features) -> &mut vk::Bool32,
}

/// The features that this library uses.
const FEATURES: [Feature; 14] = [
    feature("fragmentStoresAndAtomics", Need::Pictures, |f| &mut f.v10.fragment_stores_and_atomics),
    feature("scalarBlockLayout", Need::Steps, |f| &mut f.v12.scalar_block_layout),
    // For timestamps; without it, passes are not timed.
    feature("hostQueryReset", Need::Pictures, |f| &mut f.v12.host_query_reset),
    feature("uniformBufferStandardLayout", Need::Steps, |f| &mut f.v12.uniform_buffer_standard_layout),
    feature("synchronization2", Need::Steps, |f| &mut f.v13.synchronization2),
    feature("dynamicRendering", Need::Pictures, |f| &mut f.v13.dynamic_rendering),
    feature("maintenance4", Need::Steps, |f| &mut f.v13.maintenance4),
    feature("shaderIntegerDotProduct", Need::Steps, |f| &mut f.v13.shader_integer_dot_product),
    feature("subgroupSizeControl", Need::Steps, |f| &mut f.v13.subgroup_size_control),
    feature("computeFullSubgroups", Need::Steps, |f| &mut f.v13.compute_full_subgroups),
    // Both: for flocks larger than a descriptor's range.
    feature("bufferDeviceAddress", Need::Optional, |f| &mut f.v12.buffer_device_address),
    feature("shaderInt64", Need::Optional, |f| &mut f.v10.shader_int64),
    // With shaderInt64: a surface is put into a sample of the picture by one atomic. Without it, pictures are drawn in
    // two rounds.
    feature("shaderBufferInt64Atomics", Need::Optional, |f| &mut f.v12.shader_buffer_int64_atomics),
    // Disables bounds checks that some drivers add to kernels: 8 % of a step on an NVIDIA H200.
    feature("pipelineRobustness", Need::Optional, |f| &mut f.pipeline_robustness.pipeline_robustness),
];

const fn feature(name: &'static str, need: Need, switch: fn(&mut Features) -> &mut vk::Bool32) -> Feature {
    Feature { name, need, switch }
}

/// What the instance and the device of a flock must have: data for a host program's own `vkCreateInstance` and
/// `vkCreateDevice`.
#[derive(Clone, Debug)]
pub struct Requirements {
    /// The lowest version of Vulkan, of the device and as `VkApplicationInfo::apiVersion`.
    pub api_version: u32,
    /// Capabilities that the family of the queue must have.
    pub queue: vk::QueueFlags,
    /// Extensions of the instance; none so far.
    pub instance_extensions: Vec<&'static CStr>,
    /// Extensions of the device.
    pub device_extensions: Vec<&'static CStr>,
    /// Features of the device.
    pub features: Features,
    pictures: bool,
}

impl Requirements {
    /// What simulation steps need: Vulkan 1.3 with some of its features, a queue for compute, and no extensions.
    pub fn for_steps() -> Requirements {
        Self::with_features(|need| need == Need::Steps, vk::QueueFlags::COMPUTE)
    }

    /// What steps and pictures need: also a queue for graphics, and features for indirect draws and timestamps.
    pub fn for_pictures() -> Requirements {
        Self::with_features(|need| need != Need::Optional, vk::QueueFlags::GRAPHICS | vk::QueueFlags::COMPUTE)
    }

    fn with_features(needed: impl Fn(Need) -> bool, queue: vk::QueueFlags) -> Requirements {
        let mut features = Features::default();
        for feature in FEATURES.iter().filter(|feature| needed(feature.need)) {
            *(feature.switch)(&mut features) = vk::TRUE;
        }
        Requirements {
            api_version: vk::API_VERSION_1_3,
            queue,
            instance_extensions: Vec::new(),
            device_extensions: Vec::new(),
            features,
            pictures: queue.contains(vk::QueueFlags::GRAPHICS),
        }
    }

    /// These, and optional features that `physical` has: `bufferDeviceAddress` with `shaderInt64`, for flocks larger
    /// than a descriptor's range; `shaderBufferInt64Atomics`, for pictures; `pipelineRobustness` with its extension,
    /// for speed; and `VK_KHR_portability_subset`, which the specification requires to be enabled if available.
    ///
    /// # Safety
    /// `physical` is of `instance`, which is alive, and has Vulkan 1.1.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when memory is exhausted.
    pub unsafe fn with_optional(
        mut self,
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
    ) -> Result<Requirements> {
        // SAFETY: by this function's contract.
        let extensions = unsafe { extensions(instance, physical) }?;
        let robustness = has(&extensions, ext::pipeline_robustness::NAME);
        // SAFETY: by this function's contract, and the extension was looked up.
        let offered = unsafe { Features::of(instance, physical, robustness) };
        for feature in FEATURES.iter().filter(|feature| feature.need == Need::Optional && offered.has(feature)) {
            *(feature.switch)(&mut self.features) = vk::TRUE;
        }
        if self.features.pipeline_robustness.pipeline_robustness == vk::TRUE {
            self.device_extensions.push(ext::pipeline_robustness::NAME);
        }
        if has(&extensions, khr::portability_subset::NAME) {
            self.device_extensions.push(khr::portability_subset::NAME);
        }
        Ok(self)
    }

    /// Names of what `physical` lacks; empty if it is suitable.
    ///
    /// # Safety
    /// `physical` is of `instance`, which is alive.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when memory is exhausted.
    pub unsafe fn missing(&self, instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Vec<String>> {
        // SAFETY: by this function's contract.
        let properties = unsafe { instance.get_physical_device_properties(physical) };
        // Below 1.1, features cannot be queried. Above, they decide: under RenderDoc a device may report too low a
        // version.
        let old = properties.api_version < self.api_version;
        if properties.api_version < vk::API_VERSION_1_1 {
            return Ok(vec![version(self.api_version)]);
        }
        // SAFETY: by this function's contract.
        let extensions = unsafe { extensions(instance, physical) }?;
        let robustness = has(&extensions, ext::pipeline_robustness::NAME);
        let lacked = self.device_extensions.iter().filter(|name| !has(&extensions, name));
        let mut missing: Vec<String> = lacked.map(|name| name.to_string_lossy().into_owned()).collect();
        // SAFETY: by this function's contract; the version and the extension were looked up.
        let features = unsafe { Features::of(instance, physical, robustness) };
        let lacking: Vec<String> = features.lacking(&self.features).collect();
        if old && !lacking.is_empty() {
            return Ok(vec![version(self.api_version)]);
        }
        missing.extend(lacking);
        // SAFETY: by this function's contract.
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        if self.family(&families).is_none() {
            missing.push(format!("a queue for {}", self.work()));
        }
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut chain = vk::PhysicalDeviceProperties2::default().push_next(&mut v11);
        // SAFETY: by this function's contract; both structures live until the call returns.
        unsafe { instance.get_physical_device_properties2(physical, &mut chain) };
        missing.extend(missing_limits(&properties.limits, &v11, self.pictures));
        Ok(missing)
    }

    /// The first of these queue families with the required capabilities.
    pub fn family(&self, families: &[vk::QueueFamilyProperties]) -> Option<u32> {
        families.iter().position(|family| family.queue_flags.contains(self.queue)).map(|index| index as u32)
    }

    /// Names of requirements that were not enabled. A feature of an extension needs the extension too.
    pub(super) fn not_enabled(&self, enabled: &Enabled<'_>) -> Vec<String> {
        let mut missing = Vec::new();
        if enabled.api_version < self.api_version {
            missing.push(version(self.api_version));
        }
        let robustness = enabled.features.pipeline_robustness.pipeline_robustness == vk::TRUE;
        let of_features = robustness.then_some(ext::pipeline_robustness::NAME);
        let pairs = self.instance_extensions.iter().map(|name| (*name, enabled.instance_extensions));
        let device = self.device_extensions.iter().copied().chain(of_features);
        let lacked = pairs.chain(device.map(|name| (name, enabled.device_extensions)));
        let lacked = lacked.filter(|(name, known)| !known.contains(name));
        missing.extend(lacked.map(|(name, _)| name.to_string_lossy().into_owned()));
        missing.extend(enabled.features.lacking(&self.features));
        missing
    }

    /// The work of the queue, in words.
    pub(super) fn work(&self) -> &'static str {
        if self.pictures { "graphics and compute" } else { "compute" }
    }
}

/// What a host has enabled on its instance and its device. Features that are not named here are not used.
#[derive(Clone, Copy, Debug)]
pub struct Enabled<'a> {
    /// `VkApplicationInfo::apiVersion` of the instance.
    pub api_version: u32,
    /// Extensions of the instance. With `VK_EXT_debug_utils` among them, objects have names and passes have labels.
    pub instance_extensions: &'a [&'a CStr],
    /// Extensions of the device.
    pub device_extensions: &'a [&'a CStr],
    /// Features of the device.
    pub features: Features,
}

/// # Safety
/// `physical` is of `instance`, which is alive.
pub(super) unsafe fn extensions(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<Vec<vk::ExtensionProperties>> {
    // SAFETY: by this function's contract.
    unsafe { instance.enumerate_device_extension_properties(physical) }
        .map_err(Error::vulkan("vkEnumerateDeviceExtensionProperties", "device"))
}

pub(super) fn has(extensions: &[vk::ExtensionProperties], name: &CStr) -> bool {
    extensions.iter().any(|e| e.extension_name_as_c_str() == Ok(name))
}

/// Major, minor and patch of a version.
pub(super) fn parts(version: u32) -> (u32, u32, u32) {
    (vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version))
}

fn version(version: u32) -> String {
    let (major, minor, _) = parts(version);
    format!("Vulkan {major}.{minor}")
}

fn missing_limits(
    limits: &vk::PhysicalDeviceLimits,
    v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
    pictures: bool,
) -> Vec<String> {
    let mut missing = Vec::new();
    let operations = vk::SubgroupFeatureFlags::BASIC
        | vk::SubgroupFeatureFlags::VOTE
        | vk::SubgroupFeatureFlags::ARITHMETIC
        | vk::SubgroupFeatureFlags::BALLOT
        | vk::SubgroupFeatureFlags::SHUFFLE;
    if !v11.subgroup_supported_stages.contains(vk::ShaderStageFlags::COMPUTE)
        || !v11.subgroup_supported_operations.contains(operations)
    {
        missing.push("subgroup vote, arithmetic, ballot and shuffle in compute shaders".into());
    }
    if !(MIN_SUBGROUP_SIZE..=MAX_SUBGROUP_SIZE).contains(&v11.subgroup_size) {
        missing.push(format!("a subgroup size from {MIN_SUBGROUP_SIZE} to {MAX_SUBGROUP_SIZE}"));
    }
    if limits.max_compute_work_group_invocations < WORKGROUP_SIZE {
        missing.push(format!("workgroups of {WORKGROUP_SIZE} invocations"));
    }
    // By the specification every device has them, and at the standard places only if it says so.
    let standard = limits.standard_sample_locations == vk::TRUE;
    if pictures && !(standard && limits.framebuffer_no_attachments_sample_counts.contains(vk::SampleCountFlags::TYPE_4))
    {
        missing.push("4 samples per pixel at standard places".into());
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_enabled_is_named() {
        let needed = Requirements::for_steps();
        let mut enabled = Enabled {
            api_version: vk::API_VERSION_1_3,
            instance_extensions: &[],
            device_extensions: &[],
            features: needed.features,
        };
        assert_eq!(needed.not_enabled(&enabled), [""; 0]);
        let drawn = Requirements::for_pictures().not_enabled(&enabled);
        assert_eq!(drawn, ["fragmentStoresAndAtomics", "hostQueryReset", "dynamicRendering"]);
        enabled.features.v13.synchronization2 = vk::FALSE;
        enabled.features.pipeline_robustness.pipeline_robustness = vk::TRUE;
        enabled.api_version = vk::API_VERSION_1_1;
        let named = ["Vulkan 1.3", "VK_EXT_pipeline_robustness", "synchronization2"];
        assert_eq!(needed.not_enabled(&enabled), named);
    }

    #[test]
    fn a_copy_of_linked_features_is_linked_anew() {
        let mut features = Requirements::for_pictures().features;
        features.pipeline_robustness.pipeline_robustness = vk::TRUE;
        let _ = features.chain();
        let mut copy = features;
        copy.pipeline_robustness.pipeline_robustness = vk::FALSE;
        let chain = copy.chain();
        let first = chain.p_next.cast_const();
        assert_eq!(first, std::ptr::from_ref(&copy.v13).cast());
        assert_eq!(copy.v13.p_next.cast_const(), std::ptr::from_ref(&copy.v12).cast());
        assert!(copy.v12.p_next.is_null());
    }
}
