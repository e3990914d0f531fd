//! The open model with its state: pose edits, view, playback. Everything changes through [`Session::apply`].
//!
//! Knows nothing of windows, panels or the GPU.

mod asking;
mod camera;
mod command;
mod crowd;
mod document;
mod edits;
mod findings;
mod hiding;
mod lighting;
mod playback;
#[cfg(test)]
mod tests;
mod view;

pub use asking::Weighed;
pub use command::{COMMANDS, Command, CommandRow, Effect, Key, Menu, Panel, Shortcut, command_of, row_of};
pub use crowd::{CrowdPose, Formation, MOST_MEMBERS, most_members};
pub use document::{Document, Normalised, Source};
pub use edits::{ChannelKind, ChannelValue, Edits, History, NodeEdit};
pub use lighting::PosedLight;
pub use playback::{LoopMode, Playback, PoseSource};
pub use view::{Antialiasing, FOV_Y, Lighting, Orbit, Projector, Through, Toggle, View, ViewFrom};

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use glam::Affine3A;

use self::crowd::CrowdContext;
use self::findings::Before;
use crate::anim::{self, SampleScratch};
use crate::deform;
use crate::inspect;
use crate::math::Aabb;
use crate::model::{Change, Clip, ClipId, InstanceId, LocalPose, Model, NodeId};

/// Keys of a clip that are listed one by one.
const MOST_KEYS: usize = 1 << 16;

/// Thins out the keys of a clip: keeps the first key in each of some thousand equal parts of its length, and the last key
/// of all.
fn thinned(clip: &Clip) -> Vec<f32> {
    const PARTS: usize = 1 << 14;
    let length = f64::from(clip.end_secs) - f64::from(clip.start_secs);
    let mut first = vec![f32::INFINITY; PARTS];
    let mut last = f32::NEG_INFINITY;
    for t in clip.times.iter().flatten() {
        let part = (f64::from(*t) - f64::from(clip.start_secs)) / length.max(f64::MIN_POSITIVE) * PARTS as f64;
        let first = &mut first[(part as usize).min(PARTS - 1)];
        (*first, last) = (first.min(*t), last.max(*t));
    }
    first.into_iter().chain([last]).filter(|t| t.is_finite()).collect()
}

/// The pose as evaluated last; derived from the rest of the session by [`Session::update_pose`].
#[derive(Clone, Debug, Default)]
pub struct Pose {
    /// Edits included.
    pub local: LocalPose,
    /// `model_from_node` by node.
    pub model: Vec<Affine3A>,
    /// By [`Model::palette_layout`].
    pub palettes: Vec<Affine3A>,
    /// The properties that the clip changes beside poses.
    pub changes: Vec<Change>,
    /// The instances of the shown scene that are drawn, in node order.
    pub draws: Vec<InstanceId>,
    /// The other members of a crowd.
    pub crowd: CrowdPose,
    /// The bones of the shown scene, where they are shown.
    pub bones: Vec<inspect::BoneSegment>,
    bone_scratch: inspect::BoneScratch,
    /// By node: its bone is shown.
    with_bone: Vec<bool>,
    scratch: SampleScratch,
    hidden: Vec<bool>,
    /// By node: the user hides it, or one above it. Empty where nothing is hidden.
    unseen: Vec<bool>,
    /// The inputs that it was worked out from.
    made_of: Option<Ingredients>,
}

/// All that a pose depends on.
#[derive(Clone, Debug)]
struct Ingredients {
    model: Weak<Model>,
    edits: Arc<Edits>,
    playback: Playback,
    scene: usize,
    formation: Formation,
    hidden: Arc<BTreeSet<NodeId>>,
    bones: hiding::BoneKey,
    opened_bounds: Aabb,
}

