//! Measures against closed forms.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{Affine3A, Mat3A, Vec3};
use skinscope_base::math::WeldRule;
use skinscope_deform::{
    self as deform, Deformation, METHODS, MeshTopology, Method, NORMAL_MODES, PASSES, ParameterSettings, Surface,
    SurfaceInput,
};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{
    Influences, Instance, InstanceId, LocalPose, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, Scene, Skeleton,
    Skin, SkinId, Topology, WeightFormat,
};

use super::{Measurer, SurfaceMeasures, VertexMeasure, Wanted};
use crate::PerVertex;

/// Makes a model of one mesh, each vertex of which follows the joints and weights that `pairs` gives it.
pub(super) fn model(
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    joints: usize,
    pairs: &dyn Fn(usize) -> [(u16, f32); 2],
) -> Arc<Model> {
    Arc::new(Model::build(parts(vec![primitive(positions, &triangles, pairs)], joints)).unwrap())
}

/// Makes a primitive, each vertex of which follows the joints and weights that `pairs` gives it.
pub(super) fn primitive(
    positions: Vec<Vec3>,
    triangles: &[[u32; 3]],
    pairs: &dyn Fn(usize) -> [(u16, f32); 2],
) -> Primitive {
    let count = positions.len();
    let all: Vec<(u16, f32)> = (0..count).flat_map(pairs).collect();
    Primitive {
        topology: Topology::Triangles,
        indices: triangles.concat(),
        positions,
        stored_vertices: count,
        stored_influences: Some(Influences {
            per_vertex: 2,
            joints: all.iter().map(|p| p.0).collect(),
            weights: all.iter().map(|p| p.1).collect(),
            format: WeightFormat::F32,
            ..Influences::default()
        }),
        ..Primitive::default()
    }
}

/// Makes one mesh of these primitives, on joints that rest at the origin.
pub(super) fn parts(primitives: Vec<Primitive>, joints: usize) -> ModelParts {
    let transforms = vec![skinscope_base::math::Transform::IDENTITY; joints];
    ModelParts {
        scenes: vec![Scene { name: String::new(), roots: vec![NodeId(0)], contains: vec![true; joints] }],
        skeleton: Skeleton {
            parents: (0..joints).map(|i| i.checked_sub(1).map(|_| NodeId(0))).collect(),
            names: (0..joints).map(|i| format!("joint {i}")).collect(),
            file_index: (0..joints as u32).collect(),
            rest: LocalPose { transforms, ..LocalPose::default() },
            residuals: Vec::new(),
            far: None,
        },
        skins: vec![Skin {
            joints: (0..joints).map(NodeId::from_index).collect(),
            inverse_bind: vec![Affine3A::IDENTITY; joints],
            ..Skin::default()
        }],
        meshes: vec![Mesh { primitives, ..Mesh::default() }],
        instances: vec![Instance { node: NodeId(0), mesh: MeshId(0), skin: Some(SkinId(0)), ..Instance::default() }],
        ..ModelParts::default()
    }
}

pub(super) fn measured(
    model: &Arc<Model>,
    palettes: &[Affine3A],
    method: &Method,
    wanted: Wanted,
) -> (SurfaceMeasures, PerVertex) {
    let draws = [InstanceId(0)];
    let input = SurfaceInput { model, draws: &draws, palettes, morph_weights: &[], method: method.into() };
    Measurer::new(model, &|| false).unwrap().measure(&input, &Surface::of(&input), wanted)
}

pub(super) const ALL: Wanted = Wanted { normal_error: true, normal_modes: false, vertices: None, ..NONE };
/// Nothing but what is always measured.
const NONE: Wanted =
    Wanted { normal_error: false, normal_modes: false, vertices: None, overlay_only: false, by_primitive: false };

/// The eight corners and twelve triangles of a unit cube, seen from outside.
pub(super) fn cube() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corners = (0..8).map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (corners, quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect())
}

