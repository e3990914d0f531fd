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

struct Corners<'a> {
    primitive: &'a Primitive,
    uv_set: usize,
    /// By index list position.
    tangents: Vec<Vec4>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.primitive.indices[face * 3 + corner] as usize
    }
}

impl Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.primitive.indices.len() / 3
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
        let tangent = space.map(|s| Vec4::from_array(s.tangent_encoded()));
        let normal = self.primitive.normals[self.vertex(face, corner)];
        self.tangents[face * 3 + corner] = tangent
            .filter(|t| t.is_finite() && t.truncate().length_squared() > 0.5)
            .unwrap_or_else(|| normal.any_orthonormal_vector().extend(1.0));
    }
}

fn generate(source: &Source, primitive: &mut Primitive, uv_set: usize) -> Result<(), ImportError> {
    let corners = primitive.indices.len() as u64;
    // Tangents and the generator's own lists (about 200 bytes a corner).
    source.reader.decoded.charge(&|| source.place(), corners, 200)?;
    let mut geometry = Corners { primitive, uv_set, tangents: vec![Vec4::ZERO; primitive.indices.len()] };
    let result = generate_tangents(&mut geometry);
    let tangents = geometry.tangents;
    if let Err(error) = result {
        source.warn("has", format_args!("a normal texture, but tangents could not be made: {error}"));
        return Ok(());
    }
    distribute(primitive, &tangents);
    Ok(())
}

/// Gives each vertex its corners' tangent; where they disagree the vertex is split, one copy for each tangent.
fn distribute(primitive: &mut Primitive, corners: &[Vec4]) {
    let stored = primitive.positions.len();
    let fallback = |n: &Vec3| n.any_orthonormal_vector().extend(1.0);
    let mut tangents: Vec<Option<Vec4>> = vec![None; stored];
    // Copies by vertex and the exact bits of the tangent.
    let mut copies: HashMap<(u32, [u32; 4]), u32> = HashMap::new();
    for (index, tangent) in primitive.indices.iter_mut().zip(corners) {
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
