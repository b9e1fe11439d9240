//! The exclusive prefix sum by itself, of any number of elements: the very kernels of a step, without a flock, and the
//! one kernel that does the same in a single pass.

use super::work;
use crate::error::{Error, Result};
use crate::flock::layout::StepParams;
use crate::flock::random::{self, Stream};
use crate::flock::steppers::{SCAN_DOWNSWEEP, SCAN_REDUCE, SCAN_SPINE};
use crate::limits::{
    BINDING_BLOCK_CROWDING, BINDING_BLOCK_SUMS, BINDING_CELL_COUNTS, BINDING_CELL_STARTS, BINDING_CROWDING,
    BINDING_STEP_PARAMS, CROWDING_REPORTS, SCAN_BLOCK, SINGLE_PASS_BLOCK,
};
use crate::reference::scan_single_pass::scan_single_pass;
use crate::vk::{
    Access, Binding, Buffer, BufferInfo, BufferUsage, ComputePipeline, Dependency, DescriptorSet, Device, FrameSlots,
    Hazard, MemoryLocation, Pass, PassTimings, Recorder, Resource, SetLayout, ShaderStages, Stage, SubmitInfo, Use,
};
use rayon::prelude::*;
use std::sync::Arc;

/// How the sum is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reduce, spine, downsweep: what a step does.
    ThreePasses,
    /// One pass that looks back, and helps itself where nothing is to be seen yet: `glsl/scan_single_pass.comp`.
    SinglePass,
}

/// Every method.
pub const METHODS: [Method; 2] = [Method::ThreePasses, Method::SinglePass];

impl Method {
    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Method::ThreePasses => "three passes",
            Method::SinglePass => "single pass",
        }
    }

    /// Elements that one workgroup handles.
    fn block(self) -> u32 {
        match self {
            Method::ThreePasses => SCAN_BLOCK,
            Method::SinglePass => SINGLE_PASS_BLOCK,
        }
    }
}

/// Elements, at most: their sum, of 3.5 each on average, stays below the 2^30 that a single pass can tell.
pub const MOST: u32 = 1 << 28;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// Numbers on a device, and what scans them.
pub struct Scan {
    slots: FrameSlots,
    kernels: Kernels,
    set: DescriptorSet,
    counts: Buffer,
    starts: Buffer,
    sums: Buffer,
    // Bound by `set`.
    _params: Buffer,
    _crowding: [Buffer; 2],
    elements: u32,
    method: Method,
}

enum Kernels {
    ThreePasses { reduce: ComputePipeline, spine: ComputePipeline, downsweep: ComputePipeline },
    SinglePass(ComputePipeline),
}

impl Scan {
    /// `elements` numbers from 0 to 7, drawn by a hash.
    ///
    /// # Errors
    /// [`Error::TooLarge`] when there are more than [`MOST`] or a buffer of them is too long for the device; what the
    /// device could not make.
    pub fn new(device: &Arc<Device>, elements: u32, method: Method) -> Result<Self> {
        Self::with_silent_blocks(device, elements, method, 0)
    }

