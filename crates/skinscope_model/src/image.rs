//! Images: their pixels, which may arrive after the model.

use std::sync::{Arc, OnceLock};

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

/// An image of the file. Threads that decode it may set its pixels after the model was built. Pixels are set once and
/// never change, and clones of the image share them. They stay in memory after they were uploaded, since the next
/// device is filled from here where a device is lost.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The file name, or the name that the file gives the image; it may be empty.
    pub name: String,
    pixels: Arc<OnceLock<Option<Pixels>>>,
}

impl Image {
    /// Makes an image whose pixels will be set later.
    #[must_use]
    pub fn pending(name: String) -> Self {
        Self { name, pixels: Arc::default() }
    }

    /// Makes an image that has its pixels.
    #[must_use]
    pub fn ready(name: String, pixels: Pixels) -> Self {
        Self { name, pixels: Arc::new(OnceLock::from(Some(pixels))) }
    }

    /// Returns the pixels; `None` where they were not set yet, or the image could not be decoded (see
    /// [`Image::is_pending`]). A neutral texture is drawn for such an image.
    #[must_use]
    pub fn pixels(&self) -> Option<&Pixels> {
        self.pixels.get()?.as_ref()
    }

    /// Returns whether the pixels may still be set.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.pixels.get().is_none()
    }

    /// Sets the decoded pixels; `None`: the image cannot be decoded. Only the first call has an effect.
    pub fn arrive(&self, pixels: Option<Pixels>) {
        self.pixels.get_or_init(|| pixels);
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
}
