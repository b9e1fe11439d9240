//! Kernels by address beyond 4 GiB. The test machines cannot hold such arrays, so the tests read the built SPIR-V, and
//! run one kernel on arrays whose beginning does not exist.

use crate::common::placements::{self, Placement};
use crate::sorting::sort_on;
use crate::{Sorted, common};
use starlings::flock::buffers::{
    self, Addresses, BOID_ID, CELL_MEMBERS, CELL_RANK, CELL_STARTS, POSITION_VX, SORTED_BOID_ID, SORTED_POSITION_VX,
    SORTED_QUANTIZED, SORTED_VELOCITY_YZ, VELOCITY_YZ,
};
use starlings::flock::layout::StepParams;
use starlings::flock::{Flock, Settings};
use starlings::limits::{ADDRESSES, BINDING_STEP_PARAMS, LIST_ITEMS_PER_INVOCATION, WORKGROUP_SIZE};
use starlings::reference::sort_scatter;
use starlings::shaders::{self, module};
use starlings::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, MemoryLocation, ShaderStages,
};
use std::collections::HashMap;
use std::sync::Arc;

/// The SPIR-V numbers used here.
mod op {
    pub const TYPE_INT: u32 = 21;
    pub const TYPE_FLOAT: u32 = 22;
    pub const TYPE_VECTOR: u32 = 23;
    pub const TYPE_POINTER: u32 = 32;
    pub const CONSTANT: u32 = 43;
    pub const LOAD: u32 = 61;
    pub const STORE: u32 = 62;
    pub const ACCESS_CHAIN: u32 = 65;
    pub const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
    pub const PTR_ACCESS_CHAIN: u32 = 67;
    pub const IN_BOUNDS_PTR_ACCESS_CHAIN: u32 = 70;
    pub const U_CONVERT: u32 = 113;
    pub const CONVERT_U_TO_PTR: u32 = 120;
    pub const BITCAST: u32 = 124;
    pub const I_ADD: u32 = 128;
    pub const I_MUL: u32 = 132;
    pub const PHYSICAL_STORAGE_BUFFER: u32 = 5349;
}

