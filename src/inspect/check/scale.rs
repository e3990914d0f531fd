//! Rules about scale in the rest pose of joints and of the nodes above them.

use super::joints::finding;
use super::{Finding, Measure, Rule, Severity, Subject};
use crate::inspect::rig::SAME_SCALE;
use crate::math::Stretch;
use crate::model::NodeId;

/// See its help.
pub static NON_UNIFORM: Rule = Rule {
    id: "scale-non-uniform",
    label: "Uneven scale at rest",
    help: "The local rest scale of a joint or of a node above one differs by more than 1 % between directions",
    severity: Severity::Warning,
    run: non_uniform,
};

/// See its help.
pub static NEGATIVE: Rule = Rule {
    id: "scale-negative",
    label: "Negative scale at rest",
    help: "The local rest scale of a joint or of a node above one is negative",
    severity: Severity::Warning,
    run: negative,
};

/// Joints and the nodes above them, rising.
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

/// What the node's own matrix does to lengths.
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
        "{}. What hangs below shears as soon as it turns, and programs whose joints have only one scale, or none, show another \
         shape.",
        scaled(subject, &at, *worst, "is scaled unevenly", "are scaled unevenly"),
    );
    let fix = "Apply the scale before binding, so that it is 1 everywhere at rest; where a clip stretches a joint, let it do so only \
               while it plays.";
    let [most, _, least] = stretch.lengths;
    let measure = (least > 0.0).then(|| Measure { what: "largest ratio", value: most / least, unit: "" });
    out.push(finding(&NON_UNIFORM, NON_UNIFORM.severity, at, (message, fix), measure));
}

fn negative(subject: &Subject, out: &mut Vec<Finding>) {
    let transforms = &subject.model.skeleton.rest.transforms;
    // A stored matrix that mirrors has been taken apart with the mirror in its scale.
    let signs = |node: &NodeId| transforms[node.index()].scale.to_array().into_iter().filter(|s| *s < 0.0).count();
    let at: Vec<NodeId> = nodes(subject).into_iter().filter(|n| signs(n) > 0).collect();
    let Some(worst) = at.iter().copied().max_by_key(|n| (signs(n) % 2, std::cmp::Reverse(*n))) else { return };
    let harm = if signs(&worst) % 2 == 1 {
        "It mirrors all below it: normals and the order of triangles turn inside out, and no rotation stands for it, so that \
         retargeting, blending and dual quaternions fail."
    } else {
        "Two negative signs are a half turn written as scale: the mesh is not mirrored, but programs that keep the rotation and \
         drop the scale, or its signs, turn all below it by 180°."
    };
    let message = format!("{}. {harm}", scaled(subject, &at, worst, "has a negative scale", "have a negative scale"));
    let fix = "Apply the scale, or mirror the geometry itself and turn its triangles round, so that every scale is positive at rest.";
    let measure = Measure { what: "nodes", value: at.len() as f64, unit: "" };
    out.push(finding(&NEGATIVE, NEGATIVE.severity, at, (message, fix), Some(measure)));
}

/// `"a" is scaled unevenly (1 × 2 × 1)`.
fn scaled(subject: &Subject, at: &[NodeId], worst: NodeId, one: &str, many: &str) -> String {
    let s = subject.model.skeleton.rest.transforms[worst.index()].scale;
    let number = |v: f32| {
        let text = format!("{v:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
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
