//! The kernels of a frame against what its passes declare, and races within them.
//!
//! A pass declares each buffer and image that its shaders access. What they do access is read from their SPIR-V, with the values of
//! their specialization constants: accesses that these exclude do not count. A frame is recorded with one law; `steer` is checked
//! with every other law too, because all have the same declared accesses.

use super::spirv::{Kernel, Memory};
use crate::flock::buffers::BUFFERS;
use crate::flock::law::{LAWS, LawInfo};
use crate::vk::{Access, BoundShader, Journal, Shader, Stage, shaders};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// Buffers of which invocations of one dispatch read elements that others of them may write by what the analysis knows, in kernels
/// whose names begin so, and why that is no defect. Nothing but tests of the results shows that it is true.
pub const IN_PLACE: &[(&str, &str, &str)] = &[
    ("bitonic_", "cell_pairs", "a stage compares each pair once; a workgroup that sorts a block accesses no other"),
    ("scan_spine", "block_sums", "one workgroup, each invocation of which writes what it alone has read"),
    ("trail_record", "trail_history", "it reads the slot of the last moment, and writes another"),
    ("cull", "draw_commands", "a dispatch either counts or, in the second round, reads the count"),
    ("cull", "samples", "the look before an atomic maximum: values only grow, so an old one costs work and no pixel"),
    ("boid_frag", "samples", "as in cull"),
    ("fish_frag", "samples", "as in cull"),
    ("obstacle_frag", "samples", "as in cull"),
];

/// Shared variables whose elements are apart within one run of one loop, in kernels whose names begin so, and why.
pub const APART: &[(&str, &str, &str)] = &[
    ("bitonic_", "block_pairs", "a stage compares each pair once, so no two invocations have the same places in it"),
    ("scan_single_pass", "sum_before", "one invocation accesses it between two barriers"),
];

/// A `barrier()` of a kernel that was left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BarrierMutant {
    /// The module.
    pub module: String,
    /// Which of its barriers, from 1 on.
    pub nth: usize,
    /// The first race that appears; none if the barrier is not needed.
    pub race: Option<String>,
}

