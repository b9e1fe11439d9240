//! The section of files: a config file to save or to open, and the command line to copy.

use super::{FileWish, Wishes};
use egui::{TextEdit, Ui};
use std::path::PathBuf;

pub fn section(ui: &mut Ui, name: &mut String, wishes: &mut Wishes) {
    ui.horizontal(|ui| {
        ui.add(TextEdit::singleline(name).desired_width(150.0));
        let path = || PathBuf::from(name.trim());
        let named = !name.trim().is_empty();
        let button = |ui: &mut Ui, text: &str, about: &str| {
            ui.add_enabled(named, egui::Button::new(text)).on_hover_text(about).clicked()
        };
        if button(ui, "Save", "Settings, look and camera as a config file; never over another file") {
            wishes.file = Some(FileWish::Save(path()));
        }
        if button(ui, "Open", "A config file, or a picture by this program. Files can also be dropped on the window") {
            wishes.file = Some(FileWish::Open(path()));
        }
    });
    let about = "The shortest command line that opens this flock with its settings, look and camera";
    if ui.button("Copy command line").on_hover_text(about).clicked() {
        wishes.file = Some(FileWish::CopyCommandLine);
    }
}
