//! Tests of the rules about weights, on small models with known defects.

use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Vec3};
use skinscope_model::test_shapes::{Tube, tube};
use skinscope_model::{Influences, Model, ModelParts, NodeId, NotFinite, OutOfRange, Primitive, SkinId, WeightFormat};

use super::{CheckOptions, Finding, FindingPose, Severity, check};

/// Makes two joints (nodes 1 and 2) on a tube of 9 rings of 16 vertices, 2 m high.
fn parts() -> ModelParts {
    (*tube(Tube::default())).clone()
}

fn skin(parts: &mut ModelParts) -> &mut Influences {
    parts.meshes[0].primitives[0].stored_influences.as_mut().unwrap()
}

/// Returns the findings about weights and pairs in a model.
fn found(parts: ModelParts, limit: usize) -> Vec<Finding> {
    let ids = [
        "weights-not-finite",
        "weights-negative",
        "weights-zero",
        "weights-sum",
        "weights-sum-255",
        "joint-out-of-range",
        "joint-out-of-range-unweighted",
        "joint-duplicate",
        "too-many-influences",
    ];
    let options = CheckOptions { limit, rules: Some(ids.to_vec()), ..CheckOptions::default() };
    check(&Model::build(parts).unwrap(), &options, &AtomicBool::new(false)).unwrap().findings
}

/// Returns the findings after a change of the weights.
fn changed(change: impl FnOnce(&mut Influences)) -> Vec<Finding> {
    let mut parts = parts();
    change(skin(&mut parts));
    found(parts, 4)
}

fn set(influences: &mut Influences, vertex: usize, joints: &[u16], weights: &[f32]) {
    let Influences { per_vertex, joints: all_joints, weights: all_weights, .. } = influences;
    let slots = vertex * *per_vertex..(vertex + 1) * *per_vertex;
    for (i, slot) in slots.enumerate() {
        all_joints[slot] = joints.get(i).copied().unwrap_or(0);
        all_weights[slot] = weights.get(i).copied().unwrap_or(0.0);
    }
}

/// Returns rule, vertices and nodes of each finding.
fn summaries(findings: &[Finding]) -> Vec<(&'static str, Vec<u32>, Vec<u32>)> {
    findings.iter().map(|f| (f.rule, f.vertices.clone(), f.joints.iter().map(|n| n.0).collect())).collect()
}

fn measured(finding: &Finding) -> f64 {
    finding.measure.unwrap().value
}

/// Makes every vertex four pairs wide, with all its weight on the first joint, stored in the given format.
fn stored_as(influences: &mut Influences, format: WeightFormat) {
    let vertices = influences.weights.len() / influences.per_vertex;
    *influences = Influences {
        per_vertex: 4,
        joints: vec![0; vertices * 4],
        weights: [1.0, 0.0, 0.0, 0.0].repeat(vertices),
        format,
        ..Influences::default()
    };
}

#[test]
fn weights_that_are_no_numbers_are_reported_with_their_joints_and_nothing_else_is_of_their_vertex() {
    let findings = changed(|i| {
        let recorded = |vertex, slot, value| NotFinite { vertex, slot, value };
        i.not_finite = vec![recorded(3, 0, f32::NAN), recorded(3, 1, f32::NAN), recorded(100, 1, f32::NEG_INFINITY)];
        set(i, 3, &[0, 1], &[0.0, 0.0]);
        set(i, 100, &[0, 1], &[0.75, 0.0]);
    });
    assert_eq!(summaries(&findings), [("weights-not-finite", vec![3, 100], vec![1, 2])]);
    assert!(findings[0].message.starts_with("2 vertices have weights that are no numbers (2 NaN, 1 infinite)"));
    assert_eq!((findings[0].severity, measured(&findings[0])), (Severity::Error, 3.0));
}

#[test]
fn negative_weights_are_reported_whatever_they_sum_to() {
    let findings = changed(|i| {
        set(i, 7, &[0, 1], &[1.25, -0.25]);
        set(i, 8, &[0, 1], &[-0.0, 1.0]);
    });
    assert_eq!(summaries(&findings), [("weights-negative", vec![7], vec![2])]);
    assert_eq!(measured(&findings[0]), -0.25);
    let findings = changed(|i| set(i, 7, &[0, 1], &[0.5, -0.25]));
    let want = [("weights-negative", vec![7], vec![2]), ("weights-sum", vec![7], vec![])];
    assert_eq!(summaries(&findings), want);
}

#[test]
fn a_vertex_without_weight_is_reported_once_with_how_far_it_is_pulled() {
    // The last ring stands at 2 m, 0.25 m from the axis.
    let findings = changed(|i| set(i, 8 * 16, &[1, 0], &[0.0, 0.0]));
    assert_eq!(summaries(&findings), [("weights-zero", vec![128], vec![])]);
    assert!((measured(&findings[0]) - 1000.0 * (4.0_f64 + 0.0625).sqrt()).abs() < 0.01, "{findings:?}");
    assert_eq!(summaries(&changed(|i| set(i, 5, &[1, 0], &[1e-30, 0.0]))), [("weights-sum", vec![5], vec![])]);
}

