//! A program that lets heat spread over a field: kernels that read one buffer and write another in turn, a draw of the
//! newest, and a copy of the picture for the host. Two frames are in flight.

#[path = "gpu.rs"]
pub mod gpu;
#[path = "pipelines.rs"]
pub mod pipelines;

use ash::vk::{self, Handle as _};
use barrier_proof::kernels::{Modules, Variable};
use barrier_proof::{
    Bytes, Fault, Frame, HostEvent, ImageRef, Journal, Message, Pass, RecordOptions, Recorder, Rehearsal, Resource,
    Stage, Watch, barrier, image_barrier, uses,
};
use gpu::{Buffer, Gpu};
use pipelines::Pipeline;
use std::fmt;

/// Cells along an edge of the field, and pixels along an edge of the picture.
pub const EDGE: usize = 64;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const IN_FLIGHT: usize = 2;

/// The two buffers of heat.
pub const FIELDS: [Resource; 2] = [PING, PONG];
pub const PING: Resource = Resource::new("ping");
pub const PONG: Resource = Resource::new("pong");
pub const PICTURE: Resource = Resource::new("picture");
/// The picture for the host: a buffer for each frame in flight.
pub const PIXELS: Resource = Resource::new("pixels");
/// What shaders call the one that they read, and the one that they write.
const FROM: Resource = Resource::new("from");
const TO: Resource = Resource::new("to");

/// What a frame in flight has of its own.
struct Slot {
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    done: vk::Fence,
    pixels: Buffer,
    in_flight: bool,
}

/// The program.
pub struct Diffusion<'a> {
    gpu: &'a Gpu,
    layout: vk::PipelineLayout,
    /// By the field that they read.
    sets: [vk::DescriptorSet; 2],
    diffuse: Pipeline,
    heat: Pipeline,
    picture: ImageRef,
    slots: Vec<Slot>,
    frame: usize,
    newest: usize,
}

