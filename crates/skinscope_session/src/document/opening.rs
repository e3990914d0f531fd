//! Opens files, and newer versions of the open one, to which all is carried over that was made.

use std::collections::BTreeSet;
use std::sync::Arc;

use skinscope_anim::pose::Keys;
use skinscope_base::math::Aabb;
use skinscope_edit::{find_nodes, is_same_order, paths_of};
use skinscope_model::{BindChange, ClipId, MeshId, Model, NodeId, Skin, TargetChange};
use skinscope_paint::LayerStack;

use crate::document::lesson;
use crate::files::carrying::{self, Bringing, Nodes};
use crate::files::restore::missing_lines;
use crate::files::saving::changed_since;
use crate::files::session_file::{BindingRecord, Rebinding, absolute};
use crate::files::unmatched;
use crate::painting::file_layers;
use crate::pose::crowd;
use crate::shaping::restore_shapes;
use crate::view::orbit::Orbit;
use crate::{
    CameraCommand, Document, History, Playback, PlaybackCommand, PoseSource, Session, SessionSnapshot, Unsaved, View,
    ViewFrom, ViewHistory, WorkRecord, findings,
};

impl History {
    /// Drops the steps about weights and matrices of `old` that would change others in `new`: those of vertices and joints that stand in another
    /// order there, or for which the file stores something else that was not saved from here.
    pub(crate) fn keep_steps(&mut self, old: &Model, new: &Model, is_stored: bool) {
        let meshes: BTreeSet<MeshId> =
            self.skinning().flat_map(|change| change.weights.iter().map(|weights| weights.mesh)).collect();
        let fitting: BTreeSet<MeshId> =
            meshes.into_iter().filter(|mesh| is_same_order(old, new, [*mesh], is_stored)).collect();
        let is_same_joint = |bind: &BindChange| {
            let of = |model: &Model| {
                let skin = model.stored_skins().get(bind.skin.index())?;
                let matrix = skin.inverse_bind.get(bind.joint)?.to_cols_array().map(f32::to_bits);
                Some((*skin.joints.get(bind.joint)?, is_stored.then_some(matrix)))
            };
            of(old).is_some_and(|joint| of(new) == Some(joint))
        };
        self.keep_skinning(|change| {
            change.weights.iter().all(|weights| fitting.contains(&weights.mesh))
                && change.binds.iter().all(is_same_joint)
        });
    }
}

impl Session {
    /// Shows `document`: its first clip plays (as in every viewer), and the whole posed model is in view. Settings of
    /// the look (overlays, method, speed) stay.
    ///
    /// A file that is already open continues where it was: camera, clip, time, selection and edits stay, as far as
    /// their names still exist. A model that no longer fits the view is framed.
    pub fn open(&mut self, document: Document) {
        if self.unsaved().is_newer_version(&document) {
            let has_other_look = lesson::replace(&mut self.lesson, &document);
            reopen(self, document);
            self.pose.invalidate();
            self.update_pose();
            if has_other_look {
                lesson::apply_look(self.lesson.as_ref(), &mut self.view, self.document.as_ref());
                self.apply(CameraCommand::FrameAll);
            }
            return;
        }
        lesson::open(&mut self.lesson, &mut self.view, &document);
        self.tools.forget();
        self.painting.forget(false);
        self.placing.forget();
        self.files.forget();
        self.compared.file = None;
        self.compared.is_seeking_worst = false;
        let model = Arc::clone(&document.model);
        let clip = (!model.clips.is_empty()).then_some(ClipId(0));
        // The sliders of a page say how its model is posed.
        let plays = clip.is_some() && document.lesson().is_none();
        self.edits = Arc::default();
        self.posing.last_blended = None;
        self.history = History::default();
        self.gesture = None;
        self.view_history = ViewHistory::default();
        self.playback = Playback {
            source: if plays { PoseSource::Clip } else { PoseSource::Rest },
            clip,
            playing: plays,
            speed: self.playback.speed,
            loop_mode: self.playback.loop_mode,
            fps: self.playback.fps,
            in_place: self.playback.in_place,
            ..Playback::default()
        };
        self.rules = self.rules.for_another_model(&model);
        self.view.scene = model.default_scene;
        self.view.variant = None;
        self.view.selected = None;
        self.view.hovered = None;
        self.view.hidden = Arc::default();
        self.view.through = None;
        self.view.orbit = Orbit { orthographic: self.view.orbit.orthographic, ..Orbit::default() };
        self.view.pinned = None;
        self.document = Some(document);
        self.view.look_from(ViewFrom::Corner, model.front());
        self.marker().forget_vertices();
        let kept = self.document.as_ref().map(Document::kept_layers);
        let kept = file_layers::read(&mut self.painting, &model, kept);
        self.warn(&kept);
        let lines = unmatched::restore_fitting(self);
        self.warn(&lines);
        lesson::apply_look(self.lesson.as_ref(), &mut self.view, self.document.as_ref());
        self.pose.opened_bounds = Aabb::EMPTY;
        self.update_pose();
        self.pose.opened_bounds = self.extents().bounds();
        self.pose.exposure = self.file_lights().measure_exposure();
        crowd::show_crowd(self);
        self.apply(CameraCommand::FrameAll);
    }
}

