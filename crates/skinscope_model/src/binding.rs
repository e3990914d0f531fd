//! Gives skins to meshes that have none: new joints, new skins, and the influences of their vertices.
//!
//! The ids of all nodes, skins, meshes and instances stay as they are: what is new follows them. Where not every node that shows a mesh
//! gains the skin, those that do show a copy of the mesh, as in [`super::part_meshes`].

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::{Affine3A, DAffine3};
use skinscope_base::math::Transform;

use super::builder::ensure;
use super::{
    BuildError, Influences, Instance, InstanceId, MeshId, Model, ModelParts, NodeId, Path, Primitive, PrimitiveId,
    PrimitiveOrigin, Property, Skeleton, Skin, SkinId,
};

/// How many joints a skin has at most: joint numbers have 16 bits.
const MOST_JOINTS: usize = 1 << 16;

/// A node that a model gains, to be a joint.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewNode {
    /// The name, which is not empty.
    pub name: String,
    /// Its parent, as an index in [`BindingChange::nodes`]; `None`: it is a root, or hangs on a node of the model.
    pub parent: Option<usize>,
    /// The node of the model that it hangs on, after the children that this has; `None`: it hangs on a new node, or on none. Nothing of the
    /// model may follow what is below that node: the nodes of a model are in depth-first order, and keep their ids.
    pub below: Option<NodeId>,
    /// `parent_from_node` at rest.
    pub rest: Transform,
}

/// A skin that a model gains. Its inverse bind matrices follow from the rest pose: the meshes stay where they are shown at rest, or are
/// brought from there to where they are worn.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NewSkin {
    /// The name; it may be empty.
    pub name: String,
    /// The joints. Node `n` of [`BindingChange::nodes`] has the id that follows those of the model's nodes by `n`.
    pub joints: Vec<NodeId>,
    /// The node that is named as `skin.skeleton`: a node that all joints are at or below.
    pub root: Option<NodeId>,
    /// What brings the meshes, in the world, from where they stand at rest to where the joints are bound; `None`: they stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worn: Option<Transform>,
}

/// The skins that some meshes gain.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BindingChange {
    /// Nodes that follow those of the model: parents first, depth first. Each root is in the scenes that show what is bound, all others are
    /// where their parents are.
    pub nodes: Vec<NewNode>,
    /// Skins that follow those of the model.
    pub skins: Vec<NewSkin>,
    /// The influences of primitives, for the vertices of the file alone ([`Primitive::stored_vertices`]).
    pub primitives: Vec<(PrimitiveId, Influences)>,
    /// The instances that gain a skin, each with its index in `skins`.
    pub instances: Vec<(InstanceId, usize)>,
    /// The instances that gain a skin which the model has already. Its inverse bind matrices stay, so that at rest it has to show them where
    /// they are.
    pub joining: Vec<(InstanceId, SkinId)>,
}

impl BindingChange {
    /// Returns the instances that gain a skin.
    pub fn bound(&self) -> impl Iterator<Item = InstanceId> {
        self.instances.iter().map(|(id, _)| *id).chain(self.joining.iter().map(|(id, _)| *id))
    }

    /// Returns the same change where the nodes that it names have other ids now. Those that came with it need not follow all others any more:
    /// [`Model::bound_nodes`] tells which they are.
    pub(crate) fn following(&self, moved: &dyn Fn(NodeId) -> NodeId) -> Arc<Self> {
        let mut out = self.clone();
        out.nodes.iter_mut().for_each(|node| node.below = node.below.map(moved));
        for skin in &mut out.skins {
            skin.joints.iter_mut().for_each(|joint| *joint = moved(*joint));
            skin.root = skin.root.map(moved);
        }
        Arc::new(out)
    }
}

