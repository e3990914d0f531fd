//! Subdivided models against what subdivision owes them: seams stay closed, rigid motions carry the surface, and at rest both orders agree.

use std::collections::HashMap;

use glam::{Affine3A, Quat, Vec3};
use skinscope_base::parallel::JobContext;
use skinscope_model::test_shapes::{Tube, obstacle_course, tube, with_vertices};
use skinscope_model::{InstanceId, Model, Primitive};

use super::*;

fn model() -> Model {
    tube(Tube { joints: 4, rings: 9, sides: 6, influences: 2, ..Tube::default() })
}

fn subdivided(model: &Model, levels: u32) -> Subdivision {
    Subdivision::of(model, levels, &JobContext::of_waiting()).unwrap()
}

/// The palette where every joint is bent against the one before it, by so many radians.
fn bent(model: &Model, bend: f32) -> Vec<Affine3A> {
    let (mut pose, mut out): (Vec<Affine3A>, _) = (Vec::new(), Vec::new());
    for (i, (parent, local)) in model.skeleton.parents.iter().zip(&model.skeleton.rest.transforms).enumerate() {
        let above = parent.map_or(Affine3A::IDENTITY, |p| pose[p.index()]);
        let turn = if i > 1 { Quat::from_rotation_x(bend) } else { Quat::IDENTITY };
        pose.push(above * local.to_affine() * Affine3A::from_quat(turn));
    }
    palettes(model, &pose, &mut out);
    out
}

fn input<'a>(model: &'a Model, palettes: &'a [Affine3A], morph_weights: &'a [f32]) -> SurfaceInput<'a> {
    SurfaceInput { model, draws: &[InstanceId(0)], palettes, morph_weights, method: METHODS[0].into() }
}

fn fine(subdivision: &Subdivision) -> &Primitive {
    &subdivision.model().meshes[0].primitives[0]
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn at_rest_both_orders_agree_and_one_motion_carries_them() {
    let model = model();
    for levels in 1..=MOST_LEVELS {
        let subdivision = subdivided(&model, levels);
        let (cage, p) = (&model.meshes[0].primitives[0], fine(&subdivision));
        assert_eq!(p.indices.len(), cage.indices.len() << (2 * levels));
        let turn = Quat::from_axis_angle(Vec3::new(1.0, 2.0, -1.0).normalize(), 2.2);
        for motion in [Affine3A::IDENTITY, Affine3A::from_rotation_translation(turn, Vec3::new(0.5, -1.0, 0.25))] {
            let palettes = vec![motion; model.palette_layout().len as usize];
            let input = input(&model, &palettes, &[]);
            let both = [subdivision.after(&Surface::of(&input)), subdivision.before(&input)];
            let want: Vec<Vec3> = p.positions.iter().map(|at| motion.transform_point3(*at)).collect();
            let normals: Vec<Vec3> = p.normals.iter().map(|n| motion.transform_vector3(*n)).collect();
            for surface in both {
                let part = surface.part(InstanceId(0), 0).unwrap();
                assert!(apart(&part.deformed.positions, &want) < 2e-6, "{levels}");
                assert!(apart(&part.deformed.normals, &normals) < 1e-3, "{levels}");
                assert!(part.deformed.determinants.iter().all(|d| (d - 1.0).abs() < 1e-4));
                assert!(std::ptr::eq(surface.model(&model), &**subdivision.model()));
                let near = surface.original(InstanceId(0), 0, part.deformed.positions.len() - 1);
                assert!(near < cage.positions.len());
            }
        }
    }
}

#[test]
fn where_joints_bend_the_orders_differ_and_weights_still_sum_to_one() {
    let model = model();
    let subdivision = subdivided(&model, 2);
    let palettes = bent(&model, 0.7);
    let input = input(&model, &palettes, &[]);
    let (after, before) = (subdivision.after(&Surface::of(&input)), subdivision.before(&input));
    let off = apart(&after.parts[0].deformed.positions, &before.parts[0].deformed.positions);
    assert!(off > 1e-3 && off < 0.25, "{off}");
    let influences = fine(&subdivision).stored_influences.as_ref().unwrap();
    for vertex in 0..fine(&subdivision).positions.len() {
        let (_, weights) = influences.of(vertex);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5 && weights.iter().all(|w| *w >= 0.0));
    }
}

/// Vertices that are stored twice, as at a seam, are one place of the fine surface in every pose, to the bit.
#[test]
fn no_seam_opens() {
    let plain = model();
    let count = plain.meshes[0].primitives[0].positions.len() as u32;
    let twice: Vec<u32> = (0..count).chain((0..count).step_by(3)).collect();
    let seams = with_vertices(&plain, &twice);
    let places = |model: &Model| {
        let subdivision = subdivided(model, 2);
        let palettes = bent(model, 0.6);
        let surface = subdivision.after(&Surface::of(&input(model, &palettes, &[])));
        let bits = |at: &Vec3| at.to_array().map(f32::to_bits);
        let mut places: HashMap<[u32; 3], [u32; 3]> = HashMap::new();
        for (rest, posed) in fine(&subdivision).positions.iter().zip(&surface.parts[0].deformed.positions) {
            assert_eq!(*places.entry(bits(rest)).or_insert(bits(posed)), bits(posed), "{rest}");
        }
        places.len()
    };
    assert_eq!(places(&seams), places(&plain));
}

/// Morph targets, mirrored and sheared joints, primitives without weights or normals, and a mesh without a skin.
#[test]
fn all_that_a_model_has_is_subdivided() {
    let model = obstacle_course();
    let subdivision = subdivided(&model, 1);
    let (mut pose, mut palettes): (Vec<Affine3A>, _) = (Vec::new(), Vec::new());
    for (i, t) in model.skeleton.rest.transforms.iter().enumerate() {
        let local = model.skeleton.local_matrix(i, *t);
        pose.push(model.skeleton.parents[i].map_or(local, |p| pose[p.index()] * local));
    }
    super::palettes(&model, &pose, &mut palettes);
    let draws = [InstanceId(0), InstanceId(1)];
    let input = SurfaceInput { draws: &draws, ..input(&model, &palettes, &[0.75, -0.5]) };
    let (after, before) = (subdivision.after(&Surface::of(&input)), subdivision.before(&input));
    assert_eq!((after.parts.len(), before.parts.len()), (3, 3));
    for (a, b) in after.parts.iter().zip(&before.parts) {
        // In the rest pose every joint moves the mesh alike, and morph targets are subdivided as the places are.
        assert!(apart(&a.deformed.positions, &b.deformed.positions) < 1e-4, "{:?} {}", a.instance, a.primitive);
        assert_eq!(a.deformed.tangents.len(), b.deformed.tangents.len());
        assert_eq!(a.deformed.normals.len(), b.deformed.normals.len());
    }
}

#[test]
fn what_is_too_much_is_refused_with_its_reason() {
    let model = model();
    let says = |model: &Model, levels: u32| Subdivision::refusal(model, levels).unwrap_or_default();
    assert_eq!(says(&model, 3), "");
    assert_eq!(says(&model, 4), "a model is subdivided 1 to 3 times");
    assert!(says(&model, 0).starts_with("a model is"));
    // 2 · 511 · 128 triangles, 64 times.
    let dense = tube(Tube { rings: 512, sides: 128, ..Tube::default() });
    assert_eq!(says(&dense, 2), "");
    assert_eq!(says(&dense, 3), "subdivided 3 times it has 8372224 triangles; 4000000 are the most that are made");
    assert!(Subdivision::of(&dense, 3, &JobContext::of_waiting()).is_none());
}
