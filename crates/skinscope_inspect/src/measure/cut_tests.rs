//! A surface that is cut into primitives with vertices of their own, as exporters cut it at its materials, has the measures
//! that it has in one piece.

use std::sync::Arc;

use skinscope_anim as anim;
use skinscope_deform::{METHODS, Surface, SurfaceInput, palettes};
use skinscope_model::test_shapes::{Tube, tube, with_vertices};
use skinscope_model::{InstanceId, LocalPose, Model, ModelParts};

use super::tests::ALL;
use super::{Measurer, SurfaceMeasures, VertexMeasure, Wanted};
use crate::PerVertex;

/// A tube whose triangles are cut into three primitives, a ring of vertices doubled at each cut.
fn cut(whole: &Model) -> Model {
    let p = &whole.meshes[0].primitives[0];
    let mut parts = ModelParts::clone(whole);
    parts.meshes[0].primitives = (0..3)
        .map(|part| {
            let third = p.indices.len() / 9 * 3;
            let own = &p.indices[part * third..if part == 2 { p.indices.len() } else { (part + 1) * third }];
            let mut used: Vec<u32> = own.to_vec();
            used.sort_unstable();
            used.dedup();
            let mut of_part = ModelParts::clone(&with_vertices(whole, &used)).meshes[0].primitives[0].clone();
            let index = |vertex: &u32| used.binary_search(vertex).unwrap() as u32;
            of_part.indices = own.iter().map(index).collect();
            of_part
        })
        .collect();
    Model::build(parts).unwrap()
}

/// Turns every joint but the first.
fn bent(model: &Model) -> LocalPose {
    let mut pose = model.skeleton.rest.clone();
    for joint in pose.transforms.iter_mut().skip(2) {
        joint.rotation *= glam::Quat::from_rotation_z(1.1) * glam::Quat::from_rotation_y(0.7);
    }
    pose
}

fn measured(model: &Arc<Model>, method: usize, wanted: Wanted, by_primitive: bool) -> (SurfaceMeasures, PerVertex) {
    let pose = bent(model);
    let (mut matrices, mut of_joints) = (Vec::new(), Vec::new());
    anim::local_to_model(&model.skeleton, &pose, &mut matrices);
    palettes(model, &matrices, &mut of_joints);
    let data = METHODS[method]
        .data
        .and_then(|source| (source.make)(model, &skinscope_base::parallel::JobContext::of_waiting()));
    let mut applied = skinscope_deform::Deformation::from(METHODS[method]);
    applied.data = data.as_ref();
    let draws = [InstanceId(0)];
    let input = SurfaceInput {
        model,
        draws: &draws,
        palettes: &of_joints,
        morph_weights: &pose.morph_weights,
        method: applied,
    };
    let new = if by_primitive { Measurer::by_primitive } else { Measurer::new };
    new(model, &|| false).unwrap().measure(&input, &Surface::of(&input), Wanted { by_primitive, ..wanted })
}

#[test]
fn a_cut_is_no_border_whatever_the_method() {
    let whole = Arc::new(tube(Tube { rings: 24, sides: 12, joints: 4, ..Tube::default() }));
    let cut = Arc::new(cut(&whole));
    let [before, after] =
        [&whole, &cut].map(|model| model.meshes[0].primitives.iter().map(|p| p.stored_vertices).sum::<usize>());
    assert!(after >= before + 2 * 12, "{after}");
    for (number, method) in METHODS.iter().enumerate() {
        let [one, of_cut] = [&whole, &cut].map(|model| measured(model, number, ALL, false).0);
        let id = method.id;
        assert!(
            (one.inverted, one.folds, one.zero_normals) == (of_cut.inverted, of_cut.folds, of_cut.zero_normals),
            "{id}"
        );
        let numbers = |m: &SurfaceMeasures| {
            let mut all = vec![m.stretch_mean, m.area, m.volume.unwrap_or(-1.0)];
            all.extend([m.stretch, m.triangle].iter().flatten().map(|number| f64::from(*number)));
            all.extend(m.regions.iter().map(|(_, volume)| *volume));
            all.extend(m.normal_error.iter().flatten());
            all
        };
        let (a, b) = (numbers(&one), numbers(&of_cut));
        assert_eq!(a.len(), b.len(), "{id}");
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0)), "{id}: {a:?} {b:?}");
        assert_eq!(of_cut.primitives.len(), 1, "{id}");
        let sizes = |m: &SurfaceMeasures| {
            let mut sizes: Vec<usize> = m.primitives[0].parts.iter().map(|part| part.triangles).collect();
            sizes.sort_unstable();
            sizes
        };
        assert_eq!(sizes(&of_cut), sizes(&one), "{id}");
    }
    // Alone, each has borders where it was cut.
    let alone = measured(&cut, 0, ALL, true).0;
    assert_eq!(alone.primitives.iter().map(|p| p.primitive).collect::<Vec<_>>(), [0, 1, 2]);
    assert_ne!(alone.volume, measured(&cut, 0, ALL, false).0.volume);
}

#[test]
fn the_numbers_of_vertices_are_those_of_the_whole_at_both_sides_of_a_cut() {
    let whole = Arc::new(tube(Tube { rings: 24, sides: 12, joints: 4, ..Tube::default() }));
    let cut = Arc::new(cut(&whole));
    for measure in [VertexMeasure::Stretch, VertexMeasure::Area, VertexMeasure::NormalError, VertexMeasure::Fold] {
        let wanted = Wanted { vertices: Some(measure), ..ALL };
        let (all, of_cut) = (measured(&whole, 0, wanted, false).1, measured(&cut, 0, wanted, false).1);
        let p = &whole.meshes[0].primitives[0];
        for (source, values) in cut.meshes[0].primitives.iter().zip(&of_cut.values[0]) {
            assert_eq!(values.len(), source.stored_vertices, "{measure:?}");
            for (position, value) in source.positions.iter().zip(values) {
                let is_there = |(other, all): (&glam::Vec3, &f32)| other == position && (all - value).abs() < 1e-4;
                assert!(p.positions.iter().zip(&all.values[0][0]).any(is_there), "{measure:?}: {position} {value}");
            }
        }
    }
}
