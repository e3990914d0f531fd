//! Crowds: many copies of one model in a square, each at a phase of its own. This file decides how many there may be
//! and where they stand, and poses them. The first member is the model itself: it stands where the file has it, and
//! everything that asks about the pose means it.

use glam::{Affine3A, Vec3, Vec3A};
use skinscope_anim::{self as anim, SampleScratch};
use skinscope_base::math::Aabb;
use skinscope_base::parallel;
use skinscope_deform as deform;
use skinscope_inspect as inspect;
use skinscope_model::{AlphaMode, Clip, LocalPose, Model, Primitive};

use crate::pose::over::{Over, OverScratch};
use crate::{Extents, Playback, Playing, Pose, PoseSource, Session, View};

/// The most members of any crowd.
pub const MOST_MEMBERS: u32 = 10_000;
/// The most matrices, nodes, morph weights and draw calls of all members together: each picture computes them anew.
const MOST_PARTS: usize = 4 << 20;
/// The most vertices of all members together: more keep a graphics driver busy for longer than it waits.
const MOST_VERTICES: usize = 512 << 20;

/// The positions of a crowd's members: in rows, from the first one back, each row from its middle outwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formation {
    /// How many members there are, with the first.
    pub members: usize,
    /// The distance from one member to the next, metres.
    pub spacing: f32,
    /// The direction in which all of them face: ±Z.
    pub front: Vec3,
}

impl Default for Formation {
    fn default() -> Self {
        Self { members: 1, spacing: 1.0, front: Vec3::Z }
    }
}

impl Formation {
    /// Returns how many members a row has.
    #[must_use]
    pub fn columns(self) -> usize {
        let root = self.members.isqrt();
        (if root * root < self.members { root + 1 } else { root }).max(1)
    }

    /// Returns the position of member `i`, seen from the first one.
    #[must_use]
    pub fn offset(self, i: usize) -> Vec3 {
        let (row, index) = (i / self.columns(), i % self.columns());
        let steps = index.div_ceil(2) as f32;
        let x = if index % 2 == 1 { steps } else { -steps };
        Vec3::new(x, 0.0, -(row as f32) * self.front.z) * self.spacing
    }

    /// Returns a box around all members, each as large as `first`.
    #[must_use]
    pub fn bounds(self, first: Aabb) -> Aabb {
        if first.is_empty() {
            return first;
        }
        let columns = self.columns();
        // These are the ends of the first row, and a position in the last one.
        let ends = [0, columns - 1, columns.saturating_sub(2), self.members - 1].map(|i| self.offset(i));
        let mut out = first;
        for at in ends {
            out.include(first.min + at);
            out.include(first.max + at);
        }
        out
    }
}

/// The poses of all members but the first, one after the other; each is as long as the first's.
#[derive(Clone, Debug, Default)]
pub struct CrowdPose {
    /// The palettes, arranged by [`Model::palette_layout`]; the position of each member is part of them.
    pub palettes: Vec<Affine3A>,
    /// The morph weights, by [`skinscope_model::Instance::morph_offset`].
    pub morph_weights: Vec<f32>,
    /// Reusable memory, one for each thread.
    scratch: Vec<MemberScratch>,
}

/// Memory in which one thread poses a member.
#[derive(Clone, Debug, Default)]
struct MemberScratch {
    local: LocalPose,
    model: Vec<Affine3A>,
    palette: Vec<Affine3A>,
    sample: SampleScratch,
    over: OverScratch,
}

/// The data that all members of a crowd have in common.
pub(crate) struct CrowdContext<'a> {
    pub playback: &'a Playback,
    pub formation: Formation,
    /// What is blended over the clip.
    pub over: Over<'a>,
}

/// Some consecutive members, and where their poses go.
struct MemberRange<'a> {
    /// The number of the first one.
    from: usize,
    palettes: &'a mut [Affine3A],
    morph_weights: &'a mut [f32],
}

