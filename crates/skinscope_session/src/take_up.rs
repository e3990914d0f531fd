//! Shows what a session file keeps, on the model that is open. A model that has changed since is no reason to lose anything: what
//! still fits it is taken, by names, and the rest is told.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{Affine3A, Quat, Vec3};

use super::kept::skin_of;
use super::session_file::{
    BindRecord, CameraRecord, ClipRecord, ComparisonRecord, EditRecord, LayerRecord, Number, PlaybackRecord,
    SessionFile, SliderRecord, ViewRecord, WeightsRecord, values,
};
use super::words::{AXES, LAYERS, LIGHTS, LOOPS, SOURCES, TOOLS, meaning};
use super::{
    CameraCommand, ChannelValue, ComparisonCommand, ComparisonLayout, Document, Edits, History, MethodChoice, NodeEdit,
    Onion, Orbit, PlaybackCommand, Session, SideWeights, View, ViewCommand,
};
use skinscope_anim::pose::controls::Controls;
use skinscope_anim::pose::{Keys, Limits, PoseFile, resolve};
use skinscope_anim::{Additive, Crossfade, Layers};
use skinscope_base::math::Ramp;
use skinscope_base::words::counted;
use skinscope_deform::{self as deform, ParameterSettings};
use skinscope_edit::Packing;
use skinscope_inspect::{self as inspect, BoneShape};
use skinscope_model::{BindChange, Clip, ClipChange, ClipId, MeshId, Model, NodeId, SkinId, WeightChange};

/// The most pairs of a vertex.
const MOST_PAIRS: usize = 64;

/// The frames per second between which a counter makes sense.
const FPS: [f32; 2] = [0.1, 10_000.0];

/// The most metres from the origin that a camera may turn about.
const FARTHEST: f32 = 1e12;

/// The most lines about what has no counterpart.
const MOST_LINES: usize = 20;

/// What finds the nodes of a session file in the open model.
struct Nodes<'f> {
    found: HashMap<&'f str, NodeId>,
    lost: BTreeSet<String>,
}

impl Nodes<'_> {
    fn find(&mut self, key: &str) -> Option<NodeId> {
        let node = self.found.get(key).copied();
        if node.is_none() {
            self.lost.insert(key.to_owned());
        }
        node
    }
}

impl Session {
    /// Shows `document` as a session file keeps it: nothing stays of what was open before, and there is nothing to undo.
    /// Returns a line for everything of the file that the model has no counterpart for.
    pub fn open_kept(&mut self, document: Document, file: &SessionFile) -> Vec<String> {
        // It would else be taken for a newer version of the open one, whose edits stay.
        self.document = None;
        self.open(document);
        let lines = self.take_up(file);
        self.history = History::default();
        lines
    }

    /// Shows what a session file keeps; its edits are steps that can be undone. Returns a line for everything that the open
    /// model has no counterpart for.
    pub fn take_up(&mut self, file: &SessionFile) -> Vec<String> {
        let Some(model) = self.model().map(Arc::clone) else { return Vec::new() };
        let keys = Keys::of(&model);
        let named = file.joints.keys().chain(file.held.keys()).chain(file.limits.keys()).chain(file.pairs.keys());
        let moved = file.clips.iter().flat_map(|clip| clip.channels.iter().map(|channel| &channel.node));
        let listed = file.pins.iter().chain(&file.locked).chain(&file.view.hidden).chain(&file.view.selected);
        let all: BTreeSet<&str> =
            named.chain(file.pairs.values().flatten()).chain(listed).chain(moved).map(String::as_str).collect();
        let mut nodes = Nodes { found: keys.matches(all.iter().copied()), lost: BTreeSet::new() };
        let mut lines = Vec::new();
        self.choose_tool(None);
        self.take_up_rules(&model, file, &mut nodes);
        let edits = edits(&model, file, &mut nodes);
        if edits != *self.edits {
            self.change_edits(edits);
        }
        self.take_up_skinning_of(&model, &keys, file, &mut lines);
        self.take_up_clips_of(&model, &file.clips, &mut nodes, &mut lines);
        let model = self.model().map_or(model, Arc::clone);
        self.take_up_playback(&model, &file.playback, &mut lines);
        self.take_up_view(&model, &file.view, &mut nodes);
        match &file.camera {
            Some(camera) => self.take_up_camera(camera),
            None => {
                self.update_pose();
                self.apply(CameraCommand::FrameAll);
            }
        }
        self.update_pose();
        lines.extend(self.control_faults().into_iter().take(MOST_LINES));
        let more = nodes.lost.len().saturating_sub(MOST_LINES);
        let told = nodes.lost.iter().take(MOST_LINES);
        lines.extend(told.map(|key| format!("The model has nothing for \"{key}\" of the session.")));
        if more > 0 {
            lines.push(format!(
                "{} no counterpart.",
                counted(more, "more name of the session has", "more names of the session have")
            ));
        }
        lines
    }

