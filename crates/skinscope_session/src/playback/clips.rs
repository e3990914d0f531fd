//! Clips that the file of the open model does not have: taken from another file, or made of poses. Each change of them is one step
//! that can be undone, and a newer version of the file keeps them.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_anim::pose::{CarriedClips, Keys, NameMap, carry_clips, near_misses};
use skinscope_base::words::counted;
use skinscope_model::{self as model, Clip, ClipChange, ClipId, Family, Model, NodeId, Values};

use crate::files::session_file::{ClipRecord, WorkRecord};
use crate::{Edits, PlaybackCommand, Playing, PoseSource, Session, Skinning, Unsaved};

/// Clips of another file that the open model can play.
#[derive(Clone, Debug)]
pub struct TakenClips {
    /// The clips, as they move the open model.
    pub clips: Vec<Clip>,
    /// The name of the file that they come from.
    pub name: String,
    /// Names of nodes and morph targets that the clips move there and that have no counterpart here.
    pub unmatched: Vec<String>,
    /// Whether the clips were corrected for another rest pose.
    pub is_corrected: bool,
    /// Names of nodes of the open model with channels that were sampled, since their keys have no exact counterpart.
    pub resampled: Vec<String>,
    /// The nodes that the clips move, by their keys there, with those of their counterparts here.
    pub counterparts: Vec<(String, Option<String>)>,
    /// The families of names of both humanoids, there and here, where both models are one.
    pub families: Option<[Family; 2]>,
}

/// How many nodes of the other file are named where none has a counterpart.
const MOST_MISSES: usize = 3;

/// The most names that are listed.
const MOST_LINES: usize = 20;

impl TakenClips {
    /// Carries the clips of `other`, whose file is called `name`, over to `model`; `map` says which joints are which where their names do
    /// not.
    ///
    /// # Errors
    /// The other file has no clip, or none that moves anything here, or a name of the mapping is in neither file; the message says so.
    pub fn of(model: &Model, other: &Model, name: &str, map: &NameMap) -> Result<Self, String> {
        if other.clips.is_empty() {
            return Err(format!("{name} has no clips."));
        }
        let mapping = map.find(other, model).map_err(|error| format!("{name}: {error}"))?;
        let carried = carry_clips(other, model, &mapping);
        if carried.clips.is_empty() {
            let why = format!("None of the nodes that the clips of {name} move is in this model.");
            return Err(format!("{why}{}", nearest_of(&carried, model)));
        }
        let CarriedClips { clips, unmatched, is_corrected, resampled, counterparts } = carried;
        let families = other.rig().zip(model.rig()).map(|(there, here)| [there.family(), here.family()]);
        Ok(Self { clips, name: name.to_owned(), unmatched, is_corrected, resampled, counterparts, families })
    }

    /// Returns the clips under names that no clip of `model` has: one that is called as another one gets the name of the file too.
    #[must_use]
    pub(crate) fn named_for(&self, model: &Model) -> Vec<Clip> {
        self.named_beside(model.clips.iter())
    }

