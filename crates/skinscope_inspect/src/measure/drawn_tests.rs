//! Whatever is drawn is measured as it is drawn: by every method, with every pass after it, with morph targets.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use skinscope_deform::{Deformation, METHODS, NORMAL_MODES, PASSES, ParameterSettings, Surface, SurfaceInput};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{InstanceId, MeshId, Model, ModelParts, MorphTarget};

use super::tests::ALL;
use super::{Measurer, VertexMeasure, Wanted};

/// A tube that a morph target flattens.
fn morphed_tube() -> Arc<Model> {
    let source = tube(Tube { joints: 5, rings: 21, sides: 9, influences: 3, ..Tube::default() });
    let mut parts = ModelParts::clone(&source);
    let primitive = &mut parts.meshes[0].primitives[0];
    let flattening: Vec<Vec3> = primitive.positions.iter().map(|p| Vec3::new(-0.5 * p.x, 0.0, 0.0)).collect();
    primitive.morphs = vec![MorphTarget { positions: flattening, ..MorphTarget::default() }];
    parts.meshes[0].morph_names = vec!["flat".into()];
    parts.skeleton.rest.morph_weights = vec![0.0];
    parts.instances[0].morph_weights = vec![0.0];
    Arc::new(Model::build(parts).unwrap())
}

/// Each joint is turned farther than the one before it about the middle of the tube, and the last one is twice as large.
fn bent() -> Vec<Affine3A> {
    let turn = |i: u8| Affine3A::from_quat(Quat::from_rotation_x(0.25 * f32::from(i)));
    (0..5).map(|i| turn(i) * Affine3A::from_scale(Vec3::splat(if i == 4 { 2.0 } else { 1.0 }))).collect()
}

/// The shortest and the longest edge of what is drawn, posed over rest, found in the plainest way; of the vertices of the model that was
/// given, the one whose edge has changed most by a factor, with that factor.
fn plain(model: &Model, surface: &Surface, rest: &[Vec3]) -> ([f64; 2], f64) {
    let drawn = &surface.model(model).meshes[0].primitives[0];
    let posed = &surface.parts[0].deformed.positions;
    let mut edges = BTreeSet::new();
    for t in drawn.indices.as_chunks::<3>().0 {
        edges.extend([[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]));
    }
    let at = |v: u32| rest[surface.original(InstanceId(0), 0, v as usize)].as_dvec3();
    let ratios = edges.iter().map(|[a, b]| {
        let posed = posed[*a as usize].as_dvec3().distance(posed[*b as usize].as_dvec3());
        posed / at(*a).distance(at(*b))
    });
    let ends = ratios.fold([f64::INFINITY, 0.0_f64], |[least, most], r| [least.min(r), most.max(r)]);
    (ends, ends[0].recip().max(ends[1]))
}

#[test]
fn every_method_with_every_pass_and_morph_is_measured_as_it_is_drawn() {
    let model = morphed_tube();
    let (draws, palettes, settings) = ([InstanceId(0)], bent(), ParameterSettings::default());
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    let alone = METHODS.iter().map(|method| Deformation::from(*method));
    let passes = METHODS.iter().flat_map(|m| PASSES.iter().map(|pass| Deformation::from(*m).then(pass, &settings)));
    for method in alone.chain(passes) {
        for (weight, normals) in [(0.0, NORMAL_MODES[0]), (0.75, NORMAL_MODES[5])] {
            let (morph_weights, method) = ([weight], Deformation { normals, ..method });
            let name = format!("{}, {:?}, morph {weight}", method.method.id, method.pass.map(|p| p.pass.id));
            let input = SurfaceInput {
                model: &model,
                draws: &draws,
                palettes: &palettes,
                morph_weights: &morph_weights,
                method,
            };
            let surface = Surface::of(&input);
            let mut rest = Vec::new();
            skinscope_deform::morphed(&model.meshes[0].primitives[0], &morph_weights, &mut rest);
            let (ends, farthest) = plain(&model, &surface, &rest);
            let wanted = Wanted { vertices: Some(VertexMeasure::Stretch), ..ALL };
            let (out, values) = measurer.measure(&input, &surface, wanted);
            for (got, want) in out.stretch.into_iter().map(f64::from).zip(ends) {
                assert!((got - want).abs() < 1e-4 * want, "{name}: {got} instead of {want}");
            }
            let values = values.of(MeshId(0), 0);
            assert_eq!(values.len(), model.meshes[0].primitives[0].stored_vertices, "{name}");
            let worst = values.iter().map(|v| f64::from(v.max(v.recip()))).fold(0.0, f64::max);
            assert!((worst - farthest).abs() < 1e-3 * farthest, "{name}: {worst} instead of {farthest}");
            let stored = |at: &crate::VertexRef| at.vertex < model.meshes[0].primitives[0].stored_vertices;
            assert!(out.at.iter().flatten().all(stored), "{name}: {:?}", out.at);
        }
    }
}

