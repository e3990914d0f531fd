//! The rule about the joints of a skin: they must be in one tree, below the node that the file names, and in the scene
//! that draws the mesh (glTF 2.0, 3.7.3.2).

use std::collections::HashMap;

use skinscope_model::{NodeId, SkinId};

use super::joints::{by_skins, finding, joints, skins};
use super::{DependsOn, Finding, Measure, Repair, RepairTool, Rule, Severity, Subject};

/// The rule that finds joints at the wrong position of the hierarchy.
pub(crate) static HIERARCHY: Rule = Rule {
    id: "hierarchy",
    label: "Joints outside their skeleton",
    help: "A joint outside the subtree of its skin's skeleton, without a common root with the others, or outside the \
         scene",
    severity: Severity::Error,
    run: hierarchy,
    depends_on: DependsOn::Nothing,
    repair: |_| Repair::table(RepairTool::Joints, "The hierarchy is not changed here; the table names the joints."),
    ..Rule::ROW
};

/// The faults in the joints of one skin.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct Faults {
    /// The node `skin.skeleton`, and the joints that are not below it.
    outside_root: Option<(NodeId, Vec<NodeId>)>,
    /// How many trees there are, and the joints in another tree than most.
    other_tree: Option<(usize, Vec<NodeId>)>,
    /// The number of a scene that draws the skin's mesh, and the joints that are not in it.
    outside_scene: Option<(usize, Vec<NodeId>)>,
}

fn hierarchy(subject: &Subject, out: &mut Vec<Finding>) {
    let trees = trees(subject);
    let shown = shown_in(subject);
    let of_skin = |id: SkinId| {
        let faults = Faults {
            outside_root: outside_root(subject, id),
            other_tree: other_tree(subject, id, &trees),
            outside_scene: outside_scene(subject, id, &shown[id.index()]),
        };
        (faults != Faults::default()).then_some(faults)
    };
    for (faults, ids) in by_skins(subject, of_skin) {
        out.push(said(subject, &faults, &ids));
    }
}

fn said(subject: &Subject, faults: &Faults, ids: &[SkinId]) -> Finding {
    let of = skins(ids);
    let (mut text, mut all) = (Vec::new(), Vec::new());
    let mut fix = Vec::new();
    if let Some((root, at)) = &faults.outside_root {
        let root = subject.name(*root);
        text.push(format!(
            "{} of {of} {} outside the subtree of {root}, which the skin names as its skeleton: {}. Programs that \
             read the skeleton from that node down miss them, and what they move stays behind.",
            joints(at.len()),
            lie(at),
            subject.names(at)
        ));
        fix.push("Let skin.skeleton name a node above all joints, or leave it out.");
        all.extend(at);
    }
    if let Some((trees, at)) = &faults.other_tree {
        text.push(format!(
            "The joints of {of} stand in {trees} separate trees without a common root; {} {} not in the largest: {}. \
             What moves the character as a whole leaves them where they are, and glTF 2.0 forbids it.",
            joints(at.len()),
            are(at),
            subject.names(at)
        ));
        all.extend(at);
    }
    if let Some((scene, at)) = &faults.outside_scene {
        text.push(format!(
            "{} of {of} {} not in scene {scene}, which draws the skin's mesh: {}. Programs that load only the scene \
             have no such joints, and refuse the file or leave those vertices at the origin.",
            joints(at.len()),
            are(at),
            subject.names(at)
        ));
        all.extend(at);
    }
    if faults.other_tree.is_some() || faults.outside_scene.is_some() {
        fix.push("Put all joints of the skin below one node of the scene that shows its mesh.");
    }
    all.sort_unstable();
    all.dedup();
    let measure = Measure { what: "joints", value: all.len() as f64, unit: "" };
    finding(&HIERARCHY, HIERARCHY.severity, all, (text.join(" "), fix.join(" ")), Some(measure))
}

fn lie(at: &[NodeId]) -> &'static str {
    if at.len() == 1 { "lies" } else { "lie" }
}

fn are(at: &[NodeId]) -> &'static str {
    if at.len() == 1 { "is" } else { "are" }
}

/// "The skeleton node must be the closest common root of the joints, or a direct or indirect parent of it."
fn outside_root(subject: &Subject, id: SkinId) -> Option<(NodeId, Vec<NodeId>)> {
    let skin = &subject.model.skins[id.index()];
    let root = skin.root?;
    let inside = root.index()..subject.model.skeleton.subtree_end(root);
    let outside: Vec<NodeId> = skin.joints.iter().copied().filter(|j| !inside.contains(&j.index())).collect();
    (!outside.is_empty()).then_some((root, outside))
}

/// Returns the root of each node's tree.
fn trees(subject: &Subject) -> Vec<NodeId> {
    let mut out: Vec<NodeId> = Vec::with_capacity(subject.model.skeleton.len());
    for (i, parent) in subject.model.skeleton.parents.iter().enumerate() {
        out.push(parent.map_or(NodeId::from_index(i), |p| out[p.index()]));
    }
    out
}

