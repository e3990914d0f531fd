//! What a person has made that no file has: one list for the title, for every way out, and for what is written down for the case of a crash.

use std::sync::Arc;

use skinscope_base::words::counted_all;
use skinscope_edit::PlacedJoint;
use skinscope_paint::LayerStack;

use crate::placing::placed_how::PlacedHow;
use crate::playback::clip_names::new_names;
use crate::{
    Document, EditedWeights, Edits, Files, Marking, Model, Playback, PoseRules, Session, SessionSnapshot,
    StateBeforeFinding, Tools, View,
};

/// How much was made that is in no file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnsavedWork {
    /// Vertices with edited weights.
    pub vertices: usize,
    /// Joints with edited inverse bind matrices.
    pub binds: usize,
    /// Meshes that gained a skin.
    pub bindings: usize,
    /// Meshes with other morph targets.
    pub shapes: usize,
    /// Clips that the file does not have.
    pub clips: usize,
    /// Nodes and morph targets with an edited pose.
    pub posed: usize,
    /// Sliders and controls.
    pub controls: usize,
    /// Joints with limits of their own.
    pub limits: usize,
    /// Pinned joints.
    pub pins: usize,
    /// Whether nodes have other partners than were found.
    pub has_pairs: bool,
    /// Vertices that were marked by hand.
    pub marks: usize,
    /// Joints of other files' clips of which somebody said which joints they are here.
    pub names: usize,
    /// Layers of weights: the file of the model has what they make together alone.
    pub layers: usize,
    /// Joints that were placed by hand and are no nodes yet.
    pub placed: usize,
    /// Things that are set aside, since they do not fit the model.
    pub set_aside: usize,
    /// What was taken away again since the session file was saved.
    pub is_less: bool,
}

impl UnsavedWork {
    /// Returns whether nothing is unsaved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether some of it can be written into the file of the model.
    #[must_use]
    pub fn fits_model(&self) -> bool {
        self.vertices + self.binds + self.bindings + self.shapes + self.clips > 0
    }

    /// Returns it without what can be written into the file of the model.
    #[must_use]
    pub fn without_model(self) -> Self {
        Self { vertices: 0, binds: 0, bindings: 0, shapes: 0, clips: 0, ..self }
    }

    /// Returns what there is, each kind in some words.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        counted_all(&[
            (self.vertices, "vertex with other weights than the file", "vertices with other weights than the file"),
            (self.binds, "joint with another bind matrix", "joints with other bind matrices"),
            (self.bindings, "mesh with a new skin", "meshes with new skins"),
            (self.shapes, "mesh with other morph targets", "meshes with other morph targets"),
            (self.clips, "new clip", "new clips"),
            (self.posed, "posed node or morph target", "posed nodes and morph targets"),
            (self.controls, "slider or control", "sliders and controls"),
            (self.limits, "joint with limits", "joints with limits"),
            (self.pins, "pinned joint", "pinned joints"),
            (usize::from(self.has_pairs), "change of left and right partners", ""),
            (self.marks, "vertex marked by hand", "vertices marked by hand"),
            (self.names, "joint of clips with a counterpart by hand", "joints of clips with counterparts by hand"),
            (self.layers, "layer of weights", "layers of weights"),
            (self.placed, "placed joint", "placed joints"),
            (self.set_aside, "thing that was set aside", "things that were set aside"),
        ])
    }
}

/// Which kinds of work are in no file.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    weights: bool,
    pose: bool,
    controls: bool,
    rules: bool,
    marks: bool,
    names: bool,
    layers: bool,
    placed: bool,
    aside: bool,
    /// The session file has something that is not there any more.
    less: bool,
}

/// What was made since the model was opened, and which of it no file has.
#[derive(Clone, Copy, Debug)]
pub struct Unsaved<'a> {
    pub(crate) document: Option<&'a Document>,
    pub(crate) model: Option<&'a Arc<Model>>,
    pub(crate) weights: EditedWeights<'a>,
    pub(crate) view: &'a View,
    pub(crate) playback: &'a Playback,
    pub(crate) edits: &'a Arc<Edits>,
    pub(crate) rules: &'a PoseRules,
    pub(crate) tools: &'a Tools,
    pub(crate) marking: &'a Marking,
    pub(crate) files: &'a Files,
    pub(crate) layers: &'a LayerStack,
    /// The layers that the file of the model has too.
    pub(crate) layers_in_file: &'a LayerStack,
    /// The joints that are placed by hand.
    pub(crate) placed: &'a Arc<Vec<PlacedJoint>>,
    /// How these are bound.
    pub(crate) placing: &'a PlacedHow,
    pub(crate) before_finding: Option<&'a StateBeforeFinding>,
    pub(crate) is_example: bool,
}

impl Files {
    /// A session file has been written, or opened, and is the open one from now on; `None`: none is open.
    pub fn note_session_saved(&mut self, holds: Option<SessionSnapshot>) {
        self.session_file = holds.map(Box::new);
    }
}

