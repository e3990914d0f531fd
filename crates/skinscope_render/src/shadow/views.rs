//! The directions that shadows are computed from: all around for the surroundings, a cone for the key light.

use std::ops::Range;

use glam::{Mat3, Vec3};
use skinscope_frame::Frame;

use super::super::gpu::Gpu;

/// The most views of the surroundings, and of the key light; shaders/shadow/views.wgsl has the same numbers.
pub(crate) const MOST_AMBIENT: u32 = 128;
pub(crate) const MOST_KEY: u32 = 32;

/// The tangent of half the angle that the key light is wide, as its shadows have it; the same number is in shaders/shadow/views.wgsl.
const KEY_SPREAD: f32 = 0.14;

/// How many directions shadows are computed from. A pixel looks up an eighth of those of the surroundings, since
/// of two opposite ones it needs the one above the surface, and a quarter of those of the key light, and shares what it
/// finds with its neighbours in a block of 2 × 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowViews {
    /// Those of the surroundings, all around; half of them are above any surface. A multiple of eight.
    pub ambient: u32,
    /// Those of the key light. A multiple of four.
    pub key: u32,
}

impl ShadowViews {
    /// No shadows.
    pub const NONE: Self = Self { ambient: 0, key: 0 };
    /// As many as there can be: 64 above any surface.
    pub const ALL: Self = Self { ambient: MOST_AMBIENT, key: MOST_KEY };
    /// Half of them: 32 above any surface.
    pub const HALF: Self = Self { ambient: MOST_AMBIENT / 2, key: MOST_KEY / 2 };

    /// Returns the next step of shadows that are refined from picture to picture.
    #[must_use]
    pub fn refined(self) -> Self {
        let next = |now: u32, most: u32| (2 * now).clamp(most / 4, most);
        Self { ambient: next(self.ambient, MOST_AMBIENT), key: next(self.key, MOST_KEY) }
    }

    /// Returns the most that pictures of `frame` have on a device. Where the surroundings alone light the ground, it would show the edges of
    /// fewer.
    #[must_use]
    pub fn finest(gpu: &Gpu, frame: &Frame) -> Self {
        if gpu.software.half_shadows && frame.surroundings().is_none() { Self::HALF } else { Self::ALL }
    }

    /// Returns the fewer of both, of each kind.
    #[must_use]
    pub fn at_most(self, most: Self) -> Self {
        Self { ambient: self.ambient.min(most.ambient), key: self.key.min(most.key) }
    }

    /// The views of a map that this many of are drawn, as numbers of all views.
    pub(super) fn numbers(map: usize, drawn: u32, wanted: u32) -> Range<u32> {
        let first = if map == 0 { 0 } else { MOST_AMBIENT };
        first + drawn..first + wanted.max(drawn)
    }
}

/// How much azimuth and share of a direction differ from those of the one before it; shaders/shadow/views.wgsl has the same
/// numbers, and says what they are.
const AZIMUTH_STEP: f64 = 0.318_916_259_6;
const SHARE_STEP: f64 = 0.782_172_167_3;
const FIRST_SHARE: f64 = 0.467_484_855_5;

/// The axes of the key light, of which the second is the unit direction `key` towards it.
pub(super) fn key_axes(key: Vec3) -> Mat3 {
    let (across, along) = key.any_orthonormal_pair();
    Mat3::from_cols(across, key, along)
}

/// The parallel projections of the unit sphere to −1…1 of all views, whose z rises towards the light: first [`MOST_AMBIENT`] over
/// the whole sphere of directions, in pairs of a direction and the opposite one, which has the same projection but for the sign of z;
/// then [`MOST_KEY`] around the second of the axes `key`. Any first 2ⁿ of either, and any 2ⁿ that begin at a multiple of 2ⁿ, are
/// spread evenly.
pub(super) fn all_projections(key: Mat3) -> impl Iterator<Item = Mat3> {
    let around = (0..MOST_AMBIENT).map(|n| {
        let (azimuth, share) = nth_direction(n / 2);
        let ahead = if n % 2 == 1 { -1.0 } else { 1.0 };
        Mat3::from_diagonal(Vec3::new(1.0, 1.0, ahead)) * projection(azimuth, 1.0 - share)
    });
    let towards_key = (0..MOST_KEY).map(move |n| {
        let (azimuth, share) = nth_direction(n);
        projection(azimuth, 1.0 / (1.0 + KEY_SPREAD * KEY_SPREAD * share).sqrt()) * key.transpose()
    });
    around.chain(towards_key)
}

