//! The kernels of a frame against what its passes declare, and races and divergent barriers within them.
//!
//! A pass declares each buffer and image that its shaders access. What they do access is read from their SPIR-V, with
//! the values of their specialization constants: accesses that these exclude do not count. A frame is recorded with one
//! of several modules whose accesses are declared alike; the others are checked too.

use crate::{Access, BoundShader, Dispatch, Error, Journal, Resource, Shader, Stage};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

pub use crate::spirv::{Defect, Kernel, Memory, Race, Variable};

/// The shaders of a program, and the names of what they access.
pub trait Modules: Sync {
    /// The SPIR-V words of the module of this name; none if there is none.
    fn words(&self, module: &str) -> Option<Vec<u32>>;

    /// The resource that a variable is bound to.
    fn resource(&self, variable: &Variable<'_>) -> Option<Resource>;

    /// The array whose device address is at this place of the push constants' first array.
    fn array(&self, _place: u32) -> Option<Resource> {
        None
    }

    /// Whether no two elements of an array are equal, as in a permutation, and no kernel that reads it writes it.
    fn is_distinct(&self, _array: Resource) -> bool {
        false
    }

    /// Whether workgroups of different numbers along z have parts of each array to themselves: an index that is this
    /// number times what is the same for all, plus another index, is below the next such product.
    fn keeps_to_parts(&self) -> bool {
        false
    }

    /// The modules that are checked for this one: all whose accesses are declared alike.
    fn variants(&self, module: &str) -> Vec<String> {
        vec![module.to_owned()]
    }

    /// The highest value of a member of a uniform buffer, if any is known.
    fn limit(&self, _member: &str) -> Option<u64> {
        None
    }

    /// Whether the push constants of this module are only device addresses: where an array begins makes no difference
    /// to which of its elements are accessed.
    fn pushes_addresses(&self, _module: &str) -> bool {
        false
    }
}

/// A kernel with one attribute of a `barrier()` or of an atomic changed: left out, a scope lowered, a bit of its
/// semantics removed, or moved into a branch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelMutant {
    /// The module.
    pub module: String,
    /// Which of its barriers or atomics.
    pub place: String,
    /// The change.
    pub change: String,
    /// The first defect that appears.
    pub found: Option<String>,
    /// Why there may be none.
    pub explained: Option<&'static str>,
}

impl KernelMutant {
    /// Whether the change makes no difference, and nothing explains that: more is asked for than is needed.
    pub fn survived(&self) -> bool {
        self.found.is_none() && self.explained.is_none()
    }
}

/// Kernels that were analyzed, and the errors in them.
pub struct Kernels<'a> {
    modules: &'a dyn Modules,
    read: HashMap<Shader, Arc<Kernel>>,
    compared: HashSet<(BoundShader, Vec<(Resource, u64)>)>,
    /// Errors so far.
    pub findings: BTreeSet<String>,
    /// Every attribute of every `barrier()` and atomic, changed in turn.
    pub mutants: BTreeSet<KernelMutant>,
    /// Defects that a kernel may have by what its text shows: its dispatches decide.
    open: HashMap<Shader, BTreeSet<Defect>>,
    /// Dispatches that were executed for that.
    pub executed: HashSet<Dispatch>,
}

