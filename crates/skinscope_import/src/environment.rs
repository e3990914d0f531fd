//! Reads pictures of the whole sphere: Radiance (`.hdr`) and OpenEXR (`.exr`).

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec3;
use image::Rgb32FImage;
use skinscope_base::file_kind::{self, START};
use skinscope_model::Environment;

use super::environment_checks::{Checks, invalid};
use super::error::{ImportError, guarded};
use super::{openexr, radiance};

/// The endings of files that can be environments.
pub const ENVIRONMENT_ENDINGS: [&str; 2] = ["hdr", "exr"];

/// The largest width that an environment keeps, texels. Of a larger picture the mean of several pixels is a texel.
const ENVIRONMENT_WIDTH: u32 = 2048;

/// Returns whether a file may be an environment, by its name.
#[must_use]
pub fn is_environment(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENVIRONMENT_ENDINGS.iter().any(|known| ending == *known))
}

/// Reads an environment: a picture of the whole sphere in equirectangular projection, twice as wide as high, of linear radiance.
/// Pixels without a number or below 0 become 0. The first bytes say which format it is, whatever the file is called. What a Radiance
/// picture was exposed by is taken off. Of an OpenEXR file of many layers one is read, which the name of the environment then names. `cancel` ends
/// the work between its steps.
///
/// # Errors
/// [`ImportError::Read`] where the file cannot be read, [`ImportError::Limit`] where the picture has more than 8192 × 4096
/// pixels, [`ImportError::Invalid`] where it is no such picture, and [`ImportError::Cancelled`].
pub fn read_environment(path: &Path, cancel: &AtomicBool) -> Result<Environment, ImportError> {
    let name = path.display().to_string();
    let unread = |source| ImportError::Read { path: name.clone(), source };
    // A folder can be opened, and gives its error only when it is read.
    let mut file = BufReader::new(File::open(path).map_err(unread)?);
    let start = file.fill_buf().map_err(unread)?;
    let is_exr = start.starts_with(&[0x76, 0x2f, 0x31, 0x01]);
    if !is_exr && !start.starts_with(b"#?") {
        let found = file_kind::of_start(&start[..start.len().min(START)]);
        let error = invalid(&name, "a picture in Radiance or OpenEXR", found.map_or("another file", |kind| kind.name));
        return Err(match found {
            Some(kind) if kind.name.contains("pointer") || kind.name.contains("page") => error.advise(kind.advice),
            _ => error,
        });
    }
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    let goes_on = || if cancel.load(Ordering::Relaxed) { Err(ImportError::Cancelled) } else { Ok(()) };
    let checks = Checks { name: &name, goes_on: &goes_on };
    let decoded = guarded(|| match is_exr {
        true => openexr::read(file, &checks).map(|picture| (picture.pixels, picture.layer)),
        false => radiance::read(&mut file, &checks).map(|pixels| (pixels, String::new())),
    });
    let (picture, layer) =
        decoded.unwrap_or_else(|| Err(invalid(&name, "a picture that is whole", "one that is not")))?;
    goes_on()?;
    let mut title = path.file_name().map_or_else(|| name.clone(), |title| title.to_string_lossy().into_owned());
    if !layer.is_empty() {
        title = format!("{title} ({layer})");
    }
    reduced(title, &picture).ok_or_else(|| invalid(&name, "a picture of some pixels", "none"))
}

