//! The relation of a device's clock to the host's.
//!
//! A device counts ticks of its own clock. `VK_KHR_calibrated_timestamps` (or its `EXT` predecessor) reads that clock
//! from the host, between two reads of the host's clock; this is repeated while the program runs, because the clocks
//! drift. Without the extension, a command buffer with only a timestamp is submitted once to the idle queue: its tick
//! is between submission and return.

use super::physical::DeviceInfo;
use super::timeline::{TARGET, now};
use crate::error::{Error, Result};
use ash::{ext, khr, vk};
use std::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// Nanoseconds after which the two clocks are compared again.
const RENEWAL: u64 = 20_000_000;

/// Comparisons, of which the one with the smallest error is kept.
const TRIES: usize = 8;

/// A moment on both clocks.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub tick: u64,
    pub host: u64,
    /// Upper limit of the error of `host`, in nanoseconds.
    pub error: u64,
}

/// Reads a device's clock from the host.
pub(super) enum Reader {
    Khr(khr::calibrated_timestamps::Device),
    Ext(ext::calibrated_timestamps::Device),
}

/// Converts ticks of a device to host times.
pub(super) struct DeviceClock {
    /// The device's name.
    device: String,
    pub reader: Option<Reader>,
    pub latest: Mutex<Moment>,
    /// Nanoseconds in a tick.
    pub period: f64,
    mask: u64,
}

impl DeviceClock {
    /// The clock of a device, with a first comparison `latest`; `reader` can repeat it.
    pub fn new(info: &DeviceInfo, reader: Option<Reader>, latest: Moment) -> Self {
        let mask = u64::MAX >> (64 - info.timestamp_bits);
        let period = f64::from(info.properties.limits.timestamp_period);
        let clock = DeviceClock { device: info.name.clone(), reader, latest: Mutex::new(latest), period, mask };
        clock.log_error(latest);
        clock
    }

    /// Compares the clocks again, if the last comparison is old and there is a reader.
    pub fn renew(&self) -> Result<()> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = &self.reader
            && now() - latest.host > RENEWAL
        {
            *latest = reader.moment()?;
            self.log_error(*latest);
        }
        Ok(())
    }

    /// Logs the error of the comparison.
    fn log_error(&self, moment: Moment) {
        let clock = match self.reader {
            Some(Reader::Khr(_)) => "VK_KHR_calibrated_timestamps",
            Some(Reader::Ext(_)) => "VK_EXT_calibrated_timestamps",
            None => "a timestamp in an empty submission, once",
        };
        tracing::trace!(target: TARGET, device = self.device.as_str(), clock, error_ns = moment.error);
    }

    /// The time of `tick`, in nanoseconds since [`start`](super::timeline::start).
    pub fn host(&self, tick: u64) -> u64 {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        // The counter may have wrapped; half its range is much longer than a frame.
        let ahead = tick.wrapping_sub(latest.tick) & self.mask;
        let behind = latest.tick.wrapping_sub(tick) & self.mask;
        let ticks = if ahead <= behind { ahead as f64 } else { -(behind as f64) };
        latest.host.saturating_add_signed((ticks * self.period).round() as i64)
    }
}

impl Reader {
    /// The reader of the clock of `device`, which was created with `extension`.
    pub fn new(instance: &ash::Instance, device: &ash::Device, extension: &CStr) -> Self {
        if extension == khr::calibrated_timestamps::NAME {
            Reader::Khr(khr::calibrated_timestamps::Device::new(instance, device))
        } else {
            Reader::Ext(ext::calibrated_timestamps::Device::new(instance, device))
        }
    }

    /// Compares the clocks.
    pub fn moment(&self) -> Result<Moment> {
        let info = [vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE)];
        narrowest(|| {
            // SAFETY: the device was opened with the extension, and every such device can read its own clock.
            let read = unsafe {
                match self {
                    Reader::Khr(functions) => functions.get_calibrated_timestamps(&info),
                    Reader::Ext(functions) => functions.get_calibrated_timestamps(&info),
                }
            };
            let (ticks, _) = read.map_err(Error::vulkan("vkGetCalibratedTimestamps", "clock"))?;
            Ok(ticks[0])
        })
    }
}

/// The moment whose `tick` was taken in the shortest time.
pub(super) fn narrowest(mut tick: impl FnMut() -> Result<u64>) -> Result<Moment> {
    let mut best = Moment { tick: 0, host: 0, error: u64::MAX };
    for _ in 0..TRIES {
        let before = now();
        let tick = tick()?;
        let width = now() - before;
        if width.div_ceil(2) < best.error {
            best = Moment { tick, host: before + width / 2, error: width.div_ceil(2) };
        }
    }
    Ok(best)
}
