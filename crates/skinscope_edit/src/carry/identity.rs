//! What tells a stored vertex from others, wherever it stands in its file.

use std::collections::HashMap;

use glam::Vec3;
use skinscope_anim::pose::Keys;
use skinscope_model::{InfluencesRef, MeshId, Model, NodeId, Primitive, SkinId};

use super::nodes::path_of;

/// What identifies a stored vertex, as two hashes of exact bits. Session files have them, so that the hash must stay as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexIdentity {
    /// The hash of position, normal and first texture coordinates.
    pub geometry: u64,
    /// The hash of the same and of the stored weights by the keys of their joints ([`Keys`]), in whatever order. Weights of 0 are left out.
    pub full: u64,
}

/// How many vertices of a mesh have one identity, and which of them one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// How many have the same [`VertexIdentity::full`].
    pub full: u32,
    /// How many of those stand before this one in the file.
    pub full_before: u32,
    /// How many have the same [`VertexIdentity::geometry`].
    pub geometry: u32,
    /// How many of those stand before this one in the file.
    pub geometry_before: u32,
}

impl Copies {
    /// A vertex that is the only one of its identity.
    pub const ALONE: Self = Self { full: 1, full_before: 0, geometry: 1, geometry_before: 0 };
}

/// What identifies a mesh in another version of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshIdentity {
    /// The name in the file; it may be empty.
    pub name: String,
    /// The hash of the geometry of all vertices that have weights, in whatever order; 0 where there are none.
    pub content: u64,
    /// The hash of the same in the order of the file.
    pub order: u64,
    /// The hash of the keys of the joints of the skin that shows it, in their order; 0 where that is not known. It tells meshes
    /// apart that were parted for the sake of their skins.
    pub joints: u64,
}

/// Some stored vertices of a primitive, with what finds them again in another version of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexList {
    /// The mesh's number in the file.
    pub mesh: u32,
    /// The primitive's number in the mesh.
    pub primitive: usize,
    /// How many vertices the file has in that primitive.
    pub stored_vertices: usize,
    /// The name of the primitive's material, which tells equal vertices of two primitives apart; empty where the file gives none.
    pub material: String,
    /// The vertices' numbers in the file, rising.
    pub vertices: Vec<u32>,
    /// The identity of each; empty where none were recorded, so that the vertices are known by their numbers alone.
    pub identities: Vec<VertexIdentity>,
    /// The copies of each; empty where each is the only one of its identity.
    pub copies: Vec<Copies>,
    /// The position of each, mesh space, metres; empty where none were recorded.
    pub positions: Vec<Vec3>,
}

impl VertexList {
    /// Returns the copies of the `i`-th vertex.
    #[must_use]
    pub fn copies_of(&self, i: usize) -> Copies {
        self.copies.get(i).copied().unwrap_or(Copies::ALONE)
    }
}

/// A hash of 32-bit words that depends on their order.
#[derive(Clone, Copy, Debug)]
struct Hash(u64);

impl Hash {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    fn new(salt: u64) -> Self {
        Self(salt ^ 0xcbf2_9ce4_8422_2325)
    }

    fn add(mut self, word: u64) -> Self {
        self.0 = (self.0 ^ word).wrapping_mul(Self::FACTOR);
        self.0 ^= self.0 >> 29;
        self
    }

    /// Adds a number by its bits; −0 counts as 0, which it is equal to.
    fn add_number(self, number: f32) -> Self {
        self.add(u64::from((number + 0.0).to_bits()))
    }
}

fn geometry_of(primitive: &Primitive, vertex: usize) -> u64 {
    let normal = primitive.normals.get(vertex).map_or([0.0; 3], |n| n.to_array());
    let uv = primitive.uvs[0].get(vertex).map_or([0.0; 2], |uv| uv.to_array());
    let position = primitive.positions[vertex].to_array();
    position.into_iter().chain(normal).chain(uv).fold(Hash::new(0), Hash::add_number).0
}

/// The hashes of the keys of a skin's joints, by index.
fn joint_hashes(model: &Model, keys: &Keys, skin: Option<SkinId>) -> Vec<u64> {
    let joints = skin.map(|skin| &model.skins[skin.index()].joints);
    let of = |text: &str| text.bytes().fold(Hash::new(1), |hash, byte| hash.add(byte.into())).0;
    let hash = |joint: &NodeId| {
        let key = keys.key(*joint);
        // A number may be another node's in another version of the file.
        if key == model.skeleton.names[joint.index()] { of(key) } else { of(&path_of(model, *joint)) }
    };
    joints.into_iter().flatten().map(hash).collect()
}

fn full_of(
    geometry: u64,
    pairs: InfluencesRef<'_>,
    vertex: usize,
    joints: &[u64],
    scratch: &mut Vec<(u64, u32)>,
) -> u64 {
    let (indices, weights) = pairs.of_stored(vertex);
    let used = indices.iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
    scratch.clear();
    scratch.extend(used.map(|(index, w)| (joints.get(usize::from(*index)).copied().unwrap_or_default(), w.to_bits())));
    scratch.sort_unstable();
    let hash = Hash::new(geometry);
    scratch.iter().fold(hash, |hash, (joint, weight)| hash.add(*joint).add(u64::from(*weight))).0
}

