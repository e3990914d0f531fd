//! Pictures as PNG.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder, ImageError};

/// `size` pixels as a PNG in memory, rows from the top, RGBA with 8 bits each, alpha straight.
///
/// # Errors
/// Where `rgba` has another size.
pub fn encode_png(size: [u32; 2], rgba: &[u8]) -> Result<Vec<u8>, ImageError> {
    let mut out = Vec::new();
    PngEncoder::new(&mut out).write_image(rgba, size[0], size[1], ExtendedColorType::Rgba8)?;
    Ok(out)
}

/// Writes `size` pixels, rows from the top, RGBA with 8 bits each, alpha straight.
///
/// # Errors
/// Where the file cannot be written.
pub fn write_png(path: &Path, size: [u32; 2], rgba: &[u8]) -> Result<(), ImageError> {
    let mut out = BufWriter::new(File::create(path)?);
    PngEncoder::new(&mut out).write_image(rgba, size[0], size[1], ExtendedColorType::Rgba8)?;
    // Dropping the writer would swallow what the disk says.
    Ok(out.flush()?)
}
