//! The contents of a file as a [`Model`]: skeleton, skins, meshes, clips, materials and images, validated and
//! immutable. Poses are not part of a model.
//!
//! The only constructor is [`Model::build`], which checks every invariant, so that all other code indexes its lists
//! without further checks. This crate knows nothing of file formats, time or the GPU.

#![forbid(unsafe_code)]

mod bind_edits;
mod binding;
#[cfg(test)]
mod binding_tests;
mod builder;
mod clip;
mod clip_edits;
pub mod environment;
mod expression;
mod far;
mod far_tracks;
mod humanoid;
mod image;
mod keys;
mod light;
mod limits;
mod link;
mod material;
mod mesh;
mod normal_groups;
mod origins;
mod pairs;
mod parting;
mod property;
mod shape_change;
mod skeleton;
mod target_change;
pub mod test_shapes;
mod tracks;
mod weight_edits;
mod weight_pages;
#[cfg(test)]
mod weight_tests;
mod weights;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub use bind_edits::{BindChange, BindEdits, SkinningChange};
pub use binding::{BindingChange, NewNode, NewSkin};
pub use builder::{BuildError, ModelParts};
pub use clip::{Channel, Clip, ClipSource, Interpolation, Path, PropertyChannel, Sampler, Values};
pub use clip_edits::ClipChange;
pub use environment::Environment;
pub use expression::{Expression, ExpressionGroup, MorphBind, Override, shown_weights};
pub use far::{Base, Far, FarFigure, FarMesh, Wide};
pub use far_tracks::{COARSE, FarTrack, NEAR, parted};
use glam::{Affine3A, Quat, Vec3};
pub use humanoid::{Family, HumanoidRig, joined};
pub use image::{BlockFormats, DecodeAgain, Image, PixelFormat, Pixels};
pub use keys::{KeyValue, Keys};
pub use light::{Camera, Lens, Light, LightKind};
pub use limits::{Limits, degrees_from_rest};
pub use link::{Link, LinkChange, LinkDrive, LinkTrack, NewLink, twist_about};
pub use material::{
    AlphaMode, Anisotropy, Clearcoat, Filter, Iridescence, LAYER_TEXTURES, Material, Sampler as TextureSampler, Sheen,
    Specular, SpecularGlossiness, Texture, TextureSlot, Transmission, UvTransform, Volume, Wrap,
};
pub use mesh::{
    Influences, Mesh, MorphTarget, NotFinite, OutOfRange, Part, Primitive, SourceMode, Topology, WeightFormat,
};
pub use normal_groups::NormalGroups;
pub use origins::{
    AccessorOrigin, AttributeOrigin, BufferOrigin, BufferSource, ByteLocation, ClipOrigin, ComponentType, DracoStream,
    ElementType, ElementsOrigin, MeshoptStream, NodeMembers, Origins, PrimitiveOrigin, SamplerOrigin, SetOrigin,
    SparseOrigin, ViewOrigin,
};
pub use pairs::{JointPairs, Side, side};
pub use parting::part_meshes;
pub use property::{CameraProperty, Change, LightProperty, MaterialProperty, Property, TextureUse};
pub use shape_change::{Retargeted, ShapeChange, ShapeTarget, ShapeTrack};
pub use skeleton::{Facing, Skeleton, Skin};
use skinscope_base::math::Transform;
pub use target_change::TargetChange;
pub use tracks::{Group, Tracks};
pub use weight_edits::{WeightChange, WeightEdits, is_same_row};
pub use weight_pages::{PagePiece, WeightPages};
pub use weights::{InfluencesRef, PrimitiveRef, Run};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// Returns the number as an index into its list.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
            /// Returns the id of list position `index`.
            #[must_use]
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32)
            }
        }
    )*};
}

