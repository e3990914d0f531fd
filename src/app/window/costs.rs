//! What the window knows of the cost of a frame.

use super::Window;
use crate::app::statistics::FrameEnd;

impl Window {
    /// Measures what pictures take on the device from now on, or no longer.
    pub(crate) fn measure_device(&mut self, is_on: bool) {
        if let Some(screen) = &mut self.screen {
            screen.renderer.measure_device(&screen.gpu, is_on);
        }
    }

    /// Returns what the device knows of the frame that ends.
    pub(crate) fn frame_end(&mut self) -> FrameEnd {
        let Some(screen) = &mut self.screen else { return FrameEnd::default() };
        FrameEnd {
            uploaded: screen.gpu.uploads().bytes,
            has_device_clock: screen.renderer.has_device_clock(),
            passes: screen.renderer.take_device_spans(&screen.gpu),
        }
    }
}
