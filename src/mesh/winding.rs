//! Which samples of a volume are inside of a closed mesh.

use super::{Triangle, distinct};
use crate::cancel::Cancel;
use crate::error::Result;
use glam::{DVec2, DVec3};

/// For each sample of a grid, in cells from the first, whether its winding number is not zero: the surfaces below it
/// along z, counted with their direction.
///
/// Columns of samples are a little aside, so that they do not pass through corners and edges. Whether one passes an
/// edge on the left or on the right is decided in the same way for all triangles at that edge: so no column passes
/// between two of them or through both.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub fn inside(
    triangles: &[Triangle],
    [nx, ny, nz]: [usize; 3],
    to_grid: impl Fn(DVec3) -> DVec3,
    cancel: &Cancel,
) -> Result<Vec<bool>> {
    let aside = DVec2::new(1.37e-6, 2.11e-6);
    // Changes of the winding number at each sample of a column.
    let mut changes = vec![0i32; nx * ny * nz];
    for (place, times) in distinct(triangles) {
        cancel.check()?;
        let [a, b, c] = triangles[place].map(|corner| to_grid(corner.as_dvec3()));
        // Upright, or a place: no column passes through it.
        if (a.truncate() - b.truncate()).perp_dot(a.truncate() - c.truncate()) == 0.0 {
            continue;
        }
        let range = |axis: usize, n: usize| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            low.floor().max(0.0) as usize..(high.ceil().max(0.0) as usize + 1).min(n)
        };
        for y in range(1, ny) {
            for x in range(0, nx) {
                let column = DVec2::new(x as f64, y as f64) + aside;
                let sides = [(b, c), (c, a), (a, b)].map(|(from, to)| side(from, to, column));
                let turn = match sides.map(|side| side > 0.0) {
                    [true, true, true] => 1,
                    [false, false, false] => -1,
                    _ => continue,
                };
                let height = (sides[0] * a.z + sides[1] * b.z + sides[2] * c.z) / sides.iter().sum::<f64>();
                let first = (height.floor() + 1.0).max(0.0) as usize;
                if first < nz {
                    changes[(first * ny + y) * nx + x] += turn * times;
                }
            }
        }
    }
    let layer = nx * ny;
    for at in layer..changes.len() {
        changes[at] += changes[at - layer];
    }
    Ok(changes.into_iter().map(|winding| winding != 0).collect())
}

/// Twice the area of the triangle `from`, `to`, `column`, seen along z: above zero if it is counter-clockwise. That of
/// the same edge in the other direction is exactly its negative, and never zero.
fn side(from: DVec3, to: DVec3, column: DVec2) -> f64 {
    let (a, b) = (from.truncate(), to.truncate());
    let is_swapped = (a.x, a.y) > (b.x, b.y);
    let (a, b) = if is_swapped { (b, a) } else { (a, b) };
    let area = (b - a).perp_dot(column - a);
    let area = if area == 0.0 { f64::MIN_POSITIVE } else { area };
    if is_swapped { -area } else { area }
}