ids! {
    /// A node, in the model's own order: parents first, depth first, default scene first. The file's index is
    /// [`Skeleton::file_index`].
    NodeId,
    /// A mesh (file order, then those that were parted from these: [`ModelParts::parted`]).
    MeshId,
    /// A skin (file order, then those that meshes gained: [`Model::with_bindings`]).
    SkinId,
    /// A clip (file order).
    ClipId,
    /// A material (file order).
    MaterialId,
    /// A texture (file order).
    TextureId,
    /// An image that textures show (in the order in which the file's textures first ask for it).
    ImageId,
    /// A mesh drawn at a node, in depth-first node order.
    InstanceId,
    /// A light (file order).
    LightId,
    /// A camera (file order).
    CameraId,
}

/// A primitive of a model: its mesh, and its index in [`Mesh::primitives`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct PrimitiveId {
    /// The mesh that has the primitive.
    pub mesh: MeshId,
    /// The index of the primitive in its mesh.
    pub primitive: usize,
}

impl PrimitiveId {
    /// Returns the id of a primitive of a mesh.
    #[must_use]
    pub const fn new(mesh: MeshId, primitive: usize) -> Self {
        Self { mesh, primitive }
    }
}

/// The contents of one file, with the edits since it was read: changed weights and inverse bind matrices, and added
/// clips. Models that differ in weights and matrices alone share everything else in memory.
#[derive(Debug)]
pub struct Model {
    /// The skins with their current inverse bind matrices, edits included. All code that computes how a mesh is bound
    /// reads these; the matrices of the file are in [`Model::stored_skins`].
    pub skins: Arc<[Skin]>,
    shared: Arc<Shared>,
    edits: WeightEdits,
    binds: BindEdits,
    bind: Arc<LocalPose>,
}

/// Everything in a model except its edited weights and matrices.
#[derive(Debug)]
struct Shared {
    /// The same for all models that come from one reading of a file.
    reading: Arc<()>,
    /// The skins that meshes gained since. It is the same list in memory for all of them that have the same nodes, skins and bound meshes.
    bindings: Arc<Vec<Arc<BindingChange>>>,
    parts: ModelParts,
    /// The skins of `parts`.
    skins: Arc<[Skin]>,
    layout: PaletteLayout,
    /// The bind pose of these skins.
    bind: Arc<LocalPose>,
    is_joint: Vec<bool>,
    /// Computed on the first call of [`Model::normal_groups`].
    normal_groups: OnceLock<NormalGroups>,
    /// Computed on the first call of [`Model::rig`].
    rig: OnceLock<Option<HumanoidRig>>,
}

impl std::ops::Deref for Model {
    type Target = ModelParts;
    fn deref(&self) -> &ModelParts {
        &self.shared.parts
    }
}

impl Model {
    /// Returns the model without edits.
    fn of_shared(shared: Arc<Shared>) -> Self {
        let (skins, bind) = (Arc::clone(&shared.skins), Arc::clone(&shared.bind));
        Self { skins, bind, shared, edits: WeightEdits::default(), binds: BindEdits::default() }
    }

    /// Returns the same model once more, with the same edits.
    fn twin(&self) -> Self {
        Self {
            skins: Arc::clone(&self.skins),
            shared: Arc::clone(&self.shared),
            edits: self.edits.clone(),
            binds: self.binds.clone(),
            bind: Arc::clone(&self.bind),
        }
    }

    /// Returns a model of other parts with the edits of this one, whose skins they have.
    fn with_parts(&self, parts: ModelParts) -> Result<Self, BuildError> {
        let built = Self::build(parts)?;
        let binds: Vec<BindChange> = self.edited_skinning().binds;
        Self { edits: self.edits.clone(), ..built }.with_binds(&binds)
    }

    /// Returns the index of the first matrix of each skin and instance in the buffer that has all palettes.
    #[must_use]
    pub fn palette_layout(&self) -> &PaletteLayout {
        &self.shared.layout
    }

    /// Returns which vertices share a normal in their stored positions. The first call computes it from every vertex
    /// that a skin moves; later calls return the stored result.
    #[must_use]
    pub fn normal_groups(&self) -> &NormalGroups {
        let stored = |id: InstanceId, p: usize| {
            let mesh = self.instances[id.index()].mesh;
            Some(&self.meshes[mesh.index()].primitives[p].positions[..])
        };
        self.shared.normal_groups.get_or_init(|| NormalGroups::new(self, &stored))
    }