impl Model {
    /// Returns whether both models come from one reading of a file. They differ at most in edits, added clips, and skins that
    /// meshes gained since ([`Model::with_bindings`]).
    #[must_use]
    pub fn is_of_one_file(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared.reading, &other.shared.reading)
    }

    /// Returns the skins that meshes gained since the file was read, the first ones first.
    #[must_use]
    pub fn bindings(&self) -> &[Arc<BindingChange>] {
        &self.shared.bindings
    }

    /// Returns whether meshes of both models gained the same skins since their files were read.
    #[must_use]
    pub fn has_bindings_of(&self, other: &Self) -> bool {
        let (own, others) = (self.bindings(), other.bindings());
        own.len() == others.len() && own.iter().zip(others).all(|(a, b)| Arc::ptr_eq(a, b) || a == b)
    }

    /// Returns whether an instance can gain a skin of the model: whether that shows it at rest where it is shown without it.
    #[must_use]
    pub fn can_join(&self, id: InstanceId, skin: SkinId) -> bool {
        let worlds = self.skeleton.worlds(&self.skeleton.rest);
        id.index() < self.instances.len() && check_joining(self, &worlds, id, skin).is_ok()
    }

    /// Returns the same model with skins for meshes that have none. At rest it looks as before, but for what [`NewSkin::worn`] moves.
    ///
    /// # Errors
    /// Something cannot be bound, and the message says why: it has a skin or weights already, it is shown as many copies or stands far
    /// away, its joints are in several trees or flat, the numbers do not fit one another, or a skinned mesh, which is
    /// stored at a root node, would lose what its node has.
    pub fn with_bindings(&self, change: &BindingChange) -> Result<Self, BuildError> {
        let whole = || "binding".to_owned();
        ensure(change.bound().next().is_some(), whole, "no mesh gains a skin")?;
        ensure(self.skeleton.far.is_none(), whole, "the model stands so far away that its places were shifted")?;
        for (at, id) in change.bound().enumerate() {
            let twice = change.bound().take(at).any(|other| other == id);
            ensure(!twice, || format!("instance {}", id.0), "it gains two skins")?;
            check_instance(self, id, change)?;
        }
        for (id, skin) in &change.instances {
            ensure(*skin < change.skins.len(), || format!("instance {}", id.0), "its skin is not there")?;
        }
        for (at, (id, influences)) in change.primitives.iter().enumerate() {
            let twice = change.primitives[..at].iter().any(|(other, _)| other == id);
            ensure(!twice, || place(*id), "it is given weights twice")?;
            check_primitive(self, *id, influences, change)?;
        }
        let mut parts = self.shared.parts.clone();
        add_nodes(&mut parts, change)?;
        let worlds = parts.skeleton.worlds(&parts.skeleton.rest);
        for (id, skin) in &change.joining {
            check_joining(self, &worlds, *id, *skin)?;
        }
        let first = parts.skins.len();
        for (index, skin) in change.skins.iter().enumerate() {
            check_skin(&parts, index, skin, change)?;
            let bound = bound_skin(&parts, index, skin, (change, &worlds))?;
            parts.skins.push(bound);
        }
        let meshes: BTreeSet<MeshId> = change.bound().map(|id| parts.instances[id.index()].mesh).collect();
        for mesh in meshes {
            bind_mesh(&mut parts, mesh, change, first);
        }
        let mut built = Self::build(parts)?;
        if let Some(shared) = Arc::get_mut(&mut built.shared) {
            shared.reading = Arc::clone(&self.shared.reading);
            let earlier = self.shared.bindings.iter().cloned();
            shared.bindings = Arc::new(earlier.chain([Arc::new(change.clone())]).collect());
        }
        Self { edits: self.edits.clone(), ..built }.with_binds(&self.edited_skinning().binds)
    }
}

impl ModelParts {
    /// Returns the instances that gained a skin since the file was read.
    pub fn gained_instances(&self) -> impl Iterator<Item = &Instance> {
        let of_file = self.source.origins.skins.len();
        let has_gained = move |instance: &Instance| {
            instance.skin.is_some_and(|skin| skin.index() >= of_file || self.has_gained_weights(instance.mesh))
        };
        self.instances.iter().filter(move |instance| has_gained(instance))
    }

    /// Returns whether the file has no weights for a part of a mesh that has some.
    fn has_gained_weights(&self, mesh: MeshId) -> bool {
        let of_file = self.source.origins.primitives.get(self.file_mesh(mesh).index());
        let own = &self.meshes[mesh.index()].primitives;
        let has_gained =
            |(own, file): (&Primitive, &PrimitiveOrigin)| own.stored_influences.is_some() && file.sets.is_empty();
        of_file.is_some_and(|of_file| own.iter().zip(of_file).any(has_gained))
    }

