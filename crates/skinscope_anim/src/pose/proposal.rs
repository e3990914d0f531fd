//! Proposes which joints of another file are which, where names do not say it: by the shapes of both skeletons, by words for
//! limbs in their names, and by names that both have. It is for people to look at, and is never used by itself. What
//! nothing speaks for is left out.

use std::collections::BTreeSet;

use glam::{DAffine3, DVec3};
use skinscope_model::{HumanoidRig, Model, NodeId};

use super::{Keys, NameMap, NodeMap, counterparts, world};

/// The height of the lowest ends of a figure, as a share of its height, among which its feet are.
const LOW: f64 = 0.15;
/// The heights at which a figure that stands has its hips, as shares of its height.
const HIPS: std::ops::RangeInclusive<f64> = 0.3..=0.75;
/// The joints that a leg and an arm have at least: upper part, lower part, foot or hand.
const LIMB: usize = 3;
/// How much two limbs of a figure may differ in length, as a share of the longer one.
const ALIKE: f64 = 0.2;

/// Returns a mapping of all nodes that the clips of `from` move: to the counterparts that are known, else to what has
/// the same place in a body of the same shape or the same word for a limb in its name, else to what has its name, else to none.
#[must_use]
pub fn propose(from: &Model, to: &Model, mapping: &NodeMap) -> NameMap {
    let mut here = counterparts(from, to, mapping);
    let rigs = [from, to].map(|model| model.rig().cloned().or_else(|| of_shape(model)).or_else(|| of_words(model)));
    let (keys, own_keys) = (Keys::of(from), Keys::of(to));
    let mut taken: BTreeSet<NodeId> = here.iter().flatten().copied().collect();
    let mut add = |there: NodeId, own: NodeId| {
        if here[there.index()].is_none() && !mapping.contains_key(&there) && taken.insert(own) {
            here[there.index()] = Some(own);
        }
    };
    if let [Some(theirs), Some(ours)] = &rigs {
        theirs.pairs(ours).into_iter().for_each(|(there, own)| add(there, own));
    }
    let names: Vec<&str> = (0..from.skeleton.len()).map(|node| keys.key(NodeId::from_index(node))).collect();
    for (key, own) in own_keys.matches_spelled(&names, &BTreeSet::new()) {
        let bones = |there: NodeId| {
            rigs.iter().zip([there, own]).all(|(rig, node)| rig.as_ref().is_some_and(|rig| rig.knows(node)))
        };
        if let Some(there) = keys.find(key).filter(|there| !bones(*there)) {
            add(there, own);
        }
    }
    let moved: BTreeSet<NodeId> = from
        .clips
        .iter()
        .flat_map(|clip| &clip.channels)
        .map(|c| c.node)
        .filter(|node| !from.expression_nodes.iter().any(|(other, _)| other == node))
        .collect();
    let mut out = NameMap::default();
    for node in moved {
        out.set(keys.key(node), here[node.index()].map(|own| own_keys.key(own)));
    }
    out
}

/// Returns the limbs that words in the names of a skeleton tell of; `None` where they tell of none. A node that only shows a mesh is none.
fn of_words(model: &Model) -> Option<HumanoidRig> {
    let shows = |node: &NodeId| model.instances.iter().any(|i| i.node == *node) && !model.is_joint(*node);
    let nodes: Vec<NodeId> = (0..model.skeleton.len()).map(NodeId::from_index).filter(|node| !shows(node)).collect();
    let names: Vec<&str> = nodes.iter().map(|node| model.skeleton.names[node.index()].as_str()).collect();
    let bones = HumanoidRig::bones_of_names(&names).into_iter().map(|(at, bone)| (nodes[at], bone));
    let bones: Vec<(NodeId, String)> = bones.collect();
    let is_alone = |bone: &String| bones.iter().filter(|(_, other)| other == bone).count() == 1;
    let bones: Vec<(NodeId, String)> = bones.iter().filter(|(_, bone)| is_alone(bone)).cloned().collect();
    (!bones.is_empty()).then(|| HumanoidRig::of_bones(&bones))
}

