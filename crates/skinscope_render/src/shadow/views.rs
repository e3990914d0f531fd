//! The directions that shadows are computed from: all around for the surroundings, a cone for the key light.

use std::f32::consts::TAU;
use std::ops::Range;

use glam::Vec3;

/// The most views of the surroundings, and of the key light; shaders/shadow/views.wgsl has the same numbers.
pub const MOST_AMBIENT: u32 = 128;
pub const MOST_KEY: u32 = 32;

/// The tangent of half the angle that the key light is wide, as its shadows have it.
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

    /// Returns the next step of shadows that are refined from picture to picture.
    #[must_use]
    pub fn refined(self) -> Self {
        let next = |now: u32, most: u32| (2 * now).clamp(most / 4, most);
        Self { ambient: next(self.ambient, MOST_AMBIENT), key: next(self.key, MOST_KEY) }
    }

    /// The views of a map that this many of are drawn, as numbers of all views.
    pub(super) fn numbers(map: usize, drawn: u32, wanted: u32) -> Range<u32> {
        let first = if map == 0 { 0 } else { MOST_AMBIENT };
        first + drawn..first + wanted.max(drawn)
    }
}

/// The unit vectors towards the light of all views: first [`MOST_AMBIENT`] over the whole sphere of directions, in pairs
/// of a direction and the opposite one; then [`MOST_KEY`] around `key`, the unit direction towards the key light. Any
/// first 2ⁿ of either, and any 2ⁿ that begin at a multiple of 2ⁿ, are spread evenly.
pub(super) fn all_directions(key: Vec3) -> impl Iterator<Item = Vec3> {
    let around = (0..MOST_AMBIENT).map(|n| on_hemisphere(spread(n / 2)) * if n % 2 == 1 { -1.0 } else { 1.0 });
    let (side, up) = key.any_orthonormal_pair();
    let towards_key = (0..MOST_KEY).map(move |n| {
        let [u, v] = spread(n);
        let (sine, cosine) = (TAU * u).sin_cos();
        (key + KEY_SPREAD * v.sqrt() * (side * cosine + up * sine)).normalize()
    });
    around.chain(towards_key)
}

/// The unit vector of the upper half that stands for a point of the unit square (a cylinder projection keeps areas).
fn on_hemisphere([u, v]: [f32; 2]) -> Vec3 {
    let y = 1.0 - v;
    let (sine, cosine) = (TAU * u).sin_cos();
    let around = (1.0 - y * y).max(0.0).sqrt();
    Vec3::new(around * cosine, y, around * sine)
}

/// Point `n` of Sobol's sequence in two dimensions (Sobol 1967), moved to the middle of its cell of 1/256.
fn spread(n: u32) -> [f32; 2] {
    let (mut second, mut direction, mut rest) = (0_u32, 1_u32 << 31, n);
    while rest != 0 {
        second ^= if rest & 1 == 1 { direction } else { 0 };
        direction ^= direction >> 1;
        rest >>= 1;
    }
    [n.reverse_bits(), second].map(|bits| ((bits >> 24) as f32 + 0.5) / 256.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_spread_evenly_however_many_of_them_are_used() {
        let views: Vec<Vec3> = all_directions(Vec3::Y).collect();
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
