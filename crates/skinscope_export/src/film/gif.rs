//! Pictures as GIF. Each has a palette of its own: the colours that cover much of it exactly, so that a plain background is
//! the same in all of them, and the rest by NeuQuant (Dekker 1994, "Kohonen neural networks for optimal colour quantization").

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::Film;
use super::changed::ChangedPart;

/// How many colours a picture may have.
const COLORS: usize = 256;
/// The most colours that are stored exactly where there are more than a palette holds.
const MOST_EXACT: usize = 16;
/// A colour that covers more than this part of a picture is stored exactly.
const MUCH: f32 = 0.01;
/// NeuQuant looks at one of so many pixels.
const SAMPLE: i32 = 6;

/// Encodes a picture; see [`super::Animation::encode`].
pub(super) fn encode(film: &Film, number: u32, rgba: &[u8], before: Option<&[u8]>) -> Frame<'static> {
    // Pixels that become transparent cannot be drawn over those before, so that such pictures are whole.
    let part = match before.filter(|_| !film.transparent) {
        Some(before) => ChangedPart::changed(film.size, rgba, before, 1),
        None => ChangedPart::whole(film.size),
    };
    let Indexed { indices, palette, transparent } = indexed(&part.of(rgba, film.size[0]));
    let mut frame = Frame {
        delay: film.duration(number, 100) as u16,
        dispose: if film.transparent { DisposalMethod::Background } else { DisposalMethod::Keep },
        transparent,
        top: part.y as u16,
        left: part.x as u16,
        width: part.width as u16,
        height: part.height as u16,
        palette: Some(palette),
        buffer: Cow::Owned(indices),
        ..Frame::default()
    };
    frame.make_lzw_pre_encoded();
    frame
}

/// Writes the file; see [`super::Animation::write`].
pub(super) fn write(
    film: &Film,
    out: &mut dyn Write,
    pictures: &mut dyn Iterator<Item = Frame<'static>>,
) -> io::Result<()> {
    let [width, height] = film.size.map(|side| side as u16);
    let mut encoder = Encoder::new(out, width, height, &[]).map_err(io_error)?;
    encoder.set_repeat(Repeat::Infinite).map_err(io_error)?;
    for picture in pictures {
        encoder.write_lzw_pre_encoded_frame(&picture).map_err(io_error)?;
    }
    encoder.into_inner().map(drop).map_err(io_error)
}

fn io_error(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// A picture by the numbers of its colours.
struct Indexed {
    indices: Vec<u8>,
    /// Three bytes for each colour.
    palette: Vec<u8>,
    transparent: Option<u8>,
}

/// Chooses the colours of a picture. Pixels that are more transparent than not are left out of it.
fn indexed(rgba: &[u8]) -> Indexed {
    let pixels = || rgba.as_chunks::<4>().0.iter();
    let is_there = |pixel: &&[u8; 4]| pixel[3] >= 128;
    let color = |pixel: &[u8; 4]| [pixel[0], pixel[1], pixel[2]];
    let mut counts: HashMap<[u8; 3], u32> = HashMap::new();
    for pixel in pixels().filter(is_there) {
        *counts.entry(color(pixel)).or_default() += 1;
    }
    let holes = pixels().any(|pixel| !is_there(&pixel));
    let room = COLORS - usize::from(holes);
    let mut exact: Vec<[u8; 3]> = counts.keys().copied().collect();
    if exact.len() > room {
        let least = (MUCH * rgba.len() as f32 / 4.0) as u32;
        exact.retain(|color| counts[color] > least);
        // The order among equals is that of the colours, so that the same picture gives the same file.
        exact.sort_unstable_by_key(|color| (std::cmp::Reverse(counts[color]), *color));
        exact.truncate(MOST_EXACT);
    } else {
        exact.sort_unstable();
    }
    let mut palette: Vec<u8> = exact.iter().flatten().copied().collect();
    let mut indices: HashMap<[u8; 3], u8> = exact.iter().zip(0..).map(|(color, i)| (*color, i)).collect();
    let rest: Vec<u8> = pixels()
        .filter(|pixel| is_there(pixel) && !indices.contains_key(&color(pixel)))
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255])
        .collect();
    if !rest.is_empty() {
        let first = exact.len();
        let network = NeuQuant::new(if rest.len() < 1 << 16 { 1 } else { SAMPLE }, room - first, &rest);
        palette.extend_from_slice(&network.color_map_rgb());
        // Each colour is looked for once: pictures have far fewer of them than pixels.
        for pixel in rest.as_chunks::<4>().0 {
            indices.entry(color(pixel)).or_insert_with(|| (first + network.index_of(pixel)) as u8);
        }
    }
    let transparent = holes.then_some((palette.len() / 3) as u8);
    if holes {
        palette.extend([0; 3]);
    }
    let hole = transparent.unwrap_or_default();
    let index = |pixel: &[u8; 4]| if is_there(&pixel) { indices[&color(pixel)] } else { hole };
    Indexed { indices: pixels().map(index).collect(), palette, transparent }
}
