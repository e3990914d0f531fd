//! Finds the middle of a body under the pointer: between the surfaces that a ray goes through, of meshes without a skin as they stand at rest.

use std::collections::BTreeSet;

use glam::{DAffine3, Vec3};
use skinscope_base::math::{Aabb, Ray};
use skinscope_model::{Instance, Model, Primitive, Topology};

/// Hits that are nearer to each other than this share of the size of the body are one: the edge that two triangles have in common is met twice.
const SAME_HIT: f32 = 1e-4;

/// Where a ray goes through a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    distance: f32,
    /// Whether it is met from the front.
    enters: bool,
}

/// Returns the box around the meshes without a skin with these numbers of the file (`None`: all), as they stand at rest in the scene.
pub(super) fn bare_bounds_of(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Aabb {
    let mut out = Aabb::EMPTY;
    for (world, primitive) in bare_parts(model, meshes) {
        for position in primitive.positions.iter().take(primitive.stored_vertices) {
            out.include(world.transform_point3(position.as_dvec3()).as_vec3());
        }
    }
    out
}

/// Returns the vertices of the meshes without a skin with these numbers (`None`: all), as they stand at rest in the scene.
pub(super) fn bare_points(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Vec<Vec3> {
    let mut out = Vec::new();
    for (world, primitive) in bare_parts(model, meshes) {
        let stored = primitive.positions.iter().take(primitive.stored_vertices);
        out.extend(stored.map(|at| world.transform_point3(at.as_dvec3()).as_vec3()).filter(|at| Aabb::is_near(*at)));
    }
    out
}

/// Returns their triangles.
pub(super) fn bare_triangles(model: &Model, meshes: Option<&BTreeSet<u32>>) -> Vec<[Vec3; 3]> {
    let mut out = Vec::new();
    for (world, primitive) in bare_parts(model, meshes) {
        let corner = |vertex: u32| {
            let at = primitive.positions.get(vertex as usize)?;
            Some(world.transform_point3(at.as_dvec3()).as_vec3()).filter(|at| Aabb::is_near(*at))
        };
        let (triangles, _) = primitive.indices.as_chunks::<3>();
        out.extend(triangles.iter().filter_map(|[a, b, c]| Some([corner(*a)?, corner(*b)?, corner(*c)?])));
    }
    out
}

/// Returns the middle of the body that a ray (scene's space) meets first: halfway between where it goes in and where it is out again. A garment
/// around a body counts as a part of it. Of a surface without a back it is the surface itself. `None` where the ray meets nothing.
#[must_use]
pub fn middle_of_body(model: &Model, ray: Ray) -> Option<Vec3> {
    let triangles = bare_parts(model, None).flat_map(|(world, primitive)| {
        let corner = move |vertex: &u32| {
            let at = primitive.positions.get(*vertex as usize)?;
            Some(world.transform_point3(at.as_dvec3()).as_vec3())
        };
        let (triangles, _) = primitive.indices.as_chunks::<3>();
        triangles.iter().filter_map(move |[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]))
    });
    middles_in(triangles, bare_bounds_of(model, None).diagonal(), &[ray]).into_iter().next().flatten()
}

/// Does the same for several rays through triangles of a body of this size.
pub(super) fn middles_in(triangles: impl Iterator<Item = [Vec3; 3]>, size: f32, rays: &[Ray]) -> Vec<Option<Vec3>> {
    let mut met: Vec<Vec<Crossing>> = vec![Vec::new(); rays.len()];
    for [a, b, c] in triangles {
        for (ray, met) in rays.iter().zip(&mut met) {
            if let Some(distance) = ray.hit_triangle(a, b, c) {
                let enters = (b - a).cross(c - a).dot(ray.direction) < 0.0;
                met.push(Crossing { distance, enters });
            }
        }
    }
    let size = SAME_HIT * size;
    let middle = |(ray, met): (&Ray, &mut Vec<Crossing>)| {
        let near = size / ray.direction.length().max(f32::MIN_POSITIVE);
        let [from, to] = way_through(met, near)?;
        let at = ray.origin + 0.5 * (from + to) * ray.direction;
        at.is_finite().then_some(at)
    };
    rays.iter().zip(&mut met).map(middle).collect()
}

/// Returns where a ray goes into the first body and where it leaves it. `near` is how far apart crossings are at least.
fn way_through(met: &mut Vec<Crossing>, near: f32) -> Option<[f32; 2]> {
    met.retain(|crossing| crossing.distance.is_finite());
    met.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    met.dedup_by(|later, first| later.distance - first.distance <= near && later.enters == first.enters);
    let first = *met.first()?;
    // A surface that is turned inside out is left where others are entered.
    let (mut depth, mut last) = (0, first.distance);
    for crossing in &*met {
        depth += if crossing.enters == first.enters { 1 } else { -1 };
        last = crossing.distance;
        if depth == 0 {
            break;
        }
    }
    // Where not every surface has a back, as a nose that lies on a face, the body ends where one is left; where none is, the first two are it.
    let beyond = || met.iter().filter(|crossing| crossing.distance > first.distance + near);
    let second = beyond().find(|crossing| crossing.enters != first.enters).or_else(|| beyond().next());
    let end = if depth == 0 { last } else { second.map_or(first.distance, |second| second.distance) };
    Some([first.distance, end])
}

/// Returns the parts with triangles and vertices of meshes without a skin, each with the matrix from its mesh to the scene. `meshes` are
/// numbers of the file; `None`: all.
fn bare_parts<'m>(model: &'m Model, meshes: Option<&BTreeSet<u32>>) -> impl Iterator<Item = (DAffine3, &'m Primitive)> {
    let worlds = model.skeleton.worlds(&model.skeleton.rest);
    let is_bare = move |instance: &&Instance| {
        let is_asked = meshes.is_none_or(|meshes| meshes.contains(&model.file_mesh(instance.mesh).0));
        is_asked && instance.skin.is_none() && instance.copies.is_empty()
    };
    model.instances.iter().filter(is_bare).flat_map(move |instance| {
        let world = worlds[instance.node.index()];
        let whole = model.meshes[instance.mesh.index()].primitives.iter();
        let whole = whole.filter(|p| p.shares.is_none() && p.topology == Topology::Triangles);
        whole.map(move |primitive| (world, primitive))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(crossings: &[(f32, bool)]) -> Option<[f32; 2]> {
        let mut met: Vec<Crossing> =
            crossings.iter().map(|(distance, enters)| Crossing { distance: *distance, enters: *enters }).collect();
        way_through(&mut met, 1e-3)
    }

    #[test]
    fn a_ray_goes_through_the_first_body_with_what_is_around_it() {
        let (front, back) = (true, false);
        assert_eq!(way(&[]), None);
        assert_eq!(way(&[(2.0, back), (1.0, front), (5.0, front), (6.0, back)]), Some([1.0, 2.0]), "one leg of two");
        // A shirt around a body.
        let shirt = [(1.0, front), (1.1, front), (1.9, back), (2.1, back)];
        assert_eq!(way(&shirt), Some([1.0, 2.1]));
        // An edge is met twice.
        assert_eq!(way(&[(1.0, front), (1.0, front), (2.0, back), (2.0, back)]), Some([1.0, 2.0]));
        // Inside out, half of it inside out, and without a back.
        assert_eq!(way(&[(1.0, back), (2.0, front)]), Some([1.0, 2.0]));
        assert_eq!(way(&[(1.0, front), (2.0, front), (9.0, front)]), Some([1.0, 2.0]));
        assert_eq!(way(&[(1.0, front)]), Some([1.0, 1.0]));
        // A patch on a body, and another body behind it.
        assert_eq!(way(&[(1.0, front), (1.1, front), (2.0, back), (5.0, front), (6.0, back)]), Some([1.0, 2.0]));
    }
}