/// Shows a newer version of the open file. What was made follows its nodes by their keys and its vertices by what tells them apart; what
/// does not fit any more is set aside.
pub(crate) fn reopen(session: &mut Session, document: Document) {
    // Before anything else: what a tool would do is none of the weights that are carried over.
    session.choose_tool(None);
    if session.before_finding.as_ref().is_some_and(|before| before.has_work()) {
        findings::leave_finding(session);
    }
    let bounds = session.extents().posed_bounds();
    let snapshot = session.unsaved().snapshot();
    let is_saved = session.files().saved_session().is_some() && !session.unsaved().has_unsaved_work();
    // A drag that began in the earlier version has nothing to go back to.
    session.gesture = None;
    session.painting.forget(true);
    let Some(old) = session.document.replace(document) else { return };
    let unbound = session.carry_bindings(&old.model);
    let Some(new) = session.model().map(Arc::clone) else { return };
    session.placing.follow(&new);
    let found = counterparts(&old.model, &new);
    let find = |node: NodeId| found.get(node.index()).copied().flatten();
    let is_same = session.unsaved().has_same_indices(&old.model, &new) && carry_by_index(session, &old.model);
    if !is_same {
        // Vertices have other numbers now: the weights stay, in no layers.
        session.painting.take_layers(LayerStack::default());
        session.painting.follow_nodes(find);
    }
    if is_same {
        let is_stored = !session.unsaved().was_saved(&old.model);
        session.history.forget_bindings(|change| !is_stored && fits_targets(&old.model, &new, change));
        session.history.keep_steps(&old.model, &new, is_stored);
        session.rules.follow_limits(&new);
    }
    if let Some(snapshot) = snapshot.filter(|_| !is_same) {
        carry_over(session, &snapshot, &old.model, find);
    }
    let mut unbound_lines = Vec::new();
    session.files.set_work_aside(unbound, &mut unbound_lines);
    session.warn(&unbound_lines);
    session.files.saved = None;
    if is_saved && is_same {
        let snapshot = session.unsaved().snapshot();
        session.files.note_session_saved(snapshot);
    }
    let kept = session.document.as_ref().map(Document::kept_layers);
    let kept = file_layers::read(&mut session.painting, &new, kept);
    session.warn(&kept);
    let lines = unmatched::restore_fitting(session);
    session.warn(&lines);
    if let Some(document) = &session.document {
        let (view, playback) = (&mut session.view, &mut session.playback);
        let models = (&*old.model, &document.model);
        follow_view((view, &mut session.view_history), (playback, &mut session.history), models, find);
    }
    session.update_pose();
    session.pose.opened_bounds = session.extents().bounds();
    session.pose.exposure = session.file_lights().measure_exposure();
    crowd::show_crowd(session);
    let now = session.extents().posed_bounds();
    session.view.keep_in_view(bounds, now);
}

impl Session {
    /// Gives meshes of a newer version of the file the skins that they gained in `old` and that were not written into it. Returns what does
    /// not fit. Nothing else of the session knows of the newer version yet.
    fn carry_bindings(&mut self, old: &Model) -> WorkRecord {
        let records = BindingRecord::all_of(old, self.unsaved().written_bindings(old));
        let path = self.document.as_ref().and_then(|document| absolute(document.path.as_deref()));
        let mut left = WorkRecord { model: old.source.name.clone(), path, ..WorkRecord::default() };
        let paths = paths_of(old, records.iter().flat_map(BindingRecord::names));
        for record in records {
            let Some(model) = self.model() else { break };
            match record.on(model, &paths) {
                Rebinding::IsThere => {}
                Rebinding::Change(change) => match model.with_bindings(&change) {
                    Ok(bound) => self.skinning().show_skinning(Arc::new(bound)),
                    Err(_) => left.bindings.push(record),
                },
                Rebinding::Links(change) => match model.with_links(&change) {
                    Ok(linked) => self.skinning().show_skinning(Arc::new(linked)),
                    Err(_) => left.bindings.push(record),
                },
                Rebinding::Shapes(change) => match restore_shapes(model, &change) {
                    Ok(shaped) => self.skinning().show_skinning(Arc::new(shaped)),
                    Err(_) => left.bindings.push(record),
                },
                Rebinding::Unfit => left.bindings.push(record),
            }
        }
        if !left.bindings.is_empty() {
            left.paths = paths;
        }
        left
    }
}

