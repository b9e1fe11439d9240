//! Opening a device.

use super::failure::Failure;
use clap::Args;
use starlings::Error;
use starlings::flock::EngineKind;
use starlings::vk::{Device, DeviceOptions, Instance, InstanceOptions, Validation};
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
    /// Run under the Vulkan validation layer, and fail on any message (debug builds always do where the
    /// layer is installed)
    #[arg(long)]
    pub validation: bool,
}

impl GpuArg {
    /// Opens the requested device, with RenderDoc if `capture`.
    pub fn open(
        &self,
        validation: Validation,
        capture: bool,
        options: DeviceOptions<'_>,
    ) -> Result<Arc<Device>, Failure> {
        let instance = Instance::new(&InstanceOptions { validation, display: None, capture })?;
        let device = Device::with_options(&instance, &DeviceOptions { wanted: self.gpu.as_deref(), ..options })?;
        let info = device.info();
        tracing::info!("device {}: {} ({}), Vulkan {}", info.index, info.name, info.driver, info.api_version);
        Ok(device)
    }
}

impl GpuArg {
    /// Opens the requested device to record frames that do not run; without any, one of paper.
    pub fn open_or_paper(&self) -> Result<Arc<Device>, Failure> {
        match self.open(Validation::Off, false, DeviceOptions::default()) {
            Err(Failure::Run(Error::NoDevice(reason))) if self.gpu.is_none() => {
                tracing::info!("recording on paper: {reason}");
                Ok(Device::new(&Instance::paper()?, None, None)?)
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

    /// Opens the requested device.
    pub fn open(&self) -> Result<Arc<Device>, Failure> {
        self.open_with(false)
    }

    /// Opens the requested device; with `by_address`, flocks of any size access their arrays by address.
    pub fn open_by_address(&self, by_address: bool) -> Result<Arc<Device>, Failure> {
        self.device.open(self.validation(), false, DeviceOptions { by_address, ..DeviceOptions::default() })
    }

    /// Opens the requested device, with RenderDoc to capture a frame.
    pub fn open_with(&self, capture: bool) -> Result<Arc<Device>, Failure> {
        self.device.open(self.validation(), capture, DeviceOptions::default())
    }

    /// Refuses these options and `others`, if given, because `engine` uses no device.
    pub fn refuse(&self, engine: EngineKind, others: &[(&str, bool)]) -> Result<(), Failure> {
        let own = [("gpu", self.device.gpu.is_some()), ("validation", self.validation)];
        match others.iter().chain(&own).find(|(_, given)| *given) {
            Some((flag, _)) => Err(Failure::flag(flag, "given", format!("nothing: --engine {engine} uses no device"))),
            None => Ok(()),
        }
    }

    /// Fails if the validation layer has reported messages, which are already on stderr.
    pub fn check(&self, device: &Device) -> Result<(), Failure> {
        match device.instance().messages().count() {
            0 => Ok(()),
            count => Err(Error::Validation(count).into()),
        }
    }
}
