//! What the proof must know of this program's kernels.

pub use barrier_proof::kernels::{KernelMutant, Kernels};
use barrier_proof::kernels::{Modules, Variable};
use starlings::flock::buffers::{BOID_ID, BUFFERS, SORTED_BOID_ID, STEP_PARAMS};
use starlings::flock::grid::MAX_CELLS;
use starlings::flock::law::{LAWS, LawInfo};
use starlings::render::resources::SCENE_PARAMS;
use starlings::shaders;
use starlings::vk::Resource;

/// The modules that are built into this program.
pub struct OwnModules;

impl Modules for OwnModules {
    fn words(&self, module: &str) -> Option<Vec<u32>> {
        Some(shaders::spirv(module))
    }

    fn resource(&self, variable: &Variable<'_>) -> Option<Resource> {
        // Buffers have a single member with their name, which parameters have not; images have a name themselves.
        let name = if variable.member.is_empty() { variable.name } else { variable.member };
        match variable.inner {
            "StepParams" => Some(STEP_PARAMS),
            "SceneParams" => Some(SCENE_PARAMS),
            _ => (!name.is_empty()).then(|| Resource::named(name)),
        }
    }

    fn array(&self, place: u32) -> Option<Resource> {
        BUFFERS.iter().find(|row| row.binding == place).map(|row| row.resource)
    }

    /// Identities are a permutation of the boids, sorted or not.
    fn is_distinct(&self, array: Resource) -> bool {
        array == BOID_ID || array == SORTED_BOID_ID
    }

    /// Of many flocks each has a part: `AT` of `glsl/include/array.glsl`, with what is an index for one flock.
    fn keeps_to_parts(&self) -> bool {
        true
    }

    /// The module without a witness, which only tests of synchronization have; for `steer`, with every law.
    fn variants(&self, module: &str) -> Vec<String> {
        let module = module.strip_suffix("_witness").unwrap_or(module);
        match LAWS.iter().map(stem).find(|law| module.starts_with(law)) {
            Some(own) => LAWS.iter().map(|law| module.replacen(&own, &stem(law), 1)).collect(),
            None => vec![module.to_owned()],
        }
    }

    fn limit(&self, member: &str) -> Option<u64> {
        (member == "cell_count").then_some(MAX_CELLS as u64)
    }

    fn pushes_addresses(&self, module: &str) -> bool {
        module.ends_with("_by_address") || module.ends_with("_many")
    }
}

