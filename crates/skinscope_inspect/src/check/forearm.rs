//! The rule about forearms whose twist sits in the wrist alone. In a body the radius turns about the ulna, so that the skin of the whole
//! forearm takes a part of the hand's turn; a rig has twist joints for that.
//!
//! It speaks of humanoids alone ([`skinscope_model::HumanoidRig`]), only where a skin joins hand and forearm, and only where a clip turns
//! the hand so far.

use glam::Vec3;
use skinscope_model::{ClipId, NodeId};

use super::joints::finding;
use super::limb::{Seam, binds, degrees_about, each_moment, posed, told, turn};
use super::{Finding, FindingPose, Repair, RepairTool, Rule, Severity, SkinSurface, Subject};

/// The rule that finds forearms without a twist joint.
pub(crate) static FOREARM: Rule = Rule {
    id: "forearm-twist",
    label: "Twist in the wrist alone",
    help: "The forearm of a humanoid has no twist joint, and a clip turns the hand about it by more than 45°",
    severity: Severity::Info,
    run: forearm,
    ranks_by_measure: true,
    repair: |_| {
        Repair::table(
            RepairTool::Joints,
            "It may be meant for a simple figure, and no joint is added to a skeleton here.",
        )
    },
    ..Rule::ROW
};

/// The turn of a hand about the forearm that is listed, degrees.
const LARGE: f32 = 45.0;
/// A joint that takes a part of the twist lies between these parts of the way from the elbow to the hand: nearer to an end it is one of the
/// elbow or of the wrist.
const BETWEEN: std::ops::Range<f32> = 0.05..0.9;
/// How far from the bone it may lie, as a part of the length of the forearm.
const BESIDE: f32 = 0.25;

/// The moment in which a hand is turned farthest.
type Moment = (f32, Option<(ClipId, f32)>);

fn forearm(subject: &Subject, out: &mut Vec<Finding>) {
    let Some(rig) = subject.model.rig() else { return };
    for side in ["left", "right"] {
        let bone = |name: &str| rig.node(&format!("{side}{name}"));
        let (Some(elbow), Some(hand)) = (bone("LowerArm"), bone("Hand")) else { continue };
        out.extend(subject.surfaces().iter().find_map(|surface| of_surface(subject, surface, [elbow, hand])));
    }
}

fn of_surface(subject: &Subject, surface: &SkinSurface, joints: [NodeId; 2]) -> Option<Finding> {
    let moves = |node: NodeId| surface.joints.iter().any(|(other, _)| *other == node);
    if !joints.into_iter().all(moves) || has_twist_joint(subject, surface, joints) {
        return None;
    }
    let binds = binds(subject, surface, joints)?;
    let [from, to] = binds.map(|bind| Vec3::from(bind.inverse().translation));
    let axis = (to - from).try_normalize()?;
    let mut largest: Moment = (LARGE, None);
    each_moment(subject, &mut |pose, clip, time_secs| {
        let twisted = turn(pose, joints, binds).map_or(0.0, |turn| degrees_about(turn, axis).abs());
        if twisted > largest.0 {
            largest = (twisted, Some((clip, time_secs)));
        }
    });
    let (twisted, (clip, time_secs)) = (largest.0, largest.1?);
    let pose = FindingPose::Clip { clip, time_secs };
    let mut volume = Seam::of(subject, surface, joints)?.volume(subject);
    let kept = if volume.is_coarse { None } else { Some(volume.kept(subject, &posed(subject, pose))?) };
    let (volume, measure) = told("There", kept);
    let [elbow, hand] = joints.map(|joint| subject.name(joint));
    let message = format!(
        "The forearm {elbow} has no twist joint: at {} {hand} is turned by {twisted:.0}° about it, all of that at the wrist. {volume}",
        subject.moment(clip, time_secs),
    );
    let fix = "Put one to three joints along the forearm that make a part of the turn each, and part the weights of the forearm among \
               them along its length; the example about forearms shows what that keeps.";
    Some(Finding { pose, ..finding(&FOREARM, FOREARM.severity, joints.to_vec(), (message, fix), measure) })
}

/// Returns whether a joint between elbow and hand moves some of what these move, so that it can take a part of the twist.
fn has_twist_joint(subject: &Subject, surface: &SkinSurface, [elbow, hand]: [NodeId; 2]) -> bool {
    let at = |node: NodeId| Vec3::from(subject.rest[node.index()].translation);
    let along = at(hand) - at(elbow);
    let length = along.length();
    let lies_between = |node: NodeId| {
        let off = at(node) - at(elbow);
        let part = off.dot(along) / (length * length);
        BETWEEN.contains(&part) && (off - along * part).length() < BESIDE * length
    };
    let moved = |node: NodeId| {
        let found = surface.joints.iter().find(|(other, _)| *other == node);
        found.map_or(&[][..], |(_, moved)| moved.as_slice())
    };
    let [of_elbow, of_hand] = [elbow, hand].map(moved);
    let is_among = |points: &[(u32, f32)], point: u32| points.binary_search_by_key(&point, |(other, _)| *other).is_ok();
    surface.joints.iter().any(|(node, moved)| {
        let is_other = *node != elbow && *node != hand;
        is_other
            && lies_between(*node)
            && moved.iter().any(|(point, _)| is_among(of_elbow, *point) || is_among(of_hand, *point))
    })
}
