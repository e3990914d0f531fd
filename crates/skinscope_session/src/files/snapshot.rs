//! What a session file keeps of a session: edits of pose, weights and inverse bind matrices, limits, pins and pairs, controls, and how all that is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Affine3A;
use skinscope_anim::pose::{Keys, target_key};
use skinscope_deform::{METHODS, PASSES};
use skinscope_edit::{EditedVertices, Identities, PlacedJoint, Settings, bind_envelopes, paths_of, skin_of};
use skinscope_inspect::VertexSet;
use skinscope_model::{ClipId, Model, NodeId, SkinId, WeightChange};
use skinscope_paint::LayerStack;

use crate::document::FoundMirror;
use crate::files::session_file::{
    BindRecord, BindingRecord, CameraRecord, ClipFileRecord, ClipRecord, ComparisonRecord, EditRecord,
    EnvironmentRecord, HeldRecord, LayerRecord, LimitsRecord, MeshRecord, Number, PlaybackRecord, SessionFile,
    SliderRecord, ViewRecord, WeightsRecord, WorkRecord, absolute, numbers,
};
use crate::files::words::{AXES, LIGHTS, LOOPS, SOURCES, TOOLS, word};
use crate::painting::layers::form_of;
use crate::placing::placed_how::PlacedHow;
use crate::playback::clip_names::new_names;
use crate::{
    ClipFile, Comparison, Edits, MethodChoice, NodeEdit, Onion, Playback, PoseRules, SideWeights, TOGGLES, Unsaved,
    View,
};

/// What a session file keeps, as it is at one time; cheap to take.
#[derive(Clone, Debug)]
pub struct SessionSnapshot {
    path: Option<PathBuf>,
    /// The name of the model's file, where it is not that of `model`.
    name: Option<String>,
    /// The model with edited weights and matrices.
    model: Arc<Model>,
    edits: Arc<Edits>,
    rules: PoseRules,
    found: FoundMirror,
    locked: Arc<BTreeSet<NodeId>>,
    /// The settings of tools.
    tools: Arc<Settings>,
    /// What was marked by hand.
    marked: Arc<VertexSet>,
    clip_files: Arc<Vec<ClipFile>>,
    /// The layers of weights.
    layers: LayerStack,
    /// The joints that are placed by hand, and how they are bound.
    placed: (Arc<Vec<PlacedJoint>>, PlacedHow),
    /// Work that does not fit the model.
    aside: Arc<Vec<WorkRecord>>,
    view: View,
    playback: Playback,
}

impl Unsaved<'_> {
    /// Returns what a session file keeps of this session; `None` where nothing is open.
    #[must_use]
    pub fn snapshot(self) -> Option<SessionSnapshot> {
        // An example is no file, and is as it was when it is opened again.
        let document = self.document.filter(|document| document.lesson().is_none())?;
        let (edits, playback) = self.own_pose();
        if self.rules.has_own_pairs() {
            // What the user has changed is known from what was found, which a document that was opened just now has not looked for yet.
            _ = document.mirror();
        }
        Some(SessionSnapshot {
            path: document.path.clone(),
            name: None,
            model: Arc::clone(self.weights.edited_model()?),
            edits,
            rules: self.rules.clone(),
            found: document.found_mirror(),
            locked: Arc::clone(&self.tools.locked),
            tools: Arc::clone(&self.tools.settings),
            marked: self.own_marks().map(Arc::clone).unwrap_or_default(),
            clip_files: Arc::clone(&self.files.clip_files),
            layers: self.layers.clone(),
            placed: (Arc::clone(self.placed), self.placing.clone()),
            aside: Arc::clone(&self.files.aside),
            view: self.view.clone(),
            playback: playback.clone(),
        })
    }
}

impl Unsaved<'_> {
    /// Returns what is set aside while an example is open, as a session file of the first model that it is of; `None` where nothing is.
    #[must_use]
    pub fn snapshot_of_aside(self) -> Option<SessionSnapshot> {
        let (document, first) = (self.document?, self.files.aside.first()?);
        Some(SessionSnapshot {
            path: first.path.as_ref().map(PathBuf::from),
            name: Some(first.model.clone()),
            model: Arc::clone(document.stored()),
            edits: Arc::default(),
            rules: PoseRules::default(),
            found: FoundMirror::default(),
            locked: Arc::default(),
            tools: Arc::default(),
            marked: Arc::default(),
            clip_files: Arc::default(),
            layers: LayerStack::default(),
            placed: (Arc::default(), PlacedHow::default()),
            aside: Arc::clone(&self.files.aside),
            view: View::default(),
            playback: Playback::default(),
        })
    }
}

