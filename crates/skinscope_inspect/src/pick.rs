//! Picking: finds the first point at which a ray meets the deformed surface, and boxes around parts of it.

use std::sync::atomic::AtomicBool;

use glam::{Affine3A, Vec3, Vec4};
use skinscope_base::math::{Aabb, Ray};
use skinscope_base::parallel;
use skinscope_deform::{self as deform, Surface, SurfacePart, VertexDeformer};
use skinscope_model::{Instance, InstanceId, Model, NodeId, Topology};

use super::{PosedModel, VertexRef};

/// The first point at which a ray meets the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The instance that was hit.
    pub instance: InstanceId,
    /// The number of the primitive in its mesh.
    pub primitive: usize,
    /// The corner of the hit triangle that is nearest to the hit.
    pub vertex: usize,
    /// The number of the instance's copy, see [`skinscope_model::Instance::copies`]; 0 where it has none.
    pub copy: usize,
    /// The point, model space.
    pub position: Vec3,
    /// The distance from the ray's origin, metres.
    pub distance: f32,
}

impl Hit {
    /// Returns the vertex that was hit.
    #[must_use]
    pub fn vertex_ref(&self) -> VertexRef {
        VertexRef { instance: self.instance, primitive: self.primitive, vertex: self.vertex }
    }
}

/// Returns the nearest hit of `ray`; triangles are hit from both sides, and of equally near hits the one that is drawn
/// first counts. It tests every triangle, on all cores, and is the reference for [`super::PickIndex`].
#[must_use]
pub fn pick(model: &Model, surface: &Surface, ray: Ray) -> Option<Hit> {
    let model = surface.model(model);
    let mut work = Vec::new();
    for part in &surface.parts {
        let triangles = triangles(model, part).len();
        for copy in 0..part.copies.len().max(1) {
            work.extend((0..triangles).step_by(CHUNK).map(|first| (part, copy, first)));
        }
    }
    let look = |i: usize| {
        let (part, copy, first): (&SurfacePart, usize, usize) = work[i];
        let local = part.copies.get(copy).map_or(Some(ray), |matrix| local_ray(ray, matrix))?;
        let triangles = &triangles(model, part)[first..];
        pick_one(part, &triangles[..triangles.len().min(CHUNK)], copy, (ray, local))
    };
    let found = parallel::map(work.len(), &AtomicBool::new(false), &look).unwrap_or_default();
    let nearest = found.into_iter().flatten().reduce(|best, hit| if hit.distance < best.distance { hit } else { best });
    nearest.map(|hit| Hit { vertex: surface.original(hit.instance, hit.primitive, hit.vertex), ..hit })
}

/// How many triangles one thread tests at a time.
const CHUNK: usize = 1 << 14;

/// Returns the triangles of a part; none where it has points or lines.
fn triangles<'a>(model: &'a Model, part: &SurfacePart) -> &'a [[u32; 3]] {
    let p = &model.meshes[model.instances[part.instance.index()].mesh.index()].primitives[part.primitive];
    if p.topology == Topology::Triangles { p.indices.as_chunks().0 } else { &[] }
}

/// Returns `ray` in the space of a copy; `None` where its matrix cannot be inverted. The direction is not normalised,
/// so that distances along the ray stay the same.
pub(super) fn local_ray(ray: Ray, model_from_mesh: &Affine3A) -> Option<Ray> {
    let mesh_from_model = model_from_mesh.inverse();
    let origin = mesh_from_model.transform_point3(ray.origin);
    let direction = mesh_from_model.transform_vector3(ray.direction);
    mesh_from_model.is_finite().then_some(Ray { origin, direction })
}

/// Finds the nearest hit with one copy of a part. `local` is `ray` in the space of the deformed vertices.
fn pick_one(part: &SurfacePart, triangles: &[[u32; 3]], copy: usize, (ray, local): (Ray, Ray)) -> Option<Hit> {
    let SurfacePart { instance, primitive, deformed, .. } = part;
    let mut best: Option<Hit> = None;
    for indices in triangles {
        let corners = indices.map(|v| deformed.positions[v as usize]);
        let Some(distance) = distance_to(local, corners) else { continue };
        if best.is_some_and(|hit| hit.distance <= distance) {
            continue;
        }
        let vertex = indices[nearest_corner(local, distance, corners)] as usize;
        let position = ray.origin + ray.direction * distance;
        best = Some(Hit { instance: *instance, primitive: *primitive, vertex, copy, position, distance });
    }
    best
}

