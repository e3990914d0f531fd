//! Clips made in the window, of poses at moments. Each change is one step that can be undone.

use std::sync::Arc;

use glam::Vec3;
use skinscope_anim::pose::{Axis, Keys, Mirror, keyed_clip, resting_clip};
use skinscope_anim::{Layers, SampleScratch, sample};
use skinscope_base::words::counted;
use skinscope_inspect::symmetry;
use skinscope_model::{Clip, ClipChange, ClipId, ClipSource, LocalPose, Model, NodeId};

use crate::playback::clips;
use crate::{EditRules, Playback, PoseSource, Session};

/// Commands about clips that the file does not have, and their keys.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum KeyingCommand {
    /// Make the pose that is shown a key, at the frame that the timeline shows, of the clip that is shown; where that was not made of poses,
    /// the first key of a new clip.
    KeyPose,
    /// Take the key at the time that is shown out of the clip.
    RemoveKeyHere,
    /// Take the key at this time (seconds) out of the clip that is shown. With its last key the clip goes.
    RemoveKey(f32),
    /// Move the key at the first time to the second one, seconds. Nothing happens where another key is there.
    MoveKey(f32, f32),
    /// Add the mirror image of the clip that is shown, and show it: left and right exchanged, as the plane of the model and the pairs of
    /// its joints say; with an axis across that one.
    MirrorClip(Option<Axis>),
    /// Give an added clip this name, or one like it where another clip is called so.
    Rename(ClipId, String),
    /// Take an added clip out.
    RemoveClip(ClipId),
}

/// The name of a new clip.
const NAME: &str = "Poses";

/// Returns the poses of a keyed clip at its moments.
fn poses_of(model: &Model, clip: &Clip) -> Vec<(f32, LocalPose)> {
    let mut scratch = SampleScratch::default();
    let at = |secs: &f32| {
        let mut pose = model.skeleton.rest.clone();
        sample(model, clip, *secs, &mut scratch, &mut pose);
        (*secs, pose)
    };
    clip.times.iter().flatten().map(at).collect()
}

/// Returns the clip of these poses, with a key that moves nothing where all of them rest.
fn clip_of(model: &Model, name: &str, poses: &[(f32, LocalPose)]) -> Option<Clip> {
    keyed_clip(model, name, poses).or_else(|| resting_clip(model, name, poses))
}

/// Poses with their moments in seconds, earliest first.
type KeyedPoses = Vec<(f32, LocalPose)>;

/// A change of clips, and the clip that is shown then.
type WantedClips = (ClipChange, Option<ClipId>);

/// The keys of the clip that is shown.
#[derive(Clone, Copy, Debug)]
pub struct ClipKeys<'a> {
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) selected: Option<NodeId>,
    pub(crate) playback: &'a Playback,
}

impl<'a> ClipKeys<'a> {
    /// Returns the clip that is shown where it was made of poses, so that keys can be set in it.
    #[must_use]
    pub fn keyed_clip(self) -> Option<(ClipId, &'a Clip)> {
        let (model, id) = self.model.zip(self.playback.clip)?;
        let clip = model.clips.get(id.index()).filter(|clip| clip.source == ClipSource::Keyed);
        clip.map(|clip| (id, clip))
    }

    /// Returns the time of the key of that clip that is nearest to `secs`, if it is less than half a frame away.
    #[must_use]
    pub fn key_near(self, secs: f32) -> Option<f32> {
        let (_, clip) = self.keyed_clip()?;
        let near = clip.times.iter().flatten().copied().min_by(|a, b| (a - secs).abs().total_cmp(&(b - secs).abs()));
        near.filter(|key| (key - secs).abs() < 0.5 / self.playback.fps.max(1.0))
    }

    /// The index of a clip among the added ones.
    fn added_place(self, clip: ClipId) -> Option<usize> {
        let model = self.model.filter(|model| clip.index() < model.clips.len())?;
        clip.index().checked_sub(model.file_clips())
    }

    /// The poses of the keyed clip that is shown.
    fn shown_poses(self) -> Option<(ClipId, String, KeyedPoses)> {
        let (model, (id, clip)) = self.model.zip(self.keyed_clip())?;
        Some((id, clip.name.clone(), poses_of(model, clip)))
    }

