//! The pipeline stages that a frame uses: their logical order, and the masks that stand for several stages or accesses.

use crate::{Access, Stage};

/// A bit for the presentation engine, which is not part of the queue. No stage of Vulkan uses it.
pub const DISPLAY: Stage = Stage::from_raw(1 << 63);

/// A bit for the presentation engine's access to an image. No access of Vulkan uses it.
pub const DISPLAY_READ: Access = Access::from_raw(1 << 63);

/// A bit for layout transitions, which belong to no stage. No stage of Vulkan uses it.
pub const TRANSITION: Stage = Stage::from_raw(1 << 62);

/// Every stage of a queue. The host is none of them.
pub const ALL: Stage = Stage::ALL_COMMANDS;

/// Every access.
pub const MEMORY: Access = Access::from_raw(Access::MEMORY_READ.as_raw() | Access::MEMORY_WRITE.as_raw());

/// The stages of a draw, in order.
const GRAPHICS: [Stage; 11] = [
    Stage::DRAW_INDIRECT,
    Stage::INDEX_INPUT,
    Stage::VERTEX_ATTRIBUTE_INPUT,
    Stage::VERTEX_SHADER,
    Stage::TESSELLATION_CONTROL_SHADER,
    Stage::TESSELLATION_EVALUATION_SHADER,
    Stage::GEOMETRY_SHADER,
    Stage::EARLY_FRAGMENT_TESTS,
    Stage::FRAGMENT_SHADER,
    Stage::LATE_FRAGMENT_TESTS,
    Stage::COLOR_ATTACHMENT_OUTPUT,
];

/// The stages of a dispatch, in order.
const COMPUTE: [Stage; 2] = [Stage::DRAW_INDIRECT, Stage::COMPUTE_SHADER];

/// The stages of copies and clears.
const TRANSFERS: [Stage; 4] = [Stage::COPY, Stage::BLIT, Stage::RESOLVE, Stage::CLEAR];

/// Masks that stand for several stages, and these (table "Supported Pipeline Stages" and the descriptions of
/// `VkPipelineStageFlagBits2`).
const GROUPS: [(Stage, &[&[Stage]]); 5] = [
    (Stage::ALL_COMMANDS, &[&GRAPHICS, &COMPUTE, &TRANSFERS]),
    (Stage::ALL_GRAPHICS, &[&GRAPHICS]),
    (Stage::ALL_TRANSFER, &[&TRANSFERS]),
    (Stage::VERTEX_INPUT, &[&[Stage::INDEX_INPUT, Stage::VERTEX_ATTRIBUTE_INPUT]]),
    (
        Stage::PRE_RASTERIZATION_SHADERS,
        &[&[
            Stage::VERTEX_SHADER,
            Stage::TESSELLATION_CONTROL_SHADER,
            Stage::TESSELLATION_EVALUATION_SHADER,
            Stage::GEOMETRY_SHADER,
        ]],
    ),
];

/// The accesses that read, and those that write, of those that the specification's `MEMORY_READ` and `MEMORY_WRITE`
/// stand for.
const READS: [Access; 12] = [
    Access::INDIRECT_COMMAND_READ,
    Access::INDEX_READ,
    Access::VERTEX_ATTRIBUTE_READ,
    Access::UNIFORM_READ,
    Access::INPUT_ATTACHMENT_READ,
    Access::COLOR_ATTACHMENT_READ,
    Access::DEPTH_STENCIL_ATTACHMENT_READ,
    Access::TRANSFER_READ,
    Access::HOST_READ,
    Access::SHADER_SAMPLED_READ,
    Access::SHADER_STORAGE_READ,
    DISPLAY_READ,
];
const WRITES: [Access; 5] = [
    Access::COLOR_ATTACHMENT_WRITE,
    Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
    Access::TRANSFER_WRITE,
    Access::HOST_WRITE,
    Access::SHADER_STORAGE_WRITE,
];

/// Masks that stand for several accesses, and these (`VkAccessFlagBits2`). Some older texts of the specification count
/// reads of uniform buffers among those of `SHADER_READ`, newer ones do not.
const ACCESS_GROUPS: [(Access, &[Access]); 4] = [
    (Access::MEMORY_READ, &READS),
    (Access::MEMORY_WRITE, &WRITES),
    (Access::SHADER_READ, &[Access::SHADER_SAMPLED_READ, Access::SHADER_STORAGE_READ]),
    (Access::SHADER_WRITE, &[Access::SHADER_STORAGE_WRITE]),
];

/// The accesses that write.
pub fn writes() -> Access {
    WRITES.iter().fold(Access::NONE, |all, access| all | *access)
}

/// The first synchronization scope of a source stage mask: the stages and those logically earlier.
pub fn and_earlier(mask: Stage) -> Stage {
    expand(of_ends(mask, Stage::BOTTOM_OF_PIPE), |pipeline, at| &pipeline[..=at])
}

/// The second synchronization scope of a destination stage mask: the stages and those logically later.
pub fn and_later(mask: Stage) -> Stage {
    expand(of_ends(mask, Stage::TOP_OF_PIPE), |pipeline, at| &pipeline[at..])
}

