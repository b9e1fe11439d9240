//! Distances of a mesh's volume, computed by a device: `glsl/mesh_distance.comp`. Its twin is [`crate::mesh::bake`].

use crate::cancel::Cancel;
use crate::error::Result;
use crate::limits::WORKGROUP_SIZE;
use crate::mesh::{self, Lattice, Mesh, Model, Tree};
use crate::shaders::module;
use crate::vk::{
    Buffer, BufferInfo, BufferUsage, ComputePipeline, Descriptor, DescriptorSet, Device, MemoryLocation, Pass,
    Resource, ShaderStages, Stage, Use,
};
use std::sync::Arc;

const COMPUTE: Stage = Stage::COMPUTE_SHADER;

const MESH_NODES: Resource = Resource::new("mesh_nodes");
const MESH_TRIANGLES: Resource = Resource::new("mesh_triangles");
const MESH_DISTANCES: Resource = Resource::new("mesh_distances");

const PASS: Pass<'_> = Pass {
    name: "mesh_distance",
    stage: COMPUTE,
    uses: &[Use::read(COMPUTE, MESH_NODES), Use::read(COMPUTE, MESH_TRIANGLES), Use::write(COMPUTE, MESH_DISTANCES)],
};

/// Has `device` bake those of `models` whose distances are not known. For a software driver the CPU does, which it
/// would use itself.
///
/// # Errors
/// What the device could not make or do, and [`Error::Cancelled`](crate::Error::Cancelled).
pub fn bake_models(device: &Arc<Device>, models: &[&Model]) -> Result<()> {
    let cancel = &device.cancel;
    if device.info().is_software() {
        return bake_models_on_cpu(models, cancel);
    }
    models.iter().try_for_each(|model| model.bake_by(|mesh, lattice| distances(device, mesh, lattice), cancel))
}

/// Bakes those of `models` whose distances are not known. Otherwise they are baked when they are first needed, and then
/// nothing ends that early.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) once `cancel` is requested.
pub fn bake_models_on_cpu(models: &[&Model], cancel: &Cancel) -> Result<()> {
    models.iter().try_for_each(|model| model.bake_by(|mesh, lattice| mesh::distances(mesh, lattice, cancel), cancel))
}

/// The distance from each corner of `lattice`, x fastest, to the nearest triangle of `mesh`; without signs. Waits for
/// the device.
///
/// # Errors
/// What the device could not make or do.
pub fn distances(device: &Arc<Device>, mesh: &Mesh, lattice: &Lattice) -> Result<Vec<f32>> {
    let tree = Tree::new(mesh.triangles(), lattice.tolerance());
    let storage = BufferUsage::STORAGE_BUFFER;
    let nodes = Buffer::with_data(device, MESH_NODES.name(), storage, &tree.packed_nodes())?;
    let triangles = Buffer::with_data(device, MESH_TRIANGLES.name(), storage, &tree.packed_triangles())?;
    let distances = Buffer::new(
        device,
        &BufferInfo {
            name: MESH_DISTANCES.name(),
            size: (lattice.count() * size_of::<f32>()) as u64,
            usage: storage | BufferUsage::TRANSFER_SRC,
            location: MemoryLocation::GpuOnly,
        },
    )?;
    let buffers = [&nodes, &triangles, &distances];
    let resources = [0, 1, 2].map(|k| Descriptor::storage(k, ShaderStages::COMPUTE, buffers[k as usize]));
    let (layout, set) = DescriptorSet::with_layout(device, "mesh_distance", &resources)?;
    let kernel =
        ComputePipeline::new(device, &module(device, "mesh_distance"), &[&layout], size_of::<Lattice>() as u32, &[])?;
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
