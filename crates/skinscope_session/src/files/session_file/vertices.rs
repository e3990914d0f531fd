//! Edited or marked vertices as session files have them, with what finds them again in another version of the model's file.

use std::collections::{HashMap, HashSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::Vec3;
use serde::{Deserialize, Serialize};
use skinscope_edit::{Copies, EditedVertices, MeshIdentity, VertexIdentity, VertexList};
use skinscope_model::Primitive;

/// The most pairs of a vertex.
const MOST_PAIRS: usize = 64;

/// The edited vertices of a primitive, or with no pair for a vertex marked ones. The lists are little-endian bytes in base64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct WeightsRecord {
    pub mesh: u32,
    pub primitive: usize,
    /// How many vertices the primitive had.
    pub stored_vertices: usize,
    /// [`VertexList::material`]; files of earlier versions have none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub material: String,
    /// The joints of the skin; `joints` has indices into this list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skin: Vec<String>,
    pub per_vertex: usize,
    /// Numbers of vertices, rising, 4 bytes each.
    pub vertices: String,
    /// Indices of joints, 2 bytes each, `per_vertex` for each vertex.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub joints: String,
    /// Weights, 4 bytes each, `per_vertex` for each vertex.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub weights: String,
    /// The identity of each vertex ([`VertexIdentity`]): hashes of its geometry and of all, 8 bytes each. Files of earlier versions have none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub identities: String,
    /// The four numbers of [`Copies`] of each vertex, 4 bytes each; empty where each is the only one of its identity.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub copies: String,
    /// The position of each vertex in mesh space, 4 bytes for each coordinate.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub positions: String,
}

/// A mesh of the model that vertices were edited on. The hashes are hexadecimal numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct MeshRecord {
    pub name: String,
    /// [`MeshIdentity::content`]
    pub content: String,
    /// [`MeshIdentity::order`]
    pub order: String,
    /// [`MeshIdentity::joints`]; files of earlier versions have none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub joints: String,
}

impl WeightsRecord {
    pub fn of(edited: &EditedVertices) -> Self {
        let EditedVertices { list, skin, per_vertex, joints, weights } = edited;
        let hashes = list.identities.iter().flat_map(|i| [i.geometry, i.full]);
        let copies = list.copies.iter().flat_map(|c| [c.full, c.full_before, c.geometry, c.geometry_before]);
        Self {
            mesh: list.mesh,
            primitive: list.primitive,
            stored_vertices: list.stored_vertices,
            material: list.material.clone(),
            skin: skin.clone(),
            per_vertex: *per_vertex,
            vertices: encode(list.vertices.iter().copied(), u32::to_le_bytes),
            joints: encode(joints.iter().copied(), u16::to_le_bytes),
            weights: encode(weights.iter().copied(), f32::to_le_bytes),
            identities: encode(hashes, u64::to_le_bytes),
            copies: encode(copies, u32::to_le_bytes),
            positions: encode(list.positions.iter().flat_map(|p| p.to_array()), f32::to_le_bytes),
        }
    }

    /// Returns the vertices; `None` where the record is broken.
    pub fn edited(&self) -> Option<EditedVertices> {
        if self.per_vertex > MOST_PAIRS {
            return None;
        }
        let hashes = decode(&self.identities, u64::from_le_bytes)?;
        let copies = decode(&self.copies, u32::from_le_bytes)?;
        let positions = decode(&self.positions, f32::from_le_bytes)?;
        let (hashes, copies, positions) = (hashes.as_chunks(), copies.as_chunks(), positions.as_chunks());
        let of_copies = |[full, full_before, geometry, geometry_before]: [u32; 4]| Copies {
            full,
            full_before,
            geometry,
            geometry_before,
        };
        let edited = EditedVertices {
            list: VertexList {
                mesh: self.mesh,
                primitive: self.primitive,
                stored_vertices: self.stored_vertices,
                material: self.material.clone(),
                vertices: decode(&self.vertices, u32::from_le_bytes)?,
                identities: hashes
                    .0
                    .iter()
                    .map(|[geometry, full]| VertexIdentity { geometry: *geometry, full: *full })
                    .collect(),
                copies: copies.0.iter().copied().map(of_copies).collect(),
                positions: positions.0.iter().copied().map(Vec3::from_array).collect(),
            },
            skin: self.skin.clone(),
            per_vertex: self.per_vertex,
            joints: decode(&self.joints, u16::from_le_bytes)?,
            weights: decode(&self.weights, f32::from_le_bytes)?,
        };
        let is_even = hashes.1.is_empty() && copies.1.is_empty() && positions.1.is_empty();
        let is_finite = edited.weights.iter().all(|weight| weight.is_finite());
        (is_even && is_finite && edited.is_whole()).then_some(edited)
    }

