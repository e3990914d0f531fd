//! Root motion: where a clip carries the whole skeleton. Taken out, the model plays in place.

use std::sync::{Arc, Weak};

use glam::{Affine3A, Vec3};
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_model::{Clip, ClipId, LocalPose, Model, NodeId, Path, Skeleton};

use crate::pose::pose_sources::PoseSources;
use crate::{Playback, Pose, PoseSource};

/// The node by which a clip carries the skeleton, and where that stands as the clip begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMotion {
    /// The uppermost node with joints below it (or a joint itself) whose translation the clip moves.
    pub node: NodeId,
    /// Its position in world space at the clip's first key, metres.
    pub start: Vec3,
}

/// The root motion of a clip, once it was looked for.
pub(crate) type CachedRoot = Option<(Weak<Model>, ClipId, Option<RootMotion>)>;

impl RootMotion {
    /// Finds the root motion of a clip; `None` where it moves no node that carries joints.
    #[must_use]
    pub fn of(model: &Model, clip: &Clip) -> Option<Self> {
        let skeleton = &model.skeleton;
        let carries =
            |node: &NodeId| (node.index()..skeleton.subtree_end(*node)).any(|i| model.is_joint(NodeId::from_index(i)));
        let moved = clip.channels.iter().filter(|c| c.path == Path::Translation).map(|c| c.node);
        let node = moved.filter(carries).min()?;
        let (mut scratch, mut local, mut world) = (SampleScratch::default(), LocalPose::default(), Vec::new());
        anim::evaluate_clip(model, clip, clip.start_secs, &mut scratch, &mut local, &mut world);
        Some(Self { node, start: world[node.index()].translation.into() })
    }

    /// Holds the node above the point where the clip begins: it keeps its height, and what it moves along the ground is taken
    /// out.
    pub(crate) fn hold(&self, skeleton: &Skeleton, pose: &mut LocalPose) {
        let mut above = Affine3A::IDENTITY;
        let mut parent = skeleton.parents[self.node.index()];
        while let Some(p) = parent {
            above = skeleton.local_matrix(p.index(), pose.transforms[p.index()]) * above;
            parent = skeleton.parents[p.index()];
        }
        let own = &mut pose.transforms[self.node.index()].translation;
        let at = above.transform_point3(*own);
        let fixed = above.inverse().transform_point3(Vec3::new(self.start.x, at.y, self.start.z));
        // Where a node above has no size, there is no way back.
        if fixed.is_finite() {
            *own = fixed;
        }
    }
}

impl Pose {
    /// Returns the root motion that is taken out of the pose that is shown.
    pub(crate) fn root_to_remove(&self, playback: &Playback) -> Option<RootMotion> {
        let wanted = playback.in_place && playback.source == PoseSource::Clip;
        self.root.as_ref().filter(|_| wanted).and_then(|(.., root)| *root)
    }

    /// Looks for the root motion of the clip where it is to be taken out, once for a clip.
    pub(crate) fn update_root(&mut self, from: PoseSources<'_>) {
        let model = from.shown;
        let Some(clip) = from.playback.clip.filter(|_| from.playback.in_place) else { return };
        let is_it =
            |of: &Weak<Model>, of_clip: ClipId| std::ptr::eq(of.as_ptr(), Arc::as_ptr(model)) && of_clip == clip;
        if !self.root.as_ref().is_some_and(|(of, of_clip, _)| is_it(of, *of_clip)) {
            let root = RootMotion::of(model, &model.clips[clip.index()]);
            self.root = Some((Arc::downgrade(model), clip, root));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use skinscope_model::test_shapes::{Tube, tube};
    use skinscope_model::{Channel, Interpolation, Sampler, Values};

    use super::*;
    use crate::Session;
    use crate::{Document, PlaybackCommand, ViewCommand};

    /// A tube that walks five metres along X and rises by one, below a root that is turned and larger.
    fn walking() -> Session {
        let mut parts = (*tube(Tube { joints: 3, ..Tube::default() })).clone();
        let root = &mut parts.skeleton.rest.transforms[0];
        (root.rotation, root.scale) = (Quat::from_rotation_y(0.7), Vec3::splat(2.0));
        let rest = parts.skeleton.rest.transforms[1].translation;
        let clip = &mut parts.clips[0];
        clip.samplers.push(Sampler {
            times: 0,
            interpolation: Interpolation::Linear,
            values: Values::Vec3(vec![rest, rest + Vec3::new(2.5, 0.5, 0.0), rest + Vec3::new(5.0, 1.0, 0.0)].into()),
        });
        let sampler = clip.samplers.len() - 1;
        clip.channels.push(Channel { node: NodeId(1), path: Path::Translation, sampler });
        let mut session = Session::default();
        session.open(Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), None));
        session.apply(PlaybackCommand::SetPlaying(false));
        session
    }

    fn positions(session: &mut Session, secs: f32) -> Vec<Vec3> {
        session.apply(PlaybackCommand::Seek(secs));
        session.update_pose();
        session.pose().model.iter().map(|m| Vec3::from(m.translation)).collect()
    }

    #[test]
    fn in_place_a_clip_stays_over_where_it_begins_and_moves_else_as_before() {
        let mut session = walking();
        let start = positions(&mut session, 0.0);
        for secs in [0.0, 0.3, 0.5, 1.0] {
            let free = positions(&mut session, secs);
            session.apply(PlaybackCommand::ToggleInPlace);
            let fixed = positions(&mut session, secs);
            session.apply(PlaybackCommand::ToggleInPlace);
            let off = free[1] - fixed[1];
            assert!(
                (off * Vec3::Y).length() < 1e-5
                    && (fixed[1] - start[1]).length() <= (free[1].y - start[1].y).abs() + 1e-4
            );
            assert!((fixed[1].x - start[1].x).abs() < 1e-4 && (fixed[1].z - start[1].z).abs() < 1e-4, "{fixed:?}");
            assert!(secs == 0.0 || off.length() > 1.0, "{off}");
            for (free, fixed) in free[2..].iter().zip(&fixed[2..]) {
                assert!((*free - *fixed - off).length() < 1e-4);
            }
        }
    }

    #[test]
    fn a_crowd_plays_in_place_too() {
        let mut session = walking();
        session.apply(ViewCommand::SetCrowd(4));
        let span = |session: &mut Session| {
            positions(session, 0.2);
            let at: Vec<f32> = session.pose().crowd.palettes.iter().map(|m| m.translation.y).collect();
            at.iter().copied().fold(f32::NEG_INFINITY, f32::max)
        };
        let free = span(&mut session);
        session.apply(PlaybackCommand::ToggleInPlace);
        let moved: Vec<Vec3> = session.pose().crowd.palettes.iter().map(|m| m.translation.into()).collect();
        let fixed = span(&mut session);
        let now: Vec<Vec3> = session.pose().crowd.palettes.iter().map(|m| m.translation.into()).collect();
        assert!((free - fixed).abs() < 1e-3, "the height stays: {free} {fixed}");
        assert!(moved.iter().zip(&now).any(|(a, b)| a.distance(*b) > 0.5));
    }
}
