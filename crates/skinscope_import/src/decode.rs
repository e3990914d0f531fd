//! Decodes image files into pixels, after their size was measured.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};
use skinscope_model::{BlockFormats, Pixels};

use super::bytes::Bytes;
use super::foreign::{self, Foreign};
use super::limits::{ReserveBytes, measure};
use super::{Limits, ktx2, png};

/// Decodes an image by its first bytes, whatever its file calls it. `formats` is called only for images that can be
/// transcoded.
pub(super) fn decode(
    source: Bytes,
    limits: &Limits,
    room: ReserveBytes,
    formats: &dyn Fn() -> BlockFormats,
) -> Result<Pixels, String> {
    if let Some(pixels) = png::decode(source, limits, room)? {
        return Ok(pixels);
    }
    // The same view may hold any number of images.
    room(source.len())?;
    let bytes = &*source.read().map_err(|e| e.to_string())?;
    if bytes.starts_with(ktx2::MAGIC) {
        return ktx2::decode(bytes, limits, room, formats);
    }
    let known = |f: &ImageFormat| matches!(f, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP);
    let Some(format) = image::guess_format(bytes).ok().filter(known) else {
        return Err(match foreign::of_start(bytes) {
            Some(Foreign { name, advice, .. }) => {
                format!("it is {name} and neither PNG, JPEG, WebP nor KTX2; {advice}")
            }
            None => "it is neither PNG, JPEG, WebP nor KTX2".to_owned(),
        });
    };
    let open = || ImageReader::with_format(Cursor::new(bytes), format);
    let (width, height) = open().into_dimensions().map_err(|e| e.to_string())?;
    let pixels = measure(width, height, limits)?;
    if format == ImageFormat::WebP && !webp_frames_fit(bytes, width, height) {
        return Err(format!("it holds more than its {width} × {height} pixels"));
    }
    // The memory is charged twice: the decoder's own form may be as large as the result.
    room(pixels.saturating_mul(8))?;
    let mut decoder = open();
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(pixels.saturating_mul(16).saturating_add(16 << 20));
    decoder.limits(bounds);
    let rgba = decoder.decode().map_err(|e| e.to_string())?.into_rgba8();
    Pixels::rgba8(rgba.width(), rgba.height(), rgba.into_raw()).map_err(|e| e.to_string())
}

/// Returns whether no lossy frame of a WebP file is larger than the file says it is: the decoder allocates such a frame
/// before it compares (RFC 9649, 2.3 to 2.7; RFC 6386, 9.1).
fn webp_frames_fit(bytes: &[u8], width: u32, height: u32) -> bool {
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, size @ ..] = *head;
        // In a frame of an animation chunks follow its own fields.
        let step = if [a, b, c, d] == *b"ANMF" { 16 } else { u64::from(u32::from_le_bytes(size)) };
        if [a, b, c, d] == *b"VP8 " {
            let side =
                |at: usize| body.get(at..at + 2).map_or(0, |s| u32::from(u16::from_le_bytes([s[0], s[1]])) & 0x3FFF);
            if side(6) > width || side(8) > height {
                return false;
            }
        }
        rest = usize::try_from(step + (step & 1)).ok().and_then(|step| body.get(step..)).unwrap_or_default();
    }
    true
}
