//! Limits of what a file may demand. Every allocation whose size depends on the file is charged to one budget.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use skinscope_base::parallel;

use super::ImportError;

/// The largest sizes that a file may have. The defaults are far above those of real models and far below what harms a
/// desktop computer. All limits of memory follow from one number ([`Limits::of_memory`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest size of all files together, bytes, data URIs included. A GLB cannot be longer than 4 GiB by its own
    /// header.
    pub file_bytes: u64,
    /// The largest size of the JSON text, bytes. It may be large, since it contains the data URIs.
    pub json_bytes: u64,
    /// The greatest depth of nested arrays and objects. glTF needs about ten; the stack of a parser grows with it.
    pub json_depth: usize,
    /// The largest number of objects in the JSON, nodes included. Each may take some hundred bytes of memory for the
    /// two that it takes in the file.
    pub json_objects: usize,
    /// The largest number of elements of all arrays and objects in the JSON together. Each may take a hundred bytes of
    /// memory for the two that it takes in the file.
    pub json_values: usize,
    /// The largest decoded size of all accessors without a buffer view (all zeros, or sparse), bytes: nothing else
    /// limits their count. A file that is itself large may have more: 128 for each of its bytes.
    pub zero_bytes: u64,
    /// The greatest width and height of an image, pixels. An image larger than the graphics device supports is scaled
    /// down when it is drawn.
    pub image_side: u32,
    /// The largest number of pixels of an image: 8192 × 8192 fits, which decodes to 256 MiB. It is read from the header
    /// before the image is decoded.
    pub image_pixels: u64,
    /// The largest size of all decoded data (vertices, keys, pixels), bytes. A small file may have at most an eighth of
    /// it, plus 64 for each of its bytes and 512 for each byte of its images: one that needs more is a decompression bomb rather than a model.
    pub decoded_bytes: u64,
}

/// Decoded bytes allowed for each byte of a file. Compressed geometry and clips have about twenty.
const DECODED_PER_BYTE: u64 = 64;

/// Decoded bytes allowed for each byte of an image. Only a PNG of one colour has more.
const PIXELS_PER_BYTE: u64 = 512;

/// Bytes of zeros allowed for each byte of a file. Sparse morph targets of a detailed face have about twenty.
const ZEROS_PER_BYTE: u64 = 128;

impl Default for Limits {
    fn default() -> Self {
        Self::of_memory(4 << 30)
    }
}

impl Limits {
    /// Returns the limits for a file that may take about `bytes` of memory once it is open; the default is 4 GiB.
    #[must_use]
    pub fn of_memory(bytes: u64) -> Self {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Self {
            file_bytes: bytes,
            json_bytes: bytes / 8,
            json_depth: 128,
            json_objects: count(bytes / 4096),
            json_values: count(bytes / 512),
            zero_bytes: bytes / 64,
            image_side: 65_536,
            image_pixels: bytes / 64,
            decoded_bytes: bytes,
        }
    }

    /// Returns the same limits for a model whose files are `length` bytes long: a large one may have more zeros.
    pub(super) fn of_files(&self, length: u64) -> Self {
        Self { zero_bytes: self.zero_bytes.max(length.saturating_mul(ZEROS_PER_BYTE)), ..self.clone() }
    }
}

impl Limits {
    /// Returns an error where `found` is more than `limit`.
    pub(super) fn check(location: &str, what: &'static str, found: u64, limit: u64) -> Result<(), ImportError> {
        if found <= limit { Ok(()) } else { Err(ImportError::Limit { location: location.into(), what, found, limit }) }
    }
}

/// Counts bytes up to a limit.
#[derive(Debug)]
pub(super) struct Budget {
    what: &'static str,
    limit: AtomicU64,
    /// The limit never rises above this.
    most: u64,
    used: AtomicU64,
    /// The bytes of images that have raised the limit.
    earned: AtomicU64,
}

impl Budget {
    pub(super) fn new(what: &'static str, limit: u64) -> Self {
        Self { what, limit: AtomicU64::new(limit), most: limit, used: AtomicU64::new(0), earned: AtomicU64::new(0) }
    }

    /// Makes the budget of everything decoded from `length` bytes of files; their images raise it ([`Budget::earn`]).
    pub(super) fn of_decoded(limits: &Limits, length: u64) -> Self {
        let most = limits.decoded_bytes;
        let start = (most / 8).saturating_add(length.saturating_mul(DECODED_PER_BYTE)).min(most);
        Self { most, ..Self::new("the size of everything decoded in bytes", start) }
    }

