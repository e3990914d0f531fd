//! Films: pictures are drawn one after the other, encoded on all cores, and written as one file or as one each. A film
//! appears whole or not at all.
//!
//! Knows nothing of what is drawn: whoever records gives the pictures.

mod ffmpeg;
mod reel;
mod target;

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use reel::{MOST_PICTURES, Reel, TURN_SECS, swept, turned};
use skinscope_base::output::{NewFile, NewFiles};
use skinscope_base::parallel;
pub use target::{Numbered, Target, Video};

use self::ffmpeg::Encoder;
use crate::film::{Animation, Film};
use crate::picture::encode_png;

/// The reason why a film was not written. Nothing of it is left then.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    /// The file, or one of the files, cannot be written.
    #[error("could not write {}: {reason}", path.display())]
    Output {
        /// The file, or the folder of the files.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The film cannot be of this kind.
    #[error("{0}")]
    Unfit(String),
    /// It was cancelled.
    #[error("it was cancelled")]
    Cancelled,
}

impl FilmError {
    fn output(path: &Path, reason: impl ToString) -> Self {
        Self::Output { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Checks whether a film can be of a kind, before anything is drawn for it.
///
/// # Errors
/// It cannot, and why: pictures that are too large or too many a second, transparency, a program that is not installed.
pub fn check(target: &Target, size: [u32; 2], fps: f32, transparent: bool) -> Result<(), FilmError> {
    let unfit = |why: String| Err(FilmError::Unfit(why));
    match target {
        Target::Animation(animation, path) => {
            let (most, name) = (animation.most_fps(), path.display());
            if fps > most {
                return unfit(format!(
                    "{name}: a .{} shows {most} pictures a second at most; say --fps {most}",
                    target.id()
                ));
            }
            let most = animation.most_pixels();
            if size.iter().any(|side| *side > most) {
                return unfit(format!("{name}: a .{} has {most} pixels a side at most", target.id()));
            }
            Ok(())
        }
        Target::Video(Video::Mp4, path) if transparent => {
            unfit(format!("{}: an .mp4 has no transparency; write a .webm, or fill the background", path.display()))
        }
        Target::Video(..) if ffmpeg::installed().is_none() => unfit(ffmpeg::MISSING.to_owned()),
        Target::Video(..) | Target::Pictures(_) => Ok(()),
    }
}

/// Draws and writes a film of `film.count` pictures. `draw` is called on this thread with the index of each, from 0 on, and returns
/// its pixels: RGBA, 8 bits each, sRGB, straight alpha, rows from the top. Pictures that have names are numbered from `first` on. `go_on` is called
/// with the number of pictures that are drawn; where it returns false the film is given up.
///
/// # Errors
/// The outer result has the errors of `draw`, the inner one those of the film.
pub fn record<E>(
    target: &Target,
    film: &Film,
    first: u32,
    draw: &mut dyn FnMut(u32) -> Result<Vec<u8>, E>,
    go_on: &mut dyn FnMut(u32) -> bool,
) -> Result<Result<(), FilmError>, E> {
    let mut stopped: Option<Result<FilmError, E>> = None;
    let (mut index, mut before) = (0, None);
    let mut make = || {
        if index == film.count || stopped.is_some() {
            return None;
        }
        if !go_on(index) {
            stopped = Some(Ok(FilmError::Cancelled));
            return None;
        }
        match draw(index) {
            Ok(rgba) => {
                let rgba = Arc::new(rgba);
                let picture = Drawn { index, before: before.replace(Arc::clone(&rgba)), rgba };
                index += 1;
                Some(picture)
            }
            Err(error) => {
                stopped = Some(Err(error));
                None
            }
        }
    };
    let written = match target {
        Target::Animation(animation, path) => write_animation(*animation, path, film, &mut make),
        Target::Video(video, path) => write_video(*video, path, film, &mut make),
        Target::Pictures(pictures) => write_pictures(pictures, film, first, &mut make),
    };
    match (stopped, written) {
        (Some(Err(error)), _) => Err(error),
        (Some(Ok(error)), _) => Ok(Err(error)),
        (None, Err(error)) => Ok(Err(error)),
        (None, Ok(film_file)) => Ok(film_file.commit()),
    }
}

/// A picture that is not encoded yet.
struct Drawn {
    index: u32,
    rgba: Arc<Vec<u8>>,
    before: Option<Arc<Vec<u8>>>,
}

/// A film that is written and not yet moved to its path.
enum Written<'a> {
    File(NewFile, &'a Path),
    Files(NewFiles, &'a Path),
}

impl Written<'_> {
    fn commit(self) -> Result<(), FilmError> {
        match self {
            Self::File(file, path) => file.commit().map_err(|error| FilmError::output(path, error)),
            Self::Files(files, folder) => files.commit().map_err(|error| FilmError::output(folder, error)),
        }
    }
}

/// How many pictures may be in memory that are drawn and not written.
fn ahead() -> usize {
    2 * parallel::cores()
}

fn write_animation<'a>(
    animation: Animation,
    path: &'a Path,
    film: &Film,
    make: &mut dyn FnMut() -> Option<Drawn>,
) -> Result<Written<'a>, FilmError> {
    let failed = |error: io::Error| FilmError::output(path, error);
    let mut file = NewFile::create(path).map_err(failed)?;
    let encode =
        |Drawn { index, rgba, before }| animation.encode(film, index, &rgba, before.as_ref().map(|b| b.as_slice()));
    let mut broken = None;
    let written = parallel::in_order(ahead(), make, &encode, |pictures| {
        let mut pictures = pictures.map_while(|picture| picture.map_err(|error| broken = Some(error)).ok());
        animation.write(film, &mut file, &mut pictures)
    });
    match broken {
        Some(error) => Err(failed(error)),
        None => written.map(|()| Written::File(file, path)).map_err(failed),
    }
}

fn write_video<'a>(
    video: Video,
    path: &'a Path,
    film: &Film,
    make: &mut dyn FnMut() -> Option<Drawn>,
) -> Result<Written<'a>, FilmError> {
    let program = ffmpeg::installed().ok_or_else(|| FilmError::Unfit(ffmpeg::MISSING.to_owned()))?;
    let failed = |error: io::Error| FilmError::output(path, error);
    let mut file = NewFile::create(path).map_err(failed)?;
    let lent = file.lend().map_err(failed)?.ok_or_else(|| {
        FilmError::output(path, "ffmpeg goes back and forth in what it writes, which only a file can do")
    })?;
    let mut encoder = Encoder::start(&program, video, film, lent).map_err(|why| FilmError::output(path, why))?;
    while let Some(picture) = make() {
        if !encoder.add(&picture.rgba) {
            break;
        }
    }
    encoder.end().map_err(|why| FilmError::output(path, why))?;
    Ok(Written::File(file, path))
}

fn write_pictures<'a>(
    pictures: &'a Numbered,
    film: &Film,
    first: u32,
    make: &mut dyn FnMut() -> Option<Drawn>,
) -> Result<Written<'a>, FilmError> {
    let folder = pictures.folder.as_path();
    let failed = |error: io::Error| FilmError::output(&folder.join(pictures.name(first)), error);
    let names = (first..).take(film.count as usize).map(|number| pictures.name(number));
    let mut files = NewFiles::create(folder, names).map_err(failed)?;
    let encode = |Drawn { index, rgba, .. }: Drawn| {
        let drawn = encode_png(film.size, |take| {
            take(&rgba);
            Ok::<(), Infallible>(())
        });
        let Ok(png) = drawn;
        (index, png)
    };
    parallel::in_order(ahead(), make, &encode, |encoded| {
        for (index, png) in encoded {
            let path = || folder.join(pictures.name(first + index));
            let png = png.map_err(|error| FilmError::output(&path(), error))?;
            files.write(&pictures.name(first + index), &png).map_err(|error| FilmError::output(&path(), error))?;
        }
        Ok(())
    })?;
    Ok(Written::Files(files, folder))
}