impl Ingredients {
    fn is_still(&self, session: &Session, model: &Arc<Model>) -> bool {
        std::ptr::eq(self.model.as_ptr(), Arc::as_ptr(model))
            && Arc::ptr_eq(&self.edits, &session.edits)
            && self.playback == session.playback
            && self.scene == session.view.scene
            && self.formation == session.formation
            && Arc::ptr_eq(&self.hidden, &session.view.hidden)
            && self.opened_bounds == session.opened_bounds
    }
}

/// The open model with its state.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// `None` until something is open.
    pub document: Option<Document>,
    /// Undone and redone.
    pub edits: Arc<Edits>,
    /// Steps back and forward.
    pub history: History,
    /// Camera, selection, overlays.
    pub view: View,
    /// Clip and time.
    pub playback: Playback,
    /// The pose at the last [`Session::update_pose`].
    pub pose: Pose,
    /// The model's box in the pose it was opened in: how large it is, steady while the pose moves.
    pub opened_bounds: Aabb,
    /// The places of a crowd's members; one place where there is no crowd.
    formation: Formation,
    /// The factor of the file's lights, see [`Session::lights`]; it is measured where the model was opened.
    exposure: f32,
    /// The state that a shown finding took the place of.
    before_finding: Option<Box<Before>>,
    /// Work that takes long is done by others.
    is_patient: bool,
}

impl Session {
    /// Shows `document`: its first clip plays (as in every viewer), the whole posed model in view. What the user set about
    /// looks (overlays, method, speed) stays.
    ///
    /// The file that is open already is taken up where it was: camera, clip, time, selection and edits stay, as far as
    /// their names are still there. A model that no longer fits the view is framed.
    pub fn open(&mut self, document: Document) {
        if self.document.as_ref().is_some_and(|d| d.path.is_some() && d.path == document.path) {
            return self.reopen(document);
        }
        let model = Arc::clone(&document.model);
        let clip = (!model.clips.is_empty()).then_some(ClipId(0));
        self.edits = Arc::default();
        self.history = History::default();
        self.playback = Playback {
            source: if clip.is_some() { PoseSource::Clip } else { PoseSource::Rest },
            clip,
            playing: clip.is_some(),
            speed: self.playback.speed,
            loop_mode: self.playback.loop_mode,
            fps: self.playback.fps,
            ..Playback::default()
        };
        self.view.scene = model.default_scene;
        self.view.variant = None;
        self.view.selected = None;
        self.view.hovered = None;
        self.view.hidden = Arc::default();
        self.view.through = None;
        self.view.orbit = Orbit { orthographic: self.view.orbit.orthographic, ..Orbit::default() };
        self.view.pinned = None;
        self.document = Some(document);
        self.forget_vertices();
        self.opened_bounds = Aabb::EMPTY;
        self.update_pose();
        self.opened_bounds = self.bounds();
        self.exposure = self.measure_exposure();
        self.show_crowd();
        self.apply(Command::FrameAll);
    }

    /// A newer version of the open file.
    fn reopen(&mut self, document: Document) {
        let bounds = self.posed_bounds();
        let Some(old) = self.document.replace(document) else { return };
        let Some(new) = self.model().map(Arc::clone) else { return };
        let (before, now) = (&old.model.skeleton.names, &new.skeleton.names);
        let find = |node: NodeId| {
            let name = &before[node.index()];
            let same = now.get(node.index()) == Some(name);
            if same { Some(node) } else { now.iter().position(|n| n == name).map(NodeId::from_index) }
        };
        if before != now || old.model.skeleton.rest.morph_weights.len() != new.skeleton.rest.morph_weights.len() {
            let nodes = self.edits.nodes.iter().filter_map(|(node, edit)| Some((find(*node)?, *edit))).collect();
            let normalise_weights = self.edits.normalise_weights;
            self.edits = Arc::new(Edits { nodes, normalise_weights, ..Edits::default() });
            self.history = History::default();
        }
        self.show_edited_model();
        self.view.selected = self.view.selected.and_then(find);
        self.view.hidden = Arc::new(self.view.hidden.iter().filter_map(|node| find(*node)).collect());
        self.view.hovered = None;
        self.forget_vertices();
        self.view.scene = if self.view.scene < new.scenes.len() { self.view.scene } else { new.default_scene };
        let variant = self.view.variant.and_then(|v| old.model.variants.get(v));
        self.view.variant = variant.and_then(|name| new.variants.iter().position(|v| v == name));
        let name = self.playback.clip.map(|c| old.model.clips[c.index()].name.as_str());
        let clip = new.clips.iter().position(|c| Some(c.name.as_str()) == name).map(ClipId::from_index);
        self.playback.clip = clip.or_else(|| (!new.clips.is_empty()).then_some(ClipId(0)));
        self.playback.time_secs = self.playback.time_secs.min(self.playback.duration_secs(&new));
        if self.playback.clip.is_none() {
            self.playback.playing = false;
            self.play(&Command::SetPose(PoseSource::Rest));
        }
        self.view.through = self.view.through.filter(|t| t.index < new.camera_nodes.len());
        self.update_pose();
        self.opened_bounds = self.bounds();
        self.exposure = self.measure_exposure();
        self.show_crowd();
        self.keep_in_view(bounds);
    }

