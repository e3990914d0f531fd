//! Where a film goes: its kind by the ending of its name, and the names of its pictures.

use std::path::{Path, PathBuf};

use crate::film::Animation;

/// What a film is written as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One file of the program's own making.
    Animation(Animation, PathBuf),
    /// One file that `ffmpeg` makes.
    Video(Video, PathBuf),
    /// A PNG for each picture.
    Pictures(Numbered),
}

/// A kind of file that `ffmpeg` makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Video {
    /// H.264 in MP4, which has no transparency.
    Mp4,
    /// VP9 in WebM.
    Webm,
}

/// Names of pictures that differ by a number: `frames/%04d.png`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// The folder that they lie in; empty: the current one.
    pub folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

/// The endings of the names of films, with what each is.
const ENDINGS: &str = "films are written as .gif, .webp, .apng, .mp4 or .webm, or as pictures with a number in their name, such as \
                       frames/%04d.png";

impl Target {
    /// Returns whether pixels may be partly transparent.
    #[must_use]
    pub fn has_partial_alpha(&self) -> bool {
        !matches!(self, Self::Animation(Animation::Gif, _))
    }

    /// Returns what a film of this name is; `None` where the name is none of a film.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        if let Some(pictures) = Numbered::of(path) {
            return Some(Self::Pictures(pictures));
        }
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let path = path.to_owned();
        Some(match ending.as_str() {
            "gif" => Self::Animation(Animation::Gif, path),
            "webp" => Self::Animation(Animation::Webp, path),
            "apng" => Self::Animation(Animation::Apng, path),
            "mp4" => Self::Video(Video::Mp4, path),
            "webm" => Self::Video(Video::Webm, path),
            _ => return None,
        })
    }

    /// Says which names a film may have, for people to read.
    #[must_use]
    pub fn endings() -> &'static str {
        ENDINGS
    }

    /// Returns the name of the kind, as in the ending of its files.
    #[must_use]
    pub fn id(&self) -> &'static str {
        match self {
            Self::Animation(Animation::Gif, _) => "gif",
            Self::Animation(Animation::Webp, _) => "webp",
            Self::Animation(Animation::Apng, _) => "apng",
            Self::Video(Video::Mp4, _) => "mp4",
            Self::Video(Video::Webm, _) => "webm",
            Self::Pictures(_) => "png",
        }
    }

    /// Returns the files that are written for pictures of these numbers.
    pub fn files(&self, numbers: impl Iterator<Item = u32> + 'static) -> Box<dyn Iterator<Item = PathBuf> + '_> {
        match self {
            Self::Animation(_, path) | Self::Video(_, path) => Box::new(std::iter::once(path.clone())),
            Self::Pictures(pictures) => Box::new(numbers.map(|n| pictures.folder.join(pictures.name(n)))),
        }
    }
}

impl Numbered {
    /// Reads a name with one `%d` or `%04d`, which ends in `.png`.
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        if !name.to_ascii_lowercase().ends_with(".png") {
            return None;
        }
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let is_width = digits.is_empty() || digits.starts_with('0') && digits.len() > 1 && digits.len() < 4;
        let digits = if digits.is_empty() { Some(1) } else { digits.parse().ok() }.filter(|_| is_width)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let plain = !after.contains('%') && digits <= 20;
        plain.then(|| Self { folder, before: before.to_owned(), digits, after: after.to_owned() })
    }

    /// Returns the name of the picture of this number.
    #[must_use]
    pub fn name(&self, number: u32) -> String {
        let Self { before, digits, after, .. } = self;
        format!("{before}{number:0digits$}{after}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_a_film_is() {
        let of = |name: &str| Target::of(Path::new(name));
        assert_eq!(of("a/walk.GIF"), Some(Target::Animation(Animation::Gif, "a/walk.GIF".into())));
        assert_eq!(of("walk.mp4").map(|t| t.id()), Some("mp4"));
        let Some(Target::Pictures(pictures)) = of("frames/walk %04d.png") else { panic!("no sequence") };
        assert_eq!(pictures.folder, Path::new("frames"));
        assert_eq!([7, 12_345].map(|n| pictures.name(n)), ["walk 0007.png", "walk 12345.png"]);
        let Some(Target::Pictures(pictures)) = of("%d.png") else { panic!("no sequence") };
        assert_eq!((pictures.name(7).as_str(), pictures.folder.as_os_str().is_empty()), ("7.png", true));
        for other in ["walk.png", "100%.png", "%4d.png", "%d%d.png", "%0099d.png", "walk", "%d.gif.txt", "a%d/b.png"] {
            assert_eq!(of(other), None, "{other}");
        }
        let files: Vec<_> = of("f/%02d.png").unwrap().files(3..5).collect();
        assert_eq!(files, [Path::new("f/03.png"), Path::new("f/04.png")]);
    }
}
