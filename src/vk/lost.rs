//! What is said of a device that was lost, or that takes long: the last pass that finished, as its timestamps show, and
//! what the driver reports.

use super::device::Device;
use super::flights::{Flight, Flights};
use crate::error::{Error, Result};
use ash::vk;
use std::sync::{MutexGuard, Once, PoisonError};

/// Nanoseconds after which a wait looks whether it is cancelled.
const PIECE: u64 = 250_000_000;

/// So many of them are reported.
const LONG: u64 = 120;

impl Device {
    pub(super) fn flights(&self) -> MutexGuard<'_, Flights> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error of the Vulkan call `operation` for `object`. If the device was lost, it also says what is known of
    /// when.
    pub(super) fn failed(&self, operation: &'static str, object: &str) -> impl FnOnce(vk::Result) -> Error {
        move |result| {
            let mut error = Error::vulkan(operation, object)(result);
            if let (Error::Vulkan { after, .. }, vk::Result::ERROR_DEVICE_LOST) = (&mut error, result) {
                *after = self.flights().describe(|flight| self.finished(flight)) + &self.fault_info();
            }
            error
        }
    }

    /// Waits for a fence of this device that something submitted signals, `object`. Says once in a process that it
    /// takes long, and waits on: the device may be slow, or be lost without the driver's telling.
    ///
    /// # Errors
    /// [`Error::Cancelled`] once [`DeviceOptions::cancel`](super::DeviceOptions::cancel) is requested: the device may
    /// not be done then.
    pub(super) fn wait(&self, fence: vk::Fence, object: &str) -> Result<()> {
        self.wait_until(fence, object, || self.cancel.is_requested())
    }

    /// The same to the end: what is in use may not be destroyed.
    pub(super) fn wait_out(&self, fence: vk::Fence, object: &str) -> Result<()> {
        self.wait_until(fence, object, || false)
    }

    fn wait_until(&self, fence: vk::Fence, object: &str, cancelled: impl Fn() -> bool) -> Result<()> {
        static REPORTED: Once = Once::new();
        for pieces in 1u64.. {
            // SAFETY: as the caller says.
            let waited = unsafe { self.raw.wait_for_fences(&[fence], true, PIECE) };
            if waited != Err(vk::Result::TIMEOUT) {
                return waited.map_err(self.failed("vkWaitForFences", object));
            }
            if cancelled() {
                return Err(Error::Cancelled);
            }
            if pieces == LONG {
                REPORTED.call_once(|| {
                    let known = self.flights().describe(|flight| self.finished(flight));
                    let seconds = LONG * PIECE / 1_000_000_000;
                    tracing::warn!("vkWaitForFences: {object} is not done after {seconds} s{known}; still waiting");
                });
            }
        }
        unreachable!("there are more numbers than pieces of a wait")
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
