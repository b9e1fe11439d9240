//! One axis of time for host and device, for traces.
//!
//! What happens when is told as [`tracing`] spans and events of the target [`TARGET`], at the level `TRACE`: the host's
//! work as spans, and each pass, once its frame is done, as an event with the times in which the device ran it. Nobody
//! pays for it unless a subscriber wants that target. Times are nanoseconds since [`start`].
//!
//! A device counts ticks of a clock of its own. `VK_KHR_calibrated_timestamps` (or its `EXT` forerunner) reads that clock
//! from the host, between two looks at the host's; that is repeated while the program runs, because no two clocks run
//! equally fast. Where a driver has no such extension, a command buffer with nothing but a timestamp is submitted to the
//! idle queue, once: its tick lies between submission and return, which is all that is known of it.

use super::barrier::Stage;
use super::device::Device;
use super::pass::Pass;
use super::submit::{FrameSlots, SubmitInfo};
use crate::error::Result;
use ash::{ext, khr, vk};
use std::ffi::CStr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

/// Target of the spans and events that make up a trace.
pub const TARGET: &str = "starlings::timeline";

/// Nanoseconds after which the two clocks are compared again.
const RENEWAL: u64 = 20_000_000;

/// Comparisons of which the narrowest is kept.
const TRIES: usize = 8;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Lets time begin, unless it has begun.
pub fn start() {
    LazyLock::force(&START);
}

/// Nanoseconds since [`start`].
pub fn now() -> u64 {
    START.elapsed().as_nanos() as u64
}

/// Whether anybody wants to know.
pub(super) fn wanted() -> bool {
    tracing::enabled!(target: TARGET, tracing::Level::TRACE)
}

/// The extension by which `has` says that the device's clock can be read.
pub(super) fn extension(has: impl Fn(&CStr) -> bool) -> Option<&'static CStr> {
    [khr::calibrated_timestamps::NAME, ext::calibrated_timestamps::NAME].into_iter().find(|name| has(name))
}

/// A moment on both clocks.
#[derive(Clone, Copy)]
struct Moment {
    tick: u64,
    host: u64,
    /// Nanoseconds that `host` may be off by.
    error: u64,
}

enum Reader {
    Khr(khr::calibrated_timestamps::Device),
    Ext(ext::calibrated_timestamps::Device),
}

/// Turns ticks of a device into times on the host's axis.
pub(super) struct DeviceClock {
    reader: Option<Reader>,
    latest: Mutex<Moment>,
    /// Nanoseconds in a tick.
    period: f64,
    mask: u64,
}

impl DeviceClock {
    /// Compares the clocks of `device`, which is idle and opened with `extension` if it has that.
    pub fn new(device: &Arc<Device>, extension: Option<&CStr>) -> Result<Self> {
        let instance = &device.instance.raw;
        let reader = extension.map(|name| {
            if name == khr::calibrated_timestamps::NAME {
                Reader::Khr(khr::calibrated_timestamps::Device::new(instance, &device.raw))
            } else {
                Reader::Ext(ext::calibrated_timestamps::Device::new(instance, &device.raw))
            }
        });
        let latest = match &reader {
            Some(reader) => reader.narrowest(device)?,
            None => by_submission(device)?,
        };
        let mask = u64::MAX >> (64 - device.info.timestamp_bits);
        let period = f64::from(device.info.timestamp_period);
        let clock = DeviceClock { reader, latest: Mutex::new(latest), period, mask };
        clock.tell(device, latest);
        Ok(clock)
    }

    /// Compares the clocks again, if that was long ago and the device can.
    pub fn renew(&self, device: &Device) -> Result<()> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = &self.reader
            && now() - latest.host > RENEWAL
        {
            *latest = reader.narrowest(device)?;
            self.tell(device, *latest);
        }
        Ok(())
    }

    /// Says how well the clocks are known to agree.
    fn tell(&self, device: &Device, moment: Moment) {
        let clock = match self.reader {
            Some(Reader::Khr(_)) => "VK_KHR_calibrated_timestamps",
            Some(Reader::Ext(_)) => "VK_EXT_calibrated_timestamps",
            None => "a timestamp in an empty submission, once",
        };
        let name = device.info.name.as_str();
        tracing::trace!(target: TARGET, device = name, clock, error_ns = moment.error);
    }

    /// The time of `tick`, in nanoseconds since [`start`].
    pub fn host(&self, tick: u64) -> u64 {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        // The counter may have wrapped; half its range is far more than any frame takes.
        let ahead = tick.wrapping_sub(latest.tick) & self.mask;
        let behind = latest.tick.wrapping_sub(tick) & self.mask;
        let ticks = if ahead <= behind { ahead as f64 } else { -(behind as f64) };
        latest.host.saturating_add_signed((ticks * self.period).round() as i64)
    }
}

impl Reader {
    fn narrowest(&self, device: &Device) -> Result<Moment> {
        let info = [vk::CalibratedTimestampInfoKHR::default().time_domain(vk::TimeDomainKHR::DEVICE)];
        narrowest(|| {
            // SAFETY: the device was opened with the extension, and every such device can read its own clock.
            let read = unsafe {
                match self {
                    Reader::Khr(functions) => functions.get_calibrated_timestamps(&info),
                    Reader::Ext(functions) => functions.get_calibrated_timestamps(&info),
                }
            };
            let (ticks, _) = read.map_err(|r| device.error("vkGetCalibratedTimestamps", "clock", r))?;
            Ok(ticks[0])
        })
    }
}

/// Lets the device itself take its time.
fn by_submission(device: &Arc<Device>) -> Result<Moment> {
    const CLOCK: Pass<'_> = Pass { name: "clock", stage: Stage::ALL_COMMANDS, uses: &[] };
    let mut slots = FrameSlots::new(device, "clock", 1, true)?;
    narrowest(|| {
        let slot = slots.next()?;
        let mut rec = slot.begin()?;
        rec.pass(&CLOCK, |_| {});
        rec.finish()?;
        slot.submit(&SubmitInfo::default())?;
        slots.wait_all()?;
        Ok(slots.timings().first_tick())
    })
}

/// The moment whose `tick` was taken in the shortest time.
fn narrowest(mut tick: impl FnMut() -> Result<u64>) -> Result<Moment> {
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

#[cfg(test)]
mod tests {
    use super::super::{Instance, InstanceOptions};
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
        let best_effort = DeviceClock::new(&device, None).expect("an empty submission");
        let moment = *best_effort.latest.lock().expect("no panic before");
        // An eighth of a second either way, and over the counter's wrap.
        let ticks = (125e6 / best_effort.period) as u64;
        for (tick, away) in
            [(moment.tick.wrapping_sub(ticks), -125_000_000), (moment.tick.wrapping_add(ticks), 125_000_000)]
        {
            let time = best_effort.host(tick) as i64;
            assert!((time - moment.host.saturating_add_signed(away) as i64).abs() <= 1, "{time}");
        }
        let Some(clock) = device.clock.get().filter(|clock| clock.reader.is_some()) else {
            return eprintln!("SKIPPED, one way was tested only: {} has no calibrated timestamps", device.info.name);
        };
        let error = moment.error + clock.latest.lock().expect("no panic before").error;
        let apart = clock.host(moment.tick).abs_diff(moment.host);
        assert!(apart <= error, "{apart} ns apart, although each is said to be within {error} ns");
    }
}