impl Unsaved<'_> {
    /// Returns how much was made that neither the file of the model nor the open session file nor a pose file has.
    #[must_use]
    pub fn unsaved_work(self) -> UnsavedWork {
        let kinds = self.unsaved_kinds();
        let when = |is: bool, count: usize| if is { count } else { 0 };
        let (edits, _) = self.own_pose();
        let controls = edits.controls.sliders.len() + edits.controls.drivers.len();
        UnsavedWork {
            vertices: when(kinds.weights, self.unsaved_vertices()),
            binds: when(kinds.weights, self.unsaved_binds()),
            bindings: when(kinds.weights, self.unsaved_bindings()),
            shapes: when(kinds.weights, self.unsaved_shapes()),
            clips: when(kinds.weights, self.unsaved_clips()),
            posed: when(kinds.pose, edits.nodes.len() + edits.morphs.len() + edits.held.len()),
            controls: when(kinds.controls, controls),
            limits: when(kinds.rules, self.rules.own_limits()),
            pins: when(kinds.rules, self.rules.pins.len()),
            has_pairs: kinds.rules && self.rules.has_own_pairs(),
            marks: when(kinds.marks, self.own_marks().map_or(0, |marked| marked.len())),
            names: when(kinds.names, new_names(&self.files.clip_files)),
            layers: when(kinds.layers, self.layers.layers().len()),
            placed: when(kinds.placed, self.placed.len()),
            set_aside: when(kinds.aside, self.files.aside.iter().map(|work| work.contents().count()).sum()),
            is_less: kinds.less,
        }
    }

    /// Returns whether there is any unsaved work. This is cheap enough for every picture.
    #[must_use]
    pub fn has_unsaved_work(self) -> bool {
        let Kinds { weights, pose, controls, rules, marks, names, layers, placed, aside, less } = self.unsaved_kinds();
        weights || pose || controls || rules || marks || names || layers || placed || aside || less
    }

    /// Returns whether showing `document` would lose what was made since it was asked for. `given_up` is all that there was then, which was saved or
    /// given up. A newer version of the open file keeps all, unless it is shown `as_session`: as a session file has it. What is set aside
    /// stays in any case.
    #[must_use]
    pub fn loses_by(self, document: &Document, as_session: bool, given_up: Option<&SessionSnapshot>) -> bool {
        let work = UnsavedWork { set_aside: 0, ..self.unsaved_work() };
        let was_there = || self.snapshot().zip(given_up).is_some_and(|(now, then)| now.has_same_work(then));
        (as_session || !self.is_newer_version(document)) && !work.is_empty() && !was_there()
    }

    /// Returns whether anything was made that the file of the model does not have, whatever session or pose file does. A teaching example has no
    /// such work.
    #[must_use]
    pub fn has_work(self) -> bool {
        let (edits, _) = self.own_pose();
        let is_posed = !edits.is_empty() || !edits.controls.is_empty();
        let is_edited = self.has_unsaved_edits() || is_posed || self.rules.has_own() || self.has_own_layers();
        !self.is_example && is_edited
            || self.own_marks().is_some()
            || !self.placed.is_empty()
            || new_names(&self.files.clip_files) > 0
            || !self.files.aside.is_empty()
    }

    /// Whether there are layers of weights that the file of the model does not have like that.
    fn has_own_layers(self) -> bool {
        !self.layers.is_empty() && !self.layers.is_same_as(self.layers_in_file)
    }

    fn unsaved_kinds(self) -> Kinds {
        let aside = !self.files.aside.is_empty();
        if self.is_example || self.document.is_none() {
            return Kinds { aside, ..Kinds::default() };
        }
        let (edits, _) = self.own_pose();
        let is_posed = has_pose(&edits) && !has_same_pose(&edits, &self.files.pose_in_file);
        let mut kinds = Kinds {
            weights: self.has_unsaved_edits(),
            pose: is_posed,
            controls: !self.edits.controls.is_empty(),
            rules: self.rules.has_own(),
            marks: self.own_marks().is_some(),
            names: new_names(&self.files.clip_files) > 0,
            layers: self.has_own_layers(),
            placed: !self.placed.is_empty(),
            aside,
            less: false,
        };
        if let Some(saved) = &self.files.session_file {
            let path = self.document.and_then(|document| document.path.as_deref());
            let same_model = self.weights.edited_model().is_some_and(|model| saved.has_model_of(path, model));
            let same_pose = has_same_pose(&edits, saved.edits());
            let same_controls = Arc::ptr_eq(&self.edits.controls, &saved.edits().controls)
                || self.edits.controls == saved.edits().controls;
            let same_rules = self.rules.are_same(saved.rules());
            let same_marks = saved.has_marks(self.own_marks());
            let same_names = saved.has_clip_files(&self.files.clip_files);
            let same_layers = saved.has_layers(self.layers);
            let same_placed = saved.has_placed(self.placed, self.placing);
            let same_aside = saved.has_aside(&self.files.aside);
            kinds.weights &= !same_model;
            kinds.pose &= !same_pose;
            kinds.controls &= !same_controls;
            kinds.rules &= !same_rules;
            kinds.marks &= !same_marks;
            kinds.names &= !same_names;
            kinds.layers &= !same_layers;
            kinds.placed &= !same_placed;
            kinds.aside &= !same_aside;
            let is_same = same_model && same_pose && same_controls && same_rules && same_marks && same_aside;
            let is_same = is_same && same_layers && same_placed;
            let Kinds { weights, pose, controls, rules, marks, names, layers, placed, aside, .. } = kinds;
            let is_more = weights || pose || controls || rules || marks || names || layers || placed || aside;
            kinds.less = !(is_same || is_more);
        }
        kinds
    }
}

impl Session {
    /// The pose that is shown has been written into a pose file.
    pub fn note_pose_saved(&mut self) {
        self.files.pose_in_file = Arc::clone(&self.edits);
    }
}

impl Files {
    /// Returns what the open session file holds; `None` where none is open, or where that is not known.
    #[must_use]
    pub fn saved_session(&self) -> Option<&SessionSnapshot> {
        self.session_file.as_deref()
    }
}

pub(crate) fn has_pose(edits: &Edits) -> bool {
    !(edits.nodes.is_empty() && edits.morphs.is_empty() && edits.held.is_empty())
}

pub(crate) fn has_same_pose(a: &Arc<Edits>, b: &Arc<Edits>) -> bool {
    Arc::ptr_eq(a, b) || a.nodes == b.nodes && a.morphs == b.morphs && a.held == b.held
}
