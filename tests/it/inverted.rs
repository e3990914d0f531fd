//! The inverted triangles of the fox after delta mush: an independent count in double precision, and the reference data.
//!
//! The corpus stands outside the repository: `SKINSCOPE_CORPUS`, else `../shared/corpus`. Without it this is skipped.
#![expect(clippy::unwrap_used, reason = "a test that cannot read what the program says fails")]

use glam::{Affine3A, DMat3, DVec3};
use skinscope::anim::{self, SampleScratch};
use skinscope::deform::{self, Deformation, METHODS, ParameterSettings, Surface, SurfaceInput};
use skinscope::inspect::measure::{Measurer, Wanted};
use skinscope::model::{InstanceId, LocalPose, Model};

use crate::common::{self, methods_index::methods_index, open};

/// The matrix that carries normals with a vertex by linear blending: the cofactors of its blended matrix.
fn carry(model: &Model, palettes: &[Affine3A], vertex: u32) -> DMat3 {
    let (first, influences) = model.binding(InstanceId(0), 0);
    let (joints, weights) = influences.unwrap().of(vertex as usize);
    let mut blended = DMat3::ZERO;
    for (joint, weight) in joints.iter().zip(weights) {
        let matrix = palettes[first as usize + usize::from(*joint)].matrix3;
        let double = DMat3::from_cols(matrix.x_axis.as_dvec3(), matrix.y_axis.as_dvec3(), matrix.z_axis.as_dvec3());
        blended += double * f64::from(*weight);
    }
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = blended;
    DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

#[test]
fn delta_mush_of_the_fox_turns_over_as_many_triangles_as_a_count_in_double_precision_finds() {
    let Some(corpus) = common::corpus() else { return };
    let index = methods_index(&corpus);
    let mut counts = Vec::new();
    for pose in index.poses.iter().filter(|pose| pose.model.ends_with("Fox.glb")) {
        let model = open(&corpus, &pose.model);
        let (mut local, mut nodes, mut palettes) = (LocalPose::default(), Vec::new(), Vec::new());
        anim::reset_to_rest(&model.skeleton, &mut local);
        anim::sample(&model, &model.clips[pose.clip], pose.time, &mut SampleScratch::default(), &mut local);
        anim::local_to_model(&model.skeleton, &local, &mut nodes);
        deform::palettes(&model, &nodes, &mut palettes);
        let method = Deformation::from(METHODS[0]).then(deform::pass("mush").unwrap(), &ParameterSettings::default());
        let (draws, morph_weights) = (anim::drawn_at_rest(&model, model.default_scene), &local.morph_weights[..]);
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights, method };
        let surface = Surface::of(&input);
        let (primitive, posed) = (&model.meshes[0].primitives[0], &surface.parts[0].deformed.positions);
        let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
        let mut count = 0;
        for corners in primitive.indices.as_chunks::<3>().0 {
            let rest = normal(corners.map(|v| primitive.positions[v as usize].as_dvec3()));
            let at = corners.map(|v| posed[v as usize].as_dvec3());
            let now = normal(at);
            let carried: DVec3 = corners.map(|v| carry(&model, &palettes, v) * rest.normalize()).iter().sum();
            let longest = (at[1] - at[0]).length().max((at[2] - at[1]).length()).max((at[0] - at[2]).length());
            let is_away = now.dot(carried) < -0.01 * now.length() * carried.length();
            count += usize::from(is_away && now.length() > 1e-3 * longest * longest);
        }
        let measured = Measurer::new(&model, &|| false).unwrap().measure(&input, &surface, Wanted::default()).0;
        let want = pose.measures["linear+mush"][0].inverted;
        assert_eq!((count, measured.inverted), (want, want), "{} at {} s", pose.model, pose.time);
        counts.push(want);
    }
    assert_eq!(counts, [25, 2]);
}