    /// Returns the skins that were gained since the file was read, as the binding made them.
    pub fn gained_skins(&self) -> impl Iterator<Item = &Skin> {
        self.skins.iter().skip(self.source.origins.skins.len())
    }

    /// Returns the nodes that were gained since the file was read, in the order in which they are to follow those of the file.
    pub fn gained_nodes(&self) -> impl Iterator<Item = NodeId> {
        let of_file = self.source.origins.nodes.len().saturating_sub(self.new_links().count());
        let index = |node: &NodeId| self.skeleton.file_index[node.index()] as usize;
        let all = (0..self.skeleton.len()).map(NodeId::from_index);
        let mut gained: Vec<NodeId> = all.filter(|node| index(node) >= of_file).collect();
        gained.sort_by_key(index);
        gained.into_iter()
    }
}

fn place(id: PrimitiveId) -> String {
    format!("mesh {}, primitive {}", id.mesh.0, id.primitive)
}

fn check_instance(model: &Model, id: InstanceId, change: &BindingChange) -> Result<(), BuildError> {
    let Some(instance) = model.instances.get(id.index()) else {
        return ensure(false, || format!("instance {}", id.0), "it is not there");
    };
    // The one who reads it knows the node by its name.
    let location = || format!("node \"{}\"", model.skeleton.names[instance.node.index()]);
    ensure(instance.skin.is_none(), location, "it has a skin already")?;
    ensure(instance.copies.is_empty(), location, "its node shows many copies of the mesh, which a skin cannot move")?;
    let mesh = &model.meshes[instance.mesh.index()];
    let is_bare = mesh.primitives.iter().all(|p| p.stored_influences.is_none());
    ensure(is_bare, location, "its mesh has joints and weights already")?;
    let is_near = mesh.offset == glam::DVec3::ZERO;
    ensure(is_near, location, "its mesh stands so far away that its vertices were shifted")?;
    let is_given = change.primitives.iter().any(|(given, _)| given.mesh == instance.mesh);
    ensure(is_given, location, "no part of its mesh is given weights")?;
    check_move(model, instance.node, &location)
}

/// Checks that the mesh of a node can be shown by a root node without a transform, where the node is none: there a file has skinned
/// meshes, since only joints move them.
fn check_move(model: &Model, node: NodeId, location: &dyn Fn() -> String) -> Result<(), BuildError> {
    let skeleton = &model.skeleton;
    let is_root = skeleton.parents[node.index()].is_none();
    if is_root
        && skeleton.rest.transforms[node.index()] == Transform::IDENTITY
        && skeleton.residual(node.index()).is_none()
    {
        return Ok(());
    }
    let morphs = |clip: &super::Clip| clip.channels.iter().any(|c| c.node == node && c.path == Path::Weights);
    let has_clip = model.clips.iter().any(morphs);
    ensure(!has_clip, location, "a clip has morph weights for its node, and a skinned mesh is stored at another one")?;
    let has_weights = model.source.origins.nodes.get(node.index()).is_some_and(|members| members.weights);
    ensure(
        !has_weights,
        location,
        "its node has morph weights of its own, and a skinned mesh is stored at another one",
    )?;
    let is_bound = model.expressions.iter().flat_map(|e| &e.binds).any(|bind| bind.node == node);
    ensure(
        !is_bound,
        location,
        "an expression moves the mesh of its node, and a skinned mesh is stored at another one",
    )?;
    let mut above = upwards(skeleton, node);
    let switched = |node: NodeId| {
        let shows = |clip: &super::Clip| clip.properties.iter().any(|c| c.property == Property::Visible(node));
        model.hidden.binary_search(&node).is_ok() || model.clips.iter().any(shows)
    };
    ensure(!above.any(switched), location, "its node is hidden at times, and a skinned mesh is stored at another one")
}

