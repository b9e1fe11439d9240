//! The section of the camera: its key poses on a time line.

use super::{Draft, FileRequest, Requests};
use crate::viewer::keys::Command;
use egui::{DragValue, Ui};

/// Name of the file that poses are saved to, unless there is one.
const FILE: &str = "starlings-camera.csv";

pub fn section(ui: &mut Ui, draft: &mut Draft, plays: bool, requests: &mut Requests) {
    ui.horizontal(|ui| {
        let mut button = |text: &str, about: &str, command| {
            if ui.button(text).on_hover_text(about).clicked() {
                requests.commands.push(command);
            }
        };
        button("Set pose", "K: a key pose where the camera is, at this moment of the flock's time", Command::Pose);
        let about = "J: from pose to pose, as fast as the flock's time goes. Moving the camera ends it";
        button(if plays { "Stop" } else { "Play" }, about, Command::Path);
        let about = "The poses as a table, for --camera of the window and of `starlings render`";
        if !draft.path.poses().is_empty() && ui.button("Save").on_hover_text(about).clicked() {
            requests.file = Some(FileRequest::SavePath(FILE.into()));
        }
    });
    let (mut gone, mut moved) = (None, None);
    for (at, pose) in draft.path.poses().iter().enumerate() {
        ui.horizontal(|ui| {
            let mut seconds = pose.seconds;
            let time = DragValue::new(&mut seconds).speed(0.0).update_while_editing(false).suffix(" s").max_decimals(2);
            ui.add(time).on_hover_text("When it is, in seconds of the flock's time");
            if seconds != pose.seconds {
                moved = Some((at, seconds));
            }
            if ui.small_button("look").on_hover_text("The camera goes there").clicked() {
                requests.pose = Some(pose.camera);
            }
            if ui.small_button("×").on_hover_text("Take it away").clicked() {
                gone = Some(at);
            }
        });
    }
    if let Some(at) = gone {
        draft.path.remove(at);
    } else if let Some((at, seconds)) = moved {
        draft.path.move_to(at, seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::super::widgets::trial::{click_once, texts};
    use super::*;
    use crate::camera_path::Pose;
    use starlings::flock::Settings;
    use starlings::render::Camera;

    #[test]
    fn poses_are_listed_looked_at_and_taken_away() {
        let settings = Settings::preset("reynolds").expect("a known preset");
        let camera = Camera::of(&settings, 1.6);
        let mut draft = Draft::of(settings);
        let mut requests = Requests::default();
        assert!(!texts(|ui| section(ui, &mut draft, false, &mut requests)).contains(&"Save".to_owned()));
        draft.path.set(Pose { seconds: 2.5, camera });
        let shown = texts(|ui| section(ui, &mut draft, true, &mut requests));
        assert!(shown.contains(&"2.50".to_owned()) && shown.contains(&"Stop".to_owned()), "{shown:?}");
        click_once("look", |ui| section(ui, &mut draft, false, &mut requests));
        assert_eq!(requests.pose, Some(camera));
        click_once("Save", |ui| section(ui, &mut draft, false, &mut requests));
        assert_eq!(requests.file, Some(FileRequest::SavePath(FILE.into())));
        click_once("×", |ui| section(ui, &mut draft, false, &mut requests));
        assert!(draft.path.poses().is_empty());
    }
}