    /// Returns the bind pose as local transforms: the pose in which the skinning matrices leave the mesh undeformed.
    /// Each skin is positioned so that its first joint (in node order) is where it rests. Nodes that are no joint have
    /// their rest transform; a joint of several skins follows the first one.
    #[must_use]
    pub fn bind_pose(&self) -> &LocalPose {
        &self.bind
    }

    /// Returns whether `node` is a joint of any skin.
    #[must_use]
    pub fn is_joint(&self, node: NodeId) -> bool {
        self.shared.is_joint[node.index()]
    }

    /// Returns the nearest joint of any skin above `node`. What lies between them is no joint: importers of FBX leave such pivots, which bear
    /// the places and turns of joints.
    #[must_use]
    pub fn joint_above(&self, node: NodeId) -> Option<NodeId> {
        let parents = &self.skeleton.parents;
        std::iter::successors(parents[node.index()], |above| parents[above.index()]).find(|above| self.is_joint(*above))
    }

    /// Returns the nearest joints of any skin below `node`, in the order of the nodes.
    pub fn joints_below(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let below = (node.index() + 1..self.skeleton.subtree_end(node)).map(NodeId::from_index);
        below.filter(move |joint| {
            let parents = &self.skeleton.parents;
            let mut above = std::iter::successors(parents[joint.index()], |above| parents[above.index()]);
            self.is_joint(*joint) && above.find(|above| *above == node || self.is_joint(*above)) == Some(node)
        })
    }

    /// Returns the name of `node` in the humanoid rig of the file (VRM: "leftUpperArm"), as the file has it; where the
    /// file names no bones, the bone that the names of its nodes say ([`Model::rig`]). `None` where it is none.
    #[must_use]
    pub fn humanoid(&self, node: NodeId) -> Option<&str> {
        match self.humanoid.binary_search_by_key(&node, |(n, _)| *n) {
            Ok(at) => Some(&self.humanoid[at].1),
            Err(_) => self.rig()?.bone(node),
        }
    }

    /// Returns the direction in which a character of this file faces at rest: a unit vector in the space of the model.
    #[must_use]
    pub fn front(&self) -> Vec3 {
        match self.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        }
    }

    /// Returns the offset from positions of an instance's vertices in the model's world to those in the world of the
    /// file, metres; zero except for models far away.
    #[must_use]
    pub fn origin_of_instance(&self, instance: InstanceId) -> glam::DVec3 {
        let Instance { node, skin, .. } = &self.instances[instance.index()];
        match skin.filter(|skin| !self.skins[skin.index()].joints.is_empty()) {
            Some(skin) => self.skeleton.origin_of_skin(skin),
            None => self.skeleton.origin_of(*node),
        }
    }

    /// Returns the instances of a scene, in depth-first node order.
    pub fn instances_in_scene(&self, scene: usize) -> impl Iterator<Item = (InstanceId, &Instance)> {
        let shown = self.scenes.get(scene).map(|s| s.contains.as_slice());
        self.instances
            .iter()
            .enumerate()
            .filter(move |(_, i)| shown.is_none_or(|s| s[i.node.index()]))
            .map(|(i, instance)| (InstanceId::from_index(i), instance))
    }

    /// Returns what moves the vertices of a primitive of an instance: the index of the first matrix in the palette
    /// buffer, and the influences, whose joint indices count from that matrix. Where there are no influences, that one
    /// matrix moves every vertex.
    #[must_use]
    pub fn binding(&self, instance: InstanceId, primitive: usize) -> (u32, Option<InfluencesRef<'_>>) {
        let Instance { mesh, skin, .. } = &self.instances[instance.index()];
        let layout = &self.shared.layout;
        match (skin, self.influences(*mesh, primitive)) {
            (Some(skin), Some(influences)) => (layout.skins[skin.index()], Some(influences)),
            _ => (layout.rigid[instance.index()].unwrap_or_default(), None),
        }
    }

    /// Returns the same model with another rest pose; `None` where the lists of `rest` do not have the lengths of the
    /// model's, or a number is not finite.
    #[must_use]
    pub fn with_rest(&self, rest: &LocalPose) -> Option<Self> {
        let mut parts = self.shared.parts.clone();
        for instance in &mut parts.instances {
            let weights = instance.morph_offset..instance.morph_offset + instance.morph_weights.len();
            instance.morph_weights.clone_from_slice(rest.morph_weights.get(weights)?);
        }
        parts.skeleton.rest = rest.clone();
        self.with_parts(parts).ok()
    }

    /// Returns how many vertices are drawn: the stored vertices of each instance times the number of its copies.
    #[must_use]
    pub fn drawn_vertices(&self) -> usize {
        let of_mesh =
            |mesh: MeshId| self.meshes[mesh.index()].primitives.iter().map(|p| p.stored_vertices).sum::<usize>();
        self.instances.iter().map(|i| of_mesh(i.mesh) * i.copy_count()).sum()
    }
}

