//! Pictures as animated WebP (RFC 9649, section 2.7.1): each is lossless, in a frame that says which part of the picture it is and
//! for how long. The head of the file tells its length, so that all encoded pictures are in memory until the last one is there.

use std::io::{self, Write};

use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::Film;
use super::changed::ChangedPart;

/// Encodes a picture as the contents of an `ANMF` chunk; see [`super::Animation::encode`].
pub(super) fn encode(film: &Film, number: u32, rgba: &[u8], before: Option<&[u8]>) -> io::Result<Vec<u8>> {
    let part = match before {
        // Corners are written as halves of their numbers.
        Some(before) => ChangedPart::changed(film.size, rgba, before, 2),
        None => ChangedPart::whole(film.size),
    };
    let pixels = part.of(rgba, film.size[0]);
    let mut file = Vec::new();
    let encoder = WebPEncoder::new_lossless(&mut file);
    encoder.write_image(&pixels, part.width, part.height, ExtendedColorType::Rgba8).map_err(io::Error::other)?;
    let mut out = Vec::with_capacity(file.len() + 16);
    for number in [part.x / 2, part.y / 2, part.width - 1, part.height - 1, film.duration(number, 1000)] {
        out.extend_from_slice(&number.to_le_bytes()[..3]);
    }
    // Its pixels replace those that were there, and stay for the next picture.
    out.push(0b10);
    // The file of the picture alone has twelve bytes of a head before its one chunk.
    out.extend_from_slice(file.get(12..).ok_or_else(|| io::Error::other("a picture has no data"))?);
    Ok(out)
}

/// Writes the file; see [`super::Animation::write`].
pub(super) fn write(film: &Film, out: &mut dyn Write, pictures: &mut dyn Iterator<Item = Vec<u8>>) -> io::Result<()> {
    const ANIMATION: u8 = 1 << 1;
    const ALPHA: u8 = 1 << 4;
    let mut head = vec![ANIMATION | if film.transparent { ALPHA } else { 0 }, 0, 0, 0];
    for side in film.size {
        head.extend_from_slice(&(side - 1).to_le_bytes()[..3]);
    }
    let pictures: Vec<Vec<u8>> = pictures.collect();
    // The colour behind the pictures, which none of them leaves to be seen, and no end of repetitions.
    let chunks =
        || [(b"VP8X", &head[..]), (b"ANIM", &[0; 6][..])].into_iter().chain(pictures.iter().map(|p| (b"ANMF", &p[..])));
    let length: u64 = 4 + chunks().map(|(_, data)| 8 + data.len().next_multiple_of(2) as u64).sum::<u64>();
    let too_long =
        || io::Error::other("the film is longer than 4 GiB, which no WebP can be; draw it smaller or shorter");
    let length = u32::try_from(length).map_err(|_| too_long())?;
    out.write_all(b"RIFF")?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(b"WEBP")?;
    for (name, data) in chunks() {
        out.write_all(name)?;
        out.write_all(&(data.len() as u32).to_le_bytes())?;
        out.write_all(data)?;
        if data.len() % 2 == 1 {
            out.write_all(&[0])?;
        }
    }
    Ok(())
}