    /// The change that makes a pose a key at the frame that is shown, with the clip that has it and the time of the key, seconds.
    fn with_key(self, pose: LocalPose) -> Option<(ClipChange, ClipId, f32)> {
        let model = self.model?;
        let near = self.key_near(self.playback.time_secs);
        let secs = near.unwrap_or_else(|| self.playback.frame_secs());
        let (at, removed, clip) = match self.shown_poses() {
            Some((id, name, mut poses)) => {
                poses.retain(|(other, _)| *other != secs);
                let index = poses.partition_point(|(other, _)| *other < secs);
                poses.insert(index, (secs, pose));
                (id.index() - model.file_clips(), 1, clip_of(model, &name, &poses))
            }
            None => {
                let name = model.free_clip_name(NAME, None);
                (model.added_clips().len(), 0, clip_of(model, &name, &[(secs, pose)]))
            }
        };
        let shown = ClipId::from_index(model.file_clips() + at);
        Some((ClipChange { at, removed, inserted: vec![clip?] }, shown, secs))
    }

    fn without_clip(self, clip: ClipId) -> Option<WantedClips> {
        let change = ClipChange { at: self.added_place(clip)?, removed: 1, ..ClipChange::default() };
        let shown = self.playback.clip.map(|shown| if shown >= clip { before(shown) } else { shown });
        Some((change, shown))
    }

    /// The change that takes the key at a time out of the clip that is shown, and with its last key the clip.
    fn without_key(self, secs: f32) -> Option<WantedClips> {
        let (key, (id, name, mut poses)) = self.key_near(secs).zip(self.shown_poses())?;
        poses.retain(|(other, _)| *other != key);
        if poses.is_empty() { self.without_clip(id) } else { self.with_keys(id, &name, &poses) }
    }

    fn with_moved_key(self, from: f32, to: f32) -> Option<WantedClips> {
        let to = if to.is_finite() { to.max(0.0) } else { return None };
        let (key, (id, name, mut poses)) = self.key_near(from).zip(self.shown_poses())?;
        if poses.iter().any(|(other, _)| *other == to) {
            return None;
        }
        poses.iter_mut().filter(|(other, _)| *other == key).for_each(|(secs, _)| *secs = to);
        poses.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.with_keys(id, &name, &poses)
    }

    fn with_keys(self, id: ClipId, name: &str, poses: &[(f32, LocalPose)]) -> Option<WantedClips> {
        let (model, at) = self.model.zip(self.added_place(id))?;
        let inserted = vec![clip_of(model, name, poses)?];
        Some((ClipChange { at, removed: 1, inserted }, Some(id)))
    }

    fn renamed(self, id: ClipId, name: &str) -> Option<WantedClips> {
        let (model, at) = self.model.zip(self.added_place(id))?;
        let (clip, name) = (&model.clips[id.index()], name.trim());
        if name.is_empty() || name == clip.name {
            return None;
        }
        let renamed = Clip { name: model.free_clip_name(name, Some(id)), ..clip.clone() };
        Some((ClipChange { at, removed: 1, inserted: vec![renamed] }, self.playback.clip))
    }
}

impl EditRules<'_> {
    /// Returns the mirror image of a clip of the open model, with what is to be said about it.
    fn mirrored(self, clip: ClipId, axis: Option<Axis>) -> Option<(Vec<Clip>, Vec<String>)> {
        let document = self.document?;
        let mirror = match axis {
            None => self.mirror().filter(|_| self.mirror_refusal().is_none())?.clone(),
            Some(axis) => {
                let bounds = document.rest_bounds();
                let middle = if bounds.is_empty() { Vec3::ZERO } else { bounds.center() };
                symmetry::of_poses(&document.model, Some(axis), middle).ok()?
            }
        };
        Some(mirrored_clips(&document.model, &mirror, &[clip]))
    }
}

