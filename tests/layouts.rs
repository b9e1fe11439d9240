//! Every structure that Rust and GLSL share has the same layout on both sides, read from the built SPIR-V.

use spirq::ReflectConfig;
use spirq::ty::{DescriptorType, StructType, Type};
use spirq::var::Variable;
use starlings::flock::Settings;
use starlings::flock::buffers::{BUFFERS, Counts};
use starlings::flock::layout::{
    BitonicStage, Chords, Crowding, Grid, GridRow, Kinds, Manners, PackedHunt, PackedObstacle, Parts, Point, Quanta,
    Rules, SquaredRadii, StepParams, World,
};
use starlings::flock::order::{Observed, OrderMeans, OrderSums};
use starlings::limits::MAX_SUBGROUP_SIZE;
use starlings::mesh::{Lattice, PackedNode, PackedTriangle};
use starlings::render::layout::{
    Clip, DrawCommand, FarTriangle, Palette, SceneParams, TrailSample, TrailStep, VisibleBoid,
};
use starlings::shaders;
use std::collections::BTreeSet;
use std::mem::offset_of;

/// A structure as Rust lays it out.
struct Shared {
    name: &'static str,
    size: usize,
    /// Name, offset and size of each field.
    fields: Vec<(&'static str, usize, usize)>,
}

/// Describes Rust structures. A missing field is noticed, because the total size is compared as well.
macro_rules! shared {
    ($($name:ident { $($field:ident),* $(,)? })*) => {
        vec![$({
            fn size_of_field<S, F>(_: fn(&S) -> &F) -> usize {
                size_of::<F>()
            }
            Shared {
                name: stringify!($name),
                size: size_of::<$name>(),
                fields: vec![$(
                    (stringify!($field), offset_of!($name, $field), size_of_field(|s: &$name| &s.$field))
                ),*],
            }
        }),*]
    };
}

/// Every structure that an interface block may hold.
fn shared() -> Vec<Shared> {
    shared! {
        Grid {
            origin, cell_size, inv_cell_size, dims, slack, cell_count, wraps,
        }
        Quanta { per_unit, most, near_bias }
        GridRow { gap_y, gap_z, cells, unused }
        Chords { radius_squared, slack, last_column, rows }
        World { center, half_size }
        Rules {
            separation_radius, alignment_radius, cohesion_radius, search_radius, separation_weight, alignment_weight,
            cohesion_weight, target_weight, wall_weight, move_speed, max_speed, max_force, turn_rate, blend,
            cursor_distance, cursor_attraction, cursor_repulsion, own_weight,
        }
        Manners {
            bits, seed, noise, noise_turns, noise_cap, cos_turn, sin_turn, least_speed, view, felt_squared, nearest
        }
        StepParams {
            boid_count, step, time_step, decision_steps, target_count, grid, world, walls, rules, squared_radii,
            manners, quanta, chords, cursor, leader, current, targets, point_count, points, obstacle_distance,
            obstacle_weight, obstacle_gap, obstacle_count, obstacles, kinds,
        }
        Kinds { count, hunters, ends, felt, hunts }
        PackedHunt { prey, sight_squared, chase, reach, fear, place }
        Point { position, reach, strength }
        PackedObstacle { kind, position, extent, radius, bound, volume }
        SquaredRadii { separation, alignment, cohesion, search }
        Crowding { fullest, squares }
        BitonicStage { block, stride }
        Parts { step, bytes }
        Lattice { origin, cell, dims }
        PackedNode { low, after, high, triangles }
        PackedTriangle { corners, normal }
        Observed { neighbors, nearest }
        OrderSums {
            offset_speed, heading_nearest, neighbors, least_speed, most_speed, most_neighbors, alone, non_finite,
        }
        OrderMeans {
            center, polarization, milling, neighbors, nearest, speed, least_speed, most_speed, most_neighbors, alone,
            non_finite, step,
        }
        Palette { sun_direction, sun_color, zenith, horizon, glow, water, boid, boid_accent, target }
        SceneParams {
            view_projection, planes, eye, ray_right, ray_down, ray_forward, palette, pixels_per_radian, time,
            extrapolate, speed_scale, boid_length, lod_pixels, silhouette, haze, shadow, boid_count, batches,
            last_first, target_count, width, height, block, pixels, round, blue_first, encode_srgb, grid, targets,
            cells, cell, obstacle_count, obstacles, boid_scale, ramp, ramp_low, ramp_high, values_per_unit, full_speed,
            step, time_step, sea, wave_length, flock_distance, mirror_forward, mirror_right, mirror_rise, mirror_stride,
            first_row, clips, clip_rows, trail_seconds, trail_width, trail_reach, trail_newest, trail_samples,
            trail_slots, trail_ages, trail_steps, kind_ends, kind_sizes,
        }
        TrailSample { position, since }
        TrailStep { boid_count, slot, previous, step, reach, period }
        VisibleBoid { position, id, velocity, light, value, behavior }
        Clip { first, frames, rate, vary }
        FarTriangle { corners, area, albedo, wing, two_sided }
        DrawCommand { index_count, instance_count, first_index, vertex_offset, first_instance }
    }
}

/// Compares the declarations of one shader with Rust's, and remembers the structures seen.
struct Comparison {
    shared: Vec<Shared>,
    seen: BTreeSet<&'static str>,
    faults: Vec<String>,
}

impl Comparison {
    /// The block itself is only a wrapper if it holds just a shared structure, an array or a vector.
    fn block(&mut self, place: &str, block: &StructType) {
        let is_many = |ty: &Type| matches!(ty, Type::Struct(_) | Type::Array(_) | Type::Vector(_));
        let wrapper = matches!(&block.members[..], [only] if is_many(&only.ty));
        if wrapper {
            self.member(place, &block.members[0].ty);
        } else {
            self.structure(place, block);
        }
    }