    fn named_beside<'c>(&self, others: impl Iterator<Item = &'c Clip>) -> Vec<Clip> {
        let mut taken: BTreeSet<String> = others.map(|clip| clip.name.clone()).collect();
        let mut out = self.clips.clone();
        for clip in &mut out {
            let with_file = |n: u32| match n {
                0 => clip.name.clone(),
                1 => format!("{} ({})", clip.name, self.name),
                n => format!("{} ({}) {n}", clip.name, self.name),
            };
            let free = (0..).map(with_file).find(|name| !taken.contains(name)).unwrap_or_default();
            taken.insert(free.clone());
            clip.name = free;
        }
        out
    }

    /// Returns `model` with the clips after its own.
    ///
    /// # Errors
    /// A clip does not fit the model; the message says why.
    pub fn onto(&self, model: &Model) -> Result<Model, String> {
        model.with_clips(self.named_for(model)).map_err(|error| error.to_string())
    }

    /// Returns what was done, in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let clips = counted(self.clips.len(), "clip", "clips");
        let corrected = if self.is_corrected { ", corrected for another rest pose" } else { "" };
        let by = self.families.map_or_else(String::new, |[there, here]| match there == here {
            true => format!(", by the bones of {}", here.name()),
            false => format!(", by the bones of {} there and {} here", there.name(), here.name()),
        });
        format!("Took {clips} of {}{corrected}{by}", self.name)
    }

    /// Returns a line for each name without a counterpart, or as many as are listed.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |key: &String| format!("The model has nothing for \"{key}\" of the clips of {}.", self.name);
        let mut lines: Vec<String> = self.unmatched.iter().take(MOST_LINES).map(line).collect();
        if self.unmatched.len() > MOST_LINES {
            let more = self.unmatched.len() - MOST_LINES;
            let (one, many) = ("more name of the clips of", "more names of the clips of");
            let have = if more == 1 { "has" } else { "have" };
            lines.push(format!("{} {} {have} no counterpart.", counted(more, one, many), self.name));
        }
        if let Some((first, others)) = self.resampled.split_first() {
            let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
            let name = &self.name;
            lines.push(format!(
                "The clips of {name} are sampled 30 times a second for \"{first}\"{others}: several nodes move it there, so that no keys are the same."
            ));
        }
        lines
    }
}

/// Returns sentences that name the nodes that nearly have a counterpart, with what was looked for here.
fn nearest_of(carried: &CarriedClips, model: &Model) -> String {
    let keys = Keys::of(model);
    let nodes = || (0..model.skeleton.len()).map(NodeId::from_index);
    let has_joints = nodes().any(|node| model.is_joint(node));
    let ours: Vec<&str> = nodes().filter(|n| !has_joints || model.is_joint(*n)).map(|n| keys.key(n)).collect();
    let theirs: Vec<&str> = carried.counterparts.iter().map(|(key, _)| key.as_str()).collect();
    let one =
        |(there, here): (String, Vec<String>)| format!("\"{there}\" there is nearest to {} here", here.join(", "));
    let misses: Vec<String> = near_misses(&theirs, &ours, MOST_MISSES).into_iter().map(one).collect();
    match misses.is_empty() {
        true => String::new(),
        false => format!(" {}. A mapping of names says which joint is which.", misses.join("; ")),
    }
}

impl Session {
    /// Shows the open model with the clips of another file, and plays the first of them. Edits, selection and camera stay.
    pub fn take_clips(&mut self, taken: &TakenClips) {
        self.retake_clips(taken, &[]);
    }

    /// Does the same as [`Session::take_clips`]; the clips replace added ones that are called as `before` says, one after the
    /// other, where these are still there. Returns the names that they have here. All of it is one step that can be undone.
    pub fn retake_clips(&mut self, taken: &TakenClips, before: &[String]) -> Vec<String> {
        let Some(model) = self.model() else { return Vec::new() };
        let (own, added) = (model.file_clips(), model.added_clips());
        let is_it = |clips: &[Clip]| clips.iter().zip(before).all(|(clip, name)| clip.name == *name);
        let found = added.windows(before.len().max(1)).position(is_it).filter(|_| !before.is_empty());
        let (at, removed) = found.map_or((added.len(), 0), |at| (at, before.len()));
        let others = model.clips.iter().take(own + at).chain(model.clips.iter().skip(own + at + removed));
        let inserted: Vec<Clip> = taken.named_beside(others).into_iter().map(as_taken).collect();
        let names = inserted.iter().map(|clip| clip.name.clone()).collect();
        let first = ClipId::from_index(own + at);
        if change_clips(self, &ClipChange { at, removed, inserted }, None, Some(first)) {
            self.apply(PlaybackCommand::SetClip(first));
            self.apply(PlaybackCommand::SetPlaying(true));
        }
        self.warn(&taken.lines());
        self.update_pose();
        names
    }
}

