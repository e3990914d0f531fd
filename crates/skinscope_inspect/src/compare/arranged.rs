//! Arranges the vertices of a model as another one has them, so that the two can be compared vertex by vertex.

use glam::{DVec3, Vec3};
use skinscope_model::{Influences, Mesh, Model, ModelParts, NotFinite, OutOfRange, Primitive};

use super::nodes::Nodes;
use super::surfaces::Pair;

/// What each vertex of a primitive becomes: a vertex of another primitive.
type Rows<'m> = Vec<(&'m Primitive, usize)>;

/// Returns what `b` makes of the vertices of `a`, vertices paired as [`super::compare`] pairs them: the model `a` with the positions, weights,
/// morph targets and inverse bind matrices of `b`. `None` where `b` has all vertices as `a` does, or as many in each primitive that
/// cannot be paired by place.
///
/// # Errors
/// Some vertices have no counterpart, so that the surfaces are not the same ones; the message says how many.
pub fn arranged(a: &Model, b: &Model) -> Result<Option<Model>, String> {
    let names = |model: &Model| model.meshes.iter().map(|mesh| mesh.morph_names.len()).collect::<Vec<_>>();
    if names(a) != names(b) {
        return Err("they have other meshes".to_owned());
    }
    let meshes: Vec<[usize; 2]> = (0..a.meshes.len()).map(|m| [m, m]).collect();
    let pairs = Pair::all(a, b, &Nodes::of(a, b), &meshes);
    let mut changed: Vec<(usize, Mesh)> = Vec::new();
    let mut lost = [0, 0];
    for pair in &pairs {
        let [own, other] = [&pair.lists[0], &pair.lists[1]];
        let is_alike = own.has_counts_of(other);
        let here = &pair.matched.lost;
        if is_alike && (here.iter().any(|lost| !lost.is_empty()) || pair.matched.pairs.iter().all(|[v, w]| v == w)) {
            continue;
        }
        (0..2).for_each(|side| lost[side] += here[side].len());
        changed.push((pair.meshes[0].index(), mesh(pair)?));
    }
    if lost != [0, 0] {
        return Err(format!(
            "{} vertices of the first file and {} of the second have no counterpart",
            lost[0], lost[1]
        ));
    }
    if changed.is_empty() {
        return Ok(None);
    }
    let mut parts = ModelParts::clone(a);
    // The other meshes are in order, and have the contents of the second model too.
    parts.meshes.iter_mut().zip(&b.meshes).for_each(|(own, other)| own.clone_from(other));
    changed.into_iter().for_each(|(m, mesh)| parts.meshes[m] = mesh);
    parts.meshes.iter_mut().zip(&a.meshes).for_each(|(mesh, own)| with_materials_of(mesh, own));
    parts.skins = b.skins.to_vec();
    Model::build(parts).map(Some).map_err(|error| error.to_string())
}

/// Gives the primitives of a mesh the materials of another mesh that has as many.
fn with_materials_of(mesh: &mut Mesh, own: &Mesh) {
    for (primitive, own) in mesh.primitives.iter_mut().zip(&own.primitives) {
        primitive.material = own.material;
        primitive.variants.clone_from(&own.variants);
    }
}

/// Returns the first mesh of a pair with the contents of the second.
fn mesh(pair: &Pair) -> Result<Mesh, String> {
    let [own, other] = [&pair.lists[0], &pair.lists[1]];
    let mut there: Vec<Option<u32>> = vec![None; own.len()];
    for [v, w] in &pair.matched.pairs {
        there[*v as usize].get_or_insert(*w);
    }
    let mut out = own.mesh.clone();
    for (p, primitive) in out.primitives.iter_mut().enumerate().filter(|(_, primitive)| primitive.shares.is_none()) {
        let numbers = own.numbers(p);
        let of = |v: u32| match there[numbers.start + primitive.stored_vertex(v) as usize] {
            Some(number) => {
                let (q, w) = other.at(number);
                (&other.mesh.primitives[q], w)
            }
            // No triangle uses it.
            None => (&own.mesh.primitives[p], v as usize),
        };
        let rows: Rows = (0..primitive.vertex_count() as u32).map(of).collect();
        let apart = other.mesh.offset - own.mesh.offset;
        replace(&mut primitive.positions, &rows, |from| &from.positions);
        if apart != DVec3::ZERO {
            primitive.positions.iter_mut().for_each(|p| *p = (p.as_dvec3() + apart).as_vec3());
        }
        replace(&mut primitive.normals, &rows, |from| &from.normals);
        for (target, morph) in primitive.morphs.iter_mut().enumerate() {
            let has_any = rows.iter().any(|(from, _)| !from.morphs[target].positions.is_empty());
            morph.positions.resize(if has_any { rows.len() } else { 0 }, Vec3::ZERO);
            morph.positions.iter_mut().for_each(|moved| *moved = Vec3::ZERO);
            replace(&mut morph.positions, &rows, |from| &from.morphs[target].positions);
            replace(&mut morph.normals, &rows, |from| &from.morphs[target].normals);
        }
        primitive.stored_influences = influences(&rows)?;
    }
    Ok(out)
}