    fn take_up_rules(&mut self, model: &Model, file: &SessionFile, nodes: &mut Nodes<'_>) {
        self.rules = self.rules.for_another_model(model);
        self.rules.limits.clear();
        self.rules.symmetric = file.symmetric;
        self.rules.ignores_limits = !file.obey_limits;
        for (key, limits) in &file.limits {
            let Some(node) = nodes.find(key) else { continue };
            let (least, most) = (Vec3::from(values(limits.least)), Vec3::from(values(limits.most)));
            let most = Vec3::select(most.cmplt(least), least, most);
            self.rules.limits.insert(node, Limits { least, most });
        }
        self.rules.pins = file.pins.iter().filter_map(|key| nodes.find(key)).collect();
        self.tools.locked = Arc::new(file.locked.iter().filter_map(|key| nodes.find(key)).collect());
        let mut pairs = Vec::with_capacity(file.pairs.len());
        for (key, partner) in &file.pairs {
            let Some(node) = nodes.find(key) else { continue };
            pairs.push((node, partner.as_ref().and_then(|partner| nodes.find(partner))));
        }
        // All of them are alone before any of them are partners, since each pair ends those before it.
        for (node, _) in &pairs {
            self.set_partner(*node, None);
        }
        for (node, partner) in pairs {
            if partner.is_some() {
                self.set_partner(node, partner);
            }
        }
    }

    fn take_up_skinning_of(&mut self, model: &Arc<Model>, keys: &Keys, file: &SessionFile, lines: &mut Vec<String>) {
        let mut fitting: Vec<WeightChange> = Vec::new();
        let mut lost = 0;
        for record in &file.weights {
            match change(model, keys, record) {
                Some(change) if model.with_weights(std::slice::from_ref(&change)).is_ok() => fitting.push(change),
                _ => lost += 1,
            }
        }
        let binds: Vec<BindChange> = file.binds.iter().filter_map(|record| bind(model, keys, record)).collect();
        self.change_skinning(&fitting, &binds);
        if lost > 0 {
            lines.push(format!(
                "Edited weights of {} the model as it is now, and were left out.",
                counted(lost, "part do not fit", "parts do not fit")
            ));
        }
        if binds.len() < file.binds.len() {
            let lost = file.binds.len() - binds.len();
            lines.push(format!(
                "The model has no joint for {} of the session.",
                counted(lost, "edited inverse bind matrix", "edited inverse bind matrices")
            ));
        }
    }

    /// Adds the clips of a session file. Those that the model has already, since they were saved into its file, are left as they are.
    fn take_up_clips_of(
        &mut self,
        model: &Model,
        records: &[ClipRecord],
        nodes: &mut Nodes<'_>,
        lines: &mut Vec<String>,
    ) {
        let read: Vec<Option<Clip>> = records.iter().map(|record| record.clip(&mut |key| nodes.find(key))).collect();
        let mut lost = read.iter().filter(|clip| clip.is_none()).count();
        let mut fitting: Vec<Clip> = Vec::new();
        for clip in read.into_iter().flatten().filter(|clip| !model.clips.iter().any(|own| own.is_same(clip))) {
            match model.with_clips(vec![clip.clone()]) {
                Ok(_) => fitting.push(Clip { name: model.free_clip_name(&clip.name, None), ..clip }),
                Err(_) => lost += 1,
            }
        }
        if !fitting.is_empty() {
            let change = ClipChange { at: model.added_clips().len(), removed: 0, inserted: fitting };
            self.change_clips(&change, None, self.playback.clip);
        }
        if lost > 0 {
            lines.push(format!(
                "{} the model as it is now; left out.",
                counted(lost, "clip of the session does not fit", "clips of the session do not fit")
            ));
        }
    }

