//! Pseudo-random numbers for tests, the same in every run.

use glam::Vec3;

/// A linear congruential generator; the field is its state, and its first value is the seed.
pub struct Random(pub u32);

impl Random {
    /// Returns the next number, 0…1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    /// Returns a vector of three next numbers, each −1…1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - 1.0
    }
}
