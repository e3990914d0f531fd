//! Images: their pixels, which may arrive after the model.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::BuildError;

/// The storage format of the pixels of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PixelFormat {
    /// RGBA, 8 bits each, straight alpha.
    #[default]
    Rgba8,
    /// Blocks of 4 × 4 pixels, 16 bytes each: BPTC, which desktop hardware reads.
    Bc7,
    /// Blocks of 4 × 4 pixels, 16 bytes each: ASTC, which mobile hardware and Apple's reads.
    Astc4x4,
    /// Blocks of 4 × 4 pixels, 16 bytes each: ETC2 with EAC alpha, which all hardware with OpenGL ES 3 reads.
    Etc2Rgba8,
}

impl PixelFormat {
    /// Returns the size of a mip level of `width` × `height` pixels, bytes.
    #[must_use]
    pub fn bytes(self, width: u32, height: u32) -> u64 {
        match self {
            Self::Rgba8 => (u64::from(width) * u64::from(height)).saturating_mul(4),
            Self::Bc7 | Self::Astc4x4 | Self::Etc2Rgba8 => {
                u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4)) * 16
            }
        }
    }

    /// Returns the width and height, in pixels, of a compressed block; 1 for formats without blocks. Both sides of the
    /// first level are multiples of it.
    #[must_use]
    pub fn block(self) -> u32 {
        if self == Self::Rgba8 { 1 } else { 4 }
    }
}

/// The block-compressed formats that a device can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFormats {
    /// Whether it reads [`PixelFormat::Bc7`].
    pub bc7: bool,
    /// Whether it reads [`PixelFormat::Astc4x4`].
    pub astc4x4: bool,
    /// Whether it reads [`PixelFormat::Etc2Rgba8`].
    pub etc2: bool,
}

impl BlockFormats {
    /// Returns the supported format that loses least quality; RGBA where the device reads no block format.
    #[must_use]
    pub fn best(self) -> PixelFormat {
        match self {
            Self { bc7: true, .. } => PixelFormat::Bc7,
            Self { astc4x4: true, .. } => PixelFormat::Astc4x4,
            Self { etc2: true, .. } => PixelFormat::Etc2Rgba8,
            _ => PixelFormat::Rgba8,
        }
    }
}

/// The pixels of an image with its mip levels, rows from the top. The texture slot that reads them says whether colours
/// are sRGB or linear.
#[derive(Clone, PartialEq, Eq)]
pub struct Pixels {
    width: u32,
    height: u32,
    format: PixelFormat,
    levels: Vec<Vec<u8>>,
}

impl Pixels {
    /// Makes pixels from the levels of a mipmap: the first has the whole size, and each other has half the size of the
    /// one before (rounded down, at least one pixel). There may be fewer levels than a full chain has.
    ///
    /// # Errors
    /// There is no pixel, a level does not fit its size, or the first level is not made of whole blocks.
    pub fn new(width: u32, height: u32, format: PixelFormat, levels: Vec<Vec<u8>>) -> Result<Self, BuildError> {
        let size = |level: usize| [width, height].map(|side| (side >> level).max(1));
        let fits = |(level, bytes): (usize, &Vec<u8>)| {
            let [width, height] = size(level);
            bytes.len() as u64 == format.bytes(width, height)
        };
        let most = (32 - width.max(height).leading_zeros()) as usize;
        let is_whole = width.is_multiple_of(format.block()) && height.is_multiple_of(format.block());
        let is_sized = width > 0 && height > 0 && is_whole && (1..=most).contains(&levels.len());
        if !is_sized || !levels.iter().enumerate().all(fits) {
            let what = "its pixels do not fit its size".to_owned();
            return Err(BuildError { location: format!("image of {width} × {height} pixels"), what });
        }
        Ok(Self { width, height, format, levels })
    }