fn check_primitive(
    model: &Model,
    id: PrimitiveId,
    influences: &Influences,
    change: &BindingChange,
) -> Result<(), BuildError> {
    let location = || place(id);
    let Some(primitive) = model.meshes.get(id.mesh.index()).and_then(|mesh| mesh.primitives.get(id.primitive)) else {
        return ensure(false, location, "it is not there");
    };
    let shows = |at: InstanceId| model.instances.get(at.index()).is_some_and(|i| i.mesh == id.mesh);
    ensure(change.bound().any(shows), location, "no node that shows it gains a skin")?;
    ensure(
        primitive.shares.is_none(),
        location,
        "its vertices are those of another primitive, which is bound instead",
    )?;
    let file = model.file_mesh(id.mesh);
    let origins = &model.source.origins.primitives;
    let origin = origins.get(file.index()).and_then(|mesh| mesh.get(id.primitive));
    let stream = origin.and_then(|origin| origin.draco).and_then(|stream| stream.vertices);
    let fits = stream.is_none_or(|vertices| vertices == primitive.stored_vertices);
    ensure(fits, location, "its compressed stream has another number of vertices")?;
    check_influences(influences, primitive.stored_vertices, &location)
}

fn check_influences(i: &Influences, vertices: usize, location: &dyn Fn() -> String) -> Result<(), BuildError> {
    let sets = i.per_vertex > 0 && i.per_vertex.is_multiple_of(4);
    ensure(sets, location, "a vertex has no multiple of four pairs of joint and weight")?;
    let count = vertices * i.per_vertex;
    ensure(i.joints.len() == count && i.weights.len() == count, location, "its weights do not fit its vertices")?;
    let is_whole = i.not_finite.is_empty() && i.out_of_range.is_empty();
    ensure(is_whole, location, "new weights keep numbers of a file that cannot be used")?;
    let valid = i.weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0);
    ensure(valid, location, "a weight is negative or no number")?;
    for vertex in 0..vertices {
        let (joints, weights) = i.of(vertex);
        let sum: f64 = weights.iter().map(|weight| f64::from(*weight)).sum();
        let of_vertex = || format!("{}, vertex {vertex}", location());
        ensure((sum - 1.0).abs() <= i.format.tolerance(), of_vertex, "its weights do not sum to one")?;
        let mut used: Vec<u16> = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).map(|(j, _)| *j).collect();
        used.sort_unstable();
        ensure(used.windows(2).all(|two| two[0] != two[1]), of_vertex, "it names a joint twice")?;
    }
    Ok(())
}

fn add_nodes(parts: &mut ModelParts, change: &BindingChange) -> Result<(), BuildError> {
    let skeleton = &mut parts.skeleton;
    let first = skeleton.len();
    let in_file = skeleton.file_index.iter().max().map_or(0, |last| last + 1);
    for (i, node) in change.nodes.iter().enumerate() {
        let location = || format!("new node {i}");
        ensure(!node.name.is_empty(), location, "it has no name")?;
        ensure(node.parent.is_none_or(|parent| parent < i), location, "its parent does not come before it")?;
        ensure(node.parent.is_none() || node.below.is_none(), location, "it has two parents")?;
        ensure(node.below.is_none_or(|below| below.index() < first), location, "what it hangs on is not there")?;
        let parent = node.parent.map(|parent| NodeId::from_index(first + parent)).or(node.below);
        let last = NodeId::from_index(skeleton.len().saturating_sub(1));
        let is_last = |parent: NodeId| upwards(skeleton, last).any(|node| node == parent);
        let why = "other nodes follow what is below its parent, so that it has no place there";
        ensure(parent.is_none_or(is_last), location, why)?;
        skeleton.parents.push(parent);
        skeleton.names.push(node.name.clone());
        skeleton.file_index.push(in_file + i as u32);
        skeleton.rest.transforms.push(node.rest);
    }
    let end = skeleton.len();
    let roots: Vec<NodeId> = (first..end).filter(|i| skeleton.parents[*i].is_none()).map(NodeId::from_index).collect();
    let shown: Vec<NodeId> = change.bound().map(|id| parts.instances[id.index()].node).collect();
    for scene in &mut parts.scenes {
        let is_shown = shown.iter().any(|node| scene.contains[node.index()]);
        for parent in &skeleton.parents[first..end] {
            let is_in = parent.map_or(is_shown, |parent| scene.contains[parent.index()]);
            scene.contains.push(is_in);
        }
        if is_shown {
            scene.roots.extend_from_slice(&roots);
        }
    }
    Ok(())
}

/// Returns the nodes from `node` to the root above it.
fn upwards(skeleton: &Skeleton, node: NodeId) -> impl Iterator<Item = NodeId> {
    std::iter::successors(Some(node), move |node| skeleton.parents[node.index()])
}