    fn member(&mut self, place: &str, ty: &Type) {
        match ty {
            Type::Struct(structure) => self.structure(place, structure),
            Type::Array(array) => {
                // The elements of a Rust slice have no gaps.
                let element = array.element_ty.nbyte().expect("elements of a buffer have a size");
                if array.stride != Some(element) {
                    self.faults.push(format!("{place}: elements of {element} bytes, {:?} apart", array.stride));
                }
                self.member(place, &array.element_ty);
            }
            _ => {}
        }
    }

    fn structure(&mut self, place: &str, structure: &StructType) {
        let name = structure.name.as_deref().unwrap_or("(no name)");
        let place = format!("{place}: {name}");
        let Some(rust) = self.shared.iter().find(|shared| shared.name == name) else {
            self.faults.push(format!("{place} is not listed in tests/layouts.rs"));
            return;
        };
        self.seen.insert(rust.name);
        let fields: Vec<(&str, usize, usize)> = structure
            .members
            .iter()
            .map(|member| {
                let size = member.ty.nbyte().expect("a member of a shared structure has a size");
                (member.name.as_deref().unwrap_or("(no name)"), member.offset.expect("an offset"), size)
            })
            .collect();
        let end = fields.last().map_or(0, |(_, offset, size)| offset + size);
        if fields != rust.fields || end != rust.size {
            let (wanted, size) = (&rust.fields, rust.size);
            self.faults.push(format!(
                "{place} has (name, offset, size)\n  {fields:?}, Rust has {size} bytes of\n  {wanted:?}"
            ));
        }
        for member in &structure.members {
            self.member(&format!("{place}.{}", member.name.as_deref().unwrap_or("?")), &member.ty);
        }
    }
}

/// The table of buffers against the kernels' declarations: the binding's name, and an element size that divides the
/// buffer's size.
#[test]
fn buffers_are_what_their_rows_say() {
    let mut seen = BTreeSet::new();
    for module in shaders::names() {
        let entry_points = ReflectConfig::new().spv(shaders::spirv(module)).ref_all_rscs(true).reflect();
        let entry_points = entry_points.expect("our own SPIR-V");
        let variables = || entry_points.iter().flat_map(|entry_point| &entry_point.vars);
        let of_flock = |variable: &Variable| {
            let Variable::Descriptor { ty: Type::Struct(block), .. } = variable else { return false };
            let first = match &block.members[0].ty {
                Type::Array(each) => &*each.element_ty,
                only => only,
            };
            matches!(first, Type::Struct(params) if params.name.as_deref() == Some("StepParams"))
        };
        if !variables().any(of_flock) {
            continue;
        }
        for variable in variables() {
            let Variable::Descriptor { desc_bind, desc_ty: DescriptorType::StorageBuffer(_), ty, .. } = variable else {
                continue;
            };
            let Type::Struct(block) = ty else { continue };
            let [member] = &block.members[..] else { panic!("{module}: a block of one array or structure") };
            let name = member.name.as_deref().expect("names are kept");
            let Some(row) = BUFFERS.iter().find(|row| row.resource == name) else {
                assert!(
                    !BUFFERS.iter().any(|row| row.binding == desc_bind.bind() && desc_bind.set() == 0),
                    "{module}: {name}"
                );
                continue;
            };
            assert_eq!(desc_bind.set(), 0, "{module}: the set of {name}");
            assert_eq!(desc_bind.bind(), row.binding, "{module}: the binding of {name}");
            let element = match &member.ty {
                Type::Array(array) => array.stride,
                single => single.nbyte(),
            };
            // Some kernels declare several elements as one.
            let element = element.expect("elements of a buffer have a size") as u64;
            assert!(
                element > 0 && element.is_multiple_of(row.element),
                "{module}: {name} has elements of {element} bytes"
            );
            for boids in [1, 7, 1_000_003] {
                let settings = Settings::preset("reynolds").expect("a preset of ours").with_boids(boids);
                let bytes = row.bytes(&settings, &Counts::of(&settings));
                assert!(bytes.is_multiple_of(element), "{module}: {name} has {bytes} bytes, {element} at once");
            }
            seen.insert(row.resource.name());
        }
    }
    let unseen: Vec<&str> = BUFFERS.iter().map(|row| row.resource.name()).filter(|name| !seen.contains(name)).collect();
    assert!(unseen.is_empty(), "no kernel declares {unseen:?}");
}

#[test]
fn shared_structures_have_one_layout() {
    let mut comparison = Comparison { shared: shared(), seen: BTreeSet::new(), faults: Vec::new() };
    let mut blocks = 0;
    for module in shaders::names() {
        let entry_points = ReflectConfig::new().spv(shaders::spirv(module)).ref_all_rscs(true).reflect();
        for entry_point in entry_points.expect("our own SPIR-V") {
            for variable in &entry_point.vars {
                let (Variable::Descriptor { ty, .. } | Variable::PushConstant { ty, .. }) = variable else {
                    continue;
                };
                if let Type::Struct(block) = ty {
                    blocks += 1;
                    comparison
                        .block(&format!("{module}, block {}", block.name.as_deref().unwrap_or("(no name)")), block);
                }
            }
        }
    }
    assert!(comparison.faults.is_empty(), "\n{}", comparison.faults.join("\n"));
    assert!(blocks > 30, "only {blocks} blocks were found: is reflection broken?");
    for rust in &comparison.shared {
        assert!(comparison.seen.contains(rust.name), "no shader uses {}", rust.name);
    }
}

/// Pipelines ask for full subgroups, and Vulkan then wants workgroups whose size in x is a multiple of the subgroup
/// size.
#[test]
fn every_workgroup_has_full_subgroups_whatever_their_size() {
    const EXECUTION_MODE: u32 = 16;
    const LOCAL_SIZE: u32 = 17;
    let mut kernels = 0;
    for name in shaders::names() {
        let words = shaders::spirv(name);
        let mut rest = &words[5..];
        while let Some(&first) = rest.first() {
            let (instruction, next) = rest.split_at((first >> 16) as usize);
            rest = next;
            if let [_, _, LOCAL_SIZE, x, y, z] = *instruction
                && first & 0xFFFF == EXECUTION_MODE
            {
                assert!(x % MAX_SUBGROUP_SIZE == 0 && (y, z) == (1, 1), "{name}: workgroups of {x}, {y}, {z}");
                kernels += 1;
            }
        }
    }
    assert!(kernels > 60, "only {kernels}");
}
