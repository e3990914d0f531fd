//! Decodes PNG directly into pixels of 8-bit RGBA, row by row, without a second copy of the picture.
//!
//! Most textures are PNG with three channels. Decoding them to three channels and widening them afterwards would touch
//! twice the memory, and fresh memory is what import spends most of its time on.

use std::io::{BufRead, Seek};

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Reader, Transformations};
use skinscope_base::memory::prefer_large_pages;
use skinscope_model::Pixels;

use super::Limits;
use super::bytes::Bytes;
use super::limits::measure;

/// The first bytes of a PNG.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The most bytes that the decoder may allocate for rows and for everything else that a file holds.
const MOST_BYTES: usize = 16 << 20;

/// Decodes the pixels of a PNG; `None` where it is something else, or of a rare kind that has to be decoded as a whole
/// first (interlaced, 16 bits). `room` takes bytes from the budget before they are allocated.
pub(super) fn decode(
    source: Bytes,
    limits: &Limits,
    room: &dyn Fn(u64) -> Result<(), String>,
) -> Result<Option<Pixels>, String> {
    let head = source.part(0, 8).map(|head| head.read()).transpose().map_err(|e| e.to_string())?;
    if head.is_none_or(|head| head[..] != SIGNATURE) {
        return Ok(None);
    }
    let said = |error: DecodingError| error.to_string();
    let mut decoder = Decoder::new_with_limits(source.stream(), ::png::Limits { bytes: MOST_BYTES });
    let info = decoder.read_header_info().map_err(said)?;
    let (width, height) = info.size();
    let pixels = measure(width, height, limits)?;
    // Palettes become colours, fewer bits than 8 become 8, transparent colours an alpha channel.
    decoder.set_transformations(Transformations::EXPAND);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let mut reader = decoder.read_info().map_err(said)?;
    let (color, depth) = reader.output_color_type();
    if depth != BitDepth::Eight || reader.info().interlaced {
        return Ok(None);
    }
    let widen = match color {
        ColorType::Grayscale => gray,
        ColorType::GrayscaleAlpha => gray_alpha,
        ColorType::Rgb => rgb,
        ColorType::Rgba => <[u8]>::copy_from_slice,
        ColorType::Indexed => return Ok(None),
    };
    room(pixels.saturating_mul(4))?;
    let rgba = rows(&mut reader, (width, height), widen).map_err(said)?;
    Pixels::rgba8(width, height, rgba).map(Some).map_err(|e| e.to_string())
}

fn rows<R: BufRead + Seek>(
    reader: &mut Reader<R>,
    (width, height): (u32, u32),
    widen: fn(&mut [u8], &[u8]),
) -> Result<Vec<u8>, DecodingError> {
    let line = width as usize * 4;
    // The allocator gives zeroed pages that are not touched before a row is written to them.
    let mut out = vec![0_u8; line * height as usize];
    prefer_large_pages(&mut out);
    for row in out.chunks_exact_mut(line) {
        let Some(stored) = reader.next_row()? else { break };
        widen(row, stored.data());
    }
    Ok(out)
}

fn gray(out: &mut [u8], row: &[u8]) {
    for (pixel, v) in out.as_chunks_mut().0.iter_mut().zip(row) {
        *pixel = [*v, *v, *v, 255];
    }
}

fn gray_alpha(out: &mut [u8], row: &[u8]) {
    for (pixel, [v, alpha]) in out.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
        *pixel = [*v, *v, *v, *alpha];
    }
}

