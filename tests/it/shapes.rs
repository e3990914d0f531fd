//! Surfaces of real models by another method are taken back through the skin.
//!
//! The corpus is outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its corpus fails")]

use glam::{DVec3, Vec3};
use skinscope::deform::METHODS;
use skinscope::edit::Sheet;
use skinscope::math::Aabb;
use skinscope::model::{InstanceId, LocalPose, Model};
use skinscope::parallel::JobContext;
use skinscope::solve::{MethodSurface, PosedSkin, ShapedSkin, direction_offsets, shown_by, typical_poses};

use crate::common;

/// In so many poses the surface is looked at.
const POSES: usize = 5;

/// Takes the surface by dual quaternions back through linear blending. Returns how far it is from that afterwards, as a share of the diagonal,
/// and how many vertices moved and how many stayed since the skin is folded flat there; `None` where no skin moves the primitive.
fn taken_back(model: &Model, pose: &LocalPose, of: (InstanceId, usize)) -> Option<(f64, [usize; 2])> {
    let context = JobContext::of_waiting();
    let mut surface = MethodSurface::new(model, METHODS[1].into(), &context).unwrap();
    let example = surface.examples(pose, &[of]).remove(0)?;
    let targets: Vec<DVec3> = (0..example.vertices()).map(|vertex| example.target(vertex)).collect();
    let skin = PosedSkin::new(model, pose, of, METHODS[0].into(), &context)?;
    let back = skin.take_back(&targets);
    let shaped = ShapedSkin { of, skin: &skin, offsets: &back.offsets };
    let turned = direction_offsets(model, &[shaped]).remove(0);
    let is_sound = |by: &Vec3| by.is_finite() && by.length() < 2.1;
    assert!(turned.normals.iter().chain(&turned.tangents).all(is_sound), "normals turn, and keep their length");
    let moved = skin.posed(&back.offsets);
    let is_flat = |vertex: &usize| back.flat.binary_search(&(*vertex as u32)).is_ok();
    let reached = (0..moved.len().min(targets.len())).filter(|vertex| !is_flat(vertex));
    let apart = reached.map(|vertex| targets[vertex].distance(moved[vertex].as_dvec3())).fold(0.0, f64::max);
    let bounds = Aabb::from_points(moved.iter().copied().filter(|point: &Vec3| point.is_finite()));
    let size = f64::from((bounds.max - bounds.min).length());
    (size > 0.0 && size.is_finite()).then_some((apart / size, [back.moved(), back.flat.len()]))
}

#[test]
fn surfaces_of_real_models_by_another_method_are_reached_by_morph_targets() {
    let Some(corpus) = common::corpus() else { return };
    let mut flat: Vec<f64> = Vec::new();
    for file in common::models_in(vec![corpus.join("models")]) {
        let name = file.strip_prefix(&corpus).unwrap().to_str().unwrap();
        let model = common::open(&corpus, name);
        let sheet = Sheet::of(&model);
        let first = sheet.tables.iter().flat_map(|table| &table.primitives).next();
        let Some((instance, at)) = first.and_then(|at| Some((shown_by(&model, *at)?, *at))) else { continue };
        let (mut moved, mut stay) = (0, 0);
        for pose in typical_poses(&model, POSES) {
            let Some((apart, [some, others])) = taken_back(&model, &pose, (instance, at.primitive)) else { continue };
            // The bounds of vertices that stay may be smaller than those of the surface that was wanted.
            assert!(apart < 2e-5, "{name}: {apart}");
            (moved, stay) = (moved + some, stay + others);
        }
        if moved + stay > 0 {
            flat.push(stay as f64 / (moved + stay) as f64);
        }
    }
    flat.sort_by(f64::total_cmp);
    let median = flat[flat.len() / 2];
    assert!(flat.len() > 5 && median < 1e-3, "{median} of {}", flat.len());
}
