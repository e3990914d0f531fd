//! From dense samples of a motion to the few keys that tell it: splines whose keys sit where the motion needs them.

use glam::{Quat, Vec3, Vec4};

/// One property of one joint over time.
pub struct Track {
    pub joint: usize,
    pub path: Path,
    /// Seconds.
    pub times: Vec<f32>,
    /// x y z w of a rotation, x y z 0 of a translation or scale: one for each key, or three (in-tangent, value, out-tangent).
    pub values: Vec<Vec4>,
    pub splines: bool,
}

/// What a track moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Path {
    Translation,
    Rotation,
    Scale,
}

/// A track through all samples, joined by lines.
pub fn lines(joint: usize, path: Path, step: f32, samples: Vec<Vec4>) -> Track {
    let times = (0..samples.len()).map(|i| i as f32 * step).collect();
    Track { joint, path, times, values: samples, splines: false }
}

/// A track of splines within `tolerance` of all samples, which are a loop: the last equals the first.
pub fn splines(joint: usize, path: Path, step: f32, samples: &[Vec4], tolerance: f32) -> Track {
    let last = samples.len() - 1;
    let mut keys = vec![0, last];
    insert(samples, 0, last, tolerance, &mut keys);
    keys.sort_unstable();
    let values = keys.iter().flat_map(|k| {
        let slope = slope(samples, *k) / step;
        [slope, samples[*k], slope]
    });
    Track {
        joint,
        path,
        times: keys.iter().map(|k| *k as f32 * step).collect(),
        values: values.collect(),
        splines: true,
    }
}

/// Splits where the spline between two keys is furthest off, until it is near everywhere.
fn insert(samples: &[Vec4], from: usize, to: usize, tolerance: f32, keys: &mut Vec<usize>) {
    let off = |i: usize| hermite(samples, from, to, i).distance(samples[i]);
    let Some(worst) = (from + 1..to).max_by(|a, b| off(*a).total_cmp(&off(*b))) else { return };
    if off(worst) > tolerance {
        // Not beside a key: that would leave spans of one sample and hardly help.
        let split = if to - from < 6 { from.midpoint(to) } else { worst.clamp(from + 3, to - 3) };
        keys.push(split);
        insert(samples, from, split, tolerance, keys);
        insert(samples, split, to, tolerance, keys);
    }
}

/// The spline of glTF 2.0, appendix C, with the slopes of the samples.
fn hermite(samples: &[Vec4], from: usize, to: usize, at: usize) -> Vec4 {
    let span = (to - from) as f32;
    let t = (at - from) as f32 / span;
    let (t2, t3) = (t * t, t * t * t);
    samples[from] * (2.0 * t3 - 3.0 * t2 + 1.0)
        + slope(samples, from) * (span * (t3 - 2.0 * t2 + t))
        + samples[to] * (3.0 * t2 - 2.0 * t3)
        + slope(samples, to) * (span * (t3 - t2))
}

/// Change for each sample, through the neighbours; the loop has neighbours at its ends.
fn slope(samples: &[Vec4], at: usize) -> Vec4 {
    let last = samples.len() - 1;
    let before = if at == 0 { last - 1 } else { at - 1 };
    let after = if at == last { 1 } else { at + 1 };
    (samples[after] - samples[before]) * 0.5
}

/// Rotations as vectors, neighbours on one side of the sphere, so that a spline between them takes the short way.
pub fn rotations(samples: impl Iterator<Item = Quat>) -> Vec<Vec4> {
    let mut out: Vec<Vec4> = Vec::new();
    for q in samples {
        let v = Vec4::from(q);
        let flip = out.last().is_some_and(|before| before.dot(v) < 0.0);
        out.push(if flip { -v } else { v });
    }
    out
}

/// Translations and scales as vectors.
pub fn vectors(samples: impl Iterator<Item = Vec3>) -> Vec<Vec4> {
    samples.map(|p| p.extend(0.0)).collect()
}