impl CrowdContext<'_> {
    /// How many nodes one thread poses in about a millisecond.
    const MANY: usize = 16_384;

    /// Poses all members but the first, whose palette and morph weights are given. Allocates nothing after the first
    /// call, except what the queue of a pool of threads takes now and then.
    pub fn pose(&self, first: &[Affine3A], first_weights: &[f32], out: &mut CrowdPose) {
        let others = if first.is_empty() { 0 } else { self.formation.members - 1 };
        let CrowdPose { palettes, morph_weights, scratch } = out;
        palettes.resize(others * first.len(), Affine3A::IDENTITY);
        morph_weights.resize(others * first_weights.len(), 0.0);
        if others == 0 {
            return;
        }
        let clip = self.playback.clip.filter(|_| self.playback.source == PoseSource::Clip);
        let Some(clip) = clip.map(|c| &self.over.model.clips[c.index()]) else {
            for (i, palette) in palettes.chunks_exact_mut(first.len()).enumerate() {
                self.stand(i + 1, first, palette);
            }
            for weights in morph_weights.chunks_exact_mut(first_weights.len().max(1)) {
                weights.copy_from_slice(first_weights);
            }
            return;
        };
        let pays = others * self.over.model.skeleton.len() > Self::MANY;
        if scratch.is_empty() || pays && scratch.len() == 1 {
            let threads = if pays { std::thread::available_parallelism().map_or(1, usize::from) } else { 1 };
            scratch.resize(threads, MemberScratch::default());
        }
        let threads = if pays { scratch.len() } else { 1 };
        self.share(clip, MemberRange { from: 1, palettes, morph_weights }, &mut scratch[..threads]);
    }

    /// Shares the work among as many threads as there is scratch memory.
    fn share(&self, clip: &Clip, range: MemberRange<'_>, scratch: &mut [MemberScratch]) {
        let (joints, weights) =
            (self.over.model.palette_layout().len as usize, self.over.model.skeleton.rest.morph_weights.len());
        let MemberRange { from, palettes, morph_weights } = range;
        let members = palettes.len() / joints;
        if scratch.len() > 1 && members > 1 {
            let half = members / 2;
            let (scratch, other_scratch) = scratch.split_at_mut(scratch.len() / 2);
            let (palettes, other_palettes) = palettes.split_at_mut(half * joints);
            let (morph_weights, other_weights) = morph_weights.split_at_mut(half * weights);
            let other = MemberRange { from: from + half, palettes: other_palettes, morph_weights: other_weights };
            return parallel::both(
                || self.share(clip, MemberRange { from, palettes, morph_weights }, scratch),
                || self.share(clip, other, other_scratch),
            );
        }
        let [scratch, ..] = scratch else { return };
        for (i, palette) in palettes.chunks_exact_mut(joints).enumerate() {
            self.pose_member(clip, from + i, scratch);
            self.stand(from + i, &scratch.palette, palette);
            morph_weights[i * weights..][..weights].copy_from_slice(&scratch.local.morph_weights);
        }
    }

    /// Writes a palette, moved to where member `i` stands.
    fn stand(&self, i: usize, palette: &[Affine3A], out: &mut [Affine3A]) {
        let offset = Vec3A::from(self.formation.offset(i));
        for (out, m) in out.iter_mut().zip(palette) {
            *out = Affine3A { translation: m.translation + offset, ..*m };
        }
    }

    fn pose_member(&self, clip: &Clip, i: usize, scratch: &mut MemberScratch) {
        let MemberScratch { local, model, palette, sample, over } = scratch;
        let of = self.over.model;
        let time_secs = self.playback.time_at(phase(i), clip.duration_secs());
        let edit = |pose: &mut LocalPose| self.over.lay(time_secs, over, pose);
        anim::evaluate(of, &of.skeleton.rest, Some((clip, time_secs)), edit, sample, local, model);
        deform::palettes(of, model, palette);
    }
}

/// Returns by which share of the clip member `i` is ahead of the first, 0…1. It steps by the golden ratio, so that any
/// number of members spreads evenly and neighbours differ well.
#[must_use]
pub fn phase(i: usize) -> f64 {
    (i as f64 * 0.618_033_988_749_894_9).fract()
}

/// Returns how many members a crowd of `model` may have.
#[must_use]
pub fn most_members(model: &Model) -> u32 {
    // Transparent materials are drawn member by member.
    const DRAW_CALL: usize = 32;
    let primitives = || model.instances.iter().flat_map(|i| &model.meshes[i.mesh.index()].primitives);
    let shows = |p: &&Primitive| {
        let material = p.material.map(|m| &model.materials[m.index()]);
        material.is_some_and(|m| m.alpha == AlphaMode::Blend || m.transmission.is_some())
    };
    let parts = model.palette_layout().len as usize
        + model.skeleton.len()
        + model.skeleton.rest.morph_weights.len()
        + DRAW_CALL * primitives().filter(shows).count();
    let of_mesh = |p: &Primitive| p.vertex_count().max(p.indices.len());
    let mesh = |i: &skinscope_model::Instance| {
        model.meshes[i.mesh.index()].primitives.iter().map(of_mesh).sum::<usize>() * i.copy_count()
    };
    let vertices: usize = model.instances.iter().map(mesh).sum();
    let most = (MOST_PARTS / parts.max(1)).min(MOST_VERTICES / vertices.max(1));
    u32::try_from(most).unwrap_or(MOST_MEMBERS).clamp(1, MOST_MEMBERS)
}