/// How far rounding may put a point outside of its box, as a share of the largest coordinate.
const ROUNDING: f32 = 1e-5;

/// Returns the distance to a triangle. For a triangle that is nearly a line, arithmetic may find a point that lies
/// nowhere near it, which does not count.
pub(super) fn distance_to(ray: Ray, corners: [Vec3; 3]) -> Option<f32> {
    let distance = ray.hit_triangle(corners[0], corners[1], corners[2])?;
    let at = ray.origin + ray.direction * distance;
    let (min, max) = (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
    let slack = Vec3::splat(slack(ray, Aabb { min, max }));
    (at.cmpge(min - slack).all() && at.cmple(max + slack).all()).then_some(distance)
}

fn slack(ray: Ray, bounds: Aabb) -> f32 {
    ROUNDING * (bounds.farthest() + ray.origin.abs().max_element())
}

/// Returns the distance at which `ray` reaches the triangles in `bounds`, or less: the box is grown to hold all points
/// that [`distance_to`] may find.
pub(super) fn enters(ray: Ray, bounds: Aabb) -> Option<f32> {
    ray.enters_box(bounds.grown(Vec3::splat(3.0 * slack(ray, bounds))))
}

/// Returns the corner that is nearest to the point at `distance`.
pub(super) fn nearest_corner(ray: Ray, distance: f32, corners: [Vec3; 3]) -> usize {
    let at = ray.origin + ray.direction * distance;
    let to = corners.map(|corner| corner.distance_squared(at));
    if to[0] <= to[1] && to[0] <= to[2] {
        0
    } else if to[1] <= to[2] {
        1
    } else {
        2
    }
}

/// Returns the node that moves a vertex most: its heaviest joint, or the node of a rigid part (its nearest joint above,
/// if any).
#[must_use]
pub fn mover(model: &Model, instance: InstanceId, primitive: usize, vertex: usize) -> Option<NodeId> {
    let source = &model.instances[instance.index()];
    model.meshes[source.mesh.index()].primitives.get(primitive)?;
    let (Some(skin), Some(influences)) = (source.skin, model.influences(source.mesh, primitive)) else {
        return Some(carrier(model, source.node));
    };
    let (joints, weights) = influences.of(vertex);
    let heaviest = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0).max_by(|a, b| a.1.total_cmp(b.1))?;
    Some(model.skins[skin.index()].joints[*heaviest.0 as usize])
}

/// Returns the nearest joint at or above `node`, else `node`.
#[must_use]
pub(super) fn carrier(model: &Model, node: NodeId) -> NodeId {
    std::iter::successors(Some(node), |n| model.skeleton.parents[n.index()])
        .find(|n| model.is_joint(*n))
        .unwrap_or(node)
}

/// Returns the box around some vertices of the instances `draws`, as posed: those that `wanted` names of each primitive
/// of an instance, in all of its copies. No other vertex is deformed.
#[must_use]
pub fn bounds_of(
    posed: &PosedModel,
    draws: &[InstanceId],
    wanted: &mut dyn FnMut(&Instance, usize, &mut Vec<u32>),
) -> Aabb {
    let PosedModel { model, palettes, morph_weights, method, .. } = *posed;
    let surface = posed.whole(draws);
    let (mut packed, mut still): (Vec<Vec4>, Vec<Vec4>) = (Vec::new(), Vec::new());
    deform::pack(&method, palettes, &mut packed);
    deform::pack(&method, &[Affine3A::IDENTITY], &mut still);
    let (mut vertices, mut points, mut out) = (Vec::new(), Vec::new(), Aabb::EMPTY);
    for id in draws {
        let instance = &model.instances[id.index()];
        for primitive in 0..model.meshes[instance.mesh.index()].primitives.len() {
            vertices.clear();
            wanted(instance, primitive, &mut vertices);
            if vertices.is_empty() {
                continue;
            }
            let location = (*id, primitive);
            if let Some(part) = surface.as_ref().and_then(|surface| surface.part(*id, primitive)) {
                let every = (0..instance.copy_count()).flat_map(|copy| vertices.iter().map(move |v| (*v, copy)));
                let at = every.filter_map(|(vertex, copy)| part.position(vertex as usize, copy));
                out = out.union(Aabb::from_points(at));
                continue;
            }
            if instance.copies.is_empty() {
                VertexDeformer::new(model, location, &packed, morph_weights, method).positions(&vertices, &mut points);
                out = out.union(Aabb::from_points(points.iter().copied()));
                continue;
            }
            VertexDeformer::rigid(model, location, &still, morph_weights, method).positions(&vertices, &mut points);
            let (first, _) = model.binding(*id, primitive);
            for matrix in palettes[first as usize..].iter().take(instance.copies.len()) {
                out = out.union(Aabb::from_points(points.iter().map(|p| matrix.transform_point3(*p))));
            }
        }
    }
    out
}

