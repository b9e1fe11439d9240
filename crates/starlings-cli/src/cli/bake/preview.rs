//! A picture of a baked model: its near mesh on the left, its far mesh on the right, and an arrow where it looks.

use glam::{Mat3, Vec2, Vec3};
use starlings::mesh::Animated;

/// Pixels along an edge of each half.
const EDGE: usize = 480;

/// Pixels of a boid's length.
const SCALE: f32 = 240.0;

/// Pixels that triangles of each half may cover, one above the other: of more triangles, an even share is drawn.
const MOST_PIXELS: f32 = (1u32 << 27) as f32;

const SKY: Vec3 = Vec3::new(0.55, 0.65, 0.75);
const ARROW: Vec3 = Vec3::new(0.9, 0.2, 0.02);

/// Half of a picture, with the depth of what is in each pixel.
struct Half {
    colors: Vec<Vec3>,
    depths: Vec<f32>,
    /// Rows are right, up and towards the eye.
    view: Mat3,
}

/// The width, the height and the sRGB bytes of a picture of the first frame, four a pixel, rows from the top.
pub fn picture(model: &Animated) -> ((u32, u32), Vec<u8>) {
    // From the right, from above, and from before it.
    let eye = Vec3::new(0.75, 0.5, -0.65).normalize();
    let right = Vec3::Y.cross(eye).normalize();
    let view = Mat3::from_cols(right, eye.cross(right), eye).transpose();
    let halves = [&model.triangles, &model.coarse].map(|triangles| {
        let mut half = Half { colors: vec![SKY; EDGE * EDGE], depths: vec![f32::MIN; EDGE * EDGE], view };
        let pixels: f32 =
            triangles.iter().map(|corners| half.pixels(corners.map(|at| model.places[at as usize]))).sum();
        let step = (pixels / MOST_PIXELS) as usize + 1;
        for corners in triangles.iter().step_by(step).map(|corners| corners.map(|corner| corner as usize)) {
            let lit = |vertex: usize| {
                let light = 0.3 + 0.7 * model.normals[vertex].dot(Vec3::new(0.4, 0.85, -0.35).normalize()).max(0.0);
                model.albedo[vertex] * light
            };
            half.fill(corners.map(|vertex| model.places[vertex]), corners.map(lit));
        }
        let flat = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let (a, b, c, d) = (flat(-0.02, -0.55), flat(0.02, -0.55), flat(0.02, -0.82), flat(-0.02, -0.82));
        for corners in [[a, b, c], [a, c, d], [flat(-0.07, -0.82), flat(0.07, -0.82), flat(0.0, -0.98)]] {
            half.fill(corners, [ARROW; 3]);
        }
        half.colors
    });
    let rows = (0..EDGE).flat_map(|y| halves.iter().flat_map(move |half| &half[y * EDGE..(y + 1) * EDGE]));
    let bytes = rows.flat_map(|color| {
        let [r, g, b] = color.to_array().map(|linear| (linear.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8);
        [r, g, b, 255]
    });
    ((2 * EDGE as u32, EDGE as u32), bytes.collect())
}

impl Half {
    /// The pixels of the box around a triangle.
    fn pixels(&self, corners: [Vec3; 3]) -> f32 {
        let [a, b, c] = corners.map(|corner| self.view * corner);
        let size = (a.max(b).max(c) - a.min(b).min(c)) * SCALE + 1.0;
        size.x * size.y
    }

    /// Draws a triangle of these colors, from both sides, where nothing is nearer.
    fn fill(&mut self, corners: [Vec3; 3], colors: [Vec3; 3]) {
        let seen = corners.map(|corner| self.view * corner);
        let [a, b, c] = seen.map(|place| Vec2::new(place.x, -place.y) * SCALE + EDGE as f32 * 0.5);
        let area = (b - a).perp_dot(c - a);
        if area == 0.0 {
            return;
        }
        let pixel = |at: f32| at.clamp(0.0, EDGE as f32 - 1.0) as usize;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        for y in pixel(low.y)..=pixel(high.y) {
            for x in pixel(low.x)..=pixel(high.x) {
                let place = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - a;
                let (s, t) = (place.perp_dot(c - a) / area, (b - a).perp_dot(place) / area);
                let depth = seen[0].z + s * (seen[1].z - seen[0].z) + t * (seen[2].z - seen[0].z);
                let at = y * EDGE + x;
                if s >= 0.0 && t >= 0.0 && s + t <= 1.0 && depth > self.depths[at] {
                    self.depths[at] = depth;
                    self.colors[at] = colors[0] + s * (colors[1] - colors[0]) + t * (colors[2] - colors[0]);
                }
            }
        }
    }
}
