//! The loader, the instance, and the validation layer with its messenger.

use super::capture::{CAPTURE_LAYER, Capture, HOW_TO_GET_RENDERDOC};
use super::drivers;
use super::messages::Messages;
use super::physical::{self, DeviceInfo};
use super::present_extension;
use super::requirements::parts;
use super::room;
use crate::error::{Error, Result};
use ash::{ext, khr, vk};
use barrier_proof::Message;
#[cfg(feature = "window")]
use raw_window_handle::RawDisplayHandle;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, Once};

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// The oldest validation layer that is used. Older ones report false hazards in the normal frame (1.3.239, of Debian
/// 12, does), treat fills and updates of a buffer as copies, and do not name the passes of a hazard.
const OLDEST_LAYER: (u32, u32, u32) = (1, 4, 0);

const HOW_TO_GET_A_LAYER: &str = "`./bootstrap test` has one, or set VK_LAYER_PATH";

/// A warning about a function looked up by the wrong call. This program does not do so; NVIDIA's driver 580 does, once,
/// while a device is created.
const DRIVER_LOOKUP: &str = "WARNING-vkGetDeviceProcAddr-device";

/// Whether to load the validation layer, with synchronization validation enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Validation {
    /// Do not load it.
    #[default]
    Off,
    /// Load it if it is installed. One that is too old is not loaded, with a warning.
    WhenPresent,
    /// Load it, or fail.
    Required,
}

/// Options for creating an [`Instance`].
#[derive(Clone, Copy, Debug, Default)]
pub struct InstanceOptions {
    /// Whether to load the validation layer.
    pub validation: Validation,
    /// The display of the windows to draw to, if any.
    #[cfg(feature = "window")]
    pub display: Option<RawDisplayHandle>,
    /// Whether to load RenderDoc, so that frames can be captured.
    pub capture: bool,
}

/// A Vulkan instance, owned by this program or a host program. It keeps the loader in memory.
pub struct Instance {
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    pub(super) surface_functions: Option<khr::surface::Instance>,
    pub(super) headless: bool,
    pub(super) raw: ash::Instance,
    // Boxed state that the messenger's callback points to; dropped after the messenger.
    messages: Arc<Messages>,
    /// Whether objects can be named and passes labeled.
    pub(super) debug_utils: bool,
    /// Extensions that were enabled for fences of presentations.
    pub(super) of_present_fences: Vec<&'static CStr>,
    validating: bool,
    capture: Option<Arc<Capture>>,
    /// Why it is not the system's, if it is of a packaged driver.
    instead: Option<String>,
    /// Whether this program owns it, and destroys it.
    own: bool,
    pub(super) entry: ash::Entry,
}

impl Instance {
    /// A host's instance, which the host owns, without window, messenger or capture.
    pub(super) fn bare(entry: ash::Entry, raw: ash::Instance, debug_utils: bool) -> Self {
        Instance {
            messenger: None,
            surface_functions: None,
            headless: false,
            of_present_fences: Vec::new(),
            raw,
            messages: Arc::default(),
            debug_utils,
            validating: false,
            capture: None,
            instead: None,
            own: false,
            entry,
        }
    }

    /// Loads Vulkan and creates an instance: of the system's drivers; or of the [packaged one](super::bundle), if there
    /// is one and the system has no device that lacks nothing.
    ///
    /// # Errors
    /// [`Error::NoDevice`] without a loader, or if the layer is required and is missing or too old.
    pub fn new(options: &InstanceOptions) -> Result<Arc<Self>> {
        room::check()?;
        let system = drivers::system().and_then(|entry| Self::with_entry(entry, options, None));
        let Some(library) = drivers::bundled() else { return system };
        let why = match system.and_then(|instance| Ok((drivers::unsuitable(instance.devices()?), instance))) {
            Ok((None, instance)) => return Ok(instance),
            Ok((Some(why), _)) => why,
            Err(error @ (Error::NoDevice(_) | Error::Vulkan { .. })) => error.to_string(),
            Err(error) => return Err(error),
        };
        let direct = drivers::direct(library).and_then(|entry| Self::with_entry(entry, options, Some(why.clone())));
        direct.map_err(|error| Error::NoDevice(format!("{why}; {error}")))
    }

