//! The choice of the buffer from which shaders read the palette, and how many joints it has room for. Engines have the
//! same choice: a uniform buffer is read fast on some hardware, but devices bind so few bytes of one at once that it
//! limits the joints of a rig; a storage buffer has room for any rig. This module computes with numbers only and knows
//! no device.

use glam::Vec4;
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

/// How many rows of each skinning matrix the palette has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PaletteRows {
    /// Three: the last row of an affine matrix, 0 0 0 1, need be neither stored nor sent.
    #[default]
    Three,
    /// All four, as many engines have it: the shader skips the last one. It does not change the picture.
    Four,
}

skinscope_base::choices! {
    PaletteRows {
        /// Returns the name on the command line.
        id = 0;
        /// Returns the name in the window.
        label = 1;
    }
    Three: "3", "3×4";
    Four: "4", "4×4";
}

impl PaletteRows {
    /// Returns the rows that a method has: methods that pack anything but the three rows of a matrix have no fourth one.
    #[must_use]
    pub fn of(self, method: &Method) -> Self {
        if method.vec4s_per_joint == 3 { self } else { Self::Three }
    }

    /// Returns how many vectors one packed joint takes.
    #[must_use]
    pub fn vec4s(self, method: &Method) -> usize {
        match self.of(method) {
            Self::Three => method.vec4s_per_joint,
            Self::Four => 4,
        }
    }

    /// Gives each matrix that a method has packed its last row, where that is asked for.
    pub fn widen(self, method: &Method, packed: &mut Vec<Vec4>) {
        if self.of(method) == Self::Three {
            return;
        }
        let matrices = packed.len() / 3;
        packed.resize(4 * matrices, Vec4::W);
        // From the last one on, so that none is overwritten before it was moved.
        for matrix in (0..matrices).rev() {
            packed.copy_within(3 * matrix..3 * matrix + 3, 4 * matrix);
            packed[4 * matrix + 3] = Vec4::W;
        }
    }
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
        Self { asked, joints, joint_bytes: method.vec4s_per_joint * size_of::<Vec4>(), limits }
    }

    /// Returns the same with so many rows for each matrix.
    #[must_use]
    pub fn with_rows(self, rows: PaletteRows, method: &Method) -> Self {
        Self { joint_bytes: rows.vec4s(method) * size_of::<Vec4>(), ..self }
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
    use crate::{METHODS, method, pack};

    #[test]
    fn a_fourth_row_is_added_to_matrices_and_to_nothing_else() {
        let linear = METHODS[0];
        let matrices = [1.0_f32, 2.0, 3.0].map(|x| glam::Affine3A::from_translation(glam::Vec3::X * x));
        let (mut three, mut four) = (Vec::new(), Vec::new());
        for (rows, packed) in [(PaletteRows::Three, &mut three), (PaletteRows::Four, &mut four)] {
            pack(linear, &matrices, packed);
            rows.widen(linear, packed);
            assert_eq!(packed.len(), 3 * rows.vec4s(linear));
        }
        for (three, four) in three.chunks(3).zip(four.chunks(4)) {
            assert_eq!([three, &[Vec4::W]].concat(), four);
        }
        let dual = method("dual-quaternion").unwrap();
        let mut packed = Vec::new();
        pack(dual, &matrices, &mut packed);
        let before = packed.clone();
        PaletteRows::Four.widen(dual, &mut packed);
        assert_eq!(packed, before);
        let limits = PaletteLimits { uniform: 65_536, storage: 1 << 27 };
        let fit = PaletteFit::new(PaletteBuffer::Uniform, linear, 1366, limits);
        assert_eq!((fit.bytes(), fit.with_rows(PaletteRows::Four, linear).bytes()), (1366 * 48, 1366 * 64));
    }

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
