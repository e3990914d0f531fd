//! The size with which the window opens: as remembered, as the monitors allow, and never too small for its panels.

use winit::dpi::LogicalSize;
use winit::event_loop::ActiveEventLoop;

/// The least size in points. In less, three panels leave no room for the picture.
pub(crate) const SMALLEST: [f32; 2] = [960.0, 600.0];

/// The greatest size of a window in points where no monitor is known.
const UNKNOWN_ROOM: [f64; 2] = [4096.0, 2304.0];

/// Returns how many points all monitors have together, from edge to edge; `None` where none is known.
pub(crate) fn room(event_loop: &ActiveEventLoop) -> Option<[f64; 2]> {
    let monitors = || event_loop.available_monitors().filter(|m| m.size().width > 0 && m.size().height > 0);
    // The smallest scale has the most points.
    let scale = monitors().map(|m| m.scale_factor()).min_by(f64::total_cmp)?;
    let left = monitors().map(|m| m.position().x).min()?;
    let top = monitors().map(|m| m.position().y).min()?;
    let right = monitors().map(|m| i64::from(m.position().x) + i64::from(m.size().width)).max()?;
    let bottom = monitors().map(|m| i64::from(m.position().y) + i64::from(m.size().height)).max()?;
    Some([(right - i64::from(left)) as f64 / scale, (bottom - i64::from(top)) as f64 / scale])
}

/// Returns a remembered size, no larger than `room`: the monitors may be others by now.
pub(crate) fn fitted(wanted: [f32; 2], room: Option<[f64; 2]>) -> LogicalSize<f64> {
    let [width, height] = room.unwrap_or(UNKNOWN_ROOM);
    LogicalSize::new(f64::from(wanted[0]).min(width), f64::from(wanted[1]).min(height))
}

/// Returns 1440 × 900 points, or nine tenths of a smaller screen.
pub(crate) fn default_size(event_loop: &ActiveEventLoop) -> LogicalSize<f64> {
    let monitor = event_loop.primary_monitor().or_else(|| event_loop.available_monitors().next());
    let screen = monitor.map(|m| m.size().to_logical::<f64>(m.scale_factor())).filter(|s| s.width > 0.0);
    let (width, height) = screen.map_or((1440.0, 900.0), |s| (s.width * 0.9, s.height * 0.9));
    LogicalSize::new(width.min(1440.0), height.min(900.0))
}