impl SessionSnapshot {
    /// Returns the name of the model's file.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.model.source.name)
    }

    /// Returns the model's file; `None` for the built-in character.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the model, with edited weights.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns how many vertices have edited weights.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.model.weight_edits().count(&self.model)
    }

    /// Returns how many clips the file does not have.
    #[must_use]
    pub fn clips(&self) -> usize {
        self.model.added_clips().len()
    }

    /// Returns how many inverse bind matrices are edited.
    #[must_use]
    pub fn binds(&self) -> usize {
        self.model.bind_edits().count()
    }

    /// Returns how many joints are placed that are no nodes yet.
    #[must_use]
    pub fn placed(&self) -> usize {
        self.placed.0.len()
    }

    /// Returns how many nodes and morph weights have an edited pose.
    #[must_use]
    pub fn posed(&self) -> usize {
        self.edits.nodes.len() + self.edits.morphs.len() + self.edits.held.len()
    }

    /// Returns how many sliders and controls there are.
    #[must_use]
    pub fn controls(&self) -> usize {
        self.edits.controls.sliders.len() + self.edits.controls.drivers.len()
    }

    /// Returns how many joints have limits or pins, and how many nodes another partner than was found.
    #[must_use]
    pub fn ruled(&self) -> usize {
        self.rules.limits.len() + self.rules.pins.len() + self.pairs().len()
    }

    /// Returns how many vertices were marked by hand.
    #[must_use]
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    /// Returns of how many joints of other files' clips something was said by hand that no file has.
    #[must_use]
    pub fn names(&self) -> usize {
        new_names(&self.clip_files)
    }

    /// Returns how many things are set aside that the model has no place for.
    #[must_use]
    pub fn set_aside(&self) -> usize {
        self.aside.iter().map(|work| work.contents().count()).sum()
    }

    /// Returns whether both are about one file with the same edits of weights and inverse bind matrices and the same added
    /// clips.
    #[must_use]
    pub(crate) fn has_same_model(&self, other: &Self) -> bool {
        self.has_model_of(other.path.as_deref(), &other.model)
    }

    /// Returns whether this is about the file at `path` with the edits and added clips of `model`.
    pub(crate) fn has_model_of(&self, path: Option<&Path>, model: &Model) -> bool {
        let same_weights = self.model.weight_edits().is_same(model.weight_edits());
        let same_binds = self.model.bind_edits() == model.bind_edits();
        let same_binds = same_binds && self.model.has_bindings_of(model) && self.model.has_shapes_of(model);
        self.path.as_deref() == path && same_weights && same_binds && self.model.has_same_added_clips(model)
    }

    /// Returns whether both are about one file with the same edits, added clips, limits, pins and pairs, the same marks and the same work that
    /// is set aside, however it is looked at.
    #[must_use]
    pub fn has_same_work(&self, other: &Self) -> bool {
        let same_edits = Arc::ptr_eq(&self.edits, &other.edits) || self.edits == other.edits;
        let same_rest = self.has_marks(Some(&other.marked)) && self.has_aside(&other.aside);
        let same_rest = same_rest && self.has_clip_files(&other.clip_files) && self.has_layers(&other.layers);
        let same_rest = same_rest && self.has_placed(&other.placed.0, &other.placed.1);
        self.has_same_model(other) && same_edits && self.rules.are_same(&other.rules) && same_rest
    }

    /// Returns whether these joints are placed by hand, and where there are some, whether they are bound like this.
    pub(crate) fn has_placed(&self, placed: &Arc<Vec<PlacedJoint>>, how: &PlacedHow) -> bool {
        let (own, own_how) = &self.placed;
        (Arc::ptr_eq(own, placed) || own == placed) && (placed.is_empty() || own_how == how)
    }

    /// Returns whether these vertices are marked by hand, or with `None` none at all.
    pub(crate) fn has_marks(&self, marked: Option<&Arc<VertexSet>>) -> bool {
        marked.map_or(self.marked.is_empty(), |marked| Arc::ptr_eq(&self.marked, marked) || self.marked == *marked)
    }

    pub(crate) fn has_clip_files(&self, files: &Arc<Vec<ClipFile>>) -> bool {
        Arc::ptr_eq(&self.clip_files, files) || self.clip_files == *files
    }

    pub(crate) fn has_layers(&self, layers: &LayerStack) -> bool {
        self.layers.is_same_as(layers)
    }

    pub(crate) fn has_aside(&self, aside: &Arc<Vec<WorkRecord>>) -> bool {
        Arc::ptr_eq(&self.aside, aside) || self.aside == *aside
    }

    /// Returns the same with another model: the same one with other edits.
    pub(crate) fn with_model(&self, model: Arc<Model>) -> Self {
        Self { model, ..self.clone() }
    }

    /// Returns the keys of the nodes that have other limits than the file gives to them.
    pub(crate) fn own_limits(&self) -> BTreeSet<String> {
        let keys = Keys::of(&self.model);
        let own = self.rules.limits.keys().filter(|node| self.rules.has_own_limits(**node));
        own.filter(|node| node.index() < self.model.skeleton.len()).map(|node| keys.key(*node).to_owned()).collect()
    }

    pub(crate) fn edits(&self) -> &Arc<Edits> {
        &self.edits
    }

    pub(crate) fn rules(&self) -> &PoseRules {
        &self.rules
    }

    /// Returns the content of the session file; it names no model yet ([`SessionFile::set_model`]).
    #[must_use]
    pub fn file(&self) -> SessionFile {
        let keys = Keys::of(&self.model);
        let key = |node: &NodeId| keys.key(*node).to_owned();
        let limits = |limits: &skinscope_anim::pose::Limits| LimitsRecord {
            least: numbers(limits.least.to_array()),
            most: numbers(limits.most.to_array()),
        };
        let held = |(node, at): (&NodeId, &Affine3A)| (key(node), HeldRecord { matrix: numbers(at.to_cols_array()) });
        let known = |node: &NodeId| node.index() < self.model.skeleton.len();
        let alone =
            |(node, partner): (NodeId, NodeId)| (key(&node), Some(partner).filter(|p| *p != node).map(|p| key(&p)));
        let (weights, marked, meshes) = self.vertices_of(&keys);
        let mut file = SessionFile {
            joints: self.edits.nodes.iter().filter(|(node, _)| known(node)).map(|(n, e)| (key(n), edit(e))).collect(),
            morphs: self.morphs(&keys),
            held: self.edits.held.iter().filter(|(node, _)| known(node)).map(held).collect(),
            sliders: self.edits.controls.sliders.iter().map(SliderRecord::of).collect(),
            drivers: self.edits.controls.drivers.to_vec(),
            weights,
            marked,
            meshes,
            set_aside: self.aside.to_vec(),
            weight_layers: form_of(&self.model, &self.layers),
            placed: self.placed.0.to_vec(),
            placing: self.placed.1.clone(),
            clip_files: self.clip_files.iter().filter_map(ClipFileRecord::of).collect(),
            clips: self.model.added_clips().iter().map(|clip| ClipRecord::of(clip, &key)).collect(),
            binds: self.model.bind_edits().all().map(|bind| self.bind(&keys, bind)).collect(),
            // What is set aside of another model is with its own work.
            bindings: if self.name.is_none() { BindingRecord::all_of(&self.model, 0) } else { Vec::new() },
            symmetric: self.rules.symmetric,
            obey_limits: !self.rules.ignores_limits,
            limits: self
                .rules
                .limits
                .iter()
                .filter(|(node, _)| known(node))
                .map(|(n, l)| (key(n), limits(l)))
                .collect(),
            unlimited: Some(self.rules.removed_limits().filter(|node| known(node)).map(|node| key(&node)).collect()),
            pins: self.rules.pins.iter().filter(|node| known(node)).map(key).collect(),
            pairs: self.pairs().into_iter().map(alone).collect(),
            locked: self.locked.iter().filter(|node| known(node)).map(key).collect(),
            envelopes: bind_envelopes(&self.tools),
            playback: self.playback(),
            // The whole model is framed where it is not known how it was looked at.
            camera: if self.name.is_none() { camera(&self.view) } else { None },
            view: view(&self.view, &key, Some(&self.model)),
            ..SessionFile::default()
        };
        let work = file.work("", None);
        let skins = work.weights.iter().flat_map(|record| record.skin.iter().map(String::as_str));
        let listed = file.view.hidden.iter().chain(&file.view.selected).map(String::as_str);
        file.paths = paths_of(&self.model, work.names().chain(skins).chain(listed));
        file
    }

    /// Returns the nodes whose partner is not the one that was found, with the partner that they have.
    fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let Some((own, found)) = self.rules.own_pairs().zip(self.found.get()) else { return Vec::new() };
        let nodes = (0..self.model.skeleton.len()).map(NodeId::from_index);
        nodes.filter(|n| own.partner(*n) != found.mirror.partner(*n)).map(|n| (n, own.partner(n))).collect()
    }

    fn morphs(&self, keys: &Keys) -> BTreeMap<String, BTreeMap<String, Number>> {
        let mut out: BTreeMap<String, BTreeMap<String, Number>> = BTreeMap::new();
        for instance in &self.model.instances {
            let count = self.model.meshes[instance.mesh.index()].morph_names.len();
            let first = instance.morph_offset;
            for (index, weight) in self.edits.morphs.range(first..first + count) {
                let target = target_key(&self.model, instance, index - first);
                out.entry(keys.key(instance.node).to_owned()).or_default().insert(target, Number(*weight));
            }
        }
        out
    }

    /// The edited and the marked vertices, and the meshes of the model where there are some.
    fn vertices_of(&self, keys: &Keys) -> (Vec<WeightsRecord>, Vec<WeightsRecord>, Vec<MeshRecord>) {
        let changes = self.model.edited_weights();
        if changes.is_empty() && self.marked.is_empty() {
            return Default::default();
        }
        let identities = Identities::of(&self.model);
        let edited = |change: &WeightChange| {
            let skin = skin_of(&self.model, change.mesh).map(|skin| &self.model.skins[skin.index()].joints);
            let list = identities.list(&self.model, change.mesh, change.primitive, &change.vertices);
            WeightsRecord::of(&EditedVertices {
                list,
                skin: skin.into_iter().flatten().map(|joint| keys.key(*joint).to_owned()).collect(),
                per_vertex: change.per_vertex,
                joints: change.joints.clone(),
                weights: change.weights.clone(),
            })
        };
        let marked = |part: &skinscope_inspect::VertexPart| {
            let list = identities.list(&self.model, part.mesh, part.primitive, &part.vertices);
            WeightsRecord::of(&EditedVertices { list, ..EditedVertices::default() })
        };
        let marked = self.marked.parts.iter().map(marked).filter(|record| record.count() > 0).collect();
        (changes.iter().map(edited).collect(), marked, identities.meshes.iter().map(MeshRecord::of).collect())
    }

    fn bind(&self, keys: &Keys, (skin, joint_index, matrix): (SkinId, usize, Affine3A)) -> BindRecord {
        let joint = self.model.skins[skin.index()].joints[joint_index];
        let stored = self.model.stored_skins()[skin.index()].inverse_bind[joint_index];
        let stored = Some(numbers(stored.to_cols_array())).filter(|_| stored.is_finite());
        let matrix = numbers(matrix.to_cols_array());
        BindRecord { skin: skin.0, joint_index, joint: keys.key(joint).to_owned(), matrix, stored }
    }

    fn layer(&self, clip: ClipId, weight: f32, rise: Option<[f32; 2]>) -> Option<LayerRecord> {
        let name = self.model.clips.get(clip.index())?.name.clone();
        Some(LayerRecord { clip: name, clip_number: clip.index(), weight: Number(weight), rise: rise.map(numbers) })
    }

    fn playback(&self) -> PlaybackRecord {
        let clip = self.playback.clip.and_then(|clip| Some((clip, self.model.clips.get(clip.index())?)));
        PlaybackRecord {
            clip: clip.map(|(_, clip)| clip.name.clone()),
            clip_number: clip.map_or(0, |(id, _)| id.index()),
            fade: self.playback.layers.fade.and_then(|fade| self.layer(fade.clip, fade.weight, fade.rise)),
            add: self.playback.layers.add.and_then(|add| self.layer(add.clip, add.weight, None)),
            ..playback(&self.playback)
        }
    }
}