/// Poses as many members as are asked for, each at its position.
pub(crate) fn show_crowd(session: &mut Session) {
    let before = session.pose().formation;
    session.playing().arrange_crowd();
    if session.pose().formation != before {
        session.update_pose();
    }
}

impl Extents<'_> {
    /// Says why the crowd that is asked for is not shown, for people to read.
    #[must_use]
    pub fn crowd_refusal(self) -> Option<String> {
        let most = most_members(self.model?);
        let asked = self.view.crowd;
        (asked > most).then(|| {
            format!("A crowd of {asked} is too large for this model: at most {most} of it can be shown at once")
        })
    }

    /// Returns the box around everything that is shown as posed now; the other members of a crowd may reach a little
    /// further. An example has a box of its own, which stays while its sliders move.
    #[must_use]
    pub fn posed_bounds(self) -> Aabb {
        if let Some(stage) = self.stage {
            return stage;
        }
        let first = self.bounds();
        match self.pose.formation.members {
            1 => first,
            _ => self.pose.formation.bounds(first.union(self.pose.opened_bounds)),
        }
    }

    /// Returns the box of [`crate::Extents::posed_bounds`] together with vertices that lie far outside of the model.
    #[must_use]
    pub fn whole_bounds(self) -> Aabb {
        self.posed_bounds().union(self.surfaces.extent().all)
    }
}

impl Playing<'_> {
    /// Counts the members and measures how far apart they have to be.
    pub(crate) fn arrange_crowd(&mut self) {
        self.pose.formation = Formation::default();
        let Some(model) = self.document.map(|document| &document.model) else { return };
        let members = self.view.crowd.max(1);
        if members > 1 && members <= most_members(model) {
            let room = swept_bounds(model, self.view, self.playback, self.pose.opened_bounds).size();
            // They stand a quarter more apart than the widest pose takes; members without width by their height.
            let spacing = 1.25 * room.x.max(room.z).max(0.25 * room.y);
            let spacing = if spacing > 0.0 && spacing.is_finite() { spacing } else { 1.0 };
            self.pose.formation = Formation { members: members as usize, spacing, front: model.front() };
        }
    }
}

impl Pose {
    /// Returns the box around everything that is shown, in the pose that the model was opened in.
    #[must_use]
    pub fn shown_bounds(&self) -> Aabb {
        self.formation.bounds(self.opened_bounds)
    }
}

