//! Bones: the segments drawn between joints.

use glam::{Affine3A, Vec3};
use skinscope_model::{Model, NodeId};

/// A segment from a joint to one of its child joints, or past a last joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint at its head, which moves it.
    pub node: NodeId,
    /// The joint's position, world space, metres.
    pub head: Vec3,
    /// The other end, world space, metres.
    pub tail: Vec3,
}

/// The joints that have bones, and the lengths of bones that no other joint ends.
#[derive(Clone, Copy, Debug)]
pub struct BoneChoice<'a> {
    /// For each node: false for joints that are left out, with the bone from them to the next joint. Empty: all are
    /// shown.
    pub shown: &'a [bool],
    /// The length in metres of the bone of a joint whose neighbours do not tell one.
    pub stub: f32,
    /// The length of a last joint's bone: a share of the bone before it, and the most metres that it may have.
    pub last: [f32; 2],
}

impl<'a> BoneChoice<'a> {
    /// Chooses bones to look at. Those of last joints are short, since on a face they would look like beaks.
    #[must_use]
    pub fn to_show(shown: &'a [bool], stub: f32) -> Self {
        Self { shown, stub, last: [0.35, 0.6 * stub] }
    }

    /// Chooses bones of all joints, as a guess at where their flesh lies: those of last joints are half as long as the
    /// ones before them, and joints that lie on each other have none.
    #[must_use]
    pub fn to_measure() -> Self {
        Self { shown: &[], stub: 0.0, last: [0.5, f32::INFINITY] }
    }
}

/// Reusable memory of [`bones_into`].
#[derive(Clone, Debug, Default)]
pub struct BoneScratch {
    above: Vec<Option<usize>>,
    /// For each joint: the first joint below it that is left out, if there is one.
    end: Vec<Option<usize>>,
    has_child: Vec<bool>,
    has_bone: Vec<bool>,
    found: Vec<BoneSegment>,
    /// For each node: where its next bone goes in the list that is ordered by node.
    next_slots: Vec<u32>,
}

/// Returns what [`bones_into`] writes.
#[must_use]
pub fn bones(model: &Model, scene: usize, pose: &[Affine3A], choice: BoneChoice<'_>) -> Vec<BoneSegment> {
    let mut out = Vec::new();
    bones_into(model, scene, pose, choice, &mut BoneScratch::default(), &mut out);
    out
}

/// A joint that is left out still ends the bone before it, if it is no farther than this many times
/// [`BoneChoice::stub`].
const END_MOST: f32 = 4.0;

/// Writes the bones of a scene into `out`. Joints have them; where a file has no joint, every node does, so that a bare
/// hierarchy is visible. Nodes between joints, and joints that are left out, are skipped. A joint below which no other
/// is shown ends at a joint that was left out, if that is near; else it gets a short bone that continues the one before
/// it. One whose neighbours lie at the same position gets `stub` metres along its own +Y, so that every joint can be seen
/// and clicked.
pub fn bones_into(
    model: &Model,
    scene: usize,
    pose: &[Affine3A],
    choice: BoneChoice<'_>,
    scratch: &mut BoneScratch,
    out: &mut Vec<BoneSegment>,
) {
    let BoneScratch { above, end, has_child, has_bone, found, next_slots } = scratch;
    let all = model.skins.is_empty();
    let inside = |n: usize| model.scenes.get(scene).is_none_or(|s| s.contains[n]);
    let joint = |n: usize| (all || model.is_joint(NodeId::from_index(n))) && inside(n);
    let drawn = |n: usize| joint(n) && choice.shown.get(n).is_none_or(|shown| *shown);
    let at = |n: usize| Vec3::from(pose[n].translation);
    let count = model.skeleton.len();
    // This finds the nearest drawn ancestor; parents come first.
    for joints in [&mut *above, &mut *end] {
        joints.clear();
        joints.resize(count, None);
    }
    for flags in [&mut *has_child, &mut *has_bone] {
        flags.clear();
        flags.resize(count, false);
    }
    found.clear();
    let mut push = |bone: BoneSegment| {
        if bone.head.is_finite() && bone.tail.is_finite() {
            found.push(bone);
        }
    };
    for n in 0..count {
        if let Some(parent) = model.skeleton.parents[n] {
            above[n] = if drawn(parent.index()) { Some(parent.index()) } else { above[parent.index()] };
        }
        let Some(head) = above[n] else { continue };
        if !drawn(n) {
            let is_end = joint(n) && at(head) != at(n) && at(head).distance(at(n)) <= END_MOST * choice.stub;
            end[head] = end[head].or(is_end.then_some(n));
            continue;
        }
        has_child[head] = true;
        if at(head) != at(n) {
            has_bone[head] = true;
            push(BoneSegment { node: NodeId::from_index(head), head: at(head), tail: at(n) });
        }
    }
    for n in (0..count).filter(|n| drawn(*n) && !has_bone[*n]) {
        let along = above[n].map_or(Vec3::ZERO, |head| at(n) - at(head));
        let tail = if let Some(end) = end[n].filter(|_| !has_child[n]) {
            at(end) - at(n)
        } else if along == Vec3::ZERO || has_child[n] {
            Vec3::from(pose[n].matrix3.y_axis.normalize_or_zero()) * choice.stub
        } else {
            // The direction from its parent at rest is carried by the joint.
            let [share, most] = choice.last;
            let length = (share * along.length()).min(most);
            carried_direction(model, pose, n, along).normalize_or_zero() * length
        };
        push(BoneSegment { node: NodeId::from_index(n), head: at(n), tail: at(n) + tail });
    }
    order_by_node(found, count, next_slots, out);
}