/// Returns the humanoid that the shape of a skeleton may be; `None` where it does not stand on two legs that are alike, with two arms
/// that are alike and a head.
fn of_shape(model: &Model) -> Option<HumanoidRig> {
    let shape = Shape::of(model);
    let top = shape.leaves().max_by(|a, b| shape.at(*a).y.total_cmp(&shape.at(*b).y))?;
    let lowest = shape.leaves().map(|leaf| shape.at(leaf).y).fold(f64::INFINITY, f64::min);
    let height = shape.at(top).y - lowest;
    let low: Vec<NodeId> = shape.leaves().filter(|leaf| shape.at(*leaf).y <= lowest + LOW * height).collect();
    let [a, b] = farthest(&shape, &low)?;
    let hips = shape.common(shape.common(a, b)?, top)?;
    if !HIPS.contains(&((shape.at(hips).y - lowest) / height)) {
        return None;
    }
    let legs = [a, b].map(|end| shape.way(hips, end));
    let is_leg = |node: &NodeId| legs.iter().any(|leg| leg.first().is_some_and(|first| shape.is_above(*first, *node)));
    let others: Vec<NodeId> = shape.leaves().filter(|leaf| !is_leg(leaf) && shape.is_above(hips, *leaf)).collect();
    let [c, d] = farthest(&shape, &others)?;
    let chest = shape.common(c, d).filter(|chest| shape.is_above(hips, *chest) && shape.is_above(*chest, top))?;
    let arms = [c, d].map(|end| shape.way(chest, end));
    if !shape.are_alike(hips, &legs) || !shape.are_alike(chest, &arms) {
        return None;
    }
    let mut bones = vec![(hips, "hips".to_owned())];
    let spine = shape.way(hips, chest);
    let places = match spine.len() {
        n @ 0..=2 => (0..n).collect(),
        n => vec![0, (n - 1) / 2, n - 1],
    };
    bones.extend(["spine", "chest", "upperChest"].into_iter().zip(places).map(|(bone, at)| (spine[at], bone.into())));
    let up = shape.way(chest, top);
    match up[..] {
        [] => {}
        [head] => bones.push((head, "head".into())),
        [neck, head, ..] => bones.extend([(neck, "neck".into()), (head, "head".into())]),
    }
    let left = shape.left(model, &legs);
    for leg in &legs {
        let leg: Vec<NodeId> = leg.iter().copied().filter(|node| !shape.carries_both(*node, [a, b])).collect();
        let word = side(&shape, hips, *leg.first()?, left);
        let parts = ["UpperLeg", "LowerLeg", "Foot", "Toes"];
        bones.extend(leg.iter().zip(parts).map(|(node, part)| (*node, format!("{word}{part}"))));
    }
    for arm in &arms {
        let hand = arm.iter().position(|node| shape.children(*node) > 2).unwrap_or_else(|| arm.len().min(4) - 1);
        let word = side(&shape, hips, arm[hand], left);
        let parts = ["Hand", "LowerArm", "UpperArm", "Shoulder"];
        bones.extend(arm[..=hand].iter().rev().zip(parts).map(|(node, part)| (*node, format!("{word}{part}"))));
    }
    bones.sort();
    Some(HumanoidRig::of_bones(&bones))
}

fn side(shape: &Shape<'_>, hips: NodeId, node: NodeId, left: DVec3) -> &'static str {
    if (shape.at(node) - shape.at(hips)).dot(left) > 0.0 { "left" } else { "right" }
}

/// Returns the two ends that are farthest from each other on the ground.
fn farthest(shape: &Shape<'_>, ends: &[NodeId]) -> Option<[NodeId; 2]> {
    let flat = |node: NodeId| shape.at(node) * DVec3::new(1.0, 0.0, 1.0);
    let middle = ends.iter().fold(DVec3::ZERO, |sum, end| sum + flat(*end) / ends.len() as f64);
    let from = |at: DVec3| ends.iter().copied().max_by(|a, b| flat(*a).distance(at).total_cmp(&flat(*b).distance(at)));
    let first = from(middle)?;
    let second = from(flat(first))?;
    (first != second).then_some([first, second])
}

/// A skeleton at rest.
struct Shape<'m> {
    model: &'m Model,
    world: Vec<DAffine3>,
    counts: Vec<usize>,
}

impl<'m> Shape<'m> {
    fn of(model: &'m Model) -> Self {
        let skeleton = &model.skeleton;
        let mut counts = vec![0; skeleton.len()];
        skeleton.parents.iter().flatten().for_each(|parent| counts[parent.index()] += 1);
        Self { model, world: world(skeleton, &skeleton.rest), counts }
    }

    fn at(&self, node: NodeId) -> DVec3 {
        self.world[node.index()].translation
    }

    fn children(&self, node: NodeId) -> usize {
        self.counts[node.index()]
    }

