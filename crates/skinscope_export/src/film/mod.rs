//! Moving pictures as files: GIF, animated WebP and animated PNG, all of which go on for ever.
//!
//! Encoding a picture needs only the picture and the one before it, so that many can be encoded at once
//! ([`Animation::encode`]); the file is written from the encoded pictures in their order ([`Animation::write`]).

mod apng;
mod changed;
mod gif;
mod webp;

use std::io::{self, Write};

/// What all pictures of a film have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Film {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// How many pictures there are.
    pub count: u32,
    /// Pictures a second.
    pub fps: f32,
    /// Whether pixels may be transparent.
    pub transparent: bool,
}

impl Film {
    /// Returns how long picture `number` is shown, in units of which there are `per_second`. The roundings of all pictures
    /// cancel each other: each picture begins within half a unit of its time.
    #[must_use]
    pub fn duration(&self, number: u32, per_second: u32) -> u32 {
        let begins = |n: u32| (f64::from(n) * f64::from(per_second) / f64::from(self.fps)).round() as u32;
        begins(number + 1) - begins(number)
    }
}

/// A kind of file that holds a whole film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Animation {
    /// 256 colours a picture, chosen for each, and pixels that are there or not.
    Gif,
    /// WebP, lossless.
    Webp,
    /// Animated PNG, lossless.
    Apng,
}

/// A picture that is ready to be written.
pub struct EncodedPicture(Kind);

enum Kind {
    Gif(::gif::Frame<'static>),
    Apng(apng::Picture),
    Webp(Vec<u8>),
}

impl Animation {
    /// Returns the most pictures a second that players show at their times: a GIF counts hundredths of a second, and most
    /// players show what is shorter than two of them for ten.
    #[must_use]
    pub(crate) fn most_fps(self) -> f32 {
        match self {
            Self::Gif => 50.0,
            Self::Webp | Self::Apng => 240.0,
        }
    }

    /// Returns the largest side of a picture, pixels.
    #[must_use]
    pub fn most_pixels(self) -> u32 {
        match self {
            Self::Gif => u16::MAX.into(),
            Self::Webp => 16_383,
            Self::Apng => 1 << 30,
        }
    }

    /// Encodes picture `number` of a film: `rgba` are its pixels (8 bits each, sRGB, straight alpha, rows from the top), and
    /// `before` those of the picture before it; the first picture has none. Of the lossless kinds only the part that differs is
    /// encoded.
    ///
    /// # Errors
    /// The pixels are not those of a picture of this film.
    pub fn encode(
        self,
        film: &Film,
        number: u32,
        rgba: &[u8],
        before: Option<&[u8]>,
    ) -> Result<EncodedPicture, io::Error> {
        let [width, height] = film.size.map(|side| side as usize);
        if rgba.len() != width * height * 4 || before.is_some_and(|before| before.len() != rgba.len()) {
            return Err(io::Error::other("a picture has not the size of its film"));
        }
        Ok(EncodedPicture(match self {
            Self::Gif => Kind::Gif(gif::encode(film, number, rgba, before)),
            Self::Apng => Kind::Apng(apng::encode(film, rgba, before)?),
            Self::Webp => Kind::Webp(webp::encode(film, number, rgba, before)?),
        }))
    }

    /// Writes a file of all pictures of a film, in their order.
    ///
    /// # Errors
    /// The errors of `out`; pictures are missing, too many or of another kind.
    pub fn write(
        self,
        film: &Film,
        out: &mut dyn Write,
        pictures: &mut dyn Iterator<Item = EncodedPicture>,
    ) -> io::Result<()> {
        let mut seen = 0;
        let pictures = &mut pictures.inspect(|_| seen += 1);
        match self {
            Self::Gif => {
                gif::write(film, out, &mut pictures.map_while(|p| if let Kind::Gif(p) = p.0 { Some(p) } else { None }))?
            }
            Self::Apng => {
                apng::write(
                    film,
                    out,
                    &mut pictures.map_while(|p| if let Kind::Apng(p) = p.0 { Some(p) } else { None }),
                )?;
            }
            Self::Webp => {
                webp::write(
                    film,
                    out,
                    &mut pictures.map_while(|p| if let Kind::Webp(p) = p.0 { Some(p) } else { None }),
                )?;
            }
        }
        if seen == film.count { Ok(()) } else { Err(io::Error::other("a film has not all of its pictures")) }
    }
}
