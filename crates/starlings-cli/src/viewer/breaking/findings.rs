//! What the panel says of the dependency that is left out: what it is for, what was played on the host, and what was
//! counted on the device.

use super::study::Outcome;
use super::whole;
use crate::damage::Counts;
use crate::damage::replay::{BoidOutcome, Corruption, FlockReplay, MutantReplay, Part};
use crate::viewer::controls::widgets::{ACCENT, FAINT, grouped, heading, row};
use egui::{Color32, Mesh, Rect, RichText, Sense, Shape, Ui};
use glam::Vec3;
use starlings::vk::DependencyEntry;

/// What went wrong, and what may.
pub const WARNING: Color32 = Color32::from_rgb(255, 84, 96);

/// Heights in points: of a bar of an array, and of the picture of a flock.
const BAR: f32 = 8.0;
const FLOCK: f32 = 84.0;

/// Axes to the right and up, seen from the front, from the right and from above, as by the keys 1, 3 and 7.
const VIEWS: [[Vec3; 2]; 3] = [[Vec3::X, Vec3::Y], [Vec3::NEG_Z, Vec3::Y], [Vec3::X, Vec3::NEG_Z]];

/// Points along an edge of a boid in that picture, and between its parts.
const BOID: f32 = 1.4;
const GAP: f32 = 4.0;

pub fn reason(ui: &mut Ui, dependency: &DependencyEntry) {
    let hazards: Vec<String> = dependency.hazards.iter().map(|hazard| hazard.to_string()).collect();
    heading(ui, &hazards.join(", "));
    whole(ui, dependency.reason);
}

/// What the specification allows, played on the host.
pub fn played(ui: &mut Ui, outcome: Option<&Outcome>) {
    let (boids, scene) = match outcome {
        Some(Outcome::Replayed(boids, scene)) => (*boids, scene),
        other => {
            heading(ui, "Played on the host by the specification");
            return match other {
                None => whole(ui, "Playing ..."),
                Some(Outcome::Failed(reason)) => whole(ui, &format!("Not played: {reason}")),
                Some(_) => {
                    whole(ui, "Not played: it is in none of the frames that are, which have the preset's own look.")
                }
            };
        }
    };
    heading(ui, &format!("Played on the host by the specification, {} boids", grouped(boids.into())));
    let MutantReplay { worst: Some((kind, steps, played)), .. } = &**scene else {
        return whole(ui, "Nothing bad: in these frames, others do its work.");
    };
    whole(ui, &played.what);
    for wrong in &played.corrupt {
        array(ui, wrong);
    }
    let counts = &played.damage.counts;
    let numbers = [
        ("lost", counts.lost),
        ("doubled", counts.doubled),
        ("astray", counts.strayed),
        ("wrong at display or host", played.results as u64),
    ];
    let found = numbers.into_iter().filter(|(_, number)| *number > 0);
    let found: Vec<String> = found.map(|(name, number)| format!("{} {name}", grouped(number))).collect();
    whole(
        ui,
        &format!("At the end: {}.", if found.is_empty() { "no boid is hurt".to_owned() } else { found.join(", ") }),
    );
    flock(ui, played);
    let steps = if *steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
    let times = match played.tried.max(1) {
        1 => "the only execution".to_owned(),
        tried => format!("the worst of {} executions", grouped(tried as u64)),
    };
    let small = format!("Four {kind} frames of {steps} from the start, one bad moment in the third, {times}.");
    ui.add(egui::Label::new(RichText::new(small).size(11.0).color(FAINT)).wrap());
}

/// How many elements were wrong, in words.
pub fn amount(wrong: &Corruption) -> String {
    match wrong.elements {
        Some((wrong, all)) => format!("{} of {}", grouped(wrong as u64), grouped(all as u64)),
        None => "wrong".into(),
    }
}

