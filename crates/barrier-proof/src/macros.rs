//! Dependencies at their call sites, short: with the specification's own names of stages and accesses.

/// Records a dependency: its name, hazards and guarded resources, the two scopes, the dependencies that it relies on,
/// if any, and the reason.
///
/// ```
/// # use barrier_proof::{Recorder, Resource, barrier};
/// const COUNTS: Resource = Resource::new("counts");
/// fn between_the_kernels(rec: &mut Recorder<'_>) {
///     barrier!(rec, "count-to-reduce", [Raw], [COUNTS],
///         (COMPUTE_SHADER, SHADER_STORAGE_WRITE) => (COMPUTE_SHADER, SHADER_STORAGE_READ),
///         "The reduction reads the counts that the atomics wrote.");
/// }
/// ```
#[macro_export]
macro_rules! barrier {
    ($rec:expr, $($dependency:tt)+) => { $rec.barrier($crate::dependency!($($dependency)+)) };
}

/// Records several dependencies, each in braces as [`barrier!`] has it, as one command: they do not chain with each
/// other.
#[macro_export]
macro_rules! barriers {
    ($rec:expr, $({ $($dependency:tt)+ }),+ $(,)?) => { $rec.barriers(&[$($crate::dependency!($($dependency)+)),+]) };
}

/// A [`Dependency`](crate::Dependency), as [`barrier!`] has it.
#[macro_export]
macro_rules! dependency {
    (
        $name:expr, [$($hazard:ident),*], [$($guard:expr),* $(,)?],
        ($($src_stage:ident)|+, $($src_access:ident)|+) => ($($dst_stage:ident)|+, $($dst_access:ident)|+),
        relies_on [$($other:expr),*], $reason:expr $(,)?
    ) => {
        $crate::Dependency {
            name: $name,
            hazards: &[$($crate::Hazard::$hazard),*],
            guards: const { &[$((&$guard).as_slice()),*] },
            relies_on: &[$($other),*],
            src_stage: $crate::masks!(Stage $($src_stage)|+),
            src_access: $crate::masks!(Access $($src_access)|+),
            dst_stage: $crate::masks!(Stage $($dst_stage)|+),
            dst_access: $crate::masks!(Access $($dst_access)|+),
            reason: $reason,
        }
    };
    ($name:expr, $hazards:tt, $guards:tt, $src:tt => $dst:tt, $reason:expr $(,)?) => {
        $crate::dependency!($name, $hazards, $guards, $src => $dst, relies_on [], $reason)
    };
}

/// Records an image's dependency and layout transition: as [`barrier!`], but with the image in place of guarded
/// resources, and with the layout at the end of each scope.
///
/// ```
/// # use barrier_proof::{ImageRef, Recorder, image_barrier};
/// # fn before_the_draw(rec: &mut Recorder<'_>, picture: ImageRef) {
/// image_barrier!(rec, "copy-to-draw", [Layout, Raw], picture,
///     (COPY, TRANSFER_WRITE, TRANSFER_DST_OPTIMAL)
///         => (FRAGMENT_SHADER, SHADER_SAMPLED_READ, SHADER_READ_ONLY_OPTIMAL),
///     "The fragment shader samples the picture.");
/// # }
/// ```
#[macro_export]
macro_rules! image_barrier {
    (
        $rec:expr, $name:expr, [$($hazard:ident),*], $image:expr,
        ($($src_stage:ident)|+, $($src_access:ident)|+, $old_layout:ident)
            => ($($dst_stage:ident)|+, $($dst_access:ident)|+, $new_layout:ident),
        relies_on [$($other:expr),*], $reason:expr $(,)?
    ) => {
        $rec.image_barrier($crate::ImageDependency {
            name: $name,
            hazards: &[$($crate::Hazard::$hazard),*],
            image: $image,
            relies_on: &[$($other),*],
            src_stage: $crate::masks!(Stage $($src_stage)|+),
            src_access: $crate::masks!(Access $($src_access)|+),
            old_layout: $crate::Layout::$old_layout,
            dst_stage: $crate::masks!(Stage $($dst_stage)|+),
            dst_access: $crate::masks!(Access $($dst_access)|+),
            new_layout: $crate::Layout::$new_layout,
            reason: $reason,
        })
    };
    ($rec:expr, $name:expr, $hazards:tt, $image:expr, $src:tt => $dst:tt, $reason:expr $(,)?) => {
        $crate::image_barrier!($rec, $name, $hazards, $image, $src => $dst, relies_on [], $reason)
    };
}

/// A mask of bits, also in a constant, where `|` of masks is not.
#[doc(hidden)]
#[macro_export]
macro_rules! masks {
    ($mask:ident $($bit:ident)|+) => { $crate::$mask::from_raw($($crate::$mask::$bit.as_raw())|+) };
}

#[cfg(test)]
mod tests {
    use crate::{Access, Dependency, Hazard, Resource, Stage};

    const COUNTS: Resource = Resource::new("counts");
    const SUMS: Resource = Resource::new("sums");

    #[test]
    fn a_short_dependency_says_what_a_long_one_does() {
        const SHORT: Dependency = dependency!(
            "cull-to-draw", [Raw, PreviousFrame], [COUNTS, SUMS],
            (COMPUTE_SHADER, SHADER_STORAGE_WRITE)
                => (DRAW_INDIRECT | VERTEX_SHADER, INDIRECT_COMMAND_READ | SHADER_STORAGE_READ),
            relies_on ["other", "another"], "The draw reads."
        );
        let long = Dependency {
            name: "cull-to-draw",
            hazards: &[Hazard::Raw, Hazard::PreviousFrame],
            guards: &[&[COUNTS], &[SUMS]],
            relies_on: &["other", "another"],
            src_stage: Stage::COMPUTE_SHADER,
            src_access: Access::SHADER_STORAGE_WRITE,
            dst_stage: Stage::DRAW_INDIRECT | Stage::VERTEX_SHADER,
            dst_access: Access::INDIRECT_COMMAND_READ | Access::SHADER_STORAGE_READ,
            reason: "The draw reads.",
        };
        assert_eq!(SHORT, long);
        let order = dependency!("a-to-b", [War], [], (COPY, NONE) => (CLEAR, NONE), "");
        assert_eq!((order.guards, order.relies_on, order.src_access), (&[][..], &[][..], Access::NONE));
    }
}
