//! Rules about scale in the rest pose of joints and of the nodes above them.

use skinscope_base::math::Stretch;
use skinscope_model::NodeId;

use super::joints::{finding, number};
use super::{DependsOn, Finding, Measure, Repair, RepairTool, Rule, Severity, Subject};
use crate::rig::SAME_SCALE;

/// The rule that finds uneven scale.
pub(crate) static NON_UNIFORM: Rule = Rule {
    id: "scale-non-uniform",
    label: "Uneven scale at rest",
    help: "The local rest scale of a joint or of a node above one differs by more than 1 % between directions",
    severity: Severity::Warning,
    run: non_uniform,
    depends_on: DependsOn::Nothing,
    repair: |_| AT_REST,
    ..Rule::ROW
};

/// The rule that finds negative scale.
pub(crate) static NEGATIVE: Rule = Rule {
    id: "scale-negative",
    label: "Negative scale at rest",
    help: "The local rest scale of a joint or of a node above one is negative",
    severity: Severity::Warning,
    run: negative,
    depends_on: DependsOn::Nothing,
    repair: |_| AT_REST,
    ..Rule::ROW
};

/// What can be done about a scale of the rest pose.
const AT_REST: Repair =
    Repair::table(RepairTool::Joints, "The rest pose is not changed here; the table names the joints below.");

/// Returns joints and the nodes above them, rising.
fn nodes(subject: &Subject) -> Vec<NodeId> {
    let model = subject.model;
    let mut carries: Vec<bool> = (0..model.skeleton.len()).map(|i| model.is_joint(NodeId::from_index(i))).collect();
    for i in (0..carries.len()).rev() {
        if let Some(parent) = model.skeleton.parents[i].filter(|_| carries[i]) {
            carries[parent.index()] = true;
        }
    }
    (0..carries.len()).filter(|i| carries[*i]).map(NodeId::from_index).collect()
}

/// Returns the stretch of the node's own matrix.
fn local(subject: &Subject, node: NodeId) -> Stretch {
    let skeleton = &subject.model.skeleton;
    let transform = skeleton.rest.transforms[node.index()];
    match skeleton.residual(node.index()) {
        Some(_) => Stretch::of(skeleton.local_matrix(node.index(), transform).matrix3.as_dmat3()),
        None => Stretch::of(glam::DMat3::from_diagonal(transform.scale.as_dvec3())),
    }
}

fn non_uniform(subject: &Subject, out: &mut Vec<Finding>) {
    let uneven = |node: NodeId| Some((node, local(subject, node))).filter(|(_, s)| s.unevenness() > SAME_SCALE);
    let all: Vec<(NodeId, Stretch)> = nodes(subject).into_iter().filter_map(uneven).collect();
    let Some((worst, stretch)) = all.iter().max_by(|a, b| a.1.unevenness().total_cmp(&b.1.unevenness())) else {
        return;
    };
    let at: Vec<NodeId> = all.iter().map(|(n, _)| *n).collect();
    let message = format!(
        "{}. What hangs below shears as soon as it turns, and programs whose joints have only one scale, or none, \
         show another shape.",
        scaled(subject, &at, *worst, "is scaled unevenly", "are scaled unevenly"),
    );
    let fix = "Apply the scale before binding, so that it is 1 everywhere at rest; where a clip stretches a joint, let it \
         do so only while it plays.";
    let [most, _, least] = stretch.lengths;
    let measure = (least > 0.0).then(|| Measure { what: "largest ratio", value: most / least, unit: "" });
    out.push(finding(&NON_UNIFORM, NON_UNIFORM.severity, at, (message, fix), measure));
}

fn negative(subject: &Subject, out: &mut Vec<Finding>) {
    let transforms = &subject.model.skeleton.rest.transforms;
    // A stored matrix that mirrors was decomposed with the mirror in its scale.
    let signs = |node: &NodeId| transforms[node.index()].scale.to_array().into_iter().filter(|s| *s < 0.0).count();
    let at: Vec<NodeId> = nodes(subject).into_iter().filter(|n| signs(n) > 0).collect();
    let Some(worst) = at.iter().copied().max_by_key(|n| (signs(n) % 2, std::cmp::Reverse(*n))) else { return };
    let harm = if signs(&worst) % 2 == 1 {
        "It mirrors all below it: normals and the order of triangles turn inside out, and no rotation stands for it, \
         so that retargeting, blending and dual quaternions fail."
    } else {
        "Two negative signs are a half turn written as scale: the mesh is not mirrored, but programs that keep the \
         rotation and drop the scale, or its signs, turn all below it by 180°."
    };
    let message = format!("{}. {harm}", scaled(subject, &at, worst, "has a negative scale", "have a negative scale"));
    let fix = "Apply the scale, or mirror the geometry itself and turn its triangles round, so that every scale is \
         positive at rest.";
    let measure = Measure { what: "nodes", value: at.len() as f64, unit: "" };
    out.push(finding(&NEGATIVE, NEGATIVE.severity, at, (message, fix), Some(measure)));
}

