//! The look in a window: changes by keys, rows in the panel, and the cell that a click picks.

use super::widgets::{FAINT, ROW, row};
use crate::flock::Settings;
use crate::flock::grid::cell_of;
use crate::flock::layout::Grid;
use crate::render::look::Coloring;
use crate::render::{Look, palette};
use egui::{Color32, RichText, Sense, Ui};
use glam::{UVec3, Vec3};

/// A change of a look.
pub type Change = fn(&mut Look, &Settings);

/// Trails that a key leads through, in seconds.
const TRAILS: [f32; 4] = [0.0, 0.5, 1.0, 2.0];

/// Largest angle between a click and a boid, in radians.
const NEAR_MISS: f32 = 0.03;

/// Height of the ramp in the panel, in points.
const RAMP_HEIGHT: f32 = 8.0;

/// The next coloring that this flock supports.
pub fn next_color(look: &mut Look, settings: &Settings) {
    look.color = look.color.next();
    while look.check(settings).is_err() && look.color != Coloring::Natural {
        look.color = look.color.next();
    }
}

/// Longer trails, and after the longest none.
pub fn next_trail(look: &mut Look, _: &Settings) {
    look.trail = TRAILS.into_iter().find(|&trail| trail > look.trail).unwrap_or(0.0);
}

/// The cell of the boid nearest to the ray from `eye` along the unit vector `ray`; none where no boid is near it.
pub fn pick(cells: &Grid, positions: &[Vec3], eye: Vec3, ray: Vec3) -> Option<UVec3> {
    let miss = |position: &Vec3| {
        let way = *position - eye;
        let ahead = way.dot(ray);
        if ahead > 0.0 { (way - ray * ahead).length() / ahead } else { f32::INFINITY }
    };
    let nearest = positions.iter().map(|position| (miss(position), position)).min_by(|a, b| a.0.total_cmp(&b.0))?;
    (nearest.0 <= NEAR_MISS).then(|| cell_of(cells, *nearest.1))
}

/// The panel's rows about the look.
pub fn rows(ui: &mut Ui, look: &Look) {
    row(ui, "shape", look.shape.name());
    row(ui, "color", look.color.name());
    legend(ui, look);
    row(ui, "backdrop", look.backdrop.name());
    row(ui, "trail", &if look.trail > 0.0 { format!("{} s", look.trail) } else { "none".into() });
}

/// What the colors mean.
fn legend(ui: &mut Ui, look: &Look) {
    match look.color {
        Coloring::Natural | Coloring::Silhouette | Coloring::Random => {}
        Coloring::Id => ramp(ui, palette::hues(), &["one hue", "per boid"]),
        Coloring::Heading => ramp(ui, palette::hues(), &["+z", "-x", "-z", "+x", "+z"]),
        Coloring::Neighbors => ramp(ui, palette::amounts(), &["alone", "crowded"]),
        Coloring::Speed => ramp(ui, palette::amounts(), &["still", "full speed"]),
        Coloring::Cell => {
            let [x, y, z] = look.cell.to_array();
            swatch(ui, Color32::from_rgb(255, 0, 0), &format!("in cell {x},{y},{z}"));
            swatch(ui, Color32::from_rgb(0, 225, 237), "in the cells around it");
            swatch(ui, Color32::BLACK, "elsewhere");
        }
    }
}

fn ramp(ui: &mut Ui, colors: palette::Ramp, places: &[&str]) {
    let width = ui.available_width();
    let (bar, _) = ui.allocate_exact_size(egui::vec2(width, RAMP_HEIGHT), Sense::hover());
    let shades = 4 * (colors.len() - 1);
    for k in 0..shades {
        let place = k as f32 / 4.0;
        let below = place as usize;
        let color = colors[below].lerp(colors[below + 1], place - below as f32);
        let left = bar.min.x + width * k as f32 / shades as f32;
        let part = egui::Rect::from_min_size(
            egui::pos2(left, bar.min.y),
            egui::vec2(width / shades as f32 + 0.5, RAMP_HEIGHT),
        );
        let color = egui::Rgba::from_rgb(color.x, color.y, color.z);
        ui.painter().rect_filled(part.intersect(bar), 0.0, color);
    }
    // One below each end, and the others evenly between.
    let (line, _) = ui.allocate_exact_size(egui::vec2(width, ROW - 2.0), Sense::hover());
    let last = places.len() - 1;
    for (k, place) in places.iter().enumerate() {
        let align = match k {
            0 => egui::Align2::LEFT_TOP,
            k if k == last => egui::Align2::RIGHT_TOP,
            _ => egui::Align2::CENTER_TOP,
        };
        let at = egui::pos2(line.min.x + width * k as f32 / last as f32, line.min.y);
        ui.painter().text(at, align, *place, egui::FontId::proportional(11.0), FAINT);
    }
}

fn swatch(ui: &mut Ui, color: Color32, meaning: &str) {
    ui.horizontal(|ui| {
        let (square, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), Sense::hover());
        ui.painter().rect_filled(square, 2.0, color);
        ui.painter().rect_stroke(square, 2.0, egui::Stroke::new(1.0, FAINT), egui::StrokeKind::Outside);
        ui.label(RichText::new(meaning).size(11.0).color(FAINT));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::look::COLORINGS;
    use crate::render::{Camera, cells};
    use glam::vec3;

    fn settings() -> Settings {
        Settings::preset("counting-sort").expect("a known preset").with_boids(1_000)
    }

    #[test]
    fn keys_lead_through_every_look_that_shows_something() {
        let settings = settings();
        let mut look = Look::of(&settings);
        let mut seen = Vec::new();
        for _ in 0..COLORINGS.len() {
            next_color(&mut look, &settings);
            look.check(&settings).expect("it shows something");
            seen.push(look.color);
        }
        assert!(!seen.contains(&Coloring::Speed), "all boids of this flock are of one speed");
        assert!(seen.contains(&Coloring::Cell) && seen.contains(&Coloring::Natural));
        let trails: Vec<f32> = (0..5)
            .map(|_| {
                next_trail(&mut look, &settings);
                look.trail
            })
            .collect();
        assert_eq!(trails, [0.5, 1.0, 2.0, 0.0, 0.5]);
    }

    #[test]
    fn a_click_picks_the_cell_of_the_boid_under_it() {
        let settings = settings();
        let cells = cells(&settings);
        let camera = Camera::fit(&settings.world, 1.5);
        let positions = [vec3(1.0, 2.0, -1.0), vec3(-2.0, 0.0, 3.0)];
        for position in positions {
            let way = (position - camera.eye()).normalize();
            assert_eq!(pick(&cells, &positions, camera.eye(), way), Some(cell_of(&cells, position)));
        }
        // Beside all boids, behind the eye, and without any.
        assert_eq!(pick(&cells, &positions, camera.eye(), camera.ray([0.99, 0.99], 1.5)), None);
        assert_eq!(pick(&cells, &positions, camera.eye(), -camera.axes()[2]), None);
        assert_eq!(pick(&cells, &[], camera.eye(), camera.axes()[2]), None);
    }

    #[test]
    fn the_panel_shows_every_look() {
        let context = egui::Context::default();
        for coloring in COLORINGS {
            let look = Look { color: coloring.value, trail: 0.5, ..Look::of(&settings()) };
            let mut output = context.run_ui(egui::RawInput::default(), |ui| rows(ui, &look));
            assert!(!output.shapes.is_empty());
            output.textures_delta.clear();
        }
    }
}