    /// Adds to the warnings of the open document what else was found out about it. True when it was news.
    pub fn warn(&mut self, lines: &[String]) -> bool {
        let Some(document) = &mut self.document else { return false };
        let before = document.warnings.len();
        for line in lines {
            if !document.warnings.contains(line) {
                document.warnings.push(line.clone());
            }
        }
        document.warnings.len() > before
    }

    /// The open model.
    #[must_use]
    pub fn model(&self) -> Option<&Arc<Model>> {
        self.document.as_ref().map(|d| &d.model)
    }

    /// Sampled pose, then edits, then forward kinematics, then palettes; the same for every member of a crowd. Allocates
    /// nothing after the first time, and does nothing where all is as it was.
    pub fn update_pose(&mut self) {
        let Some(document) = &self.document else { return };
        let model = &document.model;
        let bones = self.bone_key();
        if self.pose.made_of.as_ref().is_some_and(|made_of| made_of.is_still(self, model)) {
            if let Some(made_of) = self.pose.made_of.as_mut().filter(|made_of| made_of.bones != bones) {
                made_of.bones = bones;
                self.place_bones();
            }
        } else {
            self.pose.made_of = Some(Ingredients {
                model: Arc::downgrade(model),
                edits: Arc::clone(&self.edits),
                playback: self.playback.clone(),
                scene: self.view.scene,
                formation: self.formation,
                hidden: Arc::clone(&self.view.hidden),
                bones,
                opened_bounds: self.opened_bounds,
            });
            self.evaluate();
        }
        if let (Some(Through { index, .. }), Some(model)) = (self.view.through, self.model()) {
            self.view.through = lighting::through(model, &self.pose, index);
        }
    }

    fn evaluate(&mut self) {
        let Some(document) = &self.document else { return };
        let model = &document.model;
        let pose = &mut self.pose;
        let base = if self.playback.source == PoseSource::Bind { model.bind_pose() } else { &model.skeleton.rest };
        pose.local.transforms.clone_from(&base.transforms);
        pose.local.morph_weights.clone_from(&model.skeleton.rest.morph_weights);
        pose.changes.clear();
        if let (PoseSource::Clip, Some(clip)) = (self.playback.source, self.playback.clip) {
            let clip = &model.clips[clip.index()];
            let time_secs = self.playback.time_secs;
            anim::sample(model, clip, time_secs, &mut pose.scratch, &mut pose.local);
            anim::sample_properties(clip, time_secs, &mut pose.scratch, &mut pose.changes);
        }
        self.edits.apply(&mut pose.local);
        anim::local_to_model(&model.skeleton, &pose.local, &mut pose.model);
        deform::palettes(model, &pose.model, &mut pose.palettes);
        anim::drawn(model, self.view.scene, &pose.changes, &mut pose.hidden, &mut pose.draws);
        hiding::hide(model, &self.view.hidden, &mut pose.unseen, &mut pose.draws);
        let crowd = CrowdContext { model, playback: &self.playback, edits: &self.edits, formation: self.formation };
        crowd.pose(&pose.palettes, &pose.local.morph_weights, &mut pose.crowd);
        self.place_bones();
    }