/// Carries out a command of its family.
pub(crate) fn apply(session: &mut Session, command: &KeyingCommand) {
    let keys = session.clip_keys();
    let wanted = match *command {
        KeyingCommand::KeyPose => {
            session.update_pose();
            let key = session.clip_keys().with_key(session.pose().pose_to_key());
            let Some((change, shown, secs)) = key else { return };
            // The clip says now what was edited.
            let edits = session.edits().without_pose();
            if clips::change_clips(session, &change, Some(edits), Some(shown)) {
                // What was blended over the clip is in the key.
                session.playback.layers = Layers::default();
                session.playback.source = PoseSource::Clip;
                session.playback.playing = false;
                session.playback.time_secs = secs;
            }
            return;
        }
        KeyingCommand::MirrorClip(axis) => {
            let mirrored = session.playback.clip.and_then(|clip| session.edit_rules().mirrored(clip, axis));
            let Some(((inserted, lines), model)) = mirrored.zip(session.model()) else { return };
            let at = model.added_clips().len();
            let shown = ClipId::from_index(model.file_clips() + at);
            if clips::change_clips(session, &ClipChange { at, removed: 0, inserted }, None, Some(shown)) {
                session.warn(&lines);
                session.update_pose();
            }
            return;
        }
        KeyingCommand::RemoveKeyHere => keys.without_key(keys.playback.time_secs),
        KeyingCommand::RemoveKey(secs) => keys.without_key(secs),
        KeyingCommand::MoveKey(from, to) => keys.with_moved_key(from, to),
        KeyingCommand::Rename(clip, ref name) => keys.renamed(clip, name),
        KeyingCommand::RemoveClip(clip) => keys.without_clip(clip),
    };
    if let Some((change, shown)) = wanted {
        clips::change_clips(session, &change, None, shown);
    }
}

/// Returns the mirror images of clips of a model, under names that no clip of it has, with a line for each thing that is not as it may be
/// expected.
#[must_use]
pub fn mirrored_clips(model: &Model, mirror: &Mirror, wanted: &[ClipId]) -> (Vec<Clip>, Vec<String>) {
    let (mut clips, mut lines): (Vec<Clip>, Vec<String>) = (Vec::new(), Vec::new());
    let keys = Keys::of(model);
    for clip in wanted.iter().filter_map(|id| model.clips.get(id.index())) {
        let made = mirror.mirrored_clip(model, clip);
        let name = &clip.name;
        if !made.has_pairs {
            lines.push(format!(
                "No joint that the clip \"{name}\" moves has a partner on the other side: each is mirrored by itself."
            ));
        }
        if let Some((first, others)) = made.resampled.split_first() {
            let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            lines.push(format!(
                "The mirror image of \"{name}\" is sampled 30 times a second for \"{}\"{others}: the other side hangs or rests otherwise.",
                keys.key(*first)
            ));
        }
        if made.left_out > 0 {
            let what = counted(made.left_out, "channel", "channels");
            lines.push(format!("The mirror image of \"{name}\" lacks {what} of materials, lights and cameras."));
        }
        let free = |n: u32| if n == 1 { format!("{name} mirrored") } else { format!("{name} mirrored {n}") };
        let is_taken = |name: &String| model.clips.iter().chain(&clips).any(|clip| clip.name == *name);
        let name = (1..).map(free).find(|name| !is_taken(name)).unwrap_or_default();
        let source = if clip.source == ClipSource::Keyed { made.clip.source } else { ClipSource::Taken };
        clips.push(Clip { name, source, ..made.clip });
    }
    (clips, lines)
}