/// `TOP_OF_PIPE` is no stage in a first scope and every stage in a second one; `BOTTOM_OF_PIPE` the reverse.
fn of_ends(mask: Stage, every: Stage) -> Stage {
    let ends = Stage::TOP_OF_PIPE | Stage::BOTTOM_OF_PIPE;
    (mask & !ends) | if mask.intersects(every) { ALL } else { Stage::NONE }
}

fn expand(mask: Stage, part: fn(&[Stage], usize) -> &[Stage]) -> Stage {
    let mut all = each(mask);
    let given = all;
    for pipeline in [&GRAPHICS[..], &COMPUTE[..]] {
        for (at, stage) in pipeline.iter().enumerate() {
            if given.intersects(*stage) {
                all = part(pipeline, at).iter().fold(all, |all, stage| all | *stage);
            }
        }
    }
    all
}

/// The mask, with each stage added that a bit of it stands for.
pub fn each(mask: Stage) -> Stage {
    let groups = GROUPS.iter().filter(|(group, _)| mask.intersects(*group));
    groups.flat_map(|(_, lists)| lists.iter().copied().flatten()).fold(mask, |all, stage| all | *stage)
}

/// The mask, with each access added that a bit of it stands for.
pub fn each_access(mask: Access) -> Access {
    let groups = ACCESS_GROUPS.iter().filter(|(group, _)| mask.intersects(*group));
    groups.flat_map(|(_, list)| list.iter()).fold(mask, |all, access| all | *access)
}

/// The mask, with each access added that stands for one of it and others.
pub fn and_groups(mask: Access) -> Access {
    let groups = ACCESS_GROUPS.iter().filter(|(_, list)| list.iter().any(|access| mask.intersects(*access)));
    groups.fold(mask, |all, (group, _)| all | *group)
}

/// The single stages of a mask, without the groups.
pub fn single(mask: Stage) -> Stage {
    let groups = GROUPS.iter().fold(Stage::TOP_OF_PIPE | Stage::BOTTOM_OF_PIPE, |all, (group, _)| all | *group);
    each(mask) & !groups
}

/// The single accesses of a mask, without the groups.
pub fn single_access(mask: Access) -> Access {
    let groups = ACCESS_GROUPS.iter().fold(Access::NONE, |all, (group, _)| all | *group);
    each_access(mask) & !groups & !DISPLAY_READ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_reach_along_the_pipeline() {
        assert_eq!(and_earlier(Stage::COPY), Stage::COPY);
        assert_eq!(and_earlier(Stage::COMPUTE_SHADER), Stage::COMPUTE_SHADER | Stage::DRAW_INDIRECT);
        assert!(and_earlier(Stage::VERTEX_SHADER).contains(Stage::DRAW_INDIRECT | Stage::INDEX_INPUT));
        assert!(!and_earlier(Stage::VERTEX_SHADER).intersects(Stage::FRAGMENT_SHADER));
        assert!(and_later(Stage::DRAW_INDIRECT).contains(Stage::COMPUTE_SHADER | Stage::COLOR_ATTACHMENT_OUTPUT));
        assert_eq!(and_later(Stage::COLOR_ATTACHMENT_OUTPUT), Stage::COLOR_ATTACHMENT_OUTPUT);
        assert!(and_earlier(ALL).contains(Stage::CLEAR | Stage::COPY | Stage::COLOR_ATTACHMENT_OUTPUT));
        assert_eq!(and_later(Stage::NONE), Stage::NONE);
    }

    #[test]
    fn groups_stand_for_their_stages_and_accesses() {
        assert!(each(Stage::ALL_GRAPHICS).contains(Stage::VERTEX_SHADER | Stage::COLOR_ATTACHMENT_OUTPUT));
        assert!(!each(Stage::ALL_GRAPHICS).intersects(Stage::COMPUTE_SHADER | Stage::COPY));
        assert!(each(Stage::ALL_TRANSFER).contains(Stage::CLEAR | Stage::COPY));
        assert!(!each(ALL).intersects(Stage::HOST), "the host is no stage of a queue");
        assert_eq!(and_earlier(Stage::TOP_OF_PIPE), Stage::NONE);
        assert_eq!(and_later(Stage::BOTTOM_OF_PIPE), Stage::NONE);
        assert!(and_earlier(Stage::BOTTOM_OF_PIPE).contains(Stage::COMPUTE_SHADER));
        assert!(and_later(Stage::TOP_OF_PIPE).contains(Stage::COPY));
        assert!(each_access(Access::SHADER_READ).contains(Access::SHADER_STORAGE_READ | Access::SHADER_SAMPLED_READ));
        assert!(!each_access(Access::SHADER_READ).intersects(Access::UNIFORM_READ));
        assert!(each_access(Access::MEMORY_READ).contains(Access::HOST_READ));
        assert!(!each_access(Access::MEMORY_READ).intersects(Access::SHADER_STORAGE_WRITE));
        assert!(each_access(Access::MEMORY_WRITE).contains(Access::TRANSFER_WRITE));
        assert_eq!(single(Stage::VERTEX_INPUT), Stage::INDEX_INPUT | Stage::VERTEX_ATTRIBUTE_INPUT);
        assert_eq!(single_access(Access::SHADER_WRITE), Access::SHADER_STORAGE_WRITE);
    }
}
