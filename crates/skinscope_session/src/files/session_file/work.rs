//! What was made on a model, as session files have it, whether it fits the model or not.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use skinscope_base::words::counted_all;
use skinscope_edit::MadeOn;

use super::{
    BindRecord, BindingRecord, ClipRecord, EditRecord, HeldRecord, LimitsRecord, MeshRecord, Number, SessionFile,
    WeightsRecord, vertices,
};

/// What was made on a model, by names and by what tells its vertices apart. Of a session it is what does not fit the open model: that is
/// set aside, so that it can be saved, and be restored when a model is opened that it fits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkRecord {
    /// The name of the model's file.
    pub(crate) model: String,
    /// The absolute path of that file, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// The meshes of that model, where there are vertices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) meshes: Vec<MeshRecord>,
    /// The paths of the nodes whose keys are numbers ([`skinscope_edit::paths_of`]).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) paths: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) joints: BTreeMap<String, EditRecord>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) morphs: BTreeMap<String, BTreeMap<String, Number>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) held: BTreeMap<String, HeldRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) weights: Vec<WeightsRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) clips: Vec<ClipRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) binds: Vec<BindRecord>,
    /// Skins that meshes gained.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) bindings: Vec<BindingRecord>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) limits: BTreeMap<String, LimitsRecord>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) pins: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) pairs: BTreeMap<String, Option<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locked: Vec<String>,
    /// Marked vertices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) marked: Vec<WeightsRecord>,
}

/// How much there is of what was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkContents {
    /// Vertices with edited weights.
    pub vertices: usize,
    /// Joints with edited inverse bind matrices.
    pub binds: usize,
    /// Meshes that gained a skin.
    pub bindings: usize,
    /// Meshes with other morph targets.
    pub shapes: usize,
    /// Added clips.
    pub clips: usize,
    /// Nodes and morph targets with an edited pose.
    pub posed: usize,
    /// Joints with limits, pins or locks, and nodes with another partner than was found.
    pub ruled: usize,
    /// Marked vertices.
    pub marks: usize,
}

impl WorkContents {
    /// Returns how many things there are in all.
    #[must_use]
    pub fn count(&self) -> usize {
        self.vertices + self.binds + self.bindings + self.shapes + self.clips + self.posed + self.ruled + self.marks
    }

    /// Returns what there is, each kind in some words.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        counted_all(&[
            (self.vertices, "vertex with edited weights", "vertices with edited weights"),
            (self.binds, "bind matrix", "bind matrices"),
            (self.bindings, "mesh with a new skin", "meshes with new skins"),
            (self.shapes, "mesh with other morph targets", "meshes with other morph targets"),
            (self.clips, "clip", "clips"),
            (self.posed, "posed node or morph target", "posed nodes and morph targets"),
            (self.ruled, "limit, pin, lock or pair", "limits, pins, locks and pairs"),
            (self.marks, "marked vertex", "marked vertices"),
        ])
    }
}

impl WorkRecord {
    /// Returns the name of the model's file that it was made on.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns how much there is.
    #[must_use]
    pub fn contents(&self) -> WorkContents {
        WorkContents {
            vertices: self.weights.iter().map(WeightsRecord::count).sum(),
            binds: self.binds.len(),
            bindings: self.bindings.iter().map(|binding| binding.meshes.len()).sum(),
            shapes: self.bindings.iter().map(|binding| binding.shapes.len()).sum(),
            clips: self.clips.len(),
            posed: self.joints.len() + self.morphs.values().map(BTreeMap::len).sum::<usize>() + self.held.len(),
            ruled: self.limits.len() + self.pins.len() + self.locked.len() + self.pairs.len(),
            marks: self.marked.iter().map(WeightsRecord::count).sum(),
        }
    }

