//! The pose that is shown: computed from the rest of the session, and only where something has changed.

pub(crate) mod crowd;
pub(crate) mod onion;
pub(crate) mod over;
pub(crate) mod pose_sources;
pub(crate) mod trail;

pub use self::crowd::{CrowdPose, Formation, MOST_MEMBERS, most_members};
pub use self::onion::{Onion, OnionSkin};
pub use self::trail::Trail;

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use glam::{Affine3A, DVec3};
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_base::math::Aabb;
use skinscope_base::trace::{Part, measured};
use skinscope_deform as deform;
use skinscope_inspect as inspect;
use skinscope_model::{Change, InstanceId, LocalPose, Model, NodeId};

use crate::edits::controls::CachedProgram;
use crate::playback::root_motion::CachedRoot;
use crate::pose::crowd::CrowdContext;
use crate::pose::onion::CachedOnion;
use crate::pose::over::{Over, OverScratch};
use crate::pose::pose_sources::PoseSources;
use crate::pose::trail::CachedTrail;
use crate::surfaces::SurfaceCache;
use crate::view::{hiding, lighting};
use crate::{Bones, Edits, Extents, Playback, PoseSource, Session, Surfaces, comparison};

/// The pose as evaluated last; derived from the rest of the session by [`Session::update_pose`].
#[derive(Clone, Debug, Default)]
pub struct Pose {
    /// The local pose, with edits.
    pub local: LocalPose,
    /// The matrix `model_from_node` of each node.
    pub model: Vec<Affine3A>,
    /// How far the origin of these matrices is from that of the rest pose, metres ([`anim::origin_shift`]).
    pub shift: DVec3,
    /// The skinning matrices, arranged by [`Model::palette_layout`].
    pub palettes: Vec<Affine3A>,
    /// The properties that the clip changes beside poses.
    pub changes: Vec<Change>,
    /// The instances of the shown scene that are drawn, in node order.
    pub draws: Vec<InstanceId>,
    /// The other members of a crowd.
    pub crowd: CrowdPose,
    /// The bones of the shown scene, where they are shown.
    pub bones: Vec<inspect::BoneSegment>,
    pub(super) bone_scratch: inspect::BoneScratch,
    /// For each node: whether its bone is shown.
    pub(super) with_bone: Vec<bool>,
    /// The surfaces that were deformed for this pose.
    pub(super) surfaces: SurfaceCache,
    scratch: SampleScratch,
    pub(super) over: OverScratch,
    /// The local pose before controls act; it is of no use where none does.
    pub(super) below: LocalPose,
    pub(super) is_driven: bool,
    pub(super) hidden: Vec<bool>,
    /// For each node: whether the user hides it, or one above it. Empty where nothing is hidden.
    pub(super) unseen: Vec<bool>,
    /// Counts the poses that were evaluated.
    pub(super) revision: u64,
    /// The inputs that the pose was computed from.
    made_of: Option<PoseInputs>,
    /// The model's box in the pose that it was opened in (world, metres), which tells its size and does not change while the pose moves.
    pub opened_bounds: Aabb,
    /// The positions of a crowd's members; one position where there is no crowd.
    pub formation: Formation,
    /// The factor of the file's lights, so that the picture is not too bright; measured where the model was opened.
    pub exposure: f32,
    pub(super) trail: CachedTrail,
    pub(super) onion: CachedOnion,
    pub(super) root: CachedRoot,
    pub(super) program: CachedProgram,
}

/// Everything that a pose depends on.
#[derive(Clone, Debug)]
struct PoseInputs {
    model: Weak<Model>,
    edits: Arc<Edits>,
    playback: Playback,
    scene: usize,
    formation: Formation,
    hidden: Arc<BTreeSet<NodeId>>,
    bones: hiding::BoneKey,
    opened_bounds: Aabb,
}