/// Keeps what was made under the same numbers; returns whether it fits.
fn carry_by_index(session: &mut Session, old: &Model) -> bool {
    let path = session.document.as_ref().and_then(|document| document.path.as_deref());
    let edited = session.unsaved().skinning_to_keep(old, path);
    if !session.skinning().carry_skinning(&edited) {
        return false;
    }
    let written = session.unsaved().written_clips(old);
    let mut left = session.skinning().carry_added_clips(old, &written, Some);
    let mut lines = Vec::new();
    left.model.clone_from(&old.source.name);
    left.path = absolute(session.document.as_ref().and_then(|document| document.path.as_deref()));
    session.files.set_work_aside(left, &mut lines);
    session.warn(&lines);
    let marked = Arc::clone(&session.view.marked);
    let by_hand = session.marking.by_hand;
    session.marker().forget_vertices();
    if by_hand {
        session.marker().mark(marked, true);
    }
    true
}

/// Carries over what was made on `old`, a version of the file in which other things have those numbers.
fn carry_over(session: &mut Session, snapshot: &SessionSnapshot, old: &Model, find: impl Fn(NodeId) -> Option<NodeId>) {
    let Some(new) = session.model().map(Arc::clone) else { return };
    let mut work = session.unsaved().work_since_saved(snapshot, old);
    work.limits.retain(|key, _| snapshot.own_limits().contains(key));
    // They are added as they are, and not as a session file has them.
    work.clips.clear();
    // They are there already, as far as they fit.
    work.bindings.clear();
    let pose_is_saved = session.files.pose_in_file.nodes == session.edits.nodes
        && session.files.pose_in_file.morphs == session.edits.morphs;
    let ignores_limits = session.rules.ignores_limits;
    let removed: Vec<NodeId> = session.rules.removed_limits().filter_map(&find).collect();
    session.rules = session.rules.for_another_model(&new);
    session.rules.ignores_limits = ignores_limits;
    session.rules.limits.retain(|node, _| !removed.contains(node));
    session.edits = Arc::new(session.edits.without_pose());
    session.posing.last_blended = None;
    session.history = History::default();
    session.gesture = None;
    session.tools.leave_version();
    session.marker().forget_vertices();
    let written = session.unsaved().written_clips(old);
    let mut left = session.skinning().carry_added_clips(old, &written, &find);
    let names = work.names().collect();
    let nodes = Nodes::of(&new, &names, &work.paths);
    let mut by = Bringing { nodes, controls: None, by_number: false, repainted: true, lines: Vec::new() };
    left.add(carrying::add_work(session, &work, &mut by));
    left.model.clone_from(&old.source.name);
    left.path.clone_from(&work.path);
    let Bringing { nodes, mut lines, .. } = by;
    session.files.set_work_aside(left, &mut lines);
    lines.extend(missing_lines(&nodes.lost, "of what was made on the file before"));
    if pose_is_saved {
        session.note_pose_saved();
    }
    session.warn(&lines);
}

/// Keeps selection, clip, camera and the like, as far as the newer version of the file has them.
fn follow_view(
    (view, view_history): (&mut View, &mut ViewHistory),
    (playback, history): (&mut Playback, &mut History),
    (old, new): (&Model, &Arc<Model>),
    find: impl Fn(NodeId) -> Option<NodeId> + Copy,
) {
    view.selected = view.selected.and_then(find);
    view.hidden = Arc::new(view.hidden.iter().filter_map(|node| find(*node)).collect());
    view_history.follow_nodes(find);
    view.hovered = None;
    view.scene = if view.scene < new.scenes.len() { view.scene } else { new.default_scene };
    let variant = view.variant.and_then(|v| old.variants.get(v));
    view.variant = variant.and_then(|name| new.variants.iter().position(|v| v == name));
    let name = playback.clip.map(|c| old.clips[c.index()].name.as_str());
    let is_it = |clip: &skinscope_model::Clip| Some(clip.name.as_str()) == name;
    // Several clips may have one name.
    let same = playback.clip.filter(|clip| new.clips.get(clip.index()).is_some_and(is_it));
    let clip = same.or_else(|| new.clips.iter().position(is_it).map(ClipId::from_index));
    if !old.clips.iter().map(|clip| &clip.name).eq(new.clips.iter().map(|clip| &clip.name)) {
        history.forget_clips();
    }
    playback.follow_layers(old, new);
    playback.clip = clip.or_else(|| (!new.clips.is_empty()).then_some(ClipId(0)));
    playback.time_secs = playback.time_secs.min(playback.duration_secs(new));
    if playback.clip.is_none() {
        playback.playing = false;
        playback.apply(&PlaybackCommand::SetPose(PoseSource::Rest), new, None, history);
    }
    view.through = view.through.filter(|t| t.index < new.camera_nodes.len());
}

