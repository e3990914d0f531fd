//! How much a file may ask for. Every allocation whose size a file chooses is charged to one budget.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::ImportError;

/// Bounds on what a file may ask for. The defaults are far above real models and far below what harms a desktop.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of all files together, data URIs included: a GLB cannot be longer than 4 GiB by its own header.
    pub file_bytes: u64,
    /// Bytes of the JSON text. Data URIs live there, so it is large.
    pub json_bytes: u64,
    /// Nested arrays and objects. glTF needs about ten; a parser's stack must hold them.
    pub json_depth: usize,
    /// Objects in the JSON. Each may become some hundred bytes for the two it takes in the file.
    pub json_objects: usize,
    /// Elements of arrays and objects in the JSON together.
    pub json_values: usize,
    /// Bytes that an accessor without a buffer view (all zeros, or sparse) may decode to: nothing else bounds its count.
    pub zero_bytes: u64,
    /// Width and height of an image, pixels: what graphics hardware takes.
    pub image_side: u32,
    /// Pixels of an image: 8192 × 8192 fits, its decoded form is 256 MiB.
    pub image_pixels: u64,
    /// Bytes of everything decoded: vertices, keys, pixels.
    pub decoded_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 30,
            json_bytes: 512 << 20,
            json_depth: 128,
            json_objects: 2_000_000,
            json_values: 32_000_000,
            zero_bytes: 256 << 20,
            image_side: 16_384,
            image_pixels: 8192 * 8192,
            decoded_bytes: 4 << 30,
        }
    }
}

impl Limits {
    /// Errors where `found` is more than `limit`.
    pub(super) fn check(place: &str, what: &'static str, found: u64, limit: u64) -> Result<(), ImportError> {
        if found <= limit { Ok(()) } else { Err(ImportError::Limit { place: place.into(), what, found, limit }) }
    }
}

/// Counts bytes up to a limit.
#[derive(Debug)]
pub(super) struct Budget {
    what: &'static str,
    limit: u64,
    used: AtomicU64,
}

impl Budget {
    pub(super) fn new(what: &'static str, limit: u64) -> Self {
        Self { what, limit, used: AtomicU64::new(0) }
    }

    /// Takes room for `count` items of `size` bytes, before they are allocated.
    pub(super) fn charge(&self, place: &dyn Fn() -> String, count: u64, size: usize) -> Result<(), ImportError> {
        let bytes = count.saturating_mul(size as u64);
        let before = self.used.fetch_add(bytes.min(self.limit + 1), Ordering::Relaxed);
        let found = before.saturating_add(bytes);
        if found <= self.limit {
            return Ok(());
        }
        Err(ImportError::Limit { place: place(), what: self.what, found, limit: self.limit })
    }
}

/// How an import tells how far it is, and how it is told to stop. Import may call it from any thread.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Called with a fraction 0…1 and what is being done.
    pub report: &'a (dyn Fn(f32, &str) + Sync),
    /// Set it and the import ends soon with [`ImportError::Cancelled`].
    pub cancel: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Progress<'static> {
    /// Tells nobody and cannot be stopped.
    #[must_use]
    pub fn silent() -> Self {
        Self { report: &|_, _| {}, cancel: &NEVER }
    }
}

impl Progress<'_> {
    /// Reports, unless it is time to stop.
    pub(super) fn step(&self, fraction: f32, what: &str) -> Result<(), ImportError> {
        if self.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        (self.report)(fraction, what);
        Ok(())
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("cancel", self.cancel).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_adds_up_and_does_not_overflow() {
        let budget = Budget::new("decoded bytes", 100);
        let place = || "accessor 3".to_owned();
        assert!(budget.charge(&place, 20, 4).is_ok());
        assert!(budget.charge(&place, 6, 4).is_err());
        assert!(budget.charge(&place, u64::MAX, 16).is_err());
    }
}
