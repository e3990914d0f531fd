//! Shows what a session file keeps, on the model that is open. A model that has changed since is no reason to lose anything: what
//! still fits it is taken, by names, and the rest is reported.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec3;
use skinscope_anim::pose::controls::Controls;
use skinscope_anim::{Additive, Crossfade, Layers};
use skinscope_base::math::Ramp;
use skinscope_base::words::counted;
use skinscope_deform::{self as deform, ParameterSettings};
use skinscope_edit::{Packing, clear_bind_envelopes, has_bare_mesh, set_bind_envelope};
use skinscope_frame as frame;
use skinscope_inspect::{self as inspect, BoneShape};
use skinscope_model::{Clip, ClipId, Model, NodeId};
use skinscope_paint::LayerStack;

use crate::files::carrying::{self, Bringing, Nodes};
use crate::files::session_file::{
    CameraRecord, ClipFileRecord, ComparisonRecord, LayerRecord, Number, PlaybackRecord, SessionFile, SliderRecord,
    ViewRecord, values,
};
use crate::files::unmatched::{self, set_aside_line};
use crate::files::words::{AXES, LIGHTS, LOOPS, SOURCES, TOOLS, meaning};
use crate::painting::layers;
use crate::{
    CameraCommand, Comparison, ComparisonCommand, ComparisonLayout, Document, EnvironmentView, History, MethodChoice,
    Onion, Orbit, Painting, PlaybackCommand, Playing, PoseRules, Session, SideWeights, Subdivide, TOGGLES, View,
    ViewCommand, ViewHistory, comparison,
};

/// The frames per second between which a counter makes sense.
const FPS: [f32; 2] = [0.1, 10_000.0];

/// The most metres from the origin that a camera may turn about.
const FARTHEST: f32 = 1e12;

/// The most lines about what has no counterpart.
const MOST_LINES: usize = 20;

impl Session {
    /// Shows `document` as a session file describes it: nothing stays of what was open before, and there is nothing to undo.
    /// Returns a line for everything of the file that the model has no counterpart for.
    pub fn open_with_session(&mut self, document: Document, file: &SessionFile) -> Vec<String> {
        // It would else be taken for a newer version of the open one, whose edits stay.
        self.document = None;
        self.beside = None;
        // What is set aside of other models stays, and is not in the file.
        let aside = std::mem::take(&mut self.files.aside);
        self.open(document);
        let lines = self.restore(file);
        self.history = History::default();
        self.gesture = None;
        self.view_history = ViewHistory::default();
        let snapshot = self.unsaved().snapshot();
        self.files.note_session_saved(snapshot);
        for work in aside.iter() {
            self.files.set_work_aside(work.clone(), &mut Vec::new());
        }
        lines
    }