    /// Makes pixels from one level of RGBA, `width * height * 4` bytes.
    ///
    /// # Errors
    /// The same as those of [`Pixels::new`].
    pub fn rgba8(width: u32, height: u32, rgba: Vec<u8>) -> Result<Self, BuildError> {
        Self::new(width, height, PixelFormat::Rgba8, vec![rgba])
    }

    /// Returns the width of the first level in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height of the first level in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the format that all levels have.
    #[must_use]
    pub fn format(&self) -> PixelFormat {
        self.format
    }

    /// Returns the bytes of the mip levels, the largest level first; there is at least one.
    #[must_use]
    pub fn levels(&self) -> &[Vec<u8>] {
        &self.levels
    }
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (w, h, levels) = (self.width, self.height, self.levels.len());
        write!(f, "Pixels({w}×{h}, {:?}, {levels} levels)", self.format)
    }
}

/// A function that reads and decodes the pixels of an image once more; `None` where they can no longer be read.
pub type DecodeAgain = Box<dyn Fn() -> Option<Pixels> + Send + Sync>;

/// An image of the file. Threads that decode it may set its pixels after the model was built. Pixels are set once and
/// never change, and clones of the image share them. They stay in memory after they were uploaded, since the next
/// device is filled from here where a device is lost; only an image that can be decoded again
/// ([`Image::decode_again_by`]) may do without them meanwhile.
#[derive(Clone, Default)]
pub struct Image {
    /// The file name, or the name that the file gives the image; it may be empty.
    pub name: String,
    held: Arc<Mutex<Held>>,
}

/// What all clones of an image share.
#[derive(Default)]
struct Held {
    state: State,
    again: Option<DecodeAgain>,
}

/// Where the pixels of an image are.
#[derive(Default)]
enum State {
    /// They may still be set.
    #[default]
    Pending,
    /// In memory.
    Decoded(Arc<Pixels>),
    /// They were in memory, and are decoded again when they are asked for.
    Freed,
    /// They cannot be decoded.
    Unreadable,
}

impl Image {
    /// Makes an image whose pixels will be set later.
    #[must_use]
    pub fn pending(name: String) -> Self {
        Self { name, held: Arc::default() }
    }

    /// Makes an image that has its pixels.
    #[must_use]
    pub fn ready(name: String, pixels: Pixels) -> Self {
        let state = State::Decoded(Arc::new(pixels));
        Self { name, held: Arc::new(Mutex::new(Held { state, again: None })) }
    }

    /// Returns the pixels; `None` where they were not set yet, or the image could not be decoded (see
    /// [`Image::is_pending`]). A neutral texture is drawn for such an image. Pixels that were freed are decoded again,
    /// which takes a while, and stay in memory until they are freed once more.
    #[must_use]
    pub fn pixels(&self) -> Option<Arc<Pixels>> {
        let mut held = self.held();
        if matches!(held.state, State::Freed) {
            let pixels = held.again.as_ref().and_then(|again| again());
            held.state = pixels.map_or(State::Unreadable, |pixels| State::Decoded(Arc::new(pixels)));
        }
        match &held.state {
            State::Decoded(pixels) => Some(Arc::clone(pixels)),
            State::Pending | State::Freed | State::Unreadable => None,
        }
    }

    /// Returns whether [`Image::pixels`] returns some, without decoding them again.
    #[must_use]
    pub fn has_pixels(&self) -> bool {
        matches!(self.held().state, State::Decoded(_) | State::Freed)
    }

