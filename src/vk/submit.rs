//! Frame slots: a command buffer, a fence, an acquire semaphore and timestamps for each frame in flight.

use super::device::Device;
use super::events::Events;
use super::owned::Owned;
use super::recorder::Recorder;
use super::swapchain::{Acquired, Swapchain};
use super::timeline;
use super::timestamps::{PassTimings, SlotTimestamps};
use crate::error::{Error, Result};
use ash::vk::{self, Handle as _};
use barrier_proof::{HostEvent, PlannedFrame, RecordOptions, Stage};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The objects of one frame in flight.
pub struct FrameSlot {
    device: Arc<Device>,
    name: String,
    pool: Owned<vk::CommandPool>,
    commands: vk::CommandBuffer,
    fence: Owned<vk::Fence>,
    acquired: Owned<vk::Semaphore>,
    events: Events,
    timestamps: Option<SlotTimestamps>,
    /// The number of its submission that was not waited for yet, if any.
    in_flight: Option<u64>,
}

impl FrameSlot {
    fn new(device: &Arc<Device>, name: &str, timestamps: bool) -> Result<Self> {
        let pool = device.command_pool(&format!("{name} pool"))?;
        let allocate = vk::CommandBufferAllocateInfo::default().command_pool(*pool).command_buffer_count(1);
        // SAFETY: the pool was just made.
        let commands = unsafe { device.raw.allocate_command_buffers(&allocate) }.map(|buffers| buffers[0]);
        let own_name = format!("{name} commands");
        let commands = device.made("vkAllocateCommandBuffers", &own_name, commands)?;
        // SAFETY: the device is alive.
        let fence = unsafe { device.raw.create_fence(&vk::FenceCreateInfo::default(), None) };
        Ok(FrameSlot {
            device: device.clone(),
            name: own_name,
            pool,
            commands,
            fence: device.owned("vkCreateFence", &format!("{name} done"), fence, ash::Device::destroy_fence)?,
            acquired: device.semaphore(&format!("{name} acquired"))?,
            events: Events::new(device, name, 0)?,
            timestamps: if timestamps { SlotTimestamps::new(device, name)? } else { None },
            in_flight: None,
        })
    }

