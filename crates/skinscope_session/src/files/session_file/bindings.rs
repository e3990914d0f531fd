//! Skins and morph targets that meshes gained, and links that joints gained, as session files hold them: what was bound to which joints, by names, and the
//! influences by value. Inverse bind matrices follow from the rest pose ([`skinscope_model::Model::with_bindings`]); those that were edited
//! since are among `binds`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use skinscope_anim::pose::Keys;
use skinscope_base::math::Transform;
use skinscope_edit::{find_nodes, links_again};
use skinscope_model::{
    BindingChange, Influences, Instance, InstanceId, LinkChange, Model, NewNode, NewSkin, NodeId, PrimitiveId,
    ShapeChange, SkinId, WeightFormat,
};

use super::links::LinkRecord;
use super::number::{Number, numbers, values};
use super::shapes::ShapesRecord;
use super::vertices::hash_of;

/// The skins that meshes gained in one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BindingRecord {
    /// The nodes that were made, parents first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NewNodeRecord>,
    /// The skins that were made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skins: Vec<NewSkinRecord>,
    /// The nodes whose meshes gained a skin.
    pub meshes: Vec<BoundMeshRecord>,
    /// The parts of these meshes that gained influences.
    pub parts: Vec<BoundPartRecord>,
    /// The links that a joint gained; then there is nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkRecord>,
    /// The morph targets that meshes have in place of those of their file; then there is nothing else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ShapesRecord>,
}

/// A node that was made to be a joint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NewNodeRecord {
    pub name: String,
    /// Its parent among the nodes that were made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// The key of the node of the model that it hangs on, where its parent is none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
    pub translation: [Number; 3],
    /// A quaternion x, y, z, w.
    pub rotation: [Number; 4],
    pub scale: [Number; 3],
}

/// A joint: one of the nodes that were made, by its index, or one that there was, by its key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum JointRecord {
    Made(usize),
    Known(String),
}

/// A skin that was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NewSkinRecord {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub joints: Vec<JointRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<JointRecord>,
    /// What brings the meshes to where they are worn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worn: Option<WornRecord>,
}

/// What brings meshes from where they stand at rest to where a skin shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WornRecord {
    pub translation: [Number; 3],
    /// A quaternion x, y, z, w.
    pub rotation: [Number; 4],
    pub scale: [Number; 3],
}

/// A node whose mesh gained a skin: one that was made, by its index, or one that there was, by its number in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BoundMeshRecord {
    pub node: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin_of_file: Option<u32>,
}

/// The influences of a part of a mesh, in the order of the file. The lists are little-endian numbers in base64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BoundPartRecord {
    /// A node that shows the mesh.
    pub node: String,
    /// The part's number in the mesh.
    pub primitive: usize,
    /// A hash of the positions of its vertices, in their order.
    pub positions: String,
    pub per_vertex: usize,
    pub format: WeightFormat,
    /// The format of each set, where they have several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formats: Vec<WeightFormat>,
    /// Indices of joints, 2 bytes each.
    pub joints: String,
    /// Weights, 4 bytes each.
    pub weights: String,
}

/// What becomes of a binding in a model.
#[derive(Clone, Debug)]
pub(crate) enum Rebinding {
    /// All of its meshes have a skin or the morph targets, or its joint has links: those of their file, into which it was saved.
    IsThere,
    Change(Box<BindingChange>),
    /// A joint gains links.
    Links(Box<LinkChange>),
    /// Meshes get other morph targets, whose keys follow from what drives them.
    Shapes(Box<ShapeChange>),
    /// The model has not all of its nodes and vertices.
    Unfit,
}

impl BindingRecord {
    /// Makes the records of what meshes of a model gained, but for the first ones, and those of links that joints gained, in the order in which
    /// both were gained. Those of morph targets, which can be gained only before there are skins, follow the first links.
    pub(crate) fn all_of(model: &Model, but_for: usize) -> Vec<Self> {
        let bindings = model.bindings();
        if bindings.len() <= but_for && model.new_links().next().is_none() && model.retargeted.is_empty() {
            return Vec::new();
        }
        let keys = Keys::of(model);
        let linked = |made_after: usize| {
            let all = LinkRecord::all_of(model, &keys, made_after);
            all.into_iter().map(|links| Self { links, ..Self::default() })
        };
        let mut out: Vec<Self> = linked(0).collect();
        let shapes = ShapesRecord::all_of(model, &keys);
        if !shapes.is_empty() {
            out.push(Self { shapes, ..Self::default() });
        }
        for (index, (change, made)) in bindings.iter().zip(model.bound_nodes()).enumerate() {
            if index >= but_for {
                out.push(Self::of(model, change, (&keys, made)));
            }
            out.extend(linked(index + 1));
        }
        out
    }