/// Returns the name that the file gives the material of a primitive; empty where there is none, or it has no name.
pub(super) fn material_of<'m>(model: &'m Model, primitive: &Primitive) -> &'m str {
    let Some(material) = primitive.material.map(|material| material.index()) else { return "" };
    let name = model.materials.get(material).map_or("", |material| material.name.as_str());
    // Another version of the file may have another material under that number.
    if name.strip_prefix("material ").and_then(|number| number.parse().ok()) == Some(material) { "" } else { name }
}

/// Returns a skin that shows a mesh, whose joints the numbers of its vertices mean.
#[must_use]
pub fn skin_of(model: &Model, mesh: MeshId) -> Option<SkinId> {
    model.instances.iter().filter(|i| i.mesh == mesh).find_map(|i| i.skin)
}

/// The identities of all stored vertices of a model that have weights, as its file has them.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    /// The identity of each mesh, in the order of the model.
    pub meshes: Vec<MeshIdentity>,
    /// By mesh and primitive; empty where that has no weights.
    pub(super) vertices: Vec<Vec<Vec<VertexIdentity>>>,
}

impl Identities {
    /// Hashes all vertices of a model.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let keys = Keys::of(model);
        let mut out = Self::default();
        let mut scratch = Vec::new();
        for (m, mesh) in model.meshes.iter().enumerate() {
            let joints = joint_hashes(model, &keys, skin_of(model, MeshId::from_index(m)));
            let of_skin = joints.iter().fold(Hash::new(4), |hash, joint| hash.add(*joint)).0;
            let mut identity = MeshIdentity { name: mesh.name.clone(), joints: of_skin, ..MeshIdentity::default() };
            let mut order = Hash::new(2);
            let mut vertices = Vec::with_capacity(mesh.primitives.len());
            for primitive in &mesh.primitives {
                let Some(pairs) = primitive.as_stored().influences else {
                    vertices.push(Vec::new());
                    continue;
                };
                let of = |vertex| {
                    let geometry = geometry_of(primitive, vertex);
                    identity.content = identity.content.wrapping_add(Hash::new(3).add(geometry).0);
                    order = order.add(geometry);
                    VertexIdentity { geometry, full: full_of(geometry, pairs, vertex, &joints, &mut scratch) }
                };
                vertices.push((0..primitive.stored_vertices).map(of).collect());
            }
            identity.order = order.0;
            out.meshes.push(identity);
            out.vertices.push(vertices);
        }
        out
    }

    /// Lists vertices of a primitive of the model, given by their numbers in the file, rising. Numbers that it does not have are left out.
    #[must_use]
    pub fn list(&self, model: &Model, mesh: MeshId, primitive: usize, vertices: &[u32]) -> VertexList {
        let all = &self.vertices[mesh.index()];
        let of = &model.meshes[mesh.index()].primitives[primitive];
        let own = &all[primitive];
        let vertices: Vec<u32> = vertices.iter().copied().filter(|v| (*v as usize) < own.len()).collect();
        let identities: Vec<VertexIdentity> = vertices.iter().map(|v| own[*v as usize]).collect();
        let mut out = VertexList {
            mesh: mesh.0,
            primitive,
            stored_vertices: of.stored_vertices,
            material: material_of(model, of).to_owned(),
            positions: vertices.iter().map(|v| of.positions[*v as usize]).collect(),
            copies: copies(all, primitive, &vertices, &identities),
            vertices,
            identities,
        };
        if out.copies.iter().all(|copies| *copies == Copies::ALONE) {
            out.copies.clear();
        }
        out
    }
}

/// Counts the copies of some vertices of a primitive among all vertices of its mesh.
fn copies(all: &[Vec<VertexIdentity>], primitive: usize, vertices: &[u32], listed: &[VertexIdentity]) -> Vec<Copies> {
    let mut full: HashMap<u64, u32> = listed.iter().map(|identity| (identity.full, 0)).collect();
    let mut geometry: HashMap<u64, u32> = listed.iter().map(|identity| (identity.geometry, 0)).collect();
    let mut out = Vec::with_capacity(vertices.len());
    for (p, of) in all.iter().enumerate() {
        for (v, identity) in of.iter().enumerate() {
            let Some(geometry) = geometry.get_mut(&identity.geometry) else { continue };
            let mut none = 0;
            let full = full.get_mut(&identity.full).unwrap_or(&mut none);
            if p == primitive && vertices.binary_search(&(v as u32)).is_ok() {
                out.push(Copies { full_before: *full, geometry_before: *geometry, ..Copies::ALONE });
            }
            *full += 1;
            *geometry += 1;
        }
    }
    for (copies, identity) in out.iter_mut().zip(listed) {
        copies.full = full[&identity.full];
        copies.geometry = geometry[&identity.geometry];
    }
    out
}