/// What was wrong in an array, drawn from its first element to its last.
fn array(ui: &mut Ui, wrong: &Corruption) {
    row(ui, wrong.resource.name(), &amount(wrong));
    let all: usize = wrong.spread.iter().map(|part| part.elements).sum();
    if all > 0 {
        let (area, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), BAR), Sense::hover());
        ui.painter().rect_filled(area, 1.0, FAINT.gamma_multiply(0.35));
        let mut before = 0;
        for Part { elements, wrong } in &wrong.spread {
            let x = |at: usize| area.left() + area.width() * at as f32 / all as f32;
            let part = Rect::from_x_y_ranges(x(before)..=x(before + elements), area.y_range());
            before += elements;
            if *wrong > 0 {
                // A single wrong element is seen, too.
                let share = 0.35 + 0.65 * *wrong as f32 / *elements as f32;
                ui.painter().rect_filled(part, 0.0, WARNING.gamma_multiply(share));
            }
        }
        response.on_hover_text(format!(
            "{} from its first element to its last; red: wrong at {}",
            wrong.resource, wrong.pass
        ));
    }
    if let Some((index, at, intact)) = &wrong.first {
        let first = format!("[{}] has {at} instead of {intact}", grouped(*index as u64));
        ui.label(RichText::new(first).monospace().size(10.5).color(FAINT));
    }
}

/// The played flock from three sides, where some of it was hurt.
fn flock(ui: &mut Ui, played: &FlockReplay) {
    let Some((low, high)) = bounds(&played.damage.flock).filter(|_| played.damage.flock.iter().any(|boid| boid.hurt))
    else {
        return;
    };
    ui.add_space(4.0);
    let (area, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), FLOCK), Sense::hover());
    let (middle, extent) = ((low + high) / 2.0, (high - low).max(Vec3::splat(f32::MIN_POSITIVE)));
    let width = (area.width() - 2.0 * GAP) / 3.0;
    let parts = [0.0, 1.0, 2.0].map(|nth| {
        let corner = area.min + egui::vec2(nth * (width + GAP), 0.0);
        Rect::from_min_size(corner, egui::vec2(width, FLOCK))
    });
    let inner = egui::vec2(width, FLOCK) - egui::Vec2::splat(2.0 * GAP);
    // The same scale in each.
    let scales = VIEWS.map(|axes| axes.map(|axis| extent.dot(axis.abs()))).map(|[x, y]| (inner.x / x).min(inner.y / y));
    let scale = scales.into_iter().fold(f32::MAX, f32::min);
    // Those that were hurt are over the others.
    let (hurt, sound): (Vec<&BoidOutcome>, Vec<&BoidOutcome>) =
        played.damage.flock.iter().filter(|boid| boid.position.is_finite()).partition(|boid| boid.hurt);
    for (part, [x, y]) in parts.into_iter().zip(VIEWS) {
        ui.painter().rect_filled(part, 2.0, Color32::from_rgb(34, 38, 50));
        let mut mesh = Mesh::default();
        for boid in sound.iter().chain(&hurt) {
            let from_middle = (boid.position - middle) * scale;
            let place = part.center() + egui::vec2(from_middle.dot(x), -from_middle.dot(y));
            let color = if boid.hurt { WARNING } else { Color32::from_rgb(150, 170, 210) };
            mesh.add_colored_rect(Rect::from_center_size(place, egui::Vec2::splat(BOID)), color);
        }
        ui.painter().add(Shape::mesh(mesh));
    }
    response.on_hover_text(
        "The intact flock after the fourth frame, from the front, the right and above. Red: lost, doubled or astray \
         without the dependency",
    );
}

/// The box that the boids are in; none without boids.
fn bounds(flock: &[BoidOutcome]) -> Option<(Vec3, Vec3)> {
    let places = flock.iter().map(|boid| boid.position).filter(|place| place.is_finite());
    places.fold(None, |all, place| {
        let (low, high) = all.unwrap_or((place, place));
        Some((low.min(place), high.max(place)))
    })
}

/// What was counted in the window's own flock: the worst of so many looks, of which some showed damage.
pub fn counted(ui: &mut Ui, (looks, hurt): (u32, u32), worst: &Counts) {
    heading(ui, "Counted on this device, twice a second");
    let verdict = match (looks, hurt) {
        (0, _) => "Not counted yet.".to_owned(),
        (_, 0) => "No damage to the flock; the picture is not checked. The frame is incorrect all the same.".to_owned(),
        (looks, hurt) => format!("Damage in {} of {} checks; the most:", grouped(hurt.into()), grouped(looks.into())),
    };
    ui.add(egui::Label::new(RichText::new(verdict).color(ACCENT)).wrap());
    let numbers = [
        ("boids miscounted", worst.miscounted),
        ("cells that start after the next", worst.falling),
        ("cells with a wrong range", worst.misfitting),
        ("boids lost", worst.lost),
        ("boids doubled", worst.doubled),
        ("boids not finite", worst.non_finite),
    ];
    for (name, number) in numbers.into_iter().filter(|(_, number)| *number > 0) {
        row(ui, name, &grouped(number));
    }
}