    /// Returns the ends of the skeleton: nodes that move nothing but themselves, without those that show a mesh.
    fn leaves(&self) -> impl Iterator<Item = NodeId> {
        let shows = |node: &NodeId| self.model.instances.iter().any(|i| i.node == *node) && !self.model.is_joint(*node);
        let nodes = (0..self.counts.len()).map(NodeId::from_index);
        nodes.filter(move |node| self.children(*node) == 0 && !shows(node) && self.at(*node).is_finite())
    }

    fn is_above(&self, above: NodeId, node: NodeId) -> bool {
        (above.index()..self.model.skeleton.subtree_end(above)).contains(&node.index())
    }

    fn carries_both(&self, node: NodeId, ends: [NodeId; 2]) -> bool {
        ends.iter().all(|end| self.is_above(node, *end))
    }

    fn chain(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |node| self.model.skeleton.parents[node.index()])
    }

    /// Returns the lowest node above two nodes.
    fn common(&self, a: NodeId, b: NodeId) -> Option<NodeId> {
        self.chain(a).find(|node| self.is_above(*node, b))
    }

    /// Returns the nodes below one node down to another one.
    fn way(&self, from: NodeId, to: NodeId) -> Vec<NodeId> {
        let mut out: Vec<NodeId> = self.chain(to).take_while(|node| *node != from).collect();
        out.reverse();
        out
    }

    /// Returns whether two limbs of a body below a node are as long, and have joints enough.
    fn are_alike(&self, from: NodeId, limbs: &[Vec<NodeId>; 2]) -> bool {
        let length = |limb: &Vec<NodeId>| limb.last().map_or(0.0, |end| self.at(*end).distance(self.at(from)));
        let [a, b] = [0, 1].map(|i| length(&limbs[i]));
        limbs.iter().all(|limb| limb.len() >= LIMB) && (a - b).abs() <= ALIKE * a.max(b)
    }

    /// Returns the direction to the left of a figure: its feet point to its front, or the file says where that is.
    fn left(&self, model: &Model, legs: &[Vec<NodeId>; 2]) -> DVec3 {
        let foot = |leg: &Vec<NodeId>| match leg[..] {
            [.., foot, toes] => self.at(toes) - self.at(foot),
            _ => DVec3::ZERO,
        };
        let front = (foot(&legs[0]) + foot(&legs[1])) * DVec3::new(1.0, 0.0, 1.0);
        let front = if front.length() > 1e-6 { front } else { model.front().as_dvec3() };
        DVec3::Y.cross(front)
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_model::test_shapes::{Joint, rigged};
    use skinscope_model::{Channel, Clip, Interpolation, ModelParts, Path, Sampler, Values};

    use super::*;

    /// A body whose joints have these names, from the hips on.
    fn body(name: &dyn Fn(&str) -> String) -> Model {
        let mut joints: Vec<Joint> = Vec::new();
        let mut add = |bone: &str, parent: Option<usize>, place: [f32; 3]| {
            joints.push(Joint { name: name(bone), parent, place: Vec3::from_array(place), turned: Quat::IDENTITY });
            joints.len() - 1
        };
        let hips = add("hips", None, [0.0, 1.0, 0.0]);
        let spine = add("spine", Some(hips), [0.0, 1.1, 0.0]);
        let chest = add("chest", Some(spine), [0.0, 1.3, 0.0]);
        let neck = add("neck", Some(chest), [0.0, 1.5, 0.0]);
        add("head", Some(neck), [0.0, 1.6, 0.0]);
        for (side, x) in [("left", 1.0), ("right", -1.0)] {
            let mut arm = chest;
            for (part, at) in [("Shoulder", 0.05), ("UpperArm", 0.2), ("LowerArm", 0.45), ("Hand", 0.7)] {
                arm = add(&format!("{side}{part}"), Some(arm), [x * at, 1.45, 0.0]);
            }
            let mut leg = hips;
            for (part, y, z) in
                [("UpperLeg", 0.95, 0.0), ("LowerLeg", 0.5, 0.0), ("Foot", 0.1, 0.0), ("Toes", 0.02, 0.12)]
            {
                leg = add(&format!("{side}{part}"), Some(leg), [x * 0.1, y, z]);
            }
        }
        rigged(&joints)
    }

    /// A clip that moves all joints.
    fn dancing(model: &Model) -> Model {
        let mut parts: ModelParts = (*model).clone();
        let mut clip = Clip { name: "Dance".into(), end_secs: 1.0, times: vec![vec![0.0]], ..Clip::default() };
        for node in (0..parts.skeleton.len()).map(NodeId::from_index) {
            let values = Values::Quat(vec![Quat::IDENTITY].into());
            clip.samplers.push(Sampler { times: 0, interpolation: Interpolation::Step, values });
            clip.channels.push(Channel { node, path: Path::Rotation, sampler: node.index() });
        }
        parts.clips = vec![clip];
        Model::build(parts).unwrap()
    }

    /// A body whose feet and poles hang on the ground beside it, as those that limbs reach for do.
    fn puppet() -> Model {
        let joint = |name: &str, parent: Option<usize>, place: [f32; 3]| Joint {
            name: name.into(),
            parent,
            place: Vec3::from_array(place),
            turned: Quat::IDENTITY,
        };
        rigged(&[
            joint("Bone", None, [0.0, 0.0, 0.0]),
            joint("FootL", Some(0), [0.2, 0.0, 0.0]),
            joint("FootR", Some(0), [-0.2, 0.0, 0.0]),
            joint("PoleTargetL", Some(0), [0.5, 0.0, 1.0]),
            joint("PoleTargetR", Some(0), [-0.5, 0.0, 1.0]),
            joint("Body", Some(0), [0.0, 1.0, 0.0]),
            joint("Hips", Some(5), [0.0, 1.0, 0.0]),
            joint("Torso", Some(6), [0.0, 1.3, 0.0]),
            joint("Neck", Some(7), [0.0, 1.5, 0.0]),
            joint("Head", Some(8), [0.0, 1.6, 0.0]),
            joint("UpperArmL", Some(7), [0.2, 1.4, 0.0]),
            joint("LowerArmL", Some(10), [0.5, 1.4, 0.0]),
            joint("UpperArmR", Some(7), [-0.2, 1.4, 0.0]),
            joint("LowerArmR", Some(12), [-0.5, 1.4, 0.0]),
            joint("UpperLegL", Some(5), [0.2, 1.0, 0.0]),
            joint("LowerLegL", Some(14), [0.2, 0.5, 0.0]),
            joint("UpperLegR", Some(5), [-0.2, 1.0, 0.0]),
            joint("LowerLegR", Some(16), [-0.2, 0.5, 0.0]),
        ])
    }

    #[test]
    fn only_what_something_speaks_for_is_proposed() {
        let puppet = dancing(&puppet());
        let proposed = |to: &Model| {
            let proposed = propose(&puppet, to, &NodeMap::new());
            proposed.pairs().filter_map(|(there, here)| Some((there.to_owned(), here?.to_owned()))).collect::<Vec<_>>()
        };
        // Neither its shape nor its names say what its joints are in a body whose names say nothing.
        let numbered =
            body(&|bone| format!("joint_{}", bone.bytes().map(u32::from).sum::<u32>() * 7 + bone.len() as u32));
        for (there, here) in proposed(&numbered) {
            let wanted = ["UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Foot"];
            assert!(wanted.iter().any(|limb| there.starts_with(limb)), "{there} is {here}");
        }
        // Words for limbs, and names that both have.
        let found = proposed(&body(&|bone| bone.to_owned()));
        let here = |there: &str| found.iter().find(|(name, _)| name == there).map(|(_, here)| here.as_str());
        for (there, wanted) in [
            ("UpperArmL", Some("leftUpperArm")),
            ("LowerLegR", Some("rightLowerLeg")),
            ("FootL", Some("leftFoot")),
            ("Head", Some("head")),
            ("Body", None),
            ("Bone", None),
            ("PoleTargetL", None),
        ] {
            assert_eq!(here(there), wanted, "{there}");
        }
    }

    #[test]
    fn joints_of_no_family_are_proposed_by_the_shape_of_the_body() {
        let numbered =
            body(&|bone| format!("joint_{}", bone.bytes().map(u32::from).sum::<u32>() * 7 + bone.len() as u32));
        let named = body(&|bone| bone.to_owned());
        assert!(numbered.rig().is_none() && named.rig().is_some());
        let numbered = dancing(&numbered);
        let none = counterparts(&numbered, &named, &NodeMap::new());
        assert!(none.iter().all(Option::is_none), "nothing is guessed");
        let proposed = propose(&numbered, &named, &NodeMap::new()).find(&numbered, &named).unwrap();
        let wanted: NodeMap =
            (0..named.skeleton.len()).map(NodeId::from_index).map(|node| (node, Some(node))).collect();
        assert_eq!(proposed, wanted);
    }
}
