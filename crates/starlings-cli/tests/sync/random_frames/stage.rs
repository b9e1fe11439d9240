//! Records random frames on a device, and submits them.

use super::plan::{BUFFERS, Command, Entry, IMAGE};
use starlings::flock::layout::StepParams;
use starlings::limits::{BINDING_BLOCK_SUMS, BINDING_STEP_PARAMS};
use starlings::shaders::module;
use starlings::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Dependency, Descriptor, DescriptorSet, Device, Format,
    FrameSlots, Image, ImageDependency, ImageInfo, ImageUsage, Journal, Masks, MemoryLocation, Pass, RecordOptions,
    Recorder, Resource, ShaderStages,
};
use std::sync::Arc;

/// Bytes of each buffer: those of the image, and enough for parameters.
const SIZE: u64 = 1024;

/// Pixels along an edge of the image.
const EDGE: u32 = 16;

/// Buffers of zeros, an image, and kernels that access them.
pub struct Rehearsal {
    slots: FrameSlots,
    things: Things,
}

struct Things {
    buffers: Vec<Buffer>,
    image: Image,
    copy: Kernel,
    in_place: Kernel,
}

/// A kernel, and its set for each two buffers.
struct Kernel {
    pipeline: ComputePipeline,
    sets: Vec<Vec<DescriptorSet>>,
}

impl Rehearsal {
    /// Makes them on `device`.
    pub fn new(device: &Arc<Device>) -> Rehearsal {
        let usage = BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let usage = usage | BufferUsage::STORAGE_BUFFER | BufferUsage::UNIFORM_BUFFER;
        let buffer = |buffer: Resource| {
            let info = BufferInfo { name: buffer.name(), size: SIZE, usage, location: MemoryLocation::GpuOnly };
            Buffer::new(device, &info).expect("a small buffer")
        };
        let buffers = BUFFERS.map(buffer).into_iter().collect::<Vec<_>>();
        let info = ImageInfo {
            name: IMAGE.name(),
            width: EDGE,
            height: EDGE,
            mip_levels: 1,
            format: Format::R8G8B8A8_UNORM,
            usage: ImageUsage::TRANSFER_SRC | ImageUsage::TRANSFER_DST | ImageUsage::SAMPLED,
        };
        let stages = ShaderStages::COMPUTE;
        let copy = Kernel::new(device, "copy", |a, b| {
            [(0, a), (1, b)].map(|(at, of)| Descriptor::storage(at, stages, &buffers[of]))
        });
        let in_place = Kernel::new(device, "scan_spine", |a, b| {
            let parameters = Descriptor::dynamic_uniform::<StepParams>(BINDING_STEP_PARAMS, stages, &buffers[a]);
            [parameters, Descriptor::storage(BINDING_BLOCK_SUMS, stages, &buffers[b])]
        });
        let image = Image::new(device, &info).expect("a small image");
        Rehearsal {
            slots: FrameSlots::new(device, "random", 3, false).expect("three slots"),
            things: Things { buffers, image, copy, in_place },
        }
    }

    /// Submits what the entries say, and waits for it. Returns the journals of submissions, apart where the host waits.
    pub fn play(&mut self, entries: &[Entry]) -> Vec<Vec<Journal>> {
        let row = |row: &[Entry]| {
            let journals = row.split(|entry| *entry == Entry::Submit).map(|frame| self.frame(frame)).collect();
            self.slots.wait_all().expect("the device lives");
            journals
        };
        entries.split(|entry| *entry == Entry::Wait).map(row).collect()
    }

    fn frame(&mut self, entries: &[Entry]) -> Journal {
        let slot = self.slots.next().expect("the device lives");
        let mut rec = slot.begin(RecordOptions { journal: true, faults: &[] }).expect("it records");
        entries.iter().for_each(|entry| self.things.record(&mut rec, entry));
        let journal = rec.finish().expect("it is recorded").expect("a journal");
        slot.submit(None).expect("the device lives");
        journal
    }
}

impl Kernel {
    fn new<'a>(device: &Arc<Device>, name: &str, resources: impl Fn(usize, usize) -> [Descriptor<'a>; 2]) -> Kernel {
        let set = |a, b| DescriptorSet::with_layout(device, name, &resources(a, b)).expect("a small set");
        let count = BUFFERS.len();
        let sets = (0..count).map(|a| (0..count).map(|b| set(a, b).1).collect()).collect();
        let pipeline =
            ComputePipeline::new(device, &module(device, name), &[&set(0, 1).0], 0, &[]).expect("a small kernel");
        Kernel { pipeline, sets }
    }
}

impl Things {
    fn record(&self, rec: &mut Recorder<'_>, entry: &Entry) {
        match entry {
            Entry::Pass(name, command) => {
                let uses = command.uses();
                rec.pass(&Pass { name, stage: uses[0].stage, uses: &uses }, |rec| self.command(rec, *command));
            }
            Entry::Barriers(barriers) => {
                let all: Vec<Dependency> = barriers.iter().map(|(name, masks)| dependency(name, *masks)).collect();
                rec.barriers(&all);
            }
            Entry::Transition(name, masks, old_layout, new_layout) => {
                let Masks { src_stage, src_access, dst_stage, dst_access } = *masks;
                rec.image_barrier(ImageDependency {
                    name,
                    hazards: &[],
                    image: self.image.reference(IMAGE),
                    relies_on: &[],
                    src_stage,
                    src_access,
                    old_layout: *old_layout,
                    dst_stage,
                    dst_access,
                    new_layout: *new_layout,
                    reason: "",
                });
            }
            Entry::Submit | Entry::Wait => unreachable!("rows and frames are split there"),
        }
    }

    fn command(&self, rec: &mut Recorder<'_>, command: Command) {
        let (buffer, image) = (|at: usize| &self.buffers[at], self.image.reference(IMAGE));
        match command {
            Command::Fill(a) => rec.fill_buffer(buffer(a), 0),
            Command::Update(a) => rec.update_buffer(buffer(a), 0, &[0u32; SIZE as usize / 4]),
            Command::Copy(a, b) => rec.copy_buffer(buffer(a), 0, buffer(b), 0, SIZE),
            Command::Kernel(a, b) => {
                rec.bind_compute(&self.copy.pipeline, &[&self.copy.sets[a][b]], &[]);
                rec.dispatch(1);
            }
            Command::InPlace(a, b) => {
                rec.bind_compute(&self.in_place.pipeline, &[&self.in_place.sets[a][b]], &[0]);
                rec.dispatch(1);
            }
            Command::ToImage(a) => rec.copy_buffer_to_whole_image(buffer(a), image, EDGE, EDGE),
            Command::FromImage(a) => rec.copy_image_to_buffer(image, EDGE, EDGE, buffer(a)),
        }
    }
}

fn dependency(name: &'static str, masks: Masks) -> Dependency {
    let Masks { src_stage, src_access, dst_stage, dst_access } = masks;
    let (hazards, guards, relies_on, reason) = (&[], &[], &[], "");
    Dependency { name, hazards, guards, relies_on, src_stage, src_access, dst_stage, dst_access, reason }
}
