//! Reads KTX2 files with Basis Universal pixels (`KHR_texture_basisu`): checks them, then transcodes them to a format
//! that the device reads.
//!
//! The transcoder trusts the sizes and offsets in the file, so everything that it will follow is checked here first
//! (KTX 2.0, sections 2 to 4): the memory that it allocates is known, and charged, before it begins.

use basisu::{DecodeFlags, TargetFormat, Transcoder};
use skinscope_model::{BlockFormats, PixelFormat, Pixels};

use super::Limits;
use super::limits::{ReserveBytes, measure};

/// The first bytes of every KTX2 file.
pub(super) const MAGIC: &[u8] = b"\xABKTX 20\xBB\r\n\x1A\n";

/// Colour models of data format descriptors.
const MODEL_ETC1S: u8 = 163;
const MODEL_UASTC: u8 = 166;
/// Supercompression schemes.
const NONE: u32 = 0;
const BASIS_LZ: u32 = 1;
const ZSTANDARD: u32 = 2;

/// The window that a Zstandard decoder should be ready to keep, bytes (RFC 8878, 3.1.1.1.2).
const ZSTANDARD_WINDOW: u64 = 8 << 20;

/// The fixed part of a file, checked against its length.
#[derive(Debug)]
struct Header {
    width: u32,
    height: u32,
    levels: u32,
    /// The bytes of the largest level after the file's own compression is undone; 0 where there is none.
    inflated: u64,
}

/// Transcodes all levels of a file to the best of `formats`, or to RGBA where none of them can be used.
pub(super) fn decode(
    bytes: &[u8],
    limits: &Limits,
    room: ReserveBytes,
    formats: &dyn Fn() -> BlockFormats,
) -> Result<Pixels, String> {
    let header = Header::read(bytes, limits)?;
    let format = header.format(formats);
    let sizes = (0..header.levels).map(|l| format.bytes((header.width >> l).max(1), (header.height >> l).max(1)));
    room(sizes.sum::<u64>().saturating_add(header.inflated))?;
    let target = match format {
        PixelFormat::Rgba8 => TargetFormat::Rgba32,
        PixelFormat::Bc7 => TargetFormat::Bc7Rgba,
        PixelFormat::Astc4x4 => TargetFormat::Astc4x4Rgba,
        PixelFormat::Etc2Rgba8 => TargetFormat::Etc2Rgba,
    };
    let broken = |_| "its Basis Universal data is broken".to_owned();
    let transcoder = Transcoder::new(bytes).map_err(broken)?;
    let level = |level| transcoder.transcode(level, target, DecodeFlags::NONE).map_err(broken);
    let levels = (0..header.levels).map(level).collect::<Result<_, _>>()?;
    Pixels::new(header.width, header.height, format, levels).map_err(|e| e.to_string())
}

