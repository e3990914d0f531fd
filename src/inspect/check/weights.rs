//! Rules about the weights of single vertices.

use super::{Finding, FindingPose, Rule, Severity, Subject};

/// See its help.
pub static ZERO: Rule = Rule {
    id: "weights-zero",
    label: "No weights",
    help: "All weights of a vertex are zero",
    severity: Severity::Error,
    run: zero,
};

fn zero(subject: &Subject, out: &mut Vec<Finding>) {
    for s in &subject.skinned {
        let unmoved = |v: &u32| s.influences.of(*v as usize).1.iter().all(|w| *w == 0.0);
        let vertices: Vec<u32> = (0..s.source.stored_vertices as u32).filter(unmoved).collect();
        if vertices.is_empty() || out.iter().any(|f| f.mesh == Some(s.mesh) && f.primitive == Some(s.primitive)) {
            continue;
        }
        let n = vertices.len();
        let (have, them) = if n == 1 { ("vertex has", "it") } else { ("vertices have", "them") };
        out.push(Finding {
            rule: ZERO.id,
            severity: ZERO.severity,
            mesh: Some(s.mesh),
            primitive: Some(s.primitive),
            vertices,
            joints: Vec::new(),
            message: format!(
                "{n} {have} no weight at all: the sum over its joints is the origin, which pulls {them} there."
            ),
            fix: "Give each of them a joint, such as that of its nearest neighbour.".into(),
            measure: None,
            pose: FindingPose::Rest,
        });
    }
}