    /// Returns whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contents().count() == 0
    }

    /// Returns the keys of all nodes that it names, some of them more than once.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.joints.keys().chain(self.morphs.keys()).chain(self.held.keys()).chain(self.limits.keys());
        let pairs = self.pairs.keys().chain(self.pairs.values().flatten());
        let moved = self.clips.iter().flat_map(|clip| clip.channels.iter().map(|channel| &channel.node));
        let bound = self.binds.iter().map(|bind| &bind.joint);
        let named = named.chain(pairs).chain(&self.pins).chain(&self.locked).chain(moved).chain(bound);
        named.map(String::as_str).chain(self.bindings.iter().flat_map(BindingRecord::names))
    }

    /// Returns what is known of the model that it was made on.
    pub(crate) fn made_on(&self) -> MadeOn {
        MadeOn { meshes: self.meshes.iter().map(MeshRecord::identity).collect(), paths: self.paths.clone() }
    }

    /// Returns whether both can be one record: whether what both have of one name is the same.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        fn same<V: PartialEq>(a: &BTreeMap<String, V>, b: &BTreeMap<String, V>) -> bool {
            a.iter().all(|(key, value)| b.get(key).is_none_or(|other| other == value))
        }
        let same_meshes = self.meshes.is_empty() || other.meshes.is_empty() || self.meshes == other.meshes;
        let none = BTreeMap::new();
        let same_morphs =
            self.morphs.iter().all(|(key, targets)| same(targets, other.morphs.get(key).unwrap_or(&none)));
        (&self.model, &self.path) == (&other.model, &other.path)
            && same_meshes
            && same_morphs
            && same(&self.paths, &other.paths)
            && same(&self.joints, &other.joints)
            && same(&self.held, &other.held)
            && same(&self.limits, &other.limits)
            && same(&self.pairs, &other.pairs)
            && vertices::agree(&self.weights, &other.weights)
            && self.binds.iter().all(|bind| other.binds.iter().all(|other| bind.agrees_with(other)))
    }

    /// Adds what another one has. What both have of one name stays as it is here ([`WorkRecord::agrees_with`]).
    pub(crate) fn add(&mut self, other: Self) {
        fn join<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
            more.into_iter().for_each(|one| {
                if !all.contains(&one) {
                    all.push(one);
                }
            });
        }
        fn map<V>(all: &mut BTreeMap<String, V>, more: BTreeMap<String, V>) {
            more.into_iter().for_each(|(key, value)| _ = all.entry(key).or_insert(value));
        }
        if !other.meshes.is_empty() {
            self.meshes = other.meshes;
        }
        map(&mut self.paths, other.paths);
        map(&mut self.joints, other.joints);
        for (key, targets) in other.morphs {
            map(self.morphs.entry(key).or_default(), targets);
        }
        map(&mut self.held, other.held);
        vertices::add_vertices(&mut self.weights, other.weights);
        join(&mut self.clips, other.clips);
        join(&mut self.binds, other.binds);
        join(&mut self.bindings, other.bindings);
        map(&mut self.limits, other.limits);
        join(&mut self.pins, other.pins);
        map(&mut self.pairs, other.pairs);
        join(&mut self.locked, other.locked);
        vertices::add_vertices(&mut self.marked, other.marked);
    }

    /// Returns a line for each thing, up to so many: which vertex of which mesh, and what it was to follow.
    #[must_use]
    pub fn lines(&self, most: usize) -> Vec<String> {
        let mesh = |number: u32| match self.meshes.get(number as usize) {
            Some(mesh) if !mesh.name.is_empty() => mesh.name.clone(),
            _ => format!("Mesh {number}"),
        };
        let mut lines = Vec::new();
        for edited in self.weights.iter().filter_map(WeightsRecord::edited) {
            for (i, vertex) in edited.list.vertices.iter().enumerate().take(most.saturating_sub(lines.len())) {
                let (joints, weights) = edited.row(i);
                let used = joints.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
                let name = |joint: &u16| edited.skin.get(usize::from(*joint)).map_or("?", String::as_str);
                let pairs: Vec<String> = used.map(|(joint, weight)| format!("{} {weight:.3}", name(joint))).collect();
                lines.push(format!("{}, vertex {vertex}: {}", mesh(edited.list.mesh), pairs.join(", ")));
            }
        }
        let binds = self.binds.iter().map(|bind| format!("Bind matrix of {}", bind.joint));
        let bindings = self.bindings.iter().flat_map(|binding| &binding.meshes);
        let binds = binds.chain(bindings.map(|mesh| format!("Skin of {}", mesh.node)));
        let shapes = self.bindings.iter().flat_map(|binding| &binding.shapes);
        let binds = binds.chain(shapes.map(|shapes| format!("Morph targets of {}", shapes.node)));
        let clips = self.clips.iter().map(|clip| format!("Clip {}", clip.name));
        let posed = self.joints.keys().chain(self.held.keys()).map(|key| format!("Pose of {key}"));
        let morphs = self.morphs.iter().flat_map(|(key, of)| of.keys().map(move |t| format!("Morph weight {key}/{t}")));
        let limits = self.limits.keys().map(|key| format!("Limits of {key}"));
        let pins = self.pins.iter().map(|key| format!("Pin of {key}"));
        let pairs = self.pairs.keys().map(|key| format!("Partner of {key}"));
        let locks = self.locked.iter().map(|key| format!("Lock of {key}"));
        lines.extend(binds.chain(clips).chain(posed).chain(morphs).chain(limits).chain(pins).chain(pairs).chain(locks));
        lines.truncate(most);
        lines
    }
}

/// Returns the absolute path of a model's file, as a record names it.
pub(crate) fn absolute(path: Option<&Path>) -> Option<String> {
    std::path::absolute(path?).ok()?.to_str().map(str::to_owned)
}

impl SessionFile {
    /// Returns what the file has that was made on its model, which is called `model` and is the file at `path`.
    pub(crate) fn work(&self, model: &str, path: Option<&Path>) -> WorkRecord {
        WorkRecord {
            model: model.to_owned(),
            path: absolute(path),
            meshes: self.meshes.clone(),
            paths: self.paths.clone(),
            joints: self.joints.clone(),
            morphs: self.morphs.clone(),
            held: self.held.clone(),
            weights: self.weights.clone(),
            clips: self.clips.clone(),
            binds: self.binds.clone(),
            bindings: self.bindings.clone(),
            limits: self.limits.clone(),
            pins: self.pins.clone(),
            pairs: self.pairs.clone(),
            locked: self.locked.clone(),
            marked: self.marked.clone(),
        }
    }
}