    /// Restores what a session file contains; its edits are steps that can be undone. Weights, matrices and a pose that are edited
    /// already stay; limits, pins, pairs, locks and controls are those of the file. Returns a line for everything that the open model has
    /// no counterpart for: that is set aside.
    pub fn restore(&mut self, file: &SessionFile) -> Vec<String> {
        let Some(model) = self.model().map(Arc::clone) else { return Vec::new() };
        let path = self.document.as_ref().and_then(|document| document.path.clone());
        let work = file.work(&model.source.name, path.as_deref());
        let listed = file.view.hidden.iter().chain(&file.view.selected).chain(file.unlimited.iter().flatten());
        let listed = listed.map(String::as_str);
        let names: BTreeSet<&str> = work.names().chain(listed).collect();
        let sliders = file.sliders.iter().map(SliderRecord::slider).collect();
        let mut by = Bringing {
            nodes: Nodes::of(&model, &names, &work.paths),
            controls: Some(Controls { sliders, drivers: Arc::new(file.drivers.clone()) }),
            by_number: !file.has_other_model,
            repainted: true,
            lines: Vec::new(),
        };
        self.choose_tool(None);
        self.rules = self.rules.for_another_model(&model);
        self.rules.symmetric = file.symmetric;
        self.rules.ignores_limits = !file.obey_limits;
        self.tools.locked = Arc::default();
        let settings = Arc::make_mut(&mut self.tools.settings);
        clear_bind_envelopes(settings);
        file.envelopes.iter().for_each(|(joint, radii)| set_bind_envelope(settings, joint, Some(*radii)));
        self.files.clip_files = Arc::new(file.clip_files.iter().map(ClipFileRecord::file).collect());
        let left = carrying::add_work(self, &work, &mut by);
        take_limits_away(&mut self.rules, file, &mut by.nodes);
        let Bringing { mut nodes, mut lines, .. } = by;
        for work in &file.set_aside {
            self.files.set_work_aside(work.clone(), &mut Vec::new());
        }
        lines.extend(unmatched::restore_fitting(self));
        for work in self.files.aside.iter() {
            lines.push(set_aside_line(work));
        }
        self.files.set_work_aside(left, &mut lines);
        let edited = self.edited_weights().edited_model().map(Arc::clone);
        restore_layers(&mut self.painting, edited.as_deref(), file, &mut lines);
        let placed = Arc::clone(self.placing.joints());
        let has_place = self.edited_weights().edited_model().is_some_and(|model| has_bare_mesh(model));
        if !file.placed.is_empty() && !has_place {
            self.placing.restore(&[], &file.placing);
            lines.push("The joints that were placed by hand are left out: every mesh has a skin.".into());
        } else if !self.placing.restore(&file.placed, &file.placing) {
            lines.push("The joints that were placed by hand make no skeleton.".into());
        }
        if placed != *self.placing.joints() {
            self.history.placed_changed(placed);
        }
        let model = self.model().map_or(model, Arc::clone);
        restore_playback(self.playing(), &model, &file.playback, &mut lines);
        restore_view(self, &model, &file.view, &mut nodes);
        match &file.camera {
            Some(camera) => {
                self.apply(CameraCommand::SetCamera(None));
                self.view.orbit = orbit_of(camera);
                if let Some(index) = camera.through.filter(|index| *index < model.camera_nodes.len()) {
                    self.update_pose();
                    self.apply(CameraCommand::SetCamera(Some(index)));
                }
            }
            None => {
                self.update_pose();
                self.apply(CameraCommand::FrameAll);
            }
        }
        self.update_pose();
        lines.extend(self.control_state().control_faults().into_iter().take(MOST_LINES));
        lines.extend(missing_lines(&nodes.lost, "of the session"));
        lines
    }
}

/// Takes the layers of a session file, where the model is still the one that they were made of.
fn restore_layers(painting: &mut Painting, edited: Option<&Model>, file: &SessionFile, lines: &mut Vec<String>) {
    let Some(form) = &file.weight_layers else {
        if !file.has_other_model {
            // Those that the model's file keeps were taken away in the session.
            painting.take_layers(LayerStack::default());
        }
        return;
    };
    match edited.filter(|_| !file.has_other_model).and_then(|model| layers::fitting(model, form)) {
        Some(layers) => painting.take_layers(layers),
        None => {
            lines.push("The layers of weights do not fit the model: its weights are as they were, in no layers.".into())
        }
    }
}

/// Takes away the limits of the model's file that the user had taken away. An earlier session file does not name them: there they are
/// those that it does not have, where the file of the model is still the same.
fn take_limits_away(rules: &mut PoseRules, file: &SessionFile, nodes: &mut Nodes<'_>) {
    if let Some(keys) = &file.unlimited {
        let removed: BTreeSet<NodeId> = keys.iter().filter_map(|key| nodes.find(key)).collect();
        rules.limits.retain(|node, _| !removed.contains(node));
    } else if !file.has_other_model {
        let limited: BTreeSet<NodeId> = file.limits.keys().filter_map(|key| nodes.find(key)).collect();
        rules.limits.retain(|node, _| limited.contains(node));
    }
}

