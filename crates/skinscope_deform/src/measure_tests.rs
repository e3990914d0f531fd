//! Measures of the deformed surface against closed forms.

use std::f32::consts::PI;

use glam::{Affine3A, Mat3A, Quat, Vec3};
use skinscope_base::math::WeldRule;
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Model, Primitive};

use super::*;

const LIMITS: Limits = Limits { stretch: 2.0, area: [0.1, 4.0], fold: PI * 150.0 / 180.0, folded_by: PI / 3.0 };

fn tube_primitive(rings: usize) -> Primitive {
    let model: Model = tube(Tube { rings, sides: 12, length: 2.0, radius: 0.5, ..Tube::default() });
    model.meshes[0].primitives[0].clone()
}

fn exact(p: &Primitive) -> MeshTopology {
    MeshTopology::of_primitive(p, WeldRule::Exact, &|| false).unwrap()
}

/// Returns normals of triangles at rest, which are their facing as long as nothing turns.
fn upright(rest: &[Vec3]) -> impl FnMut(&[[u32; 3]]) -> Vec<Vec3> + '_ {
    |faces| faces.iter().map(|t| front(*t, rest)).collect()
}

fn front(t: [u32; 3], at: &[Vec3]) -> Vec3 {
    let [a, b, c] = t.map(|v| at[v as usize]);
    (b - a).cross(c - a)
}

/// Measures the whole primitive at rest and then moved, with the normals that `facing` gives.
fn measured(
    p: &Primitive,
    moved: &dyn Fn(usize, Vec3) -> Vec3,
    facing: &dyn Fn(Vec3) -> Vec3,
) -> (Measures, Vec<(Fault, Vec<u32>)>) {
    let rest = &p.positions[..];
    let patch = Patch::new(&exact(p), rest, 1e-6, &|_| true, &mut upright(rest));
    let positions: Vec<Vec3> = rest.iter().enumerate().map(|(i, p)| moved(i, *p)).collect();
    let facing: Vec<Vec3> = patch.triangles().map(|t| facing(front(t, rest))).collect();
    let posed = MeasuredSurface { positions: &positions, facing: &facing };
    let mut faults = Vec::new();
    let mut found = |fault, at: &[u32]| faults.push((fault, at.to_vec()));
    (patch.measure(posed, &LIMITS, &mut MeasureScratch::default(), &mut found), faults)
}

/// Measures a primitive that one matrix moves, whose normals are carried by its cofactor matrix.
fn mapped(p: &Primitive, m: Affine3A) -> (Measures, Vec<(Fault, Vec<u32>)>) {
    let carried = skinscope_base::math::cofactor(m.matrix3);
    measured(p, &|_, p| m.transform_point3(p), &|n| carried * n)
}

#[test]
fn a_box_that_is_scaled_has_the_products_of_its_factors() {
    let corner = |i: usize| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2 & 1) as f32);
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let cube = Primitive {
        positions: (0..8).map(corner).collect(),
        indices: quads.into_iter().flat_map(|[a, b, c, d]| [a, b, c, a, c, d]).collect(),
        stored_vertices: 8,
        ..Primitive::default()
    };
    let factors = Vec3::new(3.0, 0.5, 1.5);
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 2.0);
    let m = Affine3A::from_scale_rotation_translation(factors, turn, Vec3::new(10.0, -20.0, 5.0));
    let (out, faults) = mapped(&cube, m);
    assert!((out.stretch[1] - 3.0).abs() < 1e-5 && (out.stretch[0] - 0.5).abs() < 1e-5, "{out:?}");
    assert!((out.triangle[1] - 4.5).abs() < 1e-4 && (out.triangle[0] - 0.75).abs() < 1e-5);
    assert!((out.volume.unwrap() - 2.25).abs() < 1e-5);
    assert_eq!((out.inverted, out.folds), (0, 0));
    let stretched = faults.iter().filter(|(f, _)| *f == Fault::Stretch).count();
    let grown = faults.iter().filter(|(f, _)| *f == Fault::Area).count();
    // Edges along x, with the diagonals of the four faces that hold x (√(9 + ¼) or √(9 + 9/4) of √2); the two faces of xz.
    assert_eq!((stretched, grown), (8, 4));
}