#[test]
fn a_scaled_cube_has_the_volume_of_its_scale_and_a_moved_one_changes_nothing() {
    let (positions, triangles) = cube();
    let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let scale = Vec3::new(2.0, 0.5, 3.0);
    let (out, _) = measured(&model, &[Affine3A::from_scale(scale)], METHODS[0], ALL);
    assert_eq!((out.primitives[0].parts.len(), out.primitives[0].parts[0].closed), (1, true));
    assert!((out.volume.unwrap() - 3.0).abs() < 1e-6, "{out:?}");
    assert_eq!(out.stretch, [0.5, 3.0]);
    // Four edges along each axis, and a diagonal on each face.
    let diagonals = [[2.0, 0.5], [2.0, 3.0], [0.5, 3.0]].map(|[a, b]: [f64; 2]| 2.0 * a.hypot(b) / 2_f64.sqrt());
    let mean = (4.0 * (2.0 + 0.5 + 3.0) + diagonals.iter().sum::<f64>()) / 18.0;
    assert!((out.stretch_mean - mean).abs() < 1e-6, "{} instead of {mean}", out.stretch_mean);
    assert!((out.area - (1.0 + 6.0 + 1.5) / 3.0).abs() < 1e-6, "{}", out.area);
    assert!((f64::from(out.triangle[0]) - 1.0).abs() < 1e-6 && (f64::from(out.triangle[1]) - 6.0).abs() < 1e-5);
    assert_eq!((out.inverted, out.folds), (0, 0));
    // One matrix for all carries sums of normals as it carries each.
    assert!(out.normal_error.unwrap()[0] < 0.05, "{:?}", out.normal_error);
    let moved = Affine3A::from_rotation_y(1.0) * Affine3A::from_translation(Vec3::new(100.0, 2.0, 3.0));
    let (out, _) = measured(&model, &[moved], METHODS[0], ALL);
    assert!((out.volume.unwrap() - 1.0).abs() < 1e-4 && (out.area - 1.0).abs() < 1e-4);
    assert!(out.normal_error.unwrap()[0] < 0.05, "{:?}", out.normal_error);
    // A mirror turns the inside out, and no triangle is inverted by it.
    let (out, _) = measured(&model, &[Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0))], METHODS[0], ALL);
    assert!(
        (out.volume.unwrap() + 1.0).abs() < 1e-6 && out.inverted == 0 && out.normal_error.unwrap()[0] < 0.05,
        "{out:?}"
    );
}