    fn take_up_playback(&mut self, model: &Model, record: &PlaybackRecord, lines: &mut Vec<String>) {
        self.playback.in_place = record.in_place;
        self.play(&PlaybackCommand::SetSpeed(record.speed.0));
        self.play(&PlaybackCommand::SetFps(record.fps.0.clamp(FPS[0], FPS[1])));
        if let Some(mode) = meaning(LOOPS, &record.loop_mode) {
            self.play(&PlaybackCommand::SetLoop(mode));
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
        let fade = record.fade.as_ref().and_then(|fade| {
            Some(Crossfade { clip: layer(fade)?, weight: fade.weight.0, rise: fade.rise.map(values) })
        });
        let add = record.add.as_ref().and_then(|add| Some(Additive { clip: layer(add)?, weight: add.weight.0 }));
        let lost = [(&record.fade, fade.is_some()), (&record.add, add.is_some())];
        let named = lost.into_iter().filter(|(_, found)| !found).filter_map(|(record, _)| record.as_ref());
        lines.extend(named.map(|record| format!("There is no clip \"{}\" in the model any more.", record.clip)));
        self.play(&PlaybackCommand::SetLayers(Layers { fade, add }));
        let mut source = meaning(SOURCES, &record.pose).unwrap_or_default();
        match (clip, &record.clip) {
            (Some(clip), _) => {
                self.play(&PlaybackCommand::SetClip(ClipId::from_index(clip)));
                self.play(&PlaybackCommand::Seek(record.time.0));
                self.playback.returning = record.returning;
            }
            (None, Some(name)) => {
                lines.push(format!("There is no clip \"{name}\" in the model any more."));
                source = super::PoseSource::Rest;
            }
            (None, None) => {}
        }
        self.play(&PlaybackCommand::SetPose(source));
        self.playback.playing = record.playing && self.playback.source == super::PoseSource::Clip;
    }

    fn take_up_view(&mut self, model: &Model, record: &ViewRecord, nodes: &mut Nodes<'_>) {
        let variant = record.variant.as_ref().and_then(|name| model.variants.iter().position(|v| v == name));
        self.apply(ViewCommand::SetVariant(variant));
        self.apply(ViewCommand::SetScene(record.scene));
        let view = &mut self.view;
        view.selected = record.selected.as_ref().and_then(|key| nodes.find(key));
        view.hidden = Arc::new(record.hidden.iter().filter_map(|key| nodes.find(key)).collect());
        view.overlay = record.overlay.as_deref().and_then(inspect::overlay);
        view.ramp = Ramp::choice(&record.ramp).unwrap_or_default();
        view.influence_limit = record.influence_limit.clamp(1, inspect::LIMITS);
        for (word, layer) in LAYERS {
            if view.is_on(*layer) != record.on.iter().any(|on| on == word) {
                view.toggle(*layer);
            }
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
        self.set_method(choice.method.id);
        self.set_pass(choice.pass.map(|pass| pass.id));
        self.set_normals(deform::normal_mode(&record.normals).unwrap_or(choice.normals).id);
        self.apply(ComparisonCommand::Set(false));
        if let Some(record) = &record.comparison {
            self.take_up_comparison(record);
        }
        self.apply(ViewCommand::SetCrowd(record.crowd));
    }

    fn take_up_comparison(&mut self, record: &ComparisonRecord) {
        self.apply(ComparisonCommand::Set(true));
        let Some(comparison) = &mut self.view.comparison else { return };
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
        self.pack();
    }

    fn take_up_camera(&mut self, record: &CameraRecord) {
        let mut orbit = Orbit {
            target: Vec3::from(values(record.target)).clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST)),
            yaw: record.yaw.0,
            pitch: record.pitch.0.clamp(-std::f32::consts::FRAC_PI_2, std::f32::consts::FRAC_PI_2),
            distance: record.distance.0,
            orthographic: record.orthographic,
        };
        orbit.zoom(0.0);
        self.apply(CameraCommand::SetCamera(None));
        self.view.orbit = orbit;
        let count = self.model().map_or(0, |model| model.camera_nodes.len());
        if let Some(index) = record.through.filter(|index| *index < count) {
            self.update_pose();
            self.apply(CameraCommand::SetCamera(Some(index)));
        }
    }
}

