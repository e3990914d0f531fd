//! Examples: poses, each with where the vertices of a primitive should be in it.

use glam::{DVec3, Vec3};
use skinscope_weights::Table;

use crate::motion::Motion;

/// A pose of a primitive, and where its vertices should be.
#[derive(Clone, Debug)]
pub struct Example<'m> {
    motion: Motion<'m>,
    /// In the space of the motion, one for each vertex of the file.
    targets: Vec<Vec3>,
}

impl<'m> Example<'m> {
    /// Makes an example of where the vertices should be in the scene, metres, in the order of the file.
    #[must_use]
    pub fn new(motion: Motion<'m>, targets: &[DVec3]) -> Self {
        let origin = motion.origin();
        let targets = targets.iter().map(|target| (*target - origin).as_vec3()).collect();
        Self { motion, targets }
    }

    /// Does the same with positions that are counted from the origin of the motion, as those of a deformed surface are.
    #[must_use]
    pub fn of_surface(motion: Motion<'m>, targets: Vec<Vec3>) -> Self {
        Self { motion, targets }
    }

    /// Returns how the pose moves the primitive.
    #[must_use]
    pub fn motion(&self) -> &Motion<'m> {
        &self.motion
    }

    /// Returns where a vertex should be, counted from the origin of the motion.
    #[must_use]
    pub fn target(&self, vertex: usize) -> DVec3 {
        self.targets[vertex].as_dvec3()
    }

    /// Returns how many vertices have a target.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.targets.len().min(self.motion.vertices())
    }

    /// Adds how far the weights of a table leave each vertex from its target, metres.
    pub fn distances(&self, table: &Table, out: &mut Vec<f64>) {
        let vertices = self.vertices().min(table.vertices());
        out.extend((0..vertices).map(|vertex| self.motion.blended(table, vertex).distance(self.target(vertex))));
    }
}

/// How far points are from where they should be, metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// The root of the mean of the squares.
    pub rms: f64,
    /// 95 of 100 are no farther.
    pub p95: f64,
    /// The largest distance.
    pub largest: f64,
}

impl Deviation {
    /// Sums distances up, whose order changes on the way. Those that are not finite count as the largest.
    #[must_use]
    pub fn of(distances: &mut [f64]) -> Self {
        // What is no number may have either sign, and would else come before all others.
        distances.iter_mut().filter(|distance| distance.is_nan()).for_each(|distance| *distance = f64::INFINITY);
        let count = distances.len();
        let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
        let rms = (squares / count.max(1) as f64).sqrt();
        let Some(rank) = (count * 95).div_ceil(100).checked_sub(1) else { return Self::default() };
        // What comes after it is no nearer, so that the largest is there or it itself.
        let (_, p95, beyond) = distances.select_nth_unstable_by(rank, f64::total_cmp);
        Self { rms, p95: *p95, largest: beyond.iter().copied().fold(*p95, f64::max) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_summed_up() {
        let mut distances: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let Deviation { rms, p95, largest } = Deviation::of(&mut distances);
        assert!((rms - 3383.5_f64.sqrt()).abs() < 1e-9 && p95 == 95.0 && largest == 100.0);
        assert_eq!(Deviation::of(&mut [3.0, 1.0, 2.0]).p95, 3.0);
        let Deviation { largest, p95, .. } = Deviation::of(&mut [1.0, -f64::NAN, 2.0]);
        assert!(largest == f64::INFINITY && p95 == f64::INFINITY);
        assert_eq!(Deviation::of(&mut []), Deviation::default());
        assert_eq!(Deviation::of(&mut [2.0]), Deviation { rms: 2.0, p95: 2.0, largest: 2.0 });
    }
}
