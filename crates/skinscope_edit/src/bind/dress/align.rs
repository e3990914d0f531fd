//! Where a garment is worn that does not stand there in its own file: turned, scaled and moved until the bones of both, or the boxes around
//! both, lie on each other.

use glam::{DAffine3, DMat3, DQuat, DVec3};
use skinscope_anim::pose::{NameMap, counterparts};
use skinscope_base::math::{Stretch, Transform, angle_degrees};
use skinscope_model::{Model, NodeId};

use super::body::BodySurface;
use crate::Refusal;

/// How a garment is brought to where the body wears it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// It stands there already.
    #[default]
    None,
    /// The nodes that have a counterpart among the body's joints lie where those are.
    Humanoid,
    /// The boxes around both lie on each other.
    Bounds,
}

/// The ways to align, with the word of each.
pub const ALIGNS: [(Align, &str); 3] =
    [(Align::None, "none"), (Align::Humanoid, "humanoid"), (Align::Bounds, "bounds")];

/// What aligning did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aligned {
    /// How it was found.
    pub by: Align,
    /// What brings the world of the garment into that of the body.
    pub body_from_garment: DAffine3,
    /// The angle by which the garment was turned, degrees.
    pub degrees: f64,
    /// The factor by which it was scaled.
    pub scale: f64,
    /// How far the middle of the garment was moved, metres.
    pub moved: f64,
}

impl Aligned {
    /// Returns what a skin needs to show the garment where it is worn; `None` where it stands there.
    pub(super) fn worn(&self) -> Option<Transform> {
        let (scale, rotation, translation) = self.body_from_garment.to_scale_rotation_translation();
        let worn = Transform {
            translation: translation.as_vec3(),
            rotation: rotation.as_quat().normalize(),
            scale: scale.as_vec3(),
        };
        (self.by != Align::None).then_some(worn)
    }
}

/// A rotation, a uniform scale, and what lies on what: the middle of the garment and its place.
struct Fit {
    rotation: DQuat,
    scale: f64,
    from: DVec3,
    to: DVec3,
}

impl Fit {
    fn matrix(&self) -> DAffine3 {
        let linear = DAffine3::from_scale_rotation_translation(DVec3::splat(self.scale), self.rotation, DVec3::ZERO);
        DAffine3 { translation: self.to - linear.transform_vector3(self.from), ..linear }
    }
}

/// How many points of a garment are compared with the body for each way in which it may be turned.
const COMPARED: usize = 400;

/// Finds where a garment is worn; `points` are its vertices as they rest in its world.
///
/// # Errors
/// It is to be aligned by names, and too few of them are in both, or what is said of names does not fit.
pub(super) fn find(
    (model, points): (&Model, &[DVec3]),
    (body, surface): (&Model, &BodySurface),
    by: Align,
    names: &NameMap,
) -> Result<Aligned, Refusal> {
    let fit = match by {
        Align::None => None,
        Align::Humanoid => Some(by_names(model, body, names)?),
        Align::Bounds => by_bounds(points, surface),
    };
    let matrix = fit.as_ref().map_or(DAffine3::IDENTITY, Fit::matrix);
    let middle = middle_of(points.iter().copied());
    Ok(Aligned {
        by,
        body_from_garment: matrix,
        degrees: fit.as_ref().map_or(0.0, |fit| angle_degrees(fit.rotation)),
        scale: fit.as_ref().map_or(1.0, |fit| fit.scale),
        moved: matrix.transform_point3(middle).distance(middle),
    })
}

fn middle_of(points: impl Iterator<Item = DVec3>) -> DVec3 {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for point in points.filter(|point| point.is_finite()) {
        (sum, count) = (sum + point, count + 1.0);
    }
    if count > 0.0 { sum / count } else { DVec3::ZERO }
}

/// Returns what brings the joints of a garment nearest to their counterparts in the body (the Procrustes problem).
fn by_names(model: &Model, body: &Model, names: &NameMap) -> Result<Fit, Refusal> {
    let found = counterparts(body, model, &names.find(body, model)?);
    let theirs = body.skeleton.worlds(&body.skeleton.rest);
    let ours = model.skeleton.worlds(&model.skeleton.rest);
    let pair = |(there, here): (usize, &Option<NodeId>)| {
        let here = (*here)?;
        let is_joint = body.is_joint(NodeId::from_index(there));
        is_joint.then(|| (ours[here.index()].translation, theirs[there].translation))
    };
    let pairs: Vec<(DVec3, DVec3)> = found.iter().enumerate().filter_map(pair).collect();
    let from = middle_of(pairs.iter().map(|(here, _)| *here));
    let to = middle_of(pairs.iter().map(|(_, there)| *there));
    let mut covariance = DMat3::ZERO;
    let mut sizes = [0.0, 0.0];
    for (here, there) in &pairs {
        let (here, there) = (*here - from, *there - to);
        covariance += DMat3::from_cols(there * here.x, there * here.y, there * here.z);
        sizes = [sizes[0] + here.length_squared(), sizes[1] + there.length_squared()];
    }
    let rotation = Stretch::of(covariance).rotation.filter(|rotation| rotation.is_finite());
    match rotation {
        Some(rotation) if pairs.len() >= 3 && sizes.iter().all(|size| *size > 0.0) => {
            Ok(Fit { rotation, scale: (sizes[1] / sizes[0]).sqrt(), from, to })
        }
        _ => Err(Refusal::NotAligned(pairs.len())),
    }
}

/// Returns what brings the box around a garment onto the box around the body, turned about its axes by right angles so that it lies nearest to
/// the body; `None` where one of them has no size.
fn by_bounds(points: &[DVec3], surface: &BodySurface) -> Option<Fit> {
    let [low, high] = surface.bounds();
    let (to, size) = ((low + high) * 0.5, (high - low).length());
    let sampled = points.len().div_ceil(COMPARED).max(1);
    let solid = surface.at_rest();
    let mut best: Option<(f64, Fit)> = None;
    for rotation in right_angles() {
        let turned = points.iter().map(|point| rotation * *point).filter(|point| point.is_finite());
        let (least, most) = turned.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(a, b), p| (a.min(p), b.max(p)));
        let own = (most - least).length();
        if !(own > 0.0 && own.is_finite() && size > 0.0) {
            return None;
        }
        let from = rotation.inverse() * ((least + most) * 0.5);
        let fit = Fit { rotation, scale: size / own, from, to };
        let matrix = fit.matrix();
        let distance = |point: &DVec3| solid.distance(matrix.transform_point3(*point)).unwrap_or(0.0);
        let sum: f64 = points.iter().step_by(sampled).map(distance).sum();
        // Of equally good ways the first, which turns least.
        if best.as_ref().is_none_or(|(known, _)| sum < known * (1.0 - 1e-6)) {
            best = Some((sum, fit));
        }
    }
    best.map(|(_, fit)| fit)
}

/// Returns the 24 rotations that bring axes onto axes, those that turn least first.
fn right_angles() -> Vec<DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let mut out = Vec::with_capacity(24);
    for first in axes {
        for second in axes.into_iter().filter(|second| second.dot(first) == 0.0) {
            out.push(DQuat::from_mat3(&DMat3::from_cols(first, second, first.cross(second))).normalize());
        }
    }
    out.sort_by(|a, b| angle_degrees(*a).round().total_cmp(&angle_degrees(*b).round()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_angles_are_24_and_none_comes_twice() {
        let all = right_angles();
        assert_eq!((all.len(), angle_degrees(all[0])), (24, 0.0));
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a.dot(*b).abs() < 0.999), "{i}");
        }
    }
}