fn edit(edit: &NodeEdit) -> EditRecord {
    let finite = |v: &glam::Vec3| v.is_finite();
    let rotation = edit.quaternion.filter(|q| q.is_finite());
    EditRecord {
        translation: edit.translation.filter(finite).map(|v| numbers(v.to_array())),
        far: edit.far.filter(|v| v.is_finite()).map(|v| v.to_array()),
        rotation: rotation.map(|q| numbers(q.to_array())),
        // Those of a quaternion follow from it.
        angles: edit.rotation.filter(finite).filter(|_| rotation.is_none()).map(|v| numbers(v.to_array())),
        scale: edit.scale.filter(finite).map(|v| numbers(v.to_array())),
    }
}

fn camera(view: &View) -> Option<CameraRecord> {
    let orbit = view.orbit;
    let finite = orbit.target.is_finite() && [orbit.yaw, orbit.pitch, orbit.distance].iter().all(|v| v.is_finite());
    finite.then(|| CameraRecord {
        target: numbers(orbit.target.to_array()),
        yaw: Number(orbit.yaw),
        pitch: Number(orbit.pitch),
        distance: Number(orbit.distance),
        orthographic: orbit.orthographic,
        through: view.through.map(|camera| camera.index),
    })
}

fn playback(playback: &Playback) -> PlaybackRecord {
    PlaybackRecord {
        pose: word(SOURCES, &playback.source),
        clip: None,
        clip_number: 0,
        time: Number(playback.time_secs),
        playing: playback.playing,
        speed: Number(playback.speed),
        loop_mode: word(LOOPS, &playback.loop_mode),
        returning: playback.returning,
        fps: Number(playback.fps),
        in_place: playback.in_place,
        fade: None,
        add: None,
    }
}

