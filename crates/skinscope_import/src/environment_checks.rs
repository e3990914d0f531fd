//! What every format of environments is checked for: the size of the picture, and errors that name the file.

use super::ImportError;

/// The most pixels of a picture, which is 8192 × 4096. It is read from the header before anything is decoded.
const MOST_PIXELS: u64 = 1 << 25;

/// What the user can do about a file that is no environment.
pub(super) const ADVICE: &str =
    "save it as an equirectangular picture, twice as wide as high, in Radiance (.hdr) or OpenEXR (.exr)";

/// Makes an error about a picture that cannot be an environment.
pub(super) fn invalid(name: &str, expected: &str, found: impl Into<String>) -> ImportError {
    ImportError::invalid(name, expected, found).advise(ADVICE)
}

/// What a decoder asks while it reads a file.
pub(super) struct Checks<'a> {
    /// The file, for errors.
    pub name: &'a str,
    /// Returns an error where nobody waits for the picture any more.
    pub goes_on: &'a dyn Fn() -> Result<(), ImportError>,
}

impl Checks<'_> {
    /// Returns an error where nobody waits for the picture any more.
    pub fn goes_on(&self) -> Result<(), ImportError> {
        (self.goes_on)()
    }

    /// Makes an error about data that no decoder reads.
    pub fn broken(&self, error: &str) -> ImportError {
        invalid(self.name, "a picture that can be decoded", error)
    }

    /// Returns an error unless a picture of this size is twice as wide as high, and small enough.
    pub fn size(&self, width: u32, height: u32) -> Result<(), ImportError> {
        self.pixels(width.into(), height.into())?;
        // One row more or less is let pass.
        if width == 0 || height == 0 || width.abs_diff(2 * height) > 2 {
            return Err(invalid(self.name, "a picture twice as wide as high", format!("{width} × {height} pixels")));
        }
        Ok(())
    }

    /// Returns an error where there are more pixels than an environment may have.
    pub fn pixels(&self, width: u64, height: u64) -> Result<(), ImportError> {
        let found = width.saturating_mul(height);
        if found > MOST_PIXELS {
            let what = "the number of pixels";
            return Err(ImportError::Limit { location: self.name.to_owned(), what, found, limit: MOST_PIXELS });
        }
        Ok(())
    }
}
