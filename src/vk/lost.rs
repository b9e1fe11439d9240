//! What is said of a device that was lost, or that takes long: the last pass that finished, as its timestamps show, and what the driver
//! reports.

use super::device::Device;
use super::flights::{Flight, Flights};
use crate::error::{Error, Result};
use ash::vk;
use std::sync::{MutexGuard, Once, PoisonError};

/// Seconds after which a wait is told of.
const LONG: u64 = 30;

impl Device {
    pub(super) fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of the Vulkan call `operation` for `object`. If the device was lost, it also says what is known of when.
    pub(super) fn failed(&self, operation: &'static str, object: &str) -> impl FnOnce(vk::Result) -> Error {
        move |result| {
            let mut error = Error::vulkan(operation, object)(result);
            if let (Error::Vulkan { after, .. }, vk::Result::ERROR_DEVICE_LOST) = (&mut error, result) {
                *after = self.flights().tell(|flight| self.finished(flight)) + &self.fault_info();
            }
            error
        }
    }

    /// Waits for a fence of this device that something submitted signals, `object`. Says once in a process that it takes long, and
    /// waits on: the device may be slow, or be lost without the driver's telling.
    pub(super) fn wait(&self, fence: vk::Fence, object: &str) -> Result<()> {
        static TOLD: Once = Once::new();
        loop {
            // SAFETY: as the caller says.
            let waited = unsafe { self.raw.wait_for_fences(&[fence], true, LONG * 1_000_000_000) };
            if waited != Err(vk::Result::TIMEOUT) {
                return waited.map_err(self.failed("vkWaitForFences", object));
            }
            TOLD.call_once(|| {
                let known = self.flights().tell(|flight| self.finished(flight));
                tracing::warn!("vkWaitForFences: {object} is not done after {LONG} s{known}; waiting on");
            });
        }
    }

    /// How many passes of a flight have finished, without waiting.
    fn finished(&self, flight: &Flight) -> usize {
        // Each with a second word that says whether it has arrived.
        let mut stamps = vec![[0u64; 2]; 2 * flight.passes.len()];
        if stamps.is_empty() {
            return 0;
        }
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        // SAFETY: the pool lives until its flight has landed. Queries that were not written fail the call, and say so.
        let _ = unsafe { self.raw.get_query_pool_results(flight.pool, 0, &mut stamps, flags) };
        stamps.chunks_exact(2).take_while(|pair| pair[1][1] != 0).count()
    }
}