/// Replaces the values of vertices by those that they become, where these have any.
fn replace<T: Copy>(own: &mut [T], rows: &Rows, of: impl Fn(&Primitive) -> &[T]) {
    for (value, (from, w)) in own.iter_mut().zip(rows) {
        *value = of(from).get(*w).copied().unwrap_or(*value);
    }
}

/// Gathers the influences of vertices that are in several primitives.
fn influences(rows: &Rows) -> Result<Option<Influences>, String> {
    let stored = || rows.iter().map(|(from, _)| from.stored_influences.as_ref());
    let Some(per_vertex) = stored().flatten().map(|i| i.per_vertex).max() else { return Ok(None) };
    if stored().any(|influences| influences.is_none()) {
        return Err("joints move only some of the vertices that one primitive has in the other file".to_owned());
    }
    let format = stored().flatten().map(|i| i.format).max().unwrap_or_default();
    let mut out = Influences { per_vertex, format, ..Influences::default() };
    for (v, (from, w)) in (0..).zip(rows) {
        let Some(from) = &from.stored_influences else { continue };
        let (joints, weights) = from.of(*w);
        out.joints.extend_from_slice(joints);
        out.weights.extend_from_slice(weights);
        out.joints.resize((v as usize + 1) * per_vertex, 0);
        out.weights.resize((v as usize + 1) * per_vertex, 0.0);
        let start = from.not_finite.partition_point(|n| (n.vertex as usize) < *w);
        let broken = from.not_finite[start..].iter().take_while(|n| n.vertex as usize == *w);
        out.not_finite.extend(broken.map(|n| NotFinite { vertex: v, ..*n }));
        let start = from.out_of_range.partition_point(|n| (n.vertex as usize) < *w);
        let outside = from.out_of_range[start..].iter().take_while(|n| n.vertex as usize == *w);
        out.out_of_range.extend(outside.map(|n| OutOfRange { vertex: v, ..*n }));
    }
    Ok(Some(out))
}

#[cfg(test)]
mod tests {
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    #[test]
    fn only_the_same_surface_is_arranged() {
        let model = tube(Tube { joints: 12, ..Tube::default() });
        assert!(arranged(&model, &model).unwrap().is_none());
        let other = tube(Tube { joints: 12, rings: 5, ..Tube::default() });
        assert!(arranged(&model, &other).unwrap_err().contains("have no counterpart"));
        // In another order, and with other weights.
        let mut parts = ModelParts::clone(&model);
        let primitive = &mut parts.meshes[0].primitives[0];
        let last = primitive.stored_vertices - 1;
        primitive.positions.swap(0, last);
        primitive.normals.swap(0, last);
        let influences = primitive.stored_influences.as_mut().unwrap();
        for slot in 0..influences.per_vertex {
            let end = last * influences.per_vertex + slot;
            influences.joints.swap(slot, end);
            influences.weights.swap(slot, end);
        }
        influences.weights[last * influences.per_vertex] *= 0.5;
        for corner in &mut primitive.indices {
            *corner = match *corner as usize {
                0 => last as u32,
                v if v == last => 0,
                v => v as u32,
            };
        }
        let other = arranged(&model, &Model::build(parts).unwrap()).unwrap().unwrap();
        let [own, there] = [&*model, &other].map(|model| &model.meshes[0].primitives[0]);
        assert_eq!((&own.positions, &own.indices), (&there.positions, &there.indices));
        let [own, there] = [own, there].map(|primitive| primitive.stored_influences.as_ref().unwrap());
        let differ = |v: &usize| own.of(*v) != there.of(*v);
        assert_eq!((0..=last).filter(differ).collect::<Vec<_>>(), [0]);
    }
}
