//! Pictures as PNG.

use std::path::Path;

use image::{ExtendedColorType, ImageError};

/// Writes `size` pixels, rows from the top, RGBA with 8 bits each, alpha straight.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_png(path: &Path, size: [u32; 2], rgba: &[u8]) -> Result<(), ImageError> {
    image::save_buffer_with_format(path, rgba, size[0], size[1], ExtendedColorType::Rgba8, image::ImageFormat::Png)
}
