//! Folding of workgroups into the two dimensions of a dispatch, and splitting of a long dispatch into several.

use crate::limits::MAX_GROUPS_PER_DIMENSION;

/// Splits a number of workgroups into two dimensions, each within Vulkan's guaranteed limit: at most 65,535² of them.
pub(super) fn fold_groups(groups: u64) -> (u32, u32) {
    let limit = u64::from(MAX_GROUPS_PER_DIMENSION);
    let rows = groups.div_ceil(limit).max(1);
    let columns = groups.div_ceil(rows);
    debug_assert!(rows <= limit, "{groups} workgroups do not fit two dimensions");
    (columns as u32, rows as u32)
}

/// A range of the rows that workgroups are folded into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) first_row: u32,
    pub(super) rows: u32,
    /// The same for all slices: kernels compute workgroup numbers from it.
    pub(super) columns: u32,
}

/// Splits a number of workgroups into dispatches of at most `most`, or of more if that would take over 65,535
/// dispatches.
pub(super) fn slices(groups: u64, most: u64) -> impl Iterator<Item = Slice> {
    let limit = u64::from(MAX_GROUPS_PER_DIMENSION);
    let columns = most.clamp(groups.div_ceil(limit).max(1), limit);
    let all_rows = groups.div_ceil(columns);
    let rows = (most / columns).max(1);
    (0..all_rows).step_by(rows as usize).map(move |first_row| Slice {
        first_row: first_row as u32,
        rows: rows.min(all_rows - first_row) as u32,
        columns: columns as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slices_follow_upon_each_other_and_are_no_longer_than_said(groups in 1u64..1 << 23, most in 1u64..1 << 24) {
            let all: Vec<Slice> = slices(groups, most).collect();
            let mut row = 0;
            for slice in &all {
                prop_assert_eq!(slice.first_row, row);
                row += slice.rows;
                let size = u64::from(slice.rows) * u64::from(slice.columns);
                prop_assert!(size <= most.max(groups.div_ceil(u64::from(MAX_GROUPS_PER_DIMENSION))), "{:?}", slice);
            }
            prop_assert!(row <= MAX_GROUPS_PER_DIMENSION && all[0].columns <= MAX_GROUPS_PER_DIMENSION);
            let covered = u64::from(row) * u64::from(all[0].columns);
            prop_assert!(covered >= groups && covered - groups < u64::from(all[0].columns));
        }

        #[test]
        fn folded_groups_cover_all_and_waste_less_than_a_row(
            groups in 0..=u64::from(MAX_GROUPS_PER_DIMENSION).pow(2)
        ) {
            let (x, y) = fold_groups(groups);
            prop_assert!(x <= MAX_GROUPS_PER_DIMENSION && y <= MAX_GROUPS_PER_DIMENSION);
            let covered = u64::from(x) * u64::from(y);
            prop_assert!(covered >= groups && covered - groups < u64::from(y));
        }
    }
}