    /// Returns whether the pixels are in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        matches!(self.held().state, State::Decoded(_))
    }

    /// Says how the pixels are decoded again once they were freed.
    pub fn decode_again_by(&self, again: DecodeAgain) {
        self.held().again = Some(again);
    }

    /// Frees the pixels, which nobody needs for now. Does nothing where they cannot be decoded again. Who still holds
    /// pixels that [`Image::pixels`] returned keeps them.
    pub fn free(&self) {
        let mut held = self.held();
        if held.again.is_some() && matches!(held.state, State::Decoded(_)) {
            held.state = State::Freed;
        }
    }

    /// Returns whether the pixels may still be set.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        matches!(self.held().state, State::Pending)
    }

    /// Sets the decoded pixels; `None`: the image cannot be decoded. Only the first call has an effect.
    pub fn arrive(&self, pixels: Option<Pixels>) {
        let mut held = self.held();
        if matches!(held.state, State::Pending) {
            held.state = pixels.map_or(State::Unreadable, |pixels| State::Decoded(Arc::new(pixels)));
        }
    }

    /// A thread that fails while it holds this leaves a whole state behind.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let held = self.held();
        let state: &dyn std::fmt::Debug = match &held.state {
            State::Pending => &"pending",
            State::Decoded(pixels) => pixels,
            State::Freed => &"freed",
            State::Unreadable => &"unreadable",
        };
        f.debug_struct("Image").field("name", &self.name).field("pixels", state).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_fit_their_size_level_by_level() {
        let make = |width, height, levels: &[usize]| {
            let levels = levels.iter().map(|bytes| vec![0; *bytes]).collect();
            Pixels::new(width, height, PixelFormat::Rgba8, levels).is_ok()
        };
        assert!(make(5, 3, &[60]) && make(5, 3, &[60, 8]) && make(5, 3, &[60, 8, 4]));
        assert!(!make(5, 3, &[60, 8, 4, 4]), "nothing is smaller than one pixel");
        assert!(!make(5, 3, &[]) && !make(5, 3, &[59]) && !make(5, 3, &[60, 12]));
        assert!(!make(0, 3, &[0]) && !make(3, 0, &[0]));
        assert!(!make(u32::MAX, u32::MAX, &[16]));
        let blocks = |width, height, levels: &[usize]| {
            let levels = levels.iter().map(|bytes| vec![0; *bytes]).collect();
            Pixels::new(width, height, PixelFormat::Bc7, levels).is_ok()
        };
        assert!(blocks(20, 12, &[240, 96, 32, 16, 16]) && blocks(4, 4, &[16, 16]));
        assert!(!blocks(18, 12, &[240]) && !blocks(20, 11, &[240]) && !blocks(20, 12, &[960]));
    }

    #[test]
    fn pixels_arrive_once_and_for_all_clones() {
        let image = Image::pending("skin".into());
        let clone = image.clone();
        assert!(clone.is_pending() && clone.pixels().is_none());
        image.arrive(Pixels::rgba8(1, 1, vec![1, 2, 3, 4]).ok());
        image.arrive(None);
        assert_eq!(clone.pixels().map(|p| p.levels()[0].clone()), Some(vec![1, 2, 3, 4]));
        let broken = Image::pending(String::new());
        broken.arrive(None);
        assert!(!broken.is_pending() && broken.pixels().is_none());
    }

    #[test]
    fn freed_pixels_are_decoded_again_when_they_are_asked_for() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let pixels = || Pixels::rgba8(1, 1, vec![1, 2, 3, 4]).unwrap();
        let image = Image::ready("skin".into(), pixels());
        image.free();
        assert!(image.is_in_memory(), "nothing could bring them back");
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        image.decode_again_by(Box::new(move || {
            // The file is gone after the second time.
            (counted.fetch_add(1, Ordering::Relaxed) < 2).then(pixels)
        }));
        let (clone, kept) = (image.clone(), image.pixels());
        image.free();
        assert!(!clone.is_in_memory() && clone.has_pixels() && !clone.is_pending());
        assert_eq!(kept.as_deref(), Some(&pixels()), "who held them keeps them");
        assert_eq!((clone.pixels(), image.pixels()), (kept.clone(), kept));
        assert!(image.is_in_memory() && calls.load(Ordering::Relaxed) == 1, "they stay once they are back");
        image.free();
        assert!(image.pixels().is_some());
        image.free();
        assert!(image.pixels().is_none() && !image.has_pixels() && !image.is_pending());
        image.arrive(Some(pixels()));
        assert!(image.pixels().is_none(), "pixels are set once");
    }
}