/// A list of nodes that are shown together.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The root nodes, in file order.
    pub roots: Vec<NodeId>,
    /// For each node of the model: whether this scene contains it.
    pub contains: Vec<bool>,
}

/// A mesh that is drawn at a node. The transform of the node is ignored where the instance has a skin (glTF 2.0,
/// 3.7.3.3).
#[derive(Clone, Debug, Default)]
pub struct Instance {
    /// The node that has the mesh.
    pub node: NodeId,
    /// The mesh that is drawn.
    pub mesh: MeshId,
    /// The skin; `None`: rigid, moved by `node` alone (as by a skin of one joint).
    pub skin: Option<SkinId>,
    /// Rest weights of the mesh's morph targets (the node's, else the mesh's, else zeros).
    pub morph_weights: Vec<f32>,
    /// The index of this instance's first weight in [`LocalPose::morph_weights`].
    pub morph_offset: usize,
    /// `node_from_copy` of each copy that the node shows (`EXT_mesh_gpu_instancing`); empty: the mesh is drawn once, at
    /// the node. A skinned instance has none. All copies are drawn in one call: copy `n` is moved by the `n`-th matrix
    /// of the instance's palette.
    pub copies: Vec<Affine3A>,
}

impl Instance {
    /// Returns how many times the mesh is drawn.
    #[must_use]
    pub fn copy_count(&self) -> usize {
        self.copies.len().max(1)
    }
}

/// A pose: the local transform of each node (`parent_from_node`) and the morph weights of all instances.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LocalPose {
    /// The transform of each node.
    pub transforms: Vec<Transform>,
    /// The morph weights; those of an instance begin at [`Instance::morph_offset`].
    pub morph_weights: Vec<f32>,
    /// The part of the pose that f32 is too coarse for; empty except where a clip moves the model far away.
    #[serde(skip)]
    pub wide: Wide,
}

/// The indices of the matrices of each skin and instance in the palette buffer. The matrices of all skins come first.
/// Those of nodes that move something rigid follow: instances without a skin, and instances with a skin some of whose
/// primitives have no influences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteLayout {
    /// The index of the first matrix of each skin, by skin.
    pub skins: Vec<u32>,
    /// The index of the first matrix of each instance, by instance: that of its skin, or without a skin that of its
    /// node.
    pub instances: Vec<u32>,
    /// The index of the matrix of each instance's node, where something follows the node rigidly: the first of one
    /// matrix for each copy.
    pub rigid: Vec<Option<u32>>,
    /// The number of matrices of all palettes together.
    pub len: u32,
}

