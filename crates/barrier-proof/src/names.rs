//! The specification's names of stages and accesses.

use crate::stages::DISPLAY;
use crate::{Access, MaskBit, Masks, Stage};

/// Names of the stages in a mask, without `VK_PIPELINE_STAGE_2_` and `_BIT`; `NONE` for none.
pub fn stages(mask: Stage) -> Vec<String> {
    bits(mask.as_raw(), |bit| format!("{:?}", Stage::from_raw(bit)))
}

/// Names of the accesses in a mask, without `VK_ACCESS_2_` and `_BIT`; `NONE` for none.
pub fn accesses(mask: Access) -> Vec<String> {
    bits(mask.as_raw(), |bit| format!("{:?}", Access::from_raw(bit)))
}

/// A bit of a mask, as `src stage COPY`.
pub fn bit(bit: MaskBit) -> String {
    match bit {
        MaskBit::SourceStage(bit) => format!("src stage {bit:?}"),
        MaskBit::SourceAccess(bit) => format!("src access {bit:?}"),
        MaskBit::DestinationStage(bit) => format!("dst stage {bit:?}"),
        MaskBit::DestinationAccess(bit) => format!("dst access {bit:?}"),
    }
}

/// The name of a lane of the queue: a stage, or the display.
pub fn lane(stage: Stage) -> String {
    if stage == DISPLAY { "display".to_owned() } else { stages(stage).concat() }
}

/// The first scope of a dependency and its second: stages, then accesses.
pub fn scopes(masks: &Masks) -> (String, String) {
    let scope = |stage, access| format!("{} {}", stages(stage).join("|"), accesses(access).join("|"));
    (scope(masks.src_stage, masks.src_access), scope(masks.dst_stage, masks.dst_access))
}

fn bits(mask: u64, name: impl Fn(u64) -> String) -> Vec<String> {
    let each: Vec<String> = (0..64).map(|bit| 1u64 << bit).filter(|bit| mask & bit != 0).map(name).collect();
    if each.is_empty() { vec!["NONE".to_owned()] } else { each }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Layout;

    #[test]
    fn names_are_those_of_the_specification() {
        assert_eq!(stages(Stage::DRAW_INDIRECT | Stage::CLEAR), ["DRAW_INDIRECT", "CLEAR"]);
        assert_eq!(stages(Stage::NONE), ["NONE"]);
        let both = Access::SHADER_STORAGE_READ | Access::SHADER_STORAGE_WRITE;
        assert_eq!(accesses(both), ["SHADER_STORAGE_READ", "SHADER_STORAGE_WRITE"]);
        assert_eq!(format!("{:?}", Layout::PRESENT_SRC_KHR), "PRESENT_SRC_KHR");
        assert_eq!([lane(DISPLAY), lane(Stage::COPY)], ["display", "COPY"]);
    }
}