/// Changes the added clips, and the edits of the pose where some are given, in one step; then `clip` is shown. Returns whether the
/// clips fit the model, so that it was done.
pub(crate) fn change_clips(
    session: &mut Session,
    change: &ClipChange,
    edits: Option<Edits>,
    clip: Option<ClipId>,
) -> bool {
    session.choose_tool(None);
    let Some(model) = session.model().map(Arc::clone) else { return false };
    let Ok(changed) = model.with_clips_changed(change) else { return false };
    let Playing { playback, edits: now, history, .. } = session.playing();
    history.clips_changed(model.clips_before(change), Arc::clone(now), (playback.clip, playback.layers));
    if let Some(edits) = edits {
        *now = Arc::new(edits);
    }
    show_edited(session, Arc::new(changed), clip);
    true
}

/// Shows the open file with other weights and added clips, and `clip`, where there is such a clip.
pub(crate) fn show_edited(session: &mut Session, model: Arc<Model>, clip: Option<ClipId>) {
    let before = session.model().map(Arc::clone);
    let is_same = before.as_ref().is_some_and(|open| open.shares_clips(&model));
    session.skinning().show_skinning(model);
    let mut playing = session.playing();
    let Some(model) = playing.document.map(|document| &document.model) else { return };
    if let Some(before) = before.filter(|_| !is_same) {
        playing.playback.follow_layers(&before, model);
    }
    if is_same && clip == playing.playback.clip {
        return;
    }
    let first = (!model.clips.is_empty()).then_some(ClipId(0));
    playing.playback.clip = clip.filter(|clip| clip.index() < model.clips.len()).or(first);
    playing.playback.time_secs = playing.playback.time_secs.min(playing.playback.timeline_secs(model));
    if playing.playback.clip.is_none() {
        playing.apply(&PlaybackCommand::SetPose(PoseSource::Rest));
    }
    playing.arrange_crowd();
}

impl Skinning<'_> {
    /// Keeps the clips that were added to an earlier version of the open file, but for those that were `written` into it. `find` finds the
    /// node that a node has become. Returns those that do not fit, or of which only a part does.
    pub(crate) fn carry_added_clips(
        &mut self,
        before: &Model,
        written: &[Clip],
        find: impl Fn(NodeId) -> Option<NodeId>,
    ) -> WorkRecord {
        let mut left = WorkRecord::default();
        let Some(document) = self.document.as_ref().filter(|_| !before.added_clips().is_empty()) else { return left };
        let now = Arc::clone(&document.model);
        let keys = Keys::of(before);
        let record = |clip: &Clip| ClipRecord::of(clip, &|node| keys.key(*node).to_owned());
        let mut fitting_clips = Vec::new();
        for clip in before.added_clips().iter().filter(|clip| !written.iter().any(|other| other.is_same(clip))) {
            let (fitting, is_whole) = fitting(clip, &now, &find);
            if !is_whole {
                left.clips.push(record(clip));
            }
            if !fitting.channels.is_empty() && !now.clips.iter().any(|other| other.is_same(&fitting)) {
                fitting_clips.push(Clip { name: now.free_clip_name(&clip.name, None), ..fitting });
            }
        }
        if fitting_clips.len() != before.added_clips().len() {
            self.history.forget_clips();
        }
        match now.with_clips(fitting_clips) {
            Ok(model) => self.show_skinning(Arc::new(model)),
            Err(_) => left.clips = before.added_clips().iter().map(record).collect(),
        }
        left
    }
}

impl Unsaved<'_> {
    /// How many clips the open model has that its file has not.
    #[must_use]
    pub fn unsaved_clips(self) -> usize {
        // An example is no file, and is as it was when it is opened again.
        self.model.filter(|_| !self.is_example).map_or(0, |model| model.added_clips().len())
    }

    /// The clips that were added to `before` and that the open file has by now, since they were saved into it.
    pub(crate) fn written_clips(self, before: &Model) -> Vec<Clip> {
        let path = self.document.and_then(|document| document.path.as_deref());
        let saved = self.files.saved.as_ref().filter(|saved| saved.is_of(before, path));
        saved.map_or_else(Vec::new, |saved| saved.model.added_clips().to_vec())
    }
}