fn check_skin(parts: &ModelParts, index: usize, skin: &NewSkin, change: &BindingChange) -> Result<(), BuildError> {
    let location = || format!("new skin {index}");
    let skeleton = &parts.skeleton;
    let Some(first) = skin.joints.first() else { return ensure(false, location, "it has no joints") };
    let inside = skin.joints.iter().chain(&skin.root).all(|node| node.index() < skeleton.len());
    ensure(inside, location, "it names a node that is not there")?;
    ensure(skin.joints.len() <= MOST_JOINTS, location, "it has more joints than numbers of 16 bits can name")?;
    let once: BTreeSet<NodeId> = skin.joints.iter().copied().collect();
    ensure(once.len() == skin.joints.len(), location, "it names a joint twice")?;
    let top = |node: NodeId| upwards(skeleton, node).last();
    let is_one_tree = skin.joints.iter().all(|joint| top(*joint) == top(*first));
    ensure(is_one_tree, location, "its joints are in several trees, and one root has to be above all of them")?;
    let is_below = |root: NodeId| skin.joints.iter().all(|joint| upwards(skeleton, *joint).any(|node| node == root));
    ensure(skin.root.is_none_or(is_below), location, "not all of its joints are below its root")?;
    let bound = || {
        let gaining = change.instances.iter().filter(move |(_, of)| *of == index);
        gaining.map(move |(id, _)| parts.instances[id.index()].node)
    };
    ensure(bound().next().is_some(), location, "no mesh gains it")?;
    let is_shown =
        parts.scenes.iter().all(|s| bound().all(|node| !s.contains[node.index()] || s.contains[first.index()]));
    ensure(is_shown, location, "a scene shows a mesh that gains it, and not its joints")
}

/// How far a skin of the model may show at rest what gains it from where it is, as a share of the largest number: what rounding to 32 bits
/// explains.
const ROUNDING: f64 = 1e-5;

/// Checks that a mesh looks at rest as before where it gains a skin of the model.
fn check_joining(model: &Model, worlds: &[DAffine3], id: InstanceId, skin: SkinId) -> Result<(), BuildError> {
    let location = || format!("instance {}", id.0);
    let Some(skin) = model.skins.get(skin.index()) else {
        return ensure(false, location, "its skin is not there");
    };
    ensure(skin.far.is_none(), location, "its skin moves meshes that stand so far away that they were shifted")?;
    let node = model.instances[id.index()].node;
    let is_shown = |joint: &NodeId| model.scenes.iter().all(|s| !s.contains[node.index()] || s.contains[joint.index()]);
    ensure(skin.joints.iter().all(is_shown), location, "a scene shows it, and not the joints of its skin")?;
    let mesh = worlds[node.index()];
    let largest = |matrix: DAffine3| matrix.to_cols_array().into_iter().fold(1.0, |most: f64, n| most.max(n.abs()));
    let stays = |(joint, bind): (&NodeId, &Affine3A)| {
        let world = worlds[joint.index()];
        let size = largest(mesh).max(largest(world)).max(largest(bind.as_daffine3()));
        (world * bind.as_daffine3()).abs_diff_eq(mesh, ROUNDING * size)
    };
    let all_stay = skin.joints.iter().zip(&skin.inverse_bind).all(stays);
    ensure(all_stay, location, "at rest that skin would show it elsewhere, so that it needs one of its own")
}

