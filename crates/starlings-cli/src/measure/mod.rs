//! What trajectories are measured by, whichever program made them: order, neighbors, clusters and correlations.
//!
//! All of it is in double precision, from positions and velocities alone. With a periodic box, distances are to the
//! nearest image.
//!
//! | measure | formula | source |
//! |---|---|---|
//! | polarization, milling | as in [`starlings::flock::order`] | Couzin et al. 2002 |
//! | nearest, neighbors, alone | within the radius, as in [`starlings::flock::order`] | |
//! | clusters | connected components of the graph of pairs within the radius | Huepe & Aldana 2004 |
//! | correlation length | where the mean of δv(i)·δv(j) over pairs at a distance first falls to 0 | Cavagna et al. 2010 |
//! | g(r) | pairs at a distance over those of an ideal gas of the same density, in a periodic box | Allen & Tildesley 1987 |

mod cells;
mod pairs;

pub use pairs::{Correlation, correlation, radial};

use cells::Cells;
use glam::DVec3;

/// The space that boids are measured in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Edges of the periodic box, in world units: infinite along an axis that is not periodic, 0 along that of a plane.
    pub edges: DVec3,
}

impl Space {
    /// Space without a border.
    pub const OPEN: Space = Space { edges: DVec3::INFINITY };

    /// The vector from `a` to the nearest image of `b`.
    pub fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        let nearest =
            |d: f64, edge: f64| if edge.is_finite() && edge > 0.0 { d - edge * (d / edge).round() } else { d };
        let d = b - a;
        DVec3::new(nearest(d.x, self.edges.x), nearest(d.y, self.edges.y), nearest(d.z, self.edges.z))
    }

    /// Whether it is periodic along every axis that has an extent.
    pub fn is_periodic(&self) -> bool {
        self.edges.is_finite()
    }
}

/// One moment of a flock, as it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Places, in world units.
    pub position: &'a [DVec3],
    /// Velocities, in world units per second; one for each place.
    pub velocity: &'a [DVec3],
    pub space: Space,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Boids that were measured: those whose place and velocity are finite.
    pub boids: usize,
    /// \|⟨v̂⟩\|, from 0 to 1.
    pub polarization: f64,
    /// \|⟨r̂ × v̂⟩\| about the center of mass, from 0 to 1; none in a periodic box, which has no center.
    pub milling: Option<f64>,
    /// Mean speed, in world units per second.
    pub speed: f64,
    /// Mean distance to the nearest neighbor, in world units, over the boids that have one within the radius.
    pub nearest: Option<f64>,
    /// Mean count of neighbors within the radius.
    pub neighbors: f64,
    /// Boids without a neighbor within the radius.
    pub alone: usize,
    /// Clusters: groups whose boids are linked by steps of at most the radius.
    pub clusters: usize,
    /// Boids in the largest cluster.
    pub largest: usize,
}

/// The measures of `moment`, with neighbors within `radius` world units.
///
/// # Panics
/// When there is not one velocity for each place.
pub fn measure(moment: &Moment<'_>, radius: f64) -> Measures {
    let (position, velocity) = finite(moment);
    let boids = position.len();
    if boids == 0 {
        return Measures::default();
    }
    let count = boids as f64;
    let headings: Vec<DVec3> = velocity.iter().map(|v| v.normalize_or_zero()).collect();
    let milling = (moment.space == Space::OPEN).then(|| {
        // From a boid's place, so that a flock in one spot has that spot as its center, to the last bit.
        let center = position[0] + position.iter().map(|&place| place - position[0]).sum::<DVec3>() / count;
        let turning = position.iter().zip(&headings).map(|(&p, &h)| (p - center).normalize_or_zero().cross(h));
        (turning.sum::<DVec3>() / count).length()
    });
    let cells = Cells::new(&position, moment.space, radius);
    let (mut total, mut alone, mut distances) = (0usize, 0usize, 0.0);
    let mut groups = Groups::new(boids);
    for i in 0..boids {
        let (mut neighbors, mut nearest) = (0usize, f64::INFINITY);
        cells.visit(i, |j, distance| {
            neighbors += 1;
            nearest = nearest.min(distance);
            if j < i {
                groups.join(i, j);
            }
        });
        total += neighbors;
        match neighbors {
            0 => alone += 1,
            _ => distances += nearest,
        }
    }
    let sizes = groups.sizes();
    Measures {
        boids,
        polarization: (headings.iter().sum::<DVec3>() / count).length(),
        milling,
        speed: velocity.iter().map(|v| v.length()).sum::<f64>() / count,
        nearest: (alone < boids).then(|| distances / (boids - alone) as f64),
        neighbors: total as f64 / count,
        alone,
        clusters: sizes.len(),
        largest: sizes.into_iter().max().unwrap_or(0),
    }
}

/// Places and velocities of the boids whose both are finite.
fn finite(moment: &Moment<'_>) -> (Vec<DVec3>, Vec<DVec3>) {
    assert_eq!(moment.position.len(), moment.velocity.len(), "a velocity for each place");
    let both = moment.position.iter().zip(moment.velocity);
    both.filter(|(p, v)| p.is_finite() && v.is_finite()).map(|(&p, &v)| (p, v)).unzip()
}