impl<'a> Kernels<'a> {
    /// None of these modules yet.
    pub fn new(modules: &'a dyn Modules) -> Kernels<'a> {
        Kernels {
            modules,
            read: HashMap::new(),
            compared: HashSet::new(),
            findings: BTreeSet::new(),
            mutants: BTreeSet::new(),
            open: HashMap::new(),
            executed: HashSet::new(),
        }
    }

    /// Compares the declared accesses of every pass with those of its shaders, and looks for races within each shader.
    pub fn check(&mut self, journal: &Journal) {
        for bound in &journal.bound {
            for module in self.modules.variants(&bound.shader.module) {
                let shader = Shader { module, ..bound.shader.clone() };
                let declared = declared(journal, bound.pass, shader.stage);
                let key = declared.iter().map(|(&name, access)| (name, access.as_raw())).collect();
                let bound = BoundShader { shader: shader.clone(), ..bound.clone() };
                if self.compared.insert((bound.clone(), key)) {
                    self.compare(&bound, &declared);
                }
                self.settle(&shader, journal);
            }
        }
    }

    /// Executes the frame's dispatches of a kernel that may have defects.
    fn settle(&mut self, shader: &Shader, journal: &Journal) {
        let dispatches = || journal.dispatches.iter().filter(|dispatch| dispatch.shader == *shader);
        let Some(defects) = self.open.get(shader).cloned() else {
            let dimensions = self.read.get(shader).map_or(3, |kernel| kernel.dimensions());
            for Dispatch { groups, .. } in dispatches() {
                if groups.iter().skip(dimensions as usize).any(|&along| along > 1) {
                    self.findings.insert(format!(
                        "{}: elements are numbered along {dimensions} dimensions, but its workgroups are {groups:?}",
                        shader.module
                    ));
                }
            }
            return;
        };
        let mut none = true;
        for dispatch in dispatches() {
            none = false;
            let by_address = self.modules.pushes_addresses(&shader.module);
            let same = |known: &Dispatch| (&known.shader, known.groups) == (shader, dispatch.groups);
            if !(self.executed.contains(dispatch) || by_address && self.executed.iter().any(same)) {
                self.execute(dispatch);
            }
        }
        if none {
            self.findings.extend(defects.iter().map(|defect| format!("{}: {defect}", shader.module)));
        }
    }

    /// Executes a dispatch of a kernel that may have defects, and again with each change of a barrier or an atomic. It
    /// was [read](Kernels::kernel).
    ///
    /// # Panics
    /// When it was not.
    pub fn execute(&mut self, dispatch: &Dispatch) {
        let Shader { module, .. } = &dispatch.shader;
        let (kernel, open) = (self.read[&dispatch.shader].clone(), &self.open[&dispatch.shader]);
        match kernel.defects_of((dispatch, self.modules), &memory_of(open)) {
            Ok(defects) => self.findings.extend(defects.iter().map(|defect| format!("{module}: {defect}"))),
            Err(error) => {
                let perhaps = |defect| format!("{module}: perhaps {defect}: it cannot be executed, for {error}");
                self.findings.extend(open.iter().map(perhaps));
            }
        }
        if !self.executed.iter().any(|known| known.shader == dispatch.shader) {
            // Two workgroups meet as many do.
            let few = Dispatch { groups: dispatch.groups.map(|along| along.min(2)), ..dispatch.clone() };
            self.change(&dispatch.shader, &kernel, &open.clone(), Some(&few));
        }
        self.executed.insert(dispatch.clone());
    }

    /// Tries each change of a kernel whose intact text leaves these defects open: by the text of the changed one, or if
    /// that cannot tell, by executing a dispatch.
    fn change(&mut self, shader: &Shader, kernel: &Kernel, open: &BTreeSet<Defect>, dispatch: Option<&Dispatch>) {
        let mut known: HashMap<(String, Vec<u32>), Option<String>> = HashMap::new();
        for mutant in kernel.mutants() {
            let found = match Kernel::read(&mutant.words, &shader.constants, self.modules) {
                Err(error) => Some(error.to_string()),
                Ok(changed) => {
                    let defects = changed.defects();
                    let divergent = |nth| kernel.is_common(nth) && !changed.is_common(nth);
                    let new = || defects.difference(open).next().map(ToString::to_string);
                    match (mutant.divergent, dispatch) {
                        (Some(nth), _) if divergent(nth) => Some(Defect::Divergent(nth).to_string()),
                        (_, Some(dispatch)) => known
                            .entry((mutant.place.clone(), changed.effects()))
                            .or_insert_with(|| {
                                let found = changed.defects_of((dispatch, self.modules), &memory_of(&defects));
                                found.map_or_else(|error| Some(error.to_string()), |of| Some(of.first()?.to_string()))
                            })
                            .clone(),
                        (_, None) => new(),
                    }
                }
            };
            let (module, explained) = (shader.module.clone(), mutant.explained.filter(|_| found.is_none()));
            self.mutants.insert(KernelMutant { module, place: mutant.place, change: mutant.change, found, explained });
        }
    }

    /// The kernels that may have defects by what their text shows: their dispatches decide.
    pub fn open(&self) -> impl Iterator<Item = &Shader> {
        self.open.keys()
    }

    /// Adds what was found in others.
    pub fn extend(&mut self, other: Kernels<'_>) {
        self.read.extend(other.read);
        self.open.extend(other.open);
        self.findings.extend(other.findings);
        self.mutants.extend(other.mutants);
    }

    /// Modules that were analyzed.
    pub fn modules(&self) -> BTreeSet<&str> {
        self.read.keys().map(|shader| shader.module.as_str()).collect()
    }

    fn compare(&mut self, bound: &BoundShader, declared: &BTreeMap<Resource, Access>) {
        let BoundShader { pass, shader, aliases } = bound;
        let module = &shader.module;
        let kernel = match self.kernel(shader) {
            Ok(kernel) => kernel,
            Err(error) => {
                self.findings.insert(format!("{module} cannot be analyzed: {error}"));
                return;
            }
        };
        let resource = |name| aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, resource)| *resource);
        let mut used: BTreeMap<Resource, (bool, bool)> = BTreeMap::new();
        for (name, (reads, writes)) in kernel.uses() {
            let of = used.entry(resource(name)).or_default();
            *of = (of.0 || reads, of.1 || writes);
        }
        let names: BTreeSet<Resource> = used.keys().copied().chain(declared.keys().copied()).collect();
        for name in names {
            let (reads, writes) = used.get(&name).copied().unwrap_or_default();
            let access = declared.get(&name).copied().unwrap_or_default();
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

    /// The kernel of a shader; when it is read first, it is searched for defects.
    ///
    /// # Errors
    /// What of it cannot be analyzed.
    pub fn kernel(&mut self, shader: &Shader) -> Result<Arc<Kernel>, Error> {
        if let Some(known) = self.read.get(shader) {
            return Ok(known.clone());
        }
        let words = self.modules.words(&shader.module).ok_or(Error::NoModule)?;
        let kernel = Arc::new(Kernel::read(&words, &shader.constants, self.modules)?);
        self.read.insert(shader.clone(), kernel.clone());
        self.defects(shader, &kernel);
        Ok(kernel)
    }

    fn defects(&mut self, shader: &Shader, kernel: &Kernel) {
        let open = kernel.defects();
        if open.is_empty() {
            self.change(shader, kernel, &open, None);
        } else {
            // Its dispatches tell, also about its barriers.
            self.open.insert(shader.clone(), open);
        }
    }
}

/// The memory that these are about.
fn memory_of(defects: &BTreeSet<Defect>) -> Vec<Memory> {
    let all: BTreeSet<&Memory> = defects.iter().filter_map(Defect::memory).collect();
    all.into_iter().cloned().collect()
}

/// What the pass declares of buffers and images that shaders of this stage access.
fn declared(journal: &Journal, pass: &str, stage: Stage) -> BTreeMap<Resource, Access> {
    let mut declared = BTreeMap::new();
    let uses = journal.passes().filter(|entry| entry.name == pass).flat_map(|entry| &entry.uses);
    for of in uses.filter(|of| of.stage.intersects(stage)) {
        *declared.entry(of.resource).or_insert(Access::NONE) |= of.access;
    }
    declared
}