impl PoseInputs {
    fn is_still(&self, pose: &Pose, from: PoseSources<'_>) -> bool {
        std::ptr::eq(self.model.as_ptr(), Arc::as_ptr(from.shown))
            && Arc::ptr_eq(&self.edits, from.edits)
            && self.playback == *from.playback
            && self.scene == from.view.scene
            && self.formation == pose.formation
            && Arc::ptr_eq(&self.hidden, &from.view.hidden)
            && self.opened_bounds == pose.opened_bounds
    }
}

impl Pose {
    /// Computes the pose anew where something has changed that it depends on: samples the clip, applies edits, then controls, then forward
    /// kinematics, then palettes; the same for every member of a crowd. Allocates nothing after the first time.
    pub(super) fn update(&mut self, from: PoseSources<'_>) {
        self.update_root(from);
        self.update_program(from);
        let bones =
            Bones { document: Some(from.document), model: Some(&from.document.model), view: from.view, pose: &*self };
        let bones = bones.bone_key();
        if self.made_of.as_ref().is_some_and(|made_of| made_of.is_still(self, from)) {
            if let Some(made_of) = self.made_of.as_mut().filter(|made_of| made_of.bones != bones) {
                made_of.bones = bones;
                self.update_bones(from);
            }
        } else {
            self.made_of = Some(PoseInputs {
                model: Arc::downgrade(from.shown),
                edits: Arc::clone(from.edits),
                playback: from.playback.clone(),
                scene: from.view.scene,
                formation: self.formation,
                hidden: Arc::clone(&from.view.hidden),
                bones,
                opened_bounds: self.opened_bounds,
            });
            self.evaluate(from);
        }
        self.update_trail(from);
        self.update_onion(from);
    }

    fn evaluate(&mut self, from: PoseSources<'_>) {
        let (model, playback) = (from.shown, from.playback);
        let root = self.root_to_remove(playback);
        let driving = self.driving(from.playback, from.edits);
        let pose = &mut *self;
        pose.surfaces.forget();
        pose.revision += 1;
        let base = if playback.source == PoseSource::Bind { model.bind_pose() } else { &model.skeleton.rest };
        let clip = playback.clip.filter(|_| playback.source == PoseSource::Clip);
        let moment = clip.map(|clip| (&model.clips[clip.index()], playback.time_secs));
        pose.changes.clear();
        if let Some((clip, time_secs)) = moment {
            anim::sample_properties(clip, time_secs, &mut pose.scratch, &mut pose.changes);
        }
        let lesson = from.lesson.filter(|_| playback.source != PoseSource::Bind);
        let (layers, time_secs) = (playback.layers, playback.time_secs);
        let shapes = (from.shapes(), moment.map(|(clip, _)| clip));
        let over =
            Over { model, layers, root, edits: from.edits, rules: from.rules, driving: driving.as_ref(), shapes };
        pose.is_driven = driving.is_some();
        pose.over.drive.forget();
        let edit = |local: &mut LocalPose| {
            if moment.is_some() {
                over.lay_clips(time_secs, &mut pose.over, local);
            }
            if let Some(lesson) = lesson {
                lesson.pose(model, local);
            }
            over.lay_edits(local);
            if driving.is_some() {
                pose.below.transforms.clone_from(&local.transforms);
                pose.below.morph_weights.clone_from(&local.morph_weights);
                pose.below.wide.clone_from(&local.wide);
                over.drive(time_secs, &mut pose.over, local);
            }
            over.bring_in_shapes(&mut pose.over, local);
        };
        anim::evaluate(model, base, moment, edit, &mut pose.scratch, &mut pose.local, &mut pose.model);
        pose.shift = anim::origin_shift(&model.skeleton, &pose.local);
        measured(Part::Palette, || deform::palettes(model, &pose.model, &mut pose.palettes));
        anim::drawn(model, from.view.scene, &pose.changes, &mut pose.hidden, &mut pose.draws);
        hiding::hide(model, &from.view.hidden, &mut pose.unseen, &mut pose.draws);
        let crowd = CrowdContext { playback, formation: pose.formation, over };
        crowd.pose(&pose.palettes, &pose.local.morph_weights, &mut pose.crowd);
        self.update_bones(from);
    }

