//! The choices that decide how the model's shaders branch in a picture. A graphics card reads them from the uniform
//! buffer; for a software device each combination has its own pipelines (`BY_PROCESSOR` of
//! shaders/common/globals.wgsl).

use skinscope_frame::{Frame, OVERLAYS, Scale};

use super::layouts::{light, scale, shown};

/// The choices of a picture that pipelines depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Shown {
    /// Bits of [`shown`].
    pub flags: u32,
    /// The index in [`OVERLAYS`]; 0 without an overlay.
    pub overlay: u32,
    /// One of the values of [`scale`].
    pub scale: u32,
    /// Bits of [`light`].
    pub lights: u32,
}

impl Shown {
    /// The choices in a picture of `frame`.
    pub fn of(frame: &Frame) -> Self {
        let display = &frame.display;
        let bit = |on, bit| if on { bit } else { 0 };
        Self {
            flags: bit(frame.overlay().is_some(), shown::HAS_OVERLAY)
                | bit(display.influenced_only && display.selected.is_some(), shown::INFLUENCED_ONLY)
                | bit(display.shared_black, shown::SHARED_BLACK),
            overlay: OVERLAYS.iter().position(|o| frame.overlay() == Some(*o)).unwrap_or(0) as u32,
            scale: match frame.overlay().map(|o| &o.scale) {
                Some(Scale::Ramp { .. }) | None => scale::RAMP,
                Some(Scale::Steps(_)) => scale::STEPS,
                Some(Scale::Joints) => scale::JOINTS,
            },
            lights: bit(frame.studio, light::STUDIO) | bit(!frame.lights.is_empty(), light::FILE),
        }
    }

    /// Keeps the choices that materials and light depend on.
    pub fn of_materials(self) -> Self {
        Self { flags: self.flags & shown::INFLUENCED_ONLY, lights: self.lights, ..Self::default() }
    }

    /// Keeps the choices that overlays depend on.
    pub(crate) fn of_overlays(self) -> Self {
        Self { lights: 0, ..self }
    }

    /// The values of the constants in globals.wgsl. `None` is for a graphics card, which reads the choices from the
    /// uniform buffer.
    pub fn constants(this: Option<Self>) -> [(&'static str, f64); 5] {
        let known = this.unwrap_or_default();
        [
            ("BY_PROCESSOR", f64::from(u8::from(this.is_some()))),
            ("SHOWN_FLAGS", f64::from(known.flags)),
            ("SHOWN_OVERLAY", f64::from(known.overlay)),
            ("SHOWN_SCALE", f64::from(known.scale)),
            ("SHOWN_LIGHTS", f64::from(known.lights)),
        ]
    }
}
