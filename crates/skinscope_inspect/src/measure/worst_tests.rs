//! Tests of where the worst of a surface is, of what counts as measured, and of what a surface at rest is.

use std::sync::Arc;

use glam::{Affine3A, Quat, Vec3};
use skinscope_anim::{SampleScratch, evaluate_clip, local_to_model};
use skinscope_base::parallel::JobContext;
use skinscope_deform::{
    self as deform, Deformation, METHODS, NORMAL_MODES, PASSES, ParameterSettings, Surface, SurfaceInput,
};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Instance, InstanceId, MeshId, Model, ModelParts, MorphTarget, NodeId, Primitive, Skin, SkinId};

use super::tests::{ALL, cube, measured, model, parts, primitive};
use super::{MEASURES, Measurer, SurfaceMeasures, VertexMeasure, Wanted, measure};
use crate::distance::distances;

/// Five columns of two vertices, one metre apart, and the triangles between them.
fn strip() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let positions = (0..10).map(|i| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0)).collect();
    let quads = (0..4_u32).map(|i| 2 * i);
    (positions, quads.flat_map(|v| [[v, v + 2, v + 1], [v + 1, v + 2, v + 3]]).collect())
}

/// Two columns follow joint 0, two `first + 1`, and the last one `first + 2`.
fn by_column(first: u16) -> impl Fn(usize) -> [(u16, f32); 2] {
    move |v| [([0, 0, first + 1, first + 1, first + 2][v / 2], 1.0), (0, 0.0)]
}

fn shifted(by: f32) -> Affine3A {
    Affine3A::from_translation(Vec3::X * by)
}

/// Returns the primitive and the vertex that a measure names.
fn at(id: &str, measures: &SurfaceMeasures) -> [usize; 2] {
    let at = (measure(id).unwrap().at)(measures).unwrap();
    [at.primitive, at.vertex]
}

#[test]
fn measures_name_the_ends_of_the_longest_and_shortest_edges_and_the_largest_and_smallest_triangles() {
    let (positions, triangles) = strip();
    let model = model(positions, triangles, 3, &by_column(0));
    // Columns 1 and 2 come to stand 3 m apart, columns 3 and 4 half a metre.
    let (out, _) = measured(&model, &[Affine3A::IDENTITY, shifted(2.0), shifted(1.5)], METHODS[0], Wanted::default());
    assert_eq!((out.stretch, out.triangle), ([0.5, 3.0], [0.5, 3.0]));
    for (id, ends) in [("stretch_max", 2..6), ("triangle_max", 2..6), ("stretch_min", 6..10), ("triangle_min", 6..10)] {
        let [_, vertex] = at(id, &out);
        assert!(ends.contains(&vertex), "{id}: vertex {vertex} is not one of {ends:?}");
    }
}

#[test]
fn of_several_primitives_the_worst_is_named() {
    let (positions, triangles) = strip();
    // They lie apart, since those that touch are one surface.
    let apart = |i: u16| positions.iter().map(|at| *at + Vec3::Y * f32::from(i) * 10.0).collect();
    let of = |i: u16| primitive(apart(i), &triangles, &by_column(2 * i));
    let model = Arc::new(Model::build(parts((0..3).map(of).collect(), 7)).unwrap());
    let mut palettes = vec![Affine3A::IDENTITY];
    for by in [0.5, 2.0, 1.0] {
        palettes.extend([shifted(by), shifted(by - 0.25 * by)]);
    }
    let (out, _) = measured(&model, &palettes, METHODS[0], Wanted::default());
    assert_eq!((out.stretch, out.triangle), ([0.5, 3.0], [0.5, 3.0]));
    for id in ["stretch_max", "stretch_min", "triangle_max", "triangle_min"] {
        assert_eq!(at(id, &out)[0], 1, "{id}");
    }
    let turned = |degrees: f32| {
        let about = Affine3A::from_translation(Vec3::X);
        about * Affine3A::from_rotation_y(degrees.to_radians()) * about.inverse()
    };
    let folded = |degrees: [f32; 3]| {
        let mut palettes = vec![Affine3A::IDENTITY];
        degrees.iter().for_each(|degrees| palettes.extend([turned(*degrees); 2]));
        measured(&model, &palettes, METHODS[0], ALL).0
    };
    let out = folded([160.0, 175.0, 170.0]);
    assert_eq!((out.folds, at("folds", &out)[0]), (3, 1));
    let out = folded([20.0, 60.0, 40.0]);
    assert_eq!(at("normal_error_max", &out)[0], 1);
}

