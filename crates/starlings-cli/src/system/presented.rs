//! A window, as the Vulkan driver sees it.
//!
//! Under X11 the driver gets a connection to the server of its own. It sends pictures from its own threads, and they
//! fail once another program has destroyed the window. On the connection of winit these failures would arrive as
//! answers to what winit asks for, and it would panic; and where the server closes that connection, Xlib never unlocks
//! it (1.8.4), so that a thread of the driver that waits for it would wait without end.

use crate::error::Result;
use raw_window_handle::{DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle};
use std::sync::Arc;

/// A window and the connection that the driver uses, if not that of the window.
pub struct PresentedWindow<W> {
    pub window: Arc<W>,
    #[cfg(all(unix, not(target_os = "macos")))]
    x11: Option<x11::Presenter>,
}

impl<W: HasWindowHandle> PresentedWindow<W> {
    /// The X server must have made the window already: another connection could name it too early.
    ///
    /// # Errors
    /// [`starlings::Error::Window`] when the X server refuses another connection.
    pub fn new(window: Arc<W>) -> Result<Self> {
        Ok(PresentedWindow {
            #[cfg(all(unix, not(target_os = "macos")))]
            x11: x11::Presenter::of(&*window).map_err(|reason| starlings::Error::Window {
                operation: "connecting to the X server for the driver",
                reason,
            })?,
            window,
        })
    }
}

impl<W: HasDisplayHandle> HasDisplayHandle for PresentedWindow<W> {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(x11) = &self.x11 {
            return Ok(x11.display_handle());
        }
        self.window.display_handle()
    }
}

impl<W: HasWindowHandle> HasWindowHandle for PresentedWindow<W> {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if let Some(x11) = &self.x11 {
            return Ok(x11.window_handle());
        }
        self.window.window_handle()
    }
}

#[cfg(all(unix, not(target_os = "macos")))]
mod x11 {
    use raw_window_handle::{
        DisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle, WindowHandle, XcbDisplayHandle,
        XcbWindowHandle,
    };
    use std::num::NonZeroU32;
    use std::ptr::NonNull;
    use x11rb::xcb_ffi::XCBConnection;

    pub struct Presenter {
        connection: XCBConnection,
        screen: i32,
        window: NonZeroU32,
    }

    impl Presenter {
        /// None where the window is not one of X11.
        pub fn of(window: &impl HasWindowHandle) -> Result<Option<Self>, String> {
            let id = match window.window_handle().map_err(|e| e.to_string())?.as_raw() {
                RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok().and_then(NonZeroU32::new),
                _ => None,
            };
            let Some(id) = id else { return Ok(None) };
            let (connection, screen) = XCBConnection::connect(None).map_err(|e| e.to_string())?;
            Ok(Some(Presenter { connection, screen: screen as i32, window: id }))
        }

        pub fn display_handle(&self) -> DisplayHandle<'_> {
            let connection = NonNull::new(self.connection.get_raw_xcb_connection());
            let handle = XcbDisplayHandle::new(connection, self.screen);
            // SAFETY: the connection is open as long as it is borrowed.
            unsafe { DisplayHandle::borrow_raw(RawDisplayHandle::Xcb(handle)) }
        }

        pub fn window_handle(&self) -> WindowHandle<'_> {
            // SAFETY: the window is kept by whoever owns this.
            unsafe { WindowHandle::borrow_raw(RawWindowHandle::Xcb(XcbWindowHandle::new(self.window))) }
        }
    }
}
