//! What is averaged over pairs at a distance: the radial distribution, and the correlation of velocities.

use super::{Moment, finite};
use glam::DVec3;
use std::f64::consts::PI;

/// Boids of which all pairs are visited, at most; of more, so many are taken, evenly by their order.
pub const MOST: usize = 4096;

/// The radial distribution of one or several moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Radial {
    /// Width of a bin, in world units.
    pub width: f64,
    /// g(r) in each bin, the first from distance 0; 1 is that of an ideal gas.
    pub g: Vec<f64>,
}

/// g(r) of `moments`, all in the same periodic box, in `bins` bins up to half of the shortest edge.
///
/// # Panics
/// When the space is not periodic, or there is no bin.
pub fn radial<'a>(moments: impl IntoIterator<Item = Moment<'a>>, bins: usize) -> Option<Radial> {
    assert!(bins > 0, "at least one bin");
    let mut counted = vec![0.0; bins];
    let (mut ideal, mut width) = (vec![0.0; bins], 0.0);
    for moment in moments {
        let edges = moment.space.edges;
        assert!(moment.space.is_periodic(), "a periodic box");
        let extents: Vec<f64> = edges.to_array().into_iter().filter(|&edge| edge > 0.0).collect();
        let most = extents.iter().copied().fold(f64::INFINITY, f64::min) / 2.0;
        width = most / bins as f64;
        let position = thinned(&finite(&moment).0);
        let pairs = position.len() as f64 * (position.len() as f64 - 1.0) / 2.0;
        let shell = |r: f64| match extents.len() {
            3 => 4.0 / 3.0 * PI * r.powi(3),
            2 => PI * r * r,
            _ => 2.0 * r,
        };
        let volume: f64 = extents.iter().product();
        for (bin, ideal) in ideal.iter_mut().enumerate() {
            let inner = bin as f64 * width;
            *ideal += pairs * (shell(inner + width) - shell(inner)) / volume;
        }
        for_pairs(&position, |i, j| {
            let bin = (moment.space.between(position[i], position[j]).length() / width) as usize;
            if bin < bins {
                counted[bin] += 1.0;
            }
        });
    }
    let g = counted.iter().zip(&ideal).map(|(counted, ideal)| if *ideal > 0.0 { counted / ideal } else { 0.0 });
    (width > 0.0).then(|| Radial { width, g: g.collect() })
}

/// The correlation of the boids' velocities, without what they have in common, by distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// Width of a bin, in world units.
    pub width: f64,
    /// The mean of δv(i)·δv(j) over the pairs in each bin, over that of δv² of a boid; none without a pair.
    pub c: Vec<Option<f64>>,
}

impl Correlation {
    /// Where it first falls to 0, in world units, between the middles of two bins; none if it does not.
    pub fn length(&self) -> Option<f64> {
        let middles = self.c.iter().enumerate().filter_map(|(bin, c)| Some(((bin as f64 + 0.5) * self.width, (*c)?)));
        let points: Vec<(f64, f64)> = middles.collect();
        if let [(first, c), ..] = points[..]
            && c <= 0.0
        {
            return Some(first);
        }
        points.windows(2).find(|pair| pair[1].1 <= 0.0).map(|pair| {
            let [(r, c), (next, below)] = [pair[0], pair[1]];
            r + (next - r) * c / (c - below)
        })
    }
}

/// The correlation of the velocities of `moment`, in `bins` bins up to the greatest distance. None for fewer than two
/// boids, and where all have the same velocity or the same place.
pub fn correlation(moment: &Moment<'_>, bins: usize) -> Option<Correlation> {
    let (position, velocity) = finite(moment);
    let (position, velocity) = (thinned(&position), thinned(&velocity));
    let mean = velocity.iter().sum::<DVec3>() / velocity.len().max(1) as f64;
    let own: Vec<DVec3> = velocity.iter().map(|&v| v - mean).collect();
    let variance = own.iter().map(|v| v.length_squared()).sum::<f64>() / own.len().max(1) as f64;
    let distance = |i: usize, j: usize| moment.space.between(position[i], position[j]).length();
    let mut most = 0.0f64;
    for_pairs(&position, |i, j| most = most.max(distance(i, j)));
    if most == 0.0 || variance == 0.0 {
        return None;
    }
    // The last bin has the farthest pair in it, not behind it.
    let width = most * (1.0 + 1e-12) / bins as f64;
    let mut sums = vec![(0.0, 0u64); bins];
    for_pairs(&position, |i, j| {
        let (sum, count) = &mut sums[((distance(i, j) / width) as usize).min(bins - 1)];
        *sum += own[i].dot(own[j]);
        *count += 1;
    });
    let c = sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / count as f64 / variance)).collect();
    Some(Correlation { width, c })
}

