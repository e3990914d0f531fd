//! Tangents by MikkTSpace, where a normal map needs them and the file has none.

use std::collections::HashMap;

use glam::{Vec3, Vec4};

use super::primitive::Source;
use super::{ImportError, mikktspace};
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

fn generate(source: &Source, primitive: &mut Primitive, uv_set: usize) -> Result<(), ImportError> {
    let reader = source.reader;
    // Tangents and the generator's own lists (about 200 bytes a corner).
    reader.decoded.charge(&|| source.place(), primitive.indices.len() as u64, 200)?;
    let corners = mikktspace::generate(primitive, uv_set, &reader.progress)?;
    if corners.crowded > 0 {
        let (count, most) = (corners.crowded, mikktspace::MOST_CORNERS);
        source.warn("has", format_args!("{count} triangles where more than {most} meet; no tangents there"));
    }
    distribute(primitive, &corners.tangents);
    Ok(())
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