fn restore_playback(mut playing: Playing<'_>, model: &Model, record: &PlaybackRecord, lines: &mut Vec<String>) {
    playing.playback.in_place = record.in_place;
    playing.apply(&PlaybackCommand::SetSpeed(record.speed.0));
    playing.apply(&PlaybackCommand::SetFps(record.fps.0.clamp(FPS[0], FPS[1])));
    if let Some(mode) = meaning(LOOPS, &record.loop_mode) {
        playing.apply(&PlaybackCommand::SetLoop(mode));
    }
    let is_it = |number: &usize| model.clips.get(*number).map(|clip| &clip.name) == record.clip.as_ref();
    let clip = record.clip.as_ref().and_then(|name| {
        Some(record.clip_number).filter(is_it).or_else(|| model.clips.iter().position(|clip| clip.name == *name))
    });
    let layer = |record: &LayerRecord| {
        let is_it = |clip: &Clip| clip.name == record.clip;
        let numbered = Some(record.clip_number).filter(|n| model.clips.get(*n).is_some_and(is_it));
        numbered.or_else(|| model.clips.iter().position(is_it)).map(ClipId::from_index)
    };
    let fade = record
        .fade
        .as_ref()
        .and_then(|fade| Some(Crossfade { clip: layer(fade)?, weight: fade.weight.0, rise: fade.rise.map(values) }));
    let add = record.add.as_ref().and_then(|add| Some(Additive { clip: layer(add)?, weight: add.weight.0 }));
    let lost = [(&record.fade, fade.is_some()), (&record.add, add.is_some())];
    let named = lost.into_iter().filter(|(_, found)| !found).filter_map(|(record, _)| record.as_ref());
    lines.extend(named.map(|record| format!("There is no clip \"{}\" in the model any more.", record.clip)));
    playing.apply(&PlaybackCommand::SetLayers(Layers { fade, add }));
    let mut source = meaning(SOURCES, &record.pose).unwrap_or_default();
    match (clip, &record.clip) {
        (Some(clip), _) => {
            playing.apply(&PlaybackCommand::SetClip(ClipId::from_index(clip)));
            playing.apply(&PlaybackCommand::Seek(record.time.0));
            playing.playback.returning = record.returning;
        }
        (None, Some(name)) => {
            lines.push(format!("There is no clip \"{name}\" in the model any more."));
            source = crate::PoseSource::Rest;
        }
        (None, None) => {}
    }
    playing.apply(&PlaybackCommand::SetPose(source));
    playing.playback.playing = record.playing && playing.playback.source == crate::PoseSource::Clip;
}