fn view(view: &View, key: &dyn Fn(&NodeId) -> String, model: Option<&Model>) -> ViewRecord {
    let known = |node: &NodeId| model.is_some_and(|model| node.index() < model.skeleton.len());
    let all = METHODS.iter().flat_map(|m| m.parameters).chain(PASSES.iter().flat_map(|p| p.parameters));
    let parameters = all.map(|p| (p, view.parameters.get(p))).filter(|(p, value)| *value != p.default);
    ViewRecord {
        scene: view.scene,
        variant: view.variant.and_then(|v| model?.variants.get(v).cloned()),
        selected: view.selected.filter(known).map(|node| key(&node)),
        hidden: view.hidden.iter().filter(|node| known(node)).map(key).collect(),
        overlay: view.overlay.map(|overlay| overlay.id.to_owned()),
        look: view.look.id.to_owned(),
        tone_map: view.tone_map.id.to_owned(),
        environment: EnvironmentRecord {
            file: absolute(view.environment.file.as_deref()),
            rotation: Number(view.environment.rotation),
            exposure: Number(view.environment.exposure),
        },
        ramp: view.ramp.id().to_owned(),
        influence_limit: view.influence_limit,
        distance_scale: view.distance_scale.map(Number),
        method: view.choice().id(),
        normals: view.normals.id.to_owned(),
        parameters: parameters.map(|(p, value)| (p.id.to_owned(), Number(value))).collect(),
        comparison: view.comparison.as_ref().map(comparison),
        on: TOGGLES.iter().filter(|row| view.is_on(row.toggle)).filter_map(|row| row.word).map(str::to_owned).collect(),
        bone_shape: view.bone_shape.id().to_owned(),
        bone_size: Number(view.bone_size),
        onion: Some(view.onion)
            .filter(|onion| Onion { shown: false, ..*onion } != Onion::default())
            .map(|onion| (onion.count, Number(onion.step_frames))),
        deforming_only: view.deforming_only,
        skin_opacity: Number(view.skin_opacity),
        lights: word(LIGHTS, &view.lighting),
        crowd: view.crowd,
        subdivision: view.subdivision.kept(),
        tool: word(TOOLS, &view.pose_tool),
        axes: word(AXES, &view.orientation),
    }
}

fn comparison(comparison: &Comparison) -> ComparisonRecord {
    let MethodChoice { normals, .. } = comparison.choice;
    ComparisonRecord {
        method: comparison.choice.id(),
        normals: normals.id.to_owned(),
        weights: match comparison.weights {
            SideWeights::Shown => "shown".into(),
            SideWeights::Stored => "stored".into(),
            SideWeights::Packed(packing) => packing.id(),
        },
        swapped: comparison.swapped,
        layout: comparison.layout.id().to_owned(),
        split: Number(comparison.split),
    }
}

impl Default for PlaybackRecord {
    fn default() -> Self {
        playback(&Playback::default())
    }
}

impl Default for ViewRecord {
    fn default() -> Self {
        view(&View::default(), &|_| String::new(), None)
    }
}
