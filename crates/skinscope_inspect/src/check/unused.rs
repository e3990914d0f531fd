//! The rule about joints that move nothing.

use skinscope_model::{NodeId, SkinId};

use super::joints::{by_skins, finding, joints, skins};
use super::{DependsOn, Finding, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds joints that move nothing.
pub(crate) static UNUSED: Rule = Rule {
    id: "joint-unused",
    label: "Joints that move nothing",
    help: "A joint that moves no vertex, and below which nothing moves any",
    severity: Severity::Info,
    run: unused,
    depends_on: DependsOn::ItsJoints,
    repair: |_| {
        Repair::table(RepairTool::Joints, "It may be a target or an end on purpose, and joints are not taken out here.")
    },
    ..Rule::ROW
};

fn unused(subject: &Subject, out: &mut Vec<Finding>) {
    let moves = moving(subject);
    let mut is_reported = vec![false; moves.len()];
    let drawn = drawn(subject);
    let of_skin = |id: SkinId| {
        let list = subject.model.skins[id.index()].joints.iter().copied();
        let idle: Vec<NodeId> = list.filter(|j| !moves[j.index()]).collect();
        (!idle.is_empty()).then(|| (idle, drawn[id.index()]))
    };
    for ((idle, is_drawn), ids) in by_skins(subject, of_skin) {
        // Where skins share some of their joints, only joints that the first did not report are reported.
        let new: Vec<NodeId> =
            idle.into_iter().filter(|j| !std::mem::replace(&mut is_reported[j.index()], true)).collect();
        if !new.is_empty() {
            out.push(said(subject, new, is_drawn, &ids));
        }
    }
}

fn said(subject: &Subject, idle: Vec<NodeId>, is_drawn: bool, ids: &[SkinId]) -> Finding {
    let all = subject.model.skins[ids[0].index()].joints.len();
    let (move_, they) = if idle.len() == 1 { ("moves", "it") } else { ("move", "them") };
    let message = if is_drawn {
        format!(
            "{} of the {all} of {} {move_} no vertex, nor does anything below {they}: {}. Each costs a matrix per \
             frame and a place in the palette. Targets of IK and ends of chains are often kept on purpose.",
            joints(idle.len()),
            skins(ids),
            subject.names(&idle),
        )
    } else {
        format!(
            "No mesh uses {}, and nothing else is moved by {} of its {}: {}.",
            skins(ids),
            idle.len(),
            joints(all),
            subject.names(&idle),
        )
    };
    let fix = if is_drawn {
        "Export only the joints that deform, unless code or attachments look for these."
    } else {
        "Leave the skin out, or give its mesh the skin."
    };
    let measure = Measure { what: "joints", value: idle.len() as f64, unit: "" };
    finding(&UNUSED, UNUSED.severity, idle, (message, fix), Some(measure))
}

/// Returns for each skin whether any node shows a mesh with it.
fn drawn(subject: &Subject) -> Vec<bool> {
    let mut out = vec![false; subject.model.skins.len()];
    subject.model.instances.iter().filter_map(|i| i.skin).for_each(|s| out[s.index()] = true);
    out
}

/// Returns for each node whether it, or a node below it, moves a vertex of any mesh. Rigid parts on a joint (a sword in
/// a hand) are moved by it too.
fn moving(subject: &Subject) -> Vec<bool> {
    let model = subject.model;
    let mut out = vec![false; model.skeleton.len()];
    for instance in &model.instances {
        let mut lists = model.meshes[instance.mesh.index()].vertex_lists();
        if instance.skin.is_none() || lists.any(|(_, p)| p.stored_influences.is_none()) {
            out[instance.node.index()] = true;
        }
    }
    for s in &subject.skinned {
        let runs = s.influences.runs(0..s.source.stored_vertices);
        for (joint, weight) in runs.flat_map(|run| run.joints.iter().zip(run.weights)) {
            if *weight != 0.0 {
                out[s.skin.joints[usize::from(*joint)].index()] = true;
            }
        }
    }
    for i in (0..out.len()).rev() {
        if let Some(parent) = model.skeleton.parents[i].filter(|_| out[i]) {
            out[parent.index()] = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use skinscope_model::{Instance, Mesh, MeshId, ModelParts, Primitive};

    use super::super::test_rigs::{found, joints};
    use super::*;

    /// Takes all weight of one joint to another.
    fn move_weights(p: &mut ModelParts, from: u16, to: u16) {
        let influences = p.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
        influences.joints.iter_mut().filter(|j| **j == from).for_each(|j| *j = to);
    }

    #[test]
    fn every_joint_of_a_clean_tube_moves_something() {
        assert_eq!(found(&UNUSED, |_| {}), []);
    }

    #[test]
    fn the_last_joint_without_weights_is_unused_and_one_above_others_is_not() {
        let findings = found(&UNUSED, |p| move_weights(p, 5, 4));
        assert_eq!((joints(&findings), findings[0].severity), (vec![vec![6]], Severity::Info));
        assert_eq!(found(&UNUSED, |p| move_weights(p, 2, 3)), []);
        // Both ends of the chain: the lower one has joints below it that move vertices.
        let findings = found(&UNUSED, |p| {
            (0..6).filter(|j| *j != 3).for_each(|j| move_weights(p, j, 3));
        });
        assert_eq!(joints(&findings), [[5, 6]]);
        assert!(
            findings[0].message.starts_with("2 joints of the 6 of skin 0 move no vertex"),
            "{}",
            findings[0].message
        );
    }

    #[test]
    fn weights_of_zero_do_not_move() {
        let findings = found(&UNUSED, |p| {
            let influences = p.meshes[0].primitives[0].stored_influences.as_mut().unwrap();
            for (joint, weight) in influences.joints.iter().zip(&mut influences.weights) {
                *weight = if *joint == 5 { 0.0 } else { *weight };
            }
        });
        assert_eq!(joints(&findings), [[6]]);
    }

    #[test]
    fn a_joint_that_carries_something_rigid_is_used() {
        let findings = found(&UNUSED, |p| {
            move_weights(p, 5, 4);
            p.meshes.push(Mesh { primitives: vec![Primitive::default()], ..Mesh::default() });
            p.instances.push(Instance { node: NodeId(6), mesh: MeshId(1), ..Instance::default() });
        });
        assert_eq!(findings, []);
    }

    #[test]
    fn a_joint_is_reported_once_and_only_if_no_skin_uses_it() {
        let findings = found(&UNUSED, |p| {
            move_weights(p, 5, 4);
            p.skins.push(p.skins[0].clone());
            let mut last = p.skins[0].clone();
            (last.joints, last.inverse_bind) = (last.joints[5..].to_vec(), last.inverse_bind[5..].to_vec());
            p.skins.push(last);
        });
        assert_eq!(joints(&findings), [[6]]);
    }

    #[test]
    fn a_skin_that_no_mesh_uses_is_said_to_be_so() {
        let findings = found(&UNUSED, |p| p.instances.clear());
        assert_eq!(joints(&findings), [[1, 2, 3, 4, 5, 6]]);
        assert!(findings[0].message.starts_with("No mesh uses skin 0"), "{}", findings[0].message);
    }
}
