//! How the strength of a brush falls from the middle of a dab to its rim.

/// A curve over the way from the middle of a dab to its rim.
#[derive(Debug)]
pub struct Falloff {
    /// Its name in files and on the command line.
    pub id: &'static str,
    /// Its name in the window.
    pub label: &'static str,
    curve: fn(f64) -> f64,
}

impl Falloff {
    /// Returns the share of the strength, 0 to 1, at a share of the radius: 1 in the middle, at 0, and nothing from the rim on, at 1.
    #[must_use]
    pub fn at(&self, t: f64) -> f64 {
        if t < 1.0 { (self.curve)(t.max(0.0)) } else { 0.0 }
    }
}

/// All curves, in the order in which they are shown; the first is taken where nothing is said.
pub static FALLOFFS: &[&Falloff] = &[
    &Falloff { id: "smooth", label: "Smooth", curve: |t| 1.0 - 3.0 * t * t + 2.0 * t * t * t },
    &Falloff { id: "linear", label: "Linear", curve: |t| 1.0 - t },
    &Falloff { id: "sharp", label: "Sharp", curve: |t| (1.0 - t) * (1.0 - t) },
    &Falloff { id: "sphere", label: "Sphere", curve: |t| (1.0 - t * t).sqrt() },
    &Falloff { id: "root", label: "Root", curve: |t| (1.0 - t).sqrt() },
    &Falloff { id: "constant", label: "Constant", curve: |_| 1.0 },
];

/// Finds the curve with an id.
#[must_use]
pub fn falloff(id: &str) -> Option<&'static Falloff> {
    FALLOFFS.iter().copied().find(|falloff| falloff.id == id)
}