/// Half way between two joints, one of which is twisted by θ, linear blending turns by θ/2 and shrinks the radius to
/// cos(θ/2), the candy wrapper. Weights of ½ everywhere make a whole tube do so.
#[test]
fn a_tube_of_half_weights_shrinks_by_the_cosine_of_half_its_twist() {
    let p = tube_primitive(5);
    for degrees in [0.0_f32, 45.0, 90.0, 150.0] {
        let half = 0.5 * degrees.to_radians();
        let twist = Mat3A::from_rotation_y(2.0 * half);
        let (out, _) = mapped(&p, Affine3A { matrix3: (Mat3A::IDENTITY + twist) * 0.5, ..Affine3A::IDENTITY });
        let shrunk = half.cos();
        // Rings are edges and columns keep their length: the slanted edges lie between.
        assert!((out.stretch[0] - shrunk).abs() < 1e-5 && (out.stretch[1] - 1.0).abs() < 1e-5, "{degrees}°: {out:?}");
        assert!((out.volume.unwrap() - f64::from(shrunk * shrunk)).abs() < 1e-5, "{degrees}°");
        assert_eq!(out.inverted, 0);
    }
}

/// The band of a tube between two rings is closed by lids: a prism of known volume, wherever it stands.
#[test]
fn an_open_band_is_closed_by_lids() {
    let p = tube_primitive(5);
    let topology = exact(&p);
    let band = |corners: &[u32]| corners.iter().all(|v| (12..36).contains(v));
    let patch = Patch::new(&topology, &p.positions, 1e-6, &band, &mut upright(&p.positions));
    assert_eq!(patch.measured_vertices(), (12..36).collect::<Vec<_>>());
    // The patch is the band of 24 triangles, and those across its two borders.
    assert_eq!(patch.triangles().count(), 24 + 24);
    let facing: Vec<Vec3> = patch.triangles().map(|t| front(t, &p.positions)).collect();
    // With the upper ring twice as wide it is a frustum of volume h (A + √(A · 4A) + 4A) / 3.
    let widened = |(i, p): (usize, &Vec3)| if i < 24 { *p } else { *p * Vec3::new(2.0, 1.0, 2.0) } + Vec3::splat(10.0);
    let wider: Vec<Vec3> = p.positions.iter().enumerate().map(widened).collect();
    let posed = MeasuredSurface { positions: &wider, facing: &facing };
    let out = patch.measure(posed, &LIMITS, &mut MeasureScratch::default(), &mut |_, _| {});
    assert!((out.volume.unwrap() - 7.0 / 3.0).abs() < 1e-4, "{out:?}");
    let flat = Patch::new(
        &topology,
        &p.positions,
        1e-6,
        &|c| c.iter().all(|v| [0, 1, 12, 13].contains(v)),
        &mut upright(&p.positions),
    );
    let flat = flat.measure(posed, &LIMITS, &mut MeasureScratch::default(), &mut |_, _| {});
    assert_eq!(flat.volume, None, "two triangles enclose nothing");
}

