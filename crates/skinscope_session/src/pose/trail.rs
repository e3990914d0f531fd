//! The motion trail: the path of the selected node over the clip that is shown, with the edits of the pose.

use std::sync::{Arc, Weak};

use glam::{DVec3, Vec3};
use skinscope_anim::{self as anim, Layers, SampleScratch};
use skinscope_model::{ClipId, LocalPose, Model, NodeId};

use crate::pose::over::{Over, OverScratch};
use crate::pose::pose_sources::PoseSources;
use crate::{Edits, Pose, PoseSource, RootMotion, Toggle};

/// How many moments of the clip are looked at beside the keys of the node, and the most keys.
const MOMENTS: usize = 240;
const MOST_KEYS: usize = 1000;

/// The path of a node in world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// The moments in seconds, rising.
    pub times: Vec<f32>,
    /// The position of the node at each moment, metres.
    pub points: Vec<Vec3>,
    /// Indices of the node's keys in these lists.
    pub keys: Vec<usize>,
}

/// What a trail depends on.
type TrailSource = (Weak<Model>, ClipId, NodeId, Arc<Edits>, Changes);

/// What else changes the pose of a clip: root motion that is taken out, and clips that are blended over it. Last comes the origin of the
/// pose that is shown, to which the trail is relative.
type Changes = (Option<RootMotion>, Layers, DVec3);

/// The trail that was computed last, and what it was computed from.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachedTrail {
    of: Option<TrailSource>,
    trail: Arc<Trail>,
}

impl Pose {
    /// Returns the path of the selected node; `None` where it is not shown, nothing is selected, or no clip is shown.
    #[must_use]
    pub(crate) fn trail(&self) -> Option<&Arc<Trail>> {
        self.trail.of.as_ref().map(|_| &self.trail.trail)
    }

    /// Computes the trail where it is shown, unless nothing has changed that it depends on.
    pub(crate) fn update_trail(&mut self, from: PoseSources<'_>) {
        let wanted = from.view.is_on(Toggle::Trail) && from.playback.source == PoseSource::Clip;
        let of = from.playback.clip.zip(from.view.selected).filter(|_| wanted);
        let Some((clip, node)) = of else {
            // Where there was none nothing is allocated.
            if self.trail.of.is_some() {
                self.trail = CachedTrail::default();
            }
            return;
        };
        let model = &from.document.model;
        // The root itself shows the way that is taken out.
        let changes =
            (self.root_to_remove(from.playback).filter(|root| root.node != node), from.playback.layers, self.shift);
        let is_same = self.trail.of.as_ref().is_some_and(|(of, its_clip, its_node, edits, its_changes)| {
            let same_model = std::ptr::eq(of.as_ptr(), Arc::as_ptr(model));
            same_model
                && *its_changes == changes
                && (*its_clip, *its_node) == (clip, node)
                && Arc::ptr_eq(edits, from.edits)
        });
        if !is_same {
            let trail = Arc::new({
                let driving = self.driving(from.playback, from.edits);
                let (root, layers, shift) = changes;
                // No shape moves a node.
                let (edits, rules, driving, shapes) = (from.edits, from.rules, driving.as_ref(), (&[][..], None));
                let over = Over { model, layers, root, edits, rules, driving, shapes };
                path(&over, clip, node, shift)
            });
            let of = Some((Arc::downgrade(model), clip, node, Arc::clone(from.edits), changes));
            self.trail = CachedTrail { of, trail };
        }
    }
}

/// Returns the way of a node, relative to the origin of a pose with that shift.
fn path(over: &Over<'_>, clip: ClipId, node: NodeId, shift: DVec3) -> Trail {
    let model = over.model;
    let clip = &model.clips[clip.index()];
    let (start, length) = (clip.start_secs.max(0.0), (clip.end_secs - clip.start_secs.max(0.0)).max(0.0));
    let mut times: Vec<f32> = (0..=MOMENTS).map(|i| start + length * i as f32 / MOMENTS as f32).collect();
    let keys = anim::key_times(clip, node);
    let keys = if keys.len() > MOST_KEYS { Vec::new() } else { keys };
    times.extend(keys.iter().filter(|secs| (start..=start + length).contains(secs)));
    times.sort_by(f32::total_cmp);
    times.dedup();
    let (mut scratch, mut local, mut world) = (SampleScratch::default(), LocalPose::default(), Vec::new());
    let mut over_scratch = OverScratch::default();
    let mut points = Vec::with_capacity(times.len());
    for secs in &times {
        let edit = |pose: &mut LocalPose| over.lay(*secs, &mut over_scratch, pose);
        anim::evaluate(model, &model.skeleton.rest, Some((clip, *secs)), edit, &mut scratch, &mut local, &mut world);
        let moved = anim::origin_shift(&model.skeleton, &local) - shift;
        points.push(Vec3::from(world[node.index()].translation) + moved.as_vec3());
    }
    let index = |secs: &f32| times.binary_search_by(|at| at.total_cmp(secs)).ok();
    let keys = keys.iter().filter_map(index).collect();
    Trail { times, points, keys }
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::Session;
    use crate::{ChannelValue, Document, EditCommand, PlaybackCommand, SelectionCommand, ViewCommand};

    #[test]
    fn the_trail_goes_where_the_joint_goes_and_follows_edits() {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 4, ..Tube::default() })), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session.apply(SelectionCommand::Select(Some(NodeId(4))));
        session.update_pose();
        assert!(session.pose().trail().is_none());
        session.apply(ViewCommand::Toggle(Toggle::Trail));
        for turned in [0.0, 40.0] {
            session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Rotation(Vec3::new(0.0, 0.0, turned))));
            session.apply(EditCommand::EndEdit);
            session.update_pose();
            let trail = Arc::clone(session.pose().trail().unwrap());
            assert_eq!((trail.points.len(), trail.keys.len()), (MOMENTS + 1, 3), "the keys are among the moments");
            for i in [0, 40, 120, trail.keys[1], MOMENTS] {
                session.apply(PlaybackCommand::Seek(trail.times[i]));
                session.update_pose();
                let at = Vec3::from(session.pose().model[4].translation);
                assert!(at.distance(trail.points[i]) < 1e-6, "{at} {}", trail.points[i]);
            }
            assert!(Arc::ptr_eq(&trail, session.pose().trail().unwrap()), "time changes nothing of it");
        }
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.update_pose();
        assert!(session.pose().trail().is_none());
    }
}