fn before(clip: ClipId) -> ClipId {
    ClipId::from_index(clip.index().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{ChannelValue, Document, EditCommand, PlaybackCommand};

    fn open() -> Session {
        let mut session = Session::default();
        session.open(Document::new(Arc::new(tube(Tube { joints: 4, ..Tube::default() })), Vec::new(), None));
        session.apply(PlaybackCommand::SetPose(PoseSource::Rest));
        session
    }

    fn turn(session: &mut Session, degrees: f32) {
        session.apply(EditCommand::Edit(NodeId(2), ChannelValue::Rotation(Vec3::X * degrees)));
        session.apply(EditCommand::EndEdit);
    }

    /// The turn of the node about X at a time, degrees.
    fn turned(session: &mut Session, secs: f32) -> f32 {
        session.apply(PlaybackCommand::Seek(secs));
        session.update_pose();
        let model = session.model().unwrap();
        let rest = model.skeleton.rest.transforms[2].rotation;
        let by: Quat = rest.inverse() * session.pose().local.transforms[2].rotation;
        2.0 * by.x.atan2(by.w).to_degrees()
    }

    fn times(session: &Session) -> Vec<f32> {
        session.clip_keys().keyed_clip().map_or_else(Vec::new, |(_, clip)| clip.times.concat())
    }

    #[test]
    fn poses_become_keys_that_are_moved_taken_out_undone_and_redone() {
        let mut session = open();
        // The first key rests, and is a key all the same.
        session.apply(KeyingCommand::KeyPose);
        assert_eq!((times(&session), session.unsaved().unsaved_clips()), (vec![0.0], 1));
        assert_eq!((session.playback().clip, session.playback().source), (Some(ClipId(1)), PoseSource::Clip));
        // The timeline of such a clip goes on after its last key.
        session.apply(PlaybackCommand::Seek(0.5));
        turn(&mut session, 40.0);
        session.apply(KeyingCommand::KeyPose);
        assert!(session.edits().is_empty() && times(&session) == [0.0, 0.5]);
        for (secs, want) in [(0.0, 0.0), (0.15, 12.0), (0.5, 40.0)] {
            let got = turned(&mut session, secs);
            assert!((got - want).abs() < 1e-3, "{secs} s: {got}");
        }
        // A key at the same time replaces the one before.
        turn(&mut session, 60.0);
        session.apply(KeyingCommand::KeyPose);
        assert!((turned(&mut session, 0.15) - 18.0).abs() < 1e-3);
        session.apply(KeyingCommand::MoveKey(0.5, 1.0));
        assert!((turned(&mut session, 0.3) - 18.0).abs() < 1e-3 && times(&session) == [0.0, 1.0]);
        session.apply(KeyingCommand::MoveKey(1.0, 0.0));
        assert_eq!(times(&session), [0.0, 1.0], "another key is there");
        session.apply(KeyingCommand::RemoveKey(0.0));
        assert_eq!(times(&session), [1.0]);
        for (steps, want) in [(1, vec![0.0, 1.0]), (1, vec![0.0, 0.5])] {
            (0..steps).for_each(|_| _ = session.apply(EditCommand::Undo));
            assert_eq!(times(&session), want);
        }
        // The step before that brings back the edit of the pose, too.
        session.apply(EditCommand::Undo);
        assert!(!session.edits().is_empty() && (turned(&mut session, 0.5) - 60.0).abs() < 1e-3);
        (0..8).for_each(|_| _ = session.apply(EditCommand::Undo));
        assert_eq!((session.unsaved().unsaved_clips(), session.playback().clip), (0, Some(ClipId(0))));
        (0..12).for_each(|_| _ = session.apply(EditCommand::Redo));
        assert_eq!(times(&session), [1.0]);
        session.apply(KeyingCommand::RemoveKey(1.0));
        assert_eq!(session.unsaved().unsaved_clips(), 0, "with its last key the clip goes");
    }

    #[test]
    fn a_key_lands_on_the_frame_that_the_timeline_shows() {
        let mut session = open();
        let mut at = |fps: f32, secs: f32| {
            session.apply(PlaybackCommand::SetFps(fps));
            session.apply(PlaybackCommand::Seek(secs));
            let frame = session.playback().frame_number();
            turn(&mut session, 10.0 * secs);
            session.apply(KeyingCommand::KeyPose);
            assert_eq!((session.playback().frame_number(), session.playback().time_secs), (frame, frame as f32 / fps));
            times(&session)
        };
        assert_eq!(at(30.0, 0.41), [12.0 / 30.0]);
        assert_eq!(at(30.0, 0.72), [12.0 / 30.0, 22.0 / 30.0]);
        assert_eq!(at(24.0, 1.0 / 48.0 - 0.001), [0.0, 12.0 / 30.0, 22.0 / 30.0]);
        // A key that is nearer than half a frame takes the place, wherever it is.
        let mut moved = open();
        moved.apply(KeyingCommand::KeyPose);
        moved.apply(KeyingCommand::MoveKey(0.0, 0.507));
        moved.apply(PlaybackCommand::Seek(0.5));
        moved.apply(KeyingCommand::KeyPose);
        assert_eq!(times(&moved), [0.507]);
    }

    #[test]
    fn the_nearest_frame_is_within_the_timeline_and_its_end_counts() {
        let session = open();
        let model = session.model().unwrap();
        let playback = Playback { clip: Some(ClipId(0)), fps: 24.0, ..Playback::default() };
        assert_eq!(playback.timeline_secs(model), 1.0);
        for (secs, frame) in [(0.0, 0.0), (0.02, 0.0), (0.022, 1.0), (0.5, 12.0), (0.99, 24.0), (7.0, 24.0)] {
            assert_eq!(playback.nearest_frame_secs(secs, model), (frame / 24.0_f64) as f32, "{secs}");
        }
        let coarse = Playback { fps: 0.7, ..playback };
        assert_eq!((coarse.nearest_frame_secs(0.4, model), coarse.nearest_frame_secs(0.6, model)), (0.0, 1.0));
    }

    #[test]
    fn added_clips_are_named_and_taken_out_and_those_of_the_file_are_not() {
        let mut session = open();
        session.apply(KeyingCommand::KeyPose);
        session.apply(PlaybackCommand::SetClip(ClipId(0)));
        session.apply(KeyingCommand::KeyPose);
        let names =
            |session: &Session| session.model().unwrap().clips.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&session), ["Bend", "Poses", "Poses 2"]);
        session.apply(KeyingCommand::Rename(ClipId(1), " Bend ".into()));
        session.apply(KeyingCommand::Rename(ClipId(0), "Other".into()));
        session.apply(KeyingCommand::Rename(ClipId(2), "  ".into()));
        session.apply(KeyingCommand::RemoveClip(ClipId(0)));
        session.apply(KeyingCommand::RemoveClip(ClipId(9)));
        assert_eq!(names(&session), ["Bend", "Bend 2", "Poses 2"]);
        assert_eq!(session.playback().clip, Some(ClipId(2)));
        session.apply(KeyingCommand::RemoveClip(ClipId(1)));
        assert_eq!(
            (names(&session), session.playback().clip),
            (vec!["Bend".into(), "Poses 2".into()], Some(ClipId(1)))
        );
        // Keys are for clips that were made of poses.
        session.apply(PlaybackCommand::SetClip(ClipId(0)));
        session.apply(KeyingCommand::RemoveKey(0.0));
        assert_eq!(names(&session).len(), 2);
    }

    #[test]
    fn what_is_laid_over_a_clip_is_undone_follows_its_clip_and_goes_into_keys() {
        use skinscope_anim::{Additive, Crossfade};
        let mut session = open();
        session.apply(KeyingCommand::KeyPose);
        session.apply(KeyingCommand::Rename(ClipId(1), "Still".into()));
        session.apply(PlaybackCommand::SetClip(ClipId(0)));
        session.apply(KeyingCommand::KeyPose);
        session.apply(PlaybackCommand::SetClip(ClipId(0)));
        session.apply(PlaybackCommand::Seek(0.3));
        let layers = |weight| Layers {
            fade: Some(Crossfade { clip: ClipId(2), weight, rise: None }),
            add: Some(Additive { clip: ClipId(0), weight }),
        };
        // A drag is one step.
        for weight in [0.1, 0.2, 0.3] {
            session.apply(PlaybackCommand::SetLayers(layers(weight)));
        }
        session.apply(EditCommand::EndEdit);
        session.apply(PlaybackCommand::SetLayers(layers(0.8)));
        session.apply(EditCommand::Undo);
        assert_eq!(session.playback().layers, layers(0.3));
        session.apply(EditCommand::Undo);
        assert!(session.playback().layers.is_empty());
        (0..2).for_each(|_| _ = session.apply(EditCommand::Redo));
        assert_eq!(session.playback().layers, layers(0.8));
        // A layer stays with its clip, whose number changes, and goes with it.
        session.apply(KeyingCommand::RemoveClip(ClipId(1)));
        assert_eq!(session.playback().layers.fade.map(|fade| fade.clip), Some(ClipId(1)));
        session.apply(KeyingCommand::RemoveClip(ClipId(1)));
        assert_eq!(session.playback().layers, Layers { fade: None, ..layers(0.8) });
        session.apply(EditCommand::Undo);
        assert_eq!(session.playback().layers.fade.map(|fade| fade.clip), Some(ClipId(1)));
        session.update_pose();
        let shown = session.pose().local.clone();
        session.apply(KeyingCommand::KeyPose);
        session.update_pose();
        assert!(session.playback().layers.is_empty());
        let apart = |(a, b): (&skinscope_base::math::Transform, &skinscope_base::math::Transform)| {
            a.rotation.angle_between(b.rotation)
        };
        let far = shown.transforms.iter().zip(&session.pose().local.transforms).map(apart).fold(0.0, f32::max);
        assert!(far < 1e-3, "{far}");
        session.apply(EditCommand::Undo);
        assert_eq!(session.playback().layers.add, layers(0.8).add);
    }
}