/// A strip whose right half is bent by some degrees at rest, and further by its joint.
fn bent(at_rest: f32, then: impl Fn(Affine3A) -> Affine3A) -> (Arc<Model>, [Affine3A; 2]) {
    let turn = |degrees: f32| Affine3A::from_rotation_y(degrees.to_radians());
    let hinged = |i: usize| {
        let p = Vec3::new((i / 2) as f32 - 1.0, (i % 2) as f32, 0.0);
        if i < 4 { p } else { turn(at_rest).transform_point3(p) }
    };
    let triangles = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
    let pairs = |v: usize| if v < 4 { [(0, 1.0), (1, 0.0)] } else { [(1, 1.0), (0, 0.0)] };
    (model((0..6).map(hinged).collect(), triangles, 2, &pairs), [Affine3A::IDENTITY, then(Affine3A::IDENTITY)])
}

#[test]
fn the_fold_of_an_edge_is_what_it_bends_beyond_rest() {
    let turn = |degrees: f32| move |m: Affine3A| m * Affine3A::from_rotation_y(degrees.to_radians());
    let (model, palettes) = bent(40.0, turn(60.0));
    let wanted = Wanted { vertices: Some(VertexMeasure::Fold), ..Wanted::default() };
    let (out, values) = measured(&model, &palettes, METHODS[0], wanted);
    let values = values.of(MeshId(0), 0);
    assert!((values[2] - 60.0).abs() < 0.01 && (values[3] - 60.0).abs() < 0.01, "{values:?}");
    assert_eq!(out.folds, 0);
    // 155° are a fold where it was 40° at rest, and none where it was 100°.
    for (at_rest, folds) in [(40.0, 1), (100.0, 0)] {
        let (model, palettes) = bent(at_rest, turn(155.0 - at_rest));
        assert_eq!(measured(&model, &palettes, METHODS[0], wanted).0.folds, folds, "{at_rest}° at rest");
    }
}

#[test]
fn a_triangle_that_has_collapsed_has_no_side_to_fold_to() {
    // The right half is folded over, and squeezed to a share of its width.
    let folds = |share: f32| {
        let squeezed =
            |m| m * Affine3A::from_rotation_y(170_f32.to_radians()) * Affine3A::from_scale(Vec3::new(share, 1.0, 1.0));
        let (model, palettes) = bent(0.0, squeezed);
        measured(&model, &palettes, METHODS[0], Wanted::default()).0.folds
    };
    assert_eq!([folds(1.0), folds(0.02), folds(0.005)], [1, 1, 0], "a hundredth of the area at rest is the limit");
}

#[test]
fn a_part_that_is_stored_inside_out_counts_like_any_other() {
    let (positions, triangles) = cube();
    let turned: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let both: Vec<[u32; 3]> = triangles.iter().copied().chain(turned.iter().map(|t| t.map(|v| v + 8))).collect();
    let far = positions.iter().map(|p| *p + Vec3::X * 3.0);
    let two = positions.iter().copied().chain(far).collect();
    for (positions, triangles) in [(positions, turned), (two, both)] {
        let parts = triangles.len() / 12;
        let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
        let (out, _) = measured(&model, &[Affine3A::from_scale(Vec3::new(2.0, 1.0, 1.0))], METHODS[0], ALL);
        assert_eq!(out.primitives[0].parts.len(), parts);
        assert!((out.volume.unwrap() - 2.0).abs() < 1e-6, "{:?}", out.volume);
        assert!((out.regions[0].1 - 2.0).abs() < 1e-6, "{:?}", out.regions);
    }
}