/// Says that a clip was taken from another file.
fn as_taken(clip: Clip) -> Clip {
    Clip { source: model::ClipSource::Taken, ..clip }
}

/// Returns what of a clip moves something in a model, and whether that is all of it.
fn fitting(clip: &Clip, model: &Model, find: impl Fn(NodeId) -> Option<NodeId>) -> (Clip, bool) {
    let targets = |node: NodeId| model.instances.iter().find(|i| i.node == node).map_or(0, |i| i.morph_weights.len());
    let mut out = clip.clone();
    out.channels.retain_mut(|channel| {
        let Some(node) = find(channel.node) else { return false };
        channel.node = node;
        match &clip.samplers[channel.sampler].values {
            Values::Weights { count, .. } => targets(node) == *count,
            Values::Vec3(_) | Values::Quat(_) => true,
        }
    });
    let is_whole = out.channels.len() == clip.channels.len();
    (out, is_whole)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use skinscope_model::NodeId;
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;
    use crate::{ChannelValue, Document, EditCommand, SelectionCommand};

    #[test]
    fn clips_of_another_file_join_those_of_the_open_one_and_edits_stay() {
        let model = Arc::new(tube(Tube { joints: 4, ..Tube::default() }));
        let mut session = Session::default();
        session.open(Document::new(Arc::clone(&model), Vec::new(), None));
        session.apply(EditCommand::Edit(NodeId(1), ChannelValue::Translation(Vec3::ONE)));
        session.apply(SelectionCommand::Select(Some(NodeId(2))));
        session.update_pose();
        let camera = session.view().orbit;
        let mut parts = (*tube(Tube { joints: 5, ..Tube::default() })).clone();
        parts.clips.push(parts.clips[0].clone());
        let other = Model::build(parts).unwrap();
        let taken = TakenClips::of(&model, &other, "walks.glb", &NameMap::default()).unwrap();
        session.take_clips(&taken);
        let names: Vec<&str> = session.model().unwrap().clips.iter().map(|clip| clip.name.as_str()).collect();
        assert_eq!(names, ["Bend", "Bend (walks.glb)", "Bend (walks.glb) 2"]);
        assert_eq!((session.playback().clip, session.view().selected), (Some(ClipId(1)), Some(NodeId(2))));
        assert!(session.edits().nodes.contains_key(&NodeId(1)) && session.history().can_undo());
        assert_eq!(session.view().orbit, camera);
        // The bones are shorter here, which makes no difference to turns.
        assert_eq!(taken.sentence(), "Took 2 clips of walks.glb");
        assert_eq!(session.document().unwrap().warnings, taken.lines());
        assert_eq!(taken.unmatched, [other.skeleton.names[5].as_str()]);
        // It is one step, and what was shown before it is shown again.
        session.apply(EditCommand::Undo);
        assert_eq!((session.unsaved().unsaved_clips(), session.playback().clip), (0, Some(ClipId(0))));
        assert!(session.edits().nodes.contains_key(&NodeId(1)));
        session.apply(EditCommand::Redo);
        assert_eq!((session.unsaved().unsaved_clips(), session.playback().clip), (2, Some(ClipId(1))));
        let still = Model::build(model::ModelParts { clips: Vec::new(), ..(*other).clone() }).unwrap();
        assert!(TakenClips::of(&model, &still, "still.glb", &NameMap::default()).unwrap_err().contains("has no clips"));
    }

    fn version(joints: usize, clips: &[Clip]) -> Document {
        let mut parts = (*tube(Tube { joints, ..Tube::default() })).clone();
        parts.clips.extend(clips.iter().map(|clip| Clip { source: model::ClipSource::File, ..clip.clone() }));
        Document::new(Arc::new(Model::build(parts).unwrap()), Vec::new(), Some("model.glb".into()))
    }

    /// A session with a clip that was taken from a tube of five joints.
    fn with_taken() -> Session {
        let mut session = Session::default();
        session.open(version(5, &[]));
        let taken = TakenClips::of(
            session.model().unwrap(),
            &tube(Tube { joints: 5, ..Tube::default() }),
            "b.glb",
            &NameMap::default(),
        )
        .unwrap();
        session.take_clips(&taken);
        session
    }

    fn names(session: &Session) -> Vec<String> {
        session.model().unwrap().clips.iter().map(|clip| clip.name.clone()).collect()
    }

    #[test]
    fn a_newer_version_of_the_file_keeps_added_clips_and_drops_what_it_has_no_node_for() {
        let mut session = with_taken();
        session.open(version(5, &[]));
        assert_eq!(
            (names(&session), session.unsaved().unsaved_clips()),
            (vec!["Bend".into(), "Bend (b.glb)".into()], 1)
        );
        assert_eq!(session.playback().clip, Some(ClipId(1)));
        session.apply(EditCommand::Undo);
        session.apply(EditCommand::Redo);
        assert_eq!(session.unsaved().unsaved_clips(), 1, "its step still fits");
        session.open(version(3, &[]));
        let clip = &session.model().unwrap().clips[1];
        assert!(clip.is_added() && clip.channels.iter().all(|c| c.node.index() <= 3) && !clip.channels.is_empty());
        assert!(session.document().unwrap().warnings.iter().any(|w| w.contains("Bend (b.glb)")));
    }

    #[test]
    fn clips_that_were_written_are_no_added_ones_any_more_and_those_taken_meanwhile_stay() {
        let mut session = with_taken();
        let saved = Arc::clone(session.model().unwrap());
        session.files_mut().note_model_saved("model.glb".into(), Arc::clone(&saved));
        let again =
            TakenClips::of(&saved, &tube(Tube { joints: 5, ..Tube::default() }), "c.glb", &NameMap::default()).unwrap();
        session.take_clips(&again);
        session.open(version(5, saved.added_clips()));
        assert_eq!(names(&session), ["Bend", "Bend (b.glb)", "Bend (c.glb)"]);
        assert_eq!(session.unsaved().unsaved_clips(), 1);
        session.apply(EditCommand::Undo);
        assert_eq!(session.unsaved().unsaved_clips(), 1, "no step takes a clip out of the file");
    }

    #[test]
    fn clips_that_are_taken_come_after_those_that_were_taken_before() {
        let mut session = with_taken();
        let other = tube(Tube { joints: 5, ..Tube::default() });
        let more = TakenClips::of(session.model().unwrap(), &other, "c.glb", &NameMap::default()).unwrap();
        assert_eq!(session.retake_clips(&more, &[]), ["Bend (c.glb)"]);
        assert_eq!(names(&session), ["Bend", "Bend (b.glb)", "Bend (c.glb)"]);
        assert_eq!(session.playback().clip, Some(ClipId(2)));
    }

    #[test]
    fn clips_that_are_taken_anew_come_in_the_place_of_the_earlier_ones() {
        let mut session = with_taken();
        let before = vec!["Bend (b.glb)".to_owned()];
        let map = NameMap::parse(br#"{"joint 2": null}"#).unwrap();
        let other = tube(Tube { joints: 5, ..Tube::default() });
        let again = TakenClips::of(session.model().unwrap(), &other, "b.glb", &map).unwrap();
        let channels = |session: &Session| session.model().unwrap().clips[1].channels.len();
        let most = channels(&session);
        assert_eq!(session.retake_clips(&again, &before), before);
        assert_eq!((names(&session), channels(&session)), (vec!["Bend".to_owned(), before[0].clone()], most - 1));
        session.apply(EditCommand::Undo);
        assert_eq!((names(&session).len(), channels(&session)), (2, most));
        // What is not there any more is not replaced.
        assert_eq!(session.retake_clips(&again, &["Gone".to_owned()]), ["Bend (b.glb) 2"]);
    }
}
