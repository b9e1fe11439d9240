//! Where the vertices of a model are, straight from the specification of glTF 2.0, in double precision.

use super::bodies::{Body, Track};

type Matrix = [[f64; 4]; 4];

/// Rows and columns.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

/// Section 3.5.3: translation times rotation times scale.
fn local(t: [f64; 3], q: [f64; 4], s: [f64; 3]) -> Matrix {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z, w] = q.map(|x| x / length);
    let turn = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let row = |i: usize| [turn[i][0] * s[0], turn[i][1] * s[1], turn[i][2] * s[2], t[i]];
    [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
}

/// Appendix C.
fn sampled(track: &Track, time: f64) -> Vec<f64> {
    let Track { times, width, values, way, path, .. } = track;
    let (count, is_spline) = (times.len(), *way == "CUBICSPLINE");
    let number = |key: usize, part: usize, i: usize| {
        values[if is_spline { (3 * key + part) * width + i } else { key * width + i }]
    };
    let key = |key: usize| (0..*width).map(|i| number(key, 1, i)).collect::<Vec<_>>();
    if time <= times[0] {
        return key(0);
    }
    if time >= times[count - 1] {
        return key(count - 1);
    }
    let k = (0..count - 1).rfind(|&k| times[k] <= time).expect("between two");
    let (td, t) = (times[k + 1] - times[k], (time - times[k]) / (times[k + 1] - times[k]));
    match *way {
        "STEP" => key(k),
        "CUBICSPLINE" => (0..*width)
            .map(|i| {
                let (v, b, a, w) = (number(k, 1, i), number(k, 2, i), number(k + 1, 0, i), number(k + 1, 1, i));
                (2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0) * v
                    + td * (t.powi(3) - 2.0 * t.powi(2) + t) * b
                    + (-2.0 * t.powi(3) + 3.0 * t.powi(2)) * w
                    + td * (t.powi(3) - t.powi(2)) * a
            })
            .collect(),
        _ if *path == "rotation" => {
            let unit = |q: Vec<f64>| {
                let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
                q.into_iter().map(|x| x / length).collect::<Vec<_>>()
            };
            let (p, q) = (unit(key(k)), unit(key(k + 1)));
            let d: f64 = p.iter().zip(&q).map(|(a, b)| a * b).sum();
            let (a, s) = (d.abs().min(1.0).acos(), if d < 0.0 { -1.0 } else { 1.0 });
            if a < 1e-9 {
                return p;
            }
            p.iter().zip(&q).map(|(p, q)| ((a * (1.0 - t)).sin() * p + s * (a * t).sin() * q) / a.sin()).collect()
        }
        _ => key(k).iter().zip(key(k + 1)).map(|(a, b)| (1.0 - t) * a + t * b).collect(),
    }
}

/// The place and the normal of each vertex at a time, with its color.
pub fn vertices(body: &Body, time: f64) -> Vec<(f64, [f64; 3], [f64; 3])> {
    let (mut nodes, mut weights) = (body.nodes.clone(), body.weights.clone());
    for track in &body.tracks {
        let value = sampled(track, time);
        let (_, t, r, s) = &mut nodes[track.node];
        match track.path {
            "translation" => *t = [value[0], value[1], value[2]],
            "rotation" => *r = [value[0], value[1], value[2], value[3]],
            "scale" => *s = [value[0], value[1], value[2]],
            _ => weights = value,
        }
    }
    let global = |mut at: usize| {
        let (_, t, r, s) = nodes[at];
        let mut matrix = local(t, r, s);
        while let Some(parent) = nodes[at].0 {
            let (_, t, r, s) = nodes[parent];
            matrix = product(&local(t, r, s), &matrix);
            at = parent;
        }
        matrix
    };
    let joints: Vec<Matrix> = body
        .joints
        .iter()
        .map(|(node, inverse)| {
            let inverse = std::array::from_fn(|row| std::array::from_fn(|column| inverse[4 * column + row]));
            product(&global(*node), &inverse)
        })
        .collect();
    let skinned = body.skinned.iter().map(|vertex| {
        let sum: f64 = vertex.influences.iter().map(|(_, weight)| weight).sum();
        let mut matrix = [[0.0; 4]; 4];
        for (joint, weight) in &vertex.influences {
            for (row, column) in (0..16).map(|k| (k / 4, k % 4)) {
                matrix[row][column] += joints[*joint][row][column] * weight / sum;
            }
        }
        (vertex.color, matrix, vertex.place, vertex.normal)
    });
    let own = global(body.mesh_node);
    let morphed = body.morphed.iter().map(|vertex| {
        let moved = |base: [f64; 3], part: usize| {
            std::array::from_fn(|i| {
                base[i] + vertex.targets.iter().zip(&weights).map(|(of, w)| w * of[part][i]).sum::<f64>()
            })
        };
        (vertex.color, own, moved(vertex.place, 0), moved(vertex.normal, 1))
    });
    skinned
        .chain(morphed)
        .map(|(color, m, [x, y, z], normal): (f64, Matrix, [f64; 3], [f64; 3])| {
            let place = [0, 1, 2].map(|row| m[row][0] * x + m[row][1] * y + m[row][2] * z + m[row][3]);
            (color, place, turned(&m, normal))
        })
        .collect()
}

/// A normal by the inverse of the transposed matrix: its entries are minors over the determinant.
fn turned(m: &Matrix, normal: [f64; 3]) -> [f64; 3] {
    let others = |i: usize| [(i + 1) % 3, (i + 2) % 3];
    let minor = |row: usize, column: usize| {
        let ([a, b], [c, d]) = (others(row), others(column));
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let determinant: f64 = (0..3).map(|column| m[0][column] * minor(0, column)).sum();
    let out: [f64; 3] =
        std::array::from_fn(|row| (0..3).map(|column| minor(row, column) / determinant * normal[column]).sum());
    let length = out.iter().map(|x| x * x).sum::<f64>().sqrt();
    out.map(|x| x / length)
}
