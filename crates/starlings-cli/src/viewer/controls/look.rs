//! The section of the look.

use super::Draft;
use super::widgets::{FAINT, ROW, choice, named, restorable, slid};
use crate::viewer::diagram::short;
use egui::{Color32, RichText, Sense, Slider, SliderClamping, Ui};
use starlings::flock::Settings;
use starlings::flock::settings::Unit;
use starlings::render::look::{BACKDROPS, COLORINGS, Coloring, SHAPES, STRETCHES, is_color_range};
use starlings::render::{Look, cells, palette};
use starlings::transitions::STATES;

/// Longest trail of the slider, in seconds.
const TRAIL: f32 = 5.0;

/// Most neighbors of the sliders.
const MOST_NEIGHBORS: f32 = 100.0;

/// Height of a ramp of colors, in points.
const RAMP_HEIGHT: f32 = 8.0;

pub fn section(ui: &mut Ui, draft: &mut Draft, color_range: Option<[f32; 2]>) {
    let (settings, look) = (&draft.settings, &mut draft.look);
    let mut backdrop = look.backdrop;
    choice(ui, "backdrop", &mut backdrop, BACKDROPS, |_| true);
    if backdrop != look.backdrop {
        *look = look.clone().before(backdrop);
    }
    let shape = look.shape;
    choice(ui, "shape", &mut look.shape, SHAPES, |_| true);
    if let Some(model) = &look.model {
        let file = model.file().to_owned();
        let removed = named(ui, "model", |ui| ui.button("remove").on_hover_text(file).clicked()).inner;
        if removed || look.shape != shape {
            look.model = None;
        }
    }
    let before = look.clone();
    choice(ui, "color", &mut look.color, COLORINGS, |color| Look { color, ..before.clone() }.check(settings).is_ok());
    if look.color != before.color {
        // A range of speeds is none of counts.
        look.color_range = None;
    }
    legend(ui, look, settings, color_range);
    if let Some(range) = color_range.filter(|_| look.shows_amounts() && look.color == before.color) {
        let mut fitted = look.color_range.is_none();
        let about = "The colors go from the flock's 5th to its 95th percentile; otherwise they stay as they are now";
        if ui.checkbox(&mut fitted, "colors fit the flock").on_hover_text(about).changed() {
            look.color_range = (!fitted).then_some(range);
        }
    }
    if look.shows_amounts() {
        ends_of_colors(ui, look, settings);
    }
    let usual = Look::of(settings);
    if look.color == Coloring::Cell {
        let last = cells(settings).dims - 1;
        for (axis, name) in ["cell, x", "cell, y", "cell, z"].into_iter().enumerate() {
            let value = (&mut look.cell[axis], usual.cell[axis].min(last[axis]));
            slid(ui, (name, "The cell that is picked out"), value, |value| Slider::new(value, 0..=last[axis]));
        }
    }
    let most = TRAIL.max(look.trail);
    slid(ui, ("trail", "Simulated seconds that a trail is long"), (&mut look.trail, usual.trail), |value| {
        Slider::new(value, 0.0..=most).suffix(Unit::Seconds.symbol()).max_decimals(2)
    });
    for (axis, name) in ["width of a boid", "height of a boid", "length of a boid"].into_iter().enumerate() {
        let value = (&mut look.scale[axis], usual.scale[axis]);
        slid(ui, (name, "As a factor on its shape"), value, |value| {
            Slider::new(value, STRETCHES).logarithmic(true).suffix("×").max_decimals(2)
        });
    }
    ui.checkbox(&mut draft.coarse, "coarse picture")
        .on_hover_text("Four pixels share their samples: a quarter of the work");
    ui.checkbox(&mut draft.throttles, "cheaper when slow")
        .on_hover_text("Below 20 frames a second: a coarse picture, then fewer boids, unless a count was given");
    ui.checkbox(&mut draft.diagram, "grid and neighbors").on_hover_text(
        "The grid, and of the followed boid the cells that are searched, the search radius and a line to each neighbor",
    );
    if settings.targets > 0 {
        ui.checkbox(&mut look.targets, "targets");
    }
}