    /// Why this is an instance of the [packaged driver](super::bundle) and not of the system's; none if it is the
    /// system's.
    pub fn instead(&self) -> Option<&str> {
        self.instead.as_deref()
    }

    /// An instance of the [null driver](barrier_proof::null_driver), with one device, on which frames can be recorded
    /// but nothing runs.
    ///
    /// # Errors
    /// None in practice: its calls do not fail.
    pub fn null() -> Result<Arc<Self>> {
        Self::with_entry(barrier_proof::null_driver::entry(), &InstanceOptions::default(), None)
    }

    /// Creates an instance by these functions, `instead` of the system's for a reason.
    fn with_entry(entry: ash::Entry, options: &InstanceOptions, instead: Option<String>) -> Result<Arc<Self>> {
        // RenderDoc was injected from outside, or is loaded here as a layer.
        let injected = Capture::comes_by_itself();
        let capture = injected || options.capture;
        let validating = wants_validation(&entry, options.validation, capture)?;
        let mut layers: Vec<*const c_char> = if validating { vec![VALIDATION_LAYER.as_ptr()] } else { Vec::new() };
        if options.capture && !injected {
            if find_layer(&entry, CAPTURE_LAYER).is_none() {
                return Err(Error::NoRenderDoc(HOW_TO_GET_RENDERDOC.into()));
            }
            layers.push(CAPTURE_LAYER.as_ptr());
        }

        let available = instance_extensions(&entry, None);
        let layer_extensions =
            if validating { instance_extensions(&entry, Some(VALIDATION_LAYER)) } else { Vec::new() };
        let has = |name: &CStr| available.iter().chain(&layer_extensions).any(|e| e == name.to_bytes());
        let debug_utils = has(ext::debug_utils::NAME);
        // RenderDoc does not support this extension, and does not exist on platforms that need it.
        let portability = has(khr::portability_enumeration::NAME) && !capture;
        let of_windows = extensions_of_windows(options)?;
        // A swapchain needs no display if the driver has headless surfaces.
        let headless = of_windows.is_none() && has(khr::surface::NAME) && has(ext::headless_surface::NAME);
        // A windowed frame that is only recorded has the image layout of presentation, which the layer knows by these
        // extensions.
        let surfaces = headless || validating && of_windows.is_none() && has(khr::surface::NAME);
        let optional = [
            (debug_utils, ext::debug_utils::NAME),
            (portability, khr::portability_enumeration::NAME),
            (surfaces, khr::surface::NAME),
            (headless, ext::headless_surface::NAME),
        ];
        let wanted = optional.iter().filter(|(wanted, _)| *wanted);
        let mut extensions: Vec<*const c_char> = wanted.map(|(_, name)| name.as_ptr()).collect();
        // RenderDoc does not support these.
        let presents = (headless || of_windows.is_some()) && !capture;
        let of_present_fences = if presents { present_extension::of_instance(has) } else { Vec::new() };
        extensions.extend(of_present_fences.iter().map(|name| name.as_ptr()));
        for &name in of_windows.unwrap_or_default() {
            // SAFETY: ash-window returns pointers to static, zero-terminated names.
            let name = unsafe { CStr::from_ptr(name) };
            if !has(name) {
                return Err(Error::NoDevice(format!(
                    "no Vulkan driver on this machine draws to windows (none offers {}); install one for your \
                     GPU, or Mesa's software driver (Debian: mesa-vulkan-drivers)",
                    name.to_string_lossy()
                )));
            }
            extensions.push(name.as_ptr());
        }
        let application = vk::ApplicationInfo::default()
            .application_name(c"starlings")
            .engine_name(c"starlings")
            .api_version(vk::API_VERSION_1_3);
        // Newer layers track a shader's accesses only on request, and report each kind of message at most ten times.
        let (yes, no) = (1u32.to_ne_bytes(), 0u32.to_ne_bytes());
        let settings = [
            bool_setting(c"validate_sync", &yes),
            bool_setting(c"syncval_shader_accesses_heuristic", &yes),
            bool_setting(c"syncval_message_extra_properties", &yes),
            bool_setting(c"enable_message_limit", &no),
        ];
        let mut settings = vk::LayerSettingsCreateInfoEXT::default().settings(&settings);
        let mut info = vk::InstanceCreateInfo::default()
            .application_info(&application)
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions);
        if portability {
            info = info.flags(vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR);
        }
        // The layer reads these although its extension is not enabled: a loader older than the layer (Debian 12's)
        // rejects an extension that it does not know.
        if validating {
            info = info.push_next(&mut settings);
        }
        // SAFETY: `info` and everything it points to live until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
            vk::Result::ERROR_INCOMPATIBLE_DRIVER => Error::NoDevice(
                "no Vulkan driver on this machine; install one for your GPU, or Mesa's software \
                                 driver (Debian: mesa-vulkan-drivers)"
                    .into(),
            ),
            result => Error::vulkan("vkCreateInstance", "instance")(result),
        })?;

        let mut instance = Instance::bare(entry, raw, debug_utils);
        (instance.own, instance.headless, instance.validating) = (true, headless, validating);
        instance.instead = instead;
        if surfaces || of_windows.is_some() {
            instance.surface_functions = Some(khr::surface::Instance::new(&instance.entry, &instance.raw));
        }
        instance.of_present_fences = of_present_fences;
        instance.capture = Capture::find(!injected).map(Arc::new);
        if options.capture && instance.capture.is_none() {
            return Err(Error::NoRenderDoc(HOW_TO_GET_RENDERDOC.into()));
        }
        if validating && debug_utils {
            instance.install_messenger()?;
        }
        Ok(Arc::new(instance))
    }

    /// The devices of this machine, in the driver's order, with what each lacks.
    pub fn devices(&self) -> Result<Vec<DeviceInfo>> {
        // SAFETY: the instance is alive.
        let devices = unsafe { self.raw.enumerate_physical_devices() }.map_err(|result| match result {
            // What drivers say that find no GPU, as those of Mesa do in a container.
            vk::Result::ERROR_INITIALIZATION_FAILED => {
                physical::no_device(": its drivers find no GPU (vkEnumeratePhysicalDevices)")
            }
            result => Error::vulkan("vkEnumeratePhysicalDevices", "instance")(result),
        })?;
        devices.into_iter().enumerate().map(|(index, raw)| physical::describe(&self.raw, index, raw)).collect()
    }

    /// Messages of the validation layer so far.
    pub fn messages(&self) -> &Arc<Messages> {
        &self.messages
    }

    /// Whether the validation layer is loaded.
    pub fn validating(&self) -> bool {
        self.validating
    }

    /// RenderDoc, if it is loaded.
    pub fn capture(&self) -> Option<&Arc<Capture>> {
        self.capture.as_ref()
    }

    fn install_messenger(&mut self) -> Result<()> {
        let functions = ext::debug_utils::Instance::new(&self.entry, &self.raw);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
            )
            .pfn_user_callback(Some(on_message))
            .user_data(Arc::as_ptr(&self.messages).cast_mut().cast::<c_void>());
        // SAFETY: `messages` outlives the messenger, which is destroyed first in `drop`.
        let messenger = unsafe { functions.create_debug_utils_messenger(&info, None) }
            .map_err(Error::vulkan("vkCreateDebugUtilsMessengerEXT", "messenger"))?;
        self.messenger = Some((functions, messenger));
        Ok(())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: everything made from the instance held an Arc of it, so it is gone; the messenger is destroyed before
        // its instance, which is destroyed only if this program owns it.
        unsafe {
            if let Some((functions, messenger)) = self.messenger.take() {
                functions.destroy_debug_utils_messenger(messenger, None);
            }
            if self.own {
                self.raw.destroy_instance(None);
            }
        }
    }
}

