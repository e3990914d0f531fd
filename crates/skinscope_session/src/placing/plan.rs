//! What is done to a list of placed joints: each change keeps names apart and parents right.

use std::collections::HashSet;

use glam::Vec3;
use skinscope_base::math::Aabb;
use skinscope_edit::{BodyFrame, PlacedJoint, mirrored_name, sided_name};
use skinscope_model::{Side, side};

/// The name of a joint that nobody has named.
const NAME: &str = "Joint";

/// Returns whether a list can be worked on: names that tell joints apart, places that are numbers, and parents that are there and above. It may
/// have several roots, unlike a skeleton.
pub(super) fn is_usable(joints: &[PlacedJoint]) -> bool {
    let mut names = HashSet::new();
    let is_good = |joint: &PlacedJoint| !joint.name.trim().is_empty() && Aabb::is_near(joint.position);
    joints.iter().all(|joint| is_good(joint) && names.insert(joint.name.as_str()))
        && (0..joints.len()).all(|index| above(joints, index).count() <= joints.len())
        && joints.iter().all(|joint| joint.parent.is_none_or(|parent| parent < joints.len()))
}

/// Returns the joints above one, the nearest first. Of parents in a circle it returns one more than there are joints.
fn above(joints: &[PlacedJoint], index: usize) -> impl Iterator<Item = usize> {
    let parent = |index: &usize| joints.get(*index)?.parent;
    std::iter::successors(parent(&index), parent).take(joints.len() + 1)
}

/// Returns the joint on the other side, by its name.
pub(super) fn partner(joints: &[PlacedJoint], index: usize) -> Option<usize> {
    let name = mirrored_name(&joints.get(index)?.name)?;
    joints.iter().position(|joint| joint.name == name)
}

/// Returns a name that no joint has: the one that is wished, or one with a number behind it, before the word for a side.
fn free_name(joints: &[PlacedJoint], wished: &str, side: Option<Side>) -> String {
    let whole = |name: String| side.map_or_else(|| name.clone(), |side| sided_name(&name, side));
    let is_free = |name: &String| joints.iter().all(|joint| joint.name != *name);
    // The other one of a pair has the same number.
    let fits = |name: &String| is_free(name) && mirrored_name(name).is_none_or(|other| is_free(&other));
    let first = std::iter::once(whole(wished.to_owned()));
    let numbered = (2..).map(|number| whole(format!("{wished}{number}")));
    first.chain(numbered).find(fits).unwrap_or_default()
}

/// Adds a joint, and where it is to be mirrored and stands beside the middle the one on the other side too. Returns the index of the first.
pub(super) fn add(
    joints: &mut Vec<PlacedJoint>,
    position: Vec3,
    parent: Option<usize>,
    mirror: Option<&BodyFrame>,
) -> usize {
    let index = joints.len();
    let beside = mirror.filter(|frame| !frame.is_middle(position));
    let Some(frame) = beside else {
        // What is clicked near the middle stands in it.
        let position = mirror.map_or(position, |frame| position - frame.to_left(position) * frame.left);
        let name = free_name(joints, NAME, None);
        joints.push(PlacedJoint { name, position, parent });
        return index;
    };
    let side = if frame.to_left(position) > 0.0 { Side::Left } else { Side::Right };
    let name = free_name(joints, NAME, Some(side));
    let other = mirrored_name(&name).unwrap_or_else(|| free_name(joints, NAME, Some(side.other())));
    let other_parent = parent.map(|parent| partner(joints, parent).unwrap_or(parent));
    joints.push(PlacedJoint { name, position, parent });
    joints.push(PlacedJoint { name: other, position: frame.mirrored(position), parent: other_parent });
    index
}