/// The values of the first and of the last color, where they are not fitted to the flock.
fn ends_of_colors(ui: &mut Ui, look: &mut Look, settings: &Settings) {
    let (most, unit) = match look.color {
        Coloring::Speed => (2.0 * settings.full_speed(), Unit::Speed.symbol()),
        _ => (MOST_NEIGHBORS, ""),
    };
    let Some(before) = look.color_range else { return };
    let mut range = before;
    let mut fitted = false;
    for (end, name) in range.iter_mut().zip(["first color", "last color"]) {
        let slider = Slider::new(end, 0.0..=most).clamping(SliderClamping::Never).suffix(unit).max_decimals(2);
        let slider = slider.update_while_editing(false);
        let about = || "The value that it stands for; otherwise it is fitted to the flock".to_owned();
        fitted |= restorable(ui, (name, true), about, |ui| drop(ui.add(slider)));
    }
    let range = if is_color_range(range) { range } else { before };
    look.color_range = (!fitted).then_some(range);
}

/// What the colors mean; those of amounts go from the first of `range` to the last.
fn legend(ui: &mut Ui, look: &Look, settings: &Settings, range: Option<[f32; 2]>) {
    let [low, high] = range.unwrap_or_default().map(short);
    match look.color {
        Coloring::Natural | Coloring::Silhouette | Coloring::Random => {}
        Coloring::Id => ramp(ui, palette::hues(), &["one hue", "per boid"]),
        Coloring::Heading => ramp(ui, palette::hues(), &["+z", "-x", "-z", "+x", "+z"]),
        Coloring::Neighbors => {
            ramp(ui, palette::amounts(), &[&format!("{low} neighbors or fewer"), &format!("{high} or more")]);
        }
        Coloring::Speed => {
            ramp(ui, palette::amounts(), &[&format!("{low} or less"), &format!("{high} units/s or more")]);
        }
        Coloring::Kind => {
            for (kind, color) in settings.kinds.iter().zip(palette::of_kinds(&settings.kinds)) {
                let [r, g, b] = color.to_array();
                swatch(ui, egui::Rgba::from_rgb(r, g, b).into(), &kind.name);
            }
        }
        Coloring::State => {
            for number in settings.states.numbers() {
                let [r, g, b] = palette::of_state(number).to_array();
                swatch(ui, egui::Rgba::from_rgb(r, g, b).into(), STATES[number as usize]);
            }
        }
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
        let color = palette::at(colors, k as f32 / shades as f32);
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
    use super::super::widgets::trial::click_twice;
    use super::*;
    use starlings::flock::States;
    use starlings::flock::kinds::Kind;

    #[test]
    fn every_number_of_the_look_is_restored_by_a_double_click() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let usual = Look { color: Coloring::Cell, ..Look::of(&settings) };
        let look = Look { trail: 2.5, scale: glam::Vec3::splat(1.5), cell: glam::UVec3::ONE, ..usual.clone() };
        let mut draft = Draft { look, ..Draft::of(settings.clone()) };
        let boid = ["width of a boid", "height of a boid", "length of a boid"];
        for name in ["trail", "cell, x", "cell, y", "cell, z"].into_iter().chain(boid) {
            click_twice(name, |ui| section(ui, &mut draft, None));
        }
        assert_eq!(draft.look, usual);
        for name in ["first color", "last color"] {
            draft.look = Look { color: Coloring::Speed, color_range: Some([1.0, 2.0]), ..usual.clone() };
            click_twice(name, |ui| section(ui, &mut draft, Some([1.0, 2.0])));
            assert_eq!(draft.look.color_range, None, "fitted to the flock");
        }
    }

    #[test]
    fn every_coloring_has_its_legend() {
        let context = egui::Context::default();
        let mut settings = Settings::preset("counting-sort").expect("a known preset");
        settings.states = States::Birds;
        settings.kinds = vec![Kind::parse("some:1").expect("a kind"), Kind::parse("others:1").expect("a kind")];
        for coloring in COLORINGS {
            let look = Look { color: coloring.value, trail: 0.5, ..Look::of(&settings) };
            let mut output =
                context.run_ui(egui::RawInput::default(), |ui| legend(ui, &look, &settings, Some([1.0, 2.5])));
            let plain = [Coloring::Natural, Coloring::Silhouette, Coloring::Random].contains(&coloring.value);
            assert_eq!(output.shapes.is_empty(), plain, "{}", coloring.name);
            output.textures_delta.clear();
        }
    }
}