/// Widens four pixels at a time, as three words that become four.
fn rgb(out: &mut [u8], row: &[u8]) {
    const OPAQUE: u32 = 0xFF00_0000;
    let (fours, rest) = out.as_chunks_mut::<16>();
    let (twelves, last) = row.as_chunks::<12>();
    for (out, row) in fours.iter_mut().zip(twelves) {
        let [a, b, c]: [[u8; 4]; 3] = bytemuck::cast(*row);
        let (a, b, c) = (u32::from_le_bytes(a), u32::from_le_bytes(b), u32::from_le_bytes(c));
        let pixels = [a | OPAQUE, a >> 24 | b << 8 | OPAQUE, b >> 16 | c << 16 | OPAQUE, c >> 8 | OPAQUE];
        *out = bytemuck::cast(pixels.map(u32::to_le_bytes));
    }
    for (pixel, [r, g, b]) in rest.as_chunks_mut().0.iter_mut().zip(last.as_chunks().0) {
        *pixel = [*r, *g, *b, 255];
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use ::png::Encoder;
    use image::{DynamicImage, ImageFormat};

    use super::*;

    /// Returns bytes without a pattern.
    fn noise(count: usize) -> Vec<u8> {
        let mut state = 0x9E37_79B9_u32;
        let mut next = || {
            state = state.wrapping_mul(0x915F_77F5).wrapping_add(0x1234_567B);
            (state >> 24) as u8
        };
        (0..count).map(|_| next()).collect()
    }

    fn own(file: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let decoded = decode(Bytes::Memory(file), &Limits::default(), &|_| Ok(()))?;
        Ok(decoded.map(|pixels| pixels.levels()[0].clone()))
    }

    /// Returns a PNG of noise, 13 × 5, decoded here and by the crate `image`.
    fn both(color: ColorType, depth: BitDepth, change: impl Fn(&mut ::png::Info)) -> (Option<Vec<u8>>, Vec<u8>) {
        let (width, height) = (13, 5);
        let mut info = ::png::Info::with_size(width, height);
        (info.color_type, info.bit_depth) = (color, depth);
        let line = (width as usize * color.samples() * depth as usize).div_ceil(8);
        change(&mut info);
        let mut file = Vec::new();
        let mut writer = Encoder::with_info(&mut file, info).unwrap().write_header().unwrap();
        writer.write_image_data(&noise(line * height as usize)).unwrap();
        writer.finish().unwrap();
        let whole = image::load_from_memory_with_format(&file, ImageFormat::Png).map(DynamicImage::into_rgba8);
        (own(&file).unwrap(), whole.unwrap().into_raw())
    }

    #[test]
    fn every_kind_is_what_another_way_of_decoding_makes_of_it() {
        use BitDepth::{Eight, Four, One, Sixteen, Two};
        let trns = |bytes: &'static [u8]| move |i: &mut ::png::Info| i.trns = Some(bytes.into());
        let palette = |i: &mut ::png::Info| i.palette = Some(noise(256 * 3).into());
        let (gray, rgb) = (ColorType::Grayscale, ColorType::Rgb);
        let kinds = [
            both(rgb, Eight, |_| {}),
            both(ColorType::Rgba, Eight, |_| {}),
            both(gray, Eight, |_| {}),
            both(gray, One, |_| {}),
            both(gray, Two, |_| {}),
            both(gray, Four, trns(&[0, 3])),
            both(ColorType::GrayscaleAlpha, Eight, |_| {}),
            both(ColorType::Indexed, Eight, palette),
            both(ColorType::Indexed, Two, |i| {
                palette(i);
                trns(&[0, 90])(i);
            }),
        ];
        for (i, (own, other)) in kinds.iter().enumerate() {
            assert_eq!(own.as_ref(), Some(other), "kind {i}");
        }
        assert_eq!(both(rgb, Sixteen, |_| {}).0, None);
    }

    #[test]
    fn a_cut_file_is_an_error() {
        let mut file = Vec::new();
        let pixels = image::RgbImage::from_raw(64, 64, noise(64 * 64 * 3)).unwrap();
        pixels.write_to(&mut Cursor::new(&mut file), ImageFormat::Png).unwrap();
        assert!(own(&file).unwrap().is_some());
        for length in [20, 100, file.len() / 2, file.len() - 40] {
            assert!(own(&file[..length]).is_err(), "cut after {length} bytes");
        }
    }
}
