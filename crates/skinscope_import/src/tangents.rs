//! Computes tangents by MikkTSpace, where a normal map needs them and the file has none.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use glam::{Vec3, Vec4};
use skinscope_base::words::counted;
use skinscope_model::{Influences, Material, MaterialId, Primitive, TextureSlot, Topology};

use super::attributes::PrimitiveSource;
use super::{ImportError, Progress, mikktspace};

/// Computes tangents where a normal texture of a material needs them, and drops those that nothing uses. Tangents
/// follow the coordinates at which the texture is read (glTF 2.0, 3.7.2.1), transformed by `KHR_texture_transform`.
/// Tangents that the file stores are assumed to follow them too, and are left as they are. `sharing` are the primitives
/// whose triangles are further parts of the index list, in their order.
pub(super) fn complete(
    source: &PrimitiveSource,
    primitive: &mut Primitive,
    sharing: &[Primitive],
) -> Result<(), ImportError> {
    if primitive.normals.is_empty() && !primitive.tangents.is_empty() {
        source.warn("TANGENT", "comes without NORMAL and was ignored");
        primitive.tangents = Vec::new();
    }
    let usable =
        primitive.topology == Topology::Triangles && primitive.tangents.is_empty() && !primitive.normals.is_empty();
    if !usable {
        return Ok(());
    }
    let material = |m: MaterialId| source.materials.get(m.index()).and_then(Material::tangent_slot);
    let slot = |p: &Primitive| p.materials().find_map(material).filter(|slot| !primitive.uvs[slot.uv_set].is_empty());
    let slots: Vec<Option<TextureSlot>> = std::iter::once(slot(primitive)).chain(sharing.iter().map(slot)).collect();
    // Triangles whose textures are read at the same coordinates are one surface, whatever their materials.
    let mut surfaces: Vec<(TextureSlot, Vec<Range<usize>>)> = Vec::new();
    for (n, slot) in slots.into_iter().enumerate() {
        let Some(slot) = slot else { continue };
        let range = primitive.parts.get(n).map_or(0..primitive.indices.len(), |part| part.indices.clone());
        let same = |other: &TextureSlot| (other.uv_set, other.transform) == (slot.uv_set, slot.transform);
        match surfaces.iter_mut().find(|(other, _)| same(other)) {
            Some((_, ranges)) => ranges.push(range),
            None => surfaces.push((slot, vec![range])),
        }
    }
    if surfaces.is_empty() {
        return Ok(());
    }
    let mut corners = vec![None; primitive.indices.len()];
    for (slot, ranges) in surfaces {
        generate(source, primitive, slot, (&ranges, &mut corners))?;
    }
    distribute(primitive, &corners);
    Ok(())
}

/// Computes the tangents of the corners in some ranges of the index list, which are one surface, and writes them to
/// `corners`, which has a place for each index.
fn generate(
    source: &PrimitiveSource,
    primitive: &Primitive,
    slot: TextureSlot,
    (ranges, corners): (&[Range<usize>], &mut [Option<Vec4>]),
) -> Result<(), ImportError> {
    let reader = source.reader;
    let indices: Cow<'_, [u32]> = match ranges {
        [all] => Cow::Borrowed(&primitive.indices[all.clone()]),
        several => Cow::Owned(several.iter().flat_map(|range| &primitive.indices[range.clone()]).copied().collect()),
    };
    // The memory of tangents and of the generator's own lists (about 200 bytes a corner) is charged.
    reader.decoded.charge(&|| source.location(), indices.len() as u64, 200)?;
    let stored = &primitive.uvs[slot.uv_set];
    let uvs = match slot.transform.map(|t| t.matrix()) {
        None => Cow::Borrowed(stored),
        Some(matrix) => Cow::Owned(stored.iter().map(|uv| matrix.transform_point2(*uv)).collect()),
    };
    let made = mikktspace::generate(primitive, (&indices, &uvs), &reader.progress)?;
    if made.crowded > 0 {
        let (count, most) = (made.crowded, mikktspace::MOST_CORNERS);
        let triangles = counted(count, "triangle", "triangles");
        source.warn("has", format_args!("{triangles} where more than {most} meet; no tangents there"));
    }
    let mut of_range = &made.tangents[..];
    for range in ranges {
        let (own, rest) = of_range.split_at(range.len());
        corners[range.clone()].copy_from_slice(own);
        of_range = rest;
    }
    Ok(())
}

/// Computes the tangent of each index of a primitive by MikkTSpace (Mikkelsen 2008), along its first texture
/// coordinates: xyz of unit length in mesh space, w = ±1 the handedness. A corner of a triangle without area has none.
/// `None` where the primitive lacks triangles, normals or texture coordinates.
#[must_use]
pub fn corner_tangents(primitive: &Primitive) -> Option<Vec<Option<Vec4>>> {
    let uvs = &primitive.uvs[0];
    let usable = primitive.topology == Topology::Triangles && !primitive.normals.is_empty() && !uvs.is_empty();
    let corners = usable.then(|| mikktspace::generate(primitive, (&primitive.indices, uvs), &Progress::silent()))?;
    corners.ok().map(|corners| corners.tangents)
}

/// Gives each vertex its corners' tangent; where they disagree the vertex is split, one copy for each tangent. Corners
/// without a tangent take that of their vertex.
fn distribute(primitive: &mut Primitive, corners: &[Option<Vec4>]) {
    let stored = primitive.positions.len();
    let fallback = |n: &Vec3| n.any_orthonormal_vector().extend(1.0);
    let mut tangents: Vec<Option<Vec4>> = vec![None; stored];
    // The copies, by vertex and the exact bits of the tangent.
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
    if let Some(Influences { per_vertex, joints, weights, .. }) = &mut primitive.stored_influences {
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
