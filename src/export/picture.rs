//! Pictures as PNG.

use std::path::Path;

use image::{ExtendedColorType, ImageError};

use crate::model::Image;

/// Writes RGBA pixels, alpha straight.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_png(path: &Path, picture: &Image) -> Result<(), ImageError> {
    image::save_buffer(path, &picture.rgba, picture.width, picture.height, ExtendedColorType::Rgba8)
}