#[test]
fn turning_and_mirroring_are_no_inversion_but_a_corner_pushed_through_is() {
    let p = tube_primitive(5);
    let turn = Affine3A::from_axis_angle(Vec3::new(0.6, 0.8, 0.0), 3.0);
    assert_eq!(mapped(&p, turn).0.inverted, 0);
    // The facing is mirrored too: a mirrored surface keeps its own front.
    let mirror = Affine3A::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let rest = &p.positions[..];
    let mirrored: Vec<Vec3> = rest.iter().map(|p| mirror.transform_point3(*p)).collect();
    let mut outward = |faces: &[[u32; 3]]| faces.iter().map(|t| -front(*t, &mirrored)).collect();
    let patch = Patch::new(&exact(&p), &mirrored, 1e-6, &|_| true, &mut outward);
    let facing: Vec<Vec3> = patch.triangles().map(|t| -front(t, &mirrored)).collect();
    let posed = MeasuredSurface { positions: &mirrored, facing: &facing };
    assert_eq!(patch.measure(posed, &LIMITS, &mut MeasureScratch::default(), &mut |_, _| {}).inverted, 0);
    // Vertex 24 of the middle ring goes below the ring under it: the three triangles above it stretch, of the three below,
    // the two whose other corners are level with it or under it turn over.
    let (out, faults) = measured(&p, &|i, p| if i == 24 { p - Vec3::Y * 0.75 } else { p }, &|n| n);
    let inverted: Vec<_> = faults.iter().filter(|(f, _)| *f == Fault::Inverted).map(|(_, at)| at.clone()).collect();
    let below = |t: &Vec<u32>| t.contains(&24) && t.iter().filter(|v| **v < 24).count() == 2;
    assert!(inverted.iter().any(below), "{inverted:?}");
    assert_eq!(out.inverted, inverted.len());
    let truth = exact(&p).triangles.into_iter().filter(|t| {
        let moved = |v: &u32| rest[*v as usize] - if *v == 24 { Vec3::Y * 0.75 } else { Vec3::ZERO };
        let [a, b, c] = [moved(&t[0]), moved(&t[1]), moved(&t[2])];
        // The front of a tube's triangle looks away from the axis.
        (b - a).cross(c - a).dot((a + b + c).with_y(0.0)) < 0.0
    });
    assert_eq!(truth.map(|t| t.to_vec()).collect::<Vec<_>>(), inverted);
}

/// ```text
/// 2 ── 3      two triangles hinged on 0 3; corner 1 swings about it
/// │  ╱  │
/// 0 ── 1
/// ```
#[test]
fn a_hinge_folds_only_where_it_was_open() {
    let p = Primitive {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)],
        indices: vec![0, 3, 2, 0, 1, 3],
        stored_vertices: 4,
        ..Primitive::default()
    };
    let swing = |degrees: f32| {
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 1.0, 0.0).normalize(), degrees.to_radians());
        move |i: usize, p: Vec3| if i == 1 { turn * p } else { p }
    };
    for (degrees, folds) in [(0.0, 0), (120.0, 0), (149.0, 0), (151.0, 1), (-170.0, 1)] {
        let (out, faults) = measured(&p, &swing(degrees), &|n| n);
        assert_eq!(out.folds, folds, "{degrees}°");
        if folds == 1 {
            assert!((out.sharpest - degrees.abs().to_radians()).abs() < 1e-3, "{out:?}");
            assert!(faults.contains(&(Fault::Fold, vec![3, 0])) || faults.contains(&(Fault::Fold, vec![0, 3])));
        }
    }
    let folded: Vec<Vec3> = p.positions.iter().enumerate().map(|(i, p)| swing(155.0)(i, *p)).collect();
    let bent = Primitive { positions: folded, ..p };
    assert_eq!(measured(&bent, &swing(15.0), &|n| n).0.folds, 0, "was folded before");
}

#[test]
fn what_is_not_finite_or_has_no_size_is_passed_over() {
    let mut p = tube_primitive(4);
    let (out, _) = measured(&p, &|i, p| if i == 5 { Vec3::NAN } else { p * 1.5 }, &|n| n);
    assert!(out.stretch.iter().chain(&out.triangle).all(|v| v.is_finite()), "{out:?}");
    p.positions.iter_mut().for_each(|p| *p *= 1e-9);
    let (out, faults) = measured(&p, &|_, p| p * 50.0, &|n| n);
    assert_eq!((out.stretch, faults), ([1.0; 2], Vec::new()));
    let none = Primitive::default();
    assert_eq!(measured(&none, &|_, p| p, &|n| n).0.triangle, [1.0; 2]);
}