/// What the file states about itself, and where its numbers are stored.
#[derive(Clone, Debug, Default)]
pub struct SourceInfo {
    /// The file name or another short name, for titles.
    pub name: String,
    /// The glTF version, `asset.version`.
    pub version: String,
    /// The program that wrote the file, `asset.generator`.
    pub generator: Option<String>,
    /// The copyright notice, `asset.copyright`.
    pub copyright: Option<String>,
    /// The names of the extensions that the file uses, `extensionsUsed`.
    pub extensions_used: Vec<String>,
    /// The names of the extensions that the file requires, `extensionsRequired`.
    pub extensions_required: Vec<String>,
    /// Paths of the files that its buffers and images name, whether they could be read or not.
    pub files: Vec<PathBuf>,
    /// The text of the layers of weights that the file keeps, `extras.skinscope.layers`.
    pub kept_layers: Option<Arc<str>>,
    /// The text of what drives the corrective shapes that the file has, `extras.skinscope.shapes`.
    pub kept_shapes: Option<Arc<str>>,
    /// The meshes of the file whose morph weights a clip names by a pointer (`KHR_animation_pointer`): their indices, rising.
    pub pointed_weights: Vec<usize>,
    /// The locations in the file of joint numbers, weights, matrices, transforms and keys, for writing them back.
    pub origins: Arc<Origins>,
}

fn layout(parts: &ModelParts) -> PaletteLayout {
    let mut len = 0;
    let mut take = |n: usize| {
        let at = len;
        len += n as u32;
        at
    };
    let skins: Vec<u32> = parts.skins.iter().map(|s| take(s.joints.len())).collect();
    let is_rigid = |i: &Instance| {
        i.skin.is_none() || parts.meshes[i.mesh.index()].vertex_lists().any(|(_, p)| p.stored_influences.is_none())
    };
    let rigid: Vec<Option<u32>> = parts.instances.iter().map(|i| is_rigid(i).then(|| take(i.copy_count()))).collect();
    let first = |(i, rigid): (&Instance, &Option<u32>)| i.skin.map(|s| skins[s.index()]).or(*rigid).unwrap_or_default();
    let instances = parts.instances.iter().zip(&rigid).map(first).collect();
    PaletteLayout { skins, instances, rigid, len }
}

/// Computes the bind pose as local transforms. Joints are at `C · inverse_bind⁻¹`, where `C` is the matrix of the
/// skin's first joint (in node order) at rest times its inverse bind matrix; nodes that are no joint have their rest
/// transform. A joint of several skins follows the first one.
fn bind_pose(skeleton: &Skeleton, skins: &[Skin]) -> LocalPose {
    let n = skeleton.len();
    let world_of = |parent: Option<NodeId>, world: &[Affine3A]| parent.map_or(Affine3A::IDENTITY, |p| world[p.index()]);
    let mut rest = vec![Affine3A::IDENTITY; n];
    for i in 0..n {
        rest[i] = world_of(skeleton.parents[i], &rest) * skeleton.local_matrix(i, skeleton.rest.transforms[i]);
    }
    let mut wanted: Vec<Option<Affine3A>> = vec![None; n];
    for skin in skins {
        let first = (0..skin.joints.len()).min_by_key(|&j| skin.joints[j]);
        let Some(first) = first else { continue };
        let common = rest[skin.joints[first].index()] * skin.inverse_bind[first];
        for (joint, inverse_bind) in skin.joints.iter().zip(&skin.inverse_bind) {
            let bind = common * inverse_bind.inverse();
            if bind.is_finite() {
                wanted[joint.index()].get_or_insert(bind);
            }
        }
    }
    let mut pose = skeleton.rest.clone();
    let mut world = vec![Affine3A::IDENTITY; n];
    for i in 0..n {
        let parent = world_of(skeleton.parents[i], &world);
        if let Some(target) = wanted[i] {
            let mut local = parent.inverse() * target;
            if let Some(residual) = skeleton.residual(i) {
                local.matrix3 *= residual.inverse();
            }
            if local.is_finite() {
                pose.transforms[i] = skinscope_base::math::decompose(local).0;
            }
        }
        world[i] = parent * skeleton.local_matrix(i, pose.transforms[i]);
    }
    pose
}

/// Returns whether a transform is finite, with a unit rotation, as the builder demands of a rest pose.
#[must_use]
fn is_valid_transform(t: Transform) -> bool {
    let near_unit = |q: Quat| (q.length_squared() - 1.0).abs() < 1e-3;
    t.translation.is_finite()
        && t.scale.is_finite()
        && t.rotation.is_finite()
        && near_unit(t.rotation)
        && t.scale.cmple(Vec3::MAX).all()
}