#[test]
fn an_open_cube_is_closed_by_a_fan_and_a_sheet_has_no_volume() {
    let (positions, mut triangles) = cube();
    triangles.truncate(10);
    let open = model(positions.clone(), triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let (out, _) = measured(&open, &[Affine3A::from_scale(Vec3::splat(2.0))], METHODS[0], Wanted::default());
    let part = out.primitives[0].parts[0];
    assert!(!part.closed && (part.rest.unwrap() - 1.0).abs() < 1e-6 && (part.posed - 8.0).abs() < 1e-5, "{part:?}");
    let sheet = model(positions, vec![[0, 1, 2], [1, 3, 2]], 1, &|_| [(0, 1.0), (0, 0.0)]);
    let (out, _) = measured(&sheet, &[Affine3A::IDENTITY], METHODS[0], Wanted::default());
    assert_eq!((out.volume, out.primitives[0].parts[0].ratio()), (None, None));
}

#[test]
fn a_twisted_tube_loses_the_volume_of_its_ring_by_matrices_and_none_by_motions() {
    // A ring of which each half of the weights is turned by 120° has half the radius: cos 60°.
    let shape = Tube { joints: 2, rings: 3, sides: 64, ..Tube::default() };
    let source = tube(shape);
    let ring = |v: usize| match v / 64 {
        0 => [(0, 1.0), (1, 0.0)],
        1 => [(0, 0.5), (1, 0.5)],
        _ => [(0, 0.0), (1, 1.0)],
    };
    let p = &source.meshes[0].primitives[0];
    let triangles = p.indices.as_chunks::<3>().0.to_vec();
    let model = model(p.positions[..192].to_vec(), triangles, 2, &ring);
    let turned = [Affine3A::IDENTITY, Affine3A::from_rotation_y(120_f32.to_radians())];
    let linear = measured(&model, &turned, METHODS[0], ALL).0;
    let dual = measured(&model, &turned, deform::method("dual-quaternion").unwrap(), ALL).0;
    let part = linear.primitives[0].parts[0];
    let radius = |v: f64| f64::from(shape.radius) * v;
    // At rest it is a prism over a polygon of 64 sides.
    let polygon = 0.5 * 64.0 * (2.0 * PI / 64.0).sin() * radius(1.0).powi(2);
    assert!((part.rest.unwrap().abs() - 2.0 * polygon).abs() < 1e-6, "{part:?}");
    // Between rings of radius 1 and r, twisted by 60°, straight lines stand at r(t)² = (1 − t)² + r² t² + r t (1 − t) from the axis,
    // of which the mean is ½ for r = ½ and ⅚ for r = 1. Facets of 64 sides differ a little from that.
    for (got, want) in [(linear.volume, 0.5), (dual.volume, 5.0 / 6.0)] {
        assert!((got.unwrap() - want).abs() < 0.02, "{got:?} instead of {want}");
    }
    // The sides of the middle ring are half as long; nothing shrinks more.
    assert!((linear.stretch[0] - 0.5).abs() < 1e-4, "{:?}", linear.stretch);
    // Each joint's region is a half of the tube and loses as much as the whole: they are mirror images but for a turn.
    assert_eq!(linear.regions.iter().map(|r| r.0).collect::<Vec<_>>(), [NodeId(0), NodeId(1)]);
    for (_, ratio) in &linear.regions {
        assert!((ratio - linear.volume.unwrap()).abs() < 0.02, "{:?} of {:?}", linear.regions, linear.volume);
    }
}

#[test]
fn a_hinge_that_closes_is_a_fold_and_what_is_turned_over_is_inverted() {
    // Four columns of vertices; the right half follows joint 1, which turns about the middle.
    let positions: Vec<Vec3> = (0..6).map(|i| Vec3::new((i / 2) as f32 - 1.0, (i % 2) as f32, 0.0)).collect();
    let triangles = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
    let model = model(positions, triangles, 2, &|v| if v < 4 { [(0, 1.0), (1, 0.0)] } else { [(1, 1.0), (0, 0.0)] });
    let folded = |degrees: f32| {
        let turned = [Affine3A::IDENTITY, Affine3A::from_rotation_y(degrees.to_radians())];
        measured(&model, &turned, METHODS[0], Wanted { vertices: Some(VertexMeasure::Fold), ..Wanted::default() })
    };
    let (out, values) = folded(170.0);
    assert_eq!((out.folds, out.at[5].map(|at| at.vertex)), (1, Some(2)));
    assert!((out.sharpest - 170.0).abs() < 0.01, "{}", out.sharpest);
    let values = values.of(MeshId(0), 0);
    assert!((values[2] - 170.0).abs() < 0.01 && values[0] == 0.0, "{values:?}");
    assert_eq!((folded(140.0).0.folds, folded(140.0).0.sharpest), (0, 0.0));
    // The triangles keep their lengths and look where their joint carries them; those at the middle have corners of both joints.
    assert_eq!((out.stretch[1], out.inverted), (1.0, 1));
    let crossed = [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::NEG_X * 1.5)];
    let wanted = Wanted { vertices: Some(VertexMeasure::Inverted), ..Wanted::default() };
    let (out, values) = measured(&model, &crossed, METHODS[0], wanted);
    assert_eq!((out.inverted, values.of(MeshId(0), 0)), (2, &[0.0, 0.0, 1.0, 1.0, 1.0, 1.0][..]));
    assert!(out.at[4].is_some());
    // A mirror turns the inside out, and neither inverts a triangle nor puts one in order.
    let mirror = Affine3A::from_scale(Vec3::new(1.0, 1.0, -1.0));
    let (out, _) = measured(&model, &crossed.map(|m| mirror * m), METHODS[0], wanted);
    assert_eq!(out.inverted, 2);
    let (out, _) = measured(&model, &[mirror; 2], METHODS[0], wanted);
    assert_eq!(out.inverted, 0);
    // The side of what is as thin as a needle cannot be determined.
    let thin = [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::NEG_X * 1.0005)];
    assert_eq!(measured(&model, &thin, METHODS[0], wanted).0.inverted, 0);
}

