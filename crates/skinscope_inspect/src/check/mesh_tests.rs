//! Tests of the rules about surfaces, on small models with known defects.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Quat, Vec3};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{
    Influences, Instance, Mesh, MeshId, Model, ModelParts, NodeId, Primitive, Skin, SkinId, Topology,
};

use super::{CheckOptions, Finding, FindingPose, Subject, check};

/// Four joints and 33 rings of 16 vertices: joint `j` (node `j + 1`) stands at height `j` and moves vertices less than
/// about 1 m from its middle.
pub(super) const SHAPE: Tube = Tube { joints: 4, rings: 33, sides: 16, length: 4.0, radius: 0.25, influences: 2 };

pub(super) fn parts_of(shape: Tube) -> ModelParts {
    (*tube(shape)).clone()
}

pub(super) fn found(parts: ModelParts, rule: &'static str) -> Vec<Finding> {
    let model = Model::build(parts).unwrap();
    let options = CheckOptions { rules: Some(vec![rule]), ..CheckOptions::default() };
    check(&model, &options, &AtomicBool::new(false)).unwrap().findings
}

/// Returns (mesh, primitive, vertices, joints) of each finding.
pub(super) fn summaries(findings: &[Finding]) -> Vec<(u32, usize, Vec<u32>, Vec<u32>)> {
    let joints = |f: &Finding| f.joints.iter().map(|j| j.0).collect();
    findings.iter().map(|f| (f.mesh.unwrap().0, f.primitive.unwrap(), f.vertices.clone(), joints(f))).collect()
}

pub(super) fn skin(parts: &mut ModelParts) -> &mut Primitive {
    &mut parts.meshes[0].primitives[0]
}

/// Sets all weights of a vertex.
pub(super) fn set(primitive: &mut Primitive, vertex: usize, pairs: &[(u16, f32)]) {
    let Influences { per_vertex, joints, weights, .. } = primitive.stored_influences.as_mut().unwrap();
    for slot in 0..*per_vertex {
        let (joint, weight) = pairs.get(slot).copied().unwrap_or_default();
        (joints[vertex * *per_vertex + slot], weights[vertex * *per_vertex + slot]) = (joint, weight);
    }
}

/// Gives a vertex some weight of a joint, taken from its others in proportion.
pub(super) fn plant(primitive: &mut Primitive, vertex: usize, joint: u16, weight: f32) {
    let (joints, weights) = primitive.stored_influences.as_ref().unwrap().of(vertex);
    let others = joints.iter().zip(weights).filter(|(_, w)| **w > 0.0).map(|(j, w)| (*j, *w * (1.0 - weight)));
    let pairs: Vec<(u16, f32)> = others.filter(|(_, w)| *w > 0.0).chain([(joint, weight)]).collect();
    set(primitive, vertex, &pairs);
}

/// Makes a primitive of triangles, each vertex with its pairs.
fn primitive(vertices: &[(Vec3, &[(u16, f32)])], triangles: &[[u32; 3]]) -> Primitive {
    let n = vertices.len();
    let influences =
        Influences { per_vertex: 4, joints: vec![0; n * 4], weights: vec![0.0; n * 4], ..Influences::default() };
    let mut out = Primitive {
        topology: Topology::Triangles,
        positions: vertices.iter().map(|v| v.0).collect(),
        indices: triangles.iter().flatten().copied().collect(),
        stored_influences: Some(influences),
        stored_vertices: n,
        ..Primitive::default()
    };
    vertices.iter().enumerate().for_each(|(v, (_, pairs))| set(&mut out, v, pairs));
    out
}

/// Makes two joints, the upper one 1 m above the lower, and some primitives.
fn hinge(primitives: Vec<Primitive>) -> ModelParts {
    let mut parts = parts_of(Tube { joints: 2, ..Tube::default() });
    parts.meshes[0].primitives = primitives;
    parts.clips.clear();
    parts
}

/// Moves the triangles for which `upper` holds to another primitive, which has all vertices of its own.
fn split(whole: &Primitive, upper: impl Fn(&[u32; 3]) -> bool) -> [Primitive; 2] {
    let [mut low, mut high] = [whole.clone(), whole.clone()];
    let triangles = whole.indices.as_chunks::<3>().0;
    low.indices = triangles.iter().filter(|t| !upper(t)).flatten().copied().collect();
    high.indices = triangles.iter().filter(|t| upper(t)).flatten().copied().collect();
    [low, high]
}