/// Describes scales: `"a" is scaled unevenly (1 × 2 × 1)`.
fn scaled(subject: &Subject, at: &[NodeId], worst: NodeId, one: &str, many: &str) -> String {
    let s = subject.model.skeleton.rest.transforms[worst.index()].scale;
    let mut scale = [s.x, s.y, s.z].map(number).join(" × ");
    if let Some(residual) = subject.model.skeleton.residual(worst.index()) {
        let [most, _, least] = Stretch::of(residual.as_dmat3()).lengths;
        scale = format!("{scale}, with a shear that makes lengths {least:.3} to {most:.3} times as long");
    }
    if at.len() == 1 {
        return format!("{} {one} at rest ({scale})", subject.name(worst));
    }
    format!("{} nodes {many} at rest ({}), {} by {scale}", at.len(), subject.names(at), subject.name(worst))
}

#[cfg(test)]
mod tests {
    use glam::{Mat3A, Vec3};

    use super::super::test_rigs::{found, joints};
    use super::*;

    fn with(rule: &Rule, node: usize, scale: Vec3) -> Vec<Vec<u32>> {
        joints(&found(rule, |p| p.skeleton.rest.transforms[node].scale = scale))
    }

    #[test]
    fn the_node_that_carries_an_uneven_scale_is_named_and_not_what_hangs_on_it() {
        assert_eq!(found(&NON_UNIFORM, |_| {}), []);
        // Node 0 is no joint, but above all joints.
        for node in [0, 3, 6] {
            assert_eq!(with(&NON_UNIFORM, node, Vec3::new(1.0, 1.02, 1.0)), [[node as u32]]);
            assert!(with(&NON_UNIFORM, node, Vec3::new(1.0, 1.009, 1.0)).is_empty());
        }
        assert!(with(&NON_UNIFORM, 0, Vec3::splat(100.0)).is_empty());
        assert!(with(&NON_UNIFORM, 3, Vec3::new(-2.0, 2.0, 2.0)).is_empty());
        assert_eq!(with(&NON_UNIFORM, 3, Vec3::new(1.0, 0.0, 1.0)), [[3]]);
        let findings = found(&NON_UNIFORM, |p| p.skeleton.rest.transforms[2].scale = Vec3::new(1.0, 1.5, 0.75));
        let text = &findings[0].message;
        assert!(text.starts_with("\"joint 1\" is scaled unevenly at rest (1 × 1.5 × 0.75)."), "{text}");
        assert_eq!(findings[0].measure.unwrap().value, 2.0);
    }

    #[test]
    fn what_moves_no_joint_may_be_scaled() {
        // Node 7 stands beside the chain.
        let beside = |p: &mut skinscope_model::ModelParts, scale| {
            p.skeleton.parents.push(Some(NodeId(0)));
            p.skeleton.names.push("prop".into());
            p.skeleton.file_index.push(7);
            p.skeleton.rest.transforms.push(skinscope_base::math::Transform { scale, ..Default::default() });
            p.scenes[0].contains.push(true);
        };
        for rule in [&NON_UNIFORM, &NEGATIVE] {
            assert_eq!(found(rule, |p| beside(p, Vec3::new(-1.0, 2.0, 3.0))), []);
        }
    }

    #[test]
    fn a_stored_shear_is_uneven() {
        let shear = |s: f32| Mat3A::from_cols_array(&[1.0, 0.0, 0.0, s, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let sheared = |s| joints(&found(&NON_UNIFORM, |p| p.skeleton.residuals = vec![(NodeId(2), shear(s))]));
        assert_eq!((sheared(0.02), sheared(0.005)), (vec![vec![2]], vec![]));
    }

    #[test]
    fn negative_scales_are_named_whether_they_mirror_or_turn() {
        assert_eq!(found(&NEGATIVE, |_| {}), []);
        for (scale, mirrors) in
            [(Vec3::new(-1.0, 1.0, 1.0), true), (Vec3::splat(-2.0), true), (Vec3::new(-1.0, -1.0, 1.0), false)]
        {
            let findings = found(&NEGATIVE, |p| p.skeleton.rest.transforms[4].scale = scale);
            assert_eq!(joints(&findings), [[4]]);
            assert_eq!(findings[0].message.contains("It mirrors all below it"), mirrors);
        }
        let both = found(&NEGATIVE, |p| {
            p.skeleton.rest.transforms[2].scale = Vec3::new(-1.0, -1.0, 1.0);
            p.skeleton.rest.transforms[5].scale = Vec3::new(1.0, -1.0, 1.0);
        });
        assert_eq!(joints(&both), [[2, 5]]);
        let want = "2 nodes have a negative scale at rest (\"joint 1\" and \"joint 4\"), \"joint 4\" by 1 × -1 × 1.";
        assert!(both[0].message.starts_with(want), "{}", both[0].message);
    }
}