    fn of(model: &Model, change: &BindingChange, (keys, own): (&Keys, Range<u32>)) -> Self {
        let joint = |node: &NodeId| {
            let number = model.skeleton.file_index[node.index()];
            if own.contains(&number) {
                JointRecord::Made((number - own.start) as usize)
            } else {
                JointRecord::Known(keys.key(*node).to_owned())
            }
        };
        let node = |id: InstanceId| keys.key(model.instances[id.index()].node).to_owned();
        let new = |node: &NewNode| NewNodeRecord {
            name: node.name.clone(),
            parent: node.parent,
            below: node.below.map(|below| keys.key(below).to_owned()),
            translation: numbers(node.rest.translation.to_array()),
            rotation: numbers(node.rest.rotation.to_array()),
            scale: numbers(node.rest.scale.to_array()),
        };
        let skin = |skin: &NewSkin| NewSkinRecord {
            name: skin.name.clone(),
            joints: skin.joints.iter().map(joint).collect(),
            root: skin.root.as_ref().map(joint),
            worn: skin.worn.map(|worn| WornRecord {
                translation: numbers(worn.translation.to_array()),
                rotation: numbers(worn.rotation.to_array()),
                scale: numbers(worn.scale.to_array()),
            }),
        };
        let made = change.instances.iter().map(|(id, skin)| (*id, Some(*skin), None));
        let joining = change.joining.iter().map(|(id, skin)| (*id, None, Some(skin.0)));
        let mesh = |(id, skin, skin_of_file)| BoundMeshRecord { node: node(id), skin, skin_of_file };
        // What shows a mesh may show a copy of it by now, whose vertices are the same.
        let part = |(at, influences): &(PrimitiveId, Influences)| {
            let is_it = |id: &InstanceId| {
                let mesh = model.instances[id.index()].mesh;
                [mesh, model.file_mesh(mesh)].contains(&at.mesh)
            };
            let shown = change.bound().find(is_it)?;
            let mesh = &model.meshes[model.instances[shown.index()].mesh.index()];
            Some(BoundPartRecord {
                node: node(shown),
                primitive: at.primitive,
                positions: hash_of(mesh.primitives.get(at.primitive)?),
                per_vertex: influences.per_vertex,
                format: influences.format,
                formats: influences.formats.clone(),
                joints: STANDARD.encode(influences.joints.iter().flat_map(|j| j.to_le_bytes()).collect::<Vec<u8>>()),
                weights: STANDARD.encode(influences.weights.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()),
            })
        };
        Self {
            nodes: change.nodes.iter().map(new).collect(),
            skins: change.skins.iter().map(skin).collect(),
            meshes: made.chain(joining).map(mesh).collect(),
            parts: change.primitives.iter().filter_map(part).collect(),
            links: Vec::new(),
            shapes: Vec::new(),
        }
    }