#[test]
fn overlays_have_the_worst_ratio_at_each_vertex() {
    let positions: Vec<Vec3> = (0..6).map(|i| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0)).collect();
    let triangles = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
    let model = model(positions, triangles, 2, &|v| if v < 4 { [(0, 1.0), (1, 0.0)] } else { [(1, 1.0), (0, 0.0)] });
    let pulled = [Affine3A::IDENTITY, Affine3A::from_translation(Vec3::X * 3.0)];
    let of = |measure| {
        let wanted = Wanted { vertices: Some(measure), ..Wanted::default() };
        measured(&model, &pulled, METHODS[0], wanted).1.values[0][0].clone()
    };
    for (measure, stretched) in [(VertexMeasure::Stretch, 4.0), (VertexMeasure::Area, 4.0)] {
        let values = of(measure);
        let wanted = [1.0, 1.0, stretched, stretched, stretched, stretched];
        assert!(values.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{measure:?}: {values:?}");
    }
    assert!(of(VertexMeasure::NormalError).iter().all(|error| *error < 0.01));
    // What is squeezed to nothing is measured, and is the worst that there is.
    let squeezed = [Affine3A::IDENTITY, Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0))];
    for measure in [VertexMeasure::Stretch, VertexMeasure::Area] {
        let wanted = Wanted { vertices: Some(measure), ..Wanted::default() };
        let values = measured(&model, &squeezed, METHODS[0], wanted).1.values[0][0].clone();
        assert!(values[4..].iter().all(|ratio| *ratio > 0.0 && *ratio < 1e-5), "{measure:?}: {values:?}");
    }
}

#[test]
fn normals_are_off_by_the_share_of_the_triangles_that_turn() {
    let positions: Vec<Vec3> = (0..6).map(|i| Vec3::new((i / 2) as f32 - 1.0, (i % 2) as f32, 0.0)).collect();
    let triangles = vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]];
    let model = model(positions, triangles, 2, &|v| if v < 4 { [(0, 1.0), (1, 0.0)] } else { [(1, 1.0), (0, 0.0)] });
    let turned = [Affine3A::IDENTITY, Affine3A::from_rotation_y(90_f32.to_radians())];
    let wanted = Wanted { normal_error: true, vertices: Some(VertexMeasure::NormalError), ..Wanted::default() };
    let (out, values) = measured(&model, &turned, METHODS[0], wanted);
    // Vertex 2 has two triangles that stay and one that turns by 90°, vertex 3 one and two; both follow the joint that stays.
    let (two, three) = (0.5_f64.atan().to_degrees(), 2_f64.atan().to_degrees());
    let values = values.of(MeshId(0), 0);
    assert!((f64::from(values[2]) - two).abs() < 1e-3 && (f64::from(values[3]) - three).abs() < 1e-3, "{values:?}");
    let [worst, mean] = out.normal_error.unwrap();
    assert!((worst - three).abs() < 1e-3 && (mean - (two + three) / 6.0).abs() < 1e-3, "{worst} {mean}");
    assert_eq!(out.at[6].map(|at| at.vertex), Some(3));
}

#[test]
fn a_rest_pose_that_shows_the_mesh_larger_as_a_whole_stretches_nothing() {
    let (positions, triangles) = cube();
    let small = model(positions, triangles, 2, &|v| [(0, (v % 2) as f32), (1, ((v + 1) % 2) as f32)]);
    let mut rest = small.skeleton.rest.clone();
    for transform in &mut rest.transforms[..1] {
        transform.scale = Vec3::splat(0.01);
    }
    let scaled = Arc::new(small.with_rest(&rest).unwrap());
    let same = [Affine3A::from_scale(Vec3::splat(0.01)); 2];
    let (out, _) = measured(&scaled, &same, METHODS[0], ALL);
    assert!(out.stretch.iter().all(|s| (s - 1.0).abs() < 1e-4), "{:?}", out.stretch);
    assert!((out.volume.unwrap() - 1.0).abs() < 1e-4 && (out.area - 1.0).abs() < 1e-4, "{out:?}");
    let (out, _) = measured(&small, &same, METHODS[0], ALL);
    assert!((out.stretch[1] - 0.01).abs() < 1e-5);
}

#[test]
fn nothing_and_numbers_that_are_none_are_measured_without_harm() {
    let (positions, triangles) = cube();
    let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let broken = Affine3A { matrix3: Mat3A::from_diagonal(Vec3::new(f32::NAN, 1.0, 1.0)), ..Affine3A::IDENTITY };
    let (out, _) = measured(&model, &[broken], METHODS[0], ALL);
    assert!(out.stretch.iter().chain(&out.triangle).all(|v| v.is_finite()) && out.inverted == 0, "{out:?}");
    let input = SurfaceInput {
        model: &model,
        draws: &[],
        palettes: &[Affine3A::IDENTITY],
        morph_weights: &[],
        method: METHODS[0].into(),
    };
    let (out, values) = Measurer::new(&model, &|| false).unwrap().measure(&input, &Surface::of(&input), ALL);
    assert_eq!((out.stretch, out.area, out.volume, out.primitives.len()), ([1.0; 2], 1.0, None, 0));
    assert!(values.of(MeshId(0), 0).is_empty());
    assert!(Measurer::new(&model, &|| true).is_none(), "it was stopped");
}

