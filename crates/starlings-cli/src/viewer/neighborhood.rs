//! What the search of one boid looks at: cells, the boids in them, and those within the search radius.

use glam::{UVec3, Vec3};
use rayon::prelude::*;
use starlings::flock::Settings;
use starlings::flock::grid::{cell_id, cell_of};
use starlings::flock::layout::Grid;
use starlings::flock::manners::Perception;
use starlings::flock::search::GridKind;
use starlings::reference::{self, steer};
use std::ops::Range;

/// Neighbors that are kept, the nearest first.
pub const MOST: usize = 256;

/// Where a boid is and how it moves: a place in world units, and a velocity as the state has it.
pub type Moving = (Vec3, Vec3);

/// A neighbor: its squared distance, itself, and what it is ordered by.
type Near = (f64, Moving, (f32, u32));

#[derive(Clone, Debug, PartialEq)]
pub struct Neighborhood {
    pub id: u32,
    /// The step after which it was like this.
    pub step: u32,
    /// Where it was.
    pub me: Moving,
    /// Its cell; none for a search without a grid.
    pub cell: Option<UVec3>,
    /// The rows of cells that are searched: their lowest and highest corners, in world units.
    pub searched: Vec<[Vec3; 2]>,
    /// Other boids that it is tested against.
    pub tested: usize,
    /// Other boids that it perceives.
    pub within: usize,
    /// The nearest of them; on a torus, their images that are nearest to it.
    pub nearest: Vec<Moving>,
}

impl Neighborhood {
    /// That of the boid at place `at` of the `boids` of a flock of `settings` after `step` steps; `boid` says the
    /// identity of the one at a place.
    pub fn of(
        settings: &Settings,
        at: usize,
        step: u32,
        boids: usize,
        boid: impl Fn(usize) -> (u32, Moving) + Sync,
    ) -> Neighborhood {
        let params = settings.step_params(step);
        let (grid, radius) = (&params.grid, params.rules.search_radius);
        let (id, me) = boid(at);
        let mut cells: Vec<Range<u32>> = Vec::new();
        reference::cells(settings.search, grid, radius, &params.chords, me.0, |range| cells.push(range));
        let everywhere = settings.search.grid() == GridKind::None;
        let squared = f64::from(params.rules.reach()).powi(2);
        let perception = Perception::of(&params);
        let look = |(mut tested, mut near): (usize, Vec<Near>), other: usize| {
            let (its_id, it) = boid(other);
            if other != at {
                let cell = || cell_id(grid, cell_of(grid, it.0));
                tested += usize::from(everywhere || cells.iter().any(|range| range.contains(&cell())));
                let way = steer::way(&params, me.0.as_dvec3(), it.0.as_dvec3());
                let is_noticed = perception.notices(id, its_id);
                if way.length_squared() <= squared && is_noticed && perception.sees(me.1, me.0, it.0) {
                    let key = (perception.squared(me.0, it.0), its_id);
                    let place = if params.torus().is_some() { me.0 + way.as_vec3() } else { it.0 };
                    near.push((way.length_squared(), (place, it.1), key));
                }
            }
            (tested, near)
        };
        let both = |mut a: (usize, Vec<Near>), b: (usize, Vec<Near>)| {
            a.1.extend(b.1);
            (a.0 + b.0, a.1)
        };
        let (tested, mut near) = (0..boids).into_par_iter().fold(Default::default, look).reduce(Default::default, both);
        perception.keep_nearest(&mut near, |near| near.2);
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.1.cmp(&b.2.1)));
        Neighborhood {
            id,
            step,
            me,
            cell: (!everywhere).then(|| cell_of(grid, me.0)),
            searched: cells.iter().map(|range| corners(grid, range)).collect(),
            tested,
            within: near.len(),
            nearest: near.into_iter().take(MOST).map(|(_, it, _)| it).collect(),
        }
    }
}

