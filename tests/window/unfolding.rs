//! Sections of the panel, unfolded by a click on their names.

use super::common::screen::{Screen, Shown, Viewer};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::ConnectionExt as _;

/// Unfolds the section whose name is there, in pixels of the window, and waits until what is below it has moved.
pub fn unfold(screen: &Screen, viewer: &mut Viewer<'_>, (x, y): (u32, u32)) {
    let (left, top) = corner(screen, &viewer.window);
    // The panel is not quite opaque, so this looks at light and dark only.
    let below = |shown: &Shown| -> Vec<bool> {
        let rows = top + y as usize + 14..(top + y as usize + 54).min(shown.size.1);
        let places = rows.flat_map(|y| (left + 20..left + 270).map(move |x| (x, y)));
        places.map(|(x, y)| shown.at(x, y)[1] > 100).collect()
    };
    // A click is lost where nothing has been laid out since the mouse came.
    screen.does(&format!("mousemove --window {} {x} {y}", viewer.window));
    let folded = screen.settled(300, below);
    viewer.does_until("open section", "click 1", |_| below(&screen.shown()) != folded);
    screen.settled(300, below);
}

/// Where the window's left upper corner is on the screen.
fn corner(screen: &Screen, window: &str) -> (usize, usize) {
    let (connection, at) = x11rb::connect(Some(&screen.display)).expect("the screen is there");
    let (root, window) = (connection.setup().roots[at].root, window.parse().expect("a number"));
    let corner = connection.translate_coordinates(window, root, 0, 0).expect("a request").reply().expect("a place");
    (corner.dst_x as usize, corner.dst_y as usize)
}