/// The angle between two vectors, degrees.
fn degrees(a: Vec3, b: Vec3) -> f64 {
    f64::from(a.cross(b).length().atan2(a.dot(b)).to_degrees())
}

#[test]
fn every_mode_of_normals_has_the_error_of_its_formula() {
    let (positions, triangles) = cube();
    let mut at_rest = vec![Vec3::ZERO; positions.len()];
    for t in &triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        t.iter().for_each(|v| at_rest[*v as usize] += (b - a).cross(c - a));
    }
    let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let wanted = Wanted { normal_modes: true, ..Wanted::default() };
    let scale = Vec3::new(2.0, 1.0, 0.5);
    let (out, _) = measured(&model, &[Affine3A::from_scale(scale)], METHODS[0], wanted);
    assert_eq!(
        out.normal_modes.iter().map(|m| m.mode).collect::<Vec<_>>(),
        NORMAL_MODES.iter().map(|m| m.id).collect::<Vec<_>>()
    );
    // One matrix for all carries the sum over triangles as it carries each: what is no inverse transpose is wrong by this.
    let wrong: Vec<f64> = at_rest.iter().map(|n| degrees(scale * *n, scale.recip() * *n)).collect();
    for mode in &out.normal_modes {
        let (worst, mean) = match mode.mode {
            "rotation-only" => (wrong.iter().copied().fold(0.0, f64::max), wrong.iter().sum::<f64>() / 8.0),
            _ => (0.0, 0.0),
        };
        assert!((mode.worst - worst).abs() < 0.05 && (mode.mean - mean).abs() < 0.05, "{mode:?}: {worst}, {mean}");
        assert_eq!((mode.zero, mode.at.is_some()), (0, mode.worst > 0.0), "{mode:?}");
    }
    assert!(wrong.iter().copied().fold(0.0, f64::max) > 20.0);
    // What flattens has no inverse transpose.
    let (out, _) = measured(&model, &[Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0))], METHODS[0], wanted);
    let zero: Vec<usize> = out.normal_modes.iter().map(|m| m.zero).collect();
    assert_eq!(zero, [0, 8, 8, 0, 0, 0]);
    // The modes are those of linear blending alone.
    let dual = deform::method("dual-quaternion").unwrap();
    assert!(measured(&model, &[Affine3A::IDENTITY], dual, wanted).0.normal_modes.is_empty());
}

#[test]
fn the_mode_that_is_shown_is_the_one_that_is_measured() {
    let (positions, triangles) = cube();
    let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let palettes = [Affine3A::from_scale(Vec3::new(2.0, 1.0, 0.5))];
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    let errors: Vec<f64> = NORMAL_MODES
        .iter()
        .map(|mode| {
            let method = Deformation { normals: mode, ..METHODS[0].into() };
            let draws = [InstanceId(0)];
            let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
            let wanted = Wanted { normal_modes: true, ..ALL };
            let (out, _) = measurer.measure(&input, &Surface::of(&input), wanted);
            let of_mode = out.normal_modes.iter().find(|m| m.mode == mode.id).unwrap();
            assert_eq!(out.normal_error, Some([of_mode.worst, of_mode.mean]), "{}", mode.id);
            of_mode.worst
        })
        .collect();
    assert!(errors[4] > 20.0 && errors[5] == 0.0, "{errors:?}");
}

