//! The exclusive prefix sum alone: the kernels of a step, without a flock, and the kernel that does it in a single pass.

use super::work;
use crate::error::{Error, Result};
use crate::flock::StepSlot;
use crate::flock::buffers::{BLOCK_CROWDING, BLOCK_SUMS, Buffers, CELL_COUNTS, CELL_STARTS, CROWDING};
use crate::flock::layout::StepParams;
use crate::flock::random::{self, Stream};
use crate::flock::state::UniformRing;
use crate::flock::steppers::{Interface, Kernel, ScanKernels, read, read_write, write};
use crate::limits::SINGLE_PASS_BLOCK;
use crate::reference::scan_single_pass::scan_single_pass;
use crate::vk::{Access, Dependency, Device, FrameSlots, Hazard, Pass, PassTimings, RecordOptions, Stage, Use};
use rayon::prelude::*;
use std::sync::Arc;

/// How the sum is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reduce, spine, downsweep: what a step does.
    ThreePasses,
    /// One pass with look-back, in which a block computes what its predecessors have not published: `glsl/scan_single_pass.comp`.
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
}

/// Elements, at most: their sum, of 3.5 each on average, stays below the 2^30 that a single pass can tell.
pub const MOST: u32 = 1 << 28;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

/// Numbers on a device, and what scans them.
pub struct Scan {
    slots: FrameSlots,
    kernels: Kernels,
    buffers: Buffers,
    /// Bound by the kernels.
    _params: UniformRing,
    elements: u32,
}

enum Kernels {
    ThreePasses(Box<ScanKernels>),
    SinglePass(Kernel),
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

    /// The same, where one of `every` blocks does not publish its sums, as if its workgroup never ran, to test the single
    /// pass. 0 for none.
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
        let mut params = work::settings().step_params(0);
        params.grid.cell_count = elements;
        params.boid_count = numbers.par_iter().sum();
        let mut ring = UniformRing::new(device, "step_params", size_of::<StepParams>(), 1)?;
        ring.write(0, &params);
        let rows = [CELL_COUNTS, CELL_STARTS, BLOCK_SUMS, BLOCK_CROWDING, CROWDING];
        let buffers = Buffers::of_cells(device, &rows, elements)?;
        buffers[CELL_COUNTS].upload(0, &numbers)?;
        let interface = Interface::new(device, "scan", &ring, &[vec![&buffers]], false)?;
        let kernels = match method {
            Method::ThreePasses => Kernels::ThreePasses(Box::new(ScanKernels::new(&interface, elements)?)),
            Method::SinglePass => {
                let scan = interface.pipeline("scan_single_pass", &[every])?;
                let blocks = elements.div_ceil(SINGLE_PASS_BLOCK).into();
                let touch = [read("cell_counts"), read_write("block_sums"), write("cell_starts")];
                Kernels::SinglePass(interface.pass("scan_single_pass", scan, blocks, &[&touch]))
            }
        };
        Ok(Scan { slots: FrameSlots::new(device, "scan", 1, true)?, kernels, buffers, _params: ring, elements })
    }

    /// Scans once.
    ///
    /// # Errors
    /// What the device could not do.
    pub fn run(&mut self) -> Result<()> {
        let step = StepSlot::default();
        let slot = self.slots.next()?;
        let mut rec = slot.begin(RecordOptions::default())?;
        match &self.kernels {
            Kernels::ThreePasses(scan) => {
                for pass in [&scan.reduce, &scan.spine, &scan.downsweep] {
                    rec.barrier(BETWEEN_PASSES);
                    pass.record(&mut rec, step);
                }
            }
            Kernels::SinglePass(scan) => {
                rec.barrier(SCAN_TO_RESET);
                rec.pass(&SCAN_RESET, |rec| rec.fill_buffer(&self.buffers[BLOCK_SUMS], 0));
                rec.barrier(RESET_TO_SCAN);
                scan.record(&mut rec, step);
            }
        }
        rec.finish()?;
        slot.submit(None)?;
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

    /// Bytes that a copy of all elements would read and write, for comparison with `timings`.
    pub fn bytes_of_copy(&self) -> u64 {
        2 * self.buffers[CELL_COUNTS].size()
    }

    /// Compares the result of the last scan with a sum on the CPU.
    ///
    /// # Errors
    /// [`Error::Gate`] naming the first difference; what the device could not do.
    pub fn check(&self) -> Result<()> {
        let starts: Vec<u32> = self.buffers[CELL_STARTS].download(0, self.elements as usize + 1)?;
        let wanted = scan_single_pass(&numbers(self.elements));
        if let Some(at) = starts.iter().zip(&wanted).position(|(start, wanted)| start != wanted) {
            let (start, wanted) = (starts[at], wanted[at]);
            return Err(Error::Gate(format!("the scan has {start} at {at} of {}, should be {wanted}", self.elements)));
        }
        Ok(())
    }
}

const SCAN_RESET: Pass<'_> = Pass { name: "scan_reset", stage: Stage::CLEAR, uses: &[Use::clear("block_sums")] };

const BETWEEN_PASSES: Dependency = Dependency {
    name: "scan-to-scan",
    hazards: &[Hazard::Raw, Hazard::War, Hazard::Waw, Hazard::PreviousFrame],
    guards: &["block_sums", "cell_starts"],
    relies_on: &[],
    src_stage: COMPUTE,
    src_access: Access::SHADER_STORAGE_WRITE,
    dst_stage: COMPUTE,
    dst_access: Access::from_raw(Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw()),
    reason: "Each pass reads the results of the one before, and the next scan overwrites them.",
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
    reason: "The block states of the last scan are cleared.",
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
    reason: "All block states are clear when the scan begins.",
};

fn numbers(elements: u32) -> Vec<u32> {
    (0..elements).into_par_iter().map(|i| (random::bits(1, Stream::Position, i.into(), 0) & 7) as u32).collect()
}