#[test]
fn rigid_parts_come_apart_and_keep_their_sizes_unless_a_joint_grows() {
    let model = morphed_tube();
    let rigid = skinscope_deform::method("rigid").unwrap();
    let measured = |palettes: &[Affine3A]| {
        let (draws, morph_weights) = ([InstanceId(0)], [0.0]);
        let input = SurfaceInput {
            model: &model,
            draws: &draws,
            palettes,
            morph_weights: &morph_weights,
            method: rigid.into(),
        };
        Measurer::new(&model, &|| false).unwrap().measure(&input, &Surface::of(&input), ALL).0
    };
    let turned: Vec<Affine3A> =
        (0..5_u8).map(|i| Affine3A::from_quat(Quat::from_rotation_x(0.7 * f32::from(i)))).collect();
    let out = measured(&turned);
    assert!(out.stretch.iter().chain(&out.triangle).all(|ratio| (ratio - 1.0).abs() < 1e-4), "{out:?}");
    assert_eq!((out.inverted, out.folds), (0, 0));
    assert!((out.area - 1.0).abs() < 1e-4, "{}", out.area);
    assert!((measured(&bent()).stretch[1] - 2.0).abs() < 1e-4);
}

#[test]
fn a_pass_can_turn_over_a_triangle_that_follows_one_joint() {
    // A sheet of five columns; the last two follow a joint that stands far behind the others, so that smoothing draws what
    // follows the first joint alone over itself.
    let positions: Vec<Vec3> = (0..10_u8).map(|i| Vec3::new(f32::from(i / 2), f32::from(i % 2), 0.0)).collect();
    let triangles: Vec<[u32; 3]> =
        (0..4).flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]]).collect();
    let of = |v: usize| if v < 6 { [(0, 1.0), (1, 0.0)] } else { [(1, 1.0), (0, 0.0)] };
    let model = super::tests::model(positions, triangles, 2, &of);
    let (draws, palettes) = ([InstanceId(0)], [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::NEG_X * 40.0)]);
    let mush = Deformation::from(METHODS[0]).then(PASSES[0], &ParameterSettings::default());
    let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method: mush };
    let surface = Surface::of(&input);
    let posed = &surface.parts[0].deformed.positions;
    let is_over = |t: &&[u32; 3]| {
        let [a, b, c] = t.map(|v| posed[v as usize]);
        (b - a).cross(c - a).z < -1e-3
    };
    let all = model.meshes[0].primitives[0].indices.as_chunks::<3>().0;
    let over: Vec<usize> = all.iter().enumerate().filter(|(_, t)| is_over(t)).map(|(i, _)| i).collect();
    assert!(over.iter().any(|i| *i < 4), "a triangle of the first joint is turned over: {over:?}");
    let (out, _) = Measurer::new(&model, &|| false).unwrap().measure(&input, &surface, Wanted::default());
    assert_eq!(out.inverted, over.len(), "{over:?}");
}
