//! Surfaces of one skin each. Two skins may bind alike and be one surface for repairs; a stroke takes points of one place for one only where one
//! skin moves them.

use skinscope_base::math::Weld;
use skinscope_deform::MeshTopology;
use skinscope_model::{Model, SkinId};
use skinscope_weights::{RestPart, RestSurface};

/// Divides surfaces so that each has the meshes of one skin alone: of that with which the first instance draws them.
pub(super) fn by_skin(model: &Model, surfaces: Vec<RestSurface>) -> Vec<RestSurface> {
    let skin_of = |part: &RestPart| {
        let mut instances = model.instances.iter().filter(|instance| instance.mesh == part.primitive.mesh);
        instances.find_map(|instance| instance.skin)
    };
    let divided = |surface: RestSurface| {
        let mut skins: Vec<Option<SkinId>> = Vec::new();
        for skin in surface.parts.iter().map(skin_of) {
            if !skins.contains(&skin) {
                skins.push(skin);
            }
        }
        match skins.len() {
            0 | 1 => vec![surface],
            _ => skins.iter().map(|skin| some_parts(&surface, &|part| skin_of(part) == *skin)).collect(),
        }
    };
    surfaces.into_iter().flat_map(divided).collect()
}

/// Makes a surface of some parts of another one. What was one point there is one here.
fn some_parts(surface: &RestSurface, is_wanted: &dyn Fn(&RestPart) -> bool) -> RestSurface {
    let ends = surface.parts.iter().skip(1).map(|next| next.first).chain([surface.mesh.vertex_count()]);
    // For each vertex of the new surface its number in the old one.
    let mut vertices: Vec<u32> = Vec::new();
    let mut parts = Vec::new();
    for (part, end) in surface.parts.iter().zip(ends).filter(|(part, _)| is_wanted(part)) {
        parts.push(RestPart { first: vertices.len() as u32, ..*part });
        vertices.extend(part.first..end);
    }
    let mut numbers: Vec<Option<u32>> = vec![None; surface.mesh.vertex_count() as usize];
    (0..).zip(&vertices).for_each(|(new, old)| numbers[*old as usize] = Some(new));
    let renumbered = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|old| numbers[old as usize]);
        Some([a?, b?, c?])
    };
    let triangles = surface.mesh.triangles.iter().filter_map(renumbered).collect();
    let point = |old: &u32| surface.mesh.point(*old);
    let weld = Weld::by_key(vertices.iter().map(point), &|| false).unwrap_or_default();
    let positions = weld.first.iter().map(|new| surface.positions[point(&vertices[*new as usize]) as usize]).collect();
    RestSurface::new(parts, (MeshTopology::new(weld, triangles, &|| false).unwrap_or_default(), positions))
}
