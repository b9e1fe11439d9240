//! The section of files: a config file to save or to open, pictures and recordings, and the command line to copy.

use super::{FileRequest, Requests};
use crate::viewer::keys::Command;
use egui::{TextEdit, Ui};
use std::path::PathBuf;

pub fn section(ui: &mut Ui, name: &mut String, recording: bool, requests: &mut Requests) {
    ui.horizontal(|ui| {
        ui.add(TextEdit::singleline(name).desired_width(150.0));
        let path = || PathBuf::from(name.trim());
        let named = !name.trim().is_empty();
        let button = |ui: &mut Ui, text: &str, about: &str| {
            ui.add_enabled(named, egui::Button::new(text)).on_hover_text(about).clicked()
        };
        if button(ui, "Save", "Settings, look and camera as a config file; never over another file") {
            requests.file = Some(FileRequest::Save(path()));
        }
        if button(ui, "Open", "A config file, or a picture by this program. Files can also be dropped on the window") {
            requests.file = Some(FileRequest::Open(path()));
        }
    });
    ui.horizontal(|ui| {
        let mut button = |text: &str, about: &str, command| {
            if ui.button(text).on_hover_text(about).clicked() {
                requests.commands.push(command);
            }
        };
        let about = "F12: a PNG of the flock, without the controls, which Open leads back to";
        button("Picture", about, Command::Screenshot);
        let about = "F9: a video of the flock, without the controls: MP4 by ffmpeg, or else Y4M. Each frame is a \
                     sixtieth of a second of the flock's time, however long it takes to draw";
        button(if recording { "End recording" } else { "Record" }, about, Command::Record);
    });
    let about = "The shortest command line that opens this flock with its settings, look and camera";
    if ui.button("Copy command line").on_hover_text(about).clicked() {
        requests.file = Some(FileRequest::CopyCommandLine);
    }
}
