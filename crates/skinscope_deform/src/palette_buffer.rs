//! The choice of the buffer from which shaders read the palette, and how many joints it has room for. Engines have the
//! same choice: a uniform buffer is read fast on some hardware, but devices bind so few bytes of one at once that it
//! limits the joints of a rig; a storage buffer has room for any rig. This module computes with numbers only and knows
//! no device.

use skinscope_base::words::counted;

use super::Method;

/// The kind of buffer that the user chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PaletteBuffer {
    /// A storage buffer, which has room for any rig; a uniform buffer was measured to be no faster here.
    #[default]
    Auto,
    /// A uniform buffer, where the palette fits into one.
    Uniform,
    /// A storage buffer.
    Storage,
}

skinscope_base::choices! {
    PaletteBuffer {
        /// Returns the name on the command line.
        id = 0;
    }
    Auto: "auto";
    Uniform: "uniform";
    Storage: "storage";
}

/// The largest buffers of a device that a shader can read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaletteLimits {
    /// The largest palette in a uniform buffer, bytes; zero where the device cannot bind one more uniform buffer.
    pub uniform: u64,
    /// The largest palette in a storage buffer, bytes.
    pub storage: u64,
}

/// The buffer that is chosen for the palette of a picture, and the numbers that decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaletteFit {
    /// The choice of the user.
    pub asked: PaletteBuffer,
    /// The number of matrices in the palette: those of all skins and rigid parts, for each member of a crowd.
    pub joints: usize,
    /// The size of one packed matrix, bytes.
    pub joint_bytes: usize,
    /// The limits of the device.
    pub limits: PaletteLimits,
}

impl PaletteFit {
    /// Chooses the buffer of a palette of `joints` matrices, as `method` packs them.
    #[must_use]
    pub fn new(asked: PaletteBuffer, method: &Method, joints: usize, limits: PaletteLimits) -> Self {
        Self { asked, joints, joint_bytes: method.vec4s_per_joint * size_of::<glam::Vec4>(), limits }
    }

    /// Returns the size of all matrices, bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.joints as u64 * self.joint_bytes as u64
    }

    /// Returns the largest number of matrices in a uniform buffer.
    #[must_use]
    pub fn most_in_uniform(&self) -> u64 {
        self.limits.uniform / self.joint_bytes as u64
    }

    /// Returns the largest number of matrices in a storage buffer.
    #[must_use]
    pub fn most_in_storage(&self) -> u64 {
        self.limits.storage / self.joint_bytes as u64
    }

    /// Returns whether shaders read a uniform buffer instead of a storage buffer.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        self.asked == PaletteBuffer::Uniform && self.joints as u64 <= self.most_in_uniform()
    }

    /// Returns the kind of buffer that is used: `uniform` or `storage`.
    #[must_use]
    pub fn used(&self) -> &'static str {
        let used = if self.is_uniform() { PaletteBuffer::Uniform } else { PaletteBuffer::Storage };
        used.id()
    }

    /// Returns why this kind is used, as a sentence without its full stop.
    #[must_use]
    pub fn why(&self) -> String {
        let Self { joints, joint_bytes, limits: PaletteLimits { uniform, .. }, .. } = *self;
        let (bytes, most) = (self.bytes(), self.most_in_uniform());
        match self.asked {
            PaletteBuffer::Auto => "a storage buffer holds any rig".into(),
            PaletteBuffer::Storage => "it was asked for".into(),
            PaletteBuffer::Uniform if uniform == 0 => "this device binds no further uniform buffer".into(),
            PaletteBuffer::Uniform if self.is_uniform() => {
                format!("it was asked for, and {bytes} bytes fit into the {uniform} that this device binds at once")
            }
            PaletteBuffer::Uniform => format!(
                "{} of {joint_bytes} bytes {} {bytes} bytes; a uniform buffer of this device holds {uniform} bytes ({})",
                counted(joints, "matrix", "matrices"),
                if joints == 1 { "is" } else { "are" },
                counted(most, "matrix", "matrices"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::METHODS;

    #[test]
    fn a_uniform_buffer_is_used_where_it_is_asked_for_and_holds_all_matrices() {
        let limits = PaletteLimits { uniform: 65_536, storage: 1 << 27 };
        let linear = METHODS[0];
        let fit = |asked, joints| PaletteFit::new(asked, linear, joints, limits);
        // A matrix has three vectors of 16 bytes: 65 536 / 48 = 1365.3.
        let most = fit(PaletteBuffer::Uniform, 1365);
        assert_eq!((most.joint_bytes, most.bytes(), most.most_in_uniform()), (48, 65_520, 1365));
        assert_eq!(most.most_in_storage(), (1 << 27) / 48);
        assert!(most.is_uniform() && most.used() == "uniform" && most.why().contains("65520 bytes fit into the 65536"));
        let more = fit(PaletteBuffer::Uniform, 1366);
        assert!(!more.is_uniform() && more.used() == "storage");
        assert!(
            more.why().contains("1366 matrices of 48 bytes are 65568 bytes") && more.why().contains("(1365 matrices)")
        );
        let tiny = PaletteFit::new(PaletteBuffer::Uniform, linear, 1, PaletteLimits { uniform: 16, ..limits });
        assert!(tiny.why().starts_with("1 matrix of 48 bytes is 48 bytes") && tiny.why().ends_with("(0 matrices)"));
        for asked in [PaletteBuffer::Auto, PaletteBuffer::Storage] {
            assert!(!fit(asked, 1).is_uniform());
        }
        let none = PaletteLimits { uniform: 0, ..limits };
        let none = PaletteFit::new(PaletteBuffer::Uniform, linear, 0, none);
        assert!(none.why().contains("no further"));
    }
}
