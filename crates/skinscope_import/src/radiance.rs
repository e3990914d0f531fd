//! Reads pictures in the Radiance format (`.hdr`, `.pic`): RGBE and XYZE, in each orientation, flat or with runs.
//!
//! The format is that of `color.c` and `resolu.c` of Radiance: lines of text up to an empty one, a line with the size, then scanlines.

use std::io::{self, BufRead, ErrorKind, Read};

use glam::{DMat3, DVec3};
use image::Rgb32FImage;

use super::ImportError;
use super::environment_checks::{Checks, invalid};
use super::error::quoted;

/// The most bytes of the lines before the pixels. Programs write there how the picture was made.
const MOST_HEADER: u64 = 1 << 20;

/// CIE XYZ to linear RGB of the primaries of Radiance, whose white has equal parts of X, Y and Z.
const RGB_FROM_XYZ: DMat3 = DMat3::from_cols(
    DVec3::new(2.565_312_843, -1.022_108_172, 0.074_724_377),
    DVec3::new(-1.166_849_616, 1.978_286_617, -0.251_939_567),
    DVec3::new(-0.398_463_227, 0.043_821_555, 1.177_215_190),
);

/// What the lines before the pixels say.
struct Header {
    /// Whether pixels are XYZ and not RGB.
    is_xyz: bool,
    /// What the pixels have been multiplied by since they were radiances.
    exposure: DVec3,
    orientation: Orientation,
}

/// The size of a picture, and the order in which its pixels are stored.
struct Orientation {
    /// Width and height as the picture is seen.
    size: [u32; 2],
    /// Whether a scanline is a column.
    by_columns: bool,
    /// Whether columns are stored from the left to the right.
    from_left: bool,
    /// Whether rows are stored from the top to the bottom.
    from_top: bool,
}

impl Orientation {
    /// Reads a line such as `-Y 512 +X 1024`: the first axis is that of scanlines, and its sign says in which direction they follow each
    /// other. X leads to the right, Y upwards.
    fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [first, lines, second, length] = words[..] else { return None };
        let (lines, length) = (lines.parse().ok()?, length.parse().ok()?);
        let is = |axis: &str, word: &str| word.strip_prefix(['+', '-']) == Some(axis);
        let by_columns = match (first, second) {
            _ if is("Y", first) && is("X", second) => false,
            _ if is("X", first) && is("Y", second) => true,
            _ => return None,
        };
        let [x, y] = if by_columns { [first, second] } else { [second, first] };
        let size = if by_columns { [lines, length] } else { [length, lines] };
        Some(Self { size, by_columns, from_left: x.starts_with('+'), from_top: y.starts_with('-') })
    }

    /// How many scanlines there are, and how many pixels each has.
    fn scanlines(&self) -> [u32; 2] {
        let [width, height] = self.size;
        if self.by_columns { [width, height] } else { [height, width] }
    }

    /// Column and row, from the top left, of a pixel of a scanline.
    fn place(&self, line: u32, pixel: u32) -> [u32; 2] {
        let [column, row] = if self.by_columns { [line, pixel] } else { [pixel, line] };
        let along = |at: u32, count: u32, forward: bool| if forward { at } else { count - 1 - at };
        [along(column, self.size[0], self.from_left), along(row, self.size[1], self.from_top)]
    }
}

/// Reads a picture of radiances, with what it was exposed by taken off.
pub(super) fn read(file: &mut impl BufRead, checks: &Checks) -> Result<Rgb32FImage, ImportError> {
    let Header { is_xyz, exposure, orientation } = header(file, checks)?;
    let [width, height] = orientation.size;
    checks.size(width, height)?;
    let mut out = Rgb32FImage::new(width, height);
    let [lines, length] = orientation.scanlines();
    let mut scanline = vec![[0; 4]; length as usize];
    for line in 0..lines {
        checks.goes_on()?;
        read_scanline(file, &mut scanline).map_err(|error| checks.broken(&error.to_string()))?;
        for (pixel, stored) in (0..).zip(&scanline) {
            let [column, row] = orientation.place(line, pixel);
            let radiance = radiance(*stored) / exposure;
            let rgb = if is_xyz { RGB_FROM_XYZ * radiance } else { radiance };
            out.put_pixel(column, row, image::Rgb(rgb.as_vec3().to_array()));
        }
    }
    Ok(out)
}

