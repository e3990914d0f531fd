//! The rule about upper arms that hang directly on the spine: one ball joint makes the whole raise of an arm, which clavicle, scapula and
//! shoulder share in a body.
//!
//! It speaks of humanoids alone ([`skinscope_model::HumanoidRig`]), and only where a skin joins arm and body.

use glam::Vec3;
use skinscope_model::{HumanoidRig, NodeId};

use super::joints::finding;
use super::limb::{Seam, Volume, binds, degrees, each_moment, posed, told, turn};
use super::{Finding, FindingPose, Repair, RepairTool, Rule, Severity, SkinSurface, Subject};

/// The rule that finds shoulders without a clavicle.
pub(crate) static CLAVICLE: Rule = Rule {
    id: "shoulder-clavicle",
    label: "Shoulder without clavicle",
    help: "The upper arm of a humanoid hangs directly on its spine, so that one joint makes the whole raise of the arm",
    severity: Severity::Info,
    run: clavicle,
    ranks_by_measure: true,
    repair: |_| {
        Repair::table(
            RepairTool::Joints,
            "It may be meant for a simple figure, and no joint is added to a skeleton here.",
        )
    },
    ..Rule::ROW
};

/// How the bones of both sides begin.
const SIDES: [&str; 2] = ["left", "right"];
/// A turn of the arm against the body that is large enough to measure by, degrees; where no clip has one the arm is turned by a right
/// angle.
const LARGE: f32 = 60.0;
/// Turned about an axis that is nearer to the bone than this, an arm is twisted and not raised: the cosine of 45°.
const ALONG: f32 = 0.707;

fn clavicle(subject: &Subject, out: &mut Vec<Finding>) {
    let Some(rig) = subject.model.rig() else { return };
    for side in SIDES {
        let Some((body, arm)) = hanging(subject, rig, side) else { continue };
        let joined = subject.surfaces().iter().find_map(|surface| {
            let seam = Seam::of(subject, surface, [body, arm])?;
            Some((surface, seam.volume(subject)))
        });
        let Some((surface, mut volume)) = joined else { continue };
        let large = largest_in_clips(subject, surface, [body, arm]);
        let measured = if volume.is_coarse {
            let (pose, when) = large.unwrap_or((FindingPose::Rest, String::new()));
            Some((None, pose, when))
        } else if let Some((pose, when)) = large {
            volume.kept(subject, &posed(subject, pose)).map(|kept| (Some(kept), pose, when))
        } else {
            worst_by_hand(subject, arm, rig.node(&format!("{side}LowerArm")), &mut volume)
        };
        let Some((kept, pose, when)) = measured else { continue };
        out.push(said(subject, [body, arm], (kept, pose, &when)));
    }
}

fn said(subject: &Subject, [body, arm]: [NodeId; 2], (kept, pose, when): (Option<f64>, FindingPose, &str)) -> Finding {
    let (volume, measure) = told(when, kept);
    let message = format!(
        "{} hangs on {} without a clavicle between, so that one joint makes the whole raise of the arm. {volume}",
        subject.name(arm),
        subject.name(body),
    );
    let fix = "Put a joint at the breastbone above the upper arm, which reaches to the shoulder and makes a third of the raise; \
               the example about shoulders shows what that keeps.";
    Finding { pose, ..finding(&CLAVICLE, CLAVICLE.severity, vec![body, arm], (message, fix), measure) }
}

/// Returns the joint of the body that carries an upper arm with no joint between, and the arm.
fn hanging(subject: &Subject, rig: &HumanoidRig, side: &str) -> Option<(NodeId, NodeId)> {
    let bone = |name: &str| rig.node(&format!("{side}{name}"));
    let arm = bone("UpperArm").filter(|_| bone("Shoulder").is_none())?;
    let parents = &subject.model.skeleton.parents;
    let mut above = std::iter::successors(parents[arm.index()], |node| parents[node.index()]);
    let body = above.find(|node| subject.model.is_joint(*node))?;
    // What the rig does not know may well be a clavicle.
    let is_middle =
        rig.knows(body) && rig.bone(body).is_none_or(|bone| SIDES.iter().all(|side| !bone.starts_with(side)));
    is_middle.then_some((body, arm))
}

/// Returns the moment of all clips in which the arm is turned farthest against the body, and its words; `None` where that is not far.
fn largest_in_clips(subject: &Subject, surface: &SkinSurface, joints: [NodeId; 2]) -> Option<(FindingPose, String)> {
    let binds = binds(subject, surface, joints)?;
    let mut largest = (LARGE, None);
    each_moment(subject, &mut |pose, clip, time_secs| {
        let turned = turn(pose, joints, binds).map_or(0.0, degrees);
        if turned > largest.0 {
            largest = (turned, Some((clip, time_secs)));
        }
    });
    let (turned, (clip, time_secs)) = (largest.0, largest.1?);
    let when = format!("At {}, where it is turned by {turned:.0}°,", subject.moment(clip, time_secs));
    Some((FindingPose::Clip { clip, time_secs }, when))
}

/// Turns the arm by right angles, but not about its bone, and returns where it keeps least of its volume.
fn worst_by_hand(
    subject: &Subject,
    arm: NodeId,
    elbow: Option<NodeId>,
    volume: &mut Volume,
) -> Option<(Option<f64>, FindingPose, String)> {
    let at = |node: NodeId| subject.rest[node.index()].translation;
    let bone = Vec3::from(at(elbow?) - at(arm)).try_normalize()?;
    let world = subject.rest[arm.index()];
    let mut worst: Option<(f64, FindingPose)> = None;
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        let across = world.transform_vector3(axis).try_normalize().is_some_and(|axis| axis.dot(bone).abs() < ALONG);
        for angle in [90_f32, -90.0].into_iter().filter(|_| across) {
            let pose = FindingPose::Turned { joint: arm, axis, angle: angle.to_radians() };
            let Some(kept) = volume.kept(subject, &posed(subject, pose)) else { continue };
            if worst.is_none_or(|(least, _)| kept < least) {
                worst = Some((kept, pose));
            }
        }
    }
    worst.map(|(kept, pose)| (Some(kept), pose, "Turned by a right angle,".to_owned()))
}
