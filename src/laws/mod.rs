//! The laws on the host, and how boids move. One file each, as under `glsl/laws/` and `glsl/include/`.
//!
//! Each is written once, for any [`Lane`](lanes::Lane). [`cpu`](crate::cpu) uses them with eight and sixteen lanes in
//! single precision, the twins of [`reference`](crate::reference) with one in double precision. An error here would be
//! in both, so tests compare the laws with values computed by hand (`tests/reference/`).

pub mod bounce;
pub mod closest;
pub mod cursor;
pub mod heading;
pub mod lanes;
pub mod law;
pub mod manners;
mod mesh_surface;
pub mod motion;
pub mod obstacles;
pub mod probe;
pub mod reynolds;
pub mod steering;
pub mod sums;
pub mod targets;
pub mod three_radius;
pub mod vectors;
pub mod walls;
pub mod zones;

pub use law::{Law, Own};
pub use motion::{Influences, Wish};
pub use sums::Sums;
pub use vectors::{Boids, Felt, Neighbors, V3};

/// Passes the list of all laws to the macro `$use`, after `$arguments`.
macro_rules! for_laws {
    ($use:ident! $arguments:tt) => {
        $crate::laws::$use! { $arguments
            Heading heading,
            ThreeRadius three_radius,
            Cursor cursor,
            Reynolds reynolds,
            Bounce bounce,
            Zones zones,
            Probe probe,
        }
    };
}

/// Evaluates `$work` with the type `$name` for `$law`.
macro_rules! with_law {
    ($law:expr, $name:ident => $work:expr) => {
        $crate::laws::for_laws!(match_law! ($law, $name => $work))
    };
}

macro_rules! match_law {
    (($law:expr, $type:ident => $work:expr) $($name:ident $module:ident,)*) => {
        match $law {
            $($crate::flock::Law::$name => {
                type $type = $crate::laws::$module::$name;
                $work
            })*
        }
    };
}

macro_rules! counts_of_sums {
    (() $($name:ident $module:ident,)*) => {
        &[$(<<$module::$name as Law>::Sums<lanes::Double> as Sums<lanes::Double>>::COUNT),*]
    };
}

use counts_of_sums;
pub(crate) use {for_laws, match_law, with_law};

/// The most numbers that any law sums over the neighbors.
pub const MOST_SUMS: usize = {
    let counts: &[usize] = for_laws!(counts_of_sums!());
    let (mut most, mut law) = (0, 0);
    while law < counts.len() {
        most = if counts[law] > most { counts[law] } else { most };
        law += 1;
    }
    most
};
