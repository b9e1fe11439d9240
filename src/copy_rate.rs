//! How fast the device copies bytes: the bound that passes are compared with.

use crate::error::Result;
use crate::limits::WORKGROUP_SIZE;
use crate::shaders::module;
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, FrameSlots, MemoryLocation,
    Pass, RecordOptions, Resource, ShaderStages, Stage, Use,
};
use barrier_proof::barrier;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes moved, read and written together, by the least and by the most that are measured.
const LEAST: u64 = 1 << 16;
const MOST: u64 = 1 << 31;

/// Copies that are timed after those of the warm-up, unless the time is up before.
const WARM_UP: usize = 3;
const REPEATS: usize = 20;
const LONGEST: Duration = Duration::from_millis(500);

/// How long a GPU is kept busy before something is timed, with copies of how many bytes.
const WAKING: Duration = Duration::from_secs(1);
const WAKING_BYTES: u64 = 1 << 26;

const COPY_FROM: Resource = Resource::new("copy_from");
const COPY_TO: Resource = Resource::new("copy_to");

const COPY: Pass<'_> = Pass {
    name: "copy",
    stage: Stage::COMPUTE_SHADER,
    uses: &[Use::read(Stage::COMPUTE_SHADER, COPY_FROM), Use::write(Stage::COMPUTE_SHADER, COPY_TO)],
};

const COPY_BUFFER: Pass<'_> =
    Pass { name: "copy_buffer", stage: Stage::COPY, uses: &[Use::copy_from(COPY_FROM), Use::copy_to(COPY_TO)] };

const FILL: Pass<'_> = Pass { name: "copy_fill", stage: Stage::CLEAR, uses: &[Use::clear(COPY_FROM)] };

/// What a submission does.
enum What {
    Fill,
    Kernel,
    Command,
}

/// What one size of copy took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyRate {
    /// Bytes moved: those read and those written.
    pub bytes: u64,
    /// Median time, in milliseconds, of the faster of a kernel's copy and `vkCmdCopyBuffer`.
    pub median_ms: f64,
}

impl CopyRate {
    /// Bytes, read and written, in a second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / (self.median_ms * 1e-3)
    }
}

/// Copies of several sizes, each measured when it is first asked for.
pub struct CopyRates {
    device: Arc<Device>,
    most: u64,
    measured: BTreeMap<u64, CopyRate>,
}

impl CopyRates {
    /// Nothing measured yet.
    pub fn new(device: &Arc<Device>) -> Self {
        let info = device.info();
        // A quarter of the memory at most: a flock may be there as well.
        let most = MOST.min(2 * info.max_storage_range).min(info.memory / 4).max(LEAST);
        CopyRates { device: device.clone(), most: 1 << most.ilog2(), measured: BTreeMap::new() }
    }

    /// The rate of a copy about as long as a pass that moves `bytes`: the next power of two, within what is measured.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn at(&mut self, bytes: u64) -> Result<CopyRate> {
        let size = bytes.next_power_of_two().clamp(LEAST, self.most);
        if let Some(rate) = self.measured.get(&size) {
            return Ok(*rate);
        }
        let rate = CopyRate { bytes: size, median_ms: Copies::new(&self.device, size / 2)?.median_ms()? };
        self.measured.insert(size, rate);
        Ok(rate)
    }

    /// Keeps a GPU busy for a second: after an idle second it may run at a third of its clock, and takes most of
    /// another to speed up.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn wake(&self) -> Result<()> {
        if self.device.info().is_software() {
            return Ok(());
        }
        let (begun, mut copies) = (Instant::now(), Copies::new(&self.device, self.most.min(WAKING_BYTES))?);
        while begun.elapsed() < WAKING {
            copies.by_kernel()?;
        }
        Ok(())
    }

    /// What was measured so far, the shortest copy first.
    pub fn all(&self) -> impl Iterator<Item = CopyRate> {
        self.measured.values().copied()
    }
}

/// Two buffers and what copies one to the other.
pub struct Copies {
    slots: FrameSlots,
    kernel: ComputePipeline,
    set: DescriptorSet,
    from: Buffer,
    to: Buffer,
}

impl Copies {
    /// Two buffers of `bytes` bytes, a multiple of 16.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>, bytes: u64) -> Result<Self> {
        let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let buffer =
            |name| Buffer::new(device, &BufferInfo { name, size: bytes, usage, location: MemoryLocation::GpuOnly });
        let (from, to) = (buffer(COPY_FROM.name())?, buffer(COPY_TO.name())?);
        let storage = |index, buffer| Descriptor::storage(index, ShaderStages::COMPUTE, buffer);
        let (layout, set) = DescriptorSet::with_layout(device, "copy", &[storage(0, &from), storage(1, &to)])?;
        let mut copies = Copies {
            slots: FrameSlots::new(device, "copy", 1, true)?,
            kernel: ComputePipeline::new(device, &module(device, "copy"), &[&layout], 0, &[])?,
            set,
            from,
            to,
        };
        // Memory may be allocated only when it is first written.
        copies.submit(What::Fill)?;
        Ok(copies)
    }

    /// Copies once by the kernel.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn by_kernel(&mut self) -> Result<()> {
        self.submit(What::Kernel)
    }

    /// Copies once by `vkCmdCopyBuffer`.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn by_command(&mut self) -> Result<()> {
        self.submit(What::Command)
    }

    /// Where the copies come from and where they go.
    pub fn buffers(&self) -> (&Buffer, &Buffer) {
        (&self.from, &self.to)
    }

    fn submit(&mut self, what: What) -> Result<()> {
        let slot = self.slots.next()?;
        let mut rec = slot.begin(RecordOptions::default())?;
        barrier!(rec, "copy-to-copy", [Raw, War, Waw, PreviousFrame], [COPY_FROM, COPY_TO],
            (COMPUTE_SHADER | ALL_TRANSFER, SHADER_STORAGE_WRITE | TRANSFER_WRITE) => (
                COMPUTE_SHADER | ALL_TRANSFER,
                SHADER_STORAGE_READ | SHADER_STORAGE_WRITE | TRANSFER_READ | TRANSFER_WRITE
            ),
            "This copy overwrites what the previous one wrote, and the first reads what was filled.");
        match what {
            What::Fill => rec.pass(&FILL, |rec| rec.fill_buffer(&self.from, 0x5eed_f00d)),
            What::Kernel => rec.pass(&COPY, |rec| {
                rec.bind_compute(&self.kernel, &[&self.set], &[]);
                rec.dispatch((self.to.size() / 16).div_ceil(WORKGROUP_SIZE.into()));
            }),
            What::Command => rec.pass(&COPY_BUFFER, |rec| rec.copy_buffer(&self.from, 0, &self.to, 0, self.to.size())),
        }
        rec.finish()?;
        slot.submit(None)?;
        self.slots.wait_all()
    }

    fn median_ms(&mut self) -> Result<f64> {
        let mut best = f64::INFINITY;
        for copy in [Copies::by_kernel, Copies::by_command] {
            let begun = Instant::now();
            for repeat in 0..WARM_UP + REPEATS {
                if repeat == WARM_UP {
                    self.slots.timings_mut().clear();
                }
                copy(self)?;
                if repeat > WARM_UP && begun.elapsed() > LONGEST {
                    break;
                }
            }
            let statistics = self.slots.timings().frame_statistics();
            best = statistics.first().map_or(best, |pass| best.min(pass.median_ms));
        }
        Ok(best)
    }
}
