//! What each function of Vulkan may return besides success, by the specification, and which of it the program may pass
//! over.

const NOT_READY: i32 = 1;
pub const TIMEOUT: i32 = 2;
const OUT_OF_HOST_MEMORY: i32 = -1;
const OUT_OF_DEVICE_MEMORY: i32 = -2;
const INITIALIZATION_FAILED: i32 = -3;
pub const DEVICE_LOST: i32 = -4;
const MEMORY_MAP_FAILED: i32 = -5;
const LAYER_NOT_PRESENT: i32 = -6;
const EXTENSION_NOT_PRESENT: i32 = -7;
const FEATURE_NOT_PRESENT: i32 = -8;
pub const INCOMPATIBLE_DRIVER: i32 = -9;
const TOO_MANY_OBJECTS: i32 = -10;
const FRAGMENTED_POOL: i32 = -12;
const OUT_OF_POOL_MEMORY: i32 = -1_000_069_000;
const FRAGMENTATION: i32 = -1_000_161_000;
pub const SURFACE_LOST: i32 = -1_000_000_000;
const NATIVE_WINDOW_IN_USE: i32 = -1_000_000_001;
const SUBOPTIMAL: i32 = 1_000_001_003;
pub const OUT_OF_DATE: i32 = -1_000_001_004;

/// The results of the function `call` besides success.
///
/// # Panics
/// For a function that is not listed here.
pub fn results(call: &str) -> &'static [i32] {
    const MEMORY: &[i32] = &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY];
    const LOST: &[i32] = &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE_LOST];
    const SURFACE: &[i32] = &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, SURFACE_LOST];
    match call {
        "vkCreateInstance" => &[
            OUT_OF_HOST_MEMORY,
            OUT_OF_DEVICE_MEMORY,
            INITIALIZATION_FAILED,
            LAYER_NOT_PRESENT,
            EXTENSION_NOT_PRESENT,
            INCOMPATIBLE_DRIVER,
        ],
        "vkEnumeratePhysicalDevices" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, INITIALIZATION_FAILED],
        "vkEnumerateDeviceExtensionProperties" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, LAYER_NOT_PRESENT],
        "vkCreateDevice" => &[
            OUT_OF_HOST_MEMORY,
            OUT_OF_DEVICE_MEMORY,
            INITIALIZATION_FAILED,
            DEVICE_LOST,
            EXTENSION_NOT_PRESENT,
            FEATURE_NOT_PRESENT,
            TOO_MANY_OBJECTS,
        ],
        "vkCreateDebugUtilsMessengerEXT" => &[OUT_OF_HOST_MEMORY],
        "vkGetPhysicalDeviceSurfaceSupportKHR"
        | "vkGetPhysicalDeviceSurfaceCapabilitiesKHR"
        | "vkGetPhysicalDeviceSurfaceFormatsKHR"
        | "vkGetPhysicalDeviceSurfacePresentModesKHR" => SURFACE,
        "vkCreateSwapchainKHR" => &[
            OUT_OF_HOST_MEMORY,
            OUT_OF_DEVICE_MEMORY,
            DEVICE_LOST,
            SURFACE_LOST,
            NATIVE_WINDOW_IN_USE,
            INITIALIZATION_FAILED,
        ],
        "vkAcquireNextImageKHR" => &[
            OUT_OF_HOST_MEMORY,
            OUT_OF_DEVICE_MEMORY,
            DEVICE_LOST,
            OUT_OF_DATE,
            SURFACE_LOST,
            NOT_READY,
            TIMEOUT,
            SUBOPTIMAL,
        ],
        "vkQueuePresentKHR" => {
            &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE_LOST, OUT_OF_DATE, SURFACE_LOST, SUBOPTIMAL]
        }
        "vkMapMemory" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, MEMORY_MAP_FAILED],
        "vkCreateDescriptorPool" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, FRAGMENTATION],
        "vkAllocateDescriptorSets" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, FRAGMENTED_POOL, OUT_OF_POOL_MEMORY],
        "vkWaitForFences" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE_LOST, TIMEOUT],
        "vkGetQueryPoolResults" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, DEVICE_LOST, NOT_READY],
        "vkQueueSubmit2" | "vkQueueWaitIdle" | "vkDeviceWaitIdle" => LOST,
        "vkGetMemoryFdKHR" => &[OUT_OF_HOST_MEMORY, TOO_MANY_OBJECTS],
        "vkResetFences" => &[OUT_OF_DEVICE_MEMORY],
        "vkResetCommandPool" => &[OUT_OF_DEVICE_MEMORY],
        // Drivers refuse more allocations than they allow by this, although the specification does not list it.
        "vkAllocateMemory" => &[OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, TOO_MANY_OBJECTS],
        "vkCreateXlibSurfaceKHR"
        | "vkCreateXcbSurfaceKHR"
        | "vkCreateWaylandSurfaceKHR"
        | "vkCreateHeadlessSurfaceEXT"
        | "vkGetSwapchainImagesKHR"
        | "vkBindBufferMemory"
        | "vkBindImageMemory"
        | "vkCreateBuffer"
        | "vkCreateImage"
        | "vkCreateImageView"
        | "vkCreateSampler"
        | "vkCreateShaderModule"
        | "vkCreateDescriptorSetLayout"
        | "vkCreatePipelineLayout"
        | "vkCreateComputePipelines"
        | "vkCreateGraphicsPipelines"
        | "vkCreatePipelineCache"
        | "vkGetPipelineCacheData"
        | "vkCreateFence"
        | "vkCreateEvent"
        | "vkResetEvent"
        | "vkCreateSemaphore"
        | "vkCreateQueryPool"
        | "vkCreateCommandPool"
        | "vkAllocateCommandBuffers"
        | "vkBeginCommandBuffer"
        | "vkEndCommandBuffer"
        | "vkSetDebugUtilsObjectNameEXT"
        | "vkGetCalibratedTimestampsKHR"
        | "vkGetCalibratedTimestampsEXT" => MEMORY,
        other => panic!("the results of {other} are not listed"),
    }
}