/// Moves a joint, and where it is to be mirrored its partner too. A joint of the middle stays there.
pub(super) fn move_to(joints: &mut [PlacedJoint], index: usize, position: Vec3, mirror: Option<&BodyFrame>) {
    let other = partner(joints, index);
    let Some(joint) = joints.get_mut(index).filter(|_| Aabb::is_near(position)) else { return };
    let is_of_side = mirrored_name(&joint.name).is_some();
    let frame = mirror.filter(|frame| other.is_some() || (!is_of_side && frame.is_middle(joint.position)));
    joint.position = match frame {
        Some(frame) if other.is_none() => position - frame.to_left(position) * frame.left,
        _ => position,
    };
    if let (Some(frame), Some(other)) = (frame, other) {
        joints[other].position = frame.mirrored(position);
    }
}

/// Renames a joint, and where it is to be mirrored its partner too. Nothing changes where another joint has the name.
pub(super) fn rename(joints: &mut [PlacedJoint], index: usize, wished: &str, is_mirrored: bool) {
    let other = partner(joints, index).filter(|_| is_mirrored);
    let own_side = other.and_then(|_| Some(side(&joints.get(index)?.name)?.0));
    // One of a pair stays one.
    let own_side = own_side.filter(|_| side(wished).is_none() && !wished.trim().is_empty());
    let name = own_side.map_or_else(|| wished.trim().to_owned(), |side| sided_name(wished.trim(), side));
    let name = name.as_str();
    let new_other = other.and_then(|_| mirrored_name(name));
    let is_taken = |name: &str| {
        let mut others = joints.iter().enumerate().filter(|(at, _)| *at != index && Some(*at) != other);
        others.any(|(_, joint)| joint.name == name)
    };
    let is_kept = other.filter(|_| new_other.is_none()).is_some_and(|other| joints[other].name == name);
    if name.is_empty() || is_kept || is_taken(name) || new_other.as_deref().is_some_and(is_taken) {
        return;
    }
    if let Some(joint) = joints.get_mut(index) {
        joint.name = name.to_owned();
    }
    if let (Some(other), Some(name)) = (other, new_other) {
        joints[other].name = name;
    }
}

/// Takes a joint away, and where it is to be mirrored its partner too. What hung on it hangs on its parent, whose index is returned.
pub(super) fn delete(joints: &mut Vec<PlacedJoint>, index: usize, is_mirrored: bool) -> Option<usize> {
    // Joints have other indices afterwards, and the same names.
    let above: Vec<String> = above(joints, index).filter_map(|at| Some(joints.get(at)?.name.clone())).collect();
    let mut gone: Vec<usize> = partner(joints, index).filter(|_| is_mirrored).into_iter().chain([index]).collect();
    gone.sort_unstable();
    for index in gone.into_iter().rev() {
        if index >= joints.len() {
            continue;
        }
        let removed = joints.remove(index);
        for joint in joints.iter_mut() {
            let parent = if joint.parent == Some(index) { removed.parent } else { joint.parent };
            joint.parent = parent.map(|parent| if parent > index { parent - 1 } else { parent });
        }
    }
    above.iter().find_map(|name| joints.iter().position(|joint| joint.name == *name))
}

