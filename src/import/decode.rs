//! From the bytes of an image file to pixels, measured before they are decoded.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};

use super::bytes::Bytes;
use super::{Limits, png};
use crate::model::Pixels;

/// Decodes by what the bytes are, whatever their file calls them. `room` takes bytes from the budget, before they are
/// allocated.
pub(super) fn decode(
    source: Bytes,
    limits: &Limits,
    room: &dyn Fn(u64) -> Result<(), String>,
) -> Result<Pixels, String> {
    if let Some(pixels) = png::decode(source, limits, room)? {
        return Ok(pixels);
    }
    // The same view may hold any number of images.
    room(source.len())?;
    let bytes = &*source.read().map_err(|e| e.to_string())?;
    let format = image::guess_format(bytes).map_err(|_| "it is neither PNG nor JPEG".to_owned())?;
    if !matches!(format, ImageFormat::Png | ImageFormat::Jpeg) {
        return Err("it is neither PNG nor JPEG".to_owned());
    }
    let open = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = open().into_dimensions().map_err(|e| e.to_string())?;
    let pixels = measure(width, height, limits)?;
    // Twice: the decoder's own form may be as large as the result.
    room(pixels.saturating_mul(8))?;
    let mut decoder = open();
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(pixels.saturating_mul(16).saturating_add(16 << 20));
    decoder.limits(bounds);
    let rgba = decoder.decode().map_err(|e| e.to_string())?.into_rgba8();
    Pixels::rgba8(rgba.width(), rgba.height(), rgba.into_raw()).map_err(|e| e.to_string())
}

/// How many pixels there are, if that is not too many.
pub(super) fn measure(width: u32, height: u32, limits: &Limits) -> Result<u64, String> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(format!("it has {width} × {height} pixels"));
    }
    if width > limits.image_side || height > limits.image_side || pixels > limits.image_pixels {
        let (side, most) = (limits.image_side, limits.image_pixels);
        return Err(format!("its {width} × {height} pixels are more than {side} a side or {most} in all"));
    }
    Ok(pixels)
}