#[test]
fn a_thin_closed_box_encloses_something_and_an_open_one_is_a_sheet() {
    let (positions, triangles) = cube();
    // 0.01 of an area of 2.04 to the power of 3/2 is 0.0034: less than 0.04, and far more than 1e-9.
    let thin: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(1.0, 1.0, 0.01)).collect();
    let ratio = |triangles: &[[u32; 3]]| {
        let model = model(thin.clone(), triangles.to_vec(), 1, &|_| [(0, 1.0), (0, 0.0)]);
        let (out, _) = measured(&model, &[Affine3A::from_scale(Vec3::splat(2.0))], METHODS[0], ALL);
        (out.primitives[0].parts[0].ratio(), out.volume, out.regions.first().map(|region| region.1))
    };
    let (part, all, region) = ratio(&triangles);
    assert!([part, all, region].iter().all(|ratio| (ratio.unwrap() - 8.0).abs() < 1e-3), "{part:?} {all:?} {region:?}");
    assert_eq!(ratio(&triangles[..10]), (None, None, None), "without one of its narrow sides");
}

#[test]
fn edges_that_are_too_short_and_triangles_that_are_needles_are_not_measured() {
    let (mut positions, mut triangles) = strip();
    // The diagonal is 4.1 m long, and a hundred-thousandth of it is the limit: one micrometre is below it, a tenth of a millimetre is not.
    for (height, is_measured) in [(1e-6, false), (1e-4, true)] {
        positions.truncate(10);
        triangles.truncate(8);
        positions.push(Vec3::Y * height);
        triangles.push([0, 2, 10]);
        let pairs = |v: usize| [(u16::from(v == 10), 1.0), (0, 0.0)];
        let model = model(positions.clone(), triangles.clone(), 2, &pairs);
        let palettes = [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::Y * 0.5)];
        let (out, _) = measured(&model, &palettes, METHODS[0], Wanted::default());
        assert_eq!([out.stretch[1] > 100.0, out.triangle[1] > 100.0], [is_measured; 2], "{height}: {out:?}");
    }
}

#[test]
fn a_triangle_that_two_joints_hold_alike_belongs_to_the_first_of_the_skin() {
    let (positions, triangles) = cube();
    for pairs in [[(0, 0.5), (1, 0.5)], [(1, 0.5), (0, 0.5)]] {
        let model = model(positions.clone(), triangles.clone(), 2, &|_| pairs);
        let (out, _) = measured(&model, &[Affine3A::IDENTITY; 2], METHODS[0], Wanted::default());
        assert_eq!(out.regions.iter().map(|region| region.0).collect::<Vec<_>>(), [NodeId(0)], "{pairs:?}");
    }
}

/// Vertices at one position and different stored normals are the two sides of a hard edge, which has a normal on each side.
#[test]
fn a_hard_edge_has_a_normal_on_each_side() {
    let positions: Vec<Vec3> =
        [-1, -1, 0, 0, 0, 0, 1, 1].iter().enumerate().map(|(i, x)| Vec3::new(*x as f32, (i % 2) as f32, 0.0)).collect();
    let triangles = [[0, 2, 1], [1, 2, 3], [4, 6, 5], [5, 6, 7]];
    let pairs = |v: usize| [(u16::from(v > 3), 1.0), (0, 0.0)];
    let turn = 80_f32.to_radians();
    let palettes = [Affine3A::IDENTITY, Affine3A::from_rotation_y(turn)];
    // Where it is smooth, one vertex of the middle stands in one triangle that stays and in two that are turned.
    let smooth = (2.0 * turn.sin()).atan2(1.0 + 2.0 * turn.cos()).to_degrees();
    for (is_hard, want) in [(true, 0.0), (false, f64::from(smooth))] {
        let tilted = Vec3::new(0.6, 0.0, 0.8);
        let normals = (0..8).map(|v| if is_hard && v > 3 { tilted } else { Vec3::Z }).collect();
        let primitive = Primitive { normals, ..primitive(positions.clone(), &triangles, &pairs) };
        let model = Arc::new(Model::build(parts(vec![primitive], 2)).unwrap());
        let [worst, _] = measured(&model, &palettes, METHODS[0], ALL).0.normal_error.unwrap();
        assert!((worst - want).abs() < 0.05, "{is_hard}: {worst}");
    }
}