/// Makes a skin whose inverse bind matrices show what gains it where it is shown at rest without it, or where it is worn.
fn bound_skin(
    parts: &ModelParts,
    index: usize,
    skin: &NewSkin,
    (change, worlds): (&BindingChange, &[DAffine3]),
) -> Result<Skin, BuildError> {
    let location = || format!("new skin {index}");
    let mut nodes =
        change.instances.iter().filter(|(_, of)| *of == index).map(|(id, _)| parts.instances[id.index()].node);
    let mesh = nodes.next().map_or(DAffine3::IDENTITY, |node| worlds[node.index()]);
    let is_one_place = nodes.all(|node| worlds[node.index()].abs_diff_eq(mesh, 1e-9));
    ensure(
        is_one_place,
        location,
        "the meshes that gain it are at several places, each of which needs a skin of its own",
    )?;
    let is_solid = |matrix: DAffine3| matrix.matrix3.determinant() != 0.0 && matrix.inverse().is_finite();
    ensure(is_solid(mesh), location, "the node of a mesh that gains it is flat at rest")?;
    let mesh = skin.worn.map_or(mesh, |worn| worn.to_affine().as_daffine3() * mesh);
    let mut inverse_bind = Vec::with_capacity(skin.joints.len());
    for joint in &skin.joints {
        let of_joint = || format!("new skin {index}, joint \"{}\"", parts.skeleton.names[joint.index()]);
        let world = worlds[joint.index()];
        ensure(is_solid(world), of_joint, "it is flat at rest, so that no matrix leads back")?;
        let matrix = (world.inverse() * mesh).to_cols_array().map(|number| number as f32);
        let is_finite = matrix.iter().all(|number| number.is_finite());
        ensure(is_finite, of_joint, "its inverse bind matrix has numbers that are too large")?;
        inverse_bind.push(Affine3A::from_cols_array(&matrix));
    }
    let NewSkin { name, joints, root, .. } = skin.clone();
    Ok(Skin { name, joints, inverse_bind, root, ..Skin::default() })
}

/// Lets the instances of a mesh that gain a skin show it with its influences. Those that do not show the mesh as it was; and so that
/// joint numbers have one meaning, there is a mesh for each list of joints.
fn bind_mesh(parts: &mut ModelParts, mesh: MeshId, change: &BindingChange, first_skin: usize) {
    let shown = parts.instances.iter().filter(|instance| instance.mesh == mesh).count();
    let new = change.instances.iter().map(|(id, skin)| (id.index(), first_skin + skin));
    let gaining: Vec<(usize, usize)> = new
        .chain(change.joining.iter().map(|(id, skin)| (id.index(), skin.index())))
        .filter(|(id, _)| parts.instances[*id].mesh == mesh)
        .collect();
    let do_all = gaining.len() == shown;
    let mut homes: Vec<(Vec<NodeId>, MeshId)> = Vec::new();
    for (instance, skin) in gaining {
        let joints = parts.skins[skin].joints.clone();
        let known = homes.iter().find(|(other, _)| *other == joints).map(|(_, home)| *home);
        let home = match known {
            Some(home) => home,
            None => {
                let home = if do_all && homes.is_empty() { mesh } else { parted(parts, mesh) };
                give(parts, [mesh, home], change);
                homes.push((joints, home));
                home
            }
        };
        let instance = &mut parts.instances[instance];
        (instance.mesh, instance.skin) = (home, Some(SkinId::from_index(skin)));
    }
}

/// Adds a copy of a mesh after the others.
fn parted(parts: &mut ModelParts, mesh: MeshId) -> MeshId {
    let new = MeshId::from_index(parts.meshes.len());
    let copy = parts.meshes[mesh.index()].clone();
    parts.meshes.push(copy);
    let file = parts.file_mesh(mesh);
    parts.parted.push((new, file));
    new
}

/// Gives the influences for `mesh` to `home`, which is that mesh or a copy of it.
fn give(parts: &mut ModelParts, [mesh, home]: [MeshId; 2], change: &BindingChange) {
    for (id, influences) in change.primitives.iter().filter(|(id, _)| id.mesh == mesh) {
        let primitive = &mut parts.meshes[home.index()].primitives[id.primitive];
        primitive.stored_influences = Some(of_all_vertices(primitive, influences));
        // It has other influences now than the lists of the same positions, and each of them counts.
        primitive.repeats = None;
        let bound = Some(PrimitiveId::new(home, id.primitive));
        let lists = parts.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives);
        lists.filter(|list| list.repeats == bound).for_each(|list| list.repeats = None);
    }
}

/// Returns the influences with those of the vertices that were split off. Where a weight is 0, the joint is 0 too.
fn of_all_vertices(primitive: &Primitive, given: &Influences) -> Influences {
    let mut out = given.clone();
    for (joint, weight) in out.joints.iter_mut().zip(&out.weights) {
        if *weight == 0.0 {
            *joint = 0;
        }
    }
    for from in &primitive.split_from {
        let pairs = *from as usize * out.per_vertex..(*from as usize + 1) * out.per_vertex;
        out.joints.extend_from_within(pairs.clone());
        out.weights.extend_from_within(pairs);
    }
    out
}