fn restore_view(session: &mut Session, model: &Model, record: &ViewRecord, nodes: &mut Nodes<'_>) {
    let variant = record.variant.as_ref().and_then(|name| model.variants.iter().position(|v| v == name));
    session.apply(ViewCommand::SetVariant(variant));
    session.apply(ViewCommand::SetScene(record.scene));
    let view = &mut session.view;
    view.selected = record.selected.as_ref().and_then(|key| nodes.find(key));
    view.hidden = Arc::new(record.hidden.iter().filter_map(|key| nodes.find(key)).collect());
    view.overlay = record.overlay.as_deref().and_then(inspect::overlay);
    view.look = frame::look(&record.look).unwrap_or(&frame::LOOKS[0]);
    view.environment =
        EnvironmentView { file: record.environment.file.as_ref().map(Into::into), ..EnvironmentView::default() };
    view.environment.turn(record.environment.rotation.0);
    view.environment.expose(record.environment.exposure.0);
    view.tone_map = frame::tone_map(&record.tone_map).unwrap_or(&frame::TONE_MAPS[0]);
    view.ramp = Ramp::choice(&record.ramp).unwrap_or_default();
    view.influence_limit = record.influence_limit.clamp(1, inspect::LIMITS);
    view.distance_scale = record.distance_scale.map(|metres| metres.0).filter(|m| m.is_finite() && *m > 0.0);
    for (toggle, word) in TOGGLES.iter().filter_map(|row| Some((row.toggle, row.word?))) {
        view.set(toggle, record.on.iter().any(|on| on == word));
    }
    let shape = BoneShape::ALL.into_iter().find(|shape| shape.id() == record.bone_shape);
    view.bone_shape = shape.unwrap_or_default();
    view.deforming_only = record.deforming_only;
    let Onion { shown, count, step_frames } = Onion { shown: view.onion.shown, ..Onion::default() };
    let (count, step_frames) = record.onion.map_or((count, step_frames), |(count, step)| (count, step.0));
    view.onion = Onion { shown, count, step_frames }.clamped();
    let [least, most] = View::BONE_SIZES;
    view.bone_size = record.bone_size.0.clamp(least, most);
    view.skin_opacity = record.skin_opacity.0.clamp(0.0, 1.0);
    let (levels, is_first) = record.subdivision.unwrap_or_default();
    view.subdivision = Subdivide { levels: levels.min(deform::MOST_LEVELS), is_first };
    view.lighting = meaning(LIGHTS, &record.lights).unwrap_or_default();
    view.pose_tool = meaning(TOOLS, &record.tool).unwrap_or_default();
    view.orientation = meaning(AXES, &record.axes).unwrap_or_default();
    view.parameters = ParameterSettings::default();
    for parameter in deform::METHODS.iter().flat_map(|m| m.parameters) {
        if let Some(Number(value)) = record.parameters.get(parameter.id) {
            view.parameters.set(parameter, *value);
        }
    }
    for parameter in deform::PASSES.iter().flat_map(|p| p.parameters) {
        if let Some(Number(value)) = record.parameters.get(parameter.id) {
            view.parameters.set(parameter, *value);
        }
    }
    let choice = MethodChoice::named(&record.method).unwrap_or(MethodChoice::of(deform::METHODS[0]));
    session.view.set_method(choice.method.id);
    session.view.set_pass(choice.pass.map(|pass| pass.id));
    session.view.set_normals(deform::normal_mode(&record.normals).unwrap_or(choice.normals).id);
    session.pose.forget_surfaces();
    session.apply(ComparisonCommand::Set(false));
    if let Some(record) = &record.comparison {
        session.apply(ComparisonCommand::Set(true));
        if let Some(comparison) = &mut session.view.comparison {
            restore_comparison(comparison, record);
        }
        comparison::pack(session);
    }
    session.apply(ViewCommand::SetCrowd(record.crowd));
    session.environments.follow(&session.view, session.defers_work);
}

fn restore_comparison(comparison: &mut Comparison, record: &ComparisonRecord) {
    if let Some(choice) = MethodChoice::named(&record.method) {
        let normals = deform::normal_mode(&record.normals).unwrap_or(choice.normals);
        comparison.choice = MethodChoice { normals, ..choice };
    }
    comparison.weights = match record.weights.as_str() {
        "stored" => SideWeights::Stored,
        word => Packing::parse(word).map_or(SideWeights::Shown, SideWeights::Packed),
    };
    comparison.swapped = record.swapped;
    let layout = ComparisonLayout::ALL.into_iter().find(|layout| layout.id() == record.layout);
    comparison.layout = layout.unwrap_or_default();
    comparison.split = record.split.0.clamp(0.0, 1.0);
}

/// Returns the user's own camera as a session file describes it.
fn orbit_of(record: &CameraRecord) -> Orbit {
    let mut orbit = Orbit {
        target: Vec3::from(values(record.target)).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST)),
        yaw: record.yaw.0,
        pitch: record.pitch.0.clamp(-std::f32::consts::FRAC_PI_2, std::f32::consts::FRAC_PI_2),
        distance: record.distance.0,
        orthographic: record.orthographic,
    };
    orbit.zoom(0.0);
    orbit
}

/// Returns a line for each key that has no counterpart, or as many as are listed.
pub(crate) fn missing_lines(lost: &BTreeSet<String>, of: &str) -> Vec<String> {
    let mut lines: Vec<String> =
        lost.iter().take(MOST_LINES).map(|key| format!("The model has nothing for \"{key}\" {of}.")).collect();
    let more = lost.len().saturating_sub(MOST_LINES);
    if more > 0 {
        let names = counted(more, &format!("more name {of} has"), &format!("more names {of} have"));
        lines.push(format!("{names} no counterpart."));
    }
    lines
}
