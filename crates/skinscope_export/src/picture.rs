//! Writes pictures as PNG.

use std::io::Write;

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Writer};

/// Returns the PNG of a picture of `size` pixels. `draw` hands over its rows from the top, as many at a time as it
/// likes: RGBA with 8 bits each, sRGB, straight alpha. They are compressed as they come, so that the whole picture need
/// not be in memory.
///
/// # Errors
/// The outer result has the errors of `draw`; the inner one is an error where the rows are not those of such a picture.
pub fn encode_png<E>(
    size: [u32; 2],
    draw: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Result<Vec<u8>, EncodingError>, E> {
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, size[0], size[1]);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    let written = match encoder.write_header() {
        Ok(mut header) => write(&mut header, draw)?,
        Err(error) => Err(error),
    };
    Ok(written.map(|()| out))
}

fn write<E>(
    header: &mut Writer<&mut Vec<u8>>,
    draw: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
) -> Result<Result<(), EncodingError>, E> {
    let mut rows = match header.stream_writer() {
        Ok(rows) => rows,
        Err(error) => return Ok(Err(error)),
    };
    let mut written = Ok(());
    draw(&mut |part| {
        if written.is_ok() {
            written = rows.write_all(part);
        }
    })?;
    Ok(written.map_err(EncodingError::from).and_then(|()| rows.finish()))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn rows_that_come_in_parts_are_read_back_as_one_picture() {
        let rgba: Vec<u8> = (0..7 * 50 * 4_u32).map(|i| ((i * i) >> 3) as u8).collect();
        let parts = |take: &mut dyn FnMut(&[u8])| {
            rgba.chunks(7 * 4 * 16).for_each(take);
            Ok::<(), Infallible>(())
        };
        let png = encode_png([7, 50], parts).unwrap().unwrap();
        let read = image::load_from_memory(&png).unwrap().into_rgba8();
        assert_eq!((read.dimensions(), read.as_raw()), ((7, 50), &rgba));
        assert!(encode_png([7, 51], parts).unwrap().is_err(), "a row is missing");
        assert!(encode_png([7, 49], parts).unwrap().is_err(), "a row too many");
        assert_eq!(encode_png([7, 50], |_| Err("no device")).unwrap_err(), "no device");
    }
}
