//! Pictures as animated PNG (<https://www.w3.org/TR/png-3/#apng-frame-based-animation>). Each is compressed as a PNG of its
//! own, on whatever thread; the file takes the data over, and says which part of the picture it is and for how long.

use std::convert::Infallible;
use std::io::{self, Write};

use png::chunk::{self, ChunkType};
use png::{BitDepth, ColorType, Encoder, EncodingError};

use super::Film;
use super::changed::ChangedPart;
use crate::picture::encode_png;

/// A picture: the part of the film's that it is, and its compressed pixels.
pub(super) struct Picture {
    part: ChangedPart,
    data: Vec<u8>,
}

/// Encodes a picture; see [`super::Animation::encode`].
pub(super) fn encode(film: &Film, rgba: &[u8], before: Option<&[u8]>) -> io::Result<Picture> {
    let part = match before {
        Some(before) => ChangedPart::changed(film.size, rgba, before, 1),
        None => ChangedPart::whole(film.size),
    };
    let pixels = part.of(rgba, film.size[0]);
    let drawn = encode_png([part.width, part.height], |take| {
        take(&pixels);
        Ok::<(), Infallible>(())
    });
    let Ok(png) = drawn;
    let data = image_data(&png.map_err(io_error)?).ok_or_else(|| io::Error::other("a picture has no data"))?;
    Ok(Picture { part, data })
}

/// Returns the compressed pixels of a PNG, which may be in several chunks.
fn image_data(png: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut rest) = (Vec::new(), png.get(8..)?);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        let (name, after) = after.split_first_chunk::<4>()?;
        if *name == chunk::IDAT.0 {
            out.extend_from_slice(after.get(..length)?);
        }
        rest = after.get(length + 4..)?;
    }
    Some(out)
}

/// Writes the file; see [`super::Animation::write`].
pub(super) fn write(film: &Film, out: &mut dyn Write, pictures: &mut dyn Iterator<Item = Picture>) -> io::Result<()> {
    let mut encoder = Encoder::new(out, film.size[0], film.size[1]);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io_error)?;
    // Zero plays are plays without end.
    let mut put = |name: ChunkType, data: &[u8]| writer.write_chunk(name, data).map_err(io_error);
    put(chunk::acTL, &[film.count.to_be_bytes(), [0; 4]].concat())?;
    let mut sequence = 0_u32;
    let mut next = || {
        sequence += 1;
        (sequence - 1).to_be_bytes()
    };
    for (number, Picture { part, data }) in pictures.enumerate() {
        let numbers = [part.width, part.height, part.x, part.y].map(u32::to_be_bytes);
        let [above, below] = delay(film.fps).map(u16::to_be_bytes);
        // The picture stays for the next one, and its pixels replace those that were there.
        put(chunk::fcTL, &[&next()[..], numbers.as_flattened(), &above, &below, &[0, 0]].concat())?;
        if number == 0 {
            put(chunk::IDAT, &data)?;
        } else {
            put(chunk::fdAT, &[&next()[..], &data].concat())?;
        }
    }
    writer.finish().map_err(io_error)
}

/// Returns how long a picture is shown, seconds, as a fraction: exact to a thousandth of a picture a second.
fn delay(fps: f32) -> [u16; 2] {
    [1, 10, 100, 1000]
        .into_iter()
        .filter(|above| f32::from(*above) * fps <= f32::from(u16::MAX))
        .map(|above: u16| [above, (f32::from(above) * fps).round() as u16])
        .min_by(|a, b| error(*a, fps).total_cmp(&error(*b, fps)))
        .unwrap_or([1, 30])
}

fn error([above, below]: [u16; 2], fps: f32) -> f32 {
    (f32::from(below) / f32::from(above) - fps).abs()
}

fn io_error(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_written_as_they_are() {
        assert_eq!(delay(30.0), [1, 30]);
        assert_eq!(delay(12.5), [10, 125]);
        assert_eq!(delay(29.97), [100, 2997]);
        assert_eq!(delay(240.0), [1, 240]);
        assert_eq!(delay(23.976), [1000, 23_976]);
    }
}