/// Whether the program may end well although `call` returned `result`.
pub fn harmless(call: &str, result: i32) -> bool {
    match call {
        // Names are for profilers. Without a cache, pipelines take longer.
        "vkSetDebugUtilsObjectNameEXT" | "vkCreatePipelineCache" | "vkGetPipelineCacheData" => true,
        // When objects are destroyed, after everything that matters was waited for.
        "vkQueueWaitIdle" | "vkDeviceWaitIdle" => true,
        // A wait goes on, in pieces, until the device was given up.
        "vkWaitForFences" => result == TIMEOUT,
        // The swapchain is recreated, or the frame is drawn later.
        "vkAcquireNextImageKHR" | "vkQueuePresentKHR" | "vkCreateSwapchainKHR" => {
            [OUT_OF_DATE, SURFACE_LOST, NOT_READY, TIMEOUT, SUBOPTIMAL].contains(&result)
        }
        _ if call.starts_with("vkGetPhysicalDeviceSurface") => result == SURFACE_LOST,
        _ => false,
    }
}

/// The name of `result`.
pub fn code(result: i32) -> String {
    format!("{:?}", ash::vk::Result::from_raw(result))
}

/// Each function that this program's errors name is tested: all that return a result.
#[test]
fn every_call_that_an_error_names_is_listed() {
    fn named(folder: &std::path::Path, calls: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                named(&path, calls);
            } else {
                let text = std::fs::read_to_string(&path).expect("source code");
                calls.extend(text.split('"').filter(|word| word.starts_with("vk")).map(str::to_owned));
            }
        }
    }
    let mut calls = Vec::new();
    named(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/vk"), &mut calls);
    let layer = include_str!("layer.c");
    let is_call = |call: &String| call[2..].starts_with(char::is_uppercase) && call.chars().all(char::is_alphanumeric);
    calls.retain(is_call);
    assert!(calls.len() > 30, "{calls:?}");
    for call in calls {
        // Of two extensions with the same function.
        let call = if call == "vkGetCalibratedTimestamps" { "vkGetCalibratedTimestampsKHR".to_owned() } else { call };
        assert!(!results(&call).is_empty() && layer.contains(&format!("X({call})")), "{call}");
    }
}