/// Kernels that were analyzed, and the errors in them.
#[derive(Default)]
pub struct Kernels {
    read: HashMap<Shader, Arc<Kernel>>,
    compared: HashSet<(BoundShader, Vec<(&'static str, u64)>)>,
    /// Errors so far.
    pub findings: BTreeSet<String>,
    /// Every `barrier()`, left out in turn.
    pub barriers: BTreeSet<BarrierMutant>,
    /// What was declared and not shown: a kernel, a resource and the reason.
    pub declared: BTreeSet<(String, &'static str, &'static str)>,
}

impl Kernels {
    /// Compares the declared accesses of every pass with those of its shaders, and looks for races within each shader.
    pub fn check(&mut self, journal: &Journal) {
        for bound in &journal.bound {
            for shader in with_every_law(&bound.shader) {
                let declared = declared(journal, bound.pass, shader.stage);
                let key = declared.iter().map(|(&name, access)| (name, access.as_raw())).collect();
                if self.compared.insert((BoundShader { shader: shader.clone(), ..bound.clone() }, key)) {
                    self.compare(bound.pass, &shader, &declared);
                }
            }
        }
    }

    /// Modules that were analyzed.
    pub fn modules(&self) -> BTreeSet<&str> {
        self.read.keys().map(|shader| shader.module.as_str()).collect()
    }

    fn compare(&mut self, pass: &str, shader: &Shader, declared: &BTreeMap<&'static str, Access>) {
        let module = &shader.module;
        let kernel = match self.kernel(shader) {
            Ok(kernel) => kernel,
            Err(message) => {
                self.findings.insert(format!("{module} cannot be analyzed: {message}"));
                return;
            }
        };
        let used = kernel.uses();
        let names: BTreeSet<&str> = used.keys().copied().chain(declared.keys().copied()).collect();
        for name in names {
            let (reads, writes) = used.get(name).copied().unwrap_or_default();
            let access = declared.get(name).copied().unwrap_or_default();
            let has_writes = access.intersects(Access::SHADER_STORAGE_WRITE);
            let has_reads = access.intersects(!Access::SHADER_STORAGE_WRITE);
            for (does, says, what) in [(reads, has_reads, "reads"), (writes, has_writes, "writes")] {
                let found = match (does, says) {
                    (true, false) => format!("{module} {what} {name}, which the pass {pass} does not declare"),
                    (false, true) => format!("the pass {pass} declares that it {what} {name}, but {module} does not"),
                    _ => continue,
                };
                self.findings.insert(found);
            }
        }
    }

    /// The kernel of a shader; when it is read first, it is searched for races.
    fn kernel(&mut self, shader: &Shader) -> Result<Arc<Kernel>, String> {
        if let Some(known) = self.read.get(shader) {
            return Ok(known.clone());
        }
        let kernel = Arc::new(Kernel::read(&shaders::spirv(&shader.module), &shader.constants, array)?);
        self.read.insert(shader.clone(), kernel.clone());
        self.races(&shader.module, &kernel);
        Ok(kernel)
    }

    fn races(&mut self, module: &str, kernel: &Kernel) {
        for race in kernel.races_on_buffers() {
            let Memory::Resource(name) = &race.memory else { continue };
            match IN_PLACE.iter().find(|(kernel, buffer, _)| module.starts_with(kernel) && buffer == name) {
                Some(&(_, buffer, reason)) => self.declared.insert((module.to_owned(), buffer, reason)),
                None => self.findings.insert(format!("{module}: {race} in the same dispatch")),
            };
        }
        let apart = APART.iter().filter(|(kernel, ..)| module.starts_with(kernel));
        let disjoint: Vec<&str> = apart.clone().map(|(_, variable, _)| *variable).collect();
        self.declared.extend(apart.map(|&(_, variable, reason)| (module.to_owned(), variable, reason)));
        let intact = kernel.races_on_shared(&disjoint, None);
        self.findings.extend(intact.iter().map(|race| format!("{module}: {race} without a barrier() between")));
        for (nth, &at) in kernel.barriers().iter().enumerate() {
            let races = kernel.races_on_shared(&disjoint, Some(at));
            let race = races.difference(&intact).next().map(ToString::to_string);
            self.barriers.insert(BarrierMutant { module: module.to_owned(), nth: nth + 1, race });
        }
    }
}

/// What the pass declares of buffers and images that shaders of this stage access.
fn declared(journal: &Journal, pass: &str, stage: Stage) -> BTreeMap<&'static str, Access> {
    let mut declared = BTreeMap::new();
    let uses = journal.passes().filter(|entry| entry.name == pass).flat_map(|entry| &entry.uses);
    for of in uses.filter(|of| of.stage.intersects(stage)) {
        *declared.entry(of.resource).or_insert(Access::NONE) |= of.access;
    }
    declared
}

/// The shader without a witness, which only tests of synchronization have; for `steer`, with every law.
fn with_every_law(shader: &Shader) -> Vec<Shader> {
    let module = shader.module.strip_suffix("_witness").unwrap_or(&shader.module);
    let law = LAWS.iter().map(stem).find(|law| module.starts_with(law));
    let modules = match law {
        Some(own) => LAWS.iter().map(|law| module.replacen(&own, &stem(law), 1)).collect(),
        None => vec![module.to_owned()],
    };
    modules.into_iter().map(|module| Shader { module, ..shader.clone() }).collect()
}

/// The array whose address is at this place of the list.
fn array(place: u32) -> Option<&'static str> {
    BUFFERS.iter().find(|row| row.binding == place).map(|row| row.name)
}

/// How the names of its `steer` begin.
fn stem(law: &LawInfo) -> String {
    format!("steer_{}_", law.name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every module of this program, without frames: also those that only some devices run.
    #[test]
    fn no_kernel_has_a_race_and_every_barrier_prevents_one() {
        let mut kernels = Kernels::default();
        let plain = shaders::MODULES.iter().filter(|(module, _)| !module.ends_with("_witness"));
        for (module, _) in plain {
            let shader = Shader { stage: Stage::NONE, module: (*module).to_owned(), constants: Vec::new() };
            kernels.kernel(&shader).expect("it can be analyzed");
        }
        assert!(kernels.findings.is_empty(), "{:#?}", kernels.findings);
        let unneeded: Vec<_> = kernels.barriers.iter().filter(|barrier| barrier.race.is_none()).collect();
        assert!(unneeded.is_empty(), "{unneeded:#?}");
        assert!(kernels.barriers.len() > 20, "{:#?}", kernels.barriers);
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

    /// The state is read where the copy from before the step should be: by every law with every search.
    #[test]
    fn a_law_that_reads_what_others_write_is_found() {
        let state = |place| array(place).map(|name| if name == "sorted_position_vx" { "position_vx" } else { name });
        let laws = shaders::MODULES.iter().map(|(module, _)| *module).filter(|module| module.starts_with("steer_"));
        let mut tried = 0;
        for module in laws.filter(|module| !module.ends_with("_witness")) {
            let words = renamed(&shaders::spirv(module), "sorted_position_vx", "position_vx");
            let kernel = Kernel::read(&words, &[], state).expect("it can be analyzed");
            let found = kernel.races_on_buffers();
            let is_it = |memory: &Memory| *memory == Memory::Resource("position_vx".to_owned());
            assert!(found.iter().any(|race| is_it(&race.memory)), "{module}: {found:#?}");
            tried += 1;
        }
        assert!(tried >= LAWS.len(), "only {tried}");
    }
}