    /// How large the posed scene is, and which vertices lie far outside of it.
    #[must_use]
    pub fn extent(&self) -> deform::Extent {
        let Some(model) = self.model() else { return deform::Extent::default() };
        let Pose { local, palettes, draws, .. } = &self.pose;
        deform::extent(model, draws, palettes, &local.morph_weights, self.view.method)
    }

    /// The box around the posed scene: deformed vertices but for those far outside, and the skeleton where there is no mesh.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let mesh = self.extent().mass;
        // A mesh that has collapsed to a point tells nothing.
        let skeleton = self.skeleton_bounds();
        if mesh.diagonal() <= 1e-3 * skeleton.diagonal() { mesh.union(skeleton) } else { mesh }
    }

    /// The box around the bones of the shown scene, but for a few far outside.
    #[must_use]
    pub fn skeleton_bounds(&self) -> Aabb {
        let ends: Vec<glam::Vec3> = self.bones().iter().flat_map(|bone| [bone.head, bone.tail]).collect();
        Aabb::around_mass(&ends)
    }

    /// Carries out `command`, or says what the application must do for it.
    pub fn apply(&mut self, command: Command) -> Option<Effect> {
        match command {
            Command::OpenDialog => return Some(Effect::OpenDialog),
            Command::Open(path) => return Some(Effect::Open(path)),
            Command::OpenBuiltIn => return Some(Effect::OpenBuiltIn),
            Command::Reload => return Some(Effect::Reload),
            Command::CancelLoad => return Some(Effect::CancelLoad),
            Command::RunRom(options) => return Some(Effect::RunRom(options)),
            Command::CancelRom => return Some(Effect::CancelRom),
            Command::Inspect => return Some(Effect::Inspect),
            Command::CancelInspect => return Some(Effect::CancelInspect),
            Command::Quit => return Some(Effect::Quit),
            Command::ToggleTheme => return Some(Effect::ToggleTheme),
            Command::TogglePanel(panel) => return Some(Effect::TogglePanel(panel)),
            Command::FindNode => return Some(Effect::FindNode),
            Command::ShowShortcuts => return Some(Effect::ShowShortcuts),
            Command::ShowAbout => return Some(Effect::ShowAbout),
            Command::Undo | Command::Redo => self.step(&command),
            Command::EndEdit => self.history.close_step(),
            Command::Edit(..)
            | Command::EditMorph(..)
            | Command::ResetChannel(..)
            | Command::ResetMorph(_)
            | Command::ResetJoint
            | Command::ResetAll
            | Command::ToggleNormaliseWeights => self.edit(&command),
            Command::TogglePlay
            | Command::SetClip(_)
            | Command::StepClip(_)
            | Command::Seek(_)
            | Command::StepFrames(_)
            | Command::PreviousKey
            | Command::NextKey
            | Command::ToStart
            | Command::ToEnd
            | Command::SetSpeed(_)
            | Command::SetLoop(_)
            | Command::SetFps(_)
            | Command::SetPose(_) => {
                self.play(&command);
                // Each clip has room of its own.
                if matches!(command, Command::SetClip(_) | Command::StepClip(_)) {
                    self.form_up();
                }
            }
            Command::Pin(_)
            | Command::Mark(_)
            | Command::FrameMarked
            | Command::ShowFinding(_)
            | Command::LeaveFinding => self.examine(&command),
            Command::SetInfluenceLimit(limit) => {
                self.view.influence_limit = limit.clamp(1, inspect::LIMITS);
                return Some(Effect::Inspect);
            }
            command => self.look(command),
        }
        None
    }

    /// Back or forward through the edits.
    fn step(&mut self, command: &Command) {
        if *command == Command::Undo {
            self.history.undo(&mut self.edits);
        } else {
            self.history.redo(&mut self.edits);
        }
        self.show_edited_model();
    }

    /// Edits that are not of the pose show another model.
    fn show_edited_model(&mut self) {
        let waits = self.is_patient;
        if let Some(document) = &mut self.document {
            document.show_normalised(self.edits.normalise_weights, waits);
        }
    }

    /// From now on what takes long is left to whoever drives this session, who works it out beside it: see
    /// [`Session::lacks_normalised`]. Without this it is done at once.
    pub fn be_patient(&mut self) {
        self.is_patient = true;
    }

    /// Normalised weights are asked for, and somebody has to work them out ([`Document::normalise`], then
    /// [`Session::normalised`]); until then the weights are shown as stored.
    #[must_use]
    pub fn lacks_normalised(&self) -> bool {
        self.edits.normalise_weights && self.document.as_ref().is_some_and(|d| !d.has_normalised())
    }

    /// The weights of a model have been normalised: kept if the model is still open.
    pub fn normalised(&mut self, stored: &Arc<Model>, normalised: Normalised) {
        if let Some(document) = self.document.as_mut().filter(|d| Arc::ptr_eq(d.stored(), stored)) {
            document.keep_normalised(normalised);
            self.show_edited_model();
        }
    }

    /// Changes of [`Edits`].
    fn edit(&mut self, command: &Command) {
        let Some(model) = self.document.as_ref().map(|d| Arc::clone(&d.model)) else { return };
        let mut edits = Edits::clone(&self.edits);
        match *command {
            Command::Edit(node, value) if node.index() < model.skeleton.len() => {
                edits.nodes.entry(node).or_default().set(value)
            }
            Command::EditMorph(place, weight)
                if place < model.skeleton.rest.morph_weights.len() && weight.is_finite() =>
            {
                edits.morphs.insert(place, weight);
            }
            Command::ResetChannel(node, kind) => {
                if let Some(edit) = edits.nodes.get_mut(&node) {
                    edit.clear(kind);
                }
            }
            Command::ResetMorph(place) => {
                edits.morphs.remove(&place);
            }
            Command::ResetJoint => {
                if let Some(node) = self.view.selected {
                    edits.nodes.remove(&node);
                }
            }
            Command::ResetAll => {
                edits = Edits { normalise_weights: edits.normalise_weights, ..Edits::default() };
            }
            Command::ToggleNormaliseWeights => edits.normalise_weights = !edits.normalise_weights,
            _ => {}
        }
        edits.nodes.retain(|_, edit| *edit != NodeEdit::default());
        if matches!(command, Command::Edit(..) | Command::EditMorph(..)) {
            self.drag_edits(edits);
        } else {
            self.change_edits(edits);
        }
    }

    /// One step of its own.
    fn change_edits(&mut self, edits: Edits) {
        if edits != *self.edits {
            self.history.close_step();
            self.drag_edits(edits);
            self.history.close_step();
        }
    }

    /// Part of the step that is open.
    fn drag_edits(&mut self, edits: Edits) {
        if edits != *self.edits {
            self.history.before_change(&self.edits);
            self.edits = Arc::new(edits);
            self.show_edited_model();
        }
    }

    /// Time.
    fn play(&mut self, command: &Command) {
        let Some(model) = self.document.as_ref().map(|d| Arc::clone(&d.model)) else { return };
        let playback = &mut self.playback;
        match *command {
            Command::TogglePlay => playback.toggle(&model),
            Command::SetClip(clip) if clip.index() < model.clips.len() => {
                playback.clip = Some(clip);
                playback.seek(0.0, &model);
            }
            Command::StepClip(steps) if !model.clips.is_empty() => {
                let now = playback.clip.map_or(0, ClipId::index) as i64;
                let next = (now + i64::from(steps)).rem_euclid(model.clips.len() as i64);
                playback.clip = Some(ClipId::from_index(next as usize));
                playback.seek(0.0, &model);
            }
            Command::Seek(time_secs) => playback.seek(time_secs, &model),
            Command::StepFrames(frames) => {
                playback.playing = false;
                let frame = playback.frame_number() + i64::from(frames);
                playback.seek(frame as f32 / playback.fps, &model);
            }
            Command::PreviousKey | Command::NextKey => {
                playback.playing = false;
                if let Some(time) = self.neighbour_key(*command == Command::NextKey) {
                    self.playback.seek(time, &model);
                }
            }
            Command::ToStart => playback.seek(0.0, &model),
            Command::ToEnd => playback.seek(f32::MAX, &model),
            Command::SetSpeed(speed) if speed.is_finite() => {
                playback.speed = speed.clamp(-Playback::MAX_SPEED, Playback::MAX_SPEED);
            }
            Command::SetLoop(mode) => playback.loop_mode = mode,
            Command::SetFps(fps) if fps.is_finite() && fps > 0.0 => playback.fps = fps,
            Command::SetPose(source) => {
                playback.source =
                    if playback.clip.is_none() && source == PoseSource::Clip { PoseSource::Rest } else { source };
                playback.playing &= playback.source == PoseSource::Clip;
            }
            _ => {}
        }
    }

    /// Key times of the selected node in the current clip, or of all nodes where nothing is selected: seconds, rising. Where
    /// all nodes together have very many, only one of those that lie closer together than any timeline can show.
    #[must_use]
    pub fn key_times(&self) -> Vec<f32> {
        let Some((model, clip)) = self.model().zip(self.playback.clip) else { return Vec::new() };
        let clip = &model.clips[clip.index()];
        if let Some(node) = self.view.selected {
            return anim::key_times(clip, node);
        }
        let mut all = if clip.times.iter().map(Vec::len).sum::<usize>() > MOST_KEYS {
            thinned(clip)
        } else {
            clip.times.concat()
        };
        all.sort_by(f32::total_cmp);
        all.dedup();
        all
    }

    fn neighbour_key(&self, later: bool) -> Option<f32> {
        let now = self.playback.time_secs;
        // A hundredth of a frame apart counts as the same place.
        let same = 0.01 / self.playback.fps;
        let is_beyond = |t: &f32| if later { *t > now + same } else { *t < now - same };
        let nearest = |a: f32, b: f32| if later { a.min(b) } else { a.max(b) };
        if self.view.selected.is_some() {
            return self.key_times().into_iter().filter(is_beyond).reduce(nearest);
        }
        let (model, clip) = self.model().zip(self.playback.clip)?;
        // Of all nodes there may be millions: they are neither copied nor sorted.
        model.clips[clip.index()].times.iter().flatten().copied().filter(is_beyond).reduce(nearest)
    }

    /// Camera, selection and overlays.
    fn look(&mut self, command: Command) {
        if lighting::leaves_camera(&command) {
            self.view.leave_camera(self.opened_bounds.center());
        }
        let view = &mut self.view;
        match command {
            Command::Select(node) => self.select(node),
            Command::Hover(node) => view.hovered = node,
            Command::SelectParent => {
                let parent = self.model().zip(self.view.selected).and_then(|(m, n)| m.skeleton.parents[n.index()]);
                if parent.is_some() {
                    self.select(parent);
                }
            }
            Command::SelectChild => {
                let child = self.model().zip(self.view.selected).and_then(|(m, n)| m.skeleton.children(n).next());
                if child.is_some() {
                    self.select(child);
                }
            }
            Command::PickAt(at) => self.pick_at(at),
            Command::PinAt(at) => self.pin_at(at),
            Command::Deselect => self.deselect(),
            Command::SetOverlay(id) => view.overlay = id.and_then(inspect::overlay),
            Command::ToggleOverlay(id) => view.overlay = inspect::overlay(id).filter(|o| view.overlay != Some(*o)),
            Command::SetRamp(ramp) => view.ramp = ramp,
            Command::Toggle(toggle) => view.toggle(toggle),
            Command::SetBoneShape(shape) => view.bone_shape = shape,
            Command::SetBoneSize(size) if size.is_finite() => {
                let [least, most] = View::BONE_SIZES;
                view.bone_size = size.clamp(least, most);
            }
            Command::ToggleDeformingOnly => {
                let on = self.deforming_only();
                self.view.deforming_only = Some(!on);
            }
            Command::SetSkinOpacity(opacity) if opacity.is_finite() => view.skin_opacity = opacity.clamp(0.0, 1.0),
            Command::ToggleHidden(node) => self.toggle_hidden(node),
            Command::HideSelected => self.hide_selected(),
            Command::ShowAll => view.hidden = Arc::default(),
            Command::SetMethod(id) => view.method = deform::method(id).unwrap_or(view.method),
            Command::SetScene(scene) if self.document.as_ref().is_some_and(|d| scene < d.model.scenes.len()) => {
                view.scene = scene;
                self.update_pose();
            }
            Command::SetVariant(variant) => {
                let known = self.document.as_ref().map_or(0, |d| d.model.variants.len());
                if variant.is_none_or(|v| v < known) {
                    view.variant = variant;
                }
            }
            Command::SetViewport(size) if size.is_finite() => view.set_viewport(size),
            Command::Orbit(delta) => view.orbit.orbit(delta),
            Command::Pan(delta) => view.orbit.pan(delta, view.viewport.y),
            Command::Zoom(steps, at) if steps.is_finite() && at.is_finite() => self.zoom(steps, at),
            Command::SetCrowd(members) => {
                view.crowd = members.clamp(1, MOST_MEMBERS);
                self.show_crowd();
                self.frame_crowd();
            }
            Command::FrameAll => {
                let bounds = self.posed_bounds();
                self.view.frame(bounds);
            }
            Command::FrameEverything => {
                let bounds = self.whole_bounds();
                self.view.frame(bounds);
            }
            Command::FrameSelected => {
                let bounds = self.selected_bounds();
                self.view.frame(bounds);
            }
            Command::LookFrom(side) => (view.orbit.yaw, view.orbit.pitch) = side.angles(),
            Command::ToggleOrthographic => view.orbit.orthographic = !view.orbit.orthographic,
            Command::SetCamera(index) => self.look_through(index),
            Command::NextCamera => {
                let next = view.through.map_or(0, |t| t.index + 1);
                let count = self.model().map_or(0, |m| m.camera_nodes.len());
                self.look_through(Some(next).filter(|n| *n < count));
            }
            Command::SetLighting(lighting) => view.lighting = lighting,
            Command::SetAntialiasing(antialiasing) => view.antialiasing = antialiasing,
            _ => {}
        }
    }

    fn select(&mut self, node: Option<NodeId>) {
        let count = self.model().map_or(0, |m| m.skeleton.len());
        self.view.selected = node.filter(|n| n.index() < count);
    }

    /// The joint whose bone is near a point of the viewport (pixels from its top left), where bones are shown. Cheap enough
    /// for every move of the pointer: the surface is not deformed.
    #[must_use]
    pub fn bone_at(&self, at: glam::Vec2) -> Option<NodeId> {
        const REACH_PIXELS: f32 = 6.0;
        if !self.view.bones {
            return None;
        }
        let projector = self.view.projector();
        let near = self.pose.bones.iter().filter_map(|bone| {
            let (a, b) = (projector.project(bone.head)?, projector.project(bone.tail)?);
            let along = ((at - a).dot(b - a) / (b - a).length_squared().max(1e-6)).clamp(0.0, 1.0);
            Some((at.distance(a.lerp(b, along)), bone.node))
        });
        let best = near.min_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|best| best.0 <= REACH_PIXELS).map(|best| best.1)
    }
}