#[test]
fn rogue_vertices_are_found_exactly() {
    assert_eq!(found(parts_of(SHAPE), "rogue-vertices"), []);
    for weight in [0.1, 0.5, 1.0] {
        let mut parts = parts_of(SHAPE);
        [480, 481, 496, 500].into_iter().for_each(|v| plant(skin(&mut parts), v, 0, weight));
        let findings = found(parts, "rogue-vertices");
        assert_eq!(summaries(&findings), [(0, 0, vec![480, 481, 496, 500], vec![1])], "{weight}");
        assert!((findings[0].measure.unwrap().value - f64::from(weight)).abs() < 1e-6);
    }
}

#[test]
fn random_rogues_are_all_found_and_none_invented() {
    let mut state = 0x9e37_79b9_u32;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize % below
    };
    let shape = Tube { joints: 8, rings: 65, sides: 12, length: 4.0, radius: 0.1, influences: 2 };
    for _ in 0..60 {
        let mut parts = parts_of(shape);
        let joint = random(8);
        // A joint with two influences moves vertices less than 1 m from the middle of its half metre; eight rings are
        // 0.5 m.
        let far = |ring: usize| (ring as f32 / 16.0 - (joint as f32 * 0.5 + 0.25)).abs() > 1.3;
        let rings: Vec<usize> = (0..65).filter(|r| far(*r)).collect();
        let planted: BTreeSet<u32> =
            (0..1 + random(6)).map(|_| (rings[random(rings.len())] * 12 + random(12)) as u32).collect();
        for v in &planted {
            plant(skin(&mut parts), *v as usize, joint as u16, 0.1 + random(90) as f32 / 100.0);
        }
        let want = vec![(0, 0, planted.into_iter().collect(), vec![joint as u32 + 1])];
        assert_eq!(summaries(&found(parts, "rogue-vertices")), want);
    }
}

#[test]
fn a_joint_may_move_shells_and_second_regions_and_both_ends_of_what_is_cut_off_in_between() {
    // A button on the upper end follows the lowest joint.
    let mut parts = parts_of(SHAPE);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|c| Vec3::new(0.5, 3.5, 0.0) + c * 0.05);
    let button = corners.map(|c| (c, &[(0, 1.0)][..]));
    parts.meshes[0].primitives.push(primitive(&button, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]));
    assert_eq!(found(parts, "rogue-vertices"), []);
    // The lowest joint's region has a gap: a ring beyond it is still around its bone.
    let mut parts = parts_of(SHAPE);
    (0..33 * 16).for_each(|v| set(skin(&mut parts), v, &[(u16::from(!matches!(v / 16, 0..5 | 7)), 1.0)]));
    assert_eq!(found(parts, "rogue-vertices"), []);
    // The second joint moves the lower end, its own height and, beyond a gap, seven rings more, which is no accident.
    // Two rings are.
    for (end, rogues) in [(27, 0), (22, 1)] {
        let mut parts = parts_of(SHAPE);
        let joint = |ring: usize| if ring < 11 || (20..end).contains(&ring) { 1 } else { 3 };
        (0..33 * 16).for_each(|v| set(skin(&mut parts), v, &[(joint(v / 16), 1.0)]));
        let findings = found(parts, "rogue-vertices");
        assert_eq!(findings.iter().filter(|f| f.joints == [NodeId(2)]).count(), rogues);
    }
    // Two edges beyond the border of the lowest joint's region (ring 12) a small weight is the end of a fading one, and
    // a large one is too much.
    for (weight, rogues) in [(0.05, 0), (0.5, 1)] {
        let mut parts = parts_of(SHAPE);
        plant(skin(&mut parts), 14 * 16 + 3, 0, weight);
        assert_eq!(found(parts, "rogue-vertices").len(), rogues);
    }
    // This weight is a trace that nobody sees.
    let mut parts = parts_of(SHAPE);
    plant(skin(&mut parts), 480, 0, 0.01);
    assert_eq!(found(parts, "rogue-vertices"), []);
}