/// Reads the lines before the pixels.
fn header(file: &mut impl BufRead, checks: &Checks) -> Result<Header, ImportError> {
    let mut limited = file.take(MOST_HEADER);
    let mut line = || -> Result<String, ImportError> {
        let mut bytes = Vec::new();
        limited.read_until(b'\n', &mut bytes).map_err(|error| checks.broken(&error.to_string()))?;
        if bytes.pop() != Some(b'\n') {
            return Err(checks.broken("the lines before the pixels do not end"));
        }
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\r').to_owned())
    };
    let (mut is_xyz, mut exposure) = (false, DVec3::ONE);
    loop {
        let line = line()?;
        if line.is_empty() {
            break;
        }
        // Lines of the pictures that this one was made from are indented, and count no more.
        match line.split_once('=') {
            Some(("FORMAT", format)) => {
                is_xyz = match format.trim() {
                    "32-bit_rle_rgbe" => false,
                    "32-bit_rle_xyze" => true,
                    other => return Err(invalid(checks.name, "32-bit_rle_rgbe or 32-bit_rle_xyze", quoted(other))),
                }
            }
            // Each of them tells of one more step.
            Some((key @ ("EXPOSURE" | "COLORCORR"), text)) => exposure *= factors(key, text, checks)?,
            _ => {}
        }
    }
    let line = line()?;
    let orientation = Orientation::parse(&line)
        .ok_or_else(|| invalid(checks.name, "a size such as -Y 512 +X 1024", quoted(&line)))?;
    Ok(Header { is_xyz, exposure, orientation })
}

/// Reads what pixels were multiplied by: a number, or one for each of red, green and blue.
fn factors(key: &str, text: &str, checks: &Checks) -> Result<DVec3, ImportError> {
    let numbers: Vec<f64> = text.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let factors = match (key, &numbers[..]) {
        ("EXPOSURE", [one, ..]) => Some(DVec3::splat(*one)),
        ("COLORCORR", [red, green, blue, ..]) => Some(DVec3::new(*red, *green, *blue)),
        _ => None,
    };
    let good = |factors: &DVec3| factors.is_finite() && factors.cmpgt(DVec3::ZERO).all();
    let expected = format!("positive numbers after {key}=");
    factors.filter(good).ok_or_else(|| invalid(checks.name, &expected, quoted(text)))
}