/// The lowest and the highest corner of cells that are next to each other along x.
fn corners(grid: &Grid, cells: &Range<u32>) -> [Vec3; 2] {
    let dims = grid.dims;
    let low = UVec3::new(cells.start % dims.x, cells.start / dims.x / dims.z, cells.start / dims.x % dims.z);
    let high = low + UVec3::new(cells.end - cells.start, 1, 1);
    [low, high].map(|corner| grid.origin + corner.as_vec3() * grid.cell_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::kinds::{Feeling, Kind};
    use starlings::flock::search::SEARCHES;
    use starlings::flock::{BoidState, PRESETS, spawn};
    use starlings::reference::{Ordered, steer};

    /// The nearest few of kinds that do not notice all others, within the radius and without one.
    fn few(settings: &Settings, has_radius: bool) -> Settings {
        let kinds = ["a:3", "b:1"].map(|kind| Kind::parse(kind).expect("a kind"));
        let feelings = ["a:a:0,0,0", "b:a:1,0,-1"].map(|feeling| Feeling::parse(feeling).expect("a feeling"));
        let settings = Settings { nearest: 3, kinds: kinds.into(), feelings: feelings.into(), ..settings.clone() };
        if has_radius { settings } else { settings.with_radius(f32::INFINITY) }
    }

    /// Every boid's by the twins of the kernels, in flocks that are crowded enough for neighbors; every third boid is
    /// where another is.
    #[test]
    fn a_neighborhood_is_what_the_twin_of_the_search_visits() {
        let mut seen = 0;
        for (preset, search) in PRESETS.iter().flat_map(|preset| SEARCHES.iter().map(move |info| (preset, info.search)))
        {
            for (boids, few) in
                [1, 2, 63, 65, 500].into_iter().flat_map(|n| [None, Some(true), Some(false)].map(|f| (n, f)))
            {
                let settings = preset.settings().with_boids(boids);
                let settings = Settings { search, ..settings };
                let size = 3.0 * settings.search_radius();
                let mut settings = settings.with_world_size(size);
                settings.world.center = Vec3::new(0.3, -0.2, 0.1) * size;
                let settings = few.map_or(settings.clone(), |has_radius| self::few(&settings, has_radius));
                let mut state: BoidState = spawn(&settings);
                for i in (2..state.len()).step_by(3) {
                    state.position[i] = state.position[i - 1];
                }
                let (params, ordered) = (settings.step_params(0), Ordered::of(&settings, &state));
                let flock = &ordered.flock;
                for i in (0..boids as usize).step_by(7) {
                    let boid = |j: usize| (flock.id[j], (flock.position[j], flock.velocity[j]));
                    let found = Neighborhood::of(&settings, i, 0, boids as usize, boid);
                    let mut neighbors = Vec::new();
                    steer::neighbors(&params, &ordered, i, |j, _, apart| neighbors.push((apart, boid(j))));
                    neighbors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.0.cmp(&b.1.0)));
                    // On a torus they are drawn where their nearest images are.
                    let me = flock.position[i];
                    let image = |(place, velocity): Moving| match params.torus() {
                        Some(_) => (me + steer::way(&params, me.as_dvec3(), place.as_dvec3()).as_vec3(), velocity),
                        None => (place, velocity),
                    };
                    let nearest: Vec<Moving> = neighbors.iter().take(MOST).map(|(_, (_, it))| image(*it)).collect();
                    let name = format!("{} by {search}, boid {i} of {boids}", preset.name);
                    assert_eq!((found.within, &found.nearest), (neighbors.len(), &nearest), "{name}");
                    seen += nearest.len();
                    let mut tested = 0;
                    // Quantized positions decide among those that are tested.
                    if search != starlings::flock::Search::QuantizedGrid {
                        ordered.candidates(flock.position[i], |range| tested += range.len());
                        assert_eq!(found.tested + 1, tested, "{name}");
                    }
                    assert!(found.tested >= found.within || settings.has_no_radius(), "{name}");
                    let inside = |place: Vec3| {
                        let slack = 1e-3 * size;
                        let within =
                            |[low, high]: &[Vec3; 2]| place.cmpge(low - slack).all() && place.cmple(high + slack).all();
                        found.searched.iter().any(within)
                    };
                    let all_inside = neighbors.iter().take(MOST).all(|(_, (_, (place, _)))| inside(*place));
                    assert!(
                        all_inside || found.cell.is_none() || settings.has_no_radius(),
                        "{name}: a neighbor outside of what is searched"
                    );
                }
            }
        }
        assert!(seen > 10_000, "{seen} neighbors are few");
    }
}