impl Header {
    fn read(bytes: &[u8], limits: &Limits) -> Result<Self, String> {
        let cut = || "it is cut off".to_owned();
        let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let long = |at: usize| Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let field = |at: usize| word(at).ok_or_else(cut);
        let is_inside = |offset: u64, length: u64| offset.checked_add(length).is_some_and(|e| e <= bytes.len() as u64);
        let (width, height, levels, scheme) = (field(20)?, field(24)?, field(40)?, field(44)?);
        if field(28)? != 0 || field(32)? > 1 || field(36)? != 1 {
            return Err("it is a cube map, an array or a volume".to_owned());
        }
        measure(width, height, limits)?;
        if levels == 0 || levels > 32 - width.max(height).leading_zeros() {
            return Err(format!("it has {levels} levels of {width} × {height} pixels"));
        }
        let (descriptor, length) = (field(48)?, field(52)?);
        if length < 44 || !is_inside(descriptor.into(), length.into()) {
            return Err("its data format descriptor is broken".to_owned());
        }
        let model = bytes.get(descriptor as usize + 12).copied();
        match (model, scheme) {
            _ if field(12)? != 0 => return Err("its pixels are not Basis Universal".to_owned()),
            (Some(MODEL_ETC1S), BASIS_LZ) | (Some(MODEL_UASTC), NONE | ZSTANDARD) => {}
            _ => return Err(format!("its pixels are not Basis Universal (supercompression {scheme})")),
        }
        let (global, length) = (long(64).ok_or_else(cut)?, long(72).ok_or_else(cut)?);
        if scheme == BASIS_LZ && !is_inside(global, length) {
            return Err("its codebooks lie outside the file".to_owned());
        }
        let mut inflated = 0;
        for level in 0..levels {
            let at = 80 + 24 * level as usize;
            let (Some(offset), Some(length), Some(plain)) = (long(at), long(at + 8), long(at + 16)) else {
                return Err(cut());
            };
            let data = bytes.get(offset as usize..).and_then(|b| b.get(..length as usize));
            let Some(data) = data.filter(|_| is_inside(offset, length)) else {
                return Err(format!("level {level} lies outside the file"));
            };
            let wanted = PixelFormat::Bc7.bytes((width >> level).max(1), (height >> level).max(1));
            let fits = match scheme {
                NONE => length == wanted,
                ZSTANDARD => plain == wanted && window(data).is_some_and(|w| w <= wanted.max(ZSTANDARD_WINDOW)),
                _ => true,
            };
            if !fits {
                return Err(format!("level {level} has not the {wanted} bytes that its size asks for"));
            }
            if scheme == ZSTANDARD {
                // The decoder's window takes memory beside the result.
                inflated = inflated.max(wanted.saturating_mul(2));
            }
        }
        Ok(Self { width, height, levels, inflated })
    }

    /// Returns the format to transcode to: blocks, where the device reads some and the file allows them. The size must
    /// be whole blocks, and the smaller levels must be in the file, because a device cannot draw into blocks.
    fn format(&self, formats: &dyn Fn() -> BlockFormats) -> PixelFormat {
        let is_whole = self.width.is_multiple_of(4) && self.height.is_multiple_of(4);
        if is_whole && self.levels > 1 { formats().best() } else { PixelFormat::Rgba8 }
    }
}

/// Returns the window of a Zstandard frame in bytes (RFC 8878, 3.1.1.1): the decoder keeps so much before it returns
/// anything, so this bounds a frame that would never end.
fn window(frame: &[u8]) -> Option<u64> {
    let rest = frame.strip_prefix(&[0x28, 0xB5, 0x2F, 0xFD])?;
    let descriptor = *rest.first()?;
    if descriptor & 0x20 == 0 {
        let base = 1_u64 << (10 + (rest.get(1)? >> 3));
        return Some(base + base / 8 * u64::from(rest.get(1)? & 7));
    }
    // With a single segment the window is as large as the content, whose size stands after the dictionary's number.
    let size = rest.get(1 + [0, 1, 2, 4][usize::from(descriptor & 3)]..)?;
    Some(match descriptor >> 6 {
        0 => u64::from(*size.first()?),
        1 => u64::from(u16::from_le_bytes(*size.first_chunk()?)) + 256,
        2 => u64::from(u32::from_le_bytes(*size.first_chunk()?)),
        _ => u64::from_le_bytes(*size.first_chunk()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zstandard_windows_are_read_as_the_rfc_has_them() {
        let frame = |rest: &[u8]| window(&[&[0x28, 0xB5, 0x2F, 0xFD], rest].concat());
        // Exponent 10 and mantissa 3 give 2^20 and three eighths of it.
        assert_eq!(frame(&[0x00, 10 << 3 | 3]), Some((1 << 20) + 3 * (1 << 17)));
        assert_eq!(frame(&[0x00, 0xFF]), Some((1 << 41) + 7 * (1 << 38)));
        assert_eq!(frame(&[0x20, 200]), Some(200));
        assert_eq!(frame(&[0x60, 1, 2]), Some(0x201 + 256));
        assert_eq!(frame(&[0xA2, 9, 9, 1, 2, 3, 4]), Some(0x0403_0201));
        assert_eq!(frame(&[0xE0, 0, 0, 0, 0, 0, 0, 0, 1]), Some(1 << 56));
        assert_eq!((frame(&[]), frame(&[0xE0, 1]), window(b"nothing")), (None, None, None));
    }
}