/// Returns the box of the opened pose, grown by as much as the skeleton leaves its own one while the clip plays.
fn swept_bounds(model: &Model, view: &View, playback: &Playback, opened_bounds: Aabb) -> Aabb {
    const TIMES: u32 = 16;
    let Some(clip) = playback.clip.map(|c| &model.clips[c.index()]) else { return opened_bounds };
    let mut scratch = MemberScratch::default();
    let mut skeleton = |clip: &Clip, time_secs: f32| {
        let MemberScratch { local, model: matrices, sample, .. } = &mut scratch;
        anim::evaluate_clip(model, clip, time_secs, sample, local, matrices);
        let bones = inspect::bones(model, view.scene, matrices, inspect::BoneChoice::to_measure());
        let ends: Vec<Vec3> = bones.into_iter().flat_map(|bone| [bone.head, bone.tail]).collect();
        Aabb::around_mass(&ends)
    };
    let opened = skeleton(&model.clips[0], 0.0);
    if opened.is_empty() || opened_bounds.is_empty() {
        return opened_bounds;
    }
    let (below, above) = (opened.min - opened_bounds.min, opened_bounds.max - opened.max);
    let at = |i: u32| clip.duration_secs() * i as f32 / TIMES as f32;
    let swept = (0..=TIMES).map(|i| skeleton(clip, at(i))).filter(|b| !b.is_empty());
    let grown = |b: Aabb| Aabb { min: b.min - below, max: b.max + above };
    swept.fold(opened_bounds, |sum, b| sum.union(grown(b)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use skinscope_model::test_shapes::{Tube, obstacle_course, tube};

    use super::*;
    use crate::{ChannelValue, Command, Document, EditCommand, PlaybackCommand, Toggle, ViewCommand};

    fn open(model: Model) -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(model), Vec::new(), None));
        session
    }

    #[test]
    fn a_formation_is_a_square_behind_its_first_member_and_nobody_stands_close() {
        for members in [1, 2, 3, 4, 5, 10, 99, 100, 101] {
            let formation = Formation { members, spacing: 2.0, ..Formation::default() };
            let columns = formation.columns();
            assert!(columns * columns >= members && (columns - 1) * (columns - 1) < members, "{members}: {columns}");
            let positions: Vec<Vec3> = (0..members).map(|i| formation.offset(i)).collect();
            assert_eq!(positions[0], Vec3::ZERO);
            for (i, a) in positions.iter().enumerate() {
                assert!(a.y == 0.0 && a.z <= 0.0);
                let turned = Formation { front: Vec3::NEG_Z, ..formation }.offset(i);
                assert!(turned.z >= 0.0 && turned.z == -a.z && turned.x == a.x);
                assert!(positions[..i].iter().all(|b| a.distance(*b) >= 2.0), "{members}: {i}");
            }
            // The crowd is as wide as deep, but for what is missing in the last row.
            let all = formation.bounds(Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
            assert_eq!(all, Aabb::from_points(positions), "{members}");
            assert!((all.size().x - 2.0 * (columns as f32 - 1.0)).abs() < 1e-6 && all.size().z <= all.size().x);
        }
    }

    /// A clip that carries the model along needs room for all of its way.
    #[test]
    fn members_never_touch_while_the_clip_plays() {
        for model in [tube(Tube { joints: 6, ..Tube::default() }), obstacle_course()] {
            let mut session = open(model);
            session.apply(ViewCommand::SetCrowd(4));
            let (joints, weights) = (session.pose.palettes.len(), session.pose.local.morph_weights.len());
            let model = Arc::clone(session.model().unwrap());
            for step in 0..20 {
                session.apply(PlaybackCommand::Seek(0.09 * step as f32));
                session.update_pose();
                let crowd = &session.pose.crowd;
                let mut boxes = vec![session.extents().bounds()];
                for i in 0..3 {
                    let palette = &crowd.palettes[i * joints..][..joints];
                    let morphs = &crowd.morph_weights[i * weights..][..weights];
                    boxes.push(deform::bounds(&model, &session.pose.draws, palette, morphs, session.view.method));
                }
                for (i, a) in boxes.iter().enumerate() {
                    let touches = |b: &Aabb| a.min.cmple(b.max).all() && b.min.cmple(a.max).all();
                    assert!(!boxes[..i].iter().any(touches), "{step}: {boxes:?}");
                }
            }
        }
    }

    /// Members are posed alike on one thread or on as many as there are.
    #[test]
    fn many_members_are_posed_as_few_are() {
        let model = || tube(Tube { joints: 40, rings: 40, ..Tube::default() });
        let (mut few, mut many) = (open(model()), open(model()));
        few.apply(ViewCommand::SetCrowd(400));
        many.apply(ViewCommand::SetCrowd(500));
        const { assert!(499 * 41 > CrowdContext::MANY && 399 * 41 < CrowdContext::MANY) };
        let joints = few.pose.palettes.len();
        let matrices = |session: &Session| -> Vec<glam::Mat3A> {
            session.pose.crowd.palettes[..399 * joints].iter().map(|m| m.matrix3).collect()
        };
        for time in [0.2, 0.7] {
            for session in [&mut few, &mut many] {
                session.apply(PlaybackCommand::Seek(time));
                session.update_pose();
            }
            assert_eq!(matrices(&few), matrices(&many));
        }
    }

    #[test]
    fn edits_pose_all_members_and_without_a_clip_all_stand_alike() {
        let mut session = open(tube(Tube { joints: 4, ..Tube::default() }));
        session.apply(ViewCommand::SetCrowd(3));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session.apply(EditCommand::Edit(skinscope_model::NodeId(2), ChannelValue::Rotation(Vec3::X * 40.0)));
        session.update_pose();
        let (first, others) = (&session.pose.palettes, &session.pose.crowd.palettes);
        assert!(first[3].matrix3.y_axis.z > 0.5, "the edit is there: {}", first[3]);
        for (i, member) in others.chunks(first.len()).enumerate() {
            let moved = Affine3A::from_translation(session.pose().formation.offset(i + 1));
            assert!(member.iter().zip(first).all(|(got, want)| got.abs_diff_eq(moved * *want, 1e-6)));
        }
        assert_eq!(others.len(), 2 * first.len());
    }

    #[test]
    fn edits_pose_members_in_the_midst_of_a_clip_too() {
        let model = || tube(Tube { joints: 4, ..Tube::default() });
        let (mut crowd, mut alone) = (open(model()), open(model()));
        crowd.apply(ViewCommand::SetCrowd(3));
        for session in [&mut crowd, &mut alone] {
            session.apply(EditCommand::Edit(skinscope_model::NodeId(2), ChannelValue::Rotation(Vec3::X * 40.0)));
            session.update_pose();
        }
        let duration = alone.model().unwrap().clips[0].duration_secs();
        let others = crowd.pose.crowd.palettes.chunks(crowd.pose.palettes.len());
        for (i, member) in (1..).zip(others) {
            alone.apply(PlaybackCommand::Seek(crowd.playback.time_at(phase(i), duration)));
            alone.update_pose();
            let moved = Affine3A::from_translation(crowd.pose().formation.offset(i));
            let wanted = alone.pose.palettes.iter().map(|m| moved * *m);
            assert!(member.iter().zip(wanted).all(|(got, want)| got.abs_diff_eq(want, 1e-6)), "{i}");
        }
    }

    #[test]
    fn the_whole_crowd_comes_into_view_and_the_model_alone_again() {
        let mut session = open(tube(Tube::default()));
        let alone = session.view.orbit;
        session.apply(ViewCommand::SetCrowd(100));
        session.update_pose();
        assert_eq!(session.pose().formation.members, 100);
        let all = session.extents().posed_bounds();
        let planes = session.view.planes(session.pose().shown_bounds());
        for i in 0..100 {
            let at = session.pose().formation.offset(i);
            assert!(all.min.cmple(at).all() && all.max.cmpge(at).all());
            let pixel = session.view.project(at).unwrap();
            assert!(pixel.cmpge(glam::Vec2::ZERO).all() && pixel.cmple(session.view.viewport).all(), "{i}: {pixel}");
            let depth = -session.view.world_from_view().inverse().transform_point3(at).z;
            assert!(planes.0 < depth && depth < planes.1);
        }
        session.apply(ViewCommand::SetCrowd(1));
        session.update_pose();
        assert!(session.pose().formation.members == 1 && session.pose.crowd.palettes.is_empty());
        assert_eq!(session.view.orbit, alone);
    }

    #[test]
    fn what_is_too_much_for_a_model_is_refused_in_words() {
        // With 4096 joints 2048 members have as many matrices and nodes as there may be, but not quite.
        let model = || tube(Tube { joints: 4096, rings: 4096, sides: 3, ..Tube::default() });
        let most = most_members(&model());
        assert!((400..513).contains(&most), "{most}");
        let mut session = open(model());
        session.apply(ViewCommand::SetCrowd(most));
        assert!(session.pose().formation.members == most as usize && session.extents().crowd_refusal().is_none());
        session.apply(ViewCommand::SetCrowd(most + 1));
        let why = session.extents().crowd_refusal().unwrap();
        assert!(session.pose().formation.members == 1 && why.contains(&format!("at most {most} of it")), "{why}");
        // The number stays asked for, and a smaller model has it.
        session.open(Document::new(Arc::new(tube(Tube::default())), Vec::new(), None));
        assert!(session.pose().formation.members == most as usize + 1 && session.extents().crowd_refusal().is_none());
    }

    #[test]
    fn a_pose_is_worked_out_again_only_where_something_changed() {
        let mut session = open(tube(Tube::default()));
        session.apply(ViewCommand::SetCrowd(2));
        // The test writes a mark that the next evaluation overwrites.
        let marked = |session: &mut Session, change: &dyn Fn(&mut Session)| {
            session.update_pose();
            session.pose.palettes[0].translation.x = 77.0;
            change(session);
            session.update_pose();
            session.pose.palettes[0].translation.x == 77.0
        };
        assert!(marked(&mut session, &|_| {}));
        assert!(marked(&mut session, &|s| s.view.orbit.yaw += 1.0));
        assert!(marked(&mut session, &|s| _ = s.apply(ViewCommand::Toggle(Toggle::Grid))));
        assert!(!marked(&mut session, &|s| _ = s.apply(PlaybackCommand::Seek(0.3))));
        assert!(!marked(&mut session, &|s| _ = s.apply(ViewCommand::SetCrowd(3))));
        let edit = Command::Edit(EditCommand::Edit(skinscope_model::NodeId(2), ChannelValue::Rotation(Vec3::X)));
        assert!(!marked(&mut session, &|s| _ = s.apply(edit.clone())));
        assert!(!marked(&mut session, &|s| _ = s.apply(EditCommand::Undo)));
        assert!(!marked(&mut session, &|s| _ = s.apply(PlaybackCommand::SetPose(PoseSource::Rest))));
    }
}