#[test]
fn the_surface_at_rest_has_its_morph_targets_at_their_present_weights() {
    let (positions, triangles) = cube();
    let swelling: Vec<Vec3> = positions.iter().map(|p| *p * Vec3::new(1.0, 0.0, 0.0)).collect();
    let morphs = vec![MorphTarget { positions: swelling, ..MorphTarget::default() }];
    let cube = Primitive { morphs, ..primitive(positions, &triangles, &|_| [(0, 1.0), (0, 0.0)]) };
    let mut parts = parts(vec![cube], 1);
    parts.meshes[0].morph_names = vec!["swell".into()];
    parts.skeleton.rest.morph_weights = vec![0.0];
    parts.instances[0].morph_weights = vec![0.0];
    let model = Arc::new(Model::build(parts).unwrap());
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    // The same pose after another weight: what was measured at rest before is not taken.
    for weight in [0.0, 1.0, 2.0, 0.5] {
        let (draws, palettes) = ([InstanceId(0)], [Affine3A::from_scale(Vec3::new(1.0, 3.0, 1.0))]);
        let morph_weights = [weight];
        let method = METHODS[0].into();
        let input =
            SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &morph_weights, method };
        let (out, _) = measurer.measure(&input, &Surface::of(&input), Wanted::default());
        assert!((out.volume.unwrap() - 3.0).abs() < 1e-5, "{weight}: {:?}", out.volume);
        assert!(
            (out.stretch[0] - 1.0).abs() < 1e-5 && (out.stretch[1] - 3.0).abs() < 1e-5,
            "{weight}: {:?}",
            out.stretch
        );
        let rest = out.primitives[0].parts[0].rest.unwrap();
        assert!((rest - f64::from(1.0 + weight)).abs() < 1e-5, "{weight}: {rest}");
    }
}

/// A mesh that two skins move: overlays, which colour the mesh once, show the worse of both at each vertex.
#[test]
fn a_mesh_that_is_drawn_twice_shows_the_larger_distance_at_each_vertex() {
    let (positions, triangles) = strip();
    let mut parts: ModelParts = parts(vec![primitive(positions, &triangles, &by_column(0))], 3);
    let other = Skin {
        joints: parts.skins[0].joints.clone(),
        inverse_bind: vec![shifted(0.25), Affine3A::IDENTITY, Affine3A::IDENTITY],
        ..Skin::default()
    };
    parts.skins.push(other);
    parts.instances.push(Instance { skin: Some(SkinId(1)), ..parts.instances[0].clone() });
    let model = Model::build(parts).unwrap();
    let draws = [InstanceId(0), InstanceId(1)];
    let surface = |palettes: &[Affine3A]| {
        Surface::of(&SurfaceInput {
            model: &model,
            draws: &draws,
            palettes,
            morph_weights: &[],
            method: METHODS[0].into(),
        })
    };
    // The columns of joint 0 are farther apart in the first instance, those of joint 1 in the second.
    let by = |metres: [f32; 6]| surface(&metres.map(shifted));
    let values = distances(&model, &by([0.0; 6]), &by([2.0, 0.5, 1.0, 0.25, 3.0, 1.0]));
    assert_eq!(values.of(MeshId(0), 0), [2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0]);
}

#[test]
fn every_measure_has_a_vertex_where_there_is_something_to_go_to() {
    let (positions, triangles) = cube();
    let model = model(positions, triangles, 2, &|v| [(0, (v % 2) as f32), (1, ((v + 1) % 2) as f32)]);
    let palettes = [Affine3A::IDENTITY, Affine3A::from_scale(Vec3::new(2.0, 0.0, 1.0))];
    let (out, _) = measured(&model, &palettes, METHODS[0], ALL);
    for measure in MEASURES.iter().filter(|m| (m.value)(&out).is_some_and(|value| m.badness(value) > 1e-3)) {
        assert!((measure.at)(&out).is_some(), "{}", measure.id);
    }
}