    /// The same, where of every so many blocks one keeps to itself what it knows, as if its workgroup never ran: for a
    /// test of what a single pass does then. 0 for none.
    ///
    /// # Errors
    /// As [`Scan::new`].
    pub fn with_silent_blocks(device: &Arc<Device>, elements: u32, method: Method, every: u32) -> Result<Self> {
        let info = device.info();
        let largest = u64::from(MOST).min(info.reach(false) / 4 - 4).min(info.memory / 16);
        if elements == 0 || u64::from(elements) > largest {
            let device = info.name.clone();
            return Err(Error::TooLarge { boids: elements.into(), how: String::new(), device, largest });
        }
        let mut numbers = numbers(elements);
        // As in a flock's grid: what fills the last vector is zero.
        numbers.resize(numbers.len().next_multiple_of(4), 0);
        let blocks = elements.div_ceil(method.block());
        let mut params = work::settings().step_params(0);
        params.grid.cell_count = elements;
        params.boid_count = numbers.par_iter().sum();
        let usage = BufferUsage::STORAGE_BUFFER | BufferUsage::TRANSFER_SRC | BufferUsage::TRANSFER_DST;
        let storage = |name, entries: u64| {
            // The kernels read and write vectors of four.
            let size = 4 * entries.next_multiple_of(4);
            let info = BufferInfo { name, size, usage, location: MemoryLocation::GpuOnly };
            Buffer::new(device, &info)
        };
        let counts = storage("cell_counts", elements.into())?;
        counts.upload(0, &numbers)?;
        let starts = storage("cell_starts", u64::from(elements) + 1)?;
        let sums = storage("block_sums", blocks.into())?;
        let mut uniform = Buffer::new(
            device,
            &BufferInfo {
                name: "step_params",
                size: size_of::<StepParams>() as u64,
                usage: BufferUsage::UNIFORM_BUFFER,
                location: MemoryLocation::CpuToGpu,
            },
        )?;
        uniform.write(0, &[params]);
        let block_crowding = storage("block_crowding", 2 * u64::from(blocks))?;
        let crowding = storage("crowding", 2 * u64::from(CROWDING_REPORTS))?;
        let storages = [
            (BINDING_CELL_COUNTS, &counts),
            (BINDING_CELL_STARTS, &starts),
            (BINDING_BLOCK_SUMS, &sums),
            (BINDING_BLOCK_CROWDING, &block_crowding),
            (BINDING_CROWDING, &crowding),
        ];
        let stages = ShaderStages::COMPUTE;
        let mut bindings = vec![Binding::dynamic_uniform(BINDING_STEP_PARAMS, stages)];
        let mut resources = vec![Resource::whole(BINDING_STEP_PARAMS, &uniform)];
        for (binding, buffer) in storages {
            bindings.push(Binding::storage(binding, stages));
            resources.push(Resource::whole(binding, buffer));
        }
        let layout = SetLayout::new(device, "scan", &bindings)?;
        let kernel = |name| ComputePipeline::specialized(device, name, &[&layout], 0, &[every]);
        let kernels = match method {
            Method::ThreePasses => Kernels::ThreePasses {
                reduce: kernel("scan_reduce")?,
                spine: kernel("scan_spine")?,
                downsweep: kernel("scan_downsweep")?,
            },
            Method::SinglePass => Kernels::SinglePass(kernel("scan_single_pass")?),
        };
        Ok(Scan {
            slots: FrameSlots::new(device, "scan", 1, true)?,
            kernels,
            set: DescriptorSet::new(device, "scan", &layout, &resources)?,
            counts,
            starts,
            sums,
            _params: uniform,
            _crowding: [block_crowding, crowding],
            elements,
            method,
        })
    }