impl<'a> Diffusion<'a> {
    pub fn new(gpu: &'a Gpu) -> Result<Diffusion<'a>, vk::Result> {
        let field = |of: Resource| gpu.buffer(of.name(), 4 * EDGE * EDGE, vk::BufferUsageFlags::STORAGE_BUFFER);
        let (layout, sets) = pipelines::sets(gpu, &[field(PING)?, field(PONG)?])?;
        let (raw, view) = gpu.image(PICTURE.name(), EDGE as u32, FORMAT)?;
        Ok(Diffusion {
            layout,
            sets,
            diffuse: pipelines::diffuse(gpu, layout)?,
            heat: pipelines::heat(gpu, layout, FORMAT)?,
            picture: ImageRef::color(raw, view, PICTURE),
            slots: (0..IN_FLIGHT).map(|_| Slot::new(gpu)).collect::<Result<_, _>>()?,
            frame: 0,
            newest: 0,
            gpu,
        })
    }

    /// Records a frame of so many rounds: all of its synchronization is here.
    fn record(&mut self, rec: &mut Recorder<'_>, pixels: vk::Buffer, rounds: u32) {
        barrier!(rec, "draw-to-diffuse", [War, PreviousFrame], [PING, PONG],
            (FRAGMENT_SHADER, NONE) => (COMPUTE_SHADER, NONE),
            "The previous frame's draw reads a field that a round of this one overwrites.");
        for _ in 0..rounds {
            barrier!(rec, "diffuse-to-diffuse", [Raw, War, PreviousFrame], [PING, PONG],
                (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
                "A round reads what the one before wrote, and overwrites what that one read.");
            let (from, to) = (FIELDS[self.newest], FIELDS[1 - self.newest]);
            let pass = Pass {
                name: if to == PONG { "pong" } else { "ping" },
                stage: Stage::COMPUTE_SHADER,
                uses: &uses![read from, write to],
            };
            rec.pass(&pass, |rec| {
                self.bind(rec, vk::PipelineBindPoint::COMPUTE, &self.diffuse);
                // SAFETY: the kernel and its set are bound.
                unsafe { rec.dispatch([EDGE as u32 / 8, EDGE as u32 / 8, 1]) };
            });
            self.newest = 1 - self.newest;
        }
        barrier!(rec, "diffuse-to-draw", [Raw], [PING, PONG],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (FRAGMENT_SHADER, SHADER_STORAGE_READ),
            "The draw reads the field that the last round wrote.");
        image_barrier!(rec, "copy-to-draw", [Layout, War, PreviousFrame], self.picture,
            (COPY, NONE, UNDEFINED) => (COLOR_ATTACHMENT_OUTPUT, COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL),
            "The previous frame's copy reads the picture that is drawn over here.");
        let (field, picture) = (FIELDS[self.newest], PICTURE);
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(self.picture.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::DONT_CARE)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area: vk::Rect2D = vk::Extent2D { width: EDGE as u32, height: EDGE as u32 }.into();
        let rendering = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&color);
        // SAFETY: the picture is in the layout named above; the pipeline and its set are bound before the draw.
        unsafe {
            rec.begin_rendering(&rendering, &[picture]);
            let uses = uses![fragment_read field, color_write picture];
            rec.pass(&Pass { name: "draw", stage: Stage::FRAGMENT_SHADER, uses: &uses }, |rec| {
                self.bind(rec, vk::PipelineBindPoint::GRAPHICS, &self.heat);
                rec.draw((0, 3), (0, 1));
            });
            rec.end_rendering();
        }
        image_barrier!(rec, "draw-to-copy", [Layout, Raw], self.picture, (COLOR_ATTACHMENT_OUTPUT,
            COLOR_ATTACHMENT_WRITE, COLOR_ATTACHMENT_OPTIMAL) => (COPY, TRANSFER_READ, TRANSFER_SRC_OPTIMAL),
            "The copy reads the picture.");
        rec.pass(
            &Pass { name: "copy", stage: Stage::COPY, uses: &uses![copy_from_image PICTURE, copy_to PIXELS] },
            |rec| {
                let layers =
                    vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                let extent = vk::Extent3D { width: EDGE as u32, height: EDGE as u32, depth: 1 };
                let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
                // SAFETY: the picture is in the layout named above, and the buffer has room for it.
                unsafe { rec.copy_image_to_buffer(self.picture.raw, pixels, &[region]) };
                rec.writes_mapped([bytes(pixels)]);
            },
        );
        barrier!(rec, "copy-to-host", [Raw, Host], [PIXELS], (COPY, TRANSFER_WRITE) => (HOST, HOST_READ),
            "The host reads the pixels after the fence, which makes nothing visible to it.");
        rec.host_reads(PIXELS);
    }

    fn bind(&self, rec: &mut Recorder<'_>, point: vk::PipelineBindPoint, pipeline: &Pipeline) {
        // SAFETY: they fit each other, and live as long as the device.
        unsafe {
            rec.bind_pipeline(point, pipeline.raw, &pipeline.shaders);
            rec.bind_descriptor_sets(point, self.layout, &[self.sets[self.newest]], &[]);
        }
        rec.bound_as(&[(FROM, FIELDS[self.newest]), (TO, FIELDS[1 - self.newest])]);
    }

    /// Records a frame of so many rounds, and submits it if it is to run.
    fn next(&mut self, rounds: u32, faults: &[Fault], run: bool) -> Result<Journal, vk::Result> {
        let (gpu, at) = (self.gpu, self.frame % IN_FLIGHT);
        self.frame += usize::from(run);
        self.wait(at)?;
        let Slot { pool, commands, done, pixels, .. } = self.slots[at];
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the device is done with the slot; its objects are of this device.
        unsafe {
            gpu.device.reset_command_pool(pool, vk::CommandPoolResetFlags::empty())?;
            gpu.device.begin_command_buffer(commands, &begin)?;
            gpu.watch.note(|| HostEvent::Begin { commands: commands.as_raw() });
            let rec = Recorder::new(&gpu.device, commands, RecordOptions { journal: true, faults });
            let mut rec = rec.with_labels(gpu.labels.as_ref()).with_watch(&gpu.watch);
            self.record(&mut rec, pixels.raw, rounds);
            let journal = rec.finish().unwrap_or_default();
            gpu.device.end_command_buffer(commands)?;
            if run {
                // Deliberate faults are not judged.
                gpu.watch.recorded(commands.as_raw(), faults.is_empty().then(|| journal.clone()));
                let (of, fence) = (commands.as_raw(), done.as_raw());
                gpu.watch.note(|| HostEvent::Submit { commands: of, fence, wait: None, signal: None });
                // What is wrong is not submitted.
                gpu.watch.verdict().map_err(|finding| {
                    eprintln!("{finding}");
                    vk::Result::ERROR_VALIDATION_FAILED_EXT
                })?;
                let commands = [vk::CommandBufferSubmitInfo::default().command_buffer(commands)];
                let submit = vk::SubmitInfo2::default().command_buffer_infos(&commands);
                gpu.device.queue_submit2(gpu.queue, &[submit], done)?;
                self.slots[at].in_flight = true;
            }
            Ok(journal)
        }
    }

    /// Waits for a slot, and reads its pixels.
    fn wait(&mut self, at: usize) -> Result<(), vk::Result> {
        let Slot { done, pixels, in_flight, .. } = &mut self.slots[at];
        if std::mem::take(in_flight) {
            // SAFETY: a submission signals the fence.
            unsafe {
                self.gpu.device.wait_for_fences(&[*done], true, u64::MAX)?;
                self.gpu.device.reset_fences(&[*done])?;
            }
            self.gpu.watch.note(|| HostEvent::Wait { fence: done.as_raw() });
            self.gpu.watch.note(|| HostEvent::Read(bytes(pixels.raw)));
        }
        Ok(())
    }

    /// Runs frames with one round each, and returns the last picture: four bytes a pixel.
    pub fn show(&mut self, frames: u32) -> Result<Vec<u8>, vk::Result> {
        Rehearsal::run(self, &vec![1; frames as usize], &[])?;
        let Buffer { bytes, size, .. } = self.slots[(self.frame + IN_FLIGHT - 1) % IN_FLIGHT].pixels;
        // SAFETY: the buffer is mapped, and no frame is in flight.
        Ok(unsafe { std::slice::from_raw_parts(bytes, size) }.to_vec())
    }
}

impl Slot {
    fn new(gpu: &Gpu) -> Result<Slot, vk::Result> {
        let size = 4 * EDGE * EDGE;
        let create = vk::CommandPoolCreateInfo::default().queue_family_index(gpu.family);
        // SAFETY: the objects are of this device.
        unsafe {
            let pool = gpu.owns(gpu.device.create_command_pool(&create, None)?, ash::Device::destroy_command_pool);
            let allocate = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = gpu.device.allocate_command_buffers(&allocate)?[0];
            let fence = gpu.device.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let done = gpu.owns(fence, ash::Device::destroy_fence);
            let pixels = gpu.buffer(PIXELS.name(), size, vk::BufferUsageFlags::TRANSFER_DST)?;
            Ok(Slot { pool, commands, done, pixels, in_flight: false })
        }
    }
}

/// All of a buffer of pixels.
fn bytes(pixels: vk::Buffer) -> Bytes {
    Bytes { buffer: pixels.as_raw(), name: PIXELS.name().to_owned(), from: 0, to: (4 * EDGE * EDGE) as u64 }
}

/// The one kind of frame.
#[derive(Clone, Debug, PartialEq)]
pub struct OneKind;

impl fmt::Display for OneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("frame")
    }
}