impl Unsaved<'_> {
    /// Returns whether all that was made on `old` has the same numbers in `new`: nodes, morph targets, joints of skins, and the vertices that were
    /// edited or marked, or all that have weights where there are layers of them, since those that are off edit nothing.
    fn has_same_indices(self, old: &Model, new: &Model) -> bool {
        let targets = |model: &Model| -> Vec<(NodeId, Vec<String>)> {
            model.instances.iter().map(|i| (i.node, model.meshes[i.mesh.index()].morph_names.clone())).collect()
        };
        let joints = |model: &Model| model.skins.iter().map(|skin| skin.joints.clone()).collect::<Vec<_>>();
        let same_nodes = old.skeleton.names == new.skeleton.names && old.skeleton.parents == new.skeleton.parents;
        let edited = old.weight_edits().primitives().map(|edited| edited.mesh);
        let has_weights = |id: &MeshId| {
            let mut primitives = old.meshes.get(id.index()).into_iter().flat_map(|mesh| &mesh.primitives);
            primitives.any(|primitive| primitive.stored_influences.is_some())
        };
        let layered = if self.layers.is_empty() { 0 } else { old.meshes.len() };
        let layered = (0..layered).map(MeshId::from_index).filter(has_weights);
        let marked = self.view.marked.parts.iter().map(|part| part.mesh);
        let mut meshes: Vec<MeshId> = edited.chain(marked).chain(layered).collect();
        meshes.sort_unstable();
        meshes.dedup();
        let has_own = !(old.bind_edits().is_empty() && meshes.is_empty() && old.bindings().is_empty());
        same_nodes
            && targets(old) == targets(new)
            && (!has_own || joints(old) == joints(new))
            && !has_moved_skins(old, new)
            && is_same_order(old, new, meshes, !self.was_saved(old))
    }

    /// Returns how many times meshes of `old` had gained skins when it was written into the open file.
    fn written_bindings(self, old: &Model) -> usize {
        let path = self.document.and_then(|document| document.path.as_deref());
        let saved = self.files.saved.as_ref().filter(|saved| saved.is_of(old, path));
        saved.map_or(0, |saved| saved.model.bindings().len())
    }

    /// Returns whether the open file is one into which a state of `old` was written.
    fn was_saved(self, old: &Model) -> bool {
        let path = self.document.and_then(|document| document.path.as_deref());
        self.files.saved.as_ref().is_some_and(|saved| saved.is_of(old, path))
    }

    /// What was made on `old` and is in no file yet, by names and by what tells vertices apart.
    fn work_since_saved(self, snapshot: &SessionSnapshot, old: &Model) -> WorkRecord {
        let path = self.document.and_then(|document| document.path.clone());
        let saved = self.files.saved.as_ref().filter(|saved| saved.is_of(old, path.as_deref()));
        let since = saved.and_then(|saved| old.without_edits().with_skinning(&changed_since(&saved.model, old)).ok());
        match since {
            Some(model) => snapshot.with_model(Arc::new(model)).file().work(&old.source.name, snapshot.path()),
            None => snapshot.file().work(&old.source.name, snapshot.path()),
        }
    }
}

/// Returns whether a change of morph targets of `old` fits `new` too, into whose file they were written: its meshes have the same vertices there.
fn fits_targets(old: &Model, new: &Model, change: &TargetChange) -> bool {
    let vertices = |model: &Model, mesh: MeshId| -> Vec<usize> {
        model.meshes[mesh.index()].primitives.iter().map(|primitive| primitive.positions.len()).collect()
    };
    is_same_order(old, new, change.meshes(), false)
        && change.meshes().all(|mesh| vertices(old, mesh) == vertices(new, mesh))
}

/// Returns whether a skin with an edited matrix has another number in `new`, which has as many skins with the same joints: whether its stored
/// matrices are those of a skin there that had others.
fn has_moved_skins(old: &Model, new: &Model) -> bool {
    let is_same = |a: &Skin, b: &Skin| a.joints == b.joints && a.inverse_bind == b.inverse_bind;
    let is_moved = |skin: usize| {
        let (was, is) = (&old.stored_skins()[skin], &new.stored_skins()[skin]);
        let pairs = || old.stored_skins().iter().zip(new.stored_skins());
        !is_same(was, is) && pairs().any(|(before, now)| is_same(now, was) && !is_same(before, was))
    };
    old.bind_edits().all().any(|(skin, ..)| is_moved(skin.index()))
}

/// Returns the node that each node of `old` has become: that of its key.
fn counterparts(old: &Model, new: &Model) -> Vec<Option<NodeId>> {
    let before = Keys::of(old);
    let keys = || (0..old.skeleton.len()).map(|i| before.key(NodeId::from_index(i)));
    let found = find_nodes(new, keys(), &paths_of(old, keys()));
    keys().map(|key| found.get(key).copied()).collect()
}