/// Returns the edits of the pose that a session file has, with its controls.
fn edits(model: &Model, file: &SessionFile, nodes: &mut Nodes<'_>) -> Edits {
    let mut out = Edits::default();
    for (key, record) in &file.joints {
        let Some(node) = nodes.find(key) else { continue };
        let edit = edit(record);
        if edit != NodeEdit::default() {
            out.nodes.insert(node, edit);
        }
    }
    let targets = |targets: &BTreeMap<String, Number>| targets.iter().map(|(t, w)| (t.clone(), w.0)).collect();
    let morphs = file.morphs.iter().map(|(key, of)| (key.clone(), targets(of))).collect();
    let said = resolve(model, &PoseFile { morphs, ..PoseFile::default() });
    nodes.lost.extend(said.unmatched);
    out.morphs = said.morphs.into_iter().collect();
    for (key, record) in &file.held {
        if let Some(node) = nodes.find(key) {
            out.held.insert(node, Affine3A::from_cols_array(&values(record.matrix)));
        }
    }
    let sliders = file.sliders.iter().map(SliderRecord::slider).collect();
    out.controls = Arc::new(Controls { sliders, drivers: Arc::new(file.drivers.clone()) });
    out
}

fn edit(record: &EditRecord) -> NodeEdit {
    let mut edit = NodeEdit::default();
    if let Some(angles) = record.angles {
        edit.set(ChannelValue::Rotation(values(angles).into()));
    }
    // A rotation of length 0 is none.
    if let Some(rotation) =
        record.rotation.map(|q| Quat::from_array(values(q))).filter(|q| *q != Quat::from_array([0.0; 4]))
    {
        edit.set(ChannelValue::Quaternion(rotation));
    }
    edit.translation = record.translation.map(|v| values(v).into());
    edit.scale = record.scale.map(|v| values(v).into());
    edit
}

/// Returns a change of an inverse bind matrix; `None` where the skin has no such joint.
fn bind(model: &Model, keys: &Keys, record: &BindRecord) -> Option<BindChange> {
    let skin = model.skins.get(record.skin as usize)?;
    let is_it = |place: &usize| skin.joints.get(*place).is_some_and(|joint| keys.key(*joint) == record.joint);
    let renamed = || {
        let node = keys.matches(std::iter::once(record.joint.as_str())).get(record.joint.as_str()).copied()?;
        skin.joints.iter().position(|joint| *joint == node)
    };
    let place = Some(record.place).filter(is_it).or_else(renamed)?;
    let matrix = Affine3A::from_cols_array(&values(record.matrix));
    Some(BindChange { skin: SkinId(record.skin), place, matrix, restored: false })
}

/// Returns a change of weights; `None` where the model has no such primitive, or another number of vertices in it, or lacks a
/// joint, or where the record is broken.
fn change(model: &Model, keys: &Keys, record: &WeightsRecord) -> Option<WeightChange> {
    let primitive = model.meshes.get(record.mesh as usize)?.primitives.get(record.primitive)?;
    if primitive.stored_vertices != record.stored_vertices || !(1..=MOST_PAIRS).contains(&record.per_vertex) {
        return None;
    }
    let mut change = WeightChange::new(MeshId(record.mesh), record.primitive, record.per_vertex);
    let bytes = |text: &str| STANDARD.decode(text).ok();
    change.vertices = bytes(&record.vertices)?.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    change.joints = bytes(&record.joints)?.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b)).collect();
    change.weights = bytes(&record.weights)?.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    if change.vertices.len() > record.stored_vertices {
        return None;
    }
    let joints = skin_of(model, &change).map(|skin| &model.skins[skin.index()].joints);
    let is_same =
        |joints: &Vec<NodeId>| joints.iter().map(|joint| keys.key(*joint)).eq(record.skin.iter().map(String::as_str));
    if let Some(joints) = joints.filter(|joints| !is_same(joints)) {
        let found = keys.matches(record.skin.iter().map(String::as_str));
        let place = |key: &String| joints.iter().position(|joint| found.get(key.as_str()) == Some(joint));
        let places: Vec<Option<usize>> = record.skin.iter().map(place).collect();
        // A joint that has no weight need not be there.
        for (joint, weight) in change.joints.iter_mut().zip(&change.weights) {
            let now = places.get(usize::from(*joint)).copied().flatten();
            *joint = match now.and_then(|now| u16::try_from(now).ok()) {
                Some(now) => now,
                None if *weight == 0.0 => 0,
                None => return None,
            };
        }
    }
    Some(change)
}