/// The extensions of surfaces for the display of `options`, if it has one.
#[cfg(feature = "window")]
fn extensions_of_windows(options: &InstanceOptions) -> Result<Option<&'static [*const c_char]>> {
    let listed = options.display.map(ash_window::enumerate_required_extensions).transpose();
    listed.map_err(|e| Error::Window { operation: "listing surface extensions", reason: e.to_string() })
}

#[cfg(not(feature = "window"))]
fn extensions_of_windows(_: &InstanceOptions) -> Result<Option<&'static [*const c_char]>> {
    Ok(None)
}

fn bool_setting<'a>(name: &'a CStr, value: &'a [u8]) -> vk::LayerSettingEXT<'a> {
    let mut setting = vk::LayerSettingEXT::default()
        .layer_name(VALIDATION_LAYER)
        .setting_name(name)
        .ty(vk::LayerSettingTypeEXT::BOOL32)
        .values(value);
    // The builder counts bytes; the specification counts values of the setting's type.
    setting.value_count = 1;
    setting
}

/// Whether the validation layer is to be loaded.
fn wants_validation(entry: &ash::Entry, validation: Validation, capture: bool) -> Result<bool> {
    match validation {
        Validation::Off => return Ok(false),
        // RenderDoc reports a lower Vulkan version for some devices, and the layer then hides functions.
        Validation::WhenPresent if capture => return Ok(false),
        Validation::Required if capture => {
            return Err(Error::NoRenderDoc("it does not work together with the validation layer".into()));
        }
        Validation::WhenPresent | Validation::Required => {}
    }
    let found = find_layer(entry, VALIDATION_LAYER);
    let lacking = match found.map(parts) {
        Some(version) if version >= OLDEST_LAYER => return Ok(true),
        Some((major, minor, patch)) => format!(
            "the validation layer is {major}.{minor}.{patch}, and those before {}.{} report false hazards \
             ({HOW_TO_GET_A_LAYER})",
            OLDEST_LAYER.0, OLDEST_LAYER.1
        ),
        None => format!("the validation layer is not installed ({HOW_TO_GET_A_LAYER})"),
    };
    if validation == Validation::Required {
        return Err(Error::NoDevice(lacking));
    }
    // Without any layer there is no warning.
    if found.is_some() {
        static WARNED: Once = Once::new();
        WARNED.call_once(|| tracing::warn!("running without validation: {lacking}"));
    }
    Ok(false)
}