#[test]
fn a_surface_that_is_deformed_for_a_reading_alone_is_measured_as_one_that_is_drawn() {
    let model = Arc::new(tube(Tube { joints: 6, rings: 12, influences: 3, ..Tube::default() }));
    let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
    let mut deformations: Vec<Deformation<'_>> = METHODS.iter().map(Deformation::from).collect();
    let all = METHODS.iter().flat_map(|method| PASSES.iter().map(move |pass| (method, pass)));
    let passes = all.map(|(method, pass)| Deformation::from(method).then(pass, &ParameterSettings::default()));
    let modes = NORMAL_MODES.iter().map(|mode| Deformation { normals: mode, ..deformations[0] });
    let more: Vec<_> = passes.chain(modes).collect();
    deformations.extend(more);
    let vertices = Some(VertexMeasure::Stretch);
    let wanted = Wanted { normal_modes: true, vertices, ..ALL };
    // The same memory serves one pose after the other; in the second one the root is mirrored.
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    let (mut local, mut matrices, mut palettes) = (model.skeleton.rest.clone(), Vec::new(), Vec::new());
    for deformation in deformations {
        let make = |source: &deform::DataSource| (source.make)(&model, &JobContext::of_waiting()).unwrap();
        let data = deformation.method.data.map(make);
        for secs in [0.7, 1.8, 0.7] {
            let mut scratch = SampleScratch::default();
            evaluate_clip(&model, &model.clips[0], secs, &mut scratch, &mut local, &mut matrices);
            if secs > 1.0 {
                local.transforms[0].scale.x *= -1.0;
                local_to_model(&model.skeleton, &local, &mut matrices);
            }
            deform::palettes(&model, &matrices, &mut palettes);
            let method = Deformation { data: data.as_ref(), ..deformation };
            let morph_weights = &local.morph_weights;
            let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights, method };
            let drawn = Surface::of(&input);
            let want = measurer.measure(&input, &drawn, wanted);
            let name = (method.method.id, method.normals.id, method.pass.map(|p| p.pass.id), secs);
            assert!(!want.0.primitives.is_empty(), "{name:?}: {want:?}");
            assert!(measurer.deform_and_measure(&input, wanted) == want, "{name:?}");
        }
    }
}

#[test]
fn a_reading_for_an_overlay_has_its_numbers_and_measures_and_no_others() {
    let model = Arc::new(tube(Tube { joints: 6, rings: 12, influences: 3, ..Tube::default() }));
    let draws: Vec<InstanceId> = (0..model.instances.len()).map(InstanceId::from_index).collect();
    let (mut local, mut matrices, mut palettes) = (model.skeleton.rest.clone(), Vec::new(), Vec::new());
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    let overlays = [
        (VertexMeasure::Stretch, "stretch"),
        (VertexMeasure::Area, "area"),
        (VertexMeasure::Inverted, "inverted"),
        (VertexMeasure::Fold, "fold"),
        (VertexMeasure::NormalError, "normal-error"),
    ];
    let mush = Deformation::from(METHODS[0]).then(PASSES[0], &ParameterSettings::default());
    // A joint that is turned far folds the surface and turns triangles over.
    for (deformation, degrees) in [(METHODS[0].into(), 30.0), (METHODS[0].into(), 170.0), (mush, 120.0)] {
        local.transforms[3].rotation = Quat::from_rotation_x(f32::to_radians(degrees));
        local.transforms[0].scale.x = -1.0;
        local_to_model(&model.skeleton, &local, &mut matrices);
        deform::palettes(&model, &matrices, &mut palettes);
        let (morph_weights, method): (_, Deformation<'_>) = (&local.morph_weights, deformation);
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights, method };
        for (measure, overlay) in overlays {
            let normal_error = measure == VertexMeasure::NormalError;
            let whole = Wanted { normal_error, vertices: Some(measure), ..Wanted::default() };
            let wanted = Wanted { overlay_only: true, ..whole };
            let (all, numbers) = measurer.deform_and_measure(&input, whole);
            let (some, some_numbers) = measurer.deform_and_measure(&input, wanted);
            assert!(numbers == some_numbers, "{overlay} at {degrees}°");
            for of in MEASURES.iter().filter(|of| of.overlay == Some(overlay)) {
                assert_eq!((of.value)(&some), (of.value)(&all), "{} at {degrees}°", of.id);
                assert_eq!((of.at)(&some), (of.at)(&all), "{} at {degrees}°", of.id);
            }
            let mut others = MEASURES.iter().filter(|of| of.id.starts_with("stretch") && overlay != "stretch");
            assert!(others.all(|of| (of.value)(&some) == Some(1.0)), "{overlay} at {degrees}°: {some:?}");
            assert!(overlay != "stretch" || some.area == 1.0 && some.volume.is_none() && some.folds == 0);
        }
        assert_eq!(measurer.deform_and_measure(&input, ALL).0.area, measured_area(&model, &input));
    }
}

/// Returns the area of a surface that is deformed and measured anew.
fn measured_area(model: &Arc<Model>, input: &SurfaceInput<'_>) -> f64 {
    Measurer::new(model, &|| false).unwrap().measure(input, &Surface::of(input), ALL).0.area
}