    /// Forgets what the pose was computed from, so that it is computed anew.
    pub(super) fn invalidate(&mut self) {
        self.made_of = None;
    }

    /// Forgets the surfaces of the pose, since it is deformed in another way.
    pub(super) fn forget_surfaces(&mut self) {
        self.surfaces.forget();
        self.revision += 1;
    }
}

impl Session {
    /// Computes the pose ([`Pose`]) and the camera that is looked through. Does nothing where no input has changed.
    pub fn update_pose(&mut self) {
        comparison::pack(self);
        let Some((from, pose)) = self.pose_and_sources() else { return };
        pose.update(from);
        let camera = from.view.through.as_ref();
        let through = camera.and_then(|camera| lighting::through(&from.document.model, pose, camera.index));
        self.view.through = through;
        self.update_beside();
    }
}

impl Surfaces<'_> {
    /// Returns the point in the file's world, metres, that is the origin of what is shown; zero but for poses far away.
    #[must_use]
    pub fn origin(self) -> DVec3 {
        self.deforming.shown_model().map_or(DVec3::ZERO, |model| model.skeleton.origin() + self.pose.shift)
    }

    /// Measures the extent of the posed scene, and finds vertices that lie far outside of it.
    #[must_use]
    pub fn extent(self) -> deform::Extent {
        let Some(input) = self.surface_input(self.view.choice()) else { return deform::Extent::default() };
        deform::extent_of(&input, self.surface_at_hand().as_deref())
    }
}

impl Extents<'_> {
    /// Returns the box around the posed scene: around deformed vertices but for those far outside, and around the
    /// skeleton where there is no mesh.
    #[must_use]
    pub fn bounds(self) -> Aabb {
        let mesh = self.surfaces.extent().mass;
        // A mesh that has collapsed to a point has no size to frame.
        if mesh.diagonal() > 1e-3 * self.bones.skeleton_reach() {
            return mesh;
        }
        let skeleton = self.bones.skeleton_bounds();
        if mesh.diagonal() <= 1e-3 * skeleton.diagonal() { mesh.union(skeleton) } else { mesh }
    }
}

impl Bones<'_> {
    /// Returns a length in metres that the diagonal of [`Self::skeleton_bounds`] does not exceed, without making bones.
    fn skeleton_reach(self) -> f32 {
        let joints = Aabb::from_points(self.pose.model.iter().map(|matrix| matrix.translation.into()));
        // Both ends of a bone are at joints, but for bones that no other joint ends, which are no longer than a stub.
        joints.diagonal() + 4.0 * self.bone_stub()
    }

    /// Returns the box around the bones of the shown scene, without a few far outside.
    #[must_use]
    pub fn skeleton_bounds(self) -> Aabb {
        let ends: Vec<glam::Vec3> = self.segments().iter().flat_map(|bone| [bone.head, bone.tail]).collect();
        Aabb::around_mass(&ends)
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::sessions::{built_in_session, tube_session};
    use crate::{Command, PlaybackCommand, ViewCommand};

    #[test]
    fn no_box_around_bones_is_longer_than_the_reach_of_the_skeleton() {
        for mut session in [built_in_session(), tube_session()] {
            let deforming: Command = ViewCommand::ToggleDeformingOnly.into();
            for command in
                [Command::from(PlaybackCommand::SetPlaying(false)), PlaybackCommand::Seek(0.4).into(), deforming]
            {
                session.apply(command);
                session.update_pose();
                let (bones, reach) = (session.bones().skeleton_bounds().diagonal(), session.bones().skeleton_reach());
                assert!(bones <= reach && reach < 2.0 * bones, "{bones} {reach}");
            }
        }
    }
}