    /// Raises the limit by the bytes that an image of `length` bytes may decode to. `files` is the number of bytes of all
    /// files together; images earn for no more bytes than that, however often they are named.
    pub(super) fn earn(&self, length: u64, files: u64) {
        let before = self.earned.fetch_add(length, Ordering::Relaxed);
        let more = length.min(files.saturating_sub(before)).saturating_mul(PIXELS_PER_BYTE);
        let raised = |limit: u64| Some(limit.saturating_add(more).min(self.most));
        let _always = self.limit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, raised).is_ok();
    }

    /// Returns the bytes taken so far.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes room for `bytes` bytes that can be done without; `false` where less than half of the budget would be left for all that
    /// cannot.
    pub(super) fn charge_spare(&self, bytes: u64) -> bool {
        let most = self.limit.load(Ordering::Relaxed) / 2;
        let fits = |used: u64| used.checked_add(bytes).filter(|found| *found <= most);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Takes room for `count` items of `size` bytes, before they are allocated.
    pub(super) fn charge(&self, location: &dyn Fn() -> String, count: u64, size: usize) -> Result<(), ImportError> {
        let bytes = count.saturating_mul(size as u64);
        let limit = self.limit.load(Ordering::Relaxed);
        let fits = |used: u64| used.checked_add(bytes).filter(|found| *found <= limit);
        // A refused request takes nothing: an image that is left out must not cost other threads their room.
        let Err(before) = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) else { return Ok(()) };
        let found = before.saturating_add(bytes);
        Err(ImportError::Limit { location: location(), what: self.what, found, limit })
    }
}

/// The callbacks of an import: it reports its progress and asks whether it is cancelled, from any thread.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Called with the share that is done, 0…1, and what is being done, in words.
    pub report: &'a (dyn Fn(f32, &str) + Sync),
    /// A flag that cancels the import, which then soon returns [`ImportError::Cancelled`].
    pub cancel: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Progress<'static> {
    /// Makes a progress that reports nothing and cannot be cancelled.
    #[must_use]
    pub fn silent() -> Self {
        Self { report: &|_, _| {}, cancel: &NEVER }
    }
}

impl Progress<'_> {
    /// Reports progress, or returns an error when it is time to stop.
    pub(super) fn step(&self, fraction: f32, what: &str) -> Result<(), ImportError> {
        if self.is_cancelled() {
            return Err(ImportError::Cancelled);
        }
        (self.report)(fraction, what);
        Ok(())
    }

    /// Does the same as [`parallel::map`], for import.
    pub(super) fn map<T: Send>(&self, count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Result<Vec<T>, ImportError> {
        parallel::map(count, self.cancel, work).ok_or(ImportError::Cancelled)
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

/// A function that takes bytes from the budget, before they are allocated.
pub(super) type ReserveBytes<'a> = &'a dyn Fn(u64) -> Result<(), String>;

/// Returns the number of pixels of an image.
///
/// # Errors
/// There are none, or more than `limits` allow.
pub(super) fn measure(width: u32, height: u32, limits: &Limits) -> Result<u64, String> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(format!("it has {width} × {height} pixels"));
    }
    if width > limits.image_side || height > limits.image_side || pixels > limits.image_pixels {
        let (side, most) = (limits.image_side, limits.image_pixels);
        return Err(format!(
            "its {width} × {height} pixels are more than {side} a side or {most} in all; make it smaller"
        ));
    }
    Ok(pixels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_adds_up_and_does_not_overflow() {
        let budget = Budget::new("decoded bytes", 100);
        let location = || "accessor 3".to_owned();
        assert!(budget.charge(&location, 20, 4).is_ok());
        assert!(budget.charge(&location, 6, 4).is_err());
        assert!(budget.charge(&location, u64::MAX, 16).is_err());
        // The refused request took nothing.
        assert!(budget.charge(&location, 5, 4).is_ok() && budget.charge(&location, 1, 1).is_err());
        let budget = Budget::new("decoded bytes", 100);
        assert!(budget.charge_spare(30) && !budget.charge_spare(21) && budget.charge_spare(20));
        assert!(budget.charge(&location, 50, 1).is_ok() && !budget.charge_spare(0));
    }

    #[test]
    fn small_files_earn_less_and_none_earns_more_than_the_limit() {
        let limits = Limits::of_memory(8 << 20);
        let location = || "image 0".to_owned();
        let room = |length: u64, bytes: u64| Budget::of_decoded(&limits, length).charge(&location, bytes, 1).is_ok();
        assert!(room(0, 1 << 20) && !room(0, (1 << 20) + 1));
        assert!(room(16_384, 2 << 20) && !room(16_384, (2 << 20) + 1));
        assert!(room(u64::MAX, 8 << 20) && !room(u64::MAX, (8 << 20) + 1));
        let budget = Budget::of_decoded(&limits, 0);
        budget.earn(4096, 5000);
        assert!(budget.charge(&location, 3 << 20, 1).is_ok() && budget.charge(&location, 1, 1).is_err());
        // Images earn no more than all files together: 904 of these.
        budget.earn(4096, 5000);
        assert!(budget.charge(&location, 904 * PIXELS_PER_BYTE, 1).is_ok() && budget.charge(&location, 1, 1).is_err());
    }
}