#[test]
fn a_few_vertices_of_a_shell_that_a_joint_has_no_business_with_are_rogues() {
    let mut parts = parts_of(SHAPE);
    // A second tube beside the first follows the uppermost joint.
    let mut beside = parts.meshes[0].primitives[0].clone();
    beside.positions.iter_mut().for_each(|p| p.x += 2.0);
    (0..33 * 16).for_each(|v| set(&mut beside, v, &[(3, 1.0)]));
    parts.meshes[0].primitives.push(beside);
    assert_eq!(found(parts.clone(), "rogue-vertices"), []);
    [480, 481].into_iter().for_each(|v| plant(&mut parts.meshes[0].primitives[1], v, 0, 0.5));
    assert_eq!(summaries(&found(parts, "rogue-vertices")), [(0, 1, vec![480, 481], vec![1])]);
}

#[test]
fn what_broken_weights_may_have_cut_off_is_no_rogue() {
    let rogues = |broken: f32| {
        let mut parts = parts_of(SHAPE);
        plant(skin(&mut parts), 480, 0, 0.5);
        set(skin(&mut parts), 481, &[(3, broken)]);
        summaries(&found(parts, "rogue-vertices")).len()
    };
    assert_eq!([rogues(1.0), rogues(-1.0)], [1, 0]);
}

#[test]
fn the_flood_does_not_start_from_a_stray_vertex_beside_the_bone() {
    let mut parts = parts_of(SHAPE);
    // The lowest joint moves the upper half and one vertex beside itself; the uppermost joint moves all the rest.
    (0..33 * 16).for_each(|v| set(skin(&mut parts), v, &[(if v >= 16 * 16 || v == 35 { 0 } else { 3 }, 1.0)]));
    assert!(summaries(&found(parts, "rogue-vertices")).iter().all(|(_, _, vertices, _)| vertices == &[35]));
}

#[test]
fn a_surface_goes_on_across_primitives_meshes_and_skins() {
    let clean = parts_of(SHAPE);
    let rings = |t: &[u32; 3]| t[0] >= 6 * 16;
    let mut planted = clean.meshes[0].primitives[0].clone();
    plant(&mut planted, 500, 0, 0.5);
    for (whole, want) in [(&clean.meshes[0].primitives[0], None), (&planted, Some(500))] {
        let [low, high] = split(whole, rings);
        // Vertices that no triangle uses change nothing; the planted one lies in both primitives.
        let listed = |primitive| want.map(|v| (primitive, vec![v], vec![1]));
        let mut primitives = clean.clone();
        primitives.meshes[0].primitives = vec![low.clone(), high.clone()];
        let of_primitives: Vec<_> = [listed((0, 0)), listed((0, 1))].into_iter().flatten().collect();
        let flat = |f: &[Finding]| summaries(f).into_iter().map(|(m, p, v, j)| ((m, p), v, j)).collect::<Vec<_>>();
        assert_eq!(flat(&found(primitives.clone(), "rogue-vertices")), of_primitives);
        // The result is the same for two meshes, the second of which has a skin of its own, with joints in another
        // order, in metres or centimetres.
        for units in [1.0, 100.0] {
            let mut meshes = primitives.clone();
            let mut high = meshes.meshes[0].primitives.remove(1);
            high.positions.iter_mut().for_each(|p| *p *= units);
            high.stored_influences.as_mut().unwrap().joints.iter_mut().for_each(|j| *j = 3 - *j);
            meshes.meshes.push(Mesh { primitives: vec![high], ..Mesh::default() });
            let Skin { joints, inverse_bind, .. } = meshes.skins[0].clone();
            let metres = Affine3A::from_scale(Vec3::splat(1.0 / units));
            meshes.skins.push(Skin {
                joints: joints.into_iter().rev().collect(),
                inverse_bind: inverse_bind.into_iter().rev().map(|m| m * metres).collect(),
                ..Skin::default()
            });
            let node = meshes.instances[0].node;
            meshes.instances.push(Instance { node, mesh: MeshId(1), skin: Some(SkinId(1)), ..Instance::default() });
            let of_meshes: Vec<_> = [listed((0, 0)), listed((1, 0))].into_iter().flatten().collect();
            assert_eq!(flat(&found(meshes, "rogue-vertices")), of_meshes);
        }
    }
}

