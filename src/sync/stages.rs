//! The logical order of the pipeline stages that a frame uses.

use crate::vk::{Access, Stage};

/// A bit for the presentation engine, which is not part of the queue. No stage of Vulkan uses it.
pub const DISPLAY: Stage = Stage::from_raw(1 << 63);

/// A bit for the presentation engine's access to an image. No access of Vulkan uses it.
pub const DISPLAY_READ: Access = Access::from_raw(1 << 63);

/// Every stage of a queue.
pub const ALL: Stage = Stage::ALL_COMMANDS;

/// Every access.
pub const MEMORY: Access = Access::from_raw(Access::MEMORY_READ.as_raw() | Access::MEMORY_WRITE.as_raw());

/// The stages of a draw, in order.
const GRAPHICS: [Stage; 8] = [
    Stage::DRAW_INDIRECT,
    Stage::INDEX_INPUT,
    Stage::VERTEX_ATTRIBUTE_INPUT,
    Stage::VERTEX_SHADER,
    Stage::EARLY_FRAGMENT_TESTS,
    Stage::FRAGMENT_SHADER,
    Stage::LATE_FRAGMENT_TESTS,
    Stage::COLOR_ATTACHMENT_OUTPUT,
];

/// The stages of a dispatch, in order.
const COMPUTE: [Stage; 2] = [Stage::DRAW_INDIRECT, Stage::COMPUTE_SHADER];

/// The stages of everything else.
const ALONE: [Stage; 2] = [Stage::CLEAR, Stage::COPY];

/// The first synchronization scope of a source stage mask: the stages and those logically earlier.
pub fn and_earlier(mask: Stage) -> Stage {
    expand(mask, |pipeline, at| &pipeline[..=at])
}

/// The second synchronization scope of a destination stage mask: the stages and those logically later.
pub fn and_later(mask: Stage) -> Stage {
    expand(mask, |pipeline, at| &pipeline[at..])
}

fn expand(mask: Stage, part: fn(&[Stage], usize) -> &[Stage]) -> Stage {
    let mut all = each(mask);
    for pipeline in [&GRAPHICS[..], &COMPUTE[..]] {
        for (at, stage) in pipeline.iter().enumerate() {
            if mask.intersects(*stage) {
                all = part(pipeline, at).iter().fold(all, |all, stage| all | *stage);
            }
        }
    }
    all
}

/// The mask, with each stage added if it contains [`ALL`].
pub fn each(mask: Stage) -> Stage {
    if !mask.contains(ALL) {
        return mask;
    }
    GRAPHICS.iter().chain(&COMPUTE).chain(&ALONE).fold(mask, |all, stage| all | *stage)
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
}