/// A vertex whose weights sum to s is drawn at s times its position.
#[test]
fn sums_of_floats_are_reported_beyond_a_ten_thousandth() {
    let findings = changed(|i| {
        set(i, 8 * 16, &[1, 0], &[0.75, 0.0]);
        set(i, 3, &[1, 0], &[1.0, 1.0 / 255.0]);
        set(i, 4, &[1, 0], &[0.5, 0.50005]);
        set(i, 5, &[1, 0], &[0.4999999, 0.5]);
    });
    assert_eq!(summaries(&findings), [("weights-sum", vec![3, 128], vec![])]);
    assert!((measured(&findings[0]) - 250.0 * (4.0_f64 + 0.0625).sqrt()).abs() < 0.01, "{findings:?}");
    // Vertex 4 is off by the validator's measure too, vertex 5 is not.
    let said = &findings[0].message;
    assert!(said.contains("sum to 0.7500 to 1.0039 instead of 1") && said.contains("by which 3 are off"), "{said}");
    assert!(said.contains("0.0001 is allowed here") && said.contains("0.0000002 for each weight"), "{said}");
}

#[test]
fn sums_of_integers_are_exact_over_all_sets() {
    let with = |format, weights: [f32; 2]| {
        let findings = changed(|i| {
            stored_as(i, format);
            set(i, 9, &[0, 1], &weights);
        });
        summaries(&findings)
    };
    let of = |rule| vec![(rule, vec![9], vec![])];
    assert_eq!(with(WeightFormat::U8, [128.0 / 255.0, 127.0 / 255.0]), []);
    assert_eq!(with(WeightFormat::U8, [128.0 / 255.0, 126.0 / 255.0]), of("weights-sum-255"));
    assert_eq!(with(WeightFormat::U16, [30_000.0 / 65_535.0, 35_535.0 / 65_535.0]), []);
    assert_eq!(with(WeightFormat::U16, [30_000.0 / 65_535.0, 35_536.0 / 65_535.0]), of("weights-sum"));
    // Two sets of 8 bits each sum to 255.
    let findings = changed(|i| {
        let vertices = i.weights.len() / i.per_vertex;
        *i = Influences {
            per_vertex: 8,
            joints: vec![0; vertices * 8],
            weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].repeat(vertices),
            format: WeightFormat::U8,
            ..Influences::default()
        };
        set(i, 2, &[0, 0, 0, 0, 1], &[1.0, 0.0, 0.0, 0.0, 1.0]);
    });
    assert_eq!(summaries(&findings), [("weights-sum-255", vec![2], vec![])]);
    assert!(findings[0].message.contains("sum to 510 instead of 255"), "{}", findings[0].message);
}

#[test]
fn joints_beyond_the_skin_are_reported_by_what_weight_they_have() {
    let findings = changed(|i| {
        set(i, 1, &[0, 0], &[1.0, 0.0]);
        set(i, 2, &[0, 0], &[1.0, 0.0]);
        i.not_finite = vec![NotFinite { vertex: 2, slot: 1, value: f32::INFINITY }];
        let beyond = |vertex, joint| OutOfRange { vertex, slot: 1, joint };
        i.out_of_range = vec![beyond(1, 7), beyond(2, 40)];
    });
    let want = [
        // The joint that does not exist is not named.
        ("weights-not-finite", vec![2], vec![]),
        ("joint-out-of-range", vec![2], vec![]),
        ("joint-out-of-range-unweighted", vec![1], vec![]),
    ];
    assert_eq!(summaries(&findings), want);
    assert_eq!(
        findings.iter().map(|f| f.severity).collect::<Vec<_>>(),
        [Severity::Error, Severity::Error, Severity::Info]
    );
    assert!(findings[2].message.contains("beyond the skin's 2 (up to joint 7)"), "{}", findings[2].message);
}

#[test]
fn the_same_joint_twice_counts_where_both_weigh() {
    let findings = changed(|i| {
        set(i, 3, &[1, 1], &[0.7, 0.3]);
        set(i, 4, &[1, 1], &[1.0, 0.0]);
        set(i, 5, &[0, 0], &[0.5, 0.5]);
    });
    assert_eq!(summaries(&findings), [("joint-duplicate", vec![3, 5], vec![1, 2])]);
    assert_eq!(measured(&findings[0]), 0.5);
    assert!(!findings[0].message.contains("the skin lists it twice"), "{}", findings[0].message);
}