/// Hangs a joint on another one, or on none; where it is to be mirrored its partner hangs on the other's partner. Nothing changes where it would hang
/// on itself.
pub(super) fn hang(joints: &mut [PlacedJoint], index: usize, parent: Option<usize>, is_mirrored: bool) {
    let can = |joints: &[PlacedJoint], index: usize, parent: Option<usize>| {
        let is_below = |parent: usize| parent == index || above(joints, parent).any(|at| at == index);
        index < joints.len() && parent.is_none_or(|parent| parent < joints.len() && !is_below(parent))
    };
    if !can(joints, index, parent) {
        return;
    }
    joints[index].parent = parent;
    let Some(other) = partner(joints, index).filter(|_| is_mirrored) else { return };
    let parent = parent.map(|parent| partner(joints, parent).unwrap_or(parent));
    if can(joints, other, parent) {
        joints[other].parent = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> BodyFrame {
        BodyFrame::of(Aabb { min: Vec3::new(-1.0, 0.0, -0.2), max: Vec3::new(1.0, 2.0, 0.2) })
    }

    fn names(joints: &[PlacedJoint]) -> Vec<&str> {
        joints.iter().map(|joint| joint.name.as_str()).collect()
    }

    #[test]
    fn joints_beside_the_middle_come_in_pairs_and_hang_on_pairs() {
        let (frame, mut joints) = (frame(), Vec::new());
        let root = add(&mut joints, Vec3::new(0.005, 1.0, 0.0), None, Some(&frame));
        assert_eq!((joints[root].position, names(&joints)), (Vec3::Y, vec!["Joint"]));
        let arm = add(&mut joints, Vec3::new(0.3, 1.5, 0.1), Some(root), Some(&frame));
        assert_eq!(names(&joints), ["Joint", "Joint.L", "Joint.R"]);
        rename(&mut joints, arm, "Arm", true);
        let hand = add(&mut joints, Vec3::new(0.8, 1.5, 0.1), Some(arm), Some(&frame));
        rename(&mut joints, hand, "Hand.L", true);
        assert_eq!(names(&joints), ["Joint", "Arm.L", "Arm.R", "Hand.L", "Hand.R"]);
        assert_eq!(
            joints.iter().map(|joint| joint.parent).collect::<Vec<_>>(),
            [None, Some(0), Some(0), Some(1), Some(2)]
        );
        move_to(&mut joints, 4, Vec3::new(-0.9, 1.4, 0.0), Some(&frame));
        assert_eq!(joints[3].position, Vec3::new(0.9, 1.4, 0.0));
        move_to(&mut joints, 4, Vec3::new(-0.7, 1.4, 0.0), None);
        assert_eq!(joints[3].position.x, 0.9, "not mirrored");
        delete(&mut joints, 1, true);
        assert_eq!(names(&joints), ["Joint", "Hand.L", "Hand.R"]);
        assert_eq!(joints.iter().map(|joint| joint.parent).collect::<Vec<_>>(), [None, Some(0), Some(0)]);
        assert!(is_usable(&joints));
    }

    #[test]
    fn names_stay_apart_and_no_joint_hangs_on_itself() {
        let mut joints = Vec::new();
        for up in 0..3_usize {
            let parent = up.checked_sub(1);
            add(&mut joints, Vec3::Y * up as f32, parent, None);
        }
        assert_eq!(names(&joints), ["Joint", "Joint2", "Joint3"]);
        rename(&mut joints, 1, "Joint", false);
        rename(&mut joints, 1, "  ", false);
        assert_eq!(joints[1].name, "Joint2");
        hang(&mut joints, 0, Some(2), false);
        hang(&mut joints, 0, Some(0), false);
        hang(&mut joints, 0, Some(9), false);
        assert_eq!(joints[0].parent, None);
        hang(&mut joints, 2, Some(0), false);
        assert_eq!(joints[2].parent, Some(0));
        delete(&mut joints, 0, false);
        assert_eq!(joints.iter().map(|joint| joint.parent).collect::<Vec<_>>(), [None, None]);
        joints[0].parent = Some(0);
        assert!(!is_usable(&joints));
    }

    #[test]
    fn the_joint_above_one_that_is_deleted_is_found_wherever_it_stands_then() {
        let joint = |name: &str, parent| PlacedJoint { name: name.to_owned(), position: Vec3::ZERO, parent };
        let mut joints =
            vec![joint("Hand.R", Some(1)), joint("Root", None), joint("Arm.L", Some(1)), joint("Hand.L", Some(2))];
        // Its partner stands before it in the list.
        assert_eq!(delete(&mut joints, 3, true), Some(1));
        assert_eq!(names(&joints), ["Root", "Arm.L"]);
        // The one above stands behind it.
        let mut joints = vec![joint("Tip", Some(2)), joint("Side", Some(2)), joint("Root", None)];
        assert_eq!(delete(&mut joints, 0, false), Some(1));
        assert_eq!(delete(&mut joints, 1, false), None);
        assert_eq!(names(&joints), ["Side"]);
    }
}
