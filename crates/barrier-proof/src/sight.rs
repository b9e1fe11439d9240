//! Which kinds of faults a proof looks for, with which of its judges, and which it does not look for.

use std::fmt;

/// What looks at a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judge {
    /// Synchronization validation, while the frames run.
    Layer,
    /// The rules of the memory model, on journals.
    Checker,
    /// The narrowest masks, and what relies on what.
    Masks,
    /// The rules for what the host does.
    Host,
    /// The SPIR-V of the kernels.
    Kernels,
}

/// A kind of fault.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    /// The kind.
    pub fault: &'static str,
    /// What finds it; nothing if it is not looked for.
    pub judges: &'static [Judge],
}

impl fmt::Display for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Judge::Layer => "layer",
            Judge::Checker => "checker",
            Judge::Masks => "masks",
            Judge::Host => "host",
            Judge::Kernels => "kernels",
        })
    }
}

const fn found(fault: &'static str, judges: &'static [Judge]) -> Sight {
    Sight { fault, judges }
}

const fn unseen(fault: &'static str) -> Sight {
    Sight { fault, judges: &[] }
}

/// Every kind. `tests/sight.rs` plants each.
pub const SIGHT: &[Sight] = &[
    found("a hazard between commands, of one frame or of several in flight", &[Judge::Layer, Judge::Checker]),
    found("an image in a layout that its access does not allow", &[Judge::Checker]),
    found("contents dropped by a transition, or by a rendering that does not load or store them", &[Judge::Checker]),
    found("a copy that is not made visible to the host", &[Judge::Checker]),
    found("a dependency, or a bit of its masks, that is not needed", &[Judge::Checker]),
    found("a mask that is wider than needed", &[Judge::Masks]),
    found("a dependency that relies on another one that it does not name", &[Judge::Masks]),
    found("a command buffer, fence or semaphore that is used too early", &[Judge::Host]),
    found("mapped memory or timestamps that the host accesses while a submission may", &[Judge::Host]),
    found("two resources that are bound to the same memory", &[Judge::Host]),
    found("an access of a shader that its pass does not declare", &[Judge::Kernels]),
    found("a race of invocations on elements that are computed from their numbers", &[Judge::Kernels]),
    found("a scope or semantics of a barrier() or an atomic that is too weak", &[Judge::Kernels]),
    found("a barrier() that not all invocations of a workgroup reach", &[Judge::Kernels]),
    found("an attribute of a barrier() that is not needed", &[Judge::Kernels]),
    unseen("two writes to elements of which memory decides, as after a sort"),
    unseen("a result that is right for one width of subgroups only, without a race"),
    unseen("an element beyond the end of an array"),
    unseen("a copy of a resource that its pass does not name"),
    unseen("several queues, timeline semaphores and transfers of ownership"),
    unseen("an event that is waited for later than it is set"),
    unseen("a layout of a part of an image"),
    unseen("render passes with subpasses"),
    unseen("an invocation that waits for another one by looking at memory"),
];

/// The kinds that no judge looks for.
pub fn unseen_faults() -> impl Iterator<Item = &'static str> {
    SIGHT.iter().filter(|of| of.judges.is_empty()).map(|of| of.fault)
}
