//! The rule about joints that turn far in a clip while the weights pass to them over one row of vertices at the most: all of the bend, or
//! the twist, falls on a strip of skin that is narrow for the limb, which creases or collapses there.
//!
//! It speaks only where a skin goes around the bone and encloses a volume, so that armour in pieces, capes and hair are no limbs.

use std::collections::BTreeMap;

use glam::Affine3A;
use skinscope_base::math::length;
use skinscope_model::{ClipId, NodeId};

use super::joints::finding;
use super::limb::{Seam, binds, degrees, each_moment, kept_text, posed, turn};
use super::{Finding, FindingPose, Measure, Repair, Rule, Severity, SkinSurface, Subject};

/// The rule that finds wide turns over narrow blends.
pub(crate) static SHARP_BEND: Rule = Rule {
    id: "sharp-bend",
    label: "Wide turn over one row",
    help: "A clip turns a joint by more than 60°, and its weights pass over one row of vertices, narrow for the limb",
    severity: Severity::Info,
    run: sharp_bend,
    ranks_by_measure: true,
    repair: |_| {
        Repair::nearest("smooth", "Only somebody who sees the limb can say over how many rows its weights should pass.")
    },
    ..Rule::ROW
};

/// The turn from which on a joint is looked at, degrees: bone links are made for no more.
const LARGE: f32 = 60.0;

/// Two joints of a surface that turn against each other, and the moment in which they do so most.
struct Pair {
    joints: [NodeId; 2],
    binds: [Affine3A; 2],
    largest: f32,
    moment: Option<(ClipId, f32)>,
}

fn sharp_bend(subject: &Subject, out: &mut Vec<Finding>) {
    if subject.model.clips.is_empty() {
        return;
    }
    // A joint may bend several surfaces, such as a body and its clothes: the one that loses most counts.
    let mut found: BTreeMap<NodeId, Finding> = BTreeMap::new();
    let lost = |finding: &Finding| finding.measure.map_or(0.0, |measure| measure.value);
    let mut all: Vec<(&SkinSurface, Pair)> = Vec::new();
    for surface in subject.surfaces() {
        all.extend(pairs(subject, surface).into_iter().map(|pair| (surface, pair)));
    }
    each_moment(subject, &mut |pose, clip, time_secs| {
        for (_, pair) in &mut all {
            let turned = turn(pose, pair.joints, pair.binds).map_or(0.0, degrees);
            if turned > pair.largest {
                (pair.largest, pair.moment) = (turned, Some((clip, time_secs)));
            }
        }
    });
    for (surface, pair) in all {
        if subject.is_cancelled() {
            return;
        }
        let Some(new) = of_pair(subject, surface, &pair) else { continue };
        if found.get(&pair.joints[1]).is_none_or(|known| lost(known) < lost(&new)) {
            found.insert(pair.joints[1], new);
        }
    }
    out.extend(found.into_values());
}

/// Returns each joint of a surface with the next joint above it that moves some of the surface, too.
fn pairs(subject: &Subject, surface: &SkinSurface) -> Vec<Pair> {
    let parents = &subject.model.skeleton.parents;
    let moves = |node: &NodeId| surface.joints.binary_search_by_key(node, |(other, _)| *other).is_ok();
    let pair = |(joint, _): &(NodeId, Vec<(u32, f32)>)| {
        // Its links are between it and the joint above, and none of them turns far against the next.
        if subject.model.links.iter().any(|link| link.of == *joint) {
            return None;
        }
        let above = std::iter::successors(parents[joint.index()], |node| parents[node.index()]).find(moves)?;
        let joints = [above, *joint];
        Some(Pair { joints, binds: binds(subject, surface, joints)?, largest: LARGE, moment: None })
    };
    surface.joints.iter().filter_map(pair).collect()
}

fn of_pair(subject: &Subject, surface: &SkinSurface, pair: &Pair) -> Option<Finding> {
    let (clip, time_secs) = pair.moment?;
    let seam = Seam::of(subject, surface, pair.joints)?;
    if seam.rows > 1 || seam.width >= seam.radius || !seam.is_at_joint {
        return None;
    }
    let pose = FindingPose::Clip { clip, time_secs };
    let kept = seam.volume(subject).kept(subject, &posed(subject, pose))?;
    let [above, joint] = pair.joints.map(|joint| subject.name(joint));
    let rows = if seam.rows == 0 { "no row of vertices between" } else { "one row of vertices" };
    let message = format!(
        "{joint} turns by {:.0}° against {above} at {}, and the weights pass from one to the other over {rows}: {} along a limb that is {} \
         thick. All of the turn falls on that strip, which creases or is pinched; {}.",
        pair.largest,
        subject.moment(clip, time_secs),
        length(f64::from(seam.width)),
        length(f64::from(2.0 * seam.radius)),
        kept_text(kept),
    );
    let fix = "Let the weights pass over more rows of vertices, give the bend more rows, or put a joint between that turns half as far: a \
               link should turn by 60° at the most.";
    let measure = Measure { what: "lost volume", value: 100.0 * (1.0 - kept), unit: "%" };
    let joints = pair.joints.to_vec();
    Some(Finding { pose, ..finding(&SHARP_BEND, SHARP_BEND.severity, joints, (message, fix), Some(measure)) })
}