    /// Starts recording the slot's command buffer.
    pub fn begin<'a>(&'a mut self, options: RecordOptions<'a>) -> Result<Recorder<'a>> {
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.forget();
        }
        self.events.reset()?;
        // SAFETY: the slot's fence was waited for, so the device is done with the pool's one command buffer.
        unsafe {
            let reset = self.device.raw.reset_command_pool(*self.pool, vk::CommandPoolResetFlags::empty());
            reset.map_err(Error::vulkan("vkResetCommandPool", &self.name))?;
            let begun = self.device.raw.begin_command_buffer(self.commands, &begin);
            begun.map_err(Error::vulkan("vkBeginCommandBuffer", &self.name))?;
        }
        self.device.watch.note(|| HostEvent::Begin { commands: self.commands.as_raw() });
        // RenderDoc associates the name with the last recording.
        self.device.name(self.commands, &self.name);
        let rec = Recorder::new(&self.device, self.commands, self.timestamps.as_mut(), options);
        Ok(rec.with_events(&self.events))
    }

    /// Submits the recording. A frame for a window draws to the swapchain image in `present`, and waits for it in that
    /// stage.
    pub fn submit(&mut self, present: Option<(&Swapchain, u32, Stage)>) -> Result<()> {
        let infos = [vk::CommandBufferSubmitInfo::default().command_buffer(self.commands)];
        let mut submit = vk::SubmitInfo2::default().command_buffer_infos(&infos);
        let (mut wait, mut signal) = ([vk::SemaphoreSubmitInfo::default()], [vk::SemaphoreSubmitInfo::default()]);
        if let Some((swapchain, image, first_use)) = present {
            let (acquired, drawn) = self.semaphores(swapchain, image);
            wait[0] = wait[0].semaphore(acquired).stage_mask(first_use);
            // Presentation reads the results of all commands, so the signal's scope must include them.
            signal[0] = signal[0].semaphore(drawn).stage_mask(Stage::ALL_COMMANDS);
            submit = submit.wait_semaphore_infos(&wait).signal_semaphore_infos(&signal);
        }
        let semaphore = |of: &vk::SemaphoreSubmitInfo<'_>| present.map(|_| of.semaphore.as_raw());
        let (commands, fence) = (self.commands.as_raw(), self.fence.as_raw());
        let (wait, signal) = (semaphore(&wait[0]), semaphore(&signal[0]));
        let queue = self.device.queue();
        self.device.watch.note(|| HostEvent::Submit { commands, fence, wait, signal });
        self.device.verdict()?;
        let submission = self.device.submissions.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.submission = submission;
        }
        let _submitting = tracing::trace_span!(target: timeline::TARGET, "submit", submission).entered();
        // SAFETY: the commands are complete, the fence is unsignaled, and the lock guards the queue.
        let submitted = unsafe { self.device.raw.queue_submit2(*queue, &[submit], *self.fence) };
        submitted.map_err(self.device.failed("vkQueueSubmit2", &self.name)).inspect_err(|_| {
            // It was noted, but is not in flight: what failed is judged no further.
            self.device.watch.note(|| HostEvent::Idle);
        })?;
        drop(queue);
        self.in_flight = Some(submission);
        if let Some(timestamps) = &self.timestamps {
            self.device.flights().depart(submission, timestamps.pool(), &timestamps.passes);
        }
        Ok(())
    }

    /// The semaphores of a frame that draws into `image`: the one that it waits for, and the one that it signals.
    fn semaphores(&self, swapchain: &Swapchain, image: u32) -> (vk::Semaphore, vk::Semaphore) {
        (*self.acquired, swapchain.present_semaphore(image))
    }

    /// Asks for the next image of `swapchain`, signaling this slot's semaphore.
    pub fn acquire(&self, swapchain: &Swapchain) -> Result<Acquired> {
        let _acquiring = tracing::trace_span!(target: timeline::TARGET, "acquire").entered();
        swapchain.acquire(*self.acquired)
    }

    fn wait(&mut self, timings: &mut PassTimings) -> Result<()> {
        let Some(submission) = self.in_flight else { return Ok(()) };
        let waiting = tracing::trace_span!(target: timeline::TARGET, "wait").entered();
        self.device.wait(*self.fence, &self.name)?;
        // SAFETY: the fence belongs to this device, and no submission uses it any more.
        let reset = unsafe { self.device.raw.reset_fences(&[*self.fence]) };
        reset.map_err(Error::vulkan("vkResetFences", &self.name))?;
        drop(waiting);
        self.device.watch.note(|| HostEvent::Wait { fence: self.fence.as_raw() });
        self.in_flight = None;
        self.device.flights().land(submission, true);
        self.timestamps.as_mut().map_or(Ok(()), |stamps| stamps.harvest(timings))?;
        self.device.verdict()
    }
}

impl Drop for FrameSlot {
    fn drop(&mut self) {
        // Nothing may be in flight when the fields are dropped, also after an error.
        if let Some(submission) = self.in_flight {
            // If that fails, the device is lost, and nothing is in flight either.
            let _ = self.device.wait_out(*self.fence, &self.name);
            self.device.watch.note(|| HostEvent::Wait { fence: self.fence.as_raw() });
            self.device.flights().land(submission, false);
        }
    }
}

/// A ring of frame slots. A slot's fence is waited for before the slot is reused, so at most one frame per slot is in
/// flight.
pub struct FrameSlots {
    slots: Vec<FrameSlot>,
    next: usize,
    timings: PassTimings,
}

impl FrameSlots {
    /// Makes `count` slots, with timestamps if requested and available.
    pub fn new(device: &Arc<Device>, name: &str, count: usize, timestamps: bool) -> Result<Self> {
        let slots = (0..count)
            .map(|index| FrameSlot::new(device, &format!("{name} {index}"), timestamps))
            .collect::<Result<_>>()?;
        Ok(FrameSlots { slots, next: 0, timings: PassTimings::default() })
    }