    /// Scans once.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn run(&mut self) -> Result<()> {
        let blocks = u64::from(self.elements.div_ceil(self.method.block()));
        let slot = self.slots.next()?;
        let mut rec = slot.begin()?;
        let kernel = |rec: &mut Recorder<'_>, pass: &Pass<'_>, pipeline: &ComputePipeline, groups: u64| {
            rec.pass(pass, |rec| {
                rec.bind_compute(pipeline, &[&self.set], &[0]);
                rec.dispatch(groups);
            });
        };
        match &self.kernels {
            Kernels::ThreePasses { reduce, spine, downsweep } => {
                rec.barrier(BETWEEN_PASSES);
                kernel(&mut rec, &SCAN_REDUCE, reduce, blocks);
                rec.barrier(BETWEEN_PASSES);
                kernel(&mut rec, &SCAN_SPINE, spine, 1);
                rec.barrier(BETWEEN_PASSES);
                kernel(&mut rec, &SCAN_DOWNSWEEP, downsweep, blocks + 1);
            }
            Kernels::SinglePass(scan) => {
                rec.barrier(SCAN_TO_RESET);
                rec.pass(&SCAN_RESET, |rec| rec.fill_buffer(&self.sums, 0));
                rec.barrier(RESET_TO_SCAN);
                kernel(&mut rec, &SCAN_SINGLE_PASS, scan, blocks);
            }
        }
        rec.finish()?;
        slot.submit(&SubmitInfo::default())?;
        self.slots.wait_all()
    }

    /// GPU times of the scans so far.
    pub fn timings(&self) -> &PassTimings {
        self.slots.timings()
    }

    /// Forgets all times so far.
    pub fn clear_timings(&mut self) {
        self.slots.timings_mut().clear();
    }

    /// Bytes that a copy of all elements would read and write: what `timings` are to be held against.
    pub fn bytes_of_copy(&self) -> u64 {
        2 * self.counts.size()
    }

    /// Compares what the last scan left with a sum on the processor.
    ///
    /// # Errors
    /// [`Error::Gate`] naming the first difference; what the device could not do.
    pub fn check(&self) -> Result<()> {
        let starts: Vec<u32> = self.starts.download(0, self.elements as usize + 1)?;
        let wanted = scan_single_pass(&numbers(self.elements));
        if let Some(at) = starts.iter().zip(&wanted).position(|(start, wanted)| start != wanted) {
            let (start, wanted) = (starts[at], wanted[at]);
            return Err(Error::Gate(format!("the scan has {start} at {at} of {}, should be {wanted}", self.elements)));
        }
        Ok(())
    }
}

const SCAN_RESET: Pass<'_> = Pass { name: "scan_reset", stage: Stage::CLEAR, uses: &[Use::clear("block_sums")] };

const SCAN_SINGLE_PASS: Pass<'_> = Pass {
    name: "scan_single_pass",
    stage: COMPUTE,
    uses: &[
        Use::uniform(COMPUTE, "step_params"),
        Use::read(COMPUTE, "cell_counts"),
        Use::read_write(COMPUTE, "block_sums"),
        Use::write(COMPUTE, "cell_starts"),
    ],
};

const BETWEEN_PASSES: Dependency = Dependency {
    name: "scan-to-scan",
    hazards: &[Hazard::Raw, Hazard::War, Hazard::Waw, Hazard::PreviousFrame],
    guards: &["block_sums", "cell_starts"],
    relies_on: &[],
    src_stage: COMPUTE,
    src_access: Access::SHADER_STORAGE_WRITE,
    dst_stage: COMPUTE,
    dst_access: Access::from_raw(Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw()),
    reason: "Each pass goes on from the one before, and the next scan writes over the last one's results.",
};

const SCAN_TO_RESET: Dependency = Dependency {
    name: "scan-to-reset",
    hazards: &[Hazard::Waw, Hazard::PreviousFrame],
    guards: &["block_sums", "cell_starts"],
    relies_on: &[],
    src_stage: COMPUTE,
    src_access: Access::SHADER_STORAGE_WRITE,
    dst_stage: Stage::CLEAR,
    dst_access: Access::TRANSFER_WRITE,
    reason: "What the last scan said of its blocks is wiped.",
};

const RESET_TO_SCAN: Dependency = Dependency {
    name: "reset-to-scan",
    hazards: &[Hazard::Raw, Hazard::Waw],
    guards: &["block_sums"],
    relies_on: &[],
    src_stage: Stage::CLEAR,
    src_access: Access::TRANSFER_WRITE,
    dst_stage: COMPUTE,
    dst_access: Access::from_raw(Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw()),
    reason: "Nothing is known of any block when the scan begins.",
};

fn numbers(elements: u32) -> Vec<u32> {
    (0..elements).into_par_iter().map(|i| (random::bits(1, Stream::Position, i.into(), 0) & 7) as u32).collect()
}
