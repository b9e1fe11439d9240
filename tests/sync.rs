//! The frame's synchronization: what it says of itself is what is recorded.

mod common;

use spirq::prelude::*;
use starlings::flock::search::{SEARCHES, Search};
use starlings::flock::{Law, Settings};
use starlings::sync::between::hazards;
use starlings::sync::{FrameKind, Rehearsal, between, check};
use starlings::vk::{Device, Hazard, Journal, Stage, shaders};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Frames of every kind with every search, each recorded with two steps, none and one.
fn journals(device: &Arc<Device>) -> Vec<(String, Vec<Journal>)> {
    let mut all = Vec::new();
    for search in SEARCHES {
        let mut settings = Settings::preset("counting-sort").expect("a known preset").with_boids(500);
        settings.search = search.search;
        for kind in FrameKind::ALL {
            let mut rehearsal = Rehearsal::new(device, &settings, kind, None).expect("a small flock fits");
            let frames = [2, 0, 1].map(|steps| rehearsal.journal(steps, &[]).expect("it can be recorded"));
            all.push((format!("{}, {kind}", search.name), frames.to_vec()));
        }
    }
    all
}

#[test]
fn frames_in_flight_are_in_order() {
    let Some(device) = common::device() else { return };
    for (name, frames) in journals(&device) {
        let conflicts = check(&frames);
        assert!(conflicts.is_empty(), "{name}: {conflicts:#?}");
    }
}

#[test]
fn dependencies_say_of_themselves_what_they_are_for() {
    let Some(device) = common::device() else { return };
    let mut found: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<&str>)> = BTreeMap::new();
    let mut said: BTreeMap<&str, (BTreeSet<Hazard>, BTreeSet<&str>)> = BTreeMap::new();
    for (_, frames) in journals(&device) {
        for (name, conflicts) in between(&frames) {
            let (all, resources) = found.entry(name).or_default();
            all.extend(hazards(&conflicts));
            resources.extend(conflicts.iter().map(|conflict| conflict.resource));
        }
        for dependency in frames.iter().flat_map(Journal::dependencies) {
            let hazards = dependency.hazards.iter().copied().collect();
            said.insert(dependency.name, (hazards, dependency.guards.iter().copied().collect()));
        }
    }
    for (name, said) in said {
        assert_eq!(said, found[name], "{name}: what it says, and what happens without it");
    }
}

/// How a shader accesses each of its buffers, by its descriptors.
fn descriptors(module: &str) -> BTreeMap<String, (bool, bool)> {
    let entry_points = ReflectConfig::new().spv(shaders::spirv(module)).ref_all_rscs(true).reflect();
    let mut buffers = BTreeMap::new();
    for variable in entry_points.expect("our own SPIR-V").iter().flat_map(|entry_point| &entry_point.vars) {
        let Variable::Descriptor { desc_ty, ty: Type::Struct(block), .. } = variable else { continue };
        let member = &block.members[0];
        let (name, access) = match desc_ty {
            DescriptorType::UniformBuffer() => match &member.ty {
                Type::Struct(params) if params.name.as_deref() == Some("StepParams") => ("step_params", (true, false)),
                _ => ("scene_params", (true, false)),
            },
            DescriptorType::StorageBuffer(access) => {
                let name = member.name.as_deref().expect("names are kept");
                (
                    name,
                    match access {
                        AccessType::ReadOnly => (true, false),
                        AccessType::WriteOnly => (false, true),
                        AccessType::ReadWrite => (true, true),
                    },
                )
            }
            _ => continue,
        };
        buffers.insert(name.to_owned(), access);
    }
    buffers
}

#[test]
fn passes_touch_what_their_shaders_declare() {
    let Some(device) = common::device() else { return };
    let mut compared = BTreeSet::new();
    for (name, frames) in journals(&device) {
        let search = Search::named(name.split(',').next().expect("a search comes first")).expect("a known search");
        for pass in frames.iter().flat_map(Journal::passes) {
            let steer = Law::CountingSort.kernel(search);
            let modules: &[(&str, Stage)] = match pass.name {
                "steer" => &[(&steer, Stage::COMPUTE_SHADER)],
                "draw_boids" => &[("boid_vert", Stage::VERTEX_SHADER), ("boid_frag", Stage::FRAGMENT_SHADER)],
                "draw_targets" => &[("target_vert", Stage::VERTEX_SHADER), ("boid_frag", Stage::FRAGMENT_SHADER)],
                "draw_sky" => &[("sky_vert", Stage::VERTEX_SHADER), ("sky_frag", Stage::FRAGMENT_SHADER)],
                // egui's own.
                "panels" => &[],
                kernel if pass.uses.iter().any(|of| of.stage == Stage::COMPUTE_SHADER) => {
                    &[(kernel, Stage::COMPUTE_SHADER)]
                }
                _ => &[],
            };
            for &(module, stage) in modules {
                let declared: BTreeMap<String, (bool, bool)> = pass
                    .uses
                    .iter()
                    .filter(|of| of.stage == stage)
                    .map(|of| (of.resource.to_owned(), (of.reads(), of.writes())))
                    .collect();
                assert_eq!(declared, descriptors(module), "{name}, {}: reads and writes of {module}", pass.name);
                compared.insert(module.to_owned());
            }
        }
    }
    assert!(compared.len() >= 13, "only {compared:?}");
}