#[test]
fn a_welded_surface_knows_its_edges_and_shells() {
    let model = tube(SHAPE);
    let (options, cancel) = (CheckOptions::default(), AtomicBool::new(false));
    let subject = Subject::new(&model, &options, &cancel);
    let [surface] = subject.surfaces() else { panic!("one surface") };
    // 33 rings of 16 edges; 32 bands of 16 upright and 16 slanted ones. Both rims are open.
    let edges: Vec<_> = surface.mesh.edges().collect();
    assert_eq!(edges.len(), 33 * 16 + 32 * 32);
    assert_eq!(edges.iter().filter(|e| e.len() == 1).count(), 32);
    assert!(edges.iter().all(|e| e.len() <= 2) && surface.shell.iter().all(|s| *s == 0));
    // Inside, a welded vertex has six neighbours: two of its ring, two above, two below.
    let mut near = surface.mesh.neighbours(5 * 16 + 3).to_vec();
    near.sort_unstable();
    assert_eq!(near, [4 * 16 + 3, 4 * 16 + 4, 5 * 16 + 2, 5 * 16 + 4, 6 * 16 + 2, 6 * 16 + 3]);
}

/// Makes a tube whose upper half is another limb: node 6 hangs on node 1 beside the chain from node 2.
fn fork() -> ModelParts {
    let mut parts = parts_of(Tube { joints: 9, rings: 73, sides: 8, length: 9.0, radius: 0.2, influences: 2 });
    parts.skeleton.parents[6] = Some(NodeId(1));
    parts.skeleton.rest.transforms[6].translation.y = 5.0;
    parts
}

#[test]
fn a_joint_of_another_limb_is_named_from_afar() {
    assert_eq!(found(fork(), "far-influence"), []);
    for weight in [0.05, 0.5, 1.0] {
        // Ring 36 stands at 4.5 m, the last joint (node 9) at 8 m.
        let mut parts = fork();
        plant(skin(&mut parts), 36 * 8, 8, weight);
        let findings = found(parts, "far-influence");
        assert_eq!(summaries(&findings), [(0, 0, vec![288], vec![9])], "{weight}");
        let metres = (3.5_f64.powi(2) + 0.2_f64.powi(2)).sqrt();
        assert!((findings[0].measure.unwrap().value - metres * f64::from(weight) * 1e3).abs() < 0.1);
        assert!(findings[0].message.contains("\"joint 4\"") && findings[0].message.contains("3.51 m"));
    }
    // A joint as far away but of the same chain is no fault, nor is a near one of the other limb.
    for (ring, joint) in [(12, 4), (38, 5)] {
        let mut parts = fork();
        plant(skin(&mut parts), ring * 8, joint, 0.5);
        assert_eq!(found(parts, "far-influence"), [], "ring {ring}");
    }
}

/// The weights of a vertex that follows the lower joint alone.
const LOWER: &[(u16, f32)] = &[(0, 1.0)];
const UPPER: &[(u16, f32)] = &[(1, 1.0)];

/// Makes a tall triangle on the left of the edge from `(0, 0)` to `(0, 2)`, and two on the right that meet at `middle`.
fn junction(middle: (Vec3, &[(u16, f32)]), top: &[(u16, f32)]) -> [(Vec3, Vec<(u16, f32)>); 5] {
    let corners = [(Vec3::ZERO, LOWER), (Vec3::Y * 2.0, top), (Vec3::new(-1.0, 1.0, 0.0), LOWER), middle];
    let [a, b, c, m] = corners.map(|(p, w)| (p, w.to_vec()));
    [a, b, c, m, (Vec3::new(1.0, 1.0, 0.0), LOWER.to_vec())]
}

fn with(vertices: &[(Vec3, Vec<(u16, f32)>)], triangles: &[[u32; 3]]) -> Primitive {
    let borrowed: Vec<_> = vertices.iter().map(|(p, w)| (*p, &w[..])).collect();
    primitive(&borrowed, triangles)
}

/// The triangle on the left, and those on the right below and above the middle.
const JUNCTION: [[u32; 3]; 3] = [[0, 1, 2], [0, 4, 3], [3, 4, 1]];