/// Returns what a pixel stands for: three numbers with one exponent.
fn radiance([red, green, blue, exponent]: [u8; 4]) -> DVec3 {
    if exponent == 0 {
        return DVec3::ZERO;
    }
    DVec3::new(red.into(), green.into(), blue.into()) * 2_f64.powi(i32::from(exponent) - 136)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

/// Reads a scanline: each component in runs for itself, or pixels, of which some may say how often the one before comes again.
fn read_scanline(file: &mut impl BufRead, out: &mut [[u8; 4]]) -> io::Result<()> {
    let mut first = [0; 4];
    file.read_exact(&mut first)?;
    let [a, b, high, low] = first;
    if !(8..=0x7fff).contains(&out.len()) || a != 2 || b != 2 || high >= 128 {
        return read_pixels(file, first, out);
    }
    if usize::from(high) << 8 | usize::from(low) != out.len() {
        return Err(broken("a scanline has another length"));
    }
    for component in 0..4 {
        let mut at = 0;
        while at < out.len() {
            let code = byte(file)?;
            let (count, is_run) = if code > 128 { (code - 128, true) } else { (code, false) };
            let Some(pixels) = out.get_mut(at..at + usize::from(count)).filter(|pixels| !pixels.is_empty()) else {
                return Err(broken("a run is longer than its scanline"));
            };
            let repeated = if is_run { Some(byte(file)?) } else { None };
            for pixel in pixels {
                pixel[component] = match repeated {
                    Some(value) => value,
                    None => byte(file)?,
                };
            }
            at += usize::from(count);
        }
    }
    Ok(())
}

/// Reads a scanline of whole pixels, of which `first` is the first.
fn read_pixels(file: &mut impl BufRead, first: [u8; 4], out: &mut [[u8; 4]]) -> io::Result<()> {
    let (mut next, mut at, mut shift) = (first, 0_usize, 0_u32);
    loop {
        if next[..3] == [1, 1, 1] {
            // Such pixels one after the other are the digits of a number to the base of 256, the lowest first.
            let count = usize::from(next[3]).checked_shl(shift).filter(|_| shift < 32).unwrap_or(usize::MAX);
            let before = at.checked_sub(1).and_then(|before| out.get(before)).copied();
            let end = at.checked_add(count).filter(|end| *end <= out.len());
            let (Some(before), Some(end)) = (before, end) else {
                return Err(broken("a run is longer than its scanline"));
            };
            out[at..end].fill(before);
            (at, shift) = (end, shift + 8);
        } else {
            if let Some(pixel) = out.get_mut(at) {
                *pixel = next;
            }
            (at, shift) = (at + 1, 0);
        }
        if at >= out.len() {
            return Ok(());
        }
        file.read_exact(&mut next)?;
    }
}

fn byte(file: &mut impl BufRead) -> io::Result<u8> {
    let mut out = [0];
    file.read_exact(&mut out)?;
    Ok(out[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a picture whose pixels are whole, in the order of the file.
    fn picture(lines: &str, size: &str, pixels: &[[u8; 4]]) -> Vec<u8> {
        [format!("{lines}\n\n{size}\n").as_bytes(), pixels.as_flattened()].concat()
    }

    fn read_all(bytes: &[u8]) -> Result<Rgb32FImage, String> {
        let mut rest = bytes;
        let checks = Checks { name: "a.hdr", goes_on: &|| Ok(()) };
        read(&mut rest, &checks).map_err(|error| error.to_string())
    }

    const ONE: [u8; 4] = [128, 64, 32, 129];

    #[test]
    fn what_a_picture_was_exposed_by_is_taken_off_as_often_as_it_stands_there() {
        let of = |lines: &str| read_all(&picture(lines, "-Y 1 +X 2", &[ONE; 2])).unwrap().get_pixel(1, 0).0;
        assert_eq!(of("#?RADIANCE\nFORMAT=32-bit_rle_rgbe"), [1.0, 0.5, 0.25]);
        assert_eq!(of("#?RGBE\nEXPOSURE=2"), [0.5, 0.25, 0.125]);
        assert_eq!(of("#?RADIANCE\nEXPOSURE= 2.0\r\nsomething EXPOSURE=8\nEXPOSURE=4"), [0.125, 0.0625, 0.03125]);
        assert_eq!(of("#?RADIANCE\nCOLORCORR= 1 2 0.5\nEXPOSURE=.5\nCOLORCORR=2 1 1"), [1.0, 0.5, 1.0]);
        // What was true of a picture that this one was made from is indented.
        assert_eq!(of("#?RADIANCE\n\tEXPOSURE=2\n\tFORMAT=other"), [1.0, 0.5, 0.25]);
        for line in ["EXPOSURE=", "EXPOSURE=x", "EXPOSURE=0", "EXPOSURE=-1", "COLORCORR=1 2", "COLORCORR=1 0 1"] {
            let said = read_all(&picture(&format!("#?RADIANCE\n{line}"), "-Y 1 +X 2", &[ONE; 2])).unwrap_err();
            assert!(said.contains("expected positive numbers"), "{said}");
        }
        let said = read_all(&picture("#?RADIANCE\nFORMAT=png", "-Y 1 +X 2", &[ONE; 2])).unwrap_err();
        assert!(said.contains("32-bit_rle_rgbe"), "{said}");
    }

    /// Each pixel of a picture of 4 × 2 has its column in red and its row in green.
    #[test]
    fn each_orientation_gives_the_same_picture() {
        let pixel = |column: u8, row: u8| [column + 16, row + 16, 0, 136];
        for size in
            ["-Y 2 +X 4", "+Y 2 +X 4", "-Y 2 -X 4", "+Y 2 -X 4", "+X 4 -Y 2", "-X 4 -Y 2", "+X 4 +Y 2", "-X 4 +Y 2"]
        {
            let columns: Vec<u8> = if size.contains("+X") { (0..4).collect() } else { (0..4).rev().collect() };
            let rows: Vec<u8> = if size.contains("-Y") { (0..2).collect() } else { (0..2).rev().collect() };
            let pixels: Vec<[u8; 4]> = match size.as_bytes()[1] {
                b'Y' => rows.iter().flat_map(|row| columns.iter().map(|column| pixel(*column, *row))).collect(),
                _ => columns.iter().flat_map(|column| rows.iter().map(|row| pixel(*column, *row))).collect(),
            };
            let read = read_all(&picture("#?RADIANCE", size, &pixels)).unwrap();
            assert_eq!(read.dimensions(), (4, 2), "{size}");
            for (column, row, pixel) in read.enumerate_pixels() {
                assert_eq!(pixel.0, [column as f32 + 16.0, row as f32 + 16.0, 0.0], "{size}");
            }
        }
        for size in ["-Y 2 +Y 4", "Y 2 X 4", "-Y 2", "", "-Y two +X 4", "-Y -2 +X 4"] {
            assert!(
                read_all(&picture("#?RADIANCE", size, &[ONE; 8])).unwrap_err().contains("a size such as"),
                "{size}"
            );
        }
    }

    #[test]
    fn white_of_equal_parts_is_white_in_both_forms() {
        let xyz = picture("#?RADIANCE\nFORMAT=32-bit_rle_xyze", "-Y 1 +X 2", &[[128, 128, 128, 129]; 2]);
        let white = read_all(&xyz).unwrap().get_pixel(0, 0).0;
        assert!(white.iter().all(|part| (part - 1.0).abs() < 1e-5), "{white:?}");
    }

    #[test]
    fn runs_of_both_kinds_are_read_and_those_that_are_too_long_are_errors() {
        let again = |count: u8| [1, 1, 1, count];
        let old = read_all(&picture("#?RADIANCE", "-Y 2 +X 4", &[ONE, again(3), ONE, [0; 4], again(2)])).unwrap();
        let black = old.pixels().filter(|pixel| pixel.0 == [0.0; 3]).count();
        assert_eq!((black, old.get_pixel(3, 0).0), (3, [1.0, 0.5, 0.25]));
        // Two of them count 4 and 256.
        let long: Vec<[u8; 4]> = [ONE, again(4), again(1)].into_iter().chain([ONE; 3]).collect();
        let pixels = [&long[..], &[ONE; 264 * 131]].concat();
        assert!(read_all(&picture("#?RADIANCE", "-Y 132 +X 264", &pixels)).is_ok());
        for pixels in
            [&[again(2), ONE, ONE][..], &[ONE, again(200)], &[ONE, again(0), again(0), again(0), again(0), again(1)]]
        {
            let said = read_all(&picture("#?RADIANCE", "-Y 2 +X 4", pixels)).unwrap_err();
            assert!(said.contains("a run is longer than its scanline"), "{said}");
        }
        let runs = |codes: &[u8]| [picture("#?RADIANCE", "-Y 4 +X 8", &[]).as_slice(), codes].concat();
        let line = [2, 2, 0, 8, 136, 128, 4, 64, 64, 64, 64, 132, 64, 136, 32, 136, 129];
        let read = read_all(&runs(&[line; 4].concat())).unwrap();
        assert!(read.pixels().all(|pixel| pixel.0 == [1.0, 0.5, 0.25]));
        for codes in [&[2, 2, 0, 9, 0][..], &[2, 2, 0, 8, 0, 0], &[2, 2, 0, 8, 137, 1], &[2, 2, 0, 8, 136]] {
            assert!(read_all(&runs(codes)).is_err(), "{codes:?}");
        }
    }
}
