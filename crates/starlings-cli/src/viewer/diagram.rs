//! The search drawn over the flock: the grid's outline and cells, and what the followed boid looks at.

use super::neighborhood::{MOST, Moving, Neighborhood};
use glam::{Mat4, Vec3, Vec4};
use starlings::flock::Settings;
use starlings::flock::search::GridKind;
use starlings::render::Camera;

/// Cells along an axis whose borders are drawn on the grid's floor, at most.
const MOST_CELLS: u32 = 64;

/// The nearest place that is drawn, as a share of the camera's distance.
const NEAR: f32 = 1e-3;

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Outline,
    Border,
    /// An edge of the rows that are searched.
    Searched,
    /// From the boid to a neighbor.
    Neighbor,
}

/// A line, from one point to another in pixels from the left and from the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    pub ends: [[f32; 2]; 2],
    pub kind: Kind,
}

/// What is drawn over the flock.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    pub lines: Vec<Line>,
    /// The search radius around the boid: its middle and its radius in pixels.
    pub ring: Option<([f32; 2], f32)>,
    /// What it shows, in words.
    pub text: Vec<String>,
}

impl Diagram {
    /// That of a flock of `settings`; and of a boid in it, seen so many seconds ago, since when all have flown straight
    /// on.
    pub fn of(settings: &Settings, camera: &Camera, size: (u32, u32), seen: Option<(&Neighborhood, f32)>) -> Diagram {
        let projection = Projection::new(camera, size);
        let mut diagram = Diagram::default();
        diagram.grid(settings, &projection);
        if let Some((seen, seconds)) = seen {
            diagram.neighborhood(settings, &projection, seen, seconds);
        } else {
            diagram.text.push("double click a boid to see what it searches".into());
        }
        diagram
    }

    fn add(&mut self, projection: &Projection, kind: Kind, from: Vec3, to: Vec3) {
        self.lines.extend(projection.line(from, to).map(|ends| Line { ends, kind }));
    }

    fn add_box(&mut self, projection: &Projection, kind: Kind, [low, high]: [Vec3; 2]) {
        let corner =
            |bits: usize| Vec3::from_array(std::array::from_fn(|k| if bits >> k & 1 == 0 { low[k] } else { high[k] }));
        for bits in 0..8usize {
            for axis in [1, 2, 4] {
                if bits & axis == 0 {
                    self.add(projection, kind, corner(bits), corner(bits | axis));
                }
            }
        }
    }

    fn grid(&mut self, settings: &Settings, projection: &Projection) {
        let search = settings.search;
        if search.grid() == GridKind::None {
            self.text.push(format!("{search}: no grid, each boid is tested against all others"));
            return;
        }
        let grid = settings.grid();
        let (low, cell, dims) = (grid.origin, grid.cell_size, grid.dims);
        let high = low + dims.as_vec3() * cell;
        for (along, across) in [(0, 2), (2, 0)] {
            for border in 1..if dims[along] > MOST_CELLS { 0 } else { dims[along] } {
                let mut from = low;
                from[along] += border as f32 * cell[along];
                let mut to = from;
                to[across] = high[across];
                self.add(projection, Kind::Border, from, to);
            }
        }
        self.add_box(projection, Kind::Outline, [low, high]);
        let [x, y, z] = cell.to_array().map(short);
        self.text.push(format!("{search}: {} × {} × {} cells of {x} × {y} × {z} units", dims.x, dims.y, dims.z));
    }

    fn neighborhood(&mut self, settings: &Settings, projection: &Projection, seen: &Neighborhood, seconds: f32) {
        let now = |(place, velocity): Moving| place + velocity * settings.speed_scale() * seconds;
        for &row in &seen.searched {
            self.add_box(projection, Kind::Searched, row);
        }
        let me = now(seen.me);
        for &other in &seen.nearest {
            self.add(projection, Kind::Neighbor, me, now(other));
        }
        self.ring = projection.ring(me, settings.search_radius());
        let place = seen.cell.map_or(String::new(), |cell| format!(" in cell {},{},{}", cell.x, cell.y, cell.z));
        self.text.push(format!("boid {}{place}", seen.id));
        let rows = match seen.searched.len() {
            0 => String::new(),
            1 => " in one row of cells".into(),
            rows => format!(" in {rows} rows of cells"),
        };
        self.text.push(format!("{} tested{rows}", seen.tested));
        let first = if seen.within > MOST { format!(" (lines to the nearest {MOST})") } else { String::new() };
        let where_from = match settings.has_no_radius() {
            true => "nearest, however far".to_owned(),
            false => format!("within {} units", short(settings.search_radius())),
        };
        self.text.push(format!("{} {where_from}{first}", seen.within));
    }
}

