//! The section of the obstacles.

use super::flock::obstacle_sliders;
use super::widgets::named;
use egui::{DragValue, Ui};
use glam::Vec3;
use starlings::flock::Settings;
use starlings::flock::obstacles::Obstacle;
use starlings::limits::MAX_OBSTACLES;

pub fn section(ui: &mut Ui, settings: &mut Settings, original: &Settings) {
    if settings.obstacles.len() < MAX_OBSTACLES as usize {
        ui.horizontal_wrapped(|ui| {
            for new in choices(settings) {
                if ui.button(new.name()).on_hover_text(format!("Place another {}", new.name())).clicked() {
                    settings.obstacles.push(new);
                }
            }
        });
    }
    let speed = 0.005 * settings.world.half_size.max_element();
    let mut gone = None;
    for (at, obstacle) in settings.obstacles.iter_mut().enumerate() {
        named(ui, obstacle.name(), |ui| {
            if ui.small_button("×").on_hover_text("Take it away").clicked() {
                gone = Some(at);
            }
        });
        ui.horizontal_wrapped(|ui| numbers(ui, obstacle, f64::from(speed)));
    }
    if let Some(at) = gone {
        settings.remove_obstacle(at);
    }
    obstacle_sliders(ui, settings, original);
}

/// An obstacle of each kind in the middle of the world, a fifth as large.
fn choices(settings: &Settings) -> [Obstacle; 5] {
    let (center, size) = (settings.world.center, 0.2 * settings.world.half_size.max_element());
    let normal = if settings.plane { Vec3::X } else { Vec3::Y };
    [
        Obstacle::Sphere { center, radius: size },
        Obstacle::Box { center, size: Vec3::splat(2.0 * size) },
        Obstacle::Capsule { from: center - Vec3::X * size, to: center + Vec3::X * size, radius: 0.5 * size },
        Obstacle::Torus { center, axis: Vec3::Y, ring: 1.5 * size, tube: 0.4 * size },
        Obstacle::Plane { point: center - settings.world.half_size * normal, normal },
    ]
}

/// Its numbers, each of which can be dragged.
fn numbers(ui: &mut Ui, obstacle: &mut Obstacle, speed: f64) {
    let place = |ui: &mut Ui, about: &str, v: &mut Vec3, speed: f64| {
        for (axis, name) in ["x ", "y ", "z "].into_iter().enumerate() {
            ui.add(DragValue::new(&mut v[axis]).update_while_editing(false).speed(speed).max_decimals(3).prefix(name))
                .on_hover_text(about);
        }
    };
    let length = |ui: &mut Ui, name: &str, x: &mut f32| {
        let number = DragValue::new(x).update_while_editing(false);
        ui.add(number.speed(speed).range(1e-6..=1e6).max_decimals(3).prefix(format!("{name} ")));
    };
    match obstacle {
        Obstacle::Sphere { center, radius } => {
            place(ui, "center", center, speed);
            length(ui, "radius", radius);
        }
        Obstacle::Box { center, size } => {
            place(ui, "center", center, speed);
            length(ui, "width", &mut size.x);
            length(ui, "height", &mut size.y);
            length(ui, "depth", &mut size.z);
        }
        Obstacle::Capsule { from, to, radius } => {
            place(ui, "one end", from, speed);
            place(ui, "the other end", to, speed);
            length(ui, "radius", radius);
        }
        Obstacle::Torus { center, axis, ring, tube } => {
            place(ui, "center", center, speed);
            place(ui, "axis", axis, 0.01);
            length(ui, "ring", ring);
            length(ui, "tube", tube);
        }
        Obstacle::Plane { point, normal } => {
            place(ui, "a place on it", point, speed);
            place(ui, "direction out of it", normal, 0.01);
        }
        Obstacle::Mesh { center, size, turn, model } => {
            ui.label(model.file());
            place(ui, "center", center, speed);
            length(ui, "largest edge", size);
            let degrees = DragValue::new(turn).update_while_editing(false);
            let degrees = degrees.speed(1.0).range(-360.0..=360.0).max_decimals(1).prefix("turn ").suffix("°");
            ui.add(degrees).on_hover_text("turned about y");
        }
    }
}