impl Frame for OneKind {
    type Class = &'static str;

    fn class(&self) -> &'static str {
        "frame"
    }
}

impl Rehearsal for Diffusion<'_> {
    type Frame = OneKind;
    type Error = vk::Result;

    const COUNTED: &'static str = "rounds";
    const SHAPES: &'static [u32] = &[1, 2, 3];
    const SEQUENCE: &'static [u32] = &[2, 1, 3];
    const LONG_SEQUENCE: &'static [u32] = &[2, 1, 3, 1, 1, 2];

    fn can_run(&self) -> bool {
        self.gpu.runs
    }

    fn journals(&mut self, rounds: &[u32], faults: &[Fault]) -> Result<Vec<Journal>, vk::Result> {
        rounds.iter().map(|&rounds| self.next(rounds, faults, false)).collect()
    }

    fn journal(&mut self, rounds: u32, faults: &[Fault]) -> Result<Journal, vk::Result> {
        self.next(rounds, faults, false)
    }

    fn run(&mut self, rounds: &[u32], faults: &[Fault]) -> Result<Vec<Journal>, vk::Result> {
        let journals = rounds.iter().map(|&rounds| self.next(rounds, faults, true)).collect();
        (0..IN_FLIGHT).try_for_each(|slot| self.wait(slot))?;
        journals
    }

    fn with_messages<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Message>) {
        let take = || std::mem::take(&mut *self.gpu.messages.lock().expect("nobody panics while pushing"));
        take();
        let done = work(self);
        let messages = std::mem::take(&mut *self.gpu.messages.lock().expect("nobody panics while pushing"));
        (done, messages)
    }

    fn watch(&self) -> &Watch {
        &self.gpu.watch
    }
}

/// The program's shaders: binding 0 is what they read, and binding 1 what they write.
pub struct Shaders;

impl Modules for Shaders {
    fn words(&self, module: &str) -> Option<Vec<u32>> {
        pipelines::words(module)
    }

    fn resource(&self, variable: &Variable<'_>) -> Option<Resource> {
        Some(if variable.binding == (0, 0) { FROM } else { TO })
    }
}
