//! Opening a device: its selection, its creation, and the first reading of its clock.

use super::clock::{DeviceClock, Moment, Reader, narrowest};
use super::device::{Device, DeviceOptions};
use super::instance::Instance;
use super::physical::{self, DeviceInfo};
use super::present_extension;
use super::requirements::Requirements;
use super::submit::FrameSlots;
use super::surface::Surface;
use super::timeline;
use crate::error::{Error, Result};
use ash::{ext, khr, vk};
use barrier_proof::{Pass, RecordOptions, Stage};
use gpu_allocator::AllocationSizes;
use std::ffi::CStr;
use std::sync::Arc;

impl Device {
    /// Opens the device that `wanted` (an index, a UUID or part of a name) asks for, or the best one.
    ///
    /// # Errors
    /// [`Error::NoDevice`] or [`Error::Lacks`] naming what is missing; [`Error::Setting`] when `wanted` fits none.
    pub fn new(instance: &Arc<Instance>, wanted: Option<&str>, surface: Option<&Surface>) -> Result<Arc<Self>> {
        Self::with_options(instance, &DeviceOptions { wanted, surface, ..DeviceOptions::default() })
    }

    /// Opens the device that `options` ask for.
    ///
    /// # Errors
    /// As [`Device::new`].
    pub fn with_options(instance: &Arc<Instance>, options: &DeviceOptions<'_>) -> Result<Arc<Self>> {
        let DeviceOptions { wanted, surface, robust, narrow, .. } = *options;
        let ask = |device: &mut DeviceInfo| surface.map_or(Ok(()), |surface| surface.require_present(device));
        let mut info = physical::choose(instance.devices()?, wanted, ask)?;
        info.device_addresses &= !robust;
        info.wide_atomics &= !narrow;
        let queue_family = info.queue_family.ok_or_else(|| Error::NoDevice(format!("{} has no queue", info.name)))?;
        // SAFETY: the device comes from this instance, and `choose` checked that it lacks nothing.
        let needed = unsafe { Requirements::for_pictures().with_optional(&instance.raw, info.raw) }?;
        let mut features = needed.features;
        let int64 = info.device_addresses || info.wide_atomics;
        features.v10 = features.v10.robust_buffer_access(robust).shader_int64(int64);
        features.v12 = features.v12.buffer_device_address(info.device_addresses);
        features.v12 = features.v12.shader_buffer_int64_atomics(info.wide_atomics);
        let mut features = features.chain();
        let mut extensions: Vec<_> = needed.device_extensions.iter().map(|name| name.as_ptr()).collect();
        if surface.is_some() || info.swapchain && instance.surface_functions.is_some() {
            extensions.push(khr::swapchain::NAME.as_ptr());
        }
        // SAFETY: the device comes from this instance, which has Vulkan 1.3.
        let fences = unsafe { present_extension::of_device(&instance.raw, info.raw, &instance.of_present_fences) }?;
        let fences = fences.filter(|_| surface.is_some());
        let mut maintenance1 =
            vk::PhysicalDeviceSwapchainMaintenance1FeaturesEXT::default().swapchain_maintenance1(true);
        if let Some(name) = fences {
            extensions.push(name.as_ptr());
            features = features.push_next(&mut maintenance1);
        }
        let mut robustness2 = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
        if robust && info.robustness2 {
            extensions.push(ext::robustness2::NAME.as_ptr());
            features = features.push_next(&mut robustness2);
        }
        let mut device_fault = vk::PhysicalDeviceFaultFeaturesEXT::default().device_fault(true);
        let reports_faults = info.device_fault;
        if reports_faults {
            extensions.push(ext::device_fault::NAME.as_ptr());
            features = features.push_next(&mut device_fault);
        }
        let shares = options.share && info.external_memory_fd;
        if shares {
            extensions.push(khr::external_memory_fd::NAME.as_ptr());
        }
        let calibrated = info.calibrated_timestamps.filter(|_| timeline::wanted());
        extensions.extend(calibrated.map(CStr::as_ptr));
        let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&[1.0])];
        let create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&extensions)
            .push_next(&mut features);
        // SAFETY: the device comes from this instance, and `choose` checked that it has these features.
        let raw = unsafe { instance.raw.create_device(info.raw, &create, None) }
            .map_err(Error::vulkan("vkCreateDevice", &info.name))?;
        // SAFETY: the queue was asked for above.
        let queue = unsafe { raw.get_device_queue(queue_family, 0) };
        let mut device =
            Self::of_handles(instance, info, raw, (queue_family, queue), (Some(options), AllocationSizes::default()))?;
        let reports = || ext::device_fault::Device::new(&device.instance.raw, &device.raw);
        device.fault_reports = reports_faults.then(reports);
        device.present_fences = fences.is_some();
        device.shares = shares.then(|| khr::external_memory_fd::Device::new(&device.instance.raw, &device.raw));
        device.name(queue, "queue");
        let device = Arc::new(device);
        if timeline::wanted() && device.info.timestamp_bits > 0 {
            let clock = clock(&device, calibrated)?;
            let _ = device.clock.set(clock);
        }
        Ok(device)
    }
}

