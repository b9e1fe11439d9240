//! Sections of the panel, unfolded by a click on their names.

use super::common::screen::{Screen, Shown, Viewer};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::ConnectionExt as _;

/// Unfolds the section whose name is there, in pixels of the window, and waits until what is below it has moved.
pub fn unfold(screen: &Screen, viewer: &mut Viewer<'_>, (x, y): (u32, u32)) {
    let (left, top) = corner(screen, &viewer.window);
    let below = |shown: &Shown| {
        let rows = top + y as usize + 14..(top + y as usize + 54).min(shown.size.1);
        shown.light(rows, left + 20..left + 270)
    };
    let folded = screen.settled(300, below);
    let click = format!("mousemove --window {} {x} {y} click 1", viewer.window);
    viewer.does_until("open section", &click, |_| below(&screen.shown()) != folded);
    screen.settled(300, below);
}

/// Where the window's left upper corner is on the screen.
fn corner(screen: &Screen, window: &str) -> (usize, usize) {
    let (connection, at) = x11rb::connect(Some(&screen.display)).expect("the screen is there");
    let (root, window) = (connection.setup().roots[at].root, window.parse().expect("a number"));
    let corner = connection.translate_coordinates(window, root, 0, 0).expect("a request").reply().expect("a place");
    (corner.dst_x as usize, corner.dst_y as usize)
}