/// At most [`MOST`] of `list`, evenly.
fn thinned(list: &[DVec3]) -> Vec<DVec3> {
    let taken = list.len().min(MOST);
    (0..taken).map(|k| list[k * list.len() / taken]).collect()
}

fn for_pairs(list: &[DVec3], mut visit: impl FnMut(usize, usize)) {
    for i in 1..list.len() {
        for j in 0..i {
            visit(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Space;
    use super::*;
    use starlings::flock::random::{Stream, direction};

    /// Places without order in a box of edge 8, from the sums of many directions.
    fn gas(count: u64, flat: bool) -> Vec<DVec3> {
        let place = |i: u64| (0..8).map(|k| direction(k, Stream::Position, i).as_dvec3()).sum::<DVec3>() * 977.0;
        let within = |p: DVec3| DVec3::new(p.x.rem_euclid(8.0), p.y.rem_euclid(8.0), p.z.rem_euclid(8.0));
        (0..count).map(|i| within(place(i))).map(|p| if flat { DVec3::new(p.x, p.y, 0.0) } else { p }).collect()
    }

    #[test]
    fn an_ideal_gas_has_no_structure() {
        for (flat, z) in [(false, 8.0), (true, 0.0)] {
            let position = gas(4000, flat);
            let space = Space { edges: DVec3::new(8.0, 8.0, z) };
            let moment = Moment { position: &position, velocity: &position, space };
            let radial = radial([moment], 20).expect("one moment");
            assert!((radial.width - 0.2).abs() < 1e-12);
            // The first shell of the box has some 200 pairs, which differ by their root.
            assert!(radial.g.iter().skip(2).all(|g| (g - 1.0).abs() < 0.06), "{:?}", radial.g);
        }
    }

    #[test]
    fn a_lattice_has_its_shells() {
        let along = |n: i32| (0..n).map(f64::from);
        let position: Vec<DVec3> =
            along(8).flat_map(|x| along(8).flat_map(move |y| along(8).map(move |z| DVec3::new(x, y, z)))).collect();
        let moment = Moment { position: &position, velocity: &position, space: Space { edges: DVec3::splat(8.0) } };
        let radial = radial([moment], 40).expect("one moment");
        // 6 neighbors at 1, in the bin from 1.0 to 1.1; none closer, and none from 1.1 to 1.4.
        let shell = 4.0 / 3.0 * PI * (1.1f64.powi(3) - 1.0);
        assert!((radial.g[10] - 6.0 / shell * 512.0 / 511.0).abs() < 1e-9, "{:?}", radial.g);
        assert!(radial.g[..10].iter().chain(&radial.g[11..14]).all(|&g| g == 0.0), "{:?}", radial.g);
    }

    #[test]
    fn opposite_halves_are_correlated_up_to_half_of_the_flock() {
        // On a line, the left half moves up and the right half down: pairs at less than half of its length are mostly
        // in one half.
        let position: Vec<DVec3> = (0..1000).map(|i| DVec3::X * f64::from(i) / 100.0).collect();
        let velocity: Vec<DVec3> = position.iter().map(|p| if p.x < 5.0 { DVec3::Y } else { -DVec3::Y }).collect();
        let moment = Moment { position: &position, velocity: &velocity, space: Space::OPEN };
        let found = correlation(&moment, 100).expect("two velocities");
        // Of the pairs at a distance r, 2(5-r) are in one half, and r in two: 0 at r = 10/3.
        let length = found.length().expect("it falls to 0");
        assert!((length - 10.0 / 3.0).abs() < 0.06, "{length}");
        assert!(found.c[0].expect("pairs") > 0.98 && found.c[99].expect("pairs") < -0.98);
        let still = Moment { velocity: &vec![DVec3::X; 1000], ..moment };
        assert_eq!(correlation(&still, 10), None);
    }
}
