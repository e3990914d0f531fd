//! What the window system shows of the window where nothing is drawn yet: while it opens, and while it grows, until the next frame is
//! there. X11 would show there whatever lies behind the window, often white, and may throw away what was drawn.

use winit::window::Window as OsWindow;

/// Gives the window a colour (red, green and blue, 0…255) where nothing is drawn, and has it keep what is drawn in its upper left corner
/// while its size changes. Does nothing on window systems other than X11: they show a window as it was until its next frame.
pub(super) fn set(os: &OsWindow, color: [u8; 3]) {
    #[cfg(target_os = "linux")]
    if let Some(window) = x11_window(os) {
        // Without it the window works all the same.
        _ = set_attributes(window, color);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (os, color);
}

/// Returns the number of the window on its X server; `None` where it has none.
#[cfg(target_os = "linux")]
fn x11_window(os: &OsWindow) -> Option<u32> {
    use winit::raw_window_handle::{HasWindowHandle, RawWindowHandle};
    match os.window_handle().ok()?.as_raw() {
        RawWindowHandle::Xlib(handle) => u32::try_from(handle.window).ok(),
        RawWindowHandle::Xcb(handle) => Some(handle.window.get()),
        _ => None,
    }
}

/// Asks the X server, by a connection of its own: any of its clients may.
#[cfg(target_os = "linux")]
fn set_attributes(window: u32, [r, g, b]: [u8; 3]) -> Option<()> {
    use x11rb::connection::Connection as _;
    use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConnectionExt as _, Gravity};
    let (connection, screen) = x11rb::connect(None).ok()?;
    // In other depths a colour has other bits.
    let is_plain = connection.setup().roots.get(screen)?.root_depth == 24;
    let mut wanted = ChangeWindowAttributesAux::new().bit_gravity(Gravity::NORTH_WEST);
    if is_plain {
        wanted = wanted.background_pixel(u32::from_be_bytes([0, r, g, b]));
    }
    connection.change_window_attributes(window, &wanted).ok()?.check().ok()
}