/// The skin lists node 1 twice.
#[test]
fn a_joint_that_the_skin_lists_twice_is_one_joint() {
    let mut parts = parts();
    parts.skins[0].joints[1] = NodeId(1);
    parts.skins[0].inverse_bind[1] = parts.skins[0].inverse_bind[0];
    let both = |i: &Influences, v: usize| i.of(v).1.iter().filter(|w| **w > 0.0).count() == 2;
    let vertices: Vec<u32> = (0..9 * 16).filter(|v| both(skin(&mut parts), *v as usize)).collect();
    assert!(!vertices.is_empty());
    let findings = found(parts, 4);
    assert_eq!(summaries(&findings), [("joint-duplicate", vertices, vec![1])]);
    assert!(findings[0].fix.contains("List each joint once"), "{}", findings[0].fix);
}

#[test]
fn a_primitive_has_one_finding_however_many_skins_move_it_and_one_where_none_does() {
    let mut twice = parts();
    set(skin(&mut twice), 3, &[1, 0], &[0.5, 0.0]);
    set(skin(&mut twice), 4, &[1, 1], &[0.5, 0.5]);
    let mut other = twice.skins[0].clone();
    other.joints.reverse();
    twice.skins.push(other);
    let mut instance = twice.instances[0].clone();
    instance.skin = Some(SkinId(1));
    twice.instances.push(instance);
    let findings = found(twice.clone(), 4);
    // Joint 1 is node 2 for one skin and node 1 for the other.
    assert_eq!(summaries(&findings), [("weights-sum", vec![3], vec![]), ("joint-duplicate", vec![4], vec![1, 2])]);
    twice.instances.iter_mut().for_each(|i| i.skin = None);
    let findings = found(twice, 4);
    assert_eq!(summaries(&findings), [("weights-sum", vec![3], vec![]), ("joint-duplicate", vec![4], vec![])]);
    assert_eq!(findings[0].measure, None);
}

/// A point 1 m above a joint at the origin (node 1), which holds it by 3/4, and a joint that turns it alone (node 2). Limited to
/// one influence the vertex follows node 1 alone. Node 2 turned by 90° about X or Z carries its copy of the vertex from
/// (0, 1, 0) to (0, 0, ±1) or (±1, 0, 0), √2 m away; a quarter of that is lost.
fn lever() -> ModelParts {
    let mut parts = parts();
    parts.clips.clear();
    parts.skeleton.rest.transforms[2].translation = Vec3::ZERO;
    parts.skins[0].inverse_bind = vec![Affine3A::IDENTITY; 2];
    let influences = Influences {
        per_vertex: 4,
        joints: vec![0, 1, 0, 0],
        weights: vec![0.75, 0.25, 0.0, 0.0],
        ..Influences::default()
    };
    parts.meshes[0].primitives[0] = Primitive {
        topology: skinscope_model::Topology::Points,
        indices: vec![0],
        positions: vec![Vec3::Y],
        stored_influences: Some(influences),
        stored_vertices: 1,
        ..Primitive::default()
    };
    parts
}

#[test]
fn what_a_limit_loses_is_measured_where_joints_bend() {
    assert_eq!(found(lever(), 2), []);
    let findings = found(lever(), 1);
    assert_eq!(summaries(&findings), [("too-many-influences", vec![0], vec![])]);
    assert!((measured(&findings[0]) - 250.0 * std::f64::consts::SQRT_2).abs() < 0.01, "{findings:?}");
    let turned = |axis| FindingPose::Turned { joint: NodeId(2), axis, angle: std::f32::consts::FRAC_PI_2 };
    assert!([Vec3::X, Vec3::Z].map(turned).contains(&findings[0].pose), "{:?}", findings[0].pose);
    assert!(
        findings[0].message.contains("drops up to 25.0 %") && findings[0].message.contains("vertex 0 up to 35.4 cm")
    );
}

/// The clip turns the upper joint farther than 90°, by up to 180°: from (0, 1, 0) to (0, −1, 0).
#[test]
fn what_a_limit_loses_is_measured_in_the_clips_too() {
    use skinscope_model::Values;
    let mut parts = lever();
    parts.clips = self::parts().clips;
    let keys = parts.clips[0].times[parts.clips[0].samplers[0].times].len();
    let half_turn = glam::Quat::from_rotation_x(std::f32::consts::PI);
    parts.clips[0].samplers[0].values = Values::Quat(vec![half_turn; keys].into());
    let findings = found(parts, 1);
    assert!((measured(&findings[0]) - 250.0 * 2.0).abs() < 0.01, "{findings:?}");
    assert!(matches!(findings[0].pose, FindingPose::Clip { .. }));
    assert!(
        findings[0].message.contains("about each axis, and 24 moments of the file's clip)"),
        "{}",
        findings[0].message
    );
}

#[test]
fn more_influences_than_the_limit_are_found_over_all_sets() {
    let tube = tube(Tube { joints: 8, influences: 8, ..Tube::default() });
    let most = tube.meshes[0].primitives[0].stored_influences.as_ref().unwrap().as_stored().most_used();
    let at = |limit| summaries(&found((*tube).clone(), limit)).len();
    assert_eq!((most, at(most), at(most - 1), at(4)), (most, 0, 1, 1));
    assert!(most > 4, "{most}");
}