/// The azimuth of a direction of the sequence in radians, and the share of the area that lies below it, 0…1.
fn nth_direction(n: u32) -> (f32, f32) {
    let azimuth = std::f64::consts::TAU * (f64::from(n) * AZIMUTH_STEP).fract();
    (azimuth as f32, (FIRST_SHARE + f64::from(n) * SHARE_STEP).fract() as f32)
}

/// The projection along a direction: the twin of `seen_along` in shaders/shadow/views.wgsl.
fn projection(azimuth: f32, up: f32) -> Mat3 {
    let (sine, cosine) = azimuth.sin_cos();
    let level = (1.0 - up * up).max(0.0).sqrt();
    let rows = [
        Vec3::new(-sine, 0.0, cosine),
        Vec3::new(-up * cosine, level, -up * sine),
        Vec3::new(level * cosine, up, level * sine),
    ];
    Mat3::from_cols(rows[0], rows[1], rows[2]).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_spread_evenly_however_many_of_them_are_used() {
        let projections: Vec<Mat3> = all_projections(key_axes(Vec3::Y)).collect();
        for (n, projection) in projections.iter().enumerate() {
            assert!((*projection * projection.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-5), "{n}: {projection}");
        }
        let views: Vec<Vec3> = projections.iter().map(|projection| projection.row(2)).collect();
        assert_eq!(views.len(), (MOST_AMBIENT + MOST_KEY) as usize);
        assert!(views.iter().all(|towards| (towards.length() - 1.0).abs() < 1e-5));
        let (around, key) = views.split_at(MOST_AMBIENT as usize);
        assert!(around.as_chunks().0.iter().all(|[one, other]| *one == -*other), "pairs are opposite");
        for count in [16, 32, 64, 128] {
            for block in around.chunks(count) {
                let mean = block.iter().sum::<Vec3>() / count as f32;
                assert!(mean.length() < 2.5 / count as f32, "{count}: {mean}");
                // The cosine over the upper half has the mean 1/4 of the whole sphere's directions.
                for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y, Vec3::ONE.normalize()] {
                    let cosines = block.iter().map(|d| d.dot(axis).max(0.0)).sum::<f32>() / count as f32;
                    assert!((cosines - 0.25).abs() < 1.3 / count as f32, "{count}, {axis}: {cosines}");
                }
            }
        }
        let widest = key.iter().map(|towards| towards.dot(Vec3::Y)).fold(1.0, f32::min);
        assert!(widest >= 1.0 / (1.0 + KEY_SPREAD * KEY_SPREAD).sqrt() - 1e-6 && widest < 0.993, "{widest}");
        let mean = key.iter().sum::<Vec3>() / MOST_KEY as f32;
        assert!(mean.normalize().dot(Vec3::Y) > 0.9999, "{mean}");
    }

    #[test]
    fn refining_reaches_all_views_in_a_few_steps() {
        let mut steps = vec![ShadowViews::NONE];
        while steps.last() != Some(&ShadowViews::ALL) {
            steps.push(steps[steps.len() - 1].refined());
        }
        let ambient: Vec<u32> = steps.iter().map(|step| step.ambient).collect();
        assert_eq!(ambient, [0, 32, 64, 128]);
        assert!(steps.iter().all(|step| step.ambient % 16 == 0 && step.key % 4 == 0));
        assert_eq!(ShadowViews::ALL.refined(), ShadowViews::ALL);
        assert_eq!(ShadowViews::numbers(1, 8, 32), 136..160);
        assert_eq!(ShadowViews::numbers(0, 64, 32), 64..64);
    }
}