/// A module's instructions by their results: opcode and operands.
struct Module<'a> {
    all: Vec<(u32, &'a [u32])>,
    by_result: HashMap<u32, (u32, &'a [u32])>,
}

impl<'a> Module<'a> {
    fn new(words: &'a [u32]) -> Self {
        let (mut all, mut by_result) = (Vec::new(), HashMap::new());
        let mut at = 5;
        while at < words.len() {
            let (length, opcode) = ((words[at] >> 16) as usize, words[at] & 0xffff);
            let operands = &words[at + 1..at + length];
            let result = match opcode {
                op::TYPE_INT | op::TYPE_FLOAT | op::TYPE_VECTOR | op::TYPE_POINTER => operands.first(),
                // The result type comes first, if there is one.
                op::CONSTANT..=op::LOAD | op::ACCESS_CHAIN..=op::I_MUL => operands.get(1),
                _ => None,
            };
            if let Some(&id) = result {
                by_result.insert(id, (opcode, operands));
            }
            all.push((opcode, operands));
            at += length;
        }
        Module { all, by_result }
    }

    fn opcode(&self, id: u32) -> u32 {
        self.by_result.get(&id).map_or(0, |(opcode, _)| *opcode)
    }

    /// The pointee of that pointer type, if it is an address.
    fn behind_address(&self, pointer_type: u32) -> Option<u32> {
        match self.by_result.get(&pointer_type) {
            Some(&(op::TYPE_POINTER, &[_, op::PHYSICAL_STORAGE_BUFFER, pointee])) => Some(pointee),
            _ => None,
        }
    }

    fn bytes(&self, ty: u32) -> u32 {
        match self.by_result[&ty] {
            (op::TYPE_INT | op::TYPE_FLOAT, operands) => operands[1] / 8,
            (op::TYPE_VECTOR, operands) => self.bytes(operands[1]) * operands[2],
            (opcode, _) => panic!("no kernel loads a type of opcode {opcode} by address"),
        }
    }

    /// Whether a 64-bit number is a widened 32-bit value that was not computed in 32 bits.
    fn is_widened(&self, id: u32) -> bool {
        match self.by_result.get(&id) {
            Some(&(op::BITCAST, operands)) => self.is_widened(operands[2]),
            Some(&(opcode, operands)) => opcode == op::U_CONVERT && self.bytes(operands[0]) == 8,
            None => false,
        }
    }

    /// Whether an address is one number plus a widened one times a constant.
    fn is_base_and_element(&self, address: u32) -> bool {
        let Some(&(op::I_ADD, sum)) = self.by_result.get(&address) else { return false };
        sum[2..].iter().any(|term| match self.by_result.get(term) {
            Some(&(op::I_MUL, product)) => {
                let constant = |&factor: &u32| self.opcode(factor) == op::CONSTANT;
                product[2..].iter().any(constant) && product[2..].iter().any(|&factor| self.is_widened(factor))
            }
            _ => false,
        })
    }

    /// Accesses by address, and what is wrong with them.
    fn accesses(&self) -> (usize, Vec<String>) {
        let (mut accesses, mut faults) = (0, Vec::new());
        for &(opcode, operands) in &self.all {
            match opcode {
                op::ACCESS_CHAIN | op::IN_BOUNDS_ACCESS_CHAIN
                    if self.behind_address(operands[0]).is_some()
                        && !operands[3..].iter().all(|&index| self.opcode(index) == op::CONSTANT) =>
                {
                    faults.push(format!("%{} is indexed: a device may do that in 32 bits", operands[1]));
                }
                op::PTR_ACCESS_CHAIN | op::IN_BOUNDS_PTR_ACCESS_CHAIN => {
                    faults.push(format!("%{} is indexed as a pointer", operands[1]));
                }
                op::CONVERT_U_TO_PTR if !self.is_base_and_element(operands[2]) => {
                    faults.push(format!("%{} is no base plus an index times a size, in 64 bits", operands[1]));
                }
                op::LOAD | op::STORE => {
                    let (pointer, access) =
                        if opcode == op::LOAD { (operands[2], &operands[3..]) } else { (operands[0], &operands[2..]) };
                    let ty = self.by_result.get(&pointer).map_or(0, |(_, operands)| operands[0]);
                    if let Some(pointee) = self.behind_address(ty) {
                        accesses += 1;
                        if *access != [2, self.bytes(pointee)] {
                            faults.push(format!("%{pointer} is accessed in parts, as {access:?}"));
                        }
                    }
                }
                _ => {}
            }
        }
        (accesses, faults)
    }
}

/// An offset into an array may be cut to 32 bits, by the Vulkan specification; an address may not.
#[test]
fn no_kernel_by_address_leaves_an_index_to_the_device() {
    let mut kernels = 0;
    for name in shaders::names().filter(|name| name.ends_with("_by_address")) {
        let words = shaders::spirv(name);
        let (accesses, faults) = Module::new(&words).accesses();
        assert!(accesses > 0, "{name} accesses nothing by address: is the test blind?");
        assert!(faults.is_empty(), "{name}:\n{}", faults.join("\n"));
        kernels += 1;
    }
    assert!(kernels > 12, "only {kernels} kernels by address");
}

/// The largest flock.
const BOIDS: u32 = 1 << 30;

/// The last 1,024 boids of 2^30 are listed and sorted to their places, up to 16 GiB after the start of their arrays. An
/// offset that is truncated to 32 bits would be wrong by a multiple of 4 GiB, where no memory is mapped.
#[test]
fn the_last_of_a_billion_boids_is_sorted_to_its_place() {
    let Some(device) = common::by_address_device() else { return };
    let settings = placements::settings("reynolds", 1_024, Placement::Uniform);
    let state = placements::place(&settings, Placement::Uniform);
    let small: Sorted = sort_on(&device, &settings, &state);
    let wanted = sort_scatter::sort_scatter(&settings.grid(), &state, &small.cell_members, &small.cell_starts);

    let mut flock = Flock::new(&device, &settings, 1).expect("a small flock fits");
    flock.set_state(&state).expect("the state goes up");
    let first = BOIDS - settings.boids;
    let starts: Vec<u32> = small.cell_starts.iter().map(|start| first + start).collect();
    let buffer = |row| flock.buffer(row).expect("a flock in cell order");
    buffer(CELL_STARTS).upload(0, &starts).expect("the starts go up");
    buffer(CELL_RANK).upload(0, &small.cell_rank).expect("the ranks go up");
    let mut addresses: Addresses = [0; ADDRESSES as usize];
    for row in [POSITION_VX, VELOCITY_YZ, BOID_ID, CELL_RANK, CELL_STARTS] {
        addresses[buffers::row(row).binding as usize] = buffer(row).address();
    }
    // The start of the whole array.
    for row in [CELL_MEMBERS, SORTED_POSITION_VX, SORTED_VELOCITY_YZ, SORTED_BOID_ID, SORTED_QUANTIZED] {
        addresses[buffers::row(row).binding as usize] =
            buffer(row).address().wrapping_sub(buffers::row(row).element * u64::from(first));
    }
    let groups = u64::from(settings.boids / WORKGROUP_SIZE);
    run(&device, "sort_list_by_address", groups / u64::from(LIST_ITEMS_PER_INVOCATION), &settings, &addresses);
    run(&device, "sort_scatter_by_address", groups, &settings, &addresses);
    let got = Sorted::download(&flock);
    assert_eq!(got.cell_members, small.cell_members);
    assert_eq!(got.state, wanted);
    assert_eq!(
        got.quantized[..1_024],
        sort_scatter::quantized(&settings.grid(), &settings.step_params(0).quanta, &wanted.position)
    );
    assert_eq!(device.instance().messages().count(), 0, "validation has nothing to say");
}

/// Runs `groups` workgroups of a kernel, for the boids of `settings`, in a flock of [`BOIDS`].
fn run(device: &Arc<Device>, kernel: &str, groups: u64, settings: &Settings, addresses: &Addresses) {
    let info = BufferInfo {
        name: "step_params",
        size: size_of::<StepParams>() as u64,
        usage: BufferUsage::UNIFORM_BUFFER,
        location: MemoryLocation::CpuToGpu,
    };
    let mut params = Buffer::new(device, &info).expect("a small buffer");
    params.write(0, &[StepParams { boid_count: BOIDS, ..settings.step_params(0) }]);
    let params = Descriptor::dynamic_uniform::<StepParams>(BINDING_STEP_PARAMS, ShaderStages::COMPUTE, &params);
    let (layout, set) = DescriptorSet::with_layout(device, "far", &[params]).expect("a layout and a set");
    let push_bytes = size_of::<Addresses>() as u32;
    let kernel =
        ComputePipeline::new(device, &module(device, kernel), &[&layout], push_bytes, &[]).expect("a kernel of ours");
    let recorded = device.run_once("far", |rec| {
        rec.bind_compute(&kernel, &[&set], &[0]);
        rec.push_compute(&kernel, addresses);
        rec.dispatch(groups);
    });
    recorded.expect("the kernel runs");
}
