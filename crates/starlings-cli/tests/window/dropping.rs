//! A file dropped on a window, as a file manager drops it: the protocol XDND.

use super::common::screen::{PATIENCE, Screen};
use std::path::Path;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;
use x11rb::{COPY_DEPTH_FROM_PARENT, CURRENT_TIME};

/// Drops `file` in the middle of `window`, and waits until that has taken it.
pub fn drop_file(screen: &Screen, window: &str, file: &Path) {
    let (connection, at) = x11rb::connect(Some(&screen.display)).expect("the screen is there");
    let root = connection.setup().roots[at].root;
    let target: u32 = window.parse().expect("a number");
    let atom =
        |name: &str| connection.intern_atom(false, name.as_bytes()).expect("a request").reply().expect("an atom").atom;
    let [selection, list, copy] = ["XdndSelection", "text/uri-list", "XdndActionCopy"].map(atom);
    let [enter, position, status, dropped, finished] =
        ["XdndEnter", "XdndPosition", "XdndStatus", "XdndDrop", "XdndFinished"].map(atom);
    let source = connection.generate_id().expect("a number");
    let (class, aux) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    connection.create_window(COPY_DEPTH_FROM_PARENT, source, root, 0, 0, 1, 1, 0, class, 0, &aux).expect("a request");
    connection.set_selection_owner(source, selection, CURRENT_TIME).expect("a request");
    let send = |kind: u32, data: [u32; 4]| {
        let data = [source, data[0], data[1], data[2], data[3]];
        let message = ClientMessageEvent::new(32, target, kind, data);
        connection.send_event(false, target, EventMask::NO_EVENT, message).expect("a request");
        connection.flush().expect("it goes out");
    };
    let middle = connection.translate_coordinates(target, root, 320, 300).expect("a request").reply().expect("a place");
    let place = u32::from(middle.dst_x as u16) << 16 | u32::from(middle.dst_y as u16);
    // Version 5 of the protocol, one type.
    send(enter, [5 << 24, list, 0, 0]);
    send(position, [0, place, CURRENT_TIME, copy]);
    let begun = Instant::now();
    loop {
        match connection.poll_for_event().expect("the screen is there") {
            Some(Event::SelectionRequest(asked)) => {
                let uri = format!("file://{}\r\n", file.display());
                let (owner, property) = (asked.requestor, asked.property);
                let mode = PropMode::REPLACE;
                connection.change_property8(mode, owner, property, asked.target, uri.as_bytes()).expect("a request");
                let told = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: asked.time,
                    requestor: owner,
                    selection,
                    target: asked.target,
                    property,
                };
                connection.send_event(false, owner, EventMask::NO_EVENT, told).expect("a request");
                connection.flush().expect("it goes out");
            }
            Some(Event::ClientMessage(told)) if told.type_ == status => {
                assert_eq!(told.data.as_data32()[1] & 1, 1, "the window takes no files");
                // What it has asked for has arrived by then.
                std::thread::sleep(Duration::from_millis(500));
                send(dropped, [0, CURRENT_TIME, 0, 0]);
            }
            Some(Event::ClientMessage(told)) if told.type_ == finished => return,
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(20)),
        }
        assert!(begun.elapsed() < PATIENCE, "the window does not take the file");
    }
}
