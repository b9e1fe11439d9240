//! The narrowest masks with which a dependency is sufficient.
//!
//! A bit may be needed and still be wide: a first scope of `COLOR_ATTACHMENT_OUTPUT` also includes all stages before
//! it, and `ALL_COMMANDS` stands for all of them. So each mask is first expanded into all that it reaches; then each
//! stage and access is taken away, the widest first, unless a frame needs it.

use crate::{Conflict, DependencyEntry, Journal, MaskBit, Masks, check, stages};

/// What a dependency needs of its masks.
#[derive(Clone, Debug, PartialEq)]
pub struct Width {
    /// The dependency.
    pub name: &'static str,
    /// Its masks as recorded. A dependency whose masks depend on the frame has one for each.
    pub recorded: Masks,
    /// The narrowest that are sufficient.
    pub needed: Masks,
    /// For each bit of these, a conflict that appears without it.
    pub decided_by: Vec<(MaskBit, Conflict)>,
}

impl Width {
    /// Whether the masks have only what they need.
    pub fn is_exact(&self) -> bool {
        self.recorded == self.needed
    }
}

/// The width of each dependency in all of these frames, each of a kind submitted in sequence.
pub fn widths(kinds: &[Vec<Journal>]) -> Vec<Width> {
    let mut with: Vec<((&'static str, Masks), Vec<usize>)> = Vec::new();
    for (at, frames) in kinds.iter().enumerate() {
        for dependency in frames.iter().flat_map(Journal::dependencies).filter(|dependency| !dependency.omitted) {
            let key = (dependency.name, dependency.masks);
            match with.iter_mut().find(|(known, _)| *known == key) {
                Some((_, kinds)) if kinds.last() == Some(&at) => {}
                Some((_, kinds)) => kinds.push(at),
                None => with.push((key, vec![at])),
            }
        }
    }
    let frames = |at: Vec<usize>| at.into_iter().map(|at| &kinds[at][..]).collect();
    with.into_iter().map(|((name, recorded), at)| width(name, recorded, frames(at))).collect()
}

fn width(name: &'static str, recorded: Masks, mut kinds: Vec<&[Journal]>) -> Width {
    let single = Masks {
        src_stage: stages::single(stages::and_earlier(recorded.src_stage)),
        src_access: stages::single_access(recorded.src_access),
        dst_stage: stages::single(stages::and_later(recorded.dst_stage)),
        dst_access: stages::single_access(recorded.dst_access),
    };
    let mut needed = single;
    let mut decided_by = Vec::new();
    for bit in widest_first(&single) {
        let narrower = taken(needed, bit);
        // The kind that decided about the last bit probably decides about this one too.
        let decides = kinds.iter().enumerate().find_map(|(at, frames)| {
            let found = check(&with_masks(frames, (name, recorded), narrower));
            found.into_iter().min_by_key(|conflict| (!conflict.direct, conflict.across_frames)).map(|found| (at, found))
        });
        match decides {
            Some((at, conflict)) => {
                kinds.swap(0, at);
                decided_by.push((bit, conflict));
            }
            None => needed = narrower,
        }
    }
    Width { name, recorded, needed, decided_by }
}

/// Each bit: of the first scope's stages the latest first, which include the earlier ones; of the second scope's, the
/// earliest.
fn widest_first(masks: &Masks) -> Vec<MaskBit> {
    let mut bits = masks.bits();
    let rank = |bit: &MaskBit| match *bit {
        MaskBit::SourceStage(stage) => (0, stages::and_earlier(stage).as_raw().count_ones()),
        MaskBit::DestinationStage(stage) => (1, stages::and_later(stage).as_raw().count_ones()),
        MaskBit::SourceAccess(_) => (2, 0),
        MaskBit::DestinationAccess(_) => (3, 0),
    };
    bits.sort_by_key(|bit| (rank(bit).0, std::cmp::Reverse(rank(bit).1)));
    bits
}

/// These masks without `bit`.
fn taken(masks: Masks, bit: MaskBit) -> Masks {
    match bit {
        MaskBit::SourceStage(stage) => Masks { src_stage: masks.src_stage & !stage, ..masks },
        MaskBit::SourceAccess(access) => Masks { src_access: masks.src_access & !access, ..masks },
        MaskBit::DestinationStage(stage) => Masks { dst_stage: masks.dst_stage & !stage, ..masks },
        MaskBit::DestinationAccess(access) => Masks { dst_access: masks.dst_access & !access, ..masks },
    }
}

fn with_masks(frames: &[Journal], key: (&'static str, Masks), masks: Masks) -> Vec<Journal> {
    let changed = |dependency: &mut DependencyEntry| {
        if (dependency.name, dependency.masks) == key {
            dependency.masks = masks;
        }
    };
    frames.iter().map(|frame| frame.changed(changed)).collect()
}

/// What masks have that `needed` have not, as single stages and accesses or as the group that was named.
pub fn excess(width: &Width) -> Vec<MaskBit> {
    let Width { recorded, needed, .. } = width;
    let kept = needed.bits();
    recorded.bits().into_iter().filter(|bit| !kept.contains(bit)).collect()
}
