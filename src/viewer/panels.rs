//! The panel: what is shown, how fast it runs, and the keys.

use super::breaking::{Breaking, Choice};
use super::input::KEYS;
use super::looks;
use super::numbers::Numbers;
use super::widgets::{ACCENT, FAINT, INK, ROW, glass, grouped, heading, row};
use crate::flock::OrderParameters;
use crate::vk::PanelPicture;
use egui::{Align, Context, FontId, Layout, RichText, TextStyle, Ui};
use std::time::Instant;
use winit::event::WindowEvent;
use winit::window::Window;

/// Width of the panel, in points.
const WIDTH: f32 = 216.0;

/// Height of the panel without the passes, in points.
const BASE: f32 = 417.0;

/// Rows that the order parameters take, with their heading.
const ORDER_ROWS: f32 = 7.5;

/// Short passes that run only to compute the panel's numbers.
const SMALL_PASSES: &[&str] = &["order_reduce", "order_mean", "milling_reduce", "milling_mean"];

/// The panel in its window.
pub struct Overlay {
    state: egui_winit::State,
    /// Whether it is shown.
    pub open: bool,
    opened: Instant,
}

impl Overlay {
    /// An open panel.
    pub fn new(window: &Window, max_texture_side: u32) -> Self {
        let context = Context::default();
        context.all_styles_mut(|style| {
            style.text_styles.insert(TextStyle::Body, FontId::proportional(13.0));
            style.text_styles.insert(TextStyle::Monospace, FontId::monospace(12.5));
            style.interaction.selectable_labels = false;
            style.spacing.item_spacing = egui::vec2(8.0, 2.0);
            style.spacing.interact_size.y = ROW - 2.0;
        });
        let scale = Some(window.scale_factor() as f32);
        let viewport = context.viewport_id();
        let side = Some(max_texture_side as usize);
        let state = egui_winit::State::new(context, viewport, window, scale, None, side);
        Overlay { state, open: true, opened: Instant::now() }
    }

    /// Passes an event to the panel. True if the panel consumed it.
    pub fn on_event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        let consumed = self.state.on_window_event(window, event).consumed;
        if !self.open {
            // A closed panel does not read them, and the mouse sends many.
            self.state.egui_input_mut().events.clear();
        }
        consumed && self.open
    }

    /// Lays out the panels in a window of that many pixels, if shown. The panel for breaking also returns the user's choice.
    pub fn picture(
        &mut self,
        window: &Window,
        (width, height): (u32, u32),
        numbers: &Numbers,
        breaking: Option<&Breaking>,
    ) -> (Option<PanelPicture>, Option<Choice>) {
        if !self.open {
            return (None, None);
        }
        let mut choice = None;
        let context = self.state.egui_ctx().clone();
        // Not by `take_egui_input`, which asks the window for its size: winit panics where another program has destroyed it.
        let scale = window.scale_factor() as f32;
        let size = egui::vec2(width as f32, height as f32) / (scale * context.zoom_factor());
        let input = self.state.egui_input_mut();
        input.time = Some(self.opened.elapsed().as_secs_f64());
        input.screen_rect = Some(egui::Rect::from_min_size(egui::Pos2::ZERO, size));
        input.viewports.entry(input.viewport_id).or_default().native_pixels_per_point = Some(scale);
        let input = input.take();
        let output = context.run_ui(input, |ui| {
            panel(ui.ctx(), numbers);
            choice = choice.or(breaking.and_then(|breaking| breaking.panel(ui.ctx())));
        });
        self.state.handle_platform_output(window, output.platform_output);
        let primitives = context.tessellate(output.shapes, output.pixels_per_point);
        let (textures, pixels_per_point) = (output.textures_delta, output.pixels_per_point);
        (Some(PanelPicture { primitives, textures, pixels_per_point }), choice)
    }
}

fn panel(context: &Context, numbers: &Numbers) {
    egui::Area::new("panel".into()).fixed_pos([12.0, 12.0]).movable(false).show(context, |ui| {
        glass().show(ui, |ui| contents(ui, numbers));
    });
}

fn contents(ui: &mut Ui, numbers: &Numbers) {
    ui.set_width(WIDTH);
    ui.horizontal(|ui| {
        ui.label(RichText::new(numbers.preset).size(15.0).strong().color(ACCENT));
        if numbers.paused {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(RichText::new("paused").color(FAINT));
            });
        }
    });
    ui.label(RichText::new(&numbers.device).size(11.0).color(FAINT));
    ui.add_space(6.0);
    row(ui, "boids", &grouped(numbers.boids.into()));
    row(ui, "step", &grouped(numbers.step.into()));
    if let Some(fullest) = numbers.fullest {
        row(ui, "fullest cell", &grouped(fullest.into()));
    }
    row(ui, "frames per second", &format!("{:.0}", numbers.fps));
    // A low window shows only the total.
    let mut room = (ui.ctx().content_rect().height() - BASE) / ROW;
    if let Some(order) = numbers.order.filter(|_| room >= ORDER_ROWS) {
        room -= ORDER_ROWS;
        order_rows(ui, &order);
    }
    let shown = || numbers.passes.iter().filter(|pass| !SMALL_PASSES.contains(&pass.name));
    let all = room >= shown().count() as f32 + 2.0;
    if !numbers.passes.is_empty() && room >= 2.0 {
        heading(ui, "GPU time, median ms");
        for pass in shown().filter(|pass| all || pass.name == "frame") {
            row(ui, pass.name, &format!("{:.3}", pass.median_ms));
        }
    }
    if let Some(look) = &numbers.look {
        heading(ui, "Look");
        looks::rows(ui, look);
    }
    heading(ui, "Keys");
    egui::Grid::new("keys").num_columns(4).spacing([10.0, 2.0]).min_row_height(ROW - 2.0).show(ui, |ui| {
        for pair in KEYS.chunks(2) {
            for (key, meaning) in pair {
                ui.label(RichText::new(*key).monospace().color(ACCENT));
                ui.label(RichText::new(*meaning).color(INK));
            }
            ui.end_row();
        }
    });
    if let Some(notice) = &numbers.notice {
        ui.add_space(6.0);
        ui.label(RichText::new(notice).color(ACCENT));
    }
}

fn order_rows(ui: &mut Ui, order: &OrderParameters) {
    heading(ui, "Order parameters");
    row(ui, "polarization", &format!("{:.3}", order.polarization));
    row(ui, "milling", &format!("{:.3}", order.milling));
    row(ui, "neighbors, mean", &format!("{:.1}", order.neighbors));
    row(ui, "neighbors, most", &grouped(order.most_neighbors.into()));
    row(ui, "nearest neighbor", &order.nearest.map_or("-".to_owned(), |nearest| format!("{nearest:.3}")));
    row(ui, "speed", &format!("{:.2}", order.speed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_lays_out_without_a_window() {
        let context = Context::default();
        let settings = crate::flock::Settings::preset("reynolds").expect("a known preset");
        let order = Some(OrderParameters::of(&settings, &crate::flock::order::OrderMeans::default()));
        let numbers = Numbers { preset: "reynolds", boids: 500, paused: true, order, ..Numbers::default() };
        for _ in 0..2 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| panel(ui.ctx(), &numbers));
            assert!(!output.shapes.is_empty());
            output.textures_delta.clear();
        }
    }
}