/// A number with three digits that count.
pub fn short(number: f32) -> String {
    let digits = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 6);
    let text = format!("{number:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// From world units to pixels.
pub struct Projection {
    matrix: Mat4,
    size: [f32; 2],
    nearest: f32,
    /// Pixels of one unit at distance 1.
    scale: f32,
}

impl Projection {
    pub fn new(camera: &Camera, (width, height): (u32, u32)) -> Projection {
        let size = [width.max(1) as f32, height.max(1) as f32];
        Projection {
            matrix: camera.view_projection(size[0] / size[1]),
            size,
            nearest: NEAR * camera.distance,
            scale: size[1] / (2.0 * camera.tangents(1.0).1),
        }
    }

    fn point(&self, clip: Vec4) -> [f32; 2] {
        [(0.5 + 0.5 * clip.x / clip.w) * self.size[0], (0.5 + 0.5 * clip.y / clip.w) * self.size[1]]
    }

    /// The part of a line that is before the eye, if any of it can be in the picture.
    fn line(&self, from: Vec3, to: Vec3) -> Option<[[f32; 2]; 2]> {
        let [from, to] = [from, to].map(|place| self.matrix * place.extend(1.0));
        if !from.is_finite() || !to.is_finite() || from.w.max(to.w) < self.nearest {
            return None;
        }
        let cut = |end: Vec4, other: Vec4| match end.w < self.nearest {
            true => end.lerp(other, (self.nearest - end.w) / (other.w - end.w)),
            false => end,
        };
        let ends = [self.point(cut(from, to)), self.point(cut(to, from))];
        let beside =
            |axis: usize| ends.iter().all(|end| end[axis] < 0.0) || ends.iter().all(|end| end[axis] > self.size[axis]);
        (!beside(0) && !beside(1)).then_some(ends)
    }

    /// A circle of that radius, in world units, around a place before the eye.
    pub fn ring(&self, middle: Vec3, radius: f32) -> Option<([f32; 2], f32)> {
        let clip = self.matrix * middle.extend(1.0);
        (clip.w > 0.0).then(|| (self.point(clip), radius * self.scale / clip.w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starlings::flock::{PRESETS, spawn};

    fn camera() -> Camera {
        Camera { center: Vec3::ZERO, yaw: 0.0, pitch: 0.0, distance: 10.0, vertical_fov: std::f32::consts::FRAC_PI_2 }
    }

    #[test]
    fn lines_end_where_they_should_and_behind_the_eye_is_nothing() {
        let projection = Projection::new(&camera(), (200, 100));
        let near = |a: [f32; 2], b: [f32; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.01);
        let [from, to] = projection.line(Vec3::ZERO, Vec3::new(20.0, 10.0, 0.0)).expect("in the picture");
        assert!(near(from, [100.0, 50.0]) && near(to, [200.0, 0.0]), "{from:?} {to:?}");
        assert_eq!(projection.line(Vec3::Z * 11.0, Vec3::Z * 20.0), None, "behind the eye");
        assert_eq!(projection.line(Vec3::X * 30.0, Vec3::new(40.0, 9.0, 0.0)), None, "beside the picture");
        assert_eq!(projection.line(Vec3::splat(f32::NAN), Vec3::ZERO), None);
        // From before the eye to behind it: cut, and still towards the right.
        let [from, to] = projection.line(Vec3::ZERO, Vec3::new(5.0, 0.0, 15.0)).expect("its first half");
        assert!(near(from, [100.0, 50.0]) && to[0] > 200.0 && (to[1] - 50.0).abs() < 0.1, "{from:?} {to:?}");
        let (middle, radius) = projection.ring(Vec3::ZERO, 2.0).expect("in the picture");
        assert!(near(middle, [100.0, 50.0]) && (radius - 10.0).abs() < 0.01);
        assert!(projection.ring(Vec3::Z * 11.0, 2.0).is_none());
    }

    #[test]
    fn every_preset_has_a_diagram_of_its_grid_and_of_a_boid() {
        for preset in PRESETS {
            let settings = preset.settings().with_boids(300);
            // Cells reach beyond the world.
            let camera = Camera::of(&settings, 1.6);
            let camera = Camera { distance: 3.0 * camera.distance, ..camera };
            let alone = Diagram::of(&settings, &camera, (1280, 800), None);
            let has_grid = settings.search.grid() != GridKind::None;
            let outline = alone.lines.iter().filter(|line| line.kind == Kind::Outline).count();
            assert_eq!((outline == 12, alone.ring), (has_grid, None), "{}", preset.name);
            let state = spawn(&settings);
            let boid = |j: usize| (state.id[j], (state.position[j], state.velocity[j]));
            let seen = Neighborhood::of(&settings, 7, 0, 300, boid);
            let diagram = Diagram::of(&settings, &camera, (1280, 800), Some((&seen, 0.0)));
            let count = |kind: Kind| diagram.lines.iter().filter(|line| line.kind == kind).count();
            assert_eq!(count(Kind::Neighbor), seen.nearest.len(), "{}: {:?}", preset.name, diagram.text);
            assert_eq!(count(Kind::Searched) > 0, has_grid, "{}", preset.name);
            assert!(diagram.ring.is_some() && diagram.text.len() == 4, "{:?}", diagram.text);
            let mean = |of: Vec<[f32; 2]>| of.iter().map(|at| at[0]).sum::<f32>() / of.len().max(1) as f32;
            let starts = diagram.lines.iter().filter(|line| line.kind == Kind::Neighbor).map(|line| line.ends[0]);
            let starts: Vec<_> = starts.collect();
            let middle = diagram.ring.map_or(0.0, |(at, _)| at[0]);
            assert!(starts.is_empty() || (mean(starts) - middle).abs() < 0.5, "lines begin at the boid");
        }
    }

    #[test]
    fn numbers_are_short() {
        let texts = [1.7517, 0.4379, 30.03, 1234.5, 12.0, 0.001234].map(short);
        assert_eq!(texts, ["1.75", "0.438", "30", "1234", "12", "0.00123"]);
    }
}