/// Returns the box around the vertices that `node` moves by at least `weight`, as posed.
#[must_use]
pub fn moved_bounds(posed: &PosedModel, draws: &[InstanceId], node: NodeId, weight: f32) -> Aabb {
    let model = posed.model;
    bounds_of(posed, draws, &mut |instance, primitive, out| {
        let p = &model.meshes[instance.mesh.index()].primitives[primitive];
        let count = p.positions.len() as u32;
        let (Some(skin), Some(influences)) = (instance.skin, model.influences(instance.mesh, primitive)) else {
            if instance.node == node || carrier(model, instance.node) == node {
                out.extend(0..count);
            }
            return;
        };
        let nodes = &model.skins[skin.index()].joints;
        out.extend((0..count).filter(|vertex| {
            let (joints, weights) = influences.of(*vertex as usize);
            let shares = joints.iter().zip(weights).filter(|(j, _)| nodes[usize::from(**j)] == node);
            shares.map(|(_, share)| *share).sum::<f32>() >= weight
        }));
    })
}

#[cfg(test)]
mod tests {
    use skinscope_anim::local_to_model;
    use skinscope_deform::{METHODS, SurfaceInput};
    use skinscope_model::test_shapes::{Tube, tube};

    use super::*;

    fn at_rest(model: &Model) -> Surface {
        let (mut pose, mut palettes) = (Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        deform::palettes(model, &pose, &mut palettes);
        let draws = &skinscope_anim::drawn_at_rest(model, 0);
        Surface::of(&SurfaceInput { model, draws, palettes: &palettes, morph_weights: &[], method: METHODS[0].into() })
    }

    #[test]
    fn a_ray_from_the_front_meets_the_near_wall_and_names_its_joint() {
        let model = tube(Tube { joints: 2, length: 2.0, radius: 0.25, sides: 32, rings: 21, influences: 2 });
        let surface = at_rest(&model);
        for (y, joint) in [(0.4, 1), (1.6, 2)] {
            let ray = Ray { origin: Vec3::new(0.0, y, 3.0), direction: Vec3::NEG_Z };
            let hit = pick(&model, &surface, ray).unwrap();
            assert!((hit.position.z - 0.25).abs() < 0.01 && (hit.distance - 2.75).abs() < 0.01);
            assert_eq!(mover(&model, hit.instance, hit.primitive, hit.vertex), Some(NodeId(joint)));
        }
        let beside = Ray { origin: Vec3::new(1.0, 1.0, 3.0), direction: Vec3::NEG_Z };
        assert!(pick(&model, &surface, beside).is_none());
    }

    #[test]
    fn the_upper_joint_moves_the_upper_half() {
        let model = tube(Tube { joints: 2, length: 2.0, rings: 21, ..Tube::default() });
        let (mut pose, mut palettes) = (Vec::new(), Vec::new());
        local_to_model(&model.skeleton, &model.skeleton.rest, &mut pose);
        deform::palettes(&model, &pose, &mut palettes);
        let posed = PosedModel {
            model: &model,
            palettes: &palettes,
            morph_weights: &[],
            method: METHODS[0].into(),
            surface: None,
        };
        let bounds = moved_bounds(&posed, &skinscope_anim::drawn_at_rest(&model, 0), NodeId(2), 0.5);
        assert!((bounds.min.y - 1.0).abs() < 0.11 && bounds.max.y == 2.0);
    }
}
