//! The kernels of a frame against what its passes declare, and races within them.
//!
//! A pass declares each buffer and image that its shaders access. What they do access is read from their SPIR-V, with the values of
//! their specialization constants: accesses that these exclude do not count. A frame is recorded with one law; `steer` is checked
//! with every other law too, because all have the same declared accesses.

use super::spirv::{Kernel, Memory, Race};
use crate::flock::buffers::BUFFERS;
use crate::flock::law::{LAWS, LawInfo};
use crate::vk::{Access, BoundShader, Dispatch, Journal, Shader, Stage, shaders};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

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
    /// Races that a kernel may have by what its text shows: its dispatches decide.
    open: HashMap<Shader, BTreeSet<Race>>,
    /// Dispatches that were executed for that.
    pub executed: HashSet<Dispatch>,
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
                self.settle(&shader, journal);
            }
        }
    }

    /// Executes the frame's dispatches of a kernel that may have races.
    fn settle(&mut self, shader: &Shader, journal: &Journal) {
        let Some(races) = self.open.get(shader).cloned() else { return };
        let dispatches = journal.dispatches.iter().filter(|dispatch| dispatch.shader == *shader);
        let mut none = true;
        for dispatch in dispatches {
            none = false;
            // Where an array begins makes no difference to which of its elements are accessed.
            let by_address = shader.module.ends_with("_by_address");
            let same = |known: &Dispatch| (&known.shader, known.groups) == (shader, dispatch.groups);
            if !(self.executed.contains(dispatch) || by_address && self.executed.iter().any(same)) {
                self.execute(dispatch);
            }
        }
        if none {
            let found = races.iter().map(|race| format!("{}: {race} in the same dispatch", shader.module));
            self.findings.extend(found);
        }
    }

    /// Executes a dispatch of a kernel that may have races, and again without each of its barriers.
    fn execute(&mut self, dispatch: &Dispatch) {
        let Shader { module, .. } = &dispatch.shader;
        let (kernel, races) = (self.read[&dispatch.shader].clone(), &self.open[&dispatch.shader]);
        let of: BTreeSet<Memory> = races.iter().map(|race| race.memory.clone()).collect();
        let of: Vec<Memory> = of.into_iter().collect();
        match kernel.races_of(dispatch, &of, None) {
            Ok(races) => {
                self.findings.extend(races.iter().map(|race| format!("{module}: {race} in the same dispatch")))
            }
            Err(message) => drop(self.findings.insert(format!("{module} cannot be executed: {message}"))),
        }
        let shared = of.iter().any(|memory| matches!(memory, Memory::Shared(_)));
        let new = !self.executed.iter().any(|known| known.shader == dispatch.shader);
        for (nth, &at) in kernel.barriers().iter().enumerate().filter(|_| shared && new) {
            let one = Dispatch { groups: [1, 1], ..dispatch.clone() };
            let race = kernel.races_of(&one, &of, Some(at)).ok().and_then(|races| Some(races.first()?.to_string()));
            self.barriers.insert(BarrierMutant { module: module.clone(), nth: nth + 1, race });
        }
        self.executed.insert(dispatch.clone());
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
        self.races(shader, &kernel);
        Ok(kernel)
    }

    fn races(&mut self, shader: &Shader, kernel: &Kernel) {
        let intact = kernel.races_on_shared(None);
        let open: BTreeSet<Race> = kernel.races_on_buffers().union(&intact).cloned().collect();
        if !open.is_empty() {
            self.open.insert(shader.clone(), open);
        }
        // Otherwise its dispatches tell about its barriers.
        for (nth, &at) in kernel.barriers().iter().enumerate().filter(|_| intact.is_empty()) {
            let race = kernel.races_on_shared(Some(at)).first().map(ToString::to_string);
            self.barriers.insert(BarrierMutant { module: shader.module.clone(), nth: nth + 1, race });
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
    use rayon::prelude::*;

    /// Every module of this program, without frames: also those that only some devices run.
    #[test]
    fn no_kernel_has_a_race_and_every_barrier_prevents_one() {
        let plain = shaders::MODULES.par_iter().filter(|(module, _)| !module.ends_with("_witness"));
        let analyzed = plain.map(|(module, _)| {
            let mut kernels = Kernels::default();
            let shader = Shader { stage: Stage::NONE, module: (*module).to_owned(), constants: Vec::new() };
            kernels.kernel(&shader).expect("it can be analyzed");
            kernels
        });
        let together = |mut all: Kernels, one: Kernels| {
            all.read.extend(one.read);
            all.open.extend(one.open);
            all.findings.extend(one.findings);
            all.barriers.extend(one.barriers);
            all
        };
        // Threads of this test's own, so that its output has what they print.
        let pool = rayon::ThreadPoolBuilder::new().build().expect("threads can be started");
        let mut kernels = pool.install(|| analyzed.reduce(Kernels::default, together));
        let open: Vec<Shader> = kernels.open.keys().cloned().collect();
        let mut names: Vec<&str> = open.iter().map(|shader| shader.module.as_str()).collect();
        names.sort_unstable();
        let expected = [
            "bitonic_exchange",
            "bitonic_local",
            "bitonic_merge",
            "scan_spine",
            "scan_spine_by_address",
            "trail_record",
        ];
        assert_eq!(names, expected);
        for shader in open {
            // As for 5,000 boids, but one block for a whole sort of it, and with a slot of their trails that is not the one before.
            let (groups, pushes) = match shader.module.as_str() {
                "bitonic_exchange" => ([10, 1], vec![vec![4096, 0], vec![8192, 0], vec![8192, 2048]]),
                "bitonic_local" | "bitonic_merge" => ([1, 1], vec![vec![]]),
                "trail_record" => ([20, 1], vec![vec![5000, 3, 2, 7, 1.0_f32.to_bits()]]),
                _ => ([1, 1], vec![(0..64).collect()]),
            };
            pushes.into_iter().for_each(|push| kernels.execute(&Dispatch { shader: shader.clone(), groups, push }));
        }
        assert!(kernels.findings.is_empty(), "{:#?}", kernels.findings);
        let unneeded: Vec<_> = kernels.barriers.iter().filter(|barrier| barrier.race.is_none()).collect();
        assert!(unneeded.is_empty(), "{unneeded:#?}");
        assert!(kernels.barriers.len() > 20, "{:#?}", kernels.barriers);
    }

    /// Kernels whose dispatches are executed, with push constants that make their invocations meet, or more workgroups than they are
    /// made for.
    #[test]
    fn dispatches_whose_invocations_meet_are_found() {
        let found = |module: &str, groups: [u32; 2], push: &[u32]| {
            let mut kernels = Kernels::default();
            let shader = Shader { stage: Stage::NONE, module: module.to_owned(), constants: Vec::new() };
            kernels.kernel(&shader).expect("it can be analyzed");
            kernels.execute(&Dispatch { shader, groups, push: push.to_vec() });
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