/// How the names of a law's `steer` begin.
fn stem(law: &LawInfo) -> String {
    format!("steer_{}_", law.name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrier_proof::kernels::{Kernel, Memory};
    use rayon::prelude::*;
    use starlings::flock::buffers::{POSITION_VX, SORTED_POSITION_VX};
    use starlings::vk::{Dispatch, Shader, Stage};
    use std::collections::BTreeSet;

    /// Every module of this program, without frames: also those that only some devices run.
    #[test]
    fn no_kernel_has_a_race_and_every_barrier_prevents_one() {
        let plain: Vec<&str> = shaders::names().filter(|module| !module.ends_with("_witness")).collect();
        let analyzed = plain.into_par_iter().map(|module| {
            let mut kernels = Kernels::new(&OwnModules);
            let shader = Shader { stage: Stage::NONE, module: module.to_owned(), constants: Vec::new() };
            kernels.kernel(&shader).expect("it can be analyzed");
            kernels
        });
        let together = |mut all: Kernels<'static>, one: Kernels<'static>| {
            all.extend(one);
            all
        };
        // Threads of this test's own, so that its output has what they print.
        let pool = rayon::ThreadPoolBuilder::new().build().expect("threads can be started");
        let mut kernels = pool.install(|| analyzed.reduce(|| Kernels::new(&OwnModules), together));
        let open: Vec<Shader> = kernels.open().cloned().collect();
        let mut names: Vec<&str> = open.iter().map(|shader| shader.module.as_str()).collect();
        names.sort_unstable();
        let expected = [
            "bitonic_exchange",
            "bitonic_local",
            "bitonic_merge",
            "milling_mean",
            "milling_mean_many",
            "milling_reduce",
            "milling_reduce_many",
            "order_mean",
            "order_mean_many",
            "order_reduce",
            "order_reduce_many",
            "scan_downsweep",
            "scan_downsweep_by_address",
            "scan_downsweep_many",
            "scan_spine",
            "scan_spine_by_address",
            "scan_spine_many",
            "trail_record",
            "value_histogram",
            "value_histogram_by_address",
            "value_histogram_by_address_observed",
            "value_histogram_observed",
        ];
        assert_eq!(names, expected);
        for shader in open {
            // As for 5,000 boids, but one block for a whole sort of it, and with a slot of their trails that is not the
            // one before.
            let many = shader.module.strip_suffix("_many");
            let flocks = if many.is_some() { 3 } else { 1 };
            let (groups, pushes) = match many.unwrap_or(&shader.module) {
                "bitonic_exchange" => ([10, 1, 1], vec![vec![4096, 0], vec![8192, 0], vec![8192, 2048]]),
                "bitonic_local" | "bitonic_merge" => ([1, 1, 1], vec![vec![]]),
                "trail_record" => ([20, 1, 1], vec![vec![5000, 3, 2, 7, 1.0_f32.to_bits(), 0, 0, 0]]),
                "scan_spine" | "scan_spine_by_address" | "milling_mean" | "order_mean" => {
                    ([1, 1, flocks], vec![(0..64).collect()])
                }
                _ => ([2, 1, flocks], vec![(0..64).collect()]),
            };
            pushes.into_iter().for_each(|push| kernels.execute(&Dispatch { shader: shader.clone(), groups, push }));
        }
        assert!(kernels.findings.is_empty(), "{:#?}", kernels.findings);
        let survived: Vec<_> = kernels.mutants.iter().filter(|mutant| mutant.survived()).collect();
        assert!(survived.is_empty(), "{survived:#?}");
        let barriers = kernels.mutants.iter().filter(|mutant| mutant.change == "left out").count();
        assert!(barriers > 20, "{:#?}", kernels.mutants);
    }

    /// Kernels whose dispatches are executed, with push constants that make their invocations meet, or more workgroups
    /// than they are made for.
    #[test]
    fn dispatches_whose_invocations_meet_are_found() {
        let found = |module: &str, [x, y]: [u32; 2], push: &[u32]| {
            let mut kernels = Kernels::new(&OwnModules);
            let shader = Shader { stage: Stage::NONE, module: module.to_owned(), constants: Vec::new() };
            kernels.kernel(&shader).expect("it can be analyzed");
            kernels.execute(&Dispatch { shader, groups: [x, y, 1], push: push.to_vec() });
            kernels.findings
        };
        // Nothing is known of the places that are compared.
        assert!(!found("bitonic_exchange", [10, 1], &[]).is_empty());
        // The new samples in the slot of the previous ones, which are read unless the reach is negative.
        assert_eq!(found("trail_record", [20, 1], &[5000, 2, 2, 7, (-1.0_f32).to_bits()]), BTreeSet::new());
        assert!(!found("trail_record", [20, 1], &[5000, 2, 2, 7, 0]).is_empty());
        assert!(!found("trail_record", [20, 1], &[]).is_empty());
        assert!(!found("scan_spine", [2, 1], &[]).is_empty());
    }

    /// The module with other names for members of its buffers.
    fn renamed(words: &[u32], from: &str, to: &str) -> Vec<u32> {
        const MEMBER_NAME: u32 = 6;
        let text = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.resize(text.len() / 4 * 4 + 4, 0);
            bytemuck::pod_collect_to_vec::<u8, u32>(&bytes)
        };
        let (mut new, mut rest) = (words[..5].to_vec(), &words[5..]);
        while let Some(&first) = rest.first() {
            let (instruction, next) = rest.split_at((first >> 16) as usize);
            rest = next;
            match instruction {
                [_, of, member, name @ ..] if first & 0xFFFF == MEMBER_NAME && *name == text(from) => {
                    let name = text(to);
                    new.extend([((3 + name.len()) as u32) << 16 | MEMBER_NAME, *of, *member]);
                    new.extend(name);
                }
                other => new.extend(other),
            }
        }
        new
    }

    /// The modules of this program, with the state in place of the copy from before the step.
    struct Renamed;

    impl Modules for Renamed {
        fn words(&self, _: &str) -> Option<Vec<u32>> {
            None
        }

        fn resource(&self, variable: &Variable<'_>) -> Option<Resource> {
            OwnModules.resource(variable)
        }

        fn array(&self, place: u32) -> Option<Resource> {
            OwnModules.array(place).map(|array| if array == SORTED_POSITION_VX { POSITION_VX } else { array })
        }

        fn is_distinct(&self, array: Resource) -> bool {
            OwnModules.is_distinct(array)
        }
    }

    /// Only that each flock keeps to its part tells that it does not meet others.
    #[test]
    fn parts_of_many_flocks_are_apart() {
        let races = |modules: &dyn Modules| {
            let kernel = Kernel::read(&shaders::spirv("grid_count_many"), &[], modules).expect("it can be analyzed");
            kernel.races_on_buffers().len()
        };
        assert!(races(&OwnModules) == 0 && races(&Renamed) > 0);
    }

    /// The state is read where the copy from before the step should be: by every law with every search.
    #[test]
    fn a_law_that_reads_what_others_write_is_found() {
        let laws = shaders::names().filter(|module| module.starts_with("steer_"));
        let mut tried = 0;
        for module in laws.filter(|module| !module.ends_with("_witness")) {
            let words = renamed(&shaders::spirv(module), "sorted_position_vx", "position_vx");
            let kernel = Kernel::read(&words, &[], &Renamed).expect("it can be analyzed");
            let found = kernel.races_on_buffers();
            let is_it = |memory: &Memory| *memory == Memory::Resource(POSITION_VX);
            assert!(found.iter().any(|race| is_it(&race.memory)), "{module}: {found:#?}");
            tried += 1;
        }
        assert!(tried >= LAWS.len(), "only {tried}");
    }
}