/// Makes an environment of a picture, with the mean of as many pixels in a texel as its width needs.
fn reduced(name: String, picture: &Rgb32FImage) -> Option<Environment> {
    let (width, height) = picture.dimensions();
    let step = width.div_ceil(ENVIRONMENT_WIDTH).max(1);
    let size = [width.div_ceil(step), height.div_ceil(step)];
    let numbers = picture.as_raw();
    let clean = |number: f32| if number > 0.0 { number.min(skinscope_model::environment::BRIGHTEST) } else { 0.0 };
    let texel = |column: u32, row: u32| {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for y in (row * step..(row + 1) * step).take_while(|y| *y < height) {
            for x in (column * step..(column + 1) * step).take_while(|x| *x < width) {
                let at = 3 * (y as usize * width as usize + x as usize);
                let pixel = numbers.get(at..at + 3).map_or([0.0; 3], |pixel| [pixel[0], pixel[1], pixel[2]]);
                sum += Vec3::from(pixel.map(clean));
                count += 1.0;
            }
        }
        sum / count
    };
    let texels = (0..size[1]).flat_map(|row| (0..size[0]).map(move |column| (column, row)));
    Environment::new(name, size, texels.map(|(column, row)| texel(column, row)))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use image::codecs::hdr::HdrEncoder;
    use image::{ImageEncoder, Rgb};

    use super::super::environment_checks::ADVICE;
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("skinscope-environment-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// The bytes of a Radiance picture with these pixels.
    fn hdr(width: usize, height: usize, pixel: impl Fn(usize, usize) -> [f32; 3]) -> Vec<u8> {
        let pixels: Vec<_> = (0..width * height).map(|i| Rgb(pixel(i % width, i / width))).collect();
        let mut out = Vec::new();
        HdrEncoder::new(&mut out).encode(&pixels, width, height).unwrap();
        out
    }

    /// The bytes of an OpenEXR picture with these pixels.
    fn exr(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [f32; 3]) -> Vec<u8> {
        let numbers: Vec<f32> = (0..width * height).flat_map(|i| pixel(i % width, i / width)).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let mut out = std::io::Cursor::new(Vec::new());
        let encoder = image::codecs::openexr::OpenExrEncoder::new(&mut out);
        encoder.write_image(&bytes, width, height, image::ExtendedColorType::Rgb32F).unwrap();
        out.into_inner()
    }

    fn read(folder: &Path, name: &str, bytes: &[u8]) -> Result<Environment, ImportError> {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        read_environment(&path, &AtomicBool::new(false))
    }

    #[test]
    fn both_formats_are_read_by_what_is_in_them_and_what_is_no_radiance_is_0() {
        let folder = folder("formats");
        let sun = |x: u32, y: u32| if (x, y) == (5, 1) { [1024.0, 512.0, 2.0] } else { [0.5, 0.25, 1.0] };
        let radiance = hdr(16, 8, |x, y| sun(x as u32, y as u32));
        let open = exr(16, 8, sun);
        // Endings do not count.
        for (name, bytes) in [("a.hdr", &radiance), ("b.exr", &open), ("c.hdr", &open)] {
            let read = read(&folder, name, bytes).unwrap();
            assert_eq!((read.name(), read.size()), (name, [16, 8]));
            assert_eq!((read.at(5, 1).x, read.at(5, 1).y), (1024.0, 512.0), "{name}");
            assert!((read.at(3, 4) - Vec3::new(0.5, 0.25, 1.0)).abs().max_element() < 0.005, "{name}");
        }
        let wild = |x, _| [[f32::NAN, -1.0, f32::INFINITY], [1.0; 3]][x as usize % 2];
        let read = read(&folder, "wild.exr", &exr(16, 8, wild)).unwrap();
        assert_eq!(read.at(0, 0), Vec3::new(0.0, 0.0, skinscope_model::environment::BRIGHTEST));
        assert_eq!(read.at(1, 0), Vec3::ONE);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_large_picture_is_reduced_to_its_means() {
        let folder = folder("large");
        let bytes = hdr(4096, 2048, |x, _| [if x % 2 == 0 { 1.0 } else { 3.0 }; 3]);
        let read = read(&folder, "large.hdr", &bytes).unwrap();
        assert_eq!(read.size(), [2048, 1024]);
        assert_eq!((read.at(0, 0), read.at(2047, 1023)), (Vec3::splat(2.0), Vec3::splat(2.0)));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn hostile_files_are_errors_that_say_why() {
        let folder = folder("hostile");
        let error = |name: &str, bytes: &[u8]| read(&folder, name, bytes).map(|_| ()).unwrap_err().to_string();
        let header = |size: &str| format!("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n{size}\n").into_bytes();
        let (whole, open) = (hdr(64, 32, |_, _| [1.0; 3]), exr(64, 32, |_, _| [1.0; 3]));
        // More pixels than any memory has, in a file of some bytes.
        let huge = error("huge.hdr", &header("-Y 1000000000 +X 2000000000"));
        let words = "the number of pixels is 2000000000000000000, more than the limit of 33554432";
        assert!(huge.contains(words), "{huge}");
        let huge = error("large.hdr", &header("-Y 8192 +X 16384"));
        assert!(huge.contains("more than the limit of 33554432"), "{huge}");
        assert!(error("short.hdr", &header("-Y 2048 +X 4096")).contains("can be decoded"));
        assert!(error("square.hdr", &hdr(64, 64, |_, _| [1.0; 3])).contains("64 × 64 pixels"));
        assert!(error("other.hdr", b"\x89PNG\r\n\x1A\n").contains("found a PNG picture; save it as"));
        let pointer = error("pointer.hdr", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
        assert!(pointer.contains("found a Git LFS pointer; run `git lfs pull`"), "{pointer}");
        assert!(error("empty.exr", b"").contains("another file"));
        for (name, bytes) in [("a.hdr", &whole), ("a.exr", &open)] {
            for cut in [11, 40, bytes.len() / 2] {
                let said = error(name, &bytes[..cut]);
                assert!(said.contains(name) && said.contains(ADVICE), "{said}");
            }
            // Any byte may be another; what is read then is a picture or an error.
            for at in 0..bytes.len().min(400) {
                for bit in [1, 0x80] {
                    let mut changed = bytes.clone();
                    changed[at] ^= bit;
                    _ = read(&folder, name, &changed);
                }
            }
        }
        let missing = read_environment(&folder.join("none.hdr"), &AtomicBool::new(false)).unwrap_err().to_string();
        assert!(missing.contains("none.hdr") && missing.contains("cannot be read"), "{missing}");
        assert!(read_environment(&folder, &AtomicBool::new(false)).is_err(), "a folder is no picture");
        let path = folder.join("a.hdr");
        std::fs::write(&path, &whole).unwrap();
        assert!(matches!(read_environment(&path, &AtomicBool::new(true)), Err(ImportError::Cancelled)));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
