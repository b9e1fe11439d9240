//! Opening a device.

use crate::machine::watched;
use crate::{Error, Result, cache_folder, interrupt, sandbox};
use clap::Args;
use starlings::flock::EngineKind;
use starlings::vk::{Device, DeviceOptions, Fault, Instance, InstanceOptions, Validation};
use std::sync::Arc;

/// Which device.
#[derive(Args, Debug)]
#[command(next_help_heading = "Device")]
pub struct GpuArg {
    /// Device to use, as listed by `starlings devices` [default: the best that lacks nothing]
    #[arg(long, value_name = "INDEX|NAME|UUID", allow_hyphen_values = true)]
    pub gpu: Option<String>,
}

/// The options of every command that uses a device.
#[derive(Args, Debug)]
#[command(next_help_heading = "Device")]
pub struct MachineArgs {
    #[command(flatten)]
    pub device: GpuArg,
    /// Run under the Vulkan validation layer, and fail on any message (debug builds always do where the layer is
    /// installed)
    #[arg(long)]
    pub validation: bool,
    /// Judge each submission by the rules of `starlings sync prove` before it is made, and what the host does, and end
    /// at the first error (debug builds always do). With NAME, leave that dependency out, to see that it is missed
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub watch: Option<String>,
}

impl GpuArg {
    /// Opens the requested device, with RenderDoc if `capture`.
    pub fn open(&self, validation: Validation, capture: bool, options: DeviceOptions<'_>) -> Result<Arc<Device>> {
        let instance = Instance::new(&InstanceOptions { validation, display: None, capture })?;
        // A cache that a program in a sandbox could write would be a way out of it.
        let (wanted, folder) = (self.gpu.as_deref(), cache_folder().filter(|_| !sandbox::is_closed()));
        let cancel = Some(interrupt::token());
        let options = DeviceOptions { wanted, pipeline_cache: folder.as_deref(), cancel, ..options };
        let device = Device::with_options(&instance, &options)?;
        let info = device.info();
        tracing::info!("device {}: {} ({}), Vulkan {}", info.index, info.name, info.driver, info.api_version);
        if let Some(why) = instance.instead() {
            tracing::info!("this is the driver of this package, because: {why}");
        }
        Ok(device)
    }

    /// Opens the requested device to record frames that do not run; without any, the null device.
    pub fn open_or_null(&self) -> Result<Arc<Device>> {
        match self.open(Validation::Off, false, DeviceOptions::default()) {
            Err(Error::Engine(starlings::Error::NoDevice(reason))) if self.gpu.is_none() => {
                tracing::info!("recording with the null driver: {reason}");
                Ok(Device::new(&Instance::null()?, None, None)?)
            }
            opened => opened,
        }
    }
}

impl MachineArgs {
    /// Whether to load the validation layer.
    pub fn validation(&self) -> Validation {
        match self.validation {
            true => Validation::Required,
            false if cfg!(debug_assertions) => Validation::WhenPresent,
            false => Validation::Off,
        }
    }

    /// Whether to judge all that is submitted; and the faults to build into it, for which it must end.
    pub fn watch(&self) -> Option<Vec<Fault>> {
        let name = self.watch.as_deref().or(cfg!(debug_assertions).then_some(""))?;
        Some(if name.is_empty() { Vec::new() } else { vec![Fault::Omit(name.to_owned())] })
    }

    /// Opens the requested device, with RenderDoc if `capture`.
    pub fn open(&self, capture: bool) -> Result<Arc<Device>> {
        self.open_with(capture, DeviceOptions::default())
    }

    /// The same with `options`.
    pub fn open_with(&self, capture: bool, options: DeviceOptions<'_>) -> Result<Arc<Device>> {
        let planted = self.watch();
        self.device.open(self.validation(), capture, DeviceOptions { watch: planted.as_deref(), ..options })
    }

    /// Refuses these options and `others`, if given, because `engine` uses no device.
    pub fn refuse(&self, engine: EngineKind, others: &[(&str, bool)]) -> Result<()> {
        let own =
            [("gpu", self.device.gpu.is_some()), ("validation", self.validation), ("watch", self.watch.is_some())];
        match others.iter().chain(&own).find(|(_, given)| *given) {
            Some((flag, _)) => Err(Error::flag(flag, "given", format!("nothing: --engine {engine} uses no device"))),
            None => Ok(()),
        }
    }

    /// Fails if what was watched was wrong, or if the validation layer has reported messages, which are already on
    /// stderr.
    pub fn check(&self, device: &Device) -> Result<()> {
        watched(device)?;
        match device.instance().messages().count() {
            0 => Ok(()),
            count => Err(Error::Validation(count)),
        }
    }
}