/// Returns the number of trees and the joints outside of the one that has most joints; of trees with as many, the first
/// is right.
fn other_tree(subject: &Subject, id: SkinId, trees: &[NodeId]) -> Option<(usize, Vec<NodeId>)> {
    let list = &subject.model.skins[id.index()].joints;
    let mut counts: HashMap<NodeId, usize> = HashMap::new();
    for joint in list {
        *counts.entry(trees[joint.index()]).or_default() += 1;
    }
    let (main, _) = counts.iter().max_by_key(|(tree, n)| (**n, std::cmp::Reverse(**tree)))?;
    let outside: Vec<NodeId> = list.iter().copied().filter(|j| trees[j.index()] != *main).collect();
    (!outside.is_empty()).then_some((counts.len(), outside))
}

/// Returns for each skin the scenes that draw a mesh with it, rising.
fn shown_in(subject: &Subject) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); subject.model.skins.len()];
    for (s, scene) in subject.model.scenes.iter().enumerate() {
        for instance in &subject.model.instances {
            let Some(skin) = instance.skin.filter(|_| scene.contains[instance.node.index()]) else { continue };
            let list: &mut Vec<usize> = &mut out[skin.index()];
            if list.last() != Some(&s) {
                list.push(s);
            }
        }
    }
    out
}

/// "When a skin is referenced by a node within a scene, the common root must belong to the same scene."
fn outside_scene(subject: &Subject, id: SkinId, scenes: &[usize]) -> Option<(usize, Vec<NodeId>)> {
    let list = &subject.model.skins[id.index()].joints;
    scenes.iter().find_map(|s| {
        let contains = &subject.model.scenes[*s].contains;
        let outside: Vec<NodeId> = list.iter().copied().filter(|j| !contains[j.index()]).collect();
        (!outside.is_empty()).then_some((*s, outside))
    })
}

#[cfg(test)]
mod tests {
    use skinscope_model::{ModelParts, Scene};

    use super::super::test_rigs::{found, joints};
    use super::*;

    /// Makes `node` a root of the scene, with all below it.
    fn detach(p: &mut ModelParts, node: usize) {
        p.skeleton.parents[node] = None;
        p.scenes[0].roots.push(NodeId::from_index(node));
    }

    #[test]
    fn joints_below_one_node_of_the_scene_are_no_fault() {
        assert_eq!(found(&HIERARCHY, |_| {}), []);
        // The skeleton root may be any node above all joints, or the topmost joint.
        for root in [0, 1] {
            assert_eq!(found(&HIERARCHY, |p| p.skins[0].root = Some(NodeId(root))), []);
        }
    }

    #[test]
    fn a_skinned_mesh_below_another_node_is_no_fault() {
        assert_eq!(found(&HIERARCHY, |p| p.instances[0].node = NodeId(3)), []);
    }

    #[test]
    fn joints_outside_the_skeleton_root_are_named() {
        let findings = found(&HIERARCHY, |p| p.skins[0].root = Some(NodeId(4)));
        assert_eq!((joints(&findings), findings[0].severity), (vec![vec![1, 2, 3]], Severity::Error));
        let want = "3 joints of skin 0 lie outside the subtree of \"joint 3\", which the skin names as its skeleton: \
             \"joint 0\", \"joint 1\" and \"joint 2\".";
        assert!(findings[0].message.starts_with(want), "{}", findings[0].message);
    }

    #[test]
    fn a_tree_of_its_own_has_no_common_root_with_the_others() {
        let findings = found(&HIERARCHY, |p| detach(p, 5));
        assert_eq!(joints(&findings), [[5, 6]]);
        assert!(findings[0].message.contains("2 separate trees"), "{}", findings[0].message);
        // The larger tree is right, whichever comes first.
        assert_eq!(joints(&found(&HIERARCHY, |p| detach(p, 2))), [[1]]);
    }

    #[test]
    fn joints_outside_the_scene_that_draws_the_mesh_are_named() {
        let out = |p: &mut ModelParts| {
            p.skeleton.parents[6] = None;
            p.scenes[0].contains[6] = false;
        };
        let findings = found(&HIERARCHY, out);
        assert_eq!(joints(&findings), [[6]]);
        assert!(findings[0].message.contains("not in scene 0"), "{}", findings[0].message);
        // All joints are detached: they are one tree, but not where the mesh is.
        let findings = found(&HIERARCHY, |p| {
            p.skeleton.parents[1] = None;
            p.scenes[0].contains[1..].fill(false);
            p.scenes.push(Scene { contains: vec![false, true, true, true, true, true, true], ..Scene::default() });
        });
        assert_eq!(joints(&findings), [[1, 2, 3, 4, 5, 6]]);
        // A skin that no scene draws may lie anywhere.
        let findings = found(&HIERARCHY, |p| p.scenes[0].contains.fill(false));
        assert_eq!(findings, []);
    }

    #[test]
    fn several_faults_of_a_skin_are_one_finding() {
        let findings = found(&HIERARCHY, |p| {
            p.skins[0].root = Some(NodeId(2));
            detach(p, 6);
        });
        assert_eq!(joints(&findings), [[1, 6]]);
        assert!(findings[0].fix.contains("skin.skeleton") && findings[0].fix.contains("one node of the scene"));
    }
}
