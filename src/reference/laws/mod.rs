//! Twins of the laws under `glsl/laws/`, one file each.

pub mod bounce;
pub mod counting_sort;
pub mod cursor;
pub mod probe;
pub mod reynolds;
pub mod three_radius;

use super::searches::Search;
use super::steer::{self, Boid};
use crate::flock::layout::StepParams;
use crate::flock::{BoidState, Law};

/// `$work`, in which the type `$twin` stands for the twin of `$law`.
macro_rules! with_law {
    ($law:expr, $twin:ident => $work:expr) => {
        $crate::reference::laws::with_law!(@each $law, $twin => $work,
            CountingSort counting_sort,
            ThreeRadius three_radius,
            Cursor cursor,
            Reynolds reynolds,
            Bounce bounce,
            Probe probe,
        )
    };
    (@each $law:expr, $twin:ident => $work:expr, $($name:ident $module:ident,)*) => {
        match $law {
            $($crate::flock::Law::$name => {
                type $twin = $crate::reference::laws::$module::$name;
                $work
            })*
        }
    };
}
pub(crate) use with_law;

/// All boids after a step of `law`.
pub fn steer(law: Law, params: &StepParams, flock: &BoidState, search: &impl Search) -> Vec<Boid> {
    with_law!(law, Twin => steer::steer::<Twin>(params, flock, search))
}
