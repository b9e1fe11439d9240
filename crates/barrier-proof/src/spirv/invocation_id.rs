//! Which invocation of a dispatch it is, and what its built-in variables are.

use super::plan::{ANYTHING, Value};
use super::ranges::Range;
use spirv::BuiltIn;

/// Which invocation it is.
#[derive(Clone, Copy)]
pub struct InvocationId {
    pub group: [u32; 3],
    pub groups: [u32; 3],
    /// Its index in its workgroup.
    pub local: u32,
    /// Invocations of a workgroup.
    pub size: [u32; 3],
    pub subgroup: u32,
}

/// The coordinates of what has this index in an array of these sizes, x fastest.
pub fn of_index(index: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [index % x, index / x % y, index / (x * y)]
}

impl InvocationId {
    /// Of all invocations of the dispatch.
    pub fn number(&self) -> u64 {
        let ([x, y, z], [columns, rows, _]) = (self.group.map(u64::from), self.groups.map(u64::from));
        let size: u32 = self.size.iter().product();
        ((z * rows + y) * columns + x) * u64::from(size) + u64::from(self.local)
    }

    /// The value of a built-in variable.
    pub fn built_in(&self, of_which: BuiltIn) -> Value {
        let InvocationId { group, groups, local, size, subgroup } = *self;
        let (invocations, within) = (size.iter().product::<u32>(), of_index(local, size));
        let of = |values: [u32; 3]| values.map(|value| Range::of(value.into()));
        let [a, b, c] = match of_which {
            BuiltIn::NumWorkgroups => of(groups),
            BuiltIn::WorkgroupSize => of(size),
            BuiltIn::WorkgroupId => of(group),
            BuiltIn::LocalInvocationId => of(within),
            BuiltIn::GlobalInvocationId => of(std::array::from_fn(|axis| group[axis] * size[axis] + within[axis])),
            BuiltIn::LocalInvocationIndex => of([local, 0, 0]),
            BuiltIn::SubgroupSize => of([subgroup, 0, 0]),
            BuiltIn::NumSubgroups => of([invocations.div_ceil(subgroup), 0, 0]),
            BuiltIn::SubgroupId => of([local / subgroup, 0, 0]),
            BuiltIn::SubgroupLocalInvocationId => of([local % subgroup, 0, 0]),
            _ => return ANYTHING,
        };
        [a, b, c, Range::of(0)]
    }
}