/// Writes the bones ordered by node; those of one node stay in their order. Counting takes a fraction of the time of a
/// sort, and models may have tens of thousands of joints.
fn order_by_node(found: &[BoneSegment], nodes: usize, next_slots: &mut Vec<u32>, out: &mut Vec<BoneSegment>) {
    next_slots.clear();
    next_slots.resize(nodes + 1, 0);
    for bone in found {
        next_slots[bone.node.index() + 1] += 1;
    }
    for n in 0..nodes {
        next_slots[n + 1] += next_slots[n];
    }
    out.clear();
    out.extend_from_slice(found);
    for bone in found {
        let slot = &mut next_slots[bone.node.index()];
        out[*slot as usize] = *bone;
        *slot += 1;
    }
}

/// Returns `along` (from the parent to node `n`), turned by the rotation from the node's rest to its pose.
fn carried_direction(model: &Model, pose: &[Affine3A], n: usize, along: Vec3) -> Vec3 {
    let parent = model.skeleton.parents[n].map_or(Affine3A::IDENTITY, |p| pose[p.index()]);
    let rest = parent * model.skeleton.local_matrix(n, model.skeleton.rest.transforms[n]);
    let turned = (pose[n] * rest.inverse()).transform_vector3(along);
    turned.try_normalize().map_or(along, |d| d * along.length())
}

#[cfg(test)]
mod tests {
    use skinscope_anim::local_to_model;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    fn posed(joints: usize, length: f32) -> (Model, Vec<Affine3A>) {
        let model = tube(Tube { joints, length, ..Tube::default() });
        let mut pose = Vec::new();
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        (model, pose)
    }

    /// Bones of a joint with several children are drawn, and numbered, in the order in which they were found.
    #[test]
    fn counting_gives_the_order_of_a_stable_sort() {
        let bone = |node: u32, at: f32| BoneSegment { node: NodeId(node), head: Vec3::splat(at), tail: Vec3::ONE };
        let found: Vec<BoneSegment> = (0..40).map(|i| bone(i * 7 % 5 + 2 * (i % 3), i as f32)).collect();
        let mut sorted = found.clone();
        sorted.sort_by_key(|bone| bone.node);
        let (mut next_slots, mut out) = (vec![9; 3], vec![bone(1, 1.0)]);
        order_by_node(&found, 9, &mut next_slots, &mut out);
        assert_eq!(out, sorted);
    }

    fn ends(model: &Model, pose: &[Affine3A], shown: &[bool], stub: f32) -> Vec<(u32, f32, f32)> {
        let bones = bones(model, 0, pose, BoneChoice::to_show(shown, stub));
        bones.iter().map(|b| (b.node.0, b.head.y, b.tail.y)).collect()
    }

    #[test]
    fn a_chain_of_three_joints_has_three_bones_the_last_one_short() {
        let (model, pose) = posed(3, 3.0);
        assert_eq!(ends(&model, &pose, &[], 1.0), [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 2.0, 2.35)]);
        assert_eq!(ends(&model, &pose, &[], 0.1)[2], (3, 2.0, 2.06), "whatever came before it");
        let measured = bones(&model, 0, &pose, BoneChoice::to_measure());
        assert_eq!((measured[2].head.y, measured[2].tail.y), (2.0, 2.5));
    }

    #[test]
    fn joints_that_are_left_out_are_passed_over_and_end_the_bone_before_them() {
        let (model, pose) = posed(4, 4.0);
        let without = |joint: usize| {
            let shown: Vec<bool> = (0..5).map(|n| n != joint).collect();
            ends(&model, &pose, &shown, 0.5)
        };
        assert_eq!(without(2), [(1, 0.0, 2.0), (3, 2.0, 3.0), (4, 3.0, 3.3)]);
        assert_eq!(without(4), [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 2.0, 3.0)]);
        let shown = [true, true, true, true, false];
        assert_eq!(ends(&model, &pose, &shown, 0.1)[2], (3, 2.0, 2.06), "one that is far away tells nothing");
    }

    #[test]
    fn joints_on_top_of_each_other_are_still_seen() {
        let model = tube(Tube { joints: 2, ..Tube::default() });
        let pose = vec![Affine3A::IDENTITY; 3];
        assert_eq!(ends(&model, &pose, &[], 0.1), [(1, 0.0, 0.1), (2, 0.0, 0.1)]);
    }
}