    /// The same with so many events for the recordings of each slot.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when memory is exhausted.
    pub fn with_events(mut self, count: usize) -> Result<Self> {
        for slot in &mut self.slots {
            slot.events = Events::new(&slot.device, &slot.name, count)?;
        }
        Ok(self)
    }

    /// What frames use, by slot and by image: for a proof that any order of images is in order.
    pub fn plan(&self, swapchain: &Swapchain) -> Vec<Vec<PlannedFrame>> {
        let planned = |slot: &FrameSlot, image| {
            let (acquired, drawn) = slot.semaphores(swapchain, image);
            PlannedFrame {
                image,
                commands: slot.commands.as_raw(),
                fence: slot.fence.as_raw(),
                acquired: acquired.as_raw(),
                drawn: drawn.as_raw(),
                presented: swapchain.present_semaphore(image).as_raw(),
            }
        };
        let images = |slot| (0..swapchain.image_count()).map(move |image| planned(slot, image)).collect();
        self.slots.iter().map(images).collect()
    }

    /// Index of the slot that [`FrameSlots::next`] gives next.
    pub fn next_index(&self) -> usize {
        self.next
    }

    /// The next slot, once the device has finished the frame that last used it.
    #[expect(clippy::should_implement_trait, reason = "a slot is borrowed, which Iterator cannot say")]
    pub fn next(&mut self) -> Result<&mut FrameSlot> {
        let index = self.next;
        self.next = (index + 1) % self.slots.len();
        self.slots[index].wait(&mut self.timings)?;
        Ok(&mut self.slots[index])
    }

    /// Whether the device has finished the last frame of slot `index`.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the device is lost.
    pub fn is_done(&self, index: usize) -> Result<bool> {
        let slot = &self.slots[index];
        if slot.in_flight.is_none() {
            return Ok(true);
        }
        // SAFETY: the fence belongs to this device and was passed to a submission.
        match unsafe { slot.device.raw.wait_for_fences(&[*slot.fence], true, 0) } {
            Ok(()) => {
                slot.device.watch.note(|| HostEvent::Signaled { fence: slot.fence.as_raw() });
                Ok(true)
            }
            Err(vk::Result::TIMEOUT) => Ok(false),
            Err(result) => Err(slot.device.failed("vkWaitForFences", &slot.name)(result)),
        }
    }

    /// Waits for every slot, oldest first.
    pub fn wait_all(&mut self) -> Result<()> {
        for offset in 0..self.slots.len() {
            let index = (self.next + offset) % self.slots.len();
            self.slots[index].wait(&mut self.timings)?;
        }
        Ok(())
    }

    /// GPU times of the frames waited for so far.
    pub fn timings(&self) -> &PassTimings {
        &self.timings
    }

    /// GPU times of the frames waited for so far, to clear them after a warm-up.
    pub fn timings_mut(&mut self) -> &mut PassTimings {
        &mut self.timings
    }
}

impl Device {
    /// What the watch has found wrong so far, if all is [judged](super::DeviceOptions::watch).
    ///
    /// # Errors
    /// [`Error::Unsynchronized`].
    pub fn verdict(&self) -> Result<()> {
        self.watch.verdict().map_err(Error::Unsynchronized)
    }

    /// Records commands with `record`, submits them and waits until they are done. A watched device keeps their
    /// journal.
    pub fn run_once(self: &Arc<Self>, name: &str, record: impl FnOnce(&mut Recorder<'_>)) -> Result<()> {
        let mut slots = FrameSlots::new(self, name, 1, false)?;
        let slot = slots.next()?;
        let options = RecordOptions { journal: self.watch.is_on(), ..RecordOptions::default() };
        let mut recorder = slot.begin(options)?;
        record(&mut recorder);
        recorder.finish()?.into_iter().for_each(|journal| self.watch.ran(journal));
        slot.submit(None)?;
        slots.wait_all()
    }
}