#[test]
fn normals_of_length_zero_are_counted_where_triangles_stand() {
    let (mut positions, triangles) = cube();
    // No triangle stands at the last vertex.
    positions.push(Vec3::splat(0.5));
    let source = primitive(positions, &triangles, &|v| [(u16::from(v == 3), 1.0), (0, 0.0)]);
    let cube = Primitive { normals: vec![Vec3::Y; source.positions.len()], ..source };
    let model = Arc::new(Model::build(parts(vec![cube], 2)).unwrap());
    let flat = Affine3A::from_scale(Vec3::ZERO);
    let (out, _) = measured(&model, &[Affine3A::IDENTITY, Affine3A::IDENTITY], METHODS[0], Wanted::default());
    assert_eq!((out.zero_normals, out.at[8]), (0, None));
    let wanted = Wanted { vertices: Some(VertexMeasure::NormalError), ..ALL };
    for (palettes, zero) in [([flat, flat], 8), ([Affine3A::IDENTITY, flat], 1)] {
        let (out, values) = measured(&model, &palettes, METHODS[0], wanted);
        assert_eq!(out.zero_normals, zero);
        assert_eq!(out.at[8].map(|at| at.vertex), Some(if zero == 8 { 0 } else { 3 }));
        // The overlay marks the same vertices, and not the one at which no triangle stands.
        assert_eq!(values.missing(), zero, "{values:?}");
    }
}

#[test]
fn a_large_surface_has_at_each_vertex_the_edge_that_has_changed_most() {
    let model = Arc::new(tube(Tube { joints: 6, rings: 100, sides: 80, influences: 4, ..Tube::default() }));
    let palettes: Vec<Affine3A> = (0..6_u8).map(|i| Affine3A::from_rotation_x(0.2 * f32::from(i))).collect();
    let wanted = Wanted { vertices: Some(VertexMeasure::Stretch), ..Wanted::default() };
    let (_, values) = measured(&model, &palettes, METHODS[0], wanted);
    let draws = [InstanceId(0)];
    let method = METHODS[0].into();
    let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
    let surface = Surface::of(&input);
    let (p, posed) = (&model.meshes[0].primitives[0], &surface.parts[0].deformed.positions);
    let topology = MeshTopology::of_primitive(p, WeldRule::Exact, &|| false).unwrap();
    let edges = topology.vertex_edges();
    assert!(edges.len() > 20_000, "{} edges are not read by several threads", edges.len());
    let mut worst = vec![0.0_f32; p.positions.len()];
    for [a, b] in edges.iter().map(|ends| ends.map(|v| v as usize)) {
        let ratio = posed[a].distance(posed[b]) / p.positions[a].distance(p.positions[b]);
        for end in [a, b] {
            worst[end] = worst[end].max(ratio.ln().abs());
        }
    }
    for (vertex, (value, worst)) in values.of(MeshId(0), 0).iter().zip(&worst).enumerate() {
        assert!((value.ln().abs() - worst).abs() < 1e-4, "vertex {vertex}: {value} and {worst}");
    }
}

#[test]
fn the_normals_of_a_pass_have_no_error_and_those_of_the_triangles_none_either() {
    let (positions, triangles) = cube();
    let model = model(positions, triangles, 1, &|_| [(0, 1.0), (0, 0.0)]);
    let palettes = [Affine3A::from_scale(Vec3::new(2.0, 1.0, 0.5))];
    let draws = [InstanceId(0)];
    let mush = Deformation::from(METHODS[0]).then(PASSES[0], &ParameterSettings::default());
    let mut measurer = Measurer::new(&model, &|| false).unwrap();
    for (normals, error) in [(NORMAL_MODES[0], None), (NORMAL_MODES[5], Some([0.0; 2]))] {
        let method = Deformation { normals, ..mush };
        let input = SurfaceInput { model: &model, draws: &draws, palettes: &palettes, morph_weights: &[], method };
        let (out, _) = measurer.measure(&input, &Surface::of(&input), Wanted { normal_modes: true, ..ALL });
        assert_eq!((out.normal_error, out.normal_modes.len()), (error, 0), "{}", normals.id);
    }
}

#[test]
fn the_worst_region_is_the_one_that_is_farthest_from_its_volume_at_rest() {
    let of = |regions: &[(u32, f64)]| {
        let regions = regions.iter().map(|(joint, ratio)| (NodeId(*joint), *ratio)).collect();
        SurfaceMeasures { regions, ..SurfaceMeasures::default() }.worst_region().map(|(joint, _)| joint.0)
    };
    assert_eq!(of(&[(0, 1.5), (1, 0.5), (2, 1.0)]), Some(1));
    assert_eq!(of(&[(0, 2.5), (1, 0.5)]), Some(0));
    assert_eq!(of(&[(0, 9.0), (1, -0.1)]), Some(1), "turned inside out");
    assert_eq!(of(&[]), None);
}