#[test]
fn a_vertex_on_an_edge_cracks_as_wide_as_the_hinge_opens() {
    let whole = with(&junction((Vec3::Y, LOWER), UPPER), &JUNCTION);
    let findings = found(hinge(vec![whole.clone()]), "t-junction");
    assert_eq!(summaries(&findings), [(0, 0, vec![3], vec![1, 2])]);
    // The upper joint stands at the middle. Turned by 90°, it carries the edge's upper end beside it: the edge then
    // runs along the diagonal of a square of side 1, at whose corner the vertex stays.
    assert!((findings[0].measure.unwrap().value - 1e3 / 2f64.sqrt()).abs() < 0.01);
    let FindingPose::Turned { joint, angle, .. } = findings[0].pose else { panic!("turned") };
    assert_eq!((joint, angle.abs().to_degrees()), (NodeId(2), 90.0));
    // In another primitive it is the same vertex.
    let apart = split(&whole, |t| t[0] != 0 || t[1] == 4);
    assert_eq!(found(hinge(apart.to_vec()), "t-junction").len(), 2);
}

#[test]
fn what_shares_the_vertex_or_moves_with_the_edge_or_lies_beside_it_does_not_crack() {
    let none = |vertices: &[(Vec3, Vec<(u16, f32)>)], triangles: &[[u32; 3]]| {
        assert_eq!(found(hinge(vec![with(vertices, triangles)]), "t-junction"), []);
    };
    none(&junction((Vec3::Y, LOWER), UPPER), &[[0, 3, 2], [3, 1, 2], [0, 4, 3], [3, 4, 1]]);
    none(&junction((Vec3::Y, LOWER), LOWER), &JUNCTION);
    none(&junction((Vec3::new(0.01, 1.0, 0.0), LOWER), UPPER), &JUNCTION);
    // A fin stands on the edge, which two triangles share.
    let fin = [Vec3::Y, Vec3::new(0.0, 1.5, 0.0), Vec3::new(0.0, 1.0, 1.0)].map(|p| (p, LOWER.to_vec()));
    let sheet = junction((Vec3::new(1.0, 2.0, 0.0), LOWER), UPPER);
    none(&[&sheet[..], &fin].concat(), &[[0, 1, 2], [0, 4, 1], [5, 6, 7]]);
    // The tip of a triangle of another shell touches the edge.
    let tip = [(Vec3::Y, LOWER.to_vec()), (Vec3::new(1.0, 0.5, 0.0), LOWER.to_vec()), (Vec3::X, LOWER.to_vec())];
    let left = with(&junction((Vec3::Y, LOWER), UPPER)[..3], &[[0, 1, 2]]);
    assert_eq!(found(hinge(vec![left, with(&tip, &[[0, 1, 2]])]), "t-junction"), []);
}

/// Makes two triangles that meet at the edge from `(0, 0)` to `(0, 2)`, with two vertices at each of its ends (0 and 3,
/// 1 and 4).
fn seam(upper: [&[(u16, f32)]; 2]) -> Primitive {
    let left = [(Vec3::ZERO, LOWER), (Vec3::Y * 2.0, upper[0]), (Vec3::NEG_X, LOWER)];
    let right = [(Vec3::ZERO, LOWER), (Vec3::Y * 2.0, upper[1]), (Vec3::X, LOWER)];
    primitive(&[left, right].concat(), &[[0, 1, 2], [3, 5, 4]])
}

#[test]
fn a_seam_whose_sides_have_different_weights_tears() {
    let halves: &[(u16, f32)] = &[(0, 0.5), (1, 0.5)];
    let findings = found(hinge(vec![seam([UPPER, halves])]), "seam-weights");
    assert_eq!(summaries(&findings), [(0, 0, vec![1, 4], vec![1, 2])]);
    // Turned by 90° about (0, 1), the end of one side goes from (0, 2) to beside the joint; the other goes half of that.
    assert!((findings[0].measure.unwrap().value - 1e3 / 2f64.sqrt()).abs() < 0.01);
    let [low, high] = split(&seam([UPPER, halves]), |t| t[0] == 3);
    let [left, right] = [(low, &[0, 1, 2]), (high, &[3, 4, 5])].map(|(mut p, keep)| {
        let retained: Vec<_> =
            keep.iter().map(|v| (p.positions[*v], p.stored_influences.as_ref().unwrap().of(*v))).collect();
        let pairs: Vec<Vec<(u16, f32)>> =
            retained.iter().map(|(_, (j, w))| j.iter().copied().zip(w.iter().copied()).collect()).collect();
        p.indices.iter_mut().for_each(|i| *i -= keep[0] as u32);
        let vertices: Vec<_> = retained.iter().zip(&pairs).map(|((at, _), pairs)| (*at, &pairs[..])).collect();
        primitive(&vertices, &[[p.indices[0], p.indices[1], p.indices[2]]])
    });
    let apart = found(hinge(vec![left, right]), "seam-weights");
    assert_eq!(summaries(&apart), [(0, 0, vec![1], vec![1, 2]), (0, 1, vec![1], vec![1, 2])]);
}