/// Compares the clocks of `device`, which is idle and was created with `extension`, if any.
fn clock(device: &Arc<Device>, extension: Option<&CStr>) -> Result<DeviceClock> {
    let reader = extension.map(|name| Reader::new(&device.instance.raw, &device.raw, name));
    let latest = match &reader {
        Some(reader) => reader.moment()?,
        None => by_submission(device)?,
    };
    Ok(DeviceClock::new(&device.info, reader, latest))
}

/// Reads the device's clock by a timestamp in a submission.
fn by_submission(device: &Arc<Device>) -> Result<Moment> {
    const CLOCK: Pass<'_> = Pass { name: "clock", stage: Stage::ALL_COMMANDS, uses: &[] };
    let mut slots = FrameSlots::new(device, "clock", 1, true)?;
    narrowest(|| {
        let slot = slots.next()?;
        let mut rec = slot.begin(RecordOptions::default())?;
        rec.pass(&CLOCK, |_| {});
        rec.finish()?;
        slot.submit(None)?;
        slots.wait_all()?;
        Ok(slots.timings().first_tick())
    })
}

#[cfg(test)]
mod tests {
    use super::super::instance::InstanceOptions;
    use super::*;
    use tracing_subscriber::layer::SubscriberExt;

    #[test]
    fn both_ways_of_comparing_clocks_agree_within_their_errors() {
        let listener = tracing_subscriber::registry().with(tracing_subscriber::filter::LevelFilter::TRACE);
        let _listening = tracing::subscriber::set_default(listener);
        let opened = Instance::new(&InstanceOptions::default()).and_then(|instance| Device::new(&instance, None, None));
        let device = match opened {
            Ok(device) => device,
            Err(error) => {
                assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "REQUIRE_GPU=1, but {error}");
                return eprintln!("SKIPPED, nothing was tested: {error}");
            }
        };
        let best_effort = clock(&device, None).expect("an empty submission");
        let moment = *best_effort.latest.lock().expect("no panic before");
        // An eighth of a second before and after, also across the counter's wrap.
        let ticks = (125e6 / best_effort.period) as u64;
        for (tick, away) in
            [(moment.tick.wrapping_sub(ticks), -125_000_000), (moment.tick.wrapping_add(ticks), 125_000_000)]
        {
            let time = best_effort.host(tick) as i64;
            assert!((time - moment.host.saturating_add_signed(away) as i64).abs() <= 1, "{time}");
        }
        let Some(clock) = device.clock.get().filter(|clock| clock.reader.is_some()) else {
            return eprintln!("SKIPPED in part: {} has no calibrated timestamps", device.info.name);
        };
        let error = moment.error + clock.latest.lock().expect("no panic before").error;
        let apart = clock.host(moment.tick).abs_diff(moment.host);
        assert!(apart <= error, "{apart} ns apart, although each is said to be within {error} ns");
    }
}
