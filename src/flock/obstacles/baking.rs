//! Distances of a mesh's volume, computed by a device: `glsl/mesh_distance.comp`. Its twin is [`crate::mesh::bake`].

use crate::error::Result;
use crate::limits::WORKGROUP_SIZE;
use crate::mesh::{Lattice, Mesh, Model, Tree};
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, DescriptorSet, Device, MemoryLocation, Pass, Resource,
    ShaderStages, Stage, Use,
};
use std::sync::Arc;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

const PASS: Pass<'_> = Pass {
    name: "mesh_distance",
    stage: COMPUTE,
    uses: &[
        Use::read(COMPUTE, "mesh_nodes"),
        Use::read(COMPUTE, "mesh_triangles"),
        Use::write(COMPUTE, "mesh_distances"),
    ],
};

/// Has `device` bake those of `models` whose distances are not known. A software driver leaves them to the CPU, which it would use itself.
///
/// # Errors
/// What the device could not make or do.
pub fn bake_models(device: &Arc<Device>, models: &[&Model]) -> Result<()> {
    if device.info().is_software() {
        return Ok(());
    }
    models.iter().try_for_each(|model| model.bake_by(|mesh, lattice| distances(device, mesh, lattice)))
}

/// The distance from each corner of `lattice`, x fastest, to the nearest triangle of `mesh`; without signs. Waits for the device.
///
/// # Errors
/// What the device could not make or do.
pub fn distances(device: &Arc<Device>, mesh: &Mesh, lattice: &Lattice) -> Result<Vec<f32>> {
    let tree = Tree::new(mesh.triangles());
    let storage = BufferUsage::STORAGE_BUFFER;
    let nodes = Buffer::with_data(device, "mesh_nodes", storage, &tree.packed_nodes())?;
    let triangles = Buffer::with_data(device, "mesh_triangles", storage, &tree.packed_triangles())?;
    let distances = Buffer::new(
        device,
        &BufferInfo {
            name: "mesh_distances",
            size: (lattice.count() * size_of::<f32>()) as u64,
            usage: storage | BufferUsage::TRANSFER_SRC,
            location: MemoryLocation::GpuOnly,
        },
    )?;
    let buffers = [&nodes, &triangles, &distances];
    let resources = [0, 1, 2].map(|k| Resource::storage(k, ShaderStages::COMPUTE, buffers[k as usize]));
    let (layout, set) = DescriptorSet::with_layout(device, "mesh_distance", &resources)?;
    let kernel = ComputePipeline::new(device, "mesh_distance", &[&layout], size_of::<Lattice>() as u32, &[])?;
    // The upload was waited for, and the download has a dependency of its own.
    device.run_once("mesh_distance", |rec| {
        rec.pass(&PASS, |rec| {
            rec.bind_compute(&kernel, &[&set], &[]);
            rec.push_compute(&kernel, lattice);
            rec.dispatch((lattice.count() as u64).div_ceil(WORKGROUP_SIZE.into()));
        });
    })?;
    distances.download(0, lattice.count())
}