    /// Returns how many vertices there are.
    pub fn count(&self) -> usize {
        // Four characters of base64 are three bytes, and a number has four.
        self.vertices.trim_end_matches('=').len() * 3 / 4 / 4
    }
}

/// A vertex of a record: its mesh and primitive, its number there, and the hash of its geometry where that was recorded.
type RecordedVertex = (u32, usize, u32, Option<u64>);

fn recorded(edited: &EditedVertices) -> impl Iterator<Item = (RecordedVertex, usize)> {
    let VertexList { mesh, primitive, vertices, identities, .. } = &edited.list;
    let vertex = |(i, vertex): (usize, &u32)| {
        let geometry = identities.get(i).map(|identity| identity.geometry);
        ((*mesh, *primitive, *vertex, geometry), i)
    };
    vertices.iter().enumerate().map(vertex)
}

/// Returns whether every vertex that two lists of records have, which were made on one model, has the same weights in both.
pub(super) fn agree(a: &[WeightsRecord], b: &[WeightsRecord]) -> bool {
    let [a, b] = [a, b].map(|records| records.iter().filter_map(WeightsRecord::edited).collect::<Vec<_>>());
    let rows = |edited| recorded(edited).map(move |(vertex, i)| (vertex, (edited, i)));
    let known: HashMap<RecordedVertex, (&EditedVertices, usize)> = a.iter().flat_map(rows).collect();
    b.iter().flat_map(rows).all(|(vertex, (edited, i))| {
        known.get(&vertex).is_none_or(|(other, j)| other.sorted_row(*j) == edited.sorted_row(i))
    })
}

/// Adds records to a list of them, without the vertices that this has already.
pub(super) fn add_vertices(all: &mut Vec<WeightsRecord>, more: Vec<WeightsRecord>) {
    let known: HashSet<RecordedVertex> = all
        .iter()
        .filter_map(WeightsRecord::edited)
        .flat_map(|edited| recorded(&edited).map(|(vertex, _)| vertex).collect::<Vec<_>>())
        .collect();
    for record in more {
        let Some(edited) = record.edited().filter(|_| !known.is_empty()) else {
            all.push(record);
            continue;
        };
        let new: Vec<usize> = recorded(&edited).filter(|(vertex, _)| !known.contains(vertex)).map(|(_, i)| i).collect();
        if new.len() == edited.list.vertices.len() {
            all.push(record);
        } else if !new.is_empty() {
            all.push(WeightsRecord::of(&edited.only(&new)));
        }
    }
}

impl MeshRecord {
    pub fn of(mesh: &MeshIdentity) -> Self {
        Self {
            name: mesh.name.clone(),
            content: format!("{:016x}", mesh.content),
            order: format!("{:016x}", mesh.order),
            joints: if mesh.joints == 0 { String::new() } else { format!("{:016x}", mesh.joints) },
        }
    }

    pub fn identity(&self) -> MeshIdentity {
        let number = |text: &str| u64::from_str_radix(text, 16).unwrap_or_default();
        MeshIdentity {
            name: self.name.clone(),
            content: number(&self.content),
            order: number(&self.order),
            joints: number(&self.joints),
        }
    }
}

fn encode<T, const N: usize>(values: impl Iterator<Item = T>, bytes: fn(T) -> [u8; N]) -> String {
    STANDARD.encode(values.flat_map(bytes).collect::<Vec<u8>>())
}

fn decode<T, const N: usize>(text: &str, value: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (values, rest) = bytes.as_chunks();
    rest.is_empty().then(|| values.iter().map(|b| value(*b)).collect())
}

/// Returns a hash of the positions of the vertices that the file has, in their order. Session files have it, so that it must stay as it is.
pub(super) fn hash_of(primitive: &Primitive) -> String {
    let stored = primitive.positions.iter().take(primitive.stored_vertices);
    // A position of −0 is the same as one of 0.
    let bits = stored.flat_map(|position| position.to_array()).map(|number| (number + 0.0).to_bits());
    let add = |hash: u64, word: u32| (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bits.fold(0xcbf2_9ce4_8422_2325, add))
}