/// Disjoint sets of boids.
struct Groups(Vec<usize>);

impl Groups {
    fn new(count: usize) -> Self {
        Groups((0..count).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }

    fn sizes(mut self) -> Vec<usize> {
        let mut sizes = vec![0; self.0.len()];
        for i in 0..sizes.len() {
            let root = self.root(i);
            sizes[root] += 1;
        }
        sizes.retain(|&size| size > 0);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::random::{Stream, direction};

    fn crowd(count: u64, scale: f64) -> Vec<DVec3> {
        (0..count).map(|i| scale * direction(5, Stream::Position, i).as_dvec3()).collect()
    }

    /// The same by all pairs.
    fn by_all_pairs(moment: &Moment<'_>, radius: f64) -> (usize, usize, usize, usize, f64) {
        let n = moment.position.len();
        let near = |i: usize, j: usize| moment.space.between(moment.position[i], moment.position[j]).length();
        let mut groups: Vec<usize> = (0..n).collect();
        let (mut total, mut alone, mut nearest) = (0, 0, 0.0);
        for i in 0..n {
            let found: Vec<f64> = (0..n).filter(|&j| j != i).map(|j| near(i, j)).filter(|&d| d <= radius).collect();
            total += found.len();
            if found.is_empty() {
                alone += 1;
            } else {
                nearest += found.iter().copied().fold(f64::INFINITY, f64::min);
            }
        }
        // Labels spread until none changes.
        while (0..n).any(|i| {
            let least = (0..n).filter(|&j| near(i, j) <= radius).map(|j| groups[j]).min().unwrap_or(i);
            let lower = least < groups[i];
            groups[i] = least.min(groups[i]);
            lower
        }) {}
        let labels: std::collections::BTreeSet<usize> = groups.iter().copied().collect();
        let largest = labels.iter().map(|label| groups.iter().filter(|g| *g == label).count()).max().unwrap_or(0);
        (total, alone, labels.len(), largest, nearest / (n - alone).max(1) as f64)
    }

    #[test]
    fn neighbors_and_clusters_are_those_of_all_pairs() {
        let spaces = [
            Space::OPEN,
            Space { edges: DVec3::new(3.0, 4.0, 5.0) },
            Space { edges: DVec3::new(2.0, 2.0, f64::INFINITY) },
            Space { edges: DVec3::new(6.0, 0.0, 6.0) },
        ];
        for space in spaces {
            for (count, radius) in [(1, 0.5), (2, 9.0), (7, 1.0), (120, 0.3), (120, 0.8), (120, 1.2)] {
                let mut position = crowd(count, 2.9);
                if space.edges.y == 0.0 {
                    position.iter_mut().for_each(|place| place.y = 0.0);
                }
                let moment = Moment { position: &position, velocity: &position, space };
                let found = measure(&moment, radius);
                let (total, alone, clusters, largest, nearest) = by_all_pairs(&moment, radius);
                let case = format!("{space:?}, {count} within {radius}");
                assert_eq!((found.neighbors * count as f64).round() as usize, total, "{case}");
                assert_eq!((found.alone, found.clusters, found.largest), (alone, clusters, largest), "{case}");
                assert!((found.nearest.unwrap_or(0.0) - nearest).abs() < 1e-12, "{case}");
            }
        }
    }

    #[test]
    fn order_is_that_of_the_engine() {
        let settings = starlings::flock::Settings::preset("reynolds").expect("a preset").with_boids(500);
        let state = starlings::flock::spawn(&settings);
        let want = starlings::reference::order::order_parameters(&settings, &state, 0);
        let position: Vec<DVec3> = state.position.iter().map(|p| p.as_dvec3()).collect();
        let velocity: Vec<DVec3> = state.velocities(&settings).iter().map(|v| v.as_dvec3()).collect();
        let moment = Moment { position: &position, velocity: &velocity, space: Space::OPEN };
        let found = measure(&moment, settings.search_radius().into());
        assert!((found.polarization - want.polarization).abs() < 1e-6);
        assert!((found.milling.expect("open space") - want.milling).abs() < 1e-6);
        assert!((found.neighbors - want.neighbors).abs() < 1e-12 && found.alone == want.alone as usize);
        assert!((found.speed - want.speed).abs() < 1e-5);
    }

    #[test]
    fn boids_that_are_nowhere_are_in_no_measure() {
        let position = [DVec3::ZERO, DVec3::NAN, DVec3::X];
        let velocity = [DVec3::X, DVec3::X, DVec3::INFINITY];
        let moment = Moment { position: &position, velocity: &velocity, space: Space::OPEN };
        let found = measure(&moment, 2.0);
        assert_eq!((found.boids, found.alone, found.clusters, found.polarization), (1, 1, 1, 1.0));
        assert_eq!(measure(&Moment { position: &[], velocity: &[], space: Space::OPEN }, 1.0), Measures::default());
    }
}
