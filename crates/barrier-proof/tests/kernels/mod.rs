//! Small kernels with one defect each, and correct ones that look as if they had one.

use barrier_proof::kernels::{Kernel, KernelMutant, Kernels, Modules, Variable};
use barrier_proof::{Access, BoundShader, Dispatch, Journal, JournalEntry, PassEntry, Resource, Shader, Stage, Use};
use std::collections::BTreeMap;

/// The first word of a module.
const MAGIC: u32 = 0x0723_0203;

/// The modules by name, in the order of the source.
pub struct Own(pub BTreeMap<&'static str, Vec<u32>>);

impl Own {
    pub fn read() -> Own {
        let source = include_str!("kernels.comp");
        let names = source.lines().filter_map(|line| {
            line.trim_start_matches("#el").trim_start_matches('#').strip_prefix("if defined(")?.strip_suffix(')')
        });
        let words: Vec<u32> = include_bytes!("kernels.spv")
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect();
        let mut modules: Vec<Vec<u32>> = Vec::new();
        for word in words {
            if word == MAGIC {
                modules.push(Vec::new());
            }
            modules.last_mut().expect("a module begins with its magic number").push(word);
        }
        assert_eq!(names.clone().count(), modules.len());
        Own(names.zip(modules).collect())
    }

    /// What is found in this kernel in a dispatch of these workgroups, and its changes.
    pub fn check(&self, module: &str, groups: [u32; 3]) -> (Vec<String>, Vec<KernelMutant>) {
        let shader = Shader { stage: Stage::COMPUTE_SHADER, module: module.to_owned(), constants: Vec::new() };
        let kernel = Kernel::read(&self.0[module], &[], self).expect("it can be analyzed");
        let uses = kernel.uses().into_iter().map(|(resource, (reads, writes))| {
            let access = match (reads, writes) {
                (true, false) => Access::SHADER_STORAGE_READ,
                (false, _) => Access::SHADER_STORAGE_WRITE,
                (true, true) => Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE,
            };
            Use { access, ..Use::read(Stage::COMPUTE_SHADER, resource) }
        });
        self.judge(shader, uses.collect(), groups)
    }

    /// What is found if its pass declares nothing.
    #[allow(dead_code, reason = "not every test needs it")]
    pub fn undeclared(&self, module: &str) -> Vec<String> {
        let shader = Shader { stage: Stage::COMPUTE_SHADER, module: module.to_owned(), constants: Vec::new() };
        self.judge(shader, Vec::new(), [4, 1, 1]).0
    }

    fn judge(&self, shader: Shader, uses: Vec<Use>, groups: [u32; 3]) -> (Vec<String>, Vec<KernelMutant>) {
        let pass = PassEntry { name: "pass", uses, dispatches: 1, ..PassEntry::default() };
        let journal = Journal {
            entries: vec![JournalEntry::Pass(pass)],
            bound: vec![BoundShader { pass: "pass", shader: shader.clone(), aliases: Vec::new() }],
            dispatches: vec![Dispatch { shader, groups, push: vec![2] }],
        };
        let mut kernels = Kernels::new(self);
        kernels.check(&journal);
        (kernels.findings.into_iter().collect(), kernels.mutants.into_iter().collect())
    }
}

impl Modules for Own {
    fn words(&self, module: &str) -> Option<Vec<u32>> {
        self.0.get(module).cloned()
    }

    fn resource(&self, variable: &Variable<'_>) -> Option<Resource> {
        Some(Resource::named(variable.member))
    }
}