/// Version of the layer of that name, if it is installed.
fn find_layer(entry: &ash::Entry, name: &CStr) -> Option<u32> {
    // SAFETY: the loader is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
    layers.iter().find(|layer| layer.layer_name_as_c_str() == Ok(name)).map(|layer| layer.spec_version)
}

fn instance_extensions(entry: &ash::Entry, layer: Option<&CStr>) -> Vec<Vec<u8>> {
    // SAFETY: the loader is loaded; `layer` is a zero-terminated name or none.
    let properties = unsafe { entry.enumerate_instance_extension_properties(layer) }.unwrap_or_default();
    properties.iter().filter_map(|p| p.extension_name_as_c_str().ok()).map(|name| name.to_bytes().to_vec()).collect()
}

/// Stores a message. Called by the layer from any thread, possibly inside any Vulkan call.
unsafe extern "system" fn on_message(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer passes valid data, and `user` is the Messages that outlive the messenger.
    let (data, messages) = unsafe { (&*data, &*user.cast::<Messages>()) };
    // SAFETY: as above.
    let message = unsafe { Message::of(data) };
    if message.id == DRIVER_LOOKUP || messages.ignores(&message) {
        return vk::FALSE;
    }
    if !messages.expected() {
        tracing::error!(id = %message.id, "{}", message.text);
    }
    messages.push(message);
    vk::FALSE
}
