//! Pictures of the panels, to be looked at: nothing may be cut off, and all must be readable on each backdrop.

use super::common::screen::{Screen, Viewer};
use super::pause;
use starlings::render::look::BACKDROPS;
use std::io::BufWriter;
use std::path::Path;

/// What is open in a picture: acts of xdotool in a window that does not scale, and its name. Each section moves those
/// below it.
const OPEN: [(&str, &[&str]); 5] = [
    ("law-and-look", &["mousemove 70 250 click 1", "mousemove 70 174 click 1"]),
    ("influences", &["mousemove 70 212 click 1"]),
    ("time", &["mousemove 70 288 click 1", "mousemove 150 300 click --repeat 6 5"]),
    ("keys", &["mousemove 70 326 click 1", "mousemove 150 300 click --repeat 20 5"]),
    ("broken", &["key b", "key Down", "key Down"]),
];

fn write(screen: &Screen, path: &Path) {
    let shown = screen.shown();
    let file = BufWriter::new(std::fs::File::create(path).expect("room"));
    let mut encoder = png::Encoder::new(file, shown.size.0 as u32, shown.size.1 as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("room");
    writer.write_image_data(shown.pixels.as_flattened()).expect("room");
}

#[test]
#[ignore = "long: for eyes: writes pictures to target/panels"]
fn pictures_of_panels() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/panels");
    std::fs::create_dir_all(&folder).expect("room");
    for (size, scale) in [((640, 360), 1), ((2560, 1440), 2)] {
        for backdrop in BACKDROPS {
            for (name, acts) in OPEN {
                let screen = Screen::of(size).expect("Xvfb");
                let line = format!(
                    "view --preset reynolds --boids 200 --size {}x{} --backdrop {}",
                    size.0 / scale,
                    size.1 / scale,
                    backdrop.name
                );
                let mut viewer =
                    Viewer::with(&screen, &folder, &line, &[("WINIT_X11_SCALE_FACTOR", &scale.to_string())]);
                viewer.until_titled("a window with frames in it", "^starlings:.*fps");
                screen.does(&format!("windowfocus --sync {}", viewer.window));
                if size.1 / scale < 420 {
                    // One line at first.
                    screen.does("key h h");
                }
                for act in acts {
                    let act = match act.strip_prefix("mousemove ").map(|rest| rest.split(' ').collect::<Vec<_>>()) {
                        Some(words) => {
                            let [x, y] = [words[0], words[1]].map(|at| at.parse::<u32>().expect("a place") * scale);
                            format!("mousemove {x} {y} {}", words[2..].join(" "))
                        }
                        None => (*act).to_owned(),
                    };
                    screen.does(&act);
                    pause(1_500);
                }
                pause(if name == "broken" { 8_000 } else { 1_500 });
                write(&screen, &folder.join(format!("{name}-{}-{}x{}.png", backdrop.name, size.0, size.1)));
            }
        }
    }
}
