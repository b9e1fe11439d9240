//! How many boids of a picture are drawn at each level of detail.

use rayon::prelude::*;
use starlings::flock::BoidState;
use starlings::offscreen::Offscreen;
use starlings::reference::cull::{Fate, fate};
use starlings::reference::pose::Pose;
use starlings::render::View;

/// Boids by how `cull` has them drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// As the full mesh, by the rasterizer.
    pub near: u64,
    /// As the coarse mesh, by `cull`.
    pub small: u64,
    /// As points.
    pub points: u64,
    /// Outside of the picture, or too far away to cover a sample.
    pub hidden: u64,
}

impl Levels {
    /// Those of a picture of the flock of `offscreen`, in `state`, as the twin of `cull` finds them.
    pub fn of(offscreen: &Offscreen, view: &View, state: &BoidState) -> Levels {
        let (scene, figure) = (offscreen.scene(), offscreen.scene().figure());
        let params = scene.params(offscreen.flock(), view);
        let one = |boid| match fate(&params, &figure.far, &Pose::new(&params, figure.pose, state, boid, None)) {
            Fate::Near(_) => Levels { near: 1, ..Levels::default() },
            Fate::Small => Levels { small: 1, ..Levels::default() },
            Fate::Point(_) => Levels { points: 1, ..Levels::default() },
            Fate::Hidden => Levels { hidden: 1, ..Levels::default() },
        };
        (0..state.len()).into_par_iter().map(one).reduce(Levels::default, |a, b| Levels {
            near: a.near + b.near,
            small: a.small + b.small,
            points: a.points + b.points,
            hidden: a.hidden + b.hidden,
        })
    }
}
