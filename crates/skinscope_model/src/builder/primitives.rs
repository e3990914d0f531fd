//! The invariants of meshes: lists of one length, indices that lie within them, finite numbers.

use skinscope_base::math::largest_magnitude;

use super::super::{Influences, Mesh, NotFinite, OutOfRange, Primitive};
use super::{BuildError, ModelParts, ensure};

/// Returns all floats of a primitive.
fn numbers(p: &Primitive) -> Vec<&[f32]> {
    let mut out: Vec<&[f32]> = vec![
        bytemuck::cast_slice(&p.positions),
        bytemuck::cast_slice(&p.normals),
        bytemuck::cast_slice(&p.tangents),
        bytemuck::cast_slice(&p.uvs[0]),
        bytemuck::cast_slice(&p.uvs[1]),
        bytemuck::cast_slice(&p.colors),
        p.stored_influences.as_ref().map_or(&[], |i| &i.weights),
    ];
    let morphs = p.morphs.iter().flat_map(|m| [&m.positions, &m.normals, &m.tangents]);
    out.extend(morphs.map(|list| bytemuck::cast_slice::<_, f32>(list)));
    out
}

pub(in super::super) fn is_finite(values: &[f32]) -> bool {
    largest_magnitude(values).is_finite()
}

/// Returns whether all indices are below `end`. It searches the largest one, which the compiler turns into wide
/// instructions.
fn is_below(indices: &[u32], end: usize) -> bool {
    indices.is_empty() || (indices.iter().fold(0, |most, i| most.max(*i)) as usize) < end
}

/// Checks that the parts of a primitive cover its index list, that each is a primitive which shares its vertices, and that
/// one whose vertices are in another has none.
fn check_sharing(p: &Primitive, mesh: &Mesh, location: &dyn Fn() -> String) -> Result<(), BuildError> {
    let other = |at: usize| mesh.primitives.get(at);
    if let Some(holder) = p.shares {
        let known = other(holder).is_some_and(|h| h.shares.is_none() && h.topology == p.topology);
        let lists = p.positions.is_empty() && p.indices.is_empty() && p.parts.is_empty();
        return ensure(known && lists && p.stored_influences.is_none(), location, "it shares vertices and has some");
    }
    let Some(first) = p.parts.first() else { return Ok(()) };
    let own = |at: usize| other(at).is_some_and(|of| std::ptr::eq(of, p));
    let holder = first.primitive;
    let mut end = 0;
    let follows = p.parts.iter().all(|part| {
        let follows = part.indices.start == end
            && part.indices.end >= end
            && part.indices.len().is_multiple_of(p.topology.corners());
        end = part.indices.end;
        follows && (own(part.primitive) || other(part.primitive).is_some_and(|of| of.shares == Some(holder)))
    });
    ensure(own(holder) && follows && end == p.indices.len(), location, "its parts do not cover its index list")
}

/// Checks the lists of a primitive of `mesh`.
pub(super) fn check_primitive(
    p: &Primitive,
    mesh: &Mesh,
    parts: &ModelParts,
    location: &dyn Fn() -> String,
) -> Result<(), BuildError> {
    let n = p.positions.len();
    let fits = |len: usize| len == 0 || len == n;
    let lists = [p.normals.len(), p.tangents.len(), p.uvs[0].len(), p.uvs[1].len(), p.colors.len()];
    ensure(lists.into_iter().all(fits), location, "its vertex lists differ in length")?;
    ensure(p.stored_vertices + p.split_from.len() == n, location, "stored and split vertices do not add up")?;
    ensure(is_below(&p.split_from, p.stored_vertices), location, "a split vertex copies none")?;
    ensure(
        p.indices.len().is_multiple_of(p.topology.corners()),
        location,
        "its index count does not fit its topology",
    )?;
    ensure(is_below(&p.indices, n), location, "an index lies beyond its vertices")?;
    check_sharing(p, mesh, location)?;
    ensure(p.materials().all(|m| m.index() < parts.materials.len()), location, "its material is not there")?;
    let rising = p.variants.windows(2).all(|w| w[0].0 < w[1].0);
    let known = p.variants.last().is_none_or(|(variant, _)| *variant < parts.variants.len());
    ensure(rising && known, location, "its variants do not rise, or are not there")?;
    ensure(p.morphs.len() == mesh.morph_names.len(), location, "morph targets and their names differ in number")?;
    for m in &p.morphs {
        ensure(
            fits(m.positions.len()) && fits(m.normals.len()) && fits(m.tangents.len()),
            location,
            "a morph target does not fit",
        )?;
    }
    ensure(numbers(p).into_iter().all(is_finite), location, "it holds numbers that are not finite")?;
    if let Some(i) = &p.stored_influences {
        let fits = i.per_vertex > 0 && i.joints.len() == n * i.per_vertex && i.weights.len() == i.joints.len();
        ensure(fits, location, "its influences do not fit its vertices")?;
        check_evidence(i, p.stored_vertices, location)?;
    }
    Ok(())
}

/// Checks the lists of weights and joints that import had to replace.
fn check_evidence(i: &Influences, stored: usize, location: &dyn Fn() -> String) -> Result<(), BuildError> {
    let inside = |vertex: u32, slot: u32| (vertex as usize) < stored && (slot as usize) < i.per_vertex;
    let at = |vertex: u32, slot: u32| vertex as usize * i.per_vertex + slot as usize;
    let rising = i.not_finite.is_sorted_by(|a, b| (a.vertex, a.slot) < (b.vertex, b.slot));
    let zero =
        |n: &NotFinite| inside(n.vertex, n.slot) && !n.value.is_finite() && i.weights[at(n.vertex, n.slot)] == 0.0;
    ensure(rising && i.not_finite.iter().all(zero), location, "its weights that are not finite are not as kept")?;
    let rising = i.out_of_range.is_sorted_by(|a, b| (a.vertex, a.slot) < (b.vertex, b.slot));
    let first = |o: &OutOfRange| {
        inside(o.vertex, o.slot) && (i.joints[at(o.vertex, o.slot)], i.weights[at(o.vertex, o.slot)]) == (0, 0.0)
    };
    ensure(rising && i.out_of_range.iter().all(first), location, "its joints beyond the skin are not as kept")?;
    let sets = i.formats.is_empty() || i.formats.len() * 4 == i.per_vertex;
    ensure(sets, location, "formats and sets of weights differ in number")
}