    /// Returns the keys of the nodes that it names, some of them more than once.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let joints = self.skins.iter().flat_map(|skin| skin.joints.iter().chain(&skin.root));
        let known = joints.filter_map(|joint| if let JointRecord::Known(key) = joint { Some(key) } else { None });
        let shown = self.meshes.iter().map(|mesh| &mesh.node).chain(self.parts.iter().map(|part| &part.node));
        let below = self.nodes.iter().filter_map(|node| node.below.as_ref());
        let shaped = self.shapes.iter().map(|shapes| &shapes.node);
        known.chain(shown).chain(below).chain(shaped).chain(self.links.iter().map(|link| &link.of)).map(String::as_str)
    }

    /// Returns what it is in a model; `paths` are those of the nodes whose keys are numbers.
    pub fn on(&self, model: &Model, paths: &BTreeMap<String, String>) -> Rebinding {
        let found = find_nodes(model, self.names(), paths);
        let find = |key: &str| found.get(key).copied();
        if let Some(first) = self.links.first() {
            let Some(joint) = find(&first.of) else { return Rebinding::Unfit };
            if model.links.iter().any(|link| link.of == joint) {
                return Rebinding::IsThere;
            }
            let again = links_again(model, joint, self.links.iter().map(LinkRecord::link).collect());
            return again.map_or(Rebinding::Unfit, |change| Rebinding::Links(Box::new(change)));
        }
        if !self.shapes.is_empty() {
            return match ShapesRecord::change(&self.shapes, model, &find) {
                Ok(None) => Rebinding::IsThere,
                Ok(Some(change)) => Rebinding::Shapes(Box::new(change)),
                Err(()) => Rebinding::Unfit,
            };
        }
        let shown: Option<Vec<InstanceId>> =
            self.meshes.iter().map(|mesh| shown_at(model, find(&mesh.node)?)).collect();
        let has_skin = |id: &InstanceId| model.instances[id.index()].skin.is_some();
        match shown {
            Some(shown) if !shown.is_empty() && shown.iter().all(has_skin) => Rebinding::IsThere,
            Some(shown) => match self.change(model, &shown, &find) {
                Some(change) => Rebinding::Change(Box::new(change)),
                None => Rebinding::Unfit,
            },
            None => Rebinding::Unfit,
        }
    }

    fn change(
        &self,
        model: &Model,
        shown: &[InstanceId],
        find: &dyn Fn(&str) -> Option<NodeId>,
    ) -> Option<BindingChange> {
        let first = model.skeleton.len();
        let joint = |joint: &JointRecord| match joint {
            JointRecord::Made(made) => (*made < self.nodes.len()).then(|| NodeId::from_index(first + made)),
            JointRecord::Known(key) => find(key),
        };
        let skin = |skin: &NewSkinRecord| {
            Some(NewSkin {
                name: skin.name.clone(),
                joints: skin.joints.iter().map(joint).collect::<Option<_>>()?,
                root: match &skin.root {
                    Some(root) => Some(joint(root)?),
                    None => None,
                },
                worn: skin.worn.map(|worn| placed(worn.translation, worn.rotation, worn.scale)),
            })
        };
        let mut out = BindingChange {
            nodes: self.nodes.iter().map(|node| node.node(find)).collect::<Option<_>>()?,
            skins: self.skins.iter().map(skin).collect::<Option<_>>()?,
            ..BindingChange::default()
        };
        for (mesh, id) in self.meshes.iter().zip(shown) {
            match (mesh.skin, mesh.skin_of_file) {
                (Some(skin), None) => out.instances.push((*id, skin)),
                (None, Some(skin)) => out.joining.push((*id, SkinId(skin))),
                _ => return None,
            }
        }
        let mut given = BTreeSet::new();
        for part in &self.parts {
            let instance: &Instance = &model.instances[shown_at(model, find(&part.node)?)?.index()];
            let at = PrimitiveId::new(instance.mesh, part.primitive);
            let primitive = model.meshes[at.mesh.index()].primitives.get(at.primitive)?;
            if hash_of(primitive) != part.positions || !given.insert(at) {
                return None;
            }
            out.primitives.push((at, part.influences()?));
        }
        Some(out)
    }
}

/// Returns the transform that a record has.
fn placed(translation: [Number; 3], rotation: [Number; 4], scale: [Number; 3]) -> Transform {
    Transform {
        translation: values(translation).into(),
        rotation: glam::Quat::from_array(values(rotation)),
        scale: values(scale).into(),
    }
}

impl NewNodeRecord {
    /// Returns the node; `None` where what it hangs on is not there.
    fn node(&self, find: &dyn Fn(&str) -> Option<NodeId>) -> Option<NewNode> {
        let below = match &self.below {
            Some(key) => Some(find(key)?),
            None => None,
        };
        let rest = placed(self.translation, self.rotation, self.scale);
        Some(NewNode { name: self.name.clone(), parent: self.parent, below, rest })
    }
}

impl BoundPartRecord {
    /// Returns the influences; `None` where the record is broken.
    fn influences(&self) -> Option<Influences> {
        let (joints, weights) = (STANDARD.decode(&self.joints).ok()?, STANDARD.decode(&self.weights).ok()?);
        let (joints, weights) = (joints.as_chunks(), weights.as_chunks());
        let is_even = joints.1.is_empty() && weights.1.is_empty();
        is_even.then(|| Influences {
            per_vertex: self.per_vertex,
            joints: joints.0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect(),
            weights: weights.0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect(),
            format: self.format,
            formats: self.formats.clone(),
            ..Influences::default()
        })
    }
}

/// Returns the instance that a node shows.
fn shown_at(model: &Model, node: NodeId) -> Option<InstanceId> {
    model.instances.iter().position(|instance| instance.node == node).map(InstanceId::from_index)
}
