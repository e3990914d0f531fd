//! Tangents by MikkTSpace, where a normal map needs them and the file has none.

use std::collections::HashMap;

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use glam::{Vec3, Vec4};

use super::ImportError;
use super::primitive::Source;
use crate::model::{Influences, Primitive, Topology};

/// Makes tangents where the material's normal texture needs them; drops those that nothing can use.
pub(super) fn complete(source: &Source, primitive: &mut Primitive) -> Result<(), ImportError> {
    if primitive.normals.is_empty() && !primitive.tangents.is_empty() {
        source.warn("TANGENT", "comes without NORMAL and was ignored");
        primitive.tangents = Vec::new();
    }
    let material = primitive.material.and_then(|m| source.reader.root.materials.get(m.index()));
    let Some(normal) = material.and_then(|m| m.normal_texture.as_ref()) else { return Ok(()) };
    let Some(uv_set) = usize::try_from(normal.tex_coord).ok().filter(|s| *s < 2) else { return Ok(()) };
    let usable = primitive.topology == Topology::Triangles
        && primitive.tangents.is_empty()
        && !primitive.normals.is_empty()
        && !primitive.uvs[uv_set].is_empty();
    if usable { generate(source, primitive, uv_set) } else { Ok(()) }
}

/// Corners that may meet at one place. The generator recurses around a place and compares its corners with one another,
/// so that a file with a million of them would exhaust the stack; no modelled surface comes near.
const MOST_CORNERS: u32 = 512;

struct Corners<'a> {
    primitive: &'a Primitive,
    uv_set: usize,
    /// The triangles that have a surface.
    faces: Vec<u32>,
    /// By index list position.
    tangents: Vec<Option<Vec4>>,
}

impl Corners<'_> {
    fn at(&self, face: usize, corner: usize) -> usize {
        self.faces[face] as usize * 3 + corner
    }

    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.primitive.indices[self.at(face, corner)] as usize
    }
}

impl Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.faces.len()
    }
    fn num_vertices_of_face(&self, _face: usize) -> usize {
        3
    }
    fn position(&self, face: usize, corner: usize) -> [f32; 3] {
        self.primitive.positions[self.vertex(face, corner)].to_array()
    }
    fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
        self.primitive.normals[self.vertex(face, corner)].to_array()
    }
    fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
        // MikkTSpace has v upward, glTF downward.
        let uv = self.primitive.uvs[self.uv_set][self.vertex(face, corner)];
        [uv.x, 1.0 - uv.y]
    }
    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, corner: usize) {
        let at = self.at(face, corner);
        let tangent = space.map(|s| Vec4::from_array(s.tangent_encoded()));
        // Zero where the texture coordinates of all triangles around are the same.
        self.tangents[at] = tangent.filter(|t| t.is_finite() && t.truncate().length_squared() > 0.5);
    }
}

fn generate(source: &Source, primitive: &mut Primitive, uv_set: usize) -> Result<(), ImportError> {
    let corners = primitive.indices.len();
    // Tangents and the generator's own lists (about 200 bytes a corner).
    source.reader.decoded.charge(&|| source.place(), corners as u64, 200)?;
    let (faces, crowded) = usable_faces(primitive);
    if crowded > 0 {
        source.warn("has", format_args!("{crowded} triangles where more than {MOST_CORNERS} meet; no tangents there"));
    }
    let mut geometry = Corners { primitive, uv_set, faces, tangents: vec![None; corners] };
    if generate_tangents(&mut geometry).is_err() {
        source.warn("has", "a normal texture, but tangents could not be made");
        return Ok(());
    }
    let tangents = geometry.tangents;
    distribute(primitive, &tangents);
    Ok(())
}

/// The triangles whose corners lie at three places, none of them crowded; and how many were left out for a crowd.
/// Those without a surface show nothing, and would cost the generator quadratic time.
fn usable_faces(primitive: &Primitive) -> (Vec<u32>, usize) {
    // Zero and minus zero are one place.
    let place = |index: &u32| (primitive.positions[*index as usize] + 0.0).to_array().map(f32::to_bits);
    let mut corners: HashMap<[u32; 3], u32> = HashMap::with_capacity(primitive.positions.len());
    for index in &primitive.indices {
        *corners.entry(place(index)).or_default() += 1;
    }
    let (mut faces, mut crowded) = (Vec::with_capacity(primitive.indices.len() / 3), 0);
    for (face, triangle) in primitive.indices.as_chunks::<3>().0.iter().enumerate() {
        let places = [0, 1, 2].map(|c| place(&triangle[c]));
        if places[0] == places[1] || places[1] == places[2] || places[2] == places[0] {
            continue;
        }
        if places.iter().any(|p| corners.get(p).is_some_and(|n| *n > MOST_CORNERS)) {
            crowded += 1;
            continue;
        }
        faces.push(face as u32);
    }
    (faces, crowded)
}

/// Gives each vertex its corners' tangent; where they disagree the vertex is split, one copy for each tangent.
/// Corners without a tangent take what their vertex has.
fn distribute(primitive: &mut Primitive, corners: &[Option<Vec4>]) {
    let stored = primitive.positions.len();
    let fallback = |n: &Vec3| n.any_orthonormal_vector().extend(1.0);
    let mut tangents: Vec<Option<Vec4>> = vec![None; stored];
    // Copies by vertex and the exact bits of the tangent.
    let mut copies: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
    for (index, tangent) in primitive.indices.iter_mut().zip(corners) {
        let Some(tangent) = tangent else { continue };
        let first = *tangents[*index as usize].get_or_insert(*tangent);
        if first == *tangent {
            continue;
        }
        let key = (*index, tangent.to_array().map(f32::to_bits));
        *index = *copies.entry(key).or_insert_with(|| {
            primitive.split_from.push(key.0);
            tangents.push(Some(*tangent));
            (tangents.len() - 1) as u32
        });
    }
    primitive.tangents = tangents
        .iter()
        .enumerate()
        .map(|(v, t)| t.unwrap_or_else(|| primitive.normals.get(v).map_or(Vec4::new(1.0, 0.0, 0.0, 1.0), fallback)))
        .collect();
    let from = std::mem::take(&mut primitive.split_from);
    append(&mut primitive.positions, &from);
    append(&mut primitive.normals, &from);
    append(&mut primitive.colors, &from);
    primitive.uvs.iter_mut().for_each(|uvs| append(uvs, &from));
    for morph in &mut primitive.morphs {
        append(&mut morph.positions, &from);
        append(&mut morph.normals, &from);
        append(&mut morph.tangents, &from);
    }
    if let Some(Influences { per_vertex, joints, weights, .. }) = &mut primitive.influences {
        for vertex in &from {
            let range = *vertex as usize * *per_vertex..(*vertex as usize + 1) * *per_vertex;
            joints.extend_from_within(range.clone());
            weights.extend_from_within(range);
        }
    }
    primitive.split_from = from;
}

/// Copies the listed elements to the end; lists that are empty stay so.
fn append<T: Copy>(list: &mut Vec<T>, from: &[u32]) {
    if !list.is_empty() {
        list.reserve(from.len());
        for vertex in from {
            list.push(list[*vertex as usize]);
        }
    }
}