#[test]
fn seams_that_agree_and_layers_and_touching_shells_do_not_tear() {
    let none = |primitives: Vec<Primitive>| assert_eq!(found(hinge(primitives), "seam-weights"), []);
    none(vec![seam([&[(0, 0.25), (1, 0.75)], &[(1, 0.5), (0, 0.25), (1, 0.25)]])]);
    // These are left to other rules: a step of eight bits, weights that do not sum to one, no weights, and a negative
    // one.
    none(vec![seam([&[(0, 0.25), (1, 0.75)], &[(0, 65.0 / 255.0), (1, 190.0 / 255.0)]])]);
    none(vec![seam([UPPER, &[(1, 0.8)]])]);
    none(vec![seam([UPPER, &[]])]);
    none(vec![seam([UPPER, &[(0, 0.5), (1, 0.75), (1, -0.25)]])]);
    // Two shells touch in one point.
    let vertex = (Vec3::Y * 2.0, UPPER);
    let left = primitive(&[(Vec3::ZERO, LOWER), vertex, (Vec3::NEG_X, LOWER)], &[[0, 1, 2]]);
    let tip = primitive(&[(Vec3::Y * 2.0, LOWER), (Vec3::X, LOWER), (Vec3::new(1.0, 2.0, 0.0), LOWER)], &[[0, 1, 2]]);
    none(vec![left, tip]);
    // A cloth has an inside that is moved otherwise: two sheets of two triangles, back to back. The inner edge of each
    // is closed by its own vertices; only their rims meet, where the weights agree.
    let rim = [(Vec3::ZERO, LOWER), (Vec3::Y * 2.0, LOWER), (Vec3::NEG_X, LOWER), (Vec3::X, LOWER)];
    let fan = |middle| [&rim[..], &[(Vec3::Y, middle)]].concat();
    let front = primitive(&fan(UPPER), &[[0, 4, 2], [4, 1, 2], [0, 3, 4], [4, 3, 1]]);
    let back = primitive(&fan(LOWER), &[[0, 2, 4], [4, 2, 1], [0, 4, 3], [4, 1, 3]]);
    none(vec![front, back]);
}

#[test]
fn gaps_are_measured_in_the_world_and_in_clips() {
    // The same seam lies in a skin that is ten times as large at rest, and in one that was turned, which changes
    // nothing.
    let halves: &[(u16, f32)] = &[(0, 0.5), (1, 0.5)];
    let mut parts = hinge(vec![seam([UPPER, halves])]);
    parts.skeleton.rest.transforms[0].scale = Vec3::splat(10.0);
    parts.skeleton.rest.transforms[0].rotation = Quat::from_rotation_z(0.5);
    let findings = found(parts, "seam-weights");
    assert!((findings[0].measure.unwrap().value - 1e4 / 2f64.sqrt()).abs() < 0.1);
    // A clip that turns the upper joint by 180° in the middle of its time opens it to the full metre.
    let mut parts = hinge(vec![seam([UPPER, halves])]);
    parts.clips = parts_of(Tube { joints: 2, ..Tube::default() }).clips;
    let clip = &mut parts.clips[0];
    let turn = |degrees: f32| Quat::from_rotation_x(degrees.to_radians());
    clip.samplers[0].values = skinscope_model::Values::Quat(vec![turn(0.0), turn(180.0), turn(180.0)].into());
    let findings = found(parts, "seam-weights");
    assert!((findings[0].measure.unwrap().value - 1e3).abs() < 0.1);
    assert!(matches!(findings[0].pose, FindingPose::Clip { time_secs, .. } if time_secs > 0.5));
}
