//! Deliberate faults in a frame's synchronization, to show the effect of each dependency.

use crate::{Access, Dependency, Masks, Stage, stages};

/// A fault that a recorder adds to its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Leaves out the dependency of this name.
    Omit(String),
    /// Removes one bit from a mask of the dependency of this name.
    Weaken(String, MaskBit),
    /// Gives the dependency of this name other masks.
    Replace(String, Masks),
    /// Records the dependency of this name by an event that is set and waited for in its place, if the slot has one
    /// left.
    Event(String),
    /// Adds a dependency before every pass of this name, which must not be inside a rendering.
    Plant {
        /// The pass.
        before: String,
        /// The dependency.
        dependency: Dependency,
    },
}

/// One bit of one of the four masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskBit {
    /// Of the stages that must finish first.
    SourceStage(Stage),
    /// Of the accesses that become available.
    SourceAccess(Access),
    /// Of the stages that wait.
    DestinationStage(Stage),
    /// Of the accesses to which writes become visible.
    DestinationAccess(Access),
}

impl Fault {
    /// The remaining masks of the dependency `name`; `None` if it is left out.
    pub fn apply(&self, name: &str, masks: Masks) -> Option<Masks> {
        match self {
            Fault::Omit(wanted) if wanted == name => None,
            Fault::Weaken(wanted, bit) if wanted == name => Some(masks.without(*bit)),
            Fault::Replace(wanted, other) if wanted == name => Some(*other),
            _ => Some(masks),
        }
    }
}

impl Masks {
    /// Every bit of the four masks.
    pub fn bits(&self) -> Vec<MaskBit> {
        let each = |raw: u64| (0..64).map(|bit| 1u64 << bit).filter(move |bit| raw & bit != 0);
        let stage = |raw| each(raw).map(Stage::from_raw);
        let access = |raw| each(raw).map(Access::from_raw);
        stage(self.src_stage.as_raw())
            .map(MaskBit::SourceStage)
            .chain(access(self.src_access.as_raw()).map(MaskBit::SourceAccess))
            .chain(stage(self.dst_stage.as_raw()).map(MaskBit::DestinationStage))
            .chain(access(self.dst_access.as_raw()).map(MaskBit::DestinationAccess))
            .collect()
    }

    /// These masks without `bit`. With a stage, accesses that no other stage of the mask can perform are removed too.
    #[must_use]
    pub fn without(mut self, bit: MaskBit) -> Masks {
        match bit {
            MaskBit::SourceStage(stage) => {
                self.src_stage &= !stage;
                self.src_access &= accesses_of(self.src_stage);
            }
            MaskBit::SourceAccess(access) => self.src_access &= !access,
            MaskBit::DestinationStage(stage) => {
                self.dst_stage &= !stage;
                self.dst_access &= accesses_of(self.dst_stage);
            }
            MaskBit::DestinationAccess(access) => self.dst_access &= !access,
        }
        self
    }
}

/// The accesses that at least one of these stages can perform (table "Supported Access Types").
fn accesses_of(stages: Stage) -> Access {
    let shader =
        Access::UNIFORM_READ | Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE | Access::SHADER_SAMPLED_READ;
    let transfer = Access::TRANSFER_READ | Access::TRANSFER_WRITE;
    let color = Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE;
    let depth = Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let table = [
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        (Stage::INDEX_INPUT, Access::INDEX_READ),
        (Stage::VERTEX_ATTRIBUTE_INPUT, Access::VERTEX_ATTRIBUTE_READ),
        (stages::each(Stage::PRE_RASTERIZATION_SHADERS), shader),
        (Stage::FRAGMENT_SHADER, shader | Access::INPUT_ATTACHMENT_READ),
        (Stage::COMPUTE_SHADER, shader),
        (Stage::EARLY_FRAGMENT_TESTS, depth),
        (Stage::LATE_FRAGMENT_TESTS, depth),
        (Stage::COLOR_ATTACHMENT_OUTPUT, color),
        (Stage::CLEAR, Access::TRANSFER_WRITE),
        (Stage::COPY | Stage::BLIT | Stage::RESOLVE, transfer),
        (Stage::HOST, Access::HOST_READ | Access::HOST_WRITE),
    ];
    let stages = stages::each(stages);
    let performed = table.iter().filter(|(stage, _)| stages.intersects(*stage));
    let performed = performed.fold(Access::NONE, |all, (_, access)| all | *access);
    stages::and_groups(performed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_takes_along_the_accesses_that_only_it_performs() {
        let masks = Masks {
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
            dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ,
        };
        assert_eq!(masks.bits().len(), 6);
        let weaker = masks.without(MaskBit::DestinationStage(Stage::DRAW_INDIRECT));
        assert_eq!((weaker.dst_stage, weaker.dst_access), (Stage::VERTEX_SHADER, Access::SHADER_STORAGE_READ));
        let weaker = masks.without(MaskBit::SourceStage(Stage::COMPUTE_SHADER));
        assert_eq!((weaker.src_stage, weaker.src_access), (Stage::NONE, Access::NONE));
        let weaker = masks.without(MaskBit::DestinationAccess(Access::SHADER_STORAGE_READ));
        assert_eq!((weaker.dst_stage, weaker.dst_access), (masks.dst_stage, Access::INDIRECT_COMMAND_READ));
        let fault = Fault::Weaken("a".into(), MaskBit::SourceStage(Stage::COMPUTE_SHADER));
        assert_eq!(fault.apply("b", masks), Some(masks));
        assert_eq!(Fault::Omit("a".into()).apply("a", masks), None);
    }
}
